isadl_macros::isa!(mod fn = "specs/warned");
isadl_macros::isa!({ __DefIsa Type<8> });

fn main() {}
