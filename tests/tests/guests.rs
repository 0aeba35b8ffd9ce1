//! The programs of `tests/programs`: `isadl run` does with them what qemu does.
//!
//! Those in C are compiled for both machines at four levels; usually a selection is. `ISADL_SETS` is set in long runs,
//! which take all. Those in assembly need no compiler, and print what is recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use isadl_test_support::{count, golden, root};

use crate::asm_files::{files, has};
use crate::cli::binary;

/// A machine that programs are compiled for.
struct Guest {
    /// Options that name the specification, and of what it has several.
    spec: &'static [&'static str],
    compiler: &'static str,
    emulator: &'static str,
    /// Its programs in assembly.
    assembly: &'static str,
}

const GUESTS: [Guest; 2] = [
    Guest {
        spec: &["--spec", "spec/riscv", "--generation", "RV64"],
        compiler: "riscv64-linux-gnu-gcc",
        emulator: "qemu-riscv64",
        assembly: "tests/programs/riscv",
    },
    Guest {
        spec: &["--spec", "spec/a64"],
        compiler: "aarch64-linux-gnu-gcc",
        emulator: "qemu-aarch64",
        assembly: "tests/programs/a64",
    },
];

const PROGRAMS: &str = "tests/programs";

const LEVELS: [&str; 4] = ["-O2", "-O0", "-O1", "-O3"];

/// What is not of a level. Results of float arithmetic are the same at all levels.
const FLAGS: [&str; 4] = ["-std=gnu11", "-static", "-frounding-math", "-ffp-contract=off"];

const LIBRARIES: [&str; 2] = ["-lm", "-latomic"];

/// What is run usually, at the first level: much of the machine and of the system in little time.
const SELECTED: [&str; 5] = ["abort", "atomics", "flags", "heap", "status"];

/// Machines differ in what these print.
const OF_MACHINES: [&str; 1] = ["flags"];

/// Ends a program that does not end: the longest takes a tenth of that.
const FUEL: &str = "200000000";

/// A program that is compiled for a machine.
struct Job<'a> {
    guest: &'a Guest,
    /// Of the compiler: its output may be another in another version.
    version: &'a str,
    level: &'static str,
    source: &'a Path,
}

/// What others see of a program.
#[derive(PartialEq, Clone)]
struct Outcome {
    output: Vec<u8>,
    errors: Vec<u8>,
    status: i32,
}

impl Outcome {
    fn of(ran: Output) -> Outcome {
        // As shells say it. The emulator ends by the signal that its program ends by.
        let status = ran.status.code().or_else(|| Some(128 + ran.status.signal()?));
        Outcome { output: ran.stdout, errors: ran.stderr, status: status.unwrap_or(-1) }
    }

    /// What a program does under qemu, without what qemu says itself.
    fn of_emulator(ran: Output) -> Outcome {
        let mut outcome = Outcome::of(ran);
        let own = |line: &&[u8]| !line.starts_with(b"qemu: uncaught target signal");
        outcome.errors = outcome
            .errors
            .split_inclusive(|byte| *byte == b'\n')
            .filter(own)
            .collect::<Vec<_>>()
            .concat();
        outcome
    }

    /// The differences between what is expected and this.
    fn differences(&self, expected: &Outcome) -> String {
        let mut text = String::new();
        if self.status != expected.status {
            let _ =
                writeln!(text, "  exit status: expected {}, got {}", expected.status, self.status);
        }
        let streams = [
            ("standard output", &expected.output, &self.output),
            ("standard error", &expected.errors, &self.errors),
        ];
        for (name, expected, own) in streams {
            let [expected, own] =
                [expected, own].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            if expected != own {
                text += &difference(name, &expected, &own);
            }
        }
        text
    }
}

/// The first line that differs.
fn difference(name: &str, expected: &str, own: &str) -> String {
    let mut lines = (expected.split_inclusive('\n'), own.split_inclusive('\n'));
    for number in 1.. {
        let (one, other) = (lines.0.next(), lines.1.next());
        if one != other {
            // Lines may be long: they are shown from shortly before what differs.
            let characters =
                |line: Option<&str>| line.unwrap_or_default().chars().collect::<Vec<_>>();
            let [one, other] = [one, other].map(characters);
            let same = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
            let shown = |line: Vec<char>| {
                line.into_iter().skip(same.saturating_sub(60)).take(200).collect::<String>()
            };
            let [one, other] = [one, other].map(shown);
            return format!(
                "  {name}, line {number}, column {}:\n    expected {one:?}\n    got      {other:?}\n",
                same + 1
            );
        }
    }
    unreachable!("the texts differ")
}

impl Job<'_> {
    fn name(&self) -> String {
        self.source.file_stem().expect("a name").to_string_lossy().into_owned()
    }

    /// The compiled program, which is kept until its source or the way to compile it changes.
    fn compiled(&self) -> Result<PathBuf, String> {
        let folder = folder();
        std::fs::create_dir_all(&folder).expect("a folder for programs");
        let source = std::fs::read_to_string(self.source).expect("readable");
        let all =
            [&[self.version, &source, self.level], &FLAGS[..], &LIBRARIES[..]].concat().join("\0");
        let start = format!("{}-{}{}-", self.name(), self.guest.emulator, self.level);
        let program = folder.join(format!("{start}{:016x}", hash(&all)));
        if program.exists() {
            return Ok(program);
        }
        for entry in std::fs::read_dir(&folder).expect("readable") {
            let old = entry.expect("readable").path();
            if old.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&start)) {
                std::fs::remove_file(old).expect("removable");
            }
        }
        // Under its name when it is whole, even if this is interrupted.
        let partial = folder.join(format!("partial-{}-{start}", std::process::id()));
        let mut command = Command::new(self.guest.compiler);
        command
            .args(FLAGS)
            .arg(self.level)
            .arg(self.source)
            .args(LIBRARIES)
            .arg("-o")
            .arg(&partial);
        let ran = command.output().expect("the compiler runs");
        if !ran.status.success() {
            return Err(format!("{command:?}:\n{}", String::from_utf8_lossy(&ran.stderr)));
        }
        std::fs::rename(&partial, &program).expect("writable");
        Ok(program)
    }

    /// What the program does under qemu, and how `isadl run` differs.
    fn run(&self) -> Result<(Outcome, Option<String>), String> {
        let program = self.compiled()?;
        let program = program.to_str().expect("a path in UTF-8");
        let arguments =
            std::fs::read_to_string(self.source.with_extension("args")).unwrap_or_default();
        let arguments: Vec<&str> = arguments.lines().collect();
        let input = self.source.with_extension("in");
        let emulated = [&[self.guest.emulator, program], &arguments[..]].concat();
        let own = binary().to_str().expect("a path in UTF-8");
        let marker = if arguments.is_empty() { &[][..] } else { &["--"] };
        let options = [&[own, "run"], self.guest.spec, &["--fuel", FUEL, program]].concat();
        let own = [&options[..], marker, &arguments].concat();
        let expected = Outcome::of_emulator(ran(&emulated, &input, &folder()));
        let differences = Outcome::of(ran(&own, &input, &root())).differences(&expected);
        let told = (!differences.is_empty()).then(|| {
            let (own, emulated) = (shell(&own, &input), shell(&emulated, &input));
            format!("{} {}\n{differences}  {own}\n  {emulated}\n", self.name(), self.level)
        });
        Ok((expected, told))
    }
}

/// Where compiled programs are, and where qemu may leave what is left of one that was aborted.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("guests")
}

/// FNV-1a, which is the same in every version of Rust.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Runs a command in a folder, with an input that may not be there.
fn ran(command: &[&str], input: &Path, folder: &Path) -> Output {
    let input = File::open(input).map_or_else(|_| Stdio::null(), Stdio::from);
    let output =
        Command::new(command[0]).args(&command[1..]).stdin(input).current_dir(folder).output();
    output.expect("the command runs")
}

/// A command as it is written in a shell, in the root of the repository.
fn shell(command: &[&str], input: &Path) -> String {
    let plain = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=".contains(c))
    };
    let quoted = |word: &&str| match plain(word) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words: Vec<String> = command.iter().map(quoted).collect();
    let input = if input.exists() { format!(" < {}", input.display()) } else { String::new() };
    words.join(" ") + &input
}

#[test]
fn programs_do_what_they_do_under_qemu() {
    let all = count("ISADL_SETS", 0) > 0;
    let mut sources = files(PROGRAMS, "c");
    assert_eq!(sources.len(), 32, "programs");
    sources.retain(|path| all || SELECTED.iter().any(|name| path.ends_with(format!("{name}.c"))));
    let levels = if all { &LEVELS[..] } else { &LEVELS[..1] };
    let installed = GUESTS.iter().filter(|guest| has(guest.compiler) && has(guest.emulator));
    let installed: Vec<(&Guest, String)> = installed.map(|guest| (guest, version(guest))).collect();
    let mut jobs = Vec::new();
    for source in &sources {
        for &level in levels {
            jobs.extend(installed.iter().map(|(guest, version)| Job {
                guest,
                version,
                level,
                source,
            }));
        }
    }
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let seen = Mutex::new(Vec::new());
    // Two, as other tests run meanwhile.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let failure = match job.run() {
                        Ok((outcome, told)) => {
                            seen.lock().expect("no panic").push((job, outcome));
                            told
                        }
                        Err(message) => Some(message),
                    };
                    failures.lock().expect("no panic").extend(failure);
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no panic");
    // The corpus itself: no program depends on a level, or on a machine that it need not depend on.
    let mut firsts = BTreeMap::new();
    for (job, outcome) in &seen.into_inner().expect("no panic") {
        let own = OF_MACHINES.contains(&job.name().as_str());
        let key = (job.name(), if own { job.guest.emulator } else { "" });
        let (first, expected) = *firsts.entry(key).or_insert((job, outcome));
        let differences = outcome.differences(expected);
        if !differences.is_empty() {
            let [first, own] =
                [first, job].map(|job| format!("{} {}", job.guest.emulator, job.level));
            failures.push(format!("{}: {own} differs from {first}\n{differences}", job.name()));
        }
    }
    failures.sort();
    assert!(
        failures.is_empty(),
        "{} of {} differ:\n{}",
        failures.len(),
        jobs.len(),
        failures.join("\n")
    );
}

/// The version of the compiler for a machine.
fn version(guest: &Guest) -> String {
    let told = Command::new(guest.compiler).arg("--version").output().expect("it is installed");
    String::from_utf8_lossy(&told.stdout).into_owned()
}

#[test]
fn assembly_programs_print_what_they_should() {
    for guest in &GUESTS {
        let programs = files(guest.assembly, "s");
        assert_eq!(programs.len(), 3, "{}", guest.assembly);
        for path in programs {
            let program =
                path.strip_prefix(root()).expect("in the repository").to_str().expect("UTF-8");
            let own = binary().to_str().expect("a path in UTF-8");
            let command = [&[own, "run"], guest.spec, &["--fuel", FUEL, program]].concat();
            let outcome = Outcome::of(ran(&command, Path::new(""), &root()));
            let errors = String::from_utf8_lossy(&outcome.errors);
            assert!(errors.is_empty(), "{}:\n{errors}", shell(&command, Path::new("")));
            let output = String::from_utf8_lossy(&outcome.output);
            golden(&path.with_extension("out"), &format!("{output}status {}\n", outcome.status));
        }
    }
}

#[test]
fn the_readme_lists_all_programs() {
    let readme =
        std::fs::read_to_string(root().join(PROGRAMS).join("README.md")).expect("readable");
    let listed = readme.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let listed: BTreeSet<&str> =
        listed.map(|(name, _)| name).filter(|name| !name.contains('.')).collect();
    let sources = files(PROGRAMS, "c");
    let names = sources.iter().filter_map(|path| path.file_stem()?.to_str());
    assert_eq!(listed, names.collect());
}
