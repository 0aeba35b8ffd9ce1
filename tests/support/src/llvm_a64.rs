//! llvm-mc 19 as a second opinion on A64, and its known differences.

use crate::llvm::{Llvm, encodings, hex};

/// The arguments of llvm-mc: the extensions of `spec/a64`, and those whose hints and system registers have names. Without `crc` and
/// `el3` it refuses `crc32b` and others like it, and `smc`.
pub const ARGUMENTS: [&str; 2] = [
    "--triple=aarch64",
    "--mattr=+lse,+crc,+el3,+aes,+sha2,+sha3,+sm4,+dotprod,+i8mm,+rcpc,+rcpc-immo,+pauth,+ccpp,+ccdp,+mte,+bti,+ras,+spe,+tracev8.4,+clrbhb,\
     +fullfp16,+fp16fml,+bf16,+rdm,+complxnum,+jsconv,+fptoint,+mops,+flagm,+altnzcv,+sb,+lor,+pan,+pan-rwv,+uaops,+dit,+ssbs,+cssc,\
     +am,+amvs,+brbe,+ccidx,+ecv,+el2vmsa,+fgt,+hcx,+mpam,+nv,+rand,+rasv2,+sel2,+spe-eef,+specrestrict,+vh",
];

impl Llvm {
    /// The text of each word; `None` if it is illegal. Unpredictable words, for which llvm-mc warns, have a text.
    pub fn disassemble_a64(&self, words: &[u32]) -> Vec<Option<String>> {
        let input: Vec<String> = words.iter().map(|word| hex(&word.to_le_bytes())).collect();
        let (stdout, stderr) =
            self.run(&[&ARGUMENTS[..], &["--disassemble"]].concat(), input.join("\n") + "\n");
        let mut is_legal = vec![true; words.len()];
        for line in stderr.lines().filter(|line| line.contains("invalid instruction encoding")) {
            let number = line.strip_prefix("<stdin>:").and_then(|rest| rest.split(':').next());
            let number = number.and_then(|number| number.parse::<usize>().ok());
            is_legal[number.expect("warnings have lines") - 1] = false;
        }
        let mut texts =
            stdout.lines().map(without_remark).filter(|line| !line.is_empty() && line != ".text");
        let text = |legal: bool| legal.then(|| texts.next().expect("a line for each legal word"));
        let found = is_legal.into_iter().map(text).collect();
        assert_eq!(texts.next(), None, "a legal word for each line");
        found
    }

    /// The word of each line, or its error.
    pub fn assemble_a64(&self, lines: &[String]) -> Vec<Result<Vec<u8>, String>> {
        let (stdout, stderr) =
            self.run(&[&ARGUMENTS[..], &["--show-encoding"]].concat(), lines.join("\n") + "\n");
        encodings(lines.len(), &stdout, &stderr)
    }
}

/// A text without the remark after it, and with every run of spaces replaced by one space.
fn without_remark(line: &str) -> String {
    let text = line.split("//").next().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A known difference.
#[derive(Debug)]
pub struct Difference {
    /// The name of the difference.
    pub name: &'static str,
    /// Why llvm-mc is not followed.
    pub reason: &'static str,
    /// Whether it explains two different results for a word, from this project and from llvm-mc.
    pub explains: fn(u32, Option<&str>, Option<&str>) -> bool,
}

/// The known differences between texts of words.
pub const DIFFERENCES: &[Difference] = &[
    Difference {
        name: "system registers with op0 = 0",
        reason: "llvm-mc takes every word of this space that it knows nothing else of for an access to a \
                 system register; system registers have op0 = 2 and op0 = 3",
        explains: |word, ours, theirs| {
            let is_named = |text: &str| text.starts_with("msr S0_") || text.contains(", S0_");
            word & 0xffd8_0000 == 0xd500_0000 && ours.is_none() && theirs.is_some_and(is_named)
        },
    },
    Difference {
        name: "register of an operation without one",
        reason: "llvm-mc leaves out the register of `ic iallu`, `tlbi vmalle1` and others that have none, so that \
                 its text means another word; here it is written as `sys`",
        explains: |word, ours, theirs| {
            let (Some(ours), Some(theirs)) = (ours, theirs) else { return false };
            word & 0xfff8_0000 == 0xd508_0000
                && ours.starts_with("sys ")
                && (theirs.starts_with("ic ") || theirs.starts_with("tlbi "))
                && !theirs.contains(',')
        },
    },
    Difference {
        name: "names of system registers of extensions",
        reason: "a register has a name here if llvm-mc has it without further instructions; the number is read by both",
        explains: |word, ours, theirs| {
            let (Some(ours), Some(theirs)) = (ours, theirs) else { return false };
            let is_numbered = ours.starts_with("msr S3_") || ours.contains(", S3_");
            word & 0xffd0_0000 == 0xd510_0000 && is_numbered && theirs.get(..4) == ours.get(..4)
        },
    },
    Difference {
        name: "streaming mode",
        reason: "llvm-mc writes `smstart` and `smstop`, which belong to SME, whatever its extensions are",
        explains: |word, ours, theirs| {
            word & 0xffff_f01f == 0xd503_401f
                && ours.is_none()
                && theirs.is_some_and(|text| text.starts_with("smst"))
        },
    },
];

/// The bytes of a text; none if it is refused.
pub type Bytes<'a> = Option<&'a [u8]>;

/// A known difference between words of texts.
#[derive(Debug)]
pub struct Assembled {
    /// The name of the difference.
    pub name: &'static str,
    /// Why llvm-mc is not followed.
    pub reason: &'static str,
    /// Whether it explains two different encodings of a text, from this project and from llvm-mc.
    pub explains: fn(&str, Bytes<'_>, Bytes<'_>) -> bool,
}

/// The known differences between words of texts.
pub const ASSEMBLED: &[Assembled] = &[Assembled {
    name: "unpredictable loads of two registers",
    reason: "llvm-mc refuses some of them: two equal registers only without write-back, and a base that is loaded \
             not for `ldpsw`; here all are refused",
    explains: |text, ours, theirs| {
        let registers: Vec<&str> =
            text.split([' ', ',', '[', ']']).filter(|part| !part.is_empty()).collect();
        let [mnemonic, first, second, base, ..] = registers[..] else { return false };
        let number = |register: &str| register[1..].to_string();
        let is_base = [first, second].iter().any(|one| number(one) == number(base));
        let is_pair = mnemonic == "ldp" && first == second;
        let is_written = text.ends_with('!') || text.contains("], ");
        let is_extended = mnemonic == "ldpsw" && (first == second || is_base);
        is_written && (is_pair || is_extended) && ours.is_none() && theirs.is_some()
    },
}];
