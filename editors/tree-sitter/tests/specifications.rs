//! Every specification of the repository has a tree without errors, with the definitions and sections that its lines begin.

use std::path::{Path, PathBuf};

use tree_sitter::{Node, Parser, Query, QueryCursor, StreamingIterator, Tree};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_isadl::LANGUAGE.into()).expect("a grammar of this version");
    parser.parse(text, None).expect("a tree")
}

fn specifications(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            specifications(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "isa") {
            found.push(path);
        }
    }
}

fn nodes<'t>(tree: &'t Tree, kind: &str) -> Vec<Node<'t>> {
    let (mut found, mut open) = (Vec::new(), vec![tree.root_node()]);
    while let Some(node) = open.pop() {
        if node.kind() == kind {
            found.push(node);
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.children(&mut cursor).collect();
        open.extend(children.into_iter().rev());
    }
    found
}

/// The lines outside code fences: what begins definitions, and sections.
fn begun(text: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut definitions, mut sections, mut fence) = (Vec::new(), Vec::new(), None);
    for line in text.lines() {
        let trim = line.trim();
        let ticks = trim.bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            Some(open) if ticks >= open && ticks == trim.len() => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = Some(ticks),
            None if line.starts_with("__Def") => {
                definitions.push(
                    line.split(|c: char| !c.is_alphanumeric() && c != '_')
                        .next()
                        .unwrap_or_default(),
                );
            }
            None if trim.starts_with("__")
                && trim[2..].bytes().all(|b| b.is_ascii_alphabetic()) =>
            {
                sections.push(trim)
            }
            None => {}
        }
    }
    (definitions, sections)
}

#[test]
fn every_specification_has_a_tree() {
    let mut files = Vec::new();
    specifications(&root().join("spec"), &mut files);
    specifications(&root().join("tests/fixtures"), &mut files);
    specifications(&root().join("crates/isadl-cli/src/new"), &mut files);
    // Files of mistakes are tests of other things.
    files.retain(|path| !path.ends_with("tests/fixtures/cli/broken.isa"));
    assert!(files.len() > 70, "{}", files.len());
    for path in files {
        let text = std::fs::read_to_string(&path).expect("readable");
        let tree = parse(&text);
        let errors = nodes(&tree, "ERROR");
        let first = errors.first().map(|node| (node.start_position(), &text[node.byte_range()]));
        assert!(!tree.root_node().has_error(), "{}: {first:?}", path.display());
        let (definitions, sections) = begun(&text);
        let of = |kind: &str| -> Vec<&str> {
            nodes(&tree, kind).iter().map(|node| &text[node.byte_range()]).collect()
        };
        assert_eq!(of("definition_keyword"), definitions, "{}", path.display());
        assert_eq!(of("heading"), sections, "{}", path.display());
    }
}

#[test]
fn prose_is_not_read_as_statements() {
    let text = "__DefOpcode ADD_X : [ADD, ALL] @[NEW..]\n  __Encoding\n    field<0, 8> Reg rd = R0; // one\n  __OperandInfo\n    \
                Mnemonic<\"add\">;\nAdds; \"twice.\n  __Description\n`x` = 1; Operand<x>\n\n```asm\n__DefX\n  __Syntax\n```\nmore\n";
    let tree = parse(text);
    assert_eq!(
        tree.root_node().to_sexp(),
        "(file (definition (header keyword: (definition_keyword) name: (identifier) (list (identifier) (identifier)) (guard)) \
         (section heading: (heading) (statement (identifier) (number) (number) (identifier) (identifier) (sign) (identifier))) (comment) \
         (section heading: (heading) (statement (identifier) (string)) (prose_line)) \
         (section heading: (heading) (prose_line) (fence) (prose_line))))"
    );
}

#[test]
fn any_bytes_have_a_tree() {
    for text in [
        "",
        "__Def",
        "__DefOpcode",
        "  __Description",
        "__DefX : [\n  __Description\n```",
        "\u{0}\u{ffff}\n",
        "`````",
        "__DefOpcode A\n  __Description\n```\n``\n````x\n",
    ] {
        parse(text);
    }
    let long = format!("__DefOpcode A : [B]\n  __Description\n{}\n", "x".repeat(100_000));
    assert!(!parse(&long).root_node().has_error());
}

#[test]
fn queries_are_about_this_grammar() {
    let language = tree_sitter_isadl::LANGUAGE.into();
    for entry in
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("queries")).expect("a folder")
    {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        Query::new(&language, &text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
#[test]
fn programs_are_words_and_signs() {
    let text = "__DefGroup A : [ALL]\n  __Semantics\nProse.\n```isa\nrd = x[7:0] // one\nif (c) { y = \"a\" }\n```\n```c\nrd = x\n```\n````isa\n\
                `\n__DefInstructions : [A]\n    /// Adds.\n    ///= rd = ra + \"1\n    ADD [7:0] == 1;\n    ///=\n    SUB [7:0] == 2;\n";
    let tree = parse(text);
    assert_eq!(
        tree.root_node().to_sexp(),
        "(file (definition (header keyword: (definition_keyword) name: (identifier) (list (identifier))) (section heading: (heading) \
         (prose_line) (program (program_open) (identifier) (sign) (identifier) (number) (number) (comment) (identifier) (sign) (identifier) \
         (sign) (sign) (identifier) (sign) (string) (sign) (program_close)) (fence) (prose_line) (prose_line))) \
         (definition (header keyword: (definition_keyword) (list (identifier))) (comment) \
         (pseudo_code (identifier) (sign) (identifier) (sign) (sign) (number)) \
         (statement (identifier) (number) (number) (sign) (sign) (number)) (pseudo_code) \
         (statement (identifier) (number) (number) (sign) (sign) (number))))"
    );
}

#[test]
fn keywords_and_functions_of_programs_have_colours() {
    let text = "__DefGroup A : [ALL]\n  __Semantics\n```isa\nif not (c) { rd = signed(x) and (y) }\n```\n";
    let tree = parse(text);
    let language = tree_sitter_isadl::LANGUAGE.into();
    let query = Query::new(&language, include_str!("../queries/highlights.scm")).expect("a query");
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    let mut found = Vec::new();
    while let Some(of) = matches.next() {
        for capture in of.captures {
            let name = query.capture_names()[capture.index as usize];
            if ["keyword", "function"].contains(&name) {
                found.push((name, &text[capture.node.byte_range()]));
            }
        }
    }
    found.sort_unstable();
    let keywords = ["__DefGroup", "and", "if", "not"].map(|word| ("keyword", word));
    assert_eq!(found[1..], keywords);
    assert_eq!(found[0], ("function", "signed"));
}
