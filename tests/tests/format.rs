//! The layout of specifications: only white space changes, formatted text stays the same, and the previous layout of a
//! text does not matter. `ISADL_SETS` is the number of random sets.

use isadl::ast::SectionKind;
use isadl::diagnostic::Diagnostics;
use isadl::format::Formatter;
use isadl::isa::Family;
use isadl::parse::{GrammarSegment, pieces};
use isadl::source::SourceMap;
use isadl_test_support::{Compiled, Random, compiled, count, random, root, seed_texts, source_map};

pub(crate) fn format(text: &str) -> Option<String> {
    let sources = source_map(&[("a.isa", text)]);
    let id = sources.specification().next()?;
    Formatter::new(&sources).file(&sources, id).ok()
}

/// The specifications of the repository, of the diagnostics, and of the sources.
pub(crate) fn texts() -> Vec<(String, String)> {
    let mut folders = vec![root().join("spec"), root().join("tests")];
    let mut texts = seed_texts().unwrap_or_default();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "isa")
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                texts.push((path.display().to_string(), text));
            }
        }
    }
    assert!(texts.len() > 350, "{}", texts.len());
    texts
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The meaning of a specification, without its layout; `None` if it has errors.
fn meaning(text: &str) -> Option<String> {
    let (_, compilation) = isadl_test_support::compile(&[("a.isa", text)]);
    Some(compilation.family?.isas().iter().map(isadl::dump::isa).collect())
}

#[test]
fn only_white_space_changes_and_only_once() {
    let mut formatted = 0;
    for (name, text) in texts() {
        let Some(once) = format(&text) else { continue };
        assert_eq!(without_space(&once), without_space(&text), "{name}");
        assert_eq!(format(&once).as_deref(), Some(once.as_str()), "{name}");
        formatted += 1;
    }
    assert!(formatted > 250, "{formatted}");
}

#[test]
fn prose_is_kept_letter_for_letter() {
    let prose = |text: &str| {
        let sources = source_map(&[("a.isa", text)]);
        let files = isadl::parse::parse(&sources, &mut Diagnostics::default());
        let sections = files.iter().flat_map(|file| &file.definitions).flat_map(|of| &of.prose);
        let runs = sections.flat_map(|section| {
            let is_mixed = section.kind == SectionKind::OperandInfo;
            let is_program = section.kind == SectionKind::Semantics;
            let text = move |text: &str| if is_program { without_space(text) } else { text.into() };
            section.runs.iter().map(move |run| (is_mixed, text(run.text)))
        });
        // Between the statements of a section, blank lines are not text. Programs have a layout of their own.
        let texts = runs.map(|(is_mixed, text)| if is_mixed { text.trim().into() } else { text });
        texts.filter(|text| !text.is_empty()).collect::<Vec<String>>()
    };
    for (name, text) in texts() {
        let Some(made) = format(&text) else { continue };
        assert_eq!(prose(&made), prose(&text), "{name}");
    }
}

#[test]
fn what_a_specification_says_stays() {
    for set in ["simt", "gcn", "riscv", "a64"] {
        let Compiled { sources, sets, .. } = compiled(&format!("spec/{set}"));
        let dump =
            |family: &Family| -> String { family.isas().iter().map(isadl::dump::isa).collect() };
        let formatter = Formatter::new(sources);
        let mut made = SourceMap::new();
        for id in sources.specification() {
            let text = formatter.file(sources, id).expect("no errors");
            made.add(sources.file(id).name(), text.into_bytes());
        }
        let lock = sources.lock().expect("numbers are pinned");
        made.add_lock("opcodes.lock", sources.file(lock).text().as_bytes().to_vec());
        let again = isadl::compile(&made).family.expect("no errors");
        assert!(dump(&again) == dump(sets), "{set}");
    }
}

/// The text with other white space between tokens and before lines.
fn shaken(text: &str, random: &mut Random) -> String {
    let sources = source_map(&[("a.isa", text)]);
    let id = sources.specification().next().expect("a file");
    let text = sources.file(id).text();
    let (mut made, mut at, mut line) = (String::new(), 0, usize::MAX);
    for piece in pieces(&sources, id, &mut Diagnostics::default()) {
        let GrammarSegment::Tokens { tokens, .. } = piece else { continue };
        for (nth, token) in tokens.iter().enumerate() {
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            let between = &text[at..start];
            let own = sources.position(id, token.span.start).0;
            let spaces = " ".repeat(random.below(4) as usize);
            let is_blank = between.trim_matches([' ', ';']).is_empty();
            let is_header = nth == 0 && text[start..].starts_with("__Def");
            made += between;
            // Words stay apart, and a definition begins in the first column.
            if own == line && is_blank || own != line && !is_header {
                made += &spaces;
            }
            made += &text[start..end];
            (at, line) = (end, own);
        }
    }
    made + &text[at..]
}

#[test]
fn the_layout_before_does_not_matter() {
    let mut random = Random::new(7);
    let mut formatted = 0;
    for seed in 0..count("ISADL_SETS", 300) as u64 {
        let text = random::specification(seed).text;
        let other = shaken(&text, &mut random);
        let (Some(made), Some(again)) = (format(&text), format(&other)) else {
            assert_eq!(format(&text), format(&other));
            continue;
        };
        assert_eq!(made, again, "{other}");
        assert_eq!(meaning(&made), meaning(&text), "{text}");
        assert_eq!(format(&made).as_deref(), Some(made.as_str()));
        formatted += 1;
    }
    assert!(formatted > count("ISADL_SETS", 300) / 2, "{formatted}");
}

#[test]
fn statements_have_columns_and_prose_stays() {
    let text = "\u{feff}// A comment.\r\n__DefIsa  X < 8 >\r\n\n\n\n__DefBitFieldType T<2>\n  A=0;  // first\n\tLONGER  = 1 \
                as \"l  l\" ;\n    B; C;\n__DefOpcode P : [ ALL,G ] @[ A .. ]\n__Encoding\n  field<0,8>T a==A;\n  \
                // between\n      field< 8 , 16 > Longer b.c  =  -3;\nfield[31 : 24,7]\n T d\n;\n   __Description\n   \
                kept   as  it is ; \n\n\n  __OperandInfo\n  Operands<out a:32,in   b> ;  Flow<next>=a==1 and not( b<2 );\n\
                prose  here\n  __Exception\nEncodingError<X,\"a  b\">=-a<<2>=~b ; // end   ";
    let made = "\u{feff}// A comment.\r\n__DefIsa X<8>\r\n\n__DefBitFieldType T<2>\n    A      = 0; // first\n    LONGER = 1 \
                as \"l  l\";\n    B; C;\n__DefOpcode P : [ALL, G] @[A..]\n  __Encoding\n    field<0, 8> T a == A;\n    \
                // between\n    field<8, 16> Longer b.c = -3;\n    field[31:24, 7]\n        T d\n        ;\n  __Description\n   \
                kept   as  it is ; \n\n\n  __OperandInfo\n    Operands<out a : 32, in b>; Flow<next> = a == 1 and not (b < 2);\n\
                prose  here\n  __Exception\n    EncodingError<X, \"a  b\"> = -a << 2 >= ~b; // end\n";
    assert_eq!(format(text).as_deref(), Some(made));
    assert_eq!(format("__DefIsa X<8>\n    Broken"), None);
}
