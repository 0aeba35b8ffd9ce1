//! Compares decoding with generated and hand-written decoders, and with the fastest decoders that we know.
//!
//! `cargo bench -p isadl-bench --bench peers`; the ratios are printed at the end. RV32I is described
//! twice, for isadl and for chipi, and every decoder must find the same opcode in two million words
//! before any is timed. Words come in two orders: random, and a block of 64 over and over.

use std::hint::black_box;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use isadl::image::OwnedImage;
use isadl::isa::{Binding, Isa};
use isadl_bench::limit::{self, SimtOpcode};
use isadl_bench::{before, print_ratio, sized};
use isadl_engine::image::Image;
use isadl_engine::target::Target as EngineTarget;
use isadl_peers::chipi::{Instruction, classify};
use isadl_peers::riscv_isa::{self, Target};
use isadl_peers::rv32i;
use isadl_test_support::{Random, compile, simt as simt_isa, synthetic};
use rv32i::{Inst, Opcode, OperandValue};

isadl_macros::isa!(
    mod by_macro = ["../../spec/riscv/isa.isa", "../../spec/riscv/rv_i.isa"],
    generations = ["RV32"]
);

/// Words in a run.
const WORDS: usize = 10_000;

/// Words in a block that repeats.
const BLOCK: usize = 64;

/// Words that all decoders are compared on, and in a trial.
const COMPARED: [usize; 2] = [2_000_000, 20_000];

/// Opcodes of the synthetic instruction sets: as many as SIMT has, and many. The second number is for a trial.
const SYNTHETIC: [[usize; 2]; 2] = [[167, 167], [10_000, 300]];

/// The decoders of RV32I: each gives the number of the opcode.
struct Decoders<'i> {
    image: Image<'i>,
    limit: limit::Rv32i,
    target: Target,
    names: Vec<&'i str>,
}

impl<'i> Decoders<'i> {
    fn new(isa: &'i Isa, owned: &'i OwnedImage) -> Decoders<'i> {
        let fixed: Vec<(u32, u32)> =
            isa.opcodes().iter().map(|opcode| (opcode.mask as u32, opcode.value as u32)).collect();
        Decoders {
            image: owned.view(),
            limit: limit::Rv32i::new(&fixed).expect("its opcodes can be told apart"),
            target: "RV32I".parse().expect("it is a target"),
            names: isa.opcodes().iter().map(|opcode| opcode.name.as_str()).collect(),
        }
    }

    #[inline(always)]
    fn run_time(&self, word: u32) -> Option<u16> {
        let (row, _) =
            isadl_engine::decode::decode(&self.image, EngineTarget::new(0, 0), word.into())?;
        Some(self.image.words.rows[row.get() as usize].opcode)
    }

    /// All decoders find the same opcode in random words and in words that are near instructions.
    fn compare(&self) {
        let mut random = Random::new(11);
        for number in 0..sized(COMPARED[0], COMPARED[1]) {
            let noise = random.next_u64();
            let info = Opcode::ALL[number % Opcode::ALL.len()].info();
            let flipped = info.mask & 1 << random.below(32);
            let word = match noise >> 62 {
                0 => noise as u32,
                1 => noise as u32 & !info.mask | info.value ^ flipped,
                _ => noise as u32 & !info.mask | info.value,
            };
            let ours = generated(word);
            assert_eq!(ours, expanded(word), "0x{word:08x}: isa!");
            assert_eq!(ours, classify(word), "0x{word:08x}: chipi");
            assert_eq!(ours, self.limit.decode(word), "0x{word:08x}: the limit");
            assert_eq!(ours, self.run_time(word), "0x{word:08x}: the image at run time");
            if let Some(inst) = Inst::decode_word(word).ok().filter(|_| is_known_to_all(word)) {
                let theirs = format!("{:?}", riscv_isa::decode_full(word, &self.target));
                let name = self.names[inst.opcode() as usize];
                assert!(theirs.starts_with(name), "0x{word:08x}: {theirs}, but {name}");
            }
        }
    }
}

/// Whether the decoder made by hand takes a word for the same instruction: it refuses shifts by 32 and more.
fn is_known_to_all(word: u32) -> bool {
    word & 0x307f != 0x1013 || word >> 25 & 1 == 0
}

#[inline(always)]
fn generated(word: u32) -> Option<u16> {
    Inst::decode_word(word).ok().map(|inst| inst.opcode() as u16)
}

#[inline(always)]
fn expanded(word: u32) -> Option<u16> {
    by_macro::Inst::decode_word(word).ok().map(|inst| inst.opcode() as u16)
}

/// Legal words of all opcodes in random order.
fn rv32i_words() -> Vec<u32> {
    let mut random = Random::new(7);
    let word = |_| {
        let info = Opcode::ALL[random.below(Opcode::ALL.len() as u64) as usize].info();
        let word = random.next_u64() as u32 & !info.mask | info.value;
        if is_known_to_all(word) { word } else { word & !(1 << 25) }
    };
    (0..WORDS).map(word).collect()
}

/// Words as they are, and the first few over and over.
fn orders<W: Copy>(words: &[W], block: usize) -> [(&'static str, Vec<W>); 2] {
    let repeated = words.iter().copied().take(block).cycle().take(words.len()).collect();
    [("random", words.to_vec()), ("block", repeated)]
}

/// Times a function over words; the sum keeps the results alive.
fn run<W: Copy>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    words: &[W],
    decode: impl Fn(W) -> Option<u64>,
) {
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            black_box(words).iter().fold(0, |sum: u64, word| match decode(*word) {
                Some(found) => sum.wrapping_add(found),
                None => sum ^ 1,
            })
        });
    });
}

/// The operands of an instruction by getters, added up: numbers of registers, and immediates.
#[inline(always)]
fn by_getters(inst: Inst) -> u64 {
    use Opcode as O;
    let reg = |reg: Option<rv32i::Reg>| reg.map_or(0, rv32i::Reg::bits);
    let imm = || inst.imm_simm12().map_or(0, |imm| imm.get() as u64);
    let offset = || inst.offset_simm12().map_or(0, |offset| offset.get() as u64);
    let sum = match inst.opcode() {
        O::LUI | O::AUIPC => reg(inst.rd()) + inst.imm_upper().map_or(0, |imm| imm.bits()),
        O::JAL => {
            let offset = inst.jump_offset().map_or(0, |offset| offset.get() as u64);
            reg(inst.rd()).wrapping_add(offset)
        }
        O::BEQ | O::BNE | O::BLT | O::BGE | O::BLTU | O::BGEU => {
            let offset = inst.branch_offset().map_or(0, |offset| offset.get() as u64);
            (reg(inst.rs1()) + reg(inst.rs2())).wrapping_add(offset)
        }
        O::LB | O::LH | O::LW | O::LBU | O::LHU => {
            (reg(inst.rd()) + reg(inst.base())).wrapping_add(offset())
        }
        // Stores have an offset of a type of its own, because other relocations fill it in.
        O::SB | O::SH | O::SW => {
            let offset = inst.store_offset().map_or(0, |offset| offset.get() as u64);
            (reg(inst.rs2()) + reg(inst.base())).wrapping_add(offset)
        }
        O::JALR => (reg(inst.rd()) + reg(inst.rs1())).wrapping_add(offset()),
        O::ADDI | O::SLTI | O::SLTIU | O::XORI | O::ORI | O::ANDI => {
            (reg(inst.rd()) + reg(inst.rs1())).wrapping_add(imm())
        }
        O::SLLI | O::SRLI | O::SRAI => {
            reg(inst.rd()) + reg(inst.rs1()) + inst.shamt().map_or(0, |shamt| shamt.bits())
        }
        O::FENCE => {
            let [pred, succ] =
                [inst.pred(), inst.succ()].map(|set| set.map_or(0, |set| set.bits()));
            pred + succ
        }
        O::ECALL | O::EBREAK => 0,
        _ => reg(inst.rd()) + reg(inst.rs1()) + reg(inst.rs2()),
    };
    sum.wrapping_add(inst.opcode() as u64)
}

/// Sign-extends a number of `width` bits in two's complement.
#[inline(always)]
fn extended(bits: u32, width: u32) -> u64 {
    i64::from((bits << (32 - width)) as i32 >> (32 - width)) as u64
}

/// The same by the getters that chipi generates, with the opcodes in the same order.
#[inline(always)]
fn by_chipi(word: u32) -> Option<u64> {
    let opcode = classify(word)?;
    let inst = Instruction(word);
    let (rd, rs1, rs2) = (u64::from(inst.rd()), u64::from(inst.rs1()), u64::from(inst.rs2()));
    let sum = match opcode {
        0..=9 => rd + rs1 + rs2,
        10..=15 | 22 | 29..=33 => (rd + rs1).wrapping_add(i64::from(inst.imm()) as u64),
        16..=18 => rd + rs1 + u64::from(inst.shamt()),
        19 | 20 => rd + u64::from(inst.imm31_12()),
        21 => {
            let lower = u32::from(inst.j11()) << 11 | u32::from(inst.j10_1()) << 1;
            let offset = u32::from(inst.j20()) << 20 | u32::from(inst.j19_12()) << 12 | lower;
            rd.wrapping_add(extended(offset, 21))
        }
        23..=28 => {
            let lower = u32::from(inst.b10_5()) << 5 | u32::from(inst.b4_1()) << 1;
            let offset = u32::from(inst.b12()) << 12 | u32::from(inst.b11()) << 11 | lower;
            (rs1 + rs2).wrapping_add(extended(offset, 13))
        }
        34..=36 => {
            let offset = u32::from(inst.s11_5()) << 5 | u32::from(inst.s4_0());
            (rs1 + rs2).wrapping_add(extended(offset, 12))
        }
        37 => u64::from(inst.pred()) + u64::from(inst.succ()),
        _ => 0,
    };
    Some(sum.wrapping_add(opcode.into()))
}

/// The same by the list of operands.
#[inline(always)]
fn by_operands(inst: Inst) -> u64 {
    use OperandValue as V;
    inst.operands().fold(inst.opcode() as u64, |sum, operand| {
        let value = match operand.value {
            V::Reg(reg) => reg.bits(),
            V::UImm6(imm) => imm.bits(),
            V::Upper(imm) => imm.bits(),
            V::SImm12(imm) => imm.get() as u64,
            V::BranchOffset(offset) => offset.get() as u64,
            V::JumpOffset(offset) => offset.get() as u64,
            V::FenceSet(set) => set.bits(),
            V::Address(place) => place.base().bits().wrapping_add(place.offset().get() as u64),
            V::AddressOffsetBase(place) => {
                place.base().bits().wrapping_add(place.offset().get() as u64)
            }
            V::Destination(place) => place.rs1().bits().wrapping_add(place.offset().get() as u64),
            _ => 0,
        };
        sum.wrapping_add(value)
    })
}

fn bench_rv32i(criterion: &mut Criterion) {
    let isa = isadl_bench::rv32i();
    let owned = OwnedImage::of(&isa);
    let decoders = Decoders::new(&isa, &owned);
    decoders.compare();
    let words = rv32i_words();
    for word in &words {
        let inst = Inst::decode_word(*word).expect("it is legal");
        assert_eq!(Some(by_getters(inst)), by_chipi(*word), "0x{word:08x}: operands by getters");
        assert_eq!(by_getters(inst), by_operands(inst), "0x{word:08x}: operands as a list");
    }
    for (order, words) in &orders(&words, BLOCK) {
        let mut group = criterion.benchmark_group(format!("rv32i_{order}"));
        group.throughput(Throughput::Elements(words.len() as u64));
        run(&mut group, "crate", words, |word| generated(word).map(u64::from));
        run(&mut group, "macro", words, |word| expanded(word).map(u64::from));
        run(&mut group, "chipi", words, |word| classify(word).map(u64::from));
        run(&mut group, "riscv_isa", words, |word| {
            // Where the operands are is not asked, but the value is made.
            let inst = black_box(riscv_isa::decode_full(word, &decoders.target));
            (inst != riscv_isa::Instruction::UNIMP).then_some(1)
        });
        run(&mut group, "limit", words, |word| decoders.limit.decode(word).map(u64::from));
        run(&mut group, "run_time", words, |word| decoders.run_time(word).map(u64::from));
        run(&mut group, "getters", words, |word| Inst::decode_word(word).ok().map(by_getters));
        run(&mut group, "chipi_getters", words, by_chipi);
        run(&mut group, "operands", words, |word| Inst::decode_word(word).ok().map(by_operands));
        group.finish();
    }
}

/// Random instructions of an opcode as text.
fn lines(opcode: Opcode) -> Vec<String> {
    let mut random = Random::new(7);
    let info = opcode.info();
    let line = |_| {
        let word = random.next_u64() as u32 & !info.mask | info.value;
        Inst::decode_word(word).expect("it is legal").to_string()
    };
    (0..WORDS).map(line).collect()
}

/// Assembling an operand made of fields against assembling the same fields as operands.
fn bench_lines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rv32i_lines");
    group.throughput(Throughput::Elements(WORDS as u64));
    for (name, opcode) in [("store", Opcode::SW), ("addi", Opcode::ADDI)] {
        let texts = lines(opcode);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let all_are_read = texts.iter().all(|text| Inst::parse(text).is_ok());
        assert!(all_are_read, "a text of {name} is not read");
        run(&mut group, name, &texts, |text| Inst::parse(text).ok().map(|inst| inst.word().into()));
    }
    group.finish();
}

/// The facts about SIMT opcodes that the limit needs.
fn simt_opcodes(isa: &Isa) -> Vec<SimtOpcode> {
    let gaps = |opcode: &isadl::isa::Opcode| {
        let open = opcode.fields.iter().filter(|field| !matches!(field.binding, Binding::Fixed(_)));
        let gap = |field: &isadl::isa::Field| {
            let (first, _) = *isa.ty(field.ty).reserved_values().first()?;
            Some((field.lsb(), field.width(), first))
        };
        open.filter_map(gap).collect()
    };
    let opcodes = isa.opcodes().iter();
    opcodes
        .map(|opcode| SimtOpcode { mask: opcode.mask, value: opcode.value, gaps: gaps(opcode) })
        .collect()
}

/// Legal words of all opcodes in random order.
fn legal_words(isa: &Isa, image: &Image<'_>) -> Vec<u128> {
    let mut random = Random::new(7);
    let mut words = Vec::with_capacity(WORDS);
    while words.len() < WORDS {
        let opcode = &isa.opcodes()[random.below(isa.opcodes().len() as u64) as usize];
        let word = random.next_u128() & opcode.significant & !opcode.mask | opcode.value;
        if isadl_engine::decode::decode(image, EngineTarget::new(0, 0), word).is_some() {
            words.push(word);
        }
    }
    words
}

#[inline(always)]
fn by_image(image: &Image<'_>, word: u128) -> Option<u64> {
    let (row, _) = isadl_engine::decode::decode(image, EngineTarget::new(0, 0), word)?;
    Some(image.words.rows[row.get() as usize].opcode.into())
}

fn bench_simt(criterion: &mut Criterion) {
    let isa = simt_isa();
    let owned = OwnedImage::of(isa);
    let image = owned.view();
    let limit = limit::Simt::new(&simt_opcodes(isa)).expect("it has the shape of SIMT");
    let generated =
        |word| simt::Inst::decode_word(word).ok().map(|inst: simt::Inst| inst.opcode() as u64);
    let before = |word| before::Inst::decode_word(word).ok().map(|inst| inst.opcode() as u64);
    let words = legal_words(isa, &image);
    for word in &words {
        let name = |number: u64| &isa.opcodes()[number as usize].name;
        let ours = generated(*word).map(|number| simt::Opcode::ALL[number as usize].name());
        assert_eq!(ours, limit.decode(*word).map(|number| name(number.into()).as_str()));
        assert_eq!(by_image(&image, *word), generated(*word), "0x{word:x}");
        assert_eq!(before(*word), generated(*word), "0x{word:x}: the decoder of before");
    }
    for (order, words) in &orders(&words, 1000) {
        let mut group = criterion.benchmark_group(format!("simt_{order}"));
        group.throughput(Throughput::Elements(words.len() as u64));
        run(&mut group, "crate", words, generated);
        run(&mut group, "before", words, before);
        run(&mut group, "limit", words, |word| limit.decode(word).map(u64::from));
        run(&mut group, "run_time", words, |word| by_image(&image, word));
        group.finish();
    }
}

/// Decoding by images of instruction sets that differ in how many opcodes they have.
fn bench_synthetic(criterion: &mut Criterion) {
    for opcodes in SYNTHETIC.map(|[measured, tried]| sized(measured, tried)) {
        let text = synthetic::specification(opcodes);
        let (_, compilation) = compile(&[("synthetic.isa", text)]);
        let isa = compilation.into_isa().expect("it has no errors");
        let owned = OwnedImage::of(&isa);
        let image = owned.view();
        let words = legal_words(&isa, &image);
        for (order, words) in &orders(&words, 1000) {
            let mut group = criterion.benchmark_group(format!("synthetic_{order}"));
            group.throughput(Throughput::Elements(words.len() as u64));
            run(&mut group, &opcodes.to_string(), words, |word| by_image(&image, word));
            group.finish();
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    bench_rv32i(&mut criterion);
    bench_lines(&mut criterion);
    bench_simt(&mut criterion);
    bench_synthetic(&mut criterion);
    criterion.final_summary();
    let median = |group: &str, function: &str| {
        let read = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).ok()?;
            value["median"]["point_estimate"].as_f64()
        };
        isadl_bench::median(read, group, function).map(|time| time / WORDS as f64)
    };
    println!("\nnanoseconds a word, and ratios:");
    let (store, addi) = (median("rv32i_lines", "store"), median("rv32i_lines", "addi"));
    print_ratio("rv32i_lines, store / addi", store, addi, "2.0");
    for order in ["random", "block"] {
        let compared = |group: &str, ours: &str, theirs: &str, bound: &str| {
            let group = format!("{group}_{order}");
            let what = format!("{group}, {ours} / {theirs}");
            print_ratio(&what, median(&group, ours), median(&group, theirs), bound);
        };
        let chipi = if order == "random" { "0.3" } else { "1.0" };
        compared("rv32i", "crate", "chipi", chipi);
        compared("rv32i", "macro", "chipi", chipi);
        compared("rv32i", "crate", "riscv_isa", "none, a decoder made by hand");
        compared("rv32i", "crate", "limit", "none, the limit we know");
        compared("rv32i", "getters", "chipi_getters", "1.0");
        compared("rv32i", "operands", "getters", "1.5");
        compared("rv32i", "run_time", "crate", "3.5");
        compared("simt", "crate", "before", "0.7");
        compared("simt", "crate", "limit", "none, the limit we know");
        compared("simt", "run_time", "crate", "3.5");
        compared("synthetic", "10000", "167", "2.5");
    }
}
