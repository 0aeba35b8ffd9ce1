//! Relocations of RISC-V, A64 and Power: compares with the values that `ld.lld` 19 writes into instructions assembled
//! by llvm-mc 19. Also tests random relocations of random types.
//!
//! `linked.txt` next to each specification, or in `tests/fixtures/relocations`, is recorded (its first lines say how);
//! where llvm and lld 19 are installed, further addresses are tried. `BLESS=1` records.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use isadl::engine::{Engine, Loaded, RelocateError, TextOptions};
use isadl_test_support::{Random, bless, compile, family, root};

/// An instruction set into which linkers write addresses.
struct Linked {
    spec: &'static str,
    generation: Option<&'static str>,
    recorded: &'static str,
    triple: &'static str,
    attributes: &'static str,
    /// Lines with their reach, a power of 2. `SYM` is the symbol. After a `;` is the line in the notation of the
    /// specification, if it differs.
    lines: &'static [(&'static str, u32)],
}

const RISCV: Linked = Linked {
    spec: "spec/riscv",
    generation: Some("RV64"),
    recorded: "tests/fixtures/relocations/riscv.txt",
    triple: "riscv64",
    attributes: "+c,+d",
    lines: &[
        ("lui a0, %hi(SYM)", 30),
        ("addi a1, a0, %lo(SYM)", 30),
        ("lw a2, %lo(SYM)(a0)", 30),
        ("fld fa0, %lo(SYM)(a0)", 30),
        ("sw a2, %lo(SYM)(a0)", 30),
        ("fsd fa0, %lo(SYM)(a0)", 30),
        ("auipc a0, %pcrel_hi(SYM)", 30),
        ("jal ra, SYM", 19),
        // LLVM makes a longer branch if the target of a branch is unknown.
        (".reloc ., R_RISCV_BRANCH, SYM\nbeq a0, a1, 0; beq a0, a1, SYM", 11),
        (".reloc ., R_RISCV_RVC_JUMP, SYM\nc.j 0; c.j SYM", 10),
        (".reloc ., R_RISCV_RVC_BRANCH, SYM\nc.beqz a0, 0; c.beqz a0, SYM", 7),
    ],
};

const A64: Linked = Linked {
    spec: "tests/fixtures/relocations/a64",
    generation: None,
    recorded: "tests/fixtures/relocations/a64.txt",
    triple: "aarch64",
    attributes: "",
    lines: &[
        ("b SYM", 26),
        ("bl SYM", 26),
        ("cbz x1, SYM", 19),
        ("tbz x1, #40, SYM", 14),
        ("ldr x1, SYM", 19),
        ("adr x1, SYM", 19),
        ("adrp x1, SYM", 31),
        ("add x1, x2, :lo12:SYM", 31),
        ("ldr x1, [x2, :lo12:SYM]", 31),
        ("ldrsw x1, [x2, :lo12:SYM]", 31),
        ("ldrsh x1, [x2, :lo12:SYM]", 31),
        ("ldrsb x1, [x2, :lo12:SYM]", 31),
        ("movz x1, #:abs_g0:SYM; movz_0 x1, #:abs_g0:SYM", 15),
        ("movk x1, #:abs_g0_nc:SYM; movk_0 x1, #:abs_g0_nc:SYM", 47),
        ("movz x1, #:abs_g1:SYM; movz_1 x1, #:abs_g1:SYM", 31),
        ("movk x1, #:abs_g1_nc:SYM; movk_1 x1, #:abs_g1_nc:SYM", 47),
        ("movz x1, #:abs_g2:SYM; movz_2 x1, #:abs_g2:SYM", 47),
        ("movk x1, #:abs_g2_nc:SYM; movk_2 x1, #:abs_g2_nc:SYM", 47),
        ("movz x1, #:abs_g3:SYM; movz_3 x1, #:abs_g3:SYM", 47),
        ("movk x1, #:abs_g3:SYM; movk_3 x1, #:abs_g3:SYM", 47),
    ],
};

const POWER: Linked = Linked {
    spec: "tests/fixtures/relocations/power",
    generation: None,
    recorded: "tests/fixtures/relocations/power.txt",
    triple: "powerpc",
    attributes: "",
    lines: &[
        ("addis r1, r2, SYM@ha", 31),
        ("addi r1, r1, SYM@l", 31),
        ("lwz r1, SYM@l(r2)", 31),
        ("oris r1, r2, SYM@h", 31),
        ("ori r1, r1, SYM@l", 31),
        ("b SYM", 24),
        ("bl SYM", 24),
        ("beq SYM", 14),
    ],
};

/// The symbol in lines; its number is appended in the assembled text.
const SYMBOL: &str = "SYM";

/// Where the instructions are linked to.
const START: u64 = 0x20_0000;

/// Multiples of this are what all relocations can write.
const ALIGN: u64 = 8;

/// An instruction that a linker changed.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    number: u32,
    /// Where the relocation is, from the start of the instruction.
    offset: u64,
    value: u64,
    address: u64,
    before: String,
    after: String,
    /// The line, with the value in the place of the symbol.
    line: String,
}

impl Change {
    fn to_line(&self) -> String {
        let Change { number, offset, value, address, before, after, line } = self;
        format!("{number} {offset} {value:#x} {address:#x} {before} {after} {line}")
    }

    fn from_line(line: &str) -> Change {
        let mut words = line.splitn(7, ' ');
        let mut next = || words.next().expect("seven words").to_string();
        let hex = |word: String| u64::from_str_radix(&word[2..], 16).expect("a number");
        Change {
            number: next().parse().expect("a number"),
            offset: next().parse().expect("a number"),
            value: hex(next()),
            address: hex(next()),
            before: next(),
            after: next(),
            line: next(),
        }
    }
}

/// The values of the symbols: within reach, and where relocations need not be multiples of other numbers, odd ones.
fn values(of: &Linked, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let lines = of.lines.iter().enumerate();
    lines
        .map(|(at, (line, reach))| {
            let distance = random.next_u64() % (1 << reach);
            let place = START + 4 * at as u64;
            match line.contains("abs_g") {
                true => distance,
                // An address below the first address is not an address of 32 bits.
                false if place > distance && random.next_u64().is_multiple_of(2) => {
                    place - distance
                }
                false => (place + distance) % (1 << 31),
            }
        })
        .map(|value| value / ALIGN * ALIGN)
        .collect()
}

/// Runs a program; `None` if it is not installed.
fn run(program: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    Some(output.stdout)
}

/// The result of llvm-mc and ld.lld for the lines; `None` if they are not installed.
fn linked(of: &Linked, folder: &Path, seed: u64) -> Option<Vec<Change>> {
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (source, object, out) = (path("in.s"), path("in.o"), path("out"));
    let mut text = String::new();
    for (at, (line, _)) in of.lines.iter().enumerate() {
        let line = line.split(';').next().unwrap_or(line);
        // LLVM reads names of Power's registers so.
        let line = match of.triple {
            "powerpc" => line.replace(" r", " %r").replace("(r", "(%r"),
            _ => line.to_string(),
        };
        let _ = writeln!(text, "{}", line.replace(SYMBOL, &format!("{SYMBOL}{at}")));
    }
    std::fs::write(&source, text).expect("the folder is writable");
    let triple = format!("--triple={}", of.triple);
    let attributes = format!("--mattr={}", of.attributes);
    run("llvm-mc-19", &[&triple, &attributes, "--filetype=obj", &source, "-o", &object])?;
    let values = values(of, seed);
    let start = format!("-Ttext={START:#x}");
    let mut arguments = vec![object.clone(), "-o".into(), out.clone(), start, "-e0".into()];
    arguments.extend(
        values.iter().enumerate().map(|(at, value)| format!("--defsym={SYMBOL}{at}={value:#x}")),
    );
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run("ld.lld-19", &arguments)?;
    let bytes = |file: &str| {
        let binary = path("bytes");
        run("llvm-objcopy-19", &["-O", "binary", "-j", ".text", file, &binary])?;
        Some(std::fs::read(&binary).expect("it was made"))
    };
    let (before, after) = (bytes(&object)?, bytes(&out)?);
    let relocations = run("llvm-readelf-19", &["-r", "-W", &object])?;
    let relocations = String::from_utf8_lossy(&relocations).into_owned();
    Some(
        relocations.lines().filter_map(|row| change(of, row, &values, (&before, &after))).collect(),
    )
}

/// The instruction of a row of readelf: offset, symbol and type, name of the type, value, name and addend of the symbol.
fn change(
    of: &Linked,
    row: &str,
    values: &[u64],
    (before, after): (&[u8], &[u8]),
) -> Option<Change> {
    let words: Vec<&str> = row.split_whitespace().collect();
    let [offset, info, _, _, symbol, "+", addend] = words.as_slice() else { return None };
    let symbol: usize = symbol.strip_prefix(SYMBOL)?.parse().expect("a number");
    let info_bits = if info.len() == 16 { 32 } else { 8 };
    let info = u64::from_str_radix(info, 16).expect("a number");
    let place = u64::from_str_radix(offset, 16).expect("a number");
    // Those of Power are of the half that they change.
    let offset = if of.triple == "powerpc" { place & !3 } else { place };
    let addend = u64::from_str_radix(addend, 16).expect("a number");
    let value = values[symbol].wrapping_add(addend);
    let line = of.lines[symbol].0;
    let line = line.split("; ").last().unwrap_or(line).replace(SYMBOL, &format!("{value:#x}"));
    let is_short = line.starts_with("c.");
    let at = offset as usize..offset as usize + if is_short { 2 } else { 4 };
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Some(Change {
        number: (info & ((1 << info_bits) - 1)) as u32,
        offset: place - offset,
        value,
        address: START + offset,
        before: hex(&before[at.clone()]),
        after: hex(&after[at]),
        line,
    })
}

fn word_of(engine: &Engine<'_>, bytes: &str) -> u128 {
    engine.read_hex(bytes.as_bytes()).expect("bytes")
}

/// The engine relocates like the linker, and reads lines as the words that they are linked to.
fn compare(of: &Linked, changes: &[Change]) {
    assert_eq!(changes.len(), of.lines.len());
    let family = family(of.spec);
    let loaded = Loaded::new(match of.generation {
        Some(name) => family.generation(name).expect("the generation exists").clone(),
        None => family.into_first(),
    });
    let engine = loaded.engine();
    for change in changes {
        let inst = engine.decode(word_of(&engine, &change.before)).expect("an instruction");
        let Change { number, offset, value, address, .. } = *change;
        let relocated = engine.relocate(inst, number, offset, value, address).map(|inst| inst.word);
        assert_eq!(relocated, Ok(word_of(&engine, &change.after)), "{change:?}");
        let options = TextOptions { address: Some(change.address), ..TextOptions::PLAIN };
        let read = engine.assemble_with(&change.line, options).map(|inst| inst.word);
        assert_eq!(read, Ok(word_of(&engine, &change.after)), "{change:?}");
        let mut known = engine.relocations(inst).map(|one| (one.number, one.offset));
        assert!(known.any(|one| one == (number, offset)), "{change:?}");
        for (number, offset) in [(9999, offset), (number, offset + 1)] {
            let relocated = engine.relocate(inst, number, offset, value, address);
            assert_eq!(relocated, Err(RelocateError::Unknown));
        }
    }
}

/// Compares with the recorded words, and with words linked now.
fn suite(of: &Linked) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(of.triple);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = root().join(of.recorded);
    if bless() {
        let changes = linked(of, &folder, 1).expect("llvm-mc-19 and ld.lld-19 are installed");
        let lines: String = changes.iter().map(|change| change.to_line() + "\n").collect();
        let head = "# Relocations: number, offset, value, address, bytes before and after, line. Made by llvm-mc-19\n\
                    # --filetype=obj and ld.lld-19 --defsym, as tests/tests/relocations.rs calls them.\n";
        std::fs::write(&path, head.to_string() + &lines).expect("the fixture is writable");
    }
    let recorded = std::fs::read_to_string(&path).expect("the fixture is readable");
    let lines = recorded.lines().filter(|line| !line.starts_with('#'));
    compare(of, &lines.map(Change::from_line).collect::<Vec<_>>());
    for seed in 2..6 {
        match linked(of, &folder, seed) {
            Some(changes) => compare(of, &changes),
            None => return eprintln!("skipped: llvm-mc 19 or ld.lld 19 is not installed"),
        }
    }
}

#[test]
fn riscv_is_relocated_as_by_lld() {
    suite(&RISCV);
}

#[test]
fn a64_is_relocated_as_by_lld() {
    suite(&A64);
}

#[test]
fn power_is_relocated_as_by_lld() {
    suite(&POWER);
}

/// Generated code relocates and reads as the engine does.
#[test]
fn generated_code_relocates_as_lld_does() {
    use riscv::{Extensions, Generation, Inst};
    let recorded =
        std::fs::read_to_string(root().join(RISCV.recorded)).expect("the fixture is readable");
    let lines = recorded.lines().filter(|line| !line.starts_with('#'));
    for change in lines.map(Change::from_line) {
        let word = |bytes: &str| {
            let number = u32::from_str_radix(bytes, 16).expect("a word");
            number.swap_bytes() >> (32 - 4 * bytes.len())
        };
        let (generation, set) = (Generation::RV64, Extensions::DEFAULT);
        let inst =
            Inst::decode_word(generation, set, word(&change.before)).expect("an instruction");
        let relocated = inst.relocate(change.number, change.offset, change.value, change.address);
        assert_eq!(relocated.map(Inst::word), Ok(word(&change.after)), "{change:?}");
        assert!(inst.relocations().any(|one| one.number == change.number));
        let read = Inst::parse_at(generation, set, &change.line, change.address).expect("a line");
        let exact =
            Inst::decode_word(generation, set, word(&change.after)).expect("an instruction");
        assert_eq!(read.to_string(), exact.to_string(), "{change:?}");
    }
    const LUI: Inst = match Inst::decode_word(Generation::RV64, Extensions::DEFAULT, 0x537) {
        Ok(inst) => inst,
        Err(_) => panic!("it is an instruction"),
    };
    const HIGH: Result<Inst, riscv::RelocateError> = LUI.relocate(26, 0, 0x1234_5fff, 0);
    assert_eq!(HIGH.map(Inst::word), Ok(0x1234_6537));
    assert_eq!(LUI.relocate(20, 0, 0, 0), Err(riscv::RelocateError::NoValue));
}

/// An expression of a random relocation, evaluated without the compiler.
enum Made {
    Value,
    Start,
    Number(i64),
    Binary(&'static str, Box<Made>, Box<Made>),
    Inverse(Box<Made>),
}

impl Made {
    fn random(random: &mut Random, depth: u32) -> Made {
        let pick = random.next_u64() % if depth == 0 { 4 } else { 12 };
        match pick {
            0 => Made::Start,
            1 => Made::Number((random.next_u64() % 0x2000) as i64),
            2 | 3 => Made::Value,
            4 => Made::Inverse(Box::new(Made::random(random, depth - 1))),
            _ => {
                let operators = ["+", "-", "&", "|", "^", "<<", ">>"];
                let operator = operators[random.next_u64() as usize % operators.len()];
                let left = Made::random(random, depth - 1);
                let right = match operator {
                    "<<" | ">>" => Made::Number((random.next_u64() % 20) as i64),
                    _ => Made::random(random, depth - 1),
                };
                Made::Binary(operator, Box::new(left), Box::new(right))
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Made::Value => "value".to_string(),
            Made::Start => "start".to_string(),
            Made::Number(number) => number.to_string(),
            Made::Binary(operator, a, b) => format!("({} {operator} {})", a.text(), b.text()),
            Made::Inverse(inner) => format!("~{}", inner.text()),
        }
    }

    fn value(&self, of: (i64, i64)) -> i128 {
        match self {
            Made::Value => of.0.into(),
            Made::Start => of.1.into(),
            Made::Number(number) => (*number).into(),
            Made::Inverse(inner) => !inner.value(of),
            Made::Binary(operator, a, b) => {
                let (a, b) = (a.value(of), b.value(of));
                match *operator {
                    "+" => a.wrapping_add(b),
                    "-" => a.wrapping_sub(b),
                    "&" => a & b,
                    "|" => a | b,
                    "^" => a ^ b,
                    "<<" => a << b,
                    _ => a >> b,
                }
            }
        }
    }

    fn has_start(&self) -> bool {
        match self {
            Made::Start => true,
            Made::Value | Made::Number(_) => false,
            Made::Binary(_, a, b) => a.has_start() || b.has_start(),
            Made::Inverse(inner) => inner.has_start(),
        }
    }
}

/// A reference point for distances: in the specification, and as a function of the instruction's address.
type Base = (&'static str, fn(u64) -> u64);

/// A random type with relocations.
struct Drawn {
    width: u32,
    is_signed: bool,
    scale: i64,
    bias: i64,
    prefix: &'static str,
    base: Option<Base>,
    relocations: Vec<(&'static str, Made)>,
}

impl Drawn {
    fn random(random: &mut Random) -> Drawn {
        fn one_of<V: Copy>(random: &mut Random, values: &[V]) -> V {
            values[random.next_u64() as usize % values.len()]
        }
        let bases: [Option<Base>; 6] = [
            None,
            None,
            Some(("start", |at| at)),
            Some(("next + 4", |at| at.wrapping_add(8))),
            Some(("here", |at| at.wrapping_add(1))),
            Some(("align(start, 64) - 2", |at| (at & !63).wrapping_sub(2))),
        ];
        let names = ["%hi", "%hi2", ":lo:", "@ha", "@h", "#x"];
        let relocations =
            names.iter().filter(|_| random.next_u64().is_multiple_of(2)).collect::<Vec<_>>();
        Drawn {
            width: 1 + random.next_u64() as u32 % 24,
            is_signed: random.next_u64().is_multiple_of(2),
            scale: one_of(random, &[1, 1, 2, 4, 3, -1, -8]),
            bias: one_of(random, &[0, 0, 1, -5]),
            prefix: one_of(random, &["", "#", "%%"]),
            base: one_of(random, &bases),
            relocations: relocations
                .into_iter()
                .map(|name| (*name, Made::random(random, 2)))
                .collect(),
        }
    }

    fn spec(&self) -> String {
        let number = if self.is_signed { "signed" } else { "unsigned" };
        let mut text = format!(
            "__DefIsa TINY<32>\n__DefImmediate Code<8>\n    Number = unsigned;\n\
             __DefImmediate N<{}>\n    Number = {number};\n    Scale = {};\n    Bias = {};\n",
            self.width, self.scale, self.bias
        );
        if !self.prefix.is_empty() {
            let _ = writeln!(text, "    Prefix = \"{}\";", self.prefix);
        }
        if let Some((base, _)) = self.base {
            let _ = writeln!(text, "    Relative = {base};");
        }
        let _ = writeln!(text, "    Relocation<1000>;");
        for (at, (name, made)) in self.relocations.iter().enumerate() {
            let _ = writeln!(text, "    Relocation<\"{name}\", {at}> = {};", made.text());
        }
        text + &format!(
            "__DefGroup ALL : []\n__DefOpcode OP : [ALL]\n  __Encoding\n    field<0, 8> Code code == 7;\n    \
             field<8, {}> N n;\n  __OperandInfo\n    Order<n>;\n",
            self.width
        )
    }

    /// Where relocations are: at the byte of the field where it is whole bytes, or is measured from there.
    fn offset(&self) -> u64 {
        let is_here = self.base.is_some_and(|(text, _)| text == "here");
        u64::from(is_here || self.width.is_multiple_of(8))
    }

    /// The word of a value.
    fn word(&self, value: i128) -> Option<u128> {
        let (distance, scale) = (value - i128::from(self.bias), i128::from(self.scale));
        let (low, high) = match self.is_signed {
            true => (-(1i128 << (self.width - 1)), (1i128 << (self.width - 1)) - 1),
            false => (0, (1i128 << self.width) - 1),
        };
        let number = distance / scale;
        let has_bits = distance % scale == 0 && (low..=high).contains(&number);
        has_bits.then(|| 7 | (number as u128 & ((1 << self.width) - 1)) << 8)
    }

    /// An address for which a relocation can have a value, and the instruction's address.
    fn place(&self, random: &mut Random) -> (u64, u64) {
        let start = random.next_u64() >> (random.next_u64() % 64);
        let near = random.next_u64() >> (64 - u64::from(self.width)).min(63);
        let scaled = near.wrapping_mul(self.scale as u64).wrapping_add(self.bias as u64);
        match random.next_u64() % 4 {
            0 => (random.next_u64() >> (random.next_u64() % 64), start),
            1 => (scaled, start),
            2 => (start.wrapping_add(scaled), start),
            _ => (self.base.map_or(scaled, |(_, base)| base(start).wrapping_add(scaled)), start),
        }
    }
}

/// How a relocation is written.
fn written(name: &str, address: u64) -> String {
    match name.as_bytes() {
        [b'@', ..] => format!("{address:#x}{name}"),
        [.., b':'] => format!("{name}{address:#x}"),
        _ => format!("{name}({address:#x})"),
    }
}

#[test]
fn random_relocations_give_what_their_expressions_say() {
    let (mut read, mut refused, mut made) = (0, 0, 0);
    for seed in 0..isadl_test_support::count("ISADL_SETS", 300) as u64 {
        let random = &mut Random::new(0x5eed_0001 ^ (seed << 20));
        let drawn = Drawn::random(random);
        let spec = drawn.spec();
        let (_, compilation) = compile(&[("tiny.isa", &spec)]);
        let Some(family) = compilation.family else {
            // Not every expression gives a value for some address.
            assert!(
                compilation.diagnostics.iter().all(|d| d.message.contains("gives no value")),
                "{spec}"
            );
            continue;
        };
        made += 1;
        let loaded = Loaded::new(family.into_first());
        let engine = loaded.engine();
        let blank = engine.decode(7).expect("an instruction");
        let offset = drawn.offset();
        for _ in 0..60 {
            let (value, start) = drawn.place(random);
            for (number, (name, expression)) in drawn.relocations.iter().enumerate() {
                let expected = drawn.word(expression.value((value as i64, start as i64)));
                let relocated = engine.relocate(blank, number as u32, offset, value, start).ok();
                assert_eq!(relocated.map(|inst| inst.word), expected, "{name} {value:#x}\n{spec}");
                let line = format!("OP {}{}", drawn.prefix, written(name, value));
                let at =
                    engine.assemble_with(&line, TextOptions::at(start)).ok().map(|inst| inst.word);
                assert_eq!(at, expected, "{line} at {start:#x}\n{spec}");
                let expected = expected.filter(|_| !expression.has_start());
                let anywhere = engine.assemble(&line).ok().map(|inst| inst.word);
                assert_eq!(anywhere, expected, "{line}\n{spec}");
                *if at.is_some() { &mut read } else { &mut refused } += 1;
            }
            let distance = match drawn.base {
                // Linkers measure from the place of the relocation, and round as the instruction does.
                Some((text, base)) => {
                    let place = start.wrapping_add(offset);
                    let from = if text.contains("align") { base(start) } else { place };
                    i128::from(value.wrapping_sub(from) as i64)
                }
                None if drawn.is_signed => (value as i64).into(),
                None => value.into(),
            };
            let expected = drawn.word(distance);
            let relocated = engine.relocate(blank, 1000, offset, value, start).ok();
            assert_eq!(relocated.map(|inst| inst.word), expected, "{value:#x} {start:#x}\n{spec}");
            if let Some((_, base)) = drawn.base {
                let distance = i128::from(value.wrapping_sub(base(start)) as i64);
                let expected = drawn.word(distance);
                let line = format!("OP {value:#x}");
                let at =
                    engine.assemble_with(&line, TextOptions::at(start)).ok().map(|inst| inst.word);
                assert_eq!(at, expected, "{line} at {start:#x}\n{spec}");
            }
        }
    }
    assert!(made > 100 && read > 1000 && refused > 1000, "{made} {read} {refused}");
}
