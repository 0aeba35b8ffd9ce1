//! Settings of the instruction set: `Name = word;`, and `Unit`.

use pest::iterators::Pair;

use super::build::{Parts, refuse_second, string};
use super::{Context, Rule};
use crate::ast::{Detour, ELF_FACTS, ELF_MARKS, ElfFact, ElfMark, Guard, Ident, Isa};
use crate::diagnostic::{Code, Diagnostic, names};

/// Adds a setting.
pub(super) fn setting<'s>(
    isa: &mut Isa<'s>,
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<(), Diagnostic> {
    let mut parts = Parts::of(context, pair);
    let keyword = parts.ident()?;
    if keyword.text == "Unit" {
        refuse_second(isa.unit.is_some(), keyword)?;
        let size = parts.int()?;
        if ![8, 16, 32, 64].contains(&size.value) {
            let message = format!("a unit cannot have {} bits", size.value);
            return Err(Diagnostic::new(Code::E0305, message, size.span)
                .with_label("must be 8, 16, 32 or 64"));
        }
        isa.unit = Some((size, one_of(parts.ident()?, &["high", "low"])?));
        return Ok(());
    }
    let (place, words): (_, &[&str]) = match keyword.text {
        "ByteOrder" => (&mut isa.byte_order, &["big", "little"]),
        "Case" => (&mut isa.case, &["insensitive", "sensitive"]),
        "Ranges" => (&mut isa.ranges, &["off", "on"]),
        "Bits" => (&mut isa.bits, &["lsb0", "msb0"]),
        _ => (&mut isa.modifiers, &["dots", "words"]),
    };
    refuse_second(place.is_some(), keyword)?;
    *place = Some(one_of(parts.ident()?, words)?);
    Ok(())
}

/// The values of `Semantics`.
const SEMANTICS: &[&str] = &["checked", "prose"];

/// `Semantics<word>;`
pub(super) fn semantics<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<Ident<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    one_of(parts.ident()?, SEMANTICS)
}

/// A fact of ELF files.
pub(super) fn elf<'s>(
    isa: &mut Isa<'s>,
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
    guard: Option<Box<Guard<'s>>>,
) -> Result<(), Diagnostic> {
    let span = context.span(&pair);
    let mut parts = Parts::of(context, pair);
    parts.ident()?;
    let name = parts.ident()?;
    let given = parts.take_one()?;
    if given.as_rule() == Rule::string {
        let name = one_of(name, ELF_MARKS)?;
        if let Some(guard) = guard {
            return Err(Diagnostic::new(Code::E0101, "a guard is not allowed here", guard.span)
                .with_help("names of symbols are the same in all files"));
        }
        isa.elf_marks.push(ElfMark { name, text: string(context, given) });
        return Ok(());
    }
    let name = one_of(name, ELF_FACTS)?;
    let value = context.int(&given)?;
    let (fits, range) = match name.text {
        "machine" => (value.value <= 0xffff, "must be at most 65535"),
        "class" => ([32, 64].contains(&value.value), "must be 32 or 64"),
        _ => (u32::try_from(value.value).is_ok(), "must have at most 32 bits"),
    };
    if !fits {
        let message = format!("the {} of ELF files cannot be {}", name.text, value.value);
        return Err(Diagnostic::new(Code::E0321, message, value.span).with_label(range));
    }
    isa.elf.push(ElfFact { span, name, value, guard });
    Ok(())
}

/// `Detour<one, other> = "jump";`
pub(super) fn detour<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<Detour<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.ident()?;
    let opcodes = [parts.ident()?, parts.ident()?];
    Ok(Detour { opcodes, jump: string(context, parts.take_one()?) })
}

/// Accepts a word that is one of the known words.
fn one_of<'s>(word: Ident<'s>, known: &[&str]) -> Result<Ident<'s>, Diagnostic> {
    if known.contains(&word.text) {
        return Ok(word);
    }
    let all = names(known).replace(" and ", " or ");
    let message = format!("expected {all}, found `{}`", word.text);
    Err(Diagnostic::new(Code::E0101, message, word.span)
        .with_suggestion(word.text, known.iter().copied()))
}
