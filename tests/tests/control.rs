//! Control flow, and addresses in instructions: RISC-V and A64 against the output of llvm-objdump 19, with and without
//! symbols.

use std::io::Write;
use std::process::{Command, Stdio};

use isadl::engine::{Engine, FlowControl, Loaded, TextOptions};
use isadl_test_support::{family, root};

isadl_macros::isa!(mod a64 = "fixtures/a64");

/// A line of the recorded texts: address, word, text.
struct Recorded {
    address: u64,
    digits: String,
    text: String,
}

impl Recorded {
    fn word(&self) -> u128 {
        u128::from_str_radix(&self.digits, 16).expect("a word")
    }
}

fn recorded(folder: &str) -> Vec<Recorded> {
    let path = root().join("tests/fixtures").join(folder).join("targets.txt");
    let text = std::fs::read_to_string(path).expect("they are recorded");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let recorded = lines.map(|line| {
        let mut parts = line.splitn(3, ' ');
        let address = parts.next().and_then(|part| u64::from_str_radix(part, 16).ok());
        let digits = parts.next().expect("a word").to_string();
        let text = parts.next().expect("a text").to_string();
        Recorded { address: address.expect("an address"), digits, text }
    });
    recorded.collect()
}

/// The text of an instruction at an address, without symbols.
fn text_at(engine: &Engine<'_>, word: u128, address: u64) -> String {
    let inst = engine.decode(word).unwrap_or_else(|error| panic!("{word:x}: {error:?}"));
    let mut text = String::new();
    engine.append_text_at(inst, TextOptions::at(address), |_| None::<(&str, u64)>, &mut text);
    text
}

#[test]
fn addresses_are_those_of_llvm() {
    for (folder, wanted) in [("riscv", 250), ("a64", 240)] {
        let loaded = Loaded::new(family(&format!("tests/fixtures/{folder}")).into_first());
        let engine = loaded.engine();
        let recorded = recorded(folder);
        for line in &recorded {
            let text = text_at(&engine, line.word(), line.address);
            assert_eq!(text, line.text, "{:x} at {:x}", line.word(), line.address);
            // The address must equal the address in the text.
            let inst = engine.decode(line.word()).expect("an instruction");
            let last = line.text.rsplit([' ', ',']).next().unwrap_or_default();
            let last = last.strip_prefix("0x").and_then(|d| u64::from_str_radix(d, 16).ok());
            assert_eq!(engine.target(inst, line.address), last, "{}", line.text);
        }
        for line in &recorded {
            let inst = engine.assemble_with(&line.text, TextOptions::at(line.address));
            let inst = inst.unwrap_or_else(|error| panic!("{}: {error}", line.text));
            assert_eq!(inst.word, line.word(), "{} at {:x}", line.text, line.address);
        }
        assert!(recorded.len() > wanted, "{folder}: {}", recorded.len());
    }
}

/// Where LLVM is installed, the recorded texts are compared with its output.
#[test]
fn recorded_addresses_are_what_llvm_prints() {
    let is_there = |program: &str| {
        let output = Command::new(program).arg("--version").output();
        output.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains("LLVM version 19."))
    };
    if !is_there("llvm-mc-19") || !is_there("llvm-objdump-19") {
        println!("skipped: llvm-mc-19 and llvm-objdump-19 are not installed");
        return;
    }
    let riscv =
        (&["--triple=riscv64", "--mattr=+c"][..], &["-M", "no-aliases", "-M", "numeric"][..]);
    let a64 = (&["--triple=aarch64"][..], &[][..]);
    for (folder, (target, options)) in [("riscv", riscv), ("a64", a64)] {
        let recorded = recorded(folder);
        // The words were printed at two addresses.
        let (first, second) = recorded.split_at(recorded.len() / 2);
        for part in [first, second] {
            let words: String = part
                .iter()
                .map(|line| match folder {
                    "riscv" => format!(".insn {}, 0x{}\n", line.digits.len() / 2, line.digits),
                    _ => format!(".inst 0x{}\n", line.digits),
                })
                .collect();
            let object = std::env::temp_dir().join(format!(
                "isadl-{}-{folder}-{:x}.o",
                std::process::id(),
                part[0].address
            ));
            let mut assembler = Command::new("llvm-mc-19")
                .args(target)
                .args(["-filetype=obj", "-o"])
                .arg(&object)
                .stdin(Stdio::piped())
                .spawn()
                .expect("it starts");
            let mut input = assembler.stdin.take().expect("a pipe");
            input.write_all(format!(".text\n{words}").as_bytes()).expect("it reads");
            drop(input);
            assert!(assembler.wait().expect("it ends").success());
            let printed = Command::new("llvm-objdump-19")
                .args(target)
                .args(["-d", &format!("--adjust-vma={:#x}", part[0].address)])
                .args(options)
                .arg(&object)
                .output()
                .expect("it runs");
            std::fs::remove_file(&object).expect("it was made");
            let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
            let texts: Vec<String> = printed
                .lines()
                .filter(|line| line.contains(":\u{20}"))
                .filter_map(|line| line.split_once('\t'))
                .map(|(_, text)| text.split(" <").next().unwrap_or_default())
                .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect();
            let known: Vec<&str> = part.iter().map(|line| line.text.as_str()).collect();
            assert_eq!(texts, known, "{folder}");
        }
    }
}

#[test]
fn symbols_are_printed_with_what_is_after_them() {
    let loaded = Loaded::new(family("tests/fixtures/a64").into_first());
    let engine = loaded.engine();
    let symbols = |address: u64| match address {
        0x1000..0x1100 => Some(("start", address - 0x1000)),
        _ => None,
    };
    let cases: [(u128, u64, &str, &str); 6] = [
        (0x1400_0004, 0xff0, "b start", "b #16"),
        (0x1400_0004, 0x1000, "b start+0x10", "b #16"),
        (0x1400_0004, 0x10f0, "b 0x1100", "b #16"),
        // It wraps.
        (0x1400_0400, u64::MAX - 0xfff, "b 0x0", "b #4096"),
        (0xb600_0081, 0xff0, "tbz x1, #0x20, start", "tbz x1, #0x20, #16"),
        // The register of an alias is left out, and no address is named.
        (0xd65f_03c0, 0x1000, "ret", "ret"),
    ];
    for (word, address, with, without) in cases {
        let inst = engine.decode(word).expect("an instruction");
        let mut text = String::new();
        engine.append_text_at(inst, TextOptions::at(address), symbols, &mut text);
        assert_eq!(text, with);
        assert_eq!(engine.text(inst), without);
    }
    let inst = engine.decode(0xd65f_03c0).expect("an instruction");
    let mut text = String::new();
    engine.append_text_at(inst, TextOptions::PLAIN, symbols, &mut text);
    assert_eq!(text, "ret x30");
}

#[test]
fn the_first_class_whose_condition_holds_is_that_of_an_instruction() {
    use FlowControl::*;
    let riscv = Loaded::new(family("tests/fixtures/riscv").into_first());
    let cases: [(u128, FlowControl); 12] = [
        (0x00b5_0863, Conditional),
        (0x0010_00ef, Call),
        (0xfedf_f06f, Branch),
        (0x0040_02ef, Call),
        (0x0000_8067, Return),
        (0x0040_8067, Indirect),
        (0x0005_0067, Indirect),
        (0x0105_00e7, IndirectCall),
        (0x0000_a811, Branch),
        (0x0000_0073, Trap),
        (0x0000_4537, Next),
        (0x0001_2023, Next),
    ];
    let engine = riscv.engine();
    for (word, class) in cases {
        let inst = engine.decode(word).unwrap_or_else(|error| panic!("{word:x}: {error:?}"));
        assert_eq!(engine.flow_control(inst), class, "{}", engine.text(inst));
    }
    let a64 = Loaded::new(family("tests/fixtures/a64").into_first());
    let cases: [(u128, FlowControl); 10] = [
        (0x1400_0004, Branch),
        (0x97ff_fff8, Call),
        (0x5400_0080, Conditional),
        (0xb400_0080, Conditional),
        (0xb747_ff02, Conditional),
        (0xd61f_0060, Indirect),
        (0xd63f_0080, IndirectCall),
        (0xd65f_03c0, Return),
        (0xd400_0021, Trap),
        (0x3000_0080, Next),
    ];
    let engine = a64.engine();
    for (word, class) in cases {
        let inst = engine.decode(word).unwrap_or_else(|error| panic!("{word:x}: {error:?}"));
        assert_eq!(engine.flow_control(inst), class, "{}", engine.text(inst));
    }
}

/// Generated code tells the same as the engine at run time.
#[test]
fn generated_code_tells_the_same() {
    let set = isadl_test_support::odd();
    let engine = set.engine();
    let mut classes = std::collections::BTreeSet::new();
    for word in 0..1u32 << 24 {
        // Only these name addresses.
        if word >> 16 & 15 != 11 {
            continue;
        }
        let (Ok(inst), Ok(known)) = (odd::Inst::decode_word(word), engine.decode(word.into()))
        else {
            continue;
        };
        for address in [0u64, 0x1003, u64::MAX] {
            let mut text = String::new();
            engine.append_text_at(
                known,
                TextOptions::at(address),
                |a| (a > 0x1000).then_some(("far", a)),
                &mut text,
            );
            let symbols = |a| (a > 0x1000).then_some(("far", a));
            assert_eq!(inst.text_at(address, symbols).to_string(), text);
            assert_eq!(inst.target(address), engine.target(known, address));
        }
        let class = inst.flow_control();
        assert_eq!(class.name(), engine.flow_control(known).name());
        if let Some(of_opcode) = inst.opcode().flow_control() {
            assert_eq!(of_opcode, class);
        }
        classes.insert(class);
    }
    assert!(classes.len() > 1, "{classes:?}");
    let other = odd::Opcode::LOAD_X.flow_control();
    assert_eq!(other, Some(odd::FlowControl::Next));
}

/// Generated code with aliases, and operands made of fields, prints the addresses that LLVM prints.
#[test]
fn generated_code_prints_the_addresses_of_llvm() {
    for line in recorded("a64") {
        let word = u32::try_from(line.word()).expect("32 bits");
        let inst = a64::Inst::decode_word(word).expect("an instruction");
        let text = inst.text_at(line.address, |_| None::<(&str, u64)>);
        assert_eq!(text.to_string(), line.text);
    }
    const RETURN: Option<a64::FlowControl> = a64::Opcode::RET.flow_control();
    assert_eq!(RETURN, Some(a64::FlowControl::Return));
}

#[test]
fn numbers_are_addresses_where_the_address_is_known() {
    let loaded = Loaded::new(family("tests/fixtures/a64").into_first());
    let engine = loaded.engine();
    let word =
        |line: &str| engine.assemble_with(line, TextOptions::at(0x1000)).map(|inst| inst.word);
    assert_eq!(word("b 0x1010"), Ok(0x1400_0004));
    assert_eq!(word("b #4112 // decimal"), Ok(0x1400_0004));
    // Other numbers keep their value.
    assert_eq!(word("svc #0x1"), Ok(0xd400_0021));
    assert_eq!(word("tbz x1, #0x20, 0x1020"), Ok(0xb600_0101));
    for (line, message) in [
        (
            "tbz x1, #0x20, 16",
            "column 16: `16` is out of reach from 0x10000000: the distances are -32768 to 32764",
        ),
        ("b 0x10000012", "column 3"),
        ("b 0x10000010, 3", "expected"),
        ("b é0é", "expected"),
        ("bogus 0x10000010", "unknown mnemonic"),
    ] {
        let error = engine
            .assemble_with(line, TextOptions::at(0x1000_0000))
            .expect_err("it is wrong")
            .to_string();
        assert!(error.contains(message), "{line}: {error}");
    }
}
