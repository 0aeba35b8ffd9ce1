//! Long tables of generated code are packed into strings of bytes, with rows of any form: only texts, and rows of one
//! or two numbers, are written row by row. The packer would also write a row of an unknown form this way, which costs a
//! compiler ten times as much.

use std::path::Path;

use isadl_codegen::rust::{Constructors, ModuleHead, Options, module};
use isadl_test_support::{count, random, root};

/// Tables with fewer rows are not packed.
const LEAST_ROWS: usize = 32;

/// A table in a file: its name, and its rows if they are written one by one.
struct Table<'t> {
    name: &'t str,
    rows: Option<Vec<&'t str>>,
}

/// The tables of a file with so many rows that they should be packed.
fn long_tables(text: &str) -> Vec<Table<'_>> {
    let mut tables = Vec::new();
    for item in text.split("static ").skip(1) {
        let Some((name, rest)) = item.split_once(':') else { continue };
        let Some((ty, value)) = rest.split_once("] =") else { continue };
        let count = ty.rsplit(';').next().and_then(|count| count.trim().parse::<usize>().ok());
        if count.is_none_or(|count| count < LEAST_ROWS) {
            continue;
        }
        let value = value.trim_start();
        let rows = value.strip_prefix('[').map(rows).filter(|rows| !rows.is_empty());
        tables.push(Table { name, rows });
    }
    tables
}

/// The rows of an array, up to its end.
fn rows(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut is_quoted) = (0, 0, false);
    let mut rows = Vec::new();
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if is_quoted => drop(bytes.next()),
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'(' | b'[' | b'{' => depth += 1,
            b']' if depth == 0 => break,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                rows.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    rows
}

/// Fails for a long table that is not packed; returns how many are.
fn check(name: &str, text: &str) -> usize {
    let mut packed = 0;
    for table in long_tables(text) {
        let Some(rows) = table.rows else {
            packed += 1;
            continue;
        };
        // Slices of other tables are addresses.
        let is_packable = |row: &&&str| {
            row.matches(',').count() > 1 && !row.contains('"') && !row.starts_with('&')
        };
        let row = rows.iter().find(is_packable);
        assert!(row.is_none(), "{name}: {} is not packed: {row:?}", table.name);
    }
    packed
}

/// The tables of a generated crate.
fn crate_at(folder: &Path) -> usize {
    let files = std::fs::read_dir(folder.join("src")).expect("a crate");
    let paths = files.map(|file| file.expect("a file").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    paths
        .map(|path| {
            check(&path.display().to_string(), &std::fs::read_to_string(&path).expect("a text"))
        })
        .sum()
}

#[test]
fn long_tables_of_crates_are_packed() {
    for (name, least) in [
        ("generated/simt", 15),
        ("generated/gcn", 15),
        ("generated/riscv", 15),
        ("generated/a64", 15),
        ("tests/odd", 8),
    ] {
        let packed = crate_at(&root().join(name));
        println!("{name}: {packed}");
        assert!(packed >= least, "{name}: {packed}");
    }
}

#[test]
fn long_tables_of_random_sets_are_packed() {
    let mut packed = 0;
    for seed in 0..count("ISADL_SETS", 300) as u64 {
        let Some(family) = random::accepted(&random::specification(seed).text) else { continue };
        let head = ModuleHead { visibility: String::new(), name: "set".to_string() };
        let options = Options { constructors: Constructors::None, ..Options::default() };
        let mut module = module(&family.merged(), &options, head);
        module.take_engine("super::engine");
        packed += check(&format!("seed {seed}"), &module.plain());
    }
    println!("{packed} packed");
    assert!(packed > 100, "{packed}");
}

#[test]
fn a_table_that_is_not_packed_is_found() {
    let row = "Row(1,2,3),".repeat(LEAST_ROWS);
    let plain = format!("pub(crate) static T: [Row; {LEAST_ROWS}] = [\n{row}\n];\n");
    assert!(std::panic::catch_unwind(|| check("", &plain)).is_err());
    assert_eq!(check("", &plain.replace("1,2,3", "1,\"2\",3")), 0);
    assert_eq!(check("", &plain.replace("= [", "= {")), 1);
}
