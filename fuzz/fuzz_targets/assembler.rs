//! `cargo fuzz run assembler`: any bytes as lines of assembly text.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isadl_test_support::fuzz::assembler(bytes));
