//! Numbered parts of sections: they are read as sections of their own, and joined by rising numbers once everything is
//! read.

use std::collections::BTreeMap;

use crate::frames::Frames;
use crate::lines::LineTable;
use crate::names::Deferred;
use crate::sections::{FixupKind, Section, Tail};
use crate::symbols::{Definition, FragmentOffset, Symbols};
use crate::tree::{Expr, for_places};

/// Where the parts of a file go.
struct Moves {
    /// For each section, its new number, and the fragments before its own.
    to: Vec<(u32, u32)>,
}

impl Moves {
    fn place(&self, place: &mut FragmentOffset) {
        let (section, before) = self.to[place.section as usize];
        place.section = section;
        place.fragment += before;
    }

    fn expr(&self, expr: &mut Expr) {
        for_places(expr, &|place| self.place(place));
    }
}

/// Joins the parts of each section.
pub(crate) fn join(
    sections: &mut Vec<Section>,
    symbols: &mut Symbols,
    (frames, lines): (&mut Frames, &mut LineTable),
) {
    if sections.iter().all(|section| section.part.is_none()) {
        return;
    }
    let moves = moves(sections);
    sections.iter_mut().for_each(|section| move_section(section, &moves));
    for id in symbols.ids() {
        let symbol = symbols.get_mut(id);
        match &mut symbol.definition {
            Definition::Label(place) => moves.place(place),
            Definition::Value(expr, _) => moves.expr(expr),
            Definition::None | Definition::Common(..) => {}
        }
        symbol.size.iter_mut().for_each(|size| moves.expr(size));
    }
    for frame in &mut frames.all {
        moves.place(&mut frame.start);
        frame.end.iter_mut().for_each(|end| moves.place(end));
        frame.steps.iter_mut().for_each(|step| moves.place(&mut step.place));
        let pointers = frame.personality.iter_mut().chain(&mut frame.lsda);
        pointers.for_each(|(_, expr)| moves.expr(expr));
    }
    lines.rows.iter_mut().for_each(|(place, ..)| moves.place(place));
    append_parts(sections);
}

/// The parts of each section by their numbers.
fn parts_of(sections: &[Section]) -> BTreeMap<(u32, i64), usize> {
    let parts = sections.iter().enumerate();
    parts.filter_map(|(index, section)| Some((section.part?, index))).collect()
}

fn moves(sections: &[Section]) -> Moves {
    let mut to = vec![(0, 0); sections.len()];
    let mut fragments = vec![0; sections.len()];
    let whole = sections.iter().enumerate().filter(|(_, own)| own.part.is_none());
    for (new, (index, section)) in (0..).zip(whole) {
        to[index] = (new, 0);
        fragments[index] = section.fragments.len() as u32;
    }
    for ((of, _), index) in parts_of(sections) {
        to[index] = (to[of as usize].0, fragments[of as usize]);
        fragments[of as usize] += sections[index].fragments.len() as u32;
    }
    Moves { to }
}

fn move_section(section: &mut Section, moves: &Moves) {
    for fragment in &mut section.fragments {
        match &mut fragment.tail {
            Tail::None | Tail::Align { .. } => {}
            Tail::Org { to: expr, .. } | Tail::Repeat { count: expr, .. } => moves.expr(expr),
            Tail::Leb { value, .. } => moves.expr(value),
            Tail::Relax(relaxed) => {
                relaxed.chosen.values.iter_mut().for_each(|value| moves.expr(value));
            }
        }
    }
    for fixup in &mut section.fixups {
        moves.place(&mut fixup.place);
        match &mut fixup.kind {
            FixupKind::Data(_, expr) | FixupKind::Reloc(_, expr) => moves.expr(expr),
            FixupKind::Inst(encoded) => {
                encoded.values.iter_mut().for_each(|value| moves.expr(value));
            }
            FixupKind::Line(deferred) => {
                let Deferred { readings, .. } = &mut **deferred;
                readings.iter_mut().for_each(|reading| moves.expr(&mut reading.expr));
            }
        }
    }
    section.lines.iter_mut().for_each(|(place, _)| moves.place(place));
    section.marks.iter_mut().for_each(|(place, _)| moves.place(place));
}

/// Appends the parts to their sections, and drops them.
fn append_parts(sections: &mut Vec<Section>) {
    for ((of, _), index) in parts_of(sections) {
        let empty = Section::new("", sections[index].attributes.clone());
        let mut part = std::mem::replace(&mut sections[index], empty);
        let section = &mut sections[of as usize];
        let before = section.bytes.len() as u64;
        part.fragments.iter_mut().for_each(|fragment| fragment.start += before);
        section.fragments.append(&mut part.fragments);
        section.bytes.append(&mut part.bytes);
        section.fixups.append(&mut part.fixups);
        section.lines.append(&mut part.lines);
        section.marks.append(&mut part.marks);
        section.align = section.align.max(part.align);
        // It is dropped below.
        sections[index].part = Some((of, 0));
    }
    sections.retain(|section| section.part.is_none());
}
