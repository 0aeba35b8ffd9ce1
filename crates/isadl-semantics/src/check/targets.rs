//! Assignments: what is written, and that the value may be stored there.

use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{NameId, RegFileId, TypeKind};

use super::Checker;
use super::bits::Position;
use crate::float::Format;
use crate::interval::Interval;
use crate::program::{Bits, Expr, ExprKind, LocalId, Place, Statement, StatementKind, Type};
use crate::syntax::ast::{self, Declaration, Name};

/// A place that is written.
enum Target {
    /// A variable, or bits of it.
    Variable(LocalId, Option<(Expr, Bits)>),
    /// A register, or bits of it.
    Register(Place, Option<(Expr, Bits)>),
    /// Memory.
    Memory(usize, Expr),
    /// The program counter.
    Pc,
    /// Bits that ignore what is written.
    Ignored,
}

impl<'c, 's> Checker<'c, 's, '_> {
    /// `target = value`
    pub(super) fn assign(
        &mut self,
        target: &'c ast::Expr<'s>,
        value: &'c ast::Expr<'s>,
        span: Span,
    ) -> Option<Vec<Statement>> {
        if let Some(name) = target.as_name().filter(|name| self.is_new(name)) {
            let Some(found) = self.expr(value) else {
                self.lose(name.text);
                return None;
            };
            let local = self.bind(name, found.ty, found.range, false)?;
            return Some(vec![Statement {
                span,
                kind: StatementKind::Bind { local, value: found },
            }]);
        }
        let mut targets = Vec::new();
        let found = self.targets(target, &mut targets);
        let width: u32 = targets.iter().map(|(_, width, _)| *width).sum();
        let format = match found {
            Some(()) => self.target_format(target)?,
            // The value is looked at for its own faults.
            None => {
                self.expr(value)?;
                return None;
            }
        };
        let place = match target.as_name() {
            Some(name) => format!("`{}`", name.text),
            None => "the place".to_string(),
        };
        let ty = format.map_or(Type::Bits(width), Type::Float);
        let value = self.value_for(ty, value, &place)?;
        let single = targets.len() == 1;
        if let Some((target, _, _)) = targets.pop_if(|_| single) {
            return self.write(target, width, value, span);
        }
        self.write_parts(targets, width, value, span)
    }

    /// The format of the numbers in a place that is written, if it has one.
    fn target_format(&mut self, target: &'c ast::Expr<'s>) -> Option<Option<Format>> {
        let named = match &target.kind {
            // An element of a list.
            ast::ExprKind::Index { of, .. } if self.list(of)?.is_some() => of.as_name(),
            _ => target.as_name(),
        };
        let Some(name) = named else { return Some(None) };
        if let Some(local) = self.find_local(name.text) {
            return Some(match self.locals[local.index()].ty {
                Type::Float(format) => Some(format),
                _ => None,
            });
        }
        let Some(field) = self.field_of(name.text) else { return Some(None) };
        let Some(format) = self.declared_format(field, name.span)? else { return Some(None) };
        let width = match self.elements(field, name.span)? {
            Some(elements) => elements.width(),
            None => self.operand_width(field, name.span)?,
        };
        self.format_fits(field, format, width, name.span)?;
        Some(Some(format))
    }

    /// Writes a value to places side by side.
    fn write_parts(
        &mut self,
        targets: Vec<(Target, u32, Span)>,
        width: u32,
        value: Expr,
        span: Span,
    ) -> Option<Vec<Statement>> {
        let local = self.add_temporary(Type::Bits(width), Interval::unsigned(width), span);
        let mut found = vec![Statement { span, kind: StatementKind::Bind { local, value } }];
        let mut low = width;
        for (target, width, span) in targets {
            low -= width;
            if matches!(target, Target::Ignored) {
                continue;
            }
            let whole = self.read_local(local, span);
            let part = self.bits_at(whole, Position::Fixed(low, width), span);
            found.extend(self.write(target, width, part, span)?);
        }
        Some(found)
    }

    fn write(
        &mut self,
        target: Target,
        width: u32,
        value: Expr,
        span: Span,
    ) -> Option<Vec<Statement>> {
        let kind = match target {
            Target::Variable(local, None) => StatementKind::Bind { local, value },
            Target::Variable(local, Some((low, bits))) => {
                StatementKind::BindBits { local, low, bits, value }
            }
            Target::Register(place, bits) => {
                if bits.is_none() {
                    let read = self.make_bits(ExprKind::Read(place.clone()), width, span);
                    std::rc::Rc::make_mut(&mut self.written).extend(crate::facts::key(&read));
                }
                return self.write_register(place, bits, value, span);
            }
            Target::Memory(memory, address) => {
                StatementKind::Store { memory, address, width, value }
            }
            Target::Pc => StatementKind::Jump { target: self.stored(value, width) },
            Target::Ignored => StatementKind::Do(value),
        };
        Some(vec![Statement { span, kind }])
    }

    /// Whether a name has no meaning yet.
    pub(super) fn is_new(&self, name: &Name<'s>) -> bool {
        let declared = self.context.chain.names.get(name.text);
        self.find_bound(name.text).is_none()
            && self.field_of(name.text).is_none()
            && declared.is_none_or(|declared| declared.is_about() || name.text == "pc")
            && self.file_of(name.text).is_none()
            && self.context.registers.is_none()
            && !matches!(name.text, "pc" | "next")
    }

    /// The places of a target, the first at the top, each with its number of bits.
    fn targets(
        &mut self,
        target: &'c ast::Expr<'s>,
        into: &mut Vec<(Target, u32, Span)>,
    ) -> Option<()> {
        let span = target.span;
        match &target.kind {
            ast::ExprKind::Concat(parts) => {
                let found: Vec<Option<()>> =
                    parts.iter().map(|part| self.targets(part, into)).collect();
                found.into_iter().collect::<Option<Vec<()>>>()?;
                Some(())
            }
            ast::ExprKind::Name(text) => self.named_target(Name { text, span }, into),
            ast::ExprKind::Member { of, name } => {
                let found = self.member(*of, *name, span)?;
                let width = found.width();
                let (ExprKind::Read(place), Some(width)) = (found.kind, width) else {
                    self.not_a_place(span);
                    return None;
                };
                into.push((Target::Register(place, None), width, span));
                Some(())
            }
            ast::ExprKind::Index { of, indices } => {
                let [index] = indices.as_slice() else {
                    self.index(of, indices, span)?;
                    return None;
                };
                if self.memory_access_of(of, index).is_some() {
                    let (memory, address, width) = self.memory_place(target, true)?;
                    into.push((Target::Memory(memory, address), width, span));
                    return Some(());
                }
                if let Some((id, elements)) = self.list(of)? {
                    let index = self.number(index)?;
                    let (place, position, width) =
                        self.element_target(id, of.as_name()?, elements, index)?;
                    into.push((Target::Register(place, Some(position)), width, span));
                    return Some(());
                }
                if let Some(register) = self.register(of, index) {
                    let (place, width) = register?;
                    into.push((Target::Register(place, None), width, span));
                    return Some(());
                }
                let whole = self.whole_target(of)?;
                let index = self.number(index)?;
                let position = self.bit_position(&whole, index, span)?;
                self.bits_target(whole, position, span, into)
            }
            ast::ExprKind::Slice { of, bounds } => {
                if self.memory_access(of).is_some() {
                    let (memory, address, width) = self.memory_place(target, true)?;
                    into.push((Target::Memory(memory, address), width, span));
                    return Some(());
                }
                let whole = self.whole_target(of)?;
                let position = self.slice_position(&whole, bounds, span)?;
                self.bits_target(whole, position, span, into)
            }
            ast::ExprKind::Lane { of, lane } => {
                let (place, width) = self.lane_place(of, lane, span)?;
                into.push((Target::Register(place, None), width, span));
                Some(())
            }
            ast::ExprKind::Part { of, bounds } => {
                let whole = self.whole_target(of)?;
                let position = self.part_position(&whole, bounds, span)?;
                self.bits_target(whole, position, span, into)
            }
            // Constants in a view ignore what is written.
            _ if !self.calls.is_empty() => {
                let found = self.sized(target)?;
                into.push((Target::Ignored, found.width().unwrap_or(1), span));
                Some(())
            }
            _ => {
                self.not_a_place(span);
                None
            }
        }
    }

    fn not_a_place(&mut self, span: Span) {
        let help = "write an operand, a register, memory, a variable, or a new name";
        self.error(Code::E1216, span, "this cannot be written", help);
    }

    fn named_target(&mut self, name: Name<'s>, into: &mut Vec<(Target, u32, Span)>) -> Option<()> {
        let span = name.span;
        if let Some(bound) = self.find_bound(name.text) {
            let local = bound?;
            let known = &self.locals[local.index()];
            let width = match known.ty {
                Type::Bits(_) | Type::Float(_) if known.is_variable => known.ty.width(),
                _ => {
                    let message = format!("`{}` has a value already", name.text);
                    let found = Diagnostic::new(Code::E1203, message, span)
                        .with_related(known.span, "given here");
                    self.report(found.with_help(format!(
                        "choose another name, or declare it: `var {} : bits(n) = …`",
                        name.text
                    )));
                    return None;
                }
            };
            into.push((Target::Variable(local, None), width, span));
            return Some(());
        }
        if let Some(field) = self.field_of(name.text) {
            if let Some(elements) = self.elements(field, span)? {
                let index = self.element_number(field, elements, span)?;
                let (place, position, width) = self.element_target(field, name, elements, index)?;
                into.push((Target::Register(place, Some(position)), width, span));
                return Some(());
            }
            let (place, width) = self.operand_target(field, name)?;
            into.push((Target::Register(place, None), width, span));
            return Some(());
        }
        if let Some((place, width)) = self.register_named(name) {
            into.push((Target::Register(place, None), width, span));
            return Some(());
        }
        if let Some(Declaration::View { value, name: own, .. }) =
            self.context.chain.names.get(name.text).copied()
        {
            return self.outside(*own, span, |checker| checker.targets(value, into));
        }
        if let Some(Declaration::State { name: own, ty }) =
            self.context.chain.names.get(name.text).copied().filter(|_| name.text != "pc")
        {
            let width = self.outside(*own, span, |checker| checker.type_width(ty))?;
            into.push((
                Target::Register(Place::State { name: name.text.to_string(), width }, None),
                width,
                span,
            ));
            return Some(());
        }
        if name.text == "pc" {
            let width = self.pc_width(span)?;
            into.push((Target::Pc, width, span));
            return Some(());
        }
        if let Some(file) = self.file_of(name.text) {
            let place = self.only_register(file, name)?;
            let width = self.context.isa.reg_files()[file.index()].width;
            into.push((Target::Register(place, None), width, span));
            return Some(());
        }
        match self.context.registers {
            Some(_) => self.unknown(name),
            None => self.not_a_place(span),
        }
        None
    }

    /// The register of an operand, if it can be written.
    pub(super) fn operand_target(&mut self, field: NameId, name: Name<'s>) -> Option<(Place, u32)> {
        let isa = self.context.isa;
        let ty = isa.ty(self.context.opcode.field(field)?.ty);
        if !matches!(ty.kind, TypeKind::Operand(_)) {
            let message =
                format!("`{}` is a value in the instruction, and cannot be written", name.text);
            self.error(
                Code::E1216,
                name.span,
                message,
                "write a register operand, or choose a new name for a value",
            );
            return None;
        }
        let (place, width) = self.operand_place(field, name.span)?;
        let file = super::files_of(&ty.kind).next();
        let register = file.map_or(width, |file| isa.reg_files()[file.index()].width);
        if let Some(file) = file.filter(|_| width < register && !self.is_kept_by_machine(ty)) {
            self.is_narrow_declared(file, width, name)?;
        }
        Some((place, width))
    }

    /// Reports a result with fewer bits than its register, if nothing says what happens to the others.
    fn is_narrow_declared(&mut self, file: RegFileId, width: u32, name: Name<'s>) -> Option<()> {
        if self.rest(file).is_some() {
            return Some(());
        }
        let known = &self.context.isa.reg_files()[file.index()];
        let message = format!("`{}` has {width} bits, its register {}", name.text, known.width);
        let help = format!(
            "declare what the other bits become: `narrow {} = zeros` (or `ones`, `signs`, `kept`)",
            known.name
        );
        self.error(Code::E1229, name.span, message, help);
        None
    }

    /// A whole of which bits are written, as an expression.
    fn whole_target(&mut self, of: &'c ast::Expr<'s>) -> Option<Expr> {
        let mut targets = Vec::new();
        self.targets(of, &mut targets)?;
        if self.target_format(of)?.is_some() {
            let help = "write the whole number; `from_bits({…})` makes one of its bits";
            self.error(Code::E1231, of.span, "bits of a floating-point number are written", help);
            return None;
        }
        let single = targets.len() == 1;
        let found = targets.pop_if(|_| single);
        let (kind, width) = match found {
            Some((Target::Variable(local, None), width, _)) => (ExprKind::Variable(local), width),
            Some((Target::Register(place, None), width, _)) => (ExprKind::Read(place), width),
            _ => {
                let help = "write the whole, or the parts one by one";
                self.error(Code::E1216, of.span, "bits of this cannot be written", help);
                return None;
            }
        };
        let range = Interval::unsigned(width);
        Some(Expr {
            kind,
            ty: Type::Bits(width),
            range,
            span: of.span,
            is_signed: false,
            is_exact: false,
        })
    }

    fn bits_target(
        &mut self,
        whole: Expr,
        position: Position,
        span: Span,
        into: &mut Vec<(Target, u32, Span)>,
    ) -> Option<()> {
        let all = whole.width().unwrap_or(1);
        let (low, bits, width) = match position {
            Position::Fixed(low, width) => (self.int(low.into(), span), Bits::Count(width), width),
            Position::Computed(low, Bits::Count(width)) => (low, Bits::Count(width), width),
            // How many bits are written is computed: the lowest bits of the value.
            Position::Computed(low, bits) => (low, bits, all),
        };
        let target = match whole.kind {
            ExprKind::Variable(local) => Target::Variable(local, Some((low, bits))),
            ExprKind::Read(place) => Target::Register(place, Some((low, bits))),
            _ => return None,
        };
        into.push((target, width, span));
        Some(())
    }
}
