//! Computed immediates: the masks and constants of A64, compared with llvm-mc 19 value by value.
//!
//! `tests/fixtures/computed/llvm.txt` is recorded (its first line says how); all other values are compared
//! with llvm-mc if it is installed, and skipped otherwise. `BLESS=1` records.

use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};

use isadl::engine::Loaded;
use isadl_tests::{family, root};

const RECORDED: &str = "tests/fixtures/computed/llvm.txt";

/// How far the recorded words are apart: coprime to the number of masks.
const STEP: usize = 7;

/// A word for each mask, with registers that change, and one for each constant.
fn words() -> Vec<u32> {
    let masks =
        (0..1u32 << 13).map(|mask| 0x9200_0000 + (mask << 10) + ((mask % 31) << 5) + mask % 29);
    let constants = (0..256u32).map(|value| 0x1e60_1000 + (value << 13) + value % 32);
    masks.chain(constants).collect()
}

/// What llvm-mc says of each word; nothing where it does not accept it.
fn by_llvm(words: &[u32]) -> Option<Vec<String>> {
    let mut command = Command::new("llvm-mc-19");
    command.args(["--triple=aarch64", "--disassemble", "--show-encoding"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut input = child.stdin.take()?;
    let lines: String = words
        .iter()
        .map(|word| word.to_le_bytes().map(|byte| format!("0x{byte:02x}")).join(" ") + "\n")
        .collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    // A text with its encoding, which says of which word it is.
    let mut texts = HashMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((text, bytes)) = line.split_once("// encoding: [") else { continue };
        let bytes: Vec<u8> = bytes
            .trim_end_matches(']')
            .split(',')
            .map(|byte| u8::from_str_radix(byte.trim_start_matches("0x"), 16).expect("a byte"))
            .collect();
        let word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        texts.insert(word, text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    Some(words.iter().map(|word| texts.remove(word).unwrap_or_default()).collect())
}

/// A text in which floating-point numbers have as many digits as they need.
fn plain(text: &str) -> String {
    match text.split_once(", #").filter(|(_, number)| number.contains('.')) {
        Some((start, number)) => {
            format!("{start}, #{}", number.parse::<f64>().expect("a number"))
        }
        None => text.to_string(),
    }
}

fn compare(words: &[u32], texts: &[String]) {
    let loaded = Loaded::new(family("tests/fixtures/computed").into_first());
    let engine = loaded.engine();
    let mut lowest: HashMap<String, u32> = HashMap::new();
    for (word, text) in words.iter().zip(texts) {
        let found = engine.decode(u128::from(*word));
        let own = found.map_or(String::new(), |inst| engine.text(inst));
        assert_eq!(own, plain(text), "{word:#010x}");
        if text.is_empty() {
            continue;
        }
        // LLVM takes the lowest encoding too; what is assembled has the number of the word.
        let read = engine.assemble(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let first = *lowest.entry(own).or_insert(read.word as u32);
        assert_eq!(u128::from(first), read.word, "{text}");
        assert!(read.word <= u128::from(*word), "{text}: {word:#010x}");
        assert_eq!(engine.text(read), plain(text));
    }
}

#[test]
fn recorded_numbers_are_those_of_llvm() {
    let words: Vec<u32> = words().into_iter().step_by(STEP).collect();
    let path = root().join(RECORDED);
    if std::env::var_os("BLESS").is_some() {
        let texts = by_llvm(&words).expect("llvm-mc-19 is installed");
        let lines = words.iter().zip(texts).map(|(word, text)| format!("{word:08x} {text}\n"));
        let head = "# Words and texts, made by llvm-mc-19 --triple=aarch64 --disassemble --show-encoding.\n";
        let text = head.to_string() + &lines.collect::<String>();
        std::fs::write(&path, text).expect("the fixture is writable");
    }
    let recorded = std::fs::read_to_string(&path).expect("the fixture is readable");
    let lines: Vec<(&str, &str)> =
        recorded.lines().skip(1).filter_map(|line| line.split_once(' ')).collect();
    assert_eq!(lines.len(), words.len());
    let texts: Vec<String> = lines.iter().map(|(_, text)| text.to_string()).collect();
    let given = lines.iter().map(|(word, _)| u32::from_str_radix(word, 16).expect("a word"));
    assert_eq!(given.collect::<Vec<_>>(), words);
    compare(&words, &texts);
}

#[test]
fn all_numbers_are_those_of_llvm() {
    let words = words();
    let Some(texts) = by_llvm(&words) else {
        eprintln!("skipped: llvm-mc 19 is not installed");
        return;
    };
    assert_eq!(texts.iter().filter(|text| text.starts_with("and")).count(), 7_680);
    compare(&words, &texts);
}

#[test]
fn a_number_without_encoding_is_refused_with_those_beside_it() {
    let loaded = Loaded::new(family("tests/fixtures/computed").into_first());
    let said = |line: &str| {
        loaded.engine().assemble(line).map_or_else(|error| error.message.clone(), |_| String::new())
    };
    assert_eq!(
        said("and x1, x2, #0x55"),
        "`0x55` is not a number that can be encoded; the nearest are #0x40 and #0x60"
    );
    assert_eq!(
        said("and x1, x2, #0"),
        "`0` is not a number that can be encoded; the nearest is #0x1"
    );
    assert_eq!(said("fmov d1, #1.1"), "`1.1` is not a number that can be encoded");
}
