//! Bits of values: slices, parts, single bits, concatenation.

use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;

use super::Checker;
use crate::interval::{Bound, Interval, MAX_BITS};
use crate::program::{Bits, Expr, ExprKind, Type};
use crate::syntax::ast::{self, Name};

/// Where bits are: known when the program is checked, or computed.
pub(super) enum Position {
    /// The lowest bit and the number of bits.
    Fixed(u32, u32),
    /// A computed lowest bit, and how many.
    Computed(Expr, Bits),
}

impl<'c, 's> Checker<'c, 's, '_> {
    /// `of[high:low]`
    pub(super) fn slice(
        &mut self,
        of: &'c ast::Expr<'s>,
        bounds: &'c [ast::Expr<'s>; 2],
        span: Span,
    ) -> Option<Expr> {
        if let Some((memory, address)) = self.memory_access(of) {
            let width = self.memory_width(bounds)?;
            return self.load(memory, address, width, span);
        }
        let of = self.number(of)?;
        let position = self.slice_position(&of, bounds, span)?;
        Some(self.bits_at(of, position, span))
    }

    /// `of[low +: width]`
    pub(super) fn part(
        &mut self,
        of: &'c ast::Expr<'s>,
        bounds: &'c [ast::Expr<'s>; 2],
        span: Span,
    ) -> Option<Expr> {
        let of = self.number(of)?;
        let position = self.part_position(&of, bounds, span)?;
        Some(self.bits_at(of, position, span))
    }

    /// Bits of a value.
    pub(super) fn bits_at(&mut self, of: Expr, position: Position, span: Span) -> Expr {
        match position {
            Position::Fixed(low, width) => {
                let whole = of.range;
                let mut made =
                    self.make_bits(ExprKind::Slice { of: Box::new(of), low, width }, width, span);
                // The bits of a number that is known are known.
                if let Some(value) = whole.value().filter(|_| low < 127 && width < 127) {
                    made.range = Interval::one(value >> low & ((1 << width) - 1));
                    return made;
                }
                // The bits of a small number are small.
                let small = match whole.may_be_negative() {
                    false => whole.shr(low, low).meet(Interval::unsigned(width)),
                    true => None,
                };
                let fits = !whole.may_be_negative()
                    && whole.shr(low, low).is_within(Interval::unsigned(width));
                Expr { range: small.filter(|_| fits).unwrap_or(made.range), ..made }
            }
            Position::Computed(low, bits) => {
                let (ty, range) = match &bits {
                    Bits::Count(width) => (Type::Bits(*width), Interval::unsigned(*width)),
                    Bits::UpTo(high) => {
                        let most = (high.range - low.range)
                            .high
                            .exact()
                            .and_then(|most| u32::try_from(most + 1).ok());
                        let most = most.unwrap_or(MAX_BITS).min(of.width().unwrap_or(MAX_BITS));
                        (Type::Integer, Interval::unsigned(most))
                    }
                };
                let kind = ExprKind::Part { of: Box::new(of), low: Box::new(low), bits };
                self.make(kind, ty, range, span)
            }
        }
    }

    /// The position of `[high:low]` in a value.
    pub(super) fn slice_position(
        &mut self,
        of: &Expr,
        bounds: &'c [ast::Expr<'s>; 2],
        span: Span,
    ) -> Option<Position> {
        let [high, low] = bounds;
        let (high, low) = (self.number(high), self.number(low));
        let (high, low) = (high?, low?);
        if let (Some(high), Some(low)) = (high.value(), low.value()) {
            let valid = u32::try_from(low).ok().zip(u32::try_from(high).ok());
            let Some((low, high)) = valid.filter(|(low, high)| low <= high && *high < MAX_BITS)
            else {
                let help = "the highest bit is first, and bit 0 is the lowest";
                self.error(Code::E1209, span, format!("there are no bits {high}:{low}"), help);
                return None;
            };
            self.is_inside(of, high, span)?;
            return Some(Position::Fixed(low, high - low + 1));
        }
        self.bound_is_inside(of, &high)?;
        if low.range.may_be_negative() || !self.facts.is_at_least(&high, &low) {
            let message = "the lowest bit may be above the highest, or negative";
            let found = Diagnostic::new(Code::E1209, message, low.span);
            let found = found.with_label(format!("bits {} down to {}", high.range, low.range));
            self.report(found.with_help("test it before: `high >= low ? x[high:low] : …`"));
            return None;
        }
        Some(Position::Computed(low, Bits::UpTo(Box::new(high))))
    }

    /// The position of `[low +: width]` in a value.
    pub(super) fn part_position(
        &mut self,
        of: &Expr,
        bounds: &'c [ast::Expr<'s>; 2],
        span: Span,
    ) -> Option<Position> {
        let [low, width] = bounds;
        let (low, width) = (self.number(low), self.width(width));
        let (low, width) = (low?, width?);
        if let Some(low) = low.value().and_then(|low| u32::try_from(low).ok()) {
            self.is_inside(of, low.saturating_add(width - 1), span)?;
            return Some(Position::Fixed(low, width));
        }
        let high = low.range + Interval::one(i128::from(width) - 1);
        if low.range.may_be_negative() {
            let message = format!("the lowest bit may be negative: {}", low.range);
            self.error(Code::E1209, low.span, message, "test it before");
            return None;
        }
        let high = Expr { range: high, ..low.clone() };
        self.bound_is_inside(of, &high)?;
        Some(Position::Computed(low, Bits::Count(width)))
    }

    /// Checks that a bit of a value exists.
    fn is_inside(&mut self, of: &Expr, high: u32, span: Span) -> Option<()> {
        let (count, is_known) = match of.ty {
            Type::Bits(width) => (width, true),
            // In two's complement every bit of a number exists.
            _ => (of.range.width(), !of.range.may_be_negative()),
        };
        if !is_known
            || high < count
            || (of.width().is_none() && high < MAX_BITS && of.value().is_some())
        {
            return Some(());
        }
        let text = self.text_of(of);
        let message = format!("bit {high} of {text}, which has {count} bits");
        let help = format!("its bits are {}:0", count - 1);
        self.error(Code::E1209, span, message, help);
        None
    }

    /// Checks that a computed highest bit exists.
    fn bound_is_inside(&mut self, of: &Expr, high: &Expr) -> Option<()> {
        let count = match of.ty {
            Type::Bits(width) => width,
            _ if of.range.may_be_negative() => return Some(()),
            _ => of.range.width(),
        };
        if high.range.high <= Bound::Exact(i128::from(count) - 1) {
            return Some(());
        }
        let text = self.text_of(of);
        let message = format!("a bit of {text}, which has {count} bits, may be outside");
        let found = Diagnostic::new(Code::E1209, message, high.span)
            .with_label(format!("up to {}", high.range.high));
        self.report(found.with_help(format!("test the number before, or write `… % {count}`")));
        None
    }

    /// `of[index]`: a bit, a register of a file, or memory.
    pub(super) fn index(
        &mut self,
        of: &'c ast::Expr<'s>,
        indices: &'c [ast::Expr<'s>],
        span: Span,
    ) -> Option<Expr> {
        let [index] = indices else {
            let help = "elements of all registers of a group are numbered on: `rd[j * count + i]`";
            let message = format!("one index is wanted, not {}", indices.len());
            self.error(Code::E1213, span, message, help);
            return None;
        };
        if let Some((memory, address)) = self.memory_access_of(of, index) {
            let width = self.access_width(false, span)?;
            return self.load(memory, address, width, span);
        }
        if let Some((id, elements)) = self.list(of)? {
            let index = self.number(index)?;
            return self.element(id, elements, index, span);
        }
        if let Some(place) = self.register(of, index) {
            let (place, width) = place?;
            return Some(self.read(place, width, span));
        }
        let of = self.number(of)?;
        let index = self.number(index)?;
        let position = self.bit_position(&of, index, span)?;
        Some(self.bits_at(of, position, span))
    }

    /// The position of a single bit.
    pub(super) fn bit_position(&mut self, of: &Expr, index: Expr, span: Span) -> Option<Position> {
        if let Some(value) = index.value() {
            let Some(value) = u32::try_from(value).ok().filter(|value| *value < MAX_BITS) else {
                self.error(
                    Code::E1209,
                    index.span,
                    format!("there is no bit {value}"),
                    "bit 0 is the lowest",
                );
                return None;
            };
            self.is_inside(of, value, span)?;
            return Some(Position::Fixed(value, 1));
        }
        if index.range.may_be_negative() {
            let message = format!("the number of the bit may be negative: {}", index.range);
            self.error(Code::E1209, index.span, message, "test it before");
            return None;
        }
        self.bound_is_inside(of, &index)?;
        Some(Position::Computed(index, Bits::Count(1)))
    }

    /// `{a, b}`
    pub(super) fn concat(&mut self, parts: &'c [ast::Expr<'s>], span: Span) -> Option<Expr> {
        let found: Vec<Option<Expr>> = parts.iter().map(|part| self.sized(part)).collect();
        let found: Vec<Expr> = found.into_iter().collect::<Option<_>>()?;
        let width: u32 = found.iter().filter_map(Expr::width).sum();
        Some(self.make_bits(ExprKind::Concat(found), width, span))
    }

    /// An expression whose number of bits is known.
    pub(super) fn sized(&mut self, expr: &'c ast::Expr<'s>) -> Option<Expr> {
        let found = self.number(expr)?;
        if found.width().is_none() {
            let width = found.range.width();
            let help = match &expr.kind {
                ast::ExprKind::Int(value) => {
                    format!("write `{value}[n:0]` for {value} in n + 1 bits")
                }
                _ => format!("write how many bits: `(…)[{}:0]`", width - 1),
            };
            let found =
                Diagnostic::new(Code::E1208, "the number of bits is not known here", expr.span);
            self.report(found.with_label("an exact number").with_help(help));
            return None;
        }
        Some(found)
    }

    /// `{item for name in first .. last}`
    pub(super) fn repeat(
        &mut self,
        item: &'c ast::Expr<'s>,
        name: Name<'s>,
        bounds: &'c [ast::Expr<'s>; 2],
        span: Span,
    ) -> Option<Expr> {
        let [first, last] = bounds;
        let (first, last) = (self.constant(first, "a bound"), self.constant(last, "a bound"));
        let (first, last) = (first?, last?);
        let count = (first.abs_diff(last) + 1).min(u128::from(MAX_BITS) + 1) as u32;
        let (item, local) = self.in_block(|checker| {
            let range = Interval::between(first.min(last), first.max(last));
            let local = checker.bind(name, Type::Integer, range, false)?;
            Some((checker.sized(item)?, local))
        })?;
        let width = item.width().unwrap_or(1).saturating_mul(count);
        if width > MAX_BITS {
            let help = format!("a value has at most {MAX_BITS} bits");
            self.error(Code::E1219, span, format!("{count} parts have {width} bits"), help);
            return None;
        }
        let kind = ExprKind::Repeat { item: Box::new(item), local, first, last };
        Some(self.make_bits(kind, width, span))
    }
}
