//! Random small instruction sets held against the oracle: every word, every text, and lines with
//! something changed. `ISADL_SETS` is their number, `ISADL_SEED` the first.

use std::collections::{BTreeMap, BTreeSet};

use isadl::diagnostic::Code;
use isadl_test_support::random::{self, Seen};
use isadl_test_support::{compile, count};

/// The features of the language that the accepted sets must cover together.
const FEATURES: [&str; 101] = [
    "CvtFImm",
    "CvtINegX",
    "CvtNegConst",
    "Match",
    "Match on a computed operand",
    "ModiOrder",
    "Stores",
    "alias",
    "alias that is only read",
    "alias with a condition",
    "alias with a computed operand",
    "alias with a field in its mnemonic",
    "alias with computed fields",
    "alias with equal fields",
    "alias with fixed fields",
    "aligned registers",
    "any case",
    "binary",
    "bit-field as operand",
    "bit-field in a mnemonic",
    "bit-field with other values",
    "bits",
    "class",
    "composite",
    "computed operand",
    "computed values",
    "computed width",
    "conditional memory",
    "conditional use",
    "constant register",
    "control field",
    "decimal",
    "excepted values",
    "digits",
    "distance",
    "dot at the end of a mnemonic",
    "field of two operands",
    "field written twice",
    "fields in pieces",
    "fixed bits",
    "fixed modifier",
    "floating-point numbers",
    "flow of control",
    "free bits",
    "guard",
    "hexadecimal",
    "highest byte and bit first",
    "reserved value in an enumeration",
    "ignored bits",
    "implicit register file",
    "indirect operand",
    "lanes",
    "list of pieces",
    "literal",
    "mark !",
    "mark -",
    "mark |",
    "mark ~",
    "mask",
    "modifier of fields",
    "modifiers as words",
    "modifiers with dots",
    "no ranges",
    "number in a mnemonic",
    "operand of fields",
    "operand without fields",
    "operand with a default",
    "optional piece",
    "other names of a range",
    "other values as numbers",
    "other values as parts",
    "other words of a modifier",
    "partial write",
    "parts in pieces",
    "prefix",
    "register after another",
    "register with a number",
    "registers by number",
    "rule",
    "rule for assemblers",
    "rule on a computed operand",
    "rule on two fields",
    "rule with arithmetic",
    "scale",
    "shared literal",
    "sets of names",
    "several encodings of a number",
    "several widths",
    "special case",
    "special register",
    "spelling",
    "spelling of an operand",
    "spellings of a range",
    "suffix",
    "suffix of the mnemonic",
    "two fields in a mnemonic",
    "upper hexadecimal",
    "whole register file",
    "written bits",
    "written part of a composite",
    "zero bits",
];

#[test]
fn random_instruction_sets_are_as_the_oracle_says() {
    let tries = count("ISADL_SETS", 800);
    let first = count("ISADL_SEED", 0) as u64;
    let mut seen = Seen::default();
    let mut accepted = 0;
    let mut features: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for seed in first..first + tries as u64 {
        let set = random::specification(seed);
        let Some(family) = random::accepted(&set.text) else { continue };
        accepted += 1;
        set.features.into_iter().for_each(|feature| *features.entry(feature).or_default() += 1);
        match random::examine(family.first(), seed) {
            Ok(of_set) => seen.add(of_set),
            Err(what) => failures.push((seed, set.text, what)),
        }
    }
    if let Some((seed, text, what)) = failures.first() {
        let fails = |text: &str| {
            let examined = random::accepted(text).map(|f| random::examine(f.first(), *seed));
            matches!(examined, Some(Err(_)))
        };
        let seeds: Vec<u64> = failures.iter().map(|(seed, ..)| *seed).collect();
        let small = random::shrink(text, fails);
        let again = random::accepted(&small).map(|f| random::examine(f.first(), *seed));
        let small_what = again.and_then(Result::err).unwrap_or_default();
        panic!("seeds {seeds:?} fail. {seed}: {what}\n{small_what}\n{small}");
    }
    println!("{accepted} of {tries} accepted, {seen:?}");
    assert!(accepted > tries / 2, "only {accepted} of {tries} are accepted");
    let missing: BTreeSet<&str> =
        FEATURES.into_iter().filter(|feature| !features.contains_key(feature)).collect();
    assert!(missing.is_empty(), "no set has {missing:?}");
    let unlisted: BTreeSet<&str> =
        features.into_keys().filter(|feature| !FEATURES.contains(feature)).collect();
    assert!(unlisted.is_empty(), "{unlisted:?} are not listed");
    let all = [seen.forbidden, seen.illegal, seen.unknown, seen.read, seen.refused];
    assert!(all.iter().all(|count| *count > accepted), "{seen:?}");
    assert!(seen.texts > 20 * accepted && seen.legal >= seen.texts, "{seen:?}");
}

/// Writing at each definition what a finding about bits without a statement proposes settles them, and changes no word.
#[test]
fn what_is_proposed_for_bits_without_a_statement_settles_them() {
    let mut counts = [0; 2];
    for seed in 0..count("ISADL_SETS", 500).min(4_000) as u64 {
        let text = random::specification(seed).text;
        let (sources, before) = compile(&[("random.isa", &text)]);
        let Some(family) = &before.family else { continue };
        let found = before.diagnostics.iter().filter(|found| found.code == Code::W0707);
        let mut proposed: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for found in found {
            let (line, _) = sources.position(found.primary.span.file, found.primary.span.start);
            let help = found
                .helps
                .iter()
                .map(|help| &help.text)
                .find(|help| help.contains("ignored"))
                .expect("a proposal");
            let bits = help.split("`ignored[").nth(1).and_then(|rest| rest.split(']').next());
            let bits = bits.expect("bits").to_string();
            counts[usize::from(found.message.contains(" opcodes of "))] += 1;
            proposed.entry(line).or_default().push(bits);
        }
        if proposed.is_empty() || family.first().opcodes().iter().any(|o| o.has_literal()) {
            continue;
        }
        let mut settled = String::new();
        for (at, line) in (1..).zip(text.lines()) {
            settled += line;
            settled += "\n";
            for bits in proposed.get(&at).into_iter().flatten() {
                settled += &format!("  __Encoding\n    ignored[{bits}];\n");
            }
        }
        let (_, after) = compile(&[("random.isa", &settled)]);
        let left = after.diagnostics.iter().filter(|found| found.code == Code::W0707).count();
        assert_eq!(left, 0, "seed {seed}\n{settled}");
        let now = after.family.unwrap_or_else(|| panic!("seed {seed}\n{settled}"));
        let bits = |isa: &isadl::isa::Isa| -> Vec<(u128, u128, u128)> {
            isa.opcodes().iter().map(|o| (o.mask, o.value, o.significant)).collect()
        };
        assert_eq!(bits(family.first()), bits(now.first()), "seed {seed}");
    }
    assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
}
