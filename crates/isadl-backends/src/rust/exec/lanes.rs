//! Steps that several lanes do together.
//!
//! A value that differs between lanes is computed by each loop that needs it, from registers, which change only at the end of the instruction.
//! Results of memory accesses and floating-point operations are kept in arrays. So most instructions are one loop and a copy.

use std::collections::BTreeSet;

use isadl_semantics::ir::{Carried, Merge, Op, Over, Place, Region, Step, ValueId};

use super::classes::{Class, bare, literal, masked, ones, zero};
use super::lane_registers::{Blocks, as_type, element, of_element, zero_of};
use super::registers::Named;
use super::unit::{has_effect, is_pure};
use super::varying::{Lanes, defined_in, is_step_alone};
use super::warp::Range;
use super::writer::Writer;

impl<'w> Writer<'w, '_> {
    fn lanes(&self) -> &'w Lanes {
        // INVARIANT: only programs of lanes have steps of lanes.
        self.unit.lanes.as_ref().unwrap_or_else(|| unreachable!("a program of one lane"))
    }

    /// A step of all lanes.
    pub(super) fn step_of_lanes(&mut self, step: &Step) {
        if self.lanes().is_shared(self.unit, step, self.warp.is_divided) {
            return self.step_alone(step);
        }
        match step {
            Step::Compute(id) => self.compute_in_lanes(*id),
            Step::Write { place, mask, value } => self.write_in_lanes(place, *mask, *value),
            Step::Lanes(lanes) => {
                let lanes = self.expr_as(*lanes, Class::Small);
                self.line(format!("active &= {};", bare(&lanes)));
            }
            Step::Store { .. } | Step::Trap { .. } | Step::Unpredictable => {
                let count = |writer: &mut Self| writer.count_step(step);
                self.in_lanes(Range::Acting, &BTreeSet::new(), count, |writer| {
                    writer.step_alone(step);
                });
            }
            Step::Jump(_) => self.refuse("lanes go on at different addresses"),
            Step::Atomic(body) | Step::Labelled { body, .. } => self.steps(body),
            Step::If { condition, yes, no, merges } => match self.lanes().is_varying(*condition) {
                false => self.branch_together(*condition, [yes, no], merges),
                true if is_step_alone(self.unit, step) => self.alone(step),
                true => self.divide(*condition, [yes, no], merges),
            },
            Step::Loop { over, number, carried, body } => {
                match self.lanes().has_varying_numbers(over) {
                    false => self.repeat_together(over, *number, carried, body),
                    true if is_step_alone(self.unit, step) => self.alone(step),
                    true => self.refuse("a loop of different lengths with what lanes do together"),
                }
            }
            Step::Commit => self.refuse("`commit` in a program of several lanes"),
        }
    }

    /// Whether all lanes do together what is written here.
    pub(super) fn is_together(&self) -> bool {
        self.unit.lanes.is_some() && self.warp.range.is_none()
    }

    /// Writes a loop over lanes: first the values that it needs, then its statements. `count` counts the uses in them, and `inner` are
    /// the values that they define.
    pub(super) fn in_lanes(
        &mut self,
        range: Range,
        inner: &BTreeSet<ValueId>,
        count: impl FnOnce(&mut Self),
        statements: impl FnOnce(&mut Self),
    ) {
        let values = self.uses.len();
        let uses = std::mem::replace(&mut self.uses, vec![0; values]);
        let depth = std::mem::replace(&mut self.depth, vec![0; values]);
        let named = self.named.clone();
        count(self);
        let before = std::mem::take(&mut self.text);
        self.warp.range = Some(range);
        self.indent += 2;
        for id in self.unit.code.ids() {
            let is_needed = self.uses[id.index()] > 0 && self.is_inline(id);
            if is_needed && !inner.contains(&id) && self.is_lazy(id) && self.gets_name(id) {
                let expr = self.computed(id);
                self.bind(id, &expr);
            }
        }
        statements(self);
        self.indent -= 2;
        self.warp.range = None;
        let body = std::mem::replace(&mut self.text, before);
        self.line("{");
        self.indent += 1;
        for (at, expr) in std::mem::take(&mut self.warp.hoisted).iter().enumerate() {
            self.line(format!("let h{at} = {expr};"));
        }
        self.line(match range {
            Range::All => "for lane in 0..LANES {",
            Range::Rest => "for lane in lanes::each(rest) {",
            Range::Here => "for lane in lanes::each(lanes) {",
            Range::Computing | Range::Acting => "for lane in lanes::each(lanes & active) {",
        });
        self.text += &body;
        self.line("}");
        self.indent -= 1;
        self.line("}");
        (self.uses, self.depth, self.named) = (uses, depth, named);
    }

    /// Whether a lane computes a value where it uses it.
    fn is_lazy(&self, id: ValueId) -> bool {
        let op = self.unit.code.op(id);
        (is_pure(op) || matches!(op, Op::Lane | Op::Read(_))) && !has_effect(op)
    }

    /// An array with a value of each lane, for which `lane` is the number of one.
    pub(super) fn saved(&mut self, id: ValueId) -> String {
        if self.warp.range.is_none() {
            self.refuse("a value of a lane where all have one");
        }
        of_element(&format!("s{}[lane]", id.index()), self.width(id))
    }

    /// A value as a number of an array.
    pub(super) fn as_element(&self, expr: &str, id: ValueId) -> String {
        let width = self.width(id);
        as_type(expr, width, &element(width))
    }

    /// Declares an array for a value of each lane.
    fn declare(&mut self, name: &str, id: ValueId) {
        let width = self.width(id);
        let zero = zero_of(&element(width), width);
        self.line(format!("let mut {name} = [{zero}; LANES];"));
    }

    fn compute_in_lanes(&mut self, id: ValueId) {
        let op = self.unit.code.op(id);
        let is_used = self.uses[id.index()] > 0;
        if self.is_lazy(id) || !is_used && !has_effect(op) {
            return;
        }
        self.declare(&format!("s{}", id.index()), id);
        if self.float_of_lanes(id) {
            self.warp.saved.insert(id);
            return;
        }
        let range = if has_effect(op) { Range::Acting } else { Range::Computing };
        let count = |writer: &mut Self| {
            writer.uses[id.index()] = u32::from(is_used);
            writer.count_operands(id);
        };
        self.in_lanes(range, &BTreeSet::from([id]), count, |writer| {
            let expr = writer.acted(id);
            writer.line(match is_used {
                true => format!("s{}[lane] = {};", id.index(), writer.as_element(&expr, id)),
                false => format!("{expr};"),
            });
        });
        self.warp.saved.insert(id);
    }

    /// The lanes that take part, as an expression.
    pub(super) fn active(&mut self, width: u32) -> String {
        masked("active", width)
    }

    /// The lanes that take part and where a condition holds, as an expression.
    pub(super) fn ballot(&mut self, id: ValueId, condition: ValueId) -> String {
        if !self.unit.is_varying(condition) {
            let condition = self.condition(condition);
            return format!("(if {condition} {{ lanes & active }} else {{ 0 }})");
        }
        let votes = self.votes(id, condition);
        format!("({votes} & lanes & active)")
    }

    /// The lanes where a condition holds, as an expression.
    fn votes(&mut self, id: ValueId, condition: ValueId) -> String {
        let name = format!("b{}", id.index());
        self.line(format!("let mut {name} = [0_u8; LANES];"));
        let count = |writer: &mut Self| writer.count(condition);
        self.in_lanes(Range::All, &BTreeSet::new(), count, |writer| {
            let condition = writer.expr(condition);
            writer.line(format!("{name}[lane] = {condition} as u8;"));
        });
        format!("lanes::ballot(&{name})")
    }

    /// A branch or loop that each lane does by itself.
    fn alone(&mut self, step: &Step) {
        let results: Vec<ValueId> = match step {
            Step::If { merges, .. } => merges.iter().map(|merge| merge.after).collect(),
            Step::Loop { carried, .. } => carried.iter().map(|one| one.after).collect(),
            _ => Vec::new(),
        };
        let used = results.into_iter().filter(|id| self.uses[id.index()] > 0);
        let used: Vec<ValueId> = used.collect();
        for id in &used {
            self.declare(&format!("s{}", id.index()), *id);
        }
        let mut inner = BTreeSet::new();
        defined_in(step, &mut inner);
        let count = |writer: &mut Self| {
            writer.count_step(step);
            used.iter().for_each(|id| writer.uses[id.index()] += 1);
        };
        self.in_lanes(Range::Computing, &inner, count, |writer| {
            writer.step_alone(step);
            for id in &used {
                let expr = writer.expr(*id);
                let expr = writer.as_element(&expr, *id);
                writer.line(format!("s{}[lane] = {expr};", id.index()));
            }
        });
        self.warp.saved.extend(used);
    }

    /// Writes a block; names in it end with it.
    fn block(&mut self, begin: &str, write: impl FnOnce(&mut Self)) {
        let (named, saved) = (self.named.clone(), self.warp.saved.clone());
        self.line(begin);
        self.indent += 1;
        self.nesting += 1;
        write(self);
        self.indent -= 1;
        self.nesting -= 1;
        self.line("}");
        (self.named, self.warp.saved) = (named, saved);
    }

    /// A branch that all lanes take, or none.
    fn branch_together(&mut self, condition: ValueId, regions: [&Region; 2], merges: &[Merge]) {
        let used = merges.iter().filter(|merge| self.uses[merge.after.index()] > 0);
        let used: Vec<&Merge> = used.collect();
        for merge in &used {
            let at = merge.after.index();
            match self.unit.is_varying(merge.after) {
                true => self.declare(&format!("s{at}"), merge.after),
                false => {
                    let zero = zero(Class::of(self.width(merge.after)));
                    self.line(format!("let mut v{at} = {zero};"));
                }
            }
        }
        let condition = bare(&self.condition(condition)).to_string();
        for (at, region) in regions.into_iter().enumerate() {
            let begin = if at == 0 { format!("if {condition} {{") } else { "else {".to_string() };
            self.block(&begin, |writer| {
                writer.steps(region);
                for merge in &used {
                    let from = if at == 0 { merge.yes } else { merge.no };
                    writer.set_after(merge.after, from, Range::All);
                }
            });
        }
        self.know(used.iter().map(|merge| merge.after));
    }

    /// Values after a branch or loop have names, or arrays.
    fn know(&mut self, values: impl Iterator<Item = ValueId>) {
        for id in values {
            match self.unit.is_varying(id) {
                true => self.warp.saved.insert(id),
                false => self.named.insert(id),
            };
        }
    }

    /// Sets a value after a branch.
    fn set_after(&mut self, after: ValueId, from: Option<ValueId>, range: Range) {
        // Without a value the instruction ended.
        let Some(from) = from else { return };
        if !self.unit.is_varying(after) {
            let expr = self.expr(from);
            return self.line(format!("v{} = {};", after.index(), bare(&expr)));
        }
        self.set_array(&format!("s{}", after.index()), from, range);
    }

    /// Sets the numbers of an array.
    fn set_array(&mut self, array: &str, from: ValueId, range: Range) {
        self.in_lanes(
            range,
            &BTreeSet::new(),
            |writer| writer.count(from),
            |writer| {
                let expr = writer.expr(from);
                let expr = writer.as_element(&expr, from);
                writer.line(format!("{array}[lane] = {expr};"));
            },
        );
    }

    /// A branch that some lanes take and others do not.
    fn divide(&mut self, condition: ValueId, regions: [&Region; 2], merges: &[Merge]) {
        let used = merges.iter().filter(|merge| self.uses[merge.after.index()] > 0);
        let used: Vec<&Merge> = used.collect();
        for merge in &used {
            self.declare(&format!("s{}", merge.after.index()), merge.after);
        }
        let name = format!("d{}", condition.index());
        let votes = self.votes(condition, condition);
        self.line(format!("let {name} = {votes};"));
        let was_divided = std::mem::replace(&mut self.warp.is_divided, true);
        for (at, region) in regions.into_iter().enumerate() {
            let own = if at == 0 { name.clone() } else { format!("!{name}") };
            self.block(&format!("if lanes & {own} != 0 {{"), |writer| {
                writer.line(format!("let lanes = lanes & {own};"));
                writer.steps(region);
                for merge in &used {
                    let from = if at == 0 { merge.yes } else { merge.no };
                    writer.set_after(merge.after, from, Range::Here);
                }
            });
        }
        self.warp.is_divided = was_divided;
        self.know(used.iter().map(|merge| merge.after));
    }

    /// A loop over numbers that are the same for all lanes.
    fn repeat_together(
        &mut self,
        over: &Over,
        number: ValueId,
        carried: &[Carried],
        body: &Region,
    ) {
        for one in carried {
            let name = format!("c{}", one.after.index());
            match self.unit.is_varying(one.after) {
                true => {
                    self.declare(&name, one.after);
                    self.set_array(&name, one.before, Range::All);
                }
                false => {
                    let before = self.expr(one.before);
                    self.line(format!("let mut {name} = {};", bare(&before)));
                }
            }
        }
        let value = self.begin_loop(over, number);
        self.warp.loops += 1;
        let (named, saved) = (self.named.clone(), self.warp.saved.clone());
        self.indent += 1;
        self.nesting += 1;
        self.bind(number, &value);
        for one in carried {
            self.take_carried(one.inside, one.after);
        }
        self.steps(body);
        // All values are those at the end of the turn.
        for one in carried {
            let name = format!("n{}", one.after.index());
            match self.unit.is_varying(one.after) {
                true => {
                    self.declare(&name, one.after);
                    self.set_array(&name, one.next, Range::All);
                }
                false => {
                    let next = self.expr(one.next);
                    self.line(format!("let {name} = {};", bare(&next)));
                }
            }
        }
        for one in carried {
            self.line(format!("c{0} = n{0};", one.after.index()));
        }
        self.indent -= 1;
        self.nesting -= 1;
        self.line("}");
        (self.named, self.warp.saved) = (named, saved);
        self.warp.loops -= 1;
        for one in carried {
            self.take_carried(one.after, one.after);
        }
    }

    /// Gives what a loop carries to a value in or after it.
    fn take_carried(&mut self, to: ValueId, from: ValueId) {
        let prefix = if self.unit.is_varying(from) { "s" } else { "v" };
        self.line(format!("let {prefix}{} = c{};", to.index(), from.index()));
        self.know(std::iter::once(to));
    }

    /// The lane whose register is meant, as an expression of type `usize`.
    pub(super) fn other_lane(&mut self, lane: ValueId) -> String {
        let expr = self.expr_as(lane, Class::Small);
        format!("({} % LANES as u64) as usize", expr)
    }

    fn write_in_lanes(&mut self, place: &Place, mask: Option<ValueId>, value: ValueId) {
        if self.warp.loops > 0 {
            self.refuse("a register of lanes is written in a loop");
        }
        if let Place::OfLane { place, lane } = place {
            return self.write_one_lane(place, *lane, mask, value);
        }
        let mut is_computed = false;
        place.operands(&mut |id| is_computed |= self.unit.is_varying(id));
        if is_computed {
            return self.refuse("lanes write registers of different numbers");
        }
        let at = self.warp.writes;
        self.warp.writes += 1;
        let register = self.kept_register(place, at);
        let element = self.element_of(&register, self.width(value));
        let lists = [(Some(value), format!("w{at}")), (mask, format!("m{at}"))];
        for (id, name) in &lists {
            let Some(id) = *id else { continue };
            let zero = zero_of(&element, self.width(id));
            self.head += &format!("        let mut {name} = [{zero}; LANES];\n");
            let count = |writer: &mut Self| writer.count(id);
            self.in_lanes(Range::All, &BTreeSet::new(), count, |writer| {
                let expr = writer.expr(id);
                let expr = as_type(&expr, writer.width(id), &element);
                writer.line(format!("{name}[lane] = {expr};"));
            });
        }
        self.head += &format!("        let mut t{at} = 0_u64;\n");
        self.line(format!("t{at} = lanes & active;"));
        let width = self.width(value);
        let blocks = Blocks { at, width, element, has_mask: mask.is_some() };
        let statement = self.written_in_lanes(&register, &blocks);
        self.pending.push(statement);
    }

    fn write_one_lane(
        &mut self,
        place: &Place,
        lane: ValueId,
        mask: Option<ValueId>,
        value: ValueId,
    ) {
        let all = [Some(value), Some(lane), mask];
        if all.into_iter().flatten().any(|id| self.unit.is_varying(id)) {
            return self.refuse("lanes write different values to one register");
        }
        let at = self.warp.writes;
        self.warp.writes += 1;
        let (register, lane) = (self.kept_register(place, at), self.other_lane(lane));
        let (value, width) = (self.expr_as(value, Class::Small), self.width(value));
        let mask = match mask {
            Some(mask) => self.expr_as(mask, Class::Small),
            None => literal(ones(width), 64),
        };
        // Whether it is written is known at the end.
        self.head += &format!("        let mut o{at}: Option<(usize, u64, u64)> = None;\n");
        self.line(format!("o{at} = Some(({}, {}, {}));", lane, bare(&value), bare(&mask)));
        let statement = self.written_to_lane(&register, width);
        let some = format!("if let Some((lane, value, mask)) = o{at}");
        self.pending.push(format!("{some} {{ {statement} }}"));
    }

    /// A register that is written at the end, whose number is computed here.
    fn kept_register(&mut self, place: &Place, at: usize) -> Named {
        let mut is_fixed = true;
        place.operands(&mut |id| is_fixed &= self.unit.is_fixed(id));
        match self.named_register(place) {
            Named::Numbered(file, number, has_zero) if !is_fixed => {
                self.head += &format!("        let mut k{at} = 0_u16;\n");
                self.line(format!("k{at} = {};", bare(&number)));
                Named::Numbered(file, format!("k{at}"), has_zero)
            }
            named => named,
        }
    }
}
