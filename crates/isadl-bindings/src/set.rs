//! An instruction set that owns its engine.

use std::path::PathBuf;

use isadl::engine::{Engine, Loaded};
use isadl::isa::{Family, Isa, SelectionKind, UnknownSelection};
use isadl::semantics::Texts;
use isadl::source::SourceMap;
use isadl_backends::word;
use isadl_compiled::{CompiledSet, Contents, ReadError, is_compiled};
use isadl_exec::Spec;
use self_cell::self_cell;

use crate::finding::Finding;
use crate::open::{Choice, OpenError};

self_cell!(
    struct Own {
        owner: Loaded,
        #[covariant]
        dependent: Engine,
    }
);

/// An instruction set of one generation, for one set of extensions.
pub struct Set {
    own: Own,
    /// Its compiled form, which contains its programs.
    compiled: CompiledSet,
    /// The number of its generation there.
    generation: usize,
}

impl Set {
    /// Opens a folder of specification files, files, or a compiled instruction set.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or has errors; or there is no such generation.
    pub fn open(paths: &[PathBuf], choice: &Choice) -> Result<Set, OpenError> {
        if let [path] = paths
            && path.is_file()
        {
            let bytes = std::fs::read(path)?;
            if is_compiled(&bytes) {
                return Set::of_bytes(bytes, choice);
            }
        }
        Set::of_sources(&SourceMap::read(paths)?, choice)
    }

    /// Opens texts with their names.
    ///
    /// # Errors
    ///
    /// See [`Set::open`].
    pub fn of_text(files: &[(&str, &str)], choice: &Choice) -> Result<Set, OpenError> {
        let mut sources = SourceMap::new();
        for (name, text) in files {
            sources.add(*name, text.as_bytes().to_vec());
        }
        Set::of_sources(&sources, choice)
    }

    /// Opens the bytes of a compiled instruction set.
    ///
    /// # Errors
    ///
    /// See [`Set::open`].
    pub fn of_bytes(bytes: Vec<u8>, choice: &Choice) -> Result<Set, OpenError> {
        Set::of_compiled(CompiledSet::read(bytes)?, choice)
    }

    fn of_sources(sources: &SourceMap, choice: &Choice) -> Result<Set, OpenError> {
        let compilation = isadl::compile(sources);
        let Some(family) = compilation.family else {
            return Err(OpenError::Errors(Finding::all(&compilation.diagnostics, sources)));
        };
        let contents = Contents {
            family: &family,
            programs: &compilation.semantics,
            is_executable: true,
            sources,
            beside: &[],
        };
        let bytes = contents.write().map_err(|error| OpenError::Choice(error.to_string()))?;
        Set::of_bytes(bytes, choice)
    }

    fn of_compiled(compiled: CompiledSet, choice: &Choice) -> Result<Set, OpenError> {
        let generation = generation(&compiled, choice)?;
        let loaded = compiled.loaded(generation)?;
        let known = loaded.isa().extensions();
        let set = match &choice.extensions {
            Some(names) => known.set_of(names).map_err(|error| error.to_string()),
            None => Ok(known.default),
        };
        let set = set.map_err(OpenError::Choice)?;
        let own = Own::new(loaded, |loaded| loaded.engine().with_extensions(set));
        Ok(Set { own, compiled, generation })
    }

    /// The engine.
    pub fn engine(&self) -> &Engine<'_> {
        self.own.borrow_dependent()
    }

    /// The instruction set.
    pub fn isa(&self) -> &Isa {
        self.own.borrow_owner().isa()
    }

    /// The names of all generations that are declared.
    pub fn generations(&self) -> &[String] {
        &self.compiled.summary().generations
    }

    /// All generations.
    ///
    /// # Errors
    ///
    /// If that part of the compiled instruction set is damaged.
    pub fn family(&self) -> Result<Family, ReadError> {
        self.compiled.family()
    }

    /// The texts of its programs.
    ///
    /// # Errors
    ///
    /// If that part of the compiled instruction set is damaged.
    pub fn texts(&self) -> Result<Texts, ReadError> {
        self.compiled.texts(self.isa(), self.generation)
    }

    /// What the bits of a word mean, as the JSON that `isadl decode --format json` prints.
    ///
    /// # Errors
    ///
    /// If a part of the compiled instruction set is damaged. The error is a message.
    pub fn explain(&self, word: u128) -> Result<String, String> {
        let texts = self.texts().map_err(|error| error.to_string())?;
        let family = self.family().map_err(|error| error.to_string())?;
        let engine = self.engine().clone();
        let explained = word::Word::new(engine, self.isa(), &family, Some(&texts), word);
        serde_json::to_string(&word::object(&explained)).map_err(|error| error.to_string())
    }

    /// The same instruction set, to execute its programs.
    ///
    /// # Errors
    ///
    /// If that part of the compiled instruction set is damaged, or absent.
    pub fn spec(&self) -> Result<Spec, ReadError> {
        let loaded = self.compiled.loaded(self.generation)?;
        let programs = self.compiled.programs(loaded.isa(), self.generation)?;
        Ok(Spec::built(loaded, programs).with_extensions(self.engine().extensions()))
    }
}

impl std::fmt::Debug for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Set").field(&self.isa().name()).finish()
    }
}

/// The number of the chosen generation among those that differ.
fn generation(compiled: &CompiledSet, choice: &Choice) -> Result<usize, OpenError> {
    let summary = compiled.summary();
    let known = || summary.generations.clone();
    match &choice.generation {
        Some(name) => summary.find(name).ok_or_else(|| {
            let (kind, name) = (SelectionKind::Generation, name.clone());
            OpenError::Choice(UnknownSelection { kind, name, known: known() }.to_string())
        }),
        None if summary.describes.len() == 1 => Ok(0),
        None => Err(OpenError::Choice(format!(
            "{} has several generations: choose one of {}",
            summary.name,
            known().join(", ")
        ))),
    }
}
