//! Differences of assembly text: mnemonics, operands, modifiers, control fields.

use isadl_ir::isa::outline::About;
use isadl_ir::isa::{Isa, ModifierSyntax, Omission, Opcode, OperandSyntax};

use super::kind::Kind;
use super::opcodes::{Forms, layers};
use super::places::{Key, Places, SourceLine};
use super::{Change, Pair, types};
use crate::wording::syntax;

/// The syntax of an opcode, in pieces that are compared one by one.
pub(super) struct Written {
    mnemonics: String,
    guard: String,
    operands: String,
    modifiers: String,
    controls: String,
    /// The optional pieces, with the words for which they are left out.
    left_out: Vec<(String, String)>,
}

impl Written {
    pub(super) fn new(isa: &Isa, opcode: &Opcode) -> Written {
        let writer = Writer { isa, opcode };
        let syntax = &opcode.syntax;
        let operands = syntax.operands.iter().map(|operand| writer.operand(operand));
        let names = |list: &[ModifierSyntax]| {
            let names = list.iter().map(|modifier| isa.name_of(modifier.field));
            names.collect::<Vec<_>>().join(", ")
        };
        let mut left_out = Vec::new();
        for operand in syntax.guard.iter().chain(&syntax.operands) {
            let name = syntax::place(isa, operand.place(opcode));
            let optional = if operand.is_optional { "may be left out; " } else { "" };
            let when = writer.when(operand.omission);
            left_out.push((format!("operand `{name}`"), format!("{optional}{when}")));
        }
        for modifier in syntax.modifiers.iter().chain(&syntax.controls) {
            let optional = if modifier.absent.is_some() { "may be left out; " } else { "" };
            let when = writer.when(modifier.omission);
            let name = format!("field `{}`", isa.name_of(modifier.field));
            left_out.push((name, format!("{optional}{when}")));
        }
        Written {
            mnemonics: syntax.mnemonics().collect::<Vec<_>>().join(", "),
            guard: syntax.guard.as_ref().map_or_else(String::new, |guard| writer.operand(guard)),
            operands: operands.collect::<Vec<_>>().join(", "),
            modifiers: names(&syntax.modifiers),
            controls: names(&syntax.controls),
            left_out,
        }
    }

    /// The mnemonic of an alias, and its operands where they differ from the opcode's operands.
    pub(super) fn alias(self, of: Written) -> String {
        let own = |alias: String, opcode: String| Some(alias).filter(|alias| *alias != opcode);
        let guard = own(self.guard, of.guard);
        let operands = own(self.operands, of.operands);
        let pieces = guard.into_iter().chain([self.mnemonics]).chain(operands);
        pieces.filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

struct Writer<'w> {
    isa: &'w Isa,
    opcode: &'w Opcode,
}

impl Writer<'_> {
    /// An operand with its marks, attributes and notation.
    fn operand(&self, operand: &OperandSyntax) -> String {
        let mut text = String::new();
        for mark in &operand.marks {
            text.push(mark.symbol.as_char());
            if let Some(word) = &mark.call {
                text += &format!("({word})");
            }
            if let Some(extension) = mark.extension {
                text += &format!("(~ by {})", self.isa.name_of(extension));
            }
        }
        text += &syntax::place(self.isa, operand.place(self.opcode));
        for suffix in &operand.suffixes {
            text += &format!(" .{}", self.isa.name_of(suffix.field));
        }
        if let Some(format) = operand.format {
            text += &format!(" in the format of {}", self.isa.name_of(format));
        }
        text
    }

    /// For which words something is not written.
    fn when(&self, omission: Option<Omission>) -> String {
        let Some(omission) = omission else { return "always written".to_string() };
        if omission == Omission::ALWAYS {
            return "never written".to_string();
        }
        let fields = self.opcode.fields.iter();
        let fields = fields.filter(|field| field.mask() & omission.mask != 0);
        let values = fields.map(|field| {
            let value =
                types::named(self.isa, self.isa.ty(field.ty), field.extract(omission.value));
            format!("{} = `{value}`", self.isa.name_of(field.name))
        });
        format!("not written if {}", values.collect::<Vec<_>>().join(" and "))
    }
}

fn place(isa: &Isa, opcode: &Opcode, about: About, places: &Places) -> Option<SourceLine> {
    let key = |layer: &str| Key::Statement(layer.to_string(), about);
    let stated = places.first(layers(isa, opcode).map(key));
    stated.or_else(|| places.get(&Key::Layer(opcode.name.clone()), None))
}

impl Pair<'_> {
    /// The old and the new location of the statements about a subject of an opcode.
    pub(super) fn about(
        &self,
        forms: &Forms<'_>,
        about: About,
    ) -> (Option<SourceLine>, Option<SourceLine>) {
        (
            place(self.old, forms.was, about, self.places.0),
            place(self.new, forms.is, about, self.places.1),
        )
    }

    pub(super) fn syntax(&mut self, forms: &Forms<'_>) {
        let was = Written::new(self.old, forms.was);
        let is = Written::new(self.new, forms.is);
        let name = [forms.is.name.as_str()];
        let pieces = [
            (Kind::Mnemonic, "the mnemonic", was.mnemonics, is.mnemonics, About::Mnemonic),
            (Kind::Operands, "the guard", was.guard, is.guard, About::Operands),
            (Kind::Operands, "the operands", was.operands, is.operands, About::Operands),
            (Kind::Modifiers, "the modifiers", was.modifiers, is.modifiers, About::Modifiers),
            (Kind::Controls, "the control fields", was.controls, is.controls, About::Operands),
        ];
        for (kind, item, was, is, about) in pieces {
            if forms.renamed(&was) != is {
                let place = self.about(forms, about);
                let said = |text: String| if text.is_empty() { "none".to_string() } else { text };
                let change = Change(said(was), said(is));
                self.add(kind, item.to_string(), change, place, &name);
            }
        }
        for (item, is) in is.left_out {
            let same = was.left_out.iter().find(|(old, _)| forms.renamed(old) == item);
            let Some((_, was)) = same else { continue };
            // A new default, a new name or another type was reported where it is declared.
            if forms.renamed(was) != is && !self.is_explained(forms, was, &is) {
                let place = self.about(forms, About::Operands);
                self.add(Kind::LeftOut, item, Change(was.clone(), is), place, &name);
            }
        }
    }

    /// Whether the conditions differ only in the values of fields, which are defaults.
    fn is_explained(&self, forms: &Forms<'_>, was: &str, is: &str) -> bool {
        let skeleton = |text: &str| {
            let pieces = text.split('`').enumerate().filter(|(index, _)| index % 2 == 0);
            pieces.map(|(_, piece)| piece.to_string()).collect::<Vec<String>>()
        };
        skeleton(&forms.renamed(was)) == skeleton(is)
    }
}
