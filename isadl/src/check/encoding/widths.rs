//! E0517: the number of data bits in an operand is 0 or negative for a legal word.

use std::collections::HashSet;

use super::{Context, open};
use crate::ast::{BinaryOp, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Expr, ExprId, FlowPlace, NameId, OpcodeId, Place};
use crate::prove::{Answer, Proof, Prover};
use crate::source::Span;

pub(super) fn check(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    alive: &[Answer],
    proof: &mut Proof,
    diagnostics: &mut Diagnostics,
) {
    let mut told: HashSet<Span> = HashSet::new();
    for (id, answer) in context.isa.opcode_ids().zip(alive) {
        let opcode = context.isa.opcode(id);
        let of_operands = opcode.operands.iter().filter_map(|operand| match operand.place {
            Place::Field(name) => Some((name, operand.width?)),
            Place::File(_) | Place::Indirect { .. } => None,
        });
        let of_flow = opcode.flow.iter().filter_map(|item| match item.place {
            FlowPlace::Field(name) => Some((name, item.width?)),
            _ => None,
        });
        let mut widths: Vec<(NameId, ExprId)> = of_operands.chain(of_flow).collect();
        widths.sort_unstable();
        widths.dedup();
        for (name, width) in widths {
            let span = statement(context, id, context.isa.name_of(name));
            let expr = context.isa.expr(width);
            // A constant is decided at once, and a comparison is 0 or 1.
            if matches!(expr, Expr::Int(1..)) || told.contains(&span) {
                continue;
            }
            let zero = Box::new(Expr::Int(0));
            let is_none = Expr::Binary(BinaryOp::Le, Box::new(expr.clone()), zero);
            let question = prover.legal(opcode).where_condition(opcode, &is_none, true);
            let found = match answer {
                Answer::Word(_) => prover.answer(&question),
                Answer::None | Answer::Undecided => Answer::None,
            };
            match found {
                Answer::Word(word) => {
                    told.insert(span);
                    diagnostics.push(not_positive(context, id, (name, expr), (span, word)));
                }
                Answer::Undecided => {
                    let message = format!(
                        "it is not proven that the width of `{}` is positive",
                        context.isa.name_of(name)
                    );
                    proof.open += 1;
                    diagnostics.push(open::not_proven(context, prover, id, message));
                }
                Answer::None => {}
            }
        }
    }
}

fn not_positive(
    context: &Context<'_, '_>,
    id: OpcodeId,
    (name, width): (NameId, &Expr),
    (span, word): (Span, u128),
) -> Diagnostic {
    let opcode = context.isa.opcode(id);
    let text = context.isa.name_of(name);
    let value = width.eval(&|name, reading| {
        let field = opcode.field(name);
        field.map_or(0, |field| reading.integer(field.extract(word), field.width()))
    });
    let digits = opcode.width as usize / 4;
    let message = format!("the width of `{text}` is not positive");
    let diagnostic = Diagnostic::new(Code::E0517, message, span);
    let diagnostic = match width {
        Expr::Int(_) => diagnostic,
        _ => diagnostic.with_note(format!(
            "it is {value} for the word 0x{word:0digits$x} of `{}`, which is legal",
            opcode.name
        )),
    };
    diagnostic
        .with_related(context.layer(id).name.span, "in the context of this definition")
        .with_help("correct the width, or forbid such words by a rule")
}

/// The statement that says the width of an operand.
fn statement(context: &Context<'_, '_>, id: OpcodeId, operand: &str) -> Span {
    let chain = context.layer(id).chain.iter().rev();
    let mut statements = chain.flat_map(|id| &context.model.layer(*id).ast.operand_info);
    let found = statements.find(|statement| {
        matches!(&statement.kind, OperandStatementKind::Bitwidth(name, _) if name.text == operand)
    });
    found.map_or(context.layer(id).name.span, |statement| statement.span)
}
