//! `isadl check`, and reading instruction sets for all commands.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use isadl::Compilation;
use isadl::diagnostic::{Diagnostics, Severity};
use isadl::fix::fixed;
use isadl::prove::Effort;
use isadl::source::{
    FileId, LOCK_FILE, MAX_FILE_BYTES, SourceMap, instruction_sets, specification_files,
};

use crate::args::{Check, Fixed, Format, Input};
use crate::laws::{Tried, tried};
use crate::rewrite::{Rewrite, rewrite};
use crate::{Failure, Outcome, json, progress, project, report};

pub(crate) fn run(options: &Check) -> Outcome {
    if options.watch { watch(options) } else { once(options) }
}

/// How often files are looked at. Asking for their times works on all file systems.
const PAUSE: Duration = Duration::from_millis(200);

/// Checks again whenever a file changes.
fn watch(options: &Check) -> Outcome {
    let paths = &options.input.paths;
    if paths.iter().any(|path| is_input(path)) {
        return Err(Failure::Usage("standard input does not change".to_string()));
    }
    let mut known = None;
    loop {
        let now = times(paths);
        if known.as_ref() != Some(&now) {
            if let Err(Failure::Usage(message)) = report::finish(&options.input, once(options)) {
                // The first time it is wrong usage; later a file may be missing for a moment.
                if known.is_none() {
                    return Err(Failure::Usage(message));
                }
                report::complain(&message);
            }
            options.input.collected.borrow_mut().clear();
            report::note(&format!("watching {}\n", plural(now.len(), "file")));
            known = Some(now);
        }
        std::thread::sleep(PAUSE);
    }
}

/// The files of some instruction sets, with the numbers of opcodes: when they were changed, and how long they are.
fn times(paths: &[PathBuf]) -> Vec<(PathBuf, Option<SystemTime>, u64)> {
    let sets = sets(paths).unwrap_or_default();
    let files = sets.iter().flat_map(|set| {
        let locks = set.paths.iter().map(|path| path.join(LOCK_FILE));
        let locks: Vec<PathBuf> = locks.filter(|lock| lock.is_file()).collect();
        specification_files(&set.paths).unwrap_or_default().into_iter().chain(locks)
    });
    let time = |path: PathBuf| {
        let data = std::fs::metadata(&path).ok();
        let changed = data.as_ref().and_then(|data| data.modified().ok());
        (path, changed, data.map_or(0, |data| data.len()))
    };
    files.map(time).collect()
}

/// Checks all instruction sets.
fn once(options: &Check) -> Outcome {
    let mut failed = false;
    for set in sets(&options.input.paths)? {
        if options.fix {
            fix(&set.paths, &options.input)?;
        }
        let how = (Effort::Check, &options.fixed);
        let (sources, mut compilation) = compiled(&set.paths, &options.input, how)?;
        let tried = tried(&mut compilation);
        report::diagnostics(&compilation.diagnostics, &sources, &options.input)?;
        let summary = summary(&compilation, tried);
        if options.input.format == Format::Json {
            report::print(&json::summary(&summary, &compilation, tried)?)?;
        }
        match options.input.format.is_data() {
            true => report::note(&summary),
            false => report::print(&summary)?,
        }
        failed |= compilation.diagnostics.has_errors();
    }
    if failed { Err(Failure::Input) } else { Ok(()) }
}

/// Limit on rounds of applying suggestions: one suggestion can make room for another.
const ROUNDS: usize = 10;

/// Applies the certain suggestions for an instruction set.
fn fix(paths: &[PathBuf], input: &Input) -> Outcome {
    if paths.iter().any(|path| is_input(path)) {
        return Err(Failure::Usage("standard input cannot be changed by --fix".to_string()));
    }
    let files = specification_files(paths)?;
    for _ in 0..ROUNDS {
        let sources = read(paths)?;
        // Text that is not UTF-8 would not be written back unchanged.
        if sources.problems().has_errors() {
            return Ok(());
        }
        let mut found = isadl::compile(&sources).diagnostics;
        found.apply(&project::levels(input, paths)?);
        let made = fixed(&sources, &found);
        if made.is_empty() {
            return Ok(());
        }
        let ids: Vec<FileId> = sources.specification().collect();
        let (mut changed, mut notes) = (Vec::new(), String::new());
        for of in made {
            let name = sources.file(of.file).name();
            let path = ids.iter().position(|id| *id == of.file).and_then(|at| files.get(at));
            let Some(path) = path else { continue };
            changed.push(Rewrite { path: path.clone(), text: of.text });
            notes += &format!("{name}: {}\n", plural(of.count, "suggestion"));
        }
        rewrite(&changed, &project::paths(&input.paths)?)?;
        report::note(&notes);
    }
    Ok(())
}

/// One instruction set on the command line.
pub(crate) struct Set {
    /// Its folder or files.
    pub(crate) paths: Vec<PathBuf>,
    /// How the user named it.
    pub(crate) origin: Origin,
}

/// How the user named an instruction set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Its folder or files were named.
    Named,
    /// It was found in a folder of instruction sets.
    Found,
}

/// The instruction sets that the arguments name, else the instruction sets of the project: every folder has its own,
/// and the files together form one.
pub(crate) fn sets(named: &[PathBuf]) -> Result<Vec<Set>, Failure> {
    let mut sets: Vec<Set> = Vec::new();
    let mut files = Vec::new();
    for path in &project::paths(named)? {
        if is_input(path) {
            files.push(path.clone());
            continue;
        }
        let found = instruction_sets(path)?;
        if !path.is_dir() {
            files.extend(found);
            continue;
        }
        let origin = if found.contains(path) { Origin::Named } else { Origin::Found };
        // The entries of a project may overlap.
        let new = |folder: &PathBuf| sets.iter().all(|set| set.paths != [folder.clone()]);
        let found: Vec<PathBuf> = found.into_iter().filter(new).collect();
        sets.extend(found.into_iter().map(|folder| Set { paths: vec![folder], origin }));
    }
    if !files.is_empty() {
        sets.push(Set { paths: files, origin: Origin::Named });
    }
    Ok(sets)
}

/// Whether a path means standard input.
pub(crate) fn is_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// Reads the texts of one instruction set; `-` is standard input.
pub(crate) fn read(paths: &[PathBuf]) -> Result<SourceMap, Failure> {
    let (input, files): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| is_input(path));
    let mut sources = SourceMap::read(&files)?;
    if !input.is_empty() {
        let mut bytes = Vec::new();
        let limit = MAX_FILE_BYTES as u64 + 1;
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
        sources.add("<stdin>", bytes);
    }
    Ok(sources)
}

/// Compiles one instruction set and reports the findings.
pub(crate) fn compile(
    paths: &[PathBuf],
    input: &Input,
) -> Result<(SourceMap, Compilation), Failure> {
    compile_with(paths, input, (Effort::Check, &Fixed::default()))
}

/// Compiles one instruction set with a given effort for proofs, and optionally for one set of extensions.
pub(crate) fn compile_with(
    paths: &[PathBuf],
    input: &Input,
    how: (Effort, &Fixed),
) -> Result<(SourceMap, Compilation), Failure> {
    let (sources, compilation) = compiled(paths, input, how)?;
    report::diagnostics(&compilation.diagnostics, &sources, input)?;
    Ok((sources, compilation))
}

/// The same without reporting the findings.
fn compiled(
    paths: &[PathBuf],
    input: &Input,
    (effort, fixed): (Effort, &Fixed),
) -> Result<(SourceMap, Compilation), Failure> {
    let levels = project::levels(input, paths)?;
    let sources = read(paths)?;
    let verb = match effort {
        Effort::Check => "checking",
        Effort::Full => "proving",
    };
    let what = format!("{verb} {}", progress::names(paths));
    let compiled = progress::during(&what, || match &fixed.extensions {
        Some(names) => isadl::compile_for(&sources, effort, names),
        None => Ok(isadl::compile_with(&sources, effort)),
    });
    let mut compilation = compiled.map_err(|error| Failure::Usage(error.to_string()))?;
    compilation.diagnostics.apply(&levels);
    Ok((sources, compilation))
}

fn summary(compilation: &Compilation, tried: Tried) -> String {
    let counts = compilation.counts;
    let open: u64 = compilation.proofs.iter().map(|proof| proof.open + proof.pairs_left).sum();
    let left = match open {
        0 => String::new(),
        count => format!("; {} left to `isadl prove`", plural(count as usize, "question")),
    };
    let programs = match counts.programs {
        0 => String::new(),
        count => format!(
            ", {} with programs",
            if count == counts.opcodes { "all".into() } else { count.to_string() }
        ),
    };
    let tried = match (tried.examples, tried.laws) {
        (0, 0) => String::new(),
        (examples, 0) => format!("; {} tried", plural(examples, "example")),
        (0, laws) => format!("; {} tried", plural(laws, "law")),
        (examples, laws) => {
            format!("; {} and {} tried", plural(examples, "example"), plural(laws, "law"))
        }
    };
    format!(
        "checked {}: {}, {}, {}, {}{programs}{tried}; {}{left}\n",
        plural(counts.files, "file"),
        plural(counts.types, "type"),
        plural(counts.groups, "group"),
        plural(counts.optypes, "optype"),
        plural(counts.opcodes, "opcode"),
        totals(&compilation.diagnostics),
    )
}

/// `2 errors, 1 warning`
pub(crate) fn totals(diagnostics: &Diagnostics) -> String {
    let count = |severity| diagnostics.count(severity);
    format!(
        "{}, {}",
        plural(count(Severity::Error), "error"),
        plural(count(Severity::Warning), "warning")
    )
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
