//! Operands as values, of every opcode with random fields.
//!
//! The tables at run time are compared with an oracle that reads the definitions of types. Generated crates are compared with
//! the tables at run time. Registers of operands are also compared with the tables of reads and writes, which other code makes.

use isadl::engine::{Engine, Operand, Resource, Value};
use isadl::isa::{Inst, Isa, RegFileId};
use isadl_test_support::{Random, Set, count, oracle, words};
use isadl_traits::Operands;

/// An instruction with its operands as a generated crate should show them.
struct Sample {
    word: u128,
    operands: Vec<String>,
}

/// Random instructions of every opcode. Their operands at run time are those of the oracle.
fn samples(isa: &Set) -> Vec<Sample> {
    let mut random = Random::new(52);
    let times = count("ISADL_WORDS", 10_000) / isa.opcodes().len().max(1) + 1;
    let mut samples = Vec::new();
    for id in isa.opcode_ids() {
        for inst in (0..times).filter_map(|_| words::instruction(isa, id, &mut random)) {
            let operands = isa.engine().operands(inst);
            let expected = oracle::operands(isa, inst);
            for (own, mut expected) in operands.iter().zip(expected) {
                // Where the specification says no width, registers and fields have theirs.
                expected.width = expected.width.or(own.width);
                assert_eq!(*own, expected, "{} {}", isa.opcode(id).name, isa.text(inst));
            }
            uses_agree(&isa.engine(), inst, &operands);
            for used in isa.engine().uses(inst) {
                let width = isa.engine().memory_width(inst, &used);
                assert_eq!(width, oracle::memory_width(isa, inst, &used), "{}", isa.text(inst));
            }
            let shown = |operand: &Operand<'_>| {
                let bits = operand.width.unwrap_or(0);
                let (reads, writes) = (operand.access.reads(), operand.access.writes());
                format!("{} {bits} {reads} {writes} {}", operand.name, shown(isa, &operand.value))
            };
            let operands = operands.iter().map(shown).collect();
            samples.push(Sample { word: inst.word, operands });
        }
    }
    samples
}

/// A value as `Display` of generated crates writes it.
fn shown(isa: &Isa, value: &Value<'_>) -> String {
    let file = |id: &RegFileId| isa.reg_files()[id.index()].name.as_str();
    let parts = |parts: &[isadl::engine::Part<'_>]| {
        let parts = parts.iter().map(|part| format!("{}={}", part.name, shown(isa, &part.value)));
        parts.collect::<Vec<_>>().join(", ")
    };
    match value {
        Value::Registers { file: of, first, count: 1 } => format!("{}[{first}]", file(of)),
        Value::Registers { file: of, first, count } => {
            format!("{}[{first}:{}]", file(of), first + count - 1)
        }
        Value::Indirect { file: of, base, offset } => {
            let base = match **base {
                Value::Registers { file: of, first, .. } => Some(format!("{}[{first}]", file(&of))),
                _ => None,
            };
            match (base, offset) {
                (Some(base), 0) => format!("{}[{base}]", file(of)),
                (Some(base), offset) => format!("{}[{base}{offset:+}]", file(of)),
                (None, offset) => format!("{}[{offset}]", file(of)),
            }
        }
        Value::Constant { name, .. } | Value::Name(name) => (*name).to_string(),
        Value::Special(id) => isa.specials()[id.index()].clone(),
        Value::Integer(value) => value.to_string(),
        Value::Distance(value) => format!("{value:+}"),
        Value::Float { bits, exponent, fraction } => {
            format!("float<{exponent}, {fraction}>({bits:#x})")
        }
        Value::Packed(bits) => format!("{bits:#x}"),
        Value::Parts(own) => format!("({})", parts(own)),
        Value::Memory(own) => format!("[{}]", parts(own)),
    }
}

/// The registers of operands are among the uses.
fn uses_agree(engine: &Engine<'_>, inst: Inst, operands: &[Operand<'_>]) {
    for operand in operands {
        let Value::Registers { file, first, count } = operand.value else { continue };
        let name = operand.name;
        let has = |writes: bool| {
            (first..first + count).all(|number| is_used(engine, inst, (file, number), writes))
        };
        assert!(!operand.access.reads() || has(false), "{}: {name} is read", engine.text(inst));
        assert!(!operand.access.writes() || has(true), "{}: {name} is written", engine.text(inst));
    }
}

/// Whether some use is of a register.
fn is_used(
    engine: &Engine<'_>,
    inst: Inst,
    (file, number): (RegFileId, u32),
    writes: bool,
) -> bool {
    engine.uses(inst).any(|one| {
        let is_meant = if writes { one.effect.writes() } else { one.effect.reads() };
        let is_it = match one.resource {
            Resource::Registers { file: own, first, count } => {
                own == file && (first..first + count).contains(&number)
            }
            _ => false,
        };
        is_meant && is_it
    })
}

/// Compares the operands of a crate, and those of `isadl-traits`, and instructions in 16 bytes; returns how many operands and how many
/// different instructions of 16 bytes there were. Some instructions are mixed: an operand is a register of one file or another, a constant, or
/// has no field.
macro_rules! compare {
    ($krate:ident, $isa:expr, $is_mixed:expr $(, $argument:expr)*) => {{
        let is_mixed = $is_mixed;
        let isa: &Set = $isa;
        let (mut met, mut small) = (0, std::collections::BTreeMap::new());
        for Sample { word, operands } in samples(isa) {
            let inst = $krate::Inst::decode_word($($argument,)* word as $krate::Word)
                .expect("it is an instruction");
            let generic: Vec<String> = Operands::operands(inst)
                .map(|own| {
                    let (name, width, value) = (own.name, own.width, own.value);
                    format!("{name} {width} {} {} {value}", own.is_read, own.is_written)
                })
                .collect();
            assert_eq!(generic, operands, "{inst}");
            for ((own, typed), shared) in
                inst.generic_operands().zip(inst.operands()).zip(Operands::operands(inst))
            {
                assert_eq!(own.to_string(), shared.value.to_string(), "{inst}");
                assert_eq!((own.access, own.width), (typed.access(), typed.width), "{inst}");
                if let Some(register) = typed.value.register() {
                    assert_eq!(own.value.register(), Some(register), "{inst}");
                }
                met += 1;
            }
            if let Some(lowered) = inst.lowered() {
                let numbers: Vec<i128> = inst
                    .generic_operands()
                    .flat_map(|operand| match operand.value {
                        $krate::generic::Value::Parts(parts) | $krate::generic::Value::Memory(parts) => {
                            parts.map(|(_, value)| value).collect()
                        }
                        value => vec![value],
                    })
                    .filter_map(|value| {
                        let register = value.register().map(|register| register.number.into());
                        register.or(value.integer())
                    })
                    .collect();
                let fields = $krate::generic::Lowered::fields(inst).count();
                let texts = $krate::generic::Lowered::fields(inst).filter(|(_, is)| *is).count();
                let own: Vec<i128> = lowered.slots[..fields - texts]
                    .iter()
                    .map(|slot| i128::from(*slot))
                    .chain([i128::from(lowered.immediate)])
                    .collect();
                assert!(is_mixed(inst) || numbers.iter().all(|number| own.contains(number)), "{inst} {own:?}");
                let text = inst.to_string();
                let known = small.entry(lowered).or_insert_with(|| text.clone());
                assert_eq!(*known, text, "{lowered:?}");
            }
            for used in inst.uses() {
                let engine = isa.engine();
                let ours = isadl::isa::Inst { word, ..isa.decode(word).expect("an instruction") };
                let same = engine.uses(ours).find(|own| {
                    isa.resource_text(own.resource) == used.resource.to_string()
                        && own.effect.name() == used.effect.name()
                });
                let same = same.expect("the same use at run time");
                let width = engine.memory_width(ours, &same);
                assert_eq!(inst.memory_width(&used).map(u32::from), width, "{inst}");
            }
        }
        assert_eq!(size_of::<$krate::generic::Lowered>(), 16);
        (met, small.len())
    }};
}

#[test]
fn operands_of_simt() {
    let (met, _) = compare!(simt, isadl_test_support::simt(), |_| true);
    assert!(met > 10_000, "{met}");
}

#[test]
fn operands_of_a_set_with_rare_features() {
    let (met, _) = compare!(odd, isadl_test_support::odd(), |_| true);
    assert!(met > 5_000, "{met}");
}

#[test]
fn operands_of_gcn() {
    let mut met = 0;
    for generation in gcn::Generation::ALL.iter().copied() {
        let isa = isadl_test_support::gcn().generation(generation.name()).expect("its generations");
        met += compare!(gcn, isa, |_| true, generation).0;
    }
    assert!(met > 40_000, "{met}");
}

#[test]
fn operands_of_riscv() {
    // Short instructions, and those of V, have operands without fields; a CSR has a name or a number.
    let has_fixed = |inst: riscv::Inst| inst.len() == 2 || inst.info().name.starts_with(['C', 'V']);
    let extensions = "most".parse().expect("a set of extensions");
    let family = isadl_test_support::riscv_with(&["most"]);
    let (mut met, mut small) = (0, 0);
    for generation in riscv::Generation::ALL.iter().copied() {
        let isa = family.generation(generation.name()).expect("its generations");
        let (own, lowered) = compare!(riscv, isa, has_fixed, generation, extensions);
        met += own;
        small += lowered;
    }
    assert!(met > 20_000 && small > 10_000, "{met} {small}");
}

#[test]
fn operands_of_a64() {
    let all = a64::Extensions::DEFAULT;
    let (met, small) = compare!(a64, isadl_test_support::first("spec/a64"), |_| true, all);
    assert!(met > 10_000 && small > 8_000, "{met} {small}");
}
