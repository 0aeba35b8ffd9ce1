//! Everything that must be true of a small instruction set, word by word and line by line.

use isadl::engine::Loaded;
use isadl::isa::{FieldRole, Isa, OpcodeId};

use super::{Subject, compare, mutate};
use crate::Random;
use crate::oracle::{self, Readings, Verdict};

/// Counts of the checked items.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    /// Words that are instructions.
    pub legal: usize,
    /// Words that a rule forbids.
    pub forbidden: usize,
    /// Words with a value that is not in the type of its field.
    pub illegal: usize,
    /// Words of no opcode.
    pub unknown: usize,
    /// Canonical texts that were read.
    pub texts: usize,
    /// Changed lines that are instructions all the same.
    pub read: usize,
    /// Changed lines that were refused.
    pub refused: usize,
}

impl Seen {
    /// Adds the counts of another set.
    pub fn add(&mut self, other: Seen) {
        self.legal += other.legal;
        self.forbidden += other.forbidden;
        self.illegal += other.illegal;
        self.unknown += other.unknown;
        self.texts += other.texts;
        self.read += other.read;
        self.refused += other.refused;
    }
}

/// Compares every word of an instruction set with the oracle, assembles every text, and tries changed lines. The error
/// describes the first difference.
pub fn examine(isa: &Isa, seed: u64) -> Result<Seen, String> {
    let loaded = Loaded::new(isa.clone());
    let subject = Subject::new(loaded.engine());
    let mut seen = Seen::default();
    let mut readings = Readings::default();
    let mut texts: Vec<(String, OpcodeId, u128)> = Vec::new();
    for word in 0..1u128 << isa.width() {
        match compare(&subject, word)? {
            Verdict::Unknown => seen.unknown += 1,
            Verdict::IllegalValue { .. } => seen.illegal += 1,
            Verdict::Rule { .. } => seen.forbidden += 1,
            Verdict::Legal { opcode: id, advice } => {
                seen.legal += 1;
                let opcode = &isa.opcodes()[id.index()];
                if oracle::significant(opcode, word) != word {
                    continue;
                }
                let text = oracle::print(isa, opcode, word);
                if advice.is_none() {
                    let plain = oracle::print_plain(isa, opcode, word);
                    if plain != text {
                        readings.add(plain.clone(), word);
                        texts.push((plain, id, word));
                    }
                    readings.add(text.clone(), word);
                    texts.push((text, id, word));
                } else if let Ok((_, read)) = subject.assemble(&text)
                    && read == word
                {
                    return Err(format!("`{text}` is assembled although a rule forbids it"));
                }
            }
        }
    }
    for (text, id, word) in &texts {
        seen.texts += 1;
        reads_as(&subject, text, *id, *word)?;
        if isa.folds_case() {
            // Every third letter, so that names begin and end in either.
            let other = |(at, c): (usize, char)| match at % 3 {
                0 => c.to_ascii_uppercase(),
                _ => c.to_ascii_lowercase(),
            };
            let mixed: String = text.chars().enumerate().map(other).collect();
            for other in [text.to_ascii_uppercase(), text.to_ascii_lowercase(), mixed] {
                reads_as(&subject, &other, *id, *word)?;
            }
        }
    }
    other_texts(&subject, &texts, &readings)?;
    let step = texts.len() / LINES + 1;
    for (text, id, word) in texts.iter().step_by(step) {
        let at = subject.text_at(*id, *word, ADDRESS);
        if at == *text || is_joined(&at) {
            continue;
        }
        // Distances from several addresses can name the same address.
        match subject.assemble_from(&at, ADDRESS) {
            Ok((read, found)) if subject.text_at(read, found, ADDRESS) == at => {}
            Ok(found) if oracle::is_same(isa, (*id, *word), found) => {}
            other => return Err(format!("`{at}` of 0x{word:x} is read as {other:x?}")),
        }
    }
    let mut random = Random::new(seed);
    for (text, ..) in texts.iter().step_by(step) {
        let line = mutate::line(text, &texts, &mut random);
        match is_sound(&subject, &line, &readings)? {
            true => seen.read += 1,
            false => seen.refused += 1,
        }
    }
    Ok(seen)
}

/// Where instructions are whose distances are read.
const ADDRESS: u64 = 0x1237_0001;

/// The error for a line that several opcodes fit.
const AMBIGUOUS: &str = "more than one opcode fits";

/// Whether an address, which has no prefix, would be read together with the mark or number before it.
fn is_joined(text: &str) -> bool {
    let joins = |c: char| c == '-' || c.is_ascii_alphanumeric();
    text.match_indices("0x").any(|(at, _)| text[..at].ends_with(joins))
}

/// Limit on the changed lines of a set.
const LINES: usize = 100;

/// A canonical text assembles to the word that it was printed for.
fn reads_as(subject: &Subject<'_>, text: &str, id: OpcodeId, word: u128) -> Result<(), String> {
    let isa = subject.isa();
    match subject.assemble(text) {
        Ok(found) if found == (id, word) || oracle::is_same(isa, (id, word), found) => Ok(()),
        Ok((read, found)) => {
            let other = subject.text(read, found);
            let (name, of) = (&isa.opcodes()[read.index()].name, &isa.opcodes()[id.index()].name);
            Err(format!(
                "`{text}` is 0x{word:x} of {of}, but assembles to 0x{found:x} of {name}, `{other}`"
            ))
        }
        Err(message) => Err(format!("`{text}` of 0x{word:x} does not assemble: {message}")),
    }
}

/// Checks that other texts of values are read as these values, unless they are a text of another word.
fn other_texts(
    subject: &Subject<'_>,
    texts: &[(String, OpcodeId, u128)],
    readings: &Readings,
) -> Result<(), String> {
    let isa = subject.isa();
    let mut others = Readings::default();
    let mut seen = Vec::new();
    for (_, id, word) in texts {
        let opcode = &isa.opcodes()[id.index()];
        // A mark before a number may be its sign.
        let is_mark = |role: &FieldRole| matches!(role, FieldRole::Attribute { .. });
        if opcode.fields.iter().any(|field| is_mark(&field.role)) {
            continue;
        }
        let plain = oracle::print_plain(isa, opcode, *word);
        let mut last = plain.clone();
        // Values have different numbers of texts; three texts cover most values.
        let by_set = |set| oracle::print_plain_names(isa, opcode, *word, set);
        let of_sets = (1..isa.name_sets().len()).map(by_set);
        for text in (1..4).map(|nth| oracle::print_with(isa, opcode, *word, nth)).chain(of_sets) {
            if text == last || text == plain {
                continue;
            }
            // A number followed by a suffix would be read as a number with a decimal point.
            if opcode_has_suffix(opcode) && text.contains('.') {
                continue;
            }
            // A mark before the number 0 would be read as its sign.
            if text.contains("-0") {
                continue;
            }
            if readings.of(&text).is_empty() && !others.of(&text).contains(word) {
                others.add(text.clone(), *word);
                seen.push((text.clone(), *id, *word));
            }
            last = text;
        }
    }
    for (text, id, word) in seen.iter().filter(|(text, ..)| others.of(text).len() == 1) {
        // It can be a text of another opcode that is not printed, such as a text that names no default.
        let is_ambiguous = subject.assemble(text).is_err_and(|error| error.contains(AMBIGUOUS));
        if !is_ambiguous {
            reads_as(subject, text, *id, *word)?;
        }
    }
    Ok(())
}

/// Whether some operand of an opcode has a suffix.
fn opcode_has_suffix(opcode: &isadl::isa::Opcode) -> bool {
    let syntax = &opcode.syntax;
    syntax.guard.iter().chain(&syntax.operands).any(|operand| !operand.suffixes.is_empty())
}

/// Checks that a line is refused, or is an instruction of an opcode with its mnemonic whose own text reads back.
/// Returns whether it is an instruction.
fn is_sound(subject: &Subject<'_>, line: &str, readings: &Readings) -> Result<bool, String> {
    let isa = subject.isa();
    let Ok((id, word)) = subject.assemble(line) else {
        return match readings.of(line) {
            [] => Ok(false),
            _ => Err(format!("`{line}` is a canonical text and refused")),
        };
    };
    let legal = oracle::decode(isa, word);
    if legal != (Verdict::Legal { opcode: id, advice: None }) {
        return Err(format!("`{line}` assembles to 0x{word:x}, which is {legal:?}"));
    }
    let opcode = &isa.opcodes()[id.index()];
    let forms = std::iter::once(opcode).chain(opcode.aliases.iter().map(|alias| &alias.form));
    let mut mnemonics = forms.flat_map(|form| oracle::mnemonics(isa, form, word));
    let folded = |text: &str| match isa.folds_case() {
        true => text.to_ascii_lowercase(),
        false => text.to_string(),
    };
    if !mnemonics.any(|mnemonic| mutate::has_mnemonic(&folded(line), &folded(&mnemonic))) {
        return Err(format!("`{line}` assembles to {}, which has other mnemonics", opcode.name));
    }
    let text = oracle::print(isa, opcode, word);
    reads_as(subject, &text, id, word).map_err(|what| format!("`{line}`: {what}"))?;
    Ok(true)
}
