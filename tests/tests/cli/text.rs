//! The commands that work with instructions: `asm`, `disasm`, `decode`.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use isadl_test_support::{Random, golden, root};

use super::{binary, folder};

/// Runs the binary at the root with bytes on standard input.
pub(super) fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(binary())
        .args(arguments)
        .current_dir(root())
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // A command that fails early does not read its input.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the writer ends");
    output
}

fn on_simt(command: &str, input: &[u8]) -> (Option<i32>, String) {
    let output = run(&[command, "--spec", "spec/simt"], input);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), String::from_utf8(output.stdout).expect("output is UTF-8"))
}

fn decode(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(&[&["decode", "--spec"], arguments].concat(), b"");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The lines of the examples in `spec/simt`, without their comments.
fn examples() -> Vec<String> {
    let mut lines = Vec::new();
    for file in ["halu.isa", "ialu.isa", "sync.isa", "xu.isa"] {
        let path = root().join("spec/simt").join(file);
        let text = std::fs::read_to_string(path).expect("spec/simt is readable");
        let mut in_examples = false;
        for line in text.lines() {
            if line.starts_with("__Def") || line.starts_with("  __") {
                in_examples = line.trim() == "__Examples";
            }
            let code = line.split("//").next().unwrap_or_default().trim();
            if in_examples && code.ends_with(';') {
                lines.push(code.to_string());
            }
        }
    }
    assert!(lines.len() > 150, "{} examples", lines.len());
    lines
}

#[test]
fn examples_go_to_bytes_and_back() {
    let examples = examples();
    let (status, bytes) = on_simt("asm", examples.join("\n").as_bytes());
    assert_eq!(status, Some(0), "{bytes}");
    let (status, text) = on_simt("disasm", bytes.as_bytes());
    assert_eq!(status, Some(0), "{text}");
    assert_eq!(text.lines().count(), examples.len());
    assert_eq!(on_simt("asm", text.as_bytes()), (Some(0), bytes.clone()));
    let joined = bytes.replace(' ', "").to_uppercase();
    assert_eq!(on_simt("disasm", joined.as_bytes()), (Some(0), text), "without blanks");
}

#[test]
fn bytes_are_in_the_order_of_memory() {
    let line = "IMAD R0, R1, R2, R3";
    let (_, got) = on_simt("asm", line.as_bytes());
    let word = isadl_test_support::simt().assemble(line).expect("legal").word;
    let expected: Vec<String> =
        word.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(got, expected.join(" ") + "\n");
    assert!(got.starts_with("01 "), "the lowest byte holds the operation: {got}");
}

#[test]
fn each_line_of_text_has_its_answer() {
    let input =
        b"IADD R0, R1, R2\r\n\n// nothing\nIADD R0, R1, \xff\nIADD\0R0\nMOV R0, R1 ; // last";
    let (status, text) = on_simt("asm", input);
    assert_eq!(status, Some(1));
    let expected = "\
-
error: column 1: expected a mnemonic, found the end
error: column 1: expected a mnemonic, found the end
error: column 14: not UTF-8
error: column 5: expected a space, found '\\0'
";
    let text: Vec<&str> = text.lines().collect();
    for (got, expected) in text.iter().zip(expected.lines()).filter(|(_, text)| *text != "-") {
        assert_eq!(*got, expected);
    }
    assert_eq!(text.len(), 6);
    assert!(!text[0].contains("error") && !text[5].contains("error"), "{text:?}");
}

#[test]
fn each_line_of_bytes_has_its_answer() {
    let simt = isadl_test_support::simt();
    let legal = simt.write_hex(simt.assemble("IADD R0, R1, R2").expect("legal").word);
    let short = &legal[..legal.len() - 3];
    let prefixed: Vec<String> = legal.split(' ').map(|byte| format!("0x{byte}")).collect();
    let zeros = |count: usize| " 00".repeat(count);
    for (input, answer) in [
        (legal.clone(), "IADD R0, R1, R2"),
        (format!("\t{legal} \r"), "IADD R0, R1, R2"),
        (prefixed.join(" "), "IADD R0, R1, R2"),
        (String::new(), "error: no bytes on this line"),
        ("  ".to_string(), "error: no bytes on this line"),
        ("00 0g".to_string(), "error: column 5: `g` is not a hexadecimal digit"),
        ("00 \0".to_string(), "error: column 4: byte 0x00 is not a hexadecimal digit"),
        ("00é".to_string(), "error: column 3: byte 0xc3 is not a hexadecimal digit"),
        ("00,00".to_string(), "error: column 3: `,` is not a hexadecimal digit"),
        (short.to_string(), "error: truncated: 15 of the 16 bytes of an instruction"),
        ("7f".to_string(), "error: truncated: 1 of the 16 bytes of an instruction"),
        (format!("{legal} 0"), "error: odd number of digits (33); a byte has two"),
        (format!("{legal} 00"), "error: 1 extra byte after the 16 bytes of an instruction: 00"),
        (
            zeros(40),
            "error: 24 extra bytes after the 16 bytes of an instruction: \
             00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 …",
        ),
        (
            format!("0x{}", legal.replace(' ', "")),
            "error: column 1: `0x` must be followed by the two digits of one byte",
        ),
        (format!("ff ff{}", zeros(14)), "error: unknown opcode"),
    ] {
        let (status, text) = on_simt("disasm", input.as_bytes());
        assert_eq!(text.lines().count(), usize::from(!input.is_empty()), "{input:?}");
        if !input.is_empty() {
            assert_eq!(text, format!("{answer}\n"), "{input:?}");
            assert_eq!(status, Some(i32::from(answer.starts_with("error"))), "{input:?}");
        }
    }
    assert_eq!(on_simt("disasm", b"\n").1, "error: no bytes on this line\n");
    assert_eq!(on_simt("disasm", b""), (Some(0), String::new()));
}

/// The field `dtype` of MUFU has gaps, and a rule forbids some pairs with `mufuop`.
#[test]
fn illegal_words_are_named() {
    let simt = isadl_test_support::simt();
    let word = simt.assemble("MUFU.COS.F32 R0, R1").expect("legal").word;
    let lines = [word | 7 << 81, word | 1 << 81].map(|word| simt.write_hex(word));
    let (status, text) = on_simt("disasm", lines.join("\n").as_bytes());
    assert_eq!(status, Some(1));
    let expected = "\
error: MUFU_R: illegal value 0x7 of field `dtype` (MUFUDType)
error: MUFU_R: MUFU.F64H only supports RCP/RSQ. (IllegalBitFieldCombination)
";
    assert_eq!(text, expected);
}

#[test]
fn any_bytes_give_one_line_each() {
    let mut random = Random::new(11);
    let alphabet = b"IADD.X R0, c[]|-~!@$=;/\r\t0123456789abcdefx \0\x0b\xc2\xa0\xff\xe2\x80\xa8";
    let mut input = Vec::new();
    for _ in 0..5000 {
        for _ in 0..random.below(40) {
            input.push(match random.below(10) {
                0 => random.next_u64() as u8,
                _ => alphabet[random.below(alphabet.len() as u64) as usize],
            });
        }
        input.push(b'\n');
    }
    input.extend_from_slice(b"IADD R0, R1, -\r5000000000\nno end");
    let lines = input.iter().filter(|byte| **byte == b'\n').count() + 1;
    for command in ["asm", "disasm"] {
        let (status, text) = on_simt(command, &input);
        assert_eq!(status, Some(1));
        assert_eq!(text.matches('\n').count(), lines, "{command}");
        assert_eq!(text.lines().filter(|line| line.contains('\r')).count(), 0, "{command}");
    }
}

/// A megabyte without a line end, and many lines: neither panics nor takes long.
#[test]
fn long_input_is_no_trouble() {
    for byte in [b'0', b'A', b'[', b',', b'.', b'@', b'-', b'|', b' ', b'$'] {
        for head in ["", "IADD R0, ", "IADD "] {
            let input = [head.as_bytes(), &vec![byte; 1 << 20]].concat();
            for command in ["asm", "disasm"] {
                let (status, text) = on_simt(command, &input);
                assert_eq!((status, text.lines().count()), (Some(1), 1), "{head}{byte} {command}");
            }
        }
    }
}

#[test]
fn a_file_is_disassembled_past_bad_words_and_a_short_tail() {
    let simt = isadl_test_support::simt();
    let word = |line: &str| simt.assemble(line).expect("legal").word.to_le_bytes().to_vec();
    let bytes = [
        word("IADD R0, R1, -R2"),
        vec![0xff; 16],
        word("MOV.64 R[2:3], UR[4:5]"),
        word("HADD2 R5, R6, -|UR7.H1_H1| $sched=4:1"),
        vec![1, 2, 3],
    ];
    let files = folder("binary", &[("code.bin", &bytes.concat()), ("empty.bin", b"")]);
    let path = |name: &str| files.0.join(name).to_str().expect("a path in UTF-8").to_string();
    let on = |name: &str| {
        let output = run(&["disasm", "--spec", "spec/simt", "--binary", &path(name)], b"");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    };
    let (status, text) = on("code.bin");
    assert_eq!(status, Some(1));
    golden(&root().join("tests/fixtures/text/binary.txt"), &text);
    assert_eq!(on("empty.bin"), (Some(0), String::new()));
}

/// A word of SIMT as an argument.
fn number(line: &str, change: u128) -> String {
    let word = isadl_test_support::simt().assemble(line).expect("legal").word;
    format!("{:#x}", word ^ change)
}

#[test]
fn words_are_explained() {
    let marked = number("@!P1 HADD2.FTZ R5, R6, -|UR7.H1_H1| $sched=4:1 $wsb=SB2", 0);
    let several = number("MUFU.EX2.F16 R0, R1.H1", 1 << 96 | 1 << 97 | 1 << 78 | 3 << 127);
    for (name, spec, word, status) in [
        ("legal", "spec/simt", marked.as_str(), 0),
        ("pair", "spec/simt", &number("IMAD.WIDE.U32 R[0:1], R2, 0x10, R[4:5]", 0), 0),
        ("unknown", "spec/simt", "0x0123", 1),
        ("illegal", "spec/simt", &number("MUFU.COS.F32 R0, R1", 7 << 81), 1),
        ("rules", "spec/simt", &several, 1),
        ("stray", "spec/simt", &number("IADD R0, R1, R2", 7 << 40 | 1 << 127), 0),
        ("odd", "tests/fixtures/odd", "0x0500c2", 1),
        ("odd_bytes", "tests/fixtures/odd", "22:24:25", 0),
        ("odd_unknown", "tests/fixtures/odd", "0x0f0002", 1),
        ("byte", "tests/fixtures/cli/clean.isa", "21", 0),
    ] {
        let (got, text, errors) = decode(&[spec, word]);
        assert_eq!(errors, "", "{name}");
        golden(&root().join(format!("tests/fixtures/text/{name}.txt")), &text);
        assert_eq!(got, Some(status), "{name}:\n{text}");
    }
}

#[test]
fn every_opcode_is_explained_whatever_its_fields_hold() {
    let simt = isadl_test_support::simt();
    let mut random = Random::new(3);
    for opcode in simt.opcodes() {
        for _ in 0..20 {
            let word = random.next_u128() & !opcode.mask | opcode.value;
            let explanation = simt.engine().explain(word);
            let isadl::explain::Found::One(known) = explanation.opcode else {
                panic!("0x{word:x} is {}", opcode.name);
            };
            assert_eq!(known.is_legal(), simt.decode(word).is_ok());
            assert_eq!(known.fields.len(), opcode.fields.len());
            let ruler = known.ruler(simt, word);
            let widths = ruler.lines.iter().filter(|line| line.contains('│'));
            assert!(widths.into_iter().all(|line| line.chars().count() == 65));
        }
    }
}

#[test]
fn words_are_numbers_or_bytes_and_nothing_between() {
    let odd = "tests/fixtures/odd";
    let (_, as_number, _) = decode(&[odd, "0x252422"]);
    for word in ["22 24 25", "22:24:25", "0x22 0x24 0x25", "0X25_24_22", " 0x252422 "] {
        assert_eq!(decode(&[odd, word]).1, as_number, "{word}");
    }
    for (word, message) in [
        (
            "222425",
            "error: `222425` may be a number or bytes: write 0x before a number, spaces or \
             colons between bytes\n",
        ),
        ("0x", "error: `0x` is not a hexadecimal number\n"),
        ("0x12g", "error: `0x12g` is not a hexadecimal number\n"),
        ("0x1000000", "error: `0x1000000` does not fit in 24 bits\n"),
        ("22:24", "error: truncated: 2 of the 3 bytes of an instruction\n"),
        ("22:24:25:26", "error: 1 extra byte after the 3 bytes of an instruction: 26\n"),
        ("22:24:x5", "error: column 7: `x` is not a hexadecimal digit\n"),
    ] {
        let (status, text, errors) = decode(&[odd, word]);
        assert_eq!((status, text.as_str(), errors.as_str()), (Some(2), "", message), "{word}");
    }
}

#[test]
fn a_word_longer_than_its_instruction_is_refused() {
    let gcn = |words: &[&str]| decode(&[&["spec/gcn", "--generation", "GCN1_2"], words].concat());
    let (status, text, errors) = gcn(&["0xd101000100000602"]);
    assert_eq!((status, text.as_str()), (Some(2), ""));
    assert_eq!(
        errors,
        "error: `0xd101000100000602` is longer than its instruction: `V_CNDMASK_B32_E32` has 4 \
         bytes, 02 06 00 00; extra bytes: 01 00 01 d1\n"
    );
    let bytes = ["02", "06", "00", "00", "01", "00", "01", "d1"];
    let (status, _, errors) = gcn(&bytes);
    assert_eq!(status, Some(2));
    assert_eq!(errors, "error: 4 extra bytes after the 4 bytes of an instruction: 01 00 01 d1\n");
    // Several arguments are the bytes of a single word.
    let (status, text, errors) = gcn(&bytes[..4]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert_eq!(text, gcn(&["0x602"]).1);
    assert_eq!(text, gcn(&["0x0000000000000602"]).1, "zeros before a number mean nothing");
}

#[test]
fn words_are_explained_to_machines() {
    let json = |arguments: &[&str]| -> (Option<i32>, serde_json::Value) {
        let (status, text, errors) = decode(&[arguments, &["--format", "json"]].concat());
        assert_eq!((errors.as_str(), text.lines().count()), ("", 1), "{text}");
        (status, serde_json::from_str(&text).expect("JSON"))
    };
    let line = "@P1 IMAD.WIDE.U32 R[2:3], R4, 0x10, R[6:7]";
    let (status, found) = json(&["spec/simt", &number(line, 0)]);
    assert_eq!((status, &found["legal"], &found["text"]), (Some(0), &true.into(), &line.into()));
    assert_eq!(found["length"], 16);
    let manual = found["manual"].as_str().expect("a page");
    assert_eq!(manual, "docs/src/ops/IMAD_WIDE.md#form-imad_wide_rir");
    let page = root().join("generated/simt").join(manual.split('#').next().expect("a path"));
    let page = std::fs::read_to_string(page).expect("the page is committed");
    assert!(page.contains("Form IMAD_WIDE_RIR"));
    assert!(page.contains(found["description"].as_str().expect("a sentence")));
    let uses = |way: &str| -> Vec<(String, bool)> {
        let list = found[way].as_array().expect("a list").iter();
        list.map(|found| {
            let resource = found["resource"].as_str().expect("a name").to_string();
            (resource, found["certain"].as_bool().expect("yes or no"))
        })
        .collect()
    };
    let expected = [("PR[1]", true), ("GPR[4]", false), ("GPR[6:7]", false)];
    assert_eq!(uses("reads"), expected.map(|(name, certain)| (name.to_string(), certain)));
    assert_eq!(uses("writes"), [("GPR[2:3]".to_string(), false)]);
    let fields = found["fields"].as_array().expect("a list");
    let role = |name: &str| {
        let field = fields.iter().find(|field| field["name"] == name);
        field.map(|field| (field["role"].as_str(), field["binding"].as_str(), &field["high"]))
    };
    assert_eq!(role("rd"), Some((Some("write"), Some("required"), &23.into())));
    assert_eq!(role("rc").map(|found| found.0), Some(Some("read")));
    assert_eq!(role("pg.not").map(|found| found.0), Some(Some("attribute of pg")));
    assert_eq!(role("wsb").map(|found| found.0), Some(Some("control")));
    assert_eq!(role("optype").map(|found| found.1), Some(Some("fixed")));

    let (status, found) = json(&["spec/simt", &number("MUFU.COS.F32 R0, R1", 7 << 81)]);
    assert_eq!((status, &found["legal"], &found["text"]), (Some(1), &false.into(), &().into()));
    assert_eq!(found["errors"][0]["kind"], "IllegalValue");
    assert!(found["reads"].as_array().expect("a list").is_empty());

    let (status, found) = json(&["spec/simt", "0x1"]);
    assert_eq!((status, &found["opcode"]), (Some(1), &().into()));
    // All opcodes that are as near as the nearest.
    let simt = isadl_test_support::simt();
    let distance = |opcode: &isadl::isa::Opcode| ((1 ^ opcode.value) & opcode.mask).count_ones();
    let least = simt.opcodes().iter().map(distance).min();
    let nearest = simt.opcodes().iter().filter(|opcode| Some(distance(opcode)) == least);
    let nearest: Vec<&str> = nearest.map(|opcode| opcode.name.as_str()).collect();
    let told = found["nearest"].as_array().expect("a list").iter();
    assert!(nearest.len() > 3);
    assert_eq!(
        told.map(|near| near["opcode"].as_str().expect("a name")).collect::<Vec<_>>(),
        nearest
    );
    assert_eq!(found["nearest"][0]["fields"][0]["has"]["value"], "0x0");
    // What a word does, with its operands filled in, also if it has several lines.
    let riscv = ["spec/riscv", "--generation", "RV64", "0x04c5a52f"];
    let (status, amo) = json(&riscv);
    let does = "if a1 & ((1 << 2) - 1) != 0 { trap AddressMisaligned(a1) }\nordered(AQ) {\n    atomic {\n        old = memory[a1][31:0]\n        \
                memory[a1][31:0] = old + a2[31:0]\n        a0 = signed(old)\n    }\n}";
    assert_eq!((status, amo["does"].as_str()), (Some(0), Some(does)));
    let (_, human, _) = decode(&riscv);
    assert!(human.contains("\n       ordered(AQ) {\n           atomic {\n"), "{human}");

    // The keys are documented.
    let readme =
        std::fs::read_to_string(root().join("crates/isadl-cli/README.md")).expect("readable");
    let keys = [&found, &amo].map(|object| object.as_object().expect("an object").keys());
    for key in keys.into_iter().flatten() {
        assert!(readme.contains(&format!("`{key}`")), "README of isadl-cli: {key}");
    }
}

#[test]
fn generations_must_be_known() {
    let with = |spec, name| decode(&[spec, "--generation", name, "0x0"]);
    let (status, _, errors) = with("tests/fixtures/odd", "MIDDLE");
    assert_eq!(status, Some(2));
    assert_eq!(errors, "error: `MIDDLE` is not a generation; the generations are OLD, NEW\n");
    let (status, _, errors) = with("spec/simt", "OLD");
    assert_eq!(status, Some(2));
    assert_eq!(errors, "error: `OLD` is not a generation; there are no generations\n");
    assert_eq!(with("tests/fixtures/odd", "NEW").0, Some(1));
    let (_, _, errors) = with("spec/gcn", "gcn1_4");
    assert_eq!(errors, "error: `gcn1_4` is not a generation; did you mean `GCN1_4`?\n");
    for command in ["asm", "disasm"] {
        let output = run(&[command, "--spec", "spec/simt", "--generation", "OLD"], b"");
        assert_eq!(output.status.code(), Some(2), "{command}");
    }
}

#[test]
fn a_broken_specification_ends_with_its_diagnostics() {
    for command in [&["asm"][..], &["disasm"], &["decode", "0x0"]] {
        let arguments = [command, &["--spec", "tests/fixtures/cli/broken.isa"]].concat();
        let output = run(&arguments, b"IADD\n");
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        assert!(output.stdout.is_empty(), "{command:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("error[E0401]") && errors.contains("error[E0202]"), "{errors}");
    }
}

#[test]
fn one_specification_is_worked_with() {
    let clean = std::fs::read(root().join("tests/fixtures/cli/clean.isa")).expect("readable");
    let specs = folder("one", &[("a/x.isa", &clean), ("b/x.isa", &clean)]);
    let path = specs.0.to_str().expect("a path in UTF-8");
    let output = run(&["asm", "--spec", path], b"");
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.starts_with("error: --spec must name one instruction set, not 2: "), "{errors}");
    let text = String::from_utf8(clean).expect("UTF-8");
    let (types, layers) = text.split_at(text.find("__DefGroup").expect("a group"));
    let parts =
        folder("parts", &[("types.isa", types.as_bytes()), ("layers.isa", layers.as_bytes())]);
    let part = |name: &str| parts.0.join(name).to_str().expect("a path in UTF-8").to_string();
    let (types, layers) = (part("types.isa"), part("layers.isa"));
    let output = run(&["decode", "--spec", &types, "--spec", &layers, "21"], b"");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn colours_are_for_terminals() {
    let word = number("IADD R0, R1, 0x5", 0);
    let decode =
        |when: &str| run(&["decode", "--spec", "spec/simt", "--color", when, &word], b"").stdout;
    assert!(decode("always").contains(&b'\x1b'));
    assert!(!decode("never").contains(&b'\x1b'));
    assert!(!decode("auto").contains(&b'\x1b'), "a pipe is no terminal");
    let (_, bytes) = on_simt("asm", b"IADD R0, R1, R2");
    let always = run(&["disasm", "--spec", "spec/simt", "--color", "always"], bytes.as_bytes());
    assert_eq!(always.stdout, b"IADD R0, R1, R2\n");
}

#[test]
fn help_has_examples_that_are_true() {
    for command in ["asm", "disasm", "decode"] {
        let output = run(&[command, "--help"], b"");
        assert_eq!(output.status.code(), Some(0));
        let help = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(help.contains(&format!("isadl {command} --spec spec/simt")), "{help}");
    }
    let help = |command| String::from_utf8(run(&[command, "--help"], b"").stdout).expect("UTF-8");
    let (_, bytes) = on_simt("asm", b"IADD R0, R1, -R2 ;");
    assert!(help("asm").contains(bytes.trim()), "{bytes}");
    assert!(help("disasm").contains(bytes.trim()));
    assert!(help("decode").contains(bytes.trim()));
    assert!(help("decode").contains(&number("IADD R0, R1, -R2", 0)));
}

#[test]
fn names_are_those_of_a_set() {
    let spec = ["--spec", "tests/fixtures/odd", "--generation", "OLD"];
    let assembled = run(&[&["asm"], &spec[..]].concat(), b"system cycles, rdn\n").stdout;
    let shown = |names: &[&str]| {
        let output = run(&[&["disasm"], &spec[..], names].concat(), &assembled);
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let line = |text: &str| (Some(0), format!("{text}\n"), String::new());
    assert_eq!(shown(&[]), line("system clock"));
    assert_eq!(shown(&["--names", "usual"]), line("system clock"));
    assert_eq!(shown(&["--names", "numeric"]), line("system cycles"));
    let (status, text, errors) = shown(&["--names", "number"]);
    assert_eq!((status, text.as_str()), (Some(2), ""));
    let message = "`number` is not a set of names; the sets of names are usual, numeric";
    assert!(errors.contains(message), "{errors}");
}
