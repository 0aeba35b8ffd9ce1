//! Small specifications that together contain every construct: the starting points for changed ones.

use isadl_test_support::prelude;

/// The prelude, with the constructs that it does not contain.
pub(super) fn rich() -> String {
    prelude()
        + r#"
__DefRegFile UR<32, 3>
  __Description
Uniform registers.

__DefOperandType UReg<2>
    UR[0..2] = 0 : UR;
    NONE = 3 : none;

__DefOperandType Source<5>
    R[0..14] = 0 : GPR;
    m0 = 15;
    FIRST = 16 : GPR[0];
    ONES = 17 : GPR one;
    const 0..5 = 18;
    const -1..-3 = 24;
    const 0.5 = 27;

__DefImmediate Half<8>
    Number = float<3, 4>;
    Print = hex;

__DefImmediate UImm4<4>
    Number = unsigned;

__DefComposite Place<8>
    field<0, 4> UImm4 low;
    field<4, 4> UImm4 high;
    Format = "c[{high}][{low}]";

__DefBitFieldType Form<1>
    /// One number.
    F8 as "ONE" : float<3, 4>;
    F4 = 0x1 : float<2, 1> x 2;

__DefGroup WIDE : [ALL]
  __Encoding
    control<31, 1> Flag wait = False;

__DefOptype ADD : [WIDE]
  __Encoding
    field<0, 8> Code code == 0x2a;
    field<8, 4> Reg rd = RZ;

  __Syntax
```asm
ADD{.mode} Rd, {-}ha $sched ;
```

  __Exception
    EncodingError<IllegalBitFieldValue, "not EXACT"> = mode == "EXACT" and not (rd == "RZ") or 1 + 2 * 3 - 4 / 2 << 1 >> 1 & 7 | 0 == -1;

  __OperandInfo
    OutList<rd>;
    Bitwidth<rd> = 32 + (mode == "LOOSE") * 32;

Prose, and [[OTHER]].

__DefOpcode ADD_I : [ADD]
  __Encoding
    field<12, 2> Mode mode = FAST;
    field<14, 1> Form form = F8;
    field<16, 8> Half ha;
  __OperandInfo
    InList<>;
    Order<rd, ha>;
    ModiOrder<mode, form>;
    AsmFormat<ha> = CvtFImm(ha, form);

__DefOpcode ADD_U : [ADD]
  __Encoding
    field<14, 2> Mode mode == LOOSE;
    field<16, 2> UReg ur;
    field<18, 8> SImm8 by = -1;
    field<26, 1> Flag rd.neg = False;
  __OperandInfo
    InList<ur, R[ur, by]>;
    Order<rd, R[ur, by], ur>;
    Bitwidth<ur> = 32;

__DefOperandType Pair<4>
    R[0..13] = 0 : GPR align 2;

__DefOperandType Wider<6>
    include Source;
    include UReg2;
    literal = 40;
    m1 = 41 is special, scalar;

__DefOperandType UReg2<6>
    U[0..2] = 50 : UR is scalar;

__DefImmediate Word16<16>
    Number = float<5, 10>;
    Print = bits;

__DefGroup SHORT<16> : [ALL]
  __OperandInfo
    Suffix<"_s">;

__DefOptype PUSH : [ALL]
  __Encoding
    field<0, 8> Code code;
  __OperandInfo
    Mnemonic<"push", "pu.sh">;

__DefOpcode PUSH_X : [PUSH, SHORT]
  __Encoding
    fix code == 0x30;
    field<8, 6> Wider value;
    field<14, 1> Flag value.neg = False;
    zero<15, 1>;
    literal<16, 16> Word16 number : value;
  __OperandInfo
    InList<value, UR>;
    OutList<GPR>;
    Order<GPR, value, GPR>;
    Bitwidth<value> = 32;
    AsmFormat<value.neg> = CvtNegConst(value.neg, neg);
  __Exception
    AssemblerError<Scalar, "not scalar"> = value is scalar and not value is special;

__DefOpcode PUSH_Y : [PUSH]
  __Encoding
    fix code == 0x31;
    field<8, 4> Pair pair;
    ignored<12, 3>;
    zero<15, 16>;
  __OperandInfo
    InList<pair>;
    Order<pair>;
    Bitwidth<pair> = 64;
  __Exception
    EncodingError<NotDescribed, "not described"> = 1;
"#
}

/// An instruction set of several generations, with modifiers as words.
pub(super) fn family() -> String {
    r#"__DefIsa FAMILY<64>
    Generations<V1, V2, V3>;
    Modifiers = words;

__DefRegFile GPR<32, 8> @[V1]

__DefRegFile GPR<32, 16> @[V2..]

__DefRegFile carry<1, 32> @[..V2, V3]

__DefOperandType Reg<5>
    r[0..7] = 0 : GPR @[V1];
    r[0..15] = 0 : GPR is vector @[V2..V3];
    m0 = 16 is scalar @[..V2];
    m1 = 17 is scalar, special;

__DefOperandType Source<6> @[V1..]
    include Reg;
    const -1..1 = 32;
    const 0.5 = 36 @[V3];
    literal = 63;

__DefBitFieldType Operation<4>
    ADD = 1 @[V1];
    ADD = 2 @[V2..];
    MULTIPLY = 3 @[V1, V3];
    POWER = 6;
    WAIT;

__DefBitFieldType Flag<1>
    False;
    True;

__DefBitFieldType Factor<2>
    ONE as "";
    TWO as "mul:2";
    HALF as "div:2" @[V2..];

__DefImmediate Long<32>
    Number = float<8, 23>;
    Print = bits;

__DefGroup ALL : []

__DefGroup SHORT<32> : [ALL]
  __Encoding
    field<0, 4> Operation op @[..V2];
    field<28, 4> Operation op @[V3];
    zero<28, 4> @[..V2];
    ignored<0, 4> @[V3];
    field<4, 5> Reg rd;
    field<9, 6> Source ra;
    literal<32, 32> Long number : ra;
    field<15, 2> Factor factor = ONE;
  __OperandInfo
    InList<ra>;
    OutList<rd, carry>;
    Order<rd, carry, ra> @[V1];
    Order<rd, ra> @[V2..];
    Bitwidth<rd> = 32;
    Bitwidth<ra> = 32;
    Suffix<"_e32">;
  __Exception
    AssemblerError<Scalar, "not m0"> = ra is scalar @[V3];
    EncodingError<Vector, "not rd"> = rd is vector and rd == ra @[V2];

__DefGroup AGAIN<32> : [SHORT] @[V2..]

__DefGroup NEGATED : [ALL]
  __Encoding
    field<17, 1> Flag ra.neg = False;
  __OperandInfo
    AsmFormat<ra.neg> = CvtNegConst(ra.neg, neg);

__DefOptype ADD : [ALL]
  __Encoding
    fix op == ADD;
  __OperandInfo
    Mnemonic<"add"> @[V1];
    Mnemonic<"v_add", "add"> @[V2..];
  __Examples
```asm
add_e32 r1, carry, -1 mul:2
v_add r1, r2
v_add r1, 0x3f800001 div:2
```

__DefOpcode ADD_E32 : [ADD, SHORT, NEGATED]

__DefOptype MULTIPLY : [ALL]
  __Encoding
    fix op == MULTIPLY;

__DefOpcode MULTIPLY_E32 : [MULTIPLY, SHORT]

__DefOptype POWER : [ALL]
  __Encoding
    fix op == POWER;

__DefOpcode POWER_E32 : [POWER, AGAIN]

__DefOptype WAIT : [ALL] @[V2]
  __Encoding
    fix op == WAIT;

__DefOpcode WAIT_E32 : [WAIT, SHORT]
  __Exception
    EncodingError<NotDescribed, "not described"> = 1;
"#
    .to_string()
}

/// A specification in the short notations.
pub(super) fn short() -> String {
    r##"__DefIsa SHORT<16>
    Generations<V1, V2, V3>;
    Comment = "#", "//";
    Separator = "|", ";";

__DefRegFile GPR<32, 4>

__DefOperandType Reg<2>
    R[0..3] = 0 : GPR;

__DefImmediate Code<6>
    Number = unsigned;

__DefBitFieldType Number<2>
    ADD = 1 @[V1], 0 @[V2..] as "add";
    SUB = 0 @[V1], 1 @[V2..V2, V3];

__DefGroup ALL : []

__DefGroup REGISTER : [ALL]
  __Encoding
    field<0, 6> Code code == 1;
    field<6, 2> Number number;
    field<8, 2> Reg rd;
    field<10, 2> Reg ra;
    zero<12, 4>;
  __OperandInfo
    Operands<inout rd : 32, in ra : 16 << (ra == rd)> @[V1..];

__DefGroup IMMEDIATE : [ALL]
  __Encoding
    field<0, 6> Code code == 2;
    field<6, 2> Number number;
    field<8, 2> Reg rd;
    field<10, 6> Code imm;
  __OperandInfo
    Operands<inout rd : 32, imm>;

__DefOptype ADD : [ALL]
  __Encoding
    fix number == ADD;

__DefOptype SUB : [ALL]
  __Encoding
    fix number == SUB;

__DefForms {0}_{1}X : [ADD, SUB]
    x [REGISTER, IMMEDIATE]
    except SUB_IMMEDIATEX @[V2..];

__DefForms {0}1 : [SUB] x [IMMEDIATE] @[V1];

__DefGroup ROWS : [ALL]
  __Encoding
    field<0, 6> Code code;
    field<6, 2> Reg rd;
    zero<8, 8>;
  __OperandInfo
    Operands<in rd : 32>;

__DefInstructions : [ROWS] @[V1, V2]
    /// A row.
    ///= x = rd;
    ///> row R3 | # text
    ROW "row", "line" code == 3;
    OTHER_ROW code == 0x4 @[V2..];

__DefOpcode OWN : [ROWS]
  __Encoding
    fix code == 5;
  __Syntax
```asm
OWN Rd
```
"##
    .to_string()
}
