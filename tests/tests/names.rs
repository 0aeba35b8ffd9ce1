//! Names of a specification that generated code uses itself, or that Rust spells differently: the
//! crate compiles without warnings. Types keep their names if the item of generated code can be
//! reached by another path.

use std::collections::BTreeSet;
use std::fmt::Write;

use isadl_codegen::rust::{Options, Views, generate};
use isadl_tests::compile;

use crate::gcn_crate::assert_compiles;

/// A specification with these names for a register type, a composite and an operation.
fn specification(register: &str, place: &str, operation: &str) -> String {
    format!(
        "__DefIsa Names<32>\n\n__DefRegFile GPR<32, 8>\n\n__DefOperandType {register}<3>\n    \
         R[0..7] = 0 : GPR;\n\n__DefImmediate Offset<8>\n    Number = unsigned;\n\n\
         __DefComposite {place}<11>\n    field<0, 3> {register} base;\n    \
         field<3, 8> Offset offset;\n    Format = \"[{{base}} + {{offset}}]\";\n\n\
         __DefBitFieldType Operation<4>\n    LOAD;\n\n__DefGroup ALL : []\n\n\
         __DefOptype {operation} : [ALL]\n\n__DefOpcode {operation}_X : [{operation}]\n  \
         __Encoding\n    field<0, 4> Operation op == LOAD;\n    field<4, 3> {register} rd;\n    \
         field<8, 11> {place} place;\n  __OperandInfo\n    InList<place>;\n    OutList<rd>;\n    \
         Order<rd, place>;\n    Bitwidth<rd> = 32;\n    Bitwidth<place> = 32;\n"
    )
}

#[test]
fn names_that_generated_code_uses_give_no_warnings() {
    let names = [
        ("Register", "Memory", "Inst"),
        ("Resource", "Use", "Opcode"),
        ("reg_t", "mem_t", "load"),
        ("Reg", "Place", "View"),
    ];
    for (register, place, operation) in names {
        let text = specification(register, place, operation);
        let (_, compilation) = compile(&[("names.isa", &text)]);
        let found: Vec<&str> =
            compilation.diagnostics.iter().map(|found| found.message.as_str()).collect();
        let isa = compilation.family.unwrap_or_else(|| panic!("{found:#?}")).merged();
        let options = Options { views: Views::PerOptype, ..Options::default() };
        assert!(generate(&isa, &options).get("src/types.rs").is_some());
        assert_compiles(&isa, &options, &format!("names-{register}"));
    }
}

/// Operands whose names are those of methods that only some instruction sets have.
#[test]
fn operands_may_be_called_like_methods_of_addresses() {
    let text = "__DefIsa Names<16>\n\n__DefImmediate Near<4>\n    Number = signed;\n    Relative = start;\n\n\
                __DefImmediate Kind<4>\n    Number = unsigned;\n\n__DefGroup ALL : []\n\n\
                __DefOpcode JUMP : [ALL]\n  __Encoding\n    field<0, 4> Kind kind == 1;\n    \
                field<4, 4> Near target;\n    field<8, 4> Near text_at;\n    field<12, 4> Kind flow_control;\n  \
                __OperandInfo\n    Operands<target, text_at, flow_control>;\n    Flow<branch>;\n";
    assert_compiles(&isa(text), &all(), "names-target");
}

/// An operand whose name is that of a method that only instruction sets with sets of names have.
#[test]
fn operands_may_be_called_like_methods_of_sets_of_names() {
    let text = "__DefIsa Names<16>\n    NameSets<short, long>;\n\n__DefRegFile R<16, 8>\n\n\
                __DefOperandType Reg<3>\n    r[0..7] = 0 : R also reg[0..7];\n\n\
                __DefImmediate Kind<4>\n    Number = unsigned;\n\n__DefGroup ALL : []\n\n\
                __DefOpcode MOVE : [ALL]\n  __Encoding\n    field<0, 4> Kind kind == 1;\n    \
                field<4, 3> Reg text_with;\n    zero[15:7];\n  __OperandInfo\n    Operands<in text_with>;\n";
    assert_compiles(&isa(text), &all(), "names-text-with");
}

/// The options with everything that can be generated.
fn all() -> Options {
    Options { views: Views::PerOptype, ..Options::default() }
}

fn isa(text: &str) -> isadl::isa::Merged {
    let (_, compilation) = compile(&[("names.isa", text)]);
    let found: Vec<&str> =
        compilation.diagnostics.iter().map(|found| found.message.as_str()).collect();
    compilation.family.unwrap_or_else(|| panic!("{found:#?}")).merged()
}

/// The text of a generated file.
fn file(isa: &isadl::isa::Merged, path: &str) -> String {
    generate(isa, &all()).get(path).unwrap_or_else(|| panic!("{path} is generated")).to_string()
}

#[test]
fn types_keep_the_names_of_items_with_a_module_of_their_own() {
    let modules = [
        ("Memory", "flow"),
        ("Uses", "flow"),
        ("View", "views"),
        ("Stream", "stream"),
        ("Text", "text"),
        ("ParseError", "parse"),
    ];
    for (place, module) in modules {
        let isa = isa(&specification("Reg", place, "LD"));
        assert!(file(&isa, "src/types.rs").contains(&format!("pub struct {place}(")), "{place}");
        let lib = file(&isa, "src/lib.rs");
        assert!(lib.contains(&format!("\npub mod {module};")), "{place}: {lib}");
    }
    // Types may have the names of items that are not generated.
    for place in ["Special", "Bytes", "Place"] {
        let isa = isa(&specification("Reg", place, "LD"));
        assert!(file(&isa, "src/types.rs").contains(&format!("pub struct {place}(")), "{place}");
        assert!(file(&isa, "src/lib.rs").contains("\nmod flow;"), "{place}");
    }
}

/// The identifiers of code, without comments and literals.
fn identifiers(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        // Text between quotes is not code.
        for code in line.split('"').step_by(2) {
            let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            found.extend(words.map(str::to_string));
        }
    }
    found
}

#[test]
fn types_may_have_any_name_that_generated_code_uses() {
    let base = isa(&specification("Reg", "Place", "LD"));
    let mut names = BTreeSet::new();
    let output = generate(&base, &all());
    for (_, text) in output.files().filter(|(path, _)| path.extension() == Some("rs".as_ref())) {
        names.extend(identifiers(text));
    }
    // Types are named in camel case.
    let is_type = |name: &String| {
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(char::is_lowercase)
    };
    let own = ["Reg", "Place", "Offset", "Operation", "Code"];
    names.retain(|name| is_type(name) && !own.contains(&name.as_str()));
    assert!(names.len() > 50 && names.contains("Iterator"), "{names:?}");
    let mut text =
        specification("Reg", "Place", "LD").replace("    LOAD;", "    LOAD;\n    NAMED;");
    text += "\n__DefImmediate Code<16>\n    Number = unsigned;\n";
    for (index, name) in names.iter().enumerate() {
        let code = index + 1;
        write!(
            text,
            "\n__DefBitFieldType {name}<1>\n    A;\n    B;\n\n__DefOpcode OP_{name} : [LD]\n  \
             __Encoding\n    field<0, 4> Operation op == NAMED;\n    field<4, 16> Code code == {code};\n    \
             field<20, 1> {name} x;\n"
        )
        .expect("a string takes it");
    }
    let isa = isa(&text);
    // A type that has the name of an item of the root would be hidden by it.
    let (root, types) = (identifiers(&file(&isa, "src/lib.rs")), file(&isa, "src/types.rs"));
    let is_hidden =
        |name: &&String| root.contains(*name) && types.contains(&format!("pub enum {name} {{"));
    let hidden: Vec<&String> = names.iter().filter(is_hidden).collect();
    assert!(hidden.is_empty(), "{hidden:?}");
    assert_compiles(&isa, &all(), "every-name");
}
