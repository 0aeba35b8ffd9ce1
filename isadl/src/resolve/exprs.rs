//! Expressions: looks up fields, turns enumerators into numbers, and checks kinds.
//!
//! Codes: E0209, E0210, E0509, E0601, E0602, E0603, E0606.

use super::Resolver;
use crate::ast::{self, BinaryOp, ExprKind, Function, Ident, UnaryOp};
use crate::diagnostic::{Code, Diagnostic, Old};
use crate::isa::{Expr, Immediate, NameId, Reading, Relocation, TypeId, TypeKind};
use crate::model::{FieldId, LayerId, Model};
use crate::source::Span;

/// The kind of an operator's operand.
enum Kind<'a> {
    /// An integer, or a field with an integer value.
    Int(Expr),
    /// A field whose values have names.
    Named(Expr, TypeId),
    /// A quoted string: the name of a value.
    Str(&'a str),
    /// An operand that was already reported.
    Wrong,
}

/// The names that an expression can use.
#[derive(Clone, Copy)]
pub(super) enum Scope<'i> {
    /// The fields of a layer.
    Layer(LayerId),
    /// `value` and `bits`, of each value of an immediate, whose values may be computed.
    Values(&'i Immediate, Option<&'i Expr>),
    /// `bits`, the input to computed values of an immediate.
    Bits,
    /// `value`, an address, and `start`, the address of the instruction: a relocation computes a value from them.
    Relocation,
}

impl<'a> Resolver<'a, '_> {
    /// An expression in the context of a layer's fields; `None` if it was reported.
    pub(super) fn expr(&mut self, layer: LayerId, expr: &'a ast::Expr<'a>) -> Option<Expr> {
        self.expr_in(Scope::Layer(layer), expr)
    }

    /// An expression with the names of a scope; `None` if it was reported.
    pub(super) fn expr_in(&mut self, scope: Scope<'_>, expr: &'a ast::Expr<'a>) -> Option<Expr> {
        match self.kind(scope, expr) {
            Kind::Int(expr) => Some(expr),
            Kind::Wrong => None,
            Kind::Named(..) | Kind::Str(_) => {
                self.ill_typed(
                    expr.span,
                    "expected an integer or a condition",
                    "compare it with a value, such as `width == \"64\"`",
                );
                None
            }
        }
    }

    /// The field of a layer with a name; reports an undefined name.
    pub(super) fn field_of(&mut self, layer: LayerId, name: Ident<'a>) -> Option<FieldId> {
        let found = self.model.find_field_text(layer, name.text);
        let is_unknown = found.is_none() && self.model.may_have_field(layer, name.text);
        if found.is_some() || is_unknown || !self.is_new(Code::E0209, name.span) {
            return found;
        }
        let owner = self.model.layer(layer);
        let message = format!(
            "{} `{}` does not have a field `{}`",
            owner.kind.as_str(),
            owner.name.text,
            name.text
        );
        let diagnostic = Diagnostic::new(Code::E0209, message, name.span)
            .with_label("no such field")
            .with_related(owner.header, "in the context of this definition");
        let known = |model: &Model<'a>| {
            model.layer(layer).fields.iter().map(|id| model.field(*id).ast.name.text).collect()
        };
        let mut diagnostic = self.suggest(diagnostic, name.text, known);
        if (0..self.model.types.len())
            .map(TypeId::new)
            .any(|ty| self.value_named(ty, name.text).is_some())
        {
            let help =
                format!("to compare with a value, write its name in quotes: `\"{}\"`", name.text);
            diagnostic = diagnostic.with_help(help);
        }
        self.report(diagnostic);
        None
    }

    fn kind(&mut self, scope: Scope<'_>, expr: &'a ast::Expr<'a>) -> Kind<'a> {
        match &expr.kind {
            ExprKind::Int(value) => Kind::Int(Expr::Int(*value)),
            ExprKind::Str(text) => Kind::Str(text),
            ExprKind::Field(name) => self.field_kind(scope, Ident { text: name, span: expr.span }),
            ExprKind::Is(field, class) => self.member(scope, *field, *class),
            ExprKind::Unary(op, operand) => self.unary(scope, *op, operand),
            ExprKind::Binary(op, left, right) => self.binary(scope, *op, left, right),
            ExprKind::Call(function, arguments) => self.call(scope, *function, arguments),
        }
    }

    fn field_kind(&mut self, scope: Scope<'_>, name: Ident<'a>) -> Kind<'a> {
        let layer = match scope {
            Scope::Layer(layer) => layer,
            Scope::Values(immediate, computed) => {
                return self.of_values(immediate, computed, name);
            }
            Scope::Bits => return self.of_bits(name),
            Scope::Relocation => return self.of_relocation(name),
        };
        let Some(field) = self.field_of(layer, name) else { return Kind::Wrong };
        let field = self.model.field(field);
        let Some(ty) = field.ty else { return Kind::Wrong };
        let expr = Expr::Field(field.name, self.model.ty(ty).reading());
        match &self.model.ty(ty).kind {
            TypeKind::BitField(_) => Kind::Named(expr, ty),
            // The number of a register is an integer, for rules on alignment.
            TypeKind::Operand(_) | TypeKind::Composite(_) => Kind::Int(expr),
            TypeKind::Immediate(immediate) => {
                let computed = immediate.computed.as_ref().map(|of| &of.expr);
                Kind::Int(scaled(expr, immediate, computed))
            }
        }
    }

    /// Resolves `bits` in the computation of values.
    fn of_bits(&mut self, name: Ident<'a>) -> Kind<'a> {
        if name.text == BITS {
            return Kind::Int(Expr::Field(ANY, Reading::Unsigned));
        }
        if self.is_new(Code::E0209, name.span) {
            let message = format!("values cannot be computed from `{}`", name.text);
            let diagnostic = Diagnostic::new(Code::E0209, message, name.span)
                .with_note("use `bits`, the bits of the field")
                .with_suggestion(name.text, [BITS]);
            self.report(diagnostic);
        }
        Kind::Wrong
    }

    /// `value` or `start`, in the value of a relocation.
    fn of_relocation(&mut self, name: Ident<'a>) -> Kind<'a> {
        let fields = [(VALUE, Relocation::VALUE), (START, Relocation::START)];
        if let Some((_, field)) = fields.iter().find(|(known, _)| *known == name.text) {
            return Kind::Int(Expr::Field(*field, Reading::Signed));
        }
        if self.is_new(Code::E0209, name.span) {
            let message = format!("the value of a relocation cannot depend on `{}`", name.text);
            let diagnostic = Diagnostic::new(Code::E0209, message, name.span)
                .with_note("use `value`, the address that is written, and `start`, the address of the instruction")
                .with_suggestion(name.text, [VALUE, START]);
            self.report(diagnostic);
        }
        Kind::Wrong
    }

    /// `value` or `bits`, in a condition on the values of a type.
    fn of_values(
        &mut self,
        immediate: &Immediate,
        computed: Option<&Expr>,
        name: Ident<'a>,
    ) -> Kind<'a> {
        match name.text {
            BITS => Kind::Int(Expr::Field(ANY, Reading::Unsigned)),
            VALUE if immediate.is_integer() => {
                let reading = match computed {
                    Some(_) => Reading::Unsigned,
                    None => immediate.reading(),
                };
                Kind::Int(scaled(Expr::Field(ANY, reading), immediate, computed))
            }
            VALUE => {
                self.ill_typed(
                    name.span,
                    "`value` is not an integer in this type",
                    "write the condition on `bits`",
                );
                Kind::Wrong
            }
            other => {
                if self.is_new(Code::E0209, name.span) {
                    let message = format!("a condition on values cannot name `{other}`");
                    let diagnostic = Diagnostic::new(Code::E0209, message, name.span)
                        .with_note("use `value`, the number, and `bits`, its bits")
                        .with_suggestion(other, [VALUE, BITS]);
                    self.report(diagnostic);
                }
                Kind::Wrong
            }
        }
    }

    /// `field is class`: whether the value selects an entry of that class.
    fn member(&mut self, scope: Scope<'_>, field: Ident<'a>, class: Ident<'a>) -> Kind<'a> {
        let value = match self.field_kind(scope, field) {
            Kind::Int(value) if matches!(scope, Scope::Layer(_)) => value,
            Kind::Int(_) | Kind::Named(..) | Kind::Str(_) => {
                self.ill_typed(
                    field.span,
                    "only values of operands belong to classes",
                    "compare it with a value, such as `width == \"64\"`",
                );
                return Kind::Wrong;
            }
            Kind::Wrong => return Kind::Wrong,
        };
        let types = || self.model.types.iter().map(|ty| &ty.ty);
        if !types().any(|ty| ty.ranges_of(class.text).next().is_some()) {
            if self.is_new(Code::E0606, class.span) && types_are_whole(&self.model) {
                let message = format!("class `{}` is not defined by any operand type", class.text);
                self.report(Diagnostic::new(Code::E0606, message, class.span).with_help(
                    "add it to entries of an operand type, as in `m0 = 124 is scalar;`",
                ));
            }
            return Kind::Wrong;
        }
        let ty = self.field_type(scope, field.text);
        let ranges = ty.into_iter().flat_map(|ty| self.model.ty(ty).ranges_of(class.text));
        Kind::Int(within(&value, &ranges.collect::<Vec<_>>()))
    }

    fn unary(&mut self, scope: Scope<'_>, op: UnaryOp, operand: &'a ast::Expr<'a>) -> Kind<'a> {
        match self.expr_in(scope, operand) {
            Some(expr) => Kind::Int(Expr::Unary(op, Box::new(expr))),
            None => Kind::Wrong,
        }
    }

    fn binary(
        &mut self,
        scope: Scope<'_>,
        op: BinaryOp,
        left: &'a ast::Expr<'a>,
        right: &'a ast::Expr<'a>,
    ) -> Kind<'a> {
        let (a, b) = (self.kind(scope, left), self.kind(scope, right));
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let build = |a: Expr, b: Expr| Kind::Int(Expr::Binary(op, Box::new(a), Box::new(b)));
        match (a, b) {
            (Kind::Int(_), Kind::Int(Expr::Int(0)))
                if matches!(op, BinaryOp::Div | BinaryOp::Rem) =>
            {
                if self.is_new(Code::E0603, right.span) {
                    self.report(Diagnostic::new(Code::E0603, "division by zero", right.span));
                }
                Kind::Wrong
            }
            (Kind::Int(a), Kind::Int(b)) => build(a, b),
            (Kind::Named(a, ty), Kind::Str(text)) if equality => {
                match self.enumerator(ty, text, right.span) {
                    Some(value) => build(a, value),
                    None => Kind::Wrong,
                }
            }
            (Kind::Str(text), Kind::Named(b, ty)) if equality => {
                match self.enumerator(ty, text, left.span) {
                    Some(value) => build(value, b),
                    None => Kind::Wrong,
                }
            }
            (Kind::Named(a, first), Kind::Named(b, second)) if equality && first == second => {
                build(a, b)
            }
            (Kind::Int(a), Kind::Str(text)) if equality => {
                self.register(scope, left, a, (text, right.span), op)
            }
            (Kind::Str(text), Kind::Int(b)) if equality => {
                self.register(scope, right, b, (text, left.span), op)
            }
            (Kind::Wrong, _) | (_, Kind::Wrong) => Kind::Wrong,
            (a, b) => {
                self.ill_typed_operands(op, (&a, left.span), (&b, right.span));
                Kind::Wrong
            }
        }
    }

    /// `function(x, y)`
    fn call(
        &mut self,
        scope: Scope<'_>,
        name: Ident<'a>,
        arguments: &'a [ast::Expr<'a>],
    ) -> Kind<'a> {
        if name.text == BITS {
            return self.bits(scope, name, arguments);
        }
        let Some(function) = Function::ALL.into_iter().find(|known| known.name() == name.text)
        else {
            if self.is_new(Code::E0210, name.span) {
                let known = Function::ALL.iter().map(|known| known.name()).chain([BITS]);
                let message = format!("expressions do not have a function `{}`", name.text);
                let diagnostic = Diagnostic::new(Code::E0210, message, name.span)
                    .with_note("they have `if`, `ror`, `repeat`, `clz` and `bits`")
                    .with_suggestion(name.text, known);
                self.report(diagnostic);
            }
            return Kind::Wrong;
        };
        let values: Vec<Option<Expr>> =
            arguments.iter().map(|argument| self.expr_in(scope, argument)).collect();
        if values.len() != function.arguments().len() {
            self.wrong_count(name, function.arguments(), values.len());
            return Kind::Wrong;
        }
        match values.into_iter().collect() {
            Some(values) => Kind::Int(Expr::Call(function, values)),
            None => Kind::Wrong,
        }
    }

    /// `bits(field)`: the bits of a field of any type.
    fn bits(
        &mut self,
        scope: Scope<'_>,
        name: Ident<'a>,
        arguments: &'a [ast::Expr<'a>],
    ) -> Kind<'a> {
        let [argument] = arguments else {
            self.wrong_count(name, &["field"], arguments.len());
            return Kind::Wrong;
        };
        let ExprKind::Field(text) = argument.kind else {
            self.ill_typed(argument.span, "`bits` takes a field", "write the name of a field");
            return Kind::Wrong;
        };
        let name = Ident { text, span: argument.span };
        let Scope::Layer(layer) = scope else {
            // In a condition on values there are no fields.
            return self.field_kind(scope, name);
        };
        let Some(field) = self.field_of(layer, name) else { return Kind::Wrong };
        Kind::Int(Expr::Field(self.model.field(field).name, Reading::Unsigned))
    }

    fn wrong_count(&mut self, name: Ident<'a>, wanted: &[&str], given: usize) {
        if self.is_new(Code::E0509, name.span) {
            let form = format!("{}({})", name.text, wanted.join(", "));
            let message = format!("`{}` takes {}, not {given}", name.text, arguments(wanted.len()));
            let diagnostic = Diagnostic::new(Code::E0509, message, name.span)
                .with_help(format!("write `{form}`"));
            self.report(diagnostic);
        }
    }

    /// `rd == "RZ"`: a register compared by name.
    fn register(
        &mut self,
        scope: Scope<'_>,
        side: &'a ast::Expr<'a>,
        value: Expr,
        (text, span): (&'a str, Span),
        op: BinaryOp,
    ) -> Kind<'a> {
        let ty = match side.kind {
            ExprKind::Field(name) => self.field_type(scope, name),
            _ => None,
        };
        let Some(ty) = ty else {
            self.needless_quotes(
                (text, span),
                "a quoted string names a value, but this one is compared with an integer",
                "write the integer without quotes",
            );
            return Kind::Wrong;
        };
        if !matches!(self.model.ty(ty).kind, TypeKind::Operand(_)) {
            self.needless_quotes(
                (text, span),
                "a quoted string names a value, but this field is a number",
                "write the number without quotes",
            );
            return Kind::Wrong;
        }
        match self.enumerator(ty, text, span) {
            Some(named) => Kind::Int(Expr::Binary(op, Box::new(value), Box::new(named))),
            None => Kind::Wrong,
        }
    }

    /// The type of a field, if a field has the name.
    fn field_type(&self, scope: Scope<'_>, name: &str) -> Option<TypeId> {
        let Scope::Layer(layer) = scope else { return None };
        self.model.field(self.model.find_field_text(layer, name)?).ty
    }

    /// The value that `text` names in a type; reports an unknown name.
    fn enumerator(&mut self, ty: TypeId, text: &str, span: Span) -> Option<Expr> {
        if let Some(value) = self.value_named(ty, text) {
            return Some(Expr::Int(i128::from(value)));
        }
        let known = &self.model.types[ty.index()];
        let message = format!("type `{}` does not have a value `{text}`", known.name.text);
        if !known.has_gaps && self.is_new(Code::E0602, span) {
            let diagnostic = Diagnostic::new(Code::E0602, message, span).with_label("never equal");
            let diagnostic = self.with_values(diagnostic, ty, text);
            self.report(diagnostic);
        }
        None
    }

    fn ill_typed(&mut self, span: Span, message: &str, help: &str) {
        if self.is_new(Code::E0601, span) {
            self.report(Diagnostic::new(Code::E0601, message, span).with_help(help));
        }
    }

    fn needless_quotes(&mut self, (text, span): (&str, Span), message: &str, help: &str) {
        if !self.is_new(Code::E0601, span) {
            return;
        }
        let diagnostic = Diagnostic::new(Code::E0601, message, span);
        self.report(match text.parse::<u64>() {
            Ok(_) => diagnostic.with_change(help, Old::Span(span), text).certainly(),
            Err(_) => diagnostic.with_help(help),
        });
    }

    fn ill_typed_operands(
        &mut self,
        op: BinaryOp,
        (a, left): (&Kind<'a>, Span),
        (b, right): (&Kind<'a>, Span),
    ) {
        if !self.is_new(Code::E0601, left.to(right)) {
            return;
        }
        let message = format!(
            "`{}` cannot be applied to {} and {}",
            op.symbol(),
            self.describe(a),
            self.describe(b)
        );
        let diagnostic = Diagnostic::new(Code::E0601, message, left.to(right))
            .with_note("named values can only be compared, by `==` and `!=`, with one of their names in quotes or with a field of the same type");
        self.report(diagnostic);
    }

    fn describe(&self, kind: &Kind<'a>) -> String {
        match kind {
            Kind::Int(_) => "an integer".to_string(),
            Kind::Named(_, ty) => format!("a value of `{}`", self.model.ty(*ty).name),
            Kind::Str(_) => "a quoted string".to_string(),
            Kind::Wrong => "an invalid expression".to_string(),
        }
    }
}

/// The function that gives the bits of a field; alone, the bits of a value.
const BITS: &str = "bits";

/// The number that a value is.
const VALUE: &str = "value";

/// The address of an instruction.
const START: &str = "start";

/// The only field of a condition on values.
const ANY: NameId = NameId::new(0);

/// The number of an immediate field: computed from its bits, or scaled from the number in its bits.
fn scaled(bits: Expr, immediate: &Immediate, computed: Option<&Expr>) -> Expr {
    if let Some(computed) = computed.filter(|_| immediate.is_integer()) {
        return computed.with_field(&bits);
    }
    let with =
        |op, left, by: i64| Expr::Binary(op, Box::new(left), Box::new(Expr::Int(i128::from(by))));
    let multiple = match immediate.scale {
        1 => bits,
        scale => with(BinaryOp::Mul, bits, scale),
    };
    match immediate.bias {
        0 => multiple,
        bias => with(BinaryOp::Add, multiple, bias),
    }
}

fn arguments(count: usize) -> String {
    if count == 1 { "1 argument".to_string() } else { format!("{count} arguments") }
}

/// Whether all statements of all types are known.
fn types_are_whole(model: &Model<'_>) -> bool {
    model.types.iter().all(|ty| !ty.has_gaps)
}

/// The condition that a value is in one of the ranges, both ends included. Adjacent ranges are joined.
fn within(value: &Expr, ranges: &[(u64, u64)]) -> Expr {
    let mut joined: Vec<(u64, u64)> = Vec::new();
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    for (first, last) in sorted {
        match joined.last_mut().filter(|before| before.1.checked_add(1) == Some(first)) {
            Some(before) => before.1 = last,
            None => joined.push((first, last)),
        }
    }
    let compare = |op, with: u64| {
        let with = Expr::Int(i128::from(with));
        Expr::Binary(op, Box::new(value.clone()), Box::new(with))
    };
    let both = |op, a, b| Expr::Binary(op, Box::new(a), Box::new(b));
    let conditions = joined.into_iter().map(|(first, last)| match first == last {
        true => compare(BinaryOp::Eq, first),
        // Every value is at least 0.
        false if first == 0 => compare(BinaryOp::Le, last),
        false => both(BinaryOp::And, compare(BinaryOp::Ge, first), compare(BinaryOp::Le, last)),
    });
    any_of(conditions.collect())
}

/// Conditions up to this number are joined in a row. More are joined by halves, so that recursion can walk every
/// expression.
const MAX_JOINED: usize = 64;

/// The condition that at least one of several conditions holds.
fn any_of(conditions: Vec<Expr>) -> Expr {
    joined(BinaryOp::Or, conditions).unwrap_or(Expr::Int(0))
}

/// The condition that all of several hold.
pub(super) fn all_of(conditions: Vec<Expr>) -> Expr {
    joined(BinaryOp::And, conditions).unwrap_or(Expr::Int(1))
}

fn joined(op: BinaryOp, mut conditions: Vec<Expr>) -> Option<Expr> {
    let both = |a, b| Expr::Binary(op, Box::new(a), Box::new(b));
    if conditions.len() <= MAX_JOINED {
        return conditions.into_iter().reduce(both);
    }
    let rest = conditions.split_off(conditions.len() / 2);
    Some(both(joined(op, conditions)?, joined(op, rest)?))
}
