isadl_macros::isa!(mod a = "specs/warned", groups = [NONE]);
isadl_macros::isa!(mod b = "specs/warned", generations = ["OLD"]);
isadl_macros::isa!(mod c = "specs/warned", allow = ["W0000"]);
isadl_macros::isa!(mod d = "specs/warned", allow = ["E0401"]);

fn main() {}
isadl_macros::isa!(mod bb = "specs/warned", groups = [all]);
