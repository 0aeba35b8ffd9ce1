//! All programs of an instruction set, checked.

use std::collections::{BTreeMap, BTreeSet};

use isadl_base::parallel;
use isadl_diagnostics::diagnostic::{Code, Diagnostic, Diagnostics, names};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{Binding, DataFlow, Isa, NameId, Opcode, OpcodeId};

use isadl_prove::{Effort, Prover};

use crate::check::{self, Context, Memories};
use crate::claimed;
use crate::compare::{Comparison, Declared};
use crate::condition::{Fields, When};
use crate::effects::{self, Effect, Effects, Jump};
use crate::program::{Lanes, Program};
use crate::scope::{Layer, Scopes};
use crate::syntax::ast::{Declaration, Name};
use crate::texts::Texts;
use crate::trials::Trial;

/// The most choices of fields that decide widths, for one opcode.
pub const MAX_INSTANCES: u64 = 4096;

/// An opcode whose behaviour is checked.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The opcode.
    pub opcode: OpcodeId,
    /// Its layer, an index among the layers.
    pub layer: usize,
    /// Where its lists of operands are.
    pub lists: Option<Span>,
    /// The reads and writes that are declared beside the lists.
    pub declared: Vec<Declared>,
    /// Whether it declares no reads and writes, and takes them from its program.
    pub is_derived: bool,
}

/// The programs of an instruction set.
#[derive(Debug, Default)]
pub struct Checked {
    /// The names of the memories, in order of declaration.
    pub memories: Vec<String>,
    /// The names of the traps, in order of declaration.
    pub traps: Vec<String>,
    /// The names of the types and registers that the machine keeps, in order of declaration.
    pub states: Vec<String>,
    /// The programs of each opcode, in the order of [`Isa::opcodes`]; none if it has no text.
    pub opcodes: Vec<Vec<Instance>>,
    /// The opcodes that declare no reads and writes, with those of their programs.
    pub derived: Vec<(OpcodeId, DataFlow)>,
    /// The texts of the programs.
    pub texts: Texts,
    /// The examples with claims, and the laws.
    pub trials: Vec<Trial>,
}

/// The program of an opcode for one choice of the fields that decide widths.
#[derive(Debug)]
pub struct Instance {
    /// The bits of these fields, beyond those that the opcode fixes.
    pub chosen: BTreeMap<NameId, u64>,
    /// The program.
    pub program: Program,
    /// What it reads and writes.
    pub effects: Effects,
}

impl Checked {
    /// The number of opcodes with a program.
    pub fn count(&self) -> usize {
        self.opcodes.iter().filter(|instances| !instances.is_empty()).count()
    }

    /// The lanes that do each instruction together, if there are several.
    pub fn lanes(&self) -> Option<&Lanes> {
        let all = self.opcodes.iter().flatten();
        all.filter_map(|instance| instance.program.lanes.as_ref()).next()
    }

    /// The programs of the generation that an instruction set describes, or is a part of.
    pub fn of<'c>(all: &'c [Checked], isa: &Isa) -> Option<&'c Checked> {
        all.iter().find(|checked| checked.texts.is_of(isa))
    }
}

/// Checks the programs of the subjects, and reports what is wrong with them.
///
/// `layers` has the programs of all layers; a layer is named by its index.
pub fn check(
    isa: &Isa,
    layers: &[Layer<'_>],
    subjects: &[Subject],
    effort: Effort,
    diagnostics: &mut Diagnostics,
) -> Checked {
    let prover = Prover::new(isa, effort);
    let scopes = Scopes::new(isa, layers, diagnostics);
    let names = memories(&scopes, layers);
    let all = Work { isa, layers, scopes: &scopes, memories: &names };
    let outcomes = parallel::each(subjects.len(), subjects, |subject| all.outcome(subject));
    let mut findings = Findings::default();
    let mut derived = Vec::new();
    let mut texts = Texts::new(isa, layers, &scopes);
    scopes.report_unused(
        subjects
            .iter()
            .zip(&outcomes)
            .map(|(subject, outcome)| (subject.layer, outcome.programs.last().copied())),
        diagnostics,
    );
    let mut opcodes: Vec<Vec<Instance>> = isa.opcodes().iter().map(|_| Vec::new()).collect();
    for (subject, outcome) in subjects.iter().zip(outcomes) {
        let opcode = isa.opcode(subject.opcode);
        for (found, instance) in outcome.findings {
            findings.add(found, opcode, instance);
        }
        if let Some(found) = outcome.too_many {
            diagnostics.push(found);
        }
        // What an instance with a fault does is not known.
        let effects = joined(&outcome.instances).filter(|_| outcome.is_whole);
        opcodes[subject.opcode.index()] = outcome.instances;
        let Some(effects) = effects else { continue };
        texts.add(isa, subject.opcode, subject.layer, &outcome.programs);
        let header = layers[subject.layer].header;
        let comparison = Comparison {
            isa,
            prover: &prover,
            opcode,
            effects: &effects,
            header,
            lists: subject.lists,
            declared: &subject.declared,
            is_derived: subject.is_derived,
        };
        let own = &opcodes[subject.opcode.index()];
        let programs: Vec<&Program> = own.iter().map(|instance| &instance.program).collect();
        comparison.report(&programs, diagnostics);
        if subject.is_derived {
            let flow = comparison.data_flow();
            derived.extend((!flow.is_empty()).then_some((subject.opcode, flow)));
        }
    }
    findings.finish(layers, subjects, isa, diagnostics);
    let opcodes_of: Vec<(&Opcode, usize)> =
        subjects.iter().map(|subject| (isa.opcode(subject.opcode), subject.layer)).collect();
    scopes.report_operands(&opcodes_of, diagnostics);
    let traps = declared(&scopes, layers, |one| match one {
        Declaration::Trap { name, .. } => Some(*name),
        _ => None,
    });
    let states = declared(&scopes, layers, |one| match one {
        Declaration::State { name, .. } => Some(*name),
        _ => None,
    });
    let texts_of = |names: Vec<Name<'_>>| names.iter().map(|one| one.text.to_string()).collect();
    let (traps, states) = (texts_of(traps), texts_of(states));
    let trials = claimed::trials(isa, layers, &scopes, &names, diagnostics);
    let memories = names.iter().map(|name| name.text.to_string()).collect();
    Checked { memories, traps, states, opcodes, derived, texts, trials }
}

/// What the programs of all subjects are checked in.
struct Work<'w, 's> {
    isa: &'w Isa,
    layers: &'w [Layer<'s>],
    scopes: &'w Scopes<'w, 's>,
    memories: &'w Memories<'s>,
}

/// The programs of a subject, and what is wrong with them.
#[derive(Default)]
struct Outcome {
    /// With the instance in words, if there are several.
    findings: Vec<(Diagnostics, Option<String>)>,
    /// Too many combinations of fields decide widths.
    too_many: Option<Diagnostic>,
    instances: Vec<Instance>,
    /// Whether no instance has a fault.
    is_whole: bool,
    /// The layers of its wrappers and its text.
    programs: Vec<usize>,
}

impl Work<'_, '_> {
    fn outcome(&self, subject: &Subject) -> Outcome {
        let mut outcome = Outcome::default();
        let (isa, opcode) = (self.isa, self.isa.opcode(subject.opcode));
        let layer = &self.layers[subject.layer];
        // What a broken text lacks would be missed everywhere.
        if layer.chain.iter().any(|id| self.layers[*id].is_broken) {
            return outcome;
        }
        let mut found = Diagnostics::default();
        let chain = self.scopes.chain(subject.layer, &mut found);
        self.scopes.report_rivals(opcode, subject.layer, &mut found);
        outcome.findings.push((found, None));
        let Some(chain) = chain else { return outcome };
        let elements = self.scopes.fields_of_elements(isa, opcode, subject.layer, &chain);
        let choices = match choices(isa, opcode, elements) {
            Ok(choices) => choices,
            Err(count) => {
                outcome.too_many = Some(too_many(layer, count));
                return outcome;
            }
        };
        outcome.is_whole = true;
        for chosen in choices {
            let context = Context {
                isa,
                opcode,
                scopes: self.scopes,
                chain: &chain,
                layer: subject.layer,
                memories: self.memories,
                chosen: &chosen,
                registers: None,
            };
            let mut found = Diagnostics::default();
            let program = check::check(&context, &mut found);
            let instance = (!chosen.is_empty()).then(|| describe(isa, opcode, &chosen));
            outcome.findings.push((found, instance));
            outcome.is_whole &= program.is_some();
            if let Some(program) = program {
                let effects = effects::effects(&program, &Fields { isa, opcode });
                outcome.instances.push(Instance { chosen, program, effects });
            }
        }
        outcome.programs = chain.layers;
        outcome
    }
}

fn too_many(layer: &Layer<'_>, count: u64) -> Diagnostic {
    let message =
        format!("the widths of `{}` depend on {count} combinations of fields", layer.name);
    let help = format!("at most {MAX_INSTANCES} are checked; let fewer fields decide widths");
    Diagnostic::new(Code::E1219, message, layer.header).with_help(help)
}

/// The effects of all instances of an opcode; `None` if it has none.
fn joined(instances: &[Instance]) -> Option<Effects> {
    let mut all = Effects::default();
    for instance in instances {
        let own = &instance.effects;
        let when = |when: &When| crate::condition::with_choice(when, &instance.chosen);
        all.accesses
            .extend(own.accesses.iter().map(|one| Effect { when: when(&one.when), ..one.clone() }));
        all.jumps.extend(own.jumps.iter().map(|one| Jump { when: when(&one.when), ..one.clone() }));
        all.traps.extend(own.traps.iter().map(when));
    }
    (!instances.is_empty()).then_some(all)
}

/// The memories that layers declare, each name once.
fn memories<'s>(scopes: &Scopes<'_, 's>, layers: &[Layer<'s>]) -> Memories<'s> {
    declared(scopes, layers, |one| match one {
        Declaration::Memory { name, .. } => Some(*name),
        _ => None,
    })
}

/// Names that layers declare, each once.
fn declared<'s>(
    scopes: &Scopes<'_, 's>,
    layers: &[Layer<'s>],
    name: impl Fn(&Declaration<'s>) -> Option<Name<'s>>,
) -> Vec<Name<'s>> {
    let mut found: Vec<Name<'s>> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for declaration in (0..layers.len()).flat_map(|layer| scopes.declarations(layer)) {
        found.extend(name(declaration).filter(|name| known.insert(name.text)));
    }
    found
}

/// The choices of the fields that decide widths of an opcode: all legal values of each. An error is their number.
/// `fields` are those that decide the widths of elements.
fn choices(
    isa: &Isa,
    opcode: &Opcode,
    mut fields: BTreeSet<NameId>,
) -> Result<Vec<BTreeMap<NameId, u64>>, u64> {
    let operands = opcode.operands.iter().filter_map(|operand| operand.width);
    let flow = opcode.flow.iter().filter_map(|item| item.width);
    fields.extend(operands.chain(flow).flat_map(|width| isa.expr(width).fields()));
    let mut found = vec![BTreeMap::new()];
    let mut count: u64 = 1;
    for name in fields {
        let Some(field) =
            opcode.field(name).filter(|field| !matches!(field.binding, Binding::Fixed(_)))
        else {
            continue;
        };
        let values = 1u64.checked_shl(field.width()).unwrap_or(u64::MAX);
        count = count.saturating_mul(values);
        if count > MAX_INSTANCES {
            return Err(count);
        }
        let ty = isa.ty(field.ty);
        let legal: Vec<u64> = (0..values).filter(|raw| ty.is_legal(*raw)).collect();
        found = found
            .into_iter()
            .flat_map(|known: BTreeMap<NameId, u64>| {
                legal.iter().map(move |raw| {
                    let mut known = known.clone();
                    known.insert(name, *raw);
                    known
                })
            })
            .collect();
    }
    Ok(found)
}

/// The fields of a choice in words.
pub(crate) fn describe(isa: &Isa, opcode: &Opcode, chosen: &BTreeMap<NameId, u64>) -> String {
    let field = |(name, raw): (&NameId, &u64)| {
        let ty = opcode.field(*name).map(|field| isa.ty(field.ty));
        let value = ty.and_then(|ty| ty.enumerator(*raw)).map(|value| value.name.clone());
        format!("{} = {}", isa.name_of(*name), value.unwrap_or_else(|| raw.to_string()))
    };
    chosen.iter().map(field).collect::<Vec<_>>().join(", ")
}

/// What a finding is about: the opcode, and its instance in words if not all instances of a program are found.
type Failing = (String, Option<String>);

/// The findings of all subjects: what several have in common is reported once.
#[derive(Default)]
struct Findings {
    found: Vec<(Diagnostic, Vec<Failing>)>,
    known: BTreeMap<(Code, Span, String), usize>,
}

impl Findings {
    fn add(&mut self, found: Diagnostics, opcode: &Opcode, instance: Option<String>) {
        for diagnostic in found.iter() {
            let key = (diagnostic.code, diagnostic.primary.span, diagnostic.message.clone());
            let at = *self.known.entry(key).or_insert(self.found.len());
            if at == self.found.len() {
                self.found.push((diagnostic.clone(), Vec::new()));
            }
            self.found[at].1.push((opcode.name.clone(), instance.clone()));
        }
    }

    fn finish(
        self,
        layers: &[Layer<'_>],
        subjects: &[Subject],
        isa: &Isa,
        diagnostics: &mut Diagnostics,
    ) {
        for (diagnostic, failing) in self.found {
            let opcodes: BTreeSet<&str> =
                failing.iter().map(|(opcode, _)| opcode.as_str()).collect();
            let owner = owner(layers, diagnostic.primary.span);
            let sharing = subjects.iter().filter(|subject| {
                owner.is_some_and(|owner| layers[subject.layer].chain.contains(&owner))
            });
            let sharing: BTreeSet<&str> =
                sharing.map(|subject| isa.opcode(subject.opcode).name.as_str()).collect();
            let mut diagnostic = diagnostic;
            if sharing.len() > opcodes.len() {
                let shown: Vec<&str> = opcodes.iter().copied().take(3).collect();
                let others = opcodes.len() - shown.len();
                let more =
                    if others > 0 { format!(", and {others} others") } else { String::new() };
                diagnostic = diagnostic.with_note(format!("for {}{more}", names(&shown)));
            }
            let instances: BTreeSet<&str> =
                failing.iter().filter_map(|(_, instance)| instance.as_deref()).collect();
            if let Some(first) = instances.first() {
                diagnostic = diagnostic.with_note(format!("with {first}"));
            }
            diagnostics.push(diagnostic);
        }
    }
}

/// The layer whose program a location is in.
fn owner(layers: &[Layer<'_>], span: Span) -> Option<usize> {
    let is_inside = |layer: &Layer<'_>| {
        layer.program.statements.iter().any(|statement| {
            let own = statement.span;
            own.file == span.file && own.start <= span.start && span.end <= own.end
        })
    };
    layers.iter().position(is_inside)
}
