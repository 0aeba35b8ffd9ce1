//! Random files whose layout depends on itself: alignment, `.space`, `.org`, LEB128 numbers and branches of several
//! sizes, forward and backward. The bytes must equal the output of llvm-mc 19 and GNU as, where they are installed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use isadl_asm::{Options, Purpose, SymbolPlace};
use isadl_test_support::{Random, count};

use super::{A64, Machine, RISCV, Target, elf, folder, has};

/// Layouts per file, each in its own section.
const SECTIONS: usize = 20;

/// The building blocks of layouts, and the assembler that they are compared with.
struct Kind {
    target: &'static Target,
    /// Lines with placeholders: `{a}` and `{b}` for two labels, the second after the first, `{l}` for any label, `{p}`
    /// for a label before the line, `{f}` for a label after it, `{i}` for the number of the section, and `{n}` for a
    /// small number.
    lines: &'static [&'static str],
    /// Bytes between labels, at most.
    gap: usize,
    flags: &'static str,
}

/// Numbers and alignment: these grow, and never shrink.
const GROWING: Kind = Kind {
    target: &A64,
    lines: &[
        ".uleb128 {b} - {a}",
        ".uleb128 {b} - {a}",
        ".uleb128 ({b} - {a}) * 60",
        ".sleb128 {a} - {b}",
        ".sleb128 {b} - {a}",
        ".balign 4",
        ".balign 8",
        ".balign 64",
        ".p2align 3, 0x55, 5",
        ".byte {n}",
        ".fill {n}, 2, 0x1234",
    ],
    gap: 70,
    flags: "aw",
};

/// The same with instructions of several sizes.
const BRANCHES: Kind = Kind {
    target: &RISCV,
    lines: &[
        "beqz a0, {l}",
        "j {l}",
        "bnez s0, {l}",
        "bltu a0, t1, {l}",
        ".uleb128 {b} - {a}\n .balign 4",
        ".balign 8",
        ".balign 16",
        "addi a0, a0, {n}",
        "lw a1, {n}(sp)",
    ],
    gap: 300,
    flags: "ax",
};

/// Space that is as large as something else, before or after it. LLVM computes it before places are known, so
/// that only GNU as can be asked.
const SPACES: Kind = Kind {
    target: &A64,
    lines: &[
        ".space {b} - {a}",
        ".space (end{i} - {f}) / 2, 0x77",
        ".fill {b} - {a}, 2, 0x1234",
        ".org {p} + 400",
        ".uleb128 {b} - {a}",
        ".balign 4",
        ".balign 16",
        ".byte {n}",
        ".fill {n}, 2, 0x1234",
    ],
    gap: 20,
    flags: "aw",
};

/// A section with labels whose names begin with a number.
fn section(random: &mut Random, of: &Kind, index: usize) -> String {
    let mut below = |count: usize| random.next_u128() as usize % count;
    let labels = 3 + below(6);
    let mut text = format!(" .section .s{index}, \"{}\"\n", of.flags);
    let name = |label: usize| format!("l{index}_{label}");
    let after = |label| if label < labels { name(label) } else { format!("end{index}") };
    for label in 0..labels {
        let _ = writeln!(text, "{}:", name(label));
        for _ in 0..below(4) {
            let line = of.lines[below(of.lines.len())];
            let (first, second) = (below(labels), below(labels));
            let line = line
                .replace("{n}", &below(8).to_string())
                .replace("{l}", &name(first))
                .replace("{f}", &after(label + 1 + first))
                .replace("{i}", &index.to_string())
                .replace("{p}", &name(first % (label + 1)))
                .replace("{a}", &name(first.min(second)))
                .replace("{b}", &name(first.max(second)));
            let _ = writeln!(text, " {line}");
        }
        if below(3) > 0 {
            let _ = writeln!(text, " .fill {}, 1, 0xbb", below(of.gap));
        }
        if of.flags == "ax" {
            let _ = writeln!(text, " .balign 2");
        }
    }
    text + if of.flags == "ax" { " .balign 4\n" } else { "" } + &format!("end{index}:\n")
}

/// Sections and the offsets of labels in them, by their names.
struct Layout {
    sections: BTreeMap<String, Vec<u8>>,
    labels: BTreeMap<String, u64>,
}

/// The layout of a text, unless it is refused.
fn own(machine: &Machine, text: &str) -> Option<Layout> {
    let options = (&Options::default(), Purpose::Linker);
    let object = machine.assemble(&[(Path::new("layout.s"), text.as_bytes())], options).1?;
    let labels = object.symbols.into_iter().filter_map(|symbol| match symbol.place {
        SymbolPlace::Section(_, offset) => Some((symbol.name, offset)),
        _ => None,
    });
    let sections = object.sections.into_iter().map(|section| (section.name, section.bytes));
    Some(Layout { sections: sections.collect(), labels: labels.collect() })
}

/// The text with numbers for labels in expressions: it has the same bytes if all sizes are right.
fn with_numbers(text: &str, labels: &BTreeMap<String, u64>) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for (name, offset) in labels.iter().filter(|(name, _)| name.starts_with(['l', 'e'])) {
        for line in lines.iter_mut().filter(|line| line.starts_with(' ')) {
            *line = line.replace(name, &offset.to_string());
        }
    }
    lines.join("\n") + "\n"
}

/// The same by another assembler.
fn other(command: &mut Command, object: &Path) -> Option<Layout> {
    let _ = std::fs::remove_file(object);
    let output = command.arg("-o").arg(object).output().expect("the assembler runs");
    // GNU as leaves a negative size out, with a warning.
    let is_negative = String::from_utf8_lossy(&output.stderr).contains("negative value, ignored");
    let is_made = output.status.success() && !is_negative;
    let bytes = is_made.then(|| std::fs::read(object).expect("readable"))?;
    Some(Layout { sections: elf::sections(&bytes), labels: elf::labels(&bytes) })
}

/// Layouts by two assemblers.
struct Comparison<'t> {
    machine: Machine,
    ask: &'t dyn Fn(&Path) -> Command,
    folder: PathBuf,
    /// Layouts that the other assembler refuses, or lays out differently but correctly.
    others: usize,
}

impl Comparison<'_> {
    fn other(&self, text: &str) -> Option<Layout> {
        let path = self.folder.join("layout.s");
        std::fs::write(&path, text).expect("writable");
        other(&mut (self.ask)(&path), &self.folder.join("layout.o"))
    }

    /// Whether all sizes of a section agree with its labels.
    fn is_fixed(&self, text: &str, name: &str, layout: &Layout) -> bool {
        let fixed = self.other(&with_numbers(text, &layout.labels));
        fixed.is_some_and(|fixed| fixed.sections.get(name) == layout.sections.get(name))
    }

    /// Whether a section is the same for both, or our sizes are right. Sizes that depend on themselves can settle in
    /// one assembler alone.
    fn is_right(&mut self, text: &str, name: &str) -> bool {
        let (own, other) = (own(&self.machine, text), self.other(text));
        let are_same = match (&own, &other) {
            (Some(own), Some(other)) => own.sections.get(name) == other.sections.get(name),
            (own, other) => own.is_none() == other.is_none(),
        };
        self.others += usize::from(!are_same);
        are_same || own.is_none_or(|own| self.is_fixed(text, name, &own))
    }

    /// Compares several layouts at once; the first that is wrong.
    fn wrong(&mut self, texts: &[String]) -> Option<String> {
        let all = texts.concat();
        let own = own(&self.machine, &all);
        let name = |index: usize| format!(".s{index}");
        if let (Some(own), Some(other)) = (own, self.other(&all)) {
            let is_same = |name: String| own.sections.get(&name) == other.sections.get(&name);
            if (0..texts.len()).map(name).all(is_same) {
                return None;
            }
        }
        let mut all = texts.iter().enumerate();
        all.find(|(index, text)| !self.is_right(text, &name(*index))).map(|(_, text)| text.clone())
    }
}

/// Compares random layouts; how many of them the other assembler does otherwise.
fn compared(of: &Kind, seed: u64, ask: &dyn Fn(&Path) -> Command) -> usize {
    let machine = Machine::of(of.target, of.target.extensions);
    let folder = folder(&format!("layouts-{seed}"));
    let mut comparison = Comparison { machine, ask, folder, others: 0 };
    let mut random = Random::new(seed);
    for _ in 0..count("ISADL_SETS", 100).div_ceil(SECTIONS) {
        let texts: Vec<String> = (0..SECTIONS).map(|at| section(&mut random, of, at)).collect();
        let wrong = comparison.wrong(&texts);
        assert!(wrong.is_none(), "{}", wrong.unwrap_or_default());
    }
    let _ = std::fs::remove_dir_all(comparison.folder);
    comparison.others
}

fn llvm_mc(target: &'static Target) -> impl Fn(&Path) -> Command {
    move |path| {
        let mut command = Command::new("llvm-mc-19");
        command.args(target.llvm).arg("--filetype=obj").arg(path);
        command
    }
}

fn gnu_as(path: &Path) -> Command {
    let mut command = Command::new("aarch64-linux-gnu-as");
    command.arg(path);
    command
}

#[test]
fn random_layouts_are_those_of_llvm() {
    if has("llvm-mc-19") {
        assert_eq!(compared(&GROWING, 71, &llvm_mc(GROWING.target)), 0);
        assert_eq!(compared(&BRANCHES, 72, &llvm_mc(BRANCHES.target)), 0);
    }
}

#[test]
fn random_layouts_with_spaces_are_those_of_gnu_as() {
    if has("aarch64-linux-gnu-as") {
        let others = compared(&SPACES, 73, &gnu_as);
        assert!(others * 20 < count("ISADL_SETS", 100), "{others} others");
    }
}

/// Long chains in which each part depends on the previous part or on the next parts, with the text before and after the
/// chain.
const CHAINS: [[&str; 3]; 5] = [
    ["", " .uleb128 l{n} - l{i}\nl{i}: .fill 125, 1, 1\n .balign 4\n", "l{n}:"],
    ["", "l{i}: .space m{n} - l{n}\nm{i}: .balign 2\n", "l{n}: .byte 1\nm{n}:"],
    ["l0: .byte 1\nm0:\n", "l{n}: .space m{i} - l{i}\nm{n}: .balign 2\n", ""],
    ["l0: .byte 1\n", "l{n}: .org l{i} + 32\n .balign 8\n", ""],
    // As soon as a jump grows, the previous jump is out of reach.
    ["", "l{i}: j l{3}\n .space 680\n", "l{n}: nop\n nop\n .space 2044\nl{2}:\nl{3}:"],
];

#[test]
fn long_chains_are_laid_out_quickly() {
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let links = count("ISADL_CHAIN", 2000);
    for [first, one, last] in CHAINS {
        let link = |text: &str, index: usize| {
            let numbers = [("{i}", 0), ("{n}", 1), ("{2}", 2), ("{3}", 3)];
            let put = |text: String, (name, by): (&str, usize)| {
                text.replace(name, &(index + by).to_string())
            };
            numbers.into_iter().fold(text.to_string(), put)
        };
        let all: String = (0..links).map(|index| link(one, index)).collect();
        let text = format!("{first}{all}{}\n", link(last, links - 1));
        let start = Instant::now();
        let object = own(&machine, &text);
        let time = start.elapsed();
        assert!(object.is_some() && time < Duration::from_secs(20), "{one}: {time:?}");
    }
}
