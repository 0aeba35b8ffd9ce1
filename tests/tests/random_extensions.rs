//! Compares random instruction sets with extensions, for every allowed set of them, with the same text without
//! extensions and without the opcodes that the set lacks. The test covers the meaning of words, their texts, the
//! meaning of lines, and proofs, for every set and every word.

use std::collections::{BTreeMap, BTreeSet};

use isadl::diagnostic::{Code, Severity};
use isadl::engine::{Engine, Loaded};
use isadl::isa::{Isa, Selection};
use isadl::levels::Levels;
use isadl::prove::Effort;
use isadl_test_support::random::{self, Extended};
use isadl_test_support::{compile, count};

/// The meaning of a word: the opcode, its word, the alias that it is printed as, its text.
#[derive(Debug, PartialEq)]
struct Meaning {
    name: String,
    word: u128,
    alias: Option<String>,
    text: String,
}

fn meaning(engine: &Engine<'_>, word: u128) -> Option<Meaning> {
    let inst = engine.decode(word).ok()?;
    let opcode = engine.isa().opcode(inst.opcode);
    let alias = engine.alias(inst).map(|at| opcode.aliases[at].form.name.clone());
    Some(Meaning { name: opcode.name.clone(), word: inst.word, alias, text: engine.text(inst) })
}

impl Meaning {
    /// Whether it is the same in an instruction set that lacks values. There a default may be left out that is written
    /// where a value could be taken for it.
    fn is_like(&self, other: &Meaning, (reads, alone): (bool, &Engine<'_>)) -> bool {
        let what = |of: &Meaning| (of.name.clone(), of.word, of.alias.clone());
        what(self) == what(other)
            && (self.text == other.text
                || !reads
                || read(alone, &self.text) == Some((other.name.clone(), other.word)))
    }
}

/// The meaning of a line, as an opcode name and a word.
fn read(engine: &Engine<'_>, line: &str) -> Option<(String, u128)> {
    let inst = engine.read(line)?;
    Some((engine.isa().opcode(inst.opcode).name.clone(), inst.word))
}

/// Compares an instruction set restricted to one set of extensions with the set that has only its opcodes.
fn compare(
    engine: &Engine<'_>,
    plain: &Isa,
    (reads, lines): (bool, &mut BTreeSet<String>),
) -> Result<(), String> {
    let loaded = Loaded::new(plain.clone());
    let alone = loaded.engine();
    for word in 0..1u128 << plain.width() {
        let (found, expected) = (meaning(engine, word), meaning(&alone, word));
        let is_like = match (&found, &expected) {
            (Some(found), Some(expected)) => found.is_like(expected, (reads, &alone)),
            (found, expected) => found == expected,
        };
        if !is_like {
            return Err(format!("0x{word:x} is {found:x?}, should be {expected:x?}"));
        }
        let Some(Meaning { name, word: kept, text, .. }) = found else { continue };
        let id = plain.find_opcode(&name).ok_or("no such opcode")?;
        let opcode = plain.opcode(id);
        let open = opcode.fields.iter().filter(|field| field.mask() & !opcode.mask != 0);
        let values: Vec<_> =
            open.map(|field| (plain.name_of(field.name), field.extract(word))).collect();
        let encode = |engine: &Engine<'_>| {
            let isa = engine.isa();
            let id = isa.find_opcode(&name)?;
            let names: Vec<_> = values
                .iter()
                .filter_map(|(name, raw)| {
                    let field =
                        isa.opcode(id).fields.iter().find(|f| isa.name_of(f.name) == *name)?;
                    Some((field.name, *raw))
                })
                .collect();
            engine.encode(id, &names).ok().map(|inst| inst.word)
        };
        if encode(engine) != encode(&alone) {
            return Err(format!("0x{word:x} of {name}, 0x{kept:x}, encodes otherwise"));
        }
        if lines.len() < 400 {
            lines.insert(text);
        }
    }
    for line in lines.iter().filter(|_| reads) {
        let (found, expected) = (read(engine, line), read(&alone, line));
        // A line with a value of other sets is refused, and not read as an instruction that is printed otherwise.
        let is_printed = || alone.read(line).is_some_and(|inst| alone.text(inst) == *line);
        if found != expected && (found.is_some() || is_printed()) {
            return Err(format!("`{line}` is {found:x?}, should be {expected:x?}"));
        }
    }
    Ok(())
}

/// How often each was seen.
type Counts = BTreeMap<&'static str, usize>;

/// Errors about opcodes that share words, and about opcodes without words: code, and the two names or the name.
fn errors(compilation: &isadl::Compilation) -> Vec<(Code, Vec<String>)> {
    let found = compilation.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    found
        .map(|found| {
            let names = found.message.split('`').skip(1).step_by(2).map(str::to_string);
            (found.code, names.collect())
        })
        .collect()
}

fn examine(extended: &Extended, counts: &mut Counts) -> Result<(), String> {
    let (sources, whole) = compile(&[("random.isa", &extended.text)]);
    if isadl::lowered(&sources).is_none() && whole.diagnostics.iter().all(|d| d.code != Code::E1010)
    {
        return Ok(());
    }
    let found = errors(&whole);
    let codes: BTreeSet<Code> = found.iter().map(|(code, _)| *code).collect();
    let mut add = |what| *counts.entry(what).or_default() += 1;
    if codes.contains(&Code::E1012) {
        add("defaults that sets lack");
        return Ok(());
    }
    if extended.sets.iter().all(|set| *set == 0) || codes.contains(&Code::E1010) {
        // The default that the text names may be all that is left, with nothing in it.
        return Ok(());
    }
    let plain: Vec<(u32, isadl::Compilation)> = extended
        .sets
        .iter()
        .filter_map(|set| Some((*set, compile(&[("random.isa", &extended.with(*set)?)]).1)))
        .collect();
    // Restricted to one set, it has the errors of the text without the items that the set lacks.
    for (set, compilation) in &plain {
        let fixed = isadl::compile_for(&sources, Effort::Check, &Extended::names(*set));
        let of = |compilation: &isadl::Compilation| -> BTreeSet<_> {
            errors(compilation).into_iter().collect()
        };
        let fixed = fixed.map_err(|error| error.to_string())?;
        if of(&fixed) != of(compilation) {
            let names = Extended::names(*set);
            return Err(format!("for {names:?}: {:?}, not {:?}", of(&fixed), of(compilation)));
        }
        add("sets looked at alone");
    }
    // A rule may name a value that a set lacks, which is an error of its text.
    let is_text = |compilation: &isadl::Compilation| {
        errors(compilation).iter().all(|(code, _)| code.as_str() >= "E0600" && *code != Code::E0602)
    };
    let count = plain.len();
    let plain: Vec<_> = plain.into_iter().filter(|(_, one)| is_text(one)).collect();
    let is_whole = plain.len() == count;
    for (name, sets) in extended.opcodes().filter(|_| is_whole) {
        let is_absent = sets.is_empty();
        let is_told = found.contains(&(Code::E1009, vec![name.to_string()]));
        if is_absent != is_told && !codes.contains(&Code::E0702) {
            return Err(format!(
                "{name} has sets: {}, but is reported: {is_told}; {found:?}",
                !is_absent
            ));
        }
        if is_absent {
            add("opcodes of no set");
            return Ok(());
        }
        // An opcode is dead if it is in every set that has it; one rule may be enough for that.
        let dead = |compilation: &isadl::Compilation| {
            errors(compilation).iter().any(|(code, names)| {
                matches!(code, Code::E0704 | Code::E0605) && names.contains(&name.to_string())
            })
        };
        // Of the opcodes that a rule forbids the first is named.
        let is_unnamed = |compilation: &isadl::Compilation| {
            compilation.diagnostics.iter().any(|found| {
                found.code == Code::E0605 && found.message.contains("other") && !dead(compilation)
            })
        };
        if plain.iter().any(|(_, one)| is_unnamed(one)) || is_unnamed(&whole) {
            continue;
        }
        let has = |(set, _): &&(u32, isadl::Compilation)| sets.contains(set);
        let is_dead = plain.iter().filter(has).all(|(_, one)| dead(one));
        if is_dead != dead(&whole) {
            return Err(format!("{name} is dead by a look at every set: {is_dead}"));
        }
        if is_dead {
            add("dead opcodes");
        }
    }
    // Exactly the opcodes that share a word in some set are reported; for each opcode, the first is named.
    let of_code = |all: &[(Code, Vec<String>)], code: Code| -> BTreeSet<String> {
        all.iter()
            .filter(|(of, _)| *of == code)
            .filter_map(|(_, names)| names.last().cloned())
            .collect()
    };
    let in_some: Vec<(Code, Vec<String>)> =
        plain.iter().flat_map(|(_, compilation)| errors(compilation)).collect();
    let (reported, expected) = (of_code(&found, Code::E0701), of_code(&in_some, Code::E0701));
    if reported != expected && is_whole {
        return Err(format!("sharing {reported:?}, should be {expected:?}"));
    }
    if !reported.is_empty() {
        add("opcodes that share a word");
    }
    let Some(family) = whole.family else {
        let others = in_some.iter().any(|(code, _)| *code != Code::E0704);
        return if others || codes.contains(&Code::E0704) || !is_whole {
            add("refused");
            Ok(())
        } else {
            Err(format!("{found:?} although no set has an error"))
        };
    };
    add("accepted");
    extended.guarded().for_each(&mut add);
    let loaded = Loaded::new(family.first().clone());
    // Texts that are not read back are reported, and need not be so in every set.
    let mut levelled = whole.diagnostics;
    levelled.apply(&Levels::default());
    let is_clean = !levelled.has_errors();
    if is_clean {
        add("sets with texts that read back");
    }
    let mut lines = BTreeSet::new();
    for (set, compilation) in &plain {
        // An opcode may be dead in some sets.
        let Some(alone) = &compilation.family else { continue };
        let engine = loaded.engine().with_extensions(u64::from(*set));
        let names = Extended::names(*set);
        let wrong = |what: String| format!("with {names:?}: {what}");
        compare(&engine, alone.first(), (is_clean, &mut lines)).map_err(wrong)?;
        let text = isadl_test_support::compile(&[("random.isa", &extended.text)]).1.family;
        let fixed = Selection { extensions: Some(names.clone()), ..Selection::default() };
        let part =
            text.ok_or("it was accepted before")?.select(&fixed).map_err(|e| e.to_string())?;
        let part = Loaded::new(part.first().clone());
        compare(&part.engine(), alone.first(), (is_clean, &mut lines))
            .map_err(|what| format!("fixed to {names:?}: {what}"))?;
        add("sets of accepted");
    }
    Ok(())
}

/// Five opcodes; three of them are compressed encodings.
const SHORTS: &str = r#"__DefIsa R<8>

__DefRegFile GPR<16, 4>

__DefOperandType Reg<2>
    r[0..3] = 0 : GPR;

__DefImmediate Imm3<3>
    Number = unsigned;

__DefImmediate Imm2<2>
    Number = unsigned;

__DefGroup ALL : []
  __Encoding
    field[3:2] Reg rd;

__DefOpcode ADD : [ALL]
  __Encoding
    fixed[1:0] == 0;
    field[6:4] Imm3 imm;
    fixed[7] == 0;
  __OperandInfo
    Mnemonic<"add">;
    Operands<out rd : 16, in imm>;
  __Exception
    EncodingError<K0, "forbidden"> = imm == 1;
    EncodingError<K1, "forbidden"> = rd == "r3";

__DefAlias FIVE : [ADD]
  __Encoding
    fix imm == 5;
  __OperandInfo
    Mnemonic<"five">;

__DefOpcode SUB : [ALL]
  __Encoding
    fixed[1:0] == 0;
    field[6:4] Imm3 imm;
    fixed[7] == 1;
  __OperandInfo
    Mnemonic<"sub">;
    Operands<out rd : 16, in imm>;

__DefOpcode ADD_S : [ALL]
  __Encoding
    fixed[1:0] == 1;
    field[5:4] Imm2 imm;
    fixed[7:6] == 0;
  __OperandInfo
    Mnemonic<"add.s">;
    Operands<out rd : 16, in imm>;
    Short<ADD>;
  __Exception
    EncodingError<K0, "forbidden"> = imm == 1;
    EncodingError<K1, "forbidden"> = rd == "r3";

__DefOpcode SUB_S : [ALL]
  __Encoding
    fixed[1:0] == 1;
    field[5:4] Imm2 imm;
    fixed[7:6] == 1;
  __OperandInfo
    Mnemonic<"sub.s">;
    Operands<out rd : 16, in imm>;
    Short<SUB>;

__DefOpcode FIVE_S : [ALL]
  __Encoding
    fixed[1:0] == 2;
    zero[7:4];
  __OperandInfo
    Mnemonic<"five.s">;
    Operands<out rd : 16>;
    Short<SUB> : imm = 5;
"#;

/// Compressed encodings with random guards, and compressed encodings whose long encoding some sets lack. Texts, words
/// and lines of every set equal the results for the text without the others, and refused encodings are wrong in some
/// set.
#[test]
fn shorter_encodings_are_those_of_the_set() {
    let mut counts = Counts::new();
    let tries = count("ISADL_SETS", 150).min(2_000) as u64 / 4;
    for seed in 0..tries {
        let plain =
            random::Specification { text: SHORTS.to_string(), features: BTreeSet::new(), width: 8 };
        let extended = Extended::of(&plain, seed);
        let (_, whole) = compile(&[("random.isa", &extended.text)]);
        let codes: BTreeSet<Code> = errors(&whole).into_iter().map(|(code, _)| code).collect();
        let plain = |set: u32| extended.with(set).map(|text| compile(&[("random.isa", &text)]).1);
        if codes == BTreeSet::from([Code::E0520]) {
            // It is a compressed encoding in no set, or wrong in some set.
            let shorts = |text: &str| text.matches("Short<").count();
            let most = extended.sets.iter().filter_map(|set| extended.with(*set));
            let union: BTreeSet<String> = most
                .flat_map(|text| {
                    let of = text.split("\n__DefOpcode ").filter(|part| part.contains("Short<"));
                    of.filter_map(|part| Some(part.split(' ').next()?.to_string()))
                        .collect::<Vec<_>>()
                })
                .collect();
            let is_missing = union.len() < shorts(&extended.text);
            let is_wrong = extended
                .sets
                .iter()
                .filter_map(|set| plain(*set))
                .any(|one| errors(&one).iter().any(|(code, _)| *code == Code::E0520));
            assert!(is_missing || is_wrong, "seed {seed}: {:?}\n{}", errors(&whole), extended.text);
            *counts.entry(if is_wrong { "wrong in some set" } else { "of no set" }).or_default() +=
                1;
            continue;
        }
        let Some(family) = whole.family else {
            *counts.entry("refused").or_default() += 1;
            continue;
        };
        *counts.entry("accepted").or_default() += 1;
        let loaded = Loaded::new(family.first().clone());
        let mut lines = BTreeSet::new();
        for set in &extended.sets {
            let Some(alone) = plain(*set) else { continue };
            let found = errors(&alone);
            let alone = alone.family;
            let alone =
                alone.unwrap_or_else(|| panic!("seed {seed}: {found:?}\n{}", extended.text));
            let engine = loaded.engine().with_extensions(u64::from(*set));
            let names = Some(Extended::names(*set));
            let fixed = Selection { extensions: names.clone(), ..Selection::default() };
            let again = compile(&[("random.isa", &extended.text)]).1.family;
            let again = again.expect("it was accepted before");
            let part = Loaded::new(again.select(&fixed).expect("it is allowed").first().clone());
            for engine in [&engine, &part.engine()] {
                compare(engine, alone.first(), (true, &mut lines)).unwrap_or_else(|what| {
                    panic!("seed {seed}, {names:?}: {what}\n{}", extended.text)
                });
            }
            *counts.entry("sets").or_default() += 1;
        }
    }
    println!("{counts:?}");
    assert!(counts["accepted"] > tries as usize / 8 && counts.len() == 5, "{counts:?}");
}

#[test]
fn every_set_of_extensions_is_as_if_there_were_no_other() {
    let tries = count("ISADL_SETS", 150);
    let first = count("ISADL_SEED", 0) as u64;
    let mut counts = Counts::new();
    for seed in first..first + tries as u64 {
        let plain = match seed % 2 {
            0 => random::specification(seed),
            _ => random::contested(seed),
        };
        if plain.width > 8 {
            continue;
        }
        let extended = Extended::of(&plain, seed);
        if let Err(what) = examine(&extended, &mut counts) {
            panic!("seed {seed}: {what}\n{}", extended.text);
        }
    }
    println!("{counts:?}");
    let rare: Vec<_> = counts.iter().filter(|(_, count)| **count < tries / 300).collect();
    assert!(rare.is_empty() && counts.len() == 13, "{counts:?}");
}
