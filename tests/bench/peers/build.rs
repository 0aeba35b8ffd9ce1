//! Generates decoders of RV32I from two descriptions: one of isadl, one of chipi.

fn main() {
    isadl_codegen::Builder::new("../spec/rv32i").build();
    if let Err(error) = chipi_build::generate_bindings("rv32i.bindings.chipi") {
        println!("cargo::error=chipi: {error}");
    }
}
