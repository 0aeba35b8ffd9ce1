//! Texts of programs: with their wrappers, with the operands of a word, and what two spellings have in common.

#[path = "common/random.rs"]
mod random;
#[path = "common/specs.rs"]
mod specs;

use std::sync::Arc;

use isadl::engine::Loaded;
use isadl::isa::{Inst, Isa};
use isadl::semantics::Checked;
use isadl::source::SourceMap;

use random::Random;

/// A specification and its programs.
fn compiled(text: &str) -> (Isa, Arc<Checked>) {
    let mut sources = SourceMap::new();
    sources.add("a.isa", text.as_bytes().to_vec());
    specs::finished(isadl::compile(&sources)).pop().expect("there is a generation")
}

/// An instruction set of `spec` in its last generation, and its programs.
fn of_spec(name: &str) -> (Isa, Arc<Checked>) {
    let compiled = specs::compiled(&format!("../../spec/{name}"));
    compiled.last().expect("there is a generation").clone()
}

/// What an instruction does.
fn filled((isa, checked): &(Isa, Arc<Checked>), text: &str) -> String {
    let loaded = Loaded::new(isa.clone());
    let engine = loaded.engine();
    let inst = engine.assemble(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    checked.texts.filled(isa, inst).expect("it has a program")
}

/// A specification with one opcode, the program of its group, and its own.
fn small(group: &str, own: &str) -> (Isa, Arc<Checked>) {
    compiled(&format!(
        r#"
__DefIsa T<32>
__DefRegFile R<32, 16>
__DefOperandType Reg<4>
    zero = 0 : R[0]; r[1..15] = 1 : R;
__DefBitFieldType Mode<2>
    PLAIN; TWICE; HALF; NOT;
__DefImmediate Small<8>
    Number = signed;
__DefGroup ALL : []
  __Encoding
    fixed[31:24] == 1; field[23:22] Mode mode; zero[21:20];
    field[19:12] Small n; field[11:8] Reg rd; field[7:4] Reg ra; field[3:0] Reg rb;
  __OperandInfo
    Semantics<checked>; Operands<out rd, in ra, in rb, in n>; Modifiers<mode>;
  __Description
All.
  __Semantics
```isa
{group}
```
__DefOpcode OP : [ALL]
  __OperandInfo
    Mnemonic<"op">;
  __Description
One.
  __Semantics
```isa
{own}
```
"#
    ))
}

#[test]
fn wrappers_are_written_around_texts() {
    let set = of_spec("riscv");
    let texts = &set.1.texts;
    let whole = |opcode: &str| texts.whole(opcode).expect("it has a program").text;
    let own = |opcode: &str| texts.own(opcode).expect("it has a program").text;
    assert_eq!(own("AMOADD_W"), "old + rs2[31:0]");
    let check = "if base & ((1 << funct3) - 1) != 0 { trap AddressMisaligned(base) }";
    assert_eq!(
        whole("AMOADD_W").strip_prefix(check).expect("the outer wrapper"),
        "\nordered(order) {\n    atomic {\n        old = memory[base][size - 1:0]\n        \
         memory[base][size - 1:0] = old + rs2[31:0]\n        rd = signed(old)\n    }\n}"
    );
    assert_eq!(texts.wrappers("AMOADD_W"), ["AMO", "AMO_OP"]);
    assert_eq!(texts.source("AMOADD_W"), Some("AMOADD_W"));
    let load = "ordered(order) { rd = signed(load_reserved(memory[base][31:0])) }";
    assert_eq!(whole("LR_W"), format!("{check}\n{load}"));
    assert_eq!(whole("ADD"), own("ADD"));
    assert_eq!(texts.whole("NOTHING"), None);
}

#[test]
fn words_have_their_operands_in_the_text() {
    let riscv = of_spec("riscv");
    assert_eq!(filled(&riscv, "addi a0, a1, -16"), "a0 = a1 + -16");
    assert_eq!(
        filled(&riscv, "amoadd.w.aq a0, a2, (a1)"),
        "if a1 & ((1 << 2) - 1) != 0 { trap AddressMisaligned(a1) }\nordered(AQ) {\n    atomic {\n        old = memory[a1][31:0]\n        \
         memory[a1][31:0] = old + a2[31:0]\n        a0 = signed(old)\n    }\n}"
    );
    let a64 = of_spec("a64");
    // An address with a name is written out; values of enumerations have their names.
    assert_eq!(
        filled(&a64, "ldr x0, [x1, #8]!"),
        "x0 = memory[(x1 + #8)[63:0]][63:0]\nx1 = x1 + #8"
    );
    assert_eq!(filled(&a64, "csel w0, w1, w2, eq"), "w0 = holds(EQ) ? w1 : w2");
    assert_eq!(filled(&a64, "b.ne #8"), "if holds(NE) { pc = pc + #8 }");
}

/// What an `apply` makes of an operand is in the text: the sign that a mark gives it, the part that is selected.
#[test]
fn words_have_what_is_applied_to_their_operands() {
    let simt = of_spec("simt");
    assert_eq!(filled(&simt, "IADD R0, R1, R2"), "t = R1 + R2[31:0] + 0\nR0 = t[31:0]");
    assert_eq!(filled(&simt, "IADD R0, R1, -R2"), "t = R1 + (-R2[31:0])[31:0] + 0\nR0 = t[31:0]");
    assert_eq!(
        filled(&simt, "IADD.X R0, R1, ~R2, P1"),
        "t = R1 + (~R2[31:0])[31:0] + P1\nR0 = t[31:0]\nPT = t[32]"
    );
    assert_eq!(
        filled(&simt, "HADD2 R5, R6.H0_H0, -R7"),
        "for i in 0 .. 1 {\n    a = R6[half_of(H0_H0, i)]\n    b = -R7[half_of(H1_H0, i)]\n    \
         R5[i] = to_bits(finished(round(a + b)))\n}"
    );
    let gcn = of_spec("gcn");
    let of_gcn = |line: &str| filled(&gcn, line);
    assert_eq!(of_gcn("v_add_f32 v0, v1, v2"), "v0 = finish(round(v1 + v2))");
    assert_eq!(of_gcn("v_add_f32 v0, -v1, |v2|"), "v0 = finish(round((-v1) + abs(v2)))");
    assert_eq!(of_gcn("v_mac_f32 v0, s1, -1.0"), "v0 = finish(round(round(s1 * (-1.0)) + v0))");
    let riscv = of_spec("riscv");
    let add = filled(&riscv, "fadd.s fa0, fa1, fa2");
    assert_eq!(
        add.lines().nth(1),
        Some(
            "fa0 = round((is_boxed(whole(fa1), 32) ? fa1 : nan) + \
             (is_boxed(whole(fa2), 32) ? fa2 : nan))"
        )
    );
    let vector = filled(&riscv, "vadd.vi v1, v2, -3");
    assert!(vector.contains("v1 = v2 + (-3)[(8 << sew) - 1:0]"), "{vector}");
}

/// Where names are written out too deep, an operand keeps its name: its register alone would not be what is read.
#[test]
fn what_is_applied_is_never_left_out() {
    let lets: String = (1..16).map(|at| format!("let l{at} = l{}\n", at - 1)).collect();
    let group = format!("apply ra = signed(ra)\nlet l0 = ra\n{lets}body");
    for (name, wanted) in [("l14", "signed(r2)"), ("l15", "ra")] {
        let own = format!("rd = ({name} + rb + n)[31:0]\nif mode == NOT {{ use(1) }}");
        let text = filled(&small(&group, &own), "op.PLAIN r1, r2, r3, 4");
        assert_eq!(text, format!("r1 = ({wanted} + r3 + 4)[31:0]"));
    }
}

/// Every text can be read again, and nothing of another kind than the author's is in it.
#[test]
fn texts_are_programs() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (name, least) in [("riscv", 900), ("a64", 1500), ("simt", 160), ("gcn", 140)] {
        let (isa, checked) = of_spec(name);
        let loaded = Loaded::new(isa.clone());
        let mut count = 0;
        for id in isa.opcode_ids() {
            let opcode = isa.opcode(id);
            let Some(whole) = checked.texts.whole(&opcode.name) else { continue };
            assert_program(&opcode.name, &whole.text);
            let mut words = vec![opcode.value];
            for _ in 0..40 {
                let bits = u128::from(random.next()) << 64 | u128::from(random.next());
                let word = opcode.value | bits & opcode.width_mask & !opcode.mask;
                let is_own = loaded.engine().decode(word).is_ok_and(|inst| inst.opcode == id);
                words.extend((is_own && words.len() < 6).then_some(word));
            }
            for word in words {
                let filled = checked.texts.filled(&isa, Inst { opcode: id, word });
                let filled = filled.expect("it has a program");
                assert_program(&opcode.name, &as_program(&filled));
            }
            count += 1;
        }
        assert!(count >= least, "{name}: {count}");
    }
}

/// A text for a word, with numbers as programs write them: A64 has `#` before them, SIMT two halves as `1.0, 0`.
fn as_program(filled: &str) -> String {
    let mut parts = filled.split('(');
    let mut made = parts.next().unwrap_or_default().replace('#', "");
    for part in parts {
        let (inner, rest) = part.split_once(')').unwrap_or((part, ""));
        let is_number = |text: &str| text.trim().parse::<f64>().is_ok() || text.contains("NAN");
        let is_list = inner.contains(',') && inner.split(',').all(is_number);
        made += &match is_list && rest.starts_with('[') {
            true => format!("0{rest}"),
            false => format!("({part}"),
        };
    }
    made.replace('#', "")
}

fn assert_program(opcode: &str, text: &str) {
    use isadl::diagnostic::Diagnostics;
    use isadl::semantics::syntax::{Line, parse};
    use isadl::source::{FileId, Span};
    let span = Span { file: FileId::new(0), start: 0, end: 0 };
    let lines: Vec<Line<'_>> = text.lines().map(|text| Line { text, span }).collect();
    let mut found = Diagnostics::default();
    let program = parse(&lines, &mut found);
    assert!(found.is_empty(), "{opcode}:\n{text}\n{found:?}");
    // The hint 0 does nothing.
    assert!(!program.statements.is_empty() || opcode == "HINT", "{opcode}");
    let has_body = text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "body");
    assert!(!has_body, "{text}");
}

#[test]
fn only_what_a_word_does_is_left() {
    let set = small(
        "const SIZE = 32\nfn twice(x : bits(n)) = (x << 1)[n - 1:0]\nlet sum = ra + rb\nbody",
        "if mode == NOT { rd = ~ra ^ rb } else if mode == TWICE and ra == 0 { rd = twice(rb) } else {\n\
         x = match mode { PLAIN: sum; HALF: sum >> 1; _: sum * n[7:0] }\nrd = x[SIZE - 1:0]\n}",
    );
    let of = |text: &str| filled(&set, text);
    assert_eq!(of("op.NOT r1, r2, r3, 4"), "r1 = ~r2 ^ r3");
    assert_eq!(of("op.PLAIN r1, r2, r3, 4"), "x = r2 + r3\nr1 = x[31:0]");
    assert_eq!(of("op.HALF r1, zero, r3, 4"), "x = (zero + r3) >> 1\nr1 = x[31:0]");
    assert_eq!(
        of("op.TWICE r1, r2, r3, -4"),
        "if TWICE == TWICE and r2 == 0 { r1 = twice(r3) } else {\n    \
         x = (r2 + r3) * (-4)[7:0]\n    r1 = x[31:0]\n}"
    );
}

#[test]
fn spelling_alone_is_no_difference() {
    let meaning = |group: &str, own: &str| {
        let (isa, checked) = small(group, own);
        checked.meaning(&isa, "OP", &str::to_string).expect("it has a program")
    };
    let plain = meaning("", "use(n)\nt = ra + rb; rd = t[31:0]");
    for (group, own) in [
        ("", "use(n);   sum=ra+rb // the sum\nrd = sum[31:0]"),
        ("", "use(n)\nrd = (ra + rb)[31:0]"),
        ("let sum = ra + rb", "use(n)\nrd = sum[31:0]"),
        ("fn plus(x, y) = x + y", "use(n)\nrd = plus(ra, rb)[31:0]"),
        ("fn plus(x, y) {\nz = x + y\nreturn z[31:0]\n}", "use(n)\nrd = plus(ra, rb)"),
        ("use(n)\nrd = body", "(ra + rb)[31:0]"),
    ] {
        assert_eq!(meaning(group, own), plain, "{group}\n{own}");
    }
    for (group, own) in [
        ("", "use(n)\nt = ra - rb; rd = t[31:0]"),
        ("", "use(n)\nt = rb + ra; rd = t[31:0]"),
        ("", "use(n)\nt = ra + rb + n; rd = t[31:0]"),
        ("", "use(n)\nif ra != 0 { rd = (ra + rb)[31:0] } else { rd = rb }"),
        ("fn plus(x, y) = x - y", "use(n)\nrd = plus(ra, rb)[31:0]"),
        ("atomic { body }", "use(n)\nt = ra + rb; rd = t[31:0]"),
    ] {
        assert_ne!(meaning(group, own), plain, "{group}\n{own}");
    }
    // A store between two loads keeps them apart.
    let memory = "extern memory memory[bits(32)]";
    let [before, after] =
        ["memory[ra][7:0] = 1\nx = memory[rb][7:0]", "x = memory[rb][7:0]\nmemory[ra][7:0] = 1"]
            .map(|text| meaning(memory, &format!("use(n)\n{text}\nrd = x")));
    assert_ne!(before, after);
}
