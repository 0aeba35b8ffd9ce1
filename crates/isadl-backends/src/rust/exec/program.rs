//! A program as a type.

use std::collections::BTreeSet;
use std::fmt::Write;

use isadl_semantics::ir::{Op, Region, Step, ValueId};

use super::Refused;
use super::classes::{Class, convert};
use super::shared::Shared;
use super::unit::Unit;
use super::usual::Usual;
use super::writer::{Mode, NUMBERS, SMALL, Writer};

/// The type of a program.
pub(super) fn program(unit: &Unit<'_>, shared: &mut Shared<'_>) -> String {
    // Compared with the work of all lanes, decoding the word costs little.
    let slots = unit.lanes.is_none().then(|| written(unit, shared, Mode::Slots));
    match slots.flatten() {
        Some(text) => text,
        None => written(unit, shared, Mode::Word).unwrap_or_default(),
    }
}

/// The only target of jumps, if it is decided by the word and the address.
fn target(unit: &Unit<'_>) -> Option<ValueId> {
    let mut all = Vec::new();
    jumps(&unit.code.body, &mut all);
    match all.as_slice() {
        [only] if unit.is_fixed(*only) => Some(*only),
        _ => None,
    }
}

fn jumps(region: &Region, found: &mut Vec<ValueId>) {
    for step in &region.steps {
        match step {
            Step::Jump(target) => found.push(*target),
            Step::If { yes, no, .. } => {
                jumps(yes, found);
                jumps(no, found);
            }
            Step::Loop { body, .. } | Step::Atomic(body) | Step::Labelled { body, .. } => {
                jumps(body, found);
            }
            _ => {}
        }
    }
}

/// Whether no instruction follows in a block.
fn ends(unit: &Unit<'_>) -> bool {
    let mut all = Vec::new();
    jumps(&unit.code.body, &mut all);
    let calls = unit.code.values.iter().any(|value| match &value.op {
        Op::Extern { effects, .. } => !effects.is_pure,
        _ => false,
    });
    let stops =
        matches!(unit.code.body.steps.last(), Some(Step::Trap { .. } | Step::Unpredictable));
    !all.is_empty() || calls || stops
}

/// The text of a program; `None` if there are not enough slots.
fn written(unit: &Unit<'_>, shared: &mut Shared<'_>, mode: Mode) -> Option<String> {
    let target = target(unit);
    let mut writer = Writer::new(unit, shared, mode);
    writer.target = target;
    writer.count_uses(&unit.code.body);
    writer.steps(&unit.code.body);
    writer.flush();
    let target_slot = match (mode, target) {
        (Mode::Slots, Some(target)) => Some(writer.value_slot(target)),
        _ => None,
    };
    if writer.is_full {
        return None;
    }
    let declared = writer.declared_copies();
    let Writer { numbers, small, needed, head, text, jumps, raises, has_floats, refused, .. } =
        writer;
    let Unit { opcode, ident, .. } = unit;
    let operands = match mode {
        Mode::Slots => format!(
            "{}        Operands {{ n: [{}], r: [{}] }}\n",
            fixed(unit, shared, &needed),
            list(&numbers, NUMBERS),
            list(&small, SMALL)
        ),
        Mode::Word => "        Operands { n: [w as u64, HIGH!(w), pc], r: [0; 8] }\n".to_string(),
    };
    let target = match (mode, target) {
        (Mode::Slots, Some(_)) => {
            let slot = target_slot.unwrap_or_default();
            format!("    #[inline(always)]\n    fn target(o: &Operands) -> u64 {{ {slot} }}\n")
        }
        (Mode::Word, Some(target)) => {
            let lines = fixed(unit, shared, &BTreeSet::from([target]));
            let name = format!("v{}", target.index());
            let address = convert(&name, Class::of(unit.width(target)), Class::Small);
            format!(
                "    fn target(o: &Operands) -> u64 {{\n{WORD}{lines}        {address}\n    }}\n"
            )
        }
        _ => String::new(),
    };
    let body = match refused {
        Some(why) => {
            shared.refused.push(Refused { opcode: opcode.name.clone(), why });
            "        Err(m.trap(Trap::Unsupported))\n".to_string()
        }
        None => {
            let next = if jumps { "        let mut next = Next::Following;\n" } else { "" };
            let result = if jumps { "next" } else { "Next::Following" };
            let raised = if raises { "        let mut raised: u64 = 0;\n" } else { "" };
            // The steps of lanes get both as arguments.
            let word = if mode == Mode::Word && unit.lanes.is_none() { WORD } else { "" };
            let lanes = if unit.lanes.is_some() { ACTIVE } else { "" };
            format!("{word}{lanes}{next}{raised}{head}{declared}{text}        Ok({result})\n")
        }
    };
    let is_small = body.len() < 4000;
    let is_large = !is_small || unit.lanes.is_some() || has_floats;
    let (mut all, run) = match unit.lanes.is_some() {
        true => {
            let run = format!("        {ident}::steps(m, word(o), o.n[2])\n");
            (steps(unit, &body), run)
        }
        false => (String::new(), body),
    };
    let inline = if is_small || unit.lanes.is_some() { "#[inline(always)]" } else { "#[inline]" };
    let _ = write!(
        all,
        "/// `{}`\npub(super) struct {ident};\n\nimpl Program for {ident} {{\n    \
         const LENGTH: u64 = {};\n    const ENDS: bool = {};\n    const IS_LARGE: bool = {is_large};\n\n    \
         #[inline(always)]\n    fn operands(w: Word, pc: u64) -> Operands {{\n{operands}    }}\n\n{target}    \
         {inline}\n    fn run<M: Machine>(m: &mut M, o: &Operands) -> Result<Next, M::Stop> {{\n{run}    }}\n}}\n\n",
        opcode.name,
        opcode.width / 8,
        ends(unit),
    );
    Some(all.replace("HIGH!(w)", if unit.isa.width() > 64 { "(w >> 64) as u64" } else { "0" }))
}

/// The word and the address, where they are in the slots.
const WORD: &str = "        let w = word(o);\n        let pc = o.n[2];\n";

/// The lanes that come to a place, and those that take part.
const ACTIVE: &str =
    "        let lanes: u64 = ALL;\n        let mut active: u64 = m.launched() & ALL;\n";

/// Expressions with zeros behind them, as a list.
fn list(all: &[String], count: usize) -> String {
    let rest = std::iter::repeat_n("0".to_string(), count.saturating_sub(all.len()));
    all.iter().cloned().chain(rest).collect::<Vec<_>>().join(", ")
}

/// Gives names to fixed values, and to others that they are computed of if these are used several times.
fn fixed(unit: &Unit<'_>, shared: &mut Shared<'_>, needed: &BTreeSet<ValueId>) -> String {
    let mut writer = Writer::new(unit, shared, Mode::Word);
    for id in needed {
        writer.count(*id);
    }
    for id in unit.code.ids().filter(|id| unit.is_fixed(*id)) {
        let is_used = writer.uses[id.index()] > 0;
        if is_used && (writer.gets_name(id) || needed.contains(&id)) {
            let expr = writer.computed(id);
            writer.bind(id, &expr);
        }
    }
    writer.text
}

/// What a program of lanes has beside: its steps, and the usual bits of its words.
fn steps(unit: &Unit<'_>, body: &str) -> String {
    let [usual, guarded] = Usual::of(unit);
    let bits = |Usual { mask, value }| format!("({mask:#x}, {value:#x})");
    format!(
        "impl Steps for {} {{\n    const USUAL: (Word, Word) = {};\n    const GUARDED: (Word, Word) = {};\n\n    \
         #[inline(always)]\n    \
         fn steps<M: Machine>(m: &mut M, w: Word, pc: u64) -> Result<Next, M::Stop> {{\n{body}    }}\n}}\n\n",
        unit.ident,
        bits(usual),
        bits(guarded)
    )
}
