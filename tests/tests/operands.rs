//! Operands as values, against the tables of reads and writes, which other code makes: every register that is an operand and read is
//! among the reads, and every one that is written among the writes.

use isadl::engine::{Loaded, Operand, Resource, Value};
use isadl::isa::{Inst, RegFileId};
use isadl::source::SourceMap;
use isadl_tests::{Random, root};

/// Words of each opcode.
const WORDS: usize = 4;

/// The registers of an operand, without those in its parts.
fn registers(operand: &Operand<'_>) -> Option<(RegFileId, u32, u32)> {
    match operand.value {
        Value::Registers { file, first, count } => Some((file, first, count)),
        _ => None,
    }
}

/// Whether some use is of all these registers.
fn has(
    engine: &isadl::engine::Engine<'_>,
    inst: Inst,
    of: (RegFileId, u32, u32),
    writes: bool,
) -> bool {
    let (file, first, count) = of;
    (first..first + count).all(|number| {
        engine.uses(inst).any(|one| {
            let is_meant = if writes { one.effect.writes() } else { one.effect.reads() };
            let is_it = match one.resource {
                Resource::Registers { file: own, first, count } => {
                    own == file && (first..first + count).contains(&number)
                }
                _ => false,
            };
            is_meant && is_it
        })
    })
}

fn operands_are_used(spec: &str) {
    let sources = SourceMap::read(&[root().join(spec)]).expect("a specification");
    let family = isadl::compile(&sources).family.expect("no errors");
    let mut random = Random::new(11);
    let mut compared = 0;
    for isa in family.isas() {
        let loaded = Loaded::new(isa.clone());
        for opcode in isa.opcodes() {
            for _ in 0..WORDS {
                let word = random.next_u128() & !opcode.mask | opcode.value;
                let engine = loaded.engine().with_extensions(isa.extensions().all());
                let Ok(inst) = engine.decode(word) else { continue };
                for operand in engine.operands(inst) {
                    let Some(own) = registers(&operand) else { continue };
                    let text = engine.text(inst);
                    let name = operand.name;
                    assert!(
                        !operand.access.reads() || has(&engine, inst, own, false),
                        "{text}: {name} is read"
                    );
                    assert!(
                        !operand.access.writes() || has(&engine, inst, own, true),
                        "{text}: {name} is written"
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn operands_of_simt_are_used() {
    operands_are_used("spec/simt");
}

#[test]
fn operands_of_gcn_are_used() {
    operands_are_used("spec/gcn");
}

#[test]
fn operands_of_riscv_are_used() {
    operands_are_used("spec/riscv");
}

#[test]
fn operands_of_a64_are_used() {
    operands_are_used("spec/a64");
}
