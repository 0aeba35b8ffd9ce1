//! Changes of small instruction sets, and the codes of the resulting differences.

pub(super) const BASE: &str = r#"__DefIsa DEMO<32>
    Generations<FIRST, SECOND>;
  __Description
A demonstration.

__DefRegFile GPR<32, 6>

__DefRegFile FLAGS<1, 4>

__DefOperandType Reg<3>
    r[0..5] = 0 : GPR;
    zero = 6 : GPR zero;

__DefOperandType Flag<2>
    f[0..3] = 0 : FLAGS;

__DefBitFieldType Op<4>
    ADD = 1;
    SUB = 2;
    MUL = 3;

__DefBitFieldType Mode<2>
    plain;
    /// Twice as wide.
    wide;
    half;

__DefImmediate Imm<4>
    Number = unsigned;

__DefImmediate Bit<1>
    Number = unsigned;

__DefComposite Place<5>
    field<0, 4> Imm base;
    field<4, 1> Bit kind;
    Format = "{base}:{kind}";

__DefGroup ALL : []
  __Encoding
    field<0, 4> Op op;

__DefOptype add : [ALL]
  __Encoding
    field<4, 3> Reg ra;
    field<7, 3> Reg rb;
    field<10, 2> Mode mode = plain;
    field<12, 4> Imm count = 0;
    control<16, 4> Imm hint = 0;
    field<20, 2> Flag guard = f0;
    zero<30, 2>;
  __OperandInfo
    InList<rb, guard>;
    OutList<ra>;
    Order<guard, ra, rb, count>;
    Guard<guard>;
    Bitwidth<ra> = 32;
  __Exception
    EncodingError<Wide, "too wide"> = mode == "wide" and count > 3;
  __Description
It adds.

__DefOpcode ADD_A : [add]
  __Encoding
    fix op == ADD;
    field<22, 4> Imm extra = 1;

__DefOpcode SUB_A : [add]
  __Encoding
    fix op == SUB;

__DefAlias INC : [ADD_A]
  __Encoding
    fix ra == r5;
  __OperandInfo
    Mnemonic<"inc">;
    Order<guard, rb, count>;

__DefAlias INC_MORE : [ADD_A]
  __Encoding
    Match = count >= 8;
  __OperandInfo
    Mnemonic<"inc.more">;

__DefOptype load : [ALL]
  __Encoding
    field<4, 5> Place where;
  __OperandInfo
    InList<where>;
    Order<where>;

__DefOpcode LOAD_A : [load]
  __Encoding
    fix op == MUL;
"#;

pub(super) const LOCK: &str = "ADD_A = 0\nSUB_A = 1\nLOAD_A = 2\n";

/// A change of the text, and the codes that it causes.
pub(super) struct Case {
    pub(super) changes: &'static [(&'static str, &'static str)],
    pub(super) codes: &'static [&'static str],
}

const fn case(
    changes: &'static [(&'static str, &'static str)],
    codes: &'static [&'static str],
) -> Case {
    Case { changes, codes }
}

/// A statement added to the instruction set.
macro_rules! of_isa {
    ($statement:literal, $codes:expr) => {
        case(&[(GENERATIONS, concat!("Generations<FIRST, SECOND>;\n    ", $statement))], $codes)
    };
}

/// An alias, for some of whose words another is, too.
macro_rules! one {
    () => {
        "__DefAlias INC : [ADD_A]
  __Encoding
    fix ra == r5;
  __OperandInfo
    Mnemonic<\"inc\">;
    Order<guard, rb, count>;

"
    };
}

/// An instruction set of two widths with a compressed encoding.
pub(super) const WIDTHS: &str = r#"__DefIsa DEMO<32>
__DefRegFile GPR<32, 16>
__DefOperandType Reg<4>
    r[0..15] = 0 : GPR;
__DefImmediate Imm<16>
    Number = unsigned;
__DefImmediate Low<4>
    Number = unsigned;
__DefImmediate Code<8>
    Number = unsigned;
__DefGroup ALL : []
  __Encoding
    field<0, 8> Code code;
    field<8, 4> Reg ra;
  __OperandInfo
    Operands<inout ra, in imm>;
__DefGroup NARROW<16> : [ALL]
__DefOpcode ADD_A : [ALL]
  __Encoding
    fix code == 1;
    zero<12, 4>;
    field<16, 16> Imm imm;
  __OperandInfo
    Mnemonic<"add">;
__DefOpcode SUB_A : [NARROW]
  __Encoding
    fix code == 2;
    field<12, 4> Low imm;
  __OperandInfo
    Mnemonic<"add.s">;
    Short<ADD_A>;
"#;

const GENERATIONS: &str = "Generations<FIRST, SECOND>;";

pub(super) const CASES: &[Case] = &[
    case(
        &[("__DefOpcode SUB_A : [add]\n  __Encoding\n    fix op == SUB;\n", "")],
        &["D101", "D304"],
    ),
    case(
        &[(
            "__DefOptype load",
            "__DefOpcode SUB_B : [add]\n  __Encoding\n    fix op == SUB;\n    fix rb == zero;\n\n__DefOptype load",
        )],
        &["D102", "D201"],
    ),
    case(
        &[
            ("__DefGroup ALL : []", "__DefGroup ALL<16> : []"),
            ("zero<30, 2>;\n", ""),
            ("control<16, 4> Imm hint = 0;\n", ""),
            ("    field<20, 2> Flag guard = f0;\n", ""),
            ("InList<rb, guard>", "InList<rb>"),
            ("Order<guard, ", "Order<"),
            ("    Guard<guard>;\n", ""),
            ("\n    field<22, 4> Imm extra = 1;", ""),
        ],
        &["D103", "D105", "D303", "D305", "D401"],
    ),
    case(&[("field<22, 4> Imm extra", "field<23, 4> Imm extra")], &["D104"]),
    case(&[("\n    field<22, 4> Imm extra = 1;", "")], &["D105"]),
    case(
        &[("    fix op == SUB;", "    fix op == SUB;\n    field<22, 4> Imm extra = 1;")],
        &["D106"],
    ),
    case(
        &[("field<22, 4> Imm extra", "field<22, 4> Op extra"), ("extra = 1", "extra = ADD")],
        &["D107", "D304", "D512"],
    ),
    case(
        &[("fix op == MUL", "fix op == OTHER"), ("    MUL = 3;", "    MUL = 3;\n    OTHER = 9;")],
        &["D108", "D514"],
    ),
    case(&[("MUL = 3", "MUL = 4")], &["D109"]),
    case(&[("Number = unsigned", "Number = signed")], &["D110"]),
    case(
        &[(
            "field<0, 4> Imm base;\n    field<4, 1> Bit kind",
            "field<1, 4> Imm base;\n    field<0, 1> Bit kind",
        )],
        &["D110"],
    ),
    case(&[("Generations<FIRST, SECOND>", "Generations<FIRST>")], &["D111"]),
    case(&[("    half;\n", "")], &["D202"]),
    case(&[("    half;\n", "    half;\n    other;\n")], &["D203"]),
    case(&[("> 3;\n", "> 3;\n    EncodingError<Odd, \"odd\"> = count == 2;\n")], &["D204"]),
    case(
        &[(
            "  __Exception\n    EncodingError<Wide, \"too wide\"> = mode == \"wide\" and count > 3;\n",
            "",
        )],
        &["D205"],
    ),
    case(&[("count > 3", "count > 4")], &["D206"]),
    case(&[("EncodingError<Wide", "AssemblerError<Wide")], &["D207"]),
    case(&[("    zero<30, 2>;\n", "")], &["D208"]),
    case(&[("    fix op == SUB;", "    fix op == SUB;\n    fix rb == zero;")], &["D209"]),
    case(
        &[
            (
                "    Generations<FIRST, SECOND>;\n",
                "    Generations<FIRST, SECOND>;\n    Extensions<Fast>;\n",
            ),
            ("__DefOpcode SUB_A : [add]", "__DefOpcode SUB_A : [add] @[Fast]"),
        ],
        &["D210"],
    ),
    case(
        &[("    fix op == SUB;", "    fix op == SUB;\n  __OperandInfo\n    Mnemonic<\"sub\">;")],
        &["D301", "D304"],
    ),
    case(&[("    half;\n", "    half as \"short\";\n")], &["D302"]),
    case(&[("zero = 6 : GPR zero", "zero = 6 : GPR zero as \"r.zero\"")], &["D302"]),
    // A name that is not in texts.
    case(&[("zero = 6 : GPR zero", "null = 6 : GPR zero as \"zero\"")], &["D505"]),
    case(&[("Order<guard, ra, rb, count>", "Order<guard, rb, ra, count>")], &["D303"]),
    case(
        &[("Order<guard, ra, rb, count>;", "Order<guard, ra, rb, count>;\n    ModiOrder<mode>;")],
        &[],
    ),
    of_isa!("Modifiers = words;", &["D304"]),
    of_isa!("Comment = \"#\";", &["D309"]),
    of_isa!("ByteOrder = big;", &["D112"]),
    of_isa!("Unit = 16 low;", &[]),
    of_isa!("Case = insensitive;", &["D310"]),
    of_isa!("Ranges = off;", &["D302"]),
    case(&[("control<16", "field<16")], &["D305", "D512"]),
    case(&[("Mode mode = plain", "Mode mode = wide")], &["D306"]),
    case(&[("Number = unsigned;", "Number = unsigned;\n    Print = HEX;")], &["D307"]),
    case(&[("Number = unsigned;", "Number = unsigned or signed;")], &["D307"]),
    case(
        &[("Bit<1>\n    Number = unsigned;", "Bit<1>\n    Number = unsigned;\n    Relocation<5>;")],
        &["D311"],
    ),
    case(&[("{base}:{kind}", "{base}/{kind}")], &["D307"]),
    case(&[(one!(), "")], &["D312"]),
    case(&[("fix ra == r5", "fix ra == r4")], &["D314"]),
    case(&[("\"inc\"", "\"increase\"")], &["D314"]),
    case(&[("Order<guard, rb, count>;", "Order<guard, rb, count>;\n    Print<never>;")], &["D314"]),
    case(&[("INC_MORE", "INC_MUCH")], &["D515"]),
    case(&[(one!(), ""), ("__DefOptype load", concat!(one!(), "__DefOptype load"))], &["D315"]),
    case(&[("Imm count = 0", "Imm count")], &["D308", "D509"]),
    case(&[("Bitwidth<ra> = 32", "Bitwidth<ra> = 64")], &["D401"]),
    case(&[("OutList<ra>;", "OutList<ra>;\n    Writes<FLAGS>;")], &["D401"]),
    case(&[("OutList<ra>;", "OutList<ra>;\n    Writes<FLAGS if count > 3>;")], &["D401"]),
    case(&[("FLAGS<1, 4>", "FLAGS<1, 5>")], &["D402"]),
    case(&[("__DefRegFile FLAGS", "__DefRegFile MORE<8, 2>\n\n__DefRegFile FLAGS")], &["D403"]),
    case(&[("OutList<ra>;", "OutList<ra>;\n    Flow<call> = count > 3;")], &["D406"]),
    case(&[("FLAGS<1", "BITS<1"), (": FLAGS", ": BITS")], &["D403", "D404", "D405"]),
    case(&[("zero = 6 : GPR zero", "zero = 6 : GPR one")], &["D405"]),
    case(&[("__DefOpcode SUB_A", "__DefOpcode SUB_B")], &["D501", "D502"]),
    case(&[("rb", "rx")], &["D503"]),
    case(&[("Mode", "Width")], &["D504"]),
    case(&[("half", "short")], &["D302", "D505"]),
    case(&[("zero = 6", "null = 6")], &["D302", "D505"]),
    case(&[("MUL", "LDR")], &["D302", "D505"]),
    case(&[("    MUL = 3;\n", "    MUL = 3;\n    DIV = 4;\n")], &["D514"]),
    case(
        &[("__DefGroup ALL", "__DefImmediate More<9>\n    Number = unsigned;\n\n__DefGroup ALL")],
        &["D507"],
    ),
    case(
        &[("__DefOptype load : [ALL]", "__DefGroup MEMORY : [ALL]\n\n__DefOptype load : [MEMORY]")],
        &["D508"],
    ),
    case(&[("__DefIsa DEMO", "__DefIsa DEMO2")], &["D510"]),
    case(&[("Generations<FIRST, SECOND>", "Generations<FIRST, SECOND, THIRD>")], &["D511"]),
    case(&[("It adds.", "It adds up.")], &["D601"]),
    case(&[("/// Twice as wide.", "/// Double.")], &["D602"]),
    case(&[("too wide", "much too wide")], &["D603"]),
    // A second name of a value is gone, or new.
    case(&[("    half;\n", "    half;\n    narrow = 2;\n")], &["D514"]),
    // Nothing that differs for anyone.
    case(&[("It adds.\n", "It adds.   \n// A comment.\n")], &[]),
    case(&[("mode == \"wide\" and count > 3", "(mode == \"wide\") and (count > 3)")], &[]),
    case(&[("mode == \"wide\" and count > 3", "not (count < 4 or mode != \"wide\")")], &[]),
    case(&[("count > 3", "(count & 12) != 0")], &[]),
    // A rule with another message that forbids the same words.
    case(
        &[(
            "Wide, \"too wide\"> = mode == \"wide\" and count > 3",
            "Wide, \"much\"> = count >= 4 and mode == \"wide\"",
        )],
        &["D603"],
    ),
];

/// The reverse of some cases, for differences that only appear in that direction.
pub(super) const REVERSED: &[Case] = &[
    case(&[("    half;\n", "    half;\n    narrow = 2;\n")], &["D513"]),
    case(&[("    MUL = 3;\n", "    MUL = 3;\n    DIV = 4;\n")], &["D513"]),
    case(
        &[("__DefGroup ALL", "__DefImmediate More<9>\n    Number = unsigned;\n\n__DefGroup ALL")],
        &["D506"],
    ),
    case(&[("    half;\n", "    half;\n    other;\n")], &["D202"]),
    case(&[(one!(), "")], &["D313"]),
];

/// A specification with programs: an opcode with a wrapper, a function and a constant, and one without.
pub(super) const PROGRAMS: &str = r#"__DefIsa DEMO<16>

__DefRegFile R<16, 8>

__DefOperandType Reg<3>
    r[0..7] = 0 : R;

__DefGroup ALL : []
  __OperandInfo
    Semantics<checked>;
  __Semantics
```isa
extern pc : bits(16)
const AMOUNT = 1
fn twice(x : bits(n)) = (x << AMOUNT)[n - 1:0]
```

__DefGroup BINARY : [ALL]
  __Encoding
    field[11:9] Reg rd; field[8:6] Reg ra; field[5:3] Reg rb; fixed[2:0] == 0;
  __OperandInfo
    Operands<out rd, in ra, in rb>;
  __Semantics
```isa
rd = twice(body)
```

__DefInstructions : [BINARY]
    /// Adds.
    ///= (ra + rb)[15:0]
    ADD "add" [15:12] == 1;
    /// Subtracts.
    ///= (ra - rb)[15:0]
    SUB "sub" [15:12] == 2;

__DefInstructions : [ALL]
    /// Does nothing.
    ///= use(next)
    NOP "nop" [15:12] == 3, [11:0] == 0;
"#;

/// A text, and another in its place.
type Change = (&'static str, &'static str);

/// Changes of [`PROGRAMS`], what they are reported as, and the opcodes.
pub(super) const OF_PROGRAMS: &[(&[Change], &[&str])] = &[
    (&[("(ra + rb)[15:0]", "(ra + rb + 1)[15:0]")], &["the program of `ADD`: ADD"]),
    (&[("rd = twice(body)", "rd = ~twice(body)")], &["the program of group `BINARY`: ADD, SUB"]),
    (&[("(x << AMOUNT)", "(x << AMOUNT + 1)")], &["`fn twice`: ADD, SUB"]),
    (&[("AMOUNT = 1", "AMOUNT = 2")], &["`const AMOUNT`: ADD, SUB"]),
    (&[("///= use(next)", "///= use(next); use(next + 1)")], &["the program of `NOP`: NOP"]),
    // What the texts name is another thing.
    (
        &[
            ("__DefRegFile R<16, 8>", "__DefRegFile R<16, 8>\n\n__DefRegFile S<16, 8>"),
            ("0 : R;", "0 : S;"),
        ],
        &[],
    ),
    // Spelling, comments, names, and what moves into a group or function.
    (&[("(ra + rb)[15:0]", "( ra+rb )[15:0] // the sum")], &[]),
    (
        &[
            ("(ra + rb)[15:0]", "ra + rb"),
            ("twice(body)", "twice((body)[15:0])"),
            ("(ra - rb)[15:0]", "ra - rb"),
        ],
        &[],
    ),
    (
        &[(
            "fn twice(x : bits(n)) = (x << AMOUNT)[n - 1:0]",
            "fn twice(y : bits(m)) { z = y << AMOUNT; return z[m - 1:0] }",
        )],
        &[],
    ),
    (&[("const AMOUNT = 1\n", ""), ("x << AMOUNT", "x << 1")], &[]),
];

/// Changes of [`WIDTHS`].
pub(super) const OF_WIDTHS: &[Case] = &[
    case(&[("    Short<ADD_A>;\n", "")], &["D316"]),
    case(&[("Short<ADD_A>", "Short<ADD_A> : imm = 5")], &["D316"]),
];
