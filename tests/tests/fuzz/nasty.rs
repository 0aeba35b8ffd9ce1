//! Inputs that are nasty by design: deep, long, many, huge, cyclic, cut off, not text.

use std::fmt::Write;

use super::all_done;
use super::rich::{family, rich, short};

/// An opcode of the prelude's with these fields, operand statements and rules.
fn opcode(name: &str, fields: &str, operand_info: &str, rules: &str) -> String {
    format!(
        "__DefOpcode {name} : [BASE]\n  __Encoding\n    field<0, 8> Code code == 7;\n{fields}\n  __OperandInfo\n{operand_info}\n  __Exception\n{rules}\n"
    )
}

fn rule(condition: &str) -> Vec<u8> {
    let rule = format!("    EncodingError<Kind, \"message\"> = {condition};");
    opcode("N", "    field<8, 2> Mode mode = FAST;", "", &rule).into_bytes()
}

/// `count` pieces, each generated from its number.
fn pieces(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}

fn named<'n>(inputs: impl IntoIterator<Item = (&'n str, Vec<u8>)>) {
    all_done(inputs.into_iter().map(|(name, bytes)| (name.to_string(), bytes)));
}

#[test]
fn deep_and_long_expressions() {
    const N: usize = 100_000;
    named([
        ("parentheses", rule(&("(".repeat(N) + "1" + &")".repeat(N)))),
        ("open parentheses", rule(&"(".repeat(N))),
        ("closing parentheses", rule(&")".repeat(N))),
        (
            "64 parentheses, often",
            rule(&vec![format!("{}1{}", "(".repeat(64), ")".repeat(64)); 300].join(" + ")),
        ),
        ("additions", rule(&("1".to_string() + &" + 1".repeat(N)))),
        ("399 additions", rule(&("1".to_string() + &" + 1".repeat(399)))),
        ("negations", rule(&("- ".repeat(N) + "1"))),
        ("nots", rule(&("not ".repeat(N) + "1"))),
        ("399 nots", rule(&("not ".repeat(399) + "1"))),
        ("ands and ors", rule(&("1".to_string() + &" and 0 or 1".repeat(N / 2)))),
        ("comparisons", rule(&("1".to_string() + &" == 1".repeat(N)))),
        (
            "strings",
            rule(&("mode == \"FAST\"".to_string() + &" or mode == \"FAST\"".repeat(N / 10))),
        ),
        ("a number of many digits", rule(&"9".repeat(N))),
        (
            "brackets in a list",
            opcode("N", "", &format!("    Order<{};", "R[".repeat(N)), "").into_bytes(),
        ),
        ("angles in a list", opcode("N", "", &"Order<".repeat(N), "").into_bytes()),
        ("brackets in a header", ("__DefOpcode N : ".to_string() + &"[".repeat(N)).into_bytes()),
        ("many parents", format!("__DefOpcode N : [{}BASE]", "BASE, ".repeat(N / 10)).into_bytes()),
        (
            "many arguments",
            opcode("N", "", &format!("    AsmFormat<x> = CvtFImm({}x);", "x, ".repeat(N / 10)), "")
                .into_bytes(),
        ),
        (
            "many operands",
            opcode(
                "N",
                "    field<8, 4> Reg rd;",
                &format!("    Order<{}rd>;", "rd, ".repeat(N / 10)),
                "",
            )
            .into_bytes(),
        ),
        (
            "braces in a format",
            format!("__DefComposite P<4>\n    Format = \"{}\";\n", "{a}".repeat(N / 10))
                .into_bytes(),
        ),
    ]);
}

#[test]
fn long_lines() {
    const MEGABYTE: usize = 1 << 20;
    let long = |piece: &str| piece.repeat(MEGABYTE / piece.len());
    named([
        ("an identifier", long("a").into_bytes()),
        ("blanks", long(" ").into_bytes()),
        ("comment", long("/").into_bytes()),
        ("backticks", long("`").into_bytes()),
        ("quotes", long("\"").into_bytes()),
        ("underscores", long("_").into_bytes()),
        ("letters of three bytes", long("語").into_bytes()),
        ("keyword", ("__Def".to_string() + &long("X")).into_bytes()),
        ("section", ("__DefOpcode N : [BASE]\n__".to_string() + &long("X")).into_bytes()),
        ("name", format!("__DefOpcode {} : [BASE]", long("X")).into_bytes()),
        (
            "names that differ at the end",
            format!("__DefOpcode N : [{0}a]\n__DefOptype {0}b : [ALL]", long("X")).into_bytes(),
        ),
        ("width", format!("__DefBitFieldType T<{}>", long("1")).into_bytes()),
        (
            "message",
            opcode("N", "", "", &format!("    EncodingError<K, \"{}\"> = 1;", long("m")))
                .into_bytes(),
        ),
        ("prose", opcode("N", "", &long("word "), "").into_bytes()),
        ("prose that opens lists", opcode("N", "", &long("a<b "), "").into_bytes()),
        (
            "documentation",
            format!("__DefBitFieldType T<1>\n    /// {}\n    A;\n", long("x ")).into_bytes(),
        ),
    ]);
}

/// Findings in a line are shown with the line, so a long line with many of them is expensive.
#[test]
fn long_lines_of_many_mistakes() {
    let long = |piece: &str| piece.repeat(100_000 / piece.len());
    named([
        (
            "enumerators named alike",
            format!("__DefBitFieldType T<1>\n{}", long("A; ")).into_bytes(),
        ),
        ("broken enumerators", format!("__DefBitFieldType T<1>\n{}", long("? ; ")).into_bytes()),
        ("broken fields", opcode("N", &long("field<0; "), "", "").into_bytes()),
        (
            "unknown operands",
            opcode("N", "", &format!("    Order<{}z>;", long("z, ")), "").into_bytes(),
        ),
        ("broken rules", opcode("N", "", "", &long("EncodingError<; ")).into_bytes()),
    ]);
}

#[test]
fn huge_numbers_wherever_a_number_stands() {
    huge_numbers_in(&rich());
    huge_numbers_in(&family());
}

fn huge_numbers_in(text: &str) {
    let bytes = text.as_bytes();
    let starts_number = |at: &usize| {
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        bytes[*at].is_ascii_digit() && !before.is_ascii_alphanumeric() && before != b'_'
    };
    let starts: Vec<usize> = (0..bytes.len()).filter(starts_number).collect();
    assert!(starts.len() > 50, "{} numbers", starts.len());
    let numbers = [
        "0",
        "4294967296",
        "0xffffffffffffffff",
        "18446744073709551615",
        "99999999999999999999",
        "-1",
        "127",
        "64",
    ];
    all_done(
        starts
            .iter()
            .map(|start| {
                // One input for each place: the text once with each number there.
                let end = start
                    + bytes[*start..]
                        .iter()
                        .take_while(|byte| byte.is_ascii_alphanumeric())
                        .count();
                let texts =
                    numbers.map(|number| format!("{}{number}{}", &text[..*start], &text[end..]));
                (format!("numbers at byte {start}"), texts)
            })
            .flat_map(|(name, texts)| texts.map(|text| (name.clone(), text.into_bytes()))),
    );
}

#[test]
fn texts_that_end_anywhere() {
    let own = isadl_test_support::prelude().len();
    for (text, from, step) in [(rich(), own, 3), (family(), 0, 7), (short(), 0, 3)] {
        all_done(
            (from..text.len())
                .step_by(step)
                .map(|end| (format!("{end} bytes"), text.as_bytes()[..end].to_vec())),
        );
    }
}

#[test]
fn odd_bytes() {
    let rich = rich();
    let bytes = rich.as_bytes();
    let with = |from: &str, to: &[u8]| -> Vec<u8> {
        let parts: Vec<&[u8]> = rich.split(from).map(str::as_bytes).collect();
        parts.join(to)
    };
    named([
        ("nothing", Vec::new()),
        ("blanks", b" \t\r\n".to_vec()),
        ("NUL bytes alone", vec![0; 1000]),
        ("NUL bytes for blanks", with(" ", b"\0")),
        ("invalid UTF-8 alone", vec![0xff; 1000]),
        ("invalid UTF-8 for blanks", with(" ", &[0xc3])),
        ("half a letter at the end", [bytes, &[0xe8, 0xaa]].concat()),
        ("surrogates", with(" ", &[0xed, 0xa0, 0x80])),
        ("CRLF", with("\n", b"\r\n")),
        ("CR", with("\n", b"\r")),
        ("CR twice", with("\n", b"\r\r\n")),
        ("vertical tabs", with("\n", b"\n\x0b")),
        ("line separators", with("\n", "\u{2028}\n".as_bytes())),
        ("no-break spaces", with(" ", "\u{a0}".as_bytes())),
        ("BOM", ["\u{feff}".as_bytes(), bytes].concat()),
        ("BOM in front of each line", with("\n", "\n\u{feff}".as_bytes())),
        ("letters of three bytes for blanks", with(" ", "語".as_bytes())),
        ("quotes for semicolons", with(";", b"\"")),
        ("no semicolons", with(";", b"")),
        ("no closing angles", with(">", b"")),
        ("no closing brackets", with("]", b"")),
        ("no line ends", with("\n", b" ")),
        ("comments everywhere", with(" ", b" // ")),
        ("documentation everywhere", with("\n", b"\n///\n")),
        ("fences everywhere", with("\n", b"\n```\n")),
        ("dots for blanks", with(" ", b".")),
    ]);
}

#[test]
fn unterminated_everything() {
    named([
        ("fence", b"__DefOpcode N : [BASE]\n  __Syntax\n```asm\nN ;\n".to_vec()),
        ("string", rule("mode == \"FAST")),
        ("comment without line end", b"__DefOptype N : [ALL] //".to_vec()),
        ("list", opcode("N", "", "    Order<rd", "").into_bytes()),
        ("field", opcode("N", "    field<", "", "").into_bytes()),
        ("header", b"__DefOpcode".to_vec()),
        ("header with a colon", b"__DefOpcode N :".to_vec()),
        ("keyword", b"__Def".to_vec()),
        ("type", b"__DefBitFieldType T<".to_vec()),
        ("enumerator", b"__DefBitFieldType T<1>\n    A =".to_vec()),
        ("spelling", b"__DefBitFieldType T<1>\n    A as \"".to_vec()),
        ("format", b"__DefComposite T<1>\n    Format = \"{".to_vec()),
        ("run", b"__DefOperandType T<1>\n    R[0..".to_vec()),
        ("documentation", b"__DefBitFieldType T<1>\n    ///".to_vec()),
    ]);
}

/// Generations, reserved bits, and types that include others.
#[test]
fn much_of_what_families_have() {
    let header = "__DefIsa X<128>\n    Generations<";
    let generations = |count| header.to_string() + &pieces(count, |n| format!("G{n}, ")) + "Z>;\n";
    let guards = pieces(2000, |n| format!("    E{n} = {n} @[G{}..G{}];\n", n % 60, n % 63));
    let twice = pieces(500, |n| format!("    E = {n} @[G{}];\n", n % 63));
    let ranges = pieces(10_000, |n| format!("G{}.., ", n % 60));
    let chain = pieces(3000, |n| {
        format!("__DefOperandType T{}<8>\n    include T{n};\n    m{n} = 1;\n", n + 1)
    });
    let doubled = pieces(40, |n| {
        format!("__DefOperandType T{}<8>\n    include T{n};\n    include T{n};\n", n + 1)
    });
    let classes = pieces(8000, |n| format!("    m{n} = {} is odd;\n", n * 2));
    let reserved = |n: usize| format!("    zero<{}, {}>;\n", n % 130, n % 7);
    let literals = pieces(5000, |n| format!("    literal<8, 24> Wide l{n} : ra;\n"));
    let groups = pieces(60, |n| {
        format!("__DefGroup G{n}<{}> : [ALL]\n  __Encoding\n    ignored<8, 8>;\n", n % 40)
    });
    let parents = pieces(60, |n| format!(", G{n}"));
    let joined = pieces(2000, |n| format!("__DefOpcode J{n} : [BASE{parents}]\n"));
    named([
        ("guards", format!("{}__DefBitFieldType T<16>\n{guards}", generations(62)).into_bytes()),
        (
            "findings in many generations",
            format!("{}__DefBitFieldType T<4>\n{guards}{twice}", generations(62)).into_bytes(),
        ),
        ("generations", generations(10_000).into_bytes()),
        (
            "ranges of a guard",
            format!("{}__DefGroup ALL : [] @[{ranges}Z]", generations(62)).into_bytes(),
        ),
        ("a chain of included types", chain.into_bytes()),
        ("types that are included twice", doubled.into_bytes()),
        (
            "a class of many entries",
            format!(
                "__DefOperandType T<16>\n{classes}{}",
                opcode(
                    "N",
                    "    field<8, 16> T ra;",
                    "    InList<ra>;\n    Order<ra>;",
                    &"    EncodingError<Kind, \"message\"> = ra is odd;\n".repeat(20),
                )
            )
            .into_bytes(),
        ),
        ("bits that are zero", opcode("N", &pieces(20_000, reserved), "", "").into_bytes()),
        (
            "literals",
            format!(
                "__DefImmediate Wide<24>\n    Number = unsigned;\n{}",
                opcode("N", &format!("    field<8, 4> Reg ra;\n{literals}"), "", "")
            )
            .into_bytes(),
        ),
        ("groups that clash in many opcodes", format!("{groups}{joined}").into_bytes()),
        ("fixes", opcode("N", &"    fix code == 1;\n".repeat(20_000), "", "").into_bytes()),
        (
            "mnemonics",
            opcode("N", "", &format!("    Mnemonic<{}\"z\">;", "\"m\", ".repeat(20_000)), "")
                .into_bytes(),
        ),
    ]);
}

#[test]
fn many_definitions() {
    let enumerators = pieces(10_000, |n| format!("    E{n};\n"));
    let fields = pieces(10_000, |n| format!("    field<{}, 1> Flag f{n} = False;\n", n % 128));
    let free = pieces(10_000, |n| format!("    field<{}, 1> Flag f{n} = False;\n", n + 128));
    let opcodes = |fixed: fn(usize) -> usize| {
        pieces(3000, |n| {
            format!(
                "__DefOpcode N{n} : [BASE]\n  __Encoding\n    field<0, 8> Code code == {};\n",
                fixed(n)
            )
        })
    };
    named([
        ("enumerators", format!("__DefBitFieldType T<14>\n{enumerators}").into_bytes()),
        (
            "enumerators of a narrow type",
            format!("__DefBitFieldType T<1>\n{enumerators}").into_bytes(),
        ),
        (
            "enumerators named alike",
            format!("__DefBitFieldType T<14>\n{}", "    A;\n".repeat(10_000)).into_bytes(),
        ),
        (
            "enumerators without semicolons",
            format!("__DefBitFieldType T<14>\n{}", enumerators.replace(';', "")).into_bytes(),
        ),
        ("fields over one another", opcode("N", &fields, "", "").into_bytes()),
        ("fields beyond the word", opcode("N", &free, "", "").into_bytes()),
        (
            "fields named alike",
            opcode("N", &"    field<8, 1> Flag f = False;\n".repeat(10_000), "", "").into_bytes(),
        ),
        ("opcodes alike", opcodes(|_| 7).into_bytes()),
        ("opcodes", opcodes(|n| n % 256).into_bytes()),
        (
            "opcodes of one name",
            opcodes(|_| 7).replace(|c: char| c.is_ascii_digit(), "1").into_bytes(),
        ),
        (
            "rules",
            opcode(
                "N",
                "",
                "",
                &pieces(5000, |n| format!("    EncodingError<K, \"m{n}\"> = code == {n};\n")),
            )
            .into_bytes(),
        ),
        (
            "registers",
            format!("__DefOperandType T<14>\n{}", pieces(10_000, |n| format!("    r{n} = {n};\n")))
                .into_bytes(),
        ),
        (
            "parts",
            format!(
                "__DefComposite T<14>\n{}",
                pieces(5000, |n| format!("    field<{n}, 1> Flag p{n};\n"))
            )
            .into_bytes(),
        ),
        (
            "sections",
            format!("__DefOpcode N : [BASE]\n{}", "  __Encoding\n".repeat(20_000)).into_bytes(),
        ),
        (
            "misspelt sections",
            format!("__DefOpcode N : [BASE]\n{}", "  __Encodign\n".repeat(5000)).into_bytes(),
        ),
        ("misspelt keywords", "__DefOpcoed N : [BASE]\n".repeat(3000).into_bytes()),
        ("instruction sets", "__DefIsa N<32>\n".repeat(5000).into_bytes()),
        (
            "types nobody knows",
            opcode("N", &pieces(3000, |n| format!("    field<8, 1> Type{n} f{n};\n")), "", "")
                .into_bytes(),
        ),
    ]);
}

#[test]
fn families_large_and_twisted() {
    let group = |name: String, parents: &str| format!("__DefGroup {name} : [{parents}]\n");
    let chain = pieces(5000, |n| group(format!("G{}", n + 1), &format!("G{n}")));
    let field = "  __Encoding\n    field<31, 1> Flag top = False;\n";
    let fields = pieces(500, |n| {
        format!(
            "{}  __Encoding\n    field<8, 1> Flag f{n} = False;\n",
            group(format!("G{}", n + 1), &format!("G{n}"))
        )
    });
    let leaf = "__DefOptype LEAF : [G5000]\n__DefOpcode LEAF_X : [LEAF]\n  __Encoding\n    field<8, 1> Flag f == True;\n";
    let lattice = pieces(60, |n| {
        let parents = format!("A{n}, B{n}");
        group(format!("A{}", n + 1), &parents) + &group(format!("B{}", n + 1), &parents)
    });
    let all = pieces(300, |n| format!("G{n}, "));
    let dense = pieces(300, |n| {
        group(
            format!("G{n}"),
            all[..all.find(&format!("G{n},")).unwrap_or(0)].trim_end_matches(", "),
        )
    });
    named([
        ("a chain", format!("{}{chain}{leaf}", group("G0".to_string(), "ALL")).into_bytes()),
        (
            "a chain with a field at its root",
            format!("{}{field}{chain}{leaf}", group("G0".to_string(), "ALL")).into_bytes(),
        ),
        ("a chain of fields", format!("{}{fields}", group("G0".to_string(), "ALL")).into_bytes()),
        ("a chain without its root", chain.clone().into_bytes()),
        ("a cycle", format!("{}{chain}", group("G0".to_string(), "G5000")).into_bytes()),
        ("cycles of one", pieces(5000, |n| group(format!("G{n}"), &format!("G{n}"))).into_bytes()),
        (
            "cycles of two",
            pieces(5000, |n| group(format!("G{n}"), &format!("G{}", n ^ 1))).into_bytes(),
        ),
        (
            "a lattice",
            format!(
                "{}{}{lattice}",
                group("A0".to_string(), "ALL"),
                group("B0".to_string(), "ALL")
            )
            .into_bytes(),
        ),
        ("everybody's child", dense.into_bytes()),
        ("siblings", pieces(5000, |n| group(format!("G{n}"), "ALL")).into_bytes()),
        (
            "parents nobody knows",
            pieces(2000, |n| group(format!("G{n}"), &format!("Unknown{n}"))).into_bytes(),
        ),
    ]);
}

#[test]
fn fences_in_masses() {
    let section = "  __Syntax\n";
    let head = format!("__DefOpcode N : [BASE]\n{section}");
    let rising = |lines: &str| {
        let fences = pieces(600, |n| format!("{}x\n{section}", "`".repeat(n + 3)));
        format!("{head}{fences}{lines}").into_bytes()
    };
    named([
        ("three ticks", (head.clone() + &"```\n".repeat(50_001)).into_bytes()),
        ("three ticks with a word", (head.clone() + &"```asm\n".repeat(50_001)).into_bytes()),
        (
            "fences and sections",
            (head.clone() + &format!("```asm\n{section}").repeat(20_001)).into_bytes(),
        ),
        ("rising fences", rising("")),
        ("rising fences before a long text", rising(&"text\n".repeat(20_000))),
        (
            "falling fences",
            (head + &pieces(600, |n| format!("{}x\n{section}", "`".repeat(700 - n)))).into_bytes(),
        ),
    ]);
}

#[test]
fn much_to_check_in_little_text() {
    let wide = "    EncodingError<K, \"m\"> = word == 65536;\n";
    let optype = |rules: usize| {
        let rules = pieces(rules, |n| wide.replace("\"m\"", &format!("\"m{n}\"")));
        format!(
            "__DefImmediate Word<16>\n    Number = unsigned;\n__DefOptype N : [ALL]\n  __Encoding\n    field<8, 16> Word word = 0;\n  __Exception\n{rules}"
        )
    };
    let opcodes = |count: usize| {
        pieces(count, |n| {
            format!(
                "__DefOpcode N{n} : [N]\n  __Encoding\n    field<0, 8> Code code == {n};\n  __OperandInfo\n    Order<word>;\n"
            )
        })
    };
    let special = |count: usize| {
        let bits = |n: usize| {
            pieces(24, |bit| match (n >> (bit % 12)) & 1 {
                0 => format!("    field<{}, 1> Flag f{bit} = False;\n", bit + 8),
                _ => format!(
                    "    field<{}, 1> Flag f{bit} == {};\n",
                    bit + 8,
                    if n & 1 == 0 { "True" } else { "False" }
                ),
            })
        };
        pieces(count, |n| opcode(&format!("N{n}"), &bits(n), "", ""))
    };
    let mut seldom = String::from("__DefOptype S : [ALL]\n");
    for n in 0..24 {
        let _ = writeln!(
            seldom,
            "__DefOpcode S{n} : [S]\n  __Encoding\n    field<{n}, 1> Flag f == True;"
        );
    }
    named([
        ("a rule of all values", (optype(1) + &opcodes(1)).into_bytes()),
        ("rules of all values for many opcodes", (optype(10) + &opcodes(200)).into_bytes()),
        ("special cases of one another", special(500).into_bytes()),
        ("one bit each", seldom.into_bytes()),
    ]);
}
