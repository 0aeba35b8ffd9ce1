//! Damaged claims: whatever they say, there is a finding or none, and no panic.

mod common;

use common::tried;

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Pieces that claims are made of.
const PIECES: [&str; 36] = [
    "r1",
    "r2",
    "v3",
    "zero",
    "FLAG",
    "pc",
    "next",
    "lane",
    "active",
    "old(",
    ")",
    "(",
    "[",
    "]",
    "{",
    "}",
    "=",
    "==",
    ":",
    ",",
    "+",
    "-",
    "<<",
    "r1[3:0]",
    "memory[",
    "[31:0]",
    "trap Stop",
    "0",
    "-1",
    "0xffffffffffffffffff",
    "1.5",
    "@",
    "v1@2",
    "? 1 : 0",
    "sum(i for i in 0 .. 3)",
    " and ",
];

const TEXT: &str = "\
__DefIsa TEST<32>
    Semantics<checked>;
__DefRegFile R<32, 16>
__DefRegFile V<200, 8>
__DefRegFile FLAG<1, 1>
__DefOperandType Reg<4>
    r[0..14] = 0 : R; zero = 15 : R zero;
__DefOperandType Wide<3>
    v[0..7] = 0 : V;
__DefGroup ALL : []
  __Semantics
```isa
extern pc : bits(32)
extern memory memory[bits(32)]
extern trap Stop
lanes V = 4
```
__DefGroup TWO : [ALL]
  __Encoding
    field<8, 4> Reg rd; field<12, 4> Reg ra;
  __OperandInfo
    Operands<rd, ra>;
__DefInstructions : [TWO]
    ///= rd = ra + 1; FLAG = ra[0]
    ///> next r1, r2 //= CLAIMS
    NEXT \"next\" [7:0] == 1;
    ///= if ra == 0 { trap Stop }; rd = memory[ra][31:0]; memory[ra][7:0] = 5; pc = ra
    ///> jump r1, r2 //= CLAIMS
    JUMP \"jump\" [7:0] == 2;
__DefGroup LANES : [ALL]
  __Encoding
    field<8, 3> Wide vd; field<12, 3> Wide va;
  __OperandInfo
    Operands<vd, va>;
  __Description
A law.
```law
move v0, v3
next r1, r2
//= CLAIMS
```
__DefInstructions : [LANES]
    ///= vd = va ^ lane
    MOVE \"move\" [7:0] == 3;
";

#[test]
fn claims_of_any_pieces_do_not_panic() {
    let mut random = Random(0x5eed);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..300 {
        let count = 1 + random.below(9);
        let claims: Vec<&str> = (0..count).map(|_| PIECES[random.below(PIECES.len())]).collect();
        let text = TEXT.replace("CLAIMS", &claims.join(" "));
        let (_, compiled, _) = tried(&[("damaged.isa".to_string(), text)]);
        match compiled.has_errors() {
            true => refused += 1,
            false => accepted += 1,
        }
    }
    assert!(refused > 100, "{accepted} accepted, {refused} refused");
}

/// Well-formed claims of all shapes are tried, too.
#[test]
fn claims_of_all_shapes_are_tried() {
    let places = [
        "r1",
        "r1[7:0]",
        "{r1, r2}",
        "FLAG",
        "memory[0x1000][31:0]",
        "memory[r2][63:0]",
        "v3",
        "v3[199:150]",
        "pc",
        "R[3]",
    ];
    let values = [
        "0",
        "-1",
        "r2",
        "old(r2)",
        "lane",
        "v0[31:0]",
        "memory[r2][7:0]",
        "old(memory[0x10][7:0])",
        "next",
        "r1 * r2",
    ];
    let mut tried_some = 0;
    for place in places {
        for value in values {
            for claim in [
                format!("{place} = {value}"),
                format!("{place} == {value}"),
                format!("r2 = 0x1000: {place} = {value}"),
            ] {
                let text = TEXT.replace("CLAIMS", &claim);
                let (_, compiled, outcome) = tried(&[("shapes.isa".to_string(), text)]);
                if !compiled.has_errors() {
                    assert_eq!((outcome.examples, outcome.laws), (2, 1), "{claim}");
                    tried_some += 1;
                }
            }
        }
    }
    assert!(tried_some > 50, "{tried_some}");
}
