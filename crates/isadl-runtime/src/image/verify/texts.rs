//! Steps, types, aliases.

use isadl_engine::image::Span;
use isadl_engine::image_text;
use isadl_engine::image_text::{
    CALL, CHUNK, CONSTANT, ENTRY_OTHERS, IS_LONG, LONG_CHUNK, NUMBER_FLOAT, OFFSET, OPTIONAL,
    SKIP_FAR, TYPE_COMPOSITE, TYPE_NAMES, VALUE,
};

use crate::isa::Isa;

use super::{MAX_ROOM, Verify, list, row};

impl Verify<'_> {
    pub(super) fn texts(&self) -> bool {
        let (words, texts) = (&self.image.words, &self.image.texts);
        let chunk = |bytes: &[u8; CHUNK]| {
            let length = bytes[CHUNK - 1];
            usize::from(length) < CHUNK || texts.has_long_texts && length == IS_LONG
        };
        let long = |bytes: &[u8; LONG_CHUNK]| usize::from(bytes[LONG_CHUNK - 1]) < LONG_CHUNK;
        let chunks = |(first, count): Span| {
            let most = texts.chunks.len().max(texts.long_chunks.len());
            first as usize + count as usize <= most
        };
        texts.chunks.iter().all(chunk)
            && texts.long_chunks.iter().all(long)
            && (texts.programs.is_empty() || (64..MAX_ROOM).contains(&texts.room))
            && !texts.names.is_empty()
            && self.types()
            && texts.programs.iter().all(|own| {
                list(texts.steps, own.guard) && chunks(own.mnemonic) && list(texts.steps, own.rest)
            })
            && texts.steps.iter().all(|step| self.step(step))
            && texts
                .constant_sets
                .iter()
                .all(|own| own.shift < 64 && list(texts.constants, own.list))
            && texts.constants.iter().all(|own| chunks(own.text))
            && texts.searched.iter().all(|own| {
                row(texts.types, own.ty)
                    && texts.types[own.ty as usize].kind == TYPE_NAMES
                    && self.width(own.width)
                    && self.name(own.sign)
            })
            && [0, words.rows.len()].contains(&texts.short_of.len())
            && texts.short_of.iter().all(|at| *at as usize <= texts.shorts.len())
            && texts.shorts.iter().all(|own| {
                row(words.rows, own.row)
                    && row(words.rows, own.long)
                    && list(texts.moves, own.moves)
                    && row(words.exprs, own.condition)
            })
            && texts.moves.iter().all(|own| {
                self.field(own.to, own.to_width)
                    && self.field(own.from, own.from_width)
                    && list(texts.move_pairs, own.pairs)
                    && (own.pairs.1 > 0 || own.factor != 0 || own.from_width == 0)
            })
    }

    fn types(&self) -> bool {
        let (words, texts) = (&self.image.words, &self.image.texts);
        let entry = |own: &image_text::Entry| {
            own.align > 0
                && self.name(own.text)
                && (own.kind != ENTRY_OTHERS || row(texts.types, own.value))
        };
        let format = |own: &image_text::Format| {
            let bits = u32::from(own.exponent) + u32::from(own.fraction);
            (1..=64).contains(&own.lane_bits)
                && own.lanes > 0
                && u32::from(own.lanes) * u32::from(own.lane_bits) <= 64
                && (own.kind != NUMBER_FLOAT || own.exponent > 0 && bits < 64)
                && (texts.notations.is_empty() || row(texts.notations, own.notation))
        };
        let notation = |own: &image_text::Notation| {
            own.scale != 0
                && self.name(own.prefix)
                && (own.computed == 0 || row(words.computed, own.computed))
                && list(self.image.control.relocations, own.relocations)
        };
        let is_list = |own: &image_text::Type| match own.kind {
            TYPE_NAMES => list(texts.entries, own.list),
            TYPE_COMPOSITE => list(texts.pieces, own.list),
            _ => true,
        };
        texts.types.iter().all(|own| own.width <= 64 && is_list(own))
            && texts.entries.iter().all(entry)
            && texts.pieces.iter().enumerate().all(|(at, own)| {
                let after = at + 1 + usize::from(own.count);
                self.name(own.text)
                    && row(texts.types, own.ty)
                    && own.lsb < 64
                    && list(texts.part_pieces, own.part_pieces)
                    && (own.kind != OPTIONAL || after <= texts.pieces.len())
            })
            && texts.part_pieces.iter().all(|piece| piece.lsb < 64 && piece.shift < 64)
            && texts.formats.iter().all(format)
            && texts.notations.iter().all(notation)
            && self.nested(texts.types.len())
    }

    /// Whether types are not made of themselves.
    fn nested(&self, count: usize) -> bool {
        let texts = &self.image.texts;
        let parts = |ty: usize| -> Vec<usize> {
            let own = &texts.types[ty];
            match own.kind {
                TYPE_NAMES => isadl_engine::image::slice(texts.entries, own.list)
                    .iter()
                    .filter(|entry| entry.kind == ENTRY_OTHERS)
                    .map(|entry| entry.value as usize)
                    .collect(),
                TYPE_COMPOSITE => isadl_engine::image::slice(texts.pieces, own.list)
                    .iter()
                    .filter(|piece| piece.text == 0 && piece.kind != OPTIONAL)
                    .map(|piece| piece.ty as usize)
                    .collect(),
                _ => Vec::new(),
            }
        };
        // A type is finished once its parts are; what is left over is made of itself.
        let mut is_finished = vec![false; count];
        loop {
            let ready = |ty: &usize| {
                !is_finished[*ty] && parts(*ty).into_iter().all(|part| is_finished[part])
            };
            let found: Vec<usize> = (0..count).filter(ready).collect();
            if found.is_empty() {
                return is_finished.into_iter().all(|is_finished| is_finished);
            }
            found.into_iter().for_each(|ty| is_finished[ty] = true);
        }
    }

    fn step(&self, step: &image_text::Step) -> bool {
        let texts = &self.image.texts;
        let Some(detail) = texts.details.get(step.table as usize) else { return true };
        let field = |run: usize| {
            let width = u8::try_from(detail.widths[run]);
            width.is_ok_and(|width| self.field(detail.shifts[run], width))
        };
        match step.kind {
            image_text::NUMBER => field(0) && field(1),
            OFFSET => field(0),
            VALUE => field(0) && row(texts.searched, detail.table),
            SKIP_FAR => row(texts.omissions, detail.table),
            CONSTANT => field(0) && row(texts.constant_sets, detail.table),
            CALL => field(0) && list(texts.ranges, (detail.table, detail.widths[2])),
            _ => true,
        }
    }

    pub(super) fn aliases(&self, isa: &Isa, ids: &[crate::isa::OpcodeId]) -> bool {
        let (words, texts) = (&self.image.words, &self.image.texts);
        let count = |of: u32| {
            let id = ids.get((of as usize).checked_sub(1)?)?;
            Some(isa.opcode(*id).aliases.len())
        };
        [0, words.rows.len()].contains(&texts.aliases_of.len())
            && texts.aliases_of.iter().all(|own| list(texts.aliases, *own))
            && texts.aliases.iter().all(|own| {
                count(own.row).is_some_and(|count| (1..=count).contains(&(own.order as usize)))
                    && row(words.exprs, own.condition)
                    && list(texts.copies, own.copies)
            })
            && texts
                .copies
                .iter()
                .all(|own| self.field(own.to, own.width) && row(words.exprs, own.value))
    }
}
