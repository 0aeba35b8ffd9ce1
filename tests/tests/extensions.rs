//! Extensions as sets: a fixture in the spirit of RISC-V, at run time, in generated code, and on the command line.

use isadl::engine::{DecodeError, Engine, Loaded, TextOptions};
use isadl::explain::Found;
use isadl::isa::{Isa, Selection};
use isadl_test_support::{compile, family, root};

isadl_macros::isa!(mod any = "fixtures/extensions");
isadl_macros::isa!(mod gc = "fixtures/extensions", generations = ["RV64"], extensions = "gc,Zicbop");

fn isa(generation: &str) -> Isa {
    let family = family("tests/fixtures/extensions");
    family.generation(generation).expect("it is a generation").clone()
}

/// Every set that is allowed.
fn sets(isa: &Isa) -> Vec<u64> {
    let known = isa.extensions();
    (0..=known.all()).filter(|set| known.allows(*set)).collect()
}

fn set(isa: &Isa, names: &str) -> u64 {
    let names: Vec<String> = names.split(',').map(str::to_string).collect();
    isa.extensions().set_of(&names).expect("the set is allowed")
}

fn name(engine: &Engine<'_>, word: u128) -> Option<String> {
    engine.decode(word).ok().map(|inst| engine.isa().opcode(inst.opcode).name.clone())
}

#[test]
fn a_word_belongs_to_the_opcode_that_is_there() {
    let isa = isa("RV64");
    let loaded = Loaded::new(isa.clone());
    let with = |names: &str| loaded.engine().with_extensions(set(&isa, names));
    let shared = 0xb802;
    assert_eq!(name(&with("gc"), shared).as_deref(), Some("C_FSDSP"));
    assert_eq!(name(&with("small"), shared).as_deref(), Some("CM_PUSH"));
    assert_eq!(name(&with("small"), 0xa002).as_deref(), Some("CM_JT"));
    assert_eq!(name(&with("gc"), 0xa002).as_deref(), Some("C_FSDSP"));
    assert_eq!(name(&with("Zicbop"), 0x0123).as_deref(), Some("PREFETCH"));
    assert_eq!(name(&with("gc"), 0x0123).as_deref(), Some("ORI"));
    let bare = loaded.engine().with_extensions(0);
    let error = bare.decode(shared).expect_err("nothing compressed is there");
    assert!(matches!(error, DecodeError::Absent { .. }));
    assert_eq!(
        bare.reason(shared, error),
        "`CM_PUSH` needs extensions Zca and Zcmp; `C_FSDSP` needs extensions Zca and Zcd"
    );
    let explained = bare.explain(shared);
    assert!(matches!(explained.opcode, Found::One(known) if !known.is_legal()));
}

#[test]
fn the_assembler_says_what_is_needed() {
    let isa = isa("RV64");
    let loaded = Loaded::new(isa.clone());
    let error = loaded.engine().assemble("cm.push 1, 2").expect_err("not in the default set");
    assert_eq!(error.message, "`cm.push` needs extensions Zca and Zcmp");
    let small = loaded.engine().with_extensions(set(&isa, "small"));
    assert_eq!(small.assemble("cm.push 1, 2").map(|inst| inst.word), Ok(0xb82a));
    // A special case that takes words in some sets only is refused in these sets only.
    let hint = "ori x0, x1, 1";
    let error = loaded.engine().with_extensions(set(&isa, "Zicbop")).assemble(hint);
    assert_eq!(error.expect_err("a hint").message, "`ORI` with these values is `PREFETCH`");
    assert_eq!(loaded.engine().assemble(hint).map(|inst| inst.word), Ok(0x0123));
}

#[test]
fn values_rules_and_aliases_are_there_in_some_sets() {
    let isa = isa("RV64");
    let loaded = Loaded::new(isa.clone());
    let with = |names: &str| loaded.engine().with_extensions(set(&isa, names));
    let (gc, hints) = (with("gc"), with("Zicbop"));
    // `barrier x1, x0, TOTAL`, and `STORES`.
    let (total, stores) = (0x0204, 0x0104);
    assert_eq!(gc.decode(total).map(|inst| gc.text(inst)).as_deref(), Ok("barrier x1, x0, TOTAL"));
    let error = hints.decode(total).expect_err("the value is not there");
    assert_eq!(
        hints.reason(total, error),
        "BARRIER: `TOTAL` needs extensions D or Zcmp (Extension)"
    );
    let error = hints.assemble("barrier x1, x0, TOTAL").expect_err("the value is not there");
    assert_eq!(error.message, "`TOTAL` needs extensions D or Zcmp");
    // A rule exists with its extension.
    assert!(gc.decode(0x0100).is_ok());
    let error = hints.decode(0x0100).expect_err("the rule is there");
    assert_eq!(hints.reason(0x0100, error), "BARRIER: the hint needs a register (Order)");
    // So is an alias, which is neither printed nor read elsewhere.
    let text = |engine: &Engine<'_>| engine.decode(stores).map(|inst| engine.text(inst));
    assert_eq!(text(&gc).as_deref(), Ok("barrier x1, x0, STORES"));
    assert_eq!(text(&hints).as_deref(), Ok("pause x1"));
    assert_eq!(hints.assemble("pause x1").map(|inst| inst.word), Ok(stores));
    let error = gc.assemble("pause x1").expect_err("the alias is not there");
    assert_eq!(error.message, "`pause` needs extensions Zcmt or Zicbop");
    let is_legal = |engine: &Engine<'_>| match engine.explain(total).opcode {
        Found::One(known) => known.is_legal(),
        Found::Nearest(_) => false,
    };
    assert!(!is_legal(&hints) && is_legal(&gc));
}

#[test]
fn named_sets_are_closed_and_others_are_refused() {
    let isa = isa("RV32");
    let known = isa.extensions();
    assert_eq!(known.text_of(set(&isa, "gc")), "C, D, Zca, Zcd");
    assert_eq!(known.text_of(known.default), "C, D, Zca, Zcd");
    let refused = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        known.set_of(&names).expect_err("it is refused").to_string()
    };
    assert_eq!(
        refused(&["gc", "Zcmp"]),
        "these extensions are not allowed together: C, D, Zca, Zcd, Zcmp; a set with Zcmp or Zcmt must meet: Zca and not Zcd"
    );
    assert_eq!(refused(&["Zcmq"]), "`Zcmq` is not an extension; did you mean `Zcmp`?");
}

#[test]
fn generated_code_decodes_and_assembles_as_the_engine_in_every_set() {
    for (generation, of) in [("RV32", any::Generation::RV32), ("RV64", any::Generation::RV64)] {
        let isa = isa(generation);
        let loaded = Loaded::new(isa.clone());
        let all = sets(&isa);
        assert!(all.len() > 10);
        for set in all {
            let engine = loaded.engine().with_extensions(set);
            let text = isa.extensions().names_of(set).collect::<Vec<_>>().join(",");
            let extensions: any::Extensions = text.parse().expect("the names are known");
            assert!(extensions.is_allowed() && extensions.bits() == set);
            for word in 0..=u16::MAX {
                let found = any::Inst::decode_word(of, extensions, word.into());
                match (engine.decode(word.into()), found) {
                    (Ok(inst), Ok(found)) => {
                        assert_eq!(found.opcode().name(), isa.opcode(inst.opcode).name);
                        assert!(found.is_with(extensions) && extensions.meets(found.requires()));
                        assert_eq!(found.text_in(extensions).as_str(), engine.text(inst));
                        let long = found.long_in(extensions).map(|long| long.opcode().name());
                        let expected = engine.long(inst).map(|long| &isa.opcode(long.opcode).name);
                        assert_eq!(long, expected.map(String::as_str));
                        assert_eq!(found.long(), None, "not in every set");
                        let line = engine.text(inst);
                        let read = any::Inst::parse(of, extensions, &line).expect("it is printed");
                        let shortest = engine.assemble(&line).expect("it is printed").word;
                        assert_eq!(u128::from(read.word()), shortest, "{line}");
                        if word % 16 == 3 {
                            let read = any::Inst::parse(of, extensions, found.text().as_str());
                            let read = read.map(|read| match found == read {
                                true => read,
                                false => read.long_in(extensions).expect("a short one"),
                            });
                            assert_eq!(read, Ok(found));
                            // Without a set, an instruction can be encoded if some set has it.
                            assert_eq!(found.to_word(), Ok(word.into()));
                        }
                    }
                    (Err(DecodeError::Absent { opcode }), Err(found)) => assert_eq!(
                        Err::<(), _>(found),
                        Err(any::DecodeError::NeedsExtension {
                            opcode: any::Opcode::ALL
                                .iter()
                                .copied()
                                .find(|known| known.name() == isa.opcode(opcode).name)
                                .expect("opcodes are the same")
                        })
                    ),
                    (Err(_), Err(found)) => {
                        assert!(!matches!(found, any::DecodeError::NeedsExtension { .. }));
                    }
                    (a, b) => panic!("{word:04x} with {text}: {a:?}, {b:?}"),
                }
            }
        }
    }
    let error = any::Inst::parse(any::Generation::RV64, any::Extensions::GC, "cm.jt 3");
    let error = error.expect_err("Zcmt is not in the set");
    assert_eq!(error.kind, any::ParseErrorKind::NeedsExtension);
    assert_eq!(error.closest, Some(any::Opcode::CM_JT));
    assert_eq!(
        any::Opcode::ORI.requires(),
        [any::Requires { needed: any::Extensions::NONE, excluded: any::Extensions::NONE }]
    );
}

/// The set determines whether an opcode is a compressed encoding, and thereby texts and the words of lines.
#[test]
fn shorter_encodings_may_need_extensions() {
    let isa = isa("RV64");
    let loaded = Loaded::new(isa.clone());
    let mut met = [0; 2];
    for set in sets(&isa) {
        let names: Vec<String> = isa.extensions().names_of(set).map(str::to_string).collect();
        let has = |name: &str| names.iter().any(|known| known == name);
        let engine = loaded.engine().with_extensions(set);
        let selection = Selection { extensions: Some(names.clone()), ..Selection::default() };
        let part = family("tests/fixtures/extensions").select(&selection).expect("it is allowed");
        let part = Loaded::new(part.generation("RV64").expect("it is there").clone());
        let long =
            engine.assemble_with("ori x1, x2, 3", TextOptions::PLAIN).expect("every set has it");
        if !has("Zca") {
            assert_eq!(engine.shortest(long), long);
            continue;
        }
        let short =
            engine.assemble_with("c.ori x1, x2, 3", TextOptions::PLAIN).expect("the set has it");
        let is_short = has("C") || has("Zcmp");
        met[usize::from(is_short)] += 1;
        let text = if is_short { "ori x1, x2, 3" } else { "c.ori x1, x2, 3" };
        for engine in [&engine, &part.engine()] {
            let found = |line| engine.assemble(line).expect("the set has it").word;
            assert_eq!(found("ori x1, x2, 3"), if is_short { short.word } else { long.word });
            assert_eq!(found("c.ori x1, x2, 3"), short.word);
            let inst = engine.decode(short.word).expect("the set has it");
            assert_eq!(engine.text(inst), text, "{names:?}");
            assert_eq!(engine.plain_text(inst), "c.ori x1, x2, 3");
            assert_eq!(engine.long(inst).map(|found| found.word), is_short.then_some(long.word));
        }
    }
    assert!(met.iter().all(|count| *count > 3), "{met:?}");
}

/// Values of parts of composites that sets lack are illegal there, and named by the assembler.
#[test]
fn parts_of_composites_may_have_values_that_sets_lack() {
    let isa = isa("RV64");
    let loaded = Loaded::new(isa.clone());
    let mut met = [0; 2];
    for set in sets(&isa) {
        let names: Vec<String> = isa.extensions().names_of(set).map(str::to_string).collect();
        let has = |name: &str| names.iter().any(|known| known == name);
        if !has("Zca") {
            continue;
        }
        let engine = loaded.engine().with_extensions(set);
        let selection = Selection { extensions: Some(names.clone()), ..Selection::default() };
        let part = family("tests/fixtures/extensions").select(&selection).expect("it is allowed");
        let part = Loaded::new(part.generation("RV64").expect("it is there").clone());
        for raw in 0..64u128 {
            let word = 1 << 13 | raw << 2 | 2;
            let (base, order, kind) =
                ((raw & 1) << 2 | raw >> 4 & 3, raw >> 3 & 1, (raw >> 1 & 3) as usize);
            let is_there =
                (order == 0 || has("D") || has("Zcmt")) && [true, true, !has("C"), has("D")][kind];
            met[usize::from(is_there)] += 1;
            let text = format!(
                "c.sync (x{base}):{}:{}",
                ["loose", "strict"][order as usize],
                ["none", "r", "w", "rw"][kind]
            );
            for engine in [&engine, &part.engine()] {
                let found = engine.decode(word).ok().map(|inst| engine.text(inst));
                assert_eq!(found, is_there.then(|| text.clone()), "{word:x} with {names:?}");
                let read = engine.assemble(&text);
                assert_eq!(read.as_ref().ok().map(|inst| inst.word), is_there.then_some(word));
                if let Err(error) = read {
                    let error = error.to_string();
                    assert!(error.contains("need"), "{text}: {error}");
                }
            }
        }
    }
    assert!(met.iter().all(|count| *count > 100), "{met:?}");
}

#[test]
fn a_fixed_set_leaves_code_without_extensions() {
    let isa = isa("RV64");
    let loaded = Loaded::new(isa.clone());
    let engine = loaded.engine().with_extensions(set(&isa, "gc,Zicbop"));
    for word in 0..=u16::MAX {
        let found = gc::Inst::decode_word(word.into()).ok();
        let expected = engine.decode(word.into()).ok();
        assert_eq!(
            found.map(|inst| inst.opcode().name().to_string()),
            expected.map(|inst| isa.opcode(inst.opcode).name.clone())
        );
        assert_eq!(
            found.map(|inst| inst.text().as_str().to_string()),
            expected.map(|i| engine.text(i))
        );
    }
    let names: Vec<&str> = gc::Opcode::ALL.iter().map(|opcode| opcode.name()).collect();
    assert_eq!(names, ["ORI", "PREFETCH", "BARRIER", "C_LW", "C_LD", "C_FSDSP", "C_ORI", "C_SYNC"]);
    let extensions = Some(vec!["gc".to_string(), "Zicbop".to_string()]);
    let selection = Selection { extensions, ..Selection::default() };
    let part = family("tests/fixtures/extensions").select(&selection);
    assert!(part.expect("the set is allowed").first().extensions().is_empty());
}

#[test]
fn what_shares_a_word_in_some_set_is_reported_with_such_a_set() {
    let path = root().join("tests/fixtures/extensions/isa.isa");
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    let open = text.replace("    Requires<Zcmp or Zcmt> = Zca and not Zcd;\n", "");
    let (_, found) = compile(&[("open.isa", &open)]);
    let errors: Vec<_> = found.diagnostics.iter().filter(|d| d.code.as_str() == "E0701").collect();
    assert_eq!(errors.len(), 2, "{:?}", found.diagnostics);
    assert_eq!(errors[0].message, "opcodes `C_FSDSP` and `CM_PUSH` share a word");
    let note = "an allowed set of extensions: D, Zca, Zcd, Zcmp";
    assert!(errors[0].notes.iter().any(|known| known == note), "{:?}", errors[0].notes);
}

/// A range of generations without an end may be followed by a condition.
#[test]
fn open_ranges_of_generations_are_parts_of_conditions() {
    for (guard, is_there) in [
        ("V1.. and not E0", [false, true, true]),
        ("V1.. or E0", [false, true, true]),
        ("..V1 and not E0", [true, true, false]),
        ("V1..android and not E0", [false, true, true]),
        ("(V1..) and not E0", [false, true, true]),
        ("V1..", [false, true, true]),
    ] {
        let text = format!(
            "__DefIsa X<8>\n    Generations<V0, V1, android>;\n    Extensions<E0, E1>;\n\n__DefGroup ALL : []\n\n\
             __DefOpcode A : [ALL] @[{guard}]\n  __Encoding\n    fixed<0, 8> == 1;\n\n\
             __DefOpcode B : [ALL]\n  __Encoding\n    fixed<0, 8> == 2;\n"
        );
        let (_, compilation) = isadl_test_support::compile(&[("x.isa", &text)]);
        let family =
            compilation.family.unwrap_or_else(|| panic!("{guard}: {:?}", compilation.diagnostics));
        let found = ["V0", "V1", "android"].map(|generation| {
            let isa = family.generation(generation).expect("it is declared");
            let mut of_name = isa.opcodes().iter().filter(|opcode| opcode.name == "A");
            // `E0` is not in the set, whatever the condition says of it.
            of_name.any(|opcode| opcode.requires.holds(0))
        });
        assert_eq!(found, is_there, "{guard}");
    }
}
