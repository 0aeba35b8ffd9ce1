//! Floating-point operations: the host computes them where its result is right, software the rest.

use std::collections::BTreeSet;

use isadl_semantics::float::{Format, Function, Operation, Order, Setting};
use isadl_semantics::ir::{Op, ValueId};

use super::classes::{Class, bare};
use super::warp::Range;
use super::writer::Writer;

/// The number of rounding to the nearest even number, and to zero.
const NEAREST: i128 = 0;
const TO_ZERO: i128 = 2;

/// The code of an operation. It calls the operands `f0`, `f1` and `f2`.
struct Written {
    /// The operands.
    operands: Vec<String>,
    /// The host's computation, if there is one.
    near: Option<String>,
    /// The computation in software, which adds to `flags`.
    software: String,
}

impl Writer<'_, '_> {
    /// An operation as an expression.
    pub(super) fn float(&mut self, id: ValueId) -> String {
        let Op::Float { raises, .. } = self.unit.code.op(id) else { return String::new() };
        let raises = *raises;
        self.raises |= raises;
        let Written { operands, near, software } = self.written_float(id);
        let flags = if raises { "&mut raised" } else { "&mut 0" };
        let names = names(operands.len());
        let operands = operands.join(", ");
        let result = match near {
            Some(near) => format!("near_or({near}, {flags}, |flags| {software})"),
            None => format!("{{ let flags = {flags}; {software} }}"),
        };
        format!("{{ let [{names}] = [{operands}]; {result} }}")
    }

    /// Computes an operation for all lanes by the host, then in software for those lanes that need it. Returns whether the host can.
    pub(super) fn float_of_lanes(&mut self, id: ValueId) -> bool {
        let Op::Float { raises: false, arguments, settings, .. } = self.unit.code.op(id) else {
            return false;
        };
        let count = |writer: &mut Self| {
            arguments
                .iter()
                .chain(settings.iter().map(|(_, id)| id))
                .for_each(|id| writer.count(*id));
        };
        if self.near(id).is_none() {
            return false;
        }
        let at = id.index();
        self.line(format!("let mut y{at} = [0_u8; LANES];"));
        self.in_lanes(Range::All, &BTreeSet::from([id]), count, |writer| {
            let Written { operands, near, .. } = writer.written_float(id);
            let (names, near) = (names(operands.len()), near.unwrap_or_default());
            writer.line(format!("let [{names}] = [{}];", operands.join(", ")));
            writer.line(format!("let near = {near};"));
            let bits = writer.as_element("near.bits", id);
            writer.line(format!("(s{at}[lane], y{at}[lane]) = ({bits}, near.is_it as u8);"));
        });
        self.line(format!("let rest = lanes & active & !lanes::ballot(&y{at});"));
        self.line("if rest != 0 {");
        self.indent += 1;
        self.in_lanes(Range::Rest, &BTreeSet::from([id]), count, |writer| {
            let Written { operands, software, .. } = writer.written_float(id);
            let names = names(operands.len());
            writer.line(format!("let ([{names}], flags) = ([{}], &mut 0);", operands.join(", ")));
            let software = writer.as_element(&software, id);
            writer.line(format!("s{at}[lane] = {software};"));
        });
        self.indent -= 1;
        self.line("}");
        true
    }

    fn written_float(&mut self, id: ValueId) -> Written {
        let unit = self.unit;
        let Op::Float { operation, arguments, settings, .. } = unit.code.op(id) else {
            unreachable!("no operation on floating-point numbers")
        };
        let operands: Vec<String> =
            arguments.iter().map(|id| bare(&self.expr_as(*id, Class::Small)).to_string()).collect();
        let mut values = Vec::new();
        for (setting, id) in settings {
            let value = self.expr_as(*id, Class::Small);
            values.push(format!("(Setting::{setting:?}, {value} as usize)"));
        }
        self.has_floats = true;
        let name = self.shared.operation(operation);
        let software = format!(
            "evaluate(&{name}, &[{}], &[{}], flags)",
            names(operands.len()),
            values.join(", ")
        );
        let near = self.near(id).map(|(call, mode)| match self.rounding(id) {
            Some(rounding) if self.unit.code.constant(rounding) != Some(mode) => {
                let rounding = self.expr_as(rounding, Class::Small);
                format!("if {} == {mode}_u64 {{ {call} }} else {{ NONE }}", bare(&rounding))
            }
            _ => call,
        });
        Written { operands, near, software }
    }

    /// The rounding mode of an operation.
    fn rounding(&self, id: ValueId) -> Option<ValueId> {
        let Op::Float { settings, .. } = self.unit.code.op(id) else { return None };
        let mode = settings.iter().find(|(setting, _)| *setting == Setting::Rounding);
        mode.map(|(_, id)| *id)
    }

    /// The host's computation, and the rounding mode that it needs.
    fn near(&self, id: ValueId) -> Option<(String, i128)> {
        let Op::Float { operation, arguments, .. } = self.unit.code.op(id) else { return None };
        // One more operand multiplies by a power of two.
        if arguments.len() != operation.from.len().max(1) {
            return None;
        }
        let (call, mode) = near(operation)?;
        let known = self.rounding(id).map_or(Some(NEAREST), |id| self.unit.code.constant(id));
        known.is_none_or(|known| known == mode).then_some((call, mode))
    }
}

/// The names of operands.
fn names(count: usize) -> String {
    ["f0", "f1", "f2", "f3"][..count.min(4)].join(", ")
}

/// The type that implements a format.
fn real(format: Format) -> Option<&'static str> {
    match format {
        Format::BINARY16 => Some("near::Half"),
        Format::BINARY32 => Some("near::Single"),
        Format::BINARY64 => Some("near::Double"),
        format if Format::new(8, 7) == Some(format) => Some("near::Brain"),
        _ => None,
    }
}

/// The host's computation, and the rounding mode that it needs.
fn near(operation: &Operation) -> Option<(String, i128)> {
    let to = real(operation.to);
    let from = operation.from.first().and_then(|format| real(*format));
    let is_one = operation.from.iter().all(|format| Some(format) == operation.from.first());
    let own = from.filter(|_| is_one && operation.from.first() == Some(&operation.to));
    let call = |own: &str, name: &str, operands: &[(&str, bool)]| {
        let operands: Vec<String> = operands
            .iter()
            .map(|(name, is_minus)| match is_minus {
                true => format!("{own}::opposite({name})"),
                false => name.to_string(),
            })
            .collect();
        format!("{own}::{name}({})", operands.join(", "))
    };
    let text = match operation.function {
        Function::Sum { is_minus: [x, y] } => call(own?, "sum", &[("f0", x), ("f1", y)]),
        Function::Product { is_minus } => call(own?, "product", &[("f0", is_minus), ("f1", false)]),
        Function::Fused { is_minus: [x, y], .. } => {
            call(own?, "fused", &[("f0", x), ("f1", false), ("f2", y)])
        }
        Function::Quotient => call(own?, "quotient", &[("f0", false), ("f1", false)]),
        Function::Convert => format!("near::converted::<{}, {}>(f0)", from?, to?),
        Function::FromInteger { width, is_signed } => {
            format!("near::from_integer::<{}>(f0, {width}, {is_signed})", to?)
        }
        Function::ToInteger { width, is_signed } => {
            let text = format!("near::to_integer::<{}>(f0, {width}, {is_signed})", from?);
            return Some((text, TO_ZERO));
        }
        Function::Compare { order, .. } if is_one => {
            let name = match order {
                Order::Less => "less",
                Order::LessOrEqual => "less_or_equal",
                Order::Equal => "equal",
            };
            format!("near::{name}::<{}>(f0, f1)", from?)
        }
        _ => return None,
    };
    Some((text, NEAREST))
}
