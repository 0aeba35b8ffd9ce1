//! Decoders of RISC-V and A64 that the benchmarks compare.

pub use {disarm64, riscv_decode, riscv_isa, yaxpeax_arch, yaxpeax_arm};

include!(concat!(env!("OUT_DIR"), "/rv32i.rs"));
include!(concat!(env!("OUT_DIR"), "/rv64gc.rs"));

/// The output of chipi.
pub mod chipi {
    pub use decode::Rv32iInstruction;
    pub use instruction::Instruction;

    /// Instructions with their operands. Decoding them compares all fixed bits; the dispatch function
    /// that chipi generates does not, and takes words for instructions that are none.
    #[allow(missing_docs, warnings, clippy::all)]
    mod decode {
        include!(concat!(env!("OUT_DIR"), "/chipi_decode.rs"));
    }

    /// A word with a getter for each operand.
    #[allow(missing_docs, warnings, clippy::all)]
    mod instruction {
        include!(concat!(env!("OUT_DIR"), "/chipi_instruction.rs"));
    }

    macro_rules! opcodes {
        ($($name:ident)*) => {
            /// The number of a word's opcode, in the order of the description; `None` for a word that
            /// is not an instruction.
            #[inline(always)]
            pub fn classify(word: u32) -> Option<u16> {
                #[allow(non_camel_case_types)]
                enum Number { $($name),* }
                // chipi reads big-endian words. Operands are not used, so they cost nothing.
                match Rv32iInstruction::decode(&word.to_be_bytes())?.0 {
                    $(Rv32iInstruction::$name { .. } => Some(Number::$name as u16),)*
                }
            }
        };
    }

    opcodes! {
        Add Sub Sll Slt Sltu Xor Srl Sra Or And Addi Slti Sltiu Xori Ori Andi Slli Srli Srai Lui
        Auipc Jal Jalr Beq Bne Blt Bge Bltu Bgeu Lb Lh Lw Lbu Lhu Sb Sh Sw Fence Ecall Ebreak
    }
}
