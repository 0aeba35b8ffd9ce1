//! Raw binaries, Intel HEX, listings, and ELF files of other instruction sets.

use std::path::Path;

use isadl::source::SourceMap;
use isadl_asm::{Object, Options, Purpose, output};
use isadl_test_support::{compile, golden, root};

use super::{Machine, RISCV};

const PROGRAM: &[u8] = b"    .set SIZE, 5 * 1
    .globl start
start:
    lui a0, %hi(message)
    addi a0, a0, %lo(message)
    li a1, SIZE
loop:
    addi a1, a1, -1
    bnez a1, loop
    beqz a1, end
    .balign 8
end:
    ret
    .data
    .balign 4
pointer:
    .word message, end - start
    .rodata
message:
    .ascii \"hello\"
message_end:
    .bss
room:
    .space 20
";

fn assembled(purpose: Purpose) -> (SourceMap, Object) {
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let options = Options { listing: true, ..Options::default() };
    let texts = [(Path::new("program.s"), PROGRAM)];
    let (sources, object, diagnostics) = machine.assemble(&texts, (&options, purpose));
    (sources, object.unwrap_or_else(|| panic!("{diagnostics:?}")))
}

#[test]
fn all_outputs_of_a_program() {
    let (sources, object) = assembled(Purpose::Address(0x1_0000));
    let hex = output::intel_hex(&object).expect("addresses of 32 bits");
    let raw: String = output::raw(&object).iter().map(|byte| format!("{byte:02x}")).collect();
    let text = format!("{}\n{hex}\n{raw}\n", output::listing(&object, &sources));
    golden(&root().join("tests/fixtures/asm/outputs.txt"), &text);
}

/// Intel HEX is read back to the bytes of the raw binary.
#[test]
fn intel_hex_has_the_bytes_of_the_raw_binary() {
    for address in [0, 0xfff8, 0x1234_fff0] {
        let (_, object) = assembled(Purpose::Address(address));
        let hex = output::intel_hex(&object).expect("addresses of 32 bits");
        let (mut memory, mut upper) = (std::collections::BTreeMap::new(), 0u64);
        for line in hex.lines() {
            let digits = line.strip_prefix(':').expect("a colon").as_bytes();
            let bytes: Vec<u8> = digits
                .chunks(2)
                .map(|two| {
                    u8::from_str_radix(std::str::from_utf8(two).expect("ASCII"), 16).expect("hex")
                })
                .collect();
            assert_eq!(bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)), 0);
            let data = &bytes[4..bytes.len() - 1];
            assert_eq!(data.len(), usize::from(bytes[0]));
            let low = u64::from(u16::from_be_bytes([bytes[1], bytes[2]]));
            match bytes[3] {
                0 => memory.extend(
                    data.iter().enumerate().map(|(at, byte)| (upper + low + at as u64, *byte)),
                ),
                1 => assert!(data.is_empty()),
                4 => upper = u64::from(u16::from_be_bytes([data[0], data[1]])) << 16,
                kind => panic!("a record of type {kind}"),
            }
        }
        let raw = output::raw(&object);
        assert_eq!(memory.keys().next(), Some(&address));
        for (at, byte) in raw.iter().enumerate() {
            assert_eq!(memory.get(&(address + at as u64)).unwrap_or(&0), byte);
        }
    }
}

/// An instruction set without facts of ELF files, with the highest byte first.
#[test]
fn a_specification_without_elf_has_raw_binaries() {
    let text = "\
__DefIsa BIG<16>
    ByteOrder = big;

__DefImmediate Code<8>
    Number = unsigned;

__DefImmediate Distance<8>
    Number = signed;
    Relative = next;

__DefGroup ALL : []
  __Encoding
    field<8, 8> Code code;

__DefOpcode JUMP : [ALL]
  __Encoding
    fix code == 1;
    field<0, 8> Distance distance;
  __OperandInfo
    Mnemonic<\"jump\">;
    Operands<distance>;
";
    let family = compile(&[("big.isa", text)]).1.family.expect("no errors");
    let loaded = isadl::engine::Loaded::new(family.first().clone());
    let engine = loaded.engine();
    let mut sources = SourceMap::new();
    let lines = "start: jump end ; jump start // back\n .word 0x01020304, end\nend: jump 5\n";
    let id = sources.add("big.s", lines.as_bytes().to_vec());
    let options = &Options::default();
    let (object, diagnostics) =
        isadl_asm::assemble(&engine, &mut sources, &[id], options, Purpose::Address(0x100));
    let object = object.unwrap_or_else(|| panic!("{diagnostics:?}"));
    assert_eq!(output::raw(&object), [1, 10, 1, 0xfc, 1, 2, 3, 4, 0, 0, 1, 0x0c, 1, 5]);
    assert!(
        output::elf(&object, engine.isa(), 0)
            .is_err_and(|message| message.contains("Elf<machine>"))
    );
    let far = "jump end\n .space 127\nend:\n";
    let id = sources.add("far.s", far.as_bytes().to_vec());
    let options = &Options::default();
    let (object, _) =
        isadl_asm::assemble(&engine, &mut sources, &[id], options, Purpose::Address(0));
    assert!(object.is_some());
    let far = "jump end\n .space 128\nend:\n";
    let id = sources.add("farther.s", far.as_bytes().to_vec());
    let options = &Options::default();
    let (object, diagnostics) =
        isadl_asm::assemble(&engine, &mut sources, &[id], options, Purpose::Address(0));
    assert!(object.is_none());
    let message = &diagnostics.iter().next().expect("an error").message;
    assert_eq!(message, "the target is 130 bytes away; the instruction reaches from -128 to 127");
}
