//! The jobs of `isadl gen`: instruction sets and outputs from its options, or from `isadl.toml`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use isadl_project::{Output as Wanted, Project};

use crate::args::Gen;
use crate::check::{Origin, Set, sets};
use crate::{Failure, project};

/// An instruction set and its outputs.
pub(crate) struct Job {
    /// Its folder or files.
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) outputs: Vec<(Wanted, OutputFolder)>,
}

/// Where an output goes.
#[derive(Clone)]
pub(crate) struct OutputFolder {
    /// The folder that the paths of outputs start from.
    pub(crate) base: PathBuf,
    /// Whether the instruction set was named by itself, and is not one of several in a folder.
    pub(crate) is_alone: bool,
}

/// The jobs to do.
pub(crate) fn jobs(options: &Gen) -> Result<Vec<Job>, Failure> {
    let Some(wanted) = options.wanted() else { return of_project(options) };
    let sets = sets(&options.input.paths)?;
    let place = OutputFolder { base: PathBuf::new(), is_alone: is_alone(&sets) };
    let job = |set: Set| Job { paths: set.paths, outputs: vec![(wanted.clone(), place.clone())] };
    Ok(sets.into_iter().map(job).collect())
}

fn is_alone(sets: &[Set]) -> bool {
    sets.len() == 1 && sets.iter().all(|set| set.origin == Origin::Named)
}

/// The outputs that `isadl.toml` lists: of the instruction sets that are named, or of all.
fn of_project(options: &Gen) -> Result<Vec<Job>, Failure> {
    if let Some(option) = options.about_output().first() {
        return Err(Failure::Usage(format!("`{option}` needs `--target`")));
    }
    let named = &options.input.paths;
    let start = named.first().map_or(Path::new(""), PathBuf::as_path);
    let jobs = match project::of(start)? {
        Some(project) => listed(&project, named)?,
        None => Vec::new(),
    };
    if jobs.is_empty() {
        return Err(Failure::Usage(
            "no output: choose one by `--target`, or list outputs in `isadl.toml`".to_string(),
        ));
    }
    Ok(jobs)
}

fn listed(project: &Project, named: &[PathBuf]) -> Result<Vec<Job>, Failure> {
    let wanted = if named.is_empty() { None } else { Some(real(&sets(named)?)) };
    let mut jobs: Vec<Job> = Vec::new();
    for spec in project.specs().filter(|spec| spec.outputs().next().is_some()) {
        let sets = sets(&[project.path_of(spec)])?;
        let place = OutputFolder { base: project.folder.clone(), is_alone: is_alone(&sets) };
        let outputs = spec.outputs().map(|output| (output.clone(), place.clone()));
        let outputs: Vec<(Wanted, OutputFolder)> = outputs.collect();
        for set in sets {
            let is_named = |all: &BTreeSet<PathBuf>| !real(&[&set]).is_disjoint(all);
            if !wanted.as_ref().is_none_or(is_named) {
                continue;
            }
            match jobs.iter_mut().find(|job| job.paths == set.paths) {
                Some(job) => job.outputs.extend(outputs.clone()),
                None => jobs.push(Job { paths: set.paths, outputs: outputs.clone() }),
            }
        }
    }
    Ok(jobs)
}

/// The paths of instruction sets, so that they can be compared.
fn real<S: std::borrow::Borrow<Set>>(sets: &[S]) -> BTreeSet<PathBuf> {
    let paths = sets.iter().flat_map(|set| &set.borrow().paths);
    paths.map(|path| path.canonicalize().unwrap_or_else(|_| path.clone())).collect()
}
