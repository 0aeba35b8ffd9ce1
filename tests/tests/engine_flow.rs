//! What instructions read and write by the engine, over images of instruction sets, against the
//! interpreter: use by use and in order, for every opcode with random fields.

use isadl::flow::{Effect, Resource, Use};
use isadl::image::OwnedImage;
use isadl::isa::{Isa, OpcodeId};
use isadl_engine::decode::RowId;
use isadl_engine::flow::{self, Effects, uses};
use isadl_engine::image::Image;
use isadl_tests::{Random, compile, count, gcn, odd, root, simt, words};

/// A use of the interpreter by the numbers of the engine.
fn numbered(image: &OwnedImage, found: Use) -> flow::Use {
    let number = |index: usize| u32::try_from(index).expect("32 bits");
    let count = |count: u32| u16::try_from(count).expect("16 bits");
    let resource = match found.resource {
        Resource::Registers { file, first, count: registers } => flow::Resource::Registers {
            file: number(file.index()),
            first: count(first),
            count: count(registers),
        },
        Resource::Unknown { file } => flow::Resource::Unknown { file: number(file.index()) },
        Resource::Special(special) => flow::Resource::Special(number(special.index())),
        Resource::Memory { ty, raw } => {
            let known = image.flows.memory_types.iter().position(|known| *known == ty);
            flow::Resource::Memory { ty: number(known.expect("a type of the image")), raw }
        }
    };
    let effect = match found.effect {
        Effect::Read => flow::Effect::Read,
        Effect::ConditionalRead => flow::Effect::ConditionalRead,
        Effect::Write => flow::Effect::Write,
        Effect::ConditionalWrite => flow::Effect::ConditionalWrite,
        Effect::ReadWrite => flow::Effect::ReadWrite,
        Effect::ReadConditionalWrite => flow::Effect::ReadConditionalWrite,
    };
    flow::Use { resource, effect }
}

/// Holds the uses of one instruction against the interpreter's; returns how many there are.
fn check(
    isa: &Isa,
    image: &OwnedImage,
    view: &Image<'_>,
    id: OpcodeId,
    random: &mut Random,
) -> usize {
    let Some(inst) = words::instruction(isa, id, random) else { return 0 };
    let row = image.rows.iter().position(|row| *row == inst.opcode).expect("a row of the image");
    let row = RowId::new(row as u32 + 1).expect("rows begin at 1");
    let expected: Vec<flow::Use> =
        isa.flow(inst).into_iter().map(|found| numbered(image, found)).collect();
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
    assert_eq!(found(Effects::ALL), expected, "{opcode} 0x{:x}", inst.word);
    let of = |is_of: fn(flow::Effect) -> bool| -> Vec<flow::Use> {
        expected.iter().copied().filter(|found| is_of(found.effect)).collect()
    };
    assert_eq!(found(Effects::READS), of(flow::Effect::reads), "{opcode} reads");
    assert_eq!(found(Effects::WRITES), of(flow::Effect::writes), "{opcode} writes");
    expected.len()
}

fn agrees(isa: &Isa) {
    let image = OwnedImage::of(isa);
    let view = image.view();
    let mut random = Random::new(23);
    let times = count("ISADL_WORDS", 40_000) / isa.opcodes().len().max(1) + 1;
    let mut met = 0;
    for id in isa.opcode_ids() {
        met += (0..times).map(|_| check(isa, &image, &view, id, &mut random)).sum::<usize>();
    }
    assert!(met > times, "instructions read and write");
}

#[test]
fn uses_of_simt() {
    agrees(&simt());
}

#[test]
fn uses_of_every_generation_of_gcn() {
    for isa in gcn().isas() {
        agrees(isa);
    }
}

#[test]
fn uses_of_the_odd_instruction_set() {
    agrees(&odd());
}

/// Uses that may be the same are found however far apart they are, as registers of masks are, and as
/// places in memory of many bits are.
#[test]
fn uses_that_are_not_remembered() {
    let text = std::fs::read_to_string(root().join("tests/fixtures/wide.isa"));
    let (_, compilation) = compile(&[("wide.isa", text.expect("the fixture is readable"))]);
    let isa = compilation.into_isa().expect("the fixture has no errors");
    let image = OwnedImage::of(&isa);
    let flows = image.flows.view();
    assert!(flows.has_compared && flows.has_masks && flows.has_wide_memory);
    agrees(&isa);
}
