//! Aliases of rows: the words of each, and the fields that reading it also sets. Compressed encodings.

use isadl_engine::image::Span;
use isadl_engine::image_text::{Alias, Copied, Move, Short};

use super::super::rows::{Rows, TextRow};
use super::super::shared::Slices;
use crate::isa::{self, Expr, ExprId, NameId, Opcode};

/// Other texts of rows.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    /// The aliases of each row; empty if there are no aliases at all.
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
            let condition = condition.map_or(0, |id| rows.condition(opcode, rows.isa.expr(id)));
            let mut copy = |(to, is): &(NameId, ExprId)| {
                let (to, width) = rows.place(&opcode.field(*to)?.bits);
                Some(Copied { to, width, value: rows.expr(opcode, rows.isa.expr(*is)) })
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

/// Shorter encodings.
#[derive(Debug, Default)]
pub(super) struct Shorts {
    /// The number of each row's compressed encoding, from 1; empty if there are no compressed encodings at all.
    pub(super) of: Vec<u32>,
    pub(super) list: Vec<Short>,
    pub(super) moves: Slices<Move>,
    pub(super) pairs: Slices<(u64, u64)>,
}

impl Shorts {
    pub(super) fn of(rows: &mut Rows<'_>) -> Shorts {
        let mut shorts = Shorts::default();
        let all: Vec<(u32, &Opcode)> = rows.numbered().collect();
        for (row, opcode) in &all {
            let Some(short) = opcode.shorter() else { continue };
            // The long encoding of the same generations; a selection may lack it.
            let is_long = |(_, long): &&(u32, &Opcode)| {
                let shares = long.generations.bits() & opcode.generations.bits() != 0;
                long.name == short.of && !long.has_literal() && shares
            };
            let Some((long, form)) = all.iter().find(is_long) else { continue };
            let mut step = |one: &isa::Move| {
                let (to, to_width) = rows.place(&form.field(one.to)?.bits);
                let mut own = |name| Some(rows.place(&opcode.field(name)?.bits));
                let ((from, from_width), (is_signed, factor, offset), pairs) = match &one.is {
                    isa::Moved::Bits(raw) => ((0, 0), (false, 0, *raw as i64), (0, 0)),
                    isa::Moved::Line { from, is_signed, factor, offset } => {
                        (own(*from)?, (*is_signed, *factor, *offset), (0, 0))
                    }
                    isa::Moved::Listed { from, pairs } => {
                        (own(*from)?, (false, 0, 0), shorts.pairs.add(pairs.clone()))
                    }
                };
                Some(Move { to, to_width, from, from_width, is_signed, factor, offset, pairs })
            };
            let moves: Option<Vec<Move>> = short.moves.iter().map(&mut step).collect();
            let Some(moves) = moves else { continue };
            let moves = shorts.moves.add(moves);
            let condition = match short.requires.is_always() {
                true => 0,
                false => rows.expr(opcode, &Expr::Extensions(short.requires.clone())),
            };
            shorts.list.push(Short { row: *row, long: *long, moves, condition });
        }
        shorts.list.sort_by_key(|short| (short.long, short.row));
        if !shorts.list.is_empty() {
            shorts.of = vec![0; all.len() + 1];
            for (at, short) in (1..).zip(&shorts.list) {
                shorts.of[short.row as usize] = at;
            }
        }
        shorts
    }
}
