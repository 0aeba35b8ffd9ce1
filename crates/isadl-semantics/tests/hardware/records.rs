//! What qemu did, in files: a row per word, with the opcode where it is another than in the row before, and what changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A word, and what its program does.
pub(super) struct Row<'r> {
    pub(super) opcode: &'r str,
    pub(super) word: u32,
    pub(super) computed: String,
}

/// Compares programs with a file, and the file with qemu where it ran. `BLESS` writes the file. `state` shows the state before a row.
pub(super) fn compare(
    name: &str,
    rows: &[Row<'_>],
    done: Option<&[String]>,
    state: impl Fn(usize) -> String,
    least: usize,
) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hardware").join(name);
    let before = |at: usize| at.checked_sub(1).map_or("", |before| rows[before].opcode);
    let start = |at: usize| {
        let is_same = rows[at].opcode == before(at);
        format!("{}\t{:x}\t", if is_same { "" } else { rows[at].opcode }, rows[at].word)
    };
    if let (Some(done), true) = (done, std::env::var_os("BLESS").is_some()) {
        let lines = done.iter().enumerate().map(|(at, done)| format!("{}{done}\n", start(at)));
        std::fs::write(&path, lines.collect::<String>()).expect("writable");
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let count = recorded.lines().count();
    assert_eq!(count, rows.len(), "{name} is of other cases; make it again with BLESS=1");
    let mut differing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (at, (row, line)) in rows.iter().zip(recorded.lines()).enumerate() {
        let recorded = line.strip_prefix(&start(at));
        let recorded = recorded.unwrap_or_else(|| panic!("{name} has other words: {line}"));
        if row.computed != recorded {
            let text = format!("{:x} {}\n {}\n {recorded}", row.word, state(at), row.computed);
            differing.entry(row.opcode).or_default().push(text);
        }
        if let Some(done) = done {
            let what = format!("qemu now does something else for {} {:x}", row.opcode, row.word);
            assert_eq!(done[at], recorded, "{what}");
        }
    }
    for (opcode, texts) in &differing {
        println!("{opcode}: {} words, for example {}", texts.len(), texts[0]);
    }
    assert!(differing.is_empty(), "{} opcodes differ", differing.len());
    let opcodes: BTreeSet<&str> = rows.iter().map(|row| row.opcode).collect();
    let how = if done.is_some() { "as qemu does" } else { "as recorded; qemu is not installed" };
    println!("{} words of {} opcodes: {how}", rows.len(), opcodes.len());
    assert!(opcodes.len() >= least, "only {} opcodes were compared", opcodes.len());
}
