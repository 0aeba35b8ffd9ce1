//! Results with fewer bits than their register: what becomes of the others is written as well.

use isadl_diagnostics::diagnostic::Code;
use isadl_diagnostics::span::Span;
use isadl_ir::isa::RegFileId;

use super::{Checker, files_of};
use crate::interval::Interval;
use crate::program::{Bits, Builtin, Expr, ExprKind, Place, Statement, StatementKind, Type};
use crate::syntax::ast::Declaration;

impl<'c, 's> Checker<'c, 's, '_> {
    /// What becomes of the bits above a result in a register of a file, if that is declared.
    pub(super) fn rest(&self, file: RegFileId) -> Option<&'s str> {
        let file = &self.context.isa.reg_files()[file.index()];
        let about = self.context.scopes.about(self.context.layer);
        let rests = about.filter_map(|declaration| match declaration {
            Declaration::Narrow { name, rest } if name.text == file.name => Some(rest.text),
            _ => None,
        });
        rests.last()
    }

    /// The bits of the register that an operand with fewer bits denotes, and what becomes of the others.
    fn register_of(&self, place: &Place) -> Option<(u32, &'s str)> {
        let Place::Operand { field, part: None, width, is_external: false } = place else {
            return None;
        };
        let ty = &self.context.isa.ty(self.context.opcode.field(*field)?.ty).kind;
        let file = files_of(ty).next()?;
        let register = self.context.isa.reg_files()[file.index()].width;
        self.rest(file).filter(|_| *width < register).map(|rest| (register, rest))
    }

    /// Writes a register, or some bits of it, and the bits above those that the program sees.
    pub(super) fn write_register(
        &mut self,
        place: Place,
        bits: Option<(Expr, Bits)>,
        value: Expr,
        span: Span,
    ) -> Option<Vec<Statement>> {
        let write = |place: Place, bits: Option<(Expr, Bits)>, value: Expr| Statement {
            span,
            kind: StatementKind::Write { place, bits, value },
        };
        let (Some((register, rest)), Place::Operand { field, part, width, is_external }) =
            (self.register_of(&place), place.clone())
        else {
            return Some(vec![write(place, bits, value)]);
        };
        let whole = Place::Operand { field, part, width: register, is_external };
        let above = register - width;
        match (rest, bits) {
            ("kept", None) => {
                let low = (self.int(0, span), Bits::Count(width));
                Some(vec![write(whole, Some(low), value)])
            }
            ("kept", bits) => Some(vec![write(whole, bits, value)]),
            (_, None) => {
                let value = self.widened(value, width, (above, rest), span);
                Some(vec![write(whole, None, value)])
            }
            ("signs", Some(_)) => {
                let help = "write the whole result, of which the highest bit is copied";
                self.error(Code::E1229, span, "bits of a result with copies of its sign", help);
                None
            }
            (_, bits) => {
                let ones = self.int(if rest == "ones" { -1 } else { 0 }, span);
                let position = (self.int(width.into(), span), Bits::Count(above));
                Some(vec![write(whole.clone(), bits, value), write(whole, Some(position), ones)])
            }
        }
    }

    /// A value of some bits, with others above it.
    fn widened(&mut self, value: Expr, width: u32, (above, rest): (u32, &str), span: Span) -> Expr {
        let value = match value.ty {
            Type::Float(format) => Expr { ty: Type::Bits(format.width()), ..value },
            _ => value,
        };
        let value = self.stored(value, width);
        match rest {
            "ones" => {
                let ones = self.int(-1, span);
                let ones = self.stored(ones, above);
                self.make_bits(ExprKind::Concat(vec![ones, value]), width + above, span)
            }
            "signs" => {
                let kind = ExprKind::Builtin(Builtin::Signed, vec![value]);
                self.make(kind, Type::Integer, Interval::signed(width), span)
            }
            _ => value,
        }
    }
}
