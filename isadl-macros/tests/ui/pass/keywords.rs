// Names of the specification that are keywords of Rust.
#![deny(warnings)]

isadl_macros::isa!(pub mod r#type = {
    __DefIsa Type<16>

    __DefBitFieldType Operation<8>
        self;
        Self;
        match;

    __DefGroup ALL : []

    __DefOptype loop : [ALL]

    __DefOpcode fn : [loop]
      __Encoding
        field<0, 8> Operation type == match;
        field<8, 8> Operation where;
});

fn main() {
    use r#type::{Inst, Operation};
    let inst = Inst::decode(&[2, 1]).expect("an instruction").0;
    assert_eq!(inst.where_(), Operation::from_bits(1));
}
