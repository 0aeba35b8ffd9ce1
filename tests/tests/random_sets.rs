//! Random small instruction sets held against the oracle: every word, every text, and lines with
//! something changed. `ISADL_SETS` is their number, `ISADL_SEED` the first.

use std::collections::{BTreeMap, BTreeSet};

use isadl_tests::count;
use isadl_tests::random::{self, Seen};

/// What the accepted sets together must have of the language.
const FEATURES: [&str; 79] = [
    "CvtFImm",
    "CvtINegX",
    "CvtNegConst",
    "Match",
    "ModiOrder",
    "Stores",
    "alias",
    "alias that is only read",
    "alias with a condition",
    "alias with equal fields",
    "alias with fixed fields",
    "aligned registers",
    "any case",
    "binary",
    "bit-field as operand",
    "bit-field with other values",
    "bits",
    "class",
    "composite",
    "computed width",
    "constant register",
    "control field",
    "decimal",
    "excepted values",
    "distance",
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
    "hole in an enumeration",
    "ignored bits",
    "implicit register file",
    "indirect operand",
    "lanes",
    "literal",
    "mark !",
    "mark -",
    "mark |",
    "mark ~",
    "mask",
    "modifiers as words",
    "modifiers with dots",
    "operand of fields",
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
    "rule on two fields",
    "rule with arithmetic",
    "scale",
    "sets of names",
    "several widths",
    "special case",
    "special register",
    "spelling",
    "spelling of an operand",
    "suffix",
    "suffix of the mnemonic",
    "upper hexadecimal",
    "whole register file",
    "written bits",
    "written part of a composite",
    "zero bits",
];

#[test]
fn random_instruction_sets_are_as_the_oracle_says() {
    let tries = count("ISADL_SETS", 4_000);
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
