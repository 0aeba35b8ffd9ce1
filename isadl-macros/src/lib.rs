//! The macro [`isa!`]: an instruction set as a module of another crate, made of its specification
//! while the crate compiles.
//!
//! A thin shell around `isadl_codegen::Builder`: `request.rs` reads what stands in the macro,
//! `inline.rs` finds a specification in the Rust file and the way back to its places, `answer.rs`
//! makes tokens of the module, of warnings and of errors. Nothing of what they make depends on
//! anything but the core library.

extern crate proc_macro;

mod answer;
mod inline;
mod request;

use std::path::{Path, PathBuf};

use isadl_codegen::Builder;
use isadl_codegen::builder::{BuildError, Generated};
use proc_macro::TokenStream;

use inline::Excerpted;
use isadl::source::SourceMap;
use request::{Problem, Request, Specification, Text};

/// Expands to the module of an instruction set: what `isadl gen --target rust --module NAME` writes.
///
/// ```ignore
/// isadl_macros::isa!("spec/simt");             // `pub mod simt`, named after the instruction set
/// isadl_macros::isa!(mod gpu = "spec/simt");   // a module of another name, only for this one
/// isadl_macros::isa!(["a.isa", "b.isa"]);      // files that are one instruction set together
/// isadl_macros::isa!(pub mod vega = "spec/gcn", generations = ["GCN1_4"], emit = [decode, text]);
/// isadl_macros::isa!(mod tiny = {              // the specification itself
///     __DefIsa Tiny<8>
///     __DefOptype NOP
///         encoding __Public { field<0, 8> Op op = 0; }
/// });
/// ```
///
/// A path is seen from the folder of the crate's `Cargo.toml`; it names a folder of `*.isa` files,
/// or a file. A text with a line break is a specification, and so is what stands in braces, as far
/// as Rust can split it into tokens: what it cannot, such as a single `'` in prose, needs the form
/// as a (raw) string.
///
/// Options, behind the specification:
///
/// | option | |
/// |---|---|
/// | `groups = ["HALU"]` | only the opcodes of these groups |
/// | `generations = ["GCN1_4"]` | only these generations |
/// | `emit = [decode, encode, text, flow]` | only these parts; all without it |
/// | `constructors = false` | no constructors, one an opcode |
/// | `views = true` | a typed view of each operation, for exhaustive matching |
/// | `allow = ["W0911"]`, `warn = ["text"]`, `deny = [...]` | levels of lints: codes, groups, or `warnings` |
///
/// Errors of a specification are compiler errors, all of them at once; warnings are warnings of
/// the compiler (as uses of something deprecated, the only ones that a macro can make). Those of
/// an inline specification stand at its lines of the Rust file. The crate is compiled again when
/// a file of the specification changes. A file that is *added* to the folder is seen when the next
/// of them changes, or the crate itself does: a macro cannot watch a folder. A build script can,
/// see `isadl_codegen::Builder`.
#[proc_macro]
pub fn isa(input: TokenStream) -> TokenStream {
    let request = match Request::parse(input) {
        Ok(request) => request,
        Err(problems) => return answer::problems(&problems),
    };
    let texts = match &request.specification {
        Specification::Paths(paths) => {
            let missing: Vec<Problem> = paths.iter().filter_map(missing).collect();
            if !missing.is_empty() {
                return answer::problems(&missing);
            }
            Source::Paths(paths.iter().map(|p| p.text.clone()).collect())
        }
        Specification::Inline(inline) => Source::Text(Box::new(inline.source.clone())),
    };
    let settings = request.settings.clone();
    // On a thread of its own tokens are made without asking the compiler for each.
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let generated = texts.builder().and_then(|builder| settings.apply(builder)?.generate());
        generated.map(Answer::of)
    });
    match worker.map(|thread| thread.join()) {
        Ok(Ok(Ok(answer))) => answer::module(&request, answer),
        Ok(Ok(Err(error))) => answer::refusal(&request, &error),
        // INVARIANT: the compiler of specifications does not panic, whatever the input.
        Ok(Err(_)) => answer::failure(&request, "the specification could not be compiled"),
        Err(error) => answer::failure(&request, &error.to_string()),
    }
}

/// Bytes of stack for reading deeply nested specifications.
const STACK: usize = 64 << 20;

/// What a worker is given.
enum Source {
    Paths(Vec<String>),
    Text(Box<Excerpted>),
}

impl Source {
    fn builder(self) -> Result<Builder, BuildError> {
        match self {
            Source::Paths(paths) => Ok(Builder::files(paths.iter().map(|path| from_here(path)))),
            Source::Text(inline) => {
                let Excerpted { name, text, excerpt } = *inline;
                let mut sources = SourceMap::new();
                sources.add_excerpt(name, text, excerpt);
                Ok(Builder::texts(sources))
            }
        }
    }
}

/// What is wrong with a path that leads nowhere.
fn missing(path: &Text) -> Option<Problem> {
    let tried = from_manifest(&path.text);
    let message = format!(
        "there is no file or folder `{}`; a path is relative to the folder of `Cargo.toml`",
        tried.display()
    );
    (!tried.exists()).then(|| Problem::new(path.span, message))
}

/// A path below the folder of `Cargo.toml`.
fn from_manifest(path: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join(path)
}

/// A path below the folder of `Cargo.toml`, as seen from where the compiler runs: so it names files
/// too.
fn from_here(path: &str) -> PathBuf {
    let path = from_manifest(path);
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).map_or(path.clone(), Path::to_path_buf)
}

/// What a worker gives back.
struct Answer {
    /// The module as text.
    module: String,
    files: Vec<PathBuf>,
    warnings: Vec<isadl_codegen::builder::Finding>,
}

impl Answer {
    fn of(generated: Generated) -> Answer {
        let Generated { module, files, warnings, .. } = generated;
        Answer { module: module.plain(), files, warnings }
    }
}
