//! The short notations mean the same as the long notations. Compares hand-written and random instruction sets in both
//! notations: the lowered form, the text of every word, and its reads and writes.

use std::collections::BTreeMap;

use isadl::engine::Loaded;
use isadl::isa::{Family, Isa};
use isadl_codegen::diff::{self, Side};
use isadl_test_support::count;
use isadl_test_support::oracle::Verdict;
use isadl_test_support::random::{self, Short, Subject};

/// The lowered forms of all generations.
fn dump(family: &Family) -> String {
    family.isas().iter().map(isadl::dump::isa).collect()
}

fn compiled(text: &str) -> Family {
    let (_, compilation) = isadl_test_support::compile(&[("set.isa", text)]);
    let found: Vec<_> =
        compilation.diagnostics.iter().filter(|d| d.code.group().is_none()).collect();
    compilation.family.unwrap_or_else(|| panic!("{found:#?}\n{text}"))
}

/// Everything that a word means, for all words of 16 bits or fewer.
fn words(isa: &Isa) -> Vec<String> {
    let loaded = Loaded::new(isa.clone());
    let subject = Subject::new(loaded.engine());
    let mut all = Vec::new();
    for word in 0..1u128 << isa.width() {
        let (verdict, kept) = subject.decode(word);
        let mut line = format!("{word:x} {verdict:?} {kept:?}");
        if let (Verdict::Legal { opcode, .. }, Some(kept)) = (verdict, kept) {
            line += &format!(" {} {:?}", subject.text(opcode, kept), subject.uses(opcode, kept));
        }
        all.push(line);
    }
    all
}

fn same(long: &str, short: &str) {
    let (long, short) = (compiled(long), compiled(short));
    assert_eq!(dump(&long), dump(&short));
    for (long, short) in long.isas().iter().zip(short.isas()) {
        assert_eq!(words(long), words(short));
    }
}

const HEAD: &str = "\
__DefIsa TINY<16>
    Generations<OLD, MIDDLE, NEW>;

__DefRegFile GPR<32, 4>

__DefOperandType Reg<2>
    R[0..3] = 0 : GPR;

__DefImmediate Small<4>
    Number = unsigned;

__DefGroup ALL : []

";

#[test]
fn values_of_generations_are_one_statement() {
    let rest = "
__DefOptype OP : [ALL]
  __Encoding
    field<4, 12> Rest rest == R;

__DefOpcode OP_ADD : [OP]
  __Encoding
    field<0, 4> Kind kind == ADD;

__DefOpcode OP_SUB : [OP]
  __Encoding
    field<0, 4> Kind kind == SUB;

__DefBitFieldType Rest<12>
    R;
";
    let long = "
__DefBitFieldType Kind<4>
    ADD = 3 @[..OLD];
    ADD = 1 @[MIDDLE];
    ADD = 9 @[NEW];
    SUB = 2 as \"sub\" @[OLD];
    SUB = 3 as \"sub\" @[NEW];
    MUL;
";
    let short = "
__DefBitFieldType Kind<4>
    ADD = 3 @[..OLD], 1 @[MIDDLE], 9 @[NEW];
    SUB = 2 @[OLD], 3 @[NEW] as \"sub\";
    MUL;
";
    same(&format!("{HEAD}{long}{rest}"), &format!("{HEAD}{short}{rest}"));
}

const FORMS: &str = "
__DefBitFieldType Number<4>
    ADD;
    SUB @[MIDDLE..];

__DefBitFieldType Kind<2>
    RR;
    RI;

__DefGroup RR : [ALL]
  __Encoding
    field<0, 2> Kind kind == RR;
    field<2, 4> Number number;
    field<6, 2> Reg rd;
    field<8, 2> Reg ra;
    zero<10, 6>;
  __OperandInfo
    InList<ra>;
    OutList<rd>;
    Order<rd, ra>;
    Bitwidth<rd> = 32;
    Bitwidth<ra> = 32;

__DefGroup RI : [ALL]
  __Encoding
    field<0, 2> Kind kind == RI;
    field<2, 4> Number number;
    field<6, 2> Reg rd;
    field<8, 4> Small imm;
    zero<12, 4>;
  __OperandInfo
    InList<rd, imm>;
    OutList<rd>;
    Order<rd, imm>;
    Bitwidth<rd> = 32;

__DefOptype ADD : [ALL]
  __Encoding
    fix number == ADD;

__DefOptype SUB : [ALL]
  __Encoding
    fix number == SUB;
";

#[test]
fn forms_are_the_opcodes_of_each_combination() {
    let long = "
__DefOpcode ADD_RR : [ADD, RR]
__DefOpcode ADD_RI : [ADD, RI]
__DefOpcode SUB_RR : [SUB, RR]
__DefOpcode SUB_RI : [SUB, RI]
";
    let short = "\n__DefForms {0}_{1} : [ADD, SUB]\n    x [RR, RI];\n";
    same(&format!("{HEAD}{FORMS}{long}"), &format!("{HEAD}{FORMS}{short}"));
    // `SUB` is absent in the first generation; the forms share their place in the text.
    let family = compiled(&format!("{HEAD}{FORMS}{short}"));
    let counts: Vec<usize> = family.isas().iter().map(|isa| isa.opcodes().len()).collect();
    assert_eq!(counts, [2, 4, 4]);

    let long = "
__DefOpcode xADD : [ADD, RR] @[NEW]
__DefOpcode xSUB : [SUB, RR] @[NEW]
__DefOpcode RR_ADD : [RR, ADD]
__DefOpcode RI_SUB : [RI, SUB]
"
    .replace("xADD : [ADD, RR] @[NEW]\n", "xADD : [ADD, RI] @[NEW]\n")
    .replace("__DefOpcode xSUB : [SUB, RR] @[NEW]\n", "");
    let short = "
__DefForms x{0} : [ADD] x [RI] @[NEW];
__DefForms {0}_{1} : [RR, RI] x [ADD, SUB] except RR_SUB, RI_ADD; // and a comment
";
    same(&format!("{HEAD}{FORMS}{long}"), &format!("{HEAD}{FORMS}{short}"));
}

#[test]
fn forms_in_a_table_are_those_of_the_rows_above_them() {
    let (groups, _) = FORMS.split_once("__DefOptype ADD").expect("operations");
    let table = "__DefOptypes : [ALL]\n    ADD number == ADD;\n";
    let long = format!(
        "{HEAD}{groups}{table}    SUB number == SUB;
__DefForms {{0}}_x : [ADD] x [RR];
__DefForms {{0}}_{{1}} : [ADD, SUB] x [RR, RI] except SUB_RI, ADD_RR;
"
    );
    let short = format!(
        "{HEAD}{groups}{table}    Forms {{0}}_x : [RR];
    SUB number == SUB; Forms {{0}}_{{1}} : [RR,
        RI] except SUB_RI, ADD_RR;
"
    );
    same(&long, &short);
    assert_eq!(compiled(&short).isas()[2].opcodes().len(), 3);
}

#[test]
fn rows_are_opcodes_with_their_prose() {
    let group = "
__DefGroup TABLE : [ALL]
  __Encoding
    field<0, 4> Small code;
    field<4, 2> Reg rd;
    field<6, 2> Reg ra;
    zero<8, 8>;
  __OperandInfo
    Operands<out rd : 32, in ra : 32>;
";
    let long = "
__DefOpcode FIRST : [TABLE]
  __Encoding
    fix code == 1;
  __OperandInfo
    Mnemonic<\"first\", \"one\">;
  __Description
Does the first thing,
and nothing else.
  __Semantics
```c
if (ra)
    rd = ra;
```
  __Examples
```asm
first R1, R2
```

__DefOpcode SECOND : [TABLE] @[NEW]
  __Encoding
    fix code == 2;
  __OperandInfo
    Mnemonic<\"second\">;

__DefOpcode THIRD : [TABLE]
  __Encoding
    fix code == 3;
";
    let short = "
__DefInstructions : [TABLE]
    /// Does the first thing,
    ///= if (ra)
    ///=     rd = ra;
    ///> first R1, R2
    /// and nothing else.
    FIRST \"first\", \"one\" code == 1;

    SECOND \"second\" code == 2 @[NEW];
    THIRD code
        == 3; // a row may extend over lines
";
    let (long, short) = (format!("{HEAD}{group}{long}"), format!("{HEAD}{group}{short}"));
    same(&long, &short);
    let prose = |text: &str| {
        let family = compiled(text);
        let optypes = family.isas()[2].optypes().iter();
        optypes
            .map(|optype| (optype.name.clone(), format!("{:?}", optype.prose)))
            .collect::<Vec<_>>()
    };
    assert_eq!(prose(&long), prose(&short));
    assert!(prose(&short)[0].1.contains("and nothing else."));
}

#[test]
fn an_opcode_without_an_optype_is_like_one_with_its_own() {
    let body = "
  __Encoding
    field<0, 4> Small code == 1;
    field<4, 2> Reg rd;
    field<6, 2> Reg ra;
    zero<8, 8>;
  __OperandInfo
    Operands<out rd : 32, in ra : 32>;
";
    let syntax = "
  __Syntax
```asm
first.x Rd, Ra
```
  __Examples
```asm
first.x R1, R2
```
";
    let long =
        format!("{HEAD}__DefOptype OTHER : [ALL]{syntax}\n__DefOpcode FIRST : [OTHER]{body}");
    let short = format!("{HEAD}__DefOpcode FIRST : [ALL]{body}{syntax}");
    same(&long, &short);
    assert_eq!(compiled(&short).isas()[0].opcodes()[0].syntax.mnemonic, "first.x");
}

#[test]
fn random_sets_in_short_notation_are_the_same() {
    let tries = count("ISADL_SETS", 800);
    let mut used: BTreeMap<Short, usize> = BTreeMap::new();
    let mut accepted = 0;
    for seed in 0..tries as u64 {
        let mut set = random::specification(seed);
        // Shortened text numbers bits from the lowest bit.
        if set.features.contains("highest byte and bit first") {
            continue;
        }
        set.text = random::without_aliases(&set.text);
        let Some(long) = random::accepted(&set.text) else { continue };
        let (text, notations) = random::terse(&set.text, seed);
        let Some(short) = random::accepted(&text) else {
            panic!("seed {seed}: the short notation is refused\n{}\n{text}", set.text);
        };
        accepted += 1;
        notations.into_iter().for_each(|notation| *used.entry(notation).or_default() += 1);
        let (before, after) = (random::renamed(&dump(&long)), random::renamed(&dump(&short)));
        assert_eq!(before, after, "seed {seed}\n{}\n{text}", set.text);
        if set.width == 8 {
            let (before, after) = (words(long.first()), words(short.first()));
            let differs = before.iter().zip(&after).find(|(before, after)| before != after);
            assert_eq!(differs, None, "seed {seed}\n{}\n{text}", set.text);
        }
    }
    for notation in [Short::Own, Short::Row, Short::Form, Short::Operands] {
        let count = used.get(&notation).copied().unwrap_or(0);
        assert!(count > accepted / 10, "{notation:?} in {count} of {accepted} sets");
    }
}

/// Aliases as the rows of tables are those that definitions are.
#[test]
fn random_aliases_in_tables_are_the_same() {
    let mut rows = 0;
    for seed in 0..count("ISADL_SETS", 600) as u64 {
        let text = random::specification(seed).text;
        let (short, count) = random::aliases_in_tables(&text);
        let Some(long) = random::accepted(&text).filter(|_| count > 0) else { continue };
        let Some(short) = random::accepted(&short) else { panic!("seed {seed}\n{text}\n{short}") };
        assert_eq!(long.first().opcodes(), short.first().opcodes(), "seed {seed}\n{text}");
        rows += count;
    }
    assert!(rows > 20, "{rows} rows");
}

/// The contents of a page and of a numbers file: opcodes in all notations are treated alike.
#[test]
fn manuals_and_numbers_have_opcodes_of_all_notations() {
    let text = format!(
        "{HEAD}{FORMS}
__DefForms {{0}}_{{1}} : [ADD, SUB] x [RR, RI] except SUB_RI;

__DefGroup TABLE : [ALL]
  __Encoding
    field<0, 2> Two kind == 2;
    field<2, 4> Small code;
    field<6, 2> Reg rd;
    zero<8, 8>;
  __OperandInfo
    Operands<out rd : 32>;

__DefImmediate Two<2>
    Number = unsigned;

__DefInstructions : [TABLE]
    /// Clears a register.
    ///= rd = 0;
    ///> clear R1
    CLEAR \"clear\" code == 1;
"
    );
    let (sources, compilation) = isadl_test_support::compile(&[("set.isa", &text)]);
    let family = compilation.family.expect("it compiles");
    let lock = isadl::opcode_lock::lock_text(&family.merged(), "");
    let pinned: Vec<&str> =
        lock.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    assert_eq!(pinned, ["ADD_RR = 0", "ADD_RI = 1", "SUB_RR = 2", "CLEAR = 3"]);
    let options = isadl_codegen::markdown::Options::default();
    let manual = isadl_codegen::markdown::generate(&family, &[], &sources, &options);
    let page = manual.get("docs/src/ops/CLEAR.md").expect("a page of the operation");
    for part in ["# CLEAR", "Clears a register.", "rd = 0;", "clear R1", "set.isa:", "## Encoding"]
    {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
    let summary = manual.get("docs/src/SUMMARY.md").expect("a table of contents");
    assert_eq!(summary.matches("(ops/CLEAR.md)").count(), 1, "{summary}");
    // A change of a row is a difference at its line.
    let changed = text.replace("code == 1;", "code == 7;");
    let (new_sources, compilation) = isadl_test_support::compile(&[("set.isa", &changed)]);
    let new = compilation.family.expect("it compiles");
    let report = diff::versions(
        Side { family: &family, programs: &[], sources: &sources },
        Side { family: &new, programs: &[], sources: &new_sources },
    );
    let row = text.lines().position(|line| line.contains("CLEAR \"clear\"")).map(|at| at + 1);
    let lines: Vec<Option<usize>> =
        report.findings().map(|(finding, _)| finding.new.as_ref().map(|new| new.line)).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| *line == row), "{lines:?}, not {row:?}");
}

const SIGNS: &str = "
__DefImmediate Small<4>
    Number = unsigned;

__DefGroup ALL : []

__DefOpcode LOAD : [ALL]
  __Encoding
    field<0, 4> Small code == 1;
    field<4, 4> Small imm = 0;
  __OperandInfo
    Operands<in imm>;
  __Examples
";

/// Lines, and where they end: an instruction's value, or the column of an error.
fn check_lines(head: &str, examples: &str, lines: &[(&str, Result<u128, usize>)]) {
    let family = compiled(&format!("__DefIsa TINY<8>\n{head}{SIGNS}{examples}"));
    let loaded = Loaded::new(family.first().clone());
    for (line, expected) in lines {
        let found = loaded.engine().assemble(line);
        let found = found.map(|inst| inst.word >> 4).map_err(|error| error.column);
        assert_eq!(found, *expected, "{line:?} with {head:?}");
    }
}

#[test]
fn case_matters_unless_the_instruction_set_says_otherwise() {
    let example = "```asm\nLOAD 3\n```\n";
    let lines =
        [("LOAD 0xA", Ok(10)), ("load 0xa", Err(1)), ("Load", Err(1)), ("LOAD 0Xa", Ok(10))];
    check_lines("", example, &lines);
    check_lines("    Case = sensitive;\n", example, &lines);
    let lines = [
        ("LOAD 0xA", Ok(10)),
        ("load 0xa", Ok(10)),
        ("lOaD", Ok(0)),
        ("LOADS", Err(1)),
        ("l0ad", Err(1)),
        ("load\u{80}", Err(5)),
    ];
    check_lines("    Case = insensitive;\n", example, &lines);
}

#[test]
fn comments_and_separators_may_be_other_signs() {
    let usual = "```asm\nLOAD 3 ; // text\nLOAD//\n```\n";
    let lines = [
        ("LOAD 3", Ok(3)),
        ("LOAD 3;", Ok(3)),
        ("LOAD 3 ; // text ; # |", Ok(3)),
        ("LOAD // LOAD 3", Ok(0)),
        ("LOAD 3 # text", Err(8)),
        ("LOAD 3 ; LOAD 4", Err(10)),
    ];
    check_lines("", usual, &lines);
    // The usual signs may be written, too.
    check_lines("    Comment = \"//\";\n    Separator = \";\";\n", usual, &lines);
    let other = "```asm\n// skipped\n# skipped\nLOAD 3 || # text\n```\n";
    check_lines(
        "    Comment = \"#\", \"/*\";\n    Separator = \"|\", \"||\";\n",
        other,
        &[
            ("LOAD 3", Ok(3)),
            ("LOAD 3|", Ok(3)),
            ("LOAD 3||", Ok(3)),
            ("LOAD 3 | # text ; // |", Ok(3)),
            ("LOAD 3 | /* text", Ok(3)),
            ("LOAD# LOAD 3", Ok(0)),
            ("LOAD 3 # text | LOAD 4", Ok(3)),
            ("LOAD 3 | LOAD 4", Err(10)),
            ("LOAD 3 ;", Err(8)),
            ("LOAD 3 // text", Err(8)),
            ("LOAD 3 | // text", Err(10)),
        ],
    );
    check_lines(
        "    Comment = \"#\", \"//\";\n",
        usual,
        &[("LOAD 3 ; # text", Ok(3)), ("LOAD 3 // text", Ok(3)), ("LOAD 3#", Ok(3))],
    );
}
