//! Values of registers: random, and those at which something changes.

use crate::random::Random;

impl Random {
    /// A number for integer registers.
    pub(crate) fn register(&mut self) -> u64 {
        const EDGES: [u64; 14] = [
            0,
            1,
            2,
            63,
            64,
            1 << 63,
            u64::MAX,
            i64::MAX as u64,
            1 << 31,
            (1 << 31) - 1,
            0xffff_ffff,
            0xffff_ffff_8000_0000,
            0x80,
            0xff00,
        ];
        match self.next() % 5 {
            0 | 1 => EDGES[(self.next() % 14) as usize],
            2 => self.next() >> 40,
            _ => self.next(),
        }
    }

    /// A floating-point number of 64 bits or of 32 or 16 bits in the lowest: often zero, infinite, subnormal, a NaN, or near 1.
    pub(crate) fn float(&mut self, width: u32) -> u64 {
        let fraction = match width {
            16 => 10,
            32 => 23,
            _ => 52,
        };
        let exponents = (1u64 << (width - 1 - fraction)) - 1;
        let any = self.next() & (u64::MAX >> (64 - width));
        let exponent = match self.next() % 8 {
            0 => 0,
            1 => exponents,
            2 => 1 + self.next() % 3,
            3 => exponents - 1 - self.next() % 3,
            // Where conversions to integers end.
            4 => exponents / 2 + 8 * (self.next() % 9).min(exponents / 16) - self.next() % 2,
            5 => return any,
            _ => exponents / 2 + self.next() % 5 - 2,
        };
        let low = (1 << fraction) - 1;
        let own = match self.next() % 6 {
            0 => 0,
            1 => low,
            2 => 1 << (self.next() % u64::from(fraction)),
            3 => any & low & !0xff,
            _ => any & low,
        };
        any >> (width - 1) << (width - 1) | exponent << fraction | own
    }
}
