//! What programs run in: `__DefEnvironment`, from its text to the instruction sets of all generations.

use isadl::diagnostic::Code;
use isadl::isa::{Environment, Isa, Kept, KeptValue, Register, RegisterPart, Selection};
use isadl::prove::Effort;
use isadl_test_support::{compile, family as family_of, source_map};

use crate::format::format;

const TEXT: &str = "__DefIsa TEST<8>
    Generations<OLD, NEW>; Extensions<F>; Semantics<checked>;

__DefRegFile R<16, 8> @[OLD]
__DefRegFile STATUS<4, 1>
__DefRegFile R<32, 8> @[NEW]

__DefOperandType Reg<3>
    r[0..7] = 0 : R;

__DefOperandType Control<2>
    status = 0 : STATUS[0]; mode = 1; counter = 2 @[NEW];

__DefGroup ALL : []
  __Semantics
```isa
extern trap SystemCall
extern memory data[bits(16)]
extern Control : bits(16)
```

__DefInstructions : [ALL]
    ///= trap SystemCall
    CALL \"call\" [7:0] == 7;

__DefGroup OF_F : [ALL] @[F]
  __Semantics
```isa
extern trap Other
```
__DefInstructions : [OF_F]
    ///= trap Other
    OTHER \"other\" [7:0] == 15;

__DefOpcode READ : [ALL]
  __Encoding
    fixed[2:0] == 1; field[5:3] Reg rd; field[7:6] Control control;
  __OperandInfo
    Operands<rd, control>;
  __Semantics
```isa
rd = control
```

__DefEnvironment system
    Trap = SystemCall; Code = data;
    Number = R[7]; Arguments = R[0..1], R[3]; Result = R[0]; Stack = R[6];
    Register<mode> = R[1][9:8], STATUS; Initial<counter> = 0xffffffffffffffff @[NEW];
    Call<leave> = 1 @[OLD]; Call<leave> = 94 @[NEW]; Call<write> = 64;
  __Description
A system.

__DefEnvironment bare @[NEW]

__DefEnvironment of_extension
    Trap = Other;
";

fn family() -> isadl::isa::Family {
    let (_, compilation) = compile(&[("a.isa", TEXT)]);
    let found: Vec<_> = compilation.diagnostics.iter().map(|found| &found.message).collect();
    compilation.family.unwrap_or_else(|| panic!("{found:?}"))
}

fn names(isa: &Isa) -> Vec<&str> {
    isa.environments().iter().map(|one| one.name.as_str()).collect()
}

fn system(isa: &Isa) -> &Environment {
    isa.environments().iter().find(|one| one.name == "system").expect("it is there")
}

/// A register in words.
fn register(isa: &Isa, of: Register) -> String {
    let file = &isa.reg_files()[of.file.index()];
    format!("{}<{}>[{}]", file.name, file.width, of.number)
}

fn registers(isa: &Isa) -> String {
    let of = system(isa);
    let single = [of.number, of.result, of.stack].map(|one| one.expect("it is given"));
    let all = single.into_iter().chain(of.arguments.iter().copied());
    all.map(|one| register(isa, one)).collect::<Vec<_>>().join(" ")
}

fn calls(isa: &Isa) -> Vec<(&str, u64)> {
    system(isa).calls.iter().map(|(name, number)| (name.as_str(), *number)).collect()
}

#[test]
fn each_generation_has_its_own() {
    let family = family();
    let [old, new] = family.isas() else { panic!("two generations") };
    assert_eq!(
        (names(old), names(new)),
        (vec!["system", "of_extension"], vec!["system", "bare", "of_extension"])
    );
    assert_eq!(registers(old), "R<16>[7] R<16>[0] R<16>[6] R<16>[0] R<16>[1] R<16>[3]");
    assert_eq!(registers(new), "R<32>[7] R<32>[0] R<32>[6] R<32>[0] R<32>[1] R<32>[3]");
    assert_eq!(
        (calls(old), calls(new)),
        (vec![("leave", 1), ("write", 64)], vec![("leave", 94), ("write", 64)])
    );
    assert_eq!(system(new).call_name(94), Some("leave"));
    assert_eq!(system(new).call_name(1), None);
    let own = system(new);
    assert_eq!((own.call.as_deref(), own.code.as_deref()), (Some("SystemCall"), Some("data")));
    assert_eq!(own.description, "A system.");
    let [mode, counter] = own.kept.as_slice() else { panic!("{:?}", own.kept) };
    let KeptValue::Registers(parts) = &mode.value else { panic!("{mode:?}") };
    let bits = |part: &RegisterPart| (register(new, part.register), part.low, part.width);
    let parts: Vec<_> = parts.iter().map(bits).collect();
    assert_eq!(parts, [("R<32>[1]".to_string(), 8, 2), ("STATUS<4>[0]".to_string(), 0, 4)]);
    let expected = Kept { name: "counter".to_string(), value: KeptValue::Initial(u64::MAX) };
    assert_eq!(*counter, expected);
    assert_eq!(system(old).kept.len(), 1);
    let bare = &new.environments()[1];
    assert_eq!((&bare.call, &bare.stack, bare.calls.len()), (&None, &None, 0));
}

#[test]
fn merged_and_selected() {
    let family = family();
    let merged = family.merged();
    // What differs by generation is there for each; register files are those of the merged set.
    assert_eq!(names(merged.items()), ["system", "of_extension", "system", "bare"]);
    let shown = |of: &Environment| register(merged.items(), of.number.expect("given"));
    let of_name = merged.items().environments().iter().filter(|one| one.name == "system");
    assert_eq!(of_name.map(shown).collect::<Vec<_>>(), ["R<16>[7]", "R<32>[7]"]);
    let generations = vec!["NEW".to_string()];
    let selected = family.select(&Selection { generations, ..Selection::default() });
    let selected = selected.expect("there is such a generation");
    assert_eq!(
        registers(selected.first()),
        "R<32>[7] R<32>[0] R<32>[6] R<32>[0] R<32>[1] R<32>[3]"
    );
}

#[test]
fn a_fixed_set_of_extensions_may_lack_what_is_named() {
    let sources = source_map(&[("a.isa", TEXT)]);
    for set in [&[][..], &["F".to_string()]] {
        let made = isadl::compile_for(&sources, Effort::Check, set).expect("the set is allowed");
        assert!(made.family.is_some(), "{set:?}: {:?}", made.diagnostics);
    }
    let wrong = TEXT.replace("Trap = Other", "Trap = Othr");
    let sources = source_map(&[("a.isa", wrong)]);
    for set in [&[][..], &["F".to_string()]] {
        let made = isadl::compile_for(&sources, Effort::Check, set).expect("the set is allowed");
        assert!(made.diagnostics.iter().any(|found| found.code == Code::E1233), "{set:?}");
        assert!(made.family.is_none());
    }
}

#[test]
fn the_layout_is_usual() {
    let wild = "__DefEnvironment   system@[NEW]\n  Trap=SystemCall;Arguments=R [ 0 .. 1 ],R[3] ;\n  \
                Register < mode >=R[1] [9 : 8],STATUS @ [ OLD ];Call<leave>=  1;\n";
    let expected = "__DefEnvironment system @[NEW]\n    Trap = SystemCall; Arguments = R[0..1], R[3];\n    \
                    Register<mode> = R[1][9:8], STATUS @[OLD]; Call<leave> = 1;\n";
    assert_eq!(format(wild).as_deref(), Some(expected));
    assert_eq!(format(TEXT).as_deref(), Some(TEXT));
}

#[test]
fn environments_of_the_specifications() {
    for (folder, generation, numbers) in [
        (
            "spec/riscv",
            Some("RV32"),
            [("exit_group", 94), ("mmap2", 222), ("clock_gettime64", 403)],
        ),
        ("spec/riscv", Some("RV64"), [("exit_group", 94), ("mmap", 222), ("clock_gettime", 113)]),
        ("spec/a64", None, [("exit_group", 94), ("mmap", 222), ("clock_gettime", 113)]),
    ] {
        let family = family_of(folder);
        let isa = match generation {
            Some(name) => family.generation(name).expect("it is declared"),
            None => family.first(),
        };
        let [linux] = isa.environments() else { panic!("{folder}: {:?}", names(isa)) };
        assert_eq!(linux.name, "linux");
        assert_eq!(linux.arguments.len(), 6);
        for (name, number) in numbers {
            assert_eq!(linux.call_name(number), Some(name), "{folder}");
        }
    }
}
