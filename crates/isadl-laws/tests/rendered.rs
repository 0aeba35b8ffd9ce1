//! Counterexamples as users see them.

use isadl::render::{Colour, Style, render};
use isadl::source::SourceMap;

const TEXT: &str = "\
__DefIsa TEST<32>
    Semantics<checked>;
__DefRegFile R<32, 16>
__DefRegFile CARRY<1, 1>
__DefOperandType Reg<4>
    r[0..15] = 0 : R;
__DefGroup ALL : []
__DefGroup THREE : [ALL]
  __Encoding
    field<8, 4> Reg rd; field<12, 4> Reg ra; field<16, 4> Reg rb;
  __OperandInfo
    Operands<rd, ra, rb>;
  __Description
Numbers of 64 bits.
```law
add r0, r2, r4
addc r1, r3, r5
//= {r1, r0} = {r3, r2} + {r5, r4}
```
__DefInstructions : [THREE]
    ///= rd = ra + rb; CARRY = ra + rb > 0x100000000
    ///> add r0, r2, r4 //= r2 = -1, r4 = 1: r0 = 0, CARRY = 1
    ADD \"add\" [7:0] == 1;
    ///= rd = ra + rb + CARRY
    ADDC \"addc\" [7:0] == 2;
";

#[test]
fn a_counterexample_says_what_each_instruction_computes() {
    let mut sources = SourceMap::new();
    sources.add("test.isa", TEXT.as_bytes().to_vec());
    let compilation = isadl::compile(&sources);
    let family = compilation.family.expect("no errors");
    let outcome = isadl_laws::check(&family, compilation.semantics);
    let found = outcome.diagnostics.iter();
    let text: String = found.map(|one| render(one, &sources, Style::Full, Colour::None)).collect();
    assert_eq!(text, EXPECTED, "{text}");
}

const EXPECTED: &str = "\
error[E1235]: the law does not hold
   ┌─ test.isa:18:5
   │
16 │ add r0, r2, r4
   │ -------------- r0 = 0, CARRY = 0
17 │ addc r1, r3, r5
   │ --------------- r1 = 0
18 │ //= {r1, r0} = {r3, r2} + {r5, r4}
   │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the left side is 0, the right side 0x100000000
   │
   = note: before: r2 = 0xfffffffe, r3 = 0, r4 = 2, r5 = 0
   = help: correct the claim, or the programs of `ADD`, `ADDC`

error[E1234]: the instruction does something else
   ┌─ test.isa:22:54
   │
22 │     ///> add r0, r2, r4 //= r2 = -1, r4 = 1: r0 = 0, CARRY = 1
   │          --------------                              ^^^^^^^^^ the left side is 0, the right side 1
   │          │                                            
   │          r0 = 0, CARRY = 0
   │
   = note: before: r2 = 0xffffffff, r4 = 1
   = help: correct the claim, or the program of `ADD`

";
