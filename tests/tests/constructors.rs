//! Calls every constructor of the SIMT crate with known values. The calls and the oracle's words for them are recorded
//! in `constructors/calls.rs` (`BLESS=1` rewrites it), and the generated constructors must give the same words.

use isadl::engine::EncodeError;
use isadl::isa::{Binding, Field, OpcodeId, OperandLocation};
use isadl_test_support::{Random, Set, golden, root, simt};

/// How often each constructor is called.
const CALLS: usize = 3;

/// The fields without default: operands in assembly order, then the others by ascending bit.
fn required(isa: &Set, id: OpcodeId) -> Vec<&Field> {
    let opcode = isa.opcode(id);
    let position = |field: &Field| {
        opcode.operands.iter().position(|operand| match operand.place {
            OperandLocation::Field(name) => name == field.name,
            OperandLocation::Indirect { base, .. } => base == field.name,
            OperandLocation::File(_) => false,
        })
    };
    let mut fields: Vec<&Field> =
        opcode.fields.iter().filter(|field| field.binding == Binding::Required).collect();
    fields.sort_by_key(|field| (position(field).unwrap_or(usize::MAX), field.lsb()));
    fields
}

fn legal_value(isa: &Set, field: &Field, random: &mut Random) -> u64 {
    loop {
        let raw = random.next_u64() & isadl::isa::low_bits(field.width()) as u64;
        if isa.ty(field.ty).is_legal(raw) {
            return raw;
        }
    }
}

/// A call and the word that it must give; `None` if a rule forbids the word.
fn call(isa: &Set, id: OpcodeId, random: &mut Random) -> Option<String> {
    let fields = required(isa, id);
    let values: Vec<u64> = fields.iter().map(|field| legal_value(isa, field, random)).collect();
    let chosen: Vec<_> =
        fields.iter().zip(&values).map(|(field, raw)| (field.name, *raw)).collect();
    let inst = match isa.encode(id, &chosen) {
        Ok(inst) => inst,
        Err(EncodeError::Rule(_) | EncodeError::SpecialCase(_)) => return None,
        Err(error) => panic!("{}: {error:?}", isa.opcode(id).name),
    };
    let arguments: Vec<String> = fields
        .iter()
        .zip(&values)
        .map(|(field, raw)| format!("simt::{}::from_bits({raw}).unwrap()", isa.ty(field.ty).name))
        .collect();
    let name = isa.opcode(id).name.to_lowercase();
    Some(format!("(simt::Inst::{name}({}), 0x{:032x}),\n", arguments.join(", "), inst.word))
}

fn recorded(isa: &Set) -> String {
    let mut random = Random::new(10);
    let mut text = "// Recorded by tests/constructors.rs.\n[\n".to_string();
    for id in isa.opcode_ids() {
        let calls = std::iter::repeat_with(|| call(isa, id, &mut random)).flatten().take(CALLS);
        text.extend(calls);
    }
    text + "]\n"
}

#[test]
fn calls_are_recorded() {
    golden(&root().join("tests/tests/constructors/calls.rs"), &recorded(simt()));
}

#[test]
fn constructors_give_the_recorded_words() {
    let calls: [(simt::Inst, u128); CALLS * 167] = include!("constructors/calls.rs");
    for (inst, word) in calls {
        assert_eq!(inst.to_word(), Ok(word), "{inst:?}");
        assert_eq!(simt::Inst::decode_word(word), Ok(inst));
    }
}
