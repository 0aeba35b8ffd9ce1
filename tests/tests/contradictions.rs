//! Contradictions planted in the large instruction sets: each kind is reported where it is, and nothing else is.

use isadl::diagnostic::{Code, Severity};
use isadl::levels::Levels;
use isadl_test_support::{compile, root};

/// A contradiction.
struct Kind {
    name: &'static str,
    folder: &'static str,
    /// A line that occurs once, and the text written after it.
    after: &'static str,
    text: &'static str,
    code: Code,
    /// The text that the finding is about begins so.
    at: &'static str,
}

const IADD: &str =
    "    AsmFormat<rb.neg> = CvtINegX(rb.neg, ext);\n\n__DefOpcode IADD_RU : [IADD]\n";
const E64: &str = "__DefOpcode V_ADD_F32_E64 : [V_ADD_F32, VOP3_FLOAT]\n";

/// The same place with something before the next definition.
fn planted(kind: &Kind, text: &str) -> Option<String> {
    let at = text.find(kind.after)?;
    assert_eq!(text.matches(kind.after).count(), 1, "{}", kind.name);
    let (head, tail) = match kind.after.find("\n\n__DefOpcode") {
        Some(end) => text.split_at(at + end + 1),
        None => text.split_at(at + kind.after.len()),
    };
    Some(format!("{head}{}{tail}", kind.text))
}

const fn simt(name: &'static str, text: &'static str, code: Code, at: &'static str) -> Kind {
    Kind { name, folder: "spec/simt", after: IADD, text, code, at }
}

const fn gcn(name: &'static str, text: &'static str, code: Code, at: &'static str) -> Kind {
    Kind { name, folder: "spec/gcn", after: E64, text, code, at }
}

const KINDS: &[Kind] = &[
    simt(
        "two rules forbid all",
        "  __Exception\n    EncodingError<K, \"a\"> = ra == \"R0\" or ext == \"X\";\n    EncodingError<K, \"b\"> = ra != \"R0\" or rb != \"R1\";\n    EncodingError<K, \"c\"> = rb == \"R1\";\n",
        Code::E0704,
        "IADD_RR",
    ),
    simt(
        "a rule and a special case take all",
        "  __Exception\n    EncodingError<K, \"a\"> = ra != \"R0\";\n\n__DefOpcode IADD_R0 : [IADD]\n  __Encoding\n    field<8, 4> SType stype == RR;\n    field<32, 8> Reg rb;\n    fix ra == R0;\n  __OperandInfo\n    InList<pg, rb, pp>;\n    OutList<rd, pu>;\n    Order<pg, rd, pu, rb, pp>;\n    Bitwidth<rb> = 32;\n    Bitwidth<rd> = 32;\n",
        Code::E0704,
        "IADD_RR",
    ),
    simt(
        "a rule that never holds",
        "  __Exception\n    EncodingError<K, \"a\"> = ra == \"R0\" and ra == \"R1\";\n",
        Code::W0604,
        "EncodingError<K, \"a\">",
    ),
    simt(
        "a rule that never holds for its arithmetic",
        "  __Exception\n    EncodingError<K, \"a\"> = (ext == \"X\") * 2 == 1;\n",
        Code::W0604,
        "EncodingError<K, \"a\">",
    ),
    simt(
        "a rule that always holds",
        "  __Exception\n    EncodingError<K, \"a\"> = ext == \"X\" or ext == \"NoX\";\n",
        Code::E0605,
        "EncodingError<K, \"a\">",
    ),
    simt(
        "a rule that another implies",
        "  __Exception\n    EncodingError<K, \"a\"> = ra == \"R0\";\n    EncodingError<K, \"b\"> = ra == \"R0\" and rb == \"R0\";\n",
        Code::W0607,
        "EncodingError<K, \"b\">",
    ),
    simt(
        "a rule that two others imply",
        "  __Exception\n    EncodingError<K, \"a\"> = ra == \"R0\" and ext == \"X\";\n    EncodingError<K, \"b\"> = ra == \"R0\" and ext == \"NoX\";\n    EncodingError<K, \"c\"> = ra == \"R0\" and rb == \"R0\";\n",
        Code::W0607,
        "EncodingError<K, \"c\">",
    ),
    simt(
        "the same rule twice",
        "  __Exception\n    EncodingError<K, \"a\"> = ra == \"R3\";\n    EncodingError<K, \"b\"> = not (ra != \"R3\");\n",
        Code::W0607,
        "EncodingError<K, \"b\">",
    ),
    simt(
        "a rule for assemblers that every word it is about breaks already",
        "  __Exception\n    EncodingError<K, \"a\"> = ra == \"R3\";\n    AssemblerError<K, \"b\"> = ra == \"R3\" and rb == \"R4\";\n",
        Code::W0607,
        "AssemblerError<K, \"b\">",
    ),
    simt(
        "a default that a rule forbids",
        "  __Exception\n    EncodingError<K, \"a\"> = rb.neg == \"False\";\n",
        Code::W0416,
        "field<97, 1> SignModi rb.neg",
    ),
    simt(
        "an inherited default that a rule forbids",
        "  __Exception\n    EncodingError<K, \"a\"> = ext == \"NoX\";\n",
        Code::W0416,
        "field<76, 1> IExt ext",
    ),
    simt(
        "defaults that a rule forbids together",
        "  __Exception\n    EncodingError<K, \"a\"> = ext == \"NoX\" and rb.neg == \"False\";\n",
        Code::W0417,
        "IADD_RR",
    ),
    simt(
        "defaults that two rules forbid together",
        "  __Exception\n    EncodingError<K, \"a\"> = ext == \"NoX\" and rb.neg == \"False\" and ra == \"R0\";\n    EncodingError<K, \"b\"> = ext == \"NoX\" and rb.neg == \"False\" and ra != \"R0\";\n",
        Code::W0417,
        "IADD_RR",
    ),
    simt(
        "an operand that two rules leave without a value",
        "  __Exception\n    EncodingError<K, \"a\"> = ra == \"R0\" and ext == \"X\";\n    EncodingError<K, \"b\"> = ra == \"R0\" and ext == \"NoX\";\n",
        Code::W0709,
        "IADD_RR",
    ),
    simt(
        "an opcode with the bits of another",
        "\n__DefOpcode IADD_TWIN : [IADD]\n  __Encoding\n    field<8, 4> SType stype == RR;\n    field<32, 8> Reg rb;\n  __OperandInfo\n    InList<pg, ra, rb, pp>;\n    OutList<rd, pu>;\n    Order<pg, rd, pu, ra, rb, pp>;\n    Bitwidth<ra> = 32;\n    Bitwidth<rb> = 32;\n    Bitwidth<rd> = 32;\n",
        Code::E0701,
        "IADD_TWIN",
    ),
    simt(
        "an opcode that overlaps with another, both legal for some words",
        "  __Exception\n    EncodingError<K, \"a\"> = ra == \"R7\";\n\n__DefOpcode IADD_TWIN : [IADD]\n  __Encoding\n    field<8, 4> SType stype == RR;\n    field<32, 8> Reg rb;\n  __OperandInfo\n    InList<pg, ra, rb, pp>;\n    OutList<rd, pu>;\n    Order<pg, rd, pu, ra, rb, pp>;\n    Bitwidth<ra> = 32;\n    Bitwidth<rb> = 32;\n    Bitwidth<rd> = 32;\n  __Exception\n    EncodingError<K, \"a\"> = ra != \"R7\" and ra != \"R8\";\n",
        Code::E0701,
        "IADD_TWIN",
    ),
    simt(
        "a width that is negative for some words",
        "    Partial<rd>;\n    Bitwidth<pp> = 0 - (ext == \"X\");\n",
        Code::E0517,
        "Bitwidth<pp>",
    ),
    gcn(
        "two rules forbid all",
        "  __Exception\n    EncodingError<K, \"a\"> = clamp == \"CLAMP\";\n    EncodingError<K, \"b\"> = clamp == \"NoCLAMP\";\n",
        Code::E0704,
        "V_ADD_F32_E64",
    ),
    gcn(
        "a rule that never holds",
        "  __Exception\n    EncodingError<K, \"a\"> = src0 == \"v0\" and src0 is scalar;\n",
        Code::W0604,
        "EncodingError<K, \"a\">",
    ),
    gcn(
        "a rule that another implies",
        "  __Exception\n    EncodingError<K, \"a\"> = src0 is scalar and src1 is scalar and src0 != src1 and clamp == \"CLAMP\";\n    EncodingError<K, \"b\"> = src0 is scalar and clamp == \"CLAMP\";\n",
        Code::W0607,
        "EncodingError<K, \"a\">",
    ),
    gcn(
        "a default that a rule forbids",
        "  __Exception\n    EncodingError<K, \"a\"> = clamp == \"NoCLAMP\";\n",
        Code::W0416,
        "field",
    ),
    gcn(
        "an opcode with the bits of another",
        "__DefOpcode V_ADD_F32_TWIN : [V_ADD_F32, VOP3_FLOAT]\n",
        Code::E0701,
        "V_ADD_F32_TWIN",
    ),
];

/// Findings that follow from another finding: templates and texts are about the same opcodes.
fn is_echo(kind: &Kind, code: Code) -> bool {
    let name = code.as_str();
    // An operand without remaining values lacks a value, and the default of a field is a value.
    let of_values = [Code::W0607, Code::W0416, Code::W0417].contains(&kind.code);
    name.starts_with("W09") || name == "W0802" || of_values && code == Code::W0709
}

#[test]
fn planted_contradictions_are_reported_where_they_are_and_alone() {
    let mut faults = Vec::new();
    for kind in KINDS {
        let folder = root().join(kind.folder);
        let mut texts = Vec::new();
        let mut found = 0;
        let entries = std::fs::read_dir(&folder).expect("a folder");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "isa")) {
            let text = std::fs::read_to_string(path).expect("a file of text");
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = match planted(kind, &text) {
                Some(text) => {
                    found += 1;
                    text
                }
                None => text,
            };
            texts.push((name, text));
        }
        assert_eq!(found, 1, "{}: no place", kind.name);
        let (sources, mut compilation) = compile(&texts);
        compilation.diagnostics.apply(&Levels::default());
        let own: Vec<_> =
            compilation.diagnostics.iter().filter(|d| !is_echo(kind, d.code)).collect();
        let is_error = kind.code.severity() == Severity::Error;
        // A field may be declared once per generation.
        let is_right = !own.is_empty()
            && compilation.family.is_none() == is_error
            && own.iter().all(|found| {
                // How the place is laid out does not matter.
                let text: Vec<&str> = sources.text(found.primary.span).split_whitespace().collect();
                found.code == kind.code && text.join(" ").starts_with(kind.at)
            });
        if !is_right {
            let shown: Vec<String> = own
                .iter()
                .map(|d| format!("{} at `{}`: {}", d.code, sources.text(d.primary.span), d.message))
                .collect();
            faults.push(format!("{} in {}: {shown:#?}", kind.name, kind.folder));
        }
    }
    assert!(KINDS.len() >= 20);
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), KINDS.len(), faults.join("\n"));
}
