//! The program has its own start.

fn main() {
    println!("cargo:rustc-link-arg-bins=-nostartfiles");
    println!("cargo:rustc-link-arg-bins=-static");
    println!("cargo:rerun-if-changed=build.rs");
}
