//! Streams with addresses: those at run time and those of generated crates give the same instructions, go on anywhere, and
//! step over words that are no instructions.

use isadl::engine::Engine;
use isadl_test_support::{Random, riscv_with, simt};
use riscv::{Extensions, Generation};

#[test]
fn both_streams_step_alike() {
    let names = ["most"];
    let extensions: Extensions = "most".parse().expect("known");
    let family = riscv_with(&names);
    let mut bad = [0, 0];
    for generation in Generation::ALL {
        let set = family.generation(generation.name()).expect("a generation");
        let engine = set.engine();
        let mut random = Random::new(31);
        let bytes: Vec<u8> = (0..20_000).flat_map(|_| random.next_u64().to_le_bytes()).collect();
        for (way, bad) in bad.iter_mut().enumerate() {
            let (mut own, mut theirs) = (
                engine.stream(&bytes).at(0x1000),
                riscv::Inst::stream(*generation, extensions, &bytes).at(0x1000),
            );
            if way == 1 {
                (own, theirs) = (own.by_length(), theirs.by_length());
            }
            loop {
                assert_eq!((own.offset(), own.address()), (theirs.offset(), theirs.address()));
                assert_eq!(own.address(), 0x1000 + own.offset() as u64);
                let (Some((at, ours)), Some((place, other))) = (own.next(), theirs.next()) else {
                    break;
                };
                assert_eq!(at, place);
                let length = own.offset() - at;
                match (ours, other) {
                    (Ok(ours), Ok(other)) => {
                        assert_eq!(ours.word, u128::from(other.word()));
                        assert_eq!(length, engine.bytes_of(ours));
                    }
                    (Err(_), Err(_)) => {
                        *bad += 1;
                        let rest = &bytes[at..];
                        // Two bits tell the length.
                        let told = if rest[0] & 3 == 3 { 4.min(rest.len()) } else { 2 };
                        assert_eq!(length, if way == 1 { told } else { 2 });
                    }
                    (ours, other) => panic!("{ours:?} {other:?}"),
                }
            }
            assert_eq!(own.offset(), bytes.len());
            assert!(own.next().is_none() && theirs.next().is_none());
        }
    }
    assert!(bad[0] > 1000 && bad[1] > 1000, "{bad:?}");
}

fn seeks(engine: &Engine<'_>, bytes: &[u8], length: usize) {
    let mut stream = engine.stream(bytes).at(u64::MAX - 15);
    assert_eq!(stream.address(), u64::MAX - 15);
    let first = stream.next();
    assert_eq!((stream.offset(), stream.address()), (length, (length as u64).wrapping_sub(16)));
    assert!(stream.seek_address(u64::MAX - 15));
    assert_eq!(stream.next(), first);
    // Behind the last byte there is nothing; farther away is not in it.
    assert!(stream.seek_address((bytes.len() as u64).wrapping_sub(16)));
    assert_eq!(stream.next(), None);
    let at = stream.offset();
    assert!(!stream.seek_address((bytes.len() as u64).wrapping_sub(15)));
    assert!(!stream.seek_address(u64::MAX - 16));
    assert_eq!(stream.offset(), at);
    stream.seek(usize::MAX);
    assert_eq!((stream.next(), stream.size_hint().0), (None, 0));
    stream.seek(length);
    assert_eq!(stream.next().map(|(at, _)| at), Some(length));
}

#[test]
fn streams_go_on_anywhere() {
    let set = simt();
    let mut random = Random::new(5);
    let bytes: Vec<u8> = (0..8).flat_map(|_| random.next_u128().to_le_bytes()).collect();
    seeks(&set.engine(), &bytes, 16);
    let mut theirs = simt::Inst::stream(&bytes).at(0x40);
    assert!(theirs.seek_address(0x60));
    assert_eq!(
        (theirs.len(), theirs.next().map(|(at, _)| at), theirs.address()),
        (6, Some(32), 0x70)
    );
    assert!(!theirs.seek_address(0x3f));
    theirs.seek(1000);
    assert_eq!((theirs.next(), theirs.len()), (None, 0));
}
