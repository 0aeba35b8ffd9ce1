//! Selects the instruction set that a question is about, and answers it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use isadl::levels::Levels;
use isadl::source::{FileId, LOCK_FILE, SourceMap, specification_files};
use isadl_project::levels_of;
use serde_json::{Value, json};

use crate::answers;
use crate::cache::Cache;
use crate::question::{Question, Request};
use crate::set::{Refusal, Set};
use crate::work::{Work, texts};

/// Answers questions about some instruction sets.
#[derive(Default)]
pub struct Service {
    sets: Vec<Set>,
    cache: Cache,
}

impl Service {
    /// A service for instruction sets. Only their files are read.
    pub fn new(sets: Vec<Set>) -> Service {
        Service { sets, cache: Cache::default() }
    }

    /// Answers a question.
    ///
    /// # Errors
    ///
    /// If it is about something that there is not, or files cannot be read.
    pub fn answer(&self, question: &Question) -> Result<Value, Refusal> {
        match &question.ask {
            Request::Sets => Ok(json!({ "sets": self.names(), "keys": self.keys() })),
            Request::Open => {
                let set = self.set(question)?.ok_or(no_set())?;
                let files = texts(&read(set)?);
                let files = files.iter().map(|(name, text)| json!({ "name": name, "text": text }));
                let files: Vec<Value> = files.collect();
                Ok(json!({ "files": files, "stamp": stamp(set) }))
            }
            Request::Stamp => Ok(json!({ "stamp": stamp(self.set(question)?.ok_or(no_set())?) })),
            _ => {
                let set = self.set(question)?;
                let work = self.work(question, set)?;
                answers::of(&work, question, set)
            }
        }
    }

    fn names(&self) -> Vec<String> {
        let name = |set: &Set| {
            let path = set.paths.first().cloned().unwrap_or_default();
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
            name.unwrap_or_else(|| path.display().to_string())
        };
        self.sets.iter().map(name).collect()
    }

    /// Keys that identify instruction sets, even across servers: their paths.
    fn keys(&self) -> Vec<String> {
        let key = |set: &Set| {
            let path = set.paths.first().cloned().unwrap_or_default();
            path.canonicalize().unwrap_or(path).display().to_string()
        };
        self.sets.iter().map(key).collect()
    }

    /// The instruction set that a question is about.
    fn set(&self, question: &Question) -> Result<Option<&Set>, Refusal> {
        let Some(number) = question.set else { return Ok(None) };
        let set = self.sets.get(number);
        set.map(Some).ok_or_else(|| Refusal(format!("there is no instruction set {number}")))
    }

    /// The texts that a question is about, compiled.
    fn work(&self, question: &Question, set: Option<&Set>) -> Result<Arc<Work>, Refusal> {
        let Some(set) = set else {
            let mut sources = SourceMap::new();
            for (name, text) in &question.texts {
                sources.add(name, text.clone().into_bytes());
            }
            return Ok(self.cache.get(sources, &Levels::default()));
        };
        let mut sources = read(set)?;
        replace(&mut sources, &question.texts)?;
        let levels = set.paths.first().map_or_else(Levels::default, |path| levels_of(path));
        Ok(self.cache.get(sources, &levels))
    }
}

fn no_set() -> Refusal {
    Refusal("which instruction set?".to_string())
}

fn read(set: &Set) -> Result<SourceMap, Refusal> {
    SourceMap::read(&set.paths).map_err(|error| Refusal(error.to_string()))
}

/// Replaces texts on disk by the texts of the page.
fn replace(sources: &mut SourceMap, texts: &BTreeMap<String, String>) -> Result<(), Refusal> {
    for (name, text) in texts {
        let ids: Vec<FileId> = sources.specification().collect();
        let found = ids.into_iter().find(|id| sources.file(*id).name() == name);
        let found = found.ok_or_else(|| Refusal(format!("there is no file `{name}`")))?;
        sources.replace(found, text.clone());
    }
    Ok(())
}

/// When the files were changed, and how long they are.
fn stamp(set: &Set) -> String {
    let files = specification_files(&set.paths).unwrap_or_default();
    let locks = set.paths.iter().map(|path| path.join(LOCK_FILE));
    let mut text = String::new();
    for path in files.into_iter().chain(locks) {
        let Ok(data) = std::fs::metadata(&path) else { continue };
        let time = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let time = time.map_or(0, |time| time.as_nanos());
        text += &format!("{} {time:x} {:x}\n", path.display(), data.len());
    }
    text
}
