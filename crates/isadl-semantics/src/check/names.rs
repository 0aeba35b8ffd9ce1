//! What a name means: a local, or something that a group declares. Operands and fields are looked at elsewhere.

use std::collections::BTreeSet;

use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;

use super::Checker;
use super::claims::Moment;
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, LocalId, Place, Type};
use crate::syntax::ast::{self, Declaration, Name};

impl<'c, 's> Checker<'c, 's, '_> {
    /// The value of a name.
    pub(super) fn name(&mut self, name: Name<'s>) -> Option<Expr> {
        if let Some(bound) = self.find_bound(name.text) {
            return bound.map(|local| self.read_local(local, name.span));
        }
        if let Some(field) = self.field_of(name.text) {
            return self.field_value(field, name.span);
        }
        if let Some(found) = self.lane_name(name) {
            return found;
        }
        if let Some((place, width)) = self.register_named(name) {
            return Some(self.read(place, width, name.span));
        }
        if let Some(found) = self.declared(name) {
            return found;
        }
        if let Some(file) = self.file_of(name.text) {
            return self.whole_file(file, name);
        }
        if let Some(found) = self.mode_named(name) {
            return Some(found);
        }
        match name.text {
            "pc" | "next" => {
                let width = self.pc_width(name.span)?;
                if name.text == "pc" && self.moment == Moment::After {
                    return Some(self.new_pc(width, name.span));
                }
                let kind = if name.text == "pc" { ExprKind::Pc } else { ExprKind::Next };
                Some(self.make_bits(kind, width, name.span))
            }
            _ => {
                self.unknown(name);
                None
            }
        }
    }

    /// Reports a name without a meaning.
    pub(super) fn unknown(&mut self, name: Name<'s>) {
        let isa = self.context.isa;
        let mut known: BTreeSet<String> = self.writable_names().into_iter().collect();
        let declared = self.context.chain.names.iter();
        let declared = declared.filter(|(_, declaration)| !declaration.is_about());
        known.extend(declared.map(|(name, _)| name.to_string()));
        known.extend(isa.reg_files().iter().map(|file| file.name.clone()));
        known.extend(
            self.blocks[self.visible..]
                .iter()
                .flat_map(|block| block.keys().map(|name| name.to_string())),
        );
        if let Some(setting) = self.setting {
            known.extend(setting.values().iter().map(|value| value.to_string()));
        }
        let message = format!("`{}` has no meaning here", name.text);
        let found =
            Diagnostic::new(Code::E1202, message, name.span).with_suggestion(name.text, &known);
        self.report(found.with_note(match self.context.registers {
            Some(_) => "names are registers as assembly text has them, what groups declare, and register files",
            None => "names are locals, operands and fields, what groups declare, and register files",
        }));
    }

    /// A name that a group declares.
    pub(super) fn declared(&mut self, name: Name<'s>) -> Option<Option<Expr>> {
        let declaration = *self.context.chain.names.get(name.text)?;
        Some(match declaration {
            Declaration::Let { name: own, otherwise: Some(_), .. } => {
                let open = self.switched.iter().find(|(name, _)| *name == own.text);
                match open.map(|(_, number)| *number) {
                    Some(number) => Some(self.int(number, name.span)),
                    None => {
                        let message =
                            format!("`{}` has no value here: registers decide it", own.text);
                        let help =
                            "use it in programs, or in what is declared about their operands";
                        self.error(Code::E1219, name.span, message, help);
                        None
                    }
                }
            }
            Declaration::Let { name: own, values, value, .. } => {
                self.let_value(*own, values, value, name.span)
            }
            Declaration::Const { name: own, value } => self.let_value(*own, &[], value, name.span),
            Declaration::View { width, value, .. } => self.view_value(name, width.as_ref(), value),
            // They say something about a register file or view of this name.
            declaration if declaration.is_about() => return None,
            Declaration::Function(_) | Declaration::Extern { .. } => {
                let message = format!("`{}` is a function", name.text);
                self.error(Code::E1216, name.span, message, format!("call it: `{}(…)`", name.text));
                None
            }
            Declaration::Memory { .. } => {
                let message = format!("`{}` is a memory", name.text);
                self.error(
                    Code::E1216,
                    name.span,
                    message,
                    format!("write an address: `{}[…]`", name.text),
                );
                None
            }
            Declaration::State { .. } if name.text == "pc" => return None,
            Declaration::State { ty, .. } => {
                self.outside(name, name.span, |checker| checker.type_width(ty)).map(|width| {
                    let place = Place::State { name: name.text.to_string(), width };
                    self.read(place, width, name.span)
                })
            }
            _ => return None,
        })
    }

    /// The value of a `let` or `const`, as if its expression were written here.
    fn let_value(
        &mut self,
        own: Name<'s>,
        values: &'c [ast::Expr<'s>],
        value: &'c ast::Expr<'s>,
        span: Span,
    ) -> Option<Expr> {
        let found = self.outside(own, span, |checker| {
            let found = checker.expr(value)?;
            let mut listed: Option<Interval> = None;
            for value in values {
                let value = Interval::one(checker.constant(value, "a value that is listed")?);
                listed = Some(listed.map_or(value, |known| known.join(value)));
            }
            if let Some(listed) = listed.filter(|listed| !found.range.is_within(*listed)) {
                let message = format!("`{}` may have other values than are listed", own.text);
                let found = Diagnostic::new(Code::E1214, message, value.span)
                    .with_label(found.range.to_string());
                let help = format!("list all values: {listed} are listed");
                checker.report(found.with_help(help));
                return None;
            }
            Some(found)
        })?;
        Some(Expr { span, is_signed: true, is_exact: true, ..found })
    }

    /// Runs a step on the text of a declaration: names of blocks are not visible there.
    pub(super) fn outside<T>(
        &mut self,
        own: Name<'s>,
        call: Span,
        step: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        // Several declarations may be about one operand.
        let is_own = self.calls.iter().any(|(name, _)| name.span == own.span);
        if is_own || self.calls.len() == super::MAX_CALLS {
            let (message, help) = match is_own {
                true => (format!("`{}` uses itself", own.text), "write a loop"),
                false => (
                    format!("functions call each other more than {} deep", super::MAX_CALLS),
                    "write some of them into others",
                ),
            };
            self.error(Code::E1219, call, message, help);
            return None;
        }
        let visible = std::mem::replace(&mut self.visible, self.blocks.len());
        self.calls.push((own, call));
        self.blocks.push(Default::default());
        let found = step(self);
        self.blocks.pop();
        self.calls.pop();
        self.visible = visible;
        found
    }

    fn view_value(
        &mut self,
        name: Name<'s>,
        width: Option<&'c ast::Expr<'s>>,
        value: &'c ast::Expr<'s>,
    ) -> Option<Expr> {
        let found = self.outside(name, name.span, |checker| {
            let found = checker.expr(value)?;
            if let Some(width) = width
                && let Some(width) = checker.width(width)
                && found.width() != Some(width)
            {
                let has = found.range.width();
                let message = format!("the view has {width} bits, its parts together {has}");
                checker.error(
                    Code::E1208,
                    value.span,
                    message,
                    "add bits: `0[n:0]` is n + 1 zeros",
                );
                return None;
            }
            Some(found)
        })?;
        Some(Expr { span: name.span, ..found })
    }

    /// Binds a name; reports one that has a meaning already.
    pub(super) fn bind(
        &mut self,
        name: Name<'s>,
        ty: Type,
        range: Interval,
        is_variable: bool,
    ) -> Option<LocalId> {
        let earlier = self.find_local(name.text).map(|local| self.locals[local.index()].span);
        let is_declared =
            self.context.chain.names.get(name.text).map(|declared| declared.name().span);
        let is_other = self.field_of(name.text).is_some() || self.file_of(name.text).is_some();
        if earlier.is_none() && is_declared.is_none() && !is_other {
            return Some(self.add_local(name, ty, range, is_variable));
        }
        let message = format!("`{}` has a meaning already", name.text);
        let mut found = Diagnostic::new(Code::E1203, message, name.span);
        if let Some(span) = earlier.or(is_declared) {
            found = found.with_related(span, "given here");
        }
        self.report(found.with_help("choose another name"));
        None
    }
}
