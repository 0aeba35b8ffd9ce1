//! What the generated parser expects of each opcode: modifiers, operands, control fields, and the
//! classes of texts by which most opcodes are ruled out.

use std::collections::BTreeMap;

use isadl::isa::{
    Binding, Field, FieldRole, Isa, Meaning, ModifierSyntax, NameId, Opcode, OperandSyntax, Piece,
    Place, TypeId, TypeKind, low_bits,
};

use super::values::{Values, literal_constants};
use crate::rust::plan::{Plan, Shared, WidthPlan};

/// Rows that stand one after another, each sequence once.
pub(super) struct Slices<T> {
    pub(super) rows: Vec<T>,
    first: BTreeMap<Vec<T>, usize>,
}

impl<T> Default for Slices<T> {
    fn default() -> Slices<T> {
        Slices { rows: Vec::new(), first: BTreeMap::new() }
    }
}

/// The first row of a sequence and their number.
pub(super) type Slice = (usize, usize);

impl<T: Clone + Ord> Slices<T> {
    /// Where a sequence of rows is.
    pub(super) fn add(&mut self, rows: Vec<T>) -> Slice {
        let count = rows.len();
        if count == 0 {
            return (0, 0);
        }
        let next = self.rows.len();
        let first = *self.first.entry(rows).or_insert_with_key(|rows| {
            self.rows.extend(rows.iter().cloned());
            next
        });
        (first, count)
    }
}

/// A modifier, or an attribute behind an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ModifierRow {
    pub(super) lsb: u32,
    pub(super) width: u32,
    pub(super) ty: usize,
    /// Its position in `ModiOrder` from 1, or 0.
    pub(super) rank: u32,
    pub(super) is_required: bool,
}

/// A mark of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MarkRow {
    pub(super) lsb: u32,
    pub(super) symbol: u8,
    /// The modifier that turns it into `~`: its bits, and a bit for each value that does.
    pub(super) extension: (u32, u32, u64),
    /// The index of the word that it is before constants, in [`Grammar::calls`], from 1; or 0.
    pub(super) call: usize,
}

/// An operand.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OperandRow {
    pub(super) place: PlaceKind,
    /// The name of a whole file, or the prefix of an indirect register.
    pub(super) text: String,
    pub(super) ty: usize,
    pub(super) lsb: u32,
    pub(super) width: u32,
    /// Type and bits of the offset of an indirect register.
    pub(super) offset: (usize, u32, u32),
    pub(super) is_optional: bool,
    /// Whether one word or number can be all of it.
    pub(super) is_plain: bool,
    /// The entry of its first registers, if it is in one of them whatever the modifiers are.
    pub(super) run: Option<usize>,
    pub(super) class: u32,
    pub(super) mark_bits: u128,
    pub(super) marks: Slice,
    pub(super) suffixes: Slice,
    /// Bits that select the format of its numbers, and where these formats begin.
    pub(super) selector: (u32, u32, usize),
    pub(super) data_width: WidthPlan,
    /// The type of the literals that its numbers are read as, and the constants with their bits.
    pub(super) literal: (usize, Slice),
    /// The bits that an operand before it has too.
    pub(super) shared: u128,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PlaceKind {
    Field,
    File,
    Indirect,
}

/// A control field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ControlRow {
    pub(super) name: String,
    pub(super) ty: usize,
    pub(super) lsb: u32,
    pub(super) width: u32,
}

/// What opcodes that are written alike share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FormRow {
    pub(super) guard: Option<usize>,
    pub(super) modifiers: Slice,
    /// A bit for each modifier that must be written.
    pub(super) required: u128,
    pub(super) operands: Slice,
    pub(super) controls: Slice,
    /// Whether the first text of each operand tells which operand it is.
    pub(super) is_simple: bool,
    /// Whether a field has no default and no text.
    pub(super) is_unwritable: bool,
}

/// Most operands, and numbers in them, of a line whose opcodes are looked up by what they begin with.
pub(super) const MAX_KINDS: usize = 8;

/// Bits of a kind in a sequence of them.
pub(super) const KIND_BITS: u32 = 6;

/// Most sequences of kinds that are looked up for one form.
const MAX_SEQUENCES: usize = 64;

/// The data of the parser.
#[derive(Default)]
pub(super) struct Grammar {
    pub(super) values: Values,
    pub(super) modifiers: Slices<ModifierRow>,
    pub(super) marks: Slices<MarkRow>,
    pub(super) operands: Shared<OperandRow>,
    /// Operands of forms, as indexes.
    pub(super) operand_lists: Slices<usize>,
    pub(super) controls: Slices<ControlRow>,
    /// Bits of literals and the values of the constants that have them, by rising bits.
    pub(super) constants: Slices<(u64, u64)>,
    /// The words of marks before constants.
    pub(super) calls: Vec<String>,
    pub(super) forms: Shared<FormRow>,
    /// For each opcode, in the order of the plan.
    pub(super) form_of: Vec<usize>,
    pub(super) defaults: Vec<u128>,
    /// The classes that a name, without its number, may begin; those that a number may begin;
    /// those that any text may begin.
    pub(super) names: BTreeMap<String, u64>,
    pub(super) number_classes: u64,
    pub(super) always_classes: u64,
    /// The classes of operands that may be several numbers.
    pub(super) multiple_classes: u64,
    classes: BTreeMap<(PlaceKind, String, usize), u32>,
}

impl Grammar {
    /// The data for the opcodes of a plan.
    pub(super) fn new(plan: &Plan<'_>) -> Grammar {
        let mut grammar = Grammar::default();
        for row in &plan.rows {
            let opcode = plan.definition(row);
            let form = grammar.form(plan, opcode);
            grammar.form_of.push(grammar.forms.add(form));
            grammar.defaults.push(default_word(opcode));
        }
        // Names that begin no operand are looked for all the same, in control fields.
        for entry in &grammar.values.entries {
            grammar.names.entry(stem(&entry.text).to_string()).or_default();
        }
        grammar
    }

    fn form(&mut self, plan: &Plan<'_>, opcode: &Opcode) -> FormRow {
        let isa = plan.isa;
        let syntax = &opcode.syntax;
        let guard = syntax.guard.as_ref().map(|guard| {
            let row = self.operand(plan, opcode, guard);
            self.operands.add(row)
        });
        let modifiers: Vec<ModifierRow> =
            syntax.modifiers.iter().filter_map(|m| self.modifier(isa, opcode, m)).collect();
        let required = modifiers.iter().enumerate().filter(|(_, row)| row.is_required);
        let required = required.fold(0, |bits, (index, _)| bits | 1 << index);
        let mut rows: Vec<OperandRow> =
            syntax.operands.iter().map(|operand| self.operand(plan, opcode, operand)).collect();
        let is_shared = set_shared(&mut rows);
        for row in &rows {
            self.multiple_classes |= u64::from(self.lanes(row) > 1) << row.class;
        }
        let is_simple = !is_shared && self.is_simple(&rows);
        let control = |control: &ModifierSyntax| {
            let field = opcode.field(control.field)?;
            let name = isa.name_of(field.name).to_string();
            let ty = self.values.ty(isa, field.ty);
            Some(ControlRow { name, ty, lsb: field.lsb, width: field.width })
        };
        let controls: Vec<ControlRow> = syntax.controls.iter().filter_map(control).collect();
        FormRow {
            guard,
            modifiers: self.modifiers.add(modifiers),
            required,
            operands: {
                let indexes = rows.into_iter().map(|row| self.operands.add(row)).collect();
                self.operand_lists.add(indexes)
            },
            controls: self.controls.add(controls),
            is_simple,
            is_unwritable: is_unwritable(opcode),
        }
    }

    fn modifier(
        &mut self,
        isa: &Isa,
        opcode: &Opcode,
        modifier: &ModifierSyntax,
    ) -> Option<ModifierRow> {
        let field = opcode.field(modifier.field)?;
        Some(ModifierRow {
            lsb: field.lsb,
            width: field.width,
            ty: self.values.ty(isa, field.ty),
            rank: modifier.rank.map_or(0, |rank| rank + 1),
            is_required: modifier.absent.is_none(),
        })
    }

    fn operand(&mut self, plan: &Plan<'_>, opcode: &Opcode, operand: &OperandSyntax) -> OperandRow {
        let isa = plan.isa;
        let marks = operand.marks.iter().filter_map(|mark| {
            let field = opcode.field(mark.field)?;
            let extension = mark.extension.and_then(|name| opcode.field(name));
            let extension = extension
                .map_or((0, 0, 0), |field| (field.lsb, field.width, written_values(isa, field.ty)));
            let call = mark.call.as_ref().map_or(0, |word| {
                let known = self.calls.iter().position(|other| other == word);
                known.unwrap_or_else(|| {
                    self.calls.push(word.clone());
                    self.calls.len() - 1
                }) + 1
            });
            Some(MarkRow { lsb: field.lsb, symbol: mark.symbol.as_char() as u8, extension, call })
        });
        let marks: Vec<MarkRow> = marks.collect();
        let marks = self.marks.add(marks);
        let suffixes: Vec<ModifierRow> =
            operand.suffixes.iter().filter_map(|s| self.modifier(isa, opcode, s)).collect();
        let mut row = OperandRow {
            place: PlaceKind::Field,
            text: String::new(),
            ty: 0,
            lsb: 0,
            width: 0,
            offset: (0, 0, 0),
            is_optional: operand.is_optional,
            is_plain: false,
            run: None,
            class: 0,
            mark_bits: mask_of(opcode, operand.marks.iter().map(|mark| mark.field)),
            marks,
            suffixes: self.modifiers.add(suffixes),
            selector: (0, 0, 0),
            data_width: data_width(plan, opcode, operand.operand),
            literal: (0, (0, 0)),
            shared: 0,
        };
        match operand.place(opcode) {
            Place::File(file) => {
                row.place = PlaceKind::File;
                row.text = isa.reg_files()[file.index()].name.clone();
            }
            Place::Indirect { file, base, offset } => {
                row.place = PlaceKind::Indirect;
                row.text = isa.prefix(file).to_string();
                self.set_field(isa, &mut row, opcode.field(base));
                if let Some(field) = offset.and_then(|offset| opcode.field(offset)) {
                    row.offset = (self.values.ty(isa, field.ty), field.lsb, field.width);
                }
            }
            Place::Field(name) => {
                let field = opcode.field(name);
                self.set_field(isa, &mut row, field);
                self.set_selector(isa, &mut row, field, opcode, operand.format);
                if let (Some(field), Some(literal)) = (field, operand.literal) {
                    let constants = literal_constants(isa, field.ty, literal);
                    row.literal = (self.values.ty(isa, literal), self.constants.add(constants));
                }
            }
        }
        row.is_plain = row.place == PlaceKind::Field
            && operand.suffixes.iter().all(|suffix| suffix.absent.is_some());
        row.run = self.values.first_run(row.ty).filter(|run| {
            let entry = &self.values.entries[*run];
            let is_single = match row.data_width {
                WidthPlan::Fixed(bits) => u32::from(bits) <= entry.register,
                WidthPlan::Computed(_) => false,
            };
            is_single && entry.align == 1 && stem(&entry.text) == entry.text
        });
        row.class = self.class(isa, &row, operand.place(opcode), opcode);
        // A mark that is a word begins the operand too.
        for word in operand.marks.iter().filter_map(|mark| mark.call.as_ref()) {
            self.name(word, row.class);
        }
        row
    }

    fn set_field(&mut self, isa: &Isa, row: &mut OperandRow, field: Option<&Field>) {
        if let Some(field) = field {
            row.ty = self.values.ty(isa, field.ty);
            (row.lsb, row.width) = (field.lsb, field.width);
        }
    }

    fn set_selector(
        &mut self,
        isa: &Isa,
        row: &mut OperandRow,
        field: Option<&Field>,
        opcode: &Opcode,
        format: Option<NameId>,
    ) {
        let Some(field) = field else { return };
        if !matches!(isa.ty(field.ty).kind, TypeKind::Immediate(_)) {
            return;
        }
        let modifier = format.and_then(|name| opcode.field(name));
        let first = self.values.selection(isa, field.ty, modifier.map(|field| field.ty));
        let (lsb, width) = modifier.map_or((0, 0), |field| (field.lsb, field.width));
        row.selector = (lsb, width, first);
    }

    /// The class of the texts that an operand may begin with. Beyond 64 kinds of operands some
    /// share a class, which rules out less.
    fn class(&mut self, isa: &Isa, row: &OperandRow, place: Place, opcode: &Opcode) -> u32 {
        let key = (row.place, row.text.clone(), row.ty);
        let next = self.classes.len() as u32 % 64;
        let class = *self.classes.entry(key).or_insert(next);
        match place {
            Place::File(_) | Place::Indirect { .. } => self.name(&row.text, class),
            Place::Field(name) => {
                if let Some(field) = opcode.field(name) {
                    self.begins(isa, field.ty, class);
                }
            }
        }
        class
    }

    fn name(&mut self, text: &str, class: u32) {
        let stem = stem(text);
        // The parser tells nothing of what does not begin with a letter.
        match stem.is_empty() {
            true => self.always_classes |= 1 << class,
            false => *self.names.entry(stem.to_string()).or_default() |= 1 << class,
        }
    }

    fn begins(&mut self, isa: &Isa, ty: TypeId, class: u32) {
        match &isa.ty(ty).kind {
            TypeKind::Immediate(_) => self.number_classes |= 1 << class,
            TypeKind::BitField(_) => self.always_classes |= 1 << class,
            TypeKind::Operand(entries) => {
                for entry in entries {
                    match &entry.meaning {
                        Meaning::Registers { prefix, .. } => self.name(prefix, class),
                        Meaning::Integers { .. } | Meaning::Float(_) => {
                            self.number_classes |= 1 << class;
                        }
                        _ => self.name(&entry.name_at(0), class),
                    }
                }
            }
            TypeKind::Composite(composite) => match composite.format.first() {
                Some(Piece::Text(text)) => self.name(text.trim(), class),
                Some(Piece::Part(_)) | None => self.always_classes |= 1 << class,
            },
        }
    }

    /// The most numbers that an operand has in text.
    fn lanes(&self, row: &OperandRow) -> usize {
        let (_, width, first) = row.selector;
        let is_number = row.place == PlaceKind::Field
            && self.values.types[row.ty].kind == super::values::Kind::Number;
        let formats = self.values.format_of.get(first..first + (1 << width)).filter(|_| is_number);
        let lanes = formats.unwrap_or_default().iter().map(|f| self.values.formats.list[*f].lanes);
        lanes.max().unwrap_or(1) as usize
    }

    /// The most operands, and numbers in them, that an instruction of a form has in text.
    pub(super) fn most_pieces(&self, form: &FormRow) -> usize {
        self.operands_of(form).map(|row| self.lanes(row)).sum()
    }

    fn operands_of(&self, form: &FormRow) -> impl DoubleEndedIterator<Item = &OperandRow> {
        let (first, count) = form.operands;
        self.operand_lists.rows[first..first + count]
            .iter()
            .map(|index| &self.operands.list[*index])
    }

    /// The kinds of texts, as the operands that they may begin; that of numbers is the first. Texts
    /// that may begin fewer operands than others are of the same kind as these, which rules out
    /// less, but keeps kinds few.
    fn kinds(&self) -> Vec<u64> {
        let is_most = |classes: &&u64| {
            self.names.values().all(|other| other == *classes || **classes & !other != 0)
        };
        let mut kinds = vec![self.number_classes];
        for classes in self.names.values().filter(is_most) {
            if !kinds.contains(classes) {
                kinds.push(*classes);
            }
        }
        kinds
    }

    /// The kind of texts that may begin operands of these classes, from 1; 0 if there are too many.
    pub(super) fn kind(&self, classes: u64) -> usize {
        let kind = self.kinds().iter().position(|kind| classes & !kind == 0);
        kind.map(|kind| kind + 1).filter(|kind| *kind < 1 << KIND_BITS).unwrap_or(0)
    }

    /// The sequences of kinds that the operands of a form may have, if they tell whether the form
    /// fits.
    pub(super) fn sequences(&self, form: &FormRow) -> Option<Vec<u64>> {
        let kinds = self.kinds();
        let is_always = |row: &OperandRow| self.always_classes >> row.class & 1 != 0;
        if !form.is_simple || self.most_pieces(form) > MAX_KINDS || kinds.len() >= 1 << KIND_BITS {
            return None;
        }
        let mut sequences = vec![0];
        for row in self.operands_of(form) {
            if is_always(row) {
                return None;
            }
            let mut longer = if row.is_optional { sequences.clone() } else { Vec::new() };
            for (index, _) in kinds.iter().enumerate().filter(|(_, k)| *k >> row.class & 1 != 0) {
                let most = if index == 0 { self.lanes(row) } else { 1 };
                for sequence in &sequences {
                    let more = |all: &u64| Some(all << KIND_BITS | (index as u64 + 1));
                    longer.extend(std::iter::successors(more(sequence), more).take(most));
                }
            }
            sequences = longer;
            if sequences.len() > MAX_SEQUENCES {
                return None;
            }
        }
        Some(sequences)
    }

    /// Whether each text can be given to the first operand whose class it has: no operand that
    /// may be left out begins like a later one, and no number follows several.
    fn is_simple(&self, rows: &[OperandRow]) -> bool {
        let begins_like = |a: u32, b: u32| {
            let both = 1u64 << a | 1 << b;
            let shares = |classes: u64| classes & both == both;
            a == b
                || self.always_classes & both != 0
                || shares(self.number_classes)
                || self.names.values().any(|classes| shares(*classes))
        };
        // A text passes over an operand only up to the next that must be written.
        let next = |index: usize| {
            let later = &rows[index + 1..];
            let required = later.iter().position(|row| !row.is_optional);
            &later[..required.map_or(later.len(), |required| required + 1)]
        };
        let is_told = |(index, row): (usize, &OperandRow)| {
            !row.is_optional || next(index).iter().all(|later| !begins_like(row.class, later.class))
        };
        let begins_with_number =
            |row: &OperandRow| (self.number_classes | self.always_classes) >> row.class & 1 != 0;
        let is_last_number = |(index, row): (usize, &OperandRow)| {
            let shares = self.multiple_classes >> row.class & 1 != 0;
            !shares || !rows[index + 1..].iter().any(begins_with_number)
        };
        rows.iter().enumerate().all(is_last_number) && rows.iter().enumerate().all(is_told)
    }
}

/// Marks the bits of operands that one before them has too; tells whether there are such.
fn set_shared(rows: &mut [OperandRow]) -> bool {
    let mut seen = 0u128;
    for row in rows.iter_mut().filter(|row| row.place == PlaceKind::Field) {
        let mask = low_bits(row.width) << row.lsb;
        row.shared = seen & mask;
        seen |= mask;
    }
    rows.iter().any(|row| row.shared != 0)
}

/// The bits of fields.
fn mask_of(opcode: &Opcode, names: impl Iterator<Item = NameId>) -> u128 {
    names.filter_map(|name| opcode.field(name)).fold(0, |bits, field| bits | field.mask())
}

/// What the parser knows a text by: its first word, without the digits that this ends in.
pub(super) fn stem(text: &str) -> &str {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let word = text.find(|c| !is_word(c)).map_or(text, |end| &text[..end]);
    word.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Bits of data in an operand; none where the specification gives no width.
pub(super) fn data_width(plan: &Plan<'_>, opcode: &Opcode, operand: usize) -> WidthPlan {
    let Some(width) = opcode.operands[operand].width else { return WidthPlan::Fixed(0) };
    match plan.constant(opcode, width) {
        Some(bits) => WidthPlan::Fixed(bits),
        None => {
            let computed = plan.computed(opcode, width);
            let index = plan.widths.iter().position(|other| *other == computed);
            WidthPlan::Computed(index.unwrap_or(0))
        }
    }
}

/// A bit for each value of a modifier that is written.
fn written_values(isa: &Isa, ty: TypeId) -> u64 {
    let TypeKind::BitField(values) = &isa.ty(ty).kind else { return 0 };
    let written = values.iter().filter(|value| !value.spelling.is_empty() && value.value < 64);
    written.fold(0, |bits, value| bits | 1 << value.value)
}

/// The word of an opcode of which nothing is written but the mnemonic.
fn default_word(opcode: &Opcode) -> u128 {
    let word = opcode.fields.iter().fold(opcode.value, |word, field| match field.binding {
        Binding::Default(raw) => field.insert(word, raw),
        Binding::Fixed(_) | Binding::Required => word,
    });
    let syntax = &opcode.syntax;
    let suffixes = syntax.guard.iter().chain(&syntax.operands).flat_map(|o| &o.suffixes);
    let unwritten = syntax.modifiers.iter().chain(suffixes);
    unwritten.fold(word, |word, modifier| match (opcode.field(modifier.field), modifier.absent) {
        (Some(field), Some(raw)) => field.insert(word, raw),
        _ => word,
    })
}

/// Whether a field has neither a value of its own nor a place in the text.
fn is_unwritable(opcode: &Opcode) -> bool {
    let syntax = &opcode.syntax;
    let is_written = |field: &Field| {
        let is_operand = |name: NameId| {
            opcode.operands.iter().any(|operand| match operand.place {
                Place::Field(other) => other == name,
                Place::Indirect { base, offset, .. } => base == name || offset == Some(name),
                Place::File(_) => false,
            })
        };
        match field.role {
            FieldRole::Operand => is_operand(field.name),
            FieldRole::Attribute { of } => is_operand(of),
            FieldRole::Modifier => syntax.modifiers.iter().any(|m| m.field == field.name),
            FieldRole::Control => true,
        }
    };
    opcode.fields.iter().any(|field| field.binding == Binding::Required && !is_written(field))
}
