//! Lanes: registers that each lane has of its own, values that are the same in all lanes, and what lanes do together.

use std::collections::{BTreeSet, HashSet};

use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{Isa, Opcode, RegFileId, TypeKind};

use super::{Checker, files_of};
use crate::interval::Interval;
use crate::program::{
    Expr, ExprKind, Lanes, LocalId, Place, Range, Statement, StatementKind, Type,
};
use crate::syntax::ast::{self, Declaration, Name};

/// The most lanes.
const MAX_LANES: u32 = 1024;

impl<'c, 's> Checker<'c, 's, '_> {
    /// The declarations of lanes: the files, and how many lanes there are.
    fn declared_lanes(&self) -> impl Iterator<Item = (&'c [Name<'s>], &'c ast::Expr<'s>)> {
        let about = self.context.scopes.about(self.context.layer);
        about.filter_map(|declaration| match declaration {
            Declaration::Lanes { names, count } => Some((names.as_slice(), count)),
            _ => None,
        })
    }

    /// Whether the instruction set has lanes.
    pub(super) fn has_lanes(&self) -> bool {
        self.declared_lanes().next().is_some()
    }

    /// The files of which each lane has registers of its own.
    fn lane_files(&self) -> BTreeSet<RegFileId> {
        let names = self.declared_lanes().flat_map(|(names, _)| names);
        names.filter_map(|name| self.file_of(name.text)).collect()
    }

    /// How many lanes there are; reports that there are none.
    pub(super) fn lanes(&mut self, span: Span) -> Option<u32> {
        let Some((names, count)) = self.declared_lanes().next() else {
            let help = "declare which registers lanes have of their own, and how many lanes there are: `lanes VGPR = 64`";
            self.error(Code::E1232, span, "no registers have lanes", help);
            return None;
        };
        let found = self.outside(names[0], span, |checker| checker.width(count))?;
        if found <= MAX_LANES {
            return Some(found);
        }
        let help = format!("there are at most {MAX_LANES} lanes");
        self.error(Code::E1219, count.span, format!("{found} lanes"), help);
        None
    }

    /// The lanes of a program without errors, if there are any.
    pub(super) fn all_lanes(&mut self) -> Option<Lanes> {
        let (names, _) = self.declared_lanes().next()?;
        let count = if self.has_errors { None } else { self.lanes(names[0].span) };
        Some(Lanes { count: count?, files: self.lane_files() })
    }

    /// `lane`, `active`
    pub(super) fn lane_name(&mut self, name: Name<'s>) -> Option<Option<Expr>> {
        let is_known = matches!(name.text, "lane" | "active") && self.has_lanes();
        is_known.then(|| {
            let count = self.lanes(name.span)?;
            Some(match name.text {
                "active" => self.make_bits(ExprKind::Active, count, name.span),
                _ => {
                    let range = Interval::between(0, i128::from(count) - 1);
                    self.make(ExprKind::Lane, Type::Integer, range, name.span)
                }
            })
        })
    }

    /// `ballot(condition)`
    pub(super) fn ballot(&mut self, condition: &'c ast::Expr<'s>, span: Span) -> Option<Expr> {
        let count = self.lanes(span)?;
        let condition = self.condition(condition)?;
        Some(self.make_bits(ExprKind::Ballot(Box::new(condition)), count, span))
    }

    /// `of@lane`, as a value.
    pub(super) fn lane_value(
        &mut self,
        of: &'c ast::Expr<'s>,
        lane: &'c ast::Expr<'s>,
        span: Span,
    ) -> Option<Expr> {
        let (place, width) = self.lane_place(of, lane, span)?;
        let read = self.read(place, width, span);
        match of.as_name().and_then(|name| self.field_of(name.text)) {
            Some(field) => self.as_declared(field, read),
            None => Some(read),
        }
    }

    /// The register of another lane, and its number of bits.
    pub(super) fn lane_place(
        &mut self,
        of: &'c ast::Expr<'s>,
        lane: &'c ast::Expr<'s>,
        span: Span,
    ) -> Option<(Place, u32)> {
        let count = self.lanes(span)?;
        let found = self.lane_register(of);
        let number = self.number(lane);
        let (Some((place, width)), Some(number)) = (found, number) else { return None };
        let last = i128::from(count) - 1;
        if !number.range.is_within(Interval::between(0, last)) {
            let found = Diagnostic::new(Code::E1209, format!("lanes are 0 to {last}"), lane.span);
            let found = found.with_label(number.range.to_string());
            self.report(found.with_help(format!("write `(…) % {count}`, or the bits that count")));
            return None;
        }
        Some((Place::OfLane { place: Box::new(place), lane: Box::new(number) }, width))
    }

    /// The register before `@`.
    fn lane_register(&mut self, of: &'c ast::Expr<'s>) -> Option<(Place, u32)> {
        let found = match &of.kind {
            ast::ExprKind::Index { of, indices } if indices.len() == 1 => {
                self.register(of, &indices[0])?
            }
            _ => match of.as_name().and_then(|name| self.field_of(name.text)) {
                Some(field) => self.operand_place(field, of.span),
                None => of.as_name().and_then(|name| self.register_named(name)),
            },
        };
        let uniformity = self.uniformity();
        if let Some((place, width)) = found
            && uniformity.is_varying_place(&place)
        {
            return Some((place, width));
        }
        let help = "write an operand or a register of a file that `lanes` names";
        self.error(Code::E1232, of.span, "lanes have no such register of their own", help);
        None
    }

    /// Whether an expression has names that only operands and fields have.
    fn names_operands(&self, expr: &ast::Expr<'s>) -> bool {
        let is_operand = |name: Name<'s>| {
            self.context.chain.names.get(name.text).is_none_or(|declared| declared.is_about())
                && self.file_of(name.text).is_none()
                && !matches!(name.text, "lane" | "pc" | "next")
        };
        expr.as_name().is_some_and(is_operand)
            || expr.parts().into_iter().any(|part| self.names_operands(part))
    }

    fn uniformity(&self) -> Uniformity<'c> {
        Uniformity::new(self.context.isa, self.context.opcode, self.lane_files())
    }

    /// Whether lanes may have different values of an expression without names of its own.
    pub(super) fn differs_between_lanes(&self, expr: &Expr) -> bool {
        self.has_lanes() && self.uniformity().is_varying(expr)
    }

    /// Checks what differs between lanes, and says which lanes take part.
    pub(super) fn lane_statements(&mut self, statements: Vec<Statement>) -> Vec<Statement> {
        if !self.has_lanes() || self.has_errors {
            return statements;
        }
        let mut uniformity = self.uniformity();
        uniformity.check(&statements);
        let (findings, needs_lanes) = (uniformity.findings, uniformity.needs_lanes);
        for (span, message, help) in findings {
            self.error(Code::E1232, span, message, help);
        }
        let first = if needs_lanes { self.declared_active() } else { None };
        first.into_iter().chain(statements).collect()
    }

    /// Says which lanes take part, if a group declares it.
    pub(super) fn declared_active(&mut self) -> Option<Statement> {
        let declared = self.context.chain.names.get("active").copied();
        let Some(Declaration::Let { name, value, .. }) = declared else { return None };
        // Claims are about no instruction: without operands, all lanes take part.
        if self.context.registers.is_some() && self.names_operands(value) {
            return None;
        }
        let span = name.span;
        let active = self.outside(*name, span, |checker| {
            let count = checker.lanes(span)?;
            let found = checker.sized(value)?;
            if found.width() == Some(count) {
                return Some(found);
            }
            let message =
                format!("`active` has {} bits, and there are {count} lanes", found.range.width());
            checker.error(Code::E1232, value.span, message, "give each lane a bit");
            None
        });
        active.map(|lanes| Statement { span, kind: StatementKind::Lanes(lanes) })
    }
}

/// What is the same in all lanes.
struct Uniformity<'u> {
    isa: &'u Isa,
    opcode: &'u Opcode,
    files: BTreeSet<RegFileId>,
    /// The names whose values may differ between lanes.
    varying: HashSet<LocalId>,
    /// Whether it matters which lanes take part: they write registers, access memory, trap, or vote.
    needs_lanes: bool,
    findings: Vec<(Span, String, &'static str)>,
}

impl<'u> Uniformity<'u> {
    fn new(isa: &'u Isa, opcode: &'u Opcode, files: BTreeSet<RegFileId>) -> Uniformity<'u> {
        let (varying, findings) = Default::default();
        Uniformity { isa, opcode, files, varying, needs_lanes: false, findings }
    }

    fn check(&mut self, statements: &[Statement]) {
        // A variable may differ in the next step of a loop.
        loop {
            let known = self.varying.len();
            self.findings.clear();
            self.statements(statements, false);
            if self.varying.len() == known {
                break;
            }
        }
        let mut seen = HashSet::new();
        self.findings.retain(|(span, message, _)| seen.insert((*span, message.clone())));
    }

    /// The files of a register.
    fn files_of(&self, place: &Place) -> Vec<RegFileId> {
        match place {
            Place::Register { file, .. } => vec![*file],
            Place::State { .. } => Vec::new(),
            Place::OfLane { place, .. } => self.files_of(place),
            Place::Group { field, .. } => {
                let ty = self.opcode.field(*field).map(|field| self.isa.ty(field.ty));
                ty.into_iter().flat_map(|ty| files_of(&ty.kind)).collect()
            }
            Place::Operand { field, part, .. } => {
                let Some(field) = self.opcode.field(*field) else { return Vec::new() };
                let kind = &self.isa.ty(field.ty).kind;
                let part = part.and_then(|part| self.isa.part(field, part));
                let kind = match (kind, &part) {
                    (TypeKind::Composite(_), Some(part)) => &self.isa.ty(part.ty).kind,
                    _ => kind,
                };
                files_of(kind).collect()
            }
        }
    }

    /// Whether lanes may read different values from a register.
    fn is_varying_place(&self, place: &Place) -> bool {
        match place {
            Place::OfLane { lane, .. } => self.is_varying(lane),
            Place::Register { number, .. } | Place::Group { offset: number, .. }
                if self.is_varying(number) =>
            {
                true
            }
            _ => self.files_of(place).iter().any(|file| self.files.contains(file)),
        }
    }

    /// Whether each lane writes a register of its own.
    fn is_own(&self, place: &Place) -> bool {
        let files = self.files_of(place);
        !files.is_empty() && files.iter().all(|file| self.files.contains(file))
    }

    fn is_varying(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Lane => true,
            ExprKind::Active | ExprKind::Ballot(_) => false,
            ExprKind::Local(local) | ExprKind::Variable(local) => self.varying.contains(local),
            ExprKind::Read(place) => self.is_varying_place(place),
            _ => {
                let mut found = false;
                expr.each_part(&mut |part| found |= self.is_varying(part));
                found
            }
        }
    }

    fn find(&mut self, span: Span, message: impl Into<String>, help: &'static str) {
        self.findings.push((span, message.into(), help));
    }

    fn statements(&mut self, statements: &[Statement], is_divided: bool) {
        statements.iter().for_each(|statement| self.statement(statement, is_divided));
    }

    /// A statement; `is_divided` if some lanes may skip it.
    fn statement(&mut self, statement: &Statement, is_divided: bool) {
        let mut own = |expr: &Expr| self.together(expr, is_divided);
        match &statement.kind {
            // The expressions of blocks are theirs.
            StatementKind::If { condition, yes, no } => {
                own(condition);
                let is_divided = is_divided || self.is_varying(condition);
                self.statements(yes, is_divided);
                self.statements(no, is_divided);
            }
            StatementKind::For { local, range, body } => {
                range.each_expr(&mut own);
                let mut is_divided = is_divided;
                if self.is_varying_range(range) {
                    self.varying.insert(*local);
                    is_divided = true;
                }
                self.statements(body, is_divided);
            }
            StatementKind::Atomic(body) | StatementKind::Labelled { body, .. } => {
                self.statements(body, is_divided);
            }
            _ => {
                statement.each_expr(&mut own);
                self.effect(statement, is_divided);
            }
        }
    }

    fn is_varying_range(&self, range: &Range) -> bool {
        let mut found = false;
        range.each_expr(&mut |expr| found |= self.is_varying(expr));
        found
    }

    fn effect(&mut self, statement: &Statement, is_divided: bool) {
        match &statement.kind {
            StatementKind::Bind { local, value } | StatementKind::BindBits { local, value, .. }
                if (is_divided || self.is_varying(value)) =>
            {
                self.varying.insert(*local);
            }
            StatementKind::Write { place, value, .. } => {
                if self.is_own(place) && !matches!(place, Place::OfLane { .. }) {
                    self.needs_lanes = true;
                    return;
                }
                let help = "write `ballot(…)` of a condition, or the value of one lane: `x@0`";
                let mut differs = self.is_varying(value);
                place.each_expr(&mut |expr| differs |= self.is_varying(expr));
                if differs {
                    let message = "the register is one for all lanes, which have different values";
                    self.find(statement.span, message, help);
                } else if is_divided {
                    let message = "the register is one for all lanes, of which some skip this";
                    self.find(statement.span, message, help);
                }
            }
            StatementKind::Store { .. }
            | StatementKind::Trap { .. }
            | StatementKind::Unpredictable => {
                let mut differs = is_divided;
                statement.each_expr(&mut |expr| differs |= self.is_varying(expr));
                self.needs_lanes |= differs;
            }
            _ => {}
        }
    }

    /// Notes an expression with an effect, which inactive lanes must not have.
    fn access(&mut self, expr: &Expr, is_divided: bool) {
        let has_effect = match &expr.kind {
            ExprKind::Load { .. } | ExprKind::StoreConditional { .. } => true,
            ExprKind::Extern { effects, .. } => !effects.is_pure,
            _ => false,
        };
        self.needs_lanes |= has_effect && (is_divided || self.is_varying(expr));
    }

    /// Looks for what lanes do together, which needs all of them.
    fn together(&mut self, expr: &Expr, is_divided: bool) {
        self.access(expr, is_divided);
        match &expr.kind {
            ExprKind::Ballot(of) => {
                self.needs_lanes = true;
                if is_divided {
                    let help = "compute it before, and give it a name";
                    self.find(expr.span, "lanes that skip this take no part in the ballot", help);
                }
                self.together(of, is_divided);
            }
            ExprKind::Active => self.needs_lanes = true,
            ExprKind::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                self.together(condition, is_divided);
                let is_divided = is_divided || self.is_varying(condition);
                self.together(yes, is_divided);
                self.together(no, is_divided);
            }
            ExprKind::Inline { bindings, value } => {
                self.statements(bindings, is_divided);
                self.together(value, is_divided);
            }
            ExprKind::Fold { local, range, .. } if self.is_varying_range(range) => {
                self.varying.insert(*local);
                expr.each_part(&mut |part| self.together(part, true));
            }
            _ => expr.each_part(&mut |part| self.together(part, is_divided)),
        }
    }
}
