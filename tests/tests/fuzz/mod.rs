//! The front end and the assembler on broken texts: they may report any errors, but they must
//! neither panic nor hang. These tests run the same bodies as `fuzz/`, on changed specifications and
//! lines, and on fixed nasty inputs.

mod assembler;
mod assembly_files;
mod nasty;
mod rich;

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use isadl_test_support::fuzz::front_end;
use isadl_test_support::{Random, root};
use rich::{family, rich, short};

/// The time limit for one input; generous, because machines are shared and tests not optimized.
const LIMIT: Duration = Duration::from_secs(60);

/// The time for trying changed specifications.
const RANDOM_TIME: Duration = Duration::from_secs(1);

/// The stack of a test thread.
const STACK: usize = 2 << 20;

/// The outcome of an input.
#[derive(Debug, PartialEq)]
enum Outcome {
    Done,
    Panicked,
    Hung,
}

/// Runs the body on an input. A run that hangs is abandoned.
fn outcome(bytes: Vec<u8>) -> Outcome {
    let (sender, receiver) = channel();
    let body = move || {
        front_end(&bytes);
        // The receiver is gone if this took too long.
        let _ = sender.send(());
    };
    std::thread::Builder::new().stack_size(STACK).spawn(body).expect("a thread can be started");
    match receiver.recv_timeout(LIMIT) {
        Ok(()) => Outcome::Done,
        Err(RecvTimeoutError::Timeout) => Outcome::Hung,
        Err(RecvTimeoutError::Disconnected) => Outcome::Panicked,
    }
}

/// Fails unless every input finishes in time, and names those that do not. A run that hangs continues
/// and slows the others, so the first one ends the test.
fn all_done(inputs: impl IntoIterator<Item = (String, Vec<u8>)>) {
    let mut panicked = Vec::new();
    for (name, bytes) in inputs {
        match outcome(bytes) {
            Outcome::Done => {}
            Outcome::Panicked => panicked.push(name),
            Outcome::Hung => panic!("hangs on: {name} (before it panicked: {panicked:?})"),
        }
    }
    assert!(panicked.is_empty(), "panics on: {panicked:?}");
}

#[test]
fn the_rich_specifications_compile() {
    for text in [rich(), family(), short()] {
        let (_, compilation) = isadl_test_support::compile(&[("rich.isa", text)]);
        let errors: Vec<&str> =
            compilation.diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert!(compilation.family.is_some(), "{errors:#?}");
    }
}

// ---- changed specifications -----------------------------------------------------------------

/// The texts of a folder's specifications.
fn specifications(folder: &Path, into: &mut Vec<String>) {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable folder").path()).collect();
    paths.sort();
    let isa = paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "isa"));
    into.extend(isa.map(|path| std::fs::read_to_string(path).expect("a specification is text")));
}

/// Pieces that mean something to the front end.
const TOKENS: [&str; 58] = [
    "__DefIsa X<32>",
    "__DefOpcode Y : [ADD]",
    "__DefGroup",
    "__Encoding",
    "__OperandInfo",
    "__Exception",
    "__Description",
    "field<",
    "control<",
    "InList<",
    "OutList<>",
    "Order<",
    "Bitwidth<rd>",
    "AsmFormat<",
    "ModiOrder<",
    "EncodingError<K, \"m\"> = ",
    "AssemblerError<K, \"m\"> = ",
    "Mnemonic<\"m\"",
    "Suffix<\"",
    "literal<32, 32> Long number : ra;",
    "literal = ",
    "zero<8, 4>;",
    "ignored<",
    "fix op == ",
    "include ",
    " is scalar",
    " align 2",
    " @[V2..]",
    " @[..V1, V3]",
    "@[",
    "Generations<V1, V2>;",
    "Modifiers = words;",
    "__DefGroup Z<16> : [ALL]",
    "__DefOpcode Z : [ADD, SHORT]",
    "Number = ",
    "Format = \"{a}\"",
    "const ",
    "```",
    "```asm",
    "//",
    "///",
    "\"",
    "\\",
    ";",
    "\n",
    "\r\n",
    "<",
    ">",
    "(",
    ")",
    "[",
    "]",
    "==",
    "..",
    "{",
    "}",
    "\u{feff}",
    "18446744073709551615",
];

/// Some definitions of a text: whole files would leave little time for many inputs.
fn excerpt<'t>(text: &'t str, random: &mut Random) -> &'t str {
    let starts: Vec<usize> =
        text.match_indices("__Def").map(|(at, _)| at).chain([text.len()]).collect();
    let first = random.below(starts.len() as u64) as usize;
    let last = (first + 1 + random.below(4) as usize).min(starts.len() - 1);
    &text[starts[first]..starts[last]]
}

fn pick<'l, T>(list: &'l [T], random: &mut Random) -> &'l T {
    &list[random.below(list.len() as u64) as usize]
}

/// One change of some bytes.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len() as u64 + 1) as usize;
    let length = random.below(60) as usize;
    let end = (at + length).min(bytes.len());
    match random.below(6) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let copy = bytes[at..end].to_vec();
            bytes.splice(at..at, copy);
        }
        3 => {
            let from = random.below(other.len() as u64 + 1) as usize;
            let piece = other[from..(from + length).min(other.len())].to_vec();
            bytes.splice(at..end, piece);
        }
        4 => bytes.truncate(at),
        _ => drop(bytes.splice(at..at, pick(&TOKENS, random).bytes())),
    }
}

#[test]
fn changed_specifications_neither_panic_nor_hang() {
    let mut texts = vec![rich(), rich(), family(), family(), short(), short()];
    specifications(&root().join("spec/gcn"), &mut texts);
    specifications(&root().join("spec/simt"), &mut texts);
    specifications(&root().join("tests/diagnostics"), &mut texts);
    assert!(texts.len() > 8, "the specifications are there");
    let mut random = Random::new(4);
    let start = Instant::now();
    let mut tried = 0;
    while start.elapsed() < RANDOM_TIME || tried < 20 {
        let text = pick(&texts, &mut random);
        let whole = text.len() < 8000 && random.below(2) == 0;
        let text = if whole { text.as_str() } else { excerpt(text, &mut random) };
        let mut bytes = text.as_bytes().to_vec();
        let other = pick(&texts, &mut random).as_bytes();
        for _ in 0..=random.below(6) {
            mutate(&mut bytes, other, &mut random);
        }
        let found = outcome(bytes.clone());
        assert!(
            found == Outcome::Done,
            "{found:?} on input {tried}:\n{}",
            String::from_utf8_lossy(&bytes)
        );
        tried += 1;
    }
}
