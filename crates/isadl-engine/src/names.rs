//! Names in lines: who knows them, and the fields whose values they do not give yet.

use core::cell::Cell;

/// Reads expressions.
pub trait Names {
    /// Reads the expression that a text begins with: how many bytes it has, and its value if that is known.
    /// `None` if the text does not begin with an expression.
    fn read(&self, text: &str) -> Option<(usize, Option<i128>)>;
}

/// A field whose value is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixup {
    /// The expression in the line: its first byte, and the one after it.
    pub expression: (u32, u32),
    /// The relocation that gives the value, one of
    /// [`Controls::relocations`](super::image_control::Controls); `None` for the distance to an address.
    pub relocation: Option<u32>,
    /// The field: its lowest bit, or which field in pieces it is, and its number of bits.
    pub field: (u16, u8),
}

/// Most fields of an instruction whose values are not known.
pub const MAX_FIXUPS: usize = 4;

const NO_FIXUP: Fixup = Fixup { expression: (0, 0), relocation: None, field: (0, 0) };

/// The names that a line may contain, and the fields that are not known for them.
pub struct Named<'n> {
    pub(crate) names: &'n dyn Names,
    /// Those of the reading that is tried, and of the one that was found.
    tried: Cell<([Fixup; MAX_FIXUPS], usize)>,
    found: Cell<([Fixup; MAX_FIXUPS], usize)>,
    /// What unknown fields have while rules are judged.
    bits: u64,
    /// Whether a rule refused a word with such fields.
    is_refused: Cell<bool>,
}

impl<'n> Named<'n> {
    /// Names, before a line is read.
    #[must_use]
    pub fn new(names: &'n dyn Names) -> Named<'n> {
        Named::with_bits(names, 0)
    }

    /// The same with these bits in fields whose values are not known, as many as they have.
    #[must_use]
    pub fn with_bits(names: &'n dyn Names, bits: u64) -> Named<'n> {
        let none = ([NO_FIXUP; MAX_FIXUPS], 0);
        let (tried, found) = (Cell::new(none), Cell::new(none));
        Named { names, tried, found, bits, is_refused: Cell::new(false) }
    }

    /// The bits of fields whose values are not known.
    pub(crate) fn bits(&self) -> u64 {
        self.bits
    }

    /// Keeps that a rule refused a word, if it has fields whose values are not known.
    pub(crate) fn refuse(&self) {
        self.is_refused.set(self.is_refused.get() || self.count() > 0);
    }

    /// Whether a rule refused a word with such fields: it may allow others.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.is_refused.get()
    }

    /// Fields of the line that was read whose values are not known.
    #[must_use]
    pub fn fixups(&self) -> ([Fixup; MAX_FIXUPS], usize) {
        self.found.get()
    }

    /// How many there are in the reading that is tried.
    pub(crate) fn count(&self) -> usize {
        self.tried.get().1
    }

    /// Goes back to so many.
    pub(crate) fn back_to(&self, count: usize) {
        self.tried.set((self.tried.get().0, count));
    }

    /// Keeps those of the reading that was tried.
    pub(crate) fn keep(&self) {
        self.found.set(self.tried.get());
    }

    pub(crate) fn push(&self, fixup: Fixup) -> bool {
        let (mut fixups, count) = self.tried.get();
        let Some(place) = fixups.get_mut(count) else { return false };
        *place = fixup;
        self.tried.set((fixups, count + 1));
        true
    }
}
