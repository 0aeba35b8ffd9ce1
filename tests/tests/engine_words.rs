//! The engine's decoder over images of instruction sets, against a decoder that compares a word with every
//! opcode.

use isadl::engine::DecodeError;
use isadl::image::OwnedImage;
use isadl::isa::low_bits;
use isadl_engine::decode::{Refusal, decode, find, refusal};
use isadl_engine::image::{ALWAYS_TWO, BY_TABLE, Image, TABLE_FOLLOWS, slice};
use isadl_engine::target::Target;
use isadl_test_support::{Random, Set, compile, count, empty, gcn, odd, simt, synthetic};

/// A random word, mostly a word near an instruction.
fn word(isa: &Set, random: &mut Random) -> u128 {
    let all = low_bits(isa.width());
    if isa.opcodes().is_empty() || random.below(16) == 0 {
        return random.next_u128() & all;
    }
    let opcode = &isa.opcodes()[random.below(isa.opcodes().len() as u64) as usize];
    let sparse = random.next_u128() & random.next_u128() & random.next_u128();
    let noise = if random.below(2) == 0 { random.next_u128() } else { sparse };
    let word = noise & !opcode.mask | opcode.value;
    let flip = if random.below(8) == 0 { opcode.mask & sparse & random.next_u128() } else { 0 };
    (word ^ flip) & all
}

fn check(isa: &Set, image: &OwnedImage, view: &Image<'_>, word: u128) {
    let row = |id: u32| image.rows[id as usize - 1];
    let found = find(view, Target::new(0, 0), word).map(|id| row(id.get()));
    assert_eq!(found, isa.find(word), "the opcode of 0x{word:x}");
    match (decode(view, Target::new(0, 0), word), isa.decode(word)) {
        (Some((id, word)), Ok(inst)) => assert_eq!((row(id.get()), word), (inst.opcode, inst.word)),
        (None, Err(error)) => {
            let (fields, names) = (&view.words.fields, &image.words.field_names);
            let expected = match refusal(view, Target::new(0, 0), word) {
                Refusal::Unknown => DecodeError::Unknown,
                Refusal::Absent(id) => DecodeError::Absent { opcode: row(id.get()) },
                Refusal::Field(id, at) => {
                    let fields = slice(fields, view.words.rows[id.get() as usize].fields);
                    let field = names[usize::from(fields[at].name)];
                    DecodeError::IllegalValue { opcode: row(id.get()), field }
                }
                Refusal::Rule(id, rule) => {
                    let opcode = row(id.get());
                    let mut rules = isa.opcode(opcode).rules.iter().copied();
                    let rule = rules.find(|known| known.index() == usize::from(rule));
                    DecodeError::Rule { opcode, rule: rule.expect("a rule of the opcode") }
                }
            };
            assert_eq!(expected, error, "why 0x{word:x} is refused");
        }
        (ours, theirs) => panic!("0x{word:x}: {ours:?}, but {theirs:?}"),
    }
}

fn agrees(isa: &Set) {
    let image = OwnedImage::of(isa);
    let view = image.view();
    let mut random = Random::new(7);
    let words = count("ISADL_WORDS", 25_000);
    for _ in 0..words {
        check(isa, &image, &view, word(isa, &mut random));
    }
}

#[test]
fn words_of_simt() {
    agrees(simt());
}

#[test]
fn words_of_every_generation_of_gcn() {
    for isa in gcn().isas() {
        agrees(isa);
    }
}

#[test]
fn words_of_the_odd_instruction_set() {
    agrees(odd());
}

#[test]
fn words_of_an_empty_instruction_set() {
    agrees(&empty().into_first().into());
}

#[test]
fn words_of_thousands_of_opcodes() {
    let text = synthetic::specification(3_000);
    let (_, compilation) = compile(&[("synthetic.isa", text)]);
    let isa = Set::from(compilation.into_isa().expect("the specification has no errors"));
    let image = OwnedImage::of(&isa);
    let words = image.view().words;
    // Bits side by side are told apart from others by chance only, and more of them can be gathered.
    let root = words.roots[0].gather.mask.count_ones();
    assert!(root >= 10, "the first look-up takes {root} bits");
    assert_eq!((words.depth, words.leaves.len()), (1, words.rows.len()));
    agrees(&isa);
}

/// If one lookup does not distinguish all opcodes, the second lookup takes all remaining bits, so that nothing is
/// compared.
#[test]
fn two_look_ups_take_all_fixed_bits() {
    let text = synthetic::specification(10_000);
    let (_, compilation) = compile(&[("synthetic.isa", text)]);
    let isa = Set::from(compilation.into_isa().expect("the specification has no errors"));
    let image = OwnedImage::of(&isa);
    let words = image.view().words;
    assert_eq!((words.depth, words.compares, words.has_chains), (ALWAYS_TWO, false, false));
    let mut random = Random::new(17);
    for _ in 0..2_000 {
        check(&isa, &image, &image.view(), word(&isa, &mut random));
    }
}

/// The properties that the engine's speed relies on: rows and leaves have the same numbers, and no bits are looked up
/// twice for a word.
fn is_lean(isa: &Set) {
    let image = OwnedImage::of(isa);
    let words = image.view().words;
    for (number, leaf) in words.leaves.iter().enumerate().skip(1).take(words.rows.len() - 1) {
        assert_eq!((leaf.row as usize, leaf.next), (number, 0));
    }
    for leaf in words.leaves.iter().filter(|leaf| leaf.conditions != 0) {
        let mut list = words.conditions[leaf.conditions as usize..].iter();
        let mut masks = Vec::new();
        while let Some(condition) = list.next().filter(|condition| condition.kind == BY_TABLE) {
            let gather = condition.gather;
            masks.push(u128::from(gather.mask) << gather.start);
            if condition.next != TABLE_FOLLOWS {
                break;
            }
        }
        assert!(!masks.is_empty(), "a list of conditions begins with a table");
        for (at, mask) in masks.iter().enumerate() {
            let is_in = |other: &u128| mask & other == *mask || mask & other == *other;
            assert!(!masks[at + 1..].iter().any(is_in), "{masks:x?} are more tables than needed");
        }
    }
}

#[test]
fn images_are_lean() {
    is_lean(simt());
    gcn().isas().iter().for_each(is_lean);
    is_lean(odd());
}
