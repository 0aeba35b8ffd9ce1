//! Selections of generations and groups: the selected part reads, writes and refuses the same as the
//! whole instruction set, and does not mention anything that is not selected.

use std::collections::BTreeSet;

use isadl::engine::DecodeError;
use isadl::isa::{FieldRole, Isa, Origin, Selection};
use isadl_codegen::rust::{Options, generate};
use isadl_test_support::lines::{examples, mutated};
use isadl_test_support::{Random, Set, Sets, count, family, gcn, words};

fn selected(groups: &[&str], generations: &[&str]) -> Sets {
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let selection = Selection {
        groups: names(groups),
        generations: names(generations),
        ..Selection::default()
    };
    family("spec/gcn").select(&selection).expect("the names are known").into()
}

/// The result of decoding bytes, in a form that is the same in every selection: the instruction's name, number, word,
/// length, text and broken rule for assemblers, or the reason why there is none.
fn reading(isa: &Set, bytes: &[u8]) -> Result<String, String> {
    let opcode = |id| &isa.opcode(id).name;
    let rule = |id| &isa.rule(id).message;
    match isa.decode_bytes(bytes) {
        Ok((inst, length)) => {
            let (name, number) = (opcode(inst.opcode), isa.opcode(inst.opcode).number);
            let advice = isa.advice(inst).map(rule);
            let text = isa.text(inst);
            Ok(format!("{name} {number} {:x} {length} {text} {advice:?}", inst.word))
        }
        Err(DecodeError::IllegalValue { opcode: id, field }) => {
            Err(format!("{}: {}", opcode(id), isa.name_of(field)))
        }
        Err(DecodeError::Rule { opcode: id, rule: broken }) => {
            Err(format!("{}: {}", opcode(id), rule(broken)))
        }
        Err(other) => Err(format!("{other:?}")),
    }
}

/// The result of assembling a line: the instruction's name and bytes. Errors may name other
/// generations.
fn assembled(isa: &Set, line: &str) -> Option<(String, Vec<u8>)> {
    let inst = isa.assemble(line).ok()?;
    let opcode = isa.opcode(inst.opcode);
    let bytes = inst.word.to_le_bytes()[..opcode.width as usize / 8].to_vec();
    Some((opcode.name.clone(), bytes))
}

/// Bytes that are likely to be near an instruction.
fn near_instruction(isa: &Set, random: &mut Random) -> Vec<u8> {
    let opcode = &isa.opcodes()[random.below(isa.opcodes().len() as u64) as usize];
    let word = random.next_u128() & !opcode.mask | opcode.value;
    let noise = random.next_u128() & random.next_u128() & random.next_u128();
    let word = if random.below(8) == 0 { word ^ (opcode.mask & noise) } else { word };
    // Some end too soon.
    let length = isa.bytes() - if random.below(16) == 0 { isa.bytes() / 2 } else { 0 };
    word.to_le_bytes()[..length].to_vec()
}

#[test]
fn a_generation_alone_is_what_it_is_among_others() {
    let all = gcn();
    let tries = count("ISADL_WORDS", 40_000) / 4;
    for name in all.generations() {
        let whole = all.generation(name).expect("the name is known");
        let part = selected(&[], &[name]);
        let [part] = part.isas() else { panic!("{name} is one generation") };
        assert_eq!(part.generations(), [name.as_str()]);
        let mut random = Random::new(28);
        let mut legal = 0;
        for _ in 0..tries {
            let bytes = near_instruction(whole, &mut random);
            let (ours, theirs) = (reading(whole, &bytes), reading(part, &bytes));
            assert_eq!(ours, theirs, "{name}: {bytes:02x?}");
            legal += usize::from(ours.is_ok());
        }
        assert!(legal > tries / 4, "{name}: only {legal} of {tries} words are instructions");
        // Every opcode, and its text back.
        for id in whole.opcode_ids() {
            // Two opcodes only recognise words that are not described, and do not have instructions.
            let Some(inst) = words::instruction(whole, id, &mut random) else { continue };
            let bytes = inst.word.to_le_bytes();
            assert_eq!(reading(whole, &bytes), reading(part, &bytes));
            let text = whole.text(inst);
            // The text of a word that only breaks a rule for assemblers does not assemble.
            assert!(assembled(whole, &text).is_some() || whole.advice(inst).is_some(), "{text}");
            assert_eq!(assembled(whole, &text), assembled(part, &text), "{name}: {text}");
        }
        for line in examples(whole) {
            for _ in 0..4 {
                let line = mutated(&line, &mut random);
                assert_eq!(assembled(whole, &line), assembled(part, &line), "{name}: {line}");
            }
        }
    }
}

#[test]
fn instructions_of_a_group_are_what_they_are_among_others() {
    let all = gcn();
    let part = selected(&["VOP3B"], &[]);
    for (whole, part) in all.isas().iter().zip(part.isas()) {
        assert!(part.opcodes().len() < whole.opcodes().len());
        let mut random = Random::new(29);
        for opcode in part.opcodes() {
            let same = |id: &_| whole.opcode(*id).name == opcode.name;
            let id = whole.opcode_ids().find(same).expect("the whole has what the part has");
            for _ in 0..50 {
                let Some(inst) = words::instruction(whole, id, &mut random) else { continue };
                let bytes = inst.word.to_le_bytes();
                assert_eq!(reading(whole, &bytes), reading(part, &bytes));
                let text = whole.text(inst);
                assert_eq!(assembled(whole, &text), assembled(part, &text), "{text}");
            }
        }
    }
}

#[test]
fn what_is_left_without_opcodes_is_not_there() {
    for (groups, generations) in [
        (&["VOP3B"][..], &["GCN1_4"][..]),
        (&["VOP3B"], &[]),
        (&["VOP2_F16", "REVERSED"], &[]),
        (&[], &["GCN1_0", "GCN1_2"]),
    ] {
        let (all, part) = (gcn(), selected(groups, generations));
        let pairs = part.isas().iter().map(|isa| {
            let name = isa.generation_names(isa.describes()).next().expect("a generation");
            (all.generation(name).expect("the name is known"), isa)
        });
        for (whole, part) in pairs {
            check_selection(whole, part);
        }
        let merged = part.merged();
        let merged = merged.items();
        let used = used_groups(merged);
        assert!(merged.groups().iter().all(|group| used.contains(group.name.as_str())));
    }
}

fn group_names<'i>(isa: &'i Isa, ids: &[isadl::isa::GroupId]) -> Vec<&'i str> {
    ids.iter().map(|id| isa.groups()[id.index()].name.as_str()).collect()
}

fn used_groups(isa: &Isa) -> BTreeSet<&str> {
    isa.opcodes().iter().flat_map(|opcode| group_names(isa, &opcode.groups)).collect()
}

/// A part has the same groups, operations and fields as the whole, and each has an opcode.
fn check_selection(whole: &Set, part: &Set) {
    let used = used_groups(part);
    for group in part.groups() {
        assert!(used.contains(group.name.as_str()), "no opcode is of {}", group.name);
        let same = whole.groups().iter().find(|other| other.name == group.name);
        let same = same.expect("the whole has what the part has");
        assert_eq!(group_names(part, &group.parents), group_names(whole, &same.parents));
    }
    for optype in part.optypes() {
        assert!(!optype.opcodes.is_empty(), "no opcode is of {}", optype.name);
        let same = whole.optypes().iter().find(|other| other.name == optype.name);
        let same = same.expect("the whole has what the part has");
        assert_eq!(group_names(part, &optype.groups), group_names(whole, &same.groups));
    }
    let used: BTreeSet<_> = part.opcodes().iter().flat_map(|opcode| &opcode.rules).collect();
    assert_eq!(used.len(), part.rules().len());
    for opcode in part.opcodes() {
        let id = whole.opcode_ids().find(|id| {
            let other = whole.opcode(*id);
            other.name == opcode.name && other.literals == opcode.literals
        });
        let same = whole.opcode(id.expect("the whole has what the part has"));
        assert_eq!(group_names(part, &opcode.groups), group_names(whole, &same.groups));
        let optypes = |isa: &Set, opcode: &isadl::isa::Opcode| -> Vec<String> {
            let names = opcode.optypes.iter().map(|id| isa.optypes()[id.index()].name.clone());
            names.collect()
        };
        assert_eq!(optypes(part, opcode), optypes(whole, same));
        let rules = |isa: &Set, opcode: &isadl::isa::Opcode| -> Vec<String> {
            opcode.rules.iter().map(|id| isa.rule(*id).message.clone()).collect()
        };
        assert_eq!(rules(part, opcode), rules(whole, same));
        let fields = |isa: &Set, opcode: &isadl::isa::Opcode| -> Vec<(String, FieldRole, String)> {
            let origin = |origin| match origin {
                Origin::Group(id) => group_names(isa, &[id])[0].to_string(),
                Origin::Optype(id) => isa.optypes()[id.index()].name.clone(),
                Origin::Opcode => String::new(),
            };
            let fields = opcode.fields.iter();
            fields.map(|f| (isa.name_of(f.name).to_string(), f.role, origin(f.origin))).collect()
        };
        assert_eq!(fields(part, opcode), fields(whole, same));
    }
}

/// The public functions of some generated files: names, and what getters return.
fn functions(isa: &isadl::isa::Merged) -> BTreeSet<String> {
    let output = generate(isa, &Options::default());
    let mut found = BTreeSet::new();
    for path in ["src/inst.rs", "src/construct.rs"] {
        let text = output.get(path).expect("it is generated");
        for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("pub const fn "))
        {
            let (name, rest) = line.split_once('(').expect("a function");
            let is_getter = rest.starts_with("self) -> Option<");
            found.insert(if is_getter { format!("{name} {rest}") } else { name.to_string() });
        }
    }
    for path in ["src/types.rs", "src/opcode.rs"] {
        let text = output.get(path).expect("it is generated");
        let types = text.lines().filter_map(|line| line.strip_prefix("pub struct "));
        found.extend(
            types.filter_map(|line| line.split_once('(')).map(|(name, _)| name.to_string()),
        );
    }
    found
}

#[test]
fn names_do_not_depend_on_the_selection() {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<String>>();
    let extensions =
        |set: &[&str]| Selection { extensions: Some(names(set)), ..Selection::default() };
    let groups = |set: &[&str]| Selection { groups: names(set), ..Selection::default() };
    let generations = |set: &[&str]| Selection { generations: names(set), ..Selection::default() };
    let of_riscv = vec![
        extensions(&[]),
        extensions(&["C"]),
        extensions(&["M", "A"]),
        groups(&["C"]),
        generations(&["RV32"]),
    ];
    let of_gcn = gcn().generations().iter().map(|name| generations(&[name])).collect();
    for (folder, selections) in [("spec/riscv", of_riscv), ("spec/gcn", of_gcn)] {
        let whole = functions(&family(folder).merged());
        for selection in selections {
            let part = family(folder).select(&selection).expect("it is allowed");
            let part = functions(&part.merged());
            let other: Vec<&String> = part.difference(&whole).collect();
            assert!(part.len() > 30 && other.is_empty(), "{selection:?}: {other:?}");
        }
    }
}

/// The smallest case: `rd` has one type without the extension, and two with it.
#[test]
fn a_getter_keeps_its_name_when_an_extension_is_added() {
    let text = "__DefIsa X<16>\n    Extensions<C>;\n\n__DefRegFile R<32, 8>\n\n__DefOperandType Reg<3>\n    \
                r[0..7] = 0 : R;\n\n__DefOperandType Near<2>\n    r[4..7] = 0 : R;\n\n__DefImmediate Code<4>\n    \
                Number = unsigned;\n\n__DefGroup ALL : []\n\n__DefOpcode ADD : [ALL]\n  __Encoding\n    \
                field<0, 4> Code code == 1;\n    field<4, 3> Reg rd;\n    zero[15:7];\n  __OperandInfo\n    \
                Operands<out rd : 32>;\n\n__DefOpcode SMALL : [ALL] @[C]\n  __Encoding\n    \
                field<0, 4> Code code == 2;\n    field<4, 2> Near rd;\n    zero[15:6];\n  __OperandInfo\n    \
                Operands<out rd : 32>;\n";
    for extensions in [vec![], vec!["C".to_string()]] {
        let (_, compilation) = isadl_test_support::compile(&[("x.isa", text)]);
        let selection = Selection { extensions: Some(extensions), ..Selection::default() };
        let family = compilation.family.expect("it compiles").select(&selection);
        let found = functions(&family.expect("it is allowed").merged());
        assert!(found.contains("rd_reg self) -> Option<Reg> {"), "{found:?}");
    }
}

/// An extension includes its implied extensions, so that a decoder for it knows its instructions.
#[test]
fn the_constants_of_extensions_have_what_they_imply() {
    let isa = family("spec/riscv").merged();
    let known = isa.items().extensions();
    let output = generate(&isa, &Options::default());
    let text = output.get("src/extensions.rs").expect("it is generated");
    let mut implies = 0;
    for (bit, name) in known.names.iter().enumerate() {
        let bits = known.closed(1 << bit);
        implies += usize::from(bits != 1 << bit);
        let constant =
            format!("pub const {}: Extensions = Extensions({bits});", name.to_uppercase());
        assert!(text.contains(&constant), "{constant}");
    }
    assert!(implies > 0);
}
