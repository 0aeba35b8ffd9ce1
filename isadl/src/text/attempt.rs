//! A line as an instruction of one opcode: its modifiers, guard, operands and control fields.
//!
//! What was read must be a word that decodes.

use std::collections::HashSet;

use super::cursor::{Cursor, Detail, Failure, Reason, expected, expected_of, reason, wrong};
use super::expected::{self, add};
use super::line::Parts;
use super::modifiers::Modifiers;
use super::operand::{Reader, Values};
use crate::interpret::{DecodeError, EncodeError, Inst};
use crate::isa::{
    Binding, Isa, ModifierStyle, ModifierSyntax, NameId, Opcode, OpcodeId, OperandSyntax,
};

impl Isa {
    /// Reads a line as an instruction of one opcode.
    pub(super) fn attempt(
        &self,
        id: OpcodeId,
        parts: &Parts<'_>,
        dots: usize,
        detail: Detail,
    ) -> Result<Inst, Failure> {
        let opcode = self.opcode(id);
        let (words, end) = match self.modifiers {
            ModifierStyle::Dots => (&parts.dotted[dots..], parts.dots_end),
            ModifierStyle::Words => (parts.words.as_slice(), parts.controls.0),
        };
        if let (ModifierStyle::Words, Some(extra)) = (self.modifiers, parts.dotted.get(dots)) {
            return expected(extra.at, "a space");
        }
        let modifiers = Modifiers { isa: self, opcode, detail }.read(words, end)?;
        let reader = Reader { isa: self, opcode, modifiers: &modifiers, detail };
        let mut values = modifiers.clone();
        guard(&reader, parts, &mut values)?;
        Operands { reader: &reader, parts, dead_ends: HashSet::new(), furthest: None }
            .read(&mut values)?;
        controls(&reader, parts, &mut values)?;
        values.retain(|(name, _)| opcode.field(*name).is_some());
        self.finish(id, &values, parts)
    }

    /// The word of values that were read, which must be one that decodes.
    fn finish(
        &self,
        id: OpcodeId,
        values: &[(NameId, u64)],
        parts: &Parts<'_>,
    ) -> Result<Inst, Failure> {
        let opcode = self.opcode(id);
        // What concerns the whole instruction counts as read to its end.
        let whole = |what: String| Err(Failure { at: parts.end, reason: Reason::Whole(what) });
        let rule = |rule| whole(self.rule(rule).message.clone());
        match self.encode(id, values) {
            Ok(inst) => match self.decode(inst.word) {
                Ok(inst) => Ok(inst),
                Err(DecodeError::Rule { rule: broken, .. }) => rule(broken),
                Err(_) => whole("no opcode decodes these values".to_string()),
            },
            Err(EncodeError::Rule(broken)) => rule(broken),
            Err(EncodeError::Missing(name)) => {
                whole(format!("`{}` has no default and cannot be written", self.name_of(name)))
            }
            Err(EncodeError::Shared(name)) => {
                let name = self.name_of(name);
                whole(format!("`{name}` is held in the same bits as another operand, and differs"))
            }
            Err(EncodeError::SpecialCase(index)) => {
                let other = &opcode.special_cases[index].name;
                whole(format!("`{}` with these values is `{other}`", opcode.name))
            }
            Err(EncodeError::IllegalValue(name) | EncodeError::NoSuchField(name)) => {
                let name = self.name_of(name);
                whole(format!("`{}` cannot have this value of `{name}`", opcode.name))
            }
        }
    }
}

fn guard(reader: &Reader<'_>, parts: &Parts<'_>, values: &mut Values) -> Result<(), Failure> {
    match (&reader.opcode.syntax.guard, parts.guard) {
        (None, None) => Ok(()),
        (None, Some((at, _))) => wrong(at, "the instruction takes no guard"),
        (Some(syntax), Some((_, (start, end)))) => {
            values.extend(reader.operand(syntax, Cursor::new(parts.line, start, end))?);
            Ok(())
        }
        (Some(syntax), None) if syntax.is_optional => {
            values.extend(left_out(reader.opcode, syntax));
            Ok(())
        }
        (Some(syntax), None) => {
            let what = expected::any_of(reader.describe(syntax));
            expected(parts.mnemonic.at, format!("`@` and {what}"))
        }
    }
}

fn controls(reader: &Reader<'_>, parts: &Parts<'_>, values: &mut Values) -> Result<(), Failure> {
    let (start, end) = parts.controls;
    let mut cursor = Cursor::new(parts.line, start, end);
    let mut seen: Vec<NameId> = Vec::new();
    let is_named = |control: &ModifierSyntax, name: &str| reader.isa.name_of(control.field) == name;
    while !cursor.is_done() {
        let at = cursor.at;
        let known = reader.opcode.syntax.controls.iter().filter(|c| !seen.contains(&c.field));
        let names: Vec<String> =
            known.clone().map(|c| format!("`${}=`", reader.isa.name_of(c.field))).collect();
        if !cursor.take("$") {
            return expected(at, "the end");
        }
        let name = cursor.identifier();
        let Some(control) = known.into_iter().find(|c| is_named(c, name)) else {
            return match reader.opcode.syntax.controls.iter().any(|c| is_named(c, name)) {
                true => wrong(at, format!("`${name}` is given twice")),
                false => expected_of(at, names),
            };
        };
        if !cursor.take("=") {
            return expected(cursor.at, "`=`");
        }
        cursor.skip_space();
        if let Some(field) = reader.opcode.field(control.field) {
            let raw = reader.value(reader.isa.ty(field.ty), 1, &mut cursor)?;
            values.push((control.field, raw));
        }
        seen.push(control.field);
    }
    Ok(())
}

/// The attributes of an operand that is left out, where they have no default of their own.
fn left_out(opcode: &Opcode, syntax: &OperandSyntax) -> Values {
    let is_required =
        |name: &NameId| opcode.field(*name).is_some_and(|field| field.binding == Binding::Required);
    let marks = syntax.marks.iter().map(|mark| mark.field).filter(is_required);
    let suffixes = syntax.suffixes.iter().filter_map(|s| Some((s.field, s.absent?)));
    marks.map(|name| (name, 0)).chain(suffixes).collect()
}

/// The operands of a line, which are given to the first places that they fit.
struct Operands<'o> {
    reader: &'o Reader<'o>,
    parts: &'o Parts<'o>,
    /// Places and pieces from which the rest cannot be read.
    dead_ends: HashSet<(usize, usize)>,
    furthest: Option<Failure>,
}

impl Operands<'_> {
    fn read(mut self, values: &mut Values) -> Result<(), Failure> {
        match (self.from(0, 0, values), self.furthest) {
            (false, Some(failure)) => Err(failure),
            _ => Ok(()),
        }
    }

    /// Keeps what failed furthest in the line: all that would fit there, or what is wrong.
    fn fail(&mut self, failure: Failure) {
        let furthest = match &mut self.furthest {
            Some(furthest) if failure.at < furthest.at => return,
            Some(furthest) if failure.at == furthest.at => furthest,
            other => {
                *other = Some(failure);
                return;
            }
        };
        match (&mut furthest.reason, failure.reason) {
            (Reason::Expected(list), Reason::Expected(more)) => add(list, more),
            (Reason::Expected(_), other) => furthest.reason = other,
            _ => {}
        }
    }

    /// Reads the pieces from one on for the places from one on.
    fn from(&mut self, place: usize, piece: usize, values: &mut Values) -> bool {
        let operands = &self.reader.opcode.syntax.operands;
        let pieces = &self.parts.operands;
        let Some(syntax) = operands.get(place) else {
            if let Some((at, _)) = pieces.get(piece) {
                self.fail(Failure { at: *at, reason: reason("the end") });
            }
            return piece == pieces.len();
        };
        if self.dead_ends.contains(&(place, piece)) {
            return false;
        }
        for taken in self.lengths(syntax, piece) {
            let (start, end) = (pieces[piece].0, pieces[piece + taken - 1].1);
            match self.reader.operand(syntax, Cursor::new(self.parts.line, start, end)) {
                Ok(read) => {
                    let before = values.len();
                    values.extend(read);
                    if self.from(place + 1, piece + taken, values) {
                        return true;
                    }
                    values.truncate(before);
                }
                Err(failure) => self.fail(failure),
            }
        }
        if syntax.is_optional {
            let before = values.len();
            values.extend(left_out(self.reader.opcode, syntax));
            if self.from(place + 1, piece, values) {
                return true;
            }
            values.truncate(before);
        }
        if !syntax.is_optional && piece == pieces.len() {
            let what = self.reader.describe(syntax);
            let at = pieces.last().map_or(self.parts.dots_end, |(_, end)| *end);
            self.fail(Failure { at, reason: Reason::Expected(what) });
        }
        self.dead_ends.insert((place, piece));
        false
    }

    /// How many pieces an operand may take: as many as it has numbers, or one.
    fn lengths(&self, syntax: &OperandSyntax, piece: usize) -> Vec<usize> {
        let left = self.parts.operands.len() - piece;
        let lanes = self.reader.lanes(syntax) as usize;
        let mut lengths = vec![lanes.min(left), 1];
        lengths.dedup();
        lengths.retain(|length| (1..=left).contains(length));
        lengths
    }
}
