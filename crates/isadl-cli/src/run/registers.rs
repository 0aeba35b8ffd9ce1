//! The registers that a debugger sees: those that `debugger.toml` beside the specification lists, in the features that gdb knows; without
//! the file all that have names.

use std::collections::BTreeMap;
use std::path::PathBuf;

use isadl::isa::{Isa, Meaning, RegFileId, Register, RegisterNames};
use isadl_gdb::{Description, Feature};
use serde::Deserialize;

use crate::Failure;

/// What the file says about a generation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    architecture: Option<String>,
    #[serde(default)]
    steps_from_watch: bool,
    features: Vec<Listed>,
    /// Registers that are made of others.
    #[serde(default)]
    made: BTreeMap<String, Made>,
}

/// Registers that belong together.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    name: String,
    /// Names, also `x0..31` for several; `pc` is the address of the next instruction.
    registers: Vec<String>,
    /// gdb's types, by names or what they begin with.
    #[serde(default)]
    types: BTreeMap<String, String>,
}

/// A register made of others, each at its lowest bit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Made {
    bits: u32,
    parts: Vec<(String, u32)>,
}

/// A register that a debugger sees.
#[derive(Debug, Clone)]
pub(super) enum Seen {
    /// A register of a file, with its bits.
    Of(Register, u32),
    /// It is always 0.
    Zero(u32),
    /// The address of the next instruction.
    Pc(u32),
    /// Registers side by side: each with its bits, and where it begins.
    Made(u32, Vec<(Register, u32, u32)>),
}

impl Seen {
    pub(super) fn bits(&self) -> u32 {
        match self {
            Seen::Of(_, bits) | Seen::Zero(bits) | Seen::Pc(bits) | Seen::Made(bits, _) => {
                bits.next_multiple_of(8)
            }
        }
    }
}

/// What a debugger has to know, and the registers in the order of the description.
pub(super) fn description(
    isa: &Isa,
    file: Option<(PathBuf, Vec<u8>)>,
) -> Result<(Description, Vec<Seen>), Failure> {
    let Some((path, content)) = file else { return Ok(all(isa)) };
    let refused = |what: String| Failure::Usage(format!("{}: {what}", path.display()));
    let text = String::from_utf8(content).map_err(|error| refused(error.to_string()))?;
    let mut targets: BTreeMap<String, Target> =
        toml::from_str(&text).map_err(|error| refused(error.to_string()))?;
    let own = isa.generation_names(isa.describes()).find_map(|name| targets.remove(name));
    let Some(target) = own.or_else(|| targets.remove("all")) else { return Ok(all(isa)) };
    let names = RegisterNames::of(isa);
    let (mut seen, mut features, mut pc) = (Vec::new(), Vec::new(), None);
    for listed in &target.features {
        let mut registers = Vec::new();
        for name in listed.registers.iter().flat_map(|name| several(name)) {
            let one = found(isa, &names, &target, &name)
                .ok_or_else(|| refused(format!("there is no register `{name}`")))?;
            if matches!(one, Seen::Pc(_)) {
                pc = Some(seen.len());
            }
            let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            let kind = listed.types.get(&name).or_else(|| listed.types.get(letters)).cloned();
            let bits = one.bits();
            registers.push(isadl_gdb::Register { name, bits, kind, group: None });
            seen.push(one);
        }
        features.push(Feature { name: listed.name.clone(), registers });
    }
    let pc = pc.ok_or_else(|| refused("no feature has the register `pc`".to_string()))?;
    let (architecture, steps_from_watch) = (target.architecture, target.steps_from_watch);
    Ok((Description { architecture, features, pc, steps_from_watch }, seen))
}

/// `x0..31` as names.
fn several(name: &str) -> Vec<String> {
    let range = name.split_once("..").and_then(|(first, last)| {
        let letters = first.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let (first, last) = (first[letters.len()..].parse().ok()?, last.parse::<u32>().ok()?);
        Some((letters, first, last))
    });
    match range {
        Some((letters, first, last)) if last < 4096 => {
            (first..=last).map(|number: u32| format!("{letters}{number}")).collect()
        }
        _ => vec![name.to_string()],
    }
}

fn width(isa: &Isa, register: Register) -> u32 {
    isa.reg_files()[register.file.index()].width
}

fn found(isa: &Isa, names: &RegisterNames<'_>, target: &Target, name: &str) -> Option<Seen> {
    if let Some(made) = target.made.get(name) {
        let part = |(name, low): &(String, u32)| {
            let register = names.find(name)?;
            Some((register, width(isa, register), *low))
        };
        let parts: Option<Vec<_>> = made.parts.iter().map(part).collect();
        return Some(Seen::Made(made.bits, parts?));
    }
    if name == "pc" {
        return Some(Seen::Pc(isa.elf().class()));
    }
    if let Some(register) = names.find(name) {
        return Some(Seen::Of(register, width(isa, register)));
    }
    let constant = isa.types().iter().find_map(|ty| match ty.named(name)?.0.meaning {
        Meaning::Constant { file, .. } => Some(isa.reg_files()[file.index()].width),
        _ => None,
    });
    constant.map(Seen::Zero)
}

/// All registers, in a feature for each file.
fn all(isa: &Isa) -> (Description, Vec<Seen>) {
    let names = RegisterNames::of(isa);
    let bits = isa.elf().class();
    let pc = isadl_gdb::Register { name: "pc".to_string(), bits, ..Default::default() };
    let mut features = vec![Feature { name: "isadl.pc".to_string(), registers: vec![pc] }];
    let mut seen = vec![Seen::Pc(bits)];
    for (at, file) in isa.reg_files().iter().enumerate() {
        let mut registers = Vec::new();
        for number in 0..file.count {
            let register = Register { file: RegFileId::new(at), number };
            let one = Seen::Of(register, file.width);
            let (name, bits) = (names.name(register), one.bits());
            registers.push(isadl_gdb::Register { name, bits, ..Default::default() });
            seen.push(one);
        }
        features.push(Feature { name: format!("isadl.{}", file.name), registers });
    }
    (Description { features, ..Default::default() }, seen)
}
