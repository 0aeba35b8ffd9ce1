//! E0520: a compressed encoding whose instructions differ from the long encoding. Values do not correspond, the long
//! word is illegal, or data flow or control flow differs.
//!
//! All words of the compressed encoding are tried if they are few; otherwise a sample.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Context;
use super::readback::values_of;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::engine::Engine;
use crate::isa::{ExtensionCondition, ExtensionSet, Inst, Isa, Opcode, OpcodeId, Resource};
use crate::lower;

/// The address at which targets are compared.
const ADDRESS: u64 = 1 << 40;

/// Limit on the bits whose values are all tried.
const MAX_OPEN: u32 = 13;

pub(super) fn check(context: &Context<'_, '_>, engine: &Engine<'_>, diagnostics: &mut Diagnostics) {
    for id in context.isa.opcode_ids() {
        if context.opcodes[id.index()].short.is_some() {
            let found = finding(context, engine, id);
            found.into_iter().for_each(|found| diagnostics.push(found));
        }
    }
}

fn finding(context: &Context<'_, '_>, engine: &Engine<'_>, id: OpcodeId) -> Option<Diagnostic> {
    let isa = context.isa;
    let opcode = isa.opcode(id);
    let name = context.layer(id).name;
    let Some(short) = &opcode.short else {
        return unmatched(context, id);
    };
    let wrong = |engine: &Engine<'_>, inst: Inst, what: &str| {
        let text = engine.plain_text(inst);
        let message = format!("`{text}` is not a shorter encoding of `{}`", short.of);
        Diagnostic::new(Code::E0520, message, name.span)
            .with_note(what.to_string())
            .with_help("correct the values of the fields, or forbid the word by a rule")
    };
    let is_long = |other: &&Opcode| other.name == short.of && !other.has_literal();
    // A selection may lack it.
    let form = isa.opcodes().iter().find(is_long)?;
    let mut sets = Sets { isa, known: HashMap::new() };
    // With a fixed set: it can be a compressed encoding in other sets.
    if short.requires.is_never() && isa.extensions().is_empty() {
        return None;
    }
    if sets.of(&[opcode.requires.clone(), short.requires.clone()]).is_none() {
        let message = format!("no set of extensions has `{}` as a shorter encoding", name.text);
        let note = format!("a set must meet the guard and have `{}`", short.of);
        let help = "correct the guard, or remove `Short`";
        let found = Diagnostic::new(Code::E0520, message, name.span).with_note(note);
        return Some(found.with_help(help));
    }
    words(context, id).into_iter().find_map(|word| {
        let inst = Inst { opcode: id, word: opcode.canonical(word) };
        let kinds = isa.conditions_of_short(inst, form);
        let found: BTreeSet<ExtensionSet> = kinds.iter().filter_map(|kind| sets.of(kind)).collect();
        found.into_iter().find_map(|set| {
            let engine = engine.clone().with_extensions(set);
            compared(isa, &engine, inst, &short.of).map(|what| wrong(&engine, inst, &what))
        })
    })
}

/// The finding for a field whose value the long encoding lacks.
fn unmatched(context: &Context<'_, '_>, id: OpcodeId) -> Option<Diagnostic> {
    let name = context.layer(id).name;
    let message =
        format!("the fields of `{}` do not match the fields of its longer encoding", name.text);
    let found = Diagnostic::new(Code::E0520, message, name.span)
        .with_help("give each field of the longer encoding a value, or a field with the same registers, numbers or names");
    let Some(missing) = lower::unmatched(context.model, context.opcodes[id.index()]) else {
        return Some(found);
    };
    let (from, to) = (context.isa.name_of(missing.from), context.isa.name_of(missing.to));
    let field = context.isa.opcode(id).field(missing.from)?;
    Some(found.with_note(match missing.raw {
        Some(raw) => {
            let value = context.isa.value_text(context.isa.ty(field.ty), raw);
            format!("`{to}` does not have the value {value} of `{from}`")
        }
        None => format!("`{to}` and `{from}` are wider than 16 bits and of different types"),
    }))
}

/// Sets of extensions that meet conditions.
struct Sets<'i> {
    isa: &'i Isa,
    known: HashMap<Vec<ExtensionCondition>, Option<ExtensionSet>>,
}

impl Sets<'_> {
    fn of(&mut self, conditions: &[ExtensionCondition]) -> Option<ExtensionSet> {
        if let Some(known) = self.known.get(conditions) {
            return *known;
        }
        let found = self.isa.find_set(conditions);
        self.known.insert(conditions.to_vec(), found);
        found
    }
}

/// The fault of a compressed encoding in a set of extensions.
fn compared(isa: &Isa, engine: &Engine<'_>, inst: Inst, of: &str) -> Option<String> {
    if engine.decode(inst.word) != Ok(inst) || engine.advice(inst).is_some() {
        return None;
    }
    let long = engine.long(inst)?;
    if engine.decode(long.word) != Ok(long) || engine.advice(long).is_some() {
        let digits = isa.bytes() * 2;
        return Some(format!(
            "the longer encoding would be 0x{:0digits$x}, which is not an instruction of `{of}`",
            isa.number_of(long),
        ));
    }
    if engine.plain_text(engine.shortest(long)) != engine.plain_text(inst)
        && engine.long(engine.shortest(long)) != Some(long)
    {
        return Some("the longer encoding is not shortened to it".to_string());
    }
    let uses = |inst| {
        // A register that is read and written can be one use or two.
        let mut uses: BTreeMap<String, [bool; 3]> = BTreeMap::new();
        for found in engine.uses(inst) {
            // Operands of other types name memory locations.
            if let Resource::Memory { .. } = found.resource {
                continue;
            }
            let of = uses.entry(isa.resource_text(found.resource)).or_default();
            let effect = found.effect;
            let done = [effect.reads(), effect.writes(), effect.overwrites()];
            of.iter_mut().zip(done).for_each(|(known, is_done)| *known |= is_done);
        }
        uses
    };
    if uses(inst) != uses(long) {
        return Some("it does not read and write the same as the longer encoding".to_string());
    }
    let goes = |inst| (engine.flow_control(inst), engine.target(inst, ADDRESS));
    (goes(inst) != goes(long))
        .then(|| "its flow of control differs from the longer encoding".to_string())
}

/// The words that are tried.
fn words(context: &Context<'_, '_>, id: OpcodeId) -> Vec<u128> {
    let opcode = context.isa.opcode(id);
    let open = opcode.encoded().fold(0, |bits, field| bits | field.mask()) & !opcode.mask;
    if open.count_ones() > MAX_OPEN {
        let fields = opcode.encoded().filter(|field| field.mask() & !opcode.mask != 0);
        let values = fields.flat_map(|field| {
            let values = values_of(context.isa, context.isa.ty(field.ty)).into_iter();
            values.map(|raw| field.insert(opcode.value, raw))
        });
        return values.collect();
    }
    let mut words = vec![opcode.value];
    let mut bits = open;
    while bits != 0 {
        words.push(opcode.value | bits);
        bits = (bits - 1) & open;
    }
    words
}
