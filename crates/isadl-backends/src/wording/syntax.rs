//! How an opcode is written, as a template line: `IADD{.X} rd{, pu}, {-}ra {$sched}`.

use isadl_ir::isa::{
    Access, Binding, CompositeOperand, CompositeSegment, Isa, ModifierStyle, ModifierSyntax,
    NameId, Opcode, OperandLocation, OperandSyntax, Symbol, TypeKind,
};

/// The line of an opcode.
pub(crate) fn line(isa: &Isa, opcode: &Opcode) -> String {
    let writer = Writer { isa, opcode };
    let syntax = &opcode.syntax;
    let mut line = String::new();
    if let Some(guard) = &syntax.guard {
        let text = format!("@{}", writer.core(guard));
        line += &if guard.is_optional { format!("{{{text}}} ") } else { format!("{text} ") };
    }
    line += &syntax.mnemonic;
    if isa.modifiers() == ModifierStyle::Dots {
        syntax.modifiers.iter().for_each(|modifier| line += &writer.modifier(modifier, "."));
    }
    line += &writer.operands();
    if isa.modifiers() == ModifierStyle::Words {
        syntax.modifiers.iter().for_each(|modifier| {
            let text = writer.modifier(modifier, "");
            line += &if text.is_empty() { text } else { format!(" {text}") };
        });
    }
    for control in &syntax.controls {
        let text = format!("${}", isa.name_of(control.field));
        line += &if control.absent.is_some() { format!(" {{{text}}}") } else { format!(" {text}") };
    }
    line
}

/// The text of a modifier made of fields, with their names.
pub(crate) fn made_of_fields(isa: &Isa, opcode: &Opcode, made: &CompositeOperand) -> String {
    Writer { isa, opcode }.template(made.name, false).unwrap_or_default()
}

struct Writer<'w> {
    isa: &'w Isa,
    opcode: &'w Opcode,
}

impl Writer<'_> {
    /// A modifier or attribute: its text if there is only one, or its name.
    fn modifier(&self, modifier: &ModifierSyntax, sign: &str) -> String {
        let name = self.isa.name_of(modifier.field);
        let name = name.split_once('.').map_or(name, |(_, attribute)| attribute);
        let Some(field) = self.opcode.field(modifier.field) else { return String::new() };
        if let Some(text) = self.template(modifier.field, false) {
            return if modifier.absent.is_some() { format!("{{{text}}}") } else { text };
        }
        let TypeKind::BitField(values) = &self.isa.ty(field.ty).kind else {
            return format!("{sign}{name}");
        };
        if let Binding::Fixed(raw) = field.binding {
            let is_left_out = modifier.omission.is_some() && modifier.absent == Some(raw);
            let value = values.iter().find(|value| value.value == raw);
            let spelling = value.map_or("", |value| value.spelling.as_str());
            let is_written = !is_left_out && !spelling.is_empty();
            return if is_written { format!("{sign}{spelling}") } else { String::new() };
        }
        let spellings: Vec<&str> =
            values.iter().map(|value| value.spelling.as_str()).filter(|s| !s.is_empty()).collect();
        let text = match spellings.as_slice() {
            [alone] if values.len() <= 2 => format!("{sign}{alone}"),
            _ => format!("{sign}{name}"),
        };
        if modifier.absent.is_some() { format!("{{{text}}}") } else { text }
    }

    fn operands(&self) -> String {
        let operands = &self.opcode.syntax.operands;
        let mut text = String::new();
        let mut is_behind = false;
        for (index, operand) in operands.iter().enumerate() {
            let core = self.core(operand);
            let is_last = index + 1 == operands.len();
            // The comma belongs to the optional operand.
            text += &match (operand.is_optional, is_behind) {
                (false, false) => core,
                (false, true) => format!(", {core}"),
                (true, false) if is_last => format!("{{{core}}}"),
                (true, false) => format!("{{{core}, }}"),
                (true, true) => format!("{{, {core}}}"),
            };
            is_behind |= !operand.is_optional;
        }
        if text.is_empty() { text } else { format!(" {text}") }
    }

    /// An operand with its marks and attributes.
    fn core(&self, operand: &OperandSyntax) -> String {
        let mut before = String::new();
        let mut after = String::new();
        for mark in &operand.marks {
            match mark.symbol {
                Symbol::Absolute => {
                    before += "{|}";
                    after += "{|}";
                }
                _ if mark.extension.is_some() => before += "{-/~}",
                symbol => before += &format!("{{{}}}", symbol.as_char()),
            }
        }
        let suffixes: String =
            operand.suffixes.iter().map(|suffix| self.modifier(suffix, ".")).collect();
        let place = operand.place(self.opcode);
        let written = match place {
            OperandLocation::Field(name) => self.template(name, operand.is_optional),
            OperandLocation::File(_) | OperandLocation::Indirect { .. } => None,
        };
        let written = written.unwrap_or_else(|| self::place(self.isa, place));
        format!("{before}{written}{after}{suffixes}")
    }

    /// The syntax of an operand composed of fields, with the names of these fields. If the whole operand is optional,
    /// its parts are not marked as optional.
    fn template(&self, operand: NameId, is_optional: bool) -> Option<String> {
        let view = self.opcode.composite_operands.iter().find(|view| view.name == operand)?;
        let field = self.opcode.field(operand)?;
        let TypeKind::Composite(composite) = &self.isa.ty(field.ty).kind else { return None };
        let mut text = String::new();
        let pieces = match composite.format.as_slice() {
            [CompositeSegment::Optional { pieces, .. }] if is_optional => pieces,
            pieces => pieces,
        };
        self.add_pieces(view, pieces, &mut text);
        Some(text)
    }

    fn add_pieces(&self, view: &CompositeOperand, pieces: &[CompositeSegment], text: &mut String) {
        let name = |part: usize| self.isa.name_of(view.parts[part]);
        for piece in pieces {
            match piece {
                CompositeSegment::Text(piece) => *text += piece,
                CompositeSegment::Part(part) => *text += name(*part),
                CompositeSegment::Next(part, by) => *text += &format!("{}+{by}", name(*part)),
                // The bit of an operand without fields is never written.
                CompositeSegment::Optional { .. } if view.parts.is_empty() => {}
                CompositeSegment::Otherwise { .. } => {}
                CompositeSegment::Optional { pieces, .. } => {
                    text.push('{');
                    self.add_pieces(view, pieces, text);
                    text.push('}');
                }
            }
        }
    }
}

/// The name of an operand's place.
pub(crate) fn place(isa: &Isa, place: OperandLocation) -> String {
    match place {
        OperandLocation::Field(name) => isa.name_of(name).to_string(),
        OperandLocation::File(file) => isa.reg_files()[file.index()].name.clone(),
        OperandLocation::Indirect { file, base, offset } => {
            let offset = offset.map(|offset| format!("{{+{}}}", isa.name_of(offset)));
            let base = isa.name_of(base);
            format!("{}[{base}{}]", isa.prefix(file), offset.unwrap_or_default())
        }
    }
}

/// The access to an operand, in words.
pub(crate) fn access(access: Access) -> &'static str {
    match access {
        Access::None => "selects",
        Access::Read => "read",
        Access::Write => "write",
        Access::ReadWrite => "read, write",
    }
}
