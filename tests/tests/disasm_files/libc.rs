//! Debian's C library (`libc6-riscv64-cross`, `libc6-arm64-cross`) against llvm-objdump 19: every described instruction
//! has the same text. Each difference belongs to a class, and the share of described instructions is at least the
//! number given here.
//!
//! `ISADL_LIBC` is the number of sections of the library to compare, the largest first. Without it, one section is
//! compared, which contains nearly all instructions.

use std::collections::BTreeMap;
use std::path::Path;

use isadl_asm::disasm::{Addresses, Code, Line};
use isadl_test_support::count;

use super::{by_llvm, text};
use crate::asm_files::{A64, Machine, RISCV, Target, has};

/// A known difference.
struct Difference {
    /// The name of the difference.
    name: &'static str,
    /// Whether it explains the difference between our text, if any, and llvm-objdump's text.
    explains: fn(Option<&str>, &str) -> bool,
}

/// Instructions that our A64 lacks: extensions that llvm-objdump knows.
const A64_DIFFERENCES: &[Difference] = &[
    Difference {
        name: "scalable vectors (SVE)",
        explains: |own, theirs| {
            let words = theirs.split([' ', ',', '{', '}', '/', '.']);
            let is_vector = |word: &str| {
                let number = word.strip_prefix(['z', 'p']);
                number.is_some_and(|number| number.parse::<u8>().is_ok())
            };
            own.is_none() && (words.into_iter().any(is_vector) || theirs.starts_with("cntb "))
        },
    },
    Difference {
        name: "zero in `movi` without `0x`",
        explains: |own, theirs| {
            let without = |text: &str| text.replace("0x", "").trim_end_matches('0').to_string();
            theirs.starts_with("movi ") && own.is_some_and(|own| without(own) == without(theirs))
        },
    },
];

/// A library with its known differences.
struct Library {
    target: &'static Target,
    extensions: &'static [&'static str],
    path: &'static str,
    differences: &'static [Difference],
    /// Of a thousand instructions, how many are described at least.
    least: usize,
}

fn compare(library: &Library) {
    let path = Path::new(library.path);
    if !path.exists() || !has("llvm-objdump-19") {
        eprintln!("skipped: {} and llvm-objdump-19 are needed", library.path);
        return;
    }
    let machine = Machine::of(library.target, library.extensions);
    let engine = machine.engine();
    let bytes = std::fs::read(path).expect("readable");
    let code = Code::elf(&bytes, engine.isa()).expect("an ELF file");
    let mut sections: Vec<usize> = (0..code.sections.len()).collect();
    sections.retain(|index| code.sections[*index].is_code);
    sections.sort_by_key(|index| std::cmp::Reverse(code.sections[*index].bytes.len()));
    sections.truncate(count("ISADL_LIBC", 1));
    let (mut all, mut described, mut unexplained) = (0, 0, Vec::new());
    let mut explained: BTreeMap<&str, usize> = BTreeMap::new();
    for index in sections {
        let name = format!("--section={}", code.sections[index].name);
        let mut expected = by_llvm(path, &[&name]);
        all += expected.len();
        for line in code.lines(&engine, index, Addresses::default(), false) {
            let (Line::Inst(address, ..) | Line::Unknown(address, _)) = line else { continue };
            let own = text(&engine, &line).map(|(text, _)| text);
            let Some(theirs) = expected.remove(&address) else {
                unexplained.push(format!("{address:#x}: {own:?}, which llvm-objdump skips"));
                continue;
            };
            described += usize::from(own.is_some());
            // The names of targets come from llvm-objdump's symbol tables.
            let theirs = theirs.split(" <").next().unwrap_or_default();
            let is_unknown = theirs.is_empty() && own.is_none();
            if own.as_deref() == Some(theirs) || is_unknown {
                continue;
            }
            match library.differences.iter().find(|one| (one.explains)(own.as_deref(), theirs)) {
                Some(known) => *explained.entry(known.name).or_default() += 1,
                None => unexplained.push(format!("{address:#x}: {own:?}, llvm: {theirs}")),
            }
        }
        unexplained.extend(expected.iter().map(|(at, text)| format!("{at:#x}: llvm: {text}")));
    }
    eprintln!("{}: {described} of {all} instructions are described; {explained:?}", library.path);
    unexplained.truncate(20);
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
    assert!(all > 200_000 && described * 1000 >= all * library.least, "{described} of {all}");
    for known in library.differences {
        assert!(explained.contains_key(known.name), "{} explains nothing", known.name);
    }
}

#[test]
fn libc_for_riscv_agrees_with_llvm() {
    compare(&Library {
        target: &RISCV,
        extensions: RISCV.extensions,
        path: "/usr/riscv64-linux-gnu/lib/libc.so.6",
        differences: &[],
        least: 1000,
    });
}

#[test]
fn libc_for_a64_agrees_with_llvm() {
    compare(&Library {
        target: &A64,
        extensions: &[],
        path: "/usr/aarch64-linux-gnu/lib/libc.so.6",
        differences: A64_DIFFERENCES,
        least: 998,
    });
}
