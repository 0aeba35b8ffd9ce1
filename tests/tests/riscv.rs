//! Immediates in pieces, as RISC-V has them, against what llvm-mc 19 encodes.

use isadl::engine::Loaded;
use isadl_tests::{family, root};

/// What a unit of an immediate stands for in llvm-mc.
fn unit(mnemonic: &str) -> i64 {
    match mnemonic {
        "sb" | "sw" | "lui" => 1,
        "c.addi4spn" => 4,
        _ => 2,
    }
}

/// The text of llvm-mc as the specification writes it.
fn text(llvm: &str) -> String {
    let (mnemonic, operands) = llvm.split_once(' ').expect("there are operands");
    let operands = operands.replace('(', ", ").replace(')', "").replace(
        "x2, ",
        match mnemonic {
            "c.addi4spn" => "",
            _ => "x2, ",
        },
    );
    let number = |operand: &str| match operand.parse::<i64>() {
        Ok(number) => (number / unit(mnemonic)).to_string(),
        Err(_) => operand.to_string(),
    };
    let operands: Vec<String> = operands.split(", ").map(number).collect();
    format!("{mnemonic} {}", operands.join(", "))
}

#[test]
fn words_and_immediates_are_those_of_llvm() {
    let folder = root().join("tests/fixtures/riscv");
    let loaded = Loaded::new(family("tests/fixtures/riscv").into_first());
    let engine = loaded.engine();
    let vectors = std::fs::read_to_string(folder.join("vectors.txt")).expect("they are recorded");
    let mut count = 0;
    for line in vectors.lines().filter(|line| !line.starts_with('#')) {
        let (word, llvm) = line.split_once(' ').expect("word and text");
        let word = u128::from_str_radix(word, 16).expect("a word");
        let inst = engine.decode(word).unwrap_or_else(|error| panic!("{line}: {error:?}"));
        assert_eq!((inst.word, engine.text(inst)), (word, text(llvm)), "{line}");
        let assembled =
            engine.assemble(&text(llvm)).unwrap_or_else(|error| panic!("{line}: {error:?}"));
        assert_eq!(assembled, inst, "{line}");
        count += 1;
    }
    assert!(count > 200);
}
