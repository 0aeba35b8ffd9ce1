//! Calls of the language's own functions, and memory.

use isadl_base::vocabulary::BinaryOp;
use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{Access, FlowPlace};

use super::Checker;
use super::claims::Moment;
use super::floats::FLOAT_FUNCTIONS;
use crate::float::Format;
use crate::interval::Interval;
use crate::program::{Builtin, Expr, ExprKind, Type};
use crate::syntax::ast::{self, Declaration, Name};

/// The functions of the language: their names and parameters.
pub(crate) const FUNCTIONS: [(&str, &[&str]); 24] = [
    ("abs", &["x"]),
    ("any", &["first .. last"]),
    ("ballot", &["condition"]),
    ("bits", &["field"]),
    ("carryless", &["a", "b"]),
    ("count", &["x"]),
    ("exact", &["x"]),
    ("has", &["extension"]),
    ("leading_zeros", &["x"]),
    ("load_reserved", &["place"]),
    ("max", &["a", "b"]),
    ("min", &["a", "b"]),
    ("mod", &["a", "n"]),
    ("repeat", &["x", "n"]),
    ("reverse", &["x"]),
    ("rotate_left", &["x", "n"]),
    ("rotate_right", &["x", "n"]),
    ("same_register", &["a", "b"]),
    ("signed", &["x"]),
    ("store_conditional", &["place", "value"]),
    ("trailing_zeros", &["x"]),
    ("unsigned", &["x"]),
    ("use", &["x"]),
    ("whole", &["operand"]),
];

impl<'c, 's> Checker<'c, 's, '_> {
    pub(super) fn call(
        &mut self,
        function: Name<'s>,
        arguments: &'c [ast::Expr<'s>],
        format: Option<Format>,
        span: Span,
    ) -> Option<Expr> {
        if function.text == "old" && self.moment == Moment::After {
            return self.old_value(function, arguments, span);
        }
        match self.context.chain.names.get(function.text).copied() {
            Some(Declaration::Function(own)) => return self.inline(own, function, arguments, span),
            Some(Declaration::Extern { parameters, result, effects, .. }) => {
                return self.external(
                    function,
                    (parameters, result.as_ref(), effects),
                    arguments,
                    span,
                );
            }
            _ => {}
        }
        if let Some((_, least, most)) =
            FLOAT_FUNCTIONS.iter().find(|(name, ..)| *name == function.text)
        {
            if !(*least..=*most).contains(&arguments.len()) {
                let signature =
                    crate::builtins::builtin(function.text).map_or("", |own| own.signature);
                self.wrong_count(function, (*least, *most), signature, arguments.len());
                return None;
            }
            return self.float_call(function, arguments, format, span);
        }
        let Some((_, parameters)) = FUNCTIONS.iter().find(|(name, _)| *name == function.text)
        else {
            let declared = self.context.chain.names.iter();
            let functions = declared.filter(|(_, declaration)| {
                matches!(declaration, Declaration::Function(_) | Declaration::Extern { .. })
            });
            let known = functions.map(|(name, _)| *name).chain(FUNCTIONS.map(|(name, _)| name));
            let known: Vec<&str> = known.chain(FLOAT_FUNCTIONS.map(|(name, ..)| name)).collect();
            let message = format!("there is no function `{}`", function.text);
            let found = Diagnostic::new(Code::E1202, message, function.span)
                .with_suggestion(function.text, &known);
            self.report(found);
            return None;
        };
        if parameters.len() != arguments.len() {
            self.wrong_parameters(function, parameters, arguments.len());
            return None;
        }
        self.builtin(function.text, arguments, span)
    }

    /// Reports a call with another number of arguments than there are parameters.
    pub(super) fn wrong_parameters(&mut self, function: Name<'s>, names: &[&str], given: usize) {
        let signature = format!("{}({})", function.text, names.join(", "));
        self.wrong_count(function, (names.len(), names.len()), &signature, given);
    }

    fn wrong_count(
        &mut self,
        function: Name<'s>,
        (least, most): (usize, usize),
        signature: &str,
        given: usize,
    ) {
        let many = |count: usize| format!("{count} argument{}", if count == 1 { "" } else { "s" });
        let wanted = match least == most {
            true => many(least),
            false => format!("{least} to {}", many(most)),
        };
        let message = format!("`{}` takes {wanted}, not {}", function.text, many(given));
        self.error(Code::E1213, function.span, message, format!("write `{signature}`"));
    }

    fn builtin(&mut self, name: &str, arguments: &'c [ast::Expr<'s>], span: Span) -> Option<Expr> {
        match name {
            "bits" => return self.bits_of(&arguments[0], span),
            "has" => return self.has(&arguments[0], span),
            "any" => return self.any(&arguments[0], span),
            "ballot" => return self.ballot(&arguments[0], span),
            "whole" => return self.whole(&arguments[0], span),
            "use" => {
                let of = self.expr(&arguments[0])?;
                return self.apply(name, vec![of], span);
            }
            "same_register" => return self.same_register(arguments, span),
            "abs" => {
                let found = self.expr(&arguments[0])?;
                if let Some(format) = found.format() {
                    return Some(self.magnitude(found, format, span));
                }
                let number = self.as_number(found, arguments[0].span)?;
                return self.apply(name, vec![number], span);
            }
            "load_reserved" | "store_conditional" => return self.reserved(name, arguments, span),
            "unsigned" => {
                let help = "numbers of registers and slices are unsigned already";
                self.error(Code::E1213, span, "`unsigned` is not needed", help);
                return None;
            }
            _ => {}
        }
        let values: Vec<Option<Expr>> = match name {
            // Functions of bits.
            "signed" | "count" | "leading_zeros" | "trailing_zeros" | "carryless" | "reverse" => {
                arguments.iter().map(|argument| self.sized(argument)).collect()
            }
            "repeat" | "rotate_left" | "rotate_right" => {
                vec![self.sized(&arguments[0]), self.number(&arguments[1])]
            }
            _ => arguments.iter().map(|argument| self.number(argument)).collect(),
        };
        let values: Vec<Expr> = values.into_iter().collect::<Option<_>>()?;
        self.apply(name, values, span)
    }

    /// Applies a function to numbers.
    fn apply(&mut self, name: &str, values: Vec<Expr>, span: Span) -> Option<Expr> {
        let first = values[0].clone();
        let width = first.width().unwrap_or(1);
        let range = first.range;
        let of_width = |range: Interval| (Type::Bits(width), range, false);
        let integer = |range: Interval| (Type::Integer, range, false);
        let (function, (ty, range, is_signed)) = match name {
            "signed" => (Builtin::Signed, (Type::Integer, signed_range(&first, width), true)),
            "exact" => (Builtin::Exact, (Type::Integer, range, true)),
            "use" => (Builtin::Use, integer(Interval::one(0))),
            "abs" => (Builtin::Abs, integer(range.max(-range).max(Interval::one(0)))),
            "count" | "leading_zeros" | "trailing_zeros" => {
                let function = match name {
                    "count" => Builtin::Count,
                    "leading_zeros" => Builtin::LeadingZeros,
                    _ => Builtin::TrailingZeros,
                };
                (function, integer(Interval::between(0, width.into())))
            }
            "min" | "max" => {
                self.signs_agree(&values[0], &values[1], name)?;
                let other = &values[1];
                let is_signed = first.is_signed && range.may_be_negative()
                    || other.is_signed && other.range.may_be_negative();
                for value in &values {
                    self.sign_is_shown(value, "compared")?;
                }
                let ty = if first.ty == other.ty { first.ty } else { Type::Integer };
                match name {
                    "min" => (Builtin::Min, (ty, range.min(other.range), is_signed)),
                    _ => (Builtin::Max, (ty, range.max(other.range), is_signed)),
                }
            }
            "mod" => {
                let divisor = &values[1];
                if divisor.range.low <= crate::interval::Bound::Exact(0)
                    && !self.is_positive(divisor)
                {
                    self.divisor_is_positive(divisor);
                    return None;
                }
                (Builtin::Mod, integer(range.modulo(divisor.range)))
            }
            "repeat" => {
                let count = values[1]
                    .value()
                    .and_then(|count| u32::try_from(count).ok())
                    .filter(|count| *count > 0);
                let wide = count
                    .map(|count| width.saturating_mul(count))
                    .filter(|wide| *wide <= crate::interval::MAX_BITS);
                let Some(wide) = wide else {
                    let help = "the number of times is known when the program is checked";
                    self.error(
                        Code::E1213,
                        values[1].span,
                        format!("{} is not a number of times", values[1].range),
                        help,
                    );
                    return None;
                };
                (Builtin::Repeat, (Type::Bits(wide), Interval::unsigned(wide), false))
            }
            "reverse" => (Builtin::Reverse, of_width(Interval::unsigned(width))),
            "rotate_left" => (Builtin::RotateLeft, of_width(Interval::unsigned(width))),
            "rotate_right" => (Builtin::RotateRight, of_width(Interval::unsigned(width))),
            _ => {
                let both = width + values[1].width().unwrap_or(1);
                (Builtin::Carryless, (Type::Bits(both), Interval::unsigned(both), false))
            }
        };
        if matches!(function, Builtin::RotateLeft | Builtin::RotateRight)
            && values[1].range.may_be_negative()
        {
            let amount = &values[1];
            let message = format!("the amount of a rotation may be negative: {}", amount.range);
            self.error(Code::E1210, amount.span, message, "rotate in the other direction");
            return None;
        }
        let made = self.make(ExprKind::Builtin(function, values), ty, range, span);
        Some(Expr { is_signed, is_exact: function == Builtin::Exact, ..made })
    }

    fn is_positive(&self, expr: &Expr) -> bool {
        !expr.range.may_be_negative() && self.facts.is_nonzero(expr)
    }

    fn divisor_is_positive(&mut self, divisor: &Expr) {
        let found =
            Diagnostic::new(Code::E1211, "the divisor of `mod` must be positive", divisor.span);
        let found = found.with_label(divisor.range.to_string());
        self.report(found.with_help("test it before"));
    }

    /// `bits(field)`
    fn bits_of(&mut self, argument: &'c ast::Expr<'s>, span: Span) -> Option<Expr> {
        let name = argument.as_name();
        if let Some(field) = name.and_then(|name| self.field_of(name.text)) {
            return self.field_bits(field, span);
        }
        if let ast::ExprKind::Member { of, name } = &argument.kind
            && let Some(mark) = self.mark(*of, *name)
        {
            return self.mark_bits(mark, span);
        }
        let help = "`bits` gives the encoding of a field; other values are numbers already";
        self.error(Code::E1213, argument.span, "this is not a field", help);
        None
    }

    /// `has(extension)`
    fn has(&mut self, argument: &'c ast::Expr<'s>, span: Span) -> Option<Expr> {
        let isa = self.context.isa;
        let set = argument.as_name().and_then(|name| isa.extensions().find(name.text));
        let Some(set) = set else {
            self.error(
                Code::E1202,
                argument.span,
                "this is not an extension",
                "write the name of an extension: `has(Zca)`",
            );
            return None;
        };
        let condition = isadl_ir::isa::ExtensionCondition::all_of(set);
        Some(self.make_bits(ExprKind::Has(condition), 1, span))
    }

    /// `any(first .. last)`
    fn any(&mut self, argument: &'c ast::Expr<'s>, span: Span) -> Option<Expr> {
        let ast::ExprKind::Between(bounds) = &argument.kind else {
            self.error(
                Code::E1213,
                argument.span,
                "`any` takes a range",
                "write `any(first .. last)`",
            );
            return None;
        };
        let [first, last] = &**bounds;
        let (first, last) = (self.number(first), self.number(last));
        let (first, last) = (first?, last?);
        if !self.facts.is_at_least(&last, &first) {
            let message = format!("the range may be empty: {} .. {}", first.range, last.range);
            self.error(
                Code::E1213,
                argument.span,
                message,
                "test before that the first is not above the last",
            );
            return None;
        }
        let range = Interval { low: first.range.low, high: last.range.high };
        Some(self.make(ExprKind::Any(Box::new([first, last])), Type::Integer, range, span))
    }

    /// `same_register(a, b)`
    fn same_register(&mut self, arguments: &'c [ast::Expr<'s>], span: Span) -> Option<Expr> {
        let mut fields = Vec::new();
        for argument in arguments {
            let Some(field) = argument.as_name().and_then(|name| self.field_of(name.text)) else {
                self.error(
                    Code::E1213,
                    argument.span,
                    "this is not an operand",
                    "write the names of two operands",
                );
                return None;
            };
            fields.push(field);
        }
        let types: Vec<_> =
            fields.iter().filter_map(|field| Some(self.context.opcode.field(*field)?.ty)).collect();
        if types[0] != types[1] {
            let help = "compare operands of one type";
            self.error(
                Code::E1213,
                span,
                "the operands have different types, so their numbers do not compare",
                help,
            );
            return None;
        }
        let a = self.field_bits(fields[0], arguments[0].span)?;
        let b = self.field_bits(fields[1], arguments[1].span)?;
        let kind = ExprKind::Binary(BinaryOp::Eq, Box::new(a), Box::new(b));
        Some(self.make_bits(kind, 1, span))
    }

    // ---- memory

    /// The memory and address of `memory[address]`.
    pub(super) fn memory_access(
        &self,
        expr: &'c ast::Expr<'s>,
    ) -> Option<(usize, &'c ast::Expr<'s>)> {
        let ast::ExprKind::Index { of, indices } = &expr.kind else { return None };
        let [address] = indices.as_slice() else { return None };
        self.memory_access_of(of, address)
    }

    pub(super) fn memory_access_of(
        &self,
        of: &'c ast::Expr<'s>,
        address: &'c ast::Expr<'s>,
    ) -> Option<(usize, &'c ast::Expr<'s>)> {
        let name = of.as_name()?;
        let Declaration::Memory { .. } = self.context.chain.names.get(name.text)? else {
            return None;
        };
        let index = self.context.memories.iter().position(|memory| memory.text == name.text)?;
        Some((index, address))
    }

    /// The address of an access, stored in as many bits as the memory's addresses have.
    pub(super) fn address(&mut self, memory: usize, address: &'c ast::Expr<'s>) -> Option<Expr> {
        let found = self.number(address)?;
        let name = self.context.memories[memory];
        let Some(Declaration::Memory { address: ty, .. }) =
            self.context.chain.names.get(name.text).copied()
        else {
            return None;
        };
        let width = self.outside(name, address.span, |checker| checker.type_width(ty))?;
        self.store(&found, width, &format!("an address of `{}` has", name.text))?;
        Some(self.stored(found, width))
    }

    pub(super) fn load(
        &mut self,
        memory: usize,
        address: &'c ast::Expr<'s>,
        width: u32,
        span: Span,
    ) -> Option<Expr> {
        let address = Box::new(self.address(memory, address)?);
        let kind = ExprKind::Load { memory, address, width, is_reserving: false };
        Some(self.make_bits(kind, width, span))
    }

    /// The number of bits of `memory[address][high:0]`.
    pub(super) fn memory_width(&mut self, bounds: &'c [ast::Expr<'s>; 2]) -> Option<u32> {
        let [high, low] = bounds;
        let (high, low) =
            (self.constant(high, "the last bit"), self.constant(low, "the first bit"));
        let (high, low) = (high?, low?);
        if low != 0 {
            let help = "after an address `[n - 1:0]` means n bits from there; add to the address, or shift the value";
            self.error(
                Code::E1209,
                bounds[1].span,
                format!("memory is accessed from bit {low} on"),
                help,
            );
            return None;
        }
        let width = u32::try_from(high + 1)
            .ok()
            .filter(|width| width % 8 == 0 && *width > 0 && *width <= 1 << 15);
        if width.is_none() {
            let message = format!("memory of {} bits is accessed", high + 1);
            self.error(
                Code::E1209,
                bounds[0].span,
                message,
                "an access is of whole bytes: `[7:0]`, `[31:0]`",
            );
        }
        width
    }

    /// The number of bits that `Loads` or `Stores` of the opcode gives, for an access that does not say it.
    pub(super) fn access_width(&mut self, is_store: bool, span: Span) -> Option<u32> {
        let opcode = self.context.opcode;
        let is_wanted = |access: Access| match is_store {
            true => access.writes(),
            false => access.reads(),
        };
        let of_memory = opcode.flow.iter().filter(|item| {
            let FlowPlace::Field(field) = item.place else { return false };
            self.is_address(field) && is_wanted(item.access)
        });
        let widths: Vec<Option<u32>> = of_memory
            .map(|item| self.evaluated(item.width?).and_then(|width| u32::try_from(width).ok()))
            .collect();
        match widths.as_slice() {
            [Some(first), rest @ ..] if rest.iter().all(|width| *width == Some(*first)) => {
                Some(*first)
            }
            _ => {
                let statement = if is_store { "Stores" } else { "Loads" };
                let message = "the number of bits of this access is not known";
                self.error(
                    Code::E1208,
                    span,
                    message,
                    format!("write `[31:0]` after the address, or `{statement}<…> = 32`"),
                );
                None
            }
        }
    }

    /// Whether an operand gives an address.
    fn is_address(&self, field: isadl_ir::isa::NameId) -> bool {
        let opcode = self.context.opcode;
        let is_composite =
            |ty| matches!(self.context.isa.ty(ty).kind, isadl_ir::isa::TypeKind::Composite(_));
        opcode.composite_operand(field).is_some()
            || opcode.field(field).is_some_and(|field| is_composite(field.ty))
    }

    /// The memory, address and width of a place in memory; reports anything else.
    pub(super) fn memory_place(
        &mut self,
        place: &'c ast::Expr<'s>,
        is_store: bool,
    ) -> Option<(usize, Expr, u32)> {
        let (access, width) = match &place.kind {
            ast::ExprKind::Slice { of, bounds } => (self.memory_access(of), Some(bounds)),
            _ => (self.memory_access(place), None),
        };
        let Some((memory, address)) = access else {
            self.error(
                Code::E1216,
                place.span,
                "this is not a place in memory",
                "write `memory[address][31:0]`",
            );
            return None;
        };
        let width = match width {
            Some(bounds) => self.memory_width(bounds)?,
            None => self.access_width(is_store, place.span)?,
        };
        Some((memory, self.address(memory, address)?, width))
    }

    /// `load_reserved(place)` and `store_conditional(place, value)`
    fn reserved(&mut self, name: &str, arguments: &'c [ast::Expr<'s>], span: Span) -> Option<Expr> {
        let is_store = name == "store_conditional";
        let (memory, address, width) = self.memory_place(&arguments[0], is_store)?;
        let address = Box::new(address);
        if !is_store {
            let kind = ExprKind::Load { memory, address, width, is_reserving: true };
            return Some(self.make_bits(kind, width, span));
        }
        let value = self.number(&arguments[1])?;
        self.store(&value, width, "the memory has")?;
        let kind = ExprKind::StoreConditional { memory, address, width, value: Box::new(value) };
        Some(self.make_bits(kind, 1, span))
    }
}

/// The bounds of bits read in two's complement.
fn signed_range(of: &Expr, width: u32) -> Interval {
    let positive = Interval::signed(width);
    // Small numbers keep their value.
    match of.range.high <= positive.high {
        true => of.range,
        false => positive,
    }
}
