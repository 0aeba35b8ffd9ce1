//! Widths of operands that legal words give: E0517 (0 or negative), E0515 (more than the register file that the
//! operand selects). W0708: which of these is so is not proven.
//!
//! Findings are reported at the statement, once for all opcodes that inherit it.

use std::collections::{BTreeSet, HashSet};

use super::{Context, open};
use crate::ast::{BinaryOp, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, bits};
use crate::isa::{
    Expr, ExprId, FlowPlace, Meaning, NameId, Opcode, OpcodeId, OperandLocation, Reading, TypeKind,
};
use crate::prove::{Answer, Proof, Prover};
use crate::source::Span;

pub(super) fn check(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    alive: &[Answer],
    proof: &mut Proof,
    diagnostics: &mut Diagnostics,
) {
    let mut told: HashSet<(Code, Span)> = HashSet::new();
    for (id, answer) in context.isa.opcode_ids().zip(alive) {
        if !matches!(answer, Answer::Word(_)) {
            continue;
        }
        let opcode = context.isa.opcode(id);
        for (name, width) in widths(opcode) {
            // A literal has the width of the operand that it replaces.
            let written = opcode.selector_of(name).unwrap_or(name);
            let span = statement(context, id, context.isa.name_of(written));
            let operand = Operand { id, name, written, width, span };
            let mut undecided = Vec::new();
            for (code, condition, what) in operand.questions(context) {
                if told.contains(&(code, operand.span)) {
                    continue;
                }
                let question = prover.own(opcode).where_condition(opcode, &condition, true);
                match prover.answer(&question) {
                    Answer::Word(word) => {
                        told.insert((code, operand.span));
                        diagnostics.push(operand.wrong(context, code, word));
                    }
                    Answer::Undecided => undecided.push(what),
                    Answer::None => {}
                }
            }
            if !undecided.is_empty() {
                proof.open += undecided.len() as u64;
                let name = context.isa.name_of(written);
                let what = undecided.join(" and ");
                let message = format!("it is not proven that the width of `{name}` {what}");
                let found = Diagnostic::new(Code::W0708, message, operand.span);
                diagnostics.push(open::explain(context, prover, &[id], found));
            }
        }
    }
}

/// The operands of an opcode that have a width, each once.
fn widths(opcode: &Opcode) -> BTreeSet<(NameId, ExprId)> {
    let of_operands = opcode.operands.iter().filter_map(|operand| match operand.place {
        OperandLocation::Field(name) => Some((name, operand.width?)),
        OperandLocation::File(_) | OperandLocation::Indirect { .. } => None,
    });
    let of_flow = opcode.flow.iter().filter_map(|item| match item.place {
        FlowPlace::Field(name) => Some((name, item.width?)),
        _ => None,
    });
    of_operands.chain(of_flow).collect()
}

/// An operand of an opcode with its width, and where that is written.
struct Operand {
    id: OpcodeId,
    name: NameId,
    /// The name in the statement.
    written: NameId,
    width: ExprId,
    span: Span,
}

impl Operand {
    /// For each requirement on the width: the code, the condition that violates it, and the requirement in words. A
    /// constant width is compared here.
    fn questions(&self, context: &Context<'_, '_>) -> Vec<(Code, Expr, &'static str)> {
        let width = context.isa.expr(self.width);
        let is_ruled_out = |op: BinaryOp, limit: i128| match (width, op) {
            (Expr::Int(width), BinaryOp::Le) => *width > limit,
            (Expr::Int(width), _) => *width <= limit,
            _ => false,
        };
        let mut questions = Vec::new();
        if !is_ruled_out(BinaryOp::Le, 0) {
            let condition = binary(BinaryOp::Le, width.clone(), Expr::Int(0));
            questions.push((Code::E0517, condition, "is positive"));
        }
        let mut too_wide: Option<Expr> = None;
        for (room, values) in rooms(context, context.isa.opcode(self.id), self.name) {
            let room = i128::from(room);
            if !is_ruled_out(BinaryOp::Gt, room) {
                let exceeds = binary(BinaryOp::Gt, width.clone(), Expr::Int(room));
                let found = binary(BinaryOp::And, exceeds, self.has_one_of(&values));
                too_wide = Some(match too_wide {
                    Some(others) => binary(BinaryOp::Or, others, found),
                    None => found,
                });
            }
        }
        let too_wide = too_wide.map(|condition| (Code::E0515, condition, "fits its register file"));
        questions.extend(too_wide);
        questions
    }

    /// Whether the value of the operand is in one of the ranges.
    fn has_one_of(&self, ranges: &[(u64, u64)]) -> Expr {
        let is_in = |(first, last): &(u64, u64)| {
            let is = |op, value: u64| {
                let field = Expr::Field(self.name, Reading::Unsigned);
                binary(op, field, Expr::Int(i128::from(value)))
            };
            binary(BinaryOp::And, is(BinaryOp::Ge, *first), is(BinaryOp::Le, *last))
        };
        let either = |a, b| binary(BinaryOp::Or, a, b);
        ranges.iter().map(is_in).reduce(either).unwrap_or(Expr::Int(0))
    }

    fn wrong(&self, context: &Context<'_, '_>, code: Code, word: u128) -> Diagnostic {
        let opcode = context.isa.opcode(self.id);
        let text = context.isa.name_of(self.written);
        let width = context.isa.expr(self.width);
        let value = width.eval(&|name, reading| {
            let field = opcode.field(name);
            field.map_or(0, |field| reading.integer(field.extract(word), field.width()))
        });
        let shown = context.isa.word_layout().shown(opcode.width, word);
        let of_word = format!("the word {shown} of `{}`, which is legal", opcode.name);
        let is_constant = matches!(width, Expr::Int(_));
        let diagnostic = match code {
            Code::E0515 => {
                let data = bits(u64::try_from(value).unwrap_or(u64::MAX));
                let found = format!("`{text}` has {data} of data, more than its register file");
                let raw = opcode.field(self.name).map_or(0, |field| field.extract(word));
                let rooms = rooms(context, opcode, self.name);
                let is_in =
                    |values: &[(u64, u64)]| values.iter().any(|(a, b)| *a <= raw && raw <= *b);
                let room =
                    rooms.iter().find(|(_, values)| is_in(values)).map_or(0, |(room, _)| *room);
                Diagnostic::new(code, found, self.span)
                    .with_label(format!("all registers of its file together have {}", bits(room)))
                    .with_note(format!("for example in {of_word}"))
                    .with_help(
                        "correct the width or the register file, or forbid such words by a rule",
                    )
            }
            _ => {
                let found = format!("the width of `{text}` is not positive");
                let diagnostic = Diagnostic::new(code, found, self.span);
                match is_constant {
                    true => diagnostic,
                    false => diagnostic.with_note(format!("it is {value} for {of_word}")),
                }
                .with_help("correct the width, or forbid such words by a rule")
            }
        };
        diagnostic
            .with_related(context.layer(self.id).name.span, "in the context of this definition")
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

/// The values with which an operand selects registers, as first and last of each range. Each comes with the number of
/// bits in all registers of the file.
fn rooms(context: &Context<'_, '_>, opcode: &Opcode, name: NameId) -> Vec<(u64, Vec<(u64, u64)>)> {
    let Some(field) = opcode.field(name) else { return Vec::new() };
    let TypeKind::Operand(entries) = &context.isa.ty(field.ty).kind else { return Vec::new() };
    let mut rooms: Vec<(u64, Vec<(u64, u64)>)> = Vec::new();
    for entry in entries {
        let (Meaning::Registers { file, .. } | Meaning::Register { file, .. }) = entry.meaning
        else {
            continue;
        };
        let file = &context.isa.reg_files()[file.index()];
        let room = u64::from(file.width) * u64::from(file.count);
        let values = (entry.value, entry.value + (entry.count - 1));
        match rooms.iter_mut().find(|(known, _)| *known == room) {
            Some((_, ranges)) => ranges.push(values),
            None => rooms.push((room, vec![values])),
        }
    }
    rooms
}

/// The statement that gives the width of an operand.
fn statement(context: &Context<'_, '_>, id: OpcodeId, operand: &str) -> Span {
    let chain = context.layer(id).chain.iter().rev();
    let mut statements = chain.flat_map(|id| &context.model.layer(*id).ast.operand_info);
    let found = statements.find(|statement| {
        matches!(&statement.kind, OperandStatementKind::Bitwidth(name, _) if name.text == operand)
    });
    found.map_or(context.layer(id).name.span, |statement| statement.span)
}
