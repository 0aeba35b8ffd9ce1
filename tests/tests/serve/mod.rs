//! The page's server: questions that it answers, and questions that it refuses.

mod network;

use std::path::PathBuf;

use isadl_serve::{Question, Service, Set};
use isadl_test_support::root;
use serde_json::{Value, json};

fn service() -> Service {
    let spec = |name: &str| root().join("spec").join(name);
    let macros = Some(spec("riscv").join("macros.s"));
    Service::new(vec![
        Set { paths: vec![spec("simt")], macros: None },
        Set { paths: vec![spec("riscv")], macros },
    ])
}

fn asked(service: &Service, question: Value) -> Result<Value, String> {
    let question: Question = serde_json::from_value(question).expect("a question");
    service.answer(&question).map_err(|refusal| refusal.to_string())
}

fn answer(service: &Service, question: Value) -> Value {
    asked(service, question).expect("an answer")
}

/// The names and texts of the files of the first instruction set.
fn texts(service: &Service) -> Vec<(String, String)> {
    let files = answer(service, json!({ "set": 0, "ask": { "kind": "open" } }));
    let files = files["files"].as_array().expect("files").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_string();
    files.iter().map(|file| (text(&file["name"]), text(&file["text"]))).collect()
}

#[test]
fn words_lines_and_programs_are_those_of_the_command_line() {
    let service = service();
    let word = "0x1c3e000000000000000201007500";
    let found = answer(&service, json!({ "set": 0, "ask": { "kind": "word", "text": word } }));
    assert_eq!(found["text"], "IADD R0, R1, -R2");
    let line = answer(
        &service,
        json!({ "set": 0, "ask": { "kind": "line", "text": "IADD R0, R1, -R2" } }),
    );
    assert_eq!(line["bytes"], found["bytes"]);
    let wrong = answer(&service, json!({ "set": 0, "ask": { "kind": "line", "text": "IADD R0" } }));
    assert!(wrong["error"].is_string() && wrong["bytes"].is_null(), "{wrong}");
    let illegal = asked(&service, json!({ "set": 0, "ask": { "kind": "word", "text": "77" } }));
    assert!(illegal.is_err_and(|why| why.contains("0x")));

    // What a word does, where the specification has programs.
    let ask = json!({ "kind": "word", "text": "13 85 05 ff" });
    let word = answer(&service, json!({ "set": 1, "generation": "RV64", "ask": ask }));
    assert_eq!(
        (&word["text"], &word["does"]),
        (&json!("addi a0, a1, -16"), &json!("a0 = a1 + -16"))
    );
    // What a mark makes of an operand is in the text.
    assert_eq!(found["does"], "t = R1 + (-R2[31:0])[31:0] + 0\nR0 = t[31:0]");
    let ask = json!({ "kind": "word", "text": "0x1c3c000000000000000201007500" });
    let plain = answer(&service, json!({ "set": 0, "ask": ask }));
    assert_eq!(plain["text"], "IADD R0, R1, R2");
    assert_eq!(plain["does"], "t = R1 + R2[31:0] + 0\nR0 = t[31:0]");

    // `li` is a macro of the specification's folder.
    let program = "x: li a0, 0x12345678\n  j x\n  .word x\n";
    let ask = json!({ "kind": "program", "text": program, "address": 0x1000 });
    let made = answer(&service, json!({ "set": 1, "generation": "RV64", "ask": ask }));
    assert_eq!(made["findings"], json!([]));
    let row = |at: usize, key: &str| made["rows"][at][key].clone();
    assert_eq!((row(0, "address"), row(0, "bytes")), (json!("1000"), json!("37 55 34 12")));
    let last = made["rows"].as_array().expect("rows").len() - 1;
    assert_eq!((row(last, "bytes"), row(last, "line")), (json!("00 10 00 00"), json!(3)));
}

#[test]
fn findings_are_those_of_the_texts_that_are_sent() {
    let service = service();
    let check = |texts: Value| {
        answer(&service, json!({ "set": 0, "texts": texts, "ask": { "kind": "check" } }))
    };
    let clean = check(json!({}));
    assert_eq!((&clean["errors"], &clean["compiled"]), (&json!(0), &json!(true)));
    let (name, text) = texts(&service).swap_remove(1);
    let broken = format!("{text}\n// é𝄞\n__DefOpcode BAD : [NOTHING]\n");
    let line = broken.lines().count() - 1;
    let found = check(json!({ name.as_str(): broken }));
    let list = found["findings"][&name].as_array().expect("findings");
    let finding = list.iter().find(|one| one["code"] == "E0203").expect("the mistake");
    assert_eq!(finding["range"]["start"], json!({ "line": line, "character": 19 }));
    assert_eq!((&found["errors"], &found["compiled"]), (&json!(1), &json!(false)));
    // Questions that need an instruction set are refused without one.
    let broken = json!({ "set": 0, "texts": { name.as_str(): "__DefOpcode\n" }, "ask": { "kind": "space" } });
    assert_eq!(asked(&service, broken), Err("the specification has errors".to_string()));
    assert_eq!(check(json!({}))["errors"], 0, "nothing was kept");
}

#[test]
fn texts_alone_are_an_instruction_set() {
    let text = "__DefIsa TINY<8>\n__DefGroup ALL : []\n__DefOpcode A : [ALL]\n  __Encoding\n  fixed<0,8>==1;\n";
    let texts = json!({ "new.isa": text });
    let service = Service::new(Vec::new());
    let of = |ask: Value| answer(&service, json!({ "texts": texts, "ask": ask }));
    assert_eq!(of(json!({ "kind": "check" }))["opcodes"], json!(["A"]));
    assert_eq!(of(json!({ "kind": "word", "text": "01" }))["opcode"], "A");
    let laid = of(json!({ "kind": "format", "file": "new.isa" }));
    assert!(laid["text"].as_str().expect("a text").contains("    fixed<0, 8> == 1;\n"));
    let at = json!({ "line": 2, "character": 13 });
    let hover = of(json!({ "kind": "hover", "file": "new.isa", "place": at }));
    assert!(hover["html"].as_str().expect("HTML").contains("__DefOpcode A"), "{hover}");
    let words = of(
        json!({ "kind": "complete", "file": "new.isa", "place": { "line": 0, "character": 5 } }),
    );
    assert!(words.as_array().expect("words").iter().any(|one| one["label"] == "__DefOpcode"));
}

/// Programs on pages have links, and are searched by their text.
#[test]
fn programs_are_in_the_manual() {
    let service = service();
    let of = |ask: Value| answer(&service, json!({ "set": 1, "ask": ask }));
    let page = of(json!({ "kind": "page", "name": "ops/AMOADD_W.md" }));
    let html = page["html"].as_str().expect("HTML");
    let link = "<a href=\"page:groups/AMO_OP.md#expression-size\">size</a>";
    assert!(html.contains("<details>\n<summary>") && html.contains(link), "{html}");
    let group = of(json!({ "kind": "page", "name": "groups/AMO_OP.md" }));
    assert!(group["html"].as_str().is_some_and(|html| html.contains("id=\"expression-size\"")));
    let hits = |text: &str| of(json!({ "kind": "search", "text": text }))["hits"].clone();
    let found = hits("[size - 1:0]");
    assert!(found.as_array().expect("hits").iter().any(|hit| hit["page"] == "ops/AMOADD_W.md"));
    assert_eq!(hits("nohighlight"), json!([]));
}

#[test]
fn every_page_of_the_manual_is_reached_from_the_first() {
    let service = service();
    let mut pages = vec!["README.md".to_string()];
    let mut at = 0;
    while let Some(name) = pages.get(at).cloned() {
        at += 1;
        let page = answer(&service, json!({ "set": 0, "ask": { "kind": "page", "name": name } }));
        let html = page["html"].as_str().expect("HTML");
        assert!(!html.contains("<script") && html.contains("<h1"), "{name}");
        for link in html.split("href=\"page:").skip(1) {
            let target = link.split(['#', '"']).next().unwrap_or_default().to_string();
            if !pages.contains(&target) {
                pages.push(target);
            }
        }
    }
    assert!(pages.len() > 60, "{pages:?}");
    let hits = answer(&service, json!({ "set": 0, "ask": { "kind": "search", "text": "iadd" } }));
    assert_eq!(hits["hits"][0]["title"], "IADD");
    assert_eq!(
        answer(&service, json!({ "set": 0, "ask": { "kind": "search", "text": " " } }))["hits"],
        json!([])
    );
}

#[test]
fn only_files_of_the_sets_are_read() {
    let service = service();
    let secret = PathBuf::from("/etc/hostname");
    for question in [
        json!({ "set": 2, "ask": { "kind": "check" } }),
        json!({ "ask": { "kind": "open" } }),
        json!({ "set": 0, "texts": { "/etc/hostname": "" }, "ask": { "kind": "check" } }),
        json!({ "set": 0, "texts": { "../../Cargo.toml": "" }, "ask": { "kind": "check" } }),
        json!({ "set": 0, "ask": { "kind": "format", "file": secret } }),
        json!({ "set": 0, "ask": { "kind": "page", "name": "../../../../Cargo.toml" } }),
        json!({ "set": 0, "ask": { "kind": "page", "name": "/etc/hostname" } }),
        json!({ "set": 1, "generation": "RV128", "ask": { "kind": "word", "text": "0x0" } }),
        json!({ "set": 1, "extensions": ["NONE"], "ask": { "kind": "word", "text": "0x0" } }),
    ] {
        assert!(asked(&service, question.clone()).is_err(), "{question}");
    }
    let at = json!({ "line": 0, "character": 3 });
    let hover = json!({ "set": 0, "ask": { "kind": "hover", "file": secret, "place": at } });
    assert_eq!(answer(&service, hover), Value::Null);
    for statement in [".include \"Cargo.toml\"", ".incbin \"/etc/hostname\""] {
        let ask = json!({ "kind": "program", "text": statement });
        let made = answer(&service, json!({ "set": 1, "ask": ask }));
        let said = made["findings"][0]["message"].as_str().expect("a finding");
        assert!(said.contains("cannot be read here"), "{said}");
    }
}
