//! Computed immediates: the masks and constants of A64, value by value. Computed operands: its bitfield instructions,
//! with all positions. Both are compared with llvm-mc 19.
//!
//! `llvm.txt` next to each specification is recorded (its first line says how); all other words are compared
//! with llvm-mc if it is installed, and skipped otherwise. `BLESS=1` records.

use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};

use isadl::engine::Loaded;
use isadl_test_support::{family, root};

/// How far the recorded words are apart: coprime to the number of values.
const STEP: usize = 7;

/// A specification that is compared.
struct Compared {
    folder: &'static str,
    words: Vec<u32>,
}

/// A word for each mask, with registers that change, and one for each constant.
fn immediates() -> Compared {
    let masks =
        (0..1u32 << 13).map(|mask| 0x9200_0000 + (mask << 10) + ((mask % 31) << 5) + mask % 29);
    let constants = (0..256u32).map(|value| 0x1e60_1000 + (value << 13) + value % 32);
    Compared { folder: "tests/fixtures/computed", words: masks.chain(constants).collect() }
}

/// A word for all positions of three instructions, and for all conditions of another one.
fn bitfields() -> Compared {
    let registers = |at: u32| ((at % 31) << 5) + (at + 1) % 32;
    // Other names of `sbfm` are not described: sxtb, sxth and sxtw.
    let is_described =
        |word: &u32| !matches!(word & 0xffff_fc00, 0x9340_1c00 | 0x9340_3c00 | 0x9340_7c00);
    let fields = [0x9340_0000, 0xb340_0000, 0xd340_0000].into_iter().flat_map(move |word| {
        (0..1u32 << 12).map(move |at| word + (at << 10) + registers(at)).filter(is_described)
    });
    let conditions = (0..1u32 << 12).map(|at| {
        let (cond, rn, rm) = (at >> 8, at >> 4 & 15, at & 15);
        // The zero register is one of them.
        let register = |number: u32| if number == 15 { 31 } else { number };
        0x9a80_0400 + (cond << 12) + (register(rm) << 16) + (register(rn) << 5) + 3
    });
    Compared { folder: "tests/fixtures/bitfields", words: fields.chain(conditions).collect() }
}

/// llvm-mc's text for each word; empty if it refuses the word.
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
    // Each text comes with its encoding, which identifies its word.
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

/// A text whose floating-point numbers have the fewest necessary digits.
fn plain(text: &str) -> String {
    match text.split_once(", #").filter(|(_, number)| number.contains('.')) {
        Some((start, number)) => {
            format!("{start}, #{}", number.parse::<f64>().expect("a number"))
        }
        None => text.to_string(),
    }
}

/// Compares texts, and the words they assemble to: the lowest word with the text.
fn compare(folder: &str, words: &[u32], texts: &[String]) {
    let loaded = Loaded::new(family(folder).into_first());
    let engine = loaded.engine();
    for (word, text) in words.iter().zip(texts) {
        let found = engine.decode(u128::from(*word));
        let own = found.map_or(String::new(), |inst| engine.text(inst));
        assert_eq!(own, plain(text), "{word:#010x}");
        if text.is_empty() {
            continue;
        }
        let read = engine.assemble(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(read.word <= u128::from(*word), "{text}: {word:#010x}");
        assert_eq!(engine.text(read), plain(text));
    }
}

fn compare_recorded(Compared { folder, words }: Compared) {
    let words: Vec<u32> = words.into_iter().step_by(STEP).collect();
    let path = root().join(folder).join("llvm.txt");
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
    let texts: Vec<String> = lines.iter().map(|(_, text)| text.to_string()).collect();
    let given = lines.iter().map(|(word, _)| u32::from_str_radix(word, 16).expect("a word"));
    assert_eq!(given.collect::<Vec<_>>(), words);
    compare(folder, &words, &texts);
}

/// Compares all words; the texts of llvm-mc if it is installed.
fn compare_all(Compared { folder, words }: Compared) -> Vec<String> {
    let Some(texts) = by_llvm(&words) else {
        eprintln!("skipped: llvm-mc 19 is not installed");
        return Vec::new();
    };
    compare(folder, &words, &texts);
    texts
}

#[test]
fn recorded_numbers_are_those_of_llvm() {
    compare_recorded(immediates());
}

#[test]
fn all_numbers_are_those_of_llvm() {
    let texts = compare_all(immediates());
    let masks = texts.iter().filter(|text| text.starts_with("and")).count();
    assert!(texts.is_empty() || masks == 7_680);
}

#[test]
fn recorded_operands_are_those_of_llvm() {
    compare_recorded(bitfields());
}

#[test]
fn all_operands_are_those_of_llvm() {
    let texts = compare_all(bitfields());
    for mnemonic in ["asr", "lsr", "lsl", "sbfiz", "ubfiz", "bfi", "bfxil", "sbfx", "ubfx"] {
        assert!(texts.is_empty() || texts.iter().any(|text| text.starts_with(mnemonic)));
    }
}

#[test]
fn each_text_of_a_bitfield_has_one_word() {
    let Compared { folder, words } = bitfields();
    let loaded = Loaded::new(family(folder).into_first());
    let engine = loaded.engine();
    for word in words {
        let inst = engine.decode(word.into()).expect("an instruction");
        for text in [engine.text(inst), engine.plain_text(inst)] {
            assert_eq!(engine.assemble(&text).map(|read| read.word), Ok(word.into()), "{text}");
        }
    }
    for line in
        ["ubfx x1, x2, #8, #57", "lsl x1, x2, #64", "ubfiz x1, x2, #4, #61", "bfi x1, x2, #0, #1"]
    {
        assert!(engine.assemble(line).is_err(), "{line}");
    }
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
        "`0` is not a number that can be encoded; the nearest is #1"
    );
    assert_eq!(said("fmov d1, #1.1"), "`1.1` is not a number that can be encoded");
}

#[test]
fn operands_have_the_sign_of_their_type() {
    let text = "__DefIsa LARGE<8>\n\n__DefImmediate Two<2>\n    Number = unsigned;\n\n\
                __DefImmediate Large<64>\n    Number = unsigned;\n\n__DefGroup ALL : []\n\n\
                __DefOpcode PLAIN : [ALL]\n  __Encoding\n    field[1:0] Two a;\n    zero[7:2];\n  \
                __OperandInfo\n    Operands<a>;\n\n__DefAlias SHIFTED : [PLAIN]\n  __OperandInfo\n    \
                Operand<value> : Large = if(a == 0, -1, 1 << 60 + a);\n    Order<value>;\n    \
                Mnemonic<\"shifted\">;\n";
    let (_, compilation) = isadl_test_support::compile(&[("large.isa", text)]);
    let found: Vec<&str> =
        compilation.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert!(found.is_empty(), "{found:?}");
    let loaded = Loaded::new(compilation.family.expect("no errors").into_first());
    let engine = loaded.engine();
    // A value that is not a number of the type is not written as a number.
    let expected = ["PLAIN 0", "shifted 2305843009213693952", "shifted 4611686018427387904"];
    for (word, text) in (0..).zip(expected.into_iter().chain(["shifted 9223372036854775808"])) {
        let inst = engine.decode(word).expect("an instruction");
        assert_eq!(engine.text(inst), text);
        assert_eq!(engine.assemble(text), Ok(inst));
    }
}

#[test]
fn operands_that_do_not_agree_on_a_field_are_named() {
    let text = "__DefIsa SHARED<8>\n\n__DefRegFile GPR<32, 4>\n\n__DefOperandType Reg<2>\n    \
                r[0..3] = 0 : GPR;\n\n__DefBitFieldType Size<2>\n    B = 0 as \"b\";\n    H = 1 as \"h\";\n    \
                W = 2 as \"w\";\n    D = 3 as \"d\";\n\n__DefGroup ALL : []\n\n\
                __DefOpcode MOVE : [ALL]\n  __Encoding\n    field[1:0] Reg a;\n    field[3:2] Reg b;\n    \
                field[5:4] Size size;\n    zero[7:6];\n  __OperandInfo\n    Operand<to> = \"{a}.{size}\";\n    \
                Operand<from> = \"{b}.{size}\";\n    OutList<a>;\n    InList<b>;\n    Order<to, from>;\n    \
                Bitwidth<a> = 32;\n    Bitwidth<b> = 32;\n    Mnemonic<\"move\">;\n";
    let (_, compilation) = isadl_test_support::compile(&[("shared.isa", text)]);
    let found: Vec<&str> =
        compilation.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert!(found.is_empty(), "{found:?}");
    let loaded = Loaded::new(compilation.family.expect("no errors").into_first());
    let engine = loaded.engine();
    assert_eq!(engine.assemble("move r1.w, r2.w").map(|inst| inst.word), Ok(0x29));
    let error = engine.assemble("move r1.w, r2.h").expect_err("the sizes differ");
    assert_eq!(
        (error.column, error.message.as_str()),
        (12, "`r2.h` does not agree with what is written before it")
    );
}

/// Some of several encodings of a number can be illegal: each text is read as the word that it was printed for.
#[test]
fn a_number_is_read_as_a_legal_encoding() {
    for (folder, legal) in
        [("tests/fixtures/computed/rules", 2), ("tests/fixtures/computed/matches", 6)]
    {
        let loaded = Loaded::new(family(folder).into_first());
        let engine = loaded.engine();
        let words = 0..1u128 << engine.isa().width();
        let all: Vec<_> = words.filter_map(|word| engine.decode(word).ok()).collect();
        assert_eq!(all.len(), legal, "{folder}");
        for inst in all {
            let text = engine.text(inst);
            assert_eq!(engine.assemble(&text).ok(), Some(inst), "{folder}: {text}");
        }
    }
}

/// Where a name is in the place of a computed number, few numbers are listed, and many are counted.
#[test]
fn numbers_that_are_computed_are_told() {
    let error = |folder: &str, line: &str| {
        let loaded = Loaded::new(family(folder).into_first());
        loaded.engine().assemble(line).expect_err("an error").message
    };
    let few = error("tests/fixtures/use/sparse_range.isa", "add foo");
    assert!(few.starts_with("expected -1, 0, 1, 2, 4 or 8, found `foo`"), "{few}");
    let many = error("tests/fixtures/computed", "and x0, x1, foo");
    assert!(many.starts_with("expected one of 5334 integers from 1 to "), "{many}");
}
