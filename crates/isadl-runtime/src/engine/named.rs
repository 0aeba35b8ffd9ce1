//! Lines with expressions over names in place of numbers.

use std::ops::Range;

use isadl_engine::decode::RowId;
use isadl_engine::encode::validate_in;
use isadl_engine::fields::with;
use isadl_engine::image_control::{Relocated, Relocation, UNNAMED};
use isadl_engine::names::{self, MAX_FIXUPS, Named, Names};
use isadl_engine::parse_error::ParseError;
use isadl_engine::parse_line::OperandText;
use isadl_engine::parse_names::parse_named;
use isadl_engine::relocation;
use isadl_engine::short::shorten;

use crate::isa::{self, Bits, Immediate, TypeId, TypeKind};

use super::diagnose::{self, AsmError};
use super::{EncodeError, Engine, Inst, PIECES, RelocateError, WORDS};

/// An instruction with fields that are not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assembled {
    /// The instruction, with zeros in these fields.
    pub inst: Inst,
    pub(super) fixups: [names::Fixup; MAX_FIXUPS],
    pub(super) count: usize,
}

/// Bits tried in unknown fields where a rule forbids zeros.
const OTHER_BITS: [u64; 4] = [0x5555_5555_5555_5555, u64::MAX, 0x2aaa_aaaa_aaaa_aaaa, 1];

impl Assembled {
    /// Whether there are unknown fields.
    pub fn has_fixups(&self) -> bool {
        self.count > 0
    }
}

/// A field of an instruction whose value is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixup {
    /// The expression in the line, on bytes.
    pub expression: Range<usize>,
    /// The number of the relocation that gives the value; `None` for the distance to an address without a relocation in
    /// the specification.
    pub relocation: Option<u32>,
    /// Whether the value depends on the address of the instruction.
    pub is_relative: bool,
    /// Whether the specification says how to compute the value.
    pub is_known: bool,
    /// The position of the relocation in object files, in bytes from the start of the instruction.
    pub offset: u64,
    /// The addend for object files. Linkers measure distances from the relocation's place; the addend corrects for the
    /// point that the instruction measures from.
    pub addend: i64,
    own: names::Fixup,
}

impl<'l> Engine<'l> {
    /// Assembles an instruction in the encoding that the line names. If the line is not an instruction, expressions can
    /// replace numbers: `names` evaluates them. A value that is still unknown is filled in later; it is only allowed
    /// where the specification has a relocation or a distance (`Relative`).
    ///
    /// # Errors
    ///
    /// Where the line is not an instruction.
    pub fn assemble_named(&self, line: &str, names: &dyn Names) -> Result<Assembled, AsmError> {
        self.read_named(line, names).map_err(|(error, bits)| {
            let named = Named::with_bits(names, bits);
            diagnose::diagnose(self, (line, None, Some(&named)), error)
        })
    }

    /// Assembles like [`assemble_named`](Engine::assemble_named), without a diagnosis.
    pub fn try_named(&self, line: &str, names: &dyn Names) -> Option<Assembled> {
        self.read_named(line, names).ok()
    }

    /// The instruction of a line, or its error together with the bits that unknown fields had.
    fn read_named(&self, line: &str, names: &dyn Names) -> Result<Assembled, (ParseError, u64)> {
        let named = Named::new(names);
        let mut last = match self.read_filled(line, &named) {
            Ok(found) => return Ok(found),
            Err(error) => (error, 0),
        };
        // A rule judged zeros instead of values that are not known yet. It does so again once they are.
        for bits in OTHER_BITS.into_iter().filter(|_| named.is_refused()) {
            match self.read_filled(line, &Named::with_bits(names, bits)) {
                Ok(mut found) => {
                    self.clear(&mut found);
                    return Ok(found);
                }
                Err(error) if last.1 == 0 => last = (error, bits),
                Err(_) => {}
            }
        }
        Err(last)
    }

    /// Writes zeros into the fields that are not known.
    fn clear(&self, found: &mut Assembled) {
        for fixup in &found.fixups[..found.count] {
            let (lsb, width) = fixup.field;
            found.inst.word = with(&self.image, found.inst.word, lsb, width, 0);
        }
    }

    /// Finds out whether the rules of the specification allow an instruction whose fields are all known.
    ///
    /// # Errors
    ///
    /// The message of the first rule that does not, or the special case to which the word belongs.
    pub fn judge(&self, inst: Inst) -> Result<(), String> {
        let row = self.tables.row_of[inst.opcode.index()];
        let Err(refusal) = validate_in(&self.image, self.target.set, row, inst.word) else {
            return Ok(());
        };
        let opcode = self.isa.opcode(inst.opcode);
        Err(match self.encode_error(inst.opcode, refusal) {
            EncodeError::Rule(rule) => self.isa.rule(rule).message.clone(),
            EncodeError::SpecialCase(index) => {
                let other = &opcode.special_cases[index].name;
                format!("`{}` with these values is `{other}`", opcode.name)
            }
            _ => format!("`{}` cannot have these values", opcode.name),
        })
    }

    fn read_filled(&self, line: &str, named: &Named<'_>) -> Result<Assembled, ParseError> {
        let target = (self.target, named);
        let lines = &self.image.lines;
        let fits = lines.max_words as usize <= WORDS && lines.max_pieces as usize <= PIECES;
        let (row, word) = match fits {
            true => {
                let (mut words, mut pieces) = ([(0, 0); WORDS], [OperandText::EMPTY; PIECES]);
                parse_named(&self.image, target, line, &mut words, &mut pieces)
            }
            // The instructions have very many operands.
            false => {
                let (mut words, mut pieces) = self.room();
                parse_named(&self.image, target, line, &mut words, &mut pieces)
            }
        }?;
        let (fixups, count) = named.fixups();
        Ok(Assembled { inst: Inst { opcode: self.opcode(row), word }, fixups, count })
    }

    /// The fields of an instruction whose values are not known yet.
    pub fn fixups(&self, assembled: &Assembled) -> impl Iterator<Item = Fixup> {
        let row = self.tables.row_of[assembled.inst.opcode.index()];
        let all = assembled.fixups.into_iter().take(assembled.count);
        all.map(move |own| self.fixup(row, own))
    }

    fn fixup(&self, row: RowId, own: names::Fixup) -> Fixup {
        let known = self.relocated(row, &own);
        let is_distance = relocation::distance(&self.image, row, own.field).is_some();
        let (offset, addend) = known.map_or((0, 0), |(field, known)| {
            (field.offset.into(), relocation::addend(&self.image, row, field, known))
        });
        let known = known.map(|(_, known)| known);
        Fixup {
            expression: own.expression.0 as usize..own.expression.1 as usize,
            relocation: known.map(|known| known.number),
            is_relative: match known {
                Some(known) if known.value != 0 || known.form != UNNAMED => known.is_relative,
                _ => is_distance,
            },
            is_known: known.is_none_or(|known| known.value != 0 || known.form == UNNAMED),
            offset,
            addend,
            own,
        }
    }

    /// The field of a fixup in a row, with its relocation, if any.
    fn relocated(&self, row: RowId, own: &names::Fixup) -> Option<(&'l Relocated, &'l Relocation)> {
        let known = &self.image.control.relocations[own.relocation? as usize];
        let mut fields = relocation::relocated(&self.image, row).iter();
        let field = fields.find(|field| (field.lsb, field.width) == own.field)?;
        Some((field, known))
    }

    /// The compressed encoding of an instruction, if it exists and has the same unknown fields.
    pub fn shorter(&self, assembled: &Assembled) -> Option<Assembled> {
        let row = self.tables.row_of[assembled.inst.opcode.index()];
        let (short, word) = shorten(&self.image, self.target, row, assembled.inst.word);
        if short == row {
            return None;
        }
        let mut result = *assembled;
        result.inst = Inst { opcode: self.opcode(short), word };
        for fixup in result.fixups.iter_mut().take(assembled.count) {
            *fixup = self.in_row(fixup, (row, short))?;
        }
        Some(result)
    }

    /// The fixup of another row that corresponds to a fixup of a row: the field with the same relocation, or the first
    /// distance.
    fn in_row(&self, fixup: &names::Fixup, (from, to): (RowId, RowId)) -> Option<names::Fixup> {
        let control = &self.image.control;
        let Some(index) = fixup.relocation else {
            let field = relocation::first_distance(&self.image, to)?;
            return Some(names::Fixup { field, ..*fixup });
        };
        let own = &control.relocations[index as usize];
        let name = |one: &Relocation| (one.form, control.relocation_name(one));
        let same = |row| {
            let all = relocation::relocations(&self.image, row);
            all.filter(move |(_, one)| name(one) == name(own))
        };
        let is_own = |(field, _): (&Relocated, _)| (field.lsb, field.width) == fixup.field;
        let number = same(from).position(is_own)?;
        let (field, found) = same(to).nth(number)?;
        // Rows are in the list that they are found in.
        let at = control.relocations.iter().position(|one| std::ptr::eq(one, found))?;
        let field = (field.lsb, field.width);
        Some(names::Fixup { relocation: Some(at as u32), field, ..*fixup })
    }

    /// Fills in the field of a fixup in an instruction at an address: with the relocation's value for `value`, or with
    /// the distance to it.
    ///
    /// # Errors
    ///
    /// Where the specification does not say what the value is made of, or the field cannot hold it.
    pub fn fill(
        &self,
        inst: Inst,
        fixup: &Fixup,
        value: u64,
        address: u64,
    ) -> Result<Inst, RelocateError> {
        let row = self.tables.row_of[inst.opcode.index()];
        let (own, place) = ((row, inst.word), (value, address));
        let word = match self.relocated(row, &fixup.own) {
            Some(field) => relocation::set_relocated(&self.image, own, field, place),
            None => relocation::set_distance(&self.image, own, fixup.own.field, place),
        }?;
        Ok(Inst { word, ..inst })
    }

    /// Syntax of the paired relocation that determines the value of a fixup. The instruction at the symbol's address
    /// has the paired relocation.
    pub fn pair_of(&self, inst: Inst, fixup: &Fixup) -> Option<&'l str> {
        Some(self.paired(inst, fixup)?.1.pair.as_ref()?.of.as_str())
    }

    fn paired(&self, inst: Inst, fixup: &Fixup) -> Option<(Bits, &'l isa::Relocation, TypeId)> {
        let isa = self.isa;
        let number = fixup.relocation.filter(|_| !fixup.is_known)?;
        let is_it = |one: &&isa::Relocation| one.number == number;
        let own = |immediate: &'l Immediate| immediate.relocations.iter().find(is_it);
        let mask = relocation::mask_of(&self.image, fixup.own.field);
        let found = isa.numbers_where(isa.opcode(inst.opcode), |own| !own.relocations.is_empty());
        let (bits, ty) = found.into_iter().find(|(bits, _)| bits.mask() == mask)?;
        let TypeKind::Immediate(immediate) = &isa.ty(ty).kind else { return None };
        Some((bits, own(immediate)?, ty))
    }

    /// How the relocation of a fixup is written.
    pub fn name_of(&self, fixup: &Fixup) -> &'l str {
        let control = self.image.control;
        let own = fixup.own.relocation;
        own.map_or("", |index| control.relocation_name(&control.relocations[index as usize]))
    }

    /// An instruction with the field of a fixup that has a [pair](Engine::pair_of): the address that this is of, and the
    /// address of its instruction.
    ///
    /// # Errors
    ///
    /// Where the specification does not say what the value is made of, or the field cannot hold it.
    pub fn fill_paired(
        &self,
        inst: Inst,
        fixup: &Fixup,
        value: u64,
        start: u64,
    ) -> Result<Inst, RelocateError> {
        let (bits, relocation, ty) = self.paired(inst, fixup).ok_or(RelocateError::NoValue)?;
        let given = relocation.value_of(value as i64, start as i64);
        let value = given.ok_or(RelocateError::NoValue)?;
        let TypeKind::Immediate(immediate) = &self.isa.ty(ty).kind else {
            return Err(RelocateError::NoValue);
        };
        let raw = immediate.bits_of(value, bits.width());
        let raw = raw.ok_or(RelocateError::OutOfRange { value })?;
        Ok(Inst { word: inst.word & !bits.mask() | bits.place(raw), ..inst })
    }

    /// The least and the greatest value of a distance field, if the fixup is a distance.
    pub fn reach(&self, inst: Inst, fixup: &Fixup) -> Option<(i128, i128)> {
        let row = self.tables.row_of[inst.opcode.index()];
        relocation::reach(&self.image, row, fixup.own.field)
    }

    /// Number of bytes in an instruction.
    pub fn bytes_of(&self, inst: Inst) -> usize {
        self.isa.opcode(inst.opcode).width as usize / 8
    }
}
