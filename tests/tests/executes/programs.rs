//! Specifications of programs, of the tests of `isadl-semantics`: there they are compared with evaluators of exact integers.

#[path = "../../../crates/isadl-semantics/tests/common/programs.rs"]
#[allow(dead_code)]
mod by_width;
#[path = "../../../crates/isadl-semantics/tests/common/random.rs"]
pub(super) mod random;
#[path = "../../../crates/isadl-semantics/tests/random/specification.rs"]
#[allow(dead_code)]
mod specification;
#[path = "../../../crates/isadl-semantics/tests/random/write.rs"]
#[allow(dead_code)]
mod write;

use random::Random;
use specification::{BATCH, ELEMENT, LISTS, REGISTERS, WIDTH, specification};
use write::Writer;

/// Every operation, on registers of a width.
pub(super) fn of_width(width: u32) -> String {
    by_width::specification(width, &by_width::programs(width), "checked")
}

/// Random programs; most have errors.
pub(super) fn random_programs(batch: u64) -> String {
    let mut random = Random(0x3c6e_f372_fe94_f82b ^ (batch + 1) << 20);
    let programs = (0..BATCH).map(|_| {
        let (text, names) = Default::default();
        let mut writer = Writer { random: &mut random, text, names, made: 0, is_in_each: false };
        let count = 1 + writer.random.below(3);
        writer.steps(2, count);
        writer.text
    });
    let programs: Vec<String> = programs.collect();
    specification(programs.iter().map(String::as_str)).0
}
