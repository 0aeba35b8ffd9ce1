//! Operands and fields of the opcode, and their parts and marks.

use std::collections::BTreeSet;

use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{
    Binding, ExprId, Field, Meaning, NameId, Number, NumberFormat, OperandLocation, TypeId,
    TypeKind,
};

use super::Checker;
use super::bits::Position;
use super::registers::files_of;
use crate::fields::{Mark, field_named, mark_named};
use crate::float::Format;
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, Place, Type};
use crate::syntax::ast::{self, Declaration, Name};

impl<'c, 's> Checker<'c, 's, '_> {
    /// The field of the opcode that a name means.
    pub(super) fn field_of(&self, name: &str) -> Option<NameId> {
        field_named(self.context.isa, self.context.opcode, name)
    }

    /// The value of a field's bits, if the opcode fixes it, or if it is chosen because widths depend on it.
    pub(super) fn known_bits(&self, field: &Field) -> Option<u64> {
        match field.binding {
            Binding::Fixed(raw) => Some(raw),
            _ => self.context.chosen.get(&field.name).copied(),
        }
    }

    /// The value of an operand or field.
    pub(super) fn field_value(&mut self, id: NameId, span: Span) -> Option<Expr> {
        let (isa, opcode) = (self.context.isa, self.context.opcode);
        let field = opcode.field(id)?;
        let ty = isa.ty(field.ty);
        let known = self.known_bits(field);
        match &ty.kind {
            TypeKind::BitField(values) => {
                let raws = values.iter().map(|value| i128::from(value.value));
                let (low, high) = (raws.clone().min().unwrap_or(0), raws.max().unwrap_or(0));
                let range =
                    known.map_or(Interval::between(low, high), |raw| Interval::one(raw.into()));
                Some(self.make(ExprKind::Field(id), Type::Enumeration(field.ty), range, span))
            }
            TypeKind::Immediate(immediate) if immediate.is_integer() => {
                let (low, high) = immediate.range(field.width());
                let range = match known {
                    Some(raw) => Interval::one(immediate.value(raw, field.width())),
                    None => Interval::between(low, high),
                };
                let is_plain = immediate.is_plain() && low == 0;
                let ty = if is_plain { Type::Bits(field.width()) } else { Type::Integer };
                let made = self.make(ExprKind::Field(id), ty, range, span);
                let made = Expr { is_signed: low < 0, ..made };
                // A literal is as wide as the operand whose place it takes.
                let is_literal = self.context.opcode.is_literal(id);
                let wider = self.declared_width(id).filter(|width| *width > field.width());
                match wider {
                    Some(width) if is_literal => {
                        let made = self.bits_at(made, Position::Fixed(0, width), span);
                        return self.seen(id, made, span);
                    }
                    None if is_literal && is_plain => return self.seen(id, made, span),
                    _ => {}
                }
                match self.elements(id, span)? {
                    Some(elements) => self.current_element(id, elements, span),
                    None => self.applied(id, made),
                }
            }
            TypeKind::Immediate(immediate) => {
                let format = match immediate.number {
                    NumberFormat { number: Number::Float { exponent, fraction }, lanes: 1 } => {
                        Format::new(exponent, fraction)
                    }
                    _ => None,
                };
                match format {
                    Some(format) => self.float_immediate(id, format, span),
                    None => {
                        let bits = self.field_bits(id, span)?;
                        self.seen(id, bits, span)
                    }
                }
            }
            TypeKind::Operand(_) => self.operand_value(id, field.ty, known, span),
            TypeKind::Composite(_) => {
                let given = self.given(id, span)?;
                self.seen(id, given, span)
            }
        }
    }

    /// What a `let` gives as the value of an operand that has none of its own: a place in memory, or its address.
    fn given(&mut self, id: NameId, span: Span) -> Option<Expr> {
        let name = self.context.isa.name_of(id);
        let declared = self.context.chain.names.get(name).copied();
        if let Some(Declaration::Let { name: own, .. }) = declared {
            return self.declared(Name { text: own.text, span })?;
        }
        let message = format!("`{name}` is an address, and has no value");
        let help = "name its parts, or the memory there: `memory[base + offset][31:0]`; `let` gives it a value";
        self.error(Code::E1216, span, message, help);
        None
    }

    /// What an operand contains, before it is a number of a format or an element.
    pub(super) fn contents(&mut self, id: NameId, span: Span) -> Option<Expr> {
        match self.context.isa.ty(self.context.opcode.field(id)?.ty).kind {
            TypeKind::Operand(_) => {
                let (place, width) = self.operand_place(id, span)?;
                Some(self.make_bits(ExprKind::Read(place), width, span))
            }
            TypeKind::Composite(_) => self.given(id, span),
            _ => self.field_bits(id, span),
        }
    }

    /// What an operand contains as programs see it: an element, or a number of its format, with its marks applied.
    fn seen(&mut self, id: NameId, read: Expr, span: Span) -> Option<Expr> {
        match self.elements(id, span)? {
            Some(elements) => self.current_element(id, elements, span),
            None => {
                let read = self.as_declared(id, read)?;
                self.applied(id, read)
            }
        }
    }

    /// The value of a field with a floating-point number. A literal is a number only if that is declared of its operand.
    fn float_immediate(&mut self, id: NameId, format: Format, span: Span) -> Option<Expr> {
        let number = self.encoded(ExprKind::Field(id), format, span);
        let is_literal = self.context.opcode.is_literal(id);
        if !is_literal && self.declared_format(id, span)?.is_none() {
            return self.applied(id, number);
        }
        self.seen(id, Expr { ty: Type::Bits(format.width()), ..number }, span)
    }

    /// The value of a field of an operand type: of its register, or of its constant.
    fn operand_value(
        &mut self,
        id: NameId,
        ty: TypeId,
        known: Option<u64>,
        span: Span,
    ) -> Option<Expr> {
        let isa = self.context.isa;
        let ty = isa.ty(ty);
        if let Some(raw) = known
            && let Some((entry, position)) = ty.entry(raw)
            && let Meaning::Integers { first, step } = entry.meaning
        {
            let value = i128::from(first) + i128::from(step) * i128::from(position);
            return Some(self.int(value, span));
        }
        let TypeKind::Operand(entries) = &ty.kind else { return None };
        let integers = entries.iter().filter_map(|entry| match entry.meaning {
            Meaning::Integers { first, step } => {
                let last = i128::from(first) + i128::from(step) * i128::from(entry.count - 1);
                Some(Interval::between(last.min(first.into()), last.max(first.into())))
            }
            _ => None,
        });
        let integers = integers.reduce(Interval::join);
        let has_state =
            entries.iter().any(|entry| !matches!(entry.meaning, Meaning::Integers { .. }));
        if let (Some(range), false) = (integers, has_state) {
            let made = self.make(ExprKind::Field(id), Type::Integer, range, span);
            return Some(Expr { is_signed: range.may_be_negative(), ..made });
        }
        if let Some(elements) = self.elements(id, span)? {
            return self.current_element(id, elements, span);
        }
        let (place, width) = self.operand_place(id, span)?;
        let read = self.read(place, width, span);
        self.seen(id, read, span)
    }

    /// The register of an operand, and its number of bits that a program sees.
    pub(super) fn operand_place(&mut self, id: NameId, span: Span) -> Option<(Place, u32)> {
        let ty = self.context.isa.ty(self.context.opcode.field(id)?.ty);
        let has_special = match &ty.kind {
            TypeKind::Operand(entries) => {
                entries.iter().any(|entry| matches!(entry.meaning, Meaning::Special(_)))
            }
            _ => false,
        };
        let is_external = has_special || self.is_kept_by_machine(ty);
        let width = self.operand_width(id, span)?;
        Some((Place::Operand { field: id, part: None, width, is_external }, width))
    }

    /// Whether a group declares that the machine keeps what an operand type denotes.
    pub(super) fn is_kept_by_machine(&self, ty: &isadl_ir::isa::Type) -> bool {
        let declared = self.context.chain.names.get(ty.name.as_str());
        matches!(declared, Some(Declaration::State { .. }))
    }

    /// The number of bits of an operand that a program sees.
    pub(super) fn operand_width(&mut self, id: NameId, span: Span) -> Option<u32> {
        match self.width_of_elements(id, span) {
            Some(width) => width,
            None => self.width_without_elements(id, span),
        }
    }

    /// The number of bits of an operand, whatever is declared of its elements.
    pub(super) fn width_without_elements(&mut self, id: NameId, span: Span) -> Option<u32> {
        let isa = self.context.isa;
        let ty = isa.ty(self.context.opcode.field(id)?.ty);
        if let Some(Declaration::State { name, ty }) =
            self.context.chain.names.get(ty.name.as_str()).copied()
        {
            return self.outside(*name, span, |checker| checker.type_width(ty));
        }
        if let Some(width) = self.declared_width(id) {
            return Some(width);
        }
        let widths: BTreeSet<u32> =
            files_of(&ty.kind).map(|file| isa.reg_files()[file.index()].width).collect();
        let mut widths = widths.into_iter();
        let has_special = match &ty.kind {
            TypeKind::Operand(entries) => {
                entries.iter().any(|entry| matches!(entry.meaning, Meaning::Special(_)))
            }
            _ => false,
        };
        match (widths.next(), widths.next()) {
            (Some(width), None) if !has_special => Some(width),
            _ => {
                let name = isa.name_of(id);
                let message = format!("the number of bits of `{name}` is not known");
                self.error(Code::E1208, span, message, format!("write `{name} : …` in `Operands`, or declare `extern {} : bits(n)` in a group", ty.name));
                None
            }
        }
    }

    /// The width that `Bitwidth` or `Operands` gives to an operand.
    fn declared_width(&self, id: NameId) -> Option<u32> {
        let opcode = self.context.opcode;
        let operands =
            opcode.operands.iter().filter(|operand| operand.place == OperandLocation::Field(id));
        let flow =
            opcode.flow.iter().filter(|item| item.place == isadl_ir::isa::FlowPlace::Field(id));
        let width = operands
            .filter_map(|operand| operand.width)
            .chain(flow.filter_map(|item| item.width))
            .next()?;
        self.evaluated(width).and_then(|width| u32::try_from(width).ok()).filter(|width| *width > 0)
    }

    /// The value of an expression over fields whose values are known.
    pub(super) fn evaluated(&self, id: ExprId) -> Option<i128> {
        let opcode = self.context.opcode;
        let expr = self.context.isa.expr(id);
        let known = expr
            .fields()
            .into_iter()
            .all(|name| opcode.field(name).is_some_and(|field| self.known_bits(field).is_some()));
        known.then(|| {
            expr.eval(&|name, reading| {
                let field = opcode.field(name);
                field.map_or(0, |field| {
                    reading.integer(self.known_bits(field).unwrap_or(0), field.width())
                })
            })
        })
    }

    /// The bits of a field, of any type.
    pub(super) fn field_bits(&mut self, id: NameId, span: Span) -> Option<Expr> {
        let field = self.context.opcode.field(id)?;
        let range = self.known_bits(field).map(|raw| Interval::one(raw.into()));
        let made = self.make_bits(ExprKind::FieldBits(id), field.width(), span);
        Some(Expr { range: range.unwrap_or(made.range), ..made })
    }

    /// The enumeration that an expression is a value of, if it is the name of such a field.
    pub(super) fn enumeration_of(&self, expr: &ast::Expr<'s>) -> Option<TypeId> {
        let ty = match &expr.kind {
            ast::ExprKind::Member { of, name } => match self.mark(*of, *name)? {
                Mark::Field(field) => self.context.opcode.field(field)?.ty,
                Mark::Absent(ty) => ty,
            },
            _ => {
                let name = expr.as_name()?;
                if let Some(local) = self.find_local(name.text) {
                    return match self.locals[local.index()].ty {
                        Type::Enumeration(ty) => Some(ty),
                        _ => None,
                    };
                }
                self.context.opcode.field(self.field_of(name.text)?)?.ty
            }
        };
        matches!(self.context.isa.ty(ty).kind, TypeKind::BitField(_)).then_some(ty)
    }

    // ---- parts and marks

    /// The mark of an operand: `ra.neg`, or of the operand that a placeholder stands for.
    pub(super) fn mark(&self, of: Name<'s>, mark: Name<'s>) -> Option<Mark> {
        mark_named(self.context.isa, self.context.opcode, of.text, mark.text)
    }

    /// Reports a mark that no operand has for which a placeholder may stand.
    fn unknown_mark(&mut self, of: Name<'s>, mark: Name<'s>) {
        let isa = self.context.isa;
        let fields = isa.opcodes().iter().flat_map(|opcode| &opcode.fields);
        let dotted = fields.filter_map(|field| isa.name_of(field.name).split_once('.'));
        let known: BTreeSet<&str> =
            dotted.filter(|(own, _)| isa.stands_for(of.text, own)).map(|(_, mark)| mark).collect();
        let message = format!("no form has a mark `{}` of `{}`", mark.text, of.text);
        let found = Diagnostic::new(Code::E1202, message, mark.span);
        self.report(found.with_suggestion(mark.text, &known));
    }

    /// The value of a mark: of one that the form lacks, the value with the encoding 0.
    fn mark_value(&mut self, mark: Mark, span: Span) -> Option<Expr> {
        match mark {
            Mark::Field(field) => self.field_value(field, span),
            Mark::Absent(ty) => {
                let zero = self.int(0, span);
                Some(Expr { ty: Type::Enumeration(ty), ..zero })
            }
        }
    }

    /// The bits of a mark.
    pub(super) fn mark_bits(&mut self, mark: Mark, span: Span) -> Option<Expr> {
        match mark {
            Mark::Field(field) => self.field_bits(field, span),
            Mark::Absent(ty) => {
                let zero = self.int(0, span);
                Some(Expr { ty: Type::Bits(self.context.isa.ty(ty).width), ..zero })
            }
        }
    }

    /// The bits of a value of an enumeration.
    pub(super) fn enumerator(&mut self, ty: TypeId, name: &str, span: Span) -> Option<u64> {
        let ty = self.context.isa.ty(ty);
        let found =
            ty.enumerators().iter().find(|value| value.name == name).map(|value| value.value);
        if found.is_none() {
            let message = format!("`{}` has no value `{name}`", ty.name);
            let known: Vec<&str> =
                ty.enumerators().iter().map(|value| value.name.as_str()).collect();
            self.report(Diagnostic::new(Code::E1202, message, span).with_suggestion(name, &known));
        }
        found
    }

    /// `operand.part`
    pub(super) fn member(&mut self, of: Name<'s>, part: Name<'s>, span: Span) -> Option<Expr> {
        let isa = self.context.isa;
        if let Some(mark) = self.mark(of, part) {
            return self.mark_value(mark, span);
        }
        let Some(id) = self.field_of(of.text) else {
            self.unknown(of);
            return None;
        };
        let field = self.context.opcode.field(id)?;
        let TypeKind::Composite(composite) = &isa.ty(field.ty).kind else {
            if isa.stand_ins(of.text).next().is_some() {
                self.unknown_mark(of, part);
                return None;
            }
            let message = format!("`{}` has no parts", of.text);
            self.error(Code::E1216, span, message, "only composites have parts");
            return None;
        };
        let Some(index) = composite.parts.iter().position(|own| own.name == part.text) else {
            let message = format!("`{}` has no part `{}`", of.text, part.text);
            let known: Vec<&str> = composite.parts.iter().map(|part| part.name.as_str()).collect();
            self.report(
                Diagnostic::new(Code::E1202, message, part.span).with_suggestion(part.text, &known),
            );
            return None;
        };
        let own = isa.part(field, index)?;
        match &isa.ty(own.ty).kind {
            TypeKind::Operand(_) => {
                let files: BTreeSet<u32> = files_of(&isa.ty(own.ty).kind)
                    .map(|file| isa.reg_files()[file.index()].width)
                    .collect();
                let width = files.into_iter().next().unwrap_or(1);
                let place =
                    Place::Operand { field: id, part: Some(index), width, is_external: false };
                Some(self.read(place, width, span))
            }
            TypeKind::Immediate(immediate) if immediate.is_integer() => {
                let (low, high) = immediate.range(own.width());
                let bits = self.field_bits(id, span)?;
                let lowest = composite.parts[index].bits.lsb();
                let kind = ExprKind::Slice { of: Box::new(bits), low: lowest, width: own.width() };
                let is_plain = immediate.is_plain() && low == 0;
                let ty = if is_plain { Type::Bits(own.width()) } else { Type::Integer };
                let mut made = self.make_bits(kind, own.width(), span);
                if let Number::Signed = immediate.number.number {
                    let kind = ExprKind::Builtin(crate::program::Builtin::Signed, vec![made]);
                    made = self.make(kind, ty, Interval::between(low, high), span);
                }
                Some(Expr { ty, range: Interval::between(low, high), is_signed: low < 0, ..made })
            }
            _ => {
                self.error(
                    Code::E1219,
                    span,
                    "a part of this type is not checked so far",
                    "use registers and numbers",
                );
                None
            }
        }
    }
}
