//! Registers of files, and the program counter.

use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{Meaning, RegFileId, TypeKind};

use super::Checker;
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, Place};
use crate::syntax::ast::{self, Declaration, Name};

impl<'c, 's> Checker<'c, 's, '_> {
    pub(super) fn file_of(&self, name: &str) -> Option<RegFileId> {
        let files = self.context.isa.reg_files().iter();
        files
            .enumerate()
            .find(|(_, file)| file.name == name)
            .map(|(index, _)| RegFileId::new(index))
    }

    /// A file of one register is that register.
    pub(super) fn whole_file(&mut self, file: RegFileId, name: Name<'s>) -> Option<Expr> {
        let place = self.only_register(file, name)?;
        let width = self.context.isa.reg_files()[file.index()].width;
        Some(self.read(place, width, name.span))
    }

    /// The register of a file that has no other.
    pub(super) fn only_register(&mut self, file: RegFileId, name: Name<'s>) -> Option<Place> {
        let count = self.context.isa.reg_files()[file.index()].count;
        if count != 1 {
            let message = format!("`{}` has {count} registers", name.text);
            self.error(Code::E1216, name.span, message, format!("say which: `{}[…]`", name.text));
            return None;
        }
        let number = Box::new(self.int(0, name.span));
        Some(Place::Register { file, number })
    }

    /// `FILE[index]`, if the name means a file of several registers.
    pub(super) fn register(
        &mut self,
        of: &'c ast::Expr<'s>,
        index: &'c ast::Expr<'s>,
    ) -> Option<Option<(Place, u32)>> {
        let name = of.as_name()?;
        if self.find_local(name.text).is_some() || self.field_of(name.text).is_some() {
            return None;
        }
        let is_declared = self.context.chain.names.get(name.text);
        if is_declared.is_some_and(|declared| !declared.is_about()) {
            return None;
        }
        let file = self.file_of(name.text)?;
        let known = &self.context.isa.reg_files()[file.index()];
        (known.count > 1).then(|| self.numbered_register(file, index))
    }

    fn numbered_register(
        &mut self,
        file: RegFileId,
        index: &'c ast::Expr<'s>,
    ) -> Option<(Place, u32)> {
        let known = &self.context.isa.reg_files()[file.index()];
        let number = self.number(index)?;
        let last = i128::from(known.count) - 1;
        if !number.range.is_within(Interval::between(0, last)) {
            let message = format!("`{}` has registers 0 to {last}", known.name);
            let found = Diagnostic::new(Code::E1209, message, number.span)
                .with_label(number.range.to_string());
            self.report(found.with_help("test the number before: `if n > … { trap … }`"));
            return None;
        }
        Some((Place::Register { file, number: Box::new(number) }, known.width))
    }

    /// A register as a value.
    pub(super) fn read(&mut self, place: Place, width: u32, span: Span) -> Expr {
        self.note_named(&place);
        let mut made = self.make_bits(ExprKind::Read(place), width, span);
        if !self.written.is_empty()
            && let Some(key) = crate::facts::key(&made)
            && self.written.contains(&key)
        {
            let text = self.text_of(&made);
            let found =
                Diagnostic::new(Code::W1226, format!("{text} is read after it was written"), span);
            let found = found.with_note("a register reads as it was before the instruction");
            self.diagnostics.push(found.with_help("give the new value a name, and use the name"));
        }
        if let ExprKind::Read(Place::Register { file, .. }) = &made.kind
            && let Some(range) = self.state_range(*file)
        {
            made.range = made.range.meet(range).unwrap_or(made.range);
        }
        made
    }

    /// The declared values of the registers of a file.
    pub(super) fn state_range(&mut self, file: RegFileId) -> Option<Interval> {
        let name = self.context.isa.reg_files()[file.index()].name.as_str();
        let range = |declaration: &'c Declaration<'s>| match declaration {
            Declaration::Range { name: of, first, last } if of.text == name => {
                Some((of, first, last))
            }
            _ => None,
        };
        let (name, first, last) = self.context.scopes.about(self.context.layer).find_map(range)?;
        let both = self.outside(*name, name.span, |checker| {
            Some((checker.number(first)?.range.low, checker.number(last)?.range.high))
        });
        both.map(|(low, high)| Interval { low, high })
    }

    /// Bits of an address of an instruction.
    pub(super) fn pc_width(&mut self, span: Span) -> Option<u32> {
        if let Some(Declaration::State { name, ty }) = self.context.chain.names.get("pc").copied() {
            return self.outside(*name, span, |checker| checker.type_width(ty));
        }
        let help = "declare `extern pc : bits(64)` in the root group";
        self.error(Code::E1202, span, "the width of the program counter is not declared", help);
        None
    }
}

/// The register files of an operand type.
pub(crate) fn files_of(kind: &TypeKind) -> impl Iterator<Item = RegFileId> {
    let entries = match kind {
        TypeKind::Operand(entries) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().filter_map(|entry| match &entry.meaning {
        Meaning::Registers { file, .. }
        | Meaning::Register { file, .. }
        | Meaning::Constant { file, .. } => Some(*file),
        _ => None,
    })
}
