//! Assembly text by the generated SIMT crate: formatting, compared with the fastest writer that we know,
//! and assembling, compared with llvm-mc.
//!
//! `cargo bench -p isadl-bench --bench text`; the ratios are printed at the end. Instructions of
//! all opcodes in random order, and a block of 1,000 of them repeated. Opcodes with
//! floating-point immediates are not formatted: that writer does not support them.

use std::fmt::Write;
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::Instant;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use isadl::isa::{Number, OpcodeId, TypeKind};
use isadl_bench::text_limit::{ROOM, Writer};
use isadl_bench::text_segments::pieces;
use isadl_bench::{print_ratio, sized};
use isadl_test_support::{Random, Set, simt as simt_isa, words};
use simt::Inst;

/// Instructions in a run.
const COUNT: usize = 10_000;

/// Recorded nanoseconds per line of llvm-mc 19 on GCN, single-threaded; used if the tool is not
/// installed.
const RECORDED_LLVM_MC: f64 = 2970.0;

fn has_float(isa: &Set, id: OpcodeId) -> bool {
    isa.opcode(id).fields.iter().any(|field| match &isa.ty(field.ty).kind {
        TypeKind::Immediate(number) => matches!(number.number.number, Number::Float { .. }),
        _ => false,
    })
}

/// Words of random instructions.
fn instructions(isa: &Set) -> Vec<u128> {
    let mut random = Random::new(11);
    let ids: Vec<_> = isa.opcode_ids().filter(|id| !has_float(isa, *id)).collect();
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

/// The instructions of words, with the numbers of their opcodes in the specification.
fn decoded(isa: &Set, words: &[u128]) -> Vec<(usize, Inst)> {
    let number = |inst: Inst| {
        let name = inst.opcode().name();
        isa.opcodes().iter().position(|opcode| opcode.name == name).expect("it is specified")
    };
    let inst = |word: &u128| Inst::decode_word(*word).expect("a legal word");
    words.iter().map(inst).map(|inst| (number(inst), inst)).collect()
}

/// The writer that is measured as the limit.
fn limit(isa: &Set) -> Writer {
    let opcode = |id: OpcodeId| {
        let opcode = isa.opcode(id);
        let pieces = if has_float(isa, id) { Vec::new() } else { pieces(isa, opcode) };
        (opcode.mask, pieces)
    };
    Writer::new(isa.opcode_ids().map(opcode).collect()).expect("it has the shape of SIMT")
}

fn bench_format(criterion: &mut Criterion, isa: &Set) {
    let writer = limit(isa);
    let random = instructions(isa);
    check_texts(isa, &writer, &random);
    for (order, words) in [("random", random.clone()), ("block", block(&random))] {
        let insts = decoded(isa, &words);
        let mut group = criterion.benchmark_group(format!("format_{order}"));
        group.throughput(Throughput::Elements(words.len() as u64));
        run_limit(&mut group, &writer, &insts);
        run_append(&mut group, &insts);
        run_display(&mut group, &insts);
        group.finish();
    }
}

/// All writers must agree before they are timed.
fn check_texts(isa: &Set, writer: &Writer, words: &[u128]) {
    let mut bytes = 0;
    for (number, inst) in decoded(isa, words) {
        let mut text = [0; ROOM];
        // SAFETY: the writer knows the opcode, and no text is longer.
        let length = unsafe { writer.write(number, inst.word(), text.as_mut_ptr()) };
        assert_eq!(String::from_utf8_lossy(&text[..length]), inst.text().as_str());
        bytes += length;
    }
    println!("{} bytes of text an instruction", bytes / words.len());
}

fn run_limit(group: &mut BenchmarkGroup<'_, WallTime>, writer: &Writer, insts: &[(usize, Inst)]) {
    let mut out = vec![0; insts.len() * ROOM];
    group.bench_function("limit", |bencher| {
        bencher.iter(|| {
            let mut at = 0;
            for (number, inst) in black_box(insts) {
                // SAFETY: the opcodes are the writer's, and there is room for all texts.
                at += unsafe { writer.write(*number, inst.word(), out.as_mut_ptr().add(at)) };
                out[at] = b'\n';
                at += 1;
            }
            black_box(&out[..at]);
        });
    });
}

fn run_append(group: &mut BenchmarkGroup<'_, WallTime>, insts: &[(usize, Inst)]) {
    let mut out = vec![0; insts.len() * 160 + simt::TEXT_ROOM];
    group.bench_function("append_to", |bencher| {
        bencher.iter(|| {
            let mut at = 0;
            for (_, inst) in black_box(insts) {
                let Some(end) = inst.append_to(&mut out, at) else { continue };
                out[end] = b'\n';
                at = end + 1;
            }
            black_box(&out[..at]);
        });
    });
}

fn run_display(group: &mut BenchmarkGroup<'_, WallTime>, insts: &[(usize, Inst)]) {
    let mut out = String::with_capacity(insts.len() * 160);
    group.bench_function("display", |bencher| {
        bencher.iter(|| {
            out.clear();
            for (_, inst) in black_box(insts) {
                let _ = writeln!(out, "{inst}");
            }
            black_box(&out);
        });
    });
}

/// Lines of every opcode, about as long as those for llvm-mc: guard and control fields have
/// their defaults.
fn lines(isa: &Set) -> Vec<String> {
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

fn bench_assemble(criterion: &mut Criterion, isa: &Set) {
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
    let all = sized(200_000, 1000);
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
    let bytes: usize = (0..all).map(|line| one(line).len() - 1).sum();
    println!("{} bytes a line for {tool}", bytes / all);
    // The fastest of three runs, since other processes may disturb a run.
    let fastest = |lines| (0..3).filter_map(|_| run(lines)).min_by(f64::total_cmp);
    let time = fastest(all)? - fastest(0)?;
    Some((tool.to_string(), time / all as f64))
}

fn main() {
    let isa = simt_isa();
    let mut criterion = Criterion::default().configure_from_args();
    bench_format(&mut criterion, isa);
    bench_assemble(&mut criterion, isa);
    criterion.final_summary();
    let median = |group: &str, function: &str| {
        let read = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).ok()?;
            value["median"]["point_estimate"].as_f64()
        };
        isadl_bench::median(read, group, function).map(|time| time / COUNT as f64)
    };
    println!("\nnanoseconds an instruction, and ratios:");
    for order in ["random", "block"] {
        let group = format!("format_{order}");
        let append = median(&group, "append_to");
        let what = |of: &str| format!("{group}, {of}");
        print_ratio(&what("append_to / limit"), append, median(&group, "limit"), "1.5");
        print_ratio(&what("display / append_to"), median(&group, "display"), append, "1.2");
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
