//! Compares random small instruction sets with other orders of bytes, units and bits with the same sets without them:
//! every stream of bytes, its meaning, its text, and lines.

use isadl::engine::Loaded;
use isadl_test_support::count;
use isadl_test_support::random::{self, mirrored};

/// How many sets are drawn.
fn sets() -> usize {
    count("ISADL_SETS", 150)
}

fn loaded(text: &str) -> Option<Loaded> {
    random::accepted(text).map(|family| Loaded::new(family.first().clone()))
}

/// The meaning of the bytes at the start of a stream: text that does not depend on the order, and the length.
fn said(loaded: &Loaded, stream: &[u8]) -> Result<(String, usize), String> {
    let engine = loaded.engine();
    match engine.decode_bytes(stream) {
        Ok((inst, length)) => {
            let uses: Vec<String> = engine
                .uses(inst)
                .map(|found| format!("{:?} {:?}", found.effect, found.resource))
                .collect();
            let text =
                format!("{}; {uses:?}; {:?}", engine.text(inst), engine.advice(inst).is_some());
            Ok((text, length))
        }
        Err(error) => Err(format!("{error:?}")),
    }
}

/// The bytes of a line, or why there are none.
fn assembled(loaded: &Loaded, line: &str) -> Result<Vec<u8>, String> {
    let engine = loaded.engine();
    let inst = engine.assemble(line).map_err(|error| error.message.to_string())?;
    let length = loaded.isa().opcode(inst.opcode).width as usize / 8;
    Ok(engine.bytes(inst)[..length].to_vec())
}

fn each(
    order: impl Fn(&str) -> String,
    bytes: impl Fn(&[u8]) -> Vec<u8>,
    keeps: impl Fn(&Loaded) -> bool,
) -> usize {
    let mut compared = 0;
    for seed in 0..sets() as u64 {
        // Others are mirrored already.
        if seed % 5 == 4 {
            continue;
        }
        let set = random::specification(seed);
        let Some(plain) = loaded(&set.text).filter(|loaded| keeps(loaded)) else { continue };
        let text = order(&set.text);
        let other = loaded(&text).unwrap_or_else(|| panic!("seed {seed} is refused:\n{text}"));
        let longest = plain.isa().bytes() as u32;
        for number in 0..1u32 << (8 * longest) {
            let stream = &number.to_le_bytes()[..longest as usize];
            let (here, there) = (said(&plain, stream), said(&other, &bytes(stream)));
            assert_eq!(here, there, "seed {seed}, {stream:02x?}\n{text}");
            let Ok((line, _)) = here else { continue };
            if number % 7 == 0 {
                let line = line.split("; ").next().unwrap_or_default();
                let ours = assembled(&plain, line).map(|found| bytes(&found));
                assert_eq!(ours, assembled(&other, line), "seed {seed}, {line}");
            }
        }
        compared += 1;
    }
    compared
}

#[test]
fn a_mirrored_set_reads_mirrored_bytes() {
    let mirror = |bytes: &[u8]| bytes.iter().map(|byte| byte.reverse_bits()).collect();
    let compared = each(mirrored, mirror, |_| true);
    assert!(3 * compared > sets(), "{compared} sets");
}

/// Adds statements to the header of an instruction set.
fn with(statements: &'static str) -> impl Fn(&str) -> String {
    move |text| text.replacen('\n', &format!("\n{statements}"), 1)
}

/// Units of 16 bits; the group of narrow instructions, which is empty, has no other width then.
fn halves(text: &str) -> String {
    with("    Unit = 16 high;\n")(text).replace("NARROW<8>", "NARROW<16>")
}

/// Whether all instructions have as many bits.
fn is_even(loaded: &Loaded) -> bool {
    loaded.isa().opcodes().iter().all(|opcode| opcode.width == loaded.isa().width())
}

fn is_16(loaded: &Loaded) -> bool {
    loaded.isa().width() == 16 && is_even(loaded)
}

#[test]
fn bytes_in_another_order_are_the_same_words() {
    let swap = |bytes: &[u8]| bytes.iter().rev().copied().collect();
    let swapped = each(with("    ByteOrder = big;\n"), swap, is_even)
        + each(with("    Unit = 8 high;\n"), swap, is_16);
    let same = each(with("    ByteOrder = little;\n    Unit = 8 low;\n"), <[u8]>::to_vec, |_| true)
        + each(
            with("    ByteOrder = big;\n    Unit = 8 low;\n    Bits = lsb0;\n"),
            <[u8]>::to_vec,
            |_| true,
        )
        + each(halves, <[u8]>::to_vec, is_16);
    assert!(3 * swapped > sets() && 3 * same > 2 * sets(), "{swapped} and {same} sets");
}
