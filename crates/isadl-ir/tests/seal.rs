//! An instruction set is made only of parts that fit together: each kind of misfit is planted, and refused.

use std::sync::Arc;

use isadl::isa::{
    Binding, ExprId, FlowItem, FlowPlace, GroupId, Isa, IsaParts, Kept, KeptValue, NameId,
    OpcodeId, OperandLocation, OptypeId, RegFileId, Register, RegisterPart, RuleId, TypeId,
};
use isadl::source::SourceMap;

const TEXT: &str = r#"
__DefIsa TINY<16>
__DefRegFile R<16, 16>
__DefOperandType Reg<4>
    r[0..15] = 0 : R;
__DefImmediate Code<4>
    Number = unsigned;
__DefImmediate Count<4>
    Number = unsigned;
__DefGroup ALL : []
__DefOptype SKIP : [ALL]
__DefOpcode SKIP_X : [SKIP]
  __Encoding
    field<0, 4> Code code == 7;
    field<4, 4> Count count;
    field<8, 4> Reg rs;
  __OperandInfo
    Operands<in rs, in count>;
    Reads<R[1] if count > 3>;
  __Exception
    EncodingError<Far, "too far"> = count > 9;
__DefAliases
    HOP : [SKIP_X] "hop" if count > 1 Order<rs, count>;
__DefEnvironment bare
    Stack = R[15];
"#;

fn isa() -> Isa {
    let mut sources = SourceMap::new();
    sources.add("tiny.isa", TEXT.as_bytes().to_vec());
    let compilation = isadl::compile(&sources);
    let found: Vec<_> = compilation.diagnostics.iter().collect();
    compilation.family.unwrap_or_else(|| panic!("{found:?}")).into_first()
}

fn parts(isa: &Isa) -> IsaParts {
    IsaParts {
        name: isa.name().to_string(),
        width: isa.width(),
        generations: isa.generations().to_vec(),
        describes: isa.describes(),
        extensions: isa.extensions().clone(),
        name_sets: isa.name_sets().to_vec(),
        modifiers: isa.modifiers(),
        placeholders: Vec::new(),
        comment_syntax: isa.comment_syntax().clone(),
        elf: isa.elf().clone(),
        environments: isa.environments().to_vec(),
        layout: isa.word_layout(),
        folds_case: isa.folds_case(),
        has_ranges: isa.has_ranges(),
        description: isa.description().to_string(),
        reg_files: isa.reg_files().to_vec(),
        types: isa.types().to_vec(),
        specials: isa.specials().to_vec(),
        names: isa.names().to_vec(),
        exprs: isa.exprs().to_vec(),
        rules: isa.rules().to_vec(),
        groups: isa.groups().to_vec(),
        optypes: isa.optypes().to_vec(),
        opcodes: isa.opcodes().to_vec(),
        outline: Arc::new(isa.outline().clone()),
    }
}

/// An index beyond every list of the instruction set.
const FAR: usize = 1000;

fn register(file: usize, number: u32) -> Register {
    Register { file: RegFileId::new(file), number }
}

/// A register that is made of the lowest bits of another.
fn kept(register: Register, width: u32) -> Kept {
    let part = RegisterPart { register, low: 0, width };
    Kept { name: "state".to_string(), value: KeptValue::Registers(vec![part]) }
}

#[test]
fn parts_that_fit_are_an_instruction_set() {
    let isa = isa();
    let made = Isa::seal(parts(&isa)).expect("the parts fit");
    assert_eq!(made.opcodes(), isa.opcodes());
    assert_eq!(made.rules(), isa.rules());
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    type Plant = fn(&mut IsaParts);
    let plants: [(&str, Plant); 20] = [
        ("condition of rule", |p| p.rules[0].condition = ExprId::new(FAR)),
        ("parent", |p| p.groups[0].parents.push(GroupId::new(FAR))),
        ("group", |p| p.optypes[0].groups.push(GroupId::new(FAR))),
        ("opcode", |p| p.optypes[0].opcodes.push(OpcodeId::new(FAR))),
        ("field of expression", |p| p.names.truncate(1)),
        ("expression of alias", |p| {
            p.opcodes[0].aliases[0].equal.push((NameId::new(0), ExprId::new(FAR)));
        }),
        ("expression of alias", |p| p.opcodes[0].aliases[0].condition = Some(ExprId::new(FAR))),
        ("width", |p| p.opcodes[0].width = 32),
        ("width", |p| p.opcodes[0].ignored |= 1 << 16),
        ("fixed bits", |p| p.opcodes[0].value |= 1 << 15),
        ("field", |p| p.opcodes[0].fields[0].name = NameId::new(FAR)),
        ("type of field", |p| p.opcodes[0].fields[0].ty = TypeId::new(FAR)),
        ("rule", |p| p.opcodes[0].rules.push(RuleId::new(FAR))),
        ("optype", |p| p.opcodes[0].optypes.push(OptypeId::new(FAR))),
        ("operand", |p| {
            p.opcodes[0].operands[0].place = OperandLocation::File(RegFileId::new(FAR))
        }),
        ("register", |p| p.environments[0].stack = Some(register(0, 16))),
        ("register", |p| p.environments[0].kept.push(kept(register(FAR, 0), 16))),
        ("bits of register", |p| p.environments[0].kept.push(kept(register(0, 0), 17))),
        ("data flow", |p| p.opcodes[0].flow[0].place = FlowPlace::File(RegFileId::new(FAR))),
        ("type of field", |p| p.opcodes[0].aliases[0].form.fields[0].ty = TypeId::new(FAR)),
    ];
    let isa = isa();
    for (number, (part, plant)) in plants.into_iter().enumerate() {
        let mut parts = parts(&isa);
        plant(&mut parts);
        let misfit = Isa::seal(parts).err().unwrap_or_else(|| panic!("{number}: {part}"));
        assert_eq!(misfit.part, part, "{number}: {misfit}");
        assert!(!misfit.of.is_empty(), "{number}");
    }
    assert!(isa.opcodes()[0].flow.iter().any(|item: &FlowItem| item.condition.is_some()));
    assert!(isa.opcodes()[0].fields.iter().any(|field| field.binding == Binding::Required));
}
