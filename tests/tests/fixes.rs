//! Suggestions: a certain suggestion makes its finding vanish and causes no other, and removes planted text letter for
//! letter. `ISADL_SETS` is the number of random instruction sets.

use std::collections::{BTreeMap, BTreeSet};

use isadl::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Fix};
use isadl::fix::{fixed, place};
use isadl::levels::{Level, Levels};
use isadl::source::{FileId, SourceMap};
use isadl_test_support::{Random, compile, count, prelude, random, root};

/// The fixtures of diagnostics: names and texts.
fn fixtures() -> Vec<(String, String)> {
    let folder = std::fs::read_dir(root().join("tests/diagnostics")).expect("a folder");
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a text"))
    };
    let mut fixtures: Vec<(String, String)> =
        folder.map(|entry| read(entry.expect("an entry").path())).collect();
    fixtures.sort();
    fixtures
}

/// A text and its findings; the code that a fixture is named after is shown even if it is allowed.
fn found(name: &str, text: &str) -> (SourceMap, FileId, Diagnostics) {
    let mut sources = SourceMap::new();
    if text.starts_with("// prelude") {
        sources.add("prelude.isa", prelude().into_bytes());
    }
    let id = sources.add(name, text.as_bytes().to_vec());
    let mut levels = Levels::default();
    // Codes that are always errors do not have a level.
    let _ = levels.set(name.split(['_', '.']).next().unwrap_or_default(), Level::Warn);
    let mut compilation = isadl::compile(&sources);
    compilation.diagnostics.apply(&levels);
    (sources, id, compilation.diagnostics)
}

fn fixes(finding: &Diagnostic) -> impl Iterator<Item = &Fix> {
    finding.helps.iter().filter_map(|help| help.fix.as_ref())
}

fn is_certain(finding: &Diagnostic) -> bool {
    fixes(finding).any(|fix| fix.certainty == Certainty::Certain)
}

/// The findings of a text, counted.
fn counted(found: &Diagnostics) -> BTreeMap<(Code, String), usize> {
    let mut counts = BTreeMap::new();
    for finding in found.iter() {
        *counts.entry((finding.code, finding.message.clone())).or_default() += 1;
    }
    counts
}

/// The text of a file after some findings.
fn followed(sources: &SourceMap, id: FileId, findings: &[&Diagnostic]) -> Option<String> {
    let mut list = Diagnostics::default();
    findings.iter().for_each(|finding| list.push((*finding).clone()));
    fixed(sources, &list).into_iter().find(|of| of.file == id).map(|of| of.text)
}

#[test]
fn certain_fixes_make_findings_vanish_and_no_other_come() {
    let mut codes: BTreeSet<Code> = BTreeSet::new();
    let mut failures = Vec::new();
    for (name, text) in fixtures() {
        let (sources, id, before) = found(&name, &text);
        let known = counted(&before);
        let certain: Vec<&Diagnostic> = before.iter().filter(|found| is_certain(found)).collect();
        codes.extend(certain.iter().map(|found| found.code));
        // Each alone, and all together.
        let each = certain.iter().map(|finding| vec![*finding]);
        for findings in each.chain((certain.len() > 1).then_some(certain.clone())) {
            let Some(text) = followed(&sources, id, &findings) else {
                failures.push(format!("{name}: {} has no place", findings[0].message));
                continue;
            };
            let after = counted(&found(&name, &text).2);
            let mut left = known.clone();
            for finding in &findings {
                let key = (finding.code, finding.message.clone());
                *left.get_mut(&key).expect("it was found") -= 1;
            }
            let more =
                after.iter().filter(|(key, count)| left.get(key).copied().unwrap_or(0) < **count);
            failures.extend(more.map(|(key, _)| format!("{name}: {key:?} after\n{text}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let told = Code::ALL.iter().filter(|code| code.page().contains("`isadl check --fix`"));
    assert_eq!(codes, told.copied().collect(), "what pages say, and what is so");
}

/// Suggestions that are guesses leave texts of the language: no other syntax error comes.
#[test]
fn guesses_leave_a_text_of_the_language() {
    let is_syntax = |code: Code| code.as_str().starts_with("E01");
    let mut codes: BTreeSet<Code> = BTreeSet::new();
    for (name, text) in fixtures() {
        let (sources, id, before) = found(&name, &text);
        let known = counted(&before);
        for finding in before.iter().filter(|found| found.primary.span.file == id) {
            for fix in fixes(finding) {
                let Some(span) = place(finding, fix, &sources) else { continue };
                let mut changed = text.clone();
                changed.replace_range(span.range(), &fix.new);
                codes.insert(finding.code);
                // A text that is read at all may be wrong in other ways.
                if is_syntax(finding.code) {
                    continue;
                }
                let after = counted(&found(&name, &changed).2);
                let more = after.iter().filter(|(key, count)| {
                    is_syntax(key.0) && known.get(key).copied().unwrap_or(0) < **count
                });
                let more: Vec<_> = more.collect();
                assert!(more.is_empty(), "{name}: {more:?} after {}\n{changed}", finding.message);
            }
        }
    }
    assert!(codes.len() > 40, "{codes:?}");
}

/// Plants text that `isadl check --fix` must remove without any other change.
fn plant(text: &str, random: &mut Random) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = random.below(lines.len() as u64) as usize;
    let line = lines[at];
    let word = line.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let indent = &line[..line.len() - line.trim_start().len()];
    let is_statement = line.starts_with("    ") && line.trim_end().ends_with(';');
    let new = match random.below(4) {
        0 if word.starts_with("__") => {
            let cut = 3 + random.below(word.len() as u64 - 3) as usize;
            line.replacen(word, &format!("{}{}", &word[..cut], &word[cut + 1..]), 1)
        }
        1 if is_statement => line.replacen(';', "", line.matches(';').count()),
        2 if is_statement => line.trim_end().to_string() + " // isadl: allow(W0303, planted)\n",
        3 if line.starts_with("__Def") => format!("// isadl: allow(bits, planted)\n{line}"),
        _ => return None,
    };
    // Texts with a semicolon, and words that are others without a letter, are left as they are.
    let is_plain = !line.contains('"') && line.matches(';').count() <= 1 && new != line;
    let before: String = lines[..at].concat();
    is_plain.then(|| before + &format!("{indent}{}", new.trim_start()) + &lines[at + 1..].concat())
}

#[test]
fn what_is_planted_in_random_sets_is_taken_away() {
    let mut planted = 0;
    let mut refused = 0;
    for seed in 0..count("ISADL_SETS", 300) as u64 {
        let text = random::specification(seed).text;
        if random::accepted(&text).is_none() {
            continue;
        }
        let mut random = Random::new(seed);
        let tries = (0..20).filter_map(|_| plant(&text, &mut random));
        for wrong in tries.take(3) {
            let (sources, compilation) = compile(&[("random.isa", &wrong)]);
            let id = sources.specification().next().expect("a file");
            let found: Vec<&Diagnostic> =
                compilation.diagnostics.iter().filter(|found| is_certain(found)).collect();
            // A suggestion between two possible keywords is a guess.
            let Some(right) = followed(&sources, id, &found) else {
                refused += 1;
                continue;
            };
            planted += 1;
            assert_eq!(right, text, "seed {seed}\n{wrong}");
        }
    }
    println!("{planted} planted, {refused} left");
    assert!(planted > 10 * refused && planted > 100, "{planted} planted, {refused} left");
}
