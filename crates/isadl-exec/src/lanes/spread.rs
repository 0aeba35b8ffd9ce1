//! The translation from one lane to all lanes.

use std::collections::{HashMap, HashSet};

use crate::micro::{Kind, Lanes, Micro, More, Run};
use crate::reads::{each_read, each_write, each_write_inside};
use crate::slots::{Blocks, LANE, MAX_LANES, RAISED, SLOTS, Slot, pieces};

/// Why lanes cannot do an instruction.
pub(crate) struct Refused(pub(crate) &'static str);

/// The micro-operations that all lanes do, of those of one lane.
pub(crate) fn spread(micros: Vec<Micro>, blocks: &Blocks) -> Result<Vec<Micro>, Refused> {
    let next = blocks.values;
    let mut spread = Spread { blocks, varying: HashSet::new(), values: HashMap::new(), next };
    // Loops can carry values to their next iteration.
    loop {
        let known = spread.varying.len();
        spread.find_varying(&micros, false);
        if spread.varying.len() == known {
            break;
        }
    }
    spread.list(micros, false)
}

struct Spread<'s> {
    blocks: &'s Blocks,
    /// Slots of temporary values that can differ between lanes.
    varying: HashSet<Slot>,
    /// Their blocks.
    values: HashMap<Slot, Slot>,
    next: usize,
}

impl Spread<'_> {
    fn is_varying(&self, slot: Slot) -> bool {
        self.varying.contains(&slot) || self.is_register(slot) || slot == LANE
    }

    fn is_register(&self, slot: Slot) -> bool {
        slot != LANE && self.blocks.of(slot).is_some()
    }

    fn reads_varying(&self, micro: &Micro) -> bool {
        let mut found = false;
        each_read(micro, &mut |slot| found |= self.is_varying(slot));
        found
    }

    /// Whether the result can differ between lanes.
    fn result_varies(&self, micro: &Micro) -> bool {
        match micro.more.as_deref() {
            Some(More::Ballot { .. } | More::TakePart { .. }) => false,
            Some(More::WriteLane { .. } | More::WriteAll { .. }) => true,
            Some(More::ReadLane { lane, .. }) => self.is_varying(*lane),
            _ => self.reads_varying(micro),
        }
    }

    /// Collects the slots that can differ; `is_divided` if only some lanes execute this list.
    fn find_varying(&mut self, micros: &[Micro], is_divided: bool) {
        for micro in micros {
            match micro.more.as_deref() {
                Some(More::If { condition, yes, no }) => {
                    let is_divided = is_divided || self.is_varying(*condition);
                    self.find_varying(yes, is_divided);
                    self.find_varying(no, is_divided);
                }
                Some(More::Range { body, number, .. } | More::Ones { body, number, .. }) => {
                    let is_divided = is_divided || self.has_varying_numbers(micro);
                    if is_divided {
                        self.varying.extend(slots(*number));
                    }
                    self.find_varying(body, is_divided);
                }
                _ if is_divided || self.result_varies(micro) => {
                    each_write_inside(micro, &mut |slot| {
                        // Flags belong to all lanes.
                        if slot != RAISED {
                            self.varying.insert(slot);
                        }
                    });
                }
                _ => {}
            }
        }
    }

    /// Whether the numbers of a loop may differ.
    fn has_varying_numbers(&self, micro: &Micro) -> bool {
        let of = |run: &Run| slots(*run).any(|slot| self.is_varying(slot));
        match micro.more.as_deref() {
            Some(More::Range { first, last, .. }) => of(first) || of(last),
            Some(More::Ones { of: ones, .. }) => of(ones),
            _ => false,
        }
    }

    /// The slot of a shared value, or the block of a value per lane.
    fn place(&mut self, slot: Slot) -> Result<Slot, Refused> {
        if let Some(block) = self.blocks.of(slot) {
            return Ok(block as Slot);
        }
        if !self.varying.contains(&slot) {
            return Ok(slot);
        }
        if let Some(block) = self.values.get(&slot) {
            return Ok(*block);
        }
        let block = self.fresh()?;
        self.values.insert(slot, block);
        Ok(block)
    }

    /// A block that is not used yet. Loops may touch it as if there were as many lanes as there can be.
    fn fresh(&mut self) -> Result<Slot, Refused> {
        let block = self.next;
        self.next += self.blocks.count;
        match block + MAX_LANES <= SLOTS {
            true => Ok(block as Slot),
            false => Err(Refused("lanes have more values than there are slots")),
        }
    }

    fn list(&mut self, micros: Vec<Micro>, is_divided: bool) -> Result<Vec<Micro>, Refused> {
        let mut out = Vec::new();
        for micro in micros {
            self.micro(micro, is_divided, &mut out)?;
        }
        Ok(out)
    }

    fn micro(
        &mut self,
        mut micro: Micro,
        is_divided: bool,
        out: &mut Vec<Micro>,
    ) -> Result<(), Refused> {
        let at = micro.c;
        if let Some(more) = micro.more.take() {
            let made = self.more(*more, micro, is_divided, out)?;
            out.extend(made.map(|more| Micro::more(more, at)));
            return Ok(());
        }
        let is_each = micro.has_result() && self.is_varying(micro.d);
        match micro.kind {
            Kind::Store { .. } => self.single(micro, true, out)?,
            Kind::Load { .. } if is_each => self.single(micro, true, out)?,
            Kind::Load { .. } => out.push(once(micro)),
            Kind::Branch { .. } | Kind::Jump if self.reads_varying(&micro) => {
                return Err(Refused("lanes go on at different addresses"));
            }
            _ if is_each => out.push(self.each(micro)?),
            _ => out.push(micro),
        }
        Ok(())
    }

    /// A micro-operation that is a loop over numbers.
    fn each(&mut self, micro: Micro) -> Result<Micro, Refused> {
        let mut are_blocks = [false; 3];
        let mut places = [micro.a, micro.b, micro.c];
        for (at, slot) in micro.reads().into_iter().enumerate() {
            if let Some(slot) = slot {
                are_blocks[at] = self.is_varying(slot);
                places[at] = self.place(slot)?;
            }
        }
        let is_register = self.is_register(micro.d);
        let d = self.place(micro.d)?;
        let more = More::Lanes(Lanes::Each { are_blocks, is_register });
        let [a, b, c] = places;
        Ok(Micro { d, a, b, c, more: Some(Box::new(more)), ..micro })
    }

    /// A micro-operation that lanes do one after the other.
    fn single(
        &mut self,
        micro: Micro,
        has_effect: bool,
        out: &mut Vec<Micro>,
    ) -> Result<(), Refused> {
        let (mut before, mut after, mut registers) = (Vec::new(), Vec::new(), Vec::new());
        let (mut read, mut written) = (Vec::new(), Vec::new());
        each_read(&micro, &mut |slot| read.push(slot));
        each_write_inside(&micro, &mut |slot| written.push(slot));
        for list in [&mut read, &mut written] {
            list.sort_unstable();
            list.dedup();
        }
        // A slot that is written conditionally may keep its old value.
        for slot in read.iter().chain(&written).copied() {
            if self.is_varying(slot) {
                before.push((slot, self.place(slot)?));
            }
        }
        before.sort_unstable();
        before.dedup();
        written.retain(|slot| self.is_varying(*slot));
        for slot in written {
            let mut block = self.place(slot)?;
            // If a lane cannot do it, none has changed its registers.
            if self.is_register(slot) {
                let d = std::mem::replace(&mut block, self.fresh()?);
                registers.push((block, d));
            }
            after.push((slot, block));
        }
        let at = micro.c;
        let body = vec![self.alone(micro)?];
        let single = Lanes::Single { body, before, after, has_effect };
        out.push(Micro::more(More::Lanes(single), at));
        for (a, d) in registers {
            let each = Lanes::Each { are_blocks: [true, false, false], is_register: true };
            let more = Some(Box::new(More::Lanes(each)));
            out.push(Micro { d, a, more, ..Micro::new(Kind::Copy) });
        }
        Ok(())
    }

    /// A micro-operation as one lane does it, which finds the registers of others in their blocks.
    fn alone(&mut self, mut micro: Micro) -> Result<Micro, Refused> {
        let Some(more) = micro.more.as_deref_mut() else { return Ok(micro) };
        if let More::ReadLane { from, lane, result } = *more {
            *more = More::Lanes(Lanes::Pick { from: self.place(from)?, lane, result });
        }
        for list in lists(more) {
            let all = std::mem::take(list).into_iter().map(|micro| self.alone(micro));
            *list = all.collect::<Result<_, _>>()?;
        }
        Ok(micro)
    }

    /// Translates a micro-operation with `more`; `micro` has its other operands. May first append others to `out`.
    fn more(
        &mut self,
        more: More,
        micro: Micro,
        is_divided: bool,
        out: &mut Vec<Micro>,
    ) -> Result<Option<More>, Refused> {
        let more = match more {
            More::If { condition, yes, no } => {
                let is_block = self.is_varying(condition);
                let condition = self.place(condition)?;
                let is_divided = is_divided || is_block;
                let (yes, no) = (self.list(yes, is_divided)?, self.list(no, is_divided)?);
                match is_block {
                    true => More::Lanes(Lanes::If { condition, yes, no }),
                    false => More::If { condition, yes, no },
                }
            }
            More::Ballot { condition, result } => {
                let is_block = self.is_varying(condition);
                let condition = self.place(condition)?;
                More::Lanes(Lanes::Ballot { condition, is_block, result })
            }
            More::ReadLane { from, lane, result } => {
                let from = self.place(from)?;
                let is_gather = self.is_varying(lane);
                let (lane, place) = (self.place(lane)?, self.place(result)?);
                match is_gather {
                    true => More::Lanes(Lanes::Gather { from, lane, result: place }),
                    // The lanes that come here have the same.
                    false if self.is_varying(result) => {
                        let all = More::Lanes(Lanes::Pick { from, lane, result });
                        out.push(Micro::more(all, micro.c));
                        out.push(self.of_all(result)?);
                        return Ok(None);
                    }
                    false => More::Lanes(Lanes::Pick { from, lane, result }),
                }
            }
            More::WriteLane { to, lane, value, mask } => {
                if self.is_varying(lane) || self.is_varying(value) {
                    return Err(Refused("lanes write different values to one register"));
                }
                More::Lanes(Lanes::Put { to: self.place(to)?, lane, value, mask })
            }
            More::WriteAll { from, to } => {
                let (from, to) = (self.place(from)?, self.place(to)?);
                More::Lanes(Lanes::Copy { from, to })
            }
            More::CopyAll { from, to, count } => {
                for at in 0..count {
                    let (a, d) = (from + at as Slot, to + at as Slot);
                    self.micro(Micro { d, a, ..Micro::new(Kind::Copy) }, is_divided, out)?;
                }
                return Ok(None);
            }
            more @ (More::TakePart { .. } | More::Halt(_) | More::Taken(_)) => more,
            other => return self.rare(other, micro, is_divided, out),
        };
        Ok(Some(more))
    }

    /// A value of all lanes, from the slot of one.
    fn of_all(&mut self, slot: Slot) -> Result<Micro, Refused> {
        let d = self.place(slot)?;
        let each = Lanes::Each { are_blocks: [false; 3], is_register: false };
        let more = Some(Box::new(More::Lanes(each)));
        Ok(Micro { d, a: slot, more, ..Micro::new(Kind::Copy) })
    }

    /// Loops, and micro-operations that lanes do one after the other if they differ.
    fn rare(
        &mut self,
        more: More,
        micro: Micro,
        is_divided: bool,
        out: &mut Vec<Micro>,
    ) -> Result<Option<More>, Refused> {
        let mut micro = Micro { more: Some(Box::new(more)), ..micro };
        let has_varying_numbers = self.has_varying_numbers(&micro);
        if let Some(More::Range { number, body, .. } | More::Ones { number, body, .. }) =
            micro.more.as_deref_mut()
        {
            if !has_varying_numbers {
                *body = self.loop_body(*number, std::mem::take(body), is_divided)?;
                return Ok(micro.more.map(|more| *more));
            }
            if !body.iter().all(is_alone) {
                let what = "a loop of different lengths with what lanes do together";
                return Err(Refused(what));
            }
        }
        let mut writes_varying = false;
        each_write(&micro, &mut |slot| writes_varying |= self.is_varying(slot));
        let varies = writes_varying || self.reads_varying(&micro) || has_varying_numbers;
        let has_effect = has_effect(&micro);
        if varies || is_divided && has_effect {
            self.single(micro, has_effect, out)?;
        } else {
            out.push(if has_effect { once(micro) } else { micro });
        }
        Ok(None)
    }

    fn loop_body(
        &mut self,
        number: Run,
        body: Vec<Micro>,
        is_divided: bool,
    ) -> Result<Vec<Micro>, Refused> {
        let mut out = Vec::new();
        for slot in slots(number) {
            if self.is_varying(slot) {
                out.push(self.of_all(slot)?);
            }
        }
        for micro in body {
            self.micro(micro, is_divided, &mut out)?;
        }
        Ok(out)
    }
}

/// A micro-operation that is the same for all lanes, done if any takes part.
fn once(micro: Micro) -> Micro {
    let at = micro.c;
    Micro::more(More::Lanes(Lanes::Once { body: vec![micro] }), at)
}

/// The lists inside of a micro-operation.
fn lists(more: &mut More) -> Vec<&mut Vec<Micro>> {
    match more {
        More::If { yes, no, .. } => vec![yes, no],
        More::Range { body, .. } | More::Ones { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// Whether only lanes that take part may do a micro-operation.
fn has_effect(micro: &Micro) -> bool {
    match micro.more.as_deref() {
        Some(More::If { yes, no, .. }) => yes.iter().chain(no).any(has_effect),
        Some(More::Range { body, .. } | More::Ones { body, .. }) => body.iter().any(has_effect),
        Some(
            More::Load { .. }
            | More::Store { .. }
            | More::StoreConditional { .. }
            | More::Call { .. }
            | More::Trap { .. }
            | More::Unpredictable,
        ) => true,
        // Flags belong to all lanes.
        Some(More::Float { raises, .. }) => *raises,
        _ => false,
    }
}

/// Whether a lane can do a micro-operation without the others.
fn is_alone(micro: &Micro) -> bool {
    match micro.more.as_deref() {
        None => !matches!(micro.kind, Kind::Load { .. } | Kind::Store { .. }),
        Some(More::If { yes, no, .. }) => yes.iter().chain(no).all(is_alone),
        Some(More::Range { body, .. } | More::Ones { body, .. }) => body.iter().all(is_alone),
        Some(
            More::Wide { .. }
            | More::Float { .. }
            | More::ReadRegister { .. }
            | More::WriteRegister { .. }
            | More::ReadLane { .. }
            | More::Any { .. },
        ) => true,
        Some(_) => false,
    }
}

fn slots(run: Run) -> impl Iterator<Item = Slot> {
    (0..pieces(run.bits)).map(move |at| run.first + at as Slot)
}
