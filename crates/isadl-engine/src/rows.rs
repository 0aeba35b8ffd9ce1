//! What the rows of all tables are made of: how a row is declared, lists of rows within others, and
//! the rows that several parts of an image have.

#![allow(non_snake_case, reason = "the function that makes a row has the row's name")]

use super::word::Word;

/// Rows of a list: the first, and how many.
pub type Span = (u32, u32);

/// The rows of a span.
#[inline]
#[must_use]
pub const fn slice<T>(all: &[T], (first, count): Span) -> &[T] {
    let (_, rest) = all.split_at(first as usize);
    rest.split_at(count as usize).0
}

macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

        /// Makes the row of this name from its fields in order.
        #[allow(clippy::too_many_arguments)]
        #[must_use]
        pub const fn $name($($field: $type),*) -> $name {
            $name { $($field),* }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($name))$(.field(&self.$field))*.finish()
            }
        }
    )*};
}

pub(crate) use rows;

rows! {
    /// Fixed bits.
    Pattern {
        /// The bits.
        mask: Word,
        /// Their values.
        value: Word,
    }

    /// A piece of a field.
    FieldPiece {
        /// Its lowest bit in the word.
        lsb: u8,
        /// Its lowest bit in the field.
        shift: u8,
        /// As many ones as it has bits.
        mask: u64,
    }

    /// Bits of data in an operand.
    Width {
        /// So many.
        bits: u16,
        /// The expression that says how many; 0 if it is known.
        expr: u32,
    }
}
