// A wrong macro does not change what others say: `Opcode` is there, and `b` has its own error.
isadl_macros::isa!(mod a = "specs/warned", allow = "W0911");
isadl_macros::isa!(mod c = "specs/warned", allow = ["W0911"]);
isadl_macros::isa!(mod b = "specs/several");

fn main() {
    let _ = c::Opcode::ALL;
}
