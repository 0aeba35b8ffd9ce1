//! llvm-mc 19 as a second opinion on AMD GCN, and its known differences.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::process::{Command, Stdio};

/// The result of llvm-mc for the bytes at the start of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disassembled {
    /// The text.
    pub text: String,
    /// Bytes.
    pub length: usize,
}

/// How often a mark is written: an instruction has at most 20 bytes.
const MARKS: usize = 6;

/// An llvm-mc of version 19.
pub struct Llvm {
    program: String,
}

impl Llvm {
    /// The program `LLVM_MC` names, or `llvm-mc-19`, or `llvm-mc` if that is of version 19.
    pub fn find() -> Option<Llvm> {
        let named = std::env::var("LLVM_MC").ok();
        let programs = named.into_iter().chain(["llvm-mc-19", "llvm-mc"].map(String::from));
        let is_19 = |program: &String| {
            let output = Command::new(program).arg("--version").output();
            output.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains("LLVM version 19."))
        };
        programs.into_iter().find(is_19).map(|program| Llvm { program })
    }

    /// Its result for the first instruction of each pair of dwords; `None` if there is none.
    pub fn disassemble(&self, processor: &str, words: &[u64]) -> Vec<Option<Disassembled>> {
        let words: Vec<u128> = words.iter().map(|word| u128::from(*word)).collect();
        self.disassemble_long(&[&format!("--mcpu={processor}")], &words, 2)
    }

    /// Its result for the first instruction of each word of some dwords; `None` if there is none.
    pub fn disassemble_long(
        &self,
        target: &[&str],
        words: &[u128],
        dwords: usize,
    ) -> Vec<Option<Disassembled>> {
        // The first dwords of each word, one by one, two, …: an instruction is as long as the first of these of which it
        // leaves the marks alone. A mark is an instruction that does not occur otherwise. It is written several times, since
        // an instruction that is longer takes some.
        let mut input = String::new();
        for index in 0..words.len() * dwords {
            let bytes = words[index / dwords].to_le_bytes();
            input += &hex(&bytes[..4 * (index % dwords + 1)]);
            input.push('\n');
            let mark = hex(&(0xbf80_0000 | index as u32 & 0xffff).to_le_bytes());
            input += &format!("{}\n", [mark.as_str(); MARKS].join(","));
        }
        let (stdout, stderr) =
            self.run(&[&["--arch=amdgcn", "--disassemble"], target].concat(), input);
        let invalid = warnings(&stderr);
        let mut lines = stdout.lines().map(str::trim).filter(|line| !line.starts_with(".text"));
        let mut next = lines.next();
        let mut answers = Vec::with_capacity(words.len());
        for word in 0..words.len() {
            let mut found = None;
            for index in word * dwords..(word + 1) * dwords {
                let is_mark = |line: &str| mark(line) == Some(index as u32 & 0xffff);
                let mut texts = Vec::new();
                while let Some(line) = next.filter(|line| !is_mark(line)) {
                    texts.push(line);
                    next = lines.next();
                }
                assert!(next.is_some(), "no mark behind {texts:?}");
                let mut marks = 0;
                while next.is_some_and(is_mark) {
                    marks += 1;
                    next = lines.next();
                }
                let is_legal = !invalid.contains(&(index * 2 + 1, 1));
                if let [text] = texts[..]
                    && is_legal
                    && marks == MARKS
                    && found.is_none()
                {
                    let length = 4 * (index % dwords + 1);
                    found = Some(Disassembled { text: text.to_string(), length });
                }
            }
            answers.push(found);
        }
        answers
    }

    /// The bytes of each line, or its error.
    pub fn assemble(&self, processor: &str, lines: &[String]) -> Vec<Result<Vec<u8>, String>> {
        self.assemble_as(&[&format!("--mcpu={processor}")], lines)
    }

    /// As `assemble`, for a processor and its features.
    pub fn assemble_as(&self, target: &[&str], lines: &[String]) -> Vec<Result<Vec<u8>, String>> {
        let arguments = [&["--arch=amdgcn", "--show-encoding"], target].concat();
        let (stdout, stderr) = self.run(&arguments, lines.join("\n") + "\n");
        encodings(lines.len(), &stdout, &stderr)
    }

    /// Disassembles instructions, all of which must be legal, from their bytes.
    pub fn disassemble_each(&self, arguments: &[&str], samples: &[Vec<u8>]) -> Vec<String> {
        let input: Vec<String> = samples.iter().map(|bytes| hex(bytes)).collect();
        let arguments = [arguments, &["--disassemble"]].concat();
        let (stdout, stderr) = self.run(&arguments, input.join("\n") + "\n");
        assert_eq!(stderr, "", "all are legal");
        let folded = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines = stdout.lines().map(folded);
        let texts: Vec<String> =
            lines.filter(|line| !line.is_empty() && !line.starts_with(".text")).collect();
        assert_eq!(texts.len(), samples.len(), "a line for each instruction");
        texts
    }

    /// Assembles lines, all of which must be legal, to an object file.
    pub fn object(&self, arguments: &[&str], lines: String) -> Vec<u8> {
        let (object, stderr) = self.output(&[arguments, &["--filetype=obj"]].concat(), lines);
        assert_eq!(stderr, "", "all are legal");
        object
    }

    /// Its two outputs for an input.
    pub(crate) fn run(&self, arguments: &[&str], input: String) -> (String, String) {
        let (stdout, stderr) = self.output(arguments, input);
        (String::from_utf8(stdout).expect("llvm-mc writes text"), stderr)
    }

    fn output(&self, arguments: &[&str], input: String) -> (Vec<u8>, String) {
        let mut child = Command::new(&self.program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("llvm-mc starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        // Written on a separate thread: the program answers before it has read everything.
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().expect("llvm-mc ends");
        writer.join().expect("no panic").expect("llvm-mc reads everything");
        assert!(output.status.code().is_some(), "llvm-mc ended by a signal");
        (output.stdout, String::from_utf8(output.stderr).expect("llvm-mc writes text"))
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(",")
}

/// The number of a mark.
fn mark(line: &str) -> Option<u32> {
    let number = line.strip_prefix("s_nop ")?;
    match number.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => number.parse().ok(),
    }
}

/// The lines and columns of warnings, `<stdin>:5:21: warning: …`.
pub(crate) fn warnings(stderr: &str) -> HashSet<(usize, usize)> {
    let place = |line: &str| {
        let mut numbers = line.strip_prefix("<stdin>:")?.split(':');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    };
    stderr.lines().filter_map(place).collect()
}

/// The bytes of each of `count` lines, or its error.
pub(crate) fn encodings(count: usize, stdout: &str, stderr: &str) -> Vec<Result<Vec<u8>, String>> {
    let errors = errors(stderr);
    let mut encodings = stdout.lines().filter_map(encoding);
    let answer = |index: usize| match errors.get(&(index + 1)) {
        Some(error) => Err(error.clone()),
        None => encodings.next().ok_or_else(|| "no encoding".to_string()),
    };
    (0..count).map(answer).collect()
}

/// The lines with errors, and the first of each.
fn errors(stderr: &str) -> HashMap<usize, String> {
    let mut errors = HashMap::new();
    for line in stderr.lines() {
        let Some((place, message)) = line.split_once(" error: ") else { continue };
        let number = place.strip_prefix("<stdin>:").and_then(|rest| rest.split(':').next());
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            errors.entry(number).or_insert_with(|| message.to_string());
        }
    }
    errors
}

/// The bytes of `… ; encoding: [0x01,0x02]`.
fn encoding(line: &str) -> Option<Vec<u8>> {
    let (_, list) = line.split_once("encoding: [")?;
    let bytes = list.trim_end_matches(']').split(',');
    bytes.map(|byte| u8::from_str_radix(byte.trim().strip_prefix("0x")?, 16).ok()).collect()
}

// ---- differences --------------------------------------------------------------------------

/// Whether an opcode only recognises words that are not described.
pub fn is_outside(opcode: &str) -> bool {
    ["VOPC_E32", "VOP1_E32"].contains(&opcode)
}

/// Whether a word is neither VOP2 nor VOP3A/VOP3B with a number of VOP2: VOPC, VOP1, SDWA, DPP, or
/// an operation that only VOP3 has.
pub fn is_foreign(word: u64) -> bool {
    let is_vop2 = word >> 31 & 1 == 0;
    let is_vop3 = word >> 26 & 0x3f == 0b11_0100;
    let vop3_only = is_vop3 && !(256..320).contains(&(word >> 16 & 0x3ff));
    let other = is_vop2 && word >> 25 & 0x3f >= 62;
    let marker = is_vop2 && matches!(word & 0x1ff, 249 | 250);
    vop3_only || other || marker || !(is_vop2 || is_vop3)
}

/// Known differences due to errors in llvm-mc: a name, and why it is not followed.
pub const DIFFERENCES: &[(&str, &str)] = &[
    (
        "operand marked invalid",
        "llvm-mc decodes a wrong register or constant in a place for a mask, and writes \
         `/*Invalid…*/` for it, which nobody can assemble; here the word is illegal",
    ),
    (
        "exec as a third source",
        "llvm-mc writes `/*Invalid register*/` for it, but assembles `exec` to the same bits",
    ),
    (
        "sext(…) in ldexp",
        "llvm-mc shows the sign bit of an integer source so; its assembler refuses that text",
    ),
    (
        "floating-point constants in 16-bit integer operations",
        "llvm-mc writes their bits as a literal, which assembles to another word or to none; its \
         assembler takes `0.5` for the constant, which is what is written here",
    ),
    (
        "upper half of a 16-bit literal",
        "llvm-mc writes all 32 bits of a constant k, which its assembler refuses, and writes an \
         integer literal as a constant only where the upper half is 0, though it ignores it; only \
         16 bits have a meaning",
    ),
];

/// The index of the known difference that explains a disagreement.
pub fn known(
    word: u64,
    ours: &Option<(String, usize)>,
    theirs: &Option<Disassembled>,
) -> Option<usize> {
    let theirs = theirs.as_ref()?;
    let text = theirs.text.as_str();
    let Some((own, _)) = ours else { return text.contains("/*Invalid").then_some(0) };
    let mnemonic = text.split(' ').next()?;
    let is_16_bit_integer = ["_u16", "_i16", "_b16"].iter().any(|ty| mnemonic.contains(ty));
    let float_constant = |source: u64| matches!(source & 0x1ff, 240..=248);
    let sources = if word >> 31 & 1 == 0 { vec![word] } else { vec![word >> 32, word >> 41] };
    if own.contains(", exec") && text.contains("/*Invalid register") {
        Some(1)
    } else if mnemonic.starts_with("v_ldexp") && text.contains("sext(") {
        Some(2)
    } else if is_16_bit_integer && sources.into_iter().any(float_constant) {
        Some(3)
    } else if word >> 48 != 0
        && (mnemonic.ends_with("k_f16") || is_16_bit_integer && word & 0x1ff == 255)
    {
        Some(4)
    } else {
        None
    }
}
