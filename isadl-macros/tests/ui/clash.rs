// Two modules of one name.
isadl_macros::isa!(mod a = { __DefIsa One<8> });
isadl_macros::isa!(mod a = { __DefIsa Two<8> });

fn main() {}
