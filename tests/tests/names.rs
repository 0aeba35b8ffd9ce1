//! Names of a specification that generated code uses itself, or that Rust writes otherwise: the
//! crate compiles without warnings.

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
