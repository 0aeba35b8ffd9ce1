//! The image of an instruction set: the tables by which the engine decodes, encodes, prints and
//! assembles its instructions, and tells what they read and write.
//!
//! `rows.rs` numbers the rows, which all tables refer to. Each part of the image has a builder:
//! `words`, `flow`.

mod flow;
mod rows;
mod shared;
mod words;

use isadl_engine::image::Image;

use crate::isa::{Isa, OpcodeId};
pub use flow::OwnedFlows;
use rows::Rows;
pub use words::{OwnedWords, TooMany};

/// An [`Image`] with its tables.
#[derive(Debug)]
pub struct OwnedImage {
    /// What each row is, in the order of their numbers, which begin at 1.
    pub rows: Vec<OpcodeId>,
    /// The generations by their numbers in the image, as indexes in the instruction set; one where
    /// all rows are of all generations.
    pub generations: Vec<usize>,
    /// Words and their opcodes.
    pub words: OwnedWords,
    /// What instructions read and write.
    pub flows: OwnedFlows,
}

impl OwnedImage {
    /// The image of an instruction set, which must not be of more opcodes than look-ups have numbers
    /// for: 32,767 rows.
    pub fn of(isa: &Isa) -> Result<OwnedImage, TooMany> {
        let mut rows = Rows::of(isa);
        let mut words = OwnedWords::of(&mut rows)?;
        let flows = OwnedFlows::of(&mut rows)?;
        let (ids, generations) = (rows.ids.clone(), rows.generations.clone());
        (words.exprs, words.numbers) = rows.into_exprs();
        Ok(OwnedImage { rows: ids, generations, words, flows })
    }

    /// The image as the engine reads it.
    pub fn view(&self) -> Image<'_> {
        Image { words: self.words.view(), flows: self.flows.view() }
    }
}
