//! Runs the compiler in its own thread and reports the findings of the latest texts, the quick checks first.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use isadl::diagnostic::Diagnostics;
use isadl::source::SourceMap;
use isadl_project::levels_of;
use lsp_types as lsp;

use crate::compiled::Compiled;
use crate::findings::by_file;
use crate::workspace::Snapshot;

/// Texts to be compiled.
pub(crate) struct Job {
    /// The instruction set.
    pub(crate) set: PathBuf,
    pub(crate) snapshot: Snapshot,
}

/// The result of a compilation.
pub(crate) struct Report {
    pub(crate) set: PathBuf,
    /// The findings of each file.
    pub(crate) findings: std::collections::HashMap<PathBuf, Vec<lsp::Diagnostic>>,
    /// The instruction set, if it has no errors.
    pub(crate) compiled: Option<Arc<Compiled>>,
}

/// Compiles until there are no more jobs. Of several jobs for one instruction set, only the latest is compiled.
pub(crate) fn work(jobs: &Receiver<Job>, mut done: impl FnMut(Report)) {
    let mut waiting: BTreeMap<PathBuf, Snapshot> = BTreeMap::new();
    loop {
        if waiting.is_empty() {
            let Ok(job) = jobs.recv() else { return };
            waiting.insert(job.set, job.snapshot);
        }
        jobs.try_iter().for_each(|job| drop(waiting.insert(job.set, job.snapshot)));
        let Some((set, snapshot)) = waiting.pop_first() else { continue };
        let sources = snapshot.sources();
        let mut is_current = true;
        let compilation = isadl::compile_in_steps(&sources, |early| {
            // An outdated job is not worth the proofs.
            jobs.try_iter().for_each(|job| drop(waiting.insert(job.set, job.snapshot)));
            is_current = !waiting.contains_key(&set);
            let goes_on = is_current && !early().has_errors();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if !is_current && !compilation.diagnostics.has_errors() {
            continue;
        }
        let programs = Arc::new(compilation.semantics);
        let compiled = compilation.family;
        let compiled = compiled.map(|family| Arc::new(Compiled::new(family, programs, &sources)));
        done(report(set, &snapshot, &sources, (compilation.diagnostics, compiled)));
    }
}

fn report(
    set: PathBuf,
    snapshot: &Snapshot,
    sources: &SourceMap,
    (mut found, compiled): (Diagnostics, Option<Arc<Compiled>>),
) -> Report {
    found.apply(&levels_of(&set));
    let findings = by_file(found.iter(), sources, &snapshot.paths);
    Report { set, findings, compiled }
}
