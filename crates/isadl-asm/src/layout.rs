//! Layout: finds consistent sizes for the variable parts after fragments.
//!
//! Instructions and LEB128 numbers only grow, all that must in the same round, as in LLVM. Between the rounds, `settle`
//! finds offsets for the current sizes. Alignments follow from the bytes before them, but `.space` and `.org` can
//! depend on contents after them, or on themselves. Their sizes are therefore computed again until none changes. If
//! this does not end, the file has no layout, which is an error. Finally all sizes are compared with the resulting
//! offsets.

use isadl::diagnostic::Diagnostics;
use isadl::engine::{Engine, Relaxations};

use crate::assembler::Unit;
use crate::data::leb128;
use crate::expr::{Evaluator, Expr, Term};
use crate::offsets::{After, Layout, Sized};
use crate::sections::{Encoded, MAX_BYTES, Relaxed, Section, Tail};
use crate::sizes::Sizes;
use crate::symbols::{Binding, Symbols};

/// Sweeps over a section for each statement of variable size in it, and others: more have no end.
const SWEEPS: usize = 2;
const MORE_SWEEPS: usize = 64;

/// Limit on evaluated operators. Beyond it, everything that may be out of reach grows, even if it is in reach.
const MAX_WORK: u64 = 1 << 28;

/// Bytes of the longest LEB128 number.
const LONGEST_LEB128: usize = 10;

/// Lays sections out.
pub(crate) struct Placer<'e, 'u> {
    pub(crate) engine: &'u Engine<'e>,
    /// The relaxations of out-of-range branches.
    pub(crate) relaxations: &'u Relaxations,
    /// Whether another file can define symbols that are visible to other files.
    pub(crate) for_linker: bool,
    pub(crate) sizes: Sizes<'e, 'u>,
    pub(crate) diagnostics: &'u mut Diagnostics,
}

/// The changes to a section in a pass.
#[derive(Default)]
struct Change {
    has_moved: bool,
    has_grown: bool,
}

impl Placer<'_, '_> {
    /// Finds where everything is.
    pub(crate) fn place(&mut self, unit: &mut Unit) -> Layout {
        let mut layout = Layout::default();
        for section in &unit.sections {
            layout.starts.push(vec![0; section.fragments.len() + 1]);
        }
        match self.find(unit, &mut layout) {
            Ok(()) => self.sizes.check(unit, &layout, self.diagnostics),
            Err(moving) => self.sizes.report_moving(unit, &moving, self.diagnostics),
        }
        layout
    }

    /// Finds where everything is, or the statements whose sizes do not come to rest.
    fn find(&self, unit: &mut Unit, layout: &mut Layout) -> Result<(), Vec<Sized>> {
        let variable: Vec<usize> = unit.sections.iter().map(Section::variable_sizes).collect();
        let most = SWEEPS * variable.iter().sum::<usize>() + MORE_SWEEPS;
        let mut passes = 0;
        loop {
            let before = (passes == most).then(|| layout.clone());
            let mut all = Change::default();
            for (section, variable) in variable.iter().enumerate() {
                let change = self.section(unit, layout, (section, *variable))?;
                all.has_moved |= change.has_moved;
                all.has_grown |= change.has_grown;
            }
            if !all.has_moved && !all.has_grown {
                return Ok(());
            }
            if let Some(before) = before {
                return Err(layout.moving(&before, unit));
            }
            // Growth is bounded, so passes with growth do not count.
            passes = if all.has_grown { 0 } else { passes + 1 };
        }
    }

    /// Finds the offsets in a section while the other sections keep theirs.
    fn section(
        &self,
        unit: &mut Unit,
        layout: &mut Layout,
        (section, variable): (usize, usize),
    ) -> Result<Change, Vec<Sized>> {
        let mut change = Change::default();
        loop {
            let settled = self.settle(unit, layout, (section, variable));
            // Sizes that do not settle may settle once something else has grown.
            if !self.grow_all(unit, layout, section) {
                change.has_moved |= settled?;
                return Ok(change);
            }
            change.has_moved |= settled.unwrap_or(true);
            change.has_grown = true;
        }
    }

    /// Finds the offsets in a section for the current sizes of instructions and LEB128 numbers; returns whether any
    /// changed.
    fn settle(
        &self,
        unit: &Unit,
        layout: &mut Layout,
        (section, variable): (usize, usize),
    ) -> Result<bool, Vec<Sized>> {
        let mut has_moved = self.sweep(unit, layout, section);
        if variable == 0 || !has_moved {
            return Ok(has_moved);
        }
        for _ in 0..SWEEPS * variable + MORE_SWEEPS {
            // One backward sweep resolves chains of statements that each depend on the next statement.
            if variable > 1 {
                self.sweep_back(unit, layout, section);
            }
            if !self.sweep(unit, layout, section) {
                return Ok(has_moved);
            }
            has_moved = true;
            if self.sizes.work() > 3 * MAX_WORK {
                break;
            }
        }
        let before = layout.clone();
        self.sweep(unit, layout, section);
        Err(layout.moving(&before, unit))
    }

    /// Adds up sizes; returns whether any offset changed.
    fn sweep(&self, unit: &Unit, layout: &mut Layout, index: usize) -> bool {
        let section = &unit.sections[index];
        let mut has_moved = false;
        let mut at = 0;
        for fragment in 0..section.fragments.len() {
            has_moved |= layout.starts[index][fragment] != at;
            layout.starts[index][fragment] = at;
            at += section.length(fragment);
            let size = self.sizes.size(unit, layout, ((index, fragment), at)).unwrap_or(0);
            at = at.saturating_add(size).min(2 * MAX_BYTES);
        }
        let last = &mut layout.starts[index][section.fragments.len()];
        has_moved |= *last != at;
        *last = at;
        has_moved
    }

    /// Finds sizes that depend only on later contents, the last first. Distances are then right, but offsets from the
    /// beginning of the section are not.
    fn sweep_back(&self, unit: &Unit, layout: &mut Layout, index: usize) {
        let section = &unit.sections[index];
        let count = section.fragments.len();
        let mut next = layout.starts[index][count];
        for fragment in (0..count).rev() {
            let start = layout.starts[index][fragment];
            let length = section.length(fragment);
            let before = next.wrapping_sub(start).wrapping_sub(length);
            let size = match &section.fragments[fragment].tail {
                Tail::Repeat { count, size, .. } => {
                    let after = After { layout, place: (index, fragment) };
                    self.sizes.copies(&unit.symbols, after, (count, *size)).unwrap_or(before)
                }
                _ => before,
            };
            next = start;
            let end = layout.starts[index][fragment + 1];
            layout.starts[index][fragment] = end.wrapping_sub(size).wrapping_sub(length);
        }
    }

    /// Grows everything in a section that must grow; returns whether anything grew.
    fn grow_all(&self, unit: &mut Unit, layout: &Layout, index: usize) -> bool {
        let mut has_grown = false;
        let Unit { sections, symbols, .. } = unit;
        let section = &mut sections[index];
        let work = self.sizes.work();
        for at in 0..section.fragments.len() {
            let address = layout.starts[index][at] + section.length(at);
            match &mut section.fragments[at].tail {
                Tail::Relax(relaxed) if relaxed.next.is_some() || relaxed.may_grow => {
                    let most = if relaxed.next.is_some() { MAX_WORK } else { 2 * MAX_WORK };
                    let fits = work < most
                        && self.reaches(symbols, layout, &relaxed.chosen, (index, address));
                    has_grown |= !fits && self.grow(relaxed);
                }
                Tail::Leb { value, is_signed, length, .. } => {
                    let number = self.sizes.number(symbols, layout, value).unwrap_or(0);
                    let needed = match work < 2 * MAX_WORK {
                        true => leb128(number, *is_signed, *length).len(),
                        false => LONGEST_LEB128,
                    };
                    has_grown |= needed > *length;
                    *length = needed;
                }
                _ => {}
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
        let Some((over, jump)) = self.relaxations.take(&engine, &relaxed.chosen.assembled) else {
            return false;
        };
        relaxed.over = Some(over);
        relaxed.chosen.assembled = jump;
        true
    }

    /// Whether an instruction at an offset reaches its target.
    fn reaches(
        &self,
        symbols: &Symbols,
        layout: &Layout,
        encoded: &Encoded,
        (section, address): (usize, u64),
    ) -> bool {
        let evaluator = Evaluator::new(symbols, layout, None);
        let mut fixups = self.engine.fixups(&encoded.assembled).zip(&encoded.values);
        let reaches = fixups.all(|(fixup, expr)| {
            let target = self.target(&evaluator, expr, section);
            target.is_some_and(|target| {
                self.engine.fill(encoded.assembled.inst, &fixup, target as u64, address).is_ok()
            })
        });
        self.sizes.count(&evaluator);
        reaches
    }

    /// The offset in a section that an expression refers to, if linking files does not change it.
    pub(crate) fn target(
        &self,
        evaluator: &Evaluator<'_, &Layout>,
        expr: &Expr,
        section: usize,
    ) -> Option<i64> {
        let value = evaluator.value(expr).ok()?;
        value.add?;
        let is_own = match value.add? {
            Term::FragmentOffset(_) => true,
            Term::Symbol(id) => !self.for_linker || is_local(evaluator.symbols, id),
        };
        is_own.then(|| evaluator.distances.offset_of(evaluator, value, section))?
    }
}

/// Whether no other file sees a symbol.
pub(crate) fn is_local(symbols: &Symbols, id: crate::symbols::SymbolId) -> bool {
    matches!(symbols.get(id).binding, None | Some(Binding::Local))
}
