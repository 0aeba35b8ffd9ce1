//! What is refused, and why.

use isadl_exec::Spec;
use isadl_exec::moving::{Block, Fault, MoveError, Mover};

use super::assembled::SMALL;
use super::{A64, RISCV, spec, spec_of};

const FROM: u64 = 0x10000;

/// Moves lines to another address.
fn moved(spec: &Spec, lines: &[&str], to: u64) -> Result<Vec<u8>, MoveError> {
    let engine = spec.engine();
    let mut bytes = Vec::new();
    for line in lines {
        let options = isadl::engine::TextOptions::at(FROM + bytes.len() as u64);
        let options = isadl::engine::TextOptions { is_plain: true, ..options };
        let inst = engine.assemble_with(line, options).expect(line);
        bytes.extend_from_slice(&engine.bytes(inst)[..engine.bytes_of(inst)]);
    }
    let moved = Mover::new(spec).encode(&[Block { bytes: &bytes, from: FROM, to }])?;
    Ok(moved[0].bytes.clone())
}

fn fault(spec: &Spec, lines: &[&str], to: u64) -> (u64, String) {
    let error = moved(spec, lines, to).expect_err("it is refused");
    (error.address, error.to_string())
}

#[test]
fn riscv_pairs_are_whole() {
    let spec = spec(&RISCV);
    let is_refused = |lines: &[&str], address: u64, words: &str| {
        let (at, message) = fault(&spec, lines, FROM + 0x1236);
        assert_eq!(at, FROM + address, "{message}");
        assert!(message.contains(words), "{message}");
    };
    // The other half is not in the block, or behind a jump out of it.
    is_refused(&["auipc a0, 1"], 0, "execution leaves the block after it");
    is_refused(&["auipc a0, 1", "j 0x20000"], 4, "leaves the block");
    // The part is stored, compared, added to what is not known.
    is_refused(&["auipc a0, 1", "sd a0, 8(sp)", "ret"], 4, "another way");
    is_refused(&["auipc a0, 1", "sd a0, 8(a0)", "ret"], 4, "another way");
    is_refused(&["auipc a0, 1", "beq a0, a1, 0x10000", "ret"], 4, "another way");
    is_refused(&["auipc a0, 1", "add a0, a0, a1", "ret"], 4, "another way");
    // One part, and the rest of addresses in two pages.
    let lines = ["auipc a0, 1", "ld a1, 2047(a0)", "ld a0, -2048(a0)", "ret"];
    is_refused(&lines, 0, "no relocations");
    // An address in the middle of an instruction that moves.
    is_refused(&["auipc a0, 0", "addi a0, a0, 2", "ret"], 4, "is not the start of an instruction");
    // What makes no address of it may follow.
    let lines = ["auipc a0, 1", "ld a1, 8(a0)", "addi a0, a0, 16", "ret"];
    assert!(moved(&spec, &lines, FROM + 0x1236).is_ok());
    // A constant is no part of an address.
    let lines = ["lui a0, 1", "ld a1, 8(a0)", "ret"];
    let same = moved(&spec, &lines, FROM).expect("nothing changes");
    assert_eq!(moved(&spec, &lines, FROM + 0x1236).expect("nothing changes"), same);
}

#[test]
fn a64_pages_in_the_block_are_whole() {
    let spec = spec(&A64);
    let to = FROM + 0x1234;
    // Another page: what follows does not matter.
    assert!(moved(&spec, &["adrp x0, 0x20000", "str x0, [sp]"], to).is_ok());
    let (at, message) = fault(&spec, &["adrp x0, 0x10000", "str x0, [sp]", "ret"], to);
    assert_eq!(at, FROM + 4, "{message}");
    // In the page, but not in the block.
    let lines = ["adrp x0, 0x10000", "ldr x1, [x0, #0x800]", "ret"];
    let bytes = moved(&spec, &lines, to).expect("the page stays");
    assert_eq!(bytes[4..8], moved(&spec, &lines, FROM).expect("nothing changes")[4..8]);
    // Not the sum of the page and the rest.
    let (_, message) = fault(
        &spec,
        &["adrp x0, 0x10000", "sub x0, x0, #8", "mov x1, x0", "ret"],
        FROM + 0x2000_0004,
    );
    assert!(message.contains("no relocations") || message.contains("reach"), "{message}");
}

#[test]
fn reach_is_an_error_with_its_numbers() {
    let spec = spec(&RISCV);
    let error = moved(&spec, &["jal ra, 0x10100"], FROM + 0x20_0000).expect_err("too far");
    let reach = Fault::OutOfReach {
        target: 0x10100,
        address: FROM + 0x20_0000,
        reach: (-0x10_0000, 0xf_fffe),
    };
    assert_eq!(error.fault, reach);
    assert_eq!(
        error.to_string(),
        "0x10000: `jal 0x10100`: moved to 0x210000, its target 0x10100 is -2096896 bytes away; it reaches from -1048576 to 1048574"
    );
}

#[test]
fn blocks_move_with_each_other() {
    let spec = spec_of(SMALL);
    let mover = Mover::new(&spec);
    // Both jump to the other.
    let [first, second] = [[0x03_u8, 0x07], [0xe3, 0xf8]];
    let engine = spec.engine();
    let targets = |bytes: &[u8], at: u64| -> u64 {
        engine.target(engine.decode_bytes(bytes).expect("a jump").0, at).expect("a target")
    };
    assert_eq!((targets(&first, 0x100), targets(&second, 0x1e2)), (0x1e2, 0x100));
    let blocks = [
        Block { bytes: &first, from: 0x100, to: 0x500 },
        Block { bytes: &second, from: 0x1e2, to: 0x600 },
    ];
    let moved = mover.encode(&blocks).expect("all is near");
    assert_eq!(targets(&moved[0].bytes, 0x500), 0x600);
    assert_eq!(targets(&moved[1].bytes, 0x600), 0x500);
    let twice = [blocks[0], Block { from: 0x101, to: 0x700, ..blocks[1] }];
    assert_eq!(mover.encode(&twice).expect_err("the same bytes").fault, Fault::Overlap);
    let onto = [blocks[0], Block { to: 0x501, ..blocks[1] }];
    assert_eq!(mover.encode(&onto).expect_err("the same bytes").fault, Fault::Overlap);
    let error = mover.encode(&[Block { bytes: &[0x0f, 0], from: 8, to: 9 }]);
    assert!(matches!(error.expect_err("none").fault, Fault::NoInstruction { .. }));
    assert_eq!(mover.encode(&[]).expect("nothing"), []);
}

/// Without programs and without distances nothing is known of a branch.
#[test]
fn branches_without_targets_are_refused() {
    let text = SMALL.replace("Number = signed; Relative = start;", "Number = signed;");
    let text = text.replace("    Detour<IF, UNLESS> = \"goto 0\";\n", "");
    let spec = spec_of(&text);
    let error = Mover::new(&spec)
        .encode(&[Block { bytes: &[1, 8], from: 0x100, to: 0x200 }])
        .expect_err("what it means is not known");
    assert!(error.to_string().contains("which of its operands is its target"), "{error}");
}
