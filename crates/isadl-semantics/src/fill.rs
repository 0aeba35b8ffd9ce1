//! What one word does: the text of an opcode inside its wrappers, with operands and fields as the assembler writes them.
//!
//! What the word decides is reduced: of `if`, `match` and `c ? a : b` only the part remains that it takes. Constants and expressions
//! with a name are written out; functions, views and locals keep their names.

use std::cell::Cell;
use std::ops::Range;

use isadl_base::vocabulary::{BinaryOp, UnaryOp};
use isadl_ir::isa::{Field, FieldRole, Inst, Isa, Opcode, Type, TypeKind};

use crate::splice::{is_one, laid_out, range};
use crate::syntax::ast::{
    Block, Declaration, Expr, ExprKind, Match, Name, Pattern, PatternKind, Range as Values,
    Statement, StatementKind,
};
use crate::texts::{Texts, parsed};

/// How many names are written out inside each other.
const MAX_DEPTH: usize = 16;

impl Texts {
    /// What a word does; `None` if its opcode has no program, or if an operand in it has a mark such as `-`, which the text of the
    /// operand alone would hide.
    pub fn filled(&self, isa: &Isa, inst: Inst) -> Option<String> {
        let opcode = isa.opcode(inst.opcode);
        let source = self.unfolded(&opcode.name)?;
        let is_marked = &Cell::new(false);
        let (texts, word, source) = (self, inst.word, source.as_str());
        let fill = Fill { texts, isa, opcode, word, source, depth: 0, is_marked };
        let program = parsed(source);
        let mut edits = Edits::default();
        fill.statements(&program.statements, &mut edits);
        if is_marked.get() {
            return None;
        }
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
struct Fill<'f> {
    texts: &'f Texts,
    isa: &'f Isa,
    opcode: &'f Opcode,
    word: u128,
    source: &'f str,
    /// How many names this text is written out for.
    depth: usize,
    /// Whether an operand in the text has a mark.
    is_marked: &'f Cell<bool>,
}

impl Fill<'_> {
    // ---- statements

    fn statements(&self, statements: &[Statement<'_>], edits: &mut Edits) {
        statements.iter().for_each(|statement| self.statement(statement, edits));
    }

    fn statement(&self, statement: &Statement<'_>, edits: &mut Edits) {
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                self.expr(target, edits);
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
        if let Some(name) = expr.as_name()
            && let Some(text) = self.meaning(name.text)
        {
            return text;
        }
        let mut edits = Edits::default();
        self.expr(expr, &mut edits);
        edits.apply(self.source, range(expr.span))
    }

    /// Adds the replacements in an expression that is the whole of a statement's value.
    fn whole(&self, expr: &Expr<'_>, edits: &mut Edits) {
        let taken = self.reduced(expr).unwrap_or(expr);
        edits.add(range(expr.span), self.text(taken));
    }

    /// Adds the replacements in an expression.
    fn expr(&self, expr: &Expr<'_>, edits: &mut Edits) {
        let place = range(expr.span);
        match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(text) = self.named(name, place.end) {
                    edits.add(place, text);
                }
            }
            ExprKind::Choice(_) | ExprKind::Match(_) if self.reduced(expr).is_some() => {
                let taken = self.reduced(expr).unwrap_or(expr);
                edits.add(place.clone(), self.part(taken, place));
            }
            ExprKind::Choice(parts) => parts.iter().for_each(|part| self.expr(part, edits)),
            ExprKind::Match(found) => {
                found.subjects.iter().for_each(|subject| self.expr(subject, edits));
                found.arms.iter().for_each(|arm| self.expr(&arm.value, edits));
            }
            ExprKind::Call { function, arguments } => match self.call(*function, arguments) {
                Some(value) => edits.add(place, value.to_string()),
                None => arguments.iter().for_each(|argument| self.expr(argument, edits)),
            },
            ExprKind::Unary(_, of) => self.expr(of, edits),
            ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|part| self.expr(part, edits)),
            ExprKind::Concat(parts) => parts.iter().for_each(|part| self.expr(part, edits)),
            ExprKind::Repeat { item: of, bounds, .. }
            | ExprKind::Slice { of, bounds }
            | ExprKind::Part { of, bounds } => {
                self.expr(of, edits);
                bounds.iter().for_each(|bound| self.bound(bound, edits));
            }
            ExprKind::Index { of, indices } => {
                self.expr(of, edits);
                indices.iter().for_each(|index| self.expr(index, edits));
            }
            ExprKind::Lane { of, lane } => {
                [of, lane].into_iter().for_each(|part| self.expr(part, edits));
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
            | ExprKind::Member { .. }
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

    /// An expression that takes a place in the text: in brackets unless it is one thing, or has brackets there.
    fn part(&self, expr: &Expr<'_>, place: Range<usize>) -> String {
        let text = self.text(expr);
        let (before, after) = (&self.source[..place.start], &self.source[place.end..]);
        let is_alone = before.ends_with('(') && after.starts_with(')');
        if is_alone || is_one(&text) { text } else { format!("({text})") }
    }

    /// The text of a name that the word or a constant gives a value; `None` for other names. `end` is where the name ends.
    fn named(&self, name: &str, end: usize) -> Option<String> {
        if let Some(text) = self.meaning(name) {
            return Some(if is_one(&text) { text } else { format!("({text})") });
        }
        let field = self.field(name)?;
        let ty = self.isa.ty(field.ty);
        let raw = field.extract(self.word);
        self.note_marks(field);
        let text = match ty.enumerator(raw) {
            Some(value) => value.name.clone(),
            None => self.isa.value_text(ty, raw),
        };
        // Words without a value are not instructions.
        if text.is_empty() {
            return None;
        }
        // A slice is of the whole negative number.
        let is_sliced = self.source[end..].starts_with('[');
        Some(if is_sliced && text.starts_with('-') { format!("({text})") } else { text })
    }

    /// Notes whether an operand has a mark in this word.
    fn note_marks(&self, operand: &Field) {
        let is_mark = |field: &&Field| field.role == FieldRole::Attribute { of: operand.name };
        let mut marks = self.opcode.fields.iter().filter(is_mark);
        if marks.any(|mark| mark.extract(self.word) != 0) {
            self.is_marked.set(true);
        }
    }

    /// The text or the number that a `let` or `const` gives a name.
    fn meaning(&self, name: &str) -> Option<String> {
        self.with_meaning(name, |fill, value| match fill.value(value) {
            Some(value) => value.to_string(),
            None => fill.text(value),
        })
    }

    /// Does something with the expression that a `let` or `const` gives a name.
    fn with_meaning<T>(
        &self,
        name: &str,
        step: impl FnOnce(&Fill<'_>, &Expr<'_>) -> T,
    ) -> Option<T> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        let source = self.texts.declared(&self.opcode.name, name)?;
        let program = parsed(source);
        let declaration = program.statements.first().map(|statement| &statement.kind);
        let Some(StatementKind::Declare(declaration)) = declaration else { return None };
        match declaration {
            // The value of an operand is its own, unless it is an address, which has none.
            Declaration::Let { .. } | Declaration::Const { .. } if self.has_value(name) => None,
            // The word does not decide its value.
            Declaration::Let { otherwise: Some(_), .. } => None,
            Declaration::Let { value, .. } | Declaration::Const { value, .. } => {
                let fill = Fill { source, depth: self.depth + 1, ..*self };
                Some(step(&fill, value))
            }
            _ => None,
        }
    }

    fn has_value(&self, name: &str) -> bool {
        let ty = self.field(name).map(|field| self.isa.ty(field.ty));
        ty.is_some_and(|ty| !matches!(ty.kind, TypeKind::Composite(_)))
    }

    // ---- what the word decides

    /// The field that a name means.
    fn field(&self, name: &str) -> Option<&Field> {
        let (isa, fields) = (self.isa, &self.opcode.fields);
        let named = fields.iter().find(|field| isa.name_of(field.name) == name);
        let found = named.or_else(|| {
            fields.iter().find(|field| isa.stands_for(name, isa.name_of(field.name)))
        })?;
        // The operand is the literal in this form of the opcode.
        let literal = self.opcode.literal.filter(|literal| literal.selector == found.name);
        self.opcode.field(literal.map_or(found.name, |literal| literal.literal))
    }

    /// The field that an expression is the name of, with its type and its bits.
    fn field_of(&self, expr: &Expr<'_>) -> Option<(&Type, u64)> {
        let field = self.field(expr.as_name()?.text)?;
        Some((self.isa.ty(field.ty), field.extract(self.word)))
    }

    fn truth(&self, condition: &Expr<'_>) -> Option<bool> {
        self.value(condition).map(|value| value != 0)
    }

    /// The number that an expression is for this word, if the word decides it.
    fn value(&self, expr: &Expr<'_>) -> Option<i128> {
        match &expr.kind {
            ExprKind::Int(value) => i128::try_from(*value).ok(),
            ExprKind::Name(name) => {
                match self.with_meaning(name, |fill, value| fill.value(value)) {
                    Some(value) => value,
                    None => self.number(name),
                }
            }
            ExprKind::Unary(UnaryOp::Not, of) => Some(i128::from(self.value(of)? == 0)),
            ExprKind::Unary(UnaryOp::Neg, of) => self.value(of)?.checked_neg(),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Call { function, arguments } => self.call(*function, arguments),
            _ => None,
        }
    }

    /// The number in an immediate field.
    fn number(&self, name: &str) -> Option<i128> {
        let field = self.field(name)?;
        let raw = field.extract(self.word);
        match &self.isa.ty(field.ty).kind {
            TypeKind::Immediate(immediate) if immediate.is_integer() => {
                Some(immediate.value(raw, field.width()))
            }
            _ => None,
        }
    }

    /// The result of a function of the language on fields.
    fn call(&self, function: Name<'_>, arguments: &[Expr<'_>]) -> Option<i128> {
        match (function.text, arguments) {
            ("bits", [field]) => Some(self.field_of(field)?.1.into()),
            ("same_register", [a, b]) => {
                Some(i128::from(self.field_of(a)?.1 == self.field_of(b)?.1))
            }
            _ => None,
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr<'_>, b: &Expr<'_>) -> Option<i128> {
        if let Some(is_equal) = self.is_named(a, b).or_else(|| self.is_named(b, a)) {
            return match op {
                BinaryOp::Eq => Some(is_equal.into()),
                BinaryOp::Ne => Some((!is_equal).into()),
                _ => None,
            };
        }
        let (a, b) = (self.value(a), self.value(b));
        match (op, a, b) {
            // One side may be enough.
            (BinaryOp::And, Some(0), _) | (BinaryOp::And, _, Some(0)) => return Some(0),
            (BinaryOp::Or, Some(one), _) | (BinaryOp::Or, _, Some(one)) if one != 0 => {
                return Some(1);
            }
            _ => {}
        }
        let (a, b) = (a?, b?);
        let amount = u32::try_from(b).ok().filter(|amount| *amount < 64);
        match op {
            BinaryOp::Or => Some((a != 0 || b != 0).into()),
            BinaryOp::And => Some((a != 0 && b != 0).into()),
            BinaryOp::Eq => Some((a == b).into()),
            BinaryOp::Ne => Some((a != b).into()),
            BinaryOp::Lt => Some((a < b).into()),
            BinaryOp::Le => Some((a <= b).into()),
            BinaryOp::Gt => Some((a > b).into()),
            BinaryOp::Ge => Some((a >= b).into()),
            BinaryOp::BitOr => Some(a | b),
            BinaryOp::BitXor => Some(a ^ b),
            BinaryOp::BitAnd => Some(a & b),
            BinaryOp::Shl => a.checked_mul(1i128.checked_shl(amount?)?),
            BinaryOp::Shr => Some(a >> amount?),
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            BinaryOp::Mul => a.checked_mul(b),
            BinaryOp::Div | BinaryOp::Rem => None,
        }
    }

    /// Whether a field has the value that a name or a text in quotes means; `None` if it is no such comparison.
    fn is_named(&self, field: &Expr<'_>, value: &Expr<'_>) -> Option<bool> {
        let name = match value.kind {
            ExprKind::Text(text) => text,
            // A name with a meaning of its own is no value.
            ExprKind::Name(name) if self.field(name).is_none() => name,
            _ => return None,
        };
        let (ty, raw) = self.field_of(field)?;
        match (&ty.kind, &value.kind) {
            (TypeKind::BitField(values), _) => {
                let found = values.iter().find(|value| value.name == name)?;
                Some(found.value == raw)
            }
            (TypeKind::Operand(entries), ExprKind::Text(_)) => {
                Some(entries.iter().any(|entry| entry.find(name) == Some(raw)))
            }
            _ => None,
        }
    }

    /// The part of a choice that the word decides, and of choices in it.
    fn reduced<'e, 's>(&self, expr: &'e Expr<'s>) -> Option<&'e Expr<'s>> {
        let taken = match &expr.kind {
            ExprKind::Choice(parts) => &parts[if self.truth(&parts[0])? { 1 } else { 2 }],
            ExprKind::Match(found) => self.taken(found)?,
            _ => return None,
        };
        Some(self.reduced(taken).unwrap_or(taken))
    }

    /// The arm that a `match` on fields alone takes.
    fn taken<'m, V>(&self, found: &'m Match<'_, V>) -> Option<&'m V> {
        for arm in &found.arms {
            let mut fits = true;
            for (subject, patterns) in found.subjects.iter().zip(&arm.patterns) {
                fits &= self.fits(subject, patterns)?;
            }
            if fits {
                return Some(&arm.value);
            }
        }
        None
    }

    fn fits(&self, subject: &Expr<'_>, patterns: &[Pattern<'_>]) -> Option<bool> {
        let fits = |pattern: &Pattern<'_>| match pattern.kind {
            PatternKind::Any => Some(true),
            PatternKind::Int(number) => Some(self.value(subject)? == number),
            PatternKind::Name(name) => {
                let (ty, raw) = self.field_of(subject)?;
                Some(ty.enumerator(raw)?.name == name)
            }
        };
        let found: Option<Vec<bool>> = patterns.iter().map(fits).collect();
        Some(found?.contains(&true))
    }
}
