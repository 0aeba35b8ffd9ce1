//! The macro [`isa!`]: an instruction set as a module of another crate, generated from its
//! specification while the crate compiles.
//!
//! A thin layer over `isadl_codegen::Builder`: `request.rs` parses the macro's input, `inline.rs`
//! finds a specification in the Rust file and maps locations back to it, `answer.rs` turns the
//! module, warnings and errors into tokens. The expansion depends only on the core library.

extern crate proc_macro;

mod answer;
mod inline;
mod request;

use std::path::{Path, PathBuf};

use isadl::source::SourceMap;
use isadl_codegen::Builder;
use isadl_codegen::builder::{BuildError, Generated};
use isadl_codegen::rust::StandIn;
use proc_macro::TokenStream;

use answer::Complaint;
use inline::Excerpted;
use request::{Problem, Request, Settings, Specification, Text};

/// Expands to the module of an instruction set: the code of `isadl gen --target rust --module NAME`.
///
/// ```ignore
/// isadl_macros::isa!("spec/simt");             // `pub mod simt`, named after the instruction set
/// isadl_macros::isa!(mod gpu = "spec/simt");   // a private module with another name
/// isadl_macros::isa!(["a.isa", "b.isa"]);      // several files of one instruction set
/// isadl_macros::isa!(pub mod vega = "spec/gcn", generations = ["GCN1_4"], emit = [decode, text]);
/// isadl_macros::isa!(mod tiny = {              // the specification itself
///     __DefIsa Tiny<8>
///     __DefBitFieldType Operation<8>
///         NOP;
///     __DefGroup ALL : []
///     __DefOptype NOP : [ALL]
///     __DefOpcode NOP_X : [NOP]
///       __Encoding
///         field<0, 8> Operation op == NOP;
/// });
/// ```
///
/// A path is relative to the folder of the crate's `Cargo.toml`; it names a folder of `*.isa` files, or a file. A
/// string with a line break is a specification. Text in braces is a specification too, provided that Rust can split it
/// into tokens. Text that Rust cannot split, such as a single `'` in prose, must be written as a (raw) string.
///
/// Options, after the specification:
///
/// | option | |
/// |---|---|
/// | `groups = ["HALU"]` | only the opcodes of these groups |
/// | `generations = ["GCN1_4"]` | only these generations |
/// | `extensions = "rv64gc,Zbb"` | only opcodes of these extensions, and no parameter for extensions |
/// | `emit = [decode, encode, text, flow, exec]` | only these parts, instead of all but `exec` |
/// | `constructors = false` | no constructors of opcodes |
/// | `views = true` | a typed view of each operation, for exhaustive matching |
/// | `traits = true` | the traits of `isadl-traits`, for tools that work with any instruction set; your crate depends on that package |
/// | `serde = true` | serde stores instructions, opcodes and so on; your crate depends on `serde` with its feature `derive` |
/// | `allow = ["W0911"]`, `warn = ["text"]`, `deny = [...]` | levels of lints: codes, groups, or `warnings` |
///
/// Errors in a specification become compiler errors, all of them at once. Warnings become compiler warnings, reported
/// as uses of a deprecated item, the only kind that a macro can produce. Errors and warnings of an inline specification
/// are reported at its lines in the Rust file. The crate is compiled again when a file of the specification changes. A
/// file that is *added* to the folder is noticed when another file, or the crate itself, changes: a macro cannot watch
/// a folder. A build script can, see `isadl_codegen::Builder`.
#[proc_macro]
pub fn isa(input: TokenStream) -> TokenStream {
    let (request, problems) = Request::parse(input);
    let errors = problems.into_iter().map(Complaint::from).collect();
    let Some(request) = request else { return answer::complaints(errors) };
    if !errors.is_empty() {
        return answer::stand_in(&request, &StandIn::default(), errors);
    }
    let texts = match &request.specification {
        Specification::Paths(paths) => {
            let missing: Vec<Complaint> =
                paths.iter().filter_map(missing).map(Complaint::from).collect();
            if !missing.is_empty() {
                return answer::stand_in(&request, &StandIn::default(), missing);
            }
            Source::Paths(paths.iter().map(|p| p.text.clone()).collect())
        }
        Specification::Inline(inline) => Source::Text(Box::new(inline.source.clone())),
    };
    let settings = request.settings.clone();
    // On a separate thread, tokens are created without calling the compiler for each of them.
    let worker =
        std::thread::Builder::new().stack_size(STACK).spawn(move || texts.answer(settings));
    let failed = |message: &str| {
        answer::stand_in(&request, &StandIn::default(), vec![answer::failure(&request, message)])
    };
    match worker.map(|thread| thread.join()) {
        Ok(Ok(Ok(answer))) => answer::module(&request, answer),
        Ok(Ok(Err((error, names)))) => {
            answer::stand_in(&request, &names, answer::refusal(&request, &error))
        }
        // INVARIANT: the compiler of specifications does not panic, whatever the input.
        Ok(Err(_)) => failed("the specification could not be compiled"),
        Err(error) => failed(&error.to_string()),
    }
}

/// Stack size in bytes, sufficient for deeply nested specifications.
const STACK: usize = 64 << 20;

/// The input of a worker.
#[derive(Clone)]
enum Source {
    Paths(Vec<String>),
    Text(Box<Excerpted>),
}

impl Source {
    /// The module, or the error with the names that the module would have.
    fn answer(self, settings: Settings) -> Result<Answer, (BuildError, StandIn)> {
        let again = self.clone();
        let generated = self.builder().and_then(|builder| settings.apply(builder)?.generate());
        let names = || again.builder().map_or(StandIn::default(), |builder| builder.stand_in());
        generated.map(Answer::of).map_err(|error| (error, names()))
    }

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

/// The error for a path that does not exist.
fn missing(path: &Text) -> Option<Problem> {
    let tried = from_manifest(&path.text);
    let message = format!(
        "file or folder `{}` not found; a path is relative to the folder of `Cargo.toml`",
        tried.display()
    );
    (!tried.exists()).then(|| Problem::new(path.span, message))
}

/// A path below the folder of `Cargo.toml`.
fn from_manifest(path: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join(path)
}

/// A path below the folder of `Cargo.toml`, relative to the compiler's working folder, as in its own
/// messages.
fn from_here(path: &str) -> PathBuf {
    let path = from_manifest(path);
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).map_or(path.clone(), Path::to_path_buf)
}

/// The result of a worker.
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
