//! Imports have one direction: no module of the compiler, the engine, the Rust backend or the manual uses a module that
//! uses it, directly or through others. A folder counts as one module.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use isadl_test_support::root;

type Imports = BTreeMap<String, BTreeSet<String>>;

/// The names that follow a path such as `crate::` in code: a single name, or the names of a list in braces.
fn imported(code: &str, path: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(path) {
        let rest = &code[at + path.len()..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = |text: &str| text.chars().take_while(|c| is_part(*c)).collect::<String>();
        match rest.strip_prefix('{') {
            None => drop(found.insert(name(rest))),
            Some(list) => {
                let list = list.split("};").next().unwrap_or_default();
                let names = list.split(|c: char| c == ',' || c.is_whitespace()).map(name);
                found.extend(names);
            }
        }
    }
    found
}

/// The code without comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("readable");
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.fold(String::from("\n"), |code, line| code + line + "\n")
}

/// Adds what a file or the files of a folder import from the modules beside `module`.
fn add(imports: &mut Imports, module: &str, path: &Path, depth: usize, from_root: &str) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("a folder") {
            let entry = entry.expect("an entry").path();
            // `mod.rs` is at the level of the folder itself.
            let is_root = entry.file_name().is_some_and(|name| name == "mod.rs");
            add(imports, module, &entry, if is_root { depth } else { depth + 1 }, from_root);
        }
        return;
    }
    let code = code(path);
    let beside = "super::".repeat(depth);
    let found = imports.entry(module.to_string()).or_default();
    found.extend(imported(&code, from_root));
    // Only items of the file itself: indented code may be code to generate.
    let starts = ["\nuse ", "\npub use ", "\npub(super) use ", "\npub(crate) use "];
    let uses = starts.iter().flat_map(|start| code.split(start).skip(1));
    for path in uses.filter_map(|rest| rest.split(';').next()) {
        // `super::` after it leads further up.
        if let Some(rest) = path.strip_prefix(&beside).filter(|rest| !rest.starts_with("super::")) {
            found.extend(imported(&format!("{beside}{rest};"), &beside));
        }
    }
}

/// The modules that each module in a folder imports.
fn imports(folder: &str, from_root: &str) -> Imports {
    let mut imports = Imports::new();
    for entry in std::fs::read_dir(root().join(folder)).expect("a folder") {
        let path = entry.expect("an entry").path();
        let module = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if !["lib", "mod"].contains(&module.as_str()) {
            add(&mut imports, &module, &path, 1, from_root);
        }
    }
    let modules: BTreeSet<String> = imports.keys().cloned().collect();
    for (module, found) in &mut imports {
        found.retain(|name| modules.contains(name) && name != module);
    }
    imports
}

/// The modules that use themselves through others.
fn in_circles(imports: &Imports) -> BTreeSet<&str> {
    let reaches = |from: &str| {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut next: Vec<&str> = imports[from].iter().map(String::as_str).collect();
        while let Some(module) = next.pop() {
            if seen.insert(module) {
                next.extend(imports[module].iter().map(String::as_str));
            }
        }
        seen.contains(from)
    };
    imports.keys().map(String::as_str).filter(|module| reaches(module)).collect()
}

#[test]
fn modules_import_in_one_direction() {
    let crates = std::fs::read_dir(root().join("crates")).expect("a folder");
    let crates = crates.map(|entry| entry.expect("an entry").file_name());
    let crates = crates.map(|name| format!("crates/{}/src", name.to_string_lossy()));
    let others = ["isadl/src", "isadl-codegen/src", "isadl-macros/src"].map(str::to_string);
    let mut folders: Vec<(String, &str)> =
        crates.chain(others).map(|folder| (folder, "crate::")).collect();
    for (backend, from_root) in [("markdown", "crate::markdown::"), ("rust", "crate::rust::")] {
        folders.push((format!("crates/isadl-backends/src/{backend}"), from_root));
    }
    let (mut count, mut failures) = (0, Vec::new());
    for (folder, from_root) in folders {
        let imports = imports(&folder, from_root);
        count += imports.values().map(BTreeSet::len).sum::<usize>();
        let circles = in_circles(&imports);
        if !circles.is_empty() {
            failures.push(format!("{folder}: {circles:?} of {imports:#?}"));
        }
    }
    assert!(count > 300, "{count} imports were found");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_circle_is_found() {
    let imports = |pairs: &[(&str, &[&str])]| -> Imports {
        let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        pairs.iter().map(|(module, used)| (module.to_string(), owned(used))).collect()
    };
    let chain = imports(&[("a", &["b"]), ("b", &["c"]), ("c", &[])]);
    assert!(in_circles(&chain).is_empty());
    let circle = imports(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]);
    assert_eq!(in_circles(&circle), BTreeSet::from(["b", "c"]));
    let code = "use crate::{\n    ast::Ident, isa,\n};\nuse crate::span::Span;";
    let expected = ["", "ast", "isa", "span"].map(str::to_string);
    assert_eq!(imported(code, "crate::"), BTreeSet::from(expected));
}
