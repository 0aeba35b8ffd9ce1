//! The wide numbers of generated code against numbers of 128 bits, and three pieces against what must hold of them.

use isadl_test_support::Random;

#[path = "../../../crates/isadl-backends/src/rust/embedded/exec/wide.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod wide;

use wide::{of_u128, to_u128};

fn number(random: &mut Random, bits: u32) -> u128 {
    let any = random.next_u128();
    let few = any >> random.below(u64::from(bits));
    let value = [any, few, 0, 1, u128::MAX, 1 << (bits - 1)][random.below(6) as usize];
    value & (u128::MAX >> (128 - bits))
}

fn signed(value: u128, bits: u32) -> i128 {
    (value << (128 - bits)) as i128 >> (128 - bits)
}

#[test]
fn two_pieces_are_numbers_of_128_bits() {
    let mut random = Random::new(11);
    for _ in 0..20_000 {
        let bits = 65 + random.below(64) as u32;
        let mask = u128::MAX >> (128 - bits);
        let (a, b) = (number(&mut random, bits), number(&mut random, bits));
        let (x, y) = (of_u128(a), of_u128(b));
        let (s, t) = (signed(a, bits), signed(b, bits));
        let same = |what: &str, found: [u64; 2], expected: u128| {
            assert_eq!(to_u128(found), expected & mask, "{what} of {a:x} and {b:x}, {bits} bits");
        };
        same("sum", wide::add(x, y, bits), a.wrapping_add(b));
        same("difference", wide::sub(x, y, bits), a.wrapping_sub(b));
        same("product", wide::mul(x, y, bits), a.wrapping_mul(b));
        same("opposite", wide::neg(x, bits), a.wrapping_neg());
        same("inverse", wide::not(x, bits), !a);
        same("quotient", wide::quotient(x, y, bits), a.checked_div(b).unwrap_or(u128::MAX));
        same("remainder", wide::remainder(x, y, bits), a.checked_rem(b).unwrap_or(a));
        let quotient = if b == 0 { -1 } else { s.wrapping_div(t) };
        same("signed quotient", wide::signed_quotient(x, y, bits), quotient as u128);
        let remainder = if b == 0 { s } else { s.wrapping_rem(t) };
        same("signed remainder", wide::signed_remainder(x, y, bits), remainder as u128);
        same("reverse", wide::reverse(x, bits), a.reverse_bits() >> (128 - bits));
        let by = random.below(140);
        let far = by >= u64::from(bits);
        same("left", wide::shl(x, by, bits), if far { 0 } else { a << by });
        same("right", wide::shr(x, by, bits), if far { 0 } else { a >> by });
        same("signs", wide::shr_signs(x, by, bits), (s >> by.min(127)) as u128);
        let turn = (by % u64::from(bits)) as u32;
        let rotated = if turn == 0 { a } else { a << turn | a >> (bits - turn) };
        same("rotated", wide::rotl(x, by, bits), rotated);
        assert_eq!(wide::less(x, y), a < b);
        assert_eq!(wide::signed_less(x, y, bits), s < t);
        assert_eq!(wide::equal(x, y), a == b);
        assert_eq!(wide::count(x, bits), u64::from(a.count_ones()));
        assert_eq!(wide::leading_zeros(x, bits), u64::from(a.leading_zeros() - (128 - bits)));
        assert_eq!(wide::trailing_zeros(x, bits), u64::from(a.trailing_zeros().min(bits)));
        let from = 1 + random.below(u64::from(bits)) as u32;
        let low = a & (u128::MAX >> (128 - from));
        same("extended", wide::extended(of_u128(low), from, bits), signed(low, from) as u128);
        let bytes: [u8; 16] = wide::to_bytes(x);
        assert_eq!((bytes, wide::of_bytes(bytes)), (a.to_le_bytes(), x));
    }
}

#[test]
fn three_pieces_divide_and_multiply() {
    let mut random = Random::new(12);
    for _ in 0..5_000 {
        let bits = 129 + random.below(64) as u32;
        let of = |random: &mut Random| {
            let any = core::array::from_fn(|_| random.next_u64());
            wide::shr(wide::masked::<3>(any, bits), random.below(u64::from(bits)), bits)
        };
        let (a, b) = (of(&mut random), of(&mut random));
        let (quotient, remainder) = (wide::quotient(a, b, bits), wide::remainder(a, b, bits));
        if b != [0; 3] {
            assert!(wide::less(remainder, b), "{a:x?} / {b:x?}");
        }
        let product = wide::mul(quotient, b, bits);
        assert_eq!(wide::add(product, remainder, bits), a, "{a:x?} / {b:x?}, {bits} bits");
        // Products without carries are linear.
        let (c, narrow) = (of(&mut random), wide::masked(b, 60));
        let both = wide::carryless(wide::xor(a, c), narrow, bits);
        let each = wide::xor(wide::carryless(a, narrow, bits), wide::carryless(c, narrow, bits));
        assert_eq!(both, each);
    }
}
