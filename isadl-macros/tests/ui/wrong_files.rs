isadl_macros::isa!("specs/wrong");

fn main() {}
