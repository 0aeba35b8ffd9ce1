//! Programs at and beyond the limits of the language are checked or refused, on the small stack of a test's thread.

use isadl::diagnostic::Code;
use isadl::source::SourceMap;

fn findings(program: &str, declarations: &str) -> Vec<Code> {
    let text = format!(
        "__DefIsa LIMITS<8>\n    Semantics<checked>;\n__DefRegFile R<32, 4>\n__DefOperandType Reg<2>\n    r[0..3] = 0 : R;\n\
         __DefGroup ALL : []\n  __Encoding\n    field[7:6] Reg rd; field[5:4] Reg ra; zero[3:1];\n  __OperandInfo\n    \
         Operands<out rd, in ra>;\n  __Semantics\n```isa\n{declarations}\n```\n__DefInstructions : [ALL]\n    ///= {program}\n    \
         OP \"op\" [0] == 0;\n"
    );
    let mut sources = SourceMap::new();
    sources.add("limits.isa", text.into_bytes());
    isadl::compile(&sources).diagnostics.iter().map(|found| found.code).collect()
}

#[test]
fn deep_and_long_programs() {
    let parentheses = |count: usize| format!("rd = {}ra{}", "(".repeat(count), ")".repeat(count));
    assert_eq!(findings(&parentheses(50), ""), []);
    assert_eq!(findings(&parentheses(5000), ""), [Code::E1201]);
    let sum = |count: usize| format!("rd = {}", vec!["ra"; count].join(" + "));
    assert_eq!(findings(&sum(200), ""), []);
    assert_eq!(findings(&sum(20_000), ""), [Code::E1201]);
    let signs = |count: usize| format!("rd = {}ra", "-".repeat(count));
    assert_eq!(findings(&signs(50), ""), []);
    assert_eq!(findings(&signs(5000), ""), [Code::E1201]);
    let blocks = |count: usize| {
        format!("rd = ra; {}use(ra){}", "if ra == 0 { ".repeat(count), " }".repeat(count))
    };
    assert_eq!(findings(&blocks(30), ""), []);
    assert_eq!(findings(&blocks(5000), ""), [Code::E1201]);
    let arms = |count: usize| {
        let arms: Vec<String> = (0..count).map(|value| format!("{value}: {value}")).collect();
        format!("rd = match ra {{ {}; _: 0 }}", arms.join("; "))
    };
    assert_eq!(findings(&arms(390), ""), []);
    assert_eq!(findings(&arms(5000), ""), [Code::E1219]);
}

#[test]
fn functions_that_call_functions() {
    let functions = |count: usize, body: &dyn Fn(usize) -> String| {
        let next = (0..count).map(|at| format!("fn f{at}(x) = {}\n", body(at)));
        format!("{}fn f{count}(x) = x & 1", next.collect::<String>())
    };
    let chain = functions(20, &|at| format!("f{}(x & 3)", at + 1));
    assert_eq!(findings("rd = f0(ra)", &chain), []);
    let long = functions(200, &|at| format!("f{}(x & 3)", at + 1));
    assert_eq!(findings("rd = f0(ra)", &long), [Code::E1219]);
    // Each doubles what it writes out.
    let wide = functions(28, &|at| format!("f{0}(x) | f{0}(x)", at + 1));
    assert_eq!(findings("rd = f0(ra)", &wide), [Code::E1219]);
    let nested =
        functions(25, &|at| format!("{}f{}(x & 3){}", "(1 & ".repeat(30), at + 1, ")".repeat(30)));
    assert_eq!(findings("rd = f0(ra)", &nested), [Code::E1219]);
}
