//! Generates a Rust module from the GPU's specification. Cargo runs this again when a file in the folder
//! changes or is added; mistakes in the specification are shown as errors and warnings of cargo.

use isadl_codegen::rust::{Emit, Options, Parts};
use isadl_codegen::Builder;

fn main() {
    let parts = Parts { decode: Emit::Yes, encode: Emit::No, text: Emit::Yes, flow: Emit::No };
    Builder::new("../../../spec/simt")
        .options(Options { parts, ..Options::default() })
        .build();
}
