// All wrong options at once.
isadl_macros::isa!(mod a = "specs/warned", group = ["X"], emit = [decode, speed], views = 1, allow);

// Nothing to make a module of.
isadl_macros::isa!();
isadl_macros::isa!(mod b);
isadl_macros::isa!(pub b = "specs/warned");
isadl_macros::isa!(mod c = []);

fn main() {}
