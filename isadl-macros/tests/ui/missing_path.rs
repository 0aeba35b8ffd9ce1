isadl_macros::isa!("specs/nowhere");

fn main() {}
