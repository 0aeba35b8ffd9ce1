//! Compares two versions or generations of an instruction set: changes of the encoding, of legal words, of assembly
//! text, of data flow, of behaviour, of the generated interface and of prose.
//!
//! Items are matched by name; remaining items are matched by encoding, and count as renamed. Findings that are equal
//! except for opcode and generation are merged, and a change of a type is reported once, not for the opcodes that use
//! it. `kind.rs` lists the kinds with their codes.

mod aliases;
mod docs;
mod flow;
mod json;
mod kind;
mod layout;
mod names;
mod opcodes;
mod places;
mod report;
mod rules;
mod semantics;
mod syntax;
mod text;
mod types;

use isadl_diagnostics::source::SourceMap;
use isadl_ir::isa::{Family, Isa, RegFile, WordLayout};
use isadl_semantics::Checked;

pub use json::{SCHEMA, json};
pub use kind::{CODES, Class, Kind};
pub use places::SourceLine;
pub use report::{Affected, Finding, Report};
pub use text::text;

use names::Names;
use places::{Key, Places};

/// A version of a specification.
#[derive(Clone, Copy)]
pub struct Side<'s> {
    /// The instruction set.
    pub family: &'s Family,
    /// The programs of each generation.
    pub programs: &'s [Checked],
    /// The texts that it was compiled from.
    pub sources: &'s SourceMap,
}

/// Compares two versions, generation by generation.
pub fn versions(old: Side<'_>, new: Side<'_>) -> Report {
    let (old_places, new_places) = (Places::new(old), Places::new(new));
    let places = (&old_places, &new_places);
    let mut report = Report::default();
    generations(old, new, places, &mut report);
    let programs = (old.programs, new.programs);
    for (old, new, generations) in pairs(old.family, new.family) {
        let (generations, report) = (generations.as_slice(), &mut report);
        Pair { old, new, programs, places, generations, report }.compare();
    }
    report
}

/// Compares two generations of an instruction set; `None` if one of them does not exist.
pub fn of_generations(side: Side<'_>, [old, new]: [&str; 2]) -> Option<Report> {
    let (old, new) = (side.family.generation(old)?, side.family.generation(new)?);
    let places = Places::new(side);
    let mut report = Report::default();
    let (places, programs) = ((&places, &places), (side.programs, side.programs));
    Pair { old, new, programs, places, generations: &[], report: &mut report }.compare();
    Some(report)
}

/// Reports generations that only one version has.
fn generations(
    old: Side<'_>,
    new: Side<'_>,
    (old_places, new_places): (&Places, &Places),
    report: &mut Report,
) {
    let [was, is] = [old.family.generations(), new.family.generations()];
    let (old, new) = (old_places.get(&Key::Isa, None), new_places.get(&Key::Isa, None));
    let mut add = |kind, name: &String| {
        let item = format!("generation `{name}`");
        let (old, new) = (old.clone(), new.clone());
        report.add(
            Finding { kind, item, was: None, is: None, old, new },
            &[],
            std::slice::from_ref(name),
        );
    };
    was.iter().filter(|name| !is.contains(name)).for_each(|n| add(Kind::GenerationRemoved, n));
    is.iter().filter(|name| !was.contains(name)).for_each(|n| add(Kind::GenerationAdded, n));
}

/// The instruction sets to compare, each pair once, with the generations that have them.
fn pairs<'f>(old: &'f Family, new: &'f Family) -> Vec<(&'f Isa, &'f Isa, Vec<String>)> {
    if old.generations().is_empty() || new.generations().is_empty() {
        // If one version has a single generation, it is compared with each generation of the other version.
        let olds = old.isas().iter();
        let pairs = olds.flat_map(|old| new.isas().iter().map(move |new| (old, new)));
        return pairs
            .map(|(old, new)| {
                let named = if old.generations().is_empty() { new } else { old };
                let names = named.generation_names(named.describes()).map(str::to_string);
                (old, new, names.collect())
            })
            .collect();
    }
    let mut pairs: Vec<(&Isa, &Isa, Vec<String>)> = Vec::new();
    for name in old.generations() {
        let (Some(old), Some(new)) = (old.generation(name), new.generation(name)) else { continue };
        let is_it = |(a, b, _): &&mut (&Isa, &Isa, Vec<String>)| {
            std::ptr::eq(*a, old) && std::ptr::eq(*b, new)
        };
        match pairs.iter_mut().find(is_it) {
            Some((_, _, names)) => names.push(name.clone()),
            None => pairs.push((old, new, vec![name.clone()])),
        }
    }
    pairs
}

/// Two instruction sets that are compared.
struct Pair<'p> {
    old: &'p Isa,
    new: &'p Isa,
    programs: (&'p [Checked], &'p [Checked]),
    places: (&'p Places, &'p Places),
    generations: &'p [String],
    report: &'p mut Report,
}

/// The old and the new state; a text is empty if there is nothing to report.
struct Change(String, String);

impl Pair<'_> {
    fn compare(mut self) {
        let names = Names::new(self.old, self.new);
        self.whole();
        self.register_files();
        self.types(&names);
        self.opcodes(&names);
        self.documentation(&names);
    }

    /// Adds a finding on an item, at places that a key gives in each version.
    fn add(
        &mut self,
        kind: Kind,
        item: String,
        Change(was, is): Change,
        (old, new): (Option<SourceLine>, Option<SourceLine>),
        opcodes: &[&str],
    ) {
        let said = |text: String| Some(text).filter(|text| !text.is_empty());
        let finding = Finding { kind, item, was: said(was), is: said(is), old, new };
        self.report.add(finding, opcodes, self.generations);
    }

    /// The places of keys in each version.
    fn at(&self, old: &Key, new: &Key) -> (Option<SourceLine>, Option<SourceLine>) {
        (self.places.0.get(old, None), self.places.1.get(new, None))
    }

    /// The place of a key in both versions.
    fn at_both(&self, key: &Key) -> (Option<SourceLine>, Option<SourceLine>) {
        self.at(key, key)
    }

    fn whole(&mut self) {
        let say = |isa: &Isa| format!("`{}`, {} bits", isa.name(), isa.width());
        let change = Change(say(self.old), say(self.new));
        let place = self.at_both(&Key::Isa);
        if change.0 != change.1 {
            let item = "the instruction set".to_string();
            self.add(Kind::InstructionSet, item, change, place.clone(), &[]);
        }
        if self.old.modifiers() != self.new.modifiers() {
            let say = |isa: &Isa| match isa.modifiers() {
                isadl_ir::isa::ModifierStyle::Dots => "after the mnemonic, with dots".to_string(),
                isadl_ir::isa::ModifierStyle::Words => "after the operands, as words".to_string(),
            };
            let change = Change(say(self.old), say(self.new));
            let item = "the style of modifiers".to_string();
            self.add(Kind::Modifiers, item, change, place.clone(), &[]);
        }
        if self.old.name_sets() != self.new.name_sets() {
            let say = |isa: &Isa| {
                isa.name_sets()
                    .iter()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let change = Change(say(self.old), say(self.new));
            let item = "the sets of names".to_string();
            self.add(Kind::Spelling, item, change, place.clone(), &[]);
        }
        if memory(self.old.word_layout()) != memory(self.new.word_layout()) {
            let say = |isa: &Isa| memory(isa.word_layout());
            let change = Change(say(self.old), say(self.new));
            let item = "the order of bytes".to_string();
            self.add(Kind::ByteOrder, item, change, place.clone(), &[]);
        }
        if self.old.folds_case() != self.new.folds_case() {
            let say = |isa: &Isa| match isa.folds_case() {
                true => "lines are read without regard to case".to_string(),
                false => "case matters in lines".to_string(),
            };
            let change = Change(say(self.old), say(self.new));
            let item = "the case of assembly lines".to_string();
            self.add(Kind::Case, item, change, place.clone(), &[]);
        }
        if self.old.has_ranges() != self.new.has_ranges() {
            let say = |isa: &Isa| match isa.has_ranges() {
                true => "a range of registers is written".to_string(),
                false => "the first register is written".to_string(),
            };
            let change = Change(say(self.old), say(self.new));
            let item = "the text of several registers".to_string();
            self.add(Kind::Spelling, item, change, place.clone(), &[]);
        }
        if self.old.comment_syntax() != self.new.comment_syntax() {
            let say = |isa: &Isa| {
                let list = |signs: &mut dyn Iterator<Item = &str>| {
                    signs.map(|sign| format!("`{sign}`")).collect::<Vec<_>>().join(", ")
                };
                let (comments, ends) = (
                    list(&mut isa.comment_syntax().comments()),
                    list(&mut isa.comment_syntax().separators()),
                );
                format!("comments after {comments}, instructions end at {ends}")
            };
            let change = Change(say(self.old), say(self.new));
            let item = "the signs of assembly lines".to_string();
            self.add(Kind::Signs, item, change, place, &[]);
        }
    }

    fn register_files(&mut self) {
        let (olds, news) = (self.old.reg_files(), self.new.reg_files());
        let say = |file: &RegFile| format!("{} registers of {} bits", file.count, file.width);
        for old in olds {
            let item = format!("register file `{}`", old.name);
            let place = self.at_both(&Key::RegFile(old.name.clone()));
            match news.iter().find(|new| new.name == old.name) {
                None => {
                    let change = Change(say(old), String::new());
                    self.add(Kind::RegisterFileRemoved, item, change, place, &[]);
                }
                Some(new) if say(old) != say(new) => {
                    let change = Change(say(old), say(new));
                    self.add(Kind::RegisterFile, item, change, place, &[]);
                }
                Some(_) => {}
            }
        }
        for new in news.iter().filter(|new| olds.iter().all(|old| old.name != new.name)) {
            let place = self.at_both(&Key::RegFile(new.name.clone()));
            let change = Change(String::new(), say(new));
            let item = format!("register file `{}`", new.name);
            self.add(Kind::RegisterFileAdded, item, change, place, &[]);
        }
    }
}

/// The order of bytes in memory, in words.
fn memory(layout: WordLayout) -> String {
    let (first, of_units) = match (layout.is_big(), layout.is_first_high()) {
        (false, false) => return "the lowest byte first".to_string(),
        (true, true) => return "the highest byte first".to_string(),
        (true, false) => ("highest", "lowest"),
        (false, true) => ("lowest", "highest"),
    };
    let unit = layout.unit();
    format!("units of {unit} bits, the {of_units} first, of each the {first} byte first")
}
