//! What the operations do, in few words of Rust.

use std::collections::HashMap;

/// The operations that are defined here.
pub(super) const OPERATIONS: [&str; 26] = [
    "BMSK",
    "BREV",
    "FLO",
    "I2I",
    "I2IP",
    "IABS",
    "IADD",
    "IDP2A",
    "IDP4A",
    "IMAD",
    "IMAD_WIDE",
    "IMNMX",
    "IMUL",
    "ISET",
    "ISETP",
    "LEA",
    "LOP3",
    "MOV",
    "P2R",
    "PLOP3",
    "POPC",
    "PRMT",
    "R2P",
    "SEL",
    "SGXT",
    "SHF",
];

/// An instruction and what it finds.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) registers: HashMap<String, u64>,
    /// The bits of immediates.
    pub(super) numbers: HashMap<String, u64>,
    /// The names of the values of modifiers and marks.
    pub(super) modifiers: HashMap<String, String>,
    /// The contents of constant memory.
    pub(super) constant: u64,
}

impl Case {
    pub(super) fn is(&self, modifier: &str, value: &str) -> bool {
        self.modifiers.get(modifier).is_some_and(|own| own == value)
    }

    /// Whether one of some operands has a mark.
    fn has_mark(&self, operands: [&str; 3], mark: &str) -> bool {
        operands.iter().any(|operand| self.is(&format!("{operand}.{mark}"), "True"))
    }

    /// The operand of a name, or of another name in other forms.
    pub(super) fn source(&self, operands: &[&str]) -> u64 {
        let own = |name: &&str| self.registers.get(*name).or(self.numbers.get(*name)).copied();
        operands.iter().find_map(own).unwrap_or(self.constant)
    }

    fn a(&self) -> u32 {
        self.registers.get("ra").map_or(0, |value| *value as u32)
    }

    pub(super) fn predicate(&self, name: &str) -> u64 {
        self.registers[name] ^ u64::from(self.is(&format!("{name}.not"), "True"))
    }

    /// The carry in of a step of a wide addition.
    fn carry(&self) -> u64 {
        if self.is("ext", "X") { self.predicate("pp") } else { 0 }
    }

    fn marked(&self, x: u64, is_marked: bool) -> u64 {
        match (is_marked, self.is("ext", "X")) {
            (false, _) => x,
            (true, true) => !x,
            (true, false) => x.wrapping_neg(),
        }
    }

    fn integer(&self, x: u32) -> i128 {
        if self.is("itype", "S32") { i128::from(x as i32) } else { i128::from(x) }
    }

    /// A part of a register, read with or without its sign.
    fn part(&self, x: u32, bits: u32, at: u32, format: &str, signed: &str) -> i64 {
        let part = i64::from(x >> (at * bits)) & ((1 << bits) - 1);
        let is_negative = self.is(format, signed) && part >> (bits - 1) == 1;
        if is_negative { part - (1 << bits) } else { part }
    }

    fn compared(&self, a: i128, b: i128) -> bool {
        let found = |names: [&str; 3]| names.iter().any(|name| self.is("compop", name));
        match a.cmp(&b) {
            std::cmp::Ordering::Less => found(["NE", "LT", "LE"]),
            std::cmp::Ordering::Equal => found(["EQ", "LE", "GE"]),
            std::cmp::Ordering::Greater => found(["NE", "GT", "GE"]),
        }
    }

    fn combined(&self, a: bool) -> u64 {
        let (a, b) = (u64::from(a), self.predicate("pp"));
        match self.modifiers["boolop"].as_str() {
            "AND" => a & b,
            "OR" => a | b,
            _ => a ^ b,
        }
    }

    /// The comparison of `ISETP` and `ISET`.
    fn truth(&self, b: u32) -> bool {
        match self.is("ext", "X") && self.a() == b {
            true => self.predicate("pq") == 1,
            false => self.compared(self.integer(self.a()), self.integer(b)),
        }
    }
}

pub(super) const SRC_B: [&str; 3] = ["rb", "urb", "vb"];
pub(super) const SRC_C: [&str; 3] = ["rc", "urc", "vc"];

/// The tables of `PRMT` by mode: for each selector the source bytes of the bytes of the result, the lowest first.
pub(super) type Tables = HashMap<String, Vec<Vec<u32>>>;

/// Reads the tables of `PRMT` in the text of the specification.
pub(super) fn tables(text: &str) -> Tables {
    let mut found = Tables::new();
    let mut mode = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("#### .") {
            mode = name.to_string();
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells.len() == 7 && cells[2].starts_with('b') && !mode.is_empty() {
            let bytes = cells[2..6].iter().map(|cell| cell[1..].parse().expect("a byte"));
            found.entry(mode.clone()).or_default().push(bytes.collect());
        }
    }
    assert!(found.len() == 6 && found.values().all(|rows| rows.len() == 4), "{found:?}");
    found
}

/// What an operation writes.
pub(super) fn results(operation: &str, case: &Case, tables: &Tables) -> Vec<(&'static str, u64)> {
    let a = case.a();
    let (wide_b, wide_c) = (case.source(&SRC_B), case.source(&SRC_C));
    let (b, c) = (wide_b as u32, wide_c as u32);
    let low = |x: u64| x & 0xffff_ffff;
    match operation {
        "IADD" => {
            let x = low(case.marked(a.into(), case.is("ra.neg", "True")));
            let y = low(case.marked(b.into(), case.has_mark(SRC_B, "neg")));
            let sum = x + y + case.carry();
            let carry = case.is("ext", "X").then_some(("pu", sum >> 32));
            [("rd", low(sum))].into_iter().chain(carry).collect()
        }
        "IMAD" => {
            let product = case.integer(a) * case.integer(b);
            let half = if case.is("lohi", "HI") { product >> 32 } else { product } as u64;
            let c = low(case.marked(c.into(), case.has_mark(SRC_C, "neg")));
            let sum = low(half) + c + case.carry();
            vec![("rd", low(sum)), ("pu", sum >> 32)]
        }
        "IMAD_WIDE" => {
            let product = case.integer(a) * case.integer(b);
            let c = case.marked(wide_c, case.has_mark(SRC_C, "neg"));
            let sum = u128::from(product as u64) + u128::from(c) + u128::from(case.carry());
            vec![("rd", sum as u64), ("pu", (sum >> 64) as u64)]
        }
        "IDP2A" | "IDP4A" => {
            let (bits, signed) = if operation == "IDP2A" { (16, "S16") } else { (8, "S8") };
            let first = if case.is("lohi", "HI") { 2 } else { 0 };
            let products = (0..32 / bits).map(|at| {
                case.part(a, bits, at, "afmt", signed) * case.part(b, 8, first + at, "bfmt", "S8")
            });
            let sum = products.sum::<i64>() + i64::from(c) + case.predicate("pp") as i64;
            vec![("rd", low(sum as u64)), ("pu", u64::from(sum > 0xffff_ffff))]
        }
        "IMUL" => {
            let b = if case.has_mark(SRC_B, "neg") { b.wrapping_neg() } else { b };
            let product = case.integer(a) * case.integer(b);
            let half = if case.is("lohi", "HI") { product >> 32 } else { product };
            vec![("rd", low(half as u64))]
        }
        "LEA" => {
            let is_marked = case.is("ra.neg", "True");
            let x = low(case.marked(a.into(), is_marked));
            let c = if is_marked { !c } else { c };
            let distance = case.numbers["shiftamt"];
            let index = match case.is("sx32", "SX32") {
                true => i128::from(x as u32 as i32),
                false => i128::from(u64::from(c) << 32 | x),
            };
            let upper = (index << distance >> 32) as u64;
            let part = if case.is("lohi", "HI") { upper } else { x << distance };
            let b = low(case.marked(b.into(), case.has_mark(SRC_B, "neg")));
            let sum = low(part) + b + case.carry();
            vec![("rd", low(sum)), ("pu", sum >> 32)]
        }
        "IABS" => vec![("rd", (b as i32).unsigned_abs().into())],
        "IMNMX" => {
            let (x, y) = (case.integer(a), case.integer(b));
            let found = if case.predicate("pp") == 1 { x.min(y) } else { x.max(y) };
            vec![("rd", low(found as u64))]
        }
        "P2R" => {
            let predicates: u64 =
                (0..7).map(|bit| case.registers[&format!("PR{bit}")] << bit).sum::<u64>() + 0x80;
            let at = 8 * byte(case, "bsel");
            let mask = u64::from(b & 0xff) << at;
            vec![("rd", u64::from(a) & !mask | predicates << at & mask)]
        }
        "R2P" => {
            let selected = a >> (8 * byte(case, "ra.bsel")) & b;
            let names = ["PR0", "PR1", "PR2", "PR3", "PR4", "PR5", "PR6"];
            let bits = (0..7).map(|bit| u64::from(selected >> bit & 1));
            names.into_iter().zip(bits).collect()
        }
        "ISETP" => {
            let truth = case.truth(b);
            vec![("pu", case.combined(truth)), ("pv", case.combined(!truth))]
        }
        "ISET" => {
            let yes = if case.is("bmbf", "BM") { 0xffff_ffff } else { f32::to_bits(1.0).into() };
            vec![("rd", case.combined(case.truth(b)) * yes)]
        }
        "SEL" => vec![("rd", if case.predicate("pp") == 1 { a } else { b }.into())],
        "LOP3" => {
            let found = logical(case.numbers["lut"], [a, b, c]);
            let (truth, pp) = (u64::from(found != 0), case.predicate("pp"));
            let is_and = case.is("exbool", "PAND");
            vec![("rd", found.into()), ("pu", if is_and { truth & pp } else { truth | pp })]
        }
        "PLOP3" => {
            let third = if case.registers.contains_key("pc") { "pc" } else { "upc" };
            let bits = ["pa", "pb", third].map(|name| case.predicate(name) as u32);
            vec![("pu", u64::from(logical(case.numbers["lut"], bits) & 1))]
        }
        "SHF" => {
            let limit = if case.modifiers["itype"].ends_with("64") { 64 } else { 32 };
            let distance = if case.is("cwmod", "C") { b.min(limit) } else { b % limit };
            let whole = u64::from(c) << 32 | u64::from(a);
            let is_signed = case.modifiers["itype"].starts_with('S');
            let found = match (case.is("direction", "L"), is_signed) {
                (true, _) => (u128::from(whole) << distance) as u64,
                (false, true) => (i128::from(whole as i64) >> distance) as u64,
                (false, false) => (u128::from(whole) >> distance) as u64,
            };
            vec![("rd", if case.is("lohi", "HI") { found >> 32 } else { low(found) })]
        }
        "MOV" => vec![("rd", if case.is("width", "64") { wide_b } else { b.into() })],
        "PRMT" => vec![("rd", permuted(case, tables, u64::from(b) << 32 | u64::from(a), c))],
        "I2I" => {
            let bits = if case.modifiers["dtype"].ends_with("16") { 16 } else { 8 };
            let is_signed = case.modifiers["dtype"].starts_with('S');
            vec![("rd", low(saturated(b, bits, is_signed) as u64))]
        }
        "I2IP" => {
            let (sign, bits) = case.modifiers["dsttype"].split_at(1);
            let bits: u32 = bits.parse().expect("a number of bits");
            let packed = |x: u32| {
                let found = saturated(x, bits, sign == "S");
                let found = if case.is("satrelu", "SATRELU") { found.max(0) } else { found };
                found as u64 & ((1 << bits) - 1)
            };
            let both = packed(a) << bits | packed(b);
            vec![("rd", low(u64::from(c) << (2 * bits) | both))]
        }
        "POPC" => vec![("rd", inverted(case, b).count_ones().into())],
        "FLO" => {
            let x = inverted(case, b);
            let x = if case.is("itype", "S32") && x >> 31 == 1 { !x } else { x };
            let found = match x.checked_ilog2() {
                None => 0xffff_ffff,
                Some(at) if case.is("sh", "SH") => 31 - at,
                Some(at) => at,
            };
            vec![("rd", found.into())]
        }
        "BREV" => vec![("rd", (!b).into())],
        "BMSK" => {
            let is_wrapped = case.is("cwmode", "W");
            let limited = |x: u32| u64::from(if is_wrapped { x & 0x1f } else { x });
            let (first, count) = (limited(a), limited(b));
            let bits = (0..32).filter(|bit| (first..first + count).contains(bit));
            vec![("rd", bits.map(|bit| 1 << bit).sum())]
        }
        "SGXT" => {
            let width = if case.is("cwmode", "C") { b.min(32) } else { b % 32 };
            let is_negative = case.is("itype", "S32") && width > 0 && a >> (width - 1) & 1 == 1;
            let bit = |at: u32| if at < width { a >> at & 1 == 1 } else { is_negative };
            vec![("rd", (0..32).filter(|at| bit(*at)).map(|at| 1 << at).sum())]
        }
        _ => panic!("{operation} is not defined here"),
    }
}

/// The number of a byte that a modifier selects.
fn byte(case: &Case, modifier: &str) -> u32 {
    case.modifiers[modifier][1..].parse().expect("a number")
}

/// A function of three words, bit by bit: all combinations for which the table has a 1.
fn logical(table: u64, words: [u32; 3]) -> u32 {
    let of = |number: u32, at: u32| {
        let word = words[2 - at as usize];
        if number >> at & 1 == 1 { word } else { !word }
    };
    let ones = (0..8).filter(|number| table >> number & 1 == 1);
    ones.fold(0, |found, number| found | of(number, 0) & of(number, 1) & of(number, 2))
}

fn permuted(case: &Case, tables: &Tables, source: u64, selectors: u32) -> u64 {
    let byte = |at: u32| source >> (8 * at) & 0xff;
    let part = |at: u32| match tables.get(&case.modifiers["mode"]) {
        Some(rows) => byte(rows[selectors as usize & 3][at as usize]),
        None => {
            let selector = selectors >> (4 * at) & 15;
            let found = byte(selector & 7);
            match (selector >> 3, found >> 7) {
                (0, _) => found,
                (_, 0) => 0,
                _ => 0xff,
            }
        }
    };
    (0..4).map(|at| part(at) << (8 * at)).sum()
}

fn saturated(x: u32, bits: u32, is_signed: bool) -> i64 {
    let (least, greatest) = match is_signed {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    };
    i64::from(x as i32).clamp(least, greatest)
}

fn inverted(case: &Case, b: u32) -> u32 {
    if case.has_mark(SRC_B, "bitnot") { !b } else { b }
}
