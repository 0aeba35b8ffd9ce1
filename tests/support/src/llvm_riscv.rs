//! llvm-mc 19 as a second opinion on RISC-V, and its known differences.

use crate::llvm::{Llvm, encodings, hex, warnings};

/// A set of extensions.
#[derive(Debug)]
pub struct Extensions {
    /// Their names in `spec/riscv`.
    pub names: &'static [&'static str],
    /// The same as llvm-mc names them.
    pub llvm: &'static str,
    /// Those without instructions of 16 bits, so that the assembler does not choose these.
    pub long: &'static str,
}

/// The set with the most extensions.
pub const MOST: Extensions = Extensions {
    names: &["most"],
    llvm: "+m,+a,+f,+d,+c,+zba,+zbb,+zbc,+zbs,+zfh,+v,+zicond,+zicbom,+zicboz,+zimop,+zcmop,+experimental-zacas,+zabha,\
           +h,+svinval,+zvbb,+zvbc,+zvkn,+zvkg,+zvks,\
           +zfa,+zvfbfwma,+zawrs,+zihintntl",
    long: "+m,+a,+f,+d,+zba,+zbb,+zbc,+zbs,+zfh,+v,+zicond,+zicbom,+zicboz,+zimop,+experimental-zacas,+zabha,\
           +h,+svinval,+zvbb,+zvbc,+zvkn,+zvkg,+zvks,\
           +zfa,+zvfbfwma,+zawrs,+zihintntl",
};

/// Those of small implementations, whose instructions of 16 bits have the words of others.
pub const SMALL: Extensions = Extensions {
    names: &["M", "A", "F", "Zcmp", "Zcmt", "Zba", "Zbb", "Zbs"],
    llvm: "+m,+a,+f,+zca,+zcmp,+zcmt,+zba,+zbb,+zbs",
    long: "+m,+a,+f,+zba,+zbb,+zbs",
};

/// How instructions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// By their own mnemonics.
    Plain,
    /// As aliases where there are any.
    Aliases,
    /// As aliases, with registers by their numbers.
    Numeric,
}

/// The arguments of llvm-mc for a generation, `RV32` or `RV64`.
pub fn arguments(generation: &str, extensions: &str, style: Style, action: &str) -> Vec<String> {
    let mut arguments =
        vec![format!("--triple=riscv{}", &generation[2..]), format!("--mattr={extensions}")];
    let option = match style {
        Style::Plain => Some("no-aliases"),
        Style::Aliases => None,
        Style::Numeric => Some("numeric"),
    };
    arguments.extend(option.into_iter().flat_map(|option| ["-M", option]).map(String::from));
    arguments.push(action.to_string());
    arguments
}

/// How many bytes the instruction has that begins with these bits; `None` if more than 4.
pub fn length(word: u32) -> Option<usize> {
    match word & 0x1f {
        0x1f => None,
        low if low & 3 == 3 => Some(4),
        _ => Some(2),
    }
}

fn slices(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

fn bytes(word: u32) -> String {
    hex(&word.to_le_bytes()[..length(word).expect("a word of 16 or 32 bits")])
}

impl Llvm {
    /// The text of each word, which is not longer than 32 bits; `None` if it is illegal.
    pub fn disassemble_riscv(
        &self,
        generation: &str,
        extensions: &str,
        style: Style,
        words: &[u32],
    ) -> Vec<Option<String>> {
        let run = |words: &[u32]| {
            let input: Vec<String> = words.iter().map(|word| bytes(*word)).collect();
            let arguments = arguments(generation, extensions, style, "--disassemble");
            self.run(&slices(&arguments), input.join("\n") + "\n")
        };
        // Words that are legal have a line each; after an illegal one the rest of its bytes may be
        // taken for something else.
        let invalid = warnings(&run(words).1);
        let lines: Vec<usize> = invalid.into_iter().map(|(line, _)| line).collect();
        let is_legal = unlisted(words.len(), &lines);
        let legal: Vec<u32> = words
            .iter()
            .zip(&is_legal)
            .filter(|(_, legal)| **legal)
            .map(|(word, _)| *word)
            .collect();
        if legal.is_empty() {
            return vec![None; words.len()];
        }
        let stdout = run(&legal).0;
        let texts: Vec<&str> =
            stdout.lines().map(str::trim).filter(|line| !line.starts_with(".text")).collect();
        let texts: Vec<&str> = texts.into_iter().filter(|line| !line.is_empty()).collect();
        assert_eq!(texts.len(), legal.len(), "a line for each word");
        let mut texts = texts.into_iter();
        let text = |legal: &bool| if *legal { texts.next().map(folded) } else { None };
        is_legal.iter().map(text).collect()
    }

    /// The word of each line, or its error.
    pub fn assemble_riscv(
        &self,
        generation: &str,
        extensions: &str,
        lines: &[String],
    ) -> Vec<Result<Vec<u8>, String>> {
        let arguments = arguments(generation, extensions, Style::Plain, "--show-encoding");
        let (stdout, stderr) = self.run(&slices(&arguments), lines.join("\n") + "\n");
        encodings(lines.len(), &stdout, &stderr)
    }
}

/// For each of `count` lines, whether its number is not in the list.
fn unlisted(count: usize, lines: &[usize]) -> Vec<bool> {
    let mut found = vec![true; count];
    for line in lines {
        if let Some(entry) = found.get_mut(line - 1) {
            *entry = false;
        }
    }
    found
}

/// Text with every run of spaces replaced by one space.
pub fn folded(text: &str) -> String {
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
        name: "c.lui of zero",
        reason: "llvm-mc writes the number as a signed one of 6 bits, which its assembler refuses; the \
                 same number in other registers is written as the upper 20 bits",
        explains: |word, ours, theirs| {
            word & 0xef83 == 0x6001
                && ours.is_some()
                && theirs.is_some_and(|text| {
                    text.starts_with("c.lui zero, ") || text.starts_with("c.lui x0, ")
                })
        },
    },
    Difference {
        name: "shift of 16 bits that is too far",
        reason: "llvm-mc writes the longer encoding only of shifts that its assembler takes; both refuse \
                 this text as well as that",
        explains: |word, ours, theirs| {
            let is_shift = word & 0xf003 == 0x1002 || word & 0xf803 == 0x9001;
            let (Some(ours), Some(theirs)) = (ours, theirs) else { return false };
            let (mnemonic, operands) = theirs.split_once(' ').unwrap_or_default();
            let first = operands.split(", ").next().unwrap_or_default();
            let long = theirs.trim_start_matches("c.").replace(first, &format!("{first}, {first}"));
            is_shift && mnemonic.starts_with("c.s") && ours == long
        },
    },
    Difference {
        name: "fence.i without Zifencei",
        reason: "llvm-mc 19 has this instruction whatever its extensions are; here it needs the extension that \
                 the manual says, which the small set lacks",
        explains: |word, ours, theirs| {
            word == 0x0000_100f && ours.is_none() && theirs == Some("fence.i")
        },
    },
    Difference {
        name: "fcvtmod.w.d with another rounding mode",
        reason: "the manual reserves all modes but `rtz` (volume I, chapter \"Zfa\"), and llvm-mc's assembler refuses them, too",
        explains: |word, ours, theirs| {
            let is_other = word & 0xfff0_007f == 0xc280_0053 && word >> 12 & 7 != 1;
            is_other
                && ours.is_none()
                && theirs.is_some_and(|text| text.starts_with("fcvtmod.w.d "))
        },
    },
    Difference {
        name: "small constants of fli",
        reason: "llvm-mc writes 2^-16 and 2^-15 with an exponent; both assemblers read both texts",
        explains: |_, ours, theirs| {
            let value = |text: Option<&str>| {
                let (before, number) = text?.rsplit_once(", ")?;
                let number: f64 = number.parse().ok()?;
                before.starts_with("fli.").then(|| (before.to_string(), number.to_bits()))
            };
            theirs.is_some_and(|text| text.ends_with("e-05"))
                && value(ours).is_some()
                && value(ours) == value(theirs)
        },
    },
    Difference {
        name: "lists of registers by number",
        reason: "the lists of `cm.push` and `cm.pop` are values under one name, `{ra, s0-s1}`; both assemblers \
                 read that",
        explains: |_, ours, theirs| {
            let (Some(ours), Some(theirs)) = (ours, theirs) else { return false };
            let after = |text: &str| text.split_once('}').map(|(_, after)| after.to_string());
            ours.contains(" {ra") && theirs.contains(" {x1") && after(ours) == after(theirs)
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
    name: "shorter encoding of another instruction",
    reason: "llvm-mc also takes the shorter encoding of another instruction that does the same: with its \
             sources exchanged, or one of them `zero`",
    explains: |text, ours, theirs| {
        let (mnemonic, operands) = text.split_once(' ').unwrap_or_default();
        let operands: Vec<&str> = operands.split(", ").collect();
        let does_same = match (mnemonic, &operands[..]) {
            ("add", [_, "zero", _] | [_, _, "zero"]) => true,
            ("add" | "addw" | "and" | "or" | "xor", [first, _, third]) => first == third,
            ("addiw", [_, "zero", _]) | ("sext.w", [_, "zero"]) => true,
            ("beq" | "bne", ["zero", _, _]) => true,
            _ => false,
        };
        let lengths = (ours.map(<[u8]>::len), theirs.map(<[u8]>::len));
        does_same && lengths == (Some(4), Some(2))
    },
}];
