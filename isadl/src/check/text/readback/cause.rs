//! Which piece of a text is to be changed so that the text can be read.

use super::sample::Sample;
use super::{Failure, Reader, shared};
use crate::check::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{FieldRole, Inst, Isa, NameId, OpcodeId, OperandLocation, TypeId, TypeKind};
use crate::source::Span;

/// The cause of a failure.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cause {
    /// How a field is written.
    Field(NameId),
    /// How all values of a composite are written.
    Composite(TypeId),
    /// Another opcode, whose instruction is read.
    Opcode(OpcodeId),
    /// Another opcode, which has the text too.
    Shared,
    /// Nothing that could be found.
    Whole,
}

/// The cause of a failure: a field that is read differently, or a field without whose value the text could be read.
pub(super) fn of(reader: &Reader<'_>, sample: &Sample<'_>, inst: Inst, failure: &Failure) -> Cause {
    let opcode = reader.isa.opcode(inst.opcode);
    match failure {
        Failure::Other { read, .. } if read.opcode != inst.opcode => Cause::Opcode(read.opcode),
        Failure::Other { read, .. } => {
            let mut fields = opcode.fields.iter();
            let other = fields.find(|f| f.extract(inst.word) != f.extract(read.word));
            other.map_or(Cause::Whole, |field| of_field(reader.isa, field.ty, field.name))
        }
        Failure::Refused { .. } if failure.is_ambiguous() => Cause::Shared,
        Failure::Refused { text, error } => {
            let mut choices = sample.choices.iter().rev();
            let is_cause = |name: &&super::sample::Choice| {
                let mut others = name.values.iter().filter_map(|raw| sample.with(inst, name, *raw));
                others.any(|other| reader.failure(other).is_none())
            };
            let found = choices.find(is_cause).and_then(|choice| opcode.field(choice.field));
            match found {
                Some(field) => of_field(reader.isa, field.ty, field.name),
                None => operand_at(reader.isa, inst, text, error.column).unwrap_or(Cause::Whole),
            }
        }
    }
}

fn of_field(isa: &Isa, ty: TypeId, name: NameId) -> Cause {
    match isa.ty(ty).kind {
        TypeKind::Composite(_) => Cause::Composite(ty),
        _ => Cause::Field(name),
    }
}

/// The operand in whose text a column is; its first attribute, if that is written after it.
fn operand_at(isa: &Isa, inst: Inst, text: &str, column: usize) -> Option<Cause> {
    let opcode = isa.opcode(inst.opcode);
    let at = text.char_indices().nth(column - 1).map_or(text.len(), |(at, _)| at);
    let mut from = 0;
    for operand in opcode.syntax.guard.iter().chain(&opcode.syntax.operands) {
        let core = isa.core_text(inst, operand);
        let Some(start) = text[from..].find(&core).map(|start| from + start) else { continue };
        from = start + core.len();
        if !(start..=from).contains(&at) {
            continue;
        }
        let OperandLocation::Field(name) = operand.place(opcode) else { return None };
        let field = opcode.field(name)?;
        let cause = of_field(isa, field.ty, name);
        let suffix = operand.suffixes.first().map(|suffix| Cause::Field(suffix.field));
        return match cause {
            Cause::Composite(_) => Some(cause),
            _ => Some(suffix.unwrap_or(cause)),
        };
    }
    None
}

/// The fields of an opcode that a cause concerns. Marks of an operand are read together, including the modifier that
/// changes a mark.
pub(super) fn fields(isa: &Isa, id: OpcodeId, cause: Cause) -> Vec<NameId> {
    let opcode = isa.opcode(id);
    match cause {
        Cause::Field(name) => {
            let operands = opcode.syntax.guard.iter().chain(&opcode.syntax.operands);
            let marks = operands.map(|operand| -> Vec<NameId> {
                let marks = operand.marks.iter();
                marks.flat_map(|mark| [Some(mark.field), mark.extension]).flatten().collect()
            });
            let with_it = marks.filter(|marks| marks.contains(&name)).flatten();
            [name].into_iter().chain(with_it).collect()
        }
        Cause::Composite(ty) => {
            let of_type = opcode.fields.iter().filter(|field| field.ty == ty);
            of_type.map(|field| field.name).collect()
        }
        Cause::Opcode(_) | Cause::Shared | Cause::Whole => Vec::new(),
    }
}

/// The finding of a failure, at its cause.
pub(super) fn finding(
    context: &Context<'_, '_>,
    inst: Inst,
    failure: &Failure,
    cause: Cause,
) -> Diagnostic {
    let isa = context.isa;
    let (text, message, why) = match failure {
        Failure::Refused { text, error } if failure.is_ambiguous() => {
            return shared(context, inst, text, error);
        }
        Failure::Refused { text, error } => {
            let message = format!("the assembler refuses `{text}`");
            (text, message, format!("column {}: {}", error.column, error.message))
        }
        Failure::Other { text, read } => {
            let digits = isa.bytes() * 2;
            let message = format!("`{text}` is read as another instruction");
            let opcode = &isa.opcode(read.opcode).name;
            let (own, other) = (isa.number_of(inst), isa.number_of(*read));
            let why = format!(
                "it is printed for 0x{own:0digits$x}, but read as 0x{other:0digits$x} of `{opcode}`"
            );
            (text, message, why)
        }
    };
    let own = context.layer(inst.opcode).name;
    let mut found = Diagnostic::new(Code::W0916, message, place(context, inst, cause))
        .with_note(format!("`{text}` is the text of an instruction of `{}`", own.text))
        .with_note(why)
        .with_help(help(isa, inst, cause));
    if let Cause::Opcode(other) = cause
        && context.layer(other).name.span != own.span
    {
        found = found.with_related(context.layer(other).name.span, "the opcode that is read");
    }
    found
}

/// Where the cause is.
fn place(context: &Context<'_, '_>, inst: Inst, cause: Cause) -> Span {
    let (opcode, layer) = (context.opcodes[inst.opcode.index()], context.layer(inst.opcode));
    match cause {
        Cause::Field(name) => {
            let field = context.model.find_field(opcode.layer, name);
            field.map_or(layer.name.span, |id| context.model.field(id).ast.name.span)
        }
        Cause::Composite(ty) => context.model.types[ty.index()].name.span,
        Cause::Opcode(_) | Cause::Shared | Cause::Whole => layer.name.span,
    }
}

/// The help text: the change to make.
fn help(isa: &Isa, inst: Inst, cause: Cause) -> &'static str {
    let opcode = isa.opcode(inst.opcode);
    match cause {
        Cause::Composite(_) => {
            "separate the parts in `Format` by characters that no part has, such as `[` or `:`"
        }
        Cause::Opcode(_) | Cause::Shared => {
            "give one of the opcodes another mnemonic, or its modifiers other spellings"
        }
        Cause::Whole => "change how its operands and modifiers are written",
        Cause::Field(name) => match opcode.field(name).map(|field| field.role) {
            Some(FieldRole::Attribute { .. }) => {
                "make the attribute a modifier, or change the type of its operand"
            }
            Some(FieldRole::Modifier) => {
                "give its values other spellings by `as`, or use the other style of modifiers"
            }
            Some(FieldRole::Mnemonic) => {
                "give its values other spellings by `as`, or write it as a modifier or operand"
            }
            Some(FieldRole::Control) => {
                "give its values spellings of letters, digits and `_` by `as`"
            }
            Some(FieldRole::Operand | FieldRole::Part { .. }) | None => {
                "change its type, its default, or its place among the operands"
            }
        },
    }
}
