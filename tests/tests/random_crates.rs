//! Compares generated code of random small instruction sets with the oracle. The modules of a few programs report for
//! every word the verdict, its text, the word that its text is read as, and its reads and writes. The modules of a
//! program share the engine. `ISADL_CRATES` is the number of sets, `ISADL_SEED` the first seed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use isadl::isa::{Family, Isa, Opcode, OpcodeId};
use isadl_codegen::rust::{Constructors, ModuleHead, Options, module};
use isadl_test_support::oracle::{self, Readings, Verdict};
use isadl_test_support::{count, random};

/// The program's code for each set, whose words have `width` bits.
const BODY: &str = r#"
fn words<T: std::fmt::Display>(uses: impl Iterator<Item = T>) -> String {
    uses.map(|found| found.to_string()).collect::<Vec<_>>().join("; ")
}

macro_rules! set {
    ($name:ident, $width:expr, $texts:expr) => {
        for word in 0..1u64 << $width {
            match $name::Inst::decode_word(word as $name::Word) {
                Ok(inst) => {
                    let text = inst.text();
                    let read = match $name::Inst::parse(text.as_str()) {
                        Ok(read) => format!("{:x}", read.word()),
                        Err(error) => format!("{error}"),
                    };
                    let (name, uses) = (inst.opcode(), words(inst.uses()));
                    println!("{name} {:x}\t{}\t{read}\t{uses}", inst.word(), $texts(inst));
                }
                Err(error) => println!("{error}"),
            }
        }
    };
}
"#;

/// A set that is compiled into the program.
struct Set {
    seed: u64,
    text: String,
    family: Family,
}

/// Accepted sets; each has two things of the language that no set before has together.
fn sets(number: usize) -> Vec<Set> {
    let first = count("ISADL_SEED", 0) as u64;
    let mut sets = Vec::new();
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut seed = first;
    while sets.len() < number && seed < first + 40 * number as u64 {
        let set = random::specification(seed);
        let features: Vec<&str> = set.features.iter().copied().collect();
        let pairs = features.iter().flat_map(|a| features.iter().map(|b| (*a, *b)));
        let before = seen.len();
        if let Some(family) = random::accepted(&set.text) {
            seen.extend(pairs);
            if seen.len() > before {
                sets.push(Set { seed, text: set.text, family });
            }
        }
        seed += 1;
    }
    sets
}

/// The program with a module for each set.
fn program(sets: &[Set]) -> String {
    let mut text = "#![allow(warnings)]\n".to_string() + BODY;
    let mut calls = String::new();
    let mut engines: BTreeMap<String, String> = BTreeMap::new();
    for set in sets {
        let isa = set.family.first();
        let name = format!("s{}", set.seed);
        let head = ModuleHead { visibility: String::new(), name: name.clone() };
        // Constructors have tests of their own, and take time to compile.
        let options = Options { constructors: Constructors::None, ..Options::default() };
        let mut module = module(&set.family.merged(), &options, head);
        let engine = format!("engine_{}", isa.width().next_power_of_two().max(32));
        let body = module.take_engine(&format!("super::{engine}"));
        let known = engines.entry(engine).or_insert_with(|| body.clone());
        assert!(*known == body, "modules with words of one type share the engine");
        text += &module.plain();
        let _ = writeln!(calls, "    set!({name}, {}, {});", isa.width(), texts(isa, &name));
    }
    for (name, body) in engines {
        let _ = writeln!(text, "mod {name} {{\n{body}}}");
    }
    text + "\nfn main() {\n" + &calls + "}\n"
}

/// The function that writes an instruction by all sets of names, or by its canonical text.
fn texts(isa: &Isa, name: &str) -> String {
    if isa.name_sets().is_empty() {
        return format!("|inst: {name}::Inst| inst.text().to_string()");
    }
    let of_set = match has_aliases(isa) {
        true => "format!(\"{} = {}\", inst.text_with(options), inst.text_with(options.plain()))",
        false => "inst.text_with(options).to_string()",
    };
    format!(
        "|inst: {name}::Inst| {name}::NameSet::ALL.iter().map(|set| {{ \
         let options = {name}::TextOptions::new().names(*set); {of_set} \
         }}).collect::<Vec<_>>().join(\" | \")"
    )
}

fn has_aliases(isa: &Isa) -> bool {
    isa.opcodes().iter().any(|opcode| !opcode.aliases.is_empty())
}

/// The program's expected output for a legal word.
fn written(isa: &Isa, opcode: &Opcode, word: u128) -> String {
    if isa.name_sets().is_empty() {
        return oracle::print(isa, opcode, word);
    }
    let of_set = |set| {
        let text = oracle::print_names(isa, opcode, word, set);
        match has_aliases(isa) {
            true => format!("{text} = {}", oracle::print_plain_names(isa, opcode, word, set)),
            false => text,
        }
    };
    (0..isa.name_sets().len()).map(of_set).collect::<Vec<_>>().join(" | ")
}

/// Compiles the program, runs it, and returns the lines of its output.
fn output(number: usize, program: &str) -> Vec<String> {
    let name = format!("isadl-random-crates-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("writable");
    let (source, binary) = (folder.join("main.rs"), folder.join("main"));
    std::fs::write(&source, program).expect("writable");
    let rustc = std::env::var_os("RUSTC").map_or(PathBuf::from("rustc"), PathBuf::from);
    let result = Command::new(rustc)
        .args(["--edition", "2024", "--crate-name", "sets", "-C", "debuginfo=0", "-o"])
        .arg(&binary)
        .arg(&source)
        .output()
        .expect("rustc runs");
    let messages = String::from_utf8_lossy(&result.stderr);
    assert!(result.status.success(), "{messages}");
    let run = Command::new(&binary).output().expect("it runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    std::fs::remove_dir_all(&folder).expect("removable");
    String::from_utf8(run.stdout).expect("text").lines().map(str::to_string).collect()
}

/// Compares the output for a word with the oracle, and describes a difference.
fn difference(isa: &Isa, readings: &Readings, word: u128, line: &str) -> Option<String> {
    let expected = match oracle::decode(isa, word) {
        Verdict::Unknown => "no opcode has these bits".to_string(),
        Verdict::IllegalValue { opcode, field } => {
            let (opcode, field) = (&isa.opcode(opcode).name, isa.name_of(field));
            format!("{opcode}: field {field} holds an illegal value")
        }
        Verdict::Rule { opcode, rule } => {
            let (opcode, message) = (&isa.opcode(opcode).name, &isa.rule(rule).message);
            let is_so = line.starts_with(&format!("{opcode}: ")) && line.contains(message);
            return (!is_so).then(|| format!("{opcode}: {message}"));
        }
        Verdict::Legal { opcode: id, advice } => {
            let opcode = isa.opcode(id);
            let word = oracle::significant(opcode, word);
            let text = oracle::print(isa, opcode, word);
            let written = written(isa, opcode, word);
            let uses: Vec<String> = oracle::uses(isa, opcode, word)
                .into_iter()
                .map(|(effect, resource)| format!("{effect} {resource}"))
                .collect();
            let columns: Vec<&str> = line.split('\t').collect();
            let [name, own, read, used] = columns.as_slice() else {
                return Some(format!("an instruction of {}", opcode.name));
            };
            // The form with a literal has a name of its own in Rust.
            let is_named = name.starts_with(&opcode.name) && name.ends_with(&format!(" {word:x}"));
            let is_read = match (advice, u128::from_str_radix(read, 16)) {
                (Some(_), Ok(read)) => read != word,
                (Some(_), Err(_)) => true,
                (None, Ok(read)) => {
                    read == word
                        || readings.of(&text).contains(&read)
                        || is_same(isa, (id, word), read)
                }
                (None, Err(_)) => false,
            };
            let is_so = is_named && *own == written && is_read && *used == uses.join("; ");
            let uses = uses.join("; ");
            return (!is_so).then(|| format!("{} {word:x}\t{written}\t{uses}", opcode.name));
        }
    };
    (line != expected).then_some(expected)
}

/// Whether a word is the same instruction as another, except that an unaligned register is replaced by the register
/// below it.
fn is_same(isa: &Isa, inst: (OpcodeId, u128), read: u128) -> bool {
    match oracle::decode(isa, read) {
        Verdict::Legal { opcode, advice: None } => oracle::is_same(isa, inst, (opcode, read)),
        _ => false,
    }
}

/// The differences from the oracle in the program of some sets, by their seeds.
fn failures(number: usize, sets: &[Set]) -> BTreeMap<u64, String> {
    let lines = output(number, &program(sets));
    let mut rest = lines.as_slice();
    let mut failures: BTreeMap<u64, String> = BTreeMap::new();
    for set in sets {
        let isa = set.family.first();
        let end = 1usize << isa.width();
        let (own, others) = rest.split_at(end);
        rest = others;
        let readings = Readings::below(isa, end as u128);
        let differs = |(word, line): (usize, &String)| {
            let expected = difference(isa, &readings, word as u128, line)?;
            Some(format!("0x{word:x} is\n{line}\nand not\n{expected}\n\n{}", set.text))
        };
        let first = own.iter().enumerate().find_map(differs);
        failures.extend(first.map(|what| (set.seed, what)));
    }
    assert!(rest.is_empty());
    failures
}

#[test]
fn generated_code_of_random_instruction_sets_is_as_the_oracle_says() {
    let sets = sets(count("ISADL_CRATES", 16));
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: BTreeMap<u64, String> = std::thread::scope(|scope| {
        let parts = sets.chunks(sets.len().div_ceil(processors).max(1)).enumerate();
        let threads: Vec<_> =
            parts.map(|(number, part)| scope.spawn(move || failures(number, part))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let seeds: Vec<&u64> = failures.keys().collect();
    assert!(failures.is_empty(), "seeds {seeds:?} fail: {}", failures.values().next().unwrap());
}
