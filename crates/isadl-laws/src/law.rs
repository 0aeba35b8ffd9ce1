//! Laws: the states that they are tried in, and counterexamples.

use std::collections::BTreeMap;

use isadl::diagnostic::Diagnostic;
use isadl::isa::Register;
use isadl_exec::Halt;

use crate::bench::{Bench, Failure, Loaded, State, Verdict};
use crate::report::{Reporter, ended_text};
use crate::values::{EDGES, Random, Wide, edge, simpler, varied};

/// How many states a law is tried in.
const STATES: u64 = 256;

/// How many, if there are lanes, each of which has a state.
const STATES_OF_LANES: u64 = 24;

/// After this many instructions, a law is not tried in further states.
const INSTRUCTIONS: u64 = 50_000;

/// The most attempts at a smaller counterexample.
const SMALLER: usize = 2000;

/// Tries a law, and reports why it does not hold.
pub(crate) fn attempt(bench: &mut Bench, loaded: &Loaded<'_>) -> Option<Diagnostic> {
    let registers = loaded.registers.varied.clone();
    let has_lanes = registers.iter().any(|register| bench.lanes(*register) > 1);
    let states = if has_lanes { STATES_OF_LANES } else { STATES };
    let mut random = Random::new(1);
    let mut skipped: BTreeMap<String, (u64, Halt)> = BTreeMap::new();
    let mut holds = 0;
    let end = bench.count() + INSTRUCTIONS;
    for number in 0..states {
        if bench.count() > end {
            break;
        }
        let state = state(bench, loaded, number, &mut random);
        bench.set_state(&registers, &state);
        match bench.attempt(loaded) {
            Verdict::Holds => holds += 1,
            Verdict::Ended(halt) if Bench::is_missing(&halt) => {
                return Some(Reporter::new(bench, loaded).ended(&halt));
            }
            Verdict::Ended(halt) => skipped.entry(ended_text(&halt)).or_insert((0, halt)).0 += 1,
            Verdict::Fails(failure) => {
                let smaller = smallest(bench, loaded, (&registers, state), failure);
                bench.set_state(&registers, &smaller.0);
                return Some(Reporter::new(bench, loaded).failure(&smaller.1));
            }
        }
    }
    let most = skipped.into_values().max_by_key(|(count, _)| *count);
    let (_, halt) = most.filter(|_| holds == 0)?;
    Some(Reporter::new(bench, loaded).never(&halt, states))
}

/// A state: first all pairs of edges of the first registers, then a mixture.
fn state(bench: &Bench, loaded: &Loaded<'_>, number: u64, random: &mut Random) -> State {
    // Registers that nothing reads do not matter.
    let read: Vec<Register> = loaded
        .registers
        .varied
        .iter()
        .copied()
        .filter(|one| loaded.registers.read.contains(one))
        .collect();
    let mut before: Option<Wide> = None;
    let mut state = State::new();
    for register in &loaded.registers.varied {
        let bits = bench.width(*register);
        let at = read.iter().position(|one| one == register);
        let mut values = Vec::new();
        for lane in 0..bench.lanes(*register) as u64 {
            let pair = number * bench.lanes(*register) as u64 + lane;
            let value = match at {
                Some(0) if pair < EDGES * EDGES => edge(pair, bits),
                Some(1) if pair < EDGES * EDGES => edge(pair / EDGES, bits),
                _ => varied(random, bits, before.as_ref()),
            };
            values.push(bench.within(loaded.trial, *register, value));
        }
        before = values.first().cloned();
        state.push(values);
    }
    state
}

/// A smaller state in which a law does not hold.
fn smallest(
    bench: &mut Bench,
    loaded: &Loaded<'_>,
    (registers, state): (&[Register], State),
    failure: Failure,
) -> (State, Failure) {
    let mut best = (state, failure);
    let mut left = SMALLER;
    let end = bench.count() + INSTRUCTIONS;
    // First, all lanes have the values of the lane.
    let lane = best.1.lane;
    let same: State = best.0.iter().map(|values| of_lane(values, lane)).collect();
    if let Some(failure) = fails(bench, loaded, registers, &same) {
        best = (same, failure);
    }
    let mut is_smaller = true;
    while std::mem::take(&mut is_smaller) {
        for at in 0..registers.len() {
            let [value] = best.0[at].as_slice() else { continue };
            for candidate in simpler(value, bench.width(registers[at])) {
                if left == 0 || bench.count() > end {
                    return best;
                }
                left -= 1;
                let candidate = bench.within(loaded.trial, registers[at], candidate);
                if candidate == best.0[at][0] {
                    continue;
                }
                let mut state = best.0.clone();
                state[at] = vec![candidate];
                if let Some(failure) = fails(bench, loaded, registers, &state) {
                    best = (state, failure);
                    is_smaller = true;
                    break;
                }
            }
        }
    }
    best
}

/// The value of a lane, for all lanes.
fn of_lane(values: &[Wide], lane: usize) -> Vec<Wide> {
    values.get(lane).or(values.first()).cloned().into_iter().collect()
}

/// How a law fails in a state.
fn fails(
    bench: &mut Bench,
    loaded: &Loaded<'_>,
    registers: &[Register],
    state: &State,
) -> Option<Failure> {
    bench.set_state(registers, state);
    match bench.attempt(loaded) {
        Verdict::Fails(failure) => Some(failure),
        _ => None,
    }
}
