//! Nothing allocates in decoding, encoding, printing and data flow: not in generated crates, and not in the
//! engine over an image that is made at run time.
//!
//! A program of its own, without the test harness, as it counts all allocations of the process.

use std::alloc::System;
use std::fmt::{self, Write};
use std::hint::black_box;

use isadl::image::OwnedImage;
use isadl::isa::Isa;
use isadl_engine::image::Image;
use isadl_engine::target::Target;
use isadl_engine::{decode, encode, print};
use isadl_test_support::{Random, gcn as gcn_family, simt as simt_isa};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Random words near each opcode.
const WORDS: usize = 20_000;

/// Words near instructions, legal and not.
fn words(isa: &Isa) -> Vec<u128> {
    let mut random = Random::new(7);
    let word = |number: usize| {
        let opcode = &isa.opcodes()[number % isa.opcodes().len()];
        let flip = if random.below(8) == 0 { 1 << random.below(isa.width().into()) } else { 0 };
        (random.next_u128() & !opcode.mask | opcode.value) ^ flip
    };
    (0..WORDS).map(word).collect()
}

/// Does something with every word; none may allocate, and some must be instructions.
fn check<W: Copy>(what: &str, words: &[W], work: impl Fn(W) -> bool) {
    let region = Region::new(ALLOCATOR);
    let mut legal = 0;
    for word in words {
        legal += usize::from(work(black_box(*word)));
    }
    let change = region.change();
    let count = change.allocations + change.reallocations;
    assert_eq!(count, 0, "{what}: {count} allocations in {} calls", words.len());
    assert!(legal > words.len() / 100, "{what}: only {legal} instructions");
    println!("{what}: no allocation, {legal} instructions");
}

/// A text of limited length.
struct Buffer {
    bytes: [u8; 512],
    len: usize,
}

impl Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

macro_rules! check_crate {
    ($name:literal, $words:expr, $decode:expr, $room:expr, $flow:expr) => {
        let words = $words;
        check(concat!("decode and encode, ", $name), &words, |word| match $decode(word) {
            Ok(inst) => {
                black_box((inst.to_word().is_ok(), inst.to_bytes().is_ok()));
                black_box(inst.operands().count());
                true
            }
            Err(error) => {
                black_box(error);
                false
            }
        });
        check(concat!("print, ", $name), &words, |word| {
            let Ok(inst) = $decode(word) else { return false };
            let mut text = [0; $room];
            assert!(inst.append_to(&mut text, 0).is_some());
            let mut buffer = Buffer { bytes: [0; 512], len: 0 };
            inst.write_to(&mut buffer).expect("the buffer has room");
            write!(buffer, "{inst}").is_ok()
        });
        check(concat!("uses, ", $name), &words, |word| {
            let Ok(inst) = $decode(word) else { return false };
            $flow(inst);
            true
        });
    };
}

/// The engine over an image that is made at run time.
fn check_image(name: &str, words: &[u128], image: &Image<'_>) {
    check(&format!("decode and encode by an image, {name}"), words, |word| {
        let Some((row, word)) = decode::decode(image, Target::new(0, 0), word) else {
            black_box(decode::refusal(image, Target::new(0, 0), word));
            return false;
        };
        let _ = black_box(encode::validate(image, row, word));
        let _ = black_box(encode::with_raw(image, row, word, 0, 0));
        true
    });
    check(&format!("print by an image, {name}"), words, |word| {
        let Some((row, word)) = decode::decode(image, Target::new(0, 0), word) else {
            return false;
        };
        let mut text = [0; 1024];
        print::print(image, row, word, &mut text).is_some()
    });
}

fn main() {
    let region = Region::new(ALLOCATOR);
    drop(black_box(Box::new(1)));
    assert_eq!(region.change().allocations, 1, "allocations are counted");
    let simt = simt_isa();
    let simt_words = words(simt);
    check_crate!(
        "SIMT",
        simt_words.clone(),
        simt::Inst::decode_word,
        simt::TEXT_ROOM,
        |inst: simt::Inst| black_box(inst.uses().map(|found| found.resource.registers().count()))
            .for_each(|count| {
                black_box(count);
            })
    );
    let family = gcn_family();
    let isa = family.generation("GCN1_4").expect("it is a generation");
    let gcn_words = words(isa);
    check_crate!(
        "GCN",
        gcn_words.iter().map(|word| *word as u64).collect::<Vec<u64>>(),
        |word| gcn::Inst::decode_word(gcn::Generation::GCN1_4, word),
        gcn::TEXT_ROOM,
        |inst: gcn::Inst| black_box(inst.uses().map(|found| found.resource.registers().count()))
            .for_each(|count| {
                black_box(count);
            })
    );
    let owned = OwnedImage::of(simt);
    check_image("SIMT", &simt_words, &owned.view());
    let owned = OwnedImage::of(isa);
    check_image("GCN1_4", &gcn_words, &owned.view());
}
