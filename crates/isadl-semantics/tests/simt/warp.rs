//! What the operations of a whole warp do, by the definitions that NVIDIA's PTX ISA gives of `shfl.sync`, `vote.sync`, `match.sync`
//! and `redux.sync`, and code that all lanes run together.

use std::collections::BTreeMap;

use isadl::isa::NameId;
use isadl::semantics::ir;
use num_bigint::BigInt;

use super::common::{self, World};
use super::oracle::{Case, SRC_B, SRC_C};
use super::{Random, Thread};

/// The operations that are defined here.
pub(super) const OPERATIONS: [&str; 6] = ["MATCH", "REDUX", "REDUXU", "SHFL", "VOTE", "VOTEU"];

pub(super) const LANES: usize = 32;

/// A register that often has the same number in several lanes.
pub(super) fn register(random: &mut Random) -> u64 {
    match random.below(3) {
        0 => random.next() % 3,
        1 => u64::MAX - random.next() % 2,
        _ => random.next(),
    }
}

/// The lanes that take part: a few, most, or all.
pub(super) fn active(random: &mut Random) -> u32 {
    let lanes = random.next() as u32;
    let found = match random.below(3) {
        0 => lanes & random.next() as u32 & random.next() as u32,
        1 => lanes | random.next() as u32,
        _ => u32::MAX,
    };
    found | 1 << random.below(LANES)
}

// ---- what they do

/// The results of an operation in a lane that takes part; `None` for a result that may be anything.
pub(super) fn results(
    operation: &str,
    cases: &[Case],
    active: u32,
    lane: usize,
) -> Vec<(&'static str, Option<u64>)> {
    let own = &cases[lane];
    let of = |lane: usize| cases[lane].registers["ra"] as u32;
    let lanes = || (0..LANES).filter(|lane| active >> lane & 1 == 1);
    let where_lanes = |test: &dyn Fn(usize) -> bool| -> u32 {
        lanes().filter(|lane| test(*lane)).map(|lane| 1 << lane).sum()
    };
    let known = |value: u32| Some(u64::from(value));
    match operation {
        "VOTE" | "VOTEU" => {
            let votes = where_lanes(&|lane| cases[lane].predicate("pp") == 1);
            let outcome = match own.modifiers["voteop"].as_str() {
                "ANY" => votes != 0,
                "ALL" => votes == active,
                _ => votes == 0 || votes == active,
            };
            match operation {
                "VOTE" => vec![("rd", known(votes)), ("pu", known(outcome.into()))],
                _ => vec![("urd", known(votes)), ("upu", known(outcome.into()))],
            }
        }
        "REDUX" | "REDUXU" => {
            let values = || lanes().map(of);
            let key = |value: &u32| match own.is("dtype", "S32") {
                true => i64::from(*value as i32),
                false => i64::from(*value),
            };
            let found = match own.modifiers["reduxop"].as_str() {
                "AND" => values().fold(u32::MAX, |all, value| all & value),
                "OR" => values().fold(0, |all, value| all | value),
                "XOR" => values().fold(0, |all, value| all ^ value),
                "SUM" => values().fold(0, u32::wrapping_add),
                "MAX" => values().max_by_key(key).expect("a lane"),
                _ => values().min_by_key(key).expect("a lane"),
            };
            vec![(if operation == "REDUX" { "rd" } else { "urd" }, known(found))]
        }
        "MATCH" => {
            let same = where_lanes(&|other| of(other) == of(lane));
            match own.is("matchop", "ANY") {
                true => vec![("rd", known(same)), ("pu", Some(0))],
                false => {
                    let is_one = same == active;
                    let mask = if is_one { active } else { 0 };
                    vec![("rd", known(mask)), ("pu", known(is_one.into()))]
                }
            }
        }
        _ => {
            let (from, is_within) = shuffled(own, lane as i32);
            let is_taking_part = active >> from & 1 == 1;
            let value = is_taking_part.then(|| u64::from(of(from)));
            vec![("rd", value), ("pu", known(is_within.into()))]
        }
    }
}

/// The lanes whose guards are true.
pub(super) fn guards(cases: &[Case]) -> u32 {
    let holds = |case: &Case| match case.registers.get("pg") {
        Some(guard) => (*guard == 1) != case.is("pg.not", "True"),
        None => true,
    };
    let lanes = cases.iter().enumerate().filter(|(_, case)| holds(case));
    lanes.map(|(lane, _)| 1 << lane).sum()
}

/// The lane that `SHFL` reads, and whether it is in bounds.
fn shuffled(own: &Case, lane: i32) -> (usize, bool) {
    let (b, c) = (own.source(&SRC_B) as i32 & 31, own.source(&SRC_C) as i32);
    let (clamp, segment) = (c & 31, c >> 8 & 31);
    let max_lane = lane & segment | clamp & !segment;
    let min_lane = lane & segment;
    let (from, is_within) = match own.modifiers["mode"].as_str() {
        "UP" => (lane - b, lane - b >= max_lane),
        "DOWN" => (lane + b, lane + b <= max_lane),
        "BFLY" => (lane ^ b, lane ^ b <= max_lane),
        _ => {
            let from = min_lane | b & !segment;
            (from, from <= max_lane)
        }
    };
    (if is_within { from } else { lane } as usize, is_within)
}

// ---- lanes that run together

/// A lane that runs code, as far as the next ballot that is not known.
struct Lane<'l> {
    thread: Thread<'l>,
    cases: &'l [Case],
    lane: usize,
    active: BigInt,
    ballots: &'l [BigInt],
    /// Ballots that it came to.
    done: usize,
    /// Its bit of the ballot that it stopped at.
    bit: Option<bool>,
}

impl World for Lane<'_> {
    fn field(&self, field: NameId) -> BigInt {
        self.thread.field(field)
    }

    fn field_bits(&self, field: NameId) -> BigInt {
        self.thread.field_bits(field)
    }

    fn pc(&self) -> BigInt {
        self.thread.pc()
    }

    fn next(&self) -> BigInt {
        self.thread.next()
    }

    fn read(&self, place: &ir::Place, number: Option<usize>, width: u32) -> BigInt {
        self.thread.read(place, number, width)
    }

    fn write(&mut self, place: &ir::Place, number: Option<usize>, bits: common::Written) {
        self.thread.write(place, number, bits);
    }

    fn load(&mut self, address: &BigInt, width: u32) -> Result<BigInt, common::Stop> {
        self.thread.load(address, width)
    }

    fn store(&mut self, address: &BigInt, width: u32, value: &BigInt) -> Result<(), common::Stop> {
        self.thread.store(address, width, value)
    }

    fn jump(&mut self, target: BigInt) {
        self.thread.jump(target);
    }

    fn lane(&self) -> usize {
        self.lane
    }

    fn active(&self) -> BigInt {
        self.active.clone()
    }

    fn take_part(&mut self, lanes: BigInt) {
        self.active &= lanes;
    }

    fn ballot(&mut self, own: bool) -> Result<BigInt, common::Stop> {
        self.done += 1;
        match self.ballots.get(self.done - 1) {
            Some(known) => Ok(known.clone()),
            None => {
                self.bit = Some(own && self.active.bit(self.lane as u64));
                Err(common::Stop)
            }
        }
    }

    fn read_lane(&self, place: &ir::Place, number: Option<usize>, lane: usize) -> BigInt {
        BigInt::from(self.cases[lane].registers[&self.thread.name(place, number)])
    }
}

/// What each lane writes.
pub(super) fn written<'t>(
    code: &ir::Code,
    thread: &dyn Fn(usize) -> Thread<'t>,
    cases: &'t [Case],
    active: u32,
) -> Vec<BTreeMap<String, u64>> {
    let mut ballots: Vec<BigInt> = Vec::new();
    loop {
        let (mut bits, mut written) = (Vec::new(), Vec::new());
        for lane in 0..LANES {
            let (thread, active) = (thread(lane), BigInt::from(active));
            let mut world =
                Lane { thread, cases, lane, active, ballots: &ballots, done: 0, bit: None };
            let _ = common::run(code, &mut world);
            bits.push(world.bit);
            written.push(world.thread.written);
        }
        if bits.iter().all(Option::is_none) {
            return written;
        }
        let bit = |(lane, bit): (usize, &Option<bool>)| {
            BigInt::from(u8::from(bit.expect("all lanes come to it"))) << lane
        };
        ballots.push(bits.iter().enumerate().map(bit).sum());
    }
}
