//! Reads and writes of instructions: the generated crates against the run-time engine, use by use, for every opcode
//! with random fields. `ISADL_WORDS` is about the number of instructions.

use std::collections::BTreeSet;

use isadl_test_support::{Random, Set, count, words};

/// The uses of random instructions of every opcode at run time, with their words.
fn samples(isa: &Set) -> Vec<(u128, Vec<String>)> {
    let mut random = Random::new(51);
    let times = count("ISADL_WORDS", 10_000) / isa.opcodes().len().max(1) + 1;
    let mut samples = Vec::new();
    for id in isa.opcode_ids() {
        let found = (0..times).filter_map(|_| words::instruction(isa, id, &mut random));
        samples.extend(found.map(|inst| {
            let text = |found: isadl::engine::Use| {
                format!("{} {}", found.effect.name(), isa.resource_text(found.resource))
            };
            (inst.word, isa.flow(inst).into_iter().map(text).collect())
        }));
    }
    samples
}

/// Compares a crate's uses with those at run time; returns the kinds of uses that occurred.
macro_rules! compare {
    ($krate:ident, $isa:expr $(, $argument:expr)*) => {{
        let isa: &Set = $isa;
        let mut met: BTreeSet<String> = BTreeSet::new();
        for (word, expected) in samples(isa) {
            let inst = $krate::Inst::decode_word($($argument,)* word as $krate::Word)
                .expect("it is an instruction");
            let uses: Vec<$krate::Use> = inst.uses().collect();
            let mut folded = Vec::new();
            inst.uses().for_each(|found| folded.push(found));
            assert_eq!(folded, uses, "both ways to take them give the same");
            let texts: Vec<String> = uses.iter().map(ToString::to_string).collect();
            assert_eq!(texts, expected, "{inst}");
            let of = |is_of: fn($krate::Effect) -> bool| -> Vec<$krate::Use> {
                uses.iter().copied().filter(|found| is_of(found.effect)).collect()
            };
            assert_eq!(inst.reads().collect::<Vec<_>>(), of($krate::Effect::reads), "{inst}");
            assert_eq!(inst.writes().collect::<Vec<_>>(), of($krate::Effect::writes), "{inst}");
            met.extend(texts);
        }
        met
    }};
}

fn assert_met(met: &BTreeSet<String>, wanted: &[&str]) {
    for wanted in wanted {
        assert!(met.contains(*wanted), "no instruction met has `{wanted}`");
    }
}

#[test]
fn uses_of_simt_are_those_at_run_time() {
    let met = compare!(simt, isadl_test_support::simt());
    assert_met(
        &met,
        &[
            "read PR[0]",
            "conditional read PR[0]",
            "write GPR[0]",
            "conditional write GPR[0]",
            "write GPR[0:1]",
            "write GPR[254]",
            "write PR[0:6]",
            "conditional read PR[0:6]",
            "write some GPR",
            "conditional read some GPR",
            "read UR[0]",
            "read UPR[0]",
            "read SB[5]",
            "write SB[0]",
            "read c[0x0][0x0]",
        ],
    );
    assert!(met.iter().any(|found| found.starts_with("conditional read c[")));
}

#[test]
fn uses_of_gcn_are_those_at_run_time_in_all_generations() {
    let family = isadl_test_support::gcn();
    for generation in gcn::Generation::ALL {
        let isa = family.generation(generation.name()).expect("the names are those of the family");
        let met = compare!(gcn, isa, *generation);
        let wanted =
            ["read exec[0:1]", "write vcc[0:1]", "read m0", "read src_scc", "read VGPR[0]"];
        assert_met(&met, &wanted);
    }
}

#[test]
fn uses_of_riscv_are_those_at_run_time_in_both_generations() {
    let family = isadl_test_support::riscv_with(&["most"]);
    for generation in riscv::Generation::ALL {
        let isa = family.generation(generation.name()).expect("the names are those of the family");
        let met = compare!(riscv, isa, *generation, riscv::Extensions::DEFAULT);
        assert_met(
            &met,
            &["read X[1]", "write X[10]", "read frm[0]", "read fflags[0]", "write fflags[0]"],
        );
    }
}

#[test]
fn uses_of_what_is_odd_are_those_at_run_time() {
    let met = compare!(odd, isadl_test_support::odd());
    assert_met(
        &met,
        &[
            "read FLAGS[3]",
            "conditional write GPR[0]",
            "write GPR[2]",
            "conditional write FLAGS[0:3]",
            "read GPR[5]",
            "read pc",
            "read 1:1",
            // Registers within an operand.
            "read [r1 + pc]",
            "read GPR[1]",
            "read and write GPR[1]",
            // For some words only.
            "write GPR[1]",
            "write FLAGS[0]",
            "read and write pc",
            "read GPR[4]",
        ],
    );
}

mod resources {
    use simt::{CMem, Memory, RegFile, Register, Resource};

    fn registers(file: RegFile, first: u16, count: u16) -> Resource {
        Resource::Registers { file, first, count }
    }

    #[test]
    fn a_register_is_written_as_the_resource_is() {
        let register = Register { file: RegFile::GPR, number: 2 };
        assert_eq!(register.to_string(), "GPR[2]");
        assert_eq!(registers(RegFile::GPR, 2, 1).to_string(), register.to_string());
    }

    #[test]
    fn overlap_if_they_may_have_something_in_common() {
        let pair = registers(RegFile::GPR, 2, 2);
        assert!(pair.overlaps(registers(RegFile::GPR, 3, 1)));
        assert!(!pair.overlaps(registers(RegFile::GPR, 4, 1)));
        assert!(!pair.overlaps(registers(RegFile::GPR, 0, 2)));
        assert!(!pair.overlaps(registers(RegFile::UR, 2, 2)));
        let some = Resource::Unknown { file: RegFile::GPR };
        assert!(some.overlaps(pair) && pair.overlaps(some) && some.overlaps(some));
        assert!(!some.overlaps(registers(RegFile::UR, 0, 1)));
        let place =
            |raw| Resource::Memory(Memory::CMem(CMem::from_bits(raw).expect("it has 20 bits")));
        assert!(place(0x160).overlaps(place(0x164)));
        assert!(!place(0).overlaps(some));
    }

    #[test]
    fn ranges_are_registers_one_by_one() {
        let numbers = |resource: Resource| -> Vec<u16> {
            resource.registers().map(|register| register.number).collect()
        };
        assert_eq!(numbers(registers(RegFile::GPR, 252, 3)), [252, 253, 254]);
        assert!(numbers(Resource::Unknown { file: RegFile::GPR }).is_empty());
    }
}
