//! Results do not depend on the order of files and of definitions, on the kind of line ends or on the
//! run, and work grows in proportion to size.

use std::collections::BTreeMap;

use isadl::diagnostic::{Code, Severity};
use isadl::source::SourceMap;
use isadl::{dump, render};
use isadl_test_support::synthetic::{LARGE, aliases_and_rules, one_mnemonic};
use isadl_test_support::{Random, Set, compile, root, seed_texts};

/// The number of orders that are tried.
const ORDERS: usize = 8;

/// The files of `spec/simt`, and the source files if they are available.
fn specifications() -> Vec<Vec<(String, String)>> {
    let map = SourceMap::read(&[root().join("spec/simt")]).expect("spec/simt is readable");
    let files = map.specification().map(|id| map.file(id));
    let edition = files.map(|file| (file.name().to_string(), file.text().to_string())).collect();
    [Some(edition), seed_texts()].into_iter().flatten().collect()
}

/// The opcodes of an instruction set without their numbers, which depend on the order.
fn opcodes(isa: &Set) -> BTreeMap<String, String> {
    let text = dump::isa(isa);
    let mut opcodes: BTreeMap<String, String> = BTreeMap::new();
    let mut name = String::new();
    for line in text.lines().skip(1) {
        match line.split_once(" = ").filter(|_| !line.starts_with(' ')) {
            Some((opcode, rest)) => {
                name = opcode.to_string();
                let masks = rest.split_once(' ').map_or("", |(_, masks)| masks);
                opcodes.insert(name.clone(), masks.to_string());
            }
            None => opcodes.entry(name.clone()).or_default().push_str(line),
        }
    }
    assert_eq!(opcodes.len(), isa.opcodes().len());
    opcodes
}

/// The findings, without locations. Messages list what an assembler expected in order of the opcodes,
/// so the words of a message are sorted.
fn findings(files: &[(String, String)]) -> (Vec<String>, Set) {
    let (_, compilation) = compile(files);
    let found = compilation.diagnostics.iter().map(|d| {
        let mut words: Vec<&str> =
            d.message.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        format!("{}: {}", d.code, words.join(" "))
    });
    let mut found: Vec<String> = found.collect();
    found.sort();
    (found, compilation.into_isa().expect("no errors").into())
}

/// The names of the opcodes that words decode to.
fn decoded(isa: &Set) -> Vec<Option<String>> {
    let mut random = Random::new(6);
    let mut opcodes: Vec<_> = isa.opcodes().iter().collect();
    opcodes.sort_by_key(|opcode| &opcode.name);
    let words = opcodes.iter().flat_map(|opcode| {
        let noise = random.next_u128();
        [opcode.value | noise & !opcode.mask, opcode.value ^ 1 << (noise % 16), noise]
    });
    words.map(|word| isa.find(word).map(|id| isa.opcode(id).name.clone())).collect()
}

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for last in (1..list.len()).rev() {
        list.swap(last, random.below(last as u64 + 1) as usize);
    }
}

fn assert_same(files: &[(String, String)], others: &[(String, String)], what: &str) {
    let ((found, isa), (other_found, other)) = (findings(files), findings(others));
    let (expected, got) = (opcodes(&isa), opcodes(&other));
    for (name, text) in &expected {
        assert_eq!(got.get(name), Some(text), "{what}: opcode {name}");
    }
    assert_eq!(got.len(), expected.len(), "{what}");
    assert_eq!(other_found, found, "{what}");
    assert_eq!(decoded(&other), decoded(&isa), "{what}");
}

#[test]
fn the_order_of_files_does_not_matter() {
    let mut random = Random::new(3);
    for files in specifications() {
        let mut shuffled = files.clone();
        for order in 0..ORDERS {
            shuffle(&mut shuffled, &mut random);
            assert_same(&files, &shuffled, &format!("order {order}"));
        }
    }
}

/// Splits a text into the part before its definitions, and its definitions.
fn definitions(text: &str) -> (&str, Vec<&str>) {
    let first = if text.starts_with("__Def") { Some(0) } else { None };
    let starts = text.match_indices("\n__Def").map(|(at, _)| at + 1);
    let starts: Vec<usize> = first.into_iter().chain(starts).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let pieces = starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect();
    (&text[..starts[0]], pieces)
}

#[test]
fn the_order_of_definitions_does_not_matter() {
    let mut random = Random::new(5);
    for files in specifications() {
        for order in 0..ORDERS {
            let shuffle_one = |(name, text): &(String, String)| {
                let (head, mut pieces) = definitions(text);
                shuffle(&mut pieces, &mut random);
                // The last definition of a file may not end with a line end.
                (name.clone(), format!("{head}{}\n", pieces.join("\n")))
            };
            let shuffled: Vec<(String, String)> = files.iter().map(shuffle_one).collect();
            assert_same(&files, &shuffled, &format!("order {order}"));
        }
    }
}

#[test]
fn line_ends_and_byte_order_marks_do_not_matter() {
    for files in specifications() {
        let changed = files
            .iter()
            .map(|(name, text)| (name.clone(), format!("\u{feff}{}", text.replace('\n', "\r\n"))));
        let changed: Vec<(String, String)> = changed.collect();
        assert_same(&files, &changed, "CRLF and BOM");
    }
}

/// Everything that can be printed of a compilation.
fn everything(files: &[(String, String)]) -> String {
    let (sources, compilation) = compile(files);
    let reports = compilation.diagnostics.iter().map(|diagnostic| {
        render::render(diagnostic, &sources, render::Style::Full, render::Colour::None)
    });
    let isa = compilation.family.as_ref().map(|family| family.first());
    let dumps = isa.map(dump::isa).unwrap_or_default();
    reports.collect::<String>() + &dumps
}

/// Hash tables differ in each run; this must not affect the output.
#[test]
fn two_runs_are_alike() {
    for files in specifications() {
        // Suggestions, lists of known names, errors at once in many places.
        let misspelt = ["Reg ", "pg,", "R[", "IALU]", "== RR", ": GPR", "CvtINegX"];
        let mut broken = files.clone();
        for (_, text) in &mut broken {
            for word in misspelt {
                *text = text.replacen(word, &word.replacen(char::is_alphabetic, "Xq", 1), 3);
            }
        }
        for files in [files, broken] {
            let first = everything(&files);
            for run in 0..3 {
                assert!(everything(&files) == first, "run {run} differs from the first");
            }
        }
    }
}

/// The longest message for an invalid line, in characters.
const MAX_MESSAGE: usize = 200;

/// The specifications of the benchmark, at a sixteenth of their size or less.
#[test]
fn large_specifications_are_read_whole_and_their_errors_are_short() {
    for large in &LARGE {
        let size = (large.size / 16).min(4096);
        let (_, compilation) = compile(&[("large.isa", (large.specification)(size))]);
        assert_eq!(compilation.counts.opcodes, (large.opcodes)(size), "{}", large.name);
        let lines = (large.lines)(size);
        if lines.is_empty() {
            let errors =
                compilation.diagnostics.iter().filter(|found| found.severity == Severity::Error);
            let (shared, others): (Vec<_>, Vec<_>) =
                errors.partition(|found| found.code == Code::E0701);
            assert!(others.is_empty(), "{}: {others:?}", large.name);
            let opcodes = (large.opcodes)(size);
            assert!((1..opcodes).contains(&shared.len()), "{}: {}", large.name, shared.len());
            assert!(compilation.family.is_none());
            continue;
        }
        let isa = compilation.into_isa().unwrap_or_else(|| panic!("{} has errors", large.name));
        let isa = Set::from(isa);
        for line in &lines {
            let inst = isa.assemble(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(isa.decode(inst.word), Ok(inst), "{line}");
            assert_eq!(isa.text(inst), *line);
        }
        let error = isa.assemble(large.wrong).expect_err(large.wrong).to_string();
        assert!(error.chars().count() <= MAX_MESSAGE, "{}: {error}", large.name);
    }
}

/// The error for a line that fits very many opcodes names a few of them.
#[test]
fn the_error_of_a_line_that_many_opcodes_fit_is_short() {
    let (_, compilation) = compile(&[("large.isa", (LARGE[0].specification)(60))]);
    let isa = compilation.into_isa().expect("opcodes of one text are a warning");
    let isa = Set::from(isa);
    let error = isa.assemble("op px1y, qx2y").expect_err("30 opcodes fit").to_string();
    assert_eq!(error, "column 1: more than one opcode fits (closest: O1, O3, O5, O7, 26 more)");
}

/// Many items of one kind are checked; `counts` of the benches counts the work for this.
#[test]
fn many_of_one_kind_are_checked() {
    let sets = [
        one_mnemonic(2_000, ("k#", "p, n")),
        one_mnemonic(2_000, ("k#({n})", "p")),
        aliases_and_rules(1_000, 0),
        aliases_and_rules(0, 300),
    ];
    for set in sets {
        let (_, compilation) = compile(&[("many.isa", set)]);
        let errors: Vec<_> = compilation.diagnostics.iter().map(|found| &found.message).collect();
        assert!(!compilation.diagnostics.has_errors(), "{errors:?}");
    }
    let unknown: Vec<String> = (0..20_000).map(|at| format!("U{at}")).collect();
    let text = format!("__DefIsa T<32>\n\n\n\n__DefGroup X : [{}]\n", unknown.join(", "));
    let (sources, compilation) = compile(&[("many.isa", text)]);
    let found = compilation.diagnostics.iter().filter(|found| found.code == Code::E0203);
    // The column of each is found on one long line.
    let (style, colour) = (render::Style::Short, render::Colour::None);
    let shown = found.map(|found| render::render(found, &sources, style, colour));
    let shown: Vec<String> = shown.collect();
    assert_eq!(shown.len(), unknown.len());
    assert!(shown[19_999].contains(":5:148899:"), "{}", shown[19_999]);
}
