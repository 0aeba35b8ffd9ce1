//! Prints how values are written: the tables of types, names and numbers.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::forms::{Grammar, stem};
use super::values::{EntryKind, EntryRow, FormatRow, Kind, NumberKind, PieceRow, Type};

/// `has_aligned` tells whether entries say what numbers of registers are multiples of.
pub(super) fn values(grammar: &Grammar, has_aligned: bool) -> TokenStream {
    let values = &grammar.values;
    let types = values.types.iter().map(type_row);
    let entries = values.entries.iter().map(|entry| entry_row(grammar, entry, has_aligned));
    let pieces = values.pieces.iter().map(piece_row);
    let formats = values.formats.list.iter().map(format_row);
    let format_of = values.format_of.iter().map(|index| number(*index));
    quote! {
        pub(crate) static TYPES: &[Type] = &[#(#types),*];

        pub(crate) static ENTRIES: &[Entry] = &[#(#entries),*];

        pub(crate) static PIECES: &[Piece] = &[#(#pieces),*];

        pub(crate) static FORMATS: &[Format] = &[#(#formats),*];

        /// Formats by the values of the modifiers that select them.
        pub(crate) static FORMAT_OF: &[u16] = &[#(#format_of),*];
    }
}

fn type_row(ty: &Type) -> TokenStream {
    let kind = match ty.kind {
        Kind::Names => quote!(TYPE_NAMES),
        Kind::Number => quote!(TYPE_NUMBER),
        Kind::Composite => quote!(TYPE_COMPOSITE),
    };
    let (name, first, count) = (&ty.name, number(ty.first), number(ty.count));
    let width = Literal::u32_unsuffixed(ty.width);
    quote!(Type { name: #name, kind: #kind, first: #first, count: #count, width: #width })
}

fn entry_row(grammar: &Grammar, entry: &EntryRow, has_aligned: bool) -> TokenStream {
    let is_stem = stem(&entry.text) == entry.text;
    let stem = grammar.names.keys().position(|name| name == stem(&entry.text));
    let stem = number(stem.unwrap_or(usize::from(u16::MAX)));
    let kind = match entry.kind {
        EntryKind::Run => quote!(ENTRY_RUN),
        EntryKind::Name => quote!(ENTRY_NAME),
        EntryKind::Integers => quote!(ENTRY_INTEGERS),
        EntryKind::Float => quote!(ENTRY_FLOAT),
    };
    let text = &entry.text;
    let (value, count) =
        (Literal::u64_unsuffixed(entry.value), Literal::u64_unsuffixed(entry.count));
    let (first, step) = (Literal::i64_unsuffixed(entry.first), Literal::i8_unsuffixed(entry.step));
    let register = Literal::u32_unsuffixed(entry.register.min(u32::from(u16::MAX)));
    let align = has_aligned.then(|| {
        let align = Literal::u32_unsuffixed(entry.align);
        quote!(align: #align,)
    });
    quote! {
        Entry { kind: #kind, text: #text, value: #value, count: #count, first: #first, step: #step, register: #register, #align stem: #stem, is_stem: #is_stem }
    }
}

fn piece_row(piece: &PieceRow) -> TokenStream {
    let (text, ty, lsb) = match piece {
        PieceRow::Text(text) => (text.as_str(), 0, 0),
        PieceRow::Part { ty, lsb } => ("", *ty, *lsb),
    };
    let (ty, lsb) = (number(ty), Literal::u32_unsuffixed(lsb));
    quote!(Piece { text: #text, ty: #ty, lsb: #lsb })
}

fn format_row(format: &FormatRow) -> TokenStream {
    let kind = match format.kind {
        NumberKind::Unsigned => quote!(NUMBER_UNSIGNED),
        NumberKind::Signed => quote!(NUMBER_SIGNED),
        NumberKind::Float => quote!(NUMBER_FLOAT),
    };
    let [lanes, bits, exponent, fraction] =
        [format.lanes, format.lane_bits, format.exponent, format.fraction]
            .map(Literal::u32_unsuffixed);
    let letter = Literal::u8_unsuffixed(format.letter);
    quote! {
        Format { kind: #kind, lanes: #lanes, lane_bits: #bits, exponent: #exponent, fraction: #fraction, letter: #letter }
    }
}

pub(super) fn number(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}
