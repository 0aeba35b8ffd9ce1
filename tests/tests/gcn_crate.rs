//! The crate of GCN: values that differ by generation, literals, and that every choice of parts
//! compiles.

use isadl::isa::{Isa, Merged, Selection};
use isadl_test_support::family;

#[test]
fn values_that_differ_by_generation_are_of_one_type() {
    use gcn::{
        EncodeError, Field, Generation, Inst, Literal32, Opcode, VOP2Source, VectorRegister,
    };
    let [v1, v2] = [1, 2].map(|number| VectorRegister::v(number).expect("a register"));
    let flat: VOP2Source = "flat_scratch_lo".parse().expect("a name");
    let bits = Generation::ALL.iter().map(|generation| flat.bits_in(*generation));
    assert_eq!(bits.collect::<Vec<_>>(), [None, Some(104), Some(102), Some(102)]);
    for generation in Generation::ALL.iter().copied() {
        let built = Inst::v_add_f32_e32(generation, v1, flat, v2);
        let Some(bits) = flat.bits_in(generation) else {
            let opcode = Opcode::V_ADD_F32_E32;
            assert_eq!(built, Err(EncodeError::IllegalValue { opcode, field: Field::src0 }));
            continue;
        };
        let inst = built.expect("the generation has the register");
        assert_eq!(inst.get(Field::src0), Some(bits));
        assert_eq!(VOP2Source::from_bits_in(generation, bits), Some(flat));
        assert_eq!(inst.text().as_str(), "v_add_f32_e32 v1, flat_scratch_lo, v2");
        assert_eq!(Inst::parse(generation, inst.text().as_str()), Ok(inst));
        // The value that announces a literal is only for the form with a literal.
        assert!(Inst::v_add_f32_e32(generation, v1, VOP2Source::literal, v2).is_err());
        let literal = Literal32::from_bits(0x1234).expect("in range");
        let inst = Inst::v_add_f32_e32_literal(generation, v1, literal, v2).expect("legal");
        assert_eq!((inst.len(), inst.to_bytes().map(|bytes| bytes.len())), (8, Ok(8)));
        assert_eq!(inst.text().as_str(), "v_add_f32_e32 v1, 0x1234, v2");
        assert_eq!(Inst::parse(generation, "v_add_f32 v1, 0x1234, v2"), Ok(inst));
    }
    let lacking = Inst::from_values(Generation::GCN1_4, Opcode::V_LSHR_B32_E32, &[]);
    let opcode = Opcode::V_LSHR_B32_E32;
    let generation = Generation::GCN1_4;
    assert_eq!(lacking, Err(EncodeError::NotInGeneration { opcode, generation }));
}

/// Compiles a generated crate with warnings as errors.
pub(crate) fn assert_compiles(isa: &Merged, options: &isadl_codegen::rust::Options, name: &str) {
    let folder =
        std::env::temp_dir().join(format!("isadl-generations-{}-{name}", std::process::id()));
    isadl_codegen::rust::generate(isa, options).write(&folder).expect("writable");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let result = std::process::Command::new(rustc)
        .args(["--edition", "2024", "--crate-type", "lib", "--crate-name", "gcn"])
        .args(["--emit", "metadata", "-D", "warnings", "-o"])
        .arg(folder.join("out.rmeta"))
        .arg(folder.join("src/lib.rs"))
        .output()
        .expect("rustc runs");
    assert!(result.status.success(), "{name}: {}", String::from_utf8_lossy(&result.stderr));
    std::fs::remove_dir_all(&folder).expect("removable");
}

#[test]
fn every_choice_of_parts_compiles_without_warnings() {
    use isadl_codegen::rust::{Constructors, Emit, Options, Parts, Views};
    let group = isadl_test_support::group(family("spec/gcn"), "VOP3A");
    // A group has types and forms of all kinds; long runs take the whole.
    let isa = match isadl_test_support::count("ISADL_CRATES", 0) {
        0 => group.clone(),
        _ => isadl_test_support::gcn().merged(),
    };
    let all = Options::default();
    for bits in isadl_test_support::choices(3) {
        let part = |bit: u32| if bits >> bit & 1 == 1 { Emit::Yes } else { Emit::No };
        let parts = Parts { decode: part(0), encode: part(1), text: part(2), flow: part(1) };
        assert_compiles(&isa, &Options { parts, ..all.clone() }, &format!("parts-{bits}"));
    }
    let none = Options { constructors: Constructors::None, ..all.clone() };
    assert_compiles(&isa, &none, "no-constructors");
    assert_compiles(&isa, &Options { views: Views::PerOptype, ..all.clone() }, "views");
    assert_compiles(&group, &all, "group");
}

#[test]
fn some_generations_are_a_crate_too() {
    let all = isadl_codegen::rust::Options::default();
    for names in [&["GCN1_4"][..], &["GCN1_0", "GCN1_2"]] {
        let generations = names.iter().map(|name| name.to_string()).collect();
        let selection = Selection { generations, ..Selection::default() };
        let family = family("spec/gcn").select(&selection).expect("the generations are known");
        let isa = family.merged();
        assert_eq!(isa.items().generations(), names);
        let numbers = |isa: &Isa| {
            let opcodes = isa.opcodes().iter().map(|opcode| (opcode.name.clone(), opcode.number));
            opcodes.collect::<std::collections::BTreeMap<_, _>>()
        };
        // The remaining opcodes keep their numbers; those that the generations do not have are gone.
        let (some, every) =
            (numbers(isa.items()), numbers(isadl_test_support::gcn().merged().items()));
        assert!(some.iter().all(|(name, number)| every[name] == *number));
        assert_eq!(some.contains_key("V_LSHR_B32_E32"), names.contains(&"GCN1_0"));
        // A single generation does not need a name.
        let output = isadl_codegen::rust::generate(&isa, &all);
        assert_eq!(output.get("src/generation.rs").is_some(), names.len() > 1);
        assert_compiles(&isa, &all, names[0]);
    }
}

#[test]
fn what_is_selected_must_be_there() {
    let selection = |groups: &[&str], generations: &[&str]| Selection {
        groups: groups.iter().map(|name| name.to_string()).collect(),
        generations: generations.iter().map(|name| name.to_string()).collect(),
        ..Selection::default()
    };
    let refusal = |selection| {
        family("spec/gcn").select(&selection).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(refusal(selection(&["VOP2"], &["GCN1_0"])), Ok(()));
    assert_eq!(
        refusal(selection(&[], &["GCN9"])).unwrap_err(),
        "`GCN9` is not a generation; the generations are GCN1_0, GCN1_1, GCN1_2, GCN1_4"
    );
    assert!(refusal(selection(&["VOP9"], &[])).unwrap_err().starts_with("`VOP9` is not a group"));
}
