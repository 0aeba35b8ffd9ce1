//! No value has more bits than are used, and no value without use is left.

use isadl_diagnostics::span::Span;

use super::ops::Builder;
use super::{
    BinaryOp, Carried, Code, Label, Merge, Op, Over, Place, Region, Step, UnaryOp, ValueId,
};

/// The most times that code is made smaller: what is folded may leave values without use.
const MAX_ROUNDS: usize = 4;

pub(super) fn shrink(mut code: Code) -> Code {
    for _ in 0..MAX_ROUNDS {
        let next = once(&code);
        if next == code {
            break;
        }
        code = next;
    }
    code
}

fn once(old: &Code) -> Code {
    let mut demand = Demand { code: old, bits: vec![0; old.values.len()] };
    demand.region(&old.body);
    let (builder, new) = (Builder::default(), vec![None; old.values.len()]);
    let mut shrink = Shrink { old, bits: demand.bits, builder, new };
    let (body, ()) = shrink.region(&old.body, |_| ());
    shrink.builder.finish(body)
}

/// How many of the lowest bits of each value are used.
struct Demand<'c> {
    code: &'c Code,
    bits: Vec<u32>,
}

impl Demand<'_> {
    /// Remembers that the lowest bits of a value are used; returns whether that is new.
    fn need(&mut self, value: ValueId, bits: u32) -> bool {
        let bits = bits.min(self.code.width(value));
        let known = &mut self.bits[value.index()];
        let is_new = bits > *known;
        *known = bits.max(*known);
        is_new
    }

    fn need_all(&mut self, value: ValueId) {
        self.need(value, u32::MAX);
    }

    fn region(&mut self, region: &Region) {
        region.steps.iter().rev().for_each(|step| self.step(step));
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Compute(value) => self.compute(*value),
            Step::Write { place, mask, value } => {
                self.place(place);
                mask.iter().for_each(|mask| self.need_all(*mask));
                self.need_all(*value);
            }
            Step::Store { address, value, .. } => {
                self.need_all(*address);
                self.need_all(*value);
            }
            Step::Jump(value) | Step::Lanes(value) => self.need_all(*value),
            Step::If { condition, yes, no, merges } => {
                for merge in merges {
                    let bits = self.bits[merge.after.index()];
                    merge.yes.iter().chain(&merge.no).for_each(|value| {
                        self.need(*value, bits);
                    });
                }
                self.region(yes);
                self.region(no);
                self.need_all(*condition);
            }
            Step::Loop { over, carried, body, .. } => self.repeat(over, carried, body),
            Step::Atomic(body) => self.region(body),
            Step::Labelled { label, body, .. } => {
                self.region(body);
                if let Label::Value(value) = label {
                    self.need_all(*value);
                }
            }
            Step::Trap { arguments, .. } => {
                arguments.iter().for_each(|argument| self.need_all(*argument))
            }
            Step::Unpredictable | Step::Commit => {}
        }
    }

    fn repeat(&mut self, over: &Over, carried: &[Carried], body: &Region) {
        for one in carried {
            self.need(one.inside, self.bits[one.after.index()]);
        }
        loop {
            for one in carried {
                self.need(one.next, self.bits[one.inside.index()]);
            }
            self.region(body);
            let is_new =
                |known: &Carried| self.bits[known.inside.index()] > self.bits[known.next.index()];
            if !carried.iter().any(is_new) {
                break;
            }
        }
        for one in carried {
            let bits = self.bits[one.inside.index()];
            self.need(one.before, bits);
            self.need(one.after, bits);
        }
        match over {
            Over::Range { first, last, .. } => {
                self.need_all(*first);
                self.need_all(*last);
            }
            Over::Ones(of) => self.need_all(*of),
        }
    }

    fn place(&mut self, place: &Place) {
        place.operands(&mut |value| self.need_all(value));
    }

    fn compute(&mut self, value: ValueId) {
        let bits = self.bits[value.index()];
        let op = self.code.op(value);
        if bits == 0 && !op.has_effect() {
            return;
        }
        match op {
            Op::Unary(UnaryOp::Not | UnaryOp::Neg, of) => {
                self.need(*of, bits);
            }
            Op::Binary(op, a, b) if is_ring(*op) => {
                self.need(*a, bits);
                self.need(*b, bits);
            }
            Op::Binary(BinaryOp::Shl, a, b) => {
                self.need(*a, bits);
                self.need_all(*b);
            }
            Op::Extend { of, .. } => {
                self.need(*of, bits);
            }
            Op::Extract { of, low } => {
                self.need(*of, low + bits);
            }
            Op::Concat(parts) => {
                let mut low = 0;
                for part in parts.iter().rev() {
                    self.need(*part, bits.saturating_sub(low));
                    low += self.code.width(*part);
                }
            }
            Op::Select { condition, yes, no } => {
                self.need_all(*condition);
                self.need(*yes, bits);
                self.need(*no, bits);
            }
            other => other.operands(|value| self.need_all(value)),
        }
    }
}

/// Whether the low bits of a result depend on the low bits of the operands alone.
fn is_ring(op: BinaryOp) -> bool {
    use BinaryOp::{Add, And, Mul, Or, Sub, Xor};
    matches!(op, Add | Sub | Mul | And | Or | Xor)
}

/// Makes the code again with the bits that are used.
struct Shrink<'c> {
    old: &'c Code,
    bits: Vec<u32>,
    builder: Builder,
    new: Vec<Option<ValueId>>,
}

impl Shrink<'_> {
    fn region<T>(&mut self, region: &Region, at_end: impl FnOnce(&mut Self) -> T) -> (Region, T) {
        self.builder.open();
        region.steps.iter().for_each(|step| self.step(step));
        let result = at_end(self);
        (self.builder.close(), result)
    }

    fn span(&self, old: ValueId) -> Span {
        self.old.values[old.index()].span
    }

    /// A value in some of its lowest bits. Bits that are not used may be any.
    fn at(&mut self, old: ValueId, bits: u32) -> ValueId {
        let span = self.span(old);
        let Some(new) = self.new[old.index()] else { return self.builder.constant(0, bits, span) };
        match self.builder.width(new) >= bits {
            true => self.builder.extract(new, 0, bits, span),
            false => self.builder.extend(new, false, bits, span),
        }
    }

    fn whole(&mut self, old: ValueId) -> ValueId {
        self.at(old, self.old.width(old))
    }

    fn step(&mut self, step: &Step) {
        let step = match step {
            Step::Compute(value) => {
                if self.bits[value.index()] > 0 || self.old.op(*value).has_effect() {
                    self.new[value.index()] = Some(self.value(*value));
                }
                return;
            }
            Step::Write { place, mask, value } => Step::Write {
                place: self.place(place),
                mask: mask.map(|mask| self.whole(mask)),
                value: self.whole(*value),
            },
            Step::Store { memory, address, value } => Step::Store {
                memory: *memory,
                address: self.whole(*address),
                value: self.whole(*value),
            },
            Step::Jump(target) => Step::Jump(self.whole(*target)),
            Step::Lanes(lanes) => Step::Lanes(self.whole(*lanes)),
            Step::If { condition, yes, no, merges } => {
                return self.branch(*condition, (yes, no), merges);
            }
            Step::Loop { over, number, carried, body } => self.repeat(over, *number, carried, body),
            Step::Atomic(body) => Step::Atomic(self.region(body, |_| ()).0),
            Step::Labelled { word, label, body } => Step::Labelled {
                word: word.clone(),
                label: match label {
                    Label::Word(word) => Label::Word(word.clone()),
                    Label::Value(value) => Label::Value(self.whole(*value)),
                },
                body: self.region(body, |_| ()).0,
            },
            Step::Trap { name, arguments } => Step::Trap {
                name: name.clone(),
                arguments: arguments.iter().map(|argument| self.whole(*argument)).collect(),
            },
            Step::Unpredictable => Step::Unpredictable,
            Step::Commit => {
                self.builder.forget_reads();
                Step::Commit
            }
        };
        self.builder.step(step);
    }

    fn place(&mut self, place: &Place) -> Place {
        match place {
            Place::Register { file, number } => {
                Place::Register { file: *file, number: self.whole(*number) }
            }
            Place::Group { field, offset } => {
                Place::Group { field: *field, offset: self.whole(*offset) }
            }
            Place::OfLane { place, lane } => {
                let place = Box::new(self.place(place));
                Place::OfLane { place, lane: self.whole(*lane) }
            }
            other => other.clone(),
        }
    }

    fn branch(&mut self, condition: ValueId, (yes, no): (&Region, &Region), merges: &[Merge]) {
        let condition = self.whole(condition);
        let used: Vec<(&Merge, u32)> = merges
            .iter()
            .map(|merge| (merge, self.bits[merge.after.index()]))
            .filter(|(_, bits)| *bits > 0)
            .collect();
        let values = |shrink: &mut Self,
                      of: fn(&Merge) -> Option<ValueId>|
         -> Vec<Option<ValueId>> {
            let at = |(merge, bits): &(&Merge, u32)| of(merge).map(|value| shrink.at(value, *bits));
            used.iter().map(at).collect()
        };
        let (yes, of_yes) = self.region(yes, |shrink| values(shrink, |merge| merge.yes));
        let (no, of_no) = self.region(no, |shrink| values(shrink, |merge| merge.no));
        let mut found = Vec::new();
        for ((merge, bits), (yes, no)) in used.iter().zip(of_yes.into_iter().zip(of_no)) {
            let after = self.builder.parameter(Op::Merge, *bits, self.span(merge.after));
            self.new[merge.after.index()] = Some(after);
            found.push(Merge { after, yes, no });
        }
        if !(yes.steps.is_empty() && no.steps.is_empty() && found.is_empty()) {
            self.builder.step(Step::If { condition, yes, no, merges: found });
        }
    }

    fn repeat(&mut self, over: &Over, number: ValueId, carried: &[Carried], body: &Region) -> Step {
        let over = match over {
            Over::Range { first, last, is_signed } => Over::Range {
                first: self.whole(*first),
                last: self.whole(*last),
                is_signed: *is_signed,
            },
            Over::Ones(of) => Over::Ones(self.whole(*of)),
        };
        let used: Vec<(&Carried, u32)> = carried
            .iter()
            .map(|one| (one, self.bits[one.inside.index()]))
            .filter(|(_, bits)| *bits > 0)
            .collect();
        let mut found = Vec::new();
        for (one, bits) in &used {
            let before = self.at(one.before, *bits);
            let inside = self.builder.parameter(Op::Carried, *bits, self.span(one.inside));
            self.new[one.inside.index()] = Some(inside);
            found.push(Carried { before, inside, next: inside, after: inside });
        }
        self.builder.forget_reads();
        let new_number =
            self.builder.parameter(Op::Number, self.old.width(number), self.span(number));
        self.new[number.index()] = Some(new_number);
        let (body, next) = self.region(body, |shrink| {
            used.iter().map(|(one, bits)| shrink.at(one.next, *bits)).collect::<Vec<_>>()
        });
        for ((one, bits), (found, next)) in used.iter().zip(found.iter_mut().zip(next)) {
            found.next = next;
            found.after = self.builder.parameter(Op::Carried, *bits, self.span(one.after));
            self.new[one.after.index()] = Some(found.after);
        }
        self.builder.forget_reads();
        Step::Loop { over, number: new_number, carried: found, body }
    }

    /// A value in the bits that are used.
    fn value(&mut self, old: ValueId) -> ValueId {
        let (bits, width, span) = (self.bits[old.index()], self.old.width(old), self.span(old));
        let code = self.old;
        match code.op(old) {
            Op::Constant(value) => self.builder.constant(*value, bits, span),
            Op::Unary(op @ (UnaryOp::Not | UnaryOp::Neg), of) => {
                let of = self.at(*of, bits);
                self.builder.unary(*op, of, span)
            }
            Op::Binary(op, a, b) if is_ring(*op) => {
                let (a, b) = (self.at(*a, bits), self.at(*b, bits));
                self.builder.binary(*op, a, b, span)
            }
            Op::Binary(BinaryOp::Shl, a, b) => {
                let (a, b) = (self.at(*a, bits), self.whole(*b));
                self.builder.binary(BinaryOp::Shl, a, b, span)
            }
            Op::Extend { of, is_signed } => {
                let own = code.width(*of).min(bits);
                let of = self.at(*of, own);
                self.builder.extend(of, *is_signed, bits, span)
            }
            Op::Extract { of, low } => {
                let of = self.at(*of, low + bits);
                self.builder.extract(of, *low, bits, span)
            }
            Op::Concat(parts) => {
                let mut rest = bits;
                let mut found = Vec::new();
                for part in parts.iter().rev() {
                    let own = code.width(*part).min(rest);
                    if own == 0 {
                        break;
                    }
                    found.push(self.at(*part, own));
                    rest -= own;
                }
                found.reverse();
                self.builder.concat(&found, span)
            }
            Op::Select { condition, yes, no } => {
                let condition = self.whole(*condition);
                let (yes, no) = (self.at(*yes, bits), self.at(*no, bits));
                self.builder.select(condition, yes, no, span)
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (self.whole(*a), self.whole(*b));
                self.builder.binary(*op, a, b, span)
            }
            Op::Unary(op @ UnaryOp::Reverse, of) => {
                let of = self.whole(*of);
                self.builder.unary(*op, of, span)
            }
            Op::Unary(op, of) => {
                let of = self.whole(*of);
                self.builder.counted(*op, of, span)
            }
            other => {
                let op = self.renamed(other);
                self.builder.compute(op, width, span)
            }
        }
    }

    /// An operation on the new values.
    fn renamed(&mut self, op: &Op) -> Op {
        match op {
            Op::Read(place) => Op::Read(self.place(place)),
            Op::Load { memory, address, is_reserving } => Op::Load {
                memory: *memory,
                address: self.whole(*address),
                is_reserving: *is_reserving,
            },
            Op::StoreConditional { memory, address, value } => Op::StoreConditional {
                memory: *memory,
                address: self.whole(*address),
                value: self.whole(*value),
            },
            Op::Extern { name, arguments, effects } => Op::Extern {
                name: name.clone(),
                arguments: arguments.iter().map(|argument| self.whole(*argument)).collect(),
                effects: *effects,
            },
            Op::Ballot(of) => Op::Ballot(self.whole(*of)),
            Op::Float { operation, arguments, settings, raises } => Op::Float {
                operation: operation.clone(),
                arguments: arguments.iter().map(|argument| self.whole(*argument)).collect(),
                settings: settings
                    .iter()
                    .map(|(setting, value)| (*setting, self.whole(*value)))
                    .collect(),
                raises: *raises,
            },
            Op::Any { first, last } => {
                Op::Any { first: self.whole(*first), last: self.whole(*last) }
            }
            other => other.clone(),
        }
    }
}
