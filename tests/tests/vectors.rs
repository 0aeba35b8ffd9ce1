//! `gen --target vectors`: the vectors cover everything that a word can do, and the oracle, the engine
//! and the generated crates agree with each of them.

use std::collections::BTreeSet;

use isadl::isa::{Binding, Family, Field, NameId, OpcodeId, RuleId, RuleOrigin, TypeKind};
use isadl_codegen::vectors::{self, SCHEMA, Status, Vector, Vectors};
use isadl_test_support::oracle::Verdict;
use isadl_test_support::{Set, Sets, count, family, oracle, random};
use isadl_traits::Generation;
use serde_json::Value;

/// Compares a generated crate with a vector of a generation. These are macros, since crates have different types.
macro_rules! crate_agrees {
    ($krate:ident, $vector:expr $(, $generation:expr)?) => {{
        let vector: &Vector = $vector;
        let bytes = vector.bytes.as_slice();
        let decoded = $krate::Inst::decode($($generation,)? bytes);
        match vector.status {
            Status::Illegal => assert!(decoded.is_err(), "{vector:?}"),
            Status::Legal | Status::Refused => {
                let (inst, length) = decoded.unwrap_or_else(|e| panic!("{e}: {vector:?}"));
                assert_eq!(length, bytes.len(), "{vector:?}");
                assert_eq!(inst.opcode().name(), vector.opcode, "{vector:?}");
                assert_eq!(Some(inst.to_string()), vector.text, "{vector:?}");
                let uses: Vec<String> = inst.uses().map(|found| found.to_string()).collect();
                assert_eq!(uses, vector.uses, "{vector:?}");
                let parsed = $krate::Inst::parse($($generation,)? &inst.to_string());
                let rule = inst.broken_rule().map(|rule| rule.message().to_string());
                assert_eq!(rule, vector.rule.clone().map(|(_, message)| message), "{vector:?}");
                if vector.status == Status::Legal {
                    let written = inst.to_bytes().unwrap_or_else(|e| panic!("{e}: {vector:?}"));
                    let written: &[u8] = written.as_ref();
                    assert_eq!(written, bytes, "{vector:?}");
                    assert_eq!(parsed == Ok(inst), vector.reads_back, "{parsed:?}: {vector:?}");
                } else {
                    assert!(inst.to_bytes().is_err(), "{vector:?}");
                }
            }
        }
    }};
}

fn opcode(isa: &Set, vector: &Vector) -> OpcodeId {
    let is_it = |id: &OpcodeId| {
        let opcode = isa.opcode(*id);
        opcode.name == vector.opcode && opcode.has_literal() == vector.literal
    };
    isa.opcode_ids().find(is_it).expect("the opcode exists")
}

/// Compares the oracle and the engine with a vector.
fn agrees(isa: &Set, vector: &Vector) {
    let id = opcode(isa, vector);
    let fields: Vec<(NameId, u64)> = isa
        .opcode(id)
        .fields
        .iter()
        .filter(|field| !matches!(field.binding, Binding::Fixed(_)))
        .map(|field| (field.name, field.extract(vector.word)))
        .collect();
    let named = vector.fields.iter().map(|(_, raw)| *raw);
    assert!(named.eq(isa.opcode(id).fields.iter().map(|f| f.extract(vector.word))), "{vector:?}");
    let rule = |id: isadl::isa::RuleId| {
        let rule = isa.rule(id);
        Some((rule.kind.clone(), rule.message.clone()))
    };
    match (isa.decode(vector.word), vector.status) {
        (Err(isadl::engine::DecodeError::Rule { opcode, rule: broken }), Status::Illegal) => {
            assert_eq!((opcode, rule(broken)), (id, vector.rule.clone()), "{vector:?}");
            assert!(isa.engine().decode(vector.word).is_err(), "{vector:?}");
        }
        (Ok(inst), Status::Legal | Status::Refused) => {
            assert_eq!(inst.opcode, id, "{vector:?}");
            assert_eq!(isa.engine().decode(vector.word), Ok(inst), "{vector:?}");
            assert_eq!(Some(isa.text(inst)), vector.text, "{vector:?}");
            let uses: Vec<String> = oracle::uses(isa, isa.opcode(id), inst.word)
                .into_iter()
                .map(|(effect, resource)| format!("{effect} {resource}"))
                .collect();
            assert_eq!(uses, vector.uses, "{vector:?}");
            assert_eq!(isa.advice(inst).and_then(rule), vector.rule.clone(), "{vector:?}");
            for encoded in [isa.encode(id, &fields), isa.engine().encode(id, &fields)] {
                match vector.status {
                    Status::Legal => assert_eq!(encoded, Ok(inst), "{vector:?}"),
                    _ => assert!(encoded.is_err(), "{vector:?}"),
                }
            }
        }
        (found, _) => panic!("{found:?}: {vector:?}"),
    }
}

/// The vectors of a family, after the oracle and the engine have agreed with each.
fn examined(sets: &Sets) -> Vectors {
    let found = vectors::vectors(sets);
    for vector in &found.vectors {
        match vector.generations.is_empty() {
            true => sets.isas().iter().for_each(|isa| agrees(isa, vector)),
            false => {
                let isas = vector.generations.iter().map(|name| sets.generation(name));
                isas.for_each(|isa| agrees(isa.expect("a generation"), vector));
            }
        }
    }
    found
}

/// Checks, independently of the generator, that vectors lack a value of an enumeration or a rule only if it is listed
/// as impossible.
fn covers(sets: &Sets, found: &Vectors) {
    assert!(found.undecided.is_empty(), "{:?}", found.undecided.first());
    assert!(found.coverage.is_complete(), "{}", found.coverage);
    let missing = |isa: &Set, opcode: &str, goal: &str| {
        let name = isa.generation_names(isa.describes()).next().map(str::to_string);
        found.impossible.iter().any(|missing| {
            missing.opcode == opcode
                && missing.goal == goal
                && name.as_ref().is_none_or(|name| missing.generations.contains(name))
        })
    };
    for isa in sets.isas() {
        let name = isa.generation_names(isa.describes()).next().map(str::to_string);
        let is_in =
            |vector: &&Vector| name.as_ref().is_none_or(|name| vector.generations.contains(name));
        let own: Vec<&Vector> = found.vectors.iter().filter(is_in).collect();
        for opcode in isa.opcodes() {
            let of_opcode = |vector: &&&Vector| {
                vector.opcode == opcode.name && vector.literal == opcode.has_literal()
            };
            let own: Vec<&&Vector> = own.iter().filter(of_opcode).collect();
            let free = |field: &&Field| !matches!(field.binding, Binding::Fixed(_));
            for field in opcode.fields.iter().filter(free) {
                let TypeKind::BitField(list) = &isa.ty(field.ty).kind else { continue };
                for value in list {
                    let has = |vector: &&&Vector| {
                        vector.status == Status::Legal && field.extract(vector.word) == value.value
                    };
                    let first = isa.ty(field.ty).enumerator(value.value).expect("it is a value");
                    let goal = format!("{} = {}", isa.name_of(field.name), first.name);
                    assert!(
                        own.iter().any(has) || missing(isa, &opcode.name, &goal),
                        "{}: {goal}",
                        opcode.name
                    );
                }
            }
            for id in &opcode.rules {
                let rule = isa.rule(*id);
                let is_broken = own.iter().any(|vector| {
                    vector.rule.as_ref().is_some_and(|(_, message)| *message == rule.message)
                });
                let goal = format!("break only \"{}\"", rule.message);
                assert!(is_broken || missing(isa, &opcode.name, &goal), "{}: {goal}", opcode.name);
            }
        }
    }
}

#[test]
fn vectors_of_simt_are_complete_and_all_agree() {
    let sets = &isadl_test_support::compiled("spec/simt").sets;
    let found = examined(sets);
    covers(sets, &found);
    let statuses: BTreeSet<Status> = found.vectors.iter().map(|vector| vector.status).collect();
    assert!(statuses.contains(&Status::Legal) && statuses.contains(&Status::Illegal));
    assert!(found.vectors.len() > 3000, "{}", found.vectors.len());
    let legal = found.vectors.iter().filter(|vector| vector.status == Status::Legal);
    assert!(legal.clone().all(|vector| vector.reads_back));
    for vector in &found.vectors {
        crate_agrees!(simt, vector);
    }
}

#[test]
fn vectors_of_gcn_are_complete_and_all_agree() {
    let sets = isadl_test_support::gcn();
    let found = examined(sets);
    covers(sets, &found);
    let statuses: BTreeSet<Status> = found.vectors.iter().map(|vector| vector.status).collect();
    assert!(statuses.contains(&Status::Legal) && statuses.contains(&Status::Refused));
    for vector in &found.vectors {
        for name in &vector.generations {
            let generation = gcn::Generation::from_name(name).expect("a generation");
            crate_agrees!(gcn, vector, generation);
        }
    }
}

#[test]
fn vectors_of_what_is_odd_are_complete_and_all_agree() {
    let sets = &isadl_test_support::compiled("tests/fixtures/odd").sets;
    let found = examined(sets);
    covers(sets, &found);
    for vector in &found.vectors {
        crate_agrees!(odd, vector);
    }
}

/// A goal that is impossible is one: no word of a small instruction set meets it.
#[test]
fn what_is_impossible_was_proved() {
    let text = "__DefIsa TINY<8>\n\n__DefBitFieldType Mode<2>\n    a;\n    b;\n    c;\n\n\
        __DefImmediate Num<3>\n    Number = unsigned;\n\n__DefGroup ALL : []\n\n\
        __DefOptype GO : [ALL]\n  __Encoding\n    field<0, 2> Mode mode = a;\n    field<2, 3> Num num;\n\
        \x20   field<5, 3> Num code == 5;\n  __OperandInfo\n    Order<num>;\n  __Exception\n\
        \x20   EncodingError<One, \"one\"> = mode == \"c\" and num < 8;\n\
        \x20   EncodingError<Two, \"two\"> = mode == \"c\" and num > 3;\n\
        \x20   AssemblerError<Three, \"three\"> = mode == \"b\" and num == 2;\n\n__DefOpcode GO_X : [GO]\n";
    let (_, compilation) = isadl_test_support::compile(&[("tiny.isa", text)]);
    let errors: Vec<&String> = compilation.diagnostics.iter().map(|d| &d.message).collect();
    let family = compilation.family.unwrap_or_else(|| panic!("{errors:?}"));
    let sets: Sets = family.into();
    let found = examined(&sets);
    covers(&sets, &found);
    let goals: Vec<&str> = found.impossible.iter().map(|missing| missing.goal.as_str()).collect();
    assert!(goals.contains(&"mode = c") && goals.contains(&"break only \"two\""), "{goals:?}");
    let isa = &sets.isas()[0];
    let has = |word: &u128| isa.decode(*word).is_ok_and(|_| word & 3 == 2);
    assert!(!(0..256).any(|word| has(&word)));
    let broken = |message: &str| {
        let vectors = found.vectors.iter().filter(|v| v.goal == format!("break only {message:?}"));
        vectors.map(|vector| vector.status).collect::<Vec<_>>()
    };
    assert_eq!(broken("one"), [Status::Illegal]);
    assert_eq!(broken("three"), [Status::Refused]);
}

/// Whether some word breaks only a rule of an opcode, and is not an instruction of another: by a look at all words of
/// the opcode's width.
fn can_be_broken_alone(isa: &Set, id: OpcodeId, rule: RuleId) -> bool {
    let opcode = isa.opcode(id);
    let lowest = isa.word_layout().lowest(opcode.width);
    (0..1u128 << opcode.width).map(|word| word << lowest).any(|word| {
        let is_of_another = || {
            let takes = |other: OpcodeId| {
                other != id && matches!(oracle::verdict(isa, other, word), Verdict::Legal { .. })
            };
            oracle::candidates(isa, word).into_iter().any(takes)
        };
        word & opcode.mask == opcode.value
            && opcode.fields.iter().all(|f| isa.ty(f.ty).is_legal(f.extract(word)))
            && opcode.rules.iter().all(|r| oracle::breaks(isa, opcode, word, *r) == (*r == rule))
            && oracle::candidates(isa, word).contains(&id)
            && !is_of_another()
    })
}

/// How many opcodes share bits with an opcode that is not a special case of them.
fn others(isa: &Set, id: OpcodeId) -> usize {
    let own = isa.opcode(id);
    let is_other = |other: &OpcodeId| {
        let opcode = isa.opcode(*other);
        *other != id
            && (opcode.value ^ own.value) & opcode.mask & own.mask == 0
            && (opcode.mask == own.mask || opcode.mask & !own.mask != 0)
    };
    isa.opcode_ids().filter(is_other).count()
}

/// Rules of opcodes that share bits with others: each has a vector that breaks it alone, unless no word does.
#[test]
fn rules_of_random_sets_are_broken_where_they_can_be() {
    let (mut rules, mut impossible, mut shared) = (0, 0, 0);
    for seed in 0..count("ISADL_SETS", 2_000) as u64 {
        let text = random::contested(seed).text;
        let Some(family) = random::accepted(&text) else { continue };
        let sets: Sets = family.into();
        let found = vectors::vectors(&sets);
        assert!(found.undecided.is_empty() && found.coverage.is_complete(), "{seed}:\n{text}");
        let isa = &sets.isas()[0];
        // A form with a literal is an opcode of its own, with bits that only it has.
        let short = isa.opcode_ids().filter(|id| isa.opcode(*id).special_cases.is_empty());
        for id in short.filter(|id| !isa.opcode(*id).has_literal()) {
            let opcode = isa.opcode(id);
            // A word that violates `Match` does not belong to the opcode.
            for rule in
                opcode.rules.iter().filter(|rule| isa.rule(**rule).origin != RuleOrigin::Match)
            {
                let message = &isa.rule(*rule).message;
                let breaks = |vector: &Vector| {
                    vector.opcode == opcode.name
                        && !vector.literal
                        && vector.rule.as_ref().is_some_and(|(_, broken)| broken == message)
                };
                let is_met = found.vectors.iter().any(breaks);
                let can_be = can_be_broken_alone(isa, id, *rule);
                assert_eq!(is_met, can_be, "{seed}: {} {message}:\n{text}", opcode.name);
                rules += 1;
                impossible += usize::from(!can_be);
                shared += usize::from(others(isa, id) > 0);
            }
        }
    }
    assert!(rules > 50 && impossible > 0 && shared > 20, "{rules} {impossible} {shared}");
}

/// The first word that breaks the rule of `TAKE_A` alone is `take_b`, but not all of them are.
#[test]
fn a_rule_that_keeps_opcodes_apart_can_be_broken_by_words_of_neither() {
    let opcode = |name: &str, condition: &str| {
        format!(
            "__DefOpcode TAKE_{name} : [TAKE]\n  __OperandInfo\n    Mnemonic<\"take_{name}\">;\n  \
             __Exception\n    EncodingError<K, \"not {name}\"> = {condition};\n\n"
        )
    };
    let text = "__DefIsa TINY<8>\n\n__DefImmediate Num<3>\n    Number = unsigned;\n\n\
        __DefImmediate Code<5>\n    Number = unsigned;\n\n__DefGroup ALL : []\n\n\
        __DefOptype TAKE : [ALL]\n  __Encoding\n    field<0, 3> Num num;\n    field<3, 5> Code code == 5;\n\
        \x20 __OperandInfo\n    Order<num>;\n\n"
        .to_string()
        + &opcode("A", "num > 2")
        + &opcode("B", "num < 3 or num > 5");
    let (_, compilation) = isadl_test_support::compile(&[("tiny.isa", &text)]);
    let errors: Vec<&String> = compilation.diagnostics.iter().map(|d| &d.message).collect();
    let sets: Sets = compilation.family.unwrap_or_else(|| panic!("{errors:?}")).into();
    let found = vectors::vectors(&sets);
    let broken = |name: &str| {
        let of = found.vectors.iter().filter(|v| v.opcode == name && v.status == Status::Illegal);
        of.map(|vector| vector.word & 7).collect::<Vec<_>>()
    };
    assert_eq!((broken("TAKE_A"), broken("TAKE_B")), (vec![6], vec![6]));
    assert!(found.impossible.iter().all(|missing| !missing.goal.starts_with("break")));
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn files_have_what_the_schema_says() {
    let family: Family = family("tests/fixtures/odd");
    let (output, coverage) = vectors::generate(&family);
    let found: Value =
        serde_json::from_str(output.get("vectors/vectors.json").expect("a file")).expect("JSON");
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    assert_eq!(output.get("vectors/vectors.schema.json"), Some(SCHEMA));
    assert_eq!(keys(&found), keys(&schema["properties"]));
    let vectors = found["vectors"].as_array().expect("a list");
    for vector in vectors {
        assert_eq!(keys(vector), keys(&schema["$defs"]["vector"]["properties"]));
    }
    assert_eq!(keys(&found["coverage"]), keys(&schema["properties"]["coverage"]["properties"]));
    assert_eq!(found["coverage"]["values"][1], coverage.values.met);
    let table = output.get("vectors/vectors.tsv").expect("a file");
    let mut lines = table.lines();
    let columns = lines.next().expect("a header").split('\t').count();
    assert!(lines.clone().all(|line| line.split('\t').count() == columns));
    assert_eq!(lines.count(), vectors.len());
    // The same in each run.
    assert_eq!(vectors::generate(&family).0, output);
}
