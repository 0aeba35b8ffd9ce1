//! The assembler on changed examples and on random characters.

use std::time::{Duration, Instant};

use isadl_test_support::fuzz::assembler;
use isadl_test_support::{Random, root, simt, words};

/// The time for trying changed lines.
const TIME: Duration = Duration::from_secs(2);

/// Pieces of lines.
const PIECES: &[&str] = &[
    " ",
    "\t",
    ",",
    ", ",
    ";",
    "//",
    ".",
    "@",
    "!",
    "~",
    "-",
    "|",
    "+",
    "[",
    "]",
    "][",
    ":",
    "$",
    "=",
    "R0",
    "RZ",
    "R[0:1]",
    "R[",
    "UR5",
    "URZ",
    "P0",
    "PT",
    "PR",
    "UP1",
    "c[0x0][0x160]",
    "c[",
    "0x",
    "0b1",
    "0",
    "1",
    "-1",
    "0xFFFFFFFF",
    "2147483648",
    "99999999999999999999",
    "1.5",
    "1e9",
    "1e-400",
    "inf",
    "-inf",
    "nan",
    ".X",
    ".HI",
    ".U32",
    ".F16",
    ".F16_V2",
    ".64",
    ".H1",
    "IADD",
    "MUFU",
    "MOV",
    "IMAD.WIDE",
    "GETGPR",
    "$sched=4:1",
    "$req=",
    "$wsb=SB0",
    "é",
    "\u{a0}",
    "\u{2028}",
    "\r",
    "\0",
    "\u{1f600}",
];

/// The lines that the instruction set's own table of texts has, and texts of all opcodes.
fn lines() -> Vec<String> {
    let table = root().join("tests/fixtures/text/lines.txt");
    let table = std::fs::read_to_string(table).expect("the table is readable");
    let isa = simt();
    let mut random = Random::new(9);
    let texts = isa.opcode_ids().flat_map(|id| {
        let insts = [(); 3].map(|()| words::instruction(isa, id, &mut random));
        insts.into_iter().flatten().map(|inst| isa.text(inst)).collect::<Vec<_>>()
    });
    table.lines().map(|line| line.trim().to_string()).chain(texts).collect()
}

fn change(line: &mut String, others: &[String], random: &mut Random) {
    let places: Vec<usize> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
    let place = |random: &mut Random| places[random.below(places.len() as u64) as usize];
    let (a, b) = (place(random), place(random));
    let (from, to) = (a.min(b), a.max(b));
    match random.below(6) {
        0 => line.replace_range(from..to, ""),
        1 => {
            let piece = line[from..to].to_string();
            line.insert_str(a, &piece);
        }
        2 => {
            let other = &others[random.below(others.len() as u64) as usize];
            let tail = other.char_indices().nth(from).map_or("", |(at, _)| &other[at..]);
            line.replace_range(from.., tail);
        }
        3 => line.truncate(from),
        _ => line.insert_str(a, PIECES[random.below(PIECES.len() as u64) as usize]),
    }
}

#[test]
fn changed_lines_assemble_to_what_prints_back_or_not_at_all() {
    let lines = lines();
    let mut random = Random::new(10);
    let start = Instant::now();
    for line in &lines {
        assembler(line.as_bytes());
    }
    while start.elapsed() < TIME {
        let mut line = lines[random.below(lines.len() as u64) as usize].clone();
        for _ in 0..=random.below(4) {
            change(&mut line, &lines, &mut random);
            assembler(line.as_bytes());
        }
    }
}

#[test]
fn random_pieces_and_bytes_are_no_trouble() {
    let mut random = Random::new(12);
    let start = Instant::now();
    while start.elapsed() < TIME / 2 {
        let count = random.below(30);
        let pieces: String =
            (0..count).map(|_| PIECES[random.below(PIECES.len() as u64) as usize]).collect();
        assembler(pieces.as_bytes());
        assembler(format!("IADD {pieces}").as_bytes());
        let bytes: Vec<u8> = (0..count).map(|_| random.next_u64() as u8).collect();
        assembler(&bytes);
    }
}

/// Long lines of one kind of text: time must not grow faster than the line.
#[test]
fn long_lines_take_no_long_time() {
    let start = Instant::now();
    for piece in PIECES {
        for head in ["", "IADD ", "IADD R0, R1, ", "LEA.HI", "HFMA2 R0, R1, 1, "] {
            assembler((head.to_string() + &piece.repeat(20_000)).as_bytes());
            assembler((head.to_string() + &format!("{piece}, ").repeat(5_000)).as_bytes());
        }
    }
    assert!(start.elapsed() < super::LIMIT, "took {:?}", start.elapsed());
}
