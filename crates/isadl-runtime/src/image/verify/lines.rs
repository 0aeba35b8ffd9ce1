//! What the assembler expects.

use isadl_engine::image_lines::{NONE, OperandForm};

use super::{MAX_ROOM, Verify, list, row};

impl Verify<'_> {
    pub(super) fn lines(&self) -> bool {
        let (words, texts, lines) = (&self.image.words, &self.image.texts, &self.image.lines);
        let rows = lines.rows;
        rows.len() == words.rows.len() + texts.aliases.len() + lines.spelled.len()
            && (lines.max_words.max(lines.max_pieces)) < MAX_ROOM
            && rows.iter().all(|own| row(lines.forms, own.form))
            && lines.spelled.iter().all(|own| row(rows, own.text))
            && lines.forms.iter().all(|own| {
                (own.guard == NONE || row(lines.operands, own.guard))
                    && list(lines.modifiers, own.modifiers)
                    && list(lines.operand_lists, own.operands)
                    && list(lines.controls, own.controls)
            })
            && lines.operand_lists.iter().all(|operand| row(lines.operands, *operand))
            && lines
                .modifiers
                .iter()
                .all(|own| row(texts.types, own.ty) && self.field(own.lsb, own.width))
            && lines.marks.iter().all(|own| {
                let (ty, lsb, width) = own.extension;
                own.lsb < 128
                    && self.name(own.call)
                    && (width == 0 || row(texts.types, ty) && self.field(lsb, width))
            })
            && lines.operands.iter().all(|own| self.operand(own))
            && lines.controls.iter().all(|own| {
                self.name(own.name) && row(texts.types, own.ty) && self.field(own.lsb, own.width)
            })
            && lines.mnemonics.rows.iter().all(|(_, name, _)| self.name(*name))
            && lines.control_texts.rows.iter().all(|(_, name, _)| self.name(*name))
            && lines.spellings.rows.iter().all(|(_, name, _)| self.name(*name))
            && lines.first_words.rows.iter().all(|(_, name, _)| self.name(*name))
            && lines.mnemonics.rows.iter().all(|(_, _, own)| {
                list(lines.candidates, own.all) && list(lines.candidates, own.untold)
            })
            && lines.candidates.iter().all(|own| row(rows, *own))
            && lines.sequences.rows.iter().all(|(_, own)| list(lines.candidates, *own))
            && lines
                .control_texts
                .rows
                .iter()
                .all(|(_, _, own)| self.name(own.name) && row(texts.types, own.ty))
            && lines.spellings.rows.iter().all(|(_, _, own)| list(lines.meanings, *own))
            && lines.meanings.iter().all(|(ty, _)| row(texts.types, *ty))
            && [0, 128].contains(&lines.letters.len())
            && slots(lines.mnemonics.shift, lines.mnemonics.slots, lines.mnemonics.rows.len())
            && slots(
                lines.control_texts.shift,
                lines.control_texts.slots,
                lines.control_texts.rows.len(),
            )
            && slots(lines.spellings.shift, lines.spellings.slots, lines.spellings.rows.len())
            && slots(lines.first_words.shift, lines.first_words.slots, lines.first_words.rows.len())
            && slots(lines.sequences.shift, lines.sequences.slots, lines.sequences.rows.len())
    }

    fn operand(&self, own: &OperandForm) -> bool {
        let (texts, lines) = (&self.image.texts, &self.image.lines);
        let (ty, lsb, width) = own.offset;
        let (selector, bits, _) = own.selector;
        self.name(own.text)
            && row(texts.types, own.ty)
            && self.field(own.lsb, own.width)
            && (width == 0 || row(texts.types, ty) && self.field(lsb, width))
            && (own.run == NONE || row(texts.entries, own.run))
            && own.class < 64
            && list(lines.marks, own.marks)
            && list(lines.modifiers, own.suffixes)
            && (bits == 0 || self.field(selector, bits))
            && self.width(own.data_width)
            && (own.literal == NONE || row(texts.types, own.literal))
            && list(lines.constants, own.constants)
    }
}

/// Whether the slots of a hash table contain numbers of its rows.
fn slots(shift: u32, slots: &[u32], rows: usize) -> bool {
    shift < 64 && slots.iter().all(|slot| *slot as usize <= rows)
}
