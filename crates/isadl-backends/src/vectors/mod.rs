//! The backend of test vectors. For every opcode, it finds words that cover every value, the boundaries of every field,
//! and pairs of values of fields that a rule relates. For every rule, it finds a word that breaks only this rule.
//!
//! The goals are listed first (`goals.rs`). Each goal that no earlier word meets gets a word, which a proof finds or
//! shows to be impossible. Words that generations share are listed once.

mod goals;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use isadl_ir::isa::{Binding, Family, Isa, Opcode, OpcodeId, RuleScope};
use isadl_prove::{Wanted, Word, Words};
use isadl_runtime::engine::{Engine, Inst, Loaded};

use crate::output::Output;
use goals::Goal;
pub use tables::SCHEMA;

/// The vectors of an instruction set.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    /// In order of opcode numbers.
    pub vectors: Vec<Vector>,
    /// The goals that no word can meet.
    pub impossible: Vec<Missing>,
    /// The goals that remain undecided within the budget of the search.
    pub undecided: Vec<Missing>,
    /// How much is covered.
    pub coverage: Coverage,
}

/// A word and its properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector {
    /// The generations to which all of this applies; empty if the instruction set has no generations.
    pub generations: Vec<String>,
    /// The name of the opcode.
    pub opcode: String,
    /// Its number.
    pub number: u16,
    /// Whether it is the form with a literal.
    pub literal: bool,
    /// Whether it is legal.
    pub status: Status,
    /// The rule that it breaks: kind and message.
    pub rule: Option<(String, String)>,
    /// The word.
    pub word: u128,
    /// Its bytes in memory.
    pub bytes: Vec<u8>,
    /// Its canonical text; `None` if it is illegal.
    pub text: Option<String>,
    /// Whether the text assembles to this word, and not to a shorter or another word.
    pub reads_back: bool,
    /// The values of its fields, from the lowest bit on.
    pub fields: Vec<(String, u64)>,
    /// Its reads and writes, in order; empty if it is illegal.
    pub uses: Vec<String>,
    /// The goal that it was made for.
    pub goal: String,
}

/// Whether a word is an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It decodes and encodes.
    Legal,
    /// It decodes, but a rule forbids assemblers to make it.
    Refused,
    /// A rule makes it illegal.
    Illegal,
}

impl Status {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Legal => "legal",
            Status::Refused => "refused",
            Status::Illegal => "illegal",
        }
    }
}

/// A goal that no vector meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The generations.
    pub generations: Vec<String>,
    /// The opcode.
    pub opcode: String,
    /// The goal.
    pub goal: String,
}

/// How many goals there are of each kind, and how many are met. Each generation counts by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Values and boundaries of fields.
    pub values: Count,
    /// Pairs of values that a rule relates.
    pub pairs: Count,
    /// Rules that a word breaks alone.
    pub rules: Count,
}

/// How many goals of a kind are met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// All of them.
    pub goals: usize,
    /// Goals that a vector meets.
    pub met: usize,
    /// Goals that no word can meet.
    pub impossible: usize,
}

impl Count {
    /// Whether each goal is met or impossible.
    pub fn is_complete(self) -> bool {
        self.met + self.impossible == self.goals
    }
}

impl Coverage {
    /// Whether each goal is met or impossible.
    pub fn is_complete(self) -> bool {
        [self.values, self.pairs, self.rules].into_iter().all(Count::is_complete)
    }
}

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds = [("values", self.values), ("pairs", self.pairs), ("rules", self.rules)];
        for (index, (name, count)) in kinds.into_iter().enumerate() {
            let possible = count.goals - count.impossible;
            let percent = (count.met * 100).checked_div(possible).unwrap_or(100);
            let comma = if index > 0 { "; " } else { "" };
            write!(f, "{comma}{name}: {} of {possible} ({percent} %)", count.met)?;
            if count.impossible > 0 {
                write!(f, ", {} are impossible", count.impossible)?;
            }
        }
        Ok(())
    }
}

/// Generates the files, and returns their coverage.
pub fn generate(family: &Family) -> (Output, Coverage) {
    let found = vectors(family);
    let mut output = Output::recorded("vectors");
    output.add("vectors/vectors.json", tables::json(family, &found));
    output.add("vectors/vectors.tsv", tables::tsv(&found));
    output.add("vectors/vectors.schema.json", SCHEMA.to_string());
    (output, found.coverage)
}

/// The vectors of all generations.
pub fn vectors(family: &Family) -> Vectors {
    let mut all = Vectors::default();
    for isa in family.isas() {
        let loaded = Loaded::quick(isa.clone());
        let default = isa.extensions().default;
        let (mut engine, mut words) = (loaded.engine(), Words::new(isa));
        let mut last = None;
        for id in isa.opcode_ids() {
            // Opcodes that the default set lacks have vectors of a set that has them.
            let set = isa.set_with(isa.opcode(id));
            if !isa.extensions().is_empty() && last.unwrap_or(!default) != set {
                last = Some(set);
                engine = loaded.engine().with_extensions(set);
                words = Words::new(isa).with_extensions(set);
            }
            Maker { isa, id, engine: &engine, words: &words, all: &mut all }.run();
        }
    }
    all.vectors = joined(std::mem::take(&mut all.vectors));
    all
}

/// Merges vectors that differ only in their generations and goals.
fn joined(vectors: Vec<Vector>) -> Vec<Vector> {
    let mut places: BTreeMap<(u16, bool, u128), Vec<usize>> = BTreeMap::new();
    let mut joined: Vec<Vector> = Vec::new();
    for vector in vectors {
        let places = places.entry((vector.number, vector.literal, vector.word)).or_default();
        let is_alike = |index: &&usize| {
            let known = &joined[**index];
            *known
                == Vector {
                    generations: known.generations.clone(),
                    goal: known.goal.clone(),
                    ..vector.clone()
                }
        };
        match places.iter().find(is_alike) {
            Some(index) => joined[*index].generations.extend(vector.generations),
            None => {
                places.push(joined.len());
                joined.push(vector);
            }
        }
    }
    joined.sort_by_key(|vector| (vector.number, vector.literal));
    joined
}

/// Makes the vectors of an opcode.
struct Maker<'m, 'i> {
    isa: &'i Isa,
    id: OpcodeId,
    engine: &'m Engine<'i>,
    words: &'m Words<'i>,
    all: &'m mut Vectors,
}

impl Maker<'_, '_> {
    fn opcode(&self) -> &Opcode {
        self.isa.opcode(self.id)
    }

    fn run(mut self) {
        let goals = goals::goals(self.isa, self.opcode());
        let mut met: BTreeSet<usize> = BTreeSet::new();
        let mut made: BTreeSet<u128> = BTreeSet::new();
        for (index, goal) in goals.iter().enumerate() {
            if met.contains(&index) {
                continue;
            }
            let wanted = Wanted { mask: goal.mask, value: goal.value, breaks: goal.breaks };
            match self.find(wanted) {
                Word::Found(word) => {
                    let others = goals.iter().enumerate().skip(index);
                    let meets = |other: &Goal| {
                        other.breaks == goal.breaks && word & other.mask == other.value
                    };
                    met.extend(others.filter(|(_, other)| meets(other)).map(|(at, _)| at));
                    if made.insert(word) {
                        self.add(word, goal);
                    }
                }
                Word::Impossible => self.miss(goal, Miss::Impossible),
                Word::Undecided => self.miss(goal, Miss::Undecided),
            }
        }
        for (index, goal) in goals.iter().enumerate() {
            let count = goal.kind.count(&mut self.all.coverage);
            count.goals += 1;
            count.met += usize::from(met.contains(&index));
        }
    }

    /// A word in which the most other fields have their defaults.
    fn find(&self, wanted: Wanted) -> Word {
        let defaults = self.opcode().fields.iter().filter_map(|field| match field.binding {
            Binding::Default(raw) if field.mask() & wanted.mask == 0 => Some((field, raw)),
            _ => None,
        });
        let all = defaults.fold(wanted, |wanted, (field, raw)| Wanted {
            mask: wanted.mask | field.mask(),
            value: field.insert(wanted.value, raw),
            ..wanted
        });
        match self.words.find(self.id, all) {
            Word::Found(word) => Word::Found(word),
            _ => self.words.find(self.id, wanted),
        }
    }

    fn generations(&self) -> Vec<String> {
        self.isa.generation_names(self.isa.describes()).map(str::to_string).collect()
    }

    fn miss(&mut self, goal: &Goal, miss: Miss) {
        let missing = Missing {
            generations: self.generations(),
            opcode: self.opcode().name.clone(),
            goal: goal.text.clone(),
        };
        match miss {
            Miss::Impossible => {
                goal.kind.count(&mut self.all.coverage).impossible += 1;
                self.all.impossible.push(missing);
            }
            Miss::Undecided => self.all.undecided.push(missing),
        }
    }

    fn add(&mut self, word: u128, goal: &Goal) {
        let (isa, opcode) = (self.isa, self.isa.opcode(self.id));
        let rule = goal.breaks.map(|id| isa.rule(id));
        let status = match rule.map(|rule| rule.scope) {
            None => Status::Legal,
            Some(RuleScope::Assembler) => Status::Refused,
            Some(RuleScope::Word) => Status::Illegal,
        };
        let inst = Inst { opcode: self.id, word: opcode.canonical(word) };
        let is_legal = status != Status::Illegal;
        let uses = self.engine.uses(inst).filter(|_| is_legal);
        let uses = uses
            .map(|found| format!("{} {}", found.effect.name(), isa.resource_text(found.resource)));
        let text = is_legal.then(|| self.engine.text(inst));
        let fields = opcode.encoded();
        self.all.vectors.push(Vector {
            generations: self.generations(),
            opcode: opcode.name.clone(),
            number: opcode.number,
            literal: opcode.has_literal(),
            status,
            rule: rule.map(|rule| (rule.kind.clone(), rule.message.clone())),
            word,
            bytes: isa.word_layout().to_bytes(word)[..opcode.width as usize / 8].to_vec(),
            reads_back: text.as_ref().is_some_and(|text| self.engine.read(text) == Some(inst)),
            text,
            fields: fields.map(|f| (isa.name_of(f.name).to_string(), f.extract(word))).collect(),
            uses: uses.collect(),
            goal: goal.text.clone(),
        });
    }
}

/// Why a goal is not met.
enum Miss {
    Impossible,
    Undecided,
}
