//! Verifies an image that was read from a file: every reference in its tables leads to a row that is there, and every search ends.
//!
//! The engine follows references without checks of its own. Values that it looks up with `get`, or only copies into texts, need no
//! verification.

mod lines;
mod texts;
mod values;
mod words;

use isadl_engine::expr::{
    BIT_NOT, HAS, IF, LOOKUP, MAX_SEQUENCE, NEG, NOT, NUMBER, PAIR, REPEAT, ROR, SIGNED, UNSIGNED,
};
use isadl_engine::fields::IN_PIECES;
use isadl_engine::image::{Expr, Image, Span, Width};
use isadl_engine::image_flow::{EFFECT, KIND, LOOKED_UP, MEMORY, OF, SPECIAL, WHEN, WIDE_MEMORY};

use super::OwnedImage;
use crate::isa::Isa;

/// Most bytes of a text, and words and operands of a line: far more than any instruction set has.
const MAX_ROOM: u32 = 1 << 16;

impl OwnedImage {
    /// Verifies the tables of an instruction set.
    ///
    /// # Errors
    ///
    /// The kind of row with the first invalid reference.
    pub fn verify(&self, isa: &Isa) -> Result<(), &'static str> {
        let verify = Verify { image: self.view(), memory_types: &self.flows.memory_types };
        let opcodes = isa.opcodes().len();
        let facts: [(bool, &'static str); 10] = [
            (self.rows.iter().all(|id| id.index() < opcodes), "opcodes of rows"),
            (self.rows.len() + 1 == self.words.view().rows.len(), "the number of rows"),
            (verify.expressions(), "expressions"),
            (verify.fields(), "fields"),
            (verify.words(), "look-ups"),
            (verify.texts(), "steps and names"),
            (verify.aliases(isa, &self.rows), "aliases"),
            (verify.lines(), "lines"),
            (verify.flows(isa) && verify.control(), "data flow"),
            (verify.values(isa), "operands"),
        ];
        match facts.into_iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(what),
            None => Ok(()),
        }
    }
}

/// Whether a span is within a list.
fn list<T>(all: &[T], (first, count): Span) -> bool {
    first as usize + count as usize <= all.len()
}

/// Whether a number is that of a row.
fn row<T>(all: &[T], number: impl Into<u64>) -> bool {
    number.into() < all.len() as u64
}

struct Verify<'i> {
    image: Image<'i>,
    memory_types: &'i [crate::isa::TypeId],
}

impl Verify<'_> {
    fn expressions(&self) -> bool {
        let words = &self.image.words;
        let sequence = |nodes: &[Expr]| {
            nodes.len() <= MAX_SEQUENCE
                && nodes.iter().enumerate().all(|(at, node)| self.node(nodes, at, node, true))
        };
        let all = words.exprs;
        (1..all.len()).all(|at| self.node(all, at, &all[at], false))
            && words.computed.iter().all(|own| {
                row(all, own.expr)
                    && list(words.sequences, own.nodes)
                    && sequence(isadl_engine::image::slice(words.sequences, own.nodes))
                    && (own.step != 0 || list(words.encodings, own.encodings))
            })
    }

    /// Whether a node refers to nodes before it, and to numbers and fields that are there.
    fn node(&self, nodes: &[Expr], at: usize, node: &Expr, is_sequence: bool) -> bool {
        let words = &self.image.words;
        let is_before = |operand: u32| (operand as usize) < at;
        let field = || match is_sequence {
            true => node.right <= 64,
            false => {
                node.left <= u16::MAX.into()
                    && node.right <= u8::MAX.into()
                    && self.field(node.left as u16, node.right as u8)
            }
        };
        match node.op {
            NUMBER | HAS => row(words.numbers, node.left),
            UNSIGNED => field(),
            SIGNED => field() && node.right > 0,
            LOOKUP => row(words.conditions, node.left) && self.table(node.left as usize),
            NEG | NOT | BIT_NOT => is_before(node.left),
            IF | ROR | REPEAT => {
                let pair = |pair: u32| is_before(pair) && nodes[pair as usize].op == PAIR;
                is_before(node.left) && pair(node.right)
            }
            op if op < LOOKUP => is_before(node.left) && is_before(node.right),
            _ => false,
        }
    }

    /// Whether bits are within a word, or those of a field in pieces.
    fn field(&self, lsb: u16, width: u8) -> bool {
        let words = &self.image.words;
        match lsb.checked_sub(IN_PIECES) {
            Some(number) if !words.scattered.is_empty() => row(words.scattered, number),
            _ => width <= 64 && u32::from(lsb) + u32::from(width) <= 128,
        }
    }

    fn width(&self, width: Width) -> bool {
        width.expr == 0 || row(self.image.words.exprs, width.expr)
    }

    fn fields(&self) -> bool {
        let words = &self.image.words;
        let scattered = words.scattered.iter().all(|pieces| list(words.pieces, *pieces));
        let rows = words.rows.iter().skip(1).all(|own| {
            let conditions = [own.conditions, own.advice];
            own.width > 0
                && own.width <= 128
                && conditions.into_iter().all(|first| self.conditions(first))
                && list(words.fields, own.fields)
                && list(words.rules, own.rules)
                && list(words.cases, own.cases)
                && list(words.operands, own.operands)
        });
        let sets = words.presence.iter().chain(words.case_presence);
        scattered
            && rows
            && words.pieces.iter().all(|piece| piece.lsb < 128 && piece.shift < 64)
            && words.fields.iter().all(|own| {
                self.field(own.lsb, own.width) && list(words.reserved_values, own.reserved_values)
            })
            && words
                .operands
                .iter()
                .all(|own| self.field(own.lsb, own.width) && self.width(own.data))
            && words.rules.iter().all(|own| row(words.exprs, own.expr))
            && sets.into_iter().all(|terms| list(words.terms, *terms))
            && [0, words.rows.len(), words.rows.len() + self.image.texts.aliases.len()]
                .contains(&words.presence.len())
            && [0, words.cases.len()].contains(&words.case_presence.len())
    }

    fn name(&self, number: u32) -> bool {
        row(self.image.texts.names, number)
    }

    fn flows(&self, isa: &Isa) -> bool {
        let (words, flows) = (&self.image.words, &self.image.flows);
        let owner = |kind: u8, of: u32| match kind {
            MEMORY | WIDE_MEMORY => row(self.memory_types, of),
            SPECIAL => row(isa.specials(), of),
            _ => row(isa.reg_files(), of),
        };
        let used = |packed: u64| {
            let of = (packed >> OF) as u32 & ((1 << (EFFECT - OF)) - 1);
            owner((packed >> KIND) as u8, of)
        };
        [0, words.rows.len()].contains(&flows.of_row.len())
            && flows.of_row.iter().all(|own| row(flows.flows, *own))
            && flows.flows.iter().all(|own| {
                list(flows.items, own.usual_items)
                    && list(flows.items, own.items)
                    && list(flows.guards, own.guards)
            })
            && flows.items.iter().all(|item| {
                let number = item.uses[0] as u32;
                item.lsb < 128
                    && match item.kind {
                        LOOKED_UP => row(flows.lookups, number),
                        WHEN => row(words.exprs, number),
                        _ => item.uses.into_iter().all(used),
                    }
            })
            && flows.lookups.iter().all(|own| {
                self.field(own.lsb, own.width) && list(flows.runs, own.runs) && self.width(own.data)
            })
            && flows.runs.iter().all(|own| own.align > 0 && owner(own.kind, own.of))
            && usize::from(flows.reach) <= isadl_engine::image_flow::MAX_REACH
            && flows.room < MAX_ROOM
    }

    fn control(&self) -> bool {
        let (words, control) = (&self.image.words, &self.image.control);
        let rows = |own: &[Span]| [0, words.rows.len()].contains(&own.len());
        rows(control.classes_of)
            && rows(control.targets_of)
            && rows(control.relocated_of)
            && control.classes_of.iter().all(|own| list(control.classes, *own))
            && control.targets_of.iter().all(|own| list(control.targets, *own))
            && control.relocated_of.iter().all(|own| list(control.relocated, *own))
            && control.classes.iter().all(|own| row(words.exprs, own.condition))
            && control.targets.iter().all(|own| {
                self.field(own.lsb, own.width) && own.align.is_power_of_two() && own.here < 16
            })
            && control.relocated.iter().all(|own| {
                self.field(own.lsb, own.width)
                    && own.scale != 0
                    && (own.computed == 0 || row(words.computed, own.computed))
                    && list(control.relocations, own.list)
            })
            && control.relocations.iter().all(|own| {
                let (first, count) = own.name;
                let range = first as usize..first as usize + count as usize;
                control.relocation_names.get(range).is_some() && row(words.exprs, own.value)
            })
    }
}
