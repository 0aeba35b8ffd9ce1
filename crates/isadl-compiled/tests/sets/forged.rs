//! Files whose sums are right, although somebody changed what they are of: an error or an instruction set that works, and no panic.
//!
//! `ISADL_SETS` is how often the usual number of files is tried.

use isadl::engine::TextOptions;
use isadl_compiled::{CompiledSet, ReadError};
use xxhash_rust::xxh3::xxh3_128;

use crate::{compiled, written};

/// Files of each specification.
const FILES: usize = 150;

/// The kinds of parts that are changed, as files number them: definitions, tables twice as often, texts, programs.
const KINDS: [u64; 5] = [1, 2, 2, 3, 4];

/// Instructions that are tried with each.
const WORDS: usize = 60;

/// Random numbers: splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Reads everything, and works with what can be read.
fn used(bytes: Vec<u8>, random: &mut Random) -> Result<(), ReadError> {
    let set = CompiledSet::read(bytes)?;
    let (sources, family) = (set.sources().map(drop), set.family().map(drop));
    for generation in 0..set.summary().describes.len() {
        let loaded = set.loaded(generation)?;
        let (isa, engine) = (loaded.isa(), loaded.engine());
        let texts = set.texts(isa, generation)?;
        set.programs(isa, generation)?;
        for _ in 0..WORDS {
            let word = u128::from(random.next()) | u128::from(random.next()) << 64;
            let opcode = &isa.opcodes()[random.below(isa.opcodes().len())];
            let word = word & !opcode.mask | opcode.value;
            let Ok(inst) = engine.decode(word) else { continue };
            let text = engine.text(inst);
            let address = TextOptions { address: Some(0x1000), ..TextOptions::default() };
            engine.append_text_with(inst, address, &mut Vec::new());
            let _ = engine.assemble_with(&text, TextOptions::default());
            engine.uses(inst).for_each(drop);
            let _ = (engine.flow_control(inst), engine.target(inst, 0x1000));
            let _ = (engine.operands(inst), engine.explain(word), engine.shortest(inst));
            let _ = texts.filled(isa, inst);
        }
    }
    sources.and(family)
}

/// The file with some bytes of the part of a kind changed, and all sums made again.
fn resealed(bytes: &[u8], kind: u64, random: &mut Random) -> Vec<u8> {
    let number = |at: usize, length: usize| {
        bytes[at..at + length].iter().rev().fold(0_u64, |all, byte| all << 8 | u64::from(*byte))
    };
    // The magic, the version, the number of parts and the sum of their list; see `container.rs`.
    let count_at = 10 + 1 + usize::from(bytes[10]);
    let (count, list) = (number(count_at, 4) as usize, count_at + 4 + 16);
    let mut file = bytes.to_vec();
    let mut start = list + count * 32;
    for at in (0..count).map(|entry| list + entry * 32) {
        let length = number(at + 8, 8) as usize;
        if number(at, 4) == kind {
            for _ in 0..=random.below(8) {
                let byte = start + random.below(length);
                file[byte] = match random.below(3) {
                    0 => random.next() as u8,
                    1 => file[byte].wrapping_add(1),
                    _ => file[byte] ^ 1 << random.below(8),
                };
            }
            let sum = xxh3_128(&file[start..start + length]);
            file[at + 16..at + 32].copy_from_slice(&sum.to_le_bytes());
        }
        start += length;
    }
    let sum = xxh3_128(&file[list..list + count * 32]);
    file[count_at + 4..list].copy_from_slice(&sum.to_le_bytes());
    file
}

#[test]
fn forged_files_do_not_panic() {
    let sets = std::env::var("ISADL_SETS").ok().and_then(|sets| sets.parse().ok()).unwrap_or(1);
    let mut random = Random(1);
    let (mut refused, mut accepted) = (0, 0);
    for spec in ["spec/simt", "tests/fixtures/machines/avr", "tests/fixtures/odd"] {
        let (sources, compilation) = compiled(spec);
        let whole = written(&sources, &compilation, true);
        for file in 0..FILES * sets {
            let kind = KINDS[file % KINDS.len()];
            match used(resealed(&whole, kind, &mut random), &mut random) {
                Ok(()) => accepted += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 100 * sets && accepted > 50 * sets, "{refused} and {accepted}");
}
