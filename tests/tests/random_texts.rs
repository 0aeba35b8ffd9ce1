//! Compares the compiler's findings about texts that are shared or not read back with the texts of all words, on random
//! small instruction sets. `ISADL_SETS` is their number, `ISADL_SEED` the first seed.

use std::collections::{BTreeMap, BTreeSet};

use isadl::diagnostic::{Code, Diagnostic};
use isadl::engine::Loaded;
use isadl::isa::{Inst, Isa};
use isadl_test_support::oracle::{self, Verdict};
use isadl_test_support::random::{self, TextTruth};
use isadl_test_support::{compile, count};

/// How often each was seen.
type Counts = BTreeMap<&'static str, usize>;

/// The names between backticks.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// The pairs of opcodes that were reported to share a text, in order of definition.
fn pairs(found: &[&Diagnostic], order: &[String]) -> BTreeSet<(String, String)> {
    let shared = found.iter().filter(|found| found.code == Code::W0911);
    let pair = |found: &&&Diagnostic| {
        let names = quoted(&found.message);
        if found.message.contains("` stands for two instructions of `") {
            let name = names[names.len() - 1].to_string();
            return (name.clone(), name);
        }
        let mut pair = [names[names.len() - 2].to_string(), names[names.len() - 1].to_string()];
        pair.sort_by_key(|name| order.iter().position(|known| known == name));
        let [first, second] = pair;
        (first, second)
    };
    shared.map(|found| pair(&found)).collect()
}

/// The mnemonics of the opcode with a name.
fn of_name(isa: &Isa, name: &str) -> BTreeSet<String> {
    let opcodes = isa.opcodes().iter().filter(|opcode| opcode.name == name);
    opcodes.flat_map(|opcode| isa.mnemonics(opcode)).map(|mnemonic| mnemonic.text).collect()
}

/// Describes a wrong or missing finding, if any.
fn wrong(isa: &Isa, found: &[&Diagnostic], truth: &TextTruth) -> Option<String> {
    let order: Vec<String> = isa.opcodes().iter().map(|opcode| opcode.name.clone()).collect();
    let reported = pairs(found, &order);
    let is_doubtful = |pair: &(String, String)| {
        [&pair.0, &pair.1].iter().any(|id| truth.doubtful.contains_key(*id))
    };
    if let Some(pair) =
        reported.iter().find(|pair| !truth.shared.contains(pair) && !is_doubtful(pair))
    {
        return Some(format!("{pair:?} are reported to share a text"));
    }
    // Each opcode is reported with the first before it that has the text, too.
    let later: BTreeSet<&String> = reported.iter().map(|(_, later)| later).collect();
    if let Some(pair) = truth.shared.iter().find(|(_, second)| !later.contains(second)) {
        return Some(format!("{pair:?} share a text, and it is not reported"));
    }
    // Each opcode is in one finding: the other opcode can be in a finding with a third opcode.
    let told: BTreeSet<&str> =
        reported.iter().flat_map(|(a, b)| [a, b].map(String::as_str)).collect();
    let is_told = |name: &str| {
        let mnemonics = of_name(isa, name);
        told.iter().any(|other| !of_name(isa, other).is_disjoint(&mnemonics))
    };
    if let Some((name, line)) = truth.doubtful.iter().find(|(name, _)| !is_told(name)) {
        return Some(format!("`{line}` of {name} fits another opcode, and it is not reported"));
    }
    let unread = found.iter().find(|found| matches!(found.code, Code::W0912 | Code::W0916));
    // Of a text that two opcodes have it cannot be told how it would be read otherwise.
    let unread = unread.filter(|_| truth.shared.is_empty());
    match (unread, truth.unread.iter().next()) {
        (Some(found), None) => Some(format!("{}: {}", found.code, found.message)),
        (None, Some((name, fault))) if truth.shared.is_empty() => Some(format!("{name}: {fault}")),
        _ => None,
    }
}

fn examine(text: &str, counts: &mut Counts) -> Result<(), String> {
    let (_, compilation) = compile(&[("random.isa", text)]);
    let Some(family) = &compilation.family else { return Ok(()) };
    let isa = family.first();
    let found: Vec<&Diagnostic> = compilation.diagnostics.iter().collect();
    let truth = random::texts(isa);
    // An open question is not wrong, but must be rare.
    if found.iter().any(|found| found.code == Code::W0708) {
        *counts.entry("open").or_default() += 1;
        return Ok(());
    }
    if let Some(wrong) = wrong(isa, &found, &truth) {
        return Err(format!("{wrong}\n{truth:#?}"));
    }
    let mut add = |what, more: usize| *counts.entry(what).or_default() += more;
    add("sets", 1);
    add("without findings", usize::from(truth == TextTruth::default()));
    add("shared", truth.shared.len());
    add("doubtful", truth.doubtful.len());
    add("not read back", truth.unread.len());
    Ok(())
}

/// Printed aliases, each with its opcode, with a text that is not read as the word it was printed for.
fn misread_aliases(isa: &Isa) -> BTreeSet<(String, String)> {
    let loaded = Loaded::new(isa.clone());
    let engine = loaded.engine();
    let mut misread = BTreeSet::new();
    for word in 0..1u128 << isa.width() {
        let Verdict::Legal { opcode: id, advice: None } = oracle::decode(isa, word) else {
            continue;
        };
        let opcode = &isa.opcodes()[id.index()];
        let inst = Inst { opcode: id, word };
        if oracle::significant(opcode, word) != word || engine.long(inst).is_some() {
            continue;
        }
        let Some(at) = engine.alias(inst) else { continue };
        let read = engine.assemble(&oracle::print(isa, opcode, word));
        let is_read =
            read.is_ok_and(|read| oracle::is_same(isa, (id, word), (read.opcode, read.word)));
        if !is_read {
            misread.insert((opcode.aliases[at].form.name.clone(), opcode.name.clone()));
        }
    }
    misread
}

fn examine_aliases(text: &str, counts: &mut Counts) -> Result<(), String> {
    let (_, compilation) = compile(&[("random.isa", text)]);
    let Some(family) = &compilation.family else { return Ok(()) };
    let isa = family.first();
    let is_printed = |name: &str| {
        let mut aliases = isa.opcodes().iter().flat_map(|opcode| &opcode.aliases);
        aliases.any(|alias| alias.form.name == name && alias.is_printed)
    };
    let found = compilation.diagnostics.iter().filter(|found| found.code == Code::W0916);
    let notes = found.flat_map(|found| &found.notes);
    let reported: BTreeSet<(String, String)> = notes
        .filter_map(|note| {
            let names = note.strip_prefix("it is the text of alias `")?.strip_suffix('`')?;
            let (alias, of) = names.split_once("` of `")?;
            is_printed(alias).then(|| (alias.to_string(), of.to_string()))
        })
        .collect();
    let truth = misread_aliases(isa);
    let aliases: usize = isa.opcodes().iter().map(|opcode| opcode.aliases.len()).sum();
    let open = compilation.proofs.iter().map(|proof| proof.texts_open as usize).sum::<usize>();
    let mut add = |what, more: usize| *counts.entry(what).or_default() += more;
    add("aliases", aliases);
    add("open", open);
    add("misread", truth.len());
    let is_right = match open {
        0 => reported == truth,
        _ => reported.is_subset(&truth),
    };
    match is_right {
        true => Ok(()),
        false => Err(format!("reported {reported:?}, by the oracle {truth:?}")),
    }
}

/// Compares the proofs about the texts of aliases with an examination of every word.
#[test]
fn texts_of_aliases_are_as_the_oracle_says() {
    let tries = count("ISADL_SETS", 400);
    let first = count("ISADL_SEED", 0) as u64;
    let mut counts = Counts::new();
    let mut failures = Vec::new();
    for seed in first..first + tries as u64 {
        let text = random::specification(seed).text;
        let has_aliases = text.contains("__DefAlias");
        if has_aliases && examine_aliases(&text, &mut counts).is_err() {
            failures.push((seed, text));
        }
    }
    random::report(&failures, |text| examine_aliases(text, &mut Counts::new()));
    println!("{counts:?}");
    let [aliases, open, misread] = ["aliases", "open", "misread"].map(|what| counts[what]);
    assert!(misread > tries / 200 && open * 10 < aliases, "{counts:?}");
}

#[test]
fn texts_are_as_the_oracle_says() {
    let tries = count("ISADL_SETS", 400);
    let first = count("ISADL_SEED", 0) as u64;
    let mut counts = Counts::new();
    let mut failures = Vec::new();
    for seed in first..first + tries as u64 {
        let set = match seed % 2 {
            0 => random::specification(seed),
            _ => random::contested(seed),
        };
        // Another test covers the findings about aliases.
        let text = random::without_aliases(&set.text);
        if examine(&text, &mut counts).is_err() {
            failures.push((seed, text));
        }
    }
    random::report(&failures, |text| examine(text, &mut Counts::new()));
    println!("{counts:?}");
    let open = counts.remove("open").unwrap_or_default();
    assert!(open <= tries / 200, "{open} are open");
    let rare: Vec<_> = counts.iter().filter(|(_, count)| **count < tries / 600).collect();
    assert!(rare.is_empty() && counts.len() == 5, "{counts:?}");
}
