isadl_macros::isa!("specs/several");

fn main() {}
