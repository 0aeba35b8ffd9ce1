//! Expressions that take fields from words and put them there. Of a field in pieces they are shifts and
//! masks of constants, without branches.

use isadl_ir::isa::{Bits, low_bits};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::Plan;

/// The bits of a field in a word, which is an expression without effects.
pub(super) fn extracted(word: &TokenStream, bits: &Bits) -> TokenStream {
    if let Some(run) = bits.as_one() {
        let [lsb, width] = [run.lsb, run.width].map(Literal::u32_unsuffixed);
        return quote!(extract(#word, #lsb, #width));
    }
    let pieces = bits.places().map(|(at, run)| {
        let (down, up, mask) = (right(run.lsb), left(at), ones(run.width));
        quote!(((#word #down) as u64 & #mask) #up)
    });
    quote!(#(#pieces)|*)
}

/// A word with a field of these bits set to a value.
pub(super) fn inserted(word: &TokenStream, bits: &Bits, raw: &TokenStream) -> TokenStream {
    if let Some(run) = bits.as_one() {
        let [lsb, width] = [run.lsb, run.width].map(Literal::u32_unsuffixed);
        return quote!(insert(#word, #lsb, #width, #raw));
    }
    let others = Literal::u128_unsuffixed(bits.mask());
    let placed = placed(bits, raw);
    quote!(#word & !#others | #placed)
}

/// A word that contains only a field of these bits; the value must fit the field.
pub(super) fn placed(bits: &Bits, raw: &TokenStream) -> TokenStream {
    placed_in(&quote!(Word), bits, raw)
}

/// Like `placed`, for a word of a given type.
pub(super) fn placed_in(word: &TokenStream, bits: &Bits, raw: &TokenStream) -> TokenStream {
    if let Some(run) = bits.as_one() {
        let lsb = Literal::u32_unsuffixed(run.lsb);
        return quote!((#raw as #word) << #lsb);
    }
    let pieces = bits.places().map(|(at, run)| {
        let (down, up, mask) = (right(at), left(run.lsb), ones(run.width));
        quote!(((raw #down & #mask) as #word) #up)
    });
    quote!({ let raw: u64 = #raw; #(#pieces)|* })
}

/// A shift, unless it is by nothing.
fn left(by: u32) -> Option<TokenStream> {
    let by = (by > 0).then(|| Literal::u32_unsuffixed(by))?;
    Some(quote!(<< #by))
}

fn right(by: u32) -> Option<TokenStream> {
    let by = (by > 0).then(|| Literal::u32_unsuffixed(by))?;
    Some(quote!(>> #by))
}

fn ones(width: u32) -> Literal {
    Literal::u64_unsuffixed(low_bits(width) as u64)
}

/// The bits of a field whose place is known when the code runs: the expressions of its place, and of its
/// number of bits, which is a `u32`.
pub(super) fn extracted_at(
    plan: &Plan<'_>,
    word: &TokenStream,
    (lsb, width): (&TokenStream, &TokenStream),
) -> TokenStream {
    match plan.has_pieces() {
        true => {
            let width = byte(width);
            quote!(fields::get(&IMAGE, #word, #lsb as u16, #width))
        }
        false => quote!(extract(#word, #lsb as u32, #width)),
    }
}

/// A number of bits as a `u8`, which a literal without a suffix is already.
fn byte(width: &TokenStream) -> TokenStream {
    match width.to_string().parse::<u8>() {
        Ok(_) => width.clone(),
        Err(_) => quote!((#width) as u8),
    }
}

/// A word with such a field set to a value.
pub(super) fn inserted_at(
    plan: &Plan<'_>,
    word: &TokenStream,
    (lsb, width): (&TokenStream, &TokenStream),
    raw: &TokenStream,
) -> TokenStream {
    match plan.has_pieces() {
        true => {
            let width = byte(width);
            quote!(fields::with(&IMAGE, #word, #lsb as u16, #width, #raw))
        }
        false => quote!(insert(#word, #lsb as u32, #width, #raw)),
    }
}
