//! `isadl space`: compares the taken, reserved and free values, and the proposals, with brute force over random small
//! instruction sets. Also tests the command and its formats.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use isadl::isa::{Family, Isa};
use isadl_codegen::space::{self, Cell, FieldBits, Proposal, SCHEMA, Space, State};
use isadl_test_support::{Random, count, family, oracle, random, root};
use serde_json::Value;

/// The widest instruction set whose words are all tried.
const MAX_WIDTH: u32 = 16;

/// The number of random words with some fixed bits that are tried in a wider instruction set.
const WORDS: usize = 64;

/// Words with fixed bits: all of a small instruction set, otherwise random ones.
fn words(isa: &Isa, mask: u128, value: u128) -> Vec<u128> {
    if isa.width() <= MAX_WIDTH {
        return (0..1 << isa.width()).filter(|word| word & mask == value).collect();
    }
    let mut random = Random::new(7);
    let all = isadl::isa::low_bits(isa.width());
    (0..WORDS).map(|_| random.next_u128() & all & !mask | value).collect()
}

fn bits(place: &FieldBits) -> u128 {
    place.bits.mask()
}

/// The expected opcode names of a cell: opcodes that match one of its words.
fn check_cell(isa: &Isa, (mask, value): (u128, u128), place: &FieldBits, cell: &Cell) {
    let mask = mask | bits(place);
    let value = value & !bits(place) | place.bits.place(cell.value);
    let found = words(isa, mask, value);
    let is_met = found.iter().any(|word| oracle::find(isa, *word).is_some());
    match cell.state {
        State::Free => assert!(!is_met && cell.name.is_none() && cell.opcodes.is_empty()),
        State::Reserved => assert!(!is_met && cell.name.is_some() && cell.opcodes.is_empty()),
        State::Taken => {
            // A random word may miss the other bits that an opcode fixes, so these are given.
            let names = cell.opcodes.iter().map(|name| isa.find_opcode(name).expect("it exists"));
            for id in names {
                let opcode = isa.opcode(id);
                let word = value | opcode.value;
                assert_eq!(word & mask, value, "{}", opcode.name);
                assert!(oracle::find(isa, word).is_some(), "{}", opcode.name);
            }
            assert!(!cell.opcodes.is_empty());
            assert!(is_met || isa.width() > MAX_WIDTH);
        }
    }
}

fn check(family: &Family, spaces: &[Space]) -> [usize; 3] {
    let mut seen = [0; 3];
    for space in spaces {
        let isas = family.isas().iter().filter(|isa| {
            let mut names = isa.generation_names(isa.describes());
            space.generations.is_empty()
                || names.any(|name| space.generations.iter().any(|n| n == name))
        });
        for isa in isas {
            for cell in &space.cells {
                check_cell(isa, (space.mask, space.value), &space.field, cell);
                seen[cell.state as usize] += 1;
            }
            if let Some(second) = &space.second {
                for (raw, cells) in &second.rows {
                    let mask = space.mask | bits(&space.field);
                    let value = space.value | space.field.bits.place(*raw);
                    let fixed = (mask, value);
                    cells.iter().for_each(|cell| check_cell(isa, fixed, &second.field, cell));
                }
            }
        }
    }
    seen
}

fn check_proposals(family: &Family, proposals: &[Proposal], least: u32) {
    for proposal in proposals {
        assert!(proposal.bits >= least, "{proposal:?}");
        assert_eq!(proposal.value & !proposal.mask, 0, "{proposal:?}");
        for isa in family.isas() {
            let mut names = isa.generation_names(isa.describes());
            let is_meant = |name: &str| proposal.generations.iter().any(|known| known == name);
            if !proposal.generations.is_empty() && !names.any(is_meant) {
                continue;
            }
            for word in words(isa, proposal.mask, proposal.value) {
                assert_eq!(oracle::find(isa, word), None, "0x{word:x} {proposal:?}");
            }
        }
    }
    // The roomiest first.
    assert!(proposals.is_sorted_by_key(|proposal| std::cmp::Reverse(proposal.bits)));
}

#[test]
fn random_sets_have_the_space_that_brute_force_finds() {
    let mut seen = [0; 3];
    let mut proposed = 0;
    for seed in 0..count("ISADL_SETS", 600) as u64 {
        let set = random::specification(seed);
        let Some(family) = random::accepted(&set.text) else { continue };
        let spaces = space::spaces(&family);
        let found = check(&family, &spaces);
        seen.iter_mut().zip(found).for_each(|(all, found)| *all += found);
        for least in [0, 3] {
            let proposals = space::proposals(&spaces, least);
            check_proposals(&family, &proposals, least);
            proposed += proposals.len();
        }
    }
    assert!(seen[0] > 100 && seen[2] > 100 && proposed > 100, "{seen:?} {proposed}");
}

#[test]
fn large_sets_have_the_space_that_words_of_them_show() {
    for name in ["spec/simt", "spec/gcn"] {
        let family = family(name);
        let spaces = space::spaces(&family);
        let seen = check(&family, &spaces);
        assert!(seen[0] > 0 && seen[2] > 0, "{name}: {seen:?}");
        check_proposals(&family, &space::proposals(&spaces, 8), 8);
    }
}

const NAMED: &str = "__DefIsa NAMED<8>\n\n__DefBitFieldType Op<2>\n    GO;\n    STOP;\n    LATER;\n\n\
    __DefImmediate Num<4>\n    Number = unsigned;\n\n__DefGroup ALL : []\n  __Encoding\n\
    \x20   field<0, 2> Op op;\n    zero<6, 2>;\n\n__DefOptype go : [ALL]\n  __Encoding\n    field<2, 4> Num num;\n\
    \x20 __OperandInfo\n    Order<num>;\n\n__DefOpcode GO_X : [go]\n  __Encoding\n    fix op == GO;\n\n\
    __DefOptype stop : [ALL]\n  __Encoding\n    zero<2, 4>;\n\n__DefOpcode STOP_X : [stop]\n  __Encoding\n    fix op == STOP;\n";

#[test]
fn values_with_a_name_but_no_opcode_are_reserved() {
    let (_, compilation) = isadl_test_support::compile(&[("named.isa", NAMED)]);
    let errors: Vec<&String> = compilation.diagnostics.iter().map(|d| &d.message).collect();
    let family = compilation.family.unwrap_or_else(|| panic!("{errors:?}"));
    let spaces = space::spaces(&family);
    let states: Vec<State> = spaces[0].cells.iter().map(|cell| cell.state).collect();
    assert_eq!(states, [State::Taken, State::Taken, State::Reserved, State::Free]);
    assert_eq!(check(&family, &spaces), [2, 1, 1]);
    let proposals = space::proposals(&spaces, 4);
    let [proposal] = proposals.as_slice() else { panic!("{proposals:?}") };
    assert_eq!((proposal.mask, proposal.value, proposal.bits), (0xc3, 3, 4));
    assert!(space::proposals(&spaces, 5).is_empty());
    let text = space::text(&spaces, None);
    let wanted = "ALL, by op 1:0\n  0x00 GO_X\n  0x01 STOP_X\n  2 taken\n  1 reserved: 0x2\n  1 free: 0x3\n\n";
    assert_eq!(text, wanted);
    let line = "ALL: op 1:0 == 0x3, 4 bits for operands\n";
    assert_eq!(space::text(&spaces, Some(&proposals)), line);
    let picture = space::svg(&spaces);
    assert_eq!(picture.matches("<g>").count(), 4);
    assert_eq!(picture.matches("class=\"free\"").count(), 1);
    assert!(picture.contains("<title>0x2: reserved: LATER</title>"), "{picture}");
}

fn run(arguments: &[&str]) -> Output {
    Command::new(super::cli::binary())
        .arg("space")
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("the binary runs")
}

#[test]
fn the_command_shows_text_json_and_a_picture() {
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).expect("UTF-8");
    let all = run(&["--spec", "spec/gcn", "--generation", "GCN1_4"]);
    assert_eq!(all.status.code(), Some(0));
    assert!(text(&all).contains("GCN1_4") && !text(&all).contains("in GCN1_0\n"));
    let found = run(&["--spec", "spec/gcn", "--find", "8", "--format", "json"]);
    let found: Value = serde_json::from_str(&text(&found)).expect("JSON");
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    assert_eq!(keys(&found), keys(&schema["properties"]));
    for (list, kind) in [("spaces", "space"), ("proposals", "proposal")] {
        let first = &found[list][0];
        assert_eq!(keys(first), keys(&schema["$defs"][kind]["properties"]), "{kind}");
    }
    let cell = &found["spaces"][0]["values"][0];
    assert_eq!(keys(cell), keys(&schema["$defs"]["cell"]["properties"]));
    let picture = run(&["--spec", "spec/simt", "--format", "svg"]);
    assert!(text(&picture).starts_with("<svg ") && text(&picture).ends_with("</svg>\n"));
    assert_eq!(
        text(&run(&["--spec", "spec/simt", "--find", "128"])),
        "there is no room for such an opcode\n"
    );
    for (arguments, status) in [
        (&["--spec", "spec/simt", "--group", "NONE"][..], 2),
        (&["--spec", "spec/gcn", "--generation", "NONE"], 2),
        (&["--spec", "spec/simt", "--format", "svg", "--find", "3"], 2),
        (&["--spec", "tests/fixtures/cli/broken.isa"], 1),
        (&["--spec", "spec/simt", "--group", "IALU"], 0),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert_eq!(output.stdout.is_empty(), status != 0, "{arguments:?}");
    }
}
