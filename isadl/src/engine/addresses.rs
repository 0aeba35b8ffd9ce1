//! Lines in which distances are written as addresses.
//!
//! An address is read as the distance that it is from each address that distances may be relative to. What is
//! read so is an instruction of the line if the addresses in its own text are those of the line.

use isadl_engine::control::each_base;
use isadl_engine::decode::RowId;
use isadl_engine::parse::readings;
use isadl_engine::print_at::{self, Piece};

use super::diagnose::AsmError;
use super::{Engine, Inst, Style};

/// Most ways in which the numbers of a line are tried as addresses.
const MAX_TRIES: usize = 1 << 12;

/// A number in a line: where it begins and ends, and what it is.
type Token = (usize, usize, u64);

impl Engine<'_> {
    /// Assembles an instruction that will be at an address: what [`Engine::append_text_at`] writes as an address, in
    /// hexadecimal or as any other number without a sign, is read as the distance to it.
    pub fn assemble_from(&self, line: &str, address: u64) -> Result<Inst, AsmError> {
        Ok(self.shortest(self.assemble_exact_from(line, address)?))
    }

    /// Assembles as [`Engine::assemble_from`] does, in the encoding that the line names.
    pub fn assemble_exact_from(&self, line: &str, address: u64) -> Result<Inst, AsmError> {
        let mut bases = Vec::new();
        each_base(&self.image, address, |base| bases.push(base));
        bases.sort_unstable();
        bases.dedup();
        if bases.is_empty() {
            return self.assemble_exact(line);
        }
        let mut found: Vec<(u8, Inst)> = Vec::new();
        let tokens = tokens(line);
        // The digits of a number in this base say of each token which base it is read with; 0 is none.
        let ways = bases.len() + 1;
        let tries = u32::try_from(tokens.len()).ok().and_then(|count| ways.checked_pow(count));
        for number in 0..tries.unwrap_or(MAX_TRIES).min(MAX_TRIES) {
            let (text, targets) = with_distances(line, &tokens, &bases, number);
            self.each_reading(&text, |text, row, inst| {
                let rank = self.image.words.rows[row.get() as usize].rank;
                let is_meant = self.addresses(row, text, inst, address) == targets;
                if is_meant && !found.contains(&(rank, inst)) {
                    found.push((rank, inst));
                }
            });
        }
        found.sort_by_key(|(rank, _)| *rank);
        match found.as_slice() {
            [] => Err(self.out_of_reach(line, address)),
            [(rank, first), (other, _), ..] if rank == other => {
                // Of several that are left, the one that is printed so.
                let same = found.iter().filter(|(of, _)| of == rank);
                let dark = |text: &str| text.split_whitespace().collect::<String>();
                let is_printed = |inst: &Inst| {
                    let mut text = String::new();
                    self.append_text_at(
                        *inst,
                        (address, Style::default()),
                        |_| None::<(&str, u64)>,
                        &mut text,
                    );
                    dark(&text) == dark(line)
                };
                let printed = same.map(|(_, inst)| *inst).find(is_printed);
                Ok(printed.unwrap_or(*first))
            }
            [(_, first), ..] => Ok(*first),
        }
    }

    /// Why a line is not an instruction at an address.
    fn out_of_reach(&self, line: &str, address: u64) -> AsmError {
        let inst = match self.assemble_exact(line) {
            Ok(inst) => inst,
            Err(error) => return error,
        };
        // A number that is a distance would be an address.
        let last = tokens(line).last().map_or(0, |(start, ..)| *start);
        AsmError {
            column: line[..last].chars().count() + 1,
            message: format!("the address is out of reach from {address:#x}"),
            closest: vec![self.isa.opcode(inst.opcode).name.clone()],
            is_ambiguous: false,
        }
    }

    /// Calls `each` with the instructions that a line may mean, their rows, and the rows or aliases whose text it is.
    fn each_reading(&self, line: &str, mut each: impl FnMut(RowId, RowId, Inst)) {
        let (mut words, mut pieces) = self.room();
        let buffers = (words.as_mut_slice(), pieces.as_mut_slice());
        // A line that cannot be split has no readings.
        let _ = readings(&self.image, self.target, line, buffers, |text, row, word| {
            each(text, row, Inst { opcode: self.opcode(row), word });
        });
    }

    /// The addresses in a text of an instruction.
    fn addresses(&self, row: RowId, text: RowId, inst: Inst, address: u64) -> Vec<u64> {
        let mut bytes = vec![0; self.image.texts.room as usize];
        let mut found = Vec::new();
        let place = (inst.word, address);
        print_at::print_at(&self.image, (row, text), place, &mut bytes, |piece| match piece {
            Piece::Address(address) => found.push(address),
            Piece::Text(_) => {}
        });
        found
    }
}

/// The numbers without a sign in a line, also those after letters.
fn tokens(line: &str) -> Vec<Token> {
    let bytes = line.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let is_hexadecimal = rest.starts_with(b"0x") || rest.starts_with(b"0X");
        let (radix, prefix) = if is_hexadecimal { (16, 2) } else { (10, 0) };
        let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
        let start = at;
        let count = rest[prefix..].iter().take_while(is_digit).count();
        // Of what is not a number one byte is passed over, which need not be a character.
        at += if count == 0 { 1 } else { prefix + count };
        if count == 0 || start > 0 && bytes[start - 1] == b'-' {
            continue;
        }
        if let Ok(number) = u64::from_str_radix(&line[start + prefix..at], radix) {
            tokens.push((start, at, number));
        }
    }
    tokens
}

/// The line in which some tokens are distances, and the addresses that these were.
fn with_distances(
    line: &str,
    tokens: &[Token],
    bases: &[u64],
    mut number: usize,
) -> (String, Vec<u64>) {
    let (mut text, mut targets, mut from) = (String::new(), Vec::new(), 0);
    for (start, end, token) in tokens {
        let way = number % (bases.len() + 1);
        number /= bases.len() + 1;
        let Some(base) = way.checked_sub(1).map(|at| bases[at]) else { continue };
        text += &line[from..*start];
        text += &(token.wrapping_sub(base) as i64).to_string();
        targets.push(*token);
        from = *end;
    }
    (text + &line[from..], targets)
}
