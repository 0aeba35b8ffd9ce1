//! Compares the oracle with the engine on the instruction sets of the repository, so that a difference on random sets
//! is a fault of the tested code.

use isadl_test_support::oracle::Verdict;
use isadl_test_support::{Random, Set, count, gcn, odd, random, simt, words};

/// Random words of an instruction set: some of each opcode, some with any bits.
fn agrees(isa: &Set, seed: u64) {
    let mut random = Random::new(seed);
    let opcodes = isa.opcodes().len();
    let times = count("ISADL_WORDS", 4_000) / opcodes.max(1) + 1;
    let mut legal = 0;
    let subject = random::Subject::new(isa.engine());
    let mut check = |word: u128| match random::compare(&subject, word) {
        Ok(Verdict::Legal { .. }) => legal += 1,
        Ok(_) => {}
        Err(what) => panic!("{what}"),
    };
    for id in isa.opcode_ids() {
        let opcode = isa.opcode(id);
        for _ in 0..times {
            let noise = random.next_u128();
            let flipped = random.next_u128() & random.next_u128() & random.next_u128();
            let word = noise & !opcode.mask | opcode.value;
            check(word & isadl::isa::low_bits(isa.width()));
            if random.below(4) == 0 {
                check((word ^ flipped) & isadl::isa::low_bits(isa.width()));
            }
            let near = words::instruction(isa, id, &mut random);
            near.into_iter().for_each(|inst| check(inst.word));
        }
    }
    assert!(legal > opcodes * times, "only {legal} words were legal");
}

#[test]
fn simt_is_as_the_oracle_says() {
    agrees(simt(), 11);
}

#[test]
fn every_generation_of_gcn_is_as_the_oracle_says() {
    for (seed, isa) in gcn().isas().iter().enumerate() {
        agrees(isa, 21 + seed as u64);
    }
}

#[test]
fn what_is_odd_is_as_the_oracle_says() {
    agrees(odd(), 31);
}
