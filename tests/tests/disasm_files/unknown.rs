//! Words that are not instructions: how long they are, and so where the next instruction begins.

use std::path::Path;
use std::process::Command;

use isadl::engine::Loaded;
use isadl::source::SourceMap;
use isadl_asm::disasm::{Addresses, Code, Line};
use isadl_test_support::{Random, count};

use super::by_llvm;
use crate::asm_files::{Machine, RISCV, folder, has, run};

/// Where lines begin.
fn places(engine: &isadl::engine::Engine<'_>, bytes: &[u8]) -> Vec<u64> {
    let code = Code::raw(bytes, 0);
    let lines = code.lines(engine, 0, Addresses::default(), false);
    let places = lines.filter_map(|line| match line {
        Line::Inst(address, ..) | Line::Unknown(address, _) => Some(address),
        _ => None,
    });
    places.collect()
}

/// Random words of 16 and 32 bits as RISC-V defines these lengths, most of which are not instructions. Longer words are
/// left out, because the specification has none.
fn stream(words: usize) -> (Vec<u8>, Vec<u64>) {
    let mut random = Random::new(41);
    let (mut bytes, mut places) = (Vec::new(), Vec::new());
    while places.len() < words {
        let word = random.next_u128() as u32;
        if word & 0x1f == 0x1f {
            continue;
        }
        places.push(bytes.len() as u64);
        let length = if word & 3 == 3 { 4 } else { 2 };
        bytes.extend_from_slice(&word.to_le_bytes()[..length]);
    }
    (bytes, places)
}

#[test]
fn bits_say_how_long_unknown_words_of_riscv_are() {
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let (bytes, expected) = stream(count("ISADL_WORDS", 20_000));
    let engine = machine.engine();
    let unknown = expected.iter().filter(|at| {
        let rest = &bytes[**at as usize..];
        engine.decode_bytes(rest).is_err() && rest[0] & 3 == 3
    });
    assert!(unknown.count() > 100, "unknown words of 32 bits");
    assert_eq!(places(&engine, &bytes), expected);
}

#[test]
fn unknown_words_of_riscv_are_as_long_as_those_of_llvm() {
    if !has("llvm-mc-19") || !has("llvm-objdump-19") {
        return;
    }
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let (bytes, _) = stream(5000);
    let folder = folder("unknown");
    let [raw, text, object] = ["a.bin", "a.s", "a.o"].map(|name| folder.join(name));
    std::fs::write(&raw, &bytes).expect("writable");
    let line = format!(".incbin \"{}\"\n", raw.display());
    std::fs::write(&text, line).expect("writable");
    let mut command = Command::new("llvm-mc-19");
    command.args(RISCV.llvm).arg("--filetype=obj").arg(&text).arg("-o").arg(&object);
    run(&mut command);
    let theirs = by_llvm(&object, &["--mattr=+m,+a,+f,+d,+c"]);
    let theirs: Vec<u64> = theirs.into_keys().collect();
    assert_eq!(places(&machine.engine(), &bytes), theirs);
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn bits_say_it_in_other_orders_and_for_several_lengths() {
    // Two bits of the first unit say how long the instruction is; the two after them are fixed, too.
    let mut text = String::from(
        "__DefIsa T<24>\n    ByteOrder = big;\n    Unit = 8 high;\n    Bits = msb0;\n",
    );
    for width in [8, 16, 24] {
        text += &format!("__DefImmediate Num{width}<{}>\n    Number = unsigned;\n", width - 4);
        text +=
            &format!("__DefGroup G{width}<{width}> : []\n__DefOptype kinds{width} : [G{width}]\n");
    }
    for (name, width, top, low) in
        [("A", 8, 0, 1), ("B", 8, 1, 2), ("C", 16, 2, 0), ("D", 16, 2, 3), ("E", 24, 3, 1)]
    {
        text += &format!(
            "__DefOpcode {name} : [kinds{width}]\n  __Encoding\n    fixed[0:1] == {top};\n    fixed[2:3] == {low};\n    field[4:{}] Num{width} k;\n  __OperandInfo\n    Operands<k>;\n",
            width - 1,
        );
    }
    let mut sources = SourceMap::new();
    sources.add(Path::new("t.isa").display().to_string(), text.into_bytes());
    let loaded = Loaded::new(isadl::compile(&sources).into_isa().expect("no errors"));
    let engine = loaded.engine();
    // E, unknown of three bytes, A, unknown of two, unknown of one, D.
    let bytes = [0xd0, 1, 2, 0xf0, 0xd0, 0xd0, 0x10, 0x90, 0x10, 0x00, 0xb0, 0];
    assert_eq!(places(&engine, &bytes), [0, 3, 6, 7, 9, 10]);
}
