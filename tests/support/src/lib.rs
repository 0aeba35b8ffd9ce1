//! Code that the tests share: paths of files, compilation of texts, fixtures.

pub mod compared;
pub mod copies;
pub mod fuzz;
pub mod lines;
pub mod llvm;
pub mod llvm_a64;
pub mod llvm_riscv;
pub mod oracle;
pub mod random;
pub mod set;
pub mod site;
pub mod synthetic;
pub mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use isadl::Compilation;
use isadl::isa::{Family, Merged, Selection};
use isadl::semantics::Checked;
use isadl::source::SourceMap;
pub use set::{Set, Sets};

/// The root of the repository.
pub fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.ancestors().nth(2).unwrap_or(folder).to_path_buf()
}

/// The number in an environment variable, or the default.
pub fn count(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Choices of parts of generated code, a bit for each: all, none, and all but one; every choice in long runs, which
/// set `ISADL_CRATES`.
pub fn choices(parts: u32) -> Vec<u32> {
    let all = (1 << parts) - 1;
    match count("ISADL_CRATES", 0) {
        0 => (0..parts).map(|part| all ^ 1 << part).chain([0, all]).collect(),
        _ => (0..=all).collect(),
    }
}

/// Whether goldens are to be rewritten instead of compared: `BLESS=1`.
pub fn bless() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// Compares a text with a file of the repository, or rewrites the file when blessing.
pub fn golden(path: &Path, text: &str) {
    if bless() {
        std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert!(expected == text, "{} differs; got:\n{text}\n(BLESS=1 rewrites it)", path.display());
}

/// The four source files, sorted; `None`, with a message, if `ISADL_SEEDS` is not set. Panics
/// if it is set but the files do not exist.
pub fn seeds() -> Option<Vec<PathBuf>> {
    let Some(folder) = std::env::var_os("ISADL_SEEDS") else {
        eprintln!("skipped: ISADL_SEEDS is not set, the source files are not at hand");
        return None;
    };
    let folder = root().join(folder);
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("ISADL_SEEDS: {}: {error}", folder.display()));
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("readable folder").path()).collect();
    let is_source = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ["000_", "001_", "002_", "003_"].iter().any(|prefix| name.starts_with(prefix))
    };
    files.retain(is_source);
    files.sort();
    assert_eq!(files.len(), 4, "ISADL_SEEDS: {} must hold the four source files", folder.display());
    Some(files)
}

/// The sources of the source files with our base file, named as in the repository.
pub fn seed_texts() -> Option<Vec<(String, String)>> {
    let mut paths = seeds()?;
    paths.push(root().join("spec/simt/base.isa"));
    let read = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (
            name,
            std::fs::read_to_string(path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        )
    };
    Some(paths.iter().map(read).collect())
}

/// A source map of texts.
pub fn source_map<N: AsRef<str>, T: AsRef<str>>(texts: &[(N, T)]) -> SourceMap {
    let mut map = SourceMap::new();
    for (name, text) in texts {
        map.add(name.as_ref(), text.as_ref().as_bytes().to_vec());
    }
    map
}

/// Compiles texts together.
pub fn compile<N: AsRef<str>, T: AsRef<str>>(texts: &[(N, T)]) -> (SourceMap, Compilation) {
    let map = source_map(texts);
    let compilation = isadl::compile(&map);
    (map, compilation)
}

/// The SIMT instruction set of `spec/simt`.
pub fn simt() -> &'static Set {
    first("spec/simt")
}

/// The GCN instruction set of `spec/gcn`, in all generations.
pub fn gcn() -> &'static Sets {
    &compiled("spec/gcn").sets
}

/// The RISC-V instruction set of `spec/riscv`, in both generations.
pub fn riscv() -> &'static Sets {
    &compiled("spec/riscv").sets
}

/// RISC-V as implementations with a set of extensions have it, in both generations.
pub fn riscv_with(extensions: &[&str]) -> &'static Sets {
    static KNOWN: Once<Sets> = Once::new();
    KNOWN.get(&extensions.join(","), || {
        let extensions = Some(extensions.iter().map(|name| name.to_string()).collect());
        let selection = Selection { extensions, ..Selection::default() };
        family("spec/riscv").select(&selection).expect("the set is allowed").into()
    })
}

/// The awkward instruction set of `tests/fixtures/odd`.
pub fn odd() -> &'static Set {
    first("tests/fixtures/odd")
}

/// The first generation of a folder's instruction set.
pub fn first(folder: &str) -> &'static Set {
    &compiled(folder).sets.isas()[0]
}

/// The instruction set of a folder, which has no errors, in all generations.
pub fn family(folder: &str) -> Family {
    Family::clone(&compiled(folder).sets)
}

/// A specification without errors, and what was made of it.
#[derive(Debug)]
pub struct Compiled {
    /// Its texts.
    pub sources: SourceMap,
    /// All generations.
    pub sets: Sets,
    /// The programs of each generation.
    pub programs: Vec<Checked>,
}

impl Compiled {
    /// Compiles a folder.
    pub fn of(folder: &str) -> Compiled {
        let sources = SourceMap::read(&[root().join(folder)]).expect("the folder is readable");
        let compilation = isadl::compile(&sources);
        let family = compilation.family.expect("the specification has no errors");
        Compiled { sources, sets: family.into(), programs: compilation.semantics }
    }
}

/// The specification of a folder. Each is compiled once for all tests: the large ones take seconds.
pub fn compiled(folder: &str) -> &'static Compiled {
    static KNOWN: Once<Compiled> = Once::new();
    KNOWN.get(folder, || Compiled::of(folder))
}

/// Values that are made once for all tests, by their names.
pub struct Once<T: 'static>(Mutex<BTreeMap<String, &'static OnceLock<T>>>);

impl<T: Send + Sync> Once<T> {
    /// Nothing is made yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Once<T> {
        Once(Mutex::new(BTreeMap::new()))
    }

    /// The value of a name; tests that need it meanwhile wait for it.
    pub fn get(&self, name: &str, make: impl FnOnce() -> T) -> &'static T {
        let own = {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *known.entry(name.to_string()).or_insert_with(|| Box::leak(Box::default()))
        };
        own.get_or_init(make)
    }
}

/// An instruction set without opcodes.
pub fn empty() -> Family {
    let text = "__DefIsa Nothing<32>\n";
    compile(&[("nothing.isa", text)]).1.family.expect("the specification has no errors")
}

/// The part of an instruction set that belongs to a group.
pub fn group(family: Family, name: &str) -> Merged {
    let selection = Selection { groups: vec![name.to_string()], ..Selection::default() };
    family.select(&selection).expect("the group is known").merged()
}

/// The definitions that fixtures and examples build upon.
pub fn prelude() -> String {
    std::fs::read_to_string(root().join("tests/fixtures/prelude.isa"))
        .expect("the prelude is readable")
}

/// What `isadl check` finds: the findings of the compiler and, without errors, those of examples and laws.
pub fn checked(sources: &isadl::source::SourceMap) -> isadl::Compilation {
    let mut compilation = isadl::compile(sources);
    if let Some(family) = &compilation.family {
        let programs = std::mem::take(&mut compilation.semantics);
        compilation.diagnostics.extend(isadl_laws::check(family, programs).diagnostics);
    }
    compilation
}

/// A reproducible source of random numbers (xorshift64*, Vigna 2016).
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    /// A source that begins with `seed`.
    pub fn new(seed: u64) -> Random {
        Random(seed | 1)
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// 128 random bits.
    pub fn next_u128(&mut self) -> u128 {
        u128::from(self.next_u64()) << 64 | u128::from(self.next_u64())
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next_u64() % limit
    }
}

/// A specification with all fields after its first group in pieces: four bits of the word at a time are
/// moved to other places below bit 120.
pub fn scattered(text: &str) -> String {
    let place = |bit: u32| if bit < 120 { bit / 4 * 7 % 30 * 4 + bit % 4 } else { bit };
    let start = text.find("__DefGroup").unwrap_or(0);
    let moved = |line: &str| {
        let numbers = line.split_once('<').and_then(|(keyword, rest)| {
            let (numbers, rest) = rest.split_once('>')?;
            let (lsb, width) = numbers.split_once(", ")?;
            Some((keyword, lsb.parse::<u32>().ok()?, width.parse::<u32>().ok()?, rest))
        });
        let Some((keyword, lsb, width, rest)) = numbers else { return line.to_string() };
        let bits: Vec<String> =
            (lsb..lsb + width).rev().map(|bit| place(bit).to_string()).collect();
        format!("{keyword}[{}]{rest}", bits.join(", "))
    };
    let lines: Vec<String> = text[start..].lines().map(moved).collect();
    text[..start].to_string() + &lines.join("\n") + "\n"
}
