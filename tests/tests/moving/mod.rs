//! Code that is moved to other addresses: what the assembler makes of the same text at the new address, targets that the
//! disassemblers of others print, moved functions that an emulator runs, and what is refused.

mod assembled;
mod libraries;
mod refused;
mod runs;

use isadl::engine::{Engine, Loaded};
use isadl::semantics::ir::Programs;
use isadl_exec::Spec;
use isadl_exec::moving::Moved;
use isadl_test_support::Once;

use crate::asm_files::{A64, RISCV, Target};

/// An instruction set with its programs, for the extensions of a target.
fn spec(target: &'static Target) -> Spec {
    static KNOWN: Once<(isadl::isa::Isa, Programs)> = Once::new();
    let (isa, programs) = KNOWN.get(target.spec, || {
        let compiled = isadl_test_support::compiled(target.spec);
        let family = &compiled.sets;
        let named = target.generation.and_then(|name| family.generation(name));
        let set = named.unwrap_or(&family.isas()[0]);
        let is_it = |own: &isadl_test_support::Set| std::ptr::eq(own, set);
        let at = family.isas().iter().position(is_it).expect("one of them");
        let isa: isadl::isa::Isa = (**set).clone();
        let programs = Programs::of(&isa, &compiled.programs[at]);
        (isa, programs)
    });
    let spec = Spec::built(Loaded::new(isa.clone()), programs.clone());
    let names: Vec<String> = target.extensions.iter().map(|name| name.to_string()).collect();
    match names.is_empty() {
        true => spec,
        false => {
            let set = spec.isa().extensions().set_of(&names).expect("known extensions");
            spec.with_extensions(set)
        }
    }
}

/// A specification in a text, with its programs.
fn spec_of(text: &str) -> Spec {
    let mut sources = isadl::source::SourceMap::new();
    sources.add("set.isa", text.as_bytes().to_vec());
    let mut compilation = isadl::compile(&sources);
    let found: Vec<String> =
        compilation.diagnostics.iter().map(|one| one.message.clone()).collect();
    let programs = compilation.semantics.pop().unwrap_or_default();
    Spec::new(compilation.into_isa().unwrap_or_else(|| panic!("{found:?}")), programs)
}

/// Where an address is after a block was moved; the address itself if it is not in the block.
fn mapped((from, to, length): (u64, u64, usize), moved: &Moved, address: u64) -> u64 {
    let offset = address.wrapping_sub(from);
    if offset >= length as u64 {
        return address;
    }
    let found = moved.offsets.iter().find(|(old, _)| *old as u64 == offset);
    to.wrapping_add(found.expect("an instruction").1 as u64)
}

/// Checks that all distances of the code after a move name what they named before.
fn check_targets(engine: &Engine<'_>, (bytes, from, to): (&[u8], u64, u64), moved: &Moved) {
    let block = (from, to, bytes.len());
    for (number, (old, new)) in moved.offsets.iter().enumerate() {
        let end = moved.offsets.get(number + 1).map_or(moved.bytes.len(), |next| next.1);
        let (inst, _) = engine.decode_bytes(&bytes[*old..]).expect("an instruction");
        let (mut last, mut at) = (None, *new);
        while at < end {
            let (inst, length) = engine.decode_bytes(&moved.bytes[at..end]).expect("one, too");
            last = engine.target(inst, to.wrapping_add(at as u64));
            at += length;
        }
        let target = engine.target(inst, from.wrapping_add(*old as u64));
        let expected = target.map(|target| mapped(block, moved, target));
        assert_eq!(last, expected, "{} at {old:#x}", engine.text(inst));
    }
}
