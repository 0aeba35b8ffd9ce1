//! The command line of `isadl`. Files and terminals are handled here and in the other modules;
//! everything else is in the libraries.
//!
//! Exit status: 0 no errors, 1 errors in the input, 2 wrong usage or an unreadable path.

mod args;
mod asm;
mod check;
mod compile;
mod decode;
mod diff;
mod disasm;
mod dump;
mod explain;
mod fmt;
mod generate;
mod git;
mod github;
mod jobs;
mod json;
mod laws;
mod lines;
mod lock;
mod new;
mod progress;
mod project;
mod prove;
mod report;
mod rewrite;
mod run;
mod sarif;
mod serve;
mod space;
mod spec;

use std::process::ExitCode;

use args::{Arguments, Command};
use clap::{CommandFactory, Parser};

/// Specifications are read into many small pieces of memory, allocated and freed in several threads.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Why a command stops early, with the message for the user.
enum Failure {
    /// The input has errors, which were reported.
    Input,
    /// Wrong usage or an unreadable path.
    Usage(String),
}

type Outcome = Result<(), Failure>;

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Usage(error.to_string())
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    arguments.colour.write_global();
    match spec::guarded(|| run(arguments.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Input) => ExitCode::from(1),
        Err(Failure::Usage(message)) => {
            report::complain(&message);
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Outcome {
    match command {
        Command::New(options) => new::run(&options),
        Command::Check(options) => report::finish(&options.input, check::run(&options)),
        Command::Prove(options) => report::finish(&options.input, prove::run(&options)),
        Command::Compile(options) => compile::run(&options),
        Command::Fmt(options) => fmt::run(&options),
        Command::Gen(options) => report::finish(&options.input, generate::run(&options)),
        Command::Dump(options) => report::finish(&options.input, dump::run(&options)),
        Command::Lock(options) => lock::run(&options),
        Command::Asm(options) => asm::run(&options),
        Command::Disasm(options) => disasm::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Decode(options) => decode::run(&options),
        Command::Diff(options) => diff::run(&options),
        Command::Space(options) => space::run(&options),
        Command::Explain { code } => explain::run(code.as_deref()),
        Command::Completions { shell } => {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "isadl", &mut out);
            report::print(&String::from_utf8_lossy(&out))
        }
        Command::Serve(options) => serve::run(&options),
        Command::Lsp => isadl_lsp::run().map_err(|error| {
            report::complain(&error.to_string());
            Failure::Input
        }),
        Command::Man => manual(),
    }
}

fn manual() -> Outcome {
    let mut out = Vec::new();
    clap_mangen::Man::new(Arguments::command()).render(&mut out)?;
    report::print(&String::from_utf8_lossy(&out))
}
