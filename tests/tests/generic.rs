//! Tools that work with any instruction set: the traits of `isadl-traits` give what the methods of
//! each generated crate give.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::Command;

use isadl::isa::Isa;
use isadl_codegen::rust::{Emit, ModuleHead, Options, Parts, Traits, generate, module};
use isadl_test_support::{Random, family, gcn, root};
use isadl_traits::{
    Complete, ExtensionSet, FlowControl, Generation, ParseError, RegisterFile, Resource, Use,
};

/// The example, as users read it.
#[path = "../examples/list.rs"]
#[allow(dead_code, reason = "its program is not run here")]
mod list;

/// Random words of every opcode of an instruction set, as bytes.
fn samples(isa: &Isa) -> Vec<Vec<u8>> {
    let mut random = Random::new(14);
    let mut samples = Vec::new();
    for opcode in isa.opcodes() {
        for _ in 0..40 {
            let word = random.next_u128() & !opcode.mask | opcode.value;
            samples.push(word.to_le_bytes()[..opcode.width as usize / 8].to_vec());
        }
    }
    samples
}

/// The facts that generic code finds about an instruction.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    opcode: String,
    length: usize,
    text: String,
    uses: Vec<String>,
    rejected: Option<String>,
}

fn shown<T: Display>(found: impl Iterator<Item = T>) -> Vec<String> {
    found.map(|found| found.to_string()).collect()
}

/// Takes an instruction through every trait.
fn checked<I: Complete>(generation: I::Generation, bytes: &[u8]) -> Option<Found> {
    let (inst, length) = I::decode(generation, bytes).ok()?;
    assert_eq!((inst.byte_count(), inst.is_in(generation)), (length, true));
    assert!((I::MIN_BYTES..=I::MAX_BYTES).contains(&length));
    assert_eq!(I::stream(generation, bytes).collect::<Vec<_>>(), [(0, Ok(inst))]);
    let text = inst.to_string();
    let mut room = vec![0; I::ROOM + 3];
    let end = inst.append_to(&mut room, 3).expect("there is room");
    assert_eq!(&room[3..end], text.as_bytes());
    assert_eq!(inst.append_to(&mut room, 4), None);
    let mut pieces = Vec::new();
    inst.tokens(|kind, piece| pieces.push((kind, piece.to_string())));
    assert_eq!(pieces.iter().map(|(_, piece)| piece.as_str()).collect::<String>(), text);
    let rejected = match inst.to_bytes() {
        Ok(written) => {
            // Bits that are ignored are written as 0, so the second time nothing changes.
            let (again, _) = I::decode(generation, written.as_ref()).expect("it decodes");
            assert_eq!((again, again.to_bytes().ok()), (inst, Some(written)));
            None
        }
        Err(error) => Some(error.to_string()),
    };
    let uses: Vec<Use<I::Memory>> = inst.uses().collect();
    let of = |is_of: fn(isadl_traits::Effect) -> bool| -> Vec<Use<I::Memory>> {
        uses.iter().copied().filter(|found| is_of(found.effect)).collect()
    };
    assert_eq!(inst.reads().collect::<Vec<_>>(), of(isadl_traits::Effect::reads));
    assert_eq!(inst.writes().collect::<Vec<_>>(), of(isadl_traits::Effect::writes));
    assert!(uses.iter().all(|found| found.resource.overlaps(&found.resource)));
    assert!(inst.is_with(I::Extensions::DEFAULT));
    let goes = inst.flow_control().is_some_and(|class| class == FlowControl::Branch);
    assert!(!goes || inst.target(0x1000).is_some(), "{inst} has a target");
    let opcode = inst.opcode_name().to_string();
    Some(Found { opcode, length, text, uses: shown(uses.iter()), rejected })
}

/// Compares what generic code finds with the methods of a crate; returns how many instructions
/// there were, and how many lines were read.
macro_rules! compare {
    ($krate:ident, $isa:expr, $generation:expr $(, $argument:expr)*) => {{
        let (mut count, mut lines) = (0, 0);
        for bytes in samples($isa) {
            let Some(found) = checked::<$krate::Inst>($generation, &bytes) else {
                assert!($krate::Inst::decode($($argument,)* &bytes).is_err());
                continue;
            };
            let (inst, length) = $krate::Inst::decode($($argument,)* &bytes).expect("it decodes");
            let expected = Found {
                opcode: inst.opcode().to_string(),
                length,
                text: inst.to_string(),
                uses: shown(inst.uses()),
                rejected: inst.to_bytes().err().map(|error| error.to_string()),
            };
            assert_eq!(found, expected);
            count += 1;
            let read = <$krate::Inst as isadl_traits::Parse>::parse($generation, &found.text);
            lines += usize::from(read == Ok(inst));
        }
        (count, lines)
    }};
}

#[test]
fn the_traits_give_what_the_methods_give() {
    let (count, lines) = compare!(simt, isadl_test_support::simt(), ());
    assert!(count > 1500 && lines * 10 > count * 9, "{lines} of {count}");
    for (isa, generation) in gcn().isas().iter().zip(gcn::Generation::ALL) {
        let (count, lines) = compare!(gcn, isa, *generation, *generation);
        assert!(count > 700 && lines * 10 > count * 4, "{lines} of {count} in {generation}");
    }
    // The traits use the default set.
    let family = isadl_test_support::riscv_with(&["most"]);
    for (isa, generation) in family.isas().iter().zip(riscv::Generation::ALL) {
        let extensions = riscv::Extensions::DEFAULT;
        let (count, lines) = compare!(riscv, isa, *generation, *generation, extensions);
        assert!(count > 20_000 && lines * 10 > count * 9, "{lines} of {count} in {generation}");
    }
    let (count, _) = compare!(odd, isadl_test_support::odd(), ());
    assert!(count > 150, "{count}");
}

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // Leftovers in a folder for temporary files are harmless.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles a file with warnings as errors, with the traits in reach.
fn compile(folder: &Path, name: &str, path: &Path, more: &[&str]) {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let result = Command::new(rustc)
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "-D", "warnings"])
        .args(["--crate-name", name])
        .args(more)
        .arg("-L")
        .arg(folder)
        .arg("-o")
        .arg(folder.join(format!("lib{name}.rmeta")))
        .arg(path)
        .output()
        .expect("rustc runs");
    assert!(result.status.success(), "{name}: {}", String::from_utf8_lossy(&result.stderr));
}

#[test]
fn every_choice_of_parts_implements_its_traits() {
    let name = format!("isadl-traits-{}", std::process::id());
    let folder = Folder(std::env::temp_dir().join(name));
    std::fs::create_dir_all(&folder.0).expect("writable");
    compile(&folder.0, "isadl_traits", &root().join("crates/isadl-traits/src/lib.rs"), &[]);
    let traits = Traits::Implemented;
    let sets = [
        family("tests/fixtures/odd").merged(),
        gcn().merged(),
        isadl_test_support::empty().merged(),
    ];
    for (index, isa) in sets.iter().enumerate() {
        // A large instruction set takes longer, and its parts are not other ones.
        let is_large = isa.items().opcodes().len() > 100;
        let choices = if is_large { vec![7] } else { isadl_test_support::choices(3) };
        for bits in choices {
            let part = |bit: u32| if bits >> bit & 1 == 1 { Emit::Yes } else { Emit::No };
            let parts = Parts { decode: part(0), encode: part(1), text: part(2), flow: part(0) };
            let options = Options { parts, traits, ..Options::default() };
            let place = folder.0.join(format!("crate-{index}-{bits}"));
            let code = generate(isa, &options);
            // The crate's file of packages names what its code uses.
            let manifest = code.get("Cargo.toml").expect("a crate has one");
            assert!(manifest.contains("isadl-traits = {"), "{manifest}");
            code.write(&place).expect("writable");
            let name = format!("crate_{index}_{bits}");
            let feature = ["--cfg", "feature=\"traits\"", "--extern", "isadl_traits"];
            let check = ["--check-cfg", "cfg(feature, values(\"traits\"))"];
            let lib = place.join("src/lib.rs");
            compile(&folder.0, &name, &lib, &[&feature[..], &check].concat());
        }
        let options = Options { traits, ..Options::default() };
        let head = ModuleHead { visibility: "pub".into(), name: "set".into() };
        let text = module(isa, &options, head).formatted();
        let uses = "/// The instructions.\npub fn all<I: isadl_traits::Complete>() {}\n\
                    /// Those of one set.\npub fn some() { all::<set::Inst>() }\n";
        let path = folder.0.join(format!("module_{index}.rs"));
        std::fs::write(&path, text + uses).expect("writable");
        let name = format!("module_{index}");
        compile(&folder.0, &name, &path, &["--extern", "isadl_traits"]);
    }
}

#[test]
fn the_version_of_the_traits_is_that_of_the_package() {
    let options = Options { traits: Traits::Implemented, ..Options::default() };
    let code = generate(&family("tests/fixtures/odd").merged(), &options);
    let manifest = code.get("Cargo.toml").expect("a crate has one");
    let (version, _) = env!("CARGO_PKG_VERSION").rsplit_once('.').expect("three numbers");
    assert!(manifest.contains(&format!("version = \"{version}\", optional")), "{manifest}");
}

/// The generations of an instruction set.
fn generations<I: Complete>() -> Vec<&'static str> {
    I::Generation::ALL.iter().map(|generation| generation.name()).collect()
}

#[test]
fn generations_are_found_by_name() {
    assert_eq!(generations::<simt::Inst>(), [""]);
    assert_eq!(generations::<gcn::Inst>(), ["GCN1_0", "GCN1_1", "GCN1_2", "GCN1_4"]);
    let find = <gcn::Generation as Generation>::from_name;
    assert_eq!((find("GCN1_2"), find("GCN9")), (Some(gcn::Generation::GCN1_2), None));
    assert_eq!(<()>::from_name(""), Some(()));
}

/// The byte where a line is wrong.
fn offset<I: Complete>(generation: I::Generation, line: &str) -> Option<usize> {
    I::parse(generation, line).err().map(|error| error.offset())
}

#[test]
fn errors_about_lines_tell_where() {
    assert_eq!(offset::<simt::Inst>((), "IADD R0, R2, R4"), None);
    assert_eq!(offset::<simt::Inst>((), "IADD R0, ?, R4"), Some(9));
    let generation = gcn::Generation::GCN1_4;
    assert_eq!(offset::<gcn::Inst>(generation, "v_add_f32 v1, ?, v2"), Some(14));
}

#[test]
fn resources_overlap_as_those_of_the_crates() {
    let file = |number, name| RegisterFile::new(number, name);
    let registers = |file, first, count| Resource::<u8>::Registers { file, first, count };
    let (general, other) = (file(0, "GPR"), file(1, "PR"));
    let pair = registers(general, 2, 2);
    for (resource, is_met) in [
        (registers(general, 3, 1), true),
        (registers(general, 4, 2), false),
        (registers(general, 0, 2), false),
        (registers(general, 0, u16::MAX), true),
        (registers(other, 2, 2), false),
        (Resource::Unknown { file: general }, true),
        (Resource::Unknown { file: other }, false),
        (Resource::Special("m0"), false),
        (Resource::Memory(1), false),
    ] {
        assert_eq!((pair.overlaps(&resource), resource.overlaps(&pair)), (is_met, is_met));
    }
    assert!(Resource::Memory(1).overlaps(&Resource::Memory(2)));
    assert!(!Resource::<u8>::Special("m0").overlaps(&Resource::Special("vcc")));
    assert_eq!(pair.registers().collect::<Vec<_>>(), [2, 3]);
    assert_eq!(shown([pair, Resource::Memory(7)].iter()), ["GPR[2:3]", "7"]);
}

#[test]
fn the_example_lists_any_instruction_set() {
    let inst: simt::Inst = "@P1 IADD R1, R2, R4".parse().expect("an instruction");
    let bytes = [&inst.to_bytes().expect("it is legal")[..], &[0xff; 16], &[0; 3]].concat();
    let listed = list::listing::<simt::Inst>((), &bytes);
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 3, "{listed}");
    assert!(lines[0].contains("@P1 IADD R1, R2, R4  // "), "{listed}");
    assert!(lines[0].contains("conditional write GPR[1]"), "{listed}");
    assert!(lines[1].starts_with("000010  ffff") && lines[1].contains("// "), "{listed}");
    assert!(lines[2].starts_with("000020  000000 ") && lines[2].contains("truncated"), "{listed}");
    let generation = gcn::Generation::GCN1_4;
    let lines = ["v_add_f32_e32 v1, s2, v3", "v_add_f32_e64 v1, v2, |s3|"];
    let bytes: Vec<u8> = lines
        .iter()
        .flat_map(|line| gcn::Inst::parse(generation, line).expect("an instruction").to_bytes())
        .flat_map(|bytes| bytes.to_vec())
        .collect();
    let listed = list::listing::<gcn::Inst>(generation, &bytes);
    let found: Vec<&str> = listed.lines().collect();
    assert_eq!(found.len(), 2, "{listed}");
    assert!(found[0].contains(lines[0]) && found[1].contains(lines[1]), "{listed}");
    assert!(found[1].starts_with("000004  "), "{listed}");
}
