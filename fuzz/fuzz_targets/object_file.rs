//! `cargo fuzz run object_file`: any bytes as a file with machine code.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isadl_test_support::fuzz::object_file(bytes));
