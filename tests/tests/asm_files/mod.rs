//! Whole assembly files: our programs against llvm-mc 19, linked and run; compiler output against GNU as; all output
//! formats; errors; macros.
//!
//! The results of other assemblers and of the programs are recorded next to each program; `BLESS=1` records them again
//! where the tools are installed.

mod aliases;
mod command;
mod compilers;
mod constants;
mod corpus;
mod debug;
mod elf;
mod errors;
mod functions;
mod habits;
mod later;
mod layouts;
mod outputs;
mod page;
mod programs;
mod replacing;
mod rules;
mod sizes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use isadl::diagnostic::Diagnostics;
use isadl::engine::{Engine, Loaded};
use isadl::source::SourceMap;
use isadl_asm::{Object, Options, Purpose, assemble};
use isadl_test_support::{family, root};

/// A machine that programs are assembled for, linked and run.
pub(crate) struct Target {
    /// The folder of the specification.
    pub(crate) spec: &'static str,
    /// The generation, if there are several.
    pub(crate) generation: Option<&'static str>,
    /// The extensions; none for the default.
    pub(crate) extensions: &'static [&'static str],
    /// The folder of programs.
    pub(crate) programs: &'static str,
    /// Programs that need linker-generated contents.
    pub(crate) linked: &'static [&'static str],
    /// Arguments of llvm-mc.
    pub(crate) llvm: &'static [&'static str],
    /// The program that runs its programs.
    pub(crate) emulator: &'static str,
}

/// RISC-V with the extensions that GNU/Linux distributions require.
pub(crate) const RISCV: Target = Target {
    spec: "spec/riscv",
    generation: Some("RV64"),
    extensions: &["gc"],
    programs: "tests/fixtures/asm/riscv",
    linked: &[],
    llvm: &["--triple=riscv64", "--mattr=+m,+a,+f,+d,+c,-relax"],
    emulator: "qemu-riscv64",
};

/// A64 of GNU/Linux distributions.
pub(crate) const A64: Target = Target {
    spec: "spec/a64",
    generation: None,
    extensions: &[],
    programs: "tests/fixtures/asm/a64",
    linked: &["primes.s", "threads.s"],
    llvm: &["--triple=aarch64"],
    emulator: "qemu-aarch64",
};

/// An instruction set, which is read once for all tests.
fn loaded(target: &Target) -> &'static Loaded {
    static ALL: Mutex<BTreeMap<&str, &Loaded>> = Mutex::new(BTreeMap::new());
    let mut all = ALL.lock().expect("no test failed here");
    all.entry(target.spec).or_insert_with(|| {
        let family = family(target.spec);
        let isa = target.generation.and_then(|name| family.generation(name));
        let isa = isa.unwrap_or_else(|| family.first()).clone();
        Box::leak(Box::new(Loaded::new(isa)))
    })
}

/// An instruction set with its macros.
pub(crate) struct Machine {
    loaded: &'static Loaded,
    extensions: u64,
    macros: PathBuf,
}

impl Machine {
    pub(crate) fn of(target: &Target, extensions: &[&str]) -> Machine {
        let loaded = loaded(target);
        let known = loaded.isa().extensions();
        let names: Vec<String> = extensions.iter().map(|name| name.to_string()).collect();
        let extensions = match names.is_empty() {
            true => known.default,
            false => known.set_of(&names).expect("known extensions"),
        };
        let macros = root().join(target.spec).join("macros.s");
        Machine { loaded, extensions, macros }
    }

    pub(crate) fn engine(&self) -> Engine<'_> {
        self.loaded.engine().with_extensions(self.extensions)
    }

    /// Assembles texts after the macros of the instruction set.
    pub(crate) fn assemble(
        &self,
        texts: &[(&Path, &[u8])],
        (options, purpose): (&Options, Purpose),
    ) -> (SourceMap, Option<Object>, Diagnostics) {
        let mut sources = SourceMap::new();
        let mut ids = Vec::new();
        if let Ok(bytes) = std::fs::read(&self.macros) {
            ids.push(sources.add(self.macros.display().to_string(), bytes));
        }
        for (path, bytes) in texts {
            ids.push(sources.add(path.display().to_string(), bytes.to_vec()));
        }
        let engine = self.engine();
        let (object, diagnostics) = assemble(&engine, &mut sources, &ids, options, purpose);
        (sources, object, diagnostics)
    }

    /// The ELF file of a text that has no errors.
    pub(crate) fn elf(&self, path: &Path, text: &[u8]) -> Vec<u8> {
        let options = (&Options::default(), Purpose::Linker);
        let (_, object, diagnostics) = self.assemble(&[(path, text)], options);
        let messages: Vec<_> =
            diagnostics.iter().map(|one| (&one.message, one.primary.span)).collect();
        let object = object.unwrap_or_else(|| panic!("{}: {messages:?}", path.display()));
        let engine = self.engine();
        isadl_asm::output::elf(&object, engine.isa(), engine.extensions()).expect("an ELF file")
    }
}

/// Whether a program is installed; prints a note about the skipped tests if not.
pub(crate) fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: {program} is not installed");
    }
    found
}

/// Runs a program that must succeed.
pub(crate) fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().expect("the program runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {message}");
    output.stdout
}

/// A folder for the files of a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("isadl-asm-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

/// The files of a folder with an extension, sorted.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder is readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|own| own == extension));
    paths.sort();
    paths
}
