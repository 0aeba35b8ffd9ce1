//! The engine's reads and writes of instructions, over images of instruction sets, against the oracle: use by use and
//! in order, for every opcode with random fields.

use isadl::image::OwnedImage;
use isadl::isa::{Isa, OpcodeId};
use isadl_engine::decode::RowId;
use isadl_engine::flow::{self, Effects, uses};
use isadl_engine::image::Image;
use isadl_test_support::{
    Random, Set, compile, count, gcn, odd, oracle, riscv, root, scattered, simt, words,
};

/// A use in words, as the oracle tells it.
fn told(isa: &Isa, image: &OwnedImage, found: flow::Use) -> (&'static str, String) {
    let file = |file: u32| &isa.reg_files()[file as usize].name;
    let text = match found.resource {
        flow::Resource::Registers { file: of, first, count: 1 } => format!("{}[{first}]", file(of)),
        flow::Resource::Registers { file: of, first, count } => {
            format!("{}[{first}:{}]", file(of), first + count - 1)
        }
        flow::Resource::Unknown { file: of } => format!("some {}", file(of)),
        flow::Resource::Special(special) => isa.specials()[special as usize].clone(),
        flow::Resource::Memory { ty, raw } => {
            isa.value_text(isa.ty(image.flows.memory_types[ty as usize]), raw)
        }
    };
    (found.effect.name(), text)
}

/// Holds the uses of one instruction against the oracle's; returns how many there are.
fn check(
    isa: &Set,
    image: &OwnedImage,
    view: &Image<'_>,
    id: OpcodeId,
    random: &mut Random,
) -> usize {
    let Some(inst) = words::instruction(isa, id, random) else { return 0 };
    let row = image.rows.iter().position(|row| *row == inst.opcode).expect("a row of the image");
    let row = RowId::new(row as u32 + 1).expect("rows begin at 1");
    let expected = oracle::uses(isa, isa.opcode(inst.opcode), inst.word);
    let found = |effects| {
        let by_next: Vec<flow::Use> = uses(view, row, inst.word, effects).collect();
        let mut by_fold = Vec::new();
        uses(view, row, inst.word, effects).for_each(|found| by_fold.push(found));
        assert_eq!(by_next, by_fold, "both ways to take them give the same");
        let room = uses(view, row, inst.word, effects).size_hint().1.expect("there is a bound");
        assert!(by_next.len() <= room, "more than there is room for");
        by_next
    };
    let opcode = &isa.opcode(inst.opcode).name;
    let all = found(Effects::ALL);
    let told: Vec<_> = all.iter().map(|found| told(isa, image, *found)).collect();
    assert_eq!(told, expected, "{opcode} 0x{:x}", inst.word);
    let of = |is_of: fn(flow::Effect) -> bool| -> Vec<flow::Use> {
        all.iter().copied().filter(|found| is_of(found.effect)).collect()
    };
    assert_eq!(found(Effects::READS), of(flow::Effect::reads), "{opcode} reads");
    assert_eq!(found(Effects::WRITES), of(flow::Effect::writes), "{opcode} writes");
    expected.len()
}

fn agrees(isa: &Set) {
    let image = OwnedImage::of(isa);
    let view = image.view();
    let mut random = Random::new(23);
    let times = count("ISADL_WORDS", 10_000) / isa.opcodes().len().max(1) + 1;
    let mut met = 0;
    for id in isa.opcode_ids() {
        met += (0..times).map(|_| check(isa, &image, &view, id, &mut random)).sum::<usize>();
    }
    assert!(met > times, "instructions read and write");
}

#[test]
fn uses_of_simt() {
    agrees(simt());
}

#[test]
fn uses_of_every_generation_of_gcn() {
    for isa in gcn().isas() {
        agrees(isa);
    }
}

#[test]
fn uses_of_every_generation_of_riscv() {
    for isa in riscv().isas() {
        agrees(isa);
    }
}

#[test]
fn uses_of_the_odd_instruction_set() {
    agrees(odd());
}

/// Uses that can be the same are found at any distance. Registers of masks and memory locations of many bits are such
/// uses.
#[test]
fn uses_that_are_not_remembered() {
    let text = std::fs::read_to_string(root().join("tests/fixtures/wide.isa"));
    let text = text.expect("the fixture is readable");
    for text in [scattered(&text), text] {
        let (_, compilation) = compile(&[("wide.isa", text)]);
        let isa = Set::from(compilation.into_isa().expect("the fixture has no errors"));
        let image = OwnedImage::of(&isa);
        let flows = image.flows.view();
        assert!(flows.has_compared && flows.has_masks && flows.has_wide_memory);
        assert!(flows.has_conditions);
        agrees(&isa);
    }
}
