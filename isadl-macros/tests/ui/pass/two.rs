// Two instruction sets in one crate, files named one by one, and a nested module.
#![deny(warnings)]

isadl_macros::isa!(mod one = { __DefIsa One<8> });

mod deep {
    isadl_macros::isa!(
        pub(crate) mod two = ["specs/quiet/a.isa", "specs/quiet/b.isa"],
        emit = [decode, encode],
    );
}

fn main() {
    assert_eq!(one::WIDTH, 8);
    assert_eq!(deep::two::WIDTH, 16);
    assert_eq!(deep::two::Inst::add().to_word(), Ok(1));
}
