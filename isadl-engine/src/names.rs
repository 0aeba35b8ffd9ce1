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
}

impl<'n> Named<'n> {
    /// Names, before a line is read.
    #[must_use]
    pub fn new(names: &'n dyn Names) -> Named<'n> {
        let none = ([NO_FIXUP; MAX_FIXUPS], 0);
        Named { names, tried: Cell::new(none), found: Cell::new(none) }
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
