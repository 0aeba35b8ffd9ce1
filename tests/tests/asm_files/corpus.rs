//! Assembly files that others wrote: each gives the object of GNU as, or that of llvm-mc, or differs as recorded.
//!
//! `tests/corpus/fetch FOLDER` downloads the sources and `ISADL_CORPUS=FOLDER` says where they are; `BLESS=1` records. Without the sources the
//! recorded results are printed. Nothing of the sources is in the repository: `results.tsv` has names, hashes and results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use isadl::diagnostic::Severity;
use isadl_asm::{Options, Purpose};
use isadl_test_support::{bless, root};

use super::{A64, Machine, RISCV, Target, elf, folder};

/// How a machine's files are preprocessed and assembled by others.
struct Others {
    target: &'static Target,
    gcc: &'static str,
    /// The processor, for the preprocessor and GNU as.
    march: &'static str,
    llvm: &'static [&'static str],
}

const A64_OTHERS: Others = Others {
    target: &A64,
    gcc: "aarch64-linux-gnu-gcc",
    march: "-march=armv8.5-a+crypto+sha3+sm4+fp16+dotprod+i8mm+bf16+memtag",
    llvm: &[
        "--triple=aarch64",
        "--mattr=+v8.5a,+crypto,+sha3,+sm4,+fullfp16,+dotprod,+i8mm,+bf16,+mte",
    ],
};

const RISCV_OTHERS: Others = Others {
    target: &RISCV,
    gcc: "riscv64-linux-gnu-gcc",
    march: "-march=rv64gc",
    llvm: &["--triple=riscv64", "--mattr=+m,+a,+f,+d,+c,-relax"],
};

/// Fixed addresses, so that headers and empty sections do not matter.
const SCRIPT: &str = "SECTIONS {
    .text 0x10000 : { *(.text .text.*) }
    .rodata 0x800000 : { *(.rodata .rodata.* .srodata .srodata.*) }
    .data 0x900000 : { *(.data .data.* .sdata .sdata.*) }
    .got 0xa00000 : { *(.got .got.plt) }
    .bss 0xb00000 : { *(.bss .bss.* .sbss .sbss.*) *(COMMON) }
    .eh_frame 0xc00000 : { *(.eh_frame) }
    /DISCARD/ : { *(.riscv.attributes .comment .note.*) }
}
";

/// What a file gives, the best last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Errors, where the other assemblers have none.
    Refused,
    /// Another object.
    Differs,
    /// Another object, whose bytes are those of GNU as once it is linked: RISC-V's assemblers leave more or less to linkers.
    Linked,
    /// The object of llvm-mc or of GNU as.
    Same,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Outcome {
    hash: u64,
    class: Class,
    why: String,
}

impl Outcome {
    fn line(&self, key: &str) -> String {
        format!("{key}\t{:016x}\t{:?}\t{}\n", self.hash, self.class, self.why)
    }

    fn read(line: &str) -> Option<(String, Outcome)> {
        let mut parts = line.splitn(5, '\t');
        let key = format!("{}\t{}", parts.next()?, parts.next()?);
        let hash = u64::from_str_radix(parts.next()?, 16).ok()?;
        let class = match parts.next()? {
            "Same" => Class::Same,
            "Linked" => Class::Linked,
            "Differs" => Class::Differs,
            _ => Class::Refused,
        };
        Some((key, Outcome { hash, class, why: parts.next().unwrap_or_default().to_string() }))
    }
}

/// FNV-1a, to know a file again.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The files below a folder that a pattern of its paths has: `**/` is any folders, `*` anything, `[ab]` one character.
fn matching(base: &Path, pattern: &str) -> Vec<PathBuf> {
    let Some((first, rest)) = pattern.split_once('/') else {
        let mut found = entries(base);
        found.retain(|path| path.is_file() && is_like(name(path).as_bytes(), pattern.as_bytes()));
        return found;
    };
    let folders = entries(base).into_iter().filter(|path| path.is_dir());
    match first {
        "**" => {
            let mut found = matching(base, rest);
            found.extend(folders.flat_map(|path| matching(&path, pattern)));
            found
        }
        _ => {
            let own = folders.filter(|path| is_like(name(path).as_bytes(), first.as_bytes()));
            own.flat_map(|path| matching(&path, rest)).collect()
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut all: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    all.sort();
    all
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_like(name: &[u8], pattern: &[u8]) -> bool {
    match pattern {
        [] => name.is_empty(),
        [b'*', rest @ ..] => (0..=name.len()).any(|at| is_like(&name[at..], rest)),
        [b'[', rest @ ..] => {
            let end = rest.iter().position(|byte| *byte == b']').expect("it is closed");
            name.split_first().is_some_and(|(first, others)| {
                rest[..end].contains(first) && is_like(others, &rest[end + 1..])
            })
        }
        [own, rest @ ..] => {
            name.split_first().is_some_and(|(first, others)| first == own && is_like(others, rest))
        }
    }
}

/// The output of a command; `None` if it fails.
fn output(command: &mut Command) -> Option<Vec<u8>> {
    let output = command.output().ok()?;
    output.status.success().then_some(output.stdout)
}

struct Corpus {
    base: PathBuf,
    scratch: PathBuf,
}

impl Corpus {
    /// The text that assemblers get; `None` if it cannot be made.
    fn text(&self, others: &Others, path: &Path, arguments: &str) -> Option<Vec<u8>> {
        let here = root().join("tests/corpus").display().to_string();
        let arguments = arguments.replace("HERE", &here);
        let mut command = Command::new(others.gcc);
        command.current_dir(&self.base).arg(others.march).args(arguments.split_whitespace());
        match path.extension().is_some_and(|own| own == "c") {
            true => command.args(["-O2", "-g", "-fexceptions", "-S", "-o", "-"]),
            false => command.args(["-E", "-x", "assembler-with-cpp", "-D__ASSEMBLY__"]),
        };
        output(command.arg(path))
    }

    /// The objects of GNU as and llvm-mc, of those that accept the text.
    fn objects(&self, others: &Others, text: &[u8]) -> Vec<Vec<u8>> {
        let [source, object] = ["file.s", "file.o"].map(|name| self.scratch.join(name));
        std::fs::write(&source, text).expect("writable");
        let mut gnu = Command::new(others.gcc);
        gnu.args(["-c", "-x", "assembler", others.march]);
        if others.target.emulator == "qemu-riscv64" {
            gnu.arg("-mno-relax");
        }
        gnu.arg(&source).arg("-o").arg(&object);
        let mut llvm = Command::new("llvm-mc-19");
        llvm.args(others.llvm).arg("--filetype=obj").arg(&source).arg("-o").arg(&object);
        let read = |command: &mut Command| {
            output(command)?;
            std::fs::read(&object).ok()
        };
        [gnu, llvm].iter_mut().filter_map(read).collect()
    }

    /// The sections of an object once it is linked; `None` if it cannot be.
    fn linked(&self, object: &[u8]) -> Option<String> {
        let [script, file, program] =
            ["script.ld", "linked.o", "program"].map(|name| self.scratch.join(name));
        std::fs::write(&script, SCRIPT).expect("writable");
        std::fs::write(&file, object).expect("writable");
        let mut command = Command::new("ld.lld-19");
        command.args(["--no-relax", "-e", "0", "--unresolved-symbols=ignore-all", "-T"]);
        output(command.arg(script).arg(file).arg("-o").arg(&program))?;
        let summary = elf::summary(&std::fs::read(program).ok()?);
        // The file determines which names are visible, and their addresses.
        let is_own = |line: &&str| !line.starts_with("symbol") && !line.starts_with("machine");
        Some(summary.lines().filter(is_own).map(|line| format!("{line}\n")).collect())
    }

    /// What a file gives; `None` if nobody accepts it.
    fn outcome(
        &self,
        machine: &Machine,
        others: &Others,
        path: &Path,
        arguments: &str,
    ) -> Option<Outcome> {
        let text = self.text(others, path, arguments)?;
        let expected = self.objects(others, &text);
        if expected.is_empty() {
            return None;
        }
        let hash = hash(&std::fs::read(path).ok()?);
        let options = (&Options::default(), Purpose::Linker);
        let (_, object, diagnostics) = machine.assemble(&[(path, &text)], options);
        let Some(object) = object else {
            let mut errors = diagnostics.iter().filter(|one| one.severity == Severity::Error);
            let why = errors.next().map_or(String::new(), |one| one.message.clone());
            return Some(Outcome { hash, class: Class::Refused, why: short(&why) });
        };
        let engine = machine.engine();
        let bytes = isadl_asm::output::elf(&object, engine.isa(), engine.extensions());
        let bytes = bytes.expect("an ELF file");
        let own = comparable(&bytes);
        if expected.iter().any(|other| comparable(other) == own) {
            return Some(Outcome { hash, class: Class::Same, why: String::new() });
        }
        let linked = self.linked(&bytes);
        if linked.is_some() && expected.iter().any(|other| self.linked(other) == linked) {
            return Some(Outcome { hash, class: Class::Linked, why: String::new() });
        }
        let first = comparable(&expected[0]);
        let lines = own.lines().zip(first.lines());
        let why = lines
            .filter(|(own, other)| own != other)
            .map(|(own, other)| format!("{own} / {other}"));
        let why = why.into_iter().next().unwrap_or_else(|| "the number of lines".to_string());
        Some(Outcome { hash, class: Class::Differs, why: short(&why) })
    }
}

/// An object as text, without what the command line of an assembler decides.
fn comparable(object: &[u8]) -> String {
    let summary = elf::summary(object);
    summary
        .lines()
        .filter(|line| !line.starts_with("machine"))
        .map(|line| format!("{line}\n"))
        .collect()
}

fn short(text: &str) -> String {
    text.replace('\t', " ").chars().take(160).collect()
}

fn projects() -> Vec<(String, String, String, String)> {
    let text = std::fs::read_to_string(root().join("tests/corpus/projects.tsv")).expect("readable");
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut parts = line.split('\t').map(str::to_string);
        let mut next = || parts.next().unwrap_or_default();
        (next(), next(), next(), next())
    });
    rows.collect()
}

/// How many of the files of a machine, hand-written or compiled, give the same object.
fn shares(results: &BTreeMap<String, Outcome>) -> BTreeMap<(String, bool), (usize, usize)> {
    let mut shares = BTreeMap::new();
    for (key, outcome) in results {
        let machine = key.split('\t').next().unwrap_or_default().to_string();
        let (same, all) = shares.entry((machine, key.ends_with(".c"))).or_insert((0, 0));
        *same += usize::from(outcome.class >= Class::Linked);
        *all += 1;
    }
    shares
}

/// The outcomes of every `parts`-th file of each project, from number `part`.
fn outcomes(base: &Path, part: usize, parts: usize) -> BTreeMap<String, Outcome> {
    let scratch = folder(&format!("corpus{part}"));
    let corpus = Corpus { base: base.to_path_buf(), scratch };
    let mut results = BTreeMap::new();
    for (machine, project, pattern, arguments) in projects() {
        let others = if machine == "a64" { &A64_OTHERS } else { &RISCV_OTHERS };
        let own = Machine::of(others.target, others.target.extensions);
        for path in matching(&corpus.base, &pattern).iter().skip(part).step_by(parts) {
            if let Some(outcome) = corpus.outcome(&own, others, path, &arguments) {
                let shown = path.strip_prefix(base).expect("below it").display().to_string();
                results.insert(format!("{machine}\t{project}:{shown}"), outcome);
            }
        }
    }
    let _ = std::fs::remove_dir_all(&corpus.scratch);
    results
}

#[test]
fn files_of_others_give_the_objects_of_other_assemblers() {
    let recorded_in = root().join("tests/corpus/results.tsv");
    let text = std::fs::read_to_string(&recorded_in).unwrap_or_default();
    let recorded: BTreeMap<String, Outcome> = text.lines().filter_map(Outcome::read).collect();
    let Some(base) = std::env::var_os("ISADL_CORPUS").map(PathBuf::from) else {
        eprintln!("skipped: ISADL_CORPUS is not set; recorded: {:?}", shares(&recorded));
        return;
    };
    let base = &base.canonicalize().expect("a folder");
    let parts = std::thread::available_parallelism().map_or(1, usize::from);
    let results: BTreeMap<String, Outcome> = std::thread::scope(|scope| {
        let part = |part| scope.spawn(move || outcomes(base, part, parts));
        let parts: Vec<_> = (0..parts).map(part).collect();
        parts.into_iter().flat_map(|part| part.join().expect("no panic")).collect()
    });
    println!("{:?}", shares(&results));
    if bless() {
        let text: String = results.iter().map(|(key, outcome)| outcome.line(key)).collect();
        std::fs::write(&recorded_in, text).expect("writable");
        return;
    }
    let worse = results.iter().filter_map(|(key, outcome)| {
        let before = recorded.get(key).filter(|before| before.hash == outcome.hash)?;
        (outcome.class < before.class).then(|| outcome.line(key))
    });
    let worse: Vec<String> = worse.collect();
    assert!(worse.is_empty(), "{}", worse.concat());
    // Other versions of the packages have other files.
    for ((machine, is_compiled), (same, all)) in shares(&results) {
        assert!(100 * same >= 90 * all, "{machine}, compiled: {is_compiled}: {same} of {all}");
    }
}
