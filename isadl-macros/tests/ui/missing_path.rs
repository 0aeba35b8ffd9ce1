isadl_macros::isa!("specs/nowhere");

fn main() {}
isadl_macros::isa!(mod several = ["specs/warned/warned.isa", "nowhere.isa", "specs/none.isa"]);
