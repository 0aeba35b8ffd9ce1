// An instruction set without opcodes is one all the same.
#![deny(warnings)]

isadl_macros::isa!("
__DefIsa Nothing<32>
");

fn main() {
    assert!(nothing::Opcode::ALL.is_empty());
    assert!(nothing::Inst::decode(&[0; 4]).is_err());
    assert!("add".parse::<nothing::Inst>().is_err());
}
