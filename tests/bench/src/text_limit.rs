//! The fastest writer of texts that we know, for SIMT. Before measuring, all texts that up to ten bits of the word
//! choose are stored in tables of 16 bytes. The measured work per text is one multiplication, which gathers its bits,
//! and one load and store of 16 bytes. Only numbers of more than ten bits are computed, eight digits at once. Nothing
//! checks that there is room, nor that indexes are within tables. The engine's additional time is the price of being
//! general, and safe.

use crate::text_segments::TextSegment;

/// Bytes that are stored at once: text, and its length in the last.
type Chunk = [u8; 16];

/// Limit on the bits that choose a text.
const MAX_BITS: u32 = 10;

/// Bytes that a text may take, with those after it that are overwritten.
pub const ROOM: usize = 256;

/// A writer of texts.
pub struct Writer {
    chunks: Vec<Chunk>,
    steps: Vec<Step>,
    /// The first step of each opcode, and the step after its last.
    programs: Vec<(u32, u32)>,
}

/// One store.
struct Step {
    mask: u64,
    /// 0 for a number, and where [`Step::far`] counts.
    factor: u64,
    /// A bit of the upper half of the word, too far from the others; 64 if there is none.
    far: u8,
    shift: u8,
    /// Which half of the word the bits are in: the lower, the middle or the upper.
    window: u8,
    is_signed: bool,
    first: u32,
}

/// A text that bits choose.
struct Choice {
    bits: u128,
    text: Box<dyn Fn(u128) -> String>,
}

impl Writer {
    /// The writer of opcodes, each with its fixed bits and its pieces, by their numbers. `None` if the bits of a
    /// piece cannot be brought together.
    pub fn new(opcodes: Vec<(u128, Vec<TextSegment>)>) -> Option<Writer> {
        let mut writer = Writer { chunks: Vec::new(), steps: Vec::new(), programs: Vec::new() };
        for (fixed, pieces) in opcodes {
            let first = writer.steps.len() as u32;
            let mut pending: Option<Choice> = None;
            for piece in pieces {
                match piece {
                    TextSegment::Chosen { bits, text } => {
                        let next = Choice { bits: bits & !fixed, text };
                        pending = match pending.take() {
                            None => Some(next),
                            Some(before) => match joined(before, next) {
                                Ok(both) => Some(both),
                                Err((before, next)) => {
                                    writer.add(&before)?;
                                    Some(next)
                                }
                            },
                        };
                    }
                    TextSegment::Hex { lsb, width, is_signed } => {
                        if let Some(before) = pending.take() {
                            writer.add(&before)?;
                        }
                        let window = (lsb / 32).min(2);
                        let (mask, shift) = ((1 << width) - 1, (lsb - 32 * window) as u8);
                        let (factor, window, first) = (0, window as u8, width);
                        writer.steps.push(Step {
                            mask,
                            factor,
                            far: 64,
                            shift,
                            window,
                            is_signed,
                            first,
                        });
                    }
                }
            }
            if let Some(last) = pending {
                writer.add(&last)?;
            }
            writer.programs.push((first, writer.steps.len() as u32));
        }
        Some(writer)
    }

    fn add(&mut self, choice: &Choice) -> Option<()> {
        let step = step(choice.bits)?;
        let all: Vec<u128> = words(choice.bits).collect();
        let texts: Vec<String> = all.iter().map(|word| (choice.text)(*word)).collect();
        let longest = texts.iter().map(String::len).max().unwrap_or(0);
        for at in (0..longest).step_by(15) {
            let first = self.chunks.len();
            self.chunks.resize(first + all.len(), [0; 16]);
            for (word, text) in all.iter().zip(&texts) {
                let part = text.as_bytes().get(at..).unwrap_or_default();
                let part = &part[..part.len().min(15)];
                let chunk = &mut self.chunks[first + step.index(&windows(*word)) as usize];
                chunk[..part.len()].copy_from_slice(part);
                chunk[15] = part.len() as u8;
            }
            self.steps.push(Step { first: first as u32, ..step });
        }
        Some(())
    }

    /// Writes the text of an opcode's word and returns its length.
    ///
    /// # Safety
    ///
    /// The opcode has a number below that of those given; the text fits, with [`ROOM`].
    #[inline]
    pub unsafe fn write(&self, opcode: usize, word: u128, out: *mut u8) -> usize {
        let windows = windows(word);
        let mut len = 0;
        // SAFETY: programs, steps and tables only contain valid indexes, and there is room for the text.
        unsafe {
            let (first, end) = *self.programs.get_unchecked(opcode);
            for step in self.steps.get_unchecked(first as usize..end as usize) {
                if step.factor == 0 && step.far == 64 {
                    let part = *windows.get_unchecked(usize::from(step.window));
                    let raw = part >> step.shift & step.mask;
                    len += hexadecimal(raw as u32, step.first, step.is_signed, out.add(len));
                } else {
                    let index = u64::from(step.first) + step.index(&windows);
                    let chunk = self.chunks.as_ptr().add(index as usize);
                    out.add(len).cast::<Chunk>().write_unaligned(*chunk);
                    len += usize::from((*chunk)[15]);
                }
            }
        }
        len
    }
}

/// The halves of a word, and the 64 bits in its middle.
#[inline(always)]
fn windows(word: u128) -> [u64; 3] {
    [word as u64, (word >> 32) as u64, (word >> 64) as u64]
}

impl Step {
    /// The place of the text of a word after the first.
    #[inline(always)]
    fn index(&self, windows: &[u64; 3]) -> u64 {
        // SAFETY: no window is above 2.
        let part = unsafe { *windows.get_unchecked(usize::from(self.window)) };
        if self.factor != 0 {
            return (part & self.mask).wrapping_mul(self.factor) >> self.shift;
        }
        (part >> self.shift & self.mask) << 1 | windows[2] >> self.far & 1
    }
}

/// Writes a number of up to 32 bits, or of `width` bits if it is signed; overwrites 16 bytes.
#[inline(always)]
unsafe fn hexadecimal(raw: u32, width: u32, is_signed: bool, out: *mut u8) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let unused = 32 - width;
    let value = if is_signed { (raw << unused) as i32 >> unused } else { raw as i32 };
    let is_negative = is_signed && value < 0;
    let magnitude = if is_negative { value.unsigned_abs() } else { raw };
    let spread = u64::from(magnitude);
    let spread = spread & 0xffff | (spread & 0xffff_0000) << 16;
    let spread = spread & 0xff_0000_00ff | (spread & 0xff00_0000_ff00) << 8;
    let spread = spread & 0x000f_000f_000f_000f | (spread & 0x00f0_00f0_00f0_00f0) << 4;
    let letters = (spread + 6 * EACH) >> 4 & EACH;
    let digits = spread + EACH * u64::from(b'0') + letters * 7;
    let zeros = (magnitude | 1).leading_zeros() / 4;
    let text = u128::from((digits << (8 * zeros)).swap_bytes()) << 16 | 0x7830;
    let text = if is_negative { text << 8 | u128::from(b'-') } else { text };
    // SAFETY: the caller guarantees it.
    unsafe { out.cast::<[u8; 16]>().write_unaligned(text.to_le_bytes()) };
    (10 - zeros) as usize + usize::from(is_negative)
}

/// Two texts as one, if a chunk holds them and few bits choose them.
fn joined(first: Choice, second: Choice) -> Result<Choice, (Choice, Choice)> {
    let bits = first.bits | second.bits;
    let is_short = |word| (first.text)(word).len() + (second.text)(word).len() < 16;
    if gathering(bits).is_none() || !words(bits).all(is_short) {
        return Err((first, second));
    }
    Ok(Choice { bits, text: Box::new(move |word| (first.text)(word) + &(second.text)(word)) })
}

/// The words with no bits but some.
fn words(bits: u128) -> impl Iterator<Item = u128> {
    let mut next = Some(bits);
    std::iter::from_fn(move || {
        let subset = next?;
        next = (subset != 0).then(|| (subset - 1) & bits);
        Some(subset)
    })
}

/// Determines how bits choose a text: gathered bits, or a run of bits plus one distant bit.
fn step(bits: u128) -> Option<Step> {
    let (far, near) = match gathering(bits) {
        Some(step) => return Some(step),
        None => (127 - bits.leading_zeros(), bits & !(1 << (127 - bits.leading_zeros()))),
    };
    let window = (near.trailing_zeros() / 32).min(2);
    let run = near >> near.trailing_zeros();
    if far < 64 || run & (run + 1) != 0 || run.count_ones() > MAX_BITS {
        return None;
    }
    let shift = (near.trailing_zeros() - 32 * window) as u8;
    let (mask, far, window) = (run as u64, (far - 64) as u8, window as u8);
    Some(Step { mask, factor: 0, far, shift, window, is_signed: false, first: 0 })
}

/// The multiplication that brings bits together at the top.
fn gathering(bits: u128) -> Option<Step> {
    let window = (bits.trailing_zeros() / 32).min(2);
    let mask = u64::try_from(bits >> (32 * window)).ok()?;
    if mask.count_ones() > MAX_BITS {
        return None;
    }
    // No bits: anything shifted out gives the only text.
    let shift = 64 - mask.count_ones().max(1);
    let gather = |factor| {
        let (shift, window) = (shift as u8, window as u8);
        Step { mask, factor, far: 64, shift, window, is_signed: false, first: 0 }
    };
    if mask == 0 {
        return Some(gather(1));
    }
    let mut runs = Vec::new();
    let mut rest = mask;
    while rest != 0 {
        let (low, width) = (rest.trailing_zeros(), (rest >> rest.trailing_zeros()).trailing_ones());
        runs.push((low, width));
        rest &= !(((1 << width) - 1) << low);
    }
    orders(runs.len()).into_iter().find_map(|order| {
        let (mut factor, mut at) = (0u64, shift);
        for run in order {
            factor = factor.wrapping_add(1 << at.checked_sub(runs[run].0)?);
            at += runs[run].1;
        }
        let step = gather(factor);
        let mut indexes: Vec<u64> = words(bits).map(|word| step.index(&windows(word))).collect();
        indexes.sort_unstable();
        indexes.dedup();
        (indexes.len() == 1 << mask.count_ones()).then_some(step)
    })
}

/// All orders of `count` things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let longer = |order: Vec<usize>| {
        (0..count).map(move |at| {
            let mut order = order.clone();
            order.insert(at, count - 1);
            order
        })
    };
    orders(count - 1).into_iter().flat_map(longer).collect()
}
