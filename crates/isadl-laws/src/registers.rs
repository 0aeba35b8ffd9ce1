//! The registers that an example or a law is about.

use std::collections::BTreeSet;

use isadl::isa::{Effect, Inst, Register, Resource};
use isadl::semantics::program::{Place, Program, Statement, StatementKind};
use isadl::semantics::trials::Trial;
use isadl_exec::Spec;

/// A file with more registers is not varied as a whole.
const MAX_VARIED: u32 = 64;

/// The registers that an example or a law is about.
pub(crate) struct Registers {
    /// The registers whose values from before the first instruction matter.
    pub(crate) read: BTreeSet<Register>,
    /// These, and those that instructions write.
    pub(crate) varied: Vec<Register>,
    /// The registers that do not keep the values of the beginning; `None` if that may be any.
    pub(crate) changed: Option<BTreeSet<Register>>,
}

/// The registers that an instruction reads and writes.
pub(crate) struct Uses {
    read: BTreeSet<Register>,
    pub(crate) written: BTreeSet<Register>,
    /// Whether it may write others.
    writes_any: bool,
}

impl Registers {
    pub(crate) fn of(spec: &Spec, trial: &Trial) -> Registers {
        let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
        let mut writes_any = false;
        for inst in &trial.instructions {
            let own = Uses::of(spec, *inst);
            read.extend(own.read.difference(&written));
            written.extend(own.written);
            writes_any |= own.writes_any;
        }
        read.extend(trial.named.difference(&written));
        let varied: BTreeSet<Register> = read.union(&written).copied().collect();
        let mut changed = varied.clone();
        let is_whole = given(&trial.given, &mut changed) && !writes_any;
        Registers {
            read,
            varied: varied.into_iter().collect(),
            changed: is_whole.then_some(changed),
        }
    }
}

impl Uses {
    pub(crate) fn of(spec: &Spec, inst: Inst) -> Uses {
        let mut uses = Uses { read: BTreeSet::new(), written: BTreeSet::new(), writes_any: false };
        let engine = spec.engine();
        for one in engine.uses(inst) {
            let (file, first, count) = match one.resource {
                Resource::Registers { file, first, count } => (file, first, count),
                Resource::Unknown { file } => (file, 0, spec.isa().reg_files()[file.index()].count),
                _ => continue,
            };
            if count > MAX_VARIED {
                uses.writes_any = true;
                continue;
            }
            let last = (first + count).min(spec.isa().reg_files()[file.index()].count);
            let all = (first..last).map(|number| Register { file, number });
            if !matches!(one.effect, Effect::Write | Effect::ConditionalWrite) {
                uses.read.extend(all.clone());
            }
            if !matches!(one.effect, Effect::Read | Effect::ConditionalRead) {
                uses.written.extend(all);
            }
        }
        uses
    }
}

/// Adds the registers that are given. Whether these are all.
fn given(program: &Program, into: &mut BTreeSet<Register>) -> bool {
    let of_place = |place: &Place| match place {
        Place::Register { file, number } => {
            let number = number.value()?;
            Some(Register { file: *file, number: number as u32 })
        }
        _ => None,
    };
    let mut add = |statement: &Statement| match &statement.kind {
        StatementKind::Write { place: Place::State { .. }, .. }
        | StatementKind::Store { .. }
        | StatementKind::Bind { .. } => true,
        StatementKind::Write { place, .. } => {
            let place = if let Place::OfLane { place, .. } = place { place } else { place };
            let register = of_place(place);
            into.extend(register);
            register.is_some()
        }
        _ => false,
    };
    program.statements.iter().all(&mut add)
}
