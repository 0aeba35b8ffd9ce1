//! Fused multiplications and additions by `isadl-float` alone.

use std::hint::black_box;
use std::time::Instant;

use isadl_bench::sized;
use isadl_float::{Environment, Format};

/// How many operands there are, in three lists.
const OPERANDS: usize = 4096;

/// Numbers with exponents from -8 to 7.
fn operands(format: Format) -> Vec<[u64; 3]> {
    let (fraction, width) = (format.fraction(), format.width());
    let bias = (1 << (format.exponent() - 1)) - 1;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut number = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let (exponent, sign) = (bias + (state >> 60) - 8, state >> 59 & 1);
        sign << (width - 1) | exponent << fraction | state & ((1 << fraction) - 1)
    };
    (0..OPERANDS).map(|_| std::array::from_fn(|_| number())).collect()
}

/// Prints the time of one in each format.
pub(crate) fn fused() {
    let formats = [
        ("binary16", Format::BINARY16),
        ("binary32", Format::BINARY32),
        ("binary64", Format::BINARY64),
    ];
    for (name, format) in formats {
        let operands = operands(format);
        let mut environment = Environment::default();
        let mut best = f64::MAX;
        for _ in 0..sized(200, 1) {
            let start = Instant::now();
            for [a, b, c] in &operands {
                black_box(format.multiply_add(&mut environment, *a, *b, *c));
            }
            best = best.min(start.elapsed().as_nanos() as f64 / OPERANDS as f64);
        }
        println!("fused, {name} by isadl-float: {best:.1} ns for each (aim 25)");
    }
}
