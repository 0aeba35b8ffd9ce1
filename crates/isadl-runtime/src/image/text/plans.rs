//! The steps of all opcodes, before they are rows: each opcode's depend on it alone, so they are made in threads.

use isadl_engine::image_text::{CHUNK, LONG_CHUNK};

use super::super::rows::TextRow;
use super::step_cache::StepCache;
use super::steps::{self, Program};
use crate::isa::Isa;
use crate::parallel;

/// How every opcode is printed.
pub(in crate::image) struct Plans {
    pub(super) has_long_texts: bool,
    /// The steps of each text: first with the default name set, then with each other name set.
    pub(super) of_sets: Vec<Vec<Program>>,
}

impl Plans {
    pub(in crate::image) fn of(isa: &Isa, texts: &[TextRow<'_>]) -> Plans {
        let mut plans = Plans { has_long_texts: has_long_texts(isa), of_sets: Vec::new() };
        plans.of_sets.push(plans.steps(isa, texts));
        for set in 1..isa.name_sets().len() {
            plans.of_sets.push(plans.steps(&isa.with_names(set), texts));
        }
        plans
    }

    /// Bytes of text that a chunk stands for.
    pub(super) fn room(&self) -> usize {
        if self.has_long_texts { LONG_CHUNK - 1 } else { CHUNK - 1 }
    }

    fn steps(&self, isa: &Isa, texts: &[TextRow<'_>]) -> Vec<Program> {
        let made = parallel::pieces(texts, parallel::MIN_OPCODES, |texts| -> Vec<Program> {
            let known = StepCache::default();
            let room = (self.room(), &known);
            texts.iter().map(|text| steps::program(isa, text.id, room)).collect()
        });
        made.into_iter().flatten().collect()
    }
}

/// Whether some name and a separator do not fit into one chunk of text.
fn has_long_texts(isa: &Isa) -> bool {
    const SEPARATOR: usize = 2;
    let fields = isa.opcodes().iter().flat_map(|opcode| &opcode.fields);
    let mut types: Vec<_> = fields.map(|field| field.ty).collect();
    types.sort_unstable();
    types.dedup();
    let mut names = types.into_iter().flat_map(|ty| isa.ty(ty).entries());
    let has_sets = !isa.name_sets().is_empty();
    names.any(|entry| {
        let others = entry.also.iter().filter(|_| has_sets).map(|other| other.at(0));
        others.chain([entry.text_at(0)]).any(|name| name.len() + SEPARATOR >= CHUNK)
    })
}
