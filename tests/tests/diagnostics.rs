//! Every fixture in `tests/diagnostics`: a small specification with the expected diagnostics in comment lines below the
//! lines that they belong to. Missing and additional diagnostics fail.
//!
//! `//   ^^^^ E0401: message` marks the columns of the primary span, as far as they lie right of
//! the comment sign. A first line `// prelude` adds the prelude. `BLESS=1` rewrites the lines.

use std::path::PathBuf;

use isadl::diagnostic::{Code, Diagnostic};
use isadl::engine::Loaded;
use isadl::levels::{Level, Levels};
use isadl::source::{FileId, SourceMap};
use isadl_test_support::{golden, prelude, root};

fn fixtures() -> Vec<PathBuf> {
    let folder = root().join("tests/diagnostics");
    let entries = std::fs::read_dir(folder).expect("tests/diagnostics is readable");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("readable folder").path()).collect();
    paths.sort();
    paths
}

/// Whether a line was written by this test.
fn is_expectation(line: &str) -> bool {
    let Some(marks) = line.trim_start().strip_prefix("//") else { return false };
    let marks = marks.trim_start();
    let behind = marks.trim_start_matches('^');
    let code = behind.strip_prefix(' ').and_then(|rest| rest.split(':').next());
    marks.len() > behind.len() && code.is_some_and(|code| code.parse::<Code>().is_ok())
}

fn strip(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !is_expectation(line)).collect()
}

fn expectation(sources: &SourceMap, diagnostic: &Diagnostic) -> (usize, String) {
    let span = diagnostic.primary.span;
    let (line, start) = sources.position(span.file, span.start);
    let (last, end) = sources.position(span.file, span.end);
    let text = sources.file(span.file).text().lines().nth(line - 1).unwrap_or("");
    let end = if last == line { end.max(start + 1) } else { text.chars().count() + 1 };
    let from = (start - 1).max(2);
    let marks = "^".repeat((end - 1).saturating_sub(from).max(1));
    (
        line,
        format!("//{}{marks} {}: {}\n", " ".repeat(from - 2), diagnostic.code, diagnostic.message),
    )
}

/// The default levels, except that the fixture's own code is always shown.
fn asking_for(name: &str) -> Levels {
    let mut levels = Levels::default();
    let code = name.split(['_', '.']).next().unwrap_or_default();
    // Codes that are always errors do not have a level.
    let _ = levels.set(code, Level::Warn);
    levels
}

/// The text with the findings in it.
fn annotate(text: &str, name: &str) -> String {
    let mut sources = SourceMap::new();
    if text.starts_with("// prelude") {
        sources.add("prelude.isa", prelude().into_bytes());
    }
    let id: FileId = sources.add(name, text.as_bytes().to_vec());
    let mut compilation = isadl_test_support::checked(&sources);
    compilation.diagnostics.apply(&asking_for(name));
    let own =
        compilation.diagnostics.iter().filter(|diagnostic| diagnostic.primary.span.file == id);
    let found: Vec<(usize, String)> =
        own.map(|diagnostic| expectation(&sources, diagnostic)).collect();
    let mut annotated = String::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        annotated += line;
        found.iter().filter(|(at, _)| *at == index + 1).for_each(|(_, line)| annotated += line);
    }
    annotated
}

#[test]
fn fixtures_give_exactly_their_diagnostics() {
    let mut failures = Vec::new();
    for path in fixtures() {
        let text = std::fs::read_to_string(&path).expect("a fixture is text");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let annotated = annotate(&strip(&text), &name);
        if std::panic::catch_unwind(|| golden(&path, &annotated)).is_err() {
            failures.push(name);
        }
    }
    assert!(failures.is_empty(), "fixtures that differ: {failures:?}");
}

#[test]
fn every_fixture_shows_the_code_it_is_named_after() {
    for path in fixtures() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let code = name.split('_').next().unwrap_or_default().to_string();
        let text = std::fs::read_to_string(&path).expect("a fixture is text");
        let shown =
            text.lines().any(|line| is_expectation(line) && line.contains(&format!("{code}: ")));
        assert!(shown, "{name} does not show {code}");
    }
}

/// For large sets, the tables are made while the encoding is checked, so they must not rely on the checks.
#[test]
fn tables_are_made_of_wrong_encodings_too() {
    let mut wrong = 0;
    for path in fixtures() {
        let text = std::fs::read(&path).expect("a fixture is text");
        let mut sources = SourceMap::new();
        if text.starts_with(b"// prelude") {
            sources.add("prelude.isa", prelude().into_bytes());
        }
        sources.add("fixture.isa", text);
        let Some(isa) = isadl::lowered(&sources) else { continue };
        wrong += usize::from(isadl::compile(&sources).family.is_none());
        let loaded = Loaded::new(isa);
        for word in [0, 1, u128::MAX, u128::MAX / 3] {
            // With a faulty set, the meaning of a word is not defined.
            let _ = loaded.engine().decode(word);
        }
    }
    assert!(wrong > 20, "{wrong} fixtures with a wrong encoding");
}

/// Forms share their place in the text: a fault of several is told once and names them all, and
/// different faults are told apart.
#[test]
fn a_fault_of_several_forms_names_them() {
    let path = root().join("tests/diagnostics/E0508_forms.isa");
    let mut sources = SourceMap::new();
    sources.add("prelude.isa", prelude().into_bytes());
    sources.add("forms.isa", std::fs::read(&path).expect("the fixture is readable"));
    let compilation = isadl::compile(&sources);
    let found = compilation.diagnostics.iter().filter(|found| found.code == Code::E0508);
    let told: Vec<(&str, Option<&str>)> = found
        .map(|found| (found.message.as_str(), found.notes.last().map(String::as_str)))
        .collect();
    let message = "opcode `ADD_A` has operands but does not have `Operands`";
    assert_eq!(told[0], (message, Some("the same is true of `MUL_A` and `SUB_A`")));
    let message = "opcode `ADD_B` has operands but does not have `Operands`";
    assert_eq!(told[1], (message, Some("the same is true of `MUL_B` and `SUB_B`")));
    assert_eq!(told.len(), 2);
}

/// A finding in some of the generations names them; the marks of fixtures do not show this.
#[test]
fn an_error_of_some_generations_says_which() {
    let text = "\
__DefIsa TINY<8>
    Generations<OLD, MIDDLE, NEW>;

__DefBitFieldType Kind<4>
    ADD;
    MOVE @[..MIDDLE];

__DefGroup ALL : []

__DefOptype ADD : [ALL]

__DefOpcode ADD_X : [ADD]
  __Encoding
    field<0, 4> Kind kind == ADD;
    field<4, 4> Kind other = MOVE;
    field<4, 4> Kind other = STOP @[NEW];
  __Exception
    EncodingError<Kind, \"message\"> = nothing == 0 @[MIDDLE..];
    EncodingError<Kind, \"message\"> = missing == 0;
";
    let mut sources = SourceMap::new();
    sources.add("input.isa", text.as_bytes().to_vec());
    let compilation = isadl::compile(&sources);
    let found = |diagnostic: &Diagnostic| {
        let in_some = diagnostic.notes.iter().filter_map(|note| note.strip_prefix("in "));
        (diagnostic.code, in_some.map(str::to_string).collect::<String>())
    };
    let found: Vec<(Code, String)> = compilation.diagnostics.iter().map(found).collect();
    let expected = [
        // `MOVE` is not a value where it is absent; `STOP` is reported in the generation that has it.
        (Code::E0405, "NEW".to_string()),
        (Code::E0405, String::new()),
        (Code::E0407, String::new()),
        (Code::E0209, String::new()),
        (Code::E0209, String::new()),
    ];
    let sorted = |list: &[(Code, String)]| {
        let mut list = list.to_vec();
        list.sort();
        list
    };
    assert_eq!(sorted(&found), sorted(&expected));
}
