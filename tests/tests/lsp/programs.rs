//! Programs in the language server: names, types, completions and new names.

use std::collections::BTreeSet;

use isadl_test_support::Random;
use serde_json::{Value, json};

use super::client::{Client, changed, place, read};
use super::texts;

const BASE: &str = "\
__DefIsa TINY<16>
    Generations<SMALL, LARGE>;
    Semantics<checked>;

__DefRegFile GPR<32, 8>

__DefRegFile FLAG<1, 1>

__DefOperandType Reg<3>
    R[0..7] = 0 : GPR;

__DefBitFieldType Mode<1>
    PLAIN;
    TWICE;

__DefGroup ALL : []
  __Semantics
```isa
const STEP = 4 @[SMALL]
const STEP = 8 @[LARGE]
extern pc : bits(32)
extern memory memory[bits(32)]
extern trap Refused(code : bits(8))
view carry = FLAG
// A number and its double.
fn doubled(x : bits(n)) {
    y = x + x
    return y[n - 1:0]
}
```
";

const OPS: &str = "\
__DefGroup ARITHMETIC : [ALL]
  __Encoding
    field[5:3]  Reg  rd;
    field[8:6]  Reg  ra;
    field[9]    Mode mode;
  __OperandInfo
    Operands<out rd, in ra>;
  __Semantics
```isa
before = ra + STEP
rd = body
```

__DefInstructions : [ARITHMETIC]
    /// Adds.
    ///= match mode { PLAIN: before[31:0]; TWICE: doubled(before[31:0]) }
    STEPPED  \"stepped\"  [2:0] == 0, [15:10] == 0;
    ///= mode == PLAIN ? (ra) : ra >> 1 | before[31]
    SHIFTED  \"shifted\"  [2:0] == 1, [15:10] == 0;

__DefOpcode SUMMED : [ALL]
  __Encoding
    fixed[2:0] == 2;
    field[5:3] Reg rd;
    field[8:6] Reg ra;
    zero[15:9];
  __OperandInfo
    Mnemonic<\"summed\">; Operands<out rd, in ra>; Writes<FLAG>;
  __Semantics
```isa
total = sum(ra[i] for i in 0 .. 31)
if ra == 7 { trap Refused(total) }
var parity : bits(1) = total % 2
parity = ~parity & 1
carry = parity
rd = total
```

__DefOpcode LATER : [ALL] @[LARGE]
  __Encoding
    fixed[15:0] == 0xffff;
  __OperandInfo
    Mnemonic<\"last\">;
";

fn start(name: &str) -> Client {
    let mut client = Client::start(name, &[("base.isa", BASE), ("ops.isa", OPS)]);
    client.open("ops.isa", OPS);
    client
}

fn hovered(client: &mut Client, name: &str, (wanted, after): (&str, u64)) -> String {
    let at = client.at(name, wanted, after);
    let found = client.request("textDocument/hover", &at);
    found["contents"]["value"].as_str().unwrap_or_default().to_string()
}

#[test]
fn hovering_shows_what_names_are_and_the_bounds_of_expressions() {
    let mut client = start("program hover");
    client.wait_for("ops.isa", &[]);
    for (name, place, parts) in [
        (
            "ops.isa",
            ("before = ra", 0),
            &["Local name of `ARITHMETIC`", "4 to 4294967299 (SMALL)", "8 to"][..],
        ),
        (
            "ops.isa",
            ("before = ra", 9),
            &["field[8:6] Reg ra", "Field of `ARITHMETIC`", "32 bits: 0 to 4294967295"],
        ),
        (
            "ops.isa",
            ("+ STEP", 3),
            &["const STEP = 4", "Constant of `ALL`", "4 (SMALL)", "8 (LARGE)"],
        ),
        ("ops.isa", ("rd = body", 1), &["field[5:3] Reg rd", "32 bits: 0 to 4294967295"]),
        ("ops.isa", ("[31:0]; TWICE", 1), &["32 bits: 0 to 4294967295"]),
        (
            "ops.isa",
            ("doubled(before", 3),
            &["fn doubled(x : bits(n))", "Function of `ALL`", "A number and its double."],
        ),
        ("ops.isa", ("TWICE: doubled", 2), &["TWICE", "Value of `Mode`"]),
        ("ops.isa", ("mode == PLAIN", 5), &["1 bit: 0 to 1"]),
        ("ops.isa", ("ra >> 1", 3), &["integer: 0 to 2147483647"]),
        ("ops.isa", ("= sum(", 3), &["sum(x for i in a .. b)", "The sum of all terms.", "0 to 32"]),
        ("ops.isa", ("ra[i] for", 3), &["Variable of a loop of `SUMMED`", "integer: 0 to 31"]),
        ("ops.isa", ("trap Refused", 6), &["extern trap Refused(code : bits(8))", "Trap of `ALL`"]),
        ("ops.isa", ("parity = ~parity", 1), &["var parity : bits(1)", "Variable of `SUMMED`"]),
        ("ops.isa", ("carry = parity", 1), &["view carry = FLAG", "View of `ALL`"]),
        ("base.isa", ("y[n - 1", 0), &["y = x + x", "integer: 0 to 8589934590"][..1]),
        ("base.isa", ("y[n - 1", 2), &["Width of an argument"]),
        ("base.isa", ("bits(n)", 5), &["Width of an argument"]),
        ("base.isa", ("view carry = FLAG", 14), &["__DefRegFile FLAG<1, 1>"]),
    ] {
        let found = hovered(&mut client, name, place);
        for part in parts {
            assert!(found.contains(part), "{place:?}: {part}: {found}");
        }
    }
    client.end();
}

#[test]
fn types_stay_while_another_line_is_broken() {
    let mut client = start("program broken");
    client.wait_for("ops.isa", &[]);
    let broken = OPS.replace("carry = parity\n", "carry = parity + (\n");
    std::fs::write(client.folder.join("ops.isa"), &broken).expect("writable");
    client.change("ops.isa", &broken);
    client.wait_for("ops.isa", &["E1201"]);
    for place in [("ra >> 1", 3), ("rd = total\n", 6)] {
        assert!(hovered(&mut client, "ops.isa", place).contains(" to "), "{place:?}");
    }
    let own = hovered(&mut client, "ops.isa", ("carry = parity + (", 9));
    assert!(!own.contains(" to "), "{own}");
    client.end();
}

#[test]
fn definitions_and_uses_are_found_in_programs() {
    let mut client = start("program uses");
    let mut found = |method: &str, name: &str, (wanted, after): (&str, u64)| {
        let mut params = client.at(name, wanted, after);
        params["context"] = json!({ "includeDeclaration": true });
        let places = client.request(method, &params);
        let found = texts(&client, &places);
        found
            .into_iter()
            .map(|(name, line, text)| format!("{name}:{line} {text}"))
            .collect::<Vec<_>>()
    };
    let definition = "textDocument/definition";
    for (wanted, after, is) in [
        ("+ STEP", 3, &["base.isa:19 STEP", "base.isa:20 STEP"][..]),
        ("PLAIN: before", 8, &["ops.isa:10 before"]),
        ("doubled(before", 1, &["base.isa:26 doubled"]),
        ("TWICE: doubled", 2, &["base.isa:14 TWICE"]),
        ("== PLAIN", 4, &["base.isa:13 PLAIN"]),
        ("match mode", 7, &["ops.isa:5 mode"]),
        ("(ra)", 1, &["ops.isa:4 ra"]),
        ("Refused(total", 1, &["base.isa:23 Refused"]),
        ("Refused(total", 9, &["ops.isa:31 total"]),
        ("ra[i]", 3, &["ops.isa:31 i"]),
        ("carry = parity", 9, &["ops.isa:33 parity"]),
    ] {
        assert_eq!(found(definition, "ops.isa", (wanted, after)), is, "{wanted}");
    }
    let references = "textDocument/references";
    let uses = found(references, "ops.isa", ("before = ra", 1));
    assert_eq!(
        uses,
        ["ops.isa:10 before", "ops.isa:16 before", "ops.isa:16 before", "ops.isa:18 before"]
    );
    let uses = found(references, "ops.isa", ("field[8:6]  Reg  ra", 17));
    assert_eq!(
        uses,
        ["ops.isa:4 ra", "ops.isa:7 ra", "ops.isa:10 ra", "ops.isa:18 ra", "ops.isa:18 ra"]
    );
    let uses = found(references, "base.isa", ("RegFile FLAG", 9));
    assert_eq!(uses, ["base.isa:7 FLAG", "base.isa:24 FLAG", "ops.isa:28 FLAG"]);
    let uses = found(references, "base.isa", ("x + x", 0));
    assert_eq!(uses, ["base.isa:26 x", "base.isa:27 x", "base.isa:27 x"]);
    assert_eq!(found(definition, "ops.isa", ("sum(ra", 1)), Vec::<String>::new());
    client.end();
}

/// The texts after a name was changed.
fn renamed(client: &mut Client, at: &Value, name: &str) -> Result<(String, String), String> {
    let mut params = at.clone();
    params["newName"] = json!(name);
    let edit = client.ask("textDocument/rename", &params)?;
    let text = |client: &Client, name: &str| {
        let edits = edit["changes"][&client.uri(name)].as_array().cloned().unwrap_or_default();
        changed(&read(&client.folder.join(name)), &edits)
    };
    Ok((text(client, "base.isa"), text(client, "ops.isa")))
}

#[test]
fn names_in_programs_are_changed_everywhere() {
    let mut client = start("program rename");
    client.wait_for("ops.isa", &[]);
    let meaning = |base: &str, ops: &str| {
        let (_, compilation) = isadl_test_support::compile(&[("base.isa", base), ("ops.isa", ops)]);
        assert!(compilation.diagnostics.is_empty(), "{:?}", compilation.diagnostics);
        compilation.counts.programs
    };
    assert_eq!(meaning(BASE, OPS), 3);
    for (file, wanted, after, name, count) in [
        ("ops.isa", "before = ra", 1, "later", 4),
        ("ops.isa", "(ra)", 1, "first", 5),
        ("ops.isa", "rd = body", 0, "to", 3),
        ("ops.isa", "match mode", 7, "how", 3),
        ("ops.isa", "doubled(before", 1, "twofold", 2),
        ("ops.isa", "TWICE: d", 1, "DOUBLE", 2),
        ("ops.isa", "+ STEP", 3, "WIDTH", 3),
        ("ops.isa", "trap Refused", 6, "Declined", 2),
        ("ops.isa", "carry = parity", 1, "c", 2),
        ("ops.isa", "carry = parity", 9, "odd", 4),
        ("ops.isa", "sum(ra[i]", 7, "bit_number", 2),
        ("base.isa", "y[n - 1", 2, "width", 2),
        ("base.isa", "memory memory[", 8, "ram", 1),
        ("base.isa", "RegFile FLAG", 9, "CARRY", 3),
    ] {
        let at = client.at(file, wanted, after);
        let (base, ops_after) = renamed(&mut client, &at, name).expect(wanted);
        let words = |text: &str| {
            text.split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| *word == name)
                .count()
        };
        assert_eq!(words(&base) + words(&ops_after), count, "{wanted}\n{base}\n{ops_after}");
        assert_eq!(meaning(&base, &ops_after), 3, "{wanted}");
    }
    for (file, wanted, after, name) in [
        ("ops.isa", "before = ra", 1, "ra"),
        ("ops.isa", "before = ra", 1, "STEP"),
        ("ops.isa", "before = ra", 1, "match"),
        ("ops.isa", "carry = parity", 9, "total"),
        ("ops.isa", "carry = parity", 9, "i"),
        ("ops.isa", "(ra)", 1, "before"),
        ("ops.isa", "(ra)", 1, "carry"),
        ("ops.isa", "(ra)", 1, "body"),
        ("ops.isa", "+ STEP", 3, "mode"),
        ("ops.isa", "+ STEP", 3, "before"),
        ("ops.isa", "+ STEP", 3, "GPR"),
        ("ops.isa", "total = sum", 1, "next"),
        ("base.isa", "RegFile FLAG", 9, "total"),
        ("base.isa", "x + x", 0, "y"),
        ("ops.isa", "= sum(", 3, "product"),
    ] {
        let at = client.at(file, wanted, after);
        let found = renamed(&mut client, &at, name);
        assert!(found.is_err(), "{wanted} to {name}: {found:?}");
    }
    client.end();
}

#[test]
fn pseudo_code_that_is_prose_has_no_names() {
    let base = BASE.replace("    Semantics<checked>;\n", "");
    let mut client = Client::start("program prose", &[("base.isa", &base), ("ops.isa", OPS)]);
    client.open("ops.isa", OPS);
    assert_eq!(hovered(&mut client, "ops.isa", ("doubled(before", 1)), "");
    let at = client.at("ops.isa", "field[8:6]  Reg  ra", 17);
    let (_, after) = renamed(&mut client, &at, "first").expect("a field");
    assert!(after.contains("(ra)") && after.contains("before = first + STEP"), "{after}");
    client.end();
}

#[test]
fn completions_are_the_names_in_scope() {
    let mut client = start("program complete");
    let mut labels = |name: &str, (wanted, after): (&str, u64)| -> BTreeSet<String> {
        let at = client.at(name, wanted, after);
        let found = client.request("textDocument/completion", &at);
        let label = |item: &Value| item["label"].as_str().expect("a text").to_string();
        found.as_array().expect("a list").iter().map(label).collect()
    };
    let has = |found: &BTreeSet<String>, all: &[&str], none: &[&str]| {
        assert!(all.iter().all(|one| found.contains(*one)), "{all:?}: {found:?}");
        assert!(none.iter().all(|one| !found.contains(*one)), "{none:?}: {found:?}");
    };
    let found = labels("ops.isa", ("? (ra)", 3));
    has(
        &found,
        &["ra", "rd", "mode", "before", "STEP", "doubled", "GPR", "signed", "if", "memory"],
        &["Refused", "total", "x"],
    );
    let found = labels("ops.isa", ("carry = parity", 8));
    has(&found, &["parity", "total", "ra", "carry"], &["i", "before", "mode"]);
    let found = labels("base.isa", ("x + x", 4));
    has(&found, &["x", "n", "STEP"], &["ra", "total"]);
    assert_eq!(labels("ops.isa", ("trap Refused", 5)), BTreeSet::from(["Refused".to_string()]));
    assert_eq!(labels("ops.isa", ("== PLAIN", 3)), ["PLAIN", "TWICE"].map(String::from).into());
    // Prose has none of them.
    has(&labels("ops.isa", ("/// Adds.", 6)), &[], &["ra", "signed"]);
    client.end();
}

#[test]
fn programs_have_colours() {
    let mut client = start("program colours");
    let uri = client.uri("ops.isa");
    let tokens = client
        .request("textDocument/semanticTokens/full", &json!({ "textDocument": { "uri": uri } }));
    let legend = client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
    let text = OPS;
    let (mut line, mut start, mut found) = (0, 0, Vec::new());
    for token in tokens["data"].as_array().expect("a list").chunks(5) {
        let number = |at: usize| token[at].as_u64().expect("a number") as usize;
        start = if number(0) == 0 { start + number(1) } else { number(1) };
        line += number(0);
        let word = &text.lines().nth(line).expect("a line")[start..start + number(2)];
        found.push((
            line + 1,
            word.to_string(),
            legend[number(3)].as_str().expect("a text").to_string(),
        ));
    }
    for (line, word, kind) in [
        (10, "before", "parameter"),
        (10, "ra", "property"),
        (10, "STEP", "property"),
        (11, "body", "keyword"),
        (16, "match", "keyword"),
        (16, "PLAIN", "enumMember"),
        (16, "doubled", "function"),
        (16, "31", "number"),
        (31, "sum", "function"),
        (32, "trap", "keyword"),
        (33, "bits", "keyword"),
    ] {
        let is_it = |one: &&(usize, String, String)| (one.0, one.1.as_str()) == (line, word);
        assert_eq!(
            found.iter().find(is_it).map(|one| one.2.as_str()),
            Some(kind),
            "{line}: {word}"
        );
    }
    client.end();
}

#[test]
fn damaged_programs_do_not_end_the_session() {
    let mut client = start("program damage");
    let mut random = Random::new(3);
    let whole = OPS;
    for _ in 0..120 {
        let mut text = whole.to_string();
        for _ in 0..1 + random.below(3) {
            let first = random.below(text.len() as u64) as usize;
            let last = (first + random.below(12) as usize).min(text.len());
            let new = ["", "(", "}", "```", "\n", "///=", "\"", "é", " = ", "body"]
                [random.below(10) as usize];
            if text.is_char_boundary(first) && text.is_char_boundary(last) {
                text.replace_range(first..last, new);
            }
        }
        client.change("ops.isa", &text);
        let uri = client.uri("ops.isa");
        let line = random.below(text.lines().count() as u64);
        let document = json!({ "uri": uri });
        let mut at = json!({ "textDocument": document, "position": { "line": line, "character": random.below(40) } });
        at["context"] = json!({ "includeDeclaration": true, "triggerKind": 1 });
        at["newName"] = json!("other");
        for method in [
            "hover",
            "definition",
            "references",
            "completion",
            "documentHighlight",
            "rename",
            "semanticTokens/full",
            "formatting",
            "documentSymbol",
        ] {
            at["options"] = json!({ "tabSize": 4, "insertSpaces": true });
            // Refusing is an answer.
            let _ = client.ask(&format!("textDocument/{method}"), &at);
        }
    }
    client.change("ops.isa", whole);
    let at = json!({ "textDocument": { "uri": client.uri("ops.isa") }, "position": place(whole, "before = ra", 1) });
    assert!(client.request("textDocument/hover", &at)["contents"]["value"].as_str().is_some());
    client.end();
}
