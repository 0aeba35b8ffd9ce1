//! The fastest decoders that we know, written for one instruction set each. One multiplication gathers the bits that
//! distinguish opcodes, one lookup leads to the row of the opcode, and the row has all remaining checks. The engine's
//! additional time is the price of being general.

/// A decoder of RV32I.
pub struct Rv32i {
    table: Box<[u16; 1 << RV32I_BITS]>,
    rows: Box<[Rv32iRow; 64]>,
}

/// The bits that tell the opcodes of RV32I apart, and the factor that brings them together.
const RV32I_MASK: u32 = 0x4010_707c;
const RV32I_FACTOR: u64 = 0x0100_0422_0000_0000;
const RV32I_BITS: u32 = 10;

#[derive(Clone, Copy)]
struct Rv32iRow {
    mask: u32,
    value: u32,
    opcode: u16,
}

impl Rv32i {
    /// The decoder of opcodes with these fixed bits and their values; `None` if these cannot be told apart.
    pub fn new(fixed: &[(u32, u32)]) -> Option<Rv32i> {
        let unknown = Rv32iRow { mask: 0, value: 1, opcode: 0 };
        let mut decoder = Rv32i { table: Box::new([0; 1024]), rows: Box::new([unknown; 64]) };
        for (opcode, (mask, value)) in fixed.iter().enumerate() {
            let row = opcode + 1;
            *decoder.rows.get_mut(row)? =
                Rv32iRow { mask: *mask, value: *value, opcode: opcode as u16 };
            for word in subsets(RV32I_MASK & !mask).map(|open| open | value & RV32I_MASK) {
                let entry = &mut decoder.table[gather(word)];
                if *entry != 0 {
                    return None;
                }
                *entry = row as u16;
            }
        }
        Some(decoder)
    }

    /// The number of a word's opcode.
    #[inline(always)]
    pub fn decode(&self, word: u32) -> Option<u16> {
        let row = &self.rows[usize::from(self.table[gather(word)]) % 64];
        (word & row.mask == row.value).then_some(row.opcode)
    }
}

#[inline(always)]
fn gather(word: u32) -> usize {
    (u64::from(word & RV32I_MASK).wrapping_mul(RV32I_FACTOR) >> (64 - RV32I_BITS)) as usize
}

/// The words whose bits are all within a mask.
fn subsets(mask: u32) -> impl Iterator<Item = u32> {
    let mut next = Some(mask);
    std::iter::from_fn(move || {
        let subset = next?;
        next = (subset != 0).then(|| (subset - 1) & mask);
        Some(subset)
    })
}

/// A decoder of SIMT, as far as its types go: rules are not checked.
pub struct Simt {
    table: Box<[u16; 1 << 12]>,
    rows: Box<[SimtRow; 256]>,
}

/// The bits of SIMT that are all that an opcode fixes.
const SIMT_MASK: u128 = 0xfff;
/// The start bits of the two 64-bit windows that reveal values without a meaning.
const WINDOWS: [u32; 2] = [76, 82];

#[derive(Clone, Copy, Default)]
struct SimtRow {
    sums: [Sum; 2],
    opcode: u16,
}

/// A value without a meaning shows as a carry of `(word & mask) + addend`.
#[derive(Clone, Copy, Default)]
struct Sum {
    mask: u64,
    addend: u64,
    carry: u64,
}

/// The facts about an opcode that the decoder of SIMT needs: fixed bits and their values, and the fields with a gap at
/// the end of their type. A field is given by its lowest bit, width and first value without a meaning.
pub struct SimtOpcode {
    /// The fixed bits.
    pub mask: u128,
    /// Their values.
    pub value: u128,
    /// The fields with a gap.
    pub gaps: Vec<(u32, u32, u64)>,
}

impl Simt {
    /// The decoder of these opcodes; `None` if they belong to another instruction set.
    pub fn new(opcodes: &[SimtOpcode]) -> Option<Simt> {
        // The row of no opcode refuses every word.
        let none = Sum { mask: 0, addend: 1, carry: 1 };
        let mut decoder =
            Simt { table: Box::new([0; 4096]), rows: Box::new([SimtRow::default(); 256]) };
        decoder.rows[0].sums[0] = none;
        for (number, opcode) in opcodes.iter().enumerate() {
            let row = decoder.rows.get_mut(number + 1)?;
            row.opcode = number as u16;
            for gap in &opcode.gaps {
                let place = |(sum, start): (&mut Sum, u32)| sum.add(*gap, start);
                row.sums.iter_mut().zip(WINDOWS).find_map(place)?;
            }
            if opcode.mask != SIMT_MASK {
                return None;
            }
            decoder.table[(opcode.value & SIMT_MASK) as usize] = number as u16 + 1;
        }
        Some(decoder)
    }

    /// The number of a word's opcode.
    #[inline(always)]
    pub fn decode(&self, word: u128) -> Option<u16> {
        let row = &self.rows[usize::from(self.table[(word & SIMT_MASK) as usize]) % 256];
        let carries = |at: usize| {
            let (sum, window) = (&row.sums[at], (word >> WINDOWS[at]) as u64);
            (window & sum.mask).wrapping_add(sum.addend) & sum.carry
        };
        (carries(0) | carries(1) == 0).then_some(row.opcode)
    }
}

impl Sum {
    /// Adds a field to a sum over the 64 bits from `start` on, if there is room.
    fn add(&mut self, (lsb, width, first): (u32, u32, u64), start: u32) -> Option<()> {
        let low = lsb.checked_sub(start).filter(|low| low + width < 64)?;
        if (self.mask | self.carry) >> low != 0 {
            return None;
        }
        let all = (1u64 << width) - 1;
        self.mask |= all << low;
        self.addend |= (all + 1 - first) << low;
        self.carry |= 1 << (low + width);
        Some(())
    }
}
