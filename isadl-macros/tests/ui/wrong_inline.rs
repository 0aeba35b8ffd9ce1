isadl_macros::isa!(mod tokens = {
    __DefIsa TOKENS<16>

    __DefBitFieldType Operation<4>
        ADD;

    __DefGroup ALL : []

    __DefOptype add : [ALL]

    __DefOpcode ADD : [add]
      __Encoding
        field<0, 4> Operation op == ADDD;
        field<2, 4> Operatoin other;
});

isadl_macros::isa!(mod text = r#"
    __DefIsa TEXT<16>

    __DefGroup ALL : []

    __DefOptype add : [ALL]

    __DefOpcode ADD : [add]
      __Encoding
        field<0, 4> Operation op;
"#);

// The module exists, so that nothing is reported about it.
#[allow(unused_imports)]
use {text::*, tokens::*};

fn main() {}
