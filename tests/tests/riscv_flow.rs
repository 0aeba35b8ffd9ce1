//! Compares the reads, writes and control flow of instructions of `spec/riscv` with LLVM's instruction descriptions.
//!
//! `tests/fixtures/riscv/instr_desc.tsv` is recorded with `BLESS=1 ISADL_INSTR_DESC=PROGRAM`; the first lines of
//! `tests/llvm/instr_desc.cpp` say how to build the program.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};

use isadl::engine::{Effect, FlowControl, Inst, Resource};
use isadl_test_support::llvm_riscv::MOST;
use isadl_test_support::{Random, Set, root, words};

/// A difference: a read or write that only one side describes.
#[derive(Debug)]
struct Met<'t> {
    opcode: &'t str,
    unit: &'t str,
    is_ours: bool,
    is_write: bool,
}

/// A class of differences.
struct Difference {
    reason: &'static str,
    explains: fn(&Met<'_>) -> bool,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        reason: "LLVM does not have vstart",
        explains: |met| met.is_ours && met.unit == "vstart[0]",
    },
    Difference {
        reason: "LLVM has vxrm and vxsat only in its pseudo instructions",
        explains: |met| {
            met.is_ours
                && [("vxrm[0]", false), ("vxsat[0]", true)].contains(&(met.unit, met.is_write))
        },
    },
    Difference {
        reason: "LLVM adds frm when it selects an instruction with a dynamic rounding mode",
        explains: |met| met.is_ours && !met.is_write && met.unit == "frm[0]",
    },
    Difference {
        reason: "LLVM's vector instructions that read frm, or may only raise floating-point exceptions, lack vl and vtype",
        explains: |met| {
            let is_state = ["vl[0]", "vtype[0]"].contains(&met.unit);
            met.is_ours
                && !met.is_write
                && is_state
                && ["VF", "VMF"].iter().any(|start| met.opcode.starts_with(start))
        },
    },
    Difference {
        reason: "LLVM does not say that `vsetvli zero, zero, …` keeps vl",
        explains: |met| {
            let keeps = met.opcode == "VSETVLI" || met.opcode == "VSETVL";
            met.is_ours && !met.is_write && met.unit == "vl[0]" && keeps
        },
    },
    Difference {
        reason: "LLVM has control and status registers as numbers",
        explains: |met| met.is_ours && met.opcode.starts_with("CSRR"),
    },
    Difference {
        reason: "LLVM's disassembler leaves out an operand that is always v0",
        explains: |met| {
            let ends = ["_VVM", "_VXM", "_VIM", "_VFM"];
            met.is_ours
                && !met.is_write
                && met.unit == "V[0]"
                && ends.iter().any(|end| met.opcode.ends_with(end))
        },
    },
    Difference {
        reason: "groups of vector registers count as one here, as text has only the first",
        explains: |met| {
            let starts =
                ["VL2RE", "VL4RE", "VL8RE", "VS2R", "VS4R", "VS8R", "VMV2R", "VMV4R", "VMV8R"];
            !met.is_ours
                && met.unit.starts_with('V')
                && starts.iter().any(|start| met.opcode.starts_with(start))
        },
    },
    Difference {
        reason: "copies of whole registers need a legal vtype (V 1.0, section 16.6), which LLVM 19 does not say",
        explains: |met| {
            let starts = ["VMV1R", "VMV2R", "VMV4R", "VMV8R"];
            let is_copy = starts.iter().any(|start| met.opcode.starts_with(start));
            met.is_ours && !met.is_write && met.unit == "vtype[0]" && is_copy
        },
    },
    Difference {
        reason: "LLVM says that vmv.x.s and vfmv.f.s read vl, which does not matter to them (V 1.0, sections 16.1 and 16.2)",
        explains: |met| {
            let is_first = ["VMV_X_S", "VFMV_F_S"].contains(&met.opcode);
            !met.is_ours && met.unit == "vl[0]" && is_first
        },
    },
    Difference {
        reason: "LLVM says that operations on blocks of caches write memory; here the machine does them, as it does fences",
        explains: |met| !met.is_ours && met.unit == "memory" && met.opcode.starts_with("CBO_"),
    },
    Difference {
        reason: "LLVM 19 names only the first of two registers that are one operand",
        explains: |met| {
            met.is_ours && met.unit.starts_with('X') && met.opcode.starts_with("AMOCAS_")
        },
    },
    Difference {
        reason: "LLVM has the new vl of loads that stop at a fault only in its pseudo instructions",
        explains: |met| {
            met.is_ours && met.is_write && met.unit == "vl[0]" && met.opcode.ends_with("FF_V")
        },
    },
];

/// Words of each opcode.
const SAMPLES: usize = 4;

/// LLVM's name of a register as registers of ours; `zero` is not a register.
fn units(name: &str) -> Vec<String> {
    let name = name.trim_start_matches('=');
    let base = name.split('_').next().unwrap_or(name);
    let number = |text: &str| text.parse::<u32>().ok();
    let (file, rest) = base.split_at(1);
    match (file, number(rest)) {
        ("X", Some(0)) => Vec::new(),
        ("X" | "F" | "V", Some(number)) => vec![format!("{file}[{number}]")],
        // A group of vector registers.
        ("V", None) if rest.contains('M') => {
            let (first, count) = rest.split_once('M').expect("it has an M");
            let [first, count] = [first, count].map(|text| number(text).expect("a number"));
            (first..first + count).map(|number| format!("V[{number}]")).collect()
        }
        _ => vec![format!("{}[0]", name.to_lowercase())],
    }
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
        other => vec![isa.resource_text(other)],
    };
    uses.flat_map(|found| unit(found.resource)).collect()
}

/// Random words of each opcode, as bytes in hexadecimal. Opcodes that can continue in several ways also appear with the
/// registers that decide this.
fn sample(isa: &Set) -> Vec<String> {
    let mut random = Random::new(0xf10);
    let mut samples = Vec::new();
    for id in isa.opcode_ids() {
        let mut made = Vec::new();
        for _ in 0..SAMPLES {
            made.push(words::instruction(isa, id, &mut random).expect("a legal word").word);
        }
        if isa.opcode(id).classes.len() > 1 {
            let registers = [0, 1, 5, 7].map(|rd| [0, 1, 5, 7].map(|rs1| rd << 7 | rs1 << 15));
            let word = made[0] & !(0x1f << 7 | 0x1f << 15);
            made.extend(registers.as_flattened().iter().map(|bits| word | bits));
        }
        for word in made {
            // Registers of short instructions are elsewhere.
            let Ok(inst) = isa.engine().decode(word) else { continue };
            let bytes = &inst.word.to_le_bytes()[..isa.length(inst.word)];
            samples.push(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
        }
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

/// Uses that depend on a field, by the bits of words: the manual's table of side effects of Zicsr, rounding modes, and
/// `vl` where `vsetvli` keeps it.
#[test]
fn some_is_read_or_written_only_for_some_values_of_fields() {
    let family = isadl_test_support::riscv_with(MOST.names);
    let mut random = Random::new(0x2f);
    let mut met: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    for isa in family.isas() {
        for id in isa.opcode_ids() {
            let opcode = isa.opcode(id);
            let has_rounding = opcode.fields.iter().any(|field| isa.name_of(field.name) == "rm");
            let is_csr = opcode.value & 0x7f == 0x73 && opcode.value >> 12 & 3 != 0;
            let sets_length = ["VSETVLI", "VSETVL"].contains(&&*opcode.name);
            // Uses of the others depend on no field.
            if !is_csr && !has_rounding && !sets_length {
                continue;
            }
            for turn in 0..256_usize {
                let Some(inst) = words::instruction(isa, id, &mut random) else { continue };
                let (mut word, is_wide) = (inst.word, isa.length(inst.word) == 4);
                // Zeros are rare among random values.
                word &= !(if turn & 1 == 0 { 0 } else { 0x1f << 7 });
                word &= !(if turn & 2 == 0 { 0 } else { 0x1f << 15 });
                let number = [1, 2, 0x340][turn % 3];
                let word = if is_csr { word & 0xf_ffff | number << 20 } else { word };
                let Ok(inst) = isa.engine().decode(word) else { continue };
                if inst.opcode != id || !is_wide {
                    continue;
                }
                let (rd, funct3, rs1) = (word >> 7 & 0x1f, word >> 12 & 7, word >> 15 & 0x1f);
                let reads = own_units(isa, inst, Effect::reads);
                let writes = own_units(isa, inst, Effect::writes);
                let mut check = |what, has: bool, wanted: bool| {
                    assert_eq!(has, wanted, "{what} of {} 0x{word:08x}", opcode.name);
                    *met.entry((what, wanted)).or_default() += 1;
                };
                if is_csr {
                    let register = ["fflags[0]", "frm[0]", "mscratch"][turn % 3];
                    let is_swap = funct3 & 3 == 1;
                    check("read of a CSR", reads.contains(register), !is_swap || rd != 0);
                    check("write of a CSR", writes.contains(register), is_swap || rs1 != 0);
                }
                if has_rounding {
                    check("read of frm", reads.contains("frm[0]"), funct3 == 7);
                    assert!(writes.contains("fflags[0]"));
                }
                if sets_length {
                    check("read of vl", reads.contains("vl[0]"), rd == 0 && rs1 == 0);
                }
            }
        }
    }
    println!("{met:?}");
    assert_eq!(met.len(), 8, "each occurs, and does not: {met:?}");
    assert!(met.values().all(|count| *count > 100), "{met:?}");
}

/// Where execution goes after an instruction at address 0 according to LLVM: classes and the target.
fn llvm_control<'f>(flags: &BTreeSet<&'f str>) -> (BTreeSet<&'f str>, Option<u64>) {
    let classes = ["branch", "conditional", "indirect", "call", "return"];
    let target = flags.iter().find_map(|flag| flag.strip_prefix("to:"));
    let target = target.map(|target| target.parse::<i64>().expect("a number") as u64);
    (flags.iter().copied().filter(|flag| classes.contains(flag)).collect(), target)
}

/// Runs the program that asks LLVM.
fn described(program: &str, generation: &str, samples: &[String]) -> String {
    let triple = generation.replace("RV", "riscv");
    let mut child = Command::new(program)
        .args([&triple, "", MOST.llvm])
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
    let family = isadl_test_support::riscv_with(MOST.names);
    let path = root().join("tests/fixtures/riscv/instr_desc.tsv");
    if isadl_test_support::bless() {
        let program = std::env::var("ISADL_INSTR_DESC").expect("it names the program");
        let mut text = format!(
            "# LLVM 19.1.7: tests/llvm/instr_desc.cpp (its first lines say how to build it) with riscv32 and riscv64, \
             and {}.\n# Columns: generation, bytes, LLVM's instruction, what it defines, what it uses, what else is \
             said of it; = marks a tied use.\n",
            MOST.llvm
        );
        for generation in ["RV32", "RV64"] {
            let isa = family.generation(generation).expect("it is a generation");
            for line in described(&program, generation, &sample(isa)).lines() {
                text += &format!("{generation}\t{line}\n");
            }
        }
        std::fs::write(&path, text).expect("writable");
    }
    let text = std::fs::read_to_string(&path).expect("the descriptions are committed");
    let mut wrong = Vec::new();
    let mut known: BTreeMap<&str, usize> = DIFFERENCES.iter().map(|one| (one.reason, 0)).collect();
    let (mut count, mut met) = (0, BTreeSet::new());
    let mut controls: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [generation, bytes, llvm, defs, uses, flags] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let isa = family.generation(generation).expect("it is a generation");
        let bytes: Vec<u8> = (0..bytes.len() / 2)
            .map(|at| u8::from_str_radix(&bytes[2 * at..2 * at + 2], 16).expect("hexadecimal"))
            .collect();
        let (inst, _) = isa.engine().decode_bytes(&bytes).expect("it is legal");
        let opcode = isa.opcode(inst.opcode).name.as_str();
        count += 1;
        met.insert((generation, inst.opcode));
        let flags: BTreeSet<&str> = flags.split(' ').collect();
        let expected = |column: &str, memory: &str| {
            let mut units: BTreeSet<String> = column.split_whitespace().flat_map(units).collect();
            units.extend(flags.contains(memory).then(|| "memory".to_string()));
            units
        };
        let (mut writes, mut reads) = (expected(defs, "store"), expected(uses, "load"));
        let control = isa.engine().flow_control(inst);
        let own_target = isa.engine().target(inst, 0);
        let own_control = (llvm_flags(control).iter().copied().collect(), own_target);
        let mut llvm_control = llvm_control(&flags);
        // The sum of `zero` and an offset is an address, too.
        let is_indirect = matches!(control, FlowControl::Indirect | FlowControl::IndirectCall);
        llvm_control.1.take_if(|_| is_indirect);
        if own_control != llvm_control {
            wrong.push(format!(
                "{opcode}: {control:?} to {own_target:?}, LLVM's {llvm} is {flags:?}"
            ));
        }
        *controls.entry(format!("{control:?}")).or_default() += 1;
        // Flags are added to those that are raised.
        if flags.contains("exception") {
            writes.insert("fflags[0]".to_string());
            reads.insert("fflags[0]".to_string());
        }
        for (is_of, is_write, theirs) in
            [(Effect::writes as fn(Effect) -> bool, true, writes), (Effect::reads, false, reads)]
        {
            let ours = own_units(isa, inst, is_of);
            for unit in ours.symmetric_difference(&theirs) {
                let met = Met { opcode, unit, is_ours: ours.contains(unit), is_write };
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
    println!("{count} words of {} opcodes, {controls:?}", met.len());
    assert_eq!(controls.len(), FlowControl::ALL.len(), "{controls:?}");
    assert!(met.len() > 1600 && count > 4 * 1600, "{count} words of {} opcodes", met.len());
    let count = wrong.len();
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{count}:\n{}", wrong.join("\n"));
}
