//! `cargo fuzz run front_end`: any bytes through the whole front end.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isadl_test_support::fuzz::front_end(bytes));
