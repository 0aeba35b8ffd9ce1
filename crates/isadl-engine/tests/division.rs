//! Division of 128-bit numbers, which the engine does itself.

use isadl_engine::expr::{quotient, remainder};

#[test]
fn numbers_are_divided_as_the_compiler_divides_them() {
    let mut numbers = vec![0, 1, 2, 3, 7, 10, 64, i128::from(i64::MAX), i128::MAX, i128::MIN];
    for bits in [31, 32, 62, 63, 64, 65, 100, 126] {
        numbers.extend([(1 << bits) - 1, 1 << bits, (1 << bits) + 5, 0x5851_f42d << (bits - 31)]);
    }
    let negated: Vec<i128> = numbers.iter().map(|number| number.wrapping_neg()).collect();
    numbers.extend(negated);
    for a in &numbers {
        for b in numbers.iter().filter(|b| **b != 0) {
            assert_eq!(quotient(*a, *b), a.wrapping_div(*b), "{a} / {b}");
            assert_eq!(remainder(*a, *b), a.wrapping_rem(*b), "{a} % {b}");
        }
    }
}
