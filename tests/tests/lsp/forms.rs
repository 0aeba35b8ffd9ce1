//! Names made by definitions of forms: their origin, and their new names after a change.

use serde_json::json;

use super::client::{Client, changed};
use super::texts;

const FORMS: &str = "\
__DefIsa TINY<16>

__DefRegFile GPR<32, 8>

__DefOperandType Reg<3>
    R[0..7] = 0 : GPR;

__DefImmediate Imm3<3>
    Number = unsigned;

__DefGroup ALL : []
  __Encoding
    field[2:0] Reg rd; field[5:3] Reg ra;

__DefGroup RR : [ALL]
  __Encoding
    zero[15:15]; field[8:6] Reg rb;
  __OperandInfo
    Operands<out rd : 32, in ra : 32, in rb : 32>;

__DefGroup RI : [ALL]
  __Encoding
    fixed[15:15] == 1; field[8:6] Imm3 imm;
  __OperandInfo
    Operands<out rd : 32, in ra : 32, in imm>;

__DefOptypes : [ALL]
    /// Adds two numbers.
    ADD \"add\" [14:9] == 1;
    /// Subtracts a number.
    SUB \"sub\" [14:9] == 2;
    /// Multiplies two numbers.
    MUL \"mul\" [14:9] == 3;

__DefForms {0}_{1} : [ADD, SUB, MUL] x [RR, RI] except MUL_RI;

__DefAlias DOUBLE : [ADD_RR]
  __Encoding
    fix rb == ra;
  __OperandInfo
    Mnemonic<\"double\">;
    Order<rd, ra>;
";

fn start(name: &str) -> Client {
    let mut client = Client::start(name, &[("set.isa", FORMS)]);
    client.open("set.isa", FORMS);
    client.wait_for("set.isa", &[]);
    client
}

#[test]
fn forms_in_a_table_are_made_of_its_rows() {
    let forms = "\n__DefForms {0}_{1} : [ADD, SUB, MUL] x [RR, RI] except MUL_RI;";
    let text = FORMS.replace(forms, "    Forms {0}_{1} : [RR, RI] except MUL_RI;");
    let mut client = Client::start("rows", &[("set.isa", &text)]);
    client.open("set.isa", &text);
    client.wait_for("set.isa", &[]);
    let hover = client.request("textDocument/hover", &client.at("set.isa", "[ADD_RR]", 2));
    let text = hover["contents"]["value"].as_str().expect("a text");
    assert!(text.contains("`ADD_RR` is made of\n- `ADD`: Adds two numbers.\n- `RR`"), "{text}");
    client.end();
}

#[test]
fn made_names_lead_to_what_they_are_made_by() {
    let mut client = start("made");
    let mut params = client.at("set.isa", "[ADD_RR]", 2);
    params["context"] = json!({ "includeDeclaration": true });
    let places = client.request("textDocument/definition", &params);
    let line = FORMS.lines().position(|line| line.starts_with("__DefForms")).expect("forms") as u64;
    let pattern = ("set.isa".to_string(), line + 1, "{0}_{1}".to_string());
    assert_eq!(texts(&client, &places), std::slice::from_ref(&pattern));
    let places = client.request("textDocument/references", &params);
    let found = texts(&client, &places);
    assert_eq!(found, [pattern, ("set.isa".to_string(), line + 3, "ADD_RR".to_string())]);
    let hover = client.request("textDocument/hover", &params);
    let text = hover["contents"]["value"].as_str().expect("a text");
    assert!(text.contains("`ADD_RR` is made of\n- `ADD`: Adds two numbers.\n- `RR`"), "{text}");
    client.end();
}

#[test]
fn new_names_are_those_of_forms_too() {
    let mut client = start("stems");
    for (wanted, after, name, present) in [
        ("ADD \"add\"", 1, "PLUS", ["[PLUS_RR]", "[PLUS, SUB, MUL]"]),
        ("[RR, RI]", 2, "REGS", ["[ADD_REGS]", "x [REGS, RI]"]),
        ("[RR, RI]", 6, "NUM", ["except MUL_NUM;", "__DefGroup NUM"]),
        ("{0}_{1}", 1, "OP_{1}_{0}", ["[OP_RR_ADD]", "except OP_RI_MUL;"]),
        // The bounds of names: no name is part of another.
        ("SUB, MUL", 6, "AD", ["except AD_RI;", "[ADD, SUB, AD]"]),
    ] {
        let mut params = client.at("set.isa", wanted, after);
        client.request("textDocument/prepareRename", &params);
        params["newName"] = json!(name);
        let edit = client.request("textDocument/rename", &params);
        let edits = edit["changes"][client.uri("set.isa")].as_array().cloned().unwrap_or_default();
        let text = changed(FORMS, &edits);
        assert!(present.iter().all(|part| text.contains(part)), "{name}:\n{text}");
        let (_, compilation) = isadl_test_support::compile(&[("set.isa", &text)]);
        let found: Vec<_> = compilation.diagnostics.iter().map(|found| &found.message).collect();
        assert!(found.is_empty(), "{name}: {found:?}\n{text}");
        assert_eq!(compilation.family.expect("it compiles").first().opcodes().len(), 5);
    }
    let mut refused = |wanted, after, name: &str| {
        let mut params = client.at("set.isa", wanted, after);
        params["newName"] = json!(name);
        client.ask("textDocument/rename", &params).expect_err("it is refused")
    };
    let made = refused("[ADD_RR]", 2, "PLUS_RR");
    assert!(made.contains("`ADD_RR` is made by `__DefForms` of `ADD` and `RR`"), "{made}");
    let excepted = refused("except MUL_RI", 9, "TIMES_RI");
    assert!(excepted.contains("`MUL_RI` is made by `__DefForms`"), "{excepted}");
    assert!(refused("ADD \"add\"", 1, "SUB").contains("defined already"));
    assert!(refused("{0}_{1}", 1, "OP_{0}").contains("does not show the same lists"));
    assert!(refused("{0}_{1}", 1, "{0}-{1}").contains("is not a name"));
    client.end();
}

/// After a change of a component, a made name can equal the name of another definition.
#[test]
fn new_names_that_others_have_are_refused() {
    let text = FORMS.to_string() + "\n__DefGroup PLUS_RI : [ALL]\n";
    let mut client = Client::start("taken", &[("set.isa", &text)]);
    client.open("set.isa", &text);
    let mut params = client.at("set.isa", "ADD \"add\"", 1);
    params["newName"] = json!("PLUS");
    let why = client.ask("textDocument/rename", &params).expect_err("it is refused");
    assert!(why.contains("`PLUS_RI`, which `ADD_RI` would be, is defined already"), "{why}");
    client.end();
}
