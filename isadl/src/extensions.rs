//! Extensions: the statements of `__DefIsa` about them, and the meaning of guards.
//!
//! Codes: E0304, E1006, E1008, E1010, E1011.

use crate::ast::{Condition, Definition, DefinitionKind, File, GuardRange, Ident, Isa};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{ExtensionCondition, ExtensionSet, Extensions, Implied, Required, find_set};
use crate::source::Span;

/// The names that guards may use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names<'s> {
    /// The generations, oldest first.
    pub(crate) generations: Vec<Ident<'s>>,
    /// The extensions.
    pub(crate) extensions: Vec<Ident<'s>>,
}

impl<'s> Names<'s> {
    /// The names that the instruction set declares.
    pub(crate) fn of(files: &[File<'s>]) -> Names<'s> {
        isa(files).map_or_else(Names::default, |isa| Names {
            generations: isa.generations.clone(),
            extensions: isa.extensions.clone(),
        })
    }

    /// The index of a generation.
    pub(crate) fn generation(&self, name: &str) -> Option<usize> {
        self.generations.iter().position(|known| known.text == name)
    }

    /// The index of an extension.
    pub(crate) fn extension(&self, name: &str) -> Option<usize> {
        self.extensions.iter().position(|known| known.text == name)
    }

    /// The extension that a part of a condition names.
    pub(crate) fn extension_of(&self, range: &GuardRange<'_>) -> Option<usize> {
        let (first, last) = (range.first?, range.last?);
        if first.span != last.span || self.generation(first.text).is_some() {
            return None;
        }
        self.extension(first.text)
    }

    /// Whether a condition names an extension.
    pub(crate) fn has_extension(&self, condition: &Condition<'_>) -> bool {
        let mut ranges = condition.ranges().into_iter();
        !self.extensions.is_empty() && ranges.any(|range| self.extension_of(&range).is_some())
    }

    /// The sets of extensions that meet a condition in a generation; `None` if this takes too many terms. A reported
    /// part of a condition counts as met, to avoid further findings about it.
    pub(crate) fn presence(
        &self,
        condition: &Condition<'_>,
        generation: usize,
    ) -> Option<ExtensionCondition> {
        match condition {
            Condition::Range(range) => Some(match self.extension_of(range) {
                Some(bit) => ExtensionCondition::all_of(1u64.checked_shl(bit as u32).unwrap_or(0)),
                None if self.is_in(range, generation) => ExtensionCondition::always(),
                None => ExtensionCondition::never(),
            }),
            Condition::Not(inner) => self.presence(inner, generation)?.not(),
            Condition::All(list) => {
                list.iter().try_fold(ExtensionCondition::always(), |all, one| {
                    all.and(&self.presence(one, generation)?)
                })
            }
            Condition::Any(list) => {
                list.iter().try_fold(ExtensionCondition::never(), |any, one| {
                    any.or(&self.presence(one, generation)?)
                })
            }
        }
    }

    /// Whether a generation is in a range. A reported range contains every generation that it does not certainly
    /// exclude.
    fn is_in(&self, range: &GuardRange<'_>, generation: usize) -> bool {
        let end = |name: Option<Ident<'_>>, open: usize| {
            name.map_or(Some(open), |name| self.generation(name.text))
        };
        match (end(range.first, 0), end(range.last, self.generations.len())) {
            (Some(first), Some(last)) => (first..=last).contains(&generation),
            _ => true,
        }
    }
}

fn isa<'f, 's>(files: &'f [File<'s>]) -> Option<&'f Isa<'s>> {
    definition(files).map(|(_, isa)| isa)
}

fn definition<'f, 's>(files: &'f [File<'s>]) -> Option<(&'f Definition<'s>, &'f Isa<'s>)> {
    let mut all = files.iter().flat_map(|file| &file.definitions);
    all.find_map(|definition| match &definition.kind {
        DefinitionKind::Isa(isa) => Some((definition, isa)),
        _ => None,
    })
}

/// The extensions that the instruction set declares; reports faults in their statements.
pub(crate) fn resolve(files: &[File<'_>], diagnostics: &mut Diagnostics) -> Extensions {
    let Some((definition, isa)) = definition(files) else { return Extensions::default() };
    if isa.extensions.is_empty() && isa.sets.is_empty() && isa.implies.is_empty() {
        let stray = isa.requires.first().map(|one| one.span);
        let stray = stray.or(isa.default_set.map(|name| name.span));
        if let Some(span) = stray {
            let message = "no extensions are declared";
            diagnostics.push(
                Diagnostic::new(Code::E1006, message, span)
                    .with_help("declare them below `__DefIsa`: `Extensions<A, B>;`"),
            );
        }
        return Extensions::default();
    }
    let before = diagnostics.iter().count();
    let mut resolver =
        Resolver { isa, names: Names::of(files), found: Extensions::default(), diagnostics };
    resolver.names();
    if isa.extensions.len() > Extensions::MAX {
        return Extensions::default();
    }
    resolver.found.names = isa.extensions.iter().map(|name| name.text.to_string()).collect();
    resolver.implied();
    resolver.required();
    resolver.sets();
    if resolver.diagnostics.iter().count() == before {
        resolver.check_sets(definition.name.span);
    }
    resolver.found
}

struct Resolver<'r, 's> {
    isa: &'r Isa<'s>,
    names: Names<'s>,
    found: Extensions,
    diagnostics: &'r mut Diagnostics,
}

impl<'s> Resolver<'_, 's> {
    /// Every name once, among generations, extensions and sets.
    fn names(&mut self) {
        let (isa, diagnostics) = (self.isa, &mut *self.diagnostics);
        let sets = isa.sets.iter().map(|set| (set.name, "set of extensions"));
        let extensions = isa.extensions.iter().map(|name| (*name, "extension"));
        // Generations that repeat one another are reported elsewhere.
        let mut known: Vec<(Ident<'_>, &str)> =
            isa.generations.iter().map(|name| (*name, "generation")).collect();
        for (name, kind) in extensions.chain(sets) {
            match known.iter().find(|(first, _)| first.text == name.text) {
                Some((first, what)) => {
                    let message = format!("`{}` occurs twice", name.text);
                    diagnostics.push(
                        Diagnostic::new(Code::E0304, message, name.span)
                            .with_label(
                                format!("as the name of a {kind}").replace("a ext", "an ext"),
                            )
                            .with_related(first.span, format!("the {what} of this name is here"))
                            .with_help("rename one of the two"),
                    );
                }
                None => known.push((name, kind)),
            }
        }
        if let Some(name) = isa.extensions.get(Extensions::MAX) {
            let message = format!("more than {} extensions", Extensions::MAX);
            diagnostics.push(Diagnostic::new(Code::E1011, message, name.span));
        } else if let (bits, Some(name)) = (isa.extensions.len() as i128, isa.extensions.last())
            && isa.width.value + bits > i128::from(crate::isa::MAX_WORD_BITS)
            && isa.width.value <= i128::from(crate::isa::MAX_WORD_BITS)
        {
            let message = format!("more than {} extensions", 128 - isa.width.value);
            diagnostics.push(Diagnostic::new(Code::E1011, message, name.span).with_note(format!(
                "an instruction has {} bits; its bits and the extensions are at most 128 together",
                isa.width.value
            )));
        }
    }

    /// The bit of an extension; reports an unknown extension.
    fn extension(&mut self, name: Ident<'_>) -> Option<ExtensionSet> {
        if let Some(bit) = self.names.extension(name.text) {
            return 1u64.checked_shl(bit as u32);
        }
        let known: Vec<&str> = self.names.extensions.iter().map(|name| name.text).collect();
        let message = format!("`{}` is not an extension", name.text);
        let diagnostic = Diagnostic::new(Code::E1006, message, name.span);
        self.diagnostics.push(match known.is_empty() {
            true => diagnostic.with_help("declare it below `__DefIsa`: `Extensions<A, B>;`"),
            false => diagnostic
                .with_note(format!("the extensions are {}", known.join(", ")))
                .with_suggestion(name.text, known),
        });
        None
    }

    /// A condition on extensions alone.
    fn condition(&mut self, condition: &Condition<'_>, span: Span) -> Option<ExtensionCondition> {
        let mut is_known = true;
        for range in condition.ranges() {
            for name in [range.first, range.last].into_iter().flatten() {
                is_known &= self.extension(name).is_some();
                if range.first.map(|name| name.span) == range.last.map(|name| name.span) {
                    break;
                }
            }
        }
        if !is_known {
            return None;
        }
        let found = self.names.presence(condition, 0);
        if found.is_none() {
            self.diagnostics.push(too_many_cases(span));
        }
        found
    }

    fn implied(&mut self) {
        for implication in &self.isa.implies {
            let when = self.condition(&implication.when, implication.span);
            let added = implication.added.iter().filter_map(|name| self.extension(*name));
            let added = added.fold(0, |set, bit| set | bit);
            let Some(when) = when else { continue };
            if when.terms().iter().any(|term| term.excluded != 0) {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::E1006,
                        "an extension cannot be implied by the lack of another",
                        implication.span,
                    )
                    .with_help("write what sets must be like: `Requires<A> = B or not C;`"),
                );
                continue;
            }
            let rows = when.terms().iter().map(|term| Implied { needed: term.needed, added });
            self.found.implied.extend(rows);
            self.circle(implication.span);
        }
    }

    /// Reports extensions that imply each other: they would be a single extension.
    fn circle(&mut self, span: Span) {
        let Some(last) = self.found.implied.last().copied() else { return };
        let bits = |set: u64| (0..64).map(|bit| 1u64 << bit).filter(move |bit| set & bit != 0);
        let back = bits(last.added).find(|added| {
            last.needed.count_ones() == 1 && self.found.closed(*added) & last.needed != 0
        });
        if let Some(added) = back {
            let (a, b) = (self.found.text_of(last.needed), self.found.text_of(added));
            let message = match last.needed == added {
                true => format!("`{a}` implies itself"),
                false => format!("`{a}` and `{b}` imply each other"),
            };
            self.diagnostics.push(
                Diagnostic::new(Code::E1008, message, span)
                    .with_note("every set has both or neither, so they are one extension")
                    .with_help("remove one of the implications, or make them one extension"),
            );
            self.found.implied.pop();
        }
    }

    fn required(&mut self) {
        for requirement in &self.isa.requires {
            let when = self.condition(&requirement.when, requirement.span);
            let then = self.condition(&requirement.condition, requirement.span);
            let (Some(when), Some(then)) = (when, then) else { continue };
            if when.not().and_then(|lacks| lacks.or(&then)).is_none() {
                self.diagnostics.push(too_many_cases(requirement.span));
                continue;
            }
            self.found.required.push(Required { when, then });
        }
    }

    fn sets(&mut self) {
        for set in &self.isa.sets {
            let mut found = 0;
            for name in &set.members {
                let known = self.found.sets.iter().find(|(known, _)| known == name.text);
                found |= match known.map(|(_, set)| *set) {
                    Some(set) => set,
                    None => self.extension(*name).unwrap_or(0),
                };
            }
            self.found.sets.push((set.name.text.to_string(), self.found.closed(found)));
        }
        if let Some(name) = self.isa.default_set
            && self.found.find(name.text).is_none()
        {
            let known: Vec<String> = self.found.sets.iter().map(|(name, _)| name.clone()).collect();
            let message = format!("`{}` is not a set of extensions", name.text);
            let diagnostic = Diagnostic::new(Code::E1006, message, name.span)
                .with_help("define it: `Set<NAME> = A, B;`");
            self.diagnostics.push(diagnostic.with_suggestion(name.text, known));
        }
    }

    /// Named sets are allowed, and so is the default; some set is.
    fn check_sets(&mut self, header: Span) {
        let conditions = self.found.conditions();
        if find_set(&conditions) == Some(None) {
            self.diagnostics.push(
                Diagnostic::new(Code::E1010, "no set of extensions is allowed", header).with_help(
                    "correct the `Requires` statements, which together exclude every set",
                ),
            );
            return;
        }
        for set in &self.isa.sets {
            let found = self.found.find(set.name.text).unwrap_or(0);
            if let Some(unmet) = self.found.unmet(found) {
                let message = format!("the set `{}` is not allowed", set.name.text);
                let note = self.why(found, unmet);
                self.diagnostics.push(
                    Diagnostic::new(Code::E1010, message, set.name.span)
                        .with_note(note)
                        .with_help("add or remove extensions, or correct the requirement"),
                );
            }
        }
        let all = self.found.all();
        let given = self.isa.default_set.and_then(|name| self.found.find(name.text));
        self.found.default = given.map_or(all, |set| self.found.closed(set));
        if given.is_none()
            && let Some(unmet) = self.found.unmet(all)
        {
            let span = self.isa.extensions.first().map_or(header, |name| name.span);
            let note = self.why(all, unmet);
            self.diagnostics.push(
                Diagnostic::new(Code::E1010, "not all extensions are allowed together", span)
                    .with_note(note)
                    .with_note("without `DefaultSet` the default is all extensions")
                    .with_help("name a set, and make it the default: `Set<NAME> = A, B;` and `DefaultSet<NAME>;`"),
            );
        }
    }

    fn why(&self, set: ExtensionSet, unmet: &Required) -> String {
        format!(
            "the set is {}; with {} it must meet: {}",
            self.found.text_of(set),
            self.found.condition(&unmet.when),
            self.found.condition(&unmet.then)
        )
    }
}

/// The error for a condition that is not a few alternatives.
pub(crate) fn too_many_cases(span: Span) -> Diagnostic {
    let message = "this condition on extensions is too large";
    Diagnostic::new(Code::E1011, message, span)
        .with_note(format!(
            "written as alternatives, it has more than {} of them",
            ExtensionCondition::MAX_TERMS
        ))
        .with_help("declare an extension that others imply, and name that")
}
