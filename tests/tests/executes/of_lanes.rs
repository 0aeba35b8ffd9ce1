//! Random programs of several lanes, of the tests of `isadl-semantics`.

#[path = "../../../crates/isadl-semantics/tests/lanes/specification.rs"]
mod specification;
#[path = "../../../crates/isadl-semantics/tests/lanes/write.rs"]
#[allow(dead_code)]
mod write;

use super::programs::random;
use random::Random;
use specification::{BATCH, as_prose, specification};
use write::Writer;

/// Random programs, of which some have errors; and the same as prose.
pub(super) fn random_programs(batch: u64) -> (String, String) {
    let mut random = Random(0x7f4a_7c15_9e37_79b9 ^ (batch + 1) << 20);
    let programs = (0..BATCH).map(|_| {
        let (text, names, variables) = Default::default();
        let mut writer = Writer { random: &mut random, text, names, variables };
        let count = 1 + writer.random.below(5);
        writer.steps(2, count);
        writer.text
    });
    let programs: Vec<String> = programs.collect();
    let text = specification(programs.iter().map(String::as_str));
    let prose = as_prose(&text);
    (text, prose)
}
