//! `isadl new`: a folder with a small instruction set that checks, generates and passes its tests.

use std::path::Path;

use isadl_codegen::output::write_file;
use isadl_codegen::rust::{self, Options};

use crate::args::New;
use crate::{Failure, Outcome, report, spec};

/// The files of the folder, with `toy` and `TOY` for its name.
const FILES: [(&str, &str); 6] = [
    ("spec/toy.isa", include_str!("new/spec.isa")),
    ("Cargo.toml", include_str!("new/Cargo.toml.in")),
    ("src/lib.rs", "//! What is made with the instruction set.\n\npub use toy;\n"),
    ("README.md", include_str!("new/README.md")),
    ("tests/round_trip.rs", include_str!("new/round_trip.rs")),
    (".gitignore", "/target\n"),
];

pub(crate) fn run(options: &New) -> Outcome {
    let folder = &options.path;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_letter = |c: char| c.is_ascii_lowercase();
    let is_name = name.starts_with(is_letter)
        && name.chars().all(|c| is_letter(c) || c.is_ascii_digit() || c == '_');
    if !is_name || is_taken(name) {
        return Err(Failure::Usage(format!(
            "`{name}` cannot be the name of an instruction set and its crate: it begins with a letter and consists of \
             lower case letters, digits and `_`, and is not a word of Rust"
        )));
    }
    let is_there = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    };
    if is_there {
        return Err(Failure::Usage(format!("{}: something is there already", folder.display())));
    }
    for (path, text) in FILES {
        let path = folder.join(path.replace("toy", name));
        let text = text.replace("TOY", &name.to_uppercase()).replace("toy", name);
        write_file(&path, &text)?;
    }
    generate(folder, name)?;
    report::print(&format!(
        "made {path}: the specification is {path}/spec/{name}.isa\n\
         next: cd {path} && isadl check && cargo test\n",
        path = folder.display()
    ))
}

/// Whether a name is a Rust keyword, or a crate that all programs have.
fn is_taken(name: &str) -> bool {
    let words = "abstract as async await become box break const continue crate do dyn else enum extern false final fn \
                 for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct \
                 super trait true try type typeof unsafe unsized use virtual where while yield alloc core std test";
    words.split(' ').any(|word| word == name)
}

/// Makes the crate of the instruction set.
fn generate(folder: &Path, name: &str) -> Outcome {
    let family = spec::read(&[folder.join("spec")])?.family;
    let output = rust::generate(&family.merged(), &Options::default());
    output.write(&folder.join("generated").join(name))?;
    Ok(())
}
