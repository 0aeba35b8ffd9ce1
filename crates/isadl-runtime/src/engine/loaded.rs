//! Instruction sets with the tables of the engine.

use std::sync::OnceLock;

use isadl_engine::decode::RowId;

use super::{Engine, Lengths};
use crate::image::OwnedImage;
use crate::isa::Isa;

/// An instruction set of one generation, with its lookup tables.
#[derive(Debug)]
pub struct Loaded {
    isa: Isa,
    tables: Tables,
}

impl Loaded {
    /// Makes the tables.
    pub fn new(isa: Isa) -> Loaded {
        let tables = Tables::of(&isa);
        Loaded { isa, tables }
    }

    /// Makes the tables in less time: decoding may take longer. It is for those that decode little, such as checks.
    pub fn quick(isa: Isa) -> Loaded {
        let tables = Tables::quick(&isa);
        Loaded { isa, tables }
    }

    /// An instruction set with its image, as [`OwnedImage::of`] makes it.
    pub fn with_image(isa: Isa, image: OwnedImage) -> Loaded {
        let tables = Tables::with_image(&isa, image);
        Loaded { isa, tables }
    }

    /// The instruction set.
    pub fn isa(&self) -> &Isa {
        &self.isa
    }

    /// Its tables, to be stored.
    pub fn image(&self) -> &OwnedImage {
        &self.tables.image
    }

    /// Returns an engine that uses the tables. Make it once for many instructions.
    pub fn engine(&self) -> Engine<'_> {
        Engine::new(&self.isa, &self.tables)
    }
}

/// The tables of an instruction set.
#[derive(Debug)]
pub struct Tables {
    pub(super) image: OwnedImage,
    /// The row of each opcode.
    pub(super) row_of: Vec<RowId>,
    /// Bytes in the shortest instruction.
    pub(super) shortest: usize,
    /// Lengths of words that are not instructions, once they are asked for.
    pub(super) lengths: OnceLock<Lengths>,
}

impl Tables {
    /// Makes the tables of an instruction set.
    pub fn of(isa: &Isa) -> Tables {
        Tables::with_image(isa, OwnedImage::of(isa))
    }

    /// The same as [`Loaded::quick`] makes them.
    pub fn quick(isa: &Isa) -> Tables {
        Tables::with_image(isa, OwnedImage::quick(isa))
    }

    fn with_image(isa: &Isa, image: OwnedImage) -> Tables {
        let mut row_of = vec![RowId::MIN; isa.opcodes().len()];
        let rows = image.rows.iter().zip(1..).filter_map(|(id, row)| Some((id, RowId::new(row)?)));
        rows.for_each(|(id, row)| row_of[id.index()] = row);
        Tables { image, row_of, shortest: isa.shortest(), lengths: OnceLock::new() }
    }
}
