//! Fills gaps with copies of numbers, or with instructions that do nothing.

use isadl::isa::ExtensionSet;

use crate::data::data_bytes;
use crate::nops::padding;
use crate::resolve::Resolver;

impl Resolver<'_, '_> {
    /// Appends copies of a number of `width` bytes.
    pub(crate) fn copies(&self, size: usize, (value, width): (u64, u8), bytes: &mut Vec<u8>) {
        let width = width.max(1);
        let own = data_bytes(self.engine.isa(), value, width);
        let end = bytes.len() + size;
        if value == 0 {
            bytes.resize(end, 0);
        }
        // The remainder comes first.
        bytes.resize(bytes.len() + (end - bytes.len()) % usize::from(width), 0);
        while bytes.len() < end {
            bytes.extend_from_slice(&own[..width.into()]);
        }
    }

    /// Instructions that do nothing; zeros before them where none fits.
    pub(crate) fn pad(&mut self, size: usize, set: ExtensionSet, bytes: &mut Vec<u8>) {
        let engine = self.engine;
        let padding = self.padding.entry(set).or_insert_with(|| padding(engine, set)).clone();
        let end = bytes.len() + size;
        let least = padding.last().map_or(1, Vec::len);
        bytes.resize(bytes.len() + size % least, 0);
        // Shorter instructions come first, until only the longest are needed.
        let longest = padding.first().map_or(1, Vec::len);
        for nop in padding.iter().rev() {
            while !(end - bytes.len()).is_multiple_of(longest) && bytes.len() + nop.len() <= end {
                bytes.extend_from_slice(nop);
            }
        }
        while let Some(nop) = padding.first().filter(|nop| bytes.len() + nop.len() <= end) {
            bytes.extend_from_slice(nop);
        }
        bytes.resize(end, 0);
    }
}
