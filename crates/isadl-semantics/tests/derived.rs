//! Specifications without lists: what opcodes read and write, and where execution goes, follows from their programs, and is what the
//! lists declare.

#[path = "common/random.rs"]
mod random;

use std::collections::BTreeSet;
use std::path::Path;

use isadl::engine::Loaded;
use isadl::isa::{Effect, FlowControl, Isa, Use};
use isadl::source::SourceMap;
use random::Random;

/// What declares reads and writes, besides `Operands`.
const LISTS: [&str; 6] = ["Reads<", "Writes<", "Loads<", "Stores<", "Partial<", "Mask<"];

/// Removes what a text declares about reads and writes, and other statements.
fn without_lists(text: &str, others: &[&str]) -> String {
    let mut found = String::new();
    for line in text.lines() {
        let is_statement = !line.trim_start().starts_with("//");
        for piece in line.split_inclusive(';') {
            let start = piece.trim_start();
            if is_statement && LISTS.iter().chain(others).any(|word| start.starts_with(word)) {
                continue;
            }
            if is_statement && start.starts_with("Operands<") {
                let plain = piece.replace("inout ", "").replace("in ", "").replace("out ", "");
                found.push_str(&plain);
            } else {
                found.push_str(piece);
            }
        }
        found.push('\n');
    }
    found
}

/// The generations of a folder. Lists are removed from the files for which a function says so.
fn compiled(folder: &str, is_bare: impl Fn(&str) -> bool, others: &[&str]) -> Vec<Isa> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut sources = SourceMap::new();
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ext| ext == "isa")) {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("readable");
        let text = if is_bare(&name) { without_lists(&text, others) } else { text };
        sources.add(name, text.into_bytes());
    }
    let compilation = isadl::compile(&sources);
    let errors: Vec<String> = compilation
        .diagnostics
        .iter()
        .map(|found| format!("{} {}", found.code, found.message))
        .collect();
    compilation.family.unwrap_or_else(|| panic!("{errors:#?}")).isas().to_vec()
}

/// What a class says without conventions: whether a jump is a call or a return is none of the program's business.
fn plain(class: FlowControl) -> &'static str {
    match class {
        FlowControl::Next => "next",
        FlowControl::Branch | FlowControl::Call => "branch",
        FlowControl::Conditional => "conditional",
        FlowControl::Return | FlowControl::Indirect | FlowControl::IndirectCall => "indirect",
        FlowControl::Trap | FlowControl::SystemCall | FlowControl::Abort => "trap",
    }
}

/// A use in words. A register that keeps some of its bits is read, however that is declared.
fn shown(found: Use) -> String {
    let access = match found.effect {
        Effect::Read | Effect::ConditionalRead => "read",
        Effect::Write => "write",
        Effect::ConditionalWrite | Effect::ReadWrite | Effect::ReadConditionalWrite => "change",
    };
    format!("{access} {:?}", found.resource)
}

/// Compares random words of every opcode; returns how many opcodes have reads, writes or jumps.
fn compare(declared: &Isa, derived: &Isa) -> usize {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut count = 0;
    let (one, other) = (Loaded::new(declared.clone()), Loaded::new(derived.clone()));
    for id in declared.opcode_ids() {
        let opcode = declared.opcode(id);
        let mut has_flow = false;
        for _ in 0..60 {
            let word = (u128::from(random.next()) << 64 | u128::from(random.next()))
                & opcode.width_mask
                & !opcode.mask
                | opcode.value;
            let (Ok(a), Ok(b)) = (one.engine().decode(word), other.engine().decode(word)) else {
                continue;
            };
            if a.opcode != id {
                continue;
            }
            let uses = |loaded: &Loaded, inst| -> BTreeSet<String> {
                loaded.engine().uses(inst).map(shown).collect()
            };
            let (a_uses, b_uses) = (uses(&one, a), uses(&other, b));
            assert_eq!(a_uses, b_uses, "{} {word:x}", opcode.name);
            let (a_class, b_class) = (one.engine().flow_control(a), other.engine().flow_control(b));
            assert_eq!(plain(a_class), plain(b_class), "{} {word:x}", opcode.name);
            has_flow |= !a_uses.is_empty() || a_class != FlowControl::Next;
        }
        count += usize::from(has_flow);
    }
    count
}

#[test]
fn avr_needs_no_lists() {
    let folder = "tests/fixtures/machines/avr";
    let declared = compiled(folder, |_| false, &[]);
    let derived = compiled(folder, |_| true, &["Flow<"]);
    let count = compare(&declared[0], &derived[0]);
    println!("{count} opcodes of AVR");
    assert!(count > 60, "only {count} opcodes were compared");
}

#[test]
fn the_integer_instructions_of_riscv_need_no_lists() {
    let files = ["isa", "rv_i", "rv64_i", "rv_m", "rv_a", "rv_zba", "rv_zbb", "rv_zbc", "rv_zbs"];
    let is_bare = |name: &str| files.iter().any(|file| name.strip_suffix(".isa") == Some(file));
    let declared = compiled("spec/riscv", |_| false, &[]);
    // That a jump is a call or a return is a convention, which `Short` compares, too.
    let derived = compiled("spec/riscv", is_bare, &[]);
    for (declared, derived) in declared.iter().zip(&derived) {
        let count = compare(declared, derived);
        println!("{count} opcodes of RISC-V");
        assert!(count > 90, "only {count} opcodes were compared");
    }
}
