//! Immediates in pieces and in units of several bytes, as in RISC-V, against the encodings of llvm-mc 19.

use isadl::engine::Loaded;
use isadl_test_support::{family, root};

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
    format!("{mnemonic} {operands}")
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

/// The generations of a set are merged, although a group comes before its parent.
#[test]
fn groups_are_merged_in_any_order() {
    let text = "__DefIsa LATE<8>\n    Generations<A, B>;\n\n__DefGroup CHILD : [PARENT]\n\n\
                __DefGroup PARENT : []\n\n__DefOpcode STOP : [CHILD]\n  __Encoding\n    \
                fixed[7:0] == 1;\n";
    let family = isadl_test_support::compile(&[("late.isa", text)]).1.family.expect("no errors");
    let merged = family.merged();
    let groups = merged.items().groups();
    let parents = |name: &str| {
        let group = groups.iter().find(|group| group.name == name).expect("the group is there");
        group.parents.iter().map(|id| groups[id.index()].name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(parents("CHILD"), ["PARENT"]);
    assert_eq!(parents("PARENT"), Vec::<&str>::new());
}
