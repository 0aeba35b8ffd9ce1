//! Text as words: every opcode of a mnemonic is tried, and what came closest is reported.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::expected;
use super::operand::{
    Cursor, Detail, Failure, Reader, Reason, Values, expected, expected_of, spelled, wrong,
};
use crate::interpret::{DecodeError, EncodeError, Inst};
use crate::isa::{Isa, ModifierSyntax, NameId, Opcode, OpcodeId, Optype, OptypeId};
use crate::suggest;

/// Most steps in search of the fields that modifiers are meant for.
const MODIFIER_STEPS: usize = 10_000;

/// Most opcodes that begin with one word and are all tried for a line among many.
const MAX_OPCODES: usize = 128;

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

/// What is said of a line that is an instruction in several ways.
pub(crate) const SEVERAL_FIT: &str = "more than one opcode fits";

/// The operations by the first word of their mnemonics, for who assembles many lines.
#[derive(Debug)]
pub(crate) struct Mnemonics<'i> {
    by_word: HashMap<&'i str, Vec<&'i Optype>>,
}

impl<'i> Mnemonics<'i> {
    pub(crate) fn new(isa: &'i Isa) -> Mnemonics<'i> {
        let mut by_word: HashMap<&str, Vec<&Optype>> = HashMap::new();
        for optype in &isa.optypes {
            let word = optype.mnemonic.split('.').next().unwrap_or_default();
            by_word.entry(word).or_default().push(optype);
        }
        Mnemonics { by_word }
    }

    /// Assembles a line as [`Isa::assemble`] does; but where very many opcodes share the first
    /// word, only as one of those of `home`.
    pub(crate) fn assemble(
        &self,
        isa: &Isa,
        home: &[OptypeId],
        line: &str,
    ) -> Result<Inst, AsmError> {
        isa.assemble_of(line, |word| {
            let all = self.by_word.get(word).map_or(&[][..], Vec::as_slice);
            let many = all.iter().map(|optype| optype.opcodes.len()).sum::<usize>() > MAX_OPCODES;
            let is_home = |optype: &Optype| {
                home.iter().any(|id| std::ptr::eq(&isa.optypes[id.index()], optype))
            };
            let only_home = many && all.iter().any(|optype| is_home(optype));
            all.iter().copied().filter(move |optype| !only_home || is_home(optype))
        })
    }
}

impl Isa {
    /// Assembles one instruction. A `;` may end it, and a `//` comment may follow.
    pub fn assemble(&self, line: &str) -> Result<Inst, AsmError> {
        self.assemble_of(line, |_| self.optypes.iter())
    }

    /// Reads a line as an instruction of one opcode; `None` if it is none.
    pub(crate) fn assemble_as(&self, id: OpcodeId, line: &str) -> Option<Inst> {
        let parts = Parts::split(line).ok()?;
        let dots = parts.dots_of(&self.opcode(id).syntax.mnemonic)?;
        self.attempt(id, &parts, dots, Detail::None).ok().filter(|inst| inst.opcode == id)
    }

    /// Assembles one instruction of the operations that `optypes` gives for the first word of the
    /// mnemonic.
    fn assemble_of<'o, I: Iterator<Item = &'o Optype>>(
        &self,
        line: &str,
        optypes: impl FnOnce(&str) -> I,
    ) -> Result<Inst, AsmError> {
        let parts = Parts::split(line).map_err(|failure| general(line, &failure))?;
        let candidates = self.candidates(&parts, optypes(parts.mnemonic.text));
        if candidates.is_empty() {
            return Err(self.unknown_mnemonic(line, &parts));
        }
        if let Some(at) = parts.glued {
            return Err(general(line, &Failure { at, reason: reason("a space") }));
        }
        let mut fits: Vec<(usize, Inst)> = Vec::new();
        for (id, dots) in &candidates {
            let read = self.attempt(*id, &parts, *dots, Detail::None);
            fits.extend(read.ok().map(|inst| (*dots, inst)));
        }
        let longest = fits.iter().map(|(dots, _)| *dots).max();
        fits.retain(|(dots, _)| Some(*dots) == longest);
        fits.dedup_by_key(|(_, inst)| inst.word);
        match fits.as_slice() {
            [] => Err(self.closest(line, &parts, &candidates)),
            [(_, inst)] => Ok(*inst),
            several => {
                let name = |(_, inst): &(usize, Inst)| self.opcode(inst.opcode).name.clone();
                let closest: Vec<String> = several.iter().map(name).collect();
                let column = column(line, parts.mnemonic.at);
                Err(AsmError { column, message: SEVERAL_FIT.to_string(), closest })
            }
        }
    }

    /// The opcodes of the mnemonics that the dotted words begin with, and how many of the dotted
    /// words belong to the mnemonic.
    fn candidates<'o>(
        &self,
        parts: &Parts<'_>,
        optypes: impl Iterator<Item = &'o Optype>,
    ) -> Vec<(OpcodeId, usize)> {
        let mut candidates = Vec::new();
        for optype in optypes {
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
            _ if word.is_empty() => {
                format!("expected a mnemonic, found {}", found(line, parts.mnemonic.at))
            }
            Some(near) => format!("unknown mnemonic `{word}`; did you mean `{near}`?"),
            None => format!("unknown mnemonic `{word}`"),
        };
        AsmError { column: column(line, parts.mnemonic.at), message, closest: Vec::new() }
    }

    /// Reads a line as an instruction of one opcode.
    fn attempt(
        &self,
        id: OpcodeId,
        parts: &Parts<'_>,
        dots: usize,
        detail: Detail,
    ) -> Result<Inst, Failure> {
        let opcode = self.opcode(id);
        let modifiers =
            Modifiers { isa: self, opcode, detail }.read(&parts.dotted[dots..], parts.dots_end)?;
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
            Err(EncodeError::IllegalValue(name) | EncodeError::NoSuchField(name)) => {
                let name = self.name_of(name);
                whole(format!("`{}` cannot have this value of `{name}`", opcode.name))
            }
        }
    }

    /// The error of the opcodes of which the most was read.
    fn closest(&self, line: &str, parts: &Parts<'_>, candidates: &[(OpcodeId, usize)]) -> AsmError {
        let failure = |(id, dots): &(OpcodeId, usize)| {
            Some((*id, self.attempt(*id, parts, *dots, Detail::Full).err()?))
        };
        let failures: Vec<(OpcodeId, Failure)> = candidates.iter().filter_map(failure).collect();
        let at = failures.iter().map(|(_, failure)| failure.at).max().unwrap_or(0);
        let mut expected: Vec<String> = Vec::new();
        let mut wrong: Vec<String> = Vec::new();
        let mut whole: Vec<String> = Vec::new();
        let mut closest: Vec<String> = Vec::new();
        for (id, failure) in failures.into_iter().filter(|(_, failure)| failure.at == at) {
            let (list, texts) = match failure.reason {
                Reason::Expected(what) => (&mut expected, what),
                Reason::Wrong(what) => (&mut wrong, vec![what]),
                Reason::Whole(what) => (&mut whole, vec![what]),
            };
            add(list, texts);
            closest.push(self.opcode(id).name.clone());
        }
        if closest.len() > MAX_CLOSEST {
            let more = closest.len() - MAX_CLOSEST;
            closest.truncate(MAX_CLOSEST);
            closest.push(format!("{more} more"));
        }
        let (at, message) = match (whole.as_slice(), wrong.as_slice()) {
            ([], []) => {
                (at, format!("expected {}, found {}", expected::any_of(expected), found(line, at)))
            }
            ([], wrong) => (at, wrong.join("; or ")),
            (whole, _) => (parts.mnemonic.at, whole.join("; or ")),
        };
        AsmError { column: column(line, at), message, closest }
    }
}

/// Adds the texts that a list lacks.
fn add(list: &mut Vec<String>, texts: Vec<String>) {
    for text in texts {
        if !list.contains(&text) {
            list.push(text);
        }
    }
}

fn reason(expected: &str) -> Reason {
    Reason::Expected(vec![expected.to_string()])
}

/// An error that concerns no opcode.
fn general(line: &str, failure: &Failure) -> AsmError {
    let message = match &failure.reason {
        Reason::Expected(what) => {
            format!(
                "expected {}, found {}",
                expected::any_of(what.clone()),
                found(line, failure.at)
            )
        }
        Reason::Wrong(what) | Reason::Whole(what) => what.clone(),
    };
    AsmError { column: column(line, failure.at), message, closest: Vec::new() }
}

fn column(line: &str, at: usize) -> usize {
    line[..at].chars().count() + 1
}

/// What stands at a place or behind the blanks there, in words.
fn found(line: &str, at: usize) -> String {
    let rest = line[at..].trim_start();
    let length = found_length(rest);
    match rest.chars().next() {
        None | Some(';') => "the end".to_string(),
        Some('/') if rest.starts_with("//") => "the end".to_string(),
        Some(c) if c.is_control() => format!("{c:?}"),
        Some(_) if length > MAX_FOUND => "a long word".to_string(),
        Some(c) => format!("`{}`", &rest[..length.max(c.len_utf8())]),
    }
}

/// Most bytes of a line that an error quotes.
const MAX_FOUND: usize = 40;

/// The length of what a person would call a word: a name with its sign, a number, a register with
/// its brackets; 0 if there is none.
fn found_length(text: &str) -> usize {
    let name = |from: usize| {
        let is_other = |c: char| !(c.is_alphanumeric() || c == '_');
        text[from..].find(is_other).map_or(text.len(), |end| from + end)
    };
    match text.chars().next() {
        Some('.' | '$') => name(1),
        Some(c) if c.is_ascii_digit() => {
            let is_other = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'));
            text.find(is_other).unwrap_or(text.len())
        }
        _ => {
            let end = name(0);
            let close = text[end..].find(']').map_or(end, |close| end + close + 1);
            let is_index = |c: char| c.is_ascii_alphanumeric() || matches!(c, '[' | ']' | ':');
            let has_brackets = end > 0 && text[end..].starts_with('[');
            if has_brackets && text[end..close].chars().all(is_index) { close } else { end }
        }
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
    /// Where a space is missing behind the mnemonic.
    glued: Option<usize>,
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
        let is_glued = !cursor.rest().starts_with(['$', ' ', '\t']) && !cursor.is_done();
        let glued = is_glued.then_some(dots_end);
        let controls = line[dots_end..end].find('$').map_or(end, |offset| dots_end + offset);
        let operands = match glued {
            Some(_) => Vec::new(),
            None => pieces(line, dots_end, controls)?,
        };
        Ok(Parts {
            line,
            guard,
            mnemonic,
            dotted,
            dots_end,
            operands,
            controls: (controls, end),
            glued,
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
    let is_mark = |c: &char| c.is_whitespace() || "!-~|".contains(*c);
    while let Some(c) = cursor.rest().chars().next().filter(is_mark) {
        cursor.at += c.len_utf8();
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

/// The modifiers of an opcode.
struct Modifiers<'m> {
    isa: &'m Isa,
    opcode: &'m Opcode,
    detail: Detail,
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
                return expected_of(word.at, self.all_spellings());
            }
            meanings.push(found);
        }
        let mut chosen = vec![None; modifiers.len()];
        let mut steps = MODIFIER_STEPS;
        if !self.assign(&meanings, None, &mut chosen, &mut steps) {
            return self.not_assigned(words, &meanings, end);
        }
        let value = |(modifier, chosen): (&ModifierSyntax, Option<u64>)| {
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
        let missing = modifiers.iter().zip(&chosen).find(|(m, c)| !**c && m.absent.is_none());
        let spellings = missing.map_or(Vec::new(), |(modifier, _)| self.spellings(modifier));
        wrong(end, format!("a modifier is missing: {}", expected::any_of(spellings)))
    }

    fn spellings(&self, modifier: &ModifierSyntax) -> Vec<String> {
        let Modifiers { isa, opcode, detail } = *self;
        Reader { isa, opcode, modifiers: &[], detail }.spellings(modifier)
    }

    fn all_spellings(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for modifier in &self.opcode.syntax.modifiers {
            add(&mut names, self.spellings(modifier));
        }
        if names.is_empty() {
            names.push("a space".to_string());
        }
        names
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
