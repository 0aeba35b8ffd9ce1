//! Expected syntax of each opcode for the parser: modifiers, operands, control fields.

use isadl_engine::image::Span;
use isadl_engine::image_lines::{
    Control, Form, LineRow, Mark, Modifier, NONE, OperandForm, PLACE_FIELD, PLACE_FILE,
    PLACE_INDIRECT, Spelled,
};
use isadl_engine::image_text::TYPE_NUMBER;

use super::super::rows::Rows;
use super::super::shared::{Shared, Slices};
use super::classes::Classes;
use super::values::Values;
use crate::isa::{
    Binding, Field, Mnemonic, ModifierSyntax, NameId, Omission, Opcode, OperandLocation,
    OperandSyntax, TypeKind,
};

/// The syntax that the parser expects.
pub(super) struct ExpectedSyntax {
    pub(super) classes: Classes,
    pub(super) modifiers: Slices<Modifier>,
    pub(super) marks: Slices<Mark>,
    pub(super) operands: Shared<OperandForm>,
    /// Operands of forms, as numbers.
    pub(super) operand_lists: Slices<u32>,
    pub(super) controls: Slices<Control>,
    pub(super) constants: Slices<(u64, u64)>,
    pub(super) forms: Shared<Form>,
    /// The expected syntax of each text; then of texts under each mnemonic that spells field values.
    pub(super) rows: Vec<LineRow>,
    /// The texts of the latter.
    pub(super) spelled: Vec<Spelled>,
    /// All mnemonics, with the numbers of their rows.
    pub(super) mnemonics: Vec<(u32, Mnemonic)>,
}

impl ExpectedSyntax {
    pub(super) fn of(rows: &mut Rows<'_>, values: &mut Values) -> ExpectedSyntax {
        let mut forms = ExpectedSyntax {
            classes: Classes::default(),
            modifiers: Slices::default(),
            marks: Slices::default(),
            operands: Shared::default(),
            operand_lists: Slices::default(),
            controls: Slices::default(),
            constants: Slices::default(),
            forms: Shared::default(),
            // Row 0 stands for none.
            rows: vec![LineRow(0, 0)],
            spelled: Vec::new(),
            mnemonics: Vec::new(),
        };
        let opcodes: Vec<&Opcode> = rows.texts().map(|(_, text)| text.opcode).collect();
        for opcode in opcodes {
            let form = forms.form(rows, values, opcode);
            let form = forms.forms.add(form) as u32;
            forms.rows.push(LineRow(default_word(opcode), form));
        }
        forms.add_mnemonics(rows);
        forms
    }

    /// Adds the mnemonics of all texts, and rows for mnemonics that spell field values.
    fn add_mnemonics(&mut self, rows: &Rows<'_>) {
        for (text, of) in rows.texts() {
            for mnemonic in rows.isa.mnemonics(of.opcode) {
                let Omission { mask, value } = mnemonic.fields;
                if of.opcode.syntax.pieces.is_empty() {
                    self.mnemonics.push((text, mnemonic));
                    continue;
                }
                let LineRow { default, form } = self.rows[text as usize];
                self.mnemonics.push((self.rows.len() as u32, mnemonic));
                self.rows.push(LineRow(default & !mask | value | of.opcode.value, form));
                self.spelled.push(Spelled(text, mask & !of.opcode.mask));
            }
        }
    }

    fn form(&mut self, rows: &mut Rows<'_>, values: &mut Values, opcode: &Opcode) -> Form {
        let isa = rows.isa;
        let syntax = &opcode.syntax;
        let guard = syntax.guard.as_ref().map_or(NONE, |guard| {
            let guard = self.operand(rows, values, opcode, guard);
            self.operands.add(guard) as u32
        });
        let modifiers: Vec<Modifier> =
            syntax.modifiers.iter().filter_map(|m| modifier_row(rows, values, opcode, m)).collect();
        // Modifiers are fields of bits of their own, so that a word has a bit for each.
        let required = modifiers.iter().enumerate().filter(|(_, row)| row.is_required);
        let required = required.fold(0, |bits, (index, _)| bits | 1 << index);
        let mut operands: Vec<OperandForm> =
            syntax.operands.iter().map(|o| self.operand(rows, values, opcode, o)).collect();
        let fields = syntax.operands.iter().map(|operand| match operand.place(opcode) {
            OperandLocation::Field(name) => opcode.field(name).map_or(0, Field::mask),
            OperandLocation::File(_) | OperandLocation::Indirect { .. } => 0,
        });
        let is_shared = set_shared(operands.iter_mut().zip(fields));
        for operand in &operands {
            self.classes.multiple |= u64::from(lanes(values, operand) > 1) << operand.class;
        }
        let is_simple = !is_shared && self.classes.are_told(&operands);
        let mut control = |control: &ModifierSyntax| {
            let field = opcode.field(control.field)?;
            let name = values.pool.add(isa.name_of(field.name));
            let ty = values.ty(isa, field.ty);
            let (lsb, width) = rows.place(&field.bits);
            Some(Control { name, ty, lsb, width })
        };
        let controls: Vec<Control> = syntax.controls.iter().filter_map(&mut control).collect();
        let operands = operands.into_iter().map(|row| self.operands.add(row) as u32).collect();
        Form {
            guard,
            modifiers: self.modifiers.add(modifiers),
            required,
            operands: self.operand_lists.add(operands),
            controls: self.controls.add(controls),
            is_simple,
            is_unwritable: opcode.is_unwritable(),
        }
    }

    fn operand(
        &mut self,
        rows: &mut Rows<'_>,
        values: &mut Values,
        opcode: &Opcode,
        operand: &OperandSyntax,
    ) -> OperandForm {
        let isa = rows.isa;
        let marks = self.marks(rows, values, opcode, operand);
        let suffixes: Vec<Modifier> =
            operand.suffixes.iter().filter_map(|s| modifier_row(rows, values, opcode, s)).collect();
        let has_required = suffixes.iter().any(|suffix| suffix.is_required);
        let place = operand.place(opcode);
        let mut row = OperandForm {
            place: match place {
                OperandLocation::Field(_) => PLACE_FIELD,
                OperandLocation::File(_) => PLACE_FILE,
                OperandLocation::Indirect { .. } => PLACE_INDIRECT,
            },
            text: 0,
            ty: 0,
            lsb: 0,
            width: 0,
            offset: (0, 0, 0),
            is_optional: operand.is_optional,
            is_plain: matches!(place, OperandLocation::Field(_)) && !has_required,
            run: NONE,
            class: 0,
            mark_bits: mask_of(opcode, operand.marks.iter().map(|mark| mark.field)),
            marks,
            suffixes: self.modifiers.add(suffixes),
            selector: (0, 0, 0),
            data_width: rows.width(opcode, isa.written_width(opcode, operand.operand)),
            literal: 0,
            constants: (0, 0),
            shared: 0,
        };
        let mut begins = None;
        match place {
            OperandLocation::File(file) => {
                row.text = values.pool.add(&isa.reg_files()[file.index()].name);
            }
            OperandLocation::Indirect { file, base, offset } => {
                row.text = values.pool.add(isa.prefix(file));
                set_field(rows, values, &mut row, opcode.field(base));
                if let Some(field) = offset.and_then(|offset| opcode.field(offset)) {
                    let ty = values.ty(isa, field.ty);
                    let (lsb, width) = rows.place(&field.bits);
                    row.offset = (ty, lsb, width);
                }
            }
            OperandLocation::Field(name) => {
                let field = opcode.field(name);
                begins = field.map(|field| field.ty);
                set_field(rows, values, &mut row, field);
                set_selector(rows, values, &mut row, opcode, (field, operand.format));
                if let (Some(field), Some(literal)) = (field, operand.literal) {
                    let constants = values.constants(isa, (field.ty, literal));
                    row.literal = values.ty(isa, literal);
                    row.constants = self.constants.add(constants);
                }
            }
        }
        row.run = first_registers(values, &row);
        let text = values.pool.name(row.text).to_string();
        row.class = self.classes.of(isa, (row.place, row.text, row.ty), &text, begins);
        // A mark that is a word begins the operand too.
        for word in operand.marks.iter().filter_map(|mark| mark.call.as_ref()) {
            self.classes.name(isa, word, row.class);
        }
        row
    }

    fn marks(
        &mut self,
        rows: &mut Rows<'_>,
        values: &mut Values,
        opcode: &Opcode,
        operand: &OperandSyntax,
    ) -> Span {
        let isa = rows.isa;
        let marks = operand.marks.iter().filter_map(|mark| {
            let field = opcode.field(mark.field)?;
            let extension = mark.extension.and_then(|name| opcode.field(name));
            let extension = extension.map_or((0, 0, 0), |field| {
                let (lsb, width) = rows.place(&field.bits);
                (values.ty(isa, field.ty), lsb, width)
            });
            let call = mark.call.as_ref().map_or(0, |word| values.pool.add(word));
            let symbol = mark.symbol.as_char() as u8;
            Some(Mark { lsb: field.lsb() as u8, symbol, extension, call })
        });
        let marks = marks.collect();
        self.marks.add(marks)
    }

    /// The text that a row belongs to.
    pub(super) fn text(&self, row: u32) -> u32 {
        let own = self.rows.len() - self.spelled.len();
        (row as usize).checked_sub(own).map_or(row, |at| self.spelled[at].text)
    }

    /// The operands of a form, each with the largest count of numbers in its text.
    pub(super) fn operands_of(&self, values: &Values, form: &Form) -> Vec<(&OperandForm, usize)> {
        let (first, count) = form.operands;
        let list = &self.operand_lists.rows()[first as usize..][..count as usize];
        let operand = |number: &u32| {
            let row = &self.operands.list()[*number as usize];
            (row, lanes(values, row))
        };
        list.iter().map(operand).collect()
    }
}

fn modifier_row(
    rows: &mut Rows<'_>,
    values: &mut Values,
    opcode: &Opcode,
    modifier: &ModifierSyntax,
) -> Option<Modifier> {
    let field = opcode.field(modifier.field)?;
    let (lsb, width) = rows.place(&field.bits);
    Some(Modifier {
        lsb,
        width,
        ty: values.ty(rows.isa, field.ty),
        rank: modifier.rank.map_or(0, |rank| rank + 1),
        is_required: modifier.absent.is_none(),
    })
}

fn set_field(
    rows: &mut Rows<'_>,
    values: &mut Values,
    row: &mut OperandForm,
    field: Option<&Field>,
) {
    if let Some(field) = field {
        row.ty = values.ty(rows.isa, field.ty);
        (row.lsb, row.width) = rows.place(&field.bits);
    }
}

/// Sets the modifier that selects the format of a numeric operand.
fn set_selector(
    rows: &mut Rows<'_>,
    values: &mut Values,
    row: &mut OperandForm,
    opcode: &Opcode,
    (field, format): (Option<&Field>, Option<NameId>),
) {
    let isa = rows.isa;
    let Some(field) = field else { return };
    if !matches!(isa.ty(field.ty).kind, TypeKind::Immediate(_)) {
        return;
    }
    let modifier = format.and_then(|name| opcode.field(name));
    let first = values.selection(isa, field.ty, modifier.map(|field| field.ty));
    let (lsb, width) = modifier.map_or((0, 0), |field| rows.place(&field.bits));
    row.selector = (lsb, width, first);
}

/// The entry of an operand's first registers, if the operand can be such a register under all modifiers.
fn first_registers(values: &Values, row: &OperandForm) -> u32 {
    if row.place != PLACE_FIELD {
        return NONE;
    }
    let run = values.first_run(row.ty).filter(|run| {
        let entry = &values.entries[*run as usize];
        let is_single = row.data_width.expr == 0 && row.data_width.bits <= entry.register;
        is_single && entry.align == 1 && entry.is_stem
    });
    run.unwrap_or(NONE)
}

/// The most numbers that an operand has in text.
fn lanes(values: &Values, row: &OperandForm) -> usize {
    if row.place != PLACE_FIELD || values.types[row.ty as usize].kind != TYPE_NUMBER {
        return 1;
    }
    let (_, width, first) = row.selector;
    let formats = &values.format_of[first as usize..][..1 << width];
    let lanes = formats.iter().map(|format| values.formats.list()[*format as usize].lanes);
    lanes.max().map_or(1, usize::from)
}

/// Marks operand bits that an earlier operand also has; returns whether there are any. Each operand comes with the bits
/// of its field.
fn set_shared<'r>(rows: impl Iterator<Item = (&'r mut OperandForm, u128)>) -> bool {
    let (mut seen, mut is_shared) = (0u128, false);
    for (row, mask) in rows {
        row.shared = seen & mask;
        seen |= mask;
        is_shared |= row.shared != 0;
    }
    is_shared
}

/// The bits of fields.
fn mask_of(opcode: &Opcode, names: impl Iterator<Item = NameId>) -> u128 {
    names.filter_map(|name| opcode.field(name)).fold(0, |bits, field| bits | field.mask())
}

/// The word of an opcode when only the mnemonic is written.
fn default_word(opcode: &Opcode) -> u128 {
    let word = opcode.fields.iter().fold(opcode.base(), |word, field| match field.binding {
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
