//! Assembly text: printed text assembles to the same word, and examples
//! of everything that a line may contain.

use isadl::isa::{Inst, Isa, OpcodeId};
use isadl_test_support::{Random, Set, gcn, golden, odd, riscv, root, simt, words};

/// Prints random instructions of every opcode and assembles the text.
fn round_trip(isa: &Set, times: usize) {
    let mut random = Random::new(1);
    for id in isa.opcode_ids() {
        let opcode = isa.opcode(id);
        for _ in 0..times {
            let Some(inst) = words::instruction(isa, id, &mut random) else {
                panic!("{}: no legal word found", opcode.name);
            };
            let text = isa.text(inst);
            match isa.assemble(&text) {
                Ok(back) => assert_eq!(
                    (back.opcode, back.word),
                    (inst.opcode, inst.word),
                    "`{text}` of {} became {}: `{}`",
                    opcode.name,
                    isa.opcode(back.opcode).name,
                    isa.text(back)
                ),
                Err(error) => panic!("{}, word 0x{:x}: `{text}`: {error}", opcode.name, inst.word),
            }
        }
    }
}

#[test]
fn what_is_printed_assembles_to_the_same_word() {
    round_trip(simt(), 200);
}

/// The texts of the pieces of an instruction, each with the bits that it depends on.
fn pieces(isa: &Isa, id: OpcodeId, word: u128) -> Vec<(u128, String)> {
    let (opcode, inst) = (isa.opcode(id), Inst { opcode: id, word });
    let mut pieces = Vec::new();
    for operand in opcode.syntax.guard.iter().chain(&opcode.syntax.operands) {
        let mut text = String::new();
        isa.append_operand(inst, operand, &mut text);
        pieces.push((isa.operand_bits(opcode, operand), text));
        pieces.push((isa.core_bits(opcode, operand), isa.core_text(inst, operand)));
        if operand.marks.iter().all(|mark| mark.call.is_none()) {
            pieces.push((opcode.marks_bits(operand), isa.marks_text(inst, operand)));
            pieces.push((opcode.tail_bits(operand), isa.tail_text(inst, operand)));
        }
    }
    for modifier in &opcode.syntax.modifiers {
        pieces.push((opcode.modifier_bits(modifier), isa.modifier_text(inst, modifier)));
    }
    for control in &opcode.syntax.controls {
        pieces.push((opcode.modifier_bits(control), isa.control_text(inst, control)));
    }
    pieces
}

/// Tables of texts are made for the words that differ in these bits alone.
#[test]
fn texts_depend_on_no_other_bits_than_they_are_said_to() {
    let mut random = Random::new(3);
    let mut compared = 0;
    let (simt, odd, gcn, riscv) = (simt(), odd(), gcn(), riscv());
    let sets = [simt, odd].into_iter().chain(&gcn.isas()[..1]).chain(&riscv.isas()[..1]);
    for isa in sets {
        for id in isa.opcode_ids() {
            // Few opcodes have legal words that are not found by chance.
            let mut word = || Some(words::instruction(isa, id, &mut random)?.word);
            let (Some(word), Some(other)) = (word(), word()) else { continue };
            for (at, (bits, text)) in pieces(isa, id, word).into_iter().enumerate() {
                let mixed = word & bits | other & !bits;
                assert_eq!(pieces(isa, id, mixed)[at].1, text, "{}", isa.opcode(id).name);
                compared += 1;
            }
        }
    }
    assert!(compared > 5000, "{compared} texts");
}

/// Only fields that do not appear in the text are lost.
#[test]
fn text_that_lacks_fields_is_stable() {
    let isa = odd();
    let mut random = Random::new(2);
    let mut assembled = 0;
    for id in isa.opcode_ids() {
        for _ in 0..200 {
            let inst = words::instruction(isa, id, &mut random).expect("a legal word");
            let text = isa.text(inst);
            if let Ok(back) = isa.assemble(&text) {
                assert_eq!(isa.text(back), text);
                assembled += 1;
            }
        }
    }
    assert!(assembled > 300, "{assembled} lines assembled");
}

/// Compares the outcomes of lines with a file that contains each line with its outcome, indented,
/// below it.
fn outcomes(name: &str, outcome: impl Fn(&str) -> String) {
    let path = root().join("tests/fixtures/text").join(name);
    let table = std::fs::read_to_string(&path).expect("the table is readable");
    let all: Vec<&str> = table.lines().collect();
    let lines = all.chunks(2).map(|pair| pair[0]);
    let text: String = lines.map(|line| format!("{line}\n    {}\n", outcome(line))).collect();
    golden(&path, &text);
}

/// Defaults omitted and written, marks, pairs, both ends of ranges, rounding, patterns, control
/// fields, spaces, comments: each line with its canonical text.
#[test]
fn lines_assemble_to_their_canonical_text() {
    let isa = simt();
    outcomes("lines.txt", |line| {
        let inst = isa.assemble(line).unwrap_or_else(|error| panic!("`{line}`: {error}"));
        let text = isa.text(inst);
        assert_eq!(isa.assemble(&text), Ok(inst), "`{line}` is `{text}`");
        text
    });
}

/// The errors of invalid lines, with their columns.
#[test]
fn errors_say_what_is_wrong_and_where() {
    let isa = simt();
    outcomes("errors.txt", |line| match isa.assemble(line) {
        Ok(inst) => panic!("`{line}` is `{}`", isa.text(inst)),
        Err(error) => error.to_string(),
    });
}

fn bits_of(isa: &Set, line: &str, field: &str) -> u64 {
    let inst = isa.assemble(line).unwrap_or_else(|error| panic!("`{line}`: {error}"));
    let opcode = isa.opcode(inst.opcode);
    let field = opcode.fields.iter().find(|other| isa.name_of(other.name) == field);
    field.expect("the opcode has the field").extract(inst.word)
}

/// The word, not only the text, since printed text may hide the encoding.
#[test]
fn numbers_have_the_bits_that_their_formats_say() {
    let isa = simt();
    for (line, bits) in [
        ("MUFU.EX2.F16 R0, 2049", 0x6800),
        ("MUFU.EX2.F16 R0, 2051", 0x6802),
        ("MUFU.EX2.F16 R0, 0.1", 0x2e66),
        ("MUFU.EX2.F16 R0, 65504", 0x7bff),
        ("MUFU.EX2.F16 R0, 65519.99", 0x7bff),
        ("MUFU.EX2.F16 R0, -inf", 0xfc00),
        ("MUFU.EX2.F16 R0, -0", 0x8000),
        ("MUFU.EX2.F16 R0, 0x7e01", 0x7e01),
        ("MUFU.EX2.BF16 R0, 1", 0x3f80),
        ("MUFU.EX2.F32 R0, 0.1", 0x3dcc_cccd),
        ("MUFU.EX2.F32 R0, 16777217", 0x4b80_0000),
        ("MUFU.EX2.F32 R0, 1e-45", 1),
        ("MUFU.RCP.F64H R0, 1", 0x3ff0_0000),
        ("MUFU.RCP.F64H R0, -2.5", 0xc004_0000),
        ("MUFU.TANH.F16_V2 R0, -1, 1", 0xbc00_3c00),
        ("MUFU.TANH.BF16_V2 R0, 1, -2", 0x3f80_c000),
        ("IADD R0, R1, 0xFFFFFFFF", 0xffff_ffff),
        ("IADD R0, R1, -0x80000000", 0x8000_0000),
        ("IADD R0, R1, c[0x1F][0x1FFFF]", 0x3f_ffff),
        ("IADD R0, R1, c[1][0x160]", 0x2_0160),
    ] {
        assert_eq!(bits_of(isa, line, "vb"), bits, "{line}");
    }
    assert_eq!(bits_of(isa, "GETGPR R0, R[UR2-1]", "ridx"), 0x1ff);
    assert_eq!(bits_of(isa, "GETGPR R0, R[UR2-256]", "ridx"), 0x100);
    assert_eq!(bits_of(isa, "IADD R0, R1, R2 $sched=4:1", "sched"), 0x14);
    assert_eq!(bits_of(isa, "IADD R0, R1, R2 $wsb=SB5", "wsb"), 6);
}

/// Numbers by their bits. The type comes from the literal in the operand's own form, else from the operation's
/// literals, unless these have several types.
#[test]
fn numbers_with_the_bits_of_a_constant_are_the_constant() {
    let text = std::fs::read_to_string(root().join("tests/fixtures/text/constants.isa"));
    let text = text.expect("the fixture is committed");
    let (_, compilation) = isadl_test_support::compile(&[("constants.isa", text)]);
    let isa = Set::from(compilation.into_isa().expect("the fixture has no errors"));
    let (literal, one_and_a_half, minus_one) = (63, 40, 24);
    for (line, bits) in [
        ("add_s 1.5", one_and_a_half),
        ("add_s 0x3e00", one_and_a_half),
        ("add_s 15872", one_and_a_half),
        ("add_s 0xffff", minus_one),
        ("add_s 0x3e01", literal),
        ("add_l 0x3e00", one_and_a_half),
        ("add_l 0xffff", minus_one),
        ("mix_f 0x3e00", one_and_a_half),
        ("mix_u 0x5", 21),
        ("mix_u 0x3e00", literal),
        ("mix_u 0xffff", literal),
        ("mix_l -1", minus_one),
        ("mix_l 1.5", one_and_a_half),
    ] {
        assert_eq!(bits_of(&isa, line, "a"), bits, "{line}");
    }
    for line in ["add_l 0x3e01", "add_l 1.75", "mix_l 0x3e00", "mix_l 0xffff", "mix_u 1.75"] {
        assert!(isa.assemble(line).is_err(), "{line}");
    }
}

/// Definitions of a set of 32-bit instructions with an operation of two opcodes.
const SHIFT: &str = "\
__DefIsa T<32>

__DefImmediate U8<8>
    Number = unsigned;

__DefImmediate H8<8>
    Number = unsigned;
    Print = hex;

__DefBitFieldType Side<8>
    LEFT = 1;
    RIGHT;

__DefGroup ALL : []

__DefOptype SHIFT : [ALL]
";

fn texts(text: &str, words: &[u128]) -> Vec<String> {
    let (_, compilation) = isadl_test_support::compile(&[("t.isa", text)]);
    let isa = Set::from(compilation.into_isa().expect("it has no errors"));
    let text = |word: &u128| {
        let inst = isa.decode(*word).expect("it is legal");
        let text = isa.text(inst);
        assert_eq!(isa.assemble(&text), Ok(inst), "`{text}`");
        text
    };
    words.iter().map(text).collect()
}

/// A modifier that all opcodes of an operation fix is written if nothing else distinguishes two of them, or if a
/// template shows it. Other operations have no influence.
#[test]
fn what_is_written_follows_from_the_operation() {
    let opcodes = |number: &str| {
        format!(
            "{SHIFT}\n__DefOpcode SHIFT_L : [SHIFT]\n  __Encoding\n    \
             field<0, 8> Side side == LEFT;\n    field<8, 8> U8 a;\n  __OperandInfo\n    \
             Order<a>;\n\n__DefOpcode SHIFT_R : [SHIFT]\n  __Encoding\n    \
             field<0, 8> Side side == RIGHT;\n    field<8, 8> {number} b;\n  __OperandInfo\n    \
             Order<b>;\n"
        )
    };
    let nop = "\n__DefBitFieldType No<8>\n    X = 9;\n\n__DefOptype NOP : [ALL]\n\n\
               __DefOpcode NOP_X : [NOP]\n  __Encoding\n    field<0, 8> No no == X;\n";
    let words = [0x101, 0xff02];
    for other in ["", nop] {
        let alike = opcodes("U8") + other;
        assert_eq!(texts(&alike, &words), ["SHIFT.LEFT 1", "SHIFT.RIGHT 255"]);
        // Their numbers tell them apart.
        let apart = opcodes("H8") + other;
        assert_eq!(texts(&apart, &words), ["SHIFT 1", "SHIFT 0xff"]);
        let template = "  __Syntax\n```asm\nSHIFT.side U8\nSHIFT.side H8\n```\n";
        let shown = apart.replace(SHIFT, &format!("{SHIFT}{template}"));
        assert_eq!(texts(&shown, &words), ["SHIFT.LEFT 1", "SHIFT.RIGHT 0xff"]);
    }
}

/// If a line can mean two instructions, the instruction that is printed this way wins.
#[test]
fn a_line_is_the_instruction_that_is_printed_so() {
    let text = format!(
        "{SHIFT}\n__DefOpcode D : [SHIFT]\n  __Encoding\n    field<0, 8> U8 code == 1;\n    \
         field<8, 8> U8 a;\n  __OperandInfo\n    Order<a>;\n\n\
         __DefOpcode H : [SHIFT]\n  __Encoding\n    field<0, 8> U8 code == 2;\n    \
         field<8, 8> H8 a;\n  __OperandInfo\n    Order<a>;\n"
    );
    let (_, compilation) = isadl_test_support::compile(&[("t.isa", &text)]);
    let isa = Set::from(compilation.into_isa().expect("it has no errors"));
    let word = |line: &str| isa.assemble(line).map(|inst| inst.word);
    assert_eq!(word("SHIFT 16"), Ok(0x1001));
    assert_eq!(word("  SHIFT  0x10 ; // hexadecimal"), Ok(0x1002));
    // Neither prints so.
    let error = word("SHIFT 0b10000").expect_err("both fit").message;
    assert_eq!(error, "more than one opcode fits");
    assert!(word("SHIFT 0X10").is_err());
}
