//! An operation in all generations: what its page and the indexes say of it.

use isadl_ir::isa::{Isa, Optype};

use super::book::Book;
use super::forms::Form;
use super::pages::{Kind, PageAnchor, form_names};

/// An operation in all generations.
pub(super) struct Operation<'b> {
    pub(super) book: &'b Book<'b>,
    pub(super) name: &'b str,
    pub(super) page: String,
    pub(super) forms: Vec<Form>,
}

/// The operation with a name in one generation.
pub(super) fn optype<'i>(isa: &'i Isa, name: &str) -> Option<&'i Optype> {
    isa.optypes().iter().find(|optype| optype.name == name)
}

impl<'b> Operation<'b> {
    pub(super) fn new(book: &'b Book<'b>, name: &'b str) -> Operation<'b> {
        let place = book.pages.get(Kind::Optype, name).map_or("", PageAnchor::path);
        let names = form_names(book.isas(), name);
        let forms = names.iter().map(|form| Form::new(book, form, place)).collect();
        Operation { book, name, page: place.to_string(), forms }
    }

    /// Its summary: one sentence, or enough sentences to distinguish it from other operations.
    pub(super) fn summary(&self, from: &str) -> String {
        self.book.context(from).linked(self.book.summary(self.name))
    }

    /// The canonical mnemonics of its forms, and the others.
    pub(super) fn mnemonics(&self) -> Vec<String> {
        let mut mnemonics: Vec<String> = Vec::new();
        for view in self.forms.iter().flat_map(|form| &form.variants) {
            for mnemonic in &view.is.mnemonics {
                if !mnemonics.contains(mnemonic) {
                    mnemonics.push(mnemonic.clone());
                }
            }
        }
        mnemonics
    }
}
