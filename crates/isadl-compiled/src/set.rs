//! Reading a compiled instruction set.

use isadl::engine::Loaded;
use isadl::image::OwnedImage;
use isadl::isa::{Family, Generations, Isa};
use isadl::semantics::{Texts, ir};
use isadl::source::SourceMap;
use serde::{Deserialize, Serialize};

use crate::container::{Kind, Parts};
use crate::error::ReadError;

/// A compiled instruction set. Its parts are read, and checked, when they are asked for; generations are numbered as in
/// [`Family::isas`].
#[derive(Debug)]
pub struct CompiledSet {
    parts: Parts,
    summary: Summary,
}

/// The generations of a compiled instruction set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The name of the instruction set.
    pub name: String,
    /// The names of all generations that are declared.
    pub generations: Vec<String>,
    /// The generations of each stored instruction set, as indexes into the names. A single entry if they do not differ.
    pub describes: Vec<Generations>,
}

impl Summary {
    /// The number of the stored instruction set of a generation.
    pub fn find(&self, generation: &str) -> Option<usize> {
        let index = self.generations.iter().position(|name| name == generation)?;
        self.describes.iter().position(|own| own.contains(index))
    }
}

impl CompiledSet {
    /// Reads the bytes that [`Contents::write`](crate::Contents::write) made.
    ///
    /// # Errors
    ///
    /// If the bytes are something else, of another version, or not complete.
    pub fn read(bytes: Vec<u8>) -> Result<CompiledSet, ReadError> {
        let parts = Parts::read(bytes)?;
        let summary: Summary = value(&parts, Kind::Summary, 0)?;
        if summary.describes.is_empty() {
            return Err(ReadError::Absent { part: Kind::Isa.name() });
        }
        Ok(CompiledSet { parts, summary })
    }

    /// Its name and generations.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Whether all parts have their checksums. Each part is also verified when it is read.
    pub fn is_whole(&self) -> bool {
        self.parts.is_whole()
    }

    /// Whether its programs can be executed.
    pub fn has_programs(&self) -> bool {
        self.parts.has(Kind::Programs, 0)
    }

    /// The instruction set of a generation.
    ///
    /// # Errors
    ///
    /// If there is no such generation, or the file is damaged; as for all that follow.
    pub fn isa(&self, generation: usize) -> Result<Isa, ReadError> {
        value(&self.parts, Kind::Isa, generation)
    }

    /// The instruction set of a generation with its tables.
    ///
    /// # Errors
    ///
    /// See [`CompiledSet::isa`].
    pub fn loaded(&self, generation: usize) -> Result<Loaded, ReadError> {
        self.with_tables(self.isa(generation)?, generation)
    }

    /// The tables for an instruction set that was read before.
    ///
    /// # Errors
    ///
    /// See [`CompiledSet::isa`].
    pub fn with_tables(&self, isa: Isa, generation: usize) -> Result<Loaded, ReadError> {
        let image: OwnedImage = value(&self.parts, Kind::Image, generation)?;
        image.verify(&isa).map_err(|what| misfit(Kind::Image, what))?;
        Ok(Loaded::with_image(isa, image))
    }

    /// All generations.
    ///
    /// # Errors
    ///
    /// See [`CompiledSet::isa`].
    pub fn family(&self) -> Result<Family, ReadError> {
        let isas = (0..self.summary.describes.len()).map(|generation| self.isa(generation));
        let isas = isas.collect::<Result<Vec<Isa>, ReadError>>()?;
        Family::new(isas).ok_or(ReadError::Absent { part: Kind::Isa.name() })
    }

    /// The programs of a generation, of which this is the instruction set.
    ///
    /// # Errors
    ///
    /// See [`CompiledSet::isa`]; also if the file is without programs.
    pub fn programs(&self, isa: &Isa, generation: usize) -> Result<ir::Programs, ReadError> {
        let programs: ir::Programs = value(&self.parts, Kind::Programs, generation)?;
        let fits = programs.verify(isa).map_err(|what| misfit(Kind::Programs, what));
        fits.map(|()| programs)
    }

    /// The texts of these programs.
    ///
    /// # Errors
    ///
    /// See [`CompiledSet::programs`].
    pub fn texts(&self, isa: &Isa, generation: usize) -> Result<Texts, ReadError> {
        let texts: Texts = value(&self.parts, Kind::Texts, generation)?;
        if texts.fits(isa) { Ok(texts) } else { Err(misfit(Kind::Texts, "an unknown layer")) }
    }

    /// The files that were compiled.
    ///
    /// # Errors
    ///
    /// See [`CompiledSet::isa`].
    pub fn sources(&self) -> Result<SourceMap, ReadError> {
        let texts: Vec<(String, String)> = value(&self.parts, Kind::Sources, 0)?;
        let mut sources = SourceMap::new();
        for (name, text) in texts {
            sources.add(name, text.into_bytes());
        }
        Ok(sources)
    }

    /// The content of another file of the specification's folder, if it has one of this name.
    ///
    /// # Errors
    ///
    /// See [`CompiledSet::isa`].
    pub fn beside(&self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let files: Vec<(String, Vec<u8>)> = value(&self.parts, Kind::Beside, 0)?;
        Ok(files.into_iter().find(|(known, _)| known == name).map(|(_, content)| content))
    }
}

/// The value that a part contains.
fn value<T: for<'de> Deserialize<'de>>(
    parts: &Parts,
    kind: Kind,
    generation: usize,
) -> Result<T, ReadError> {
    match postcard::take_from_bytes(parts.part(kind, generation)?) {
        Ok((value, [])) => Ok(value),
        Ok(_) => Err(misfit(kind, "they go on after their end")),
        Err(error) => Err(misfit(kind, error.to_string())),
    }
}

fn misfit(kind: Kind, what: impl Into<String>) -> ReadError {
    ReadError::Misfit { part: kind.name(), what: what.into() }
}
