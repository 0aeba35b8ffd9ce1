//! The image of an instruction set: the lookup tables with which the engine decodes, encodes, prints and assembles
//! instructions, and reports their reads and writes.
//!
//! `rows.rs` numbers the rows, which all tables refer to. Each part of the image has a builder: `words`,
//! `text`, `flow`.

mod columns;
mod control;
mod flow;
mod pool;
mod relocation;
mod rows;
mod shared;
mod text;
mod values;
#[cfg(feature = "serde")]
mod verify;
mod words;

use isadl_engine::image::Image;

use crate::isa::{Isa, OpcodeId};
use crate::parallel;
pub use control::OwnedControls;
pub use flow::OwnedFlows;
use relocation::Relocations;
pub use rows::computed_number;
use rows::{Rows, TextRow};
use text::Plans;
pub use text::{OwnedLines, OwnedTexts};
pub use values::OwnedValues;
use words::Choice;
pub use words::OwnedWords;

/// An [`Image`] with its tables.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OwnedImage {
    /// The opcode of each row, in the order of row numbers, which begin at 1.
    pub rows: Vec<OpcodeId>,
    /// The generations by their numbers in the image, as indexes in the instruction set. A single generation if all
    /// rows belong to all generations.
    pub generations: Vec<usize>,
    /// Words and their opcodes.
    pub words: OwnedWords,
    /// How instructions are printed.
    pub texts: OwnedTexts,
    /// How instructions are read.
    pub lines: OwnedLines,
    /// The reads and writes of instructions.
    pub flows: OwnedFlows,
    /// Flow of control, and addresses in instructions.
    pub control: OwnedControls,
    /// What the bits of operands are.
    pub values: OwnedValues,
}

impl OwnedImage {
    /// The image of an instruction set.
    pub fn of(isa: &Isa) -> OwnedImage {
        OwnedImage::with_look_ups(isa, Choice::Best)
    }

    /// The same in less time: decoding may take longer. It is for those that decode little, such as checks.
    pub fn quick(isa: &Isa) -> OwnedImage {
        OwnedImage::with_look_ups(isa, Choice::First)
    }

    fn with_look_ups(isa: &Isa, choice: Choice) -> OwnedImage {
        let count = isa.opcodes().len();
        let with_forms = isa.with_alias_forms();
        let mut rows = Rows::of(with_forms.as_ref().unwrap_or(isa), count);
        let texts: Vec<TextRow<'_>> = rows.texts().map(|(_, text)| text).collect();
        let plan = || Plans::of(rows.isa, &texts);
        let (plans, mut words) =
            parallel::beside(count, plan, || OwnedWords::of(&mut rows, choice));
        let relocations = Relocations::of(&mut rows);
        let (texts, lines) = text::build(&mut rows, &relocations, plans);
        let flows = OwnedFlows::of(&mut rows);
        let control = OwnedControls::of(&mut rows, relocations);
        let values = OwnedValues::of(&mut rows, &words);
        let (ids, generations) = (rows.ids.clone(), rows.generations.clone());
        rows.finish(&mut words);
        OwnedImage { rows: ids, generations, words, texts, lines, flows, control, values }
    }

    /// The image as the engine reads it.
    pub fn view(&self) -> Image<'_> {
        Image {
            words: self.words.view(),
            texts: self.texts.view(),
            lines: self.lines.view(),
            flows: self.flows.view(),
            control: self.control.view(),
            values: self.values.view(),
        }
    }
}
