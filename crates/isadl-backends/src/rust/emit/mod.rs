//! An image as constants: the tables, and the image that refers to them.

mod control;
mod dense;
mod flow;
mod lines;
mod packed;
mod part;
mod texts;
mod values;
mod words;

use isadl_runtime::image::OwnedImage;

use super::{Emit, Parts};
pub(super) use dense::{constants, list, short, table};
pub(super) use flow::tables as flow_tables;
pub(super) use lines::lines;
pub(super) use texts::texts;
pub(super) use values::values;

/// `image.rs` of a generated crate. INVARIANT: `row` is called with numbers from 1 on only.
pub(super) fn image(image: &OwnedImage, parts: Parts) -> String {
    let view = image.view();
    let texts = match parts.text {
        Emit::Yes => "super::text_tables::TEXTS",
        Emit::No => "super::engine::image_text::Texts::EMPTY",
    };
    let lines = match parts.parses() {
        true => "super::parse_tables::LINES",
        false => "super::engine::image_lines::Lines::EMPTY",
    };
    let words = words::emit(&view.words);
    let flows = match parts.flow {
        Emit::Yes => "super::flow_tables::ALL",
        Emit::No => "super::engine::image_flow::Flows::EMPTY",
    };
    let values = match parts.flow {
        Emit::Yes => "super::value_tables::VALUES",
        Emit::No => "super::engine::image_values::Values::EMPTY",
    };
    let (control, tables) = match control::tables(&view.control) {
        Some(tables) => ("CONTROL", format!("use super::engine::image_control::*;\n\n{tables}\n")),
        None => ("super::engine::image_control::Controls::EMPTY", String::new()),
    };
    format!(
        "{}//! The instruction set as tables; their rows are described in `engine/image.rs`.\n\
         #![allow(dead_code, unused_imports, clippy::all)]\n\
         use super::engine::image::*;\nuse super::Word;\n\n\
         {words}\n\
         {tables}\
         /// All tables.\n\
         pub(crate) const IMAGE: Image<'static> = Image {{ words: WORDS, \
             texts: {texts}, lines: {lines}, flows: {flows}, \
             control: {control}, values: {values} }};\n\n\
         /// Those of words alone. What does not show text refers to these, so that a program that only decodes keeps no\n\
         /// names.\n\
         pub(crate) const WORDS_ALONE: Image<'static> = Image::of_words(WORDS);\n\n\
         /// The tables for the engine.\n\
         #[derive(Clone, Copy)]\npub(crate) struct Constant;\n\n\
         impl Tables<'static> for Constant {{\n    \
             #[inline(always)]\n    \
             fn image(self) -> &'static Image<'static> {{ &IMAGE }}\n\
         }}\n\n\
         /// The row with a number, which is not 0.\n\
         pub(crate) const fn row(number: u32) -> super::engine::decode::RowId {{\n    \
             match super::engine::decode::RowId::new(number) {{\n        \
                 Some(row) => row,\n        \
                 None => unreachable!(),\n    \
             }}\n\
         }}\n",
        super::HEADER
    )
}
