//! Assembly text by the generated SIMT crate: decoding and formatting, compared with a hand-written
//! byte writer, and assembling, compared with llvm-mc.
//!
//! `cargo bench -p isadl-bench --bench text`; the ratios are printed at the end. Instructions of
//! all opcodes in random order, and a block of 1,000 of them repeated. Opcodes with
//! floating-point immediates are not formatted: the hand-written writer does not support them.

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::Instant;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use isadl::isa::{Isa, Meaning, Number, OperandSyntax, Place, Print, Symbol, TypeKind};
use isadl_bench::print_ratio;
use isadl_tests::{Random, simt as simt_isa, words};
use simt::Inst;

/// Instructions in a run.
const COUNT: usize = 10_000;

/// Recorded nanoseconds per line of llvm-mc 19 on GCN, single-threaded; used if the tool is not
/// installed.
const RECORDED_LLVM_MC: f64 = 2970.0;

/// Words of random instructions.
fn instructions(isa: &Isa) -> Vec<u128> {
    let mut random = Random::new(11);
    let has_float = |id: &isadl::isa::OpcodeId| {
        isa.opcode(*id).fields.iter().any(|field| match &isa.ty(field.ty).kind {
            TypeKind::Immediate(number) => matches!(number.number.number, Number::Float { .. }),
            _ => false,
        })
    };
    let ids: Vec<_> = isa.opcode_ids().filter(|id| !has_float(id)).collect();
    let mut list = Vec::with_capacity(COUNT);
    while list.len() < COUNT {
        let id = ids[random.below(ids.len() as u64) as usize];
        list.extend(words::instruction(isa, id, &mut random).map(|inst| inst.word));
    }
    list
}

fn block(words: &[u128]) -> Vec<u128> {
    words.iter().copied().cycle().take(1000).cycle().take(words.len()).collect()
}

/// The hand-written writer: for each opcode a list of pieces to write, each by pushing bytes. It is
/// written like hand-made disassemblers; only the tables come from the specification.
struct ByteWriter {
    opcode_of: Vec<Vec<u16>>,
    opcodes: Vec<HandOpcode>,
}

struct HandOpcode {
    mnemonic: String,
    modifiers: Vec<HandModifier>,
    operands: Vec<HandOperand>,
}

/// A modifier: bits, the texts of its values, and when it is omitted.
struct HandModifier {
    lsb: u32,
    mask: u64,
    names: Vec<String>,
    omission: Option<(u128, u128)>,
}

struct HandOperand {
    omission: Option<(u128, u128)>,
    negate: Option<(u32, Option<u32>)>,
    complement: Option<u32>,
    invert: Option<u32>,
    absolute: Option<u32>,
    suffix: Option<HandModifier>,
    core: HandCore,
}

enum HandCore {
    /// Prefix, name of the last value, number of registers and the bit that doubles it.
    Register {
        lsb: u32,
        mask: u64,
        prefix: &'static str,
        last: &'static str,
        pair: (u32, Option<u32>),
    },
    Unsigned {
        lsb: u32,
        mask: u64,
        hex: Print,
    },
    Signed {
        lsb: u32,
        width: u32,
    },
    Constant {
        lsb: u32,
    },
    Indirect {
        base: u32,
        offset: u32,
    },
    File,
}

fn omission(omission: Option<isadl::isa::Omission>) -> Option<(u128, u128)> {
    omission.map(|omission| (omission.mask, omission.value))
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_string().into_boxed_str())
}

impl ByteWriter {
    fn new(isa: &Isa) -> ByteWriter {
        let mut opcode_of = vec![vec![u16::MAX; 16]; 256];
        let mut opcodes = Vec::new();
        for (index, opcode) in isa.opcodes().iter().enumerate() {
            opcode_of[(opcode.value & 0xff) as usize][(opcode.value >> 8 & 0xf) as usize] =
                index as u16;
            let field = |name| opcode.field(name).expect("the opcode has it");
            let modifier = |modifier: &isadl::isa::ModifierSyntax| {
                let field = field(modifier.field);
                let TypeKind::BitField(values) = &isa.ty(field.ty).kind else {
                    panic!("a modifier is an enumeration")
                };
                let mut names = vec![String::new(); 1 << field.width];
                for value in values.iter().filter(|value| !value.spelling.is_empty()) {
                    names[value.value as usize] = format!(".{}", value.spelling);
                }
                let mask = (1u64 << field.width) - 1;
                HandModifier { lsb: field.lsb, mask, names, omission: omission(modifier.omission) }
            };
            let syntax = &opcode.syntax;
            let operand = |operand: &OperandSyntax| {
                let mark = |symbol| {
                    let mark = operand.marks.iter().find(|mark| mark.symbol == symbol)?;
                    let extension = mark.extension.map(|name| field(name).lsb);
                    Some((field(mark.field).lsb, extension))
                };
                HandOperand {
                    omission: omission(operand.omission),
                    negate: mark(Symbol::Negate),
                    complement: mark(Symbol::Complement).map(|(lsb, _)| lsb),
                    invert: mark(Symbol::Not).map(|(lsb, _)| lsb),
                    absolute: mark(Symbol::Absolute).map(|(lsb, _)| lsb),
                    suffix: operand.suffixes.first().map(modifier),
                    core: core(isa, opcode, operand),
                }
            };
            opcodes.push(HandOpcode {
                mnemonic: syntax.mnemonic.clone(),
                modifiers: syntax.modifiers.iter().map(modifier).collect(),
                operands: syntax.operands.iter().map(operand).collect(),
            });
        }
        ByteWriter { opcode_of, opcodes }
    }

    #[inline(never)]
    fn write(&self, word: u128, out: &mut Vec<u8>) -> Option<()> {
        let row = &self.opcode_of[(word & 0xff) as usize];
        let opcode = self.opcodes.get(usize::from(row[(word >> 8 & 0xf) as usize]))?;
        if word >> 12 & 0xf != 7 {
            out.push(b'@');
            if word >> 15 & 1 != 0 {
                out.push(b'!');
            }
            predicate(word >> 12 & 7, out);
            out.push(b' ');
        }
        out.extend_from_slice(opcode.mnemonic.as_bytes());
        for modifier in &opcode.modifiers {
            write_modifier(modifier, word, out);
        }
        let mut is_first = true;
        for operand in &opcode.operands {
            if operand.omission.is_some_and(|(mask, value)| word & mask == value) {
                continue;
            }
            out.extend_from_slice(if is_first { b" " } else { b", " });
            is_first = false;
            write_operand(operand, word, out);
        }
        write_controls(word, out);
        Some(())
    }
}

fn core(isa: &Isa, opcode: &isadl::isa::Opcode, operand: &OperandSyntax) -> HandCore {
    let name = match operand.place(opcode) {
        Place::File(_) => return HandCore::File,
        Place::Indirect { base, offset, .. } => {
            let lsb = |name| opcode.field(name).map_or(0, |field| field.lsb);
            return HandCore::Indirect { base: lsb(base), offset: offset.map_or(0, lsb) };
        }
        Place::Field(name) => name,
    };
    let field = opcode.field(name).expect("the opcode has it");
    let (lsb, mask) = (field.lsb, (1u64 << field.width) - 1);
    match &isa.ty(field.ty).kind {
        TypeKind::Operand(entries) => {
            let Meaning::Registers { prefix, .. } = &entries[0].meaning else {
                panic!("registers come first")
            };
            let last = entries.last().map(|entry| entry.name_at(0)).unwrap_or_default();
            let width = opcode.operands[operand.operand].width;
            let pair = width.map_or((1, None), |width| {
                let fields = isa.expr(width).fields();
                let narrow = isa.expr(width).eval(&|_, _| 0);
                let bit = fields.first().and_then(|name| opcode.field(*name)).map(|f| f.lsb);
                (narrow as u32 / 32, bit)
            });
            HandCore::Register { lsb, mask, prefix: leak(prefix), last: leak(&last), pair }
        }
        TypeKind::Immediate(number) if number.number.number == Number::Signed => {
            HandCore::Signed { lsb, width: field.width }
        }
        TypeKind::Immediate(number) => HandCore::Unsigned { lsb, mask, hex: number.print },
        TypeKind::Composite(_) => HandCore::Constant { lsb },
        TypeKind::BitField(_) => panic!("an operand is no enumeration"),
    }
}

fn decimal(mut value: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut first = 20;
    loop {
        first -= 1;
        digits[first] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}

fn hexadecimal(value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"0x");
    let digits = (64 - (value | 1).leading_zeros()).div_ceil(4);
    for place in (0..digits).rev() {
        out.push(b"0123456789ABCDEF"[(value >> (place * 4) & 0xf) as usize]);
    }
}

fn signed(raw: u64, width: u32, out: &mut Vec<u8>) {
    let value = ((raw << (64 - width)) as i64) >> (64 - width);
    if value < 0 {
        out.push(b'-');
    }
    hexadecimal(value.unsigned_abs(), out);
}

fn predicate(raw: u128, out: &mut Vec<u8>) {
    out.push(b'P');
    out.push(if raw == 7 { b'T' } else { b'0' + raw as u8 });
}

fn write_modifier(modifier: &HandModifier, word: u128, out: &mut Vec<u8>) {
    if modifier.omission.is_some_and(|(mask, value)| word & mask == value) {
        return;
    }
    let raw = (word >> modifier.lsb) as u64 & modifier.mask;
    out.extend_from_slice(modifier.names[raw as usize].as_bytes());
}

fn write_operand(operand: &HandOperand, word: u128, out: &mut Vec<u8>) {
    let bit = |lsb: u32| word >> lsb & 1 != 0;
    if operand.invert.is_some_and(bit) {
        out.push(b'!');
    }
    if let Some((lsb, extension)) = operand.negate.filter(|(lsb, _)| bit(*lsb)) {
        let _ = lsb;
        out.push(if extension.is_some_and(bit) { b'~' } else { b'-' });
    }
    if operand.complement.is_some_and(bit) {
        out.push(b'~');
    }
    let has_bars = operand.absolute.is_some_and(bit);
    if has_bars {
        out.push(b'|');
    }
    write_core(&operand.core, word, out);
    if let Some(suffix) = &operand.suffix {
        write_modifier(suffix, word, out);
    }
    if has_bars {
        out.push(b'|');
    }
}

fn write_core(core: &HandCore, word: u128, out: &mut Vec<u8>) {
    match core {
        HandCore::Register { lsb, mask, prefix, last, pair: (count, double) } => {
            let raw = (word >> lsb) as u64 & mask;
            if raw == *mask {
                return out.extend_from_slice(last.as_bytes());
            }
            let is_double = double.is_some_and(|lsb| word >> lsb & 1 != 0);
            let count = if is_double { 2 * u64::from(*count) } else { u64::from(*count) };
            out.extend_from_slice(prefix.as_bytes());
            if count < 2 {
                return decimal(raw, out);
            }
            out.push(b'[');
            decimal(raw, out);
            out.push(b':');
            decimal(raw + count - 1, out);
            out.push(b']');
        }
        HandCore::Unsigned { lsb, mask, hex: Print::Decimal } => {
            decimal((word >> lsb) as u64 & mask, out);
        }
        HandCore::Unsigned { lsb, mask, .. } => hexadecimal((word >> lsb) as u64 & mask, out),
        HandCore::Signed { lsb, width } => {
            signed((word >> lsb) as u64 & ((1 << width) - 1), *width, out);
        }
        HandCore::Constant { lsb } => {
            let raw = (word >> lsb) as u64;
            out.extend_from_slice(b"c[");
            hexadecimal(raw >> 17 & 0x1f, out);
            out.extend_from_slice(b"][");
            hexadecimal(raw & 0x1_ffff, out);
            out.push(b']');
        }
        HandCore::Indirect { base, offset } => {
            out.extend_from_slice(b"R[UR");
            let raw = (word >> base) as u64 & 0x3f;
            if raw == 0x3f {
                out.push(b'Z');
            } else {
                decimal(raw, out);
            }
            let offset = (word >> offset) as u64 & 0x1ff;
            if offset != 0 {
                if offset < 0x100 {
                    out.push(b'+');
                }
                signed(offset, 9, out);
            }
            out.push(b']');
        }
        HandCore::File => out.extend_from_slice(b"PR"),
    }
}

fn write_controls(word: u128, out: &mut Vec<u8>) {
    let sched = (word >> 112) as u64 & 0x1f;
    if sched != 0 {
        out.extend_from_slice(b" $sched=");
        decimal(sched & 0xf, out);
        out.push(b':');
        decimal(sched >> 4, out);
    }
    let wait = (word >> 117) as u64 & 0x3f;
    if wait != 0 {
        out.extend_from_slice(b" $req=");
        hexadecimal(wait, out);
    }
    let set = (word >> 123) as u64 & 0x7;
    if set != 0 {
        out.extend_from_slice(b" $wsb=SB");
        decimal(set - 1, out);
    }
}

fn bench_format(criterion: &mut Criterion, isa: &Isa) {
    let writer = ByteWriter::new(isa);
    let random = instructions(isa);
    check_texts(isa, &writer, &random);
    let orders = [("random", random.clone()), ("block", block(&random))];
    for (order, words) in &orders {
        let mut group = criterion.benchmark_group(format!("format_{order}"));
        group.throughput(Throughput::Elements(words.len() as u64));
        run_by_hand(&mut group, &writer, words);
        run_generated(&mut group, words);
        group.finish();
    }
}

/// All three writers must agree before two of them are timed.
fn check_texts(isa: &Isa, writer: &ByteWriter, words: &[u128]) {
    let mut bytes = 0;
    for word in words {
        let mut by_hand = Vec::new();
        writer.write(*word, &mut by_hand).expect("a legal word");
        let inst = Inst::decode_word(*word).expect("a legal word");
        let text = inst.text();
        assert_eq!(String::from_utf8_lossy(&by_hand), text.as_str());
        let inst = isa.decode(*word).expect("a legal word");
        assert_eq!(isa.text(inst), text.as_str());
        bytes += by_hand.len();
    }
    println!("{} bytes of text an instruction", bytes / words.len());
}

fn run_by_hand(group: &mut BenchmarkGroup<'_, WallTime>, writer: &ByteWriter, words: &[u128]) {
    let mut out = Vec::with_capacity(words.len() * 160);
    group.bench_function("byte_writer", |bencher| {
        bencher.iter(|| {
            out.clear();
            for word in black_box(words) {
                writer.write(*word, &mut out);
                out.push(b'\n');
            }
            black_box(&out);
        });
    });
}

fn run_generated(group: &mut BenchmarkGroup<'_, WallTime>, words: &[u128]) {
    let mut out = vec![0; words.len() * 160 + simt::TEXT_ROOM];
    group.bench_function("generated", |bencher| {
        bencher.iter(|| {
            let mut at = 0;
            for word in black_box(words) {
                let Ok(inst) = Inst::decode_word(*word) else { continue };
                let Some(end) = inst.append_to(&mut out, at) else { continue };
                out[end] = b'\n';
                at = end + 1;
            }
            black_box(&out[..at]);
        });
    });
}

/// Lines of every opcode, about as long as those for llvm-mc: guard and control fields have
/// their defaults.
fn lines(isa: &Isa) -> Vec<String> {
    let mut random = Random::new(13);
    let mut lines = Vec::with_capacity(COUNT);
    while lines.len() < COUNT {
        let id = isa.opcode_ids().nth(random.below(isa.opcodes().len() as u64) as usize);
        let Some(inst) = id.and_then(|id| words::instruction(isa, id, &mut random)) else {
            continue;
        };
        let plain = inst.word & !(0xf << 12) & ((1 << 112) - 1) | 7 << 12;
        lines.extend(Inst::decode_word(plain).ok().map(|inst| inst.to_string()));
    }
    lines
}

fn bench_assemble(criterion: &mut Criterion, isa: &Isa) {
    let random = lines(isa);
    let bytes: usize = random.iter().map(String::len).sum();
    println!("{} bytes a line", bytes / random.len());
    let block: Vec<String> = random.iter().take(1000).cycle().take(random.len()).cloned().collect();
    for (order, lines) in [("random", random), ("block", block)] {
        let mut group = criterion.benchmark_group(format!("assemble_{order}"));
        group.throughput(Throughput::Elements(lines.len() as u64));
        let mut out: Vec<u128> = Vec::with_capacity(lines.len());
        group.bench_function("generated", |bencher| {
            bencher.iter(|| {
                out.clear();
                out.extend(
                    black_box(&lines)
                        .iter()
                        .filter_map(|line| Inst::parse(line).ok())
                        .map(Inst::word),
                );
                assert_eq!(out.len(), lines.len());
            });
        });
        group.finish();
    }
}

/// Nanoseconds per line of llvm-mc on GCN lines, half of them with marks, modifiers or pairs like
/// ours, in a separate process; the time of an empty run is subtracted.
fn llvm_mc() -> Option<(String, f64)> {
    let tool = ["llvm-mc-19", "llvm-mc"].into_iter().find(|tool| {
        let version = Command::new(tool).arg("--version").stdout(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    })?;
    const LINES: usize = 200_000;
    let one = |index: usize| {
        let register = |offset: usize| (index * 7 + offset) % 256;
        let (a, b, c) = (register(0), register(1), register(5));
        match index % 8 {
            0 => format!("v_add_f32_e32 v{a}, v{b}, v{c}\n"),
            1 => format!("v_mul_f32_e64 v{a}, -v{b}, |v{c}| clamp\n"),
            2 => format!("v_and_b32_e32 v{a}, 0x{index:x}, v{c}\n"),
            3 => format!("v_cndmask_b32_e64 v{a}, v{b}, v{c}, s[4:5]\n"),
            4 => format!("v_max_f32_e64 v{a}, |v{b}|, -v{c} mul:2\n"),
            5 => format!("v_mul_i32_i24_e32 v{a}, s5, v{c}\n"),
            6 => format!("v_add_co_u32_e64 v{a}, s[6:7], v{b}, v{c}\n"),
            _ => format!("v_lshlrev_b32_e32 v{a}, 5, v{c}\n"),
        }
    };
    let folder = std::env::temp_dir();
    let run = |lines: usize| {
        let path = folder.join(format!("isadl-bench-{}-{lines}.s", std::process::id()));
        std::fs::write(&path, (0..lines).map(one).collect::<String>()).ok()?;
        let start = Instant::now();
        let status = Command::new(tool)
            .args(["-arch=amdgcn", "-mcpu=gfx900", "-filetype=obj", "-o", "/dev/null"])
            .arg(&path)
            .stderr(Stdio::null())
            .status();
        let time = start.elapsed().as_nanos() as f64;
        let _ = std::fs::remove_file(&path);
        status.ok().filter(|status| status.success()).map(|_| time)
    };
    let bytes: usize = (0..LINES).map(|line| one(line).len() - 1).sum();
    println!("{} bytes a line for {tool}", bytes / LINES);
    // The fastest of three runs, since other processes may disturb a run.
    let fastest = |lines| (0..3).filter_map(|_| run(lines)).min_by(f64::total_cmp);
    let time = fastest(LINES)? - fastest(0)?;
    Some((tool.to_string(), time / LINES as f64))
}

fn main() {
    let isa = simt_isa();
    let mut criterion = Criterion::default().configure_from_args();
    bench_format(&mut criterion, &isa);
    bench_assemble(&mut criterion, &isa);
    criterion.final_summary();
    let median = |group: &str, function: &str| {
        let read = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).ok()?;
            value["median"]["point_estimate"].as_f64()
        };
        isadl_bench::median(read, group, function).map(|time| time / COUNT as f64)
    };
    println!("\nnanoseconds an instruction, ratio generated / hand-written:");
    for order in ["random", "block"] {
        let group = format!("format_{order}");
        let (ours, theirs) = (median(&group, "generated"), median(&group, "byte_writer"));
        print_ratio(&group, ours, theirs, "1, aim 0.5");
    }
    let (tool, time) = llvm_mc().unwrap_or_else(|| {
        println!("llvm-mc is not here; its recorded time is used");
        ("llvm-mc, recorded".to_string(), RECORDED_LLVM_MC)
    });
    println!("\nnanoseconds a line, ratio generated / {tool}:");
    for order in ["random", "block"] {
        let group = format!("assemble_{order}");
        print_ratio(&group, median(&group, "generated"), Some(time), "0.1, aim 0.033");
    }
}
