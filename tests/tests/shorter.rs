//! Shorter encodings whose values are not at regular distances: random maps of values, every word of both encodings
//! against the table that the map was made of.

use isadl::engine::Loaded;
use isadl_test_support::{Random, compile, count};

/// A set with a 16-bit instruction whose operand has these values (`None` for reserved bits), and an 8-bit instruction
/// with a 6-bit operand.
fn source(values: &[Option<u64>]) -> String {
    let value = |(bits, value): (usize, &Option<u64>)| {
        format!("if(bits == {bits}, {}, ", value.unwrap_or_default())
    };
    let table: String = values.iter().enumerate().map(value).collect();
    let illegal = values.iter().enumerate().filter(|(_, value)| value.is_none());
    let illegal: Vec<_> = illegal.map(|(bits, _)| format!("bits == {bits}")).collect();
    let except = match illegal.is_empty() {
        true => String::new(),
        false => format!("Except = {};", illegal.join(" or ")),
    };
    format!(
        r#"
__DefIsa T<16>
    ByteOrder = big;

__DefImmediate Few<3>
    Number = unsigned;
    Value = {table}0{};
    {except}

__DefImmediate All<6>
    Number = unsigned;

__DefGroup ALL : []

__DefGroup NARROW<8> : [ALL]

__DefOpcode LONG : [ALL]
  __Encoding
    fixed[15:6] == 1; field[5:0] All k;
  __OperandInfo
    Mnemonic<"set">; Operands<k>;

__DefOpcode SHORT : [NARROW]
  __Encoding
    fixed[7:3] == 1; field[2:0] Few k;
  __OperandInfo
    Mnemonic<"set.s">; Operands<k>; Short<LONG>;
"#,
        ")".repeat(values.len())
    )
}

/// Eight distinct values or gaps; at least one is a value.
fn values(random: &mut Random) -> Vec<Option<u64>> {
    let mut left: Vec<u64> = (0..64).collect();
    let mut all: Vec<_> = (0..8)
        .map(|_| {
            let at = random.below(left.len() as u64) as usize;
            let value = left.swap_remove(at);
            (random.below(4) > 0).then_some(value)
        })
        .collect();
    all[0] = all[0].or(Some(left[0]));
    all
}

#[test]
fn any_map_of_values_is_a_shorter_encoding() {
    let mut random = Random::new(29);
    for _ in 0..count("ISADL_SETS", 100) {
        let values = values(&mut random);
        let (_, compilation) = compile(&[("short.isa", source(&values))]);
        let found: Vec<_> = compilation.diagnostics.iter().map(|one| &one.message).collect();
        assert!(found.is_empty(), "{found:?}");
        let loaded = Loaded::new(compilation.family.expect("no error").into_first());
        let engine = loaded.engine();
        for (bits, value) in (0u128..).zip(&values) {
            let short = engine.decode((8 | bits) << 8).ok();
            assert_eq!(short.is_some(), value.is_some(), "{values:?}");
            let Some((short, value)) = short.zip(*value) else { continue };
            let long = engine.long(short).expect("a longer encoding");
            assert_eq!(long.word, 64 | u128::from(value), "{values:?}");
            assert_eq!(engine.text(short), format!("set {value}"));
        }
        for value in 0..64u64 {
            let read = engine.assemble(&format!("set {value}")).expect("an instruction");
            let bits = values.iter().position(|known| *known == Some(value));
            let expected = bits.map_or(64 | u128::from(value), |bits| (8 | bits as u128) << 8);
            assert_eq!(read.word, expected, "{values:?}: {value}");
        }
    }
}

/// The finding names a value that the long encoding lacks.
#[test]
fn a_value_that_the_longer_encoding_lacks_is_named() {
    let mut values = [Some(1), Some(5), Some(64), None, None, None, None, None];
    let (_, compilation) = compile(&[("short.isa", source(&values))]);
    let found = compilation.diagnostics.iter().next().expect("a finding");
    assert_eq!(found.code, isadl::diagnostic::Code::E0520);
    assert_eq!(found.notes, ["`k` does not have the value 64 of `k`"]);
    values[2] = Some(63);
    assert!(compile(&[("short.isa", source(&values))]).1.family.is_some());
}
