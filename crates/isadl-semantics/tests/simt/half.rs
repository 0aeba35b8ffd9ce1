//! What the packed half-precision operations do, with exact fractions.

use std::cmp::Ordering;

use super::exact::{Format, Meaning, Mode};
use super::oracle::{Case, SRC_B, SRC_C};
use super::random::Random;

/// The operations that are defined here.
pub(super) const OPERATIONS: [&str; 6] = ["HADD2", "HFMA2", "HMNMX2", "HMUL2", "HSET2", "HSETP2"];

/// What every operation gives that has no number to give.
const NOT_A_NUMBER: u64 = 0x7fff;

/// Two numbers side by side: often zeros, subnormal numbers, the ends of both formats, or no numbers.
pub(super) fn register(random: &mut Random) -> u64 {
    const EDGES: [u64; 14] = [
        0, 1, 0x7f, 0x80, 0x3ff, 0x400, 0x3c00, 0x3f80, 0x7bff, 0x7c00, 0x7f7f, 0x7f80, 0x7e00,
        0x7fc1,
    ];
    let mut number = || match random.below(3) {
        0 => EDGES[random.below(EDGES.len())] | (random.next() & 1) << 15,
        // Two such numbers often cancel each other, or round.
        1 => 0x3c00 | random.next() & 0x80ff,
        _ => random.next() & 0xffff,
    };
    number() << 16 | number()
}

/// The results of an operation: of places, as they are after it.
pub(super) fn results(operation: &str, case: &Case) -> Vec<(&'static str, u64)> {
    let half = Half::of(case);
    let [a, b] = [&["ra"][..], &SRC_B].map(|names| [0, 1].map(|lane| half.operand(names, lane)));
    let c = |lane| half.operand(&SRC_C, lane);
    let (own, mode) = (half.format, Mode::NearestEven);
    let meaning = |bits: u64| own.meaning(bits);
    let both = |of: &dyn Fn(usize) -> u64| vec![("rd", of(1) << 16 | of(0))];
    match operation {
        "HADD2" => both(&|lane| {
            half.finished(own.sum(&meaning(a[lane]), &meaning(b[lane]), mode, false).0)
        }),
        "HMUL2" => both(&|lane| {
            half.finished(own.product(&meaning(a[lane]), &meaning(b[lane]), mode, false).0)
        }),
        "HFMA2" => both(&|lane| {
            let parts = [a[lane], b[lane], c(lane)].map(meaning);
            let sum = own.fused([&parts[0], &parts[1], &parts[2]], mode, false).0;
            half.finished(if case.is("relu", "RELU") && half.is_less(sum, 0) { 0 } else { sum })
        }),
        "HMNMX2" => both(&|lane| half.extreme(a[lane], b[lane])),
        "HSETP2" => vec![
            ("pu", half.combined(half.compared(a[0], b[0]))),
            ("pv", half.combined(half.compared(a[1], b[1]))),
        ],
        "HSET2" => {
            let one = if own.exponent == 5 { 0x3c00 } else { 0x3f80 };
            let yes = if case.is("bval", "BM") { 0xffff } else { one };
            both(&|lane| half.combined(half.compared(a[lane], b[lane])) * yes)
        }
        _ => panic!("{operation} is not defined here"),
    }
}

struct Half<'c> {
    case: &'c Case,
    format: Format,
}

impl Half<'_> {
    fn of(case: &Case) -> Half<'_> {
        let (exponent, fraction) = if case.is("hfmt_v2", "F16_V2") { (5, 10) } else { (8, 7) };
        Half { case, format: Format { exponent, fraction } }
    }

    /// The number that a lane takes from an operand.
    fn operand(&self, names: &[&str], lane: usize) -> u64 {
        let has = |mark: &str, value: &str| {
            names.iter().any(|name| self.case.is(&format!("{name}.{mark}"), value))
        };
        let from = match lane {
            _ if has("hsel2", "H0_H0") => 0,
            _ if has("hsel2", "H1_H1") => 1,
            _ => lane,
        };
        let mut bits = self.case.source(names) >> (16 * from) & 0xffff;
        if has("abs", "True") {
            bits &= 0x7fff;
        }
        if has("neg", "True") {
            bits ^= 0x8000;
        }
        self.flushed(bits)
    }

    fn flushed(&self, bits: u64) -> u64 {
        let has_no_exponent = bits & 0x7fff < 1 << self.format.fraction;
        if self.case.is("ftz", "FTZ") && has_no_exponent { bits & 0x8000 } else { bits }
    }

    fn finished(&self, bits: u64) -> u64 {
        let is_nan = matches!(self.format.meaning(bits), Meaning::NotANumber { .. });
        let one = ((1 << (self.format.exponent - 1)) - 1) << self.format.fraction;
        self.flushed(match self.case.is("sat", "SAT") {
            true if is_nan || self.is_less(bits, 0) => 0,
            true if self.is_less(one, bits) => one,
            _ if is_nan => NOT_A_NUMBER,
            _ => bits,
        })
    }

    fn is_less(&self, a: u64, b: u64) -> bool {
        self.format.order(a, b) == Some(Ordering::Less)
    }

    /// The lesser or the greater number; -0.0 is less than +0.0.
    fn extreme(&self, a: u64, b: u64) -> u64 {
        let is_nan = [a, b].map(|bits| self.format.order(bits, bits).is_none());
        if is_nan == [true, true] || is_nan != [false, false] && self.case.is("nan", "NAN") {
            return NOT_A_NUMBER;
        }
        match is_nan {
            [true, _] => b,
            [_, true] => a,
            _ => {
                let is_first_less = match self.format.order(a, b) {
                    Some(Ordering::Equal) => a >= 0x8000,
                    order => order == Some(Ordering::Less),
                };
                if is_first_less == (self.case.predicate("pp") == 1) { a } else { b }
            }
        }
    }

    fn compared(&self, a: u64, b: u64) -> bool {
        let name = self.case.modifiers["cmp"].as_str();
        match self.format.order(a, b) {
            None => name == "NAN" || name.ends_with('U'),
            Some(order) => match name.trim_end_matches('U') {
                "EQ" => order.is_eq(),
                "NE" => order.is_ne(),
                "LT" => order.is_lt(),
                "LE" => order.is_le(),
                "GT" => order.is_gt(),
                "GE" => order.is_ge(),
                other => other == "NUM",
            },
        }
    }

    fn combined(&self, outcome: bool) -> u64 {
        let (a, b) = (u64::from(outcome), self.case.predicate("pp"));
        match self.case.modifiers["lop"].as_str() {
            "AND" => a & b,
            "OR" => a | b,
            _ => a ^ b,
        }
    }
}
