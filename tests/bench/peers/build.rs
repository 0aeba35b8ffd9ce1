//! Generates decoders of RV32I from two descriptions, for isadl and for chipi, and one of RV64GC.

/// The files of `spec/riscv` that describe RV32I.
const FILES: [&str; 2] = ["../../../spec/riscv/isa.isa", "../../../spec/riscv/rv_i.isa"];

fn main() {
    isadl_codegen::Builder::files(FILES).generations(["RV32"]).module("rv32i").build();
    isadl_codegen::Builder::new("../../../spec/riscv")
        .generations(["RV64"])
        .extensions("gc")
        .module("rv64gc")
        .build();
    if let Err(error) = chipi_build::generate_bindings("rv32i.bindings.chipi") {
        println!("cargo::error=chipi: {error}");
    }
}
