//! Texts that are written in another way than the canonical one.

use isadl_engine::format::{format, write_formatted};
use isadl_engine::print::print_with;
use isadl_engine::print_at;
use isadl_engine::set::known;

use super::{Engine, Inst, TextOptions, TokenKind};

impl Engine<'_> {
    /// The text of an instruction in its own encoding and without aliases.
    pub fn plain_text(&self, inst: Inst) -> String {
        self.text_with(inst, TextOptions::PLAIN)
    }

    /// The text of an instruction, written in a way. Assembled in the same way, it gives the same word as the canonical
    /// text.
    pub fn text_with(&self, inst: Inst, options: TextOptions) -> String {
        let mut text = Vec::new();
        self.append_text_with(inst, options, &mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    /// Appends [`Engine::text_with`], in UTF-8. Addresses are hexadecimal.
    pub fn append_text_with(&self, inst: Inst, options: TextOptions, text: &mut Vec<u8>) {
        let row = self.tables.row_of[inst.opcode.index()];
        if options.address.is_some() || !options.format.is_canonical() {
            let mut with_addresses = String::new();
            self.append_text_at(inst, options, |_| None::<(&str, u64)>, &mut with_addresses);
            return text.extend_from_slice(with_addresses.as_bytes());
        }
        let start = text.len();
        text.resize(start + self.image.texts.room as usize, 0);
        let room = &mut text[start..];
        // INVARIANT: the buffer has the room that the longest text needs.
        let style = (known(self.target.set), options.style());
        let length = print_with(&self.image, (row, inst.word), style, room).unwrap_or(0);
        text.truncate(start + length);
    }

    /// Appends [`Engine::text_with`]. If the options have an address, or the canonical appearance, distances are written
    /// as addresses; without an address the instruction is at 0. An address is written as a name plus a byte offset where
    /// `symbols` provides one.
    pub fn append_text_at<S: std::fmt::Display>(
        &self,
        inst: Inst,
        options: TextOptions,
        symbols: impl FnMut(u64) -> Option<(S, u64)>,
        text: &mut String,
    ) {
        let mut bytes = vec![0; self.image.texts.room as usize];
        let row = self.tables.row_of[inst.opcode.index()];
        let own = (row, known(self.target.set), options.style());
        // Writing to a string cannot fail.
        let _ = match options.format.is_canonical() {
            true => {
                let place = (inst.word, options.address.unwrap_or(0));
                print_at::write_at(&self.image, own, place, &mut bytes, symbols, text)
            }
            false => {
                let place = (inst.word, options.address);
                let look = &options.format;
                write_formatted(&self.image, own, place, look, &mut bytes, symbols, text)
            }
        };
    }

    /// Gives the text of [`Engine::append_text_at`] in pieces, each with its kind. Without an address in the options,
    /// distances are numbers. A long piece may come in several.
    pub fn tokens_with<S: std::fmt::Display>(
        &self,
        inst: Inst,
        options: TextOptions,
        symbols: impl FnMut(u64) -> Option<(S, u64)>,
        sink: impl FnMut(TokenKind, &str),
    ) {
        let mut bytes = vec![0; self.image.texts.room as usize];
        let row = self.tables.row_of[inst.opcode.index()];
        let own = (row, known(self.target.set), options.style());
        let place = (inst.word, options.address);
        format(&self.image, own, place, &options.format, &mut bytes, symbols, sink);
    }
}
