//! Claims of examples and laws: what is given before the first instruction, and what holds after the last.
//!
//! Claims name registers as assembly text does. A claim becomes a program that writes whether it fails into a register of its own, so
//! that the executor evaluates it like any other program.

use std::collections::BTreeSet;

use isadl_base::vocabulary::{BinaryOp, UnaryOp};
use isadl_diagnostics::diagnostic::{Code, Diagnostics};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{RegFile, RegFileId, Register};

use super::bits::Position;
use super::{Checker, Context};
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, Place, Program, Statement, StatementKind, Type};
use crate::scope::Met;
use crate::syntax::ast::{self, Declaration, Name};
use crate::trials::{Claim, ClaimKind, FAILED, NEW_PC, Side, old_name};

/// The moment that names of registers are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before the instruction or instructions, as in all programs.
    Before,
    /// After the last instruction.
    After,
}

/// Checked claims.
#[derive(Debug, Default)]
pub(crate) struct CheckedClaims {
    pub(crate) given: Program,
    pub(crate) before: Program,
    pub(crate) claims: Vec<Claim>,
    pub(crate) named: BTreeSet<Register>,
    pub(crate) active: BTreeSet<Register>,
    pub(crate) ranges: Vec<Interval>,
}

/// The most bits of a side of a comparison that are shown.
const SHOWN_BITS: u32 = 256;

/// Checks claims. The result is `None` if something was reported.
pub(crate) fn claims<'c, 's>(
    context: &'c Context<'c, 's>,
    texts: &'c [ast::Claims<'s>],
    diagnostics: &mut Diagnostics,
) -> Option<CheckedClaims> {
    let mut checker = Checker::new(context, diagnostics);
    let given = texts.iter().flat_map(|text| &text.given);
    let given: Vec<Statement> =
        given.filter_map(|statement| checker.given_value(statement)).flatten().collect();
    let given = checker.of_all_lanes(given);
    checker.moment = Moment::After;
    let all = texts.iter().flat_map(|text| &text.claims);
    let mut claims: Vec<Claim> = all.filter_map(|statement| checker.claim(statement)).collect();
    checker.moment = Moment::Before;
    let before = checker.before();
    let named = std::mem::take(&mut checker.named);
    checker.declared_active();
    let active = std::mem::take(&mut checker.named);
    let ranges = checker.ranges();
    let locals = std::mem::take(&mut checker.locals);
    let lanes = checker.all_lanes();
    let program = |statements| Program { statements, locals: locals.clone(), lanes: lanes.clone() };
    for claim in &mut claims {
        claim.complete(&program);
    }
    (!checker.has_errors).then(|| CheckedClaims {
        given: program(given),
        before: program(before),
        claims,
        named,
        active,
        ranges,
    })
}

impl<'c, 's> Checker<'c, 's, '_> {
    /// The register with a name of assembly text, and its number of bits.
    pub(super) fn register_named(&mut self, name: Name<'s>) -> Option<(Place, u32)> {
        // What groups declare has no such names.
        let names = self.context.registers.filter(|_| self.calls.is_empty())?;
        let Register { file, number } = names.find(name.text)?;
        let width = self.context.isa.reg_files()[file.index()].width;
        let number = Box::new(self.int(number.into(), name.span));
        Some((Place::Register { file, number }, width))
    }

    /// Notes a register that a claim reads.
    pub(super) fn note_named(&mut self, place: &Place) {
        let place = match place {
            Place::OfLane { place, .. } => place,
            _ => place,
        };
        if let Place::Register { file, number } = place
            && let Some(number) = number.value()
        {
            self.named.insert(Register { file: *file, number: number as u32 });
        }
    }

    /// The values that the registers of each file may have.
    fn ranges(&mut self) -> Vec<Interval> {
        let files = self.context.isa.reg_files().iter().enumerate();
        let range = |(at, file): (usize, &RegFile)| {
            self.state_range(RegFileId::new(at)).unwrap_or(Interval::unsigned(file.width))
        };
        files.map(range).collect()
    }

    /// `pc` after the last instruction.
    pub(super) fn new_pc(&mut self, width: u32, span: Span) -> Expr {
        let place = Place::State { name: NEW_PC.to_string(), width };
        self.read(place, width, span)
    }

    /// `old(value)`
    pub(super) fn old_value(
        &mut self,
        function: Name<'s>,
        arguments: &'c [ast::Expr<'s>],
        span: Span,
    ) -> Option<Expr> {
        let [value] = arguments else {
            let message = format!("`old` takes 1 argument, not {}", arguments.len());
            self.error(Code::E1213, function.span, message, "write `old(register)`");
            return None;
        };
        self.moment = Moment::Before;
        let found = self.sized(value);
        self.moment = Moment::After;
        let (found, width) = found.and_then(|found| found.width().map(|width| (found, width)))?;
        if self.differs_between_lanes(&found) {
            let help = "let the instructions write other registers than they read";
            let message = "each lane has its own value, and `old` remembers one";
            self.error(Code::E1232, span, message, help);
            return None;
        }
        let at = self.old.len();
        self.old.push((found, width));
        let pieces = (0..width.div_ceil(64)).rev().map(|piece| {
            let width = (width - 64 * piece).min(64);
            let place = Place::State { name: old_name(at, piece), width };
            self.make_bits(ExprKind::Read(place), width, span)
        });
        let pieces = pieces.collect();
        Some(self.make_bits(ExprKind::Concat(pieces), width, span))
    }

    /// Programs that remember the old values.
    fn before(&mut self) -> Vec<Statement> {
        let mut found = Vec::new();
        for (at, (value, width)) in std::mem::take(&mut self.old).into_iter().enumerate() {
            found.extend(self.pieces(value, width, |piece| old_name(at, piece)));
        }
        found
    }

    /// Writes a value to registers of at most 64 bits, the lowest piece first.
    fn pieces(&mut self, value: Expr, width: u32, name: impl Fn(u32) -> String) -> Vec<Statement> {
        let piece = |at: u32| {
            let own = (width - 64 * at).min(64);
            let bits = self.bits_at(value.clone(), Position::Fixed(64 * at, own), value.span);
            written(name(at), own, bits)
        };
        (0..width.div_ceil(64)).map(piece).collect()
    }

    /// `place = value` before the colon.
    fn given_value(&mut self, statement: &'c ast::Statement<'s>) -> Option<Vec<Statement>> {
        if statement.guard.as_ref().is_some_and(|guard| self.is_never(guard)) {
            return None;
        }
        match &statement.kind {
            ast::StatementKind::Assign { target, value } => {
                if target.as_name().is_some_and(|name| name.text == "pc") {
                    let help =
                        "`pc` is the address of the first instruction; compare with `old(pc)`";
                    self.error(Code::E1216, target.span, "`pc` cannot be given", help);
                    return None;
                }
                self.in_block(|checker| checker.assign(target, value, statement.span))
            }
            _ => {
                let help = "write `register = value` before the colon";
                self.error(Code::E1228, statement.span, "only values can be given", help);
                None
            }
        }
    }

    /// Statements that all lanes do, whichever take part in instructions.
    fn of_all_lanes(&mut self, statements: Vec<Statement>) -> Vec<Statement> {
        let mut found = self.lane_statements(statements);
        if found.first().is_some_and(|first| matches!(first.kind, StatementKind::Lanes(_))) {
            found.remove(0);
        }
        found
    }

    /// Whether a guard is met in no set of extensions.
    fn is_never(&self, guard: &ast::Guard<'s>) -> bool {
        matches!(self.context.scopes.met(guard), Met::Never)
    }

    /// A claim; `None` if it has a fault, or the generation does not have it.
    fn claim(&mut self, statement: &'c ast::Statement<'s>) -> Option<Claim> {
        let span = statement.span;
        let met = statement.guard.as_ref().map(|guard| self.context.scopes.met(guard));
        let only_if = match met {
            Some(Met::Never) => return None,
            Some(Met::If(condition)) => Some(condition),
            _ => None,
        };
        if let ast::StatementKind::Trap(trap) = &statement.kind {
            return self.trap_claim(trap, span);
        }
        self.in_block(|checker| {
            let mut holds = match &statement.kind {
                ast::StatementKind::Assign { target, value } => {
                    checker.equality(target, value, span)
                }
                ast::StatementKind::Value(value) => checker.condition(value),
                _ => {
                    let help = "write `register = value`, a condition, or `trap NAME`";
                    checker.error(Code::E1228, span, "this claims nothing", help);
                    None
                }
            }?;
            let sides = checker.sides(&holds);
            if let Some(condition) = only_if {
                let has = checker.make_bits(ExprKind::Has(condition), 1, span);
                let or_else = checker.int(1, span);
                let parts = Box::new([has, holds, or_else]);
                holds = checker.make_bits(ExprKind::Choice(parts), 1, span);
            }
            let verdict = checker.verdict(holds);
            Some(Claim::holds(span, verdict, sides))
        })
    }

    /// `trap NAME`
    fn trap_claim(&mut self, trap: &'c ast::Trap<'s>, span: Span) -> Option<Claim> {
        let declared = self.context.chain.names.get(trap.name.text).copied();
        if !trap.arguments.is_empty() {
            let help = format!("write `trap {}`", trap.name.text);
            self.error(Code::E1213, span, "a claim names a trap without its values", help);
            return None;
        }
        if let Some(Declaration::Trap { name, .. }) = declared {
            let kind = ClaimKind::Trap(name.text.to_string());
            return Some(Claim { span, kind });
        }
        self.no_trap(trap.name);
        None
    }

    /// `place = value`: the place has the value as if it were stored there.
    fn equality(
        &mut self,
        target: &'c ast::Expr<'s>,
        value: &'c ast::Expr<'s>,
        span: Span,
    ) -> Option<Expr> {
        let place = self.sized(target);
        let Some(width) = place.as_ref().and_then(Expr::width) else {
            self.expr(value)?;
            return None;
        };
        let name = match target.as_name() {
            Some(name) => format!("`{}`", name.text),
            None => "the place".to_string(),
        };
        let value = self.value_for(Type::Bits(width), value, &name)?;
        let value = self.stored(value, width);
        let kind = ExprKind::Binary(BinaryOp::Eq, Box::new(place?), Box::new(value));
        Some(self.make_bits(kind, 1, span))
    }

    /// Writes whether a claim fails; on a machine with lanes, the lanes in which it does.
    fn verdict(&mut self, holds: Expr) -> Vec<Statement> {
        let span = holds.span;
        let differs = self.differs_between_lanes(&holds);
        let fails = ExprKind::Unary(UnaryOp::Not, Box::new(holds));
        let fails = self.make_bits(fails, 1, span);
        let lanes = if differs { self.lanes(span) } else { None };
        let statement = match lanes {
            Some(count) => {
                let ballot = self.make_bits(ExprKind::Ballot(Box::new(fails)), count, span);
                written(FAILED.to_string(), count, ballot)
            }
            None => written(FAILED.to_string(), 1, fails),
        };
        self.lane_statements(vec![statement])
    }

    /// The sides of a comparison, for a counterexample, with what writes them.
    fn sides(&mut self, holds: &Expr) -> Vec<(Side, Vec<Statement>)> {
        let ExprKind::Binary(op, left, right) = &holds.kind else { return Vec::new() };
        let is_number = |side: &&Expr| matches!(side.ty, Type::Bits(_) | Type::Integer);
        if matches!(op, BinaryOp::And | BinaryOp::Or)
            || ![left, right].iter().all(|one| is_number(&&***one))
        {
            return Vec::new();
        }
        let sides = [(&**left, "left"), (&**right, "right")];
        sides.into_iter().map(|(side, name)| self.side(side, name)).collect()
    }

    fn side(&mut self, value: &Expr, name: &'static str) -> (Side, Vec<Statement>) {
        let width = value.width().unwrap_or_else(|| value.range.width()).clamp(1, SHOWN_BITS);
        let is_signed = value.width().is_none() && value.range.may_be_negative();
        let differs = self.differs_between_lanes(value);
        let side = Side { name, width, is_signed, differs, span: value.span };
        let lanes = if differs { self.lanes(value.span) } else { None };
        let Some(count) = lanes else {
            return (side, self.pieces(value.clone(), width, |at| side.register(at)));
        };
        // The bits of all lanes, one register for each bit.
        let bit = |at: u32| {
            let bit = self.bits_at(value.clone(), Position::Fixed(at, 1), value.span);
            let ballot = self.make_bits(ExprKind::Ballot(Box::new(bit)), count, value.span);
            written(side.register(at), count, ballot)
        };
        let statements = (0..width).map(bit).collect();
        (side, self.lane_statements(statements))
    }
}

/// Writes a register that the machine keeps.
fn written(name: String, width: u32, value: Expr) -> Statement {
    let place = Place::State { name, width };
    Statement { span: value.span, kind: StatementKind::Write { place, bits: None, value } }
}
