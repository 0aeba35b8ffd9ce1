//! Where fragments are in their sections, once layout found it.

use crate::assembler::Unit;
use crate::expr::{Distances, Evaluator, Value};
use crate::sections::Section;
use crate::symbols::FragmentOffset;

/// A statement that makes a size: its section and the fragment before it.
pub(crate) type Sized = (usize, usize);

/// Where fragments are in their sections.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    /// The first byte of each fragment, and the end of the last fragment.
    pub(crate) starts: Vec<Vec<u64>>,
}

impl Layout {
    /// The distance of a place from the beginning of its section.
    pub(crate) fn offset(&self, place: FragmentOffset) -> u64 {
        let start = self.starts[place.section as usize][place.fragment as usize];
        // While sizes are found from the end, the beginning of a section may be before its place.
        start.wrapping_add(place.offset.into())
    }

    /// Bytes of a section.
    pub(crate) fn size(&self, section: usize) -> u64 {
        self.starts[section].last().copied().unwrap_or(0)
    }

    /// The size of the variable part after a fragment, in bytes.
    pub(crate) fn tail(&self, sections: &[Section], section: usize, fragment: usize) -> u64 {
        let starts = &self.starts[section];
        starts[fragment + 1] - starts[fragment] - sections[section].length(fragment)
    }

    /// The first byte of a fragment.
    pub(crate) fn start(&self, section: usize, fragment: usize) -> u64 {
        self.starts[section][fragment]
    }

    /// The distance from the beginning of a section that a value is.
    pub(crate) fn offset_of(
        &self,
        evaluator: &Evaluator<'_, &Layout>,
        value: Value,
        section: usize,
    ) -> Option<i64> {
        match value {
            Value { add: None, sub: None, number } => Some(number),
            Value { add: Some(add), sub: None, number } => {
                let place = evaluator.place(add)?;
                let offset = self.offset(place) as i64;
                (place.section as usize == section).then(|| offset.wrapping_add(number))
            }
            _ => None,
        }
    }

    /// The statements of variable size that changed since an earlier layout; all such statements if none changed.
    pub(crate) fn moving(&self, before: &Layout, unit: &Unit) -> Vec<Sized> {
        let sections = unit.sections.iter().enumerate();
        let all = sections.flat_map(|(index, section)| {
            let tails = section.fragments.iter().enumerate();
            tails
                .filter(|(_, fragment)| fragment.tail.is_variable())
                .map(move |(at, _)| (index, at))
        });
        let all: Vec<Sized> = all.collect();
        let size = |layout: &Layout, (section, at): Sized| {
            layout.starts[section][at + 1].wrapping_sub(layout.starts[section][at])
        };
        let is_moving = |one: &&Sized| size(self, **one) != size(before, **one);
        let moving: Vec<Sized> = all.iter().filter(is_moving).copied().collect();
        if moving.is_empty() { all } else { moving }
    }
}

impl Distances for &Layout {
    fn distance(&self, to: FragmentOffset, from: FragmentOffset) -> Option<i64> {
        (to.section == from.section).then(|| self.offset(to).wrapping_sub(self.offset(from)) as i64)
    }
}

/// Provides the distances that are known after a fragment.
pub(crate) struct After<'l> {
    pub(crate) layout: &'l Layout,
    pub(crate) place: Sized,
}

impl Distances for After<'_> {
    fn distance(&self, to: FragmentOffset, from: FragmentOffset) -> Option<i64> {
        let is_after = |place: FragmentOffset| {
            (place.section as usize, place.fragment as usize) > self.place
                && place.section as usize == self.place.0
        };
        let distance = self.layout.distance(to, from);
        distance.filter(|_| is_after(to) && is_after(from))
    }
}
