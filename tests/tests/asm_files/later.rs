//! Numbers in instructions that are defined later, and how much macros may make.

use std::path::Path;

use isadl_asm::{Options, Purpose};

use super::{A64, Machine, RISCV, elf};

/// GNU as 2.40 makes these words of it.
const LATER_A64: &str = "
start:
    mov x0, #(end - start)
    add x0, x0, #end - start
    ldr x0, [x1, #end - start]
    mov x0, #SIZE
    movz x0, #end - start
    and x0, x0, #SIZE
    .equ SIZE, 4
end:
";

const WORDS: [u32; 6] =
    [0xd280_0300, 0x9100_6000, 0xf940_0c20, 0xd280_0080, 0xd280_0300, 0x927e_0000];

#[test]
fn numbers_of_a64_may_be_defined_later() {
    let object = Machine::of(&A64, &[]).elf(Path::new("later.s"), LATER_A64.as_bytes());
    let bytes: Vec<u8> = WORDS.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(elf::sections(&object)[".text"], bytes);
}

/// With the numbers in the place of the names, and `.exact`, the bytes are the same.
const LATER_RISCV: &str = "
start:
    addi a0, a0, end - start
    lw a0, SIZE * 4(a1)
    slli t0, t0, (end - start) / 4
    lui a0, SIZE
    beqz a0, end
    .byte end - start, SIZE
    .uleb128 end - start, (end - start) << 8
    .balign 4
end:
    .set SIZE, 5
";

const KNOWN_RISCV: &str = "
    .exact addi a0, a0, 24
    .exact lw a0, 20(a1)
    .exact slli t0, t0, 6
    .exact lui a0, 5
    beqz a0, end
    .byte 24, 5
    .uleb128 24, 24 << 8
    .balign 4
end:
";

#[test]
fn numbers_of_riscv_may_be_defined_later() {
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let [later, known] = [LATER_RISCV, KNOWN_RISCV].map(|text| {
        elf::sections(&machine.elf(Path::new("later.s"), text.as_bytes()))[".text"].clone()
    });
    assert_eq!(later.len(), 24);
    assert_eq!(later, known);
}

fn assembles(text: &str) -> bool {
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let texts = [(Path::new("much.s"), text.as_bytes())];
    let (_, object, _) = machine.assemble(&texts, (&Options::default(), Purpose::Linker));
    object.is_some()
}

/// The limit on the output of macros grows with the number of statements: a long file may have more output than a short
/// file that does not end.
#[test]
fn long_files_may_have_many_macros() {
    let statement = format!(".ident \"{}\"", "x".repeat(1000));
    let mut text = format!(".macro many\n.rept 150\n{statement}\n.endr\n.endm\n");
    // Coexistence they exceed the limit of one statement.
    for _ in 0..2000 {
        text.push_str("many\n");
    }
    assert!(assembles(&text));
    let more = format!(".macro more\n.rept 800000\n{statement}\n.endr\n.endm\nmore\n");
    assert!(!assembles(&more));
}
