//! `spec/rdna3` against llvm-mc 19: length and text of words, and the bytes of texts.

use std::collections::BTreeMap;
use std::process::Command;

use isadl::engine::{Engine, Inst, Loaded};
use isadl_codegen::diff::{self, Side};
use isadl_test_support::llvm::{Disassembled, Llvm};
use isadl_test_support::{Compiled, Random, count, family, golden, root};

/// The processor with waves of 32 and 64 lanes, in the order of the generations.
const TARGETS: [[&str; 2]; 2] = [
    ["--mcpu=gfx1100", "--mattr=+wavefrontsize32,-wavefrontsize64"],
    ["--mcpu=gfx1100", "--mattr=+wavefrontsize64,-wavefrontsize32"],
];

/// The first bits of the encodings of more than one dword.
const ENCODINGS: [u128; 8] = [0x3d, 0x37, 0x36, 0x38, 0x35, 0x33, 0x3c, 0x32];

/// Words that begin as instructions of the described encodings do, and words near the opcodes of the specification.
fn words(engine: &Engine<'_>, uniform: usize, near: usize) -> Vec<u128> {
    let mut random = Random::new(21);
    let mut any =
        || (u128::from(random.next_u64()) << 64 | u128::from(random.next_u64())) & LONGEST;
    let mut words: Vec<u128> = Vec::new();
    for at in 0..uniform {
        let word = any();
        words.push(match ENCODINGS.get(at % 16) {
            Some(first) => word & !(0x3f << 26) | first << 26,
            None => word,
        });
    }
    for opcode in engine.isa().opcodes() {
        words.extend((0..near).map(|_| any() & !opcode.mask & LONGEST | opcode.value));
    }
    words.into_iter().map(without_crash).collect()
}

/// A word with addresses of rays below `v128`: llvm-mc 19 ends by a signal where they are beyond `v255`.
fn without_crash(word: u128) -> u128 {
    let is_ray = word >> 26 & 0x3f == 0x3c && matches!(word >> 18 & 0xff, 0x19 | 0x1a);
    if is_ray { word & !(0x8080_8080 << 64 | 0x80 << 32) } else { word }
}

/// The bits of the longest instructions.
const LONGEST: u128 = (1 << 96) - 1;

/// LLVM's answer as we write it: counts are separated by `&`, which LLVM reads too.
fn as_written(theirs: &Disassembled) -> Disassembled {
    let text = theirs.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_list = text.starts_with("s_waitcnt ") || text.starts_with("s_waitcnt_depctr ");
    let text = if is_list { text.replace(") ", ") & ") } else { text };
    Disassembled { text, length: theirs.length }
}

/// Whether the texts differ in a literal that is a constant, which we write as the constant.
fn is_constant(engine: &Engine<'_>, inst: Inst, theirs: &str) -> bool {
    let opcode = engine.isa().opcode(inst.opcode);
    let read = engine.assemble(theirs).map(|read| engine.text(read));
    opcode.has_literal() && read == Ok(engine.text(inst))
}

/// Whether LLVM takes the next instruction for a literal: there is none in the offset of a buffer, or beside data of other lanes.
fn has_next(word: u128, text: &str) -> bool {
    let is_after = |lsb: u32| word >> lsb & 0x1ff == 0xff;
    let of_others = text.contains("_e64_dpp ") && (is_after(41) || is_after(50));
    text.starts_with("buffer_") && word >> 56 & 0xff == 0xff || of_others
}

/// Numbers that LLVM writes as the bits of a binary16 number where an integer of 16 bits is read.
const HALVES: [(&str, &str); 9] = [
    ("0.5", "0x3800"),
    ("1.0", "0x3c00"),
    ("2.0", "0x4000"),
    ("4.0", "0x4400"),
    ("-0.5", "0xb800"),
    ("-1.0", "0xbc00"),
    ("-2.0", "0xc000"),
    ("-4.0", "0xc400"),
    ("0.15915494", "0x3118"),
];

/// A text without what LLVM writes otherwise: these numbers as their bits, and ignored bits as `sext(v1)`.
fn alike(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let core = word.trim_end_matches(',');
        let core = core.strip_prefix("sext(").map_or(core, |inner| inner.trim_end_matches(')'));
        HALVES.iter().find(|(name, _)| *name == core).map_or(core, |(_, bits)| bits)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether LLVM reads more than we do: a bit of state as a destination or as a bit for each lane, and one literal among operands of
/// 32 and of 64 bits.
fn is_beyond(text: &str) -> bool {
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    let has_mask = mnemonic.starts_with("v_cndmask") || mnemonic.contains("_co_ci_");
    operands.starts_with("src_")
        || has_mask && operands.contains(", src_")
        || mnemonic.contains("qsad_pk_u16_u8")
}

/// Whether a literal is written as its bits: of `v_fma_mix`, of which LLVM has 16, and negative ones of 16 bits.
fn is_literal_of_16(text: &str) -> bool {
    text.starts_with("v_fma_mix") && text.contains("0x") || has_negative_short(text)
}

/// Whether an operand is a number from 0xfff0 to 0xffff.
fn has_negative_short(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| word.len() == 6 && word.starts_with("0xfff"))
}

/// Whether an image has more than five addresses in a list, which are not described.
fn has_long_list(text: &str) -> bool {
    let list = text.split_once("[v").and_then(|(_, rest)| rest.split_once(']'));
    text.starts_with("image_") && list.is_some_and(|(list, _)| list.contains(", v["))
}

/// Whether a text is of an image whose registers end beyond the last one: it is printed, and not assembled.
fn is_unassembled(engine: &Engine<'_>, text: &str) -> bool {
    text.starts_with("image_") && engine.assemble(text).is_err()
}

/// The bytes of an instruction.
fn bytes(engine: &Engine<'_>, inst: Inst) -> Vec<u8> {
    let width = engine.isa().opcode(inst.opcode).width as usize / 8;
    inst.word.to_le_bytes()[..width].to_vec()
}

/// The mnemonics whose texts LLVM writes otherwise for some words: it names a version's parts, and ignores the upper bits
/// of messages that have an answer. It also reads a literal as the target of `s_swappc_b64`, and writes 32 bits as a constant of
/// 16 bits.
const KNOWN: [&str; 7] = [
    "s_version",
    "s_sendmsg",
    "s_sendmsghalt",
    "s_swappc_b64",
    "ds_swizzle_b32",
    "v_fmaak_f16",
    "v_fmamk_f16",
];

#[derive(Default)]
struct Comparison {
    same: usize,
    /// LLVM says that an operand is not valid.
    refused: usize,
    known: usize,
    others: Vec<Other>,
}

/// A word that is not alike.
struct Other {
    /// LLVM's text.
    theirs: String,
    /// Whether we print a text that is not of an image: of images, LLVM prints wrong registers.
    is_ours: bool,
    what: String,
}

/// What is held apart, since LLVM is wrong more often about some: scalar instructions and memory; vector instructions; images, exports and
/// interpolation.
fn group(word: u128) -> usize {
    match (word >> 26 & 0x3f, word >> 31 & 1) {
        (0x3c | 0x3e | 0x3a, _) => 2,
        (_, 0) | (0x32 | 0x33 | 0x35, _) => 1,
        _ => 0,
    }
}

/// At least how many words are alike for each that differs for a known reason, and for each that LLVM refuses.
const BOUNDS: [[usize; 2]; 3] = [[500, 50], [40, 8], [14, 3]];

impl Comparison {
    fn word(&mut self, engine: &Engine<'_>, word: u128, theirs: Option<&Disassembled>) {
        let inst = engine.decode(word).ok();
        let ours: Option<Disassembled> = inst.map(|inst| {
            let length = engine.isa().opcode(inst.opcode).width as usize / 8;
            Disassembled { text: engine.text(inst), length }
        });
        let theirs = theirs.map(as_written);
        let text = theirs.as_ref().map_or("", |theirs| theirs.text.as_str());
        let mnemonic = text.split(' ').next().unwrap_or_default();
        if ours == theirs {
            self.same += 1;
        } else if text.contains("/*") {
            self.refused += 1;
        } else if KNOWN.contains(&mnemonic)
            || has_next(word, text)
            || ours.as_ref().is_some_and(|ours| alike(&ours.text) == alike(text))
            || ours.is_none() && (is_beyond(text) || has_long_list(text))
            || ours.as_ref().is_some_and(|ours| is_literal_of_16(&ours.text))
            || theirs.is_none()
                && ours.as_ref().is_some_and(|ours| is_unassembled(engine, &ours.text))
            || inst.is_some_and(|inst| is_constant(engine, inst, text))
        {
            self.known += 1;
        } else {
            let what = format!("{word:#x}: {ours:?}, and LLVM: {theirs:?}");
            let is_image = text.starts_with("image_");
            let is_ours = ours.is_some_and(|ours| !ours.text.starts_with("image_")) && !is_image;
            self.others.push(Other { theirs: text.to_string(), is_ours, what });
        }
    }

    /// LLVM does not accept some of its own texts: it prints wrong registers of images, or operands that the instruction cannot have.
    fn settle(&mut self, llvm: &Llvm, target: &[&str]) {
        let texts: Vec<String> = self.others.iter().map(|other| other.theirs.clone()).collect();
        let made = llvm.assemble_as(target, &texts);
        let before = self.others.len();
        let mut made = made.into_iter();
        self.others.retain(|other| {
            let is_accepted = made.next().is_some_and(|made| made.is_ok());
            other.is_ours || other.theirs.is_empty() || is_accepted
        });
        self.refused += before - self.others.len();
    }
}

#[test]
fn words_are_decoded_as_llvm_decodes_them() {
    let Some(llvm) = Llvm::find() else { return println!("skipped: no llvm-mc 19") };
    let near = count("ISADL_WORDS", 20);
    let mut seen: [Comparison; 3] = Default::default();
    for (isa, target) in family("spec/rdna3").isas().iter().zip(TARGETS) {
        let loaded = Loaded::new(isa.clone());
        let engine = loaded.engine();
        for some in words(&engine, near * 1000, near).chunks(20_000) {
            let theirs = llvm.disassemble_long(&target, some, 3);
            for (word, theirs) in some.iter().zip(theirs) {
                seen[group(*word)].word(&engine, *word, theirs.as_ref());
            }
            seen.iter_mut().for_each(|seen| seen.settle(&llvm, &target));
        }
    }
    for seen in &seen {
        let Comparison { same, known, refused, .. } = seen;
        println!("{same} alike, {known} apart for known reasons, {refused} refused");
    }
    let others = seen.iter().flat_map(|seen| &seen.others).map(|other| &other.what);
    let others: Vec<&String> = others.collect();
    assert!(others.is_empty(), "{} differ: {:#?}", others.len(), &others[..others.len().min(40)]);
    for (seen, [known, refused]) in seen.iter().zip(BOUNDS) {
        assert!(seen.known * known < seen.same, "{} of {} differ", seen.known, seen.same);
        assert!(seen.refused * refused < seen.same, "{} of {}", seen.refused, seen.same);
    }
}

/// A few words of each opcode, with LLVM's text.
fn recorded(engine: &Engine<'_>) -> String {
    let words = words(engine, 0, 1);
    let recorded = root().join("tests/fixtures/rdna/rdna3.txt");
    if let Some(llvm) = Llvm::find() {
        let theirs = llvm.disassemble_long(&TARGETS[0], &words, 3);
        let lines = words.iter().zip(theirs).filter_map(|(word, theirs)| {
            let theirs = theirs.map(|theirs| as_written(&theirs))?;
            let inst = engine.decode(*word).ok()?;
            let is_alike = engine.text(inst) == theirs.text;
            is_alike.then_some(())?;
            Some(format!("{word:024x} {} {}\n", theirs.length, theirs.text))
        });
        let made = "# BLESS=1 cargo test --workspace --test all rdna3::\n".to_string();
        golden(&recorded, &(made + &lines.collect::<String>()));
    }
    std::fs::read_to_string(recorded).expect("it is recorded")
}

#[test]
fn recorded_words_have_the_texts_of_llvm() {
    let loaded = Loaded::new(family("spec/rdna3").into_first());
    let engine = loaded.engine();
    let recorded = recorded(&engine);
    for line in recorded.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.splitn(3, ' ');
        let mut part = || parts.next().expect("a part");
        let (word, length, text) = (part(), part(), part());
        let word = u128::from_str_radix(word, 16).expect("a word");
        let inst = engine.decode(word).expect(line);
        assert_eq!(bytes(&engine, inst).len(), length.parse::<usize>().expect("bytes"), "{line}");
        assert_eq!(engine.text(inst), text, "{line}");
    }
}

/// LLVM makes the bytes of our texts that we make of them, or refuses the text as we do.
#[test]
fn texts_are_assembled_to_the_same_bytes() {
    let Some(llvm) = Llvm::find() else { return println!("skipped: no llvm-mc 19") };
    let family = family("spec/rdna3");
    let mut others: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (isa, target) in family.isas().iter().zip(TARGETS) {
        let loaded = Loaded::new(isa.clone());
        texts_of(&loaded.engine(), &llvm, &target, &mut others);
    }
    assert_eq!(others, BTreeMap::new());
}

/// Whether LLVM does not read a text as it prints it: it accepts bits of state that the processor lacks if they have marks, refuses marks
/// of literals among 64 bits and of bfloat16, and constants of more than 16 bits in `v_fma_mix`, and makes constants of the bits of
/// negative numbers.
fn is_read_otherwise(text: &str) -> bool {
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let has_marked_literal = has(&["|0x", "neg(0x"]) && has(&["f64", "bf16"]);
    let is_mix = has(&["v_fma_mix", "v_dot2_bf16_bf16"]) && text.contains("0x");
    has(&["|src_", "-src_"]) || has_negative_short(text) || has_marked_literal || is_mix
}

/// Assembles texts of all opcodes of a generation.
fn texts_of(
    engine: &Engine<'_>,
    llvm: &Llvm,
    target: &[&str],
    others: &mut BTreeMap<String, (usize, String)>,
) {
    let words = words(engine, 0, 10);
    let insts = words.iter().filter_map(|word| engine.decode(*word).ok());
    let texts: Vec<String> = insts.map(|inst| engine.text(inst)).collect();
    let made = llvm.assemble_as(target, &texts);
    for (text, made) in texts.iter().zip(made) {
        // Constants are assembled as constants.
        let ours = engine.assemble(text).map(|inst| bytes(engine, inst));
        let is_known = is_read_otherwise(text);
        if ours.as_ref().ok() != made.as_ref().ok() && !is_known {
            let mnemonic = text.split(' ').next().unwrap_or_default().to_string();
            others.entry(mnemonic).or_insert((0, format!("{text}: {ours:02x?} {made:02x?}"))).0 +=
                1;
        }
    }
}

/// What llvm-objdump prints for kernels that clang compiles: the bytes and the text of each instruction.
fn compiled_kernels() -> Option<String> {
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8(output.stdout).expect("a text"))
    };
    let object = std::env::temp_dir().join(format!("isadl-kernels-{}.o", std::process::id()));
    let object = object.to_str().expect("a path");
    let source = root().join("tests/fixtures/rdna/kernels.cl");
    let target = "-x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx1100 -nogpulib -O3 -c -o";
    let arguments: Vec<&str> = target.split(' ').chain([object, source.to_str()?]).collect();
    let printed = run("clang-19", &arguments)
        .and_then(|_| run("llvm-objdump-19", &["-d", "--mcpu=gfx1100", object]));
    drop(std::fs::remove_file(object));
    let instruction = |line: &str| {
        let (text, rest) = line.trim().split_once("//")?;
        let (_, bytes) = rest.split_once(": ")?;
        let bytes = bytes.split(" <").next()?.to_lowercase();
        Some(format!("{bytes}\t{}\n", text.split_whitespace().collect::<Vec<_>>().join(" ")))
    };
    let made =
        "# BLESS=1 cargo test --workspace --test all rdna3::, with clang-19 and llvm-objdump-19\n";
    printed.map(|printed| {
        made.to_string() + &printed.lines().filter_map(instruction).collect::<String>()
    })
}

#[test]
fn kernels_of_clang_are_read_and_made_as_llvm_does() {
    let recorded = root().join("tests/fixtures/rdna/kernels.txt");
    if let Some(printed) = compiled_kernels() {
        golden(&recorded, &printed);
    }
    let loaded = Loaded::new(family("spec/rdna3").into_first());
    let engine = loaded.engine();
    let recorded = std::fs::read_to_string(recorded).expect("they are recorded");
    let mut wrong = Vec::new();
    for line in recorded.lines().filter(|line| !line.starts_with('#')) {
        let (dwords, text) = line.split_once('\t').expect("bytes and a text");
        let dwords =
            dwords.split(' ').map(|dword| u32::from_str_radix(dword, 16).expect("a dword"));
        let code: Vec<u8> = dwords.flat_map(u32::to_le_bytes).collect();
        let (text, length) = (text.to_string(), code.len());
        let theirs = as_written(&Disassembled { text, length });
        let ours =
            engine.decode_bytes(&code).ok().map(|(inst, length)| (engine.text(inst), length));
        let made = engine.assemble(&theirs.text).map(|inst| bytes(&engine, inst));
        // A literal that a linker fills in is 0 here, which is assembled as a constant.
        let is_open =
            code.ends_with(&[0; 4]) && made.as_ref().is_ok_and(|made| made.len() < length);
        let is_made = is_open || made.as_ref() == Ok(&code);
        if ours != Some((theirs.text.clone(), length)) || !is_made {
            wrong.push(format!("{line}: {ours:?} {made:02x?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_version_does_not_differ_from_itself() {
    let Compiled { sources, sets, programs } = isadl_test_support::compiled("spec/rdna3");
    let side = Side { family: sets, programs, sources };
    assert_eq!(diff::text(&diff::versions(side, side)), "no differences\n");
}
