//! Text tables of the engine: how it prints instructions and reads lines.
//!
//! `steps.rs` decides the printing steps of each opcode (`step.rs`, `merge.rs`). `plans.rs` does this for all opcodes.
//! `programs.rs` turns the steps into rows, with the texts in `chunks.rs`. `forms.rs` decides the syntax that the
//! parser expects, with the classes of operands in `classes.rs` and the tables for searches by name in `names.rs`.
//! `values.rs` holds the syntax of typed values, for both; names are in `../pool.rs`. Aliases (`aliases.rs`) have rows of
//! their own in all tables, after the other rows.

mod aliases;
mod chunks;
mod classes;
mod expected_syntax;
mod merge;
mod mnemonic;
mod names;
mod plans;
mod programs;
mod step;
mod step_cache;
mod steps;
mod values;

use std::collections::BTreeSet;

use isadl_engine::image::{FieldPiece, Span};
use isadl_engine::image_lines::{
    Control, ControlText, FirstWord, Form, LineRow, Lines, Mark, Mnemonic, Modifier, OperandForm,
    Spelled,
};
use isadl_engine::image_text::{
    Alias, BITS, CHUNK, Constant, ConstantSet, Copied, Detail, Entry, Format, Integer, LONG_CHUNK,
    Move, Notation, Omission, Program, Searched, SegmentRow, Short, Step, TYPE_COMPOSITE, Texts,
    Type,
};

use super::columns::part;
use super::relocation::Relocations;
use super::rows::Rows;
use crate::isa::{CompositeSegment, Isa, ModifierStyle, TypeId, TypeKind};
use aliases::{Aliases, Shorts};
use expected_syntax::ExpectedSyntax;
use names::{Mnemonics, OwnedNames, OwnedSequences};
pub(super) use plans::Plans;
use programs::Programs;
use values::Values;

part! {
    /// [`Texts`] with their tables.
    OwnedTexts for Texts;
    own {
        /// The type of each type number.
        pub(crate) type_ids: Vec<TypeId>,
    }
    columns {
        room: u32,
        name_sets: u32,
        is_word_style: bool,
        has_guards: bool,
        has_long_texts: bool,
        has_aligned: bool,
        after_words: u128,
        folds_case: bool,
        has_others: bool,
        has_aliases: bool,
        has_shorts: bool,
        short_of: Vec<u32>,
        shorts: Vec<Short>,
        moves: Vec<Move>,
        move_pairs: Vec<(u64, u64)>,
        aliases_of: Vec<Span>,
        aliases: Vec<Alias>,
        copies: Vec<Copied>,
        has_bits: bool,
        has_constants: bool,
        strings: String,
        names: Vec<u32>,
        types: Vec<Type>,
        entries: Vec<Entry>,
        pieces: Vec<SegmentRow>,
        part_pieces: Vec<FieldPiece>,
        formats: Vec<Format>,
        pub(crate) notations: Vec<Notation>,
        format_of: Vec<u32>,
        programs: Vec<Program>,
        steps: Vec<Step>,
        details: Vec<Detail>,
        chunks: Vec<[u8; CHUNK]>,
        long_chunks: Vec<[u8; LONG_CHUNK]>,
        integers: Vec<Integer>,
        omissions: Vec<Omission>,
        constant_sets: Vec<ConstantSet>,
        constants: Vec<Constant>,
        ranges: Vec<(u64, u64)>,
        searched: Vec<Searched>,
    }
    seen |part| {
        has_guarded_shorts: part.shorts.iter().any(|short| short.condition != 0),
    }
}

part! {
    /// [`Lines`] with their tables.
    OwnedLines for Lines;
    own {}
    columns {
        max_words: u32,
        max_pieces: u32,
        has_ranks: bool,
        has_shared: bool,
        comments: String,
        separators: String,
        number_classes: u64,
        multiple_classes: u64,
        always_classes: u64,
        has_final_dots: bool,
        has_made_modifiers: bool,
        joints: String,
        rows: Vec<LineRow>,
        spelled: Vec<Spelled>,
        forms: Vec<Form>,
        modifiers: Vec<Modifier>,
        marks: Vec<Mark>,
        operands: Vec<OperandForm>,
        operand_lists: Vec<u32>,
        controls: Vec<Control>,
        constants: Vec<(u64, u64)>,
        mnemonics: OwnedNames<Mnemonic>,
        candidates: Vec<u32>,
        sequences: OwnedSequences,
        control_texts: OwnedNames<ControlText>,
        spellings: OwnedNames<Span>,
        meanings: Vec<(u32, u64)>,
        first_words: OwnedNames<FirstWord>,
        letters: Vec<FirstWord>,
    }
    seen |part| {}
}

/// The tables of the printer and of the parser.
pub(super) fn build(
    rows: &mut Rows<'_>,
    relocations: &Relocations,
    plans: Plans,
) -> (OwnedTexts, OwnedLines) {
    let isa = rows.isa;
    let mut values = Values::new(relocations.of.clone());
    let mut forms = ExpectedSyntax::of(rows, &mut values);
    let programs = Programs::of(rows, &mut values, plans);
    // Names that begin no operand are looked for all the same, in control fields.
    for entry in &values.entries {
        let stem = isa.folded(values::stem(values.pool.name(entry.text)));
        forms.classes.names.entry(stem.into_owned()).or_default();
    }
    let stems: Vec<&String> = forms.classes.names.keys().collect();
    for entry in &mut values.entries {
        let stem = isa.folded(values::stem(values.pool.name(entry.text)));
        // INVARIANT: the stems of all entries are among the names.
        let number = stems.binary_search_by(|name| name.as_str().cmp(&stem));
        entry.stem = number.unwrap_or_default() as u32;
    }
    let lines = OwnedLines::of(rows, &mut values, forms);
    let others = (Aliases::of(rows), Shorts::of(rows));
    (OwnedTexts::of(isa, values, programs, others), lines)
}

impl OwnedTexts {
    fn of(isa: &Isa, values: Values, programs: Programs, others: (Aliases, Shorts)) -> OwnedTexts {
        let (aliases, shorts) = others;
        let (after_words, has_others) = (values.after_words(), values.has_others());
        let (strings, names) = values.pool.into_strings();
        let mut operands = isa.opcodes().iter().flat_map(|opcode| &opcode.syntax.operands);
        OwnedTexts {
            type_ids: values.ids,
            room: programs.room(),
            name_sets: isa.name_sets().len().max(1) as u32,
            is_word_style: isa.modifiers() == ModifierStyle::Words,
            has_guards: programs.list.iter().any(|program| program.guard.1 != 0),
            has_long_texts: programs.has_long_texts,
            has_aligned: values.entries.iter().any(|entry| entry.align > 1),
            after_words,
            folds_case: isa.folds_case(),
            has_others,
            has_aliases: !aliases.list.is_empty(),
            has_shorts: !shorts.list.is_empty(),
            short_of: shorts.of,
            shorts: shorts.list,
            moves: shorts.moves.into_rows(),
            move_pairs: shorts.pairs.into_rows(),
            aliases_of: aliases.of,
            aliases: aliases.list,
            copies: aliases.copies.into_rows(),
            has_bits: values.formats.list().iter().any(|format| format.letter == BITS),
            has_constants: programs.has_calls()
                || operands.any(|operand| {
                    let is_called = operand.marks.iter().any(|mark| mark.call.is_some());
                    is_called || operand.constants.is_some() || operand.literal.is_some()
                }),
            strings,
            names,
            types: values.types,
            entries: values.entries,
            pieces: values.pieces,
            part_pieces: values.part_pieces.into_rows(),
            formats: values.formats.into_list(),
            notations: values.notations.into_list(),
            format_of: values.format_of,
            programs: programs.list,
            steps: programs.steps.into_rows(),
            details: programs.details.into_list(),
            chunks: programs.chunks.list,
            long_chunks: programs.chunks.long,
            integers: programs.integers.into_list(),
            omissions: programs.omissions.into_list(),
            constant_sets: programs.constant_sets.into_list(),
            constants: programs.constants.into_rows(),
            ranges: programs.ranges.into_rows(),
            searched: programs.searched.into_list(),
        }
    }
}

impl OwnedLines {
    fn of(rows: &Rows<'_>, values: &mut Values, forms: ExpectedSyntax) -> OwnedLines {
        let mnemonics = Mnemonics::of(rows, &forms, values);
        let control_texts = names::control_texts(rows, values);
        let (spellings, meanings) = names::spellings(rows.isa, values);
        let (first_words, letters) = names::first_words(rows.isa, &forms, &mut values.pool);
        let modifiers = forms.forms.list().iter().map(|form| form.modifiers.1).max().unwrap_or(0);
        let pieces = forms.forms.list().iter().map(|form| {
            forms.operands_of(values, form).iter().map(|(_, lanes)| lanes).sum::<usize>()
        });
        let mut ranks = rows.texts().map(|(_, text)| text.rank());
        let first = ranks.next();
        let has_final_dots = forms.mnemonics.iter().any(|(_, own)| own.text.ends_with('.'));
        OwnedLines {
            max_words: modifiers + mnemonics.most_dots as u32 + 1,
            max_pieces: pieces.max().unwrap_or(0) as u32 + 2,
            has_ranks: ranks.any(|rank| Some(rank) != first),
            has_shared: forms.operands.list().iter().any(|operand| operand.shared != 0),
            comments: rows.isa.comment_syntax().own_comments(),
            separators: rows.isa.comment_syntax().own_separators(),
            number_classes: forms.classes.number,
            multiple_classes: forms.classes.multiple,
            always_classes: forms.classes.always,
            has_final_dots,
            joints: joints(rows.isa),
            has_made_modifiers: forms
                .modifiers
                .rows()
                .iter()
                .any(|modifier| values.types[modifier.ty as usize].kind == TYPE_COMPOSITE),
            rows: forms.rows,
            spelled: forms.spelled,
            forms: forms.forms.into_list(),
            modifiers: forms.modifiers.into_rows(),
            marks: forms.marks.into_rows(),
            operands: forms.operands.into_list(),
            operand_lists: forms.operand_lists.into_rows(),
            controls: forms.controls.into_rows(),
            constants: forms.constants.into_rows(),
            mnemonics: mnemonics.names,
            candidates: mnemonics.candidates,
            sequences: mnemonics.sequences,
            control_texts,
            spellings,
            meanings,
            first_words,
            letters,
        }
    }
}

/// The signs in operands and modifiers that a blank and perhaps a word follow, where modifiers are words.
fn joints(isa: &Isa) -> String {
    let mut joints = BTreeSet::new();
    let composites = isa.types().iter().filter_map(|ty| match &ty.kind {
        TypeKind::Composite(composite) if isa.modifiers() == ModifierStyle::Words => {
            Some(composite)
        }
        _ => None,
    });
    composites.for_each(|composite| add_joints(&composite.format, &mut joints));
    joints.into_iter().collect::<Vec<_>>().join("\n")
}

fn add_joints<'i>(pieces: &'i [CompositeSegment], joints: &mut BTreeSet<&'i str>) {
    let is_sign =
        |text: &&str| !text.ends_with(|c: char| c.is_alphanumeric() || "_)]}".contains(c));
    for piece in pieces {
        match piece {
            CompositeSegment::Text(text) if text.ends_with(' ') => {
                joints.extend(text.split_whitespace().last().filter(is_sign));
            }
            CompositeSegment::Optional { pieces, .. }
            | CompositeSegment::Otherwise { pieces, .. } => add_joints(pieces, joints),
            CompositeSegment::Text(_) | CompositeSegment::Part(_) | CompositeSegment::Next(..) => {}
        }
    }
}
