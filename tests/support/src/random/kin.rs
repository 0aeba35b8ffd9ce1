//! Random opcodes that share words with others.

use super::draft::Draft;
use super::opcodes::MNEMONICS;

impl Draft {
    /// An opcode that takes some of the words of another.
    pub(super) fn special_case(&mut self) {
        let general = self.one(&self.opcodes.clone()).clone();
        let open: Vec<usize> = (0..general.fields.len())
            .filter(|at| {
                let field = &general.fields[*at];
                field.keyword == "field"
                    && !field.binding.starts_with(" ==")
                    && !field.name.contains('.')
                    && field.name != "pg"
            })
            .collect();
        if open.is_empty() {
            return;
        }
        let mut special = general;
        let at = *self.one(&open);
        let ty = special.fields[at].ty.clone();
        let value = self.value(&ty).unwrap_or_default();
        special.fields[at].binding = format!(" == {value}");
        special.mnemonic = Some(*self.one(&MNEMONICS));
        self.has("special case");
        self.opcodes.push(special);
    }

    /// An opcode with the bits of another, and rules of its own.
    pub(super) fn rival(&mut self) {
        let mut rival = self.one(&self.opcodes.clone()).clone();
        rival.rules.clear();
        self.rules(&mut rival);
        rival.mnemonic = Some(*self.one(&MNEMONICS));
        self.opcodes.push(rival);
    }
}
