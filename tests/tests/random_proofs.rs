//! Compares the compiler's proofs about the encoding with an examination of every word, on random small instruction
//! sets, most of which are refused. `ISADL_SETS` is their number, `ISADL_SEED` the first seed.

use std::collections::BTreeMap;

use isadl::diagnostic::{Code, Diagnostic};
use isadl::engine::Loaded;
use isadl::isa::{Binding, Isa, OpcodeId};
use isadl::source::SourceMap;
use isadl_test_support::oracle::{self, Verdict};
use isadl_test_support::random::{self, Subject, Truth};
use isadl_test_support::{compile, count};

/// The subject of each line of a specification: the opcode or type, and the number of the rule.
fn places(text: &str) -> Vec<(String, usize)> {
    let mut places = Vec::new();
    let mut place = (String::new(), 0);
    for line in text.lines() {
        if let Some(name) =
            line.strip_prefix("__Def").and_then(|rest| rest.split([' ', '<']).nth(1))
        {
            place = (name.to_string(), 0);
        }
        places.push(place.clone());
        let line = line.trim_start();
        if line.starts_with("EncodingError") || line.starts_with("AssemblerError") {
            place.1 += 1;
        }
    }
    places
}

/// The names between backticks.
fn quoted(message: &str) -> Vec<String> {
    message.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

/// The compiler's findings; an error describes a wrong witness.
fn reported(
    text: &str,
    sources: &SourceMap,
    found: &[&Diagnostic],
    isa: &Isa,
) -> Result<Truth, String> {
    let places = places(text);
    let mut truth = Truth::default();
    for diagnostic in found {
        let span = diagnostic.primary.span;
        let (line, _) = sources.position(span.file, span.start);
        let place = places[line - 1].clone();
        let names = quoted(&diagnostic.message);
        match diagnostic.code {
            Code::E0701 => {
                let (first, second) = (names[0].clone(), names[1].clone());
                is_witness(isa, diagnostic, [&first, &second])?;
                let help = diagnostic.helps.iter().map(|help| help.text.as_str());
                let proposal = help.clone().find(|text| text.starts_with("for example, "));
                random::is_proposal(isa, [&first, &second], proposal)?;
                truth.sharing.insert(second, first);
            }
            Code::E0704 => drop(truth.dead.insert(names[0].clone())),
            Code::E0605 => drop(truth.always.insert(place)),
            Code::W0604 => drop(truth.never.insert(place)),
            Code::W0608 => drop(truth.special.insert(place)),
            Code::W0607 => drop(truth.implied.insert(place)),
            Code::W0312 => drop(truth.unseen.insert((place.0, names[0].clone()))),
            Code::W0524 => drop(truth.constant.insert(place.0)),
            Code::W0709 => drop(truth.lost.insert(names[0].clone())),
            Code::W0416 => drop(truth.defaults.insert((place.0, names[0].clone()))),
            Code::W0417 => drop(truth.together.insert(names[0].clone())),
            Code::E0515 => {
                is_width_witness(isa, diagnostic, &place.0, &names[0])?;
                truth.too_wide.insert((place.0, names[0].clone()));
            }
            Code::E0517 => {
                is_width_witness(isa, diagnostic, &place.0, &names[0])?;
                truth.too_narrow.insert((place.0, names[0].clone()));
            }
            // `random_texts` says how often texts are not decided.
            Code::W0708 if diagnostic.message.contains(" text") => {}
            Code::W0708 => return Err(format!("not proven: {}", diagnostic.message)),
            _ => {}
        }
    }
    Ok(truth)
}

/// The word of a number that is shown: it has as many digits as the widest of the instructions that it is about.
fn shown_word(isa: &Isa, digits: &str) -> Result<u128, String> {
    let number = u128::from_str_radix(digits, 16).map_err(|_| "no word is shown".to_string())?;
    let beyond = isa.width().saturating_sub(digits.len() as u32 * 4);
    Ok(if isa.word_layout().is_first_high() { number << beyond } else { number })
}

/// The word that a conflict shows is legal for both opcodes, and no special case takes it.
fn is_witness(isa: &Isa, diagnostic: &Diagnostic, names: [&str; 2]) -> Result<(), String> {
    let shown = diagnostic.notes.iter().find_map(|note| note.strip_prefix("the word 0x"));
    let digits = shown.and_then(|note| note.split(' ').next()).unwrap_or_default();
    let word = shown_word(isa, digits)?;
    let legal = |id: &OpcodeId| matches!(oracle::verdict(isa, *id, word), Verdict::Legal { .. });
    let takers = oracle::candidates(isa, word);
    let takers: Vec<&str> = takers
        .iter()
        .filter(|id| legal(id))
        .map(|id| isa.opcodes()[id.index()].name.as_str())
        .collect();
    match names.iter().all(|name| takers.contains(name)) {
        true => Ok(()),
        false => Err(format!("0x{word:x} is shown for {names:?}, but legal for {takers:?}")),
    }
}

/// The word in a finding about a width is legal for its opcode, and the operand's width is wrong in it.
fn is_width_witness(
    isa: &Isa,
    diagnostic: &Diagnostic,
    name: &str,
    operand: &str,
) -> Result<(), String> {
    let shown = diagnostic.notes.iter().find_map(|note| note.split_once("the word 0x"));
    let Some((_, shown)) = shown else {
        // A width that is a number is wrong in every word.
        return match diagnostic.code {
            Code::E0517 => Ok(()),
            _ => Err(format!("no word is shown for {operand} of {name}")),
        };
    };
    let digits = shown.split(' ').next().unwrap_or_default();
    let word = shown_word(isa, digits)?;
    let is_wrong = |id: &OpcodeId| {
        let opcode = &isa.opcodes()[id.index()];
        let mut data = oracle::data(isa, opcode, word).into_iter();
        opcode.name == name
            && matches!(oracle::verdict(isa, *id, word), Verdict::Legal { .. })
            && data.any(|(of, data)| {
                let is_so = match diagnostic.code {
                    Code::E0515 => data.room.is_some_and(|room| data.bits > room),
                    _ => data.bits <= 0,
                };
                of == operand && is_so
            })
    };
    match oracle::candidates(isa, word).iter().any(is_wrong) {
        true => Ok(()),
        false => Err(format!("0x{word:x} is shown for {operand} of {name}, but does not show it")),
    }
}

/// Every word of an accepted set is decoded as the oracle says, and its values encode to it.
fn survives(isa: &Isa) -> Result<(), String> {
    let loaded = Loaded::new(isa.clone());
    let subject = Subject::new(loaded.engine());
    for word in 0..1u128 << isa.width() {
        let verdict = random::compare(&subject, word)?;
        // Encoders do not generate words that a rule for assemblers forbids.
        let Verdict::Legal { opcode: id, advice: None } = verdict else { continue };
        let opcode = &isa.opcodes()[id.index()];
        let open = opcode.fields.iter().filter(|f| !matches!(f.binding, Binding::Fixed(_)));
        let values: Vec<_> = open.map(|field| (field.name, field.extract(word))).collect();
        let encoded = loaded.engine().encode(id, &values).map(|inst| (inst.opcode, inst.word));
        let kept = oracle::significant(opcode, word);
        // Bits that are ignored or that nothing mentions are 0.
        if encoded != Ok((id, kept)) {
            return Err(format!("0x{word:x} of {} encodes as {encoded:x?}", opcode.name));
        }
    }
    Ok(())
}

/// How often each was seen.
type Counts = BTreeMap<&'static str, usize>;

fn examine(text: &str, counts: &mut Counts) -> Result<(), String> {
    let (sources, compilation) = compile(&[("random.isa", text)]);
    let Some(isa) = isadl::lowered(&sources) else { return Ok(()) };
    // Of large sets the tables are made while the encoding is checked, so that they must not rely on it.
    drop(Loaded::new(isa.clone()));
    let found: Vec<&Diagnostic> = compilation.diagnostics.iter().collect();
    // An opcode that matches every word is not examined further.
    if found.iter().any(|diagnostic| diagnostic.code == Code::E0702) {
        return Ok(());
    }
    let reported = reported(text, &sources, &found, &isa)?;
    let truth = random::truth(&isa);
    if reported != truth {
        return Err(format!("reported {reported:#?}, by the oracle {truth:#?}"));
    }
    let mut add = |what, more: usize| *counts.entry(what).or_default() += more;
    add("sets", 1);
    add("sharing", truth.sharing.len());
    add("dead", truth.dead.len());
    add("always", truth.always.len());
    add("never", truth.never.len());
    add("special", truth.special.len());
    add("implied", truth.implied.len());
    add("unseen", truth.unseen.len());
    add("lost", truth.lost.len());
    add("constant conditions", truth.constant.len());
    add("defaults", truth.defaults.len());
    add("together", truth.together.len());
    add("too wide", truth.too_wide.len());
    add("too narrow", truth.too_narrow.len());
    let is_proposal = |found: &&&Diagnostic| {
        let mut helps = found.helps.iter();
        found.code == Code::E0701 && helps.any(|help| help.text.starts_with("for example"))
    };
    add("told how to separate", found.iter().filter(is_proposal).count());
    let [proof] = compilation.proofs.as_slice() else { return Err("no proof".to_string()) };
    add("apart by values", proof.value_pairs as usize);
    if let Some(family) = &compilation.family {
        survives(family.first())?;
        add("accepted", 1);
        add("accepted although bits are shared", usize::from(proof.value_pairs > 0));
    }
    Ok(())
}

#[test]
fn proofs_are_as_the_oracle_says() {
    let tries = count("ISADL_SETS", 500);
    let first = count("ISADL_SEED", 0) as u64;
    let mut counts = Counts::new();
    let mut failures = Vec::new();
    for seed in first..first + tries as u64 {
        let set = random::contested(seed);
        if examine(&set.text, &mut counts).is_err() {
            failures.push((seed, set.text));
        }
    }
    random::report(&failures, |text| examine(text, &mut Counts::new()));
    println!("{counts:?}");
    let rare: Vec<_> = counts.iter().filter(|(_, count)| **count < tries / 200).collect();
    assert!(rare.is_empty() && counts.len() == 18, "{counts:?}");
}
