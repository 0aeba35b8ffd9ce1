//! Reads and writes of instructions: lines with their uses, as goldens; and properties that every instruction of two
//! instruction sets must have.

use isadl::engine::{Effect, Resource};
use isadl::isa::{FlowPlace, Meaning, RegFileId, TypeKind};
use isadl_test_support::{Random, Set, gcn, golden, root, simt, words};

/// The uses of each line of a fixture, below it.
fn uses(isa: &Set, lines: &str) -> String {
    let mut text = String::new();
    for line in lines.lines().filter(|line| !line.starts_with("    ")) {
        text += line;
        text.push('\n');
        if line.starts_with("//") || line.is_empty() {
            continue;
        }
        let inst = isa.assemble(line).unwrap_or_else(|error| panic!("`{line}`: {error}"));
        for found in isa.flow(inst) {
            let resource = isa.resource_text(found.resource);
            text += &format!("    {} {resource}\n", found.effect.name());
        }
    }
    text
}

fn check(isa: &Set, name: &str) {
    let path = root().join("tests/fixtures/flow").join(name);
    let lines = std::fs::read_to_string(&path).expect("the fixture is there");
    golden(&path, &uses(isa, &lines));
}

#[test]
fn lines_of_simt_have_their_uses() {
    check(simt(), "simt.txt");
}

#[test]
fn lines_of_gcn_have_their_uses() {
    let family = gcn();
    for generation in ["GCN1_0", "GCN1_4"] {
        let isa = family.generation(generation).expect("it is a generation");
        check(isa, &format!("{}.txt", generation.to_lowercase()));
    }
}

/// Whether a resource has a register of a file.
fn has(resource: Resource, wanted: RegFileId, number: u32) -> bool {
    let Resource::Registers { file, first, count } = resource else { return false };
    file == wanted && (first..first + count).contains(&number)
}

/// Registers exist, constants are never among them, and every operand field with a register
/// occurs in some use.
#[test]
fn uses_are_registers_that_exist() {
    let family = gcn();
    let simt = simt();
    for isa in family.isas().iter().chain([simt]) {
        let mut random = Random::new(41);
        for id in isa.opcode_ids() {
            for _ in 0..20 {
                let Some(inst) = words::instruction(isa, id, &mut random) else { continue };
                let uses = isa.flow(inst);
                for found in &uses {
                    if let Resource::Registers { file, first, count } = found.resource {
                        let file = &isa.reg_files()[file.index()];
                        assert!(count > 0 && first + count <= file.count, "{found:?}");
                    }
                }
                let opcode = isa.opcode(id);
                for operand in &opcode.operands {
                    let isadl::isa::OperandLocation::Field(name) = operand.place else { continue };
                    let Some(field) = opcode.field(name) else { continue };
                    let TypeKind::Operand(entries) = &isa.ty(field.ty).kind else { continue };
                    // What happens only in some words need not happen in this one.
                    let is_conditional = opcode.flow.iter().any(|item| {
                        item.place == FlowPlace::Field(name) && item.condition.is_some()
                    });
                    if is_conditional {
                        continue;
                    }
                    let raw = field.extract(inst.word);
                    let entry = entries.iter().find_map(|e| Some((e, e.position(raw)?)));
                    let (entry, position) = entry.expect("a legal word");
                    let is_used = uses.iter().any(|found| match &entry.meaning {
                        Meaning::Registers { file, first, align, .. } => {
                            let number = first + position as u32;
                            has(found.resource, *file, number - number % align)
                        }
                        Meaning::Register { file, number, .. } => {
                            has(found.resource, *file, *number)
                        }
                        Meaning::Special(name) => {
                            matches!(found.resource, Resource::Special(_))
                                && isa.resource_text(found.resource) == *name
                        }
                        _ => true,
                    });
                    let is_resource = matches!(
                        entry.meaning,
                        Meaning::Registers { .. } | Meaning::Register { .. } | Meaning::Special(_)
                    );
                    let name = isa.name_of(name);
                    assert!(is_used || !is_resource, "{name} of {}: {uses:?}", isa.text(inst));
                }
            }
        }
    }
}

/// An operand that reaches beyond its file is legal unless a rule forbids it: text has all of it,
/// data flow the registers that exist.
#[test]
fn operands_that_reach_beyond_their_file_are_cut() {
    let isa = simt();
    let line = "IMAD.WIDE R[254:255], R2, R3, R[4:5]";
    let ours = isa.assemble(line).expect("an instruction");
    assert_eq!(isa.text(ours), line);
    assert_eq!(isa.decode(ours.word), Ok(ours));
    let writes = |resource: Resource| isa.resource_text(resource);
    let found = isa.flow(ours).into_iter().find(|found| found.effect.writes());
    assert_eq!(found.map(|found| writes(found.resource)).as_deref(), Some("GPR[254]"));
    let theirs: simt::Inst = line.parse().expect("an instruction");
    assert_eq!((theirs.word(), theirs.to_string()), (ours.word, line.to_string()));
    let found = theirs.writes().next().expect("it writes");
    assert_eq!(found.resource.to_string(), "GPR[254]");
}

#[test]
fn effects_say_what_they_are() {
    assert!(Effect::ReadConditionalWrite.reads() && Effect::ReadConditionalWrite.writes());
    assert!(!Effect::ConditionalWrite.overwrites() && Effect::Write.overwrites());
    assert!(!Effect::Write.reads() && !Effect::ConditionalRead.writes());
}

/// The meaning of LLVM's name of a register, register by register.
fn units(name: &str) -> Vec<String> {
    let name = name.trim_start_matches('=');
    let name =
        ["_gfx9plus", "_gfxpre11", "_vi"].iter().fold(name, |name, end| name.trim_end_matches(end));
    let pair = |file: &str| vec![format!("{file}[0]"), format!("{file}[1]")];
    let half = |name: &str| {
        let (file, half) = name.rsplit_once('_')?;
        let number = ["LO", "HI"].iter().position(|known| *known == half)?;
        let file = match file {
            "FLAT_SCR" => "flat_scratch".to_string(),
            _ => file.to_ascii_lowercase(),
        };
        Some(vec![format!("{file}[{number}]")])
    };
    match name {
        "VCC" | "EXEC" | "XNACK_MASK" => pair(&name.to_ascii_lowercase()),
        "FLAT_SCR" => pair("flat_scratch"),
        "MODE" => vec!["MODE[0]".to_string()],
        "M0" => vec!["m0".to_string()],
        "LDS_DIRECT" => vec!["src_lds_direct".to_string()],
        // LLVM has the lower halves of apertures as registers.
        _ if name.starts_with("SRC_") => {
            vec![name.trim_end_matches("_LO").to_ascii_lowercase()]
        }
        _ if ["VGPR", "SGPR", "TTMP"].iter().any(|file| name.starts_with(file)) => {
            let number =
                |part: &str| part.trim_start_matches(|c: char| !c.is_ascii_digit()).to_string();
            name.split('_').map(|part| format!("{}[{}]", &part[..4], number(part))).collect()
        }
        _ => half(name).unwrap_or_else(|| vec![format!("unknown {name}")]),
    }
}

/// Our uses of an instruction, register by register.
fn own_units(isa: &Set, inst: isadl::engine::Inst, is_of: fn(Effect) -> bool) -> Vec<String> {
    let uses = isa.flow(inst).into_iter().filter(|found| is_of(found.effect));
    let mut units: Vec<String> = uses
        .flat_map(|found| match found.resource {
            Resource::Registers { file, first, count } => {
                let name = &isa.reg_files()[file.index()].name;
                (first..first + count).map(|number| format!("{name}[{number}]")).collect()
            }
            other => vec![isa.resource_text(other)],
        })
        .collect();
    units.sort();
    units.dedup();
    units
}

#[test]
fn gcn1_4_reads_and_writes_what_llvm_says() {
    let family = gcn();
    let isa = family.generation("GCN1_4").expect("it is a generation");
    let path = root().join("tests/fixtures/gcn/instr_desc.tsv");
    let text = std::fs::read_to_string(&path).expect("the descriptions are committed");
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let bytes: Vec<u8> = (0..columns[0].len() / 2)
            .map(|at| u8::from_str_radix(&columns[0][2 * at..2 * at + 2], 16).expect("hexadecimal"))
            .collect();
        let (inst, _) = isa.decode_bytes(&bytes).expect("it is legal");
        count += 1;
        let expected = |column: &str| {
            let mut units: Vec<String> = column.split_whitespace().flat_map(units).collect();
            units.sort();
            units.dedup();
            units
        };
        for (is_of, column) in [(Effect::writes as fn(Effect) -> bool, 2), (Effect::reads, 3)] {
            let (ours, theirs) = (own_units(isa, inst, is_of), expected(columns[column]));
            if ours != theirs {
                wrong.push(format!(
                    "{}: {ours:?}, LLVM ({}): {theirs:?}",
                    isa.text(inst),
                    columns[1]
                ));
            }
        }
    }
    assert!(count > 900, "{count} instructions");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

const CONDITIONAL: &str = r#"__DefIsa SMALL<16>

__DefRegFile GPR<32, 16>

__DefRegFile STATUS<32, 4>

__DefOperandType Reg<4>
    r[0..15] = 0 : GPR;

__DefGroup ALL : []

__DefOpcode SWAP : [ALL]
  __Encoding
    fixed[3:0] == 1;
    field[7:4] Reg rd;
    field[11:8] Reg ra;
    field[15:12] Reg rb;
  __OperandInfo
    Operands<out rd : 32, in ra : 32, in rb : 32>;
    Writes<rb if if(rd == "r0", ra, rb) != 3, STATUS[1] if ra == "r1">;
"#;

/// Conditional reads and writes are shown wherever data flow is shown.
#[test]
fn conditions_are_in_tables_manuals_and_differences() {
    let (sources, compilation) = isadl_test_support::compile(&[("small.isa", CONDITIONAL)]);
    let found: Vec<_> = compilation.diagnostics.iter().map(|found| &found.message).collect();
    let family = compilation.family.unwrap_or_else(|| panic!("{found:?}"));
    let tables = isadl_codegen::dataflow::generate(&family.merged());
    let rows: serde_json::Value =
        serde_json::from_str(tables.get("dataflow/dataflow.json").expect("it is there"))
            .expect("it is JSON");
    let rows = rows["opcodes"][0]["accesses"].as_array().expect("a list");
    let rows: Vec<(&str, &str, Option<&str>)> = rows
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str();
            (text("operand").unwrap_or_default(), text("access").unwrap_or_default(), text("if"))
        })
        .collect();
    let of_rb = "if(rd == \"r0\", ra, rb) != 3";
    let expected = [
        ("rd", "write", None),
        ("ra", "read", None),
        ("rb", "read", None),
        ("rb", "write", Some(of_rb)),
        ("STATUS[1]", "write", Some("ra == \"r1\"")),
    ];
    assert_eq!(rows, expected);
    let csv = tables.get("dataflow/dataflow.csv").expect("it is there");
    assert!(
        csv.lines()
            .nth(4)
            .is_some_and(|row| row.ends_with(",\"if(rd == \"\"r0\"\", ra, rb) != 3\"")),
        "{csv}"
    );
    assert!(csv.lines().nth(3).is_some_and(|row| row.ends_with(',')), "{csv}");
    let options = isadl_codegen::markdown::Options::new(&sources, &root().join("generated"));
    let manual = isadl_codegen::markdown::generate(&family, &[], &sources, &options);
    let pages = manual.files().filter(|(path, _)| path.ends_with("SWAP.md"));
    let manual: String = pages.map(|(_, text)| text).collect();
    assert!(manual.contains(&format!("read; write if `{of_rb}` |")), "{manual}");
    assert!(manual.contains("write if `ra == \"r1\"` |"), "{manual}");
}
