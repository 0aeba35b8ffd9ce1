//! Every example of a diagnostic's page and of the language's manual compiles, or fails, as marked.

use std::sync::LazyLock;

use super::asm_files::{Machine, RISCV};
use isadl::Compilation;
use isadl::diagnostic::{Code, Diagnostic};
use isadl::levels::{Level, Levels, LintGroup};
use isadl::source::SourceMap;
use isadl_test_support::{prelude, root};

/// A code fence of a page.
struct Fence {
    words: Vec<String>,
    text: String,
}

impl Fence {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }
}

fn fences(page: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut open: Option<(String, Fence)> = None;
    for line in page.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &mut open {
            Some((closing, _)) if line == closing.as_str() => {
                fences.extend(open.take().map(|(_, fence)| fence))
            }
            Some((_, fence)) => {
                fence.text += line;
                fence.text.push('\n');
            }
            None if ticks.len() >= 3 => {
                let words =
                    line[ticks.len()..].split(',').map(|word| word.trim().to_string()).collect();
                open = Some((ticks, Fence { words, text: String::new() }));
            }
            None => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    fences
}

/// Compiles an example; returns the findings in the example itself.
fn compile(
    fence: &Fence,
    lock: Option<&str>,
    levels: &Levels,
) -> (SourceMap, Compilation, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    if !fence.has("whole") {
        sources.add("prelude.isa", prelude().into_bytes());
    }
    let mut own = vec![sources.add("example.isa", fence.text.clone().into_bytes())];
    if let Some(lock) = lock {
        own.push(sources.add_lock("opcodes.lock", lock.as_bytes().to_vec()));
    }
    let mut compilation = isadl_test_support::checked(&sources);
    compilation.diagnostics.apply(levels);
    let found = compilation
        .diagnostics
        .iter()
        .filter(|d| own.contains(&d.primary.span.file))
        .cloned()
        .collect();
    (sources, compilation, found)
}

fn codes(found: &[Diagnostic]) -> Vec<Code> {
    let mut codes: Vec<Code> = found.iter().map(|diagnostic| diagnostic.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// The codes of the errors in an assembly file of RISC-V.
fn assembled(text: &str) -> Vec<Code> {
    static MACHINE: LazyLock<Machine> = LazyLock::new(|| Machine::of(&RISCV, RISCV.extensions));
    let options = (&isadl_asm::Options::default(), isadl_asm::Purpose::Linker);
    let text = [(std::path::Path::new("page.s"), text.as_bytes())];
    let (_, _, diagnostics) = MACHINE.assemble(&text, options);
    codes(&diagnostics.iter().cloned().collect::<Vec<_>>())
}

fn check_page(code: Code, failures: &mut Vec<String>) {
    let mut lock: Option<Fence> = None;
    let (mut failing, mut fixed) = (0, 0);
    // Lints that are allowed by default are enabled; codes that are always errors have no level.
    let mut levels = Levels::default();
    let _ = levels.set(code.as_str(), Level::Warn);
    for fence in fences(code.page()) {
        if fence.has("lock") {
            lock = Some(fence);
            continue;
        }
        if fence.has("asm") || fence.has("toml") {
            let fails = fence.has("fail");
            (failing, fixed) = (failing + usize::from(fails), fixed + usize::from(!fails));
            let expected = if fails { vec![code] } else { Vec::new() };
            let got = if fence.has("asm") { assembled(&fence.text) } else { settings(&fence.text) };
            if got != expected {
                failures.push(format!(
                    "{code}: expected {expected:?}, got {got:?} from\n{}",
                    fence.text
                ));
            }
            continue;
        }
        if !fence.has("isa") {
            continue;
        }
        let lock_text = lock.as_ref().map(|lock| lock.text.as_str());
        let (_, _, found) = compile(&fence, lock_text, &levels);
        let fails = fence.has("fail") || lock.as_ref().is_some_and(|lock| lock.has("fail"));
        let expected = if fails { vec![code] } else { Vec::new() };
        if fails {
            failing += 1;
        } else {
            fixed += 1;
        }
        let got = codes(&found);
        if got != expected {
            let messages: Vec<&str> =
                found.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
            failures.push(format!(
                "{code}: expected {expected:?}, got {got:?} {messages:?} from\n{}",
                fence.text
            ));
        }
        lock = None;
    }
    let shows_nothing = matches!(code, Code::E0001 | Code::E0002 | Code::E0003);
    if !shows_nothing && (failing == 0 || fixed == 0) {
        failures.push(format!("{code}: the page needs a failing and a fixed example"));
    }
}

/// The errors in the settings of a project.
fn settings(text: &str) -> Vec<Code> {
    let read = isadl_project::parse(isadl_project::FILE_NAME.to_string(), text.into());
    read.err().map_or(Vec::new(), |problem| {
        let found: Vec<Diagnostic> = problem.diagnostics.iter().cloned().collect();
        codes(&found)
    })
}

#[test]
fn pages_of_codes_compile_as_they_say() {
    let mut failures = Vec::new();
    for code in Code::ALL {
        let heading = format!("# {code}: {}", code.title());
        if code.page().lines().next() != Some(heading.as_str()) {
            failures.push(format!("{code}: the first line must be {heading:?}"));
        }
        check_page(*code, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn examples_of_the_manual_compile() {
    let manual =
        std::fs::read_to_string(root().join("isadl/LANGUAGE.md")).expect("the manual is readable");
    let examples: Vec<Fence> =
        fences(&manual).into_iter().filter(|fence| fence.has("isa")).collect();
    assert!(examples.len() >= 15, "the manual has {} examples", examples.len());
    let mut failures = Vec::new();
    for example in &examples {
        let (_, compilation, found) = compile(example, None, &Levels::default());
        let wrong: Vec<&Diagnostic> =
            found.iter().filter(|d| d.code.group() != Some(LintGroup::Unused)).collect();
        if !wrong.is_empty() || compilation.family.is_none() {
            failures.push(format!("{wrong:#?}\nfrom\n{}", example.text));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The source files of a crate with their texts.
fn rust_sources(folder: &std::path::Path, into: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("readable folder") {
        let path = entry.expect("readable folder").path();
        if path.is_dir() {
            rust_sources(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && !path.ends_with("diagnostic.rs")
        {
            into.push(std::fs::read_to_string(&path).expect("source is text"));
        }
    }
}

#[test]
fn every_code_has_a_fixture_and_is_reported_somewhere() {
    let mut sources = Vec::new();
    rust_sources(&root().join("isadl/src"), &mut sources);
    rust_sources(&root().join("crates"), &mut sources);
    let fixtures: Vec<String> = ["tests/diagnostics", "tests/fixtures/asm/errors"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root().join(folder)).expect("readable folder"))
        .map(|entry| entry.expect("readable folder").file_name().to_string_lossy().into_owned())
        .collect();
    // Errors that no fixture can contain are covered by the tests of the command line.
    let without_fixture =
        [Code::E0001, Code::E0002, Code::E0003, Code::E0004, Code::E0801, Code::W0802];
    for code in Code::ALL {
        let name = format!("Code::{code}");
        assert!(sources.iter().any(|text| text.contains(&name)), "{code} is reported nowhere");
        let has_fixture = fixtures.iter().any(|file| file.starts_with(code.as_str()));
        assert!(has_fixture || without_fixture.contains(code), "{code} has no fixture");
    }
    let pages = std::fs::read_dir(root().join("crates/isadl-diagnostics/src/codes"))
        .expect("readable folder");
    for page in pages {
        let name = page.expect("readable folder").file_name().to_string_lossy().into_owned();
        assert!(
            name.trim_end_matches(".md").parse::<Code>().is_ok(),
            "page {name} belongs to no code"
        );
    }
}
