//! What one word does: the text of an opcode inside its wrappers, with operands and fields as the assembler writes them.
//!
//! What the word decides is reduced: of `if`, `match` and `c ? a : b` only the part remains that it takes. Constants and expressions
//! with a name are written out, and what an `apply` makes of an operand; functions, views and locals keep their names.

mod decide;
mod names;

use std::ops::Range;

use isadl_ir::isa::{Inst, Isa, NameId, Opcode};

use crate::splice::{is_one, laid_out, range};
use crate::syntax::ast::{
    Block, Expr, ExprKind, Parameter, Range as Values, Statement, StatementKind,
};
use crate::texts::{Texts, parsed};

impl Texts {
    /// What a word does; `None` if its opcode has no program.
    pub fn filled(&self, isa: &Isa, inst: Inst) -> Option<String> {
        let opcode = isa.opcode(inst.opcode);
        let source = self.unfolded(&opcode.name)?;
        let (texts, word, source) = (self, inst.word, source.as_str());
        let fill = Fill { texts, isa, opcode, word, source, depth: 0, register: None, call: None };
        let program = parsed(source);
        let mut edits = Edits::default();
        fill.statements(&program.statements, &mut edits);
        let text = edits.apply(source, 0..source.len());
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        Some(laid_out(&lines.join("\n")))
    }
}

/// Replacements of parts of a text. They do not overlap.
#[derive(Default)]
struct Edits {
    found: Vec<(Range<usize>, String)>,
}

impl Edits {
    fn add(&mut self, place: Range<usize>, text: String) {
        self.found.push((place, text));
    }

    /// A part of the text with its replacements.
    fn apply(mut self, source: &str, part: Range<usize>) -> String {
        self.found.sort_by_key(|(place, _)| place.start);
        let (mut made, mut at) = (String::new(), part.start);
        for (place, text) in &self.found {
            made += &source[at..place.start];
            made += text;
            at = place.end;
        }
        made + &source[at..part.end]
    }
}

/// A text that is filled in for a word.
#[derive(Clone, Copy)]
struct Fill<'f> {
    texts: &'f Texts,
    isa: &'f Isa,
    opcode: &'f Opcode,
    word: u128,
    source: &'f str,
    /// How many names this text is written out for.
    depth: usize,
    /// Inside of an `apply`, the operand that it is about, and the text of its register.
    register: Option<(NameId, &'f str)>,
    /// Inside of a function that is written out, what its parameters are.
    call: Option<&'f Call<'f>>,
}

/// The call of a function that is written out.
struct Call<'f> {
    /// The text that the arguments are from.
    outer: &'f Fill<'f>,
    parameters: &'f [Parameter<'f>],
    arguments: &'f [Expr<'f>],
}

impl Fill<'_> {
    // ---- statements

    fn statements(&self, statements: &[Statement<'_>], edits: &mut Edits) {
        statements.iter().for_each(|statement| self.statement(statement, edits));
    }

    fn statement(&self, statement: &Statement<'_>, edits: &mut Edits) {
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                self.target(target, edits);
                self.whole(value, edits);
            }
            StatementKind::Var { value, .. }
            | StatementKind::Return(value)
            | StatementKind::Value(value) => self.whole(value, edits),
            StatementKind::If { branches, otherwise } => {
                self.conditional(statement, branches, otherwise.as_ref(), edits);
            }
            StatementKind::Match(found) => match self.taken(found) {
                Some(block) => edits.add(range(statement.span), self.inner(block)),
                None => {
                    found.subjects.iter().for_each(|subject| self.expr(subject, edits));
                    let blocks = found.arms.iter().map(|arm| &arm.value);
                    blocks.for_each(|block| self.statements(&block.statements, edits));
                }
            },
            StatementKind::For { range, body, .. } => {
                self.values(range, edits);
                self.statements(&body.statements, edits);
            }
            StatementKind::Each { range, body, .. } => {
                range.iter().for_each(|range| self.values(range, edits));
                self.statements(&body.statements, edits);
            }
            StatementKind::Atomic(body) => self.statements(&body.statements, edits),
            StatementKind::Labelled { label, body, .. } => {
                self.expr(label, edits);
                self.statements(&body.statements, edits);
            }
            StatementKind::Trap(trap) => {
                trap.arguments.iter().for_each(|argument| self.expr(argument, edits));
            }
            StatementKind::Unpredictable
            | StatementKind::Commit
            | StatementKind::Nothing
            | StatementKind::Declare(_) => {}
        }
    }

    /// An `if`: a branch whose condition never holds is left out, and nothing is left of those after one that always holds.
    fn conditional(
        &self,
        statement: &Statement<'_>,
        branches: &[(Expr<'_>, Block<'_>)],
        otherwise: Option<&Block<'_>>,
        edits: &mut Edits,
    ) {
        let known: Vec<Option<bool>> =
            branches.iter().map(|(condition, _)| self.truth(condition)).collect();
        if known.iter().all(Option::is_none) {
            for (condition, block) in branches {
                self.expr(condition, edits);
                self.statements(&block.statements, edits);
            }
            otherwise.iter().for_each(|block| self.statements(&block.statements, edits));
            return;
        }
        let mut text = String::new();
        let mut last = otherwise;
        for ((condition, block), known) in branches.iter().zip(known) {
            match known {
                Some(false) => continue,
                Some(true) => {
                    last = Some(block);
                    break;
                }
                None => {
                    let (condition, block) = (self.text(condition), self.block(block));
                    let word = if text.is_empty() { "" } else { " else " };
                    text += &format!("{word}if {condition} {block}");
                }
            }
        }
        text += &match last {
            None => String::new(),
            Some(block) if text.is_empty() => self.inner(block),
            Some(block) => format!(" else {}", self.block(block)),
        };
        edits.add(range(statement.span), text);
    }

    /// A block with its braces.
    fn block(&self, block: &Block<'_>) -> String {
        let mut edits = Edits::default();
        self.statements(&block.statements, &mut edits);
        edits.apply(self.source, range(block.span))
    }

    /// The statements of a block.
    fn inner(&self, block: &Block<'_>) -> String {
        let text = self.block(block);
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        inner.unwrap_or(&text).trim().to_string()
    }

    // ---- expressions

    /// An expression as text, for a place where it needs no brackets.
    fn text(&self, expr: &Expr<'_>) -> String {
        let expr = self.reduced(expr).unwrap_or(expr);
        let composed = match &expr.kind {
            ExprKind::Name(name) => self.composed(name),
            ExprKind::Call { function, arguments } => self.written_out(*function, arguments),
            ExprKind::Index { of, indices } => self.element(of, indices),
            _ => None,
        };
        composed.unwrap_or_else(|| {
            let mut edits = Edits::default();
            self.expr(expr, &mut edits);
            edits.apply(self.source, range(expr.span))
        })
    }

    /// Adds the replacement of an expression that is the whole of a statement's value.
    fn whole(&self, expr: &Expr<'_>, edits: &mut Edits) {
        edits.add(range(expr.span), self.text(expr));
    }

    /// The text of a place that is written: the registers themselves.
    fn target(&self, target: &Expr<'_>, edits: &mut Edits) {
        match &target.kind {
            ExprKind::Name(name) => {
                if let Some(text) = self.plain(name) {
                    edits.add(range(target.span), text);
                }
            }
            ExprKind::Concat(parts) => parts.iter().for_each(|part| self.target(part, edits)),
            ExprKind::Slice { of, bounds } | ExprKind::Part { of, bounds } => {
                self.target(of, edits);
                bounds.iter().for_each(|bound| self.bound(bound, edits));
            }
            ExprKind::Index { of, indices } => {
                self.target(of, edits);
                indices.iter().for_each(|index| self.expr(index, edits));
            }
            ExprKind::Lane { of, lane } => {
                self.target(of, edits);
                self.expr(lane, edits);
            }
            ExprKind::Call { arguments, .. } => {
                arguments.iter().for_each(|argument| self.target(argument, edits));
            }
            _ => self.expr(target, edits),
        }
    }

    /// Adds the replacements in an expression.
    fn expr(&self, expr: &Expr<'_>, edits: &mut Edits) {
        let place = range(expr.span);
        match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(text) = self.composed(name) {
                    edits.add(place.clone(), self.bracketed(text, place));
                } else if let Some(text) = self.plain(name) {
                    let is_sliced = self.source[place.end..].starts_with('[');
                    edits.add(place, if is_sliced { beside_index(text) } else { text });
                }
            }
            ExprKind::Member { of, name } => {
                let mark = self.mark(of.text, name.text);
                if let Some(value) = mark.and_then(|(ty, raw)| ty.enumerator(raw)) {
                    edits.add(place, value.name.clone());
                }
            }
            ExprKind::Choice(_) | ExprKind::Match(_) if self.reduced(expr).is_some() => {
                edits.add(place.clone(), self.bracketed(self.text(expr), place));
            }
            ExprKind::Choice(parts) => parts.iter().for_each(|part| self.expr(part, edits)),
            ExprKind::Match(found) => {
                found.subjects.iter().for_each(|subject| self.expr(subject, edits));
                found.arms.iter().for_each(|arm| self.expr(&arm.value, edits));
            }
            ExprKind::Call { function, arguments } => {
                if let Some(value) = self.call(*function, arguments) {
                    edits.add(place, value.to_string());
                } else if let Some(text) = self.written_out(*function, arguments) {
                    edits.add(place.clone(), self.bracketed(text, place));
                } else if function.text == "whole" {
                    self.target(expr, edits);
                } else {
                    arguments.iter().for_each(|argument| self.whole(argument, edits));
                }
            }
            ExprKind::Unary(_, of) => self.expr(of, edits),
            ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|part| self.expr(part, edits)),
            ExprKind::Concat(parts) => parts.iter().for_each(|part| self.expr(part, edits)),
            ExprKind::Repeat { item: of, bounds, .. }
            | ExprKind::Slice { of, bounds }
            | ExprKind::Part { of, bounds } => {
                self.expr(of, edits);
                bounds.iter().for_each(|bound| self.bound(bound, edits));
            }
            ExprKind::Index { of, indices } => match self.element(of, indices) {
                Some(text) => edits.add(place.clone(), self.bracketed(text, place)),
                None => {
                    self.expr(of, edits);
                    indices.iter().for_each(|index| self.expr(index, edits));
                }
            },
            // What another lane has is its register.
            ExprKind::Lane { of, lane } => {
                self.target(of, edits);
                self.expr(lane, edits);
            }
            ExprKind::Fold { item, range, condition, .. } => {
                self.expr(item, edits);
                self.values(range, edits);
                condition.iter().for_each(|condition| self.expr(condition, edits));
            }
            ExprKind::Between(bounds) => bounds.iter().for_each(|bound| self.expr(bound, edits)),
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Text(_)
            | ExprKind::Unknown
            | ExprKind::Body => {}
        }
    }

    /// A bound: the number, if the word decides it.
    fn bound(&self, bound: &Expr<'_>, edits: &mut Edits) {
        match self.value(bound) {
            Some(value) => edits.add(range(bound.span), value.to_string()),
            None => self.expr(bound, edits),
        }
    }

    fn values(&self, values: &Values<'_>, edits: &mut Edits) {
        match values {
            Values::Between(first, last) => {
                [first, last].into_iter().for_each(|bound| self.expr(bound, edits));
            }
            Values::Bits(of) => self.expr(of, edits),
        }
    }

    /// A text that takes a place: in brackets unless it is one thing, or has brackets there.
    fn bracketed(&self, text: String, place: Range<usize>) -> String {
        let (before, after) = (&self.source[..place.start], &self.source[place.end..]);
        let is_alone = before.ends_with('(') && after.starts_with(')');
        if is_alone || is_one(&text) { text } else { format!("({text})") }
    }
}

/// The text of an operand that an index or a slice follows: it is of the whole negative number, or of all numbers of a list.
fn beside_index(text: String) -> String {
    if text.starts_with('-') || text.contains(',') { format!("({text})") } else { text }
}
