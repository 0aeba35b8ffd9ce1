//! Generated crates store instructions, opcodes and so on with serde: what is written is read back as it was, in a
//! format for people (JSON) and in another (postcard), and a word that its opcode does not have is refused.

use std::fmt::Debug;

use isadl::isa::{Isa, OpcodeId};
use isadl_test_support::oracle::{Verdict, significant, verdict};
use isadl_test_support::{Random, gcn, odd, riscv_with};
use isadl_traits::Complete;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Writes a value in both formats and reads it back; returns its JSON.
fn stored<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> String {
    let json = serde_json::to_string(value).expect("JSON");
    assert_eq!(&serde_json::from_str::<T>(&json).expect("what was written"), value);
    let bytes = postcard::to_allocvec(value).expect("bytes");
    assert_eq!(&postcard::from_bytes::<T>(&bytes).expect("what was written"), value, "{json}");
    json
}

/// How many stored words were read, and how many refused, after a bit of them changed.
#[derive(Default, Debug)]
struct Changed {
    read: usize,
    refused: usize,
}

/// Stores random words of every opcode, and changes each bit of what was stored.
fn instructions<I>(isa: &Isa, generation: I::Generation, changed: &mut Changed) -> usize
where
    I: Complete + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let mut random = Random::new(35);
    let mut count = 0;
    for opcode in isa.opcodes() {
        for at in 0..8 {
            let word = random.next_u128() & !opcode.mask | opcode.value;
            let bytes = &word.to_le_bytes()[..opcode.width as usize / 8];
            let Ok((inst, _)) = I::decode(generation, bytes) else { continue };
            let json = stored(&inst);
            count += 1;
            if at == 0 && inst.opcode_name() == opcode.name {
                change(isa, inst, &json, changed);
            }
        }
    }
    count
}

/// Whether a word has the fixed bits of a form of an opcode, legal values in its fields, and nothing else; rules may
/// forbid it.
fn has(isa: &Isa, id: OpcodeId, name: &str, word: u128) -> bool {
    let form = &isa.opcodes()[id.index()];
    form.name == name
        && word & form.mask == form.value
        && significant(form, word) == word
        && !matches!(verdict(isa, id, word), Verdict::IllegalValue { .. })
}

/// Changes each bit of a stored word: it is read exactly if it has fixed bits of the opcode and legal values.
fn change<I>(isa: &Isa, inst: I, json: &str, changed: &mut Changed)
where
    I: Complete + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let value: Value = serde_json::from_str(json).expect("JSON");
    let text = value["word"].as_str().expect("a word");
    let word = u128::from_str_radix(&text[2..], 16).expect("a number");
    for bit in 0..8 * I::MAX_BYTES {
        let other = word ^ 1 << bit;
        let mut value = value.clone();
        value["word"] = Value::String(format!("{other:#x}"));
        let read = serde_json::from_value::<I>(value);
        let is_own = isa.opcode_ids().any(|id| has(isa, id, inst.opcode_name(), other));
        assert_eq!(read.is_ok(), is_own, "{json} with {other:#x}");
        match read {
            Ok(read) => {
                changed.read += 1;
                assert_eq!(read.opcode_name(), inst.opcode_name());
                assert!(stored(&read).contains(&format!("\"{other:#x}\"")), "{read:?}");
            }
            Err(_) => changed.refused += 1,
        }
    }
}

#[test]
fn instructions_are_read_back() {
    let mut changed = Changed::default();
    assert!(instructions::<simt::Inst>(isadl_test_support::simt(), (), &mut changed) > 500);
    assert!(instructions::<odd::Inst>(odd(), (), &mut changed) > 50);
    for (isa, generation) in gcn().isas().iter().zip(gcn::Generation::ALL) {
        assert!(instructions::<gcn::Inst>(isa, *generation, &mut changed) > 200);
    }
    let family = riscv_with(&["most"]);
    for (isa, generation) in family.isas().iter().zip(riscv::Generation::ALL) {
        assert!(instructions::<riscv::Inst>(isa, *generation, &mut changed) > 4_000);
    }
    assert!(changed.read > 1_000 && changed.refused > 1_000, "{changed:?}");
}

#[test]
fn texts_are_what_people_read() {
    let inst: simt::Inst = "IADD R0, R2, R4".parse().expect("an instruction");
    let word = inst.word();
    assert_eq!(stored(&inst), format!(r#"{{"opcode":"IADD_RR","word":"{word:#x}"}}"#));
    let inst =
        riscv::Inst::decode_word(riscv::Generation::RV64, riscv::Extensions::DEFAULT, 0x00a0_0513);
    let inst = inst.expect("an instruction");
    assert_eq!(stored(&inst), r#"{"generation":"RV64","opcode":"ADDI","word":"0xa00513"}"#);
    assert_eq!(stored(&riscv::Generation::RV64), r#""RV64""#);
    assert_eq!(stored(&simt::Opcode::IADD_RR), r#""IADD_RR""#);
    assert_eq!(stored(&simt::Field::pg), r#""pg""#);
    let set: riscv::Extensions = "M,A".parse().expect("two extensions");
    assert_eq!(stored(&set), format!("\"{set}\""));
}

/// Numbers of opcodes are pinned, so files stay readable: two bytes, and the word.
#[test]
fn formats_for_machines_have_numbers() {
    let inst: simt::Inst = "IADD R0, R2, R4".parse().expect("an instruction");
    let bytes = postcard::to_allocvec(&(inst.opcode() as u16, inst.word())).expect("bytes");
    assert_eq!(postcard::to_allocvec(&inst).expect("bytes"), bytes);
}

#[test]
fn what_is_wrong_is_refused_with_a_reason() {
    let refused =
        |json: &str| serde_json::from_str::<riscv::Inst>(json).expect_err(json).to_string();
    for (json, reason) in [
        (r#"{"generation":"RV64","opcode":"ADDI","word":"0x33"}"#, "0x33 is not a word of ADDI"),
        (r#"{"generation":"RV32","opcode":"LD","word":"0x3003"}"#, "0x3003 is not a word of LD"),
        (r#"{"generation":"RV64","opcode":"ADDII","word":"0x33"}"#, "the name of an opcode"),
        (r#"{"generation":"RV65","opcode":"ADDI","word":"0x13"}"#, "the name of a generation"),
        (r#"{"generation":"RV64","opcode":"ADDI","word":"13"}"#, "a word such as 0x1f"),
        (r#"{"generation":"RV64","opcode":"ADDI","word":"0x+13"}"#, "a word such as 0x1f"),
        (r#"{"generation":"RV64","opcode":"ADDI"}"#, "missing field `word`"),
        (r#"{"generation":"RV64","opcode":"ADDI","word":"0x13","x":1}"#, "unknown field `x`"),
    ] {
        assert!(refused(json).contains(reason), "{json}: {}", refused(json));
    }
    assert!(postcard::from_bytes::<simt::Opcode>(&[0xff, 0xff, 0x03]).is_err());
}
