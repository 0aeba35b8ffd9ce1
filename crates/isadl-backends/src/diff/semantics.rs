//! Differences in what opcodes do.
//!
//! Programs are compared by their meaning. Only if that differs, their texts say where: in the text of the opcode, in what
//! surrounds it, or in what groups declare.

use std::collections::{BTreeMap, BTreeSet};

use isadl_ir::isa::SectionKind;
use isadl_semantics::{Checked, Texts};

use super::docs::lines;
use super::kind::Kind;
use super::opcodes::Forms;
use super::places::{Key, Places, SourceLine};
use super::{Change, Pair};

/// A text that a program consists of.
struct Piece {
    /// The layer that it is written in.
    layer: String,
    text: String,
}

/// The texts of an opcode's program: its own, its wrappers, the declarations that it uses.
fn pieces(texts: &Texts, opcode: &str) -> BTreeMap<String, Piece> {
    let mut found = BTreeMap::new();
    let mut add = |item: String, layer: &str, text: String| {
        found.insert(item, Piece { layer: layer.to_string(), text });
    };
    if let (Some(own), Some(source)) = (texts.own(opcode), texts.source(opcode)) {
        add("the program".to_string(), source, own.text);
    }
    for wrapper in texts.wrappers(opcode) {
        let text = texts.statements(wrapper).map_or_else(String::new, |text| text.text);
        add(format!("the program of group `{wrapper}`"), wrapper, text);
    }
    for (group, declared) in texts.used(opcode) {
        let head = declared.text.text.split_whitespace().next().unwrap_or_default();
        add(format!("`{head} {}`", declared.name), group, declared.text.text.clone());
    }
    found
}

/// A text without blanks, which say nothing.
fn spelling(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn text(piece: Option<&Piece>) -> &str {
    piece.map_or("", |piece| piece.text.as_str())
}

impl Pair<'_> {
    pub(super) fn semantics(&mut self, forms: &Forms<'_>) {
        let old = Checked::of(self.programs.0, self.old);
        let new = Checked::of(self.programs.1, self.new);
        let (Some(old), Some(new)) = (old, new) else { return };
        let renamed = |name: &str| forms.new_name(name).to_string();
        let was = old.meaning(self.old, &forms.was.name, &renamed);
        let is = new.meaning(self.new, &forms.is.name, &str::to_string);
        if was.is_none() || is.is_none() || was == is {
            return;
        }
        let olds = pieces(&old.texts, &forms.was.name);
        let news = pieces(&new.texts, &forms.is.name);
        let items: BTreeSet<&String> = olds.keys().chain(news.keys()).collect();
        let mut is_found = false;
        for item in items {
            let (was, is) = (olds.get(item), news.get(item));
            if spelling(&forms.renamed(text(was))) != spelling(text(is)) {
                is_found = true;
                self.program_text(forms, item, was, is);
            }
        }
        if !is_found {
            // A definition changed that the texts use, such as the width of a register.
            let item = format!("the program of `{}`", forms.is.name);
            let change = Change(String::new(), String::new());
            self.add(Kind::Behaviour, item, change, forms.place(self), &[&forms.is.name]);
        }
    }

    /// Reports a text that differs.
    fn program_text(
        &mut self,
        forms: &Forms<'_>,
        item: &str,
        was: Option<&Piece>,
        is: Option<&Piece>,
    ) {
        let place = (place(self.places.0, was), place(self.places.1, is));
        let change = lines(text(was), text(is));
        // The text of an operation is in all of its opcodes, and is one cause.
        let item = match (item, is.or(was)) {
            ("the program", Some(piece)) => format!("the program of `{}`", piece.layer),
            _ => item.to_string(),
        };
        self.add(Kind::Behaviour, item, change, place, &[&forms.is.name]);
    }
}

/// Where a text is written.
fn place(places: &Places, piece: Option<&Piece>) -> Option<SourceLine> {
    let layer = &piece?.layer;
    places.first([Key::Section(layer.clone(), SectionKind::Semantics), Key::Layer(layer.clone())])
}
