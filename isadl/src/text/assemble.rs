//! Text as words: every opcode of a mnemonic is tried, and what came closest is reported.

use std::collections::HashSet;
use std::fmt;

use super::expected;
use super::operand::{Cursor, Failure, Reader, Reason, Values, expected, spelled, wrong};
use crate::interpret::{DecodeError, EncodeError, Inst};
use crate::isa::{Isa, NameId, Opcode, OpcodeId, Optype};
use crate::suggest;

/// Most steps in search of the fields that modifiers are meant for.
const MODIFIER_STEPS: usize = 10_000;

/// Opcodes that an error names.
const MAX_CLOSEST: usize = 4;

/// Why a line is no instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsmError {
    /// The column, in characters from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
    /// The opcodes that came closest.
    pub closest: Vec<String>,
}

impl fmt::Display for AsmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.message)?;
        if !self.closest.is_empty() {
            write!(f, " (closest: {})", self.closest.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for AsmError {}

impl Isa {
    /// Assembles one instruction. A `;` may end it, and a `//` comment may follow.
    pub fn assemble(&self, line: &str) -> Result<Inst, AsmError> {
        let parts = Parts::split(line).map_err(|failure| general(line, &failure))?;
        let candidates = self.candidates(&parts);
        if candidates.is_empty() {
            return Err(self.unknown_mnemonic(line, &parts));
        }
        let mut fits: Vec<(usize, Inst)> = Vec::new();
        let mut failures = Vec::new();
        for (id, dots) in candidates {
            match self.attempt(id, &parts, dots) {
                Ok(inst) => fits.push((dots, inst)),
                Err(failure) => failures.push((id, failure)),
            }
        }
        let longest = fits.iter().map(|(dots, _)| *dots).max();
        fits.retain(|(dots, _)| Some(*dots) == longest);
        fits.dedup_by_key(|(_, inst)| inst.word);
        match fits.as_slice() {
            [] => Err(self.closest(line, failures)),
            [(_, inst)] => Ok(*inst),
            several => {
                let name = |(_, inst): &(usize, Inst)| self.opcode(inst.opcode).name.clone();
                let closest: Vec<String> = several.iter().map(name).collect();
                let column = column(line, parts.mnemonic.at);
                let message = "more than one opcode fits".to_string();
                Err(AsmError { column, message, closest })
            }
        }
    }

    /// The opcodes of the mnemonics that the dotted words begin with, and how many of the dotted
    /// words belong to the mnemonic.
    fn candidates(&self, parts: &Parts<'_>) -> Vec<(OpcodeId, usize)> {
        let mut candidates = Vec::new();
        for optype in &self.optypes {
            let Some(dots) = parts.dots_of(&optype.mnemonic) else { continue };
            let principal = |id: &&OpcodeId| self.opcode(**id).syntax.mnemonic == optype.mnemonic;
            candidates.extend(optype.opcodes.iter().filter(principal).map(|id| (*id, dots)));
        }
        candidates.sort_unstable_by_key(|(id, _)| *id);
        candidates.dedup();
        candidates
    }

    fn unknown_mnemonic(&self, line: &str, parts: &Parts<'_>) -> AsmError {
        let word = parts.mnemonic.text;
        let known = self.optypes.iter().filter(|optype: &&Optype| !optype.opcodes.is_empty());
        let near = suggest::nearest(word, known.map(|optype| optype.mnemonic.as_str()));
        let message = match near {
            _ if word.is_empty() => "expected a mnemonic".to_string(),
            Some(near) => format!("unknown mnemonic `{word}`; did you mean `{near}`?"),
            None => format!("unknown mnemonic `{word}`"),
        };
        AsmError { column: column(line, parts.mnemonic.at), message, closest: Vec::new() }
    }

    /// Reads a line as an instruction of one opcode.
    fn attempt(&self, id: OpcodeId, parts: &Parts<'_>, dots: usize) -> Result<Inst, Failure> {
        let opcode = self.opcode(id);
        let modifiers =
            Modifiers { isa: self, opcode }.read(&parts.dotted[dots..], parts.dots_end)?;
        let reader = Reader { isa: self, opcode, modifiers: &modifiers };
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
        let whole = |what: String| wrong(parts.end, what);
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
            Err(EncodeError::IllegalValue(name) | EncodeError::NoSuchField(name)) => {
                let name = self.name_of(name);
                whole(format!("`{}` cannot have this value of `{name}`", opcode.name))
            }
        }
    }

    /// The error of the opcodes of which the most was read.
    fn closest(&self, line: &str, failures: Vec<(OpcodeId, Failure)>) -> AsmError {
        let at = failures.iter().map(|(_, failure)| failure.at).max().unwrap_or(0);
        let mut expected: Vec<String> = Vec::new();
        let mut wrong: Vec<String> = Vec::new();
        let mut closest: Vec<String> = Vec::new();
        for (id, failure) in failures.into_iter().filter(|(_, failure)| failure.at == at) {
            let (list, text) = match failure.reason {
                Reason::Expected(what) => (&mut expected, what),
                Reason::Wrong(what) => (&mut wrong, what),
            };
            if !list.contains(&text) {
                list.push(text);
            }
            closest.push(self.opcode(id).name.clone());
        }
        if closest.len() > MAX_CLOSEST {
            let more = closest.len() - MAX_CLOSEST;
            closest.truncate(MAX_CLOSEST);
            closest.push(format!("{more} more"));
        }
        let message = match wrong.as_slice() {
            [] => format!("expected {}, found {}", expected::any_of(expected), found(line, at)),
            wrong => wrong.join("; or "),
        };
        AsmError { column: column(line, at), message, closest }
    }
}

/// An error that concerns no opcode.
fn general(line: &str, failure: &Failure) -> AsmError {
    let message = match &failure.reason {
        Reason::Expected(what) => format!("expected {what}, found {}", found(line, failure.at)),
        Reason::Wrong(what) => what.clone(),
    };
    AsmError { column: column(line, failure.at), message, closest: Vec::new() }
}

fn column(line: &str, at: usize) -> usize {
    line[..at].chars().count() + 1
}

/// What stands at a place, in words.
fn found(line: &str, at: usize) -> String {
    let rest = &line[at..];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    match (length, rest.chars().next()) {
        (_, None | Some(';' | '\n' | '\r')) => "the end".to_string(),
        (0, Some(c)) if c.is_control() => format!("{c:?}"),
        (0, Some(c)) => format!("`{c}`"),
        _ if length > 40 => "a long word".to_string(),
        _ => format!("`{}`", &rest[..length]),
    }
}

/// A word of a line.
#[derive(Debug, Clone, Copy)]
struct Word<'l> {
    text: &'l str,
    at: usize,
}

/// The parts of a line, as bytes of it.
#[derive(Debug)]
struct Parts<'l> {
    line: &'l str,
    /// The text behind `@`, and where the `@` is.
    guard: Option<(usize, (usize, usize))>,
    mnemonic: Word<'l>,
    /// The words behind dots, which begin at their dots.
    dotted: Vec<Word<'l>>,
    dots_end: usize,
    operands: Vec<(usize, usize)>,
    /// From the first `$` on.
    controls: (usize, usize),
    /// Where the instruction ends.
    end: usize,
}

impl<'l> Parts<'l> {
    fn split(line: &'l str) -> Result<Parts<'l>, Failure> {
        let code = line.find("//").map_or(line, |comment| &line[..comment]);
        let end = match code.find(';') {
            Some(end) if code[end + 1..].trim().is_empty() => end,
            Some(end) => {
                let rest = &code[end + 1..];
                let at = end + 1 + (rest.len() - rest.trim_start().len());
                return expected(at, "the end of the line");
            }
            None => code.len(),
        };
        let end = line[..end].trim_end().len();
        let mut cursor = Cursor::new(line, 0, end);
        let guard = guard_of(&mut cursor);
        cursor.skip_space();
        let at = cursor.at;
        let mnemonic = Word { text: cursor.identifier(), at };
        let mut dotted = Vec::new();
        while cursor.rest().starts_with('.') {
            let at = cursor.at;
            cursor.at += 1;
            if cursor.rest().starts_with(char::is_whitespace) {
                return expected(cursor.at, "a modifier");
            }
            dotted.push(Word { text: cursor.identifier(), at });
        }
        let dots_end = cursor.at;
        if !mnemonic.text.is_empty()
            && !cursor.rest().starts_with(['$', ' ', '\t'])
            && !cursor.is_done()
        {
            return expected(dots_end, "a space");
        }
        let controls = line[dots_end..end].find('$').map_or(end, |offset| dots_end + offset);
        let operands = pieces(line, dots_end, controls)?;
        Ok(Parts {
            line,
            guard,
            mnemonic,
            dotted,
            dots_end,
            operands,
            controls: (controls, end),
            end,
        })
    }

    /// How many of the dotted words belong to a mnemonic; `None` if the line has another.
    fn dots_of(&self, mnemonic: &str) -> Option<usize> {
        let mut words = mnemonic.split('.');
        if words.next() != Some(self.mnemonic.text) {
            return None;
        }
        let words: Vec<&str> = words.collect();
        let matches = self.dotted.iter().zip(&words).filter(|(a, b)| a.text == **b).count();
        (matches == words.len()).then_some(words.len())
    }
}

/// `@` and a word with marks.
fn guard_of(cursor: &mut Cursor<'_>) -> Option<(usize, (usize, usize))> {
    cursor.skip_space();
    let at = cursor.at;
    if !cursor.take("@") {
        return None;
    }
    let start = cursor.at;
    while cursor.rest().starts_with(|c: char| c.is_whitespace() || "!-~|".contains(c)) {
        cursor.at += 1;
    }
    cursor.identifier();
    Some((at, (start, cursor.at)))
}

/// Splits at the commas outside of brackets.
fn pieces(line: &str, start: usize, end: usize) -> Result<Vec<(usize, usize)>, Failure> {
    let text = &line[start..end];
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut depth = 0i32;
    let mut pieces = Vec::new();
    let mut from = 0;
    let commas = text.char_indices().filter(|(_, c)| {
        depth += match c {
            '[' | '(' | '{' => 1,
            ']' | ')' | '}' => -1,
            _ => 0,
        };
        *c == ',' && depth <= 0
    });
    let ends: Vec<usize> = commas.map(|(at, _)| at).chain([text.len()]).collect();
    for to in ends {
        let piece = &text[from..to];
        let low = start + from + (piece.len() - piece.trim_start().len());
        if piece.trim().is_empty() {
            return expected(start + to, "an operand");
        }
        pieces.push((low, low + piece.trim().len()));
        from = to + 1;
    }
    Ok(pieces)
}

fn guard(reader: &Reader<'_>, parts: &Parts<'_>, values: &mut Values) -> Result<(), Failure> {
    match (&reader.opcode.syntax.guard, parts.guard) {
        (None, None) => Ok(()),
        (None, Some((at, _))) => wrong(at, "the instruction takes no guard"),
        (Some(syntax), Some((_, (start, end)))) => {
            values.extend(reader.operand(syntax, Cursor::new(parts.line, start, end))?);
            Ok(())
        }
        (Some(syntax), None) if syntax.is_optional => Ok(()),
        (Some(syntax), None) => {
            expected(parts.mnemonic.at, format!("`@` and {}", reader.describe(syntax)))
        }
    }
}

fn controls(reader: &Reader<'_>, parts: &Parts<'_>, values: &mut Values) -> Result<(), Failure> {
    let (start, end) = parts.controls;
    let mut cursor = Cursor::new(parts.line, start, end);
    let mut seen: Vec<NameId> = Vec::new();
    while !cursor.is_done() {
        let at = cursor.at;
        let known = reader.opcode.syntax.controls.iter().filter(|c| !seen.contains(&c.field));
        let names: Vec<String> =
            known.clone().map(|c| format!("`${}=`", reader.isa.name_of(c.field))).collect();
        if !cursor.take("$") {
            return expected(at, "the end");
        }
        let name = cursor.identifier();
        let Some(control) = known.into_iter().find(|c| reader.isa.name_of(c.field) == name) else {
            return expected(at, expected::any_of(names));
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

/// The modifiers of an opcode.
struct Modifiers<'m> {
    isa: &'m Isa,
    opcode: &'m Opcode,
}

impl Modifiers<'_> {
    /// The values of all modifiers: of those written, and of those that are not.
    fn read(&self, words: &[Word<'_>], end: usize) -> Result<Values, Failure> {
        let modifiers = &self.opcode.syntax.modifiers;
        // For each word the modifiers that have it as a value.
        let mut meanings: Vec<Vec<(usize, u64)>> = Vec::new();
        for word in words {
            let meaning = |(index, name): (usize, NameId)| {
                let field = self.opcode.field(name)?;
                Some((index, spelled(self.isa.ty(field.ty), word.text)?))
            };
            let fields = modifiers.iter().map(|modifier| modifier.field).enumerate();
            let found: Vec<(usize, u64)> = fields.filter_map(meaning).collect();
            if found.is_empty() {
                return expected(word.at, self.all_spellings());
            }
            meanings.push(found);
        }
        let mut chosen = vec![None; modifiers.len()];
        let mut steps = MODIFIER_STEPS;
        if !self.assign(&meanings, None, &mut chosen, &mut steps) {
            return self.not_assigned(words, &meanings, end);
        }
        let value = |(modifier, chosen): (&crate::isa::ModifierSyntax, Option<u64>)| {
            Some((modifier.field, chosen.or(modifier.absent)?))
        };
        Ok(modifiers.iter().zip(chosen).filter_map(value).collect())
    }

    /// Gives each word to the first modifier that it can be meant for, so that all that must be
    /// written are.
    fn assign(
        &self,
        meanings: &[Vec<(usize, u64)>],
        last_rank: Option<u32>,
        chosen: &mut [Option<u64>],
        steps: &mut usize,
    ) -> bool {
        *steps = steps.saturating_sub(1);
        let modifiers = &self.opcode.syntax.modifiers;
        let Some((first, rest)) = meanings.split_first() else {
            return chosen.iter().zip(modifiers).all(|(c, m)| c.is_some() || m.absent.is_some());
        };
        for (index, raw) in first {
            let rank = modifiers[*index].rank;
            let is_in_order = rank.is_none() || last_rank.is_none() || rank > last_rank;
            if chosen[*index].is_some() || !is_in_order || *steps == 0 {
                continue;
            }
            chosen[*index] = Some(*raw);
            if self.assign(rest, rank.or(last_rank), chosen, steps) {
                return true;
            }
            chosen[*index] = None;
        }
        false
    }

    /// Says why words do not fit together: one is too many, or one is missing.
    fn not_assigned<T>(
        &self,
        words: &[Word<'_>],
        meanings: &[Vec<(usize, u64)>],
        end: usize,
    ) -> Result<T, Failure> {
        let modifiers = &self.opcode.syntax.modifiers;
        let mut chosen = vec![false; modifiers.len()];
        let mut last_rank = None;
        for (word, meaning) in words.iter().zip(meanings) {
            let open = meaning.iter().map(|(index, _)| *index).find(|index| {
                let rank = modifiers[*index].rank;
                !chosen[*index] && (rank.is_none() || last_rank.is_none() || rank > last_rank)
            });
            let Some(index) = open else {
                let message = match meaning.iter().all(|(index, _)| chosen[*index]) {
                    true => format!("`.{}` is one modifier too many", word.text),
                    false => format!("`.{}` must stand before others", word.text),
                };
                return wrong(word.at, message);
            };
            chosen[index] = true;
            last_rank = modifiers[index].rank.or(last_rank);
        }
        let reader = Reader { isa: self.isa, opcode: self.opcode, modifiers: &[] };
        let missing = modifiers.iter().zip(&chosen).find(|(m, c)| !**c && m.absent.is_none());
        expected(end, missing.map_or(String::new(), |(modifier, _)| reader.spellings(modifier)))
    }

    fn all_spellings(&self) -> String {
        let modifiers = self.opcode.syntax.modifiers.iter();
        let names = modifiers.filter_map(|modifier| {
            let field = self.opcode.field(modifier.field)?;
            Some(expected::modifier(self.isa.ty(field.ty)))
        });
        let mut names: Vec<String> = names.collect();
        if names.is_empty() {
            names.push("a space".to_string());
        }
        expected::any_of(names)
    }
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

    fn fail(&mut self, failure: Failure) {
        if self.furthest.as_ref().is_none_or(|furthest| failure.at > furthest.at) {
            self.furthest = Some(failure);
        }
    }

    /// Reads the pieces from one on for the places from one on.
    fn from(&mut self, place: usize, piece: usize, values: &mut Values) -> bool {
        let operands = &self.reader.opcode.syntax.operands;
        let pieces = &self.parts.operands;
        let Some(syntax) = operands.get(place) else {
            if let Some((at, _)) = pieces.get(piece) {
                self.fail(Failure { at: *at, reason: Reason::Expected("the end".to_string()) });
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
        if syntax.is_optional && self.from(place + 1, piece, values) {
            return true;
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
    fn lengths(&self, syntax: &crate::isa::OperandSyntax, piece: usize) -> Vec<usize> {
        let left = self.parts.operands.len() - piece;
        let lanes = self.reader.lanes(syntax) as usize;
        let mut lengths = vec![lanes.min(left), 1];
        lengths.dedup();
        lengths.retain(|length| (1..=left).contains(length));
        lengths
    }
}
