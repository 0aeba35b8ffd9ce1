//! Other texts of rows: for which words each is, and what is read into other fields too.

use isadl_engine::image::Span;
use isadl_engine::image_text::{Alias, Copied};

use super::super::rows::{Rows, TextRow};
use super::super::shared::Slices;
use crate::isa::NameId;

/// Other texts of rows.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    /// Of each row, where its own are; none if there are none at all.
    pub(super) of: Vec<Span>,
    pub(super) list: Vec<Alias>,
    pub(super) copies: Slices<Copied>,
}

impl Aliases {
    pub(super) fn of(rows: &mut Rows<'_>) -> Aliases {
        let mut aliases = Aliases::default();
        let texts: Vec<TextRow<'_>> = rows.texts().map(|(_, text)| text).collect();
        for text in &texts {
            let Some((row, order, alias)) = text.alias else { continue };
            let opcode = text.opcode;
            let condition = alias.condition;
            let condition = condition.map_or(0, |id| rows.expr(opcode, rows.isa.expr(id)));
            let mut copy = |(to, from): &(NameId, NameId)| {
                let (to, from) = (opcode.field(*to)?, opcode.field(*from)?);
                let ((to, width), (from, _)) = (rows.place(&to.bits), rows.place(&from.bits));
                Some(Copied { to, from, width })
            };
            let copies = alias.equal.iter().filter_map(&mut copy).collect();
            let copies = aliases.copies.add(copies);
            let (mask, value) = (opcode.mask, opcode.value);
            let (order, is_printed) = (order as u32 + 1, alias.is_printed);
            aliases.list.push(Alias { row, mask, value, condition, copies, order, is_printed });
        }
        if !aliases.list.is_empty() {
            let mut next = 0;
            aliases.of.push((0, 0));
            for text in texts.iter().filter(|text| text.alias.is_none()) {
                let count = text.opcode.aliases.len() as u32;
                aliases.of.push((next, count));
                next += count;
            }
        }
        aliases
    }
}
