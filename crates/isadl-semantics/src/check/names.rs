//! What a name means: a local, an operand or field of the opcode, or something that a group declares.

use std::collections::BTreeSet;

use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{
    Binding, ExprId, Field, Meaning, NameId, Number, NumberFormat, OperandLocation, TypeId,
    TypeKind,
};

use super::Checker;
use super::registers::files_of;
use crate::float::Format;
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, LocalId, Place, Type};
use crate::syntax::ast::{self, Declaration, Name};

impl<'c, 's> Checker<'c, 's, '_> {
    /// The value of a name.
    pub(super) fn name(&mut self, name: Name<'s>) -> Option<Expr> {
        if let Some(bound) = self.find_bound(name.text) {
            return bound.map(|local| self.read_local(local, name.span));
        }
        if let Some(field) = self.field_of(name.text)
            && !self.is_given(name.text, field)
        {
            return self.field_value(field, name.span);
        }
        if let Some(found) = self.lane_name(name) {
            return found;
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
                let kind = if name.text == "pc" { ExprKind::Pc } else { ExprKind::Next };
                Some(self.make_bits(kind, width, name.span))
            }
            _ => {
                self.unknown(name);
                None
            }
        }
    }

    /// Whether a `let` gives the value of an operand that has none: an address.
    fn is_given(&self, name: &str, field: NameId) -> bool {
        let declared = self.context.chain.names.get(name);
        let is_let = declared.is_some_and(|declared| matches!(declared, Declaration::Let { .. }));
        let ty = self.context.opcode.field(field).map(|field| self.context.isa.ty(field.ty));
        is_let && ty.is_some_and(|ty| matches!(ty.kind, TypeKind::Composite(_)))
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
        self.report(found.with_note(
            "names are locals, operands and fields, what groups declare, and register files",
        ));
    }

    /// A name that a group declares.
    fn declared(&mut self, name: Name<'s>) -> Option<Option<Expr>> {
        let declaration = *self.context.chain.names.get(name.text)?;
        Some(match declaration {
            Declaration::Let { name: own, otherwise: Some(_), .. } => {
                let open = self.switched.iter().find(|(name, _)| *name == own.text);
                let number = open.map(|(_, number)| *number);
                number.map(|number| self.int(number, name.span))
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
        let is_own = self.calls.iter().any(|(name, _)| *name == own.text);
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
        self.calls.push((own.text, call));
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

    // ---- operands and fields

    /// The field of the opcode that a name means.
    pub(super) fn field_of(&self, name: &str) -> Option<NameId> {
        let isa = self.context.isa;
        let fields = &self.context.opcode.fields;
        let named = fields.iter().find(|field| isa.name_of(field.name) == name);
        let found = named.or_else(|| {
            fields.iter().find(|field| isa.stands_for(name, isa.name_of(field.name)))
        })?;
        // The operand is the literal in this form of the opcode.
        let literal = self.context.opcode.literal.filter(|literal| literal.selector == found.name);
        Some(literal.map_or(found.name, |literal| literal.literal))
    }

    /// The value of a field's bits, if the opcode fixes it, or if it is chosen because widths depend on it.
    pub(super) fn known_bits(&self, field: &Field) -> Option<u64> {
        match field.binding {
            Binding::Fixed(raw) => Some(raw),
            _ => self.context.chosen.get(&field.name).copied(),
        }
    }

    /// The value of an operand or field.
    fn field_value(&mut self, id: NameId, span: Span) -> Option<Expr> {
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
                self.applied(id, Expr { is_signed: low < 0, ..made })
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
                    None => Some(self.make_bits(ExprKind::FieldBits(id), field.width(), span)),
                }
            }
            TypeKind::Operand(_) => self.operand_value(id, field.ty, known, span),
            TypeKind::Composite(_) => {
                let message = format!("`{}` is an address, and has no value", isa.name_of(id));
                self.error(
                    Code::E1216,
                    span,
                    message,
                    "name its parts, or the memory there: `memory[base + offset][31:0]`",
                );
                None
            }
        }
    }

    /// The value of a field with a floating-point number. A literal is a number only if that is declared of its operand.
    fn float_immediate(&mut self, id: NameId, format: Format, span: Span) -> Option<Expr> {
        let number = self.encoded(ExprKind::Field(id), format, span);
        let is_literal = self.context.opcode.literal.is_some_and(|literal| literal.literal == id);
        if !is_literal {
            return Some(number);
        }
        let read = self.as_declared(id, Expr { ty: Type::Bits(format.width()), ..number })?;
        self.applied(id, read)
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
        match self.elements(id, span)? {
            Some(elements) => self.current_element(id, elements, span),
            None => {
                let (place, width) = self.operand_place(id, span)?;
                let read = self.read(place, width, span);
                let read = self.as_declared(id, read)?;
                self.applied(id, read)
            }
        }
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
        let name = expr.as_name()?;
        if let Some(local) = self.find_local(name.text) {
            return match self.locals[local.index()].ty {
                Type::Enumeration(ty) => Some(ty),
                _ => None,
            };
        }
        let ty = self.context.opcode.field(self.field_of(name.text)?)?.ty;
        matches!(self.context.isa.ty(ty).kind, TypeKind::BitField(_)).then_some(ty)
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
        // A dotted field has a point in its name.
        let dotted = format!("{}.{}", of.text, part.text);
        let fields = self.context.opcode.fields.iter();
        if let Some(field) = fields.clone().find(|field| isa.name_of(field.name) == dotted) {
            return self.field_value(field.name, span);
        }
        let Some(id) = self.field_of(of.text) else {
            self.unknown(of);
            return None;
        };
        let field = self.context.opcode.field(id)?;
        let TypeKind::Composite(composite) = &isa.ty(field.ty).kind else {
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
