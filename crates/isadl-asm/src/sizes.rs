//! Sizes of the variable parts after fragments, and the errors for parts without a size.

use std::cell::Cell;

use isadl::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl::engine::Engine;

use crate::assembler::{Unit, with_site};
use crate::data::leb128;
use crate::expr::{Distances, Evaluator, Expr, NoValue};
use crate::no_values::no_value;
use crate::offsets::{Layout, Sized};
use crate::sections::{MAX_BYTES, Tail};
use crate::symbols::Symbols;
use crate::text::Loc;

/// Limit on statements that are named when sizes do not settle.
const MAX_NAMED: usize = 8;

/// Why something has no size.
pub(crate) enum NoSize {
    NoValue(NoValue),
    Negative(i64),
}

impl From<NoValue> for NoSize {
    fn from(error: NoValue) -> NoSize {
        NoSize::NoValue(error)
    }
}

/// Computes sizes.
pub(crate) struct Sizes<'e, 'u> {
    engine: &'u Engine<'e>,
    /// How many operators were computed.
    work: Cell<u64>,
}

impl<'e, 'u> Sizes<'e, 'u> {
    pub(crate) fn new(engine: &'u Engine<'e>) -> Sizes<'e, 'u> {
        Sizes { engine, work: Cell::new(0) }
    }

    /// How many operators were computed.
    pub(crate) fn work(&self) -> u64 {
        self.work.get()
    }

    /// Counts evaluated operators.
    pub(crate) fn count<D: Distances>(&self, evaluator: &Evaluator<'_, D>) {
        self.work.set(self.work.get() + 1 + u64::from(evaluator.used()));
    }

    /// The number that an expression is.
    pub(crate) fn number<D: Distances>(
        &self,
        symbols: &Symbols,
        distances: D,
        expr: &Expr,
    ) -> Result<i64, NoValue> {
        if let Expr::Number(number) = expr {
            return Ok(*number);
        }
        let evaluator = Evaluator::new(symbols, distances, None);
        let number = evaluator.number(expr);
        self.count(&evaluator);
        number
    }

    /// The size in bytes of the copies of a number; an expression gives the count.
    pub(crate) fn copies<D: Distances>(
        &self,
        symbols: &Symbols,
        distances: D,
        (count, size): (&Expr, u8),
    ) -> Result<u64, NoSize> {
        let count = not_negative(self.number(symbols, distances, count)?)?;
        Ok(count.saturating_mul(size.into()))
    }

    /// The size in bytes of the variable part after a fragment that ends at a given offset.
    pub(crate) fn size(
        &self,
        unit: &Unit,
        layout: &Layout,
        ((section, fragment), at): (Sized, u64),
    ) -> Result<u64, NoSize> {
        Ok(match &unit.sections[section].fragments[fragment].tail {
            Tail::None => 0,
            Tail::Align { to, most, .. } => {
                let size = at.wrapping_neg() & (to - 1);
                if size > *most { 0 } else { size }
            }
            Tail::Org { to, .. } => {
                let evaluator = Evaluator::new(&unit.symbols, layout, None);
                let to = evaluator.value(to).and_then(|to| {
                    layout.offset_of(&evaluator, to, section).ok_or(NoValue::NotNumber)
                });
                self.count(&evaluator);
                not_negative(to?.wrapping_sub(at as i64))?
            }
            Tail::Repeat { count, size, .. } => {
                self.copies(&unit.symbols, layout, (count, *size))?
            }
            Tail::Leb { length, .. } => *length as u64,
            Tail::Relax(relaxed) => {
                let own = self.engine.bytes_of(relaxed.chosen.assembled.inst);
                (own + relaxed.over.map_or(0, |over| self.engine.bytes_of(over))) as u64
            }
        })
    }

    /// Compares sizes with the final offsets, and reports parts without a size and sections that are too large.
    pub(crate) fn check(&self, unit: &Unit, layout: &Layout, diagnostics: &mut Diagnostics) {
        let mut total = 0u64;
        let mut moving = Vec::new();
        for (index, section) in unit.sections.iter().enumerate() {
            if !section.attributes.is_empty {
                total = total.saturating_add(layout.size(index));
            }
            for at in 0..section.fragments.len() {
                let found = layout.tail(&unit.sections, index, at);
                let end = layout.start(index, at) + section.length(at);
                let loc = section.fragments[at].tail.loc();
                match (self.checked(unit, layout, ((index, at), end)), loc) {
                    (Ok(size), Some(loc)) if end.saturating_add(size).max(total) > MAX_BYTES => {
                        let message = "the sections have more than 1 GiB";
                        let diagnostic = Diagnostic::new(Code::E1106, message, loc.span);
                        diagnostics.push(with_site(diagnostic, loc));
                        return;
                    }
                    (Ok(size), _) if size == found => {}
                    (Err(error), Some(loc)) => {
                        let tail = &section.fragments[at].tail;
                        let diagnostic = without_size(&unit.symbols, (tail, loc), error);
                        diagnostics.push(with_site(diagnostic, loc));
                    }
                    _ => moving.push((index, at)),
                }
            }
        }
        if !moving.is_empty() {
            self.report_moving(unit, &moving, diagnostics);
        }
    }

    /// The size of something, which is as long as its number needs at least.
    fn checked(&self, unit: &Unit, layout: &Layout, place: (Sized, u64)) -> Result<u64, NoSize> {
        let (section, at) = place.0;
        if let Tail::Leb { value, is_signed, length, .. } =
            &unit.sections[section].fragments[at].tail
        {
            let number = self.number(&unit.symbols, layout, value)?;
            return Ok(leb128(number, *is_signed, *length).len() as u64);
        }
        self.size(unit, layout, place)
    }

    /// Reports statements whose sizes do not come to rest.
    pub(crate) fn report_moving(
        &self,
        unit: &Unit,
        moving: &[Sized],
        diagnostics: &mut Diagnostics,
    ) {
        let locs = moving
            .iter()
            .filter_map(|(section, at)| unit.sections[*section].fragments[*at].tail.loc());
        let mut locs: Vec<Loc> = locs.collect();
        locs.dedup_by_key(|loc| loc.span);
        let Some((first, rest)) = locs.split_first() else { return };
        let message = "the size of this statement depends on itself";
        let mut diagnostic = Diagnostic::new(Code::E1108, message, first.span)
            .with_label("each new size changes the addresses from which it is computed");
        for loc in &rest[..rest.len().min(MAX_NAMED)] {
            diagnostic = diagnostic.with_related(loc.span, "this size changes with it");
        }
        if rest.len() > MAX_NAMED {
            let more = rest.len() - MAX_NAMED;
            diagnostic = diagnostic.with_note(format!("and so do {more} others"));
        }
        let diagnostic = diagnostic.with_help("compute it from addresses that it does not move");
        diagnostics.push(with_site(diagnostic, *first));
    }
}

/// Says why a statement has no size.
fn without_size(symbols: &Symbols, (tail, loc): (&Tail, Loc), error: NoSize) -> Diagnostic {
    let message = match (error, tail) {
        (NoSize::NoValue(error), _) => return no_value(error, loc, symbols),
        (NoSize::Negative(by), Tail::Org { .. }) => {
            format!("this place is {} bytes before the end of the section", by.unsigned_abs())
        }
        (NoSize::Negative(by), _) => format!("{by} is negative"),
    };
    Diagnostic::new(Code::E1104, message, loc.span)
}

fn not_negative(size: i64) -> Result<u64, NoSize> {
    u64::try_from(size).map_err(|_| NoSize::Negative(size))
}
