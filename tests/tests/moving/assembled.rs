//! What the assembler makes of a text at one address, moved to another, is what it makes of the text there.

use std::path::Path;

use isadl::engine::Engine;
use isadl::source::SourceMap;
use isadl_asm::{Options, Purpose, output};
use isadl_exec::moving::{Block, Mover};
use isadl_test_support::{Random, count};

use super::{A64, RISCV, Target, check_targets, spec, spec_of};
use crate::asm_files::Machine;

/// Loops, branches out of the function, addresses within it and outside, as compilers load them.
const RISCV_TEXT: &str = "
start:
    addi sp, sp, -16
    la a0, data
    lla a1, start
1:  auipc a2, %pcrel_hi(data + 8)
    ld a3, %pcrel_lo(1b)(a2)
2:  auipc a4, %pcrel_hi(data - 16)
    addi a3, a3, 1
    sd a3, %pcrel_lo(2b)(a4)
    beqz a3, end
    blt a0, a1, start
    bnez a0, start
    bgeu a0, a1, end
    jal ra, outside
    call outside
    lui a5, 0x12345
    addi a5, a5, 8
3:  auipc t1, %pcrel_hi(end)
    jalr zero, %pcrel_lo(3b)(t1)
    j outside
end:
    addi sp, sp, 16
    ret
";

const A64_TEXT: &str = "
start:
    sub sp, sp, #16
    adrp x0, data
    add x0, x0, :lo12:data
    adrp x1, data + 8
    ldr x1, [x1, :lo12:data + 8]
    adrp x2, end
    add x2, x2, :lo12:end
    adr x3, end
    cbz x3, end
    b.ne start
    b.lt outside
    tbz x0, #3, end
    bl outside
    ldr x4, outside
    b outside
end:
    add sp, sp, #16
    ret
";

/// Where images of texts begin.
const BASE: u64 = 0x800;

/// What follows code in an image, and is in no code.
const MARK: [u8; 8] = [0xa5, 0x5a, 0xc3, 0x3c, 0x96, 0x69, 0xf0, 0x0f];

/// A text at an address, among labels that are at others; `None` if it is on one of them.
fn image(text: &str, address: u64, labels: &[(&str, u64)]) -> Option<String> {
    let mark = MARK.map(|byte| format!(" .byte {byte:#x}\n")).concat();
    let own = (address, format!("{text}{mark}"));
    let is_on =
        |at: u64| (address..address + 0x100).contains(&at) || at > address - 8 && at < address;
    if labels.iter().any(|(_, at)| is_on(*at)) {
        return None;
    }
    let mut all: Vec<(u64, String)> =
        labels.iter().map(|(label, at)| (*at, format!("{label}: .byte 0\n"))).collect();
    all.push(own);
    all.sort();
    Some(all.iter().map(|(at, text)| format!(" .org {:#x}\n{text}", at - BASE)).collect())
}

/// The code at an address of an image.
fn code(raw: &[u8], address: u64) -> Vec<u8> {
    let rest = &raw[(address - BASE) as usize..];
    let length = rest.windows(MARK.len()).position(|bytes| bytes == MARK);
    rest[..length.expect("a mark")].to_vec()
}

/// The bytes of a text at an address.
fn assembled(machine: &Machine, text: &str, address: u64) -> Vec<u8> {
    let labels = [("outside", 0x14568), ("data", 0x60678)];
    let text = image(text, address, &labels).expect("apart");
    let options = (&Options::default(), Purpose::Address(BASE));
    let files = [(Path::new("moved.s"), text.as_bytes())];
    let (_, object, diagnostics) = machine.assemble(&files, options);
    let found: Vec<String> = diagnostics.iter().map(|one| one.message.clone()).collect();
    code(&output::raw(&object.unwrap_or_else(|| panic!("{found:?}"))), address)
}

fn is_moved(target: &'static Target, text: &str, step: u64) {
    let machine = Machine::of(target, target.extensions);
    let spec = spec(target);
    let mover = Mover::new(&spec);
    let from = 0x10010;
    let bytes = assembled(&machine, text, from);
    let mut same = 0;
    // Near, by whole pages, across pages, and backwards.
    for to in [0x10010, 0x10010 + step, 0x11010, 0x13ffc, 0x1a010, 0x9554, 0x8010, 0x11556] {
        let to = to / step * step;
        let moved = mover.encode(&[Block { bytes: &bytes, from, to }]);
        let moved = moved.unwrap_or_else(|error| panic!("to {to:#x}: {error}"));
        let there = assembled(&machine, text, to);
        // What is near may be shorter.
        if there.len() == bytes.len() {
            assert_eq!(moved[0].bytes, there, "to {to:#x}");
            same += 1;
        }
    }
    assert!(same >= 6, "{same}");
}

#[test]
fn riscv_is_what_the_assembler_makes_there() {
    is_moved(&RISCV, RISCV_TEXT, 2);
}

#[test]
fn a64_is_what_the_assembler_makes_there() {
    is_moved(&A64, A64_TEXT, 4);
}

/// Branches that detours replace, jumps that measure from the next instruction and from their field.
pub(super) const SMALL: &str = "
__DefIsa SMALL<16>
    Detour<IF, UNLESS> = \"goto 0\";
__DefRegFile GPR<64, 4>
__DefOperandType Reg<2>
    R[0..3] = 0 : GPR;
__DefImmediate Code<4>
    Number = unsigned;
__DefImmediate Near<8>
    Number = signed; Relative = start;
__DefImmediate Far<12>
    Number = signed; Scale = 2; Relative = next;
__DefImmediate Back<8>
    Number = unsigned; Scale = -2; Bias = 4; Relative = here;
__DefImmediate Place<10>
    Number = signed; Scale = 4; Relative = align(start + 4, 4);
__DefGroup ALL : []
__DefGroup CONDITIONAL : [ALL]
  __Encoding
    field<8, 8> Near target; zero<4, 4>;
  __OperandInfo
    Operands<target>; Flow<conditional>;
__DefOpcode IF : [CONDITIONAL]
  __Encoding
    field<0, 4> Code code == 1;
  __OperandInfo
    Mnemonic<\"if\">;
__DefOpcode UNLESS : [CONDITIONAL]
  __Encoding
    field<0, 4> Code code == 2;
  __OperandInfo
    Mnemonic<\"unless\">;
__DefOpcode GOTO : [ALL]
  __Encoding
    field<0, 4> Code code == 3; field<4, 12> Far target;
  __OperandInfo
    Mnemonic<\"goto\">; Operands<target>; Flow<branch>;
__DefOpcode AGAIN : [ALL]
  __Encoding
    field<0, 4> Code code == 4; field<8, 8> Back target; zero<4, 4>;
  __OperandInfo
    Mnemonic<\"again\">; Operands<target>; Flow<branch>;
__DefOpcode NAME : [ALL]
  __Encoding
    field<0, 4> Code code == 5; field<4, 2> Reg rd; field<6, 10> Place place;
  __OperandInfo
    Mnemonic<\"name\">; Operands<out rd : 64, place>;
__DefOpcode REST : [ALL]
  __Encoding
    field<0, 4> Code code == 0; zero<4, 12>;
  __OperandInfo
    Mnemonic<\"rest\">;
";

/// Lines with targets in the text, and some outside.
fn text(random: &mut Random) -> String {
    let lines = 4 + random.below(30);
    let mut text = String::new();
    for line in 0..lines {
        let label = format!("l{}", random.below(lines));
        let inst = match random.below(10) {
            0 | 1 => format!("if {label}"),
            2 => format!("unless {label}"),
            3 => "unless near".to_string(),
            4 => format!("goto {label}"),
            5 => "goto far".to_string(),
            _ => "rest".to_string(),
        };
        text += &format!("l{line}: {inst}\n");
    }
    text
}

fn small_assembled(
    engine: &Engine<'_>,
    text: &str,
    address: u64,
    labels: &[(&str, u64)],
) -> Option<Vec<u8>> {
    let mut sources = SourceMap::new();
    let text = image(text, address, labels)?;
    let file = sources.add("moved.s", text.into_bytes());
    let purpose = Purpose::Address(BASE);
    let (object, _) =
        isadl_asm::assemble(engine, &mut sources, &[file], &Options::default(), purpose);
    object.map(|object| code(&output::raw(&object), address))
}

#[test]
fn random_texts_of_a_small_set_are_what_the_assembler_makes_there() {
    let spec = spec_of(SMALL);
    let (engine, mover) = (spec.engine(), Mover::new(&spec));
    let (mut same, mut grown, mut refused) = (0, 0, 0);
    for seed in 0..count("ISADL_TRIES", 300) as u64 {
        let mut random = Random::new(seed);
        let from = 0x3000 + random.below(0x200) * 2;
        let text = text(&mut random);
        let near = from - 8 - random.below(8) * 2;
        let labels = [("near", near), ("far", from + 0x400 + random.below(0x300) * 2)];
        // What is out of reach there is not assembled.
        let Some(bytes) = small_assembled(&engine, &text, from, &labels) else { continue };
        for _ in 0..8 {
            let to = from.wrapping_add(random.below(0x1800) * 2).wrapping_sub(0x1800);
            let there = small_assembled(&engine, &text, to, &labels);
            match mover.encode(&[Block { bytes: &bytes, from, to }]) {
                Ok(moved) => {
                    check_targets(&engine, (&bytes, from, to), &moved[0]);
                    grown += usize::from(moved[0].bytes.len() > bytes.len());
                    if let Some(there) = there.filter(|there| there.len() == bytes.len()) {
                        // The same branches have detours.
                        let is_same = moved[0].bytes == there;
                        same += usize::from(is_same);
                    }
                }
                Err(error) => {
                    let is_reach =
                        matches!(error.fault, isadl_exec::moving::Fault::OutOfReach { .. });
                    assert!(is_reach, "{error}");
                    assert!(there.is_none(), "seed {seed}: {error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(same > 100 && grown > 20 && refused > 20, "{same}, {grown}, {refused}");
}

#[test]
fn every_word_is_moved_or_refused_for_its_reach() {
    let spec = spec_of(SMALL);
    let (engine, mover) = (spec.engine(), Mover::new(&spec).keeping_lengths());
    let mut counts = [0, 0];
    for word in 0..=u16::MAX {
        let Ok(inst) = engine.decode(word.into()) else { continue };
        for (from, to) in [(0x1000_u64, 0x1080_u64), (0x1002, 0x0f04), (2, 0)] {
            let bytes = word.to_le_bytes();
            let old: Vec<u64> = engine.targets(inst, from).map(|one| one.address).collect();
            // The word at the new address that has the target, by trying all of them.
            let own = |target: u64| if target == from { to } else { target };
            let has = |other: u16| {
                engine.decode(other.into()).is_ok_and(|other| {
                    other.opcode == inst.opcode
                        && engine
                            .targets(other, to)
                            .map(|one| one.address)
                            .eq(old.iter().map(|old| own(*old)))
                        && engine.text(other).split([' ', ',']).next()
                            == engine.text(inst).split([' ', ',']).next()
                })
            };
            match mover.encode(&[Block { bytes: &bytes, from, to }]) {
                Ok(moved) => {
                    let bytes: [u8; 2] = moved[0].bytes.as_slice().try_into().expect("two bytes");
                    assert!(has(u16::from_le_bytes(bytes)), "{word:#x}");
                    counts[0] += 1;
                }
                Err(error) => {
                    assert!(!old.is_empty(), "{error}");
                    // All words are many; some are enough.
                    if word % 97 == 0 {
                        assert!(!(0..=u16::MAX).any(has), "{word:#x}: {error}");
                    }
                    counts[1] += 1;
                }
            }
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?}");
}
