// Warnings are shown, and do not fail.
isadl_macros::isa!("specs/warned");
isadl_macros::isa!(mod quiet = "specs/warned", allow = [W0212]);

fn main() {
    assert_eq!(warned::Opcode::ALL.len(), 1);
    assert_eq!(quiet::Opcode::ALL.len(), 1);
}
