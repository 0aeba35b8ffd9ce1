//! Compares the reads, writes and control flow of instructions of `spec/a64` with LLVM's instruction descriptions.
//!
//! `tests/fixtures/a64/instr_desc.tsv` is recorded with `BLESS=1 ISADL_INSTR_DESC=PROGRAM`; the first lines of
//! `tests/llvm/instr_desc.cpp` say how to build the program.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};

use isadl::engine::{Effect, FlowControl, Inst, Resource};
use isadl_test_support::{Random, Set, root, words};

/// Floating-point and vector registers have other names in LLVM, and are left out.
const FEATURES: &str =
    "+lse,+crc,+el3,+mops,+flagm,+altnzcv,+cssc,+lor,+sb,+pan,+uaops,+dit,+ssbs,-fp-armv8,-neon";

/// Words of each opcode.
const SAMPLES: usize = 4;

/// A difference: a read or write that only one side describes.
#[derive(Debug)]
struct Met<'t> {
    opcode: &'t str,
    unit: &'t str,
    is_ours: bool,
    is_write: bool,
    word: u32,
}

/// A class of differences.
struct Difference {
    reason: &'static str,
    explains: fn(&Met<'_>) -> bool,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        reason: "LLVM's conditional instructions use the flags under `al` and `nv` too, which always hold",
        explains: |met| {
            let is_conditional = ["CSEL", "CSINC", "CSINV", "CSNEG", "CCMN", "CCMP"]
                .iter()
                .any(|start| met.opcode.starts_with(start));
            let is_flag = met.unit.starts_with("NZCV") && !met.is_write;
            !met.is_ours && is_conditional && is_flag && met.word >> 13 & 7 == 7
        },
    },
    Difference {
        reason: "LLVM's calls use the stack pointer, so that it is set up before them",
        explains: |met| {
            let is_call = ["BL", "BLR"].contains(&met.opcode);
            !met.is_ours && !met.is_write && met.unit == "SP[0]" && is_call
        },
    },
    Difference {
        reason: "LLVM's exclusive loads and stores do both, so that they stay in order",
        explains: |met| {
            let starts = ["LDX", "LDAX", "STX", "STLX"];
            let is_exclusive = starts.iter().any(|start| met.opcode.starts_with(start));
            !met.is_ours && met.unit == "memory" && is_exclusive
        },
    },
    Difference {
        reason: "LLVM's hints and barriers are accesses to memory, so that they stay in order",
        explains: |met| {
            let is_barrier = ["CLREX", "DMB", "DSB", "HINT", "ISB"].contains(&met.opcode);
            !met.is_ours && met.unit == "memory" && is_barrier
        },
    },
    Difference {
        reason: "LLVM has one instruction for all parts of the state of the processor, flags of extensions among them",
        explains: |met| !met.is_ours && met.is_write && met.opcode.starts_with("MSR_"),
    },
    Difference {
        reason: "LLVM's `mrs` writes the flags, as it does for the random numbers of an extension",
        explains: |met| !met.is_ours && met.is_write && met.opcode == "MRS",
    },
    Difference {
        reason: "LLVM has the flags as one register, which instructions on some of them change as a whole",
        explains: |met| {
            let names = ["CFINV", "RMIF", "SETF8", "SETF16", "AXFLAG", "XAFLAG"];
            !met.is_ours && names.contains(&met.opcode) && met.unit.starts_with("NZCV")
        },
    },
    Difference {
        reason: "LLVM's copies and fills leave open how much each of three instructions does",
        explains: |met| {
            let starts = ["CPYP", "CPYM", "CPYE", "CPYF", "SETP", "SETM", "SETE", "SETG"];
            !met.is_ours && starts.iter().any(|start| met.opcode.starts_with(start))
        },
    },
    Difference {
        reason: "LLVM has the result of `sysl` as a source",
        explains: |met| met.opcode == "SYSL" && met.is_ours == met.is_write,
    },
];

/// LLVM's name of registers as registers of ours; zero is not a register.
fn units(name: &str) -> Vec<String> {
    let of_one = |name: &str| {
        let number = name.strip_prefix(['X', 'W']).and_then(|number| number.parse::<u32>().ok());
        match (name, number) {
            ("XZR" | "WZR", _) => Vec::new(),
            ("NZCV", _) => (0..4).map(|flag| format!("NZCV[{flag}]")).collect(),
            ("SP" | "WSP", _) => vec!["SP[0]".to_string()],
            ("FP", _) => vec!["X[29]".to_string()],
            ("LR", _) => vec!["X[30]".to_string()],
            (_, Some(number)) => vec![format!("X[{number}]")],
            _ => vec![name.to_string()],
        }
    };
    name.trim_start_matches('=').split('_').flat_map(of_one).collect()
}

/// The reads or writes of an instruction, register by register, and `memory`.
fn own_units(isa: &Set, inst: Inst, is_of: fn(Effect) -> bool) -> BTreeSet<String> {
    let uses = isa.flow(inst).into_iter().filter(|found| is_of(found.effect));
    let unit = |resource: Resource| match resource {
        Resource::Registers { file, first, count } => {
            let name = &isa.reg_files()[file.index()].name;
            (first..first + count).map(|number| format!("{name}[{number}]")).collect()
        }
        Resource::Memory { .. } => vec!["memory".to_string()],
        // System registers are numbers to LLVM.
        _ => Vec::new(),
    };
    uses.flat_map(|found| unit(found.resource)).collect()
}

/// Random words of each opcode that an assembler makes, as bytes in hexadecimal.
fn sample(isa: &Set) -> Vec<String> {
    let mut random = Random::new(0xa64);
    let mut samples = Vec::new();
    for id in isa.opcode_ids() {
        let mut made = Vec::new();
        for _ in 0..SAMPLES * 64 {
            let inst = words::instruction(isa, id, &mut random).expect("a legal word");
            if made.len() < SAMPLES && isa.engine().advice(inst).is_none() {
                made.push(inst.word as u32);
            }
        }
        assert_eq!(made.len(), SAMPLES, "{}", isa.opcode(id).name);
        let hex = |word: u32| word.to_le_bytes().map(|byte| format!("{byte:02x}")).concat();
        samples.extend(made.into_iter().map(hex));
    }
    samples
}

/// How LLVM describes where execution goes.
fn llvm_flags(control: FlowControl) -> &'static [&'static str] {
    match control {
        FlowControl::Next | FlowControl::Trap | FlowControl::SystemCall | FlowControl::Abort => &[],
        FlowControl::Branch => &["branch"],
        FlowControl::Conditional => &["branch", "conditional"],
        FlowControl::Call | FlowControl::IndirectCall => &["call"],
        FlowControl::Return => &["return"],
        FlowControl::Indirect => &["branch", "indirect"],
    }
}

/// Runs the program that asks LLVM.
fn described(program: &str, samples: &[String]) -> String {
    let mut child = Command::new(program)
        .args(["aarch64", "", FEATURES])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program is there");
    let input = samples.join("\n") + "\n";
    let mut stdin = child.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("it runs");
    writer.join().expect("it does not panic").expect("it reads all");
    String::from_utf8(output.stdout).expect("it writes UTF-8")
}

#[test]
fn instructions_read_write_and_go_as_llvm_says() {
    let isa = isadl_test_support::first("spec/a64");
    let path = root().join("tests/fixtures/a64/instr_desc.tsv");
    if isadl_test_support::bless() {
        let program = std::env::var("ISADL_INSTR_DESC").expect("it names the program");
        let head = format!(
            "# LLVM 19.1.7: tests/llvm/instr_desc.cpp (its first lines say how to build it) with aarch64 and {FEATURES}.\n\
             # Columns: bytes, LLVM's instruction, what it defines, what it uses, what else is said of it; = marks a tied use.\n"
        );
        std::fs::write(&path, head + &described(&program, &sample(isa))).expect("writable");
    }
    let text = std::fs::read_to_string(&path).expect("the descriptions are committed");
    let mut wrong = Vec::new();
    let mut known: BTreeMap<&str, usize> = DIFFERENCES.iter().map(|one| (one.reason, 0)).collect();
    let (mut met, mut controls) = (BTreeSet::new(), BTreeSet::new());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [bytes, llvm, defs, uses, flags] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let word = u32::from_str_radix(bytes, 16).expect("hexadecimal").swap_bytes();
        let inst = isa.engine().decode(word.into()).expect("it is legal");
        let opcode = isa.opcode(inst.opcode).name.as_str();
        // Words that LLVM calls unpredictable are not described.
        if llvm == "invalid" {
            continue;
        }
        met.insert(inst.opcode);
        let flags: BTreeSet<&str> = flags.split(' ').collect();
        let control = isa.engine().flow_control(inst);
        controls.insert(format!("{control:?}"));
        let classes = ["branch", "conditional", "indirect", "call", "return"];
        let theirs: BTreeSet<&str> =
            flags.iter().copied().filter(|flag| classes.contains(flag)).collect();
        if theirs != llvm_flags(control).iter().copied().collect() {
            wrong.push(format!("{opcode}: {control:?}, LLVM's {llvm} is {flags:?}"));
        }
        let expected = |column: &str, memory: &str| {
            let mut units: BTreeSet<String> = column.split_whitespace().flat_map(units).collect();
            units.extend(flags.contains(memory).then(|| "memory".to_string()));
            units
        };
        let (writes, reads) = (expected(defs, "store"), expected(uses, "load"));
        for (is_of, is_write, theirs) in
            [(Effect::writes as fn(Effect) -> bool, true, writes), (Effect::reads, false, reads)]
        {
            let ours = own_units(isa, inst, is_of);
            for unit in ours.symmetric_difference(&theirs) {
                let met = Met { opcode, unit, is_ours: ours.contains(unit), is_write, word };
                match DIFFERENCES.iter().find(|difference| (difference.explains)(&met)) {
                    Some(difference) => *known.entry(difference.reason).or_default() += 1,
                    None => wrong.push(format!("{met:?}, LLVM's {llvm}")),
                }
            }
        }
    }
    for (reason, count) in &known {
        println!("{count} {reason}");
        assert!(*count > 0, "nothing differs because {reason}");
    }
    println!("{} opcodes, {controls:?}", met.len());
    assert_eq!(controls.len(), FlowControl::ALL.len(), "{controls:?}");
    assert!(met.len() > 300, "{} opcodes", met.len());
    let count = wrong.len();
    wrong.truncate(60);
    assert!(wrong.is_empty(), "{count}:\n{}", wrong.join("\n"));
}
