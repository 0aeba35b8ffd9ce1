//! The program with a generated module: a machine whose methods are those that the module's trait asks for.

use std::fmt::Write;

use isadl::isa::{Isa, RegFileId};
use isadl::semantics::Checked;
use isadl::semantics::program::Lanes;

/// The memories of all cases: instructions, which are not written, and data.
pub(super) const CODE: u64 = 0x1000;
pub(super) const DATA: u64 = 0x2000;
pub(super) const END: u64 = 0x5000;

/// The most instructions of a case that are executed.
pub(super) const STEPS: usize = 40;

/// A byte of a memory at the beginning, by its distance from the first.
pub(super) fn pattern(at: usize) -> u8 {
    (at * 37 + at / 256 * 11) as u8
}

/// The whole program.
pub(super) fn program(isa: &Isa, programs: &Checked, module: &str) -> String {
    let lanes = programs.lanes();
    let (path, body) = trait_of(module);
    let mut methods = String::new();
    for line in
        body.lines().map(str::trim).filter(|line| line.starts_with("fn ") && line.ends_with(';'))
    {
        methods += &method(isa, line);
    }
    let fetch = "fn fetch(&mut self, address: u64) -> Result<set::Inst, Stop> { \
         self.insts.get(&address).copied().ok_or(Stop::Outside) }";
    let mut files = String::new();
    for (at, file) in isa.reg_files().iter().enumerate() {
        let is_of_lanes = lanes.is_some_and(|lanes| lanes.files.contains(&RegFileId::new(at)));
        let pieces = if is_of_lanes { 0 } else { file.width.div_ceil(64) };
        let _ = write!(files, "({:?}, {}, {pieces}), ", file.name, file.count);
    }
    if lanes.is_some() {
        methods += &method(isa, "fn launched(&self) -> u64;");
    }
    let blocks = blocks(isa, lanes);
    let has_extensions = module.contains("mod extensions");
    // Some have no registers outside of files.
    let state = if body.contains("fn state(") { "" } else { "type State = u8;\n" };
    format!(
        "#![allow(warnings)]\n{module}\nuse set::exec::{path}*;\n{state}\
         const CODE: u64 = {CODE:#x};\nconst DATA: u64 = {DATA:#x};\nconst END: u64 = {END:#x};\nconst STEPS: usize = {STEPS};\n\
         const FILES: &[(&str, usize, usize)] = &[{files}];\n{blocks}{REGISTERS}{}\n{}\n\
         impl Machine for Vm {{\n    type Stop = Stop;\n{methods}}}\n\
         impl Fetch for Vm {{ {fetch} }}\n",
        BODY.replace("DECODE ", if has_extensions { "set::Extensions::DEFAULT, " } else { "" }),
        probed(isa, module),
    )
}

/// What the module says of the first access of an instruction: `None` if it does not say such things.
fn probed(isa: &Isa, module: &str) -> String {
    let is_wide = isa.reg_files().iter().any(|file| file.width > 128);
    let head = format!(
        "const IS_WIDE: bool = {is_wide};\n\
         fn probed(vm: &Vm, inst: set::Inst) -> Option<Option<(usize, u64, usize, bool)>> {{\n"
    );
    if !module.contains("pub fn effective_address(") {
        return head + "    None\n}";
    }
    let state = if module.contains("State(State)") {
        "Read::State(state) => vm.state(state).into(),"
    } else {
        ""
    };
    let space = if module.contains("pub space: Space") { "found.space as usize" } else { "0" };
    head + &format!(
        "    let read = |read: Read| -> u128 {{ match read {{\n        \
         Read::Register(register) => {{\n            \
         let at = FILES.iter().position(|file| file.0 == register.file.name()).unwrap();\n            \
         let file = &vm.files[at];\n            \
         assert!((register.number as usize) < file.count);\n            \
         let all = &file.values[register.number as usize * file.pieces..][..file.pieces];\n            \
         all[0] as u128 | (all.get(1).copied().unwrap_or(0) as u128) << 64\n        }}\n        {state}\n    }} }};\n    \
         let found = effective_address(inst, vm.pc, read);\n    \
         Some(found.map(|found| ({space}, found.address, found.bytes, found.is_store)))\n}}"
    )
}

const REGISTERS: &str = concat!("mod registers {\n", include_str!("registers.rs"), "}\n");

/// The type of the registers of lanes.
fn blocks(isa: &Isa, lanes: Option<&Lanes>) -> String {
    let files = isa.reg_files().iter().enumerate();
    let own =
        files.filter(|(at, _)| lanes.is_some_and(|all| all.files.contains(&RegFileId::new(*at))));
    let (mut fields, mut made, mut changed) = (String::new(), String::new(), String::new());
    for (at, file) in own {
        let ty = match file.width {
            ..=8 => "u8".to_string(),
            9..=16 => "u16".to_string(),
            17..=32 => "u32".to_string(),
            33..=64 => "u64".to_string(),
            65..=128 => "u128".to_string(),
            width => format!("[u64; {}]", width.div_ceil(64)),
        };
        let (count, name, width) = (file.count, &file.name, file.width);
        let _ = write!(fields, "f{at}: Vec<[{ty}; LANES]>, ");
        let _ = write!(
            made,
            "f{at}: (0..{count} + 1).map(|number| std::array::from_fn(|lane| {{ let all = registers::of_lane(seed, {at}, number, lane, {width}); \
             <{ty} as Value>::of(&if number == {count} {{ vec![0; all.len()] }} else {{ all }}) }})).collect(), "
        );
        let _ = write!(
            changed,
            "for number in 0..{count} {{ for lane in 0..LANES {{ let new = self.f{at}[number][lane]; \
             if new != old.f{at}[number][lane] {{ text += &format!(\" {name}{{number}}@{{lane}}={{:x?}}\", new.pieces()); }} }} }} "
        );
    }
    format!(
        "#[derive(Clone)]\nstruct Blocks {{ {fields} }}\nimpl Blocks {{ fn new(seed: u64) -> Blocks {{ Blocks {{ {made} }} }}\n    \
         fn text(&self, old: &Blocks) -> String {{ let mut text = String::new(); {changed} text }} }}\n"
    )
}

/// The path of the module with the trait, and the trait's text.
fn trait_of(module: &str) -> (&'static str, &str) {
    let start = module.find("pub trait Machine {").expect("there is a machine");
    let body = &module[start..];
    ("machine::", &body[..body.find("\n}").expect("it ends")])
}

/// A method of the machine.
fn method(isa: &Isa, line: &str) -> String {
    let head = line.trim_end_matches(';');
    let name = head["fn ".len()..].split(['(', '<']).next().expect("a name").to_string();
    let space = if head.contains("space: Space") { "space as usize" } else { "0" };
    let body = match name.as_str() {
        "pc" => "self.pc".to_string(),
        "set_pc" => "self.pc = address".to_string(),
        "load" => format!("self.note({space}, address, N, false); self.loaded({space}, address)"),
        "load_reserved" => {
            format!(
                "self.note({space}, address, N, false); let found = self.loaded({space}, address)?; self.reserved = Some(({space}, address)); Ok(found)"
            )
        }
        "store" => {
            format!("self.note({space}, address, N, true); self.stored({space}, address, &bytes)")
        }
        "store_conditional" => format!(
            "self.note({space}, address, N, true); let is_it = self.reserved.take() == Some(({space}, address)); if is_it {{ self.stored({space}, address, &bytes)?; }} Ok(is_it)"
        ),
        "state" => "self.states.get(&state).copied().unwrap_or(0)".to_string(),
        "set_state" => "self.change(); self.states.insert(state, value);".to_string(),
        "trap" => "Stop::Trap(trap)".to_string(),
        "extensions" => "set::Extensions::from_bits(u64::MAX)".to_string(),
        "launched" => "registers::launched(self.seed) & (u64::MAX >> (64 - LANES))".to_string(),
        other => {
            let set = other.strip_prefix("set_").or(other.strip_suffix("_mut"));
            let own = set.unwrap_or(other).trim_start_matches("r#");
            let is_block = head.contains("; LANES]");
            let file = isa.reg_files().iter().position(|file| file.name.to_lowercase() == own);
            match (file, set) {
                (Some(file), Some(_)) if is_block => {
                    let count = isa.reg_files()[file].count;
                    format!(
                        "assert!(number < {count}, \"the constant zero is written\"); &mut self.blocks.f{file}[number as usize]"
                    )
                }
                (Some(file), None) if is_block => format!("&self.blocks.f{file}[number as usize]"),
                (Some(file), Some(_)) => {
                    format!("self.change(); self.files[{file}].set(number, value)")
                }
                (Some(file), None) => format!("self.files[{file}].get(number)"),
                (None, _) => "self.is_helped = true; Ok(Default::default())".to_string(),
            }
        }
    };
    format!("    {} {{ {body} }}\n", head.replace("Self::Stop", "Stop"))
}

const BODY: &str = r#"
use std::collections::BTreeMap;
use std::io::BufRead;

#[derive(Debug)]
enum Stop { Fault, Outside, Trap(Trap) }

/// A register file: its registers in pieces, and the constant zero.
#[derive(Clone)]
struct File { pieces: usize, count: usize, values: Vec<u64> }

trait Value { fn of(pieces: &[u64]) -> Self; fn pieces(self) -> Vec<u64>; }
macro_rules! value { ($($ty:ident)*) => {$(
    impl Value for $ty { fn of(all: &[u64]) -> $ty { all[0] as $ty } fn pieces(self) -> Vec<u64> { vec![self as u64] } }
)*} }
value! { u8 u16 u32 u64 }
impl Value for u128 {
    fn of(all: &[u64]) -> u128 { (all[1] as u128) << 64 | all[0] as u128 }
    fn pieces(self) -> Vec<u64> { vec![self as u64, (self >> 64) as u64] }
}
impl<const N: usize> Value for [u64; N] {
    fn of(all: &[u64]) -> [u64; N] { all.try_into().unwrap() }
    fn pieces(self) -> Vec<u64> { self.to_vec() }
}

impl File {
    fn get<T: Value>(&self, number: u16) -> T {
        T::of(&self.values[number as usize * self.pieces..][..self.pieces])
    }
    fn set<T: Value>(&mut self, number: u16, value: T) {
        assert!((number as usize) < self.count, "the constant zero is written");
        self.values[number as usize * self.pieces..][..self.pieces].copy_from_slice(&value.pieces());
    }
}

struct Vm {
    files: Vec<File>,
    blocks: Blocks,
    seed: u64,
    states: BTreeMap<State, u64>,
    memories: Vec<Vec<u8>>,
    reserved: Option<(usize, u64)>,
    pc: u64,
    insts: BTreeMap<u64, set::Inst>,
    /// The first access of the instruction: the memory, the address, the number of bytes, whether it is a store.
    first: Option<(usize, u64, usize, bool)>,
    /// Whether a function of the machine was called, or a register was written before the first access.
    is_helped: bool,
}

impl Vm {
    fn note(&mut self, space: usize, address: u64, bytes: usize, is_store: bool) {
        self.first.get_or_insert((space, address, bytes, is_store));
    }
    fn change(&mut self) { self.is_helped |= self.first.is_none(); }
    fn loaded<const N: usize>(&mut self, space: usize, address: u64) -> Result<[u8; N], Stop> {
        let at = address.wrapping_sub(CODE) as usize;
        self.memories[space].get(at..).and_then(|all| all.first_chunk()).copied().ok_or(Stop::Fault)
    }
    fn stored(&mut self, space: usize, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        if address < DATA { return Err(Stop::Fault); }
        let at = address.wrapping_sub(CODE) as usize;
        let to = self.memories[space].get_mut(at..).and_then(|all| all.get_mut(..bytes.len()));
        to.ok_or(Stop::Fault)?.copy_from_slice(bytes);
        Ok(())
    }
    fn text(&self, stop: Option<Stop>, before: &[File], blocks: &Blocks) -> String {
        let mut text = match stop {
            None | Some(Stop::Outside) => format!("pc={:#x}", self.pc),
            Some(Stop::Fault) => "fault".to_string(),
            Some(Stop::Trap(trap)) => format!("trap {trap}"),
        };
        for ((name, count, pieces), (file, old)) in FILES.iter().zip(self.files.iter().zip(before)) {
            for number in 0..*count {
                let of = |file: &File| file.values[number * pieces..][..*pieces].to_vec();
                if of(file) != of(old) { text += &format!(" {name}{number}={:x?}", of(file)); }
            }
        }
        text += &self.blocks.text(blocks);
        for (state, value) in &self.states {
            if *value != 0 { text += &format!(" {state}={value:x}"); }
        }
        for (space, memory) in self.memories.iter().enumerate() {
            for (at, byte) in memory.iter().enumerate() {
                if CODE + at as u64 >= DATA && *byte != pattern(at) { text += &format!(" {space}:{:#x}={byte:x}", CODE + at as u64); }
            }
        }
        text
    }
}

fn pattern(at: usize) -> u8 { (at * 37 + at / 256 * 11) as u8 }

fn step(vm: &mut Vm) -> Option<Stop> {
    match vm.fetch(vm.pc) {
        Ok(inst) => {
            (vm.first, vm.is_helped) = (None, false);
            let expected = probed(vm, inst);
            let stop = inst.execute(vm).err();
            match expected {
                Some(None) => assert!(vm.first.is_none() || vm.is_helped || IS_WIDE, "{inst:?} accesses {:x?}", vm.first),
                Some(found) => assert_eq!(found, vm.first, "{inst:?}"),
                None => {}
            }
            stop
        }
        Err(stop) => Some(stop),
    }
}

fn main() {
    let memory: Vec<u8> = (0..(END - CODE) as usize).map(pattern).collect();
    let mut random = 1_u64;
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut words = line.split(' ').map(|word| u128::from_str_radix(word, 16).unwrap());
        let count = words.next().unwrap();
        let mut memories = vec![memory.clone(); 4];
        let (mut insts, mut at, mut is_legal) = (BTreeMap::new(), 0, true);
        for _ in 0..count {
            let (word, bytes) = (words.next().unwrap(), words.next().unwrap() as usize);
            memories[0][at..at + bytes].copy_from_slice(&word.to_le_bytes()[..bytes]);
            // Another selection of extensions may have another instruction here.
            match set::Inst::decode_word(DECODE word as set::Word) {
                Ok(inst) => { insts.insert(CODE + at as u64, inst); }
                Err(_) => is_legal = false,
            }
            at += bytes;
        }
        if !is_legal { println!("illegal"); continue }
        let mut files = Vec::new();
        for (_, count, pieces) in FILES {
            let mut values: Vec<u64> = (0..count * pieces).map(|_| words.next().unwrap() as u64).collect();
            values.extend(vec![0; *pieces]);
            files.push(File { pieces: *pieces, count: *count, values });
        }
        let seed = words.next().unwrap() as u64;
        let blocks = Blocks::new(seed);
        let make = || Vm {
            files: files.clone(), blocks: blocks.clone(), seed, states: BTreeMap::new(), memories: memories.clone(), reserved: None, pc: CODE, insts: insts.clone(), first: None, is_helped: false,
        };
        // One by one.
        let most = if count == 1 { 1 } else { STEPS };
        let (mut once, mut done, mut stop) = (make(), 0, None);
        while done < most && stop.is_none() {
            stop = step(&mut once);
            done += usize::from(stop.is_none());
        }
        println!("{}", once.text(stop, &files, &blocks));
        // The runner in pieces, and as many one by one.
        let (mut pieces, mut twin, mut runner) = (make(), make(), Runner::new());
        let (mut all, mut stop) = (0, None);
        while all < most as u64 && stop.is_none() {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let wanted = 1 + (random >> 60) * 9;
            let (ended, why) = runner.run(&mut pieces, wanted);
            assert!(why.is_some() || ended >= wanted && ended < wanted + 64, "{ended} for {wanted}");
            (all, stop) = (all + ended, why);
            if random >> 40 & 7 == 0 { runner.forget(); }
        }
        let mut other = None;
        for number in 0..all + u64::from(stop.is_some()) {
            other = step(&mut twin);
            assert!(other.is_none() || number == all, "it stops at {number}, not {all}: {line}");
        }
        assert_eq!(pieces.text(stop, &files, &blocks), twin.text(other, &files, &blocks), "{line}");
    }
}
"#;
