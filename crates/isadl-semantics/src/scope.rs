//! What the layers of a chain declare, and which of their texts apply to an opcode.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use isadl_diagnostics::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{ExtensionCondition, Isa, NameId, Opcode};

use crate::fields::field_named;
use crate::float::Setting;
use crate::syntax::ast::{
    Condition, Declaration, Expr, ExprKind, Extent, Guard, Name, Program, Statement, StatementKind,
};
use crate::syntax::{Line, RESTS};
use crate::trials::Stated;

/// The programs of a group, optype or opcode.
#[derive(Debug)]
pub struct Layer<'s> {
    /// Its name.
    pub name: String,
    /// Its header.
    pub header: Span,
    /// Itself and its ancestors, indexes among the layers, roots first.
    pub chain: Vec<usize>,
    /// The lines of its programs.
    pub lines: Vec<Line<'s>>,
    /// Its declarations and statements.
    pub program: Program<'s>,
    /// Whether parts of them are missing here because they were reported.
    pub is_broken: bool,
    /// Its examples with claims, and its laws.
    pub stated: Vec<Stated<'s>>,
}

/// How a layer takes part in the behaviour of the opcodes below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It only declares names, or says nothing.
    None,
    /// Its statements say what instructions do.
    Text,
    /// Its statements surround those of layers below it.
    Wrapper,
}

/// A name of a chain: its declaration, and whether the generation has it.
pub(crate) type Names<'l, 's> = HashMap<&'s str, &'l Declaration<'s>>;

/// What applies to an opcode.
pub(crate) struct Chain<'l, 's> {
    /// The declared names.
    pub(crate) names: Names<'l, 's>,
    /// The programs, outermost first: wrappers, and then the text.
    pub(crate) programs: Vec<&'l [Statement<'s>]>,
    /// The layers of the programs.
    pub(crate) layers: Vec<usize>,
}

/// Whether a guard is met.
pub(crate) enum Met {
    /// In every set of extensions.
    Always,
    /// In none.
    Never,
    /// In some sets.
    If(ExtensionCondition),
}

/// Resolves the chains of opcodes; each finding about a layer is reported once.
pub(crate) struct Scopes<'l, 's> {
    isa: &'l Isa,
    layers: &'l [Layer<'s>],
    parts: Vec<Part>,
}

impl<'l, 's> Scopes<'l, 's> {
    pub(crate) fn new(
        isa: &'l Isa,
        layers: &'l [Layer<'s>],
        diagnostics: &mut Diagnostics,
    ) -> Scopes<'l, 's> {
        let mut scopes = Scopes { isa, layers, parts: layers.iter().map(part).collect() };
        scopes.report_guards(diagnostics);
        scopes.report_words(diagnostics);
        scopes
    }

    /// What applies to the opcode of a layer; `None` if it has no text. Contradictions are reported.
    pub(crate) fn chain(
        &self,
        layer: usize,
        diagnostics: &mut Diagnostics,
    ) -> Option<Chain<'l, 's>> {
        let chain = &self.layers[layer].chain;
        let of_part = |part: Part| chain.iter().copied().filter(move |id| self.parts[*id] == part);
        let text = self.nearest(layer, of_part(Part::Text).collect(), "a text", diagnostics)?;
        let mut wrappers: Vec<usize> = of_part(Part::Wrapper).collect();
        wrappers.sort_by_key(|id| self.layers[*id].chain.len());
        self.nearest(layer, wrappers.clone(), "a wrapper", diagnostics);
        let names = self.names(layer, diagnostics);
        let layers: Vec<usize> = wrappers.into_iter().chain([text]).collect();
        let programs = layers.iter().map(|id| self.layers[*id].program.statements.as_slice());
        Some(Chain { names, programs: programs.collect(), layers })
    }

    /// Reports programs of layers that no opcode below them has. `opcodes` are the layers of opcodes, and the layers of their programs.
    pub(crate) fn report_unused(
        &self,
        opcodes: impl Iterator<Item = (usize, Option<usize>)>,
        diagnostics: &mut Diagnostics,
    ) {
        // For each layer: whether an opcode is below it, and whether an opcode may have its program.
        let mut known = vec![(false, false); self.layers.len()];
        for (layer, text) in opcodes {
            for id in &self.layers[layer].chain {
                known[*id].0 = true;
                known[*id].1 |= text.is_none_or(|text| text == *id);
            }
        }
        for (id, (is_above, is_used)) in known.into_iter().enumerate() {
            if self.parts[id] != Part::Text || !is_above || is_used {
                continue;
            }
            let layer = &self.layers[id];
            let statements = layer.program.statements.iter();
            let is_text = |one: &&Statement<'_>| !matches!(one.kind, StatementKind::Declare(_));
            let span = statements.filter(is_text).map(|one| one.span).next();
            let message = format!("the program of `{}` is that of no opcode", layer.name);
            let found = Diagnostic::new(Code::W1238, message, span.unwrap_or(layer.header))
                .with_note("each opcode below it has a program of its own")
                .with_help("write `body` where their programs belong, or remove the statements");
            diagnostics.push(found);
        }
    }

    /// What claims in the prose of a layer may name. Contradictions are reported for opcodes.
    pub(crate) fn chain_of_claims(&self, layer: usize) -> Chain<'l, 's> {
        let names = self.names(layer, &mut Diagnostics::default());
        Chain { names, programs: Vec::new(), layers: Vec::new() }
    }

    /// The names that a chain declares. Contradictions are reported.
    fn names(&self, layer: usize, diagnostics: &mut Diagnostics) -> Names<'l, 's> {
        let mut names: Names<'l, 's> = HashMap::new();
        // The layer that says which lanes take part.
        let mut of_active = None;
        for id in &self.layers[layer].chain {
            for declaration in self.declarations(*id) {
                let name = declaration.name();
                if name.text == "active" {
                    let before = of_active.replace(*id);
                    // The nearest layer says it.
                    if before.is_some_and(|before| self.is_below(*id, before)) {
                        names.insert(name.text, declaration);
                    } else if before.is_some_and(|before| self.is_below(before, *id)) {
                        of_active = before;
                        continue;
                    }
                }
                let first = *names.entry(name.text).or_insert(declaration);
                // Both what a declaration is about and the declaration have the name.
                if !std::ptr::eq(first, declaration) && !first.is_about() && !declaration.is_about()
                {
                    let message = format!("`{}` is declared twice", name.text);
                    let found = Diagnostic::new(Code::E1203, message, name.span);
                    let found = found.with_related(first.name().span, "the other declaration");
                    diagnostics.push(found.with_help("give one of them another name"));
                }
            }
        }
        names
    }

    /// Whether a layer is below another.
    fn is_below(&self, layer: usize, other: usize) -> bool {
        layer != other && self.layers[layer].chain.contains(&other)
    }

    /// The declarations of a chain about register files.
    pub(crate) fn about(&self, layer: usize) -> impl Iterator<Item = &'l Declaration<'s>> {
        let chain = self.layers[layer].chain.iter();
        chain.flat_map(|id| self.declarations(*id)).filter(|declaration| declaration.is_about())
    }

    /// The fields of an opcode that decide how many bits the elements of its operands have.
    pub(crate) fn fields_of_elements(
        &self,
        isa: &Isa,
        opcode: &Opcode,
        layer: usize,
        chain: &Chain<'l, 's>,
    ) -> BTreeSet<NameId> {
        let mut found = BTreeSet::new();
        let mut exprs: Vec<&Expr<'s>> = Vec::new();
        let fields = || opcode.fields.iter().map(|field| isa.name_of(field.name));
        let has = |name: &Name<'s>| {
            fields().any(|field| field == name.text || isa.stands_for(name.text, field))
        };
        for declaration in self.about(layer) {
            match declaration {
                Declaration::Elements { names, width, extent } if names.iter().any(has) => {
                    exprs.extend([width].into_iter().chain(extent.iter().flat_map(Extent::parts)));
                }
                Declaration::Number { names, format } if names.iter().any(has) => {
                    exprs.extend(format.parts());
                }
                _ => {}
            }
        }
        let mut seen: HashSet<&str> = HashSet::new();
        while let Some(expr) = exprs.pop() {
            exprs.extend(expr.parts());
            let Some(name) = expr.as_name().filter(|name| seen.insert(name.text)) else { continue };
            let fields = opcode.fields.iter().map(|field| field.name);
            found.extend(fields.filter(|field| isa.name_of(*field) == name.text));
            if let Some(Declaration::Let { value, .. } | Declaration::Const { value, .. }) =
                chain.names.get(name.text)
            {
                exprs.push(value);
            }
        }
        found
    }

    /// The declarations of a layer that the generation has.
    pub(crate) fn declarations(&self, layer: usize) -> impl Iterator<Item = &'l Declaration<'s>> {
        let statements = self.layers[layer].program.statements.iter();
        statements.filter_map(|statement| match &statement.kind {
            StatementKind::Declare(declaration) => {
                let is_met = statement
                    .guard
                    .as_ref()
                    .is_none_or(|guard| !matches!(self.met(guard), Met::Never));
                is_met.then_some(declaration)
            }
            _ => None,
        })
    }

    /// The layer that all others among some are ancestors of.
    fn nearest(
        &self,
        of: usize,
        found: Vec<usize>,
        what: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<usize> {
        let last = *found.iter().max_by_key(|id| self.layers[**id].chain.len())?;
        let others = found.iter().filter(|id| !self.layers[last].chain.contains(id));
        for other in others {
            let (a, b) = (&self.layers[last], &self.layers[*other]);
            let message = format!(
                "`{}` has {what} from `{}` and another from `{}`",
                self.layers[of].name, a.name, b.name
            );
            let found = Diagnostic::new(Code::E1218, message, self.layers[of].header);
            let found = found.with_related(a.header, "one").with_related(b.header, "the other");
            diagnostics.push(found.with_help(
                "let one of the groups be a parent of the other, or write the text here",
            ));
        }
        Some(last)
    }

    /// Whether a guard is met in the generation.
    pub(crate) fn met(&self, guard: &Guard<'_>) -> Met {
        match self.holds(&guard.condition) {
            Some(condition) if condition.is_always() => Met::Always,
            Some(condition) if condition.is_never() => Met::Never,
            Some(condition) => Met::If(condition),
            // Unknown names are reported once; a condition that is too large counts as met nowhere.
            None => Met::Never,
        }
    }

    fn holds(&self, condition: &Condition<'_>) -> Option<ExtensionCondition> {
        let join = |list: &[Condition<'_>],
                    both: fn(
            &ExtensionCondition,
            &ExtensionCondition,
        ) -> Option<ExtensionCondition>| {
            let mut all = list.iter().map(|one| self.holds(one));
            let first = all.next()??;
            all.try_fold(first, |known, one| both(&known, &one?))
        };
        match condition {
            Condition::Name(name) => {
                if let Some(set) = self.isa.extensions().find(name.text) {
                    return Some(ExtensionCondition::all_of(set));
                }
                let has =
                    self.isa.generation_names(self.isa.describes()).any(|own| own == name.text);
                Some(if has { ExtensionCondition::always() } else { ExtensionCondition::never() })
            }
            Condition::Not(inner) => self.holds(inner)?.not(),
            Condition::All(list) => join(list, ExtensionCondition::and),
            Condition::Any(list) => join(list, ExtensionCondition::or),
        }
    }

    /// Reports declarations about the same thing of which none is nearer to an opcode than the other.
    pub(crate) fn report_rivals(
        &self,
        opcode: &Opcode,
        layer: usize,
        diagnostics: &mut Diagnostics,
    ) {
        let mut all: BTreeMap<(&str, String), Vec<(usize, Name<'s>)>> = BTreeMap::new();
        for id in &self.layers[layer].chain {
            for declaration in self.declarations(*id).filter(|declaration| declaration.is_about()) {
                for name in declaration.subjects() {
                    let field = field_named(self.isa, opcode, name.text);
                    // A name of no operand of this opcode says nothing about it.
                    if field.is_none() && !declaration.operands().is_empty() {
                        continue;
                    }
                    let subject = field.map_or(name.text, |field| self.isa.name_of(field));
                    let key = (declaration.word(), subject.to_string());
                    all.entry(key).or_default().push((*id, *name));
                }
            }
        }
        for ((word, subject), found) in all {
            let is_nearest = |(id, _): &&(usize, Name<'s>)| {
                let below = |(other, _): &(usize, Name<'s>)| {
                    other != id && self.layers[*other].chain.contains(id)
                };
                !found.iter().any(below)
            };
            let nearest: Vec<&(usize, Name<'s>)> = found.iter().filter(is_nearest).collect();
            if let [first, .., last] = nearest[..] {
                let message = format!("`{word}` is declared twice for `{subject}`");
                let help = "remove one, or let one of the groups be a parent of the other";
                let found = Diagnostic::new(Code::E1203, message, last.1.span)
                    .with_related(first.1.span, "the other declaration");
                diagnostics.push(found.with_help(help));
            }
        }
    }

    /// Reports names in declarations about operands that are operands of no opcode below; `opcodes` are the opcodes and their layers.
    pub(crate) fn report_operands(
        &self,
        opcodes: &[(&Opcode, usize)],
        diagnostics: &mut Diagnostics,
    ) {
        for id in 0..self.layers.len() {
            let names = self.declarations(id).flat_map(Declaration::operands);
            let mut names = names.peekable();
            if names.peek().is_none() {
                continue;
            }
            let below = opcodes.iter().filter(|(_, layer)| self.layers[*layer].chain.contains(&id));
            let fields = below.flat_map(|(opcode, _)| &opcode.fields);
            let known: BTreeSet<&str> = fields.map(|field| self.isa.name_of(field.name)).collect();
            let is_known = |name: &str| {
                known.contains(name) || known.iter().any(|own| self.isa.stands_for(name, own))
            };
            // A group without opcodes says nothing about its names.
            for name in names.filter(|name| !known.is_empty() && !is_known(name.text)) {
                let layer = &self.layers[id].name;
                let message = format!("no opcode below `{layer}` has an operand `{}`", name.text);
                let found = Diagnostic::new(Code::E1202, message, name.span);
                diagnostics.push(found.with_suggestion(name.text, &known));
            }
        }
    }

    /// Reports words in declarations that have no meaning there.
    fn report_words(&self, diagnostics: &mut Diagnostics) {
        for declaration in (0..self.layers.len()).flat_map(|id| self.declarations(id)) {
            let (name, message, known) = match declaration {
                Declaration::Narrow { rest, .. } if !RESTS.contains(&rest.text) => {
                    let message = format!("the other bits cannot become `{}`", rest.text);
                    (rest, message, RESTS.to_vec())
                }
                Declaration::Setting { name, .. } if Setting::find(name.text).is_none() => {
                    let message = format!("nothing in arithmetic is called `{}`", name.text);
                    (name, message, Setting::ALL.map(Setting::name).to_vec())
                }
                _ => continue,
            };
            let help = format!("write one of {}", known.join(", "));
            let found = Diagnostic::new(Code::E1202, message, name.span);
            diagnostics.push(found.with_suggestion(name.text, &known).with_help(help));
        }
    }

    /// Reports names in guards that are neither generations nor extensions.
    fn report_guards(&mut self, diagnostics: &mut Diagnostics) {
        let mut statements = Vec::new();
        for layer in self.layers {
            collect(&layer.program.statements, &mut statements);
            let claims = layer.stated.iter().flat_map(|stated| &stated.claims);
            statements.extend(claims.flat_map(|one| one.given.iter().chain(&one.claims)));
        }
        for statement in statements {
            let Some(guard) = &statement.guard else { continue };
            for name in guard_names(&guard.condition) {
                let is_known = self.isa.extensions().find(name.text).is_some()
                    || self.isa.generations().iter().any(|known| known == name.text);
                if !is_known {
                    let message = format!("no generation or extension is called `{}`", name.text);
                    let found = Diagnostic::new(Code::E1202, message, name.span);
                    diagnostics.push(found.with_suggestion(name.text, self.isa.generations()));
                }
            }
        }
    }
}

fn guard_names<'c, 's>(condition: &'c Condition<'s>) -> Vec<&'c Name<'s>> {
    match condition {
        Condition::Name(name) => vec![name],
        Condition::Not(inner) => guard_names(inner),
        Condition::All(list) | Condition::Any(list) => list.iter().flat_map(guard_names).collect(),
    }
}

fn part(layer: &Layer<'_>) -> Part {
    let statements = &layer.program.statements;
    let is_text = |statement: &&Statement<'_>| !matches!(statement.kind, StatementKind::Declare(_));
    if statements.iter().all(|statement| !is_text(&statement)) {
        return Part::None;
    }
    let mut all = Vec::new();
    for statement in statements.iter().filter(is_text) {
        collect(std::slice::from_ref(statement), &mut all);
    }
    match all.iter().any(|statement| has_body(statement)) {
        true => Part::Wrapper,
        false => Part::Text,
    }
}

/// All statements, and the statements inside of them and of functions.
pub(crate) fn collect<'p, 's>(statements: &'p [Statement<'s>], into: &mut Vec<&'p Statement<'s>>) {
    for statement in statements {
        into.push(statement);
        for block in statement.blocks() {
            collect(&block.statements, into);
        }
    }
}

/// Whether `body` is in the expressions of a statement, but not in its blocks.
fn has_body(statement: &Statement<'_>) -> bool {
    statement.expressions().into_iter().any(contains_body)
}

fn contains_body(expr: &Expr<'_>) -> bool {
    matches!(expr.kind, ExprKind::Body) || expr.parts().into_iter().any(contains_body)
}
