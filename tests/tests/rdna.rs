//! Modifiers with values, lists, literals: a slice of AMD RDNA3 against llvm-mc 19, and small cases.

use std::collections::BTreeMap;

use isadl::engine::{Engine, Inst, Loaded};
use isadl::isa::NameId;
use isadl_test_support::llvm::Llvm;
use isadl_test_support::{Random, checked, compile, family, root};

isadl_macros::isa!(mod shared = "fixtures/rdna/shared_literal.isa");

/// Random words of each opcode.
const WORDS: u64 = 400;

/// Random instructions. Registers are so low that no range of them passes the last.
fn instructions(engine: &Engine<'_>) -> Vec<Inst> {
    let mut random = Random::new(11);
    let mut found = Vec::new();
    for id in engine.isa().opcode_ids() {
        let opcode = engine.isa().opcode(id);
        let low = |name: NameId| opcode.field(name).map_or(0, |field| field.insert(0, 0x80));
        let is_vector = |name: &NameId| {
            let ty = opcode.field(*name).map(|field| engine.isa().ty(field.ty));
            ty.is_some_and(|ty| ty.name == "V")
        };
        let names = opcode.fields.iter().map(|field| field.name);
        let upper = names.filter(is_vector).fold(0, |bits, name| bits | low(name));
        // A literal that is a constant would be read as the constant.
        let literals = opcode.literals.iter().filter_map(|form| opcode.field(form.literal));
        let large = literals.fold(0, |bits, literal| bits | literal.insert(0, 1 << 30));
        for _ in 0..WORDS {
            let high = u128::from(random.next_u64()) << 64;
            let any = (high | u128::from(random.next_u64())) & opcode.width_mask;
            // Half of the words have few bits, so that modifiers have their defaults.
            let few = any & (u128::from(random.next_u64()) | !0 << 64);
            let bits = if random.below(2) == 0 { any } else { few };
            let word = bits & !opcode.mask & !upper | opcode.value | large;
            found.extend(engine.decode(word).ok().filter(|inst| inst.opcode == id));
        }
    }
    found
}

/// The bytes of an instruction.
fn bytes(engine: &Engine<'_>, inst: Inst) -> Vec<u8> {
    let width = engine.isa().opcode(inst.opcode).width as usize / 8;
    inst.word.to_le_bytes()[..width].to_vec()
}

/// A line with its modifiers in reverse order.
fn reversed(line: &str) -> String {
    let tokens: Vec<&str> = line.split(' ').collect();
    let last = tokens.iter().rposition(|token| token.ends_with(',')).map_or(1, |at| at + 1);
    let (operands, modifiers) = tokens.split_at((last + 1).min(tokens.len()));
    operands.iter().chain(modifiers.iter().rev()).copied().collect::<Vec<_>>().join(" ")
}

/// Every text is read as its instruction, with its modifiers in any order.
#[test]
fn modifiers_are_read_in_any_order() {
    let loaded = Loaded::new(family("tests/fixtures/rdna/slice").into_first());
    let engine = loaded.engine();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for inst in instructions(&engine) {
        let text = engine.text(inst);
        assert_eq!(engine.assemble(&text).ok(), Some(inst), "{text}");
        let is_list = text.starts_with("s_");
        let line = if is_list { text.clone() } else { reversed(&text) };
        assert_eq!(engine.assemble(&line).ok(), Some(inst), "{line}");
        *seen.entry(&engine.isa().opcode(inst.opcode).name).or_default() += 1;
    }
    let names = engine.isa().opcodes().iter().map(|opcode| opcode.name.as_str());
    assert!(names.into_iter().all(|name| seen.contains_key(name)), "{seen:?}");
    assert!(seen.values().all(|count| *count > 20), "{seen:?}");
}

/// The texts are LLVM's, and LLVM makes the same bytes of them.
#[test]
fn texts_are_those_of_llvm() {
    let Some(llvm) = Llvm::find() else { return println!("skipped: no llvm-mc 19") };
    let loaded = Loaded::new(family("tests/fixtures/rdna/slice").into_first());
    let engine = loaded.engine();
    let all = instructions(&engine);
    let samples: Vec<Vec<u8>> = all.iter().map(|inst| bytes(&engine, *inst)).collect();
    let arguments = ["--triple=amdgcn", "--mcpu=gfx1100"];
    let theirs = llvm.disassemble_each(&arguments, &samples);
    let ours: Vec<String> = all.iter().map(|inst| engine.text(*inst)).collect();
    for ((ours, theirs), bytes) in ours.iter().zip(&theirs).zip(&samples) {
        let theirs = match theirs.starts_with("s_waitcnt ") {
            true => theirs.replace(") ", ") & "),
            false => theirs.clone(),
        };
        assert_eq!(*ours, theirs, "{bytes:02x?}");
    }
    let made = llvm.assemble("gfx1100", &ours);
    for ((ours, made), bytes) in ours.iter().zip(made).zip(&samples) {
        assert_eq!(made.as_ref(), Ok(bytes), "{ours}");
    }
}

/// Lines of a small specification, each with the text of the instruction that it is read as, or its error.
fn lines(name: &str, lines: &[(&str, Result<&str, &str>)]) {
    let path = root().join(format!("tests/fixtures/rdna/{name}.isa"));
    let text = std::fs::read_to_string(path).expect("a file");
    let (_, compilation) = compile(&[(name, &text)]);
    let loaded = Loaded::new(compilation.family.expect("no error").into_first());
    let engine = loaded.engine();
    for (line, expected) in lines {
        let read = engine.assemble(line).map(|inst| engine.text(inst));
        match (read, expected) {
            (Ok(text), Ok(expected)) => assert_eq!(text, *expected, "{line}"),
            (Err(error), Err(expected)) => {
                assert!(error.to_string().contains(expected), "{line}: {error}");
            }
            (read, _) => panic!("{line}: {read:?}"),
        }
    }
}

#[test]
fn literals_are_possible_beside_match() {
    let of_8 = Err("conditions of `Match`");
    lines(
        "match_literal",
        &[("add 0x5, 7", Ok("add 0x5, 7")), ("add r1, 7", Ok("add r1, 7")), ("add 0x5, 8", of_8)],
    );
}

#[test]
fn a_mark_before_a_literal_is_a_word() {
    lines(
        "negated_literal",
        &[
            ("add neg(0x1234)", Ok("add neg(0x1234)")),
            ("add -r1", Ok("add -r1")),
            ("add neg(1)", Ok("add neg(1)")),
            ("add -1", Ok("add -1")),
            ("add -0x1234", Err("out of range")),
        ],
    );
}

/// The claims of the specification are about such operands; `isadl check` executes them.
#[test]
fn a_shared_literal_has_the_marks_of_each_operand() {
    lines(
        "negated_pair",
        &[
            ("add r1, neg(0x5000), 0x5000", Ok("add r1, neg(0x5000), 0x5000")),
            ("add r1, 0x5000, neg(0x5000)", Ok("add r1, 0x5000, neg(0x5000)")),
        ],
    );
    let path = root().join("tests/fixtures/rdna/negated_pair.isa");
    let text = std::fs::read_to_string(path).expect("a file");
    let wrong = text.replace("r1 = 0xa000", "r1 = 0xa001");
    for (text, faults) in [(text.as_str(), 0), (&wrong, 1)] {
        let (sources, _) = compile(&[("negated_pair", text)]);
        let found = checked(&sources).diagnostics;
        assert_eq!(found.iter().count(), faults, "{found:?}");
    }
}

#[test]
fn operands_share_a_literal() {
    let differs = Err("does not agree with what is written before it");
    lines(
        "shared_literal",
        &[
            ("add 0x12345, r1", Ok("add 0x12345, r1")),
            ("add r1, 0x12345", Ok("add r1, 0x12345")),
            ("add 0x12345, 0x12345", Ok("add 0x12345, 0x12345")),
            ("add 7, 0x12345", Ok("add 7, 0x12345")),
            ("add 0x12345, 0x12346", differs),
            ("fma 0x77, 0x77, 0x77", Ok("fma 0x77, 0x77, 0x77")),
            ("fma r1, 0x77, 0x78", differs),
        ],
    );
}

/// Whoever makes an instruction gives the literal once, as its first field; what a later one is given must be the same.
#[test]
fn a_shared_literal_is_given_once() {
    let path = root().join("tests/fixtures/rdna/shared_literal.isa");
    let text = std::fs::read_to_string(path).expect("a file");
    let (_, compilation) = compile(&[("shared_literal", &text)]);
    let loaded = Loaded::new(compilation.family.expect("no error").into_first());
    let engine = loaded.engine();
    let read = engine.assemble("add 0x12345, 0x12345").expect("it is read");
    let opcode = engine.isa().opcode(read.opcode);
    let [first, later] = [0, 1].map(|at| opcode.literals[at].literal);
    assert_eq!(engine.isa().name_of(later), "l.b");
    assert_eq!(engine.encode(read.opcode, &[(first, 0x12345)]), Ok(read));
    assert_eq!(engine.encode(read.opcode, &[(later, 0x12345)]), Ok(read));
    assert!(engine.encode(read.opcode, &[]).is_err());
    assert!(engine.encode(read.opcode, &[(first, 0x12345), (later, 0x12346)]).is_err());

    let number = shared::Word32::new(0x12345).expect("it fits");
    let made = shared::Inst::add_a_b_literal(number);
    assert_eq!(u128::from(made.word()), read.word);
    assert_eq!(made.to_string(), "add 0x12345, 0x12345");
}

#[test]
fn only_optional_pieces_vanish() {
    lines(
        "template_of_defaults",
        &[
            ("exp r3, off", Ok("exp r3, off")),
            ("exp r3, off done", Ok("exp r3, off done")),
            ("exp r3", Err("off")),
        ],
    );
}
