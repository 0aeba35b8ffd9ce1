//! The bytes of instructions that fill gaps.

use std::rc::Rc;

use isadl::engine::{Engine, TextOptions};
use isadl::isa::ExtensionSet;

/// The instruction that fills gaps, in all encodings, the longest first.
pub(crate) type Padding = Rc<[Vec<u8>]>;

/// The padding of implementations with a set of extensions.
pub(crate) fn padding(engine: &Engine<'_>, set: ExtensionSet) -> Padding {
    let engine = engine.clone().with_extensions(set);
    let Some(text) = &engine.isa().elf().padding else { return Rc::default() };
    let Ok(long) = engine.assemble_with(text, TextOptions::PLAIN) else { return Rc::default() };
    let both = [long, engine.shortest(long)];
    let bytes = both.map(|inst| engine.bytes(inst)[..engine.bytes_of(inst)].to_vec());
    let mut all = bytes.to_vec();
    all.dedup();
    all.into()
}
