//! Decoding and encoding by the generated SIMT crate against hand-written loops; data flow against
//! decoding.
//!
//! `cargo bench -p isadl-bench --bench codec`; the ratios are printed at the end. Two orders of
//! the same words: random, where every branch mispredicts, and a block of 1,000 repeated,
//! like the loops of real programs.

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use isadl::isa::Binding;
use isadl_bench::print_ratio;
use isadl_test_support::{Random, Set, simt as simt_isa};
use simt::{EncodeError, IExt, Inst, Memory, PModi, Pred, Reg, Resource, SignModi, Use};
use std::hint::black_box;

/// The number of words in a run; their instructions fit into the second-level cache.
const WORDS: usize = 10_000;

/// Legal words of all opcodes in random order.
fn random_words(isa: &Set) -> Vec<u128> {
    let mut random = Random::new(7);
    let mut words = Vec::with_capacity(WORDS);
    while words.len() < WORDS {
        let opcode = &isa.opcodes()[random.below(isa.opcodes().len() as u64) as usize];
        let word = random.next_u128() & opcode.significant & !opcode.mask | opcode.value;
        if let Ok(inst) = isa.decode(word) {
            words.push(inst.word);
        }
    }
    words
}

/// The first thousand words, repeated.
fn block(words: &[u128]) -> Vec<u128> {
    words.iter().copied().cycle().take(1000).cycle().take(words.len()).collect()
}

/// The hand-written decoder: opcode by two table look-ups, then the modifiers that have gaps,
/// one by one, from the opcode's list. It is written like hand-made disassemblers; only the
/// numbers in the tables come from the specification.
struct Tables {
    row_of_optype: [u8; 256],
    opcode_of: Vec<[u16; 16]>,
    checks: Vec<Vec<(u8, u8, u8)>>,
}

const NO_OPCODE: u16 = u16::MAX;

impl Tables {
    fn new(isa: &Set) -> Tables {
        let mut tables = Tables {
            row_of_optype: [0; 256],
            opcode_of: vec![[NO_OPCODE; 16]],
            checks: Vec::new(),
        };
        for (index, opcode) in isa.opcodes().iter().enumerate() {
            let (optype, stype) =
                ((opcode.value & 0xff) as usize, (opcode.value >> 8 & 0xf) as usize);
            if tables.row_of_optype[optype] == 0 {
                tables.row_of_optype[optype] = tables.opcode_of.len() as u8;
                tables.opcode_of.push([NO_OPCODE; 16]);
            }
            tables.opcode_of[usize::from(tables.row_of_optype[optype])][stype] = index as u16;
            let open =
                opcode.fields.iter().filter(|field| !matches!(field.binding, Binding::Fixed(_)));
            let checks = open.filter_map(|field| {
                let (first, _) = *isa.ty(field.ty).reserved_values().first()?;
                Some((field.lsb() as u8, field.width() as u8, first as u8))
            });
            tables.checks.push(checks.collect());
        }
        tables
    }

    #[inline]
    fn decode(&self, word: u128) -> Option<(u16, u128)> {
        let row = self.row_of_optype[(word & 0xff) as usize];
        let opcode = self.opcode_of[usize::from(row)][(word >> 8 & 0xf) as usize];
        let checks = self.checks.get(usize::from(opcode))?;
        for (lsb, width, first_illegal) in checks {
            if (word >> lsb) as u8 & ((1u16 << width) - 1) as u8 >= *first_illegal {
                return None;
            }
        }
        Some((opcode, word))
    }
}

fn bench_decode(criterion: &mut Criterion, isa: &Set) {
    let tables = Tables::new(isa);
    let random = random_words(isa);
    let orders = [("random", random.clone()), ("block", block(&random))];
    for (order, words) in &orders {
        let mut group = criterion.benchmark_group(format!("decode_{order}"));
        group.throughput(Throughput::Elements(words.len() as u64));
        run_decode(&mut group, "tables", words, |word| tables.decode(word));
        run_decode(&mut group, "generated", words, |word| Inst::decode_word(word).ok());
        group.finish();
    }
}

fn run_decode<T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    words: &[u128],
    decode: impl Fn(u128) -> Option<T>,
) {
    let mut decoded: Vec<T> = Vec::with_capacity(words.len());
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            decoded.clear();
            decoded.extend(black_box(words).iter().filter_map(|word| decode(*word)));
            assert_eq!(black_box(&decoded).len(), words.len());
        });
    });
}

/// The uniform instruction of the hand-written encoder: eleven typed fields, the same for every
/// opcode that it knows.
#[derive(Clone, Copy)]
struct Uniform {
    rd: Reg,
    ra: Reg,
    rb: Reg,
    pg: Pred,
    pg_not: PModi,
    ra_neg: SignModi,
    rb_neg: SignModi,
    ext: IExt,
    pu: Pred,
    pp: Pred,
    pp_not: PModi,
}

/// Fixed bits of IADD_RR, written by hand.
fn fixed_bits(isa: &Set) -> u128 {
    isa.find_opcode("IADD_RR").map_or(0, |id| isa.opcode(id).value)
}

#[inline]
fn encode_by_hand(fixed: u128, inst: &Uniform) -> u128 {
    fixed
        | u128::from(inst.pg.bits()) << 12
        | u128::from(inst.pg_not.bits()) << 15
        | u128::from(inst.rd.bits()) << 16
        | u128::from(inst.ra.bits()) << 24
        | u128::from(inst.rb.bits()) << 32
        | u128::from(inst.ra_neg.bits()) << 72
        | u128::from(inst.ext.bits()) << 76
        | u128::from(inst.rb_neg.bits()) << 97
        | u128::from(inst.pp.bits()) << 98
        | u128::from(inst.pp_not.bits()) << 101
        | u128::from(inst.pu.bits()) << 106
}

#[inline]
fn encode_generated(inst: &Uniform) -> Result<u128, EncodeError> {
    Inst::iadd_rr(inst.rd, inst.ra, inst.rb)
        .with_pg(inst.pg)?
        .with_pg_not(inst.pg_not)?
        .with_ra_neg(inst.ra_neg)?
        .with_rb_neg(inst.rb_neg)?
        .with_ext(inst.ext)?
        .with_pu(inst.pu)?
        .with_pp(inst.pp)?
        .with_pp_not(inst.pp_not)?
        .to_word()
}

fn uniform_instructions() -> Vec<Uniform> {
    let mut random = Random::new(9);
    let reg = |random: &mut Random| Reg::from_bits(random.below(256)).unwrap_or(Reg::RZ);
    let pred = |random: &mut Random| Pred::from_bits(random.below(8)).unwrap_or(Pred::PT);
    let pmodi = |random: &mut Random| PModi::from_bits(random.below(2)).unwrap_or(PModi::False);
    let sign =
        |random: &mut Random| SignModi::from_bits(random.below(2)).unwrap_or(SignModi::False);
    let make = |random: &mut Random| Uniform {
        rd: reg(random),
        ra: reg(random),
        rb: reg(random),
        pg: pred(random),
        pg_not: pmodi(random),
        ra_neg: sign(random),
        rb_neg: sign(random),
        ext: IExt::from_bits(random.below(2)).unwrap_or(IExt::NoX),
        pu: pred(random),
        pp: pred(random),
        pp_not: pmodi(random),
    };
    (0..WORDS).map(|_| make(&mut random)).collect()
}

fn bench_encode(criterion: &mut Criterion, isa: &Set) {
    let fixed = fixed_bits(isa);
    let instructions = uniform_instructions();
    let same = |inst: &Uniform| encode_generated(inst) == Ok(encode_by_hand(fixed, inst));
    assert!(instructions.iter().all(same), "both encoders must agree before they are timed");
    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Elements(instructions.len() as u64));
    let mut words: Vec<u128> = Vec::with_capacity(instructions.len());
    group.bench_function("uniform", |bencher| {
        bencher.iter(|| {
            words.clear();
            words.extend(black_box(&instructions).iter().map(|inst| encode_by_hand(fixed, inst)));
            black_box(&words);
        });
    });
    group.bench_function("generated", |bencher| {
        bencher.iter(|| {
            words.clear();
            words.extend(
                black_box(&instructions).iter().filter_map(|inst| encode_generated(inst).ok()),
            );
            black_box(&words);
        });
    });
    group.finish();
}

/// The same words with default values in fields that have them: unguarded instructions that do not
/// wait, like most instructions in programs.
fn plain_words(isa: &Set, words: &[u128]) -> Vec<u128> {
    let plain = |word: u128| {
        let inst = isa.decode(word).ok()?;
        let fields = isa.opcode(inst.opcode).fields.iter();
        let word = fields.fold(word, |word, field| match field.binding {
            Binding::Default(raw) => field.insert(word, raw),
            Binding::Required | Binding::Fixed(_) => word,
        });
        isa.decode(word).ok().map(|inst| inst.word)
    };
    let plain: Vec<u128> = words.iter().filter_map(|word| plain(*word)).collect();
    plain.iter().copied().cycle().take(words.len()).collect()
}

/// A number that depends on all that an instruction reads and writes, by `fold`.
fn flow_sum(inst: Inst) -> u64 {
    inst.uses().fold(0, add_use)
}

/// The same by a `for` loop.
fn flow_sum_in_loop(inst: Inst) -> u64 {
    let mut sum = 0;
    for found in inst.uses() {
        sum = add_use(sum, found);
    }
    sum
}

#[inline(always)]
fn add_use(sum: u64, found: Use) -> u64 {
    let resource = match found.resource {
        Resource::Registers { file, first, count } => {
            u64::from(first) << 8 | u64::from(count) << 4 | file as u64
        }
        Resource::Unknown { file } => file as u64,
        Resource::Memory(Memory::CMem(place)) => place.bits(),
        _ => 0,
    };
    sum.rotate_left(5) ^ resource ^ (found.effect as u64) << 60
}

/// Sums up the uses of many instructions.
fn run_flow(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    insts: &[Inst],
    sum: impl Fn(Inst) -> u64,
) {
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let sums = black_box(insts).iter().map(|inst| sum(*inst));
            black_box(sums.fold(0, u64::wrapping_add))
        });
    });
}

fn bench_flow(criterion: &mut Criterion, isa: &Set) {
    let random = random_words(isa);
    let plain = plain_words(isa, &random);
    let orders = [
        ("random", random.clone()),
        ("block", block(&random)),
        ("plain_random", plain.clone()),
        ("plain_block", block(&plain)),
    ];
    for (order, words) in &orders {
        let mut group = criterion.benchmark_group(format!("flow_{order}"));
        group.throughput(Throughput::Elements(words.len() as u64));
        run_decode(&mut group, "decode", words, |word| Inst::decode_word(word).ok());
        let insts: Vec<Inst> =
            words.iter().filter_map(|word| Inst::decode_word(*word).ok()).collect();
        let same = |inst: &Inst| flow_sum(*inst) == flow_sum_in_loop(*inst);
        assert!(insts.iter().all(same), "both ways must agree before they are timed");
        run_flow(&mut group, "uses", &insts, flow_sum);
        run_flow(&mut group, "loop", &insts, flow_sum_in_loop);
        group.finish();
    }
}

fn main() {
    let isa = simt_isa();
    let mut criterion = Criterion::default().configure_from_args();
    bench_decode(&mut criterion, isa);
    bench_encode(&mut criterion, isa);
    bench_flow(&mut criterion, isa);
    criterion.final_summary();
    let median = |group: &str, function: &str| {
        let read = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).ok()?;
            value["median"]["point_estimate"].as_f64()
        };
        isadl_bench::median(read, group, function).map(|time| time / WORDS as f64)
    };
    println!("\nnanoseconds an instruction, ratio generated / hand-written:");
    for order in ["random", "block"] {
        let group = format!("decode_{order}");
        print_ratio(&group, median(&group, "generated"), median(&group, "tables"), "1.3");
    }
    print_ratio("encode", median("encode", "generated"), median("encode", "uniform"), "2");
    println!("nanoseconds an instruction, ratio what it reads and writes / its decode:");
    for order in ["random", "block", "plain_random", "plain_block"] {
        let group = format!("flow_{order}");
        for way in ["uses", "loop"] {
            let what = format!("{group}, {way}");
            print_ratio(&what, median(&group, way), median(&group, "decode"), "3");
        }
    }
}
