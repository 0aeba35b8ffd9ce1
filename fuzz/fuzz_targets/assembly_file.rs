//! `cargo fuzz run assembly_file`: any bytes as an assembly file.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isadl_test_support::fuzz::assembly_file(bytes));
