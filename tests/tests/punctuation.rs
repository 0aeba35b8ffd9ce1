//! Literal text in operands: every character of ASCII punctuation at every position of a template. Accepted templates
//! are read back, with and without an address, and refused templates are reported.

use std::collections::BTreeSet;

use isadl::diagnostic::Code;
use isadl::engine::{Engine, Inst, Loaded, TextOptions};
use isadl_test_support::compile;

/// The types of `t`.
const TYPES: [&str; 4] = ["Distance", "Signed", "Unsigned", "Name"];

/// The templates of an operand `t`, and of an operand with a register beside it. `@` stands for the literal text.
const TEMPLATES: [&str; 7] = ["@{t}", "{t}@", "@{t}@", "{r}@{t}", "{t}@{r}", "x@{t}", "@@{t}"];

/// An instruction with an operand of this type, written with this template.
fn source(ty: &str, template: &str) -> String {
    let types = match ty {
        "Distance" => {
            "__DefImmediate Distance<2>\n    Number = signed; Relative = start; Scale = 4;"
        }
        "Signed" => "__DefImmediate Signed<2>\n    Number = signed;",
        "Unsigned" => "__DefImmediate Unsigned<2>\n    Number = unsigned;",
        _ => "__DefBitFieldType Name<2>\n    A; B; C; D;",
    };
    let register = match template.contains("{r}") {
        true => "field[3:2] Reg r;",
        false => "zero[3:2];",
    };
    let registers = match template.contains("{r}") {
        true => "__DefRegFile R<4, 8>\n__DefOperandType Reg<2>\n    r[0..3] = 0 : R;",
        false => "",
    };
    format!(
        r#"__DefIsa T<8>
{registers}
{types}
__DefGroup ALL : []
__DefOpcode JMP : [ALL]
  __Encoding
    fixed[7:4] == 1; {register} field[1:0] {ty} t;
  __OperandInfo
    Mnemonic<"jmp">; Operand<place> = "{template}"; Order<place>;
"#
    )
}

/// The instructions of the words that a set of eight bits has.
fn instructions<'e>(engine: &'e Engine<'e>) -> impl Iterator<Item = Inst> + 'e {
    (0..1u128 << engine.isa().width()).filter_map(|word| engine.decode(word).ok())
}

/// The text at an address.
fn text_at(engine: &Engine<'_>, inst: Inst, address: u64) -> String {
    let mut text = String::new();
    engine.append_text_at::<&str>(inst, TextOptions::at(address), |_| None, &mut text);
    text
}

/// Every template with every character, and what the text of its instructions is read as.
#[test]
fn every_text_in_operands_is_read_back_or_refused() {
    let signs = || (b'!'..=b'~').filter(u8::is_ascii_punctuation).map(char::from);
    let signs = || signs().filter(|sign| !matches!(sign, '"' | '\\' | '{' | '}'));
    let mut refused = BTreeSet::new();
    for (ty, template) in TYPES.iter().flat_map(|ty| TEMPLATES.map(|template| (ty, template))) {
        for sign in signs() {
            let template = template.replace('@', &sign.to_string());
            let (_, compilation) = compile(&[("punctuation.isa", &source(ty, &template))]);
            let is_told = |code| compilation.diagnostics.iter().any(|one| one.code == code);
            if is_told(Code::E0519) || is_told(Code::W0916) {
                refused.insert((sign, template.contains("//")));
                continue;
            }
            let loaded = Loaded::new(compilation.family.expect("no error").into_first());
            let engine = loaded.engine();
            for inst in instructions(&engine) {
                let text = engine.text(inst);
                assert_eq!(engine.assemble(&text).ok(), Some(inst), "{ty} {template}: {text}");
                let text = text_at(&engine, inst, 0x1000);
                let read = engine.assemble_with(&text, TextOptions::at(0x1000)).ok();
                assert_eq!(read, Some(inst), "{ty} {template}: {text} at 0x1000");
            }
        }
    }
    // The characters that end an operand, and that begin a comment.
    let expected = [(',', false), ('/', true), (';', false)];
    assert_eq!(refused.into_iter().collect::<Vec<_>>(), expected);
}

/// A distance that is added to a text for the address of the instruction stays a distance.
#[test]
fn what_is_added_stays_a_distance() {
    for (template, text) in
        [(".+{t}", "jmp .+4"), (". + {t}", "jmp . + 4"), ("${t}", "jmp $0x1004")]
    {
        let (_, compilation) = compile(&[("plus.isa", &source("Distance", template))]);
        let loaded = Loaded::new(compilation.family.expect("no error").into_first());
        let engine = loaded.engine();
        let inst = engine.decode(0x11).expect("an instruction");
        assert_eq!(text_at(&engine, inst, 0x1000), text);
        assert_eq!(engine.target(inst, 0x1000), Some(0x1004));
    }
}
