//! Orders of bytes, units and bits: small specifications against llvm-mc 19, on recorded and random words.
//!
//! The recorded texts are in `tests/fixtures/orders`; their first lines are the commands. Registers of
//! z/Architecture are written without the `%` that LLVM puts before them.

use isadl_test_support::compared::Compared;
use isadl_test_support::llvm::Llvm;

static COMPARED: [Compared; 3] = [
    Compared {
        name: "power",
        folder: "orders",
        arguments: &["--triple=powerpc64-unknown-unknown", "--ppc-asm-full-reg-names"],
    },
    Compared { name: "thumb", folder: "orders", arguments: &["--triple=thumbv7m"] },
    Compared { name: "systemz", folder: "orders", arguments: &["--triple=systemz", "--mcpu=z13"] },
];

#[test]
fn recorded_instructions_are_those_of_llvm() {
    COMPARED.iter().for_each(|compared| compared.check_recorded(10));
}

#[test]
fn random_instructions_are_those_of_llvm() {
    let Some(llvm) = Llvm::find() else {
        eprintln!("skipped: llvm-mc 19 is not installed");
        return;
    };
    COMPARED.iter().for_each(|compared| compared.check_random(&llvm, (12, 200)));
}
