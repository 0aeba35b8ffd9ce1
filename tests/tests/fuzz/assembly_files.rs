//! Whole assembly files: changed programs, and random pieces of statements.

use std::time::{Duration, Instant};

use isadl_test_support::fuzz::assembly_file;
use isadl_test_support::{Random, root};

/// The time for trying files.
const TIME: Duration = Duration::from_secs(4);

/// The longest time for one file.
const LONGEST: Duration = Duration::from_secs(20);

/// Pieces of statements.
const PIECES: &[&str] = &[
    ".literal a, 4, b + 1\n",
    ".ltorg\n",
    ".special add a, b, a\n.plain add \\a, \\a, \\b\n.endm\n",
    ".special \"=\" lw a, b\nlw \\a, \\b\n.endm\n",
    ".ifshort add a0, a0, a1\n",
    "\n",
    "\n",
    "\n",
    " ",
    ", ",
    ":",
    "a:",
    "1:",
    "1b",
    "1f",
    "b",
    ".",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "(",
    ")",
    "==",
    "&&",
    "~",
    "!",
    "0",
    "1",
    "4",
    "0x7fffffffffffffff",
    "-1",
    "99999999999999999999",
    "'a'",
    "\"x\"",
    "\"",
    "\\",
    "\\@",
    "\\a",
    "\\()",
    "addi a0, a0, ",
    "beq a0, a1, ",
    "j ",
    "la a0, ",
    "li a0, ",
    "lw a0, ",
    "call ",
    "lui a0, %hi(",
    "%lo(",
    "%pcrel_lo(",
    ".word ",
    ".byte ",
    ".set a, ",
    ".set b, ",
    ".equ ",
    "a = ",
    ".if ",
    ".else\n",
    ".elseif ",
    ".endif\n",
    ".macro m a, b=1\n",
    ".endm\n",
    "m ",
    ".rept 3\n",
    ".rept a\n",
    ".endr\n",
    ".irp x, 1, 2\n",
    ".irpc x, 12\n",
    ".exitm\n",
    ".align ",
    ".balign 8\n",
    ".org ",
    ".space ",
    ".fill 3, 4, ",
    ".section .x, \"aw\"\n",
    ".text\n",
    ".data\n",
    ".bss\n",
    ".pushsection .y\n",
    ".popsection\n",
    ".globl a\n",
    ".weak a\n",
    ".comm c, 8, 8\n",
    ".type a, @function\n",
    ".size a, .-a\n",
    ".asciz ",
    ".reloc ., 1, ",
    ".exact ",
    ".extensions -C\n",
    ".extensions push\n",
    ".extensions pop\n",
    ".option norvc\n",
    ".uleb128 ",
    ".previous\n",
    "# ",
    "/*",
    "*/",
    "//",
    ";",
    "\u{e9}",
    "\0",
    "\r",
];

fn timed(text: &str) {
    let start = Instant::now();
    assembly_file(text.as_bytes());
    assert!(start.elapsed() < LONGEST, "this takes long: {text}");
}

#[test]
fn changed_assembly_files_neither_panic_nor_hang() {
    let folder = root().join("tests/fixtures/asm/riscv");
    let mut programs = Vec::new();
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|ending| ending == "s" || ending == "inc") {
            programs.push(std::fs::read_to_string(path).expect("text"));
        }
    }
    programs.sort();
    let mut random = Random::new(29);
    let below = |random: &mut Random, count: usize| random.next_u128() as usize % count;
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < TIME {
        let mut text = String::new();
        if count % 2 == 0 {
            for _ in 0..below(&mut random, 60) {
                text.push_str(PIECES[below(&mut random, PIECES.len())]);
            }
        } else {
            let program = &programs[below(&mut random, programs.len())];
            let mut lines: Vec<&str> = program.lines().collect();
            for _ in 0..=below(&mut random, 5) {
                let at = below(&mut random, lines.len());
                match below(&mut random, 3) {
                    0 => drop(lines.remove(at)),
                    1 => lines.insert(at, PIECES[below(&mut random, PIECES.len())]),
                    _ => {
                        let other = below(&mut random, lines.len());
                        lines.swap(at, other);
                    }
                }
                if lines.is_empty() {
                    break;
                }
            }
            text = lines.join("\n");
        }
        timed(&text);
        count += 1;
    }
    assert!(count > 5, "only {count} files");
}

/// Files that would take forever, or all memory.
#[test]
fn nasty_assembly_files_are_refused() {
    let deep = format!(".word {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    let signs = format!(".word {}1\n", "-".repeat(100_000));
    let sum = format!(".word 1{}\n", " + a".repeat(100_000));
    let conditions = ".if 1\n".repeat(50_000);
    let doubled: String = (0..60).map(|i| format!(".set x{}, x{i} + x{i}\n", i + 1)).collect();
    let macros = ".macro a\n a\n a\n.endm\n a\n";
    let calls: String =
        (0..40).map(|i| format!(".macro m{i}\n m{0}\n m{0}\n.endm\n", i + 1)).collect();
    let text = ".macro a x\n a \"\\x\\x\"\n.endm\n a 1\n";
    let sections: String =
        (0..64).map(|i| format!(".section .s{i}, \"a\"\n.space 0x3fffffff\n")).collect();
    let relaxed = format!("{}end:\n", "beqz a0, end\n".repeat(2000));
    let moving = "a: .space b - a\n.space 3\nb:\n.org c - b\nc:\n";
    let lines = [
        &deep,
        &signs,
        &sum,
        &conditions,
        &doubled,
        macros,
        &calls,
        text,
        &sections,
        &relaxed,
        moving,
        ".rept 0x7fffffffffffffff\n.endr",
        ".rept 16000000\n.rept 16000000\n.endr\n.endr",
        ".space 1 << 62",
        ".org 1 << 62",
        ".fill 1 << 60, 8",
        ".include \"/dev/zero\"",
        ".incbin \"/dev/zero\"",
        ".irpc x, \"",
        ".word .word",
        "x = x + 1\n.word x",
        ".set a, b\n.set b, a\n.word a",
        ".comm x, 1 << 60, 1 << 60",
    ];
    lines.iter().for_each(|text| timed(text));
}
