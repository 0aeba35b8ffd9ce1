//! Counts loads, and adds up what their fields hold, in words that the machine delivers: a program that decodes, and
//! shows neither texts nor names.

#![no_std]
#![no_main]

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU64, Ordering};

use riscv::{DecodeError, Extensions, Field, Generation, Inst, Opcode};

/// Where words come from, and where results go.
static PORT: AtomicU64 = AtomicU64::new(0);

#[panic_handler]
fn panicked(_: &PanicInfo<'_>) -> ! {
    loop {}
}

/// The start of the program.
#[unsafe(no_mangle)]
pub extern "C" fn _start() -> ! {
    loop {
        let bytes = PORT.load(Ordering::SeqCst).to_le_bytes();
        PORT.store(step(&bytes), Ordering::SeqCst);
    }
}

fn step(bytes: &[u8]) -> u64 {
    let (inst, length) = match Inst::decode(Generation::RV64, Extensions::MOST, bytes) {
        Ok(decoded) => decoded,
        Err(DecodeError::Truncated { needed }) => return needed as u64,
        Err(DecodeError::IllegalValue { opcode, field }) => return opcode as u64 + field as u64,
        Err(_) => return 0,
    };
    let register = inst.get(Field::rd).unwrap_or_default() + u64::from(inst.rm().is_some());
    match inst.opcode() {
        Opcode::LW | Opcode::LD => u64::from(inst.is_in(Generation::RV32)) + register,
        Opcode::C_LW | Opcode::C_LD => inst.word().into(),
        _ => length as u64,
    }
}

/// The compiler's own library, which is built for programs that unwind, names it.
#[unsafe(no_mangle)]
pub extern "C" fn rust_eh_personality() {}
