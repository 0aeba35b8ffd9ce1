//! Consecutive instructions in a stream of bytes.

use core::iter::FusedIterator;

use super::Decode;

/// The instructions of a stream of bytes with their offsets. Where there is none, it steps over as
/// many bytes as the shortest instruction has. It ends after the last byte.
#[derive(Debug, Clone)]
pub struct Stream<'a, I: Decode> {
    generation: I::Generation,
    bytes: &'a [u8],
    offset: usize,
}

impl<'a, I: Decode> Stream<'a, I> {
    /// The instructions of `bytes`.
    #[must_use]
    pub const fn new(generation: I::Generation, bytes: &'a [u8]) -> Stream<'a, I> {
        Stream { generation, bytes, offset: 0 }
    }
}

impl<I: Decode> Iterator for Stream<'_, I> {
    type Item = (usize, Result<I, I::DecodeError>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.offset..).filter(|rest| !rest.is_empty())?;
        let at = self.offset;
        let decoded = I::decode(self.generation, rest);
        let step = decoded.as_ref().map_or(I::MIN_BYTES, |(_, length)| *length);
        // Advances by at least one byte, so that it ends.
        self.offset += step.clamp(1, rest.len());
        Some((at, decoded.map(|(inst, _)| inst)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.bytes.len().saturating_sub(self.offset);
        (rest.div_ceil(I::MAX_BYTES.max(1)), Some(rest.div_ceil(I::MIN_BYTES.max(1))))
    }
}

impl<I: Decode> FusedIterator for Stream<'_, I> {}
