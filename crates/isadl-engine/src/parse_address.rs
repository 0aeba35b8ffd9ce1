//! Numbers that are made of addresses: distances, where the address of the instruction is known, and what
//! relocations give, such as `%hi(0x12345678)`.

use super::bits::low_bits;
use super::control::{base_of, is_sum, relatives};
use super::expr::eval_numbers;
use super::fields::with;
use super::image::{Tables, slice};
use super::image_control::{AFTER, BEFORE, FUNCTION, Relative, Relocation, UNNAMED};
use super::image_text::{Format, Notation};
use super::parse_cursor::Cursor;
use super::parse_error::{Failure, Reason, expected, fail};
use super::parse_integer::{Integer, integer_bits, numbers, read_integer};
use super::parse_line::{ValueSlot, WORD, is};
use super::relocation::{mask_of, relocated};

impl<'a, T: Tables<'a>> Cursor<'_, 'a, T> {
    /// Reads a number that is made of an address; `None` if it is not such a one, and nothing is taken.
    #[cold]
    pub(crate) fn of_address(
        &mut self,
        format: &Format,
        notation: &Notation,
    ) -> Option<Result<u64, Failure>> {
        let start = self.at;
        let image = self.line.image();
        for relocation in slice(image.control.relocations, notation.relocations) {
            self.take(image.texts.bytes(notation.prefix));
            self.skip_space();
            let at = self.at;
            if let Some(address) = self.relocated(relocation) {
                let value =
                    address.and_then(|address| self.value_of_relocation(relocation, address, at));
                let bits = |value| {
                    let integer = Integer { value, is_pattern: false };
                    integer_bits(integer, at, (format, Some(notation)))
                };
                return Some(value.and_then(bits));
            }
            self.at = start;
        }
        let bits = self.distance(format, notation);
        self.at = if bits.is_none() { start } else { self.at };
        bits
    }

    /// The address that a relocation is of, if this is written.
    fn relocated(&mut self, relocation: &Relocation) -> Option<Result<i64, Failure>> {
        let (first, length) = relocation.name;
        let names = self.line.image().control.relocation_names.as_bytes();
        let name = names.get(first as usize..(first + length) as usize)?;
        match relocation.form {
            FUNCTION => (self.take(name) && self.take(b"(")).then(|| {
                let address = self.address()?;
                if self.take(b")") { Ok(address) } else { expected(self.at, "`)`") }
            }),
            BEFORE => self.take(name).then(|| self.address()),
            AFTER if self.is_number(self.at) || self.peek() == b'-' => {
                let address = self.address();
                (self.take(name) && !is(self.peek(), WORD)).then_some(address)
            }
            _ => None,
        }
    }

    /// The value that a relocation gives for an address.
    fn value_of_relocation(
        &self,
        relocation: &Relocation,
        address: i64,
        at: usize,
    ) -> Result<i128, Failure> {
        let start = match self.line.address {
            _ if relocation.value == 0 => return fail(at, Reason::Linker),
            None if relocation.is_relative => return fail(at, Reason::NoAddress),
            start => start.unwrap_or(0) as i64,
        };
        Ok(eval_numbers(self.line.image(), relocation.value, (address, start)))
    }

    /// The bits of the distance to an address, where the address of the instruction is known.
    fn distance(&mut self, format: &Format, notation: &Notation) -> Option<Result<u64, Failure>> {
        let start = self.line.address.filter(|_| notation.is_relative && !self.is_added())?;
        let field = self.relative()?;
        let image = self.line.image();
        self.take(image.texts.bytes(notation.prefix));
        self.skip_space();
        let at = self.at;
        let address = match self.address() {
            Ok(address) => address,
            Err(failure) => return Some(Err(failure)),
        };
        let relocations = slice(image.control.relocations, notation.relocations).iter();
        let mut own = relocations.filter(|one| one.form == UNNAMED && one.value != 0);
        let value = match own.next() {
            Some(own) => eval_numbers(image, own.value, (address, start as i64)),
            None => {
                let base = base_of(image, self.line.place.get().row, field, start);
                address.wrapping_sub(base as i64).into()
            }
        };
        let integer = Integer { value, is_pattern: false };
        let bits = integer_bits(integer, at, (format, Some(notation)));
        let out_of_reach =
            |failure| Failure { reason: Reason::OutOfReach(numbers(format)), ..failure };
        Some(bits.map_err(out_of_reach))
    }

    /// Whether the next text is added to the text before it. Then a distance is written as a distance.
    pub(crate) fn is_added(&self) -> bool {
        let start = self.piece.start as usize;
        is_sum(self.line.bytes.get(start..self.at).unwrap_or_default())
    }

    /// The distance that is being read: the one with the bits of its place.
    fn relative(&self) -> Option<&'a Relative> {
        let mut all = relatives(self.line.image(), self.line.place.get().row).iter();
        all.find(|field| self.is_here((field.lsb, field.width)))
    }

    /// The field that is being read, if it has relocations, or is a distance.
    pub(crate) fn field_of_address(&self, is_relocated: bool) -> Option<(u16, u8)> {
        if !is_relocated {
            return self.relative().map(|field| (field.lsb, field.width));
        }
        let all = relocated(self.line.image(), self.line.place.get().row).iter();
        all.map(|field| (field.lsb, field.width)).find(|field| self.is_here(*field))
    }

    /// Whether a field has the bits of the place that is being read.
    fn is_here(&self, field: (u16, u8)) -> bool {
        let image = self.line.image();
        let ValueSlot { field: (lsb, width), part, .. } = self.line.place.get();
        let own = with(image, 0, lsb, width, part & low_bits(width.into()));
        own == mask_of(image, field)
    }

    /// A number of 64 bits, with or without sign.
    fn address(&mut self) -> Result<i64, Failure> {
        self.skip_space();
        let start = self.at;
        match read_integer(self.number()) {
            Some(Integer { value, .. }) if (i64::MIN.into()..=u64::MAX.into()).contains(&value) => {
                Ok(value as i64)
            }
            Some(_) => fail(start, Reason::TooWide(64)),
            None => expected(start, "an integer"),
        }
    }
}
