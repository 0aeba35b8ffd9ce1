//! The language server, as editors use it: the real process over standard input and output.

mod client;
mod forms;
mod programs;

use std::collections::BTreeSet;

use isadl::format::Formatter;
use isadl_test_support::root;
use serde_json::{Value, json};

use client::{Client, changed, place, read};

const TYPES: &str = "\
__DefIsa TINY<16>
    Extensions<M>;

__DefRegFile GPR<32, 8>

// Where numbers are kept.
__DefOperandType Reg<3>
    R[0..7] = 0 : GPR;

__DefBitFieldType Form<1>
    REGISTER;
    // é𝄞
    IMMEDIATE;

__DefImmediate Imm4<4>
    Number = unsigned;

__DefGroup ALL : []
  __Encoding
    zero<0, 5>;
";

const OPCODES: &str = "\
__DefOptype ADD : [ALL]
  __Encoding
    field<6, 3> Reg rd;
    field<9, 3> Reg ra;
  __Description
Adds two numbers.

More about it.
  __OperandInfo
    OutList<rd>;

__DefOpcode ADD_R : [ADD]
  __Encoding
    field<5, 1> Form form == REGISTER;
    field<12, 3> Reg rb;
    zero<15, 1>;
  __OperandInfo
    InList<ra, rb>;
    Order<rd, ra, both>;
    Operand<both> = \"({rb})\";
  __Exception
    EncodingError<K, \"two\"> = rd == \"R1\" and rb == \"R2\";

__DefOpcode ADD_I : [ADD] @[M]
  __Encoding
    field<5, 1> Form form == IMMEDIATE;
    field<12, 4> Imm4 imm;
  __OperandInfo
    InList<ra, imm>;
    Order<rd, ra, imm>;
";

fn start(name: &str) -> Client {
    let mut client = Client::start(name, &[("types.isa", TYPES), ("opcodes.isa", OPCODES)]);
    client.open("opcodes.isa", OPCODES);
    client
}

/// The texts at the places of an answer, with the names of their files.
fn texts(client: &Client, places: &Value) -> Vec<(String, u64, String)> {
    let mut texts = Vec::new();
    for place in places.as_array().expect("a list") {
        let uri = place["uri"].as_str().expect("a URI");
        let name = uri.rsplit('/').next().expect("a name");
        let text = read(&client.folder.join(name));
        let (start, end) = (&place["range"]["start"], &place["range"]["end"]);
        let line = start["line"].as_u64().expect("a number");
        let column = |of: &Value| of["character"].as_u64().expect("a number") as usize;
        let line_text = text.lines().nth(line as usize).expect("a line");
        let text = &line_text[column(start)..column(end)];
        texts.push((name.to_string(), line + 1, text.to_string()));
    }
    texts
}

#[test]
fn findings_are_those_of_check_and_follow_the_text() {
    let mut client = start("findings");
    client.wait_for("opcodes.isa", &[]);
    client.wait_for("types.isa", &[]);
    client.change("opcodes.isa", &OPCODES.replace("Imm4 imm", "Imm5 imm"));
    client.wait_for("opcodes.isa", &["E0202"]);
    let uri = client.uri("opcodes.isa");
    let found = client.findings[&uri][0].clone();
    let message = found["message"].as_str().expect("a text");
    assert!(message.contains("`Imm5` is not defined") && message.contains("`Imm4`"), "{message}");
    assert_eq!((&found["severity"], &found["source"]), (&json!(1), &json!("isadl")));
    // Its suggestion is a change that mends it.
    let context = json!({ "diagnostics": [found] });
    let params = json!({
        "textDocument": { "uri": uri }, "range": found["range"], "context": context,
    });
    let actions = client.request("textDocument/codeAction", &params);
    assert_eq!(actions[0]["title"], "Change to `Imm4`");
    let edits = actions[0]["edit"]["changes"][&uri].as_array().expect("changes").clone();
    let broken = OPCODES.replace("Imm4 imm", "Imm5 imm");
    assert_eq!(changed(&broken, &edits), OPCODES);
    // Errors of words are found after errors of names; a change can cover just some characters.
    client.change("opcodes.isa", &OPCODES.replace("field<12, 4> Imm4", "field<11, 4> Imm4"));
    client.wait_for("opcodes.isa", &["E0401"]);
    let related = &client.findings[&uri][0]["relatedInformation"][0];
    assert!(related["message"].as_str().expect("a text").contains("bits 11:9"), "{related}");
    let position = place(&OPCODES.replace("<12, 4>", "<11, 4>"), "<11, 4>", 2);
    let end = json!({ "line": position["line"], "character": position["character"].as_u64().map(|at| at + 1) });
    let changes = json!([{ "range": { "start": position, "end": end }, "text": "2" }]);
    let document = json!({ "uri": uri, "version": 3 });
    client.notify(
        "textDocument/didChange",
        &json!({ "textDocument": document, "contentChanges": changes }),
    );
    client.wait_for("opcodes.isa", &[]);
    // An error in a file that is not open is shown there.
    let types = client.folder.join("types.isa");
    std::fs::write(&types, TYPES.replace("Number =", "Numbr =")).expect("writable");
    let event = json!({ "changes": [{ "uri": client.uri("types.isa"), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", &event);
    client.wait_for("types.isa", &["E0105"]);
    client.end();
}

#[test]
fn hovering_shows_bits_values_and_descriptions() {
    let mut client = start("hover");
    client.wait_for("opcodes.isa", &[]);
    let mut hover = |name: &str, wanted: &str, after| {
        let at = client.at(name, wanted, after);
        let found = client.request("textDocument/hover", &at);
        found["contents"]["value"].as_str().unwrap_or_default().to_string()
    };
    let opcode = hover("opcodes.isa", "__DefOpcode ADD_R", 13);
    for part in ["15", "| 8:6 | `rd` | `Reg` |", "== REGISTER", "| ADD |", "| ADD_R |"] {
        assert!(opcode.contains(part), "{part}: {opcode}");
    }
    let field = hover("opcodes.isa", "= rd ==", 3);
    assert!(field.contains("field<6, 3> Reg rd") && field.contains("Field of `ADD`"), "{field}");
    assert!(field.contains("`R`"), "{field}");
    let ty = hover("opcodes.isa", "Form form == IMMEDIATE", 1);
    assert!(ty.contains("__DefBitFieldType Form<1>"), "{ty}");
    assert!(ty.contains("`REGISTER`, `IMMEDIATE`"), "{ty}");
    let optype = hover("opcodes.isa", "__DefOptype ADD", 13);
    assert!(optype.contains("Adds two numbers.") && !optype.contains("More about"), "{optype}");
    assert_eq!(hover("opcodes.isa", "More about it", 1), "");
    client.end();
}

#[test]
fn definitions_and_uses_are_found_across_files() {
    let mut client = start("uses");
    let mut found = |method: &str, (wanted, after): (&str, u64)| {
        let mut params = client.at("opcodes.isa", wanted, after);
        params["context"] = json!({ "includeDeclaration": true });
        let places = client.request(method, &params);
        texts(&client, &places)
    };
    let is = |name: &str, line, text: &str| (name.to_string(), line, text.to_string());
    let definition = "textDocument/definition";
    assert_eq!(found(definition, ("Imm4 imm", 1)), [is("types.isa", 15, "Imm4")]);
    assert_eq!(found(definition, ("[ALL]", 1)), [is("types.isa", 18, "ALL")]);
    assert_eq!(found(definition, ("@[M]", 2)), [is("types.isa", 2, "M")]);
    assert_eq!(found(definition, ("form == IMMEDIATE", 9)), [is("types.isa", 13, "IMMEDIATE")]);
    assert_eq!(found(definition, ("InList<ra, rb>", 8)), [is("opcodes.isa", 4, "ra")]);
    assert_eq!(found(definition, ("({rb})", 3)), [is("opcodes.isa", 15, "rb")]);
    assert_eq!(found(definition, ("Order<rd, ra, both>", 15)), [is("opcodes.isa", 20, "both")]);
    // A value in a text, of the type of the field that it is compared with.
    let uses = found("textDocument/references", ("field<12, 3> Reg rb", 18));
    let lines: Vec<u64> = uses.iter().map(|(_, line, _)| *line).collect();
    assert_eq!(lines, [15, 18, 20, 22]);
    assert!(uses.iter().all(|(_, _, text)| text == "rb"), "{uses:?}");
    let uses = found("textDocument/references", ("field<6, 3> Reg rd", 17));
    let lines: Vec<u64> = uses.iter().map(|(_, line, _)| *line).collect();
    assert_eq!(lines, [3, 10, 19, 22, 30]);
    client.end();
}

#[test]
fn names_are_changed_everywhere_and_the_specification_stays_right() {
    let mut client = start("rename");
    client.wait_for("opcodes.isa", &[]);
    for (wanted, after, name) in [
        ("Imm4 imm", 1, "Number4"),
        ("Reg rb", 5, "second"),
        ("form == IMMEDIATE", 9, "CONSTANT"),
        ("[ALL]", 1, "ROOT"),
        ("@[M]", 2, "Extra"),
        ("Reg rd", 5, "target"),
        ("Form form == REGISTER", 1, "Shape"),
    ] {
        let mut params = client.at("opcodes.isa", wanted, after);
        let old = client.request("textDocument/prepareRename", &params);
        assert!(old["start"]["line"].is_u64(), "{old}");
        params["newName"] = json!(name);
        let edit = client.request("textDocument/rename", &params);
        let mut texts = Vec::new();
        for (file, text) in [("types.isa", TYPES), ("opcodes.isa", OPCODES)] {
            let edits = edit["changes"][client.uri(file)].as_array().cloned().unwrap_or_default();
            texts.push((file, changed(text, &edits)));
        }
        assert!(texts.iter().any(|(_, text)| text.contains(name)));
        let (_, compilation) = isadl_test_support::compile(&texts);
        let found: Vec<_> = compilation.diagnostics.iter().map(|found| &found.message).collect();
        assert!(found.is_empty(), "{name}: {found:?}\n{texts:?}");
    }
    let mut refused = |wanted, after, name: &str| {
        let mut params = client.at("opcodes.isa", wanted, after);
        params["newName"] = json!(name);
        client.ask("textDocument/rename", &params).expect_err("it is refused")
    };
    assert!(refused("Imm4 imm", 1, "Reg").contains("defined already"));
    assert!(refused("Reg rb", 5, "2nd").contains("is not a name"));
    assert!(refused("Adds two", 1, "x").contains("no name here"));
    client.end();
}

#[test]
fn what_may_be_written_is_offered() {
    let mut client = start("completion");
    let mut offered = |old: &str, new: &str| {
        let text = OPCODES.replacen(old, new, 1).replace('|', "");
        let marked = OPCODES.replacen(old, new, 1);
        client.change("opcodes.isa", &text);
        let position = place(&marked, "|", 0);
        let uri = client.uri("opcodes.isa");
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        let found = client.request("textDocument/completion", &params);
        let items = found.as_array().expect("a list").iter();
        items.map(|item| item["label"].as_str().expect("a text").to_string()).collect::<Vec<_>>()
    };
    let has = |found: &[String], wanted: &[&str], absent: &[&str]| {
        let is_there = |name: &&str| found.iter().any(|label| label == name);
        assert!(wanted.iter().all(&is_there), "{wanted:?} in {found:?}");
        assert!(!absent.iter().any(is_there), "{absent:?} in {found:?}");
    };
    has(&offered("__DefOptype ADD", "|\n__DefOptype ADD"), &["__DefOpcode", "__Encoding"], &[]);
    has(&offered("Imm4 imm;", "|"), &["Imm4", "Reg", "Form"], &["GPR", "ALL", "rd"]);
    has(&offered("== IMMEDIATE", "== |"), &["REGISTER", "IMMEDIATE"], &["R", "rd"]);
    has(&offered("InList<ra, imm>", "InList<|"), &["ra", "rd", "imm", "form", "GPR"], &["rb"]);
    has(&offered("rd == \"R1\" and", "rd == |"), &["R"], &["rd"]);
    has(&offered("[ADD] @[M]", "[|"), &["ALL", "ADD"], &["Reg"]);
    has(&offered("[ADD] @[M]", "[ADD] @[|"), &["M"], &["ADD"]);
    has(&offered("    zero<15, 1>;", "    |"), &["field", "zero"], &["Operands", "rd"]);
    has(&offered("    InList<ra, imm>;", "    |"), &["Operands", "Flow"], &["field"]);
    assert!(offered("Adds two", "Adds |").is_empty());
    client.end();
}

#[test]
fn symbols_folds_colours_hints_and_lenses() {
    let mut client = start("shown");
    client.wait_for("opcodes.isa", &[]);
    let uri = client.uri("opcodes.isa");
    let document = json!({ "textDocument": { "uri": uri } });
    let symbols = client.request("textDocument/documentSymbol", &document);
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().expect("a list").iter();
        list.map(|one| one["name"].as_str().expect("a name").to_string()).collect()
    };
    assert_eq!(names(&symbols), ["ADD", "ADD_R", "ADD_I"]);
    assert_eq!(names(&symbols[1]["children"]), ["form", "rb", "both"]);
    assert_eq!(symbols[1]["range"]["end"]["line"], 21);
    let found = client.request("workspace/symbol", &json!({ "query": "adr" }));
    assert_eq!(names(&found), ["ADD_R"]);
    let folds = client.request("textDocument/foldingRange", &document);
    let folds = folds.as_array().expect("a list");
    assert!(folds.iter().any(|fold| fold["startLine"] == 11 && fold["endLine"] == 21), "{folds:?}");
    assert!(folds.iter().any(|fold| fold["startLine"] == 12 && fold["endLine"] == 15), "{folds:?}");

    let tokens = client.request("textDocument/semanticTokens/full", &document);
    let legend = &client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"];
    let seen = coloured(OPCODES, &tokens, legend);
    let seen: Vec<(&str, &str)> =
        seen.iter().map(|(text, kind)| (text.as_str(), kind.as_str())).collect();
    let expected = [
        ("__DefOptype", "keyword"),
        ("ADD", "class"),
        ("ALL", "class"),
        ("__Encoding", "keyword"),
        ("field", "keyword"),
        ("6", "number"),
        ("3", "number"),
        ("Reg", "type"),
        ("rd", "property"),
    ];
    assert_eq!(seen[..expected.len()], expected);
    assert!(seen.contains(&("REGISTER", "enumMember")) && seen.contains(&("M", "macro")));

    let all =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let params = json!({ "textDocument": { "uri": uri }, "range": all });
    let hints = client.request("textDocument/inlayHint", &params);
    let labels: Vec<&str> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|h| h["label"].as_str().expect("a text"))
        .collect();
    assert_eq!(labels, ["8:6", "11:9", "5", "14:12", "5", "15:12"]);
    let lenses = client.request("textDocument/codeLens", &document);
    let titles: Vec<&str> = lenses
        .as_array()
        .expect("a list")
        .iter()
        .map(|lens| lens["command"]["title"].as_str().expect("a text"))
        .collect();
    assert_eq!(titles, ["0x0000  ADD R0, R0, (R0)", "0x0020  ADD R0, R0, 0"]);

    client.change("opcodes.isa", &OPCODES.replace("    field<6, 3> Reg", "  field< 6,3>  Reg"));
    let params = json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 4, "insertSpaces": true } });
    let edits = client.request("textDocument/formatting", &params);
    let edits = edits.as_array().expect("a list");
    let crooked = OPCODES.replace("    field<6, 3> Reg", "  field< 6,3>  Reg");
    let sources = isadl_test_support::source_map(&[("opcodes.isa", crooked.as_str())]);
    let id = sources.specification().next().expect("a file");
    assert_eq!(Formatter::new(&sources).file(&sources, id).ok(), Some(changed(&crooked, edits)));
    assert_ne!(changed(&crooked, edits), crooked);
    client.end();
}

#[test]
fn nothing_that_an_editor_sends_ends_the_session() {
    let mut client = start("robust");
    let uri = client.uri("opcodes.isa");
    assert!(client.ask("textDocument/unheard", &json!({})).is_err());
    assert!(client.ask("textDocument/hover", &json!({ "no": "sense" })).is_err());
    client.notify("textDocument/didChange", &json!([1, 2]));
    let far = json!({ "line": 9999, "character": 9999 });
    let params = json!({ "textDocument": { "uri": uri }, "position": far });
    assert_eq!(client.request("textDocument/hover", &params), Value::Null);
    let elsewhere = json!({ "textDocument": { "uri": "untitled:x" }, "position": far });
    assert!(client.ask("textDocument/hover", &elsewhere).is_err());
    // Pieces of texts, as they are while they are written.
    let all = read(&root().join("spec/simt/ialu.isa"));
    for at in (0..8000).step_by(397) {
        let end = all.floor_char_boundary(at);
        client.change("opcodes.isa", &all[..end]);
        for method in [
            "textDocument/documentSymbol",
            "textDocument/semanticTokens/full",
            "textDocument/foldingRange",
            "textDocument/codeLens",
        ] {
            client.request(method, &json!({ "textDocument": { "uri": uri } }));
        }
        let params = json!({ "textDocument": { "uri": uri }, "position": far });
        client.request("textDocument/completion", &params);
    }
    client.end();
}

#[test]
fn what_is_no_message_is_answered_and_the_session_goes_on() {
    let mut client = start("malformed");
    let code = |client: &mut Client| loop {
        let message = client.receive();
        if !message["error"].is_null() {
            assert_eq!(message["id"], Value::Null);
            return message["error"]["code"].clone();
        }
    };
    for (text, expected) in [
        ("{", -32700),
        ("", -32700),
        ("[1, 2", -32700),
        ("[1, 2]", -32600),
        ("{\"jsonrpc\": \"2.0\"}", -32600),
        ("\"\"", -32600),
    ] {
        client.send_text(text);
        assert_eq!(code(&mut client), json!(expected), "{text}");
    }
    client.send_bytes(b"Content-Length: x\r\n\r\n");
    assert_eq!(code(&mut client), json!(-32600));
    client.send_bytes(b"Content-Type: text\r\n\r\n");
    assert_eq!(code(&mut client), json!(-32600));
    // Half a character of UTF-16 is one character of the text, and others stay where they are.
    let uri = client.uri("opcodes.isa");
    let text = format!(
        "// \\ud800 \\ud83d\\ude00\\n{}",
        OPCODES.replace('\n', "\\n").replace('"', "\\\"")
    );
    client.send_text(&format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didChange\",\"params\":{{\"textDocument\":{{\"uri\":\"{uri}\",\
         \"version\":2}},\"contentChanges\":[{{\"text\":\"{text}\"}}]}}}}"
    ));
    let symbols =
        client.request("textDocument/documentSymbol", &json!({ "textDocument": { "uri": uri } }));
    assert_eq!(symbols[0]["selectionRange"]["start"]["line"], json!(1), "{symbols}");
    client.end();
}

#[test]
fn a_message_that_is_too_large_is_refused() {
    for length in ["999999999999", "99999999999999999999999999"] {
        let mut client = start("large");
        client.send_bytes(format!("Content-Length: {length}\r\n\r\n{{}}").as_bytes());
        while client.receive()["error"]["code"] != json!(-32600) {}
    }
}

#[test]
fn a_session_ends_as_the_protocol_says() {
    let mut client = start("shut");
    client.request("shutdown", &Value::Null);
    for method in ["textDocument/hover", "shutdown"] {
        let refused = client.ask(method, &json!({})).expect_err("the session was shut down");
        assert!(refused.contains("shut down"), "{refused}");
    }
    client.end_after_shutdown();
    let mut client = start("exit");
    client.notify("exit", &Value::Null);
    assert_eq!(client.status(), Some(1));
}

#[test]
fn quoted_values_are_uses_and_words_of_the_language_no_names() {
    let mut client = start("quoted");
    let text =
        format!("{OPCODES}    EncodingError<K, \"three\"> = form == \"IMMEDIATE\" and imm == 3;\n");
    let text =
        text.replace("    Order<rd, ra, imm>;\n", "    Order<rd, ra, imm>;\n  __Exception\n");
    client.change("opcodes.isa", &text);
    let uri = client.uri("opcodes.isa");
    let position = place(&text, "form == IMMEDIATE", 8);
    let at = json!({ "textDocument": { "uri": uri }, "position": position });
    let mut asked = at.clone();
    asked["context"] = json!({ "includeDeclaration": false });
    let found = client.request("textDocument/references", &asked);
    let quoted = place(&text, "\"IMMEDIATE\"", 1);
    let starts: Vec<&Value> =
        found.as_array().expect("a list").iter().map(|one| &one["range"]["start"]).collect();
    assert!(starts.contains(&&quoted), "{found}");
    let mut renamed = at.clone();
    renamed["newName"] = json!("NUMBER");
    let edits = client.request("textDocument/rename", &renamed);
    let edits = edits["changes"][&uri].as_array().expect("edits").clone();
    let after = changed(&text, &edits);
    assert!(after.contains("form == \"NUMBER\"") && !after.contains("IMMEDIATE"), "{after}");
    for word in ["not", "and", "or", "is", "in", "if", "else", "text"] {
        renamed["newName"] = json!(word);
        let refused = client.ask("textDocument/rename", &renamed).expect_err(word);
        assert!(refused.contains("word of the language"), "{refused}");
    }
    client.end();
}

/// Words of statements and settings, classes of registers, kinds of rules, names of placeholders and functions: none has
/// a definition.
const WORDS: &str = "\
    Alignment ConstantBus CvtFImm CvtINegX CvtNegConst HEX IllegalBitFieldCombination \
    IllegalBitFieldValue LdsDirect Named NoClamp NotAvailable NotDescribed Overlap R Registers Reserved SbMsk \
    ShiftTooFar SrcB SrcC Unpredictable abi abort abs16 abs32 abs64 acquire acquire_pc add16 add32 add64 add8 \
    after_rounding before_rounding bits branch call canonical checked class code conditional data \
    division down first flags following full_canonical guest hex indirect indirect_call inexact inf \
    insensitive invalid kept largest lowest machine nan nearest_away nearest_even neg never numeric off one \
    overflow place rel16 rel32 rel64 release return scalar signaling_first start sub16 sub32 sub64 sub8 \
    subnormal system_call tag to_odd to_zero trap unavailable underflow unprivileged up value warn width words zero \
    zeros zeros_without_inexact";

/// Values of marks that functions of programs take as arguments, so that only a call says of which type they are.
const ARGUMENTS: &str = "False H0_H0 H1_H0 H1_H1 True";

/// The only names in the specifications that the server does not know are words of the language, and some values.
#[test]
fn every_use_in_the_specifications_is_resolved() {
    let mut unknown = BTreeSet::new();
    for set in ["simt", "gcn", "riscv", "a64"] {
        let mut client = Client::start(set, &[]);
        client.folder = root().join("spec").join(set);
        let legend = client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
        for path in isadl::source::specification_files(&[client.folder.clone()]).expect("readable")
        {
            let uri = format!("file://{}", path.display());
            let document = json!({ "textDocument": { "uri": uri } });
            let tokens = client.request("textDocument/semanticTokens/full", &document);
            for (text, kind) in coloured(&read(&path), &tokens, &legend) {
                if kind == "variable" {
                    unknown.insert(text);
                }
            }
        }
        client.folder = std::env::temp_dir().join("isadl lsp none");
        client.end();
    }
    let known = WORDS.split(' ').chain(ARGUMENTS.split(' '));
    let known: BTreeSet<String> = known.map(str::to_string).collect();
    assert_eq!(unknown, known);
}

/// The words of a text that have colours, and which.
fn coloured(text: &str, tokens: &Value, legend: &Value) -> Vec<(String, String)> {
    let numbers: Vec<usize> = tokens["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|number| number.as_u64().expect("a number") as usize)
        .collect();
    let lines: Vec<&str> = text.lines().collect();
    let (mut line, mut column, mut seen) = (0, 0, Vec::new());
    for token in numbers.chunks(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        let text = lines[line].get(column..column + token[2]).unwrap_or_default().to_string();
        seen.push((text, legend[token[3]].as_str().expect("a kind").to_string()));
    }
    seen
}
