//! Functions in expressions, and calls of macros that are kept.

use std::path::Path;

use isadl_asm::{Options, Purpose, output};

use super::{Machine, RISCV};

/// The bytes of a text, or its errors.
fn raw(text: &str) -> Result<Vec<u8>, Vec<String>> {
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let options = (&Options::default(), Purpose::Address(0));
    let texts = [(Path::new("own.s"), text.as_bytes())];
    let (_, object, diagnostics) = machine.assemble(&texts, options);
    let messages = || diagnostics.iter().map(|one| one.message.clone()).collect();
    object.map(|object| output::raw(&object)).ok_or_else(messages)
}

#[test]
fn functions_are_computed() {
    let of = |expression: &str| {
        let functions = "
            .function fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)
            .function is_even(n) = n == 0 ? 1 : is_odd(n - 1)
            .function is_odd(n) = n == 0 ? 0 : is_even(n - 1)
            .function mix(a, b, c) = a * 100 + b * 10 + c
            .set SIX, 6\n";
        raw(&format!("{functions}.dword {expression}\n"))
            .map(|bytes| i64::from_le_bytes(bytes.try_into().expect("8 bytes")))
    };
    assert_eq!(of("fib(SIX + 4)"), Ok(55));
    assert_eq!(of("is_even(10) * 2 + is_odd(10)"), Ok(2));
    assert_eq!(of("mix(1, fib(3), (3))"), Ok(123));
    assert_eq!(of(".clz(1) + .ctz(0) * 100 + .ctz(-8) * 1000"), Ok(63 + 6400 + 3000));
    assert_eq!(of("1 ? 0 ? 2 : 3 : 4"), Ok(3));
    assert_eq!(of("SIX > 5 && 0 ? 7 : -1"), Ok(-1));
    // A number that is defined later.
    assert_eq!(raw(".byte one(X) + 1\n.function one(x) = x\n.set X, 2\n").ok(), None);
    assert_eq!(raw(".function one(x) = x\n.byte one(X) + 1\n.set X, 2\n"), Ok(vec![3]));
}

#[test]
fn functions_without_a_value_are_errors() {
    let message = |text: &str| raw(text).map_err(|all| all.join("; "));
    let endless = Err("the function `f` takes too many steps".to_string());
    assert_eq!(message(".function f(x) = f(x + 1)\n.byte f(1)\n"), endless);
    assert_eq!(message(".function f(x) = x ? f(x + 1) + f(x) : 0\n.byte f(1)\n"), endless);
    for (body, wrong) in [
        ("(x, y) = x", "wrong number of arguments of the function `f`: 1 instead of 2"),
        ("(x) = g(x)", "the function `g` is not defined"),
        ("(x) = 1 / (x - 1)", "division by zero in the function `f`"),
        ("(x) = later + x", "a symbol in the function `f` is not a number here"),
    ] {
        let text = format!(".function f{body}\n.byte f(1)\nlater: nop\n");
        assert_eq!(message(&text), Err(wrong.to_string()), "{body}");
    }
    let twice = Err("the function `f` is defined twice".to_string());
    assert_eq!(message(".function f(x) = x\n.function f(x) = 1\n"), twice);
    let twice = Err("the function `.ctz` is defined twice".to_string());
    assert_eq!(message(".function .ctz(x) = x\n"), twice);
    for (text, wrong) in [
        (".function f = 1\n", "expected `(parameters) = expression`"),
        (".function f() = 1\n", "expected names of 1 to 8 parameters"),
        (".function f(a,b,c,d,e,f,g,h,i) = 1\n", "expected names of 1 to 8 parameters"),
        (".function f(x) = x x\n", "expected the end of the statement"),
        (".byte 1 ? 2\n", "expected `:`"),
        (".byte .ctz(1\n", "expected `)`"),
    ] {
        assert_eq!(message(text), Err(wrong.to_string()), "{text}");
    }
}

#[test]
fn kept_calls_of_macros_are_what_they_would_be_again() {
    let both = |definitions: &str, first: &str, between: &str| {
        let text = format!("{definitions}{first}\n{between}\n{first}\n");
        raw(&text).unwrap_or_else(|all| panic!("{text}: {all:?}"))
    };
    let (nop, ret) = ([0x01, 0x00], [0x82, 0x80]);
    let of = |words: &[[u8; 2]]| words.concat();
    // Macros that depend on the line alone.
    let plain = ".macro two a\n.if \\a\nnop\n.else\nret\n.endif\n.endm\n";
    assert_eq!(both(plain, "two 1", "two 0"), of(&[nop, ret, nop]));
    // Macros that depend on symbols, other macros, extensions, the number of the call, and definitions in between.
    let by_symbol = ".set S, 1\n.macro two\n.if S\nnop\n.else\nret\n.endif\n.endm\n";
    assert_eq!(both(by_symbol, "two", ".set S, 0"), of(&[nop, ret]));
    let by_presence = ".macro two\n.ifdef S\nnop\n.else\nret\n.endif\n.endm\n";
    assert_eq!(both(by_presence, "two", ".set S, 0"), of(&[ret, nop]));
    let by_macro = ".macro one\nnop\n.endm\n.macro two\none\n.endm\n";
    let other = ".purgem one\n.macro one\nret\n.endm";
    assert_eq!(both(by_macro, "two", other), of(&[nop, ret]));
    let by_extension = ".macro two\nnop\n.endm\n";
    let long = [nop, [0x13, 0x00], [0x00, 0x00]];
    assert_eq!(both(by_extension, "two", ".extensions -C, -Zca"), of(&long));
    let by_number = ".macro two\n.if \\@ & 1\nnop\n.else\nret\n.endif\n.endm\n";
    let numbered = both(by_number, "two", "");
    assert!(numbered == of(&[nop, ret]) || numbered == of(&[ret, nop]), "{numbered:x?}");
    // Labels and other sections are made each time.
    let labels = ".macro two\nnop\n1: ret\n.endm\n";
    assert_eq!(both(labels, "two", "j 1b"), of(&[nop, ret, [0xfd, 0xbf], nop, ret]));
    let sections = ".macro two\nnop\n.pushsection .data\n.byte 7\n.popsection\n.endm\n";
    assert_eq!(both(sections, "two", ""), [&of(&[nop, nop])[..], &[7, 7]].concat());
}
