//! Writing a compiled instruction set.

use isadl::engine::Loaded;
use isadl::isa::{Family, Isa};
use isadl::semantics::{Checked, ir};
use isadl::source::SourceMap;
use serde::Serialize;

use crate::container::{Kind, join};
use crate::set::Summary;

/// The contents of a compiled instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Contents<'c> {
    /// All generations.
    pub family: &'c Family,
    /// The programs of each generation, as [`isadl::compile`] gives them.
    pub programs: &'c [Checked],
    /// Whether the programs can be executed; otherwise only their texts are stored.
    pub is_executable: bool,
    /// The files that were compiled, to which locations in programs refer.
    pub sources: &'c SourceMap,
    /// Other files that belong to the specification: their names in its folder, and their bytes.
    pub beside: &'c [(String, Vec<u8>)],
}

impl Contents<'_> {
    /// The bytes of the file.
    ///
    /// # Errors
    ///
    /// If a part is too large for the memory.
    pub fn write(&self) -> Result<Vec<u8>, postcard::Error> {
        let isas = self.family.isas();
        let summary = Summary {
            name: self.family.first().name().to_string(),
            generations: self.family.generations().to_vec(),
            describes: isas.iter().map(Isa::describes).collect(),
        };
        let mut parts = vec![(Kind::Summary, 0, stored(&summary)?)];
        for (index, isa) in isas.iter().enumerate() {
            let loaded = Loaded::new(isa.clone());
            parts.push((Kind::Isa, index, stored(isa)?));
            parts.push((Kind::Image, index, stored(loaded.image())?));
            let Some(checked) = self.programs.get(index) else { continue };
            parts.push((Kind::Texts, index, stored(&checked.texts)?));
            if self.is_executable {
                parts.push((Kind::Programs, index, stored(&ir::Programs::of(isa, checked))?));
            }
        }
        let all = self.sources.ids().map(|id| self.sources.file(id));
        let texts: Vec<(&str, &str)> = all.map(|file| (file.name(), file.text())).collect();
        parts.push((Kind::Sources, 0, stored(&texts)?));
        parts.push((Kind::Beside, 0, stored(&self.beside)?));
        Ok(join(&parts))
    }
}

fn stored<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_allocvec(value)
}
