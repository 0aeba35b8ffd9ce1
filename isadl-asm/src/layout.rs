//! Layout: the sizes of what is after fragments, until no branch is out of reach.

use isadl::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl::engine::{Detours, Engine};

use crate::assembler::{Unit, no_value, with_site};
use crate::data::leb128;
use crate::expr::{Distances, Evaluator, Expr, NoValue, Term, Value};
use crate::sections::{Encoded, MAX_BYTES, Relaxed, Section, Tail};
use crate::symbols::{Binding, Place, Symbols};
use crate::text::Loc;

/// Most times that sizes are found; then no instruction stays short that may be out of reach. Small files have more.
const MAX_ROUNDS: usize = 200;

/// Most sizes that are found.
const MAX_SIZES: usize = 1 << 28;

/// Where fragments are in their sections.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The first byte of each fragment, and the one after the last.
    starts: Vec<Vec<u64>>,
}

impl Layout {
    /// The distance of a place from the beginning of its section.
    pub(crate) fn offset(&self, place: Place) -> u64 {
        self.starts[place.section as usize][place.fragment as usize] + u64::from(place.offset)
    }

    /// Bytes of a section.
    pub(crate) fn size(&self, section: usize) -> u64 {
        self.starts[section].last().copied().unwrap_or(0)
    }

    /// Bytes of what is after a fragment.
    pub(crate) fn tail(&self, sections: &[Section], section: usize, fragment: usize) -> u64 {
        let starts = &self.starts[section];
        starts[fragment + 1] - starts[fragment] - sections[section].length(fragment)
    }
}

impl Distances for &Layout {
    fn distance(&self, to: Place, from: Place) -> Option<i64> {
        (to.section == from.section).then(|| self.offset(to).wrapping_sub(self.offset(from)) as i64)
    }
}

/// Lays sections out.
pub(crate) struct Placer<'e, 'u> {
    pub(crate) engine: &'u Engine<'e>,
    /// What branches become that do not reach.
    pub(crate) detours: &'u Detours,
    /// Whether symbols that other files see may be those of another file.
    pub(crate) for_linker: bool,
    pub(crate) diagnostics: &'u mut Diagnostics,
}

impl Placer<'_, '_> {
    /// Finds where everything is.
    pub(crate) fn place(&mut self, unit: &mut Unit) -> Layout {
        let mut layout = Layout::default();
        for section in &unit.sections {
            layout.starts.push(vec![0; section.fragments.len() + 1]);
        }
        let count: usize = unit.sections.iter().map(|section| section.fragments.len()).sum();
        let most = MAX_ROUNDS.max(MAX_SIZES / (count + 1)).min(100 * MAX_ROUNDS);
        let mut round = 0;
        loop {
            let has_moved = self.starts(unit, &mut layout);
            let has_grown = self.relax(unit, &layout, (round > most, round > most + MAX_ROUNDS));
            round += 1;
            if !has_grown && (!has_moved || round > most + 2 * MAX_ROUNDS) {
                break;
            }
        }
        self.check(unit, &layout);
        layout
    }

    /// Adds sizes up; whether something is at another place than before.
    fn starts(&mut self, unit: &Unit, layout: &mut Layout) -> bool {
        let mut has_moved = false;
        for (index, section) in unit.sections.iter().enumerate() {
            let mut at = 0;
            for fragment in 0..section.fragments.len() {
                has_moved |= layout.starts[index][fragment] != at;
                layout.starts[index][fragment] = at;
                at += section.length(fragment);
                let size = self.size(unit, layout, (index, fragment), at).unwrap_or(0);
                at = at.saturating_add(size).min(2 * MAX_BYTES);
            }
            has_moved |= layout.starts[index].last() != Some(&at);
            if let Some(last) = layout.starts[index].last_mut() {
                *last = at;
            }
        }
        has_moved
    }

    /// Bytes of what is after a fragment that ends at a place.
    fn size(
        &self,
        unit: &Unit,
        layout: &Layout,
        (section, fragment): (usize, usize),
        at: u64,
    ) -> Result<u64, (NoValue, i64)> {
        let evaluator = Evaluator::new(&unit.symbols, layout, None);
        Ok(match &unit.sections[section].fragments[fragment].tail {
            Tail::None => 0,
            Tail::Align { to, most, .. } => {
                let size = at.wrapping_neg() & (to - 1);
                if size > *most { 0 } else { size }
            }
            Tail::Org { to, .. } => {
                let value = evaluator.value(to).map_err(|error| (error, 0))?;
                let to =
                    self.offset_of(&evaluator, value, section).ok_or((NoValue::NotNumber, 0))?;
                let size = to.wrapping_sub(at as i64);
                u64::try_from(size).map_err(|_| (NoValue::DivisionByZero, size))?
            }
            Tail::Repeat { count, size, .. } => {
                let count = evaluator.number(count).map_err(|error| (error, 0))?;
                let count = u64::try_from(count).map_err(|_| (NoValue::DivisionByZero, count))?;
                count.saturating_mul(u64::from(*size))
            }
            Tail::Leb { value, is_signed, .. } => {
                let value = evaluator.number(value).map_err(|error| (error, 0))?;
                leb128(value, *is_signed).len() as u64
            }
            Tail::Relax(relaxed) => {
                let own = self.engine.bytes_of(relaxed.chosen.assembled.inst);
                (own + relaxed.over.map_or(0, |over| self.engine.bytes_of(over))) as u64
            }
        })
    }

    /// The distance from the beginning of a section that a value is.
    fn offset_of(
        &self,
        evaluator: &Evaluator<'_, &Layout>,
        value: Value,
        section: usize,
    ) -> Option<i64> {
        match value {
            Value { add: None, sub: None, number } => Some(number),
            Value { add: Some(add), sub: None, number } => {
                let place = evaluator.place(add)?;
                let offset = evaluator.distances.offset(place) as i64;
                (place.section as usize == section).then(|| offset.wrapping_add(number))
            }
            _ => None,
        }
    }

    /// Makes instructions longer that are out of reach; whether there were any. After many rounds all are.
    fn relax(&self, unit: &mut Unit, layout: &Layout, (longer, longest): (bool, bool)) -> bool {
        let mut has_grown = false;
        let Unit { sections, symbols, .. } = unit;
        for (index, section) in sections.iter_mut().enumerate() {
            let starts = &layout.starts[index];
            let count = section.fragments.len();
            for (at, start) in starts.iter().take(count).enumerate() {
                let address = start + section.length(at);
                let Tail::Relax(relaxed) = &mut section.fragments[at].tail else { continue };
                let is_forced = if relaxed.next.is_some() { longer } else { longest };
                if relaxed.next.is_some() || relaxed.may_grow {
                    let fits = !is_forced
                        && self.reaches(symbols, layout, &relaxed.chosen, (index, address));
                    has_grown |= !fits && self.grow(relaxed);
                }
            }
        }
        has_grown
    }

    /// Makes an instruction longer, if it can be.
    fn grow(&self, relaxed: &mut Relaxed) -> bool {
        if let Some(next) = relaxed.next.take() {
            relaxed.chosen.assembled = next;
            return true;
        }
        relaxed.may_grow = false;
        let engine = self.engine.clone().with_extensions(relaxed.set);
        let Some((over, jump)) = self.detours.take(&engine, &relaxed.chosen.assembled) else {
            return false;
        };
        relaxed.over = Some(over);
        relaxed.chosen.assembled = jump;
        true
    }

    /// Whether an instruction at a place reaches what it names.
    fn reaches(
        &self,
        symbols: &Symbols,
        layout: &Layout,
        encoded: &Encoded,
        (section, address): (usize, u64),
    ) -> bool {
        let evaluator = Evaluator::new(symbols, layout, None);
        let mut fixups = self.engine.fixups(&encoded.assembled).zip(&encoded.values);
        fixups.all(|(fixup, expr)| {
            let target = self.target(&evaluator, expr, section);
            target.is_some_and(|target| {
                let place = (target as u64, address);
                self.engine.fill(encoded.assembled.inst, &fixup, place).is_ok()
            })
        })
    }

    /// The distance from the beginning of a section that an expression is, if it stays that once files are linked.
    pub(crate) fn target(
        &self,
        evaluator: &Evaluator<'_, &Layout>,
        expr: &Expr,
        section: usize,
    ) -> Option<i64> {
        let value = evaluator.value(expr).ok()?;
        value.add?;
        let is_own = match value.add? {
            Term::Place(_) => true,
            Term::Symbol(id) => !self.for_linker || is_local(evaluator.symbols, id),
        };
        is_own.then(|| self.offset_of(evaluator, value, section))?
    }

    /// Reports what has no size, or is too large.
    fn check(&mut self, unit: &Unit, layout: &Layout) {
        let mut total = 0u64;
        for (index, section) in unit.sections.iter().enumerate() {
            let mut report = |diagnostic: Diagnostic, loc: Loc| {
                self.diagnostics.push(with_site(diagnostic, loc));
            };
            let placer = Placer {
                engine: self.engine,
                detours: self.detours,
                for_linker: self.for_linker,
                diagnostics: &mut Diagnostics::default(),
            };
            if !section.attributes.is_empty {
                total = total.saturating_add(layout.size(index));
            }
            for (at, fragment) in section.fragments.iter().enumerate() {
                let end = layout.starts[index][at] + section.length(at);
                let loc = match &fragment.tail {
                    Tail::Org { loc, .. } | Tail::Repeat { loc, .. } | Tail::Leb { loc, .. } => {
                        *loc
                    }
                    _ => continue,
                };
                let message = match placer.size(unit, layout, (index, at), end) {
                    Ok(size) if end.saturating_add(size).max(total) > MAX_BYTES => {
                        let message = "the sections have more than 1 GiB";
                        report(Diagnostic::new(Code::E1106, message, loc.span), loc);
                        return;
                    }
                    Ok(_) => continue,
                    Err((NoValue::DivisionByZero, by)) => match &fragment.tail {
                        Tail::Org { .. } => {
                            format!(
                                "this place is {} bytes before the end of the section",
                                by.unsigned_abs()
                            )
                        }
                        _ => format!("{by} is negative"),
                    },
                    Err((error, _)) => {
                        report(no_value(error, loc, &unit.symbols), loc);
                        continue;
                    }
                };
                report(Diagnostic::new(Code::E1104, message, loc.span), loc);
            }
        }
    }
}

/// Whether no other file sees a symbol.
pub(crate) fn is_local(symbols: &Symbols, id: crate::symbols::SymbolId) -> bool {
    matches!(symbols.get(id).binding, None | Some(Binding::Local))
}
