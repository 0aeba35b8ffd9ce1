//! Operations by the arithmetic of the host, against software: results and flags.

use isadl_float::near::{self, Brain, Double, Half, Near, Real, Single};
use isadl_float::{Format, Function, Operation, Order, Setting};

/// Numbers that are made of one another (the generator of Knuth's MMIX).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.0.rotate_left(31)
    }

    /// An encoding: often with few bits, near another exponent, at the limits.
    fn encoding(&mut self, format: Format) -> u64 {
        let (fraction, last) = (format.fraction(), (1 << format.exponent()) - 1);
        let bias = last / 2;
        let exponent = match self.next() % 8 {
            0 => self.next() % (last + 1),
            1 => self.next() % 4,
            2 => last - self.next() % 4,
            3 => bias - self.next() % u64::from(fraction),
            _ => bias - 3 + self.next() % 6,
        };
        let ones = match self.next() % 4 {
            0 => self.next() & self.next() & self.next(),
            1 => self.next() << (fraction / 2),
            2 => (1 << fraction) - 1 - self.next() % 2,
            _ => self.next(),
        };
        let sign = (self.next() & 1) << (format.width() - 1);
        match self.next() % 24 {
            0 => sign,
            _ => sign | exponent << fraction | ones & ((1 << fraction) - 1),
        }
    }
}

/// Whether it is a result; then it must be that of software.
fn holds(near: Near, operation: Operation<'_>, operands: &[u64], rounding: usize) -> bool {
    let (bits, flags) = operation.evaluate(operands, &[(Setting::Rounding, rounding)]);
    if near.is_it {
        let found = (near.bits, u8::from(near.is_inexact));
        assert_eq!(found, (bits, flags.bits()), "{operation:?} {operands:x?}");
    }
    near.is_it
}

fn check<T: Real>(format: Format) {
    let mut random = Random(format.fraction().into());
    let mut near = [0; 7];
    for _ in 0..300_000 {
        let [a, b, c] = [(); 3].map(|()| random.encoding(format));
        // Sums that cancel.
        let c = match random.next() % 8 {
            0 => T::opposite(T::product(a, b).bits ^ (random.next() % 4)),
            1 => T::opposite(a ^ (random.next() % 4)),
            _ => c,
        };
        let compare = |order| Function::Compare { order, is_signaling: false };
        let found = [
            (Function::Sum { is_minus: [false; 2] }, T::sum(a, c)),
            (Function::Product { is_minus: false }, T::product(a, b)),
            (Function::Fused { is_minus: [false; 2], is_addend_first: false }, T::fused(a, b, c)),
            (Function::Quotient, T::quotient(a, b)),
            (compare(Order::Less), near::less::<T>(a, b)),
            (compare(Order::LessOrEqual), near::less_or_equal::<T>(a, b)),
            (compare(Order::Equal), near::equal::<T>(a, b)),
        ];
        for (at, (function, result)) in found.into_iter().enumerate() {
            let operands = match function {
                Function::Fused { .. } => vec![a, b, c],
                Function::Sum { .. } => vec![a, c],
                _ => vec![a, b],
            };
            let from = vec![format; operands.len()];
            let operation = Operation { function, from: &from, to: format };
            near[at] += u32::from(holds(result, operation, &operands, 0));
        }
    }
    assert!(near.iter().all(|near| *near > 60_000), "{near:?} of 300,000 each");
}

#[test]
fn sums_products_and_quotients_are_those_of_software() {
    check::<Half>(Format::BINARY16);
    check::<Brain>(Format::new(8, 7).expect("a format"));
    check::<Single>(Format::BINARY32);
    check::<Double>(Format::BINARY64);
}

fn conversions<T: Real, To: Real>(format: Format, to: Format) {
    let mut random = Random(to.fraction().into());
    let mut near = 0;
    for _ in 0..60_000 {
        let number = random.encoding(format);
        let from = [format];
        let operation = Operation { function: Function::Convert, from: &from, to };
        let result = near::converted::<T, To>(number);
        near += u32::from(holds(result, operation, &[number], 0));
    }
    assert!(near > 8_000, "{near} conversions");
}

#[test]
fn numbers_in_another_format_are_those_of_software() {
    let [half, single, double] = [Format::BINARY16, Format::BINARY32, Format::BINARY64];
    conversions::<Half, Single>(half, single);
    conversions::<Half, Double>(half, double);
    conversions::<Single, Half>(single, half);
    conversions::<Single, Double>(single, double);
    conversions::<Double, Half>(double, half);
    conversions::<Double, Single>(double, single);
}

fn integers<T: Real>(format: Format) {
    let mut random = Random(3);
    let (mut near, mut back) = (0, 0);
    for _ in 0..60_000 {
        let width = [1, 7, 8, 16, 31, 32, 33, 63, 64][(random.next() % 9) as usize];
        let is_signed = random.next().is_multiple_of(2);
        let integer = random.next() >> (random.next() % 64) & (u64::MAX >> (64 - width));
        let from = [format];
        let operation = Operation {
            function: Function::FromInteger { width, is_signed },
            from: &[],
            to: format,
        };
        let result = near::from_integer::<T>(integer, width, is_signed);
        near += u32::from(holds(result, operation, &[integer], 0));
        let number = random.encoding(format);
        let function = Function::ToInteger { width, is_signed };
        let operation = Operation { function, from: &from, to: format };
        let result = near::to_integer::<T>(number, width, is_signed);
        // The number of rounding towards zero.
        back += u32::from(holds(result, operation, &[number], 2));
    }
    assert!(near > 5_000 && back > 5_000, "{near} and {back} conversions");
}

#[test]
fn integers_are_those_of_software() {
    integers::<Half>(Format::BINARY16);
    integers::<Single>(Format::BINARY32);
    integers::<Double>(Format::BINARY64);
}
