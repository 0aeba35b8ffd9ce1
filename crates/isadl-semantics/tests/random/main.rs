//! Random programs, evaluated with exact integers by an evaluator that shares nothing with the compiler.
//!
//! Every accepted program is run many times. It never divides by zero, and never indexes or shifts outside. Each value is within the
//! compiler's bounds for its expression. Only registers in the derived data flow influence the results. The intermediate
//! representation and the executor give the same results.

mod bounds;
#[path = "../common/mod.rs"]
mod common;
mod evaluate;
mod executed;
mod lowered;
#[path = "../common/random.rs"]
mod random;
mod specification;
mod write;

use std::collections::BTreeSet;
use std::rc::Rc;

use isadl::Compilation;
use isadl::semantics::Instance;
use isadl::semantics::effects::Resource;
use isadl::semantics::interval::Interval;
use isadl::source::SourceMap;

use bounds::Ranges;
use evaluate::{Machine, run};
use executed::Executor;
use isadl_exec::Spec;
use lowered::does_the_same;
use random::Random;
use specification::{BATCH, DECIDED, ELEMENT, ELEMENTS, LISTS, REGISTERS, WIDTH, specification};
use write::{Step, Writer};

/// Prints a program if its evaluation fails.
struct Shown<'t>(&'t str);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("while evaluating `{}`", self.0);
        }
    }
}

struct Case {
    text: String,
    steps: Vec<Step>,
    /// Where the text begins in the specification.
    at: usize,
}

fn compiled(text: &str) -> Compilation {
    let mut sources = SourceMap::new();
    sources.add("random.isa", text.as_bytes().to_vec());
    isadl::compile(&sources)
}

fn machine(random: &mut Random) -> Machine {
    let edges = [0, 1, 2, 0x7f, 0x80, 0xff];
    let mut value = || match random.one_in(3) {
        true => edges[random.below(edges.len())],
        false => (random.next() & 0xff) as i128,
    };
    Machine { registers: std::array::from_fn(|_| value()), flags: (random.next() & 0xf) as u32 }
}

#[test]
fn bounds_and_data_flow_hold_for_random_programs() {
    let batches = std::env::var("ISADL_SETS").ok().and_then(|sets| sets.parse().ok()).unwrap_or(40);
    let (mut accepted, mut each, mut decided, mut loops) = (0, 0, 0, 0);
    let (mut ranges, mut influences, mut lowered, mut executed) = (0, 0, 0, 0);
    for batch in 0..batches {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (batch as u64 + 1) << 20);
        let mut cases: Vec<Case> = (0..BATCH)
            .map(|_| {
                let (text, names) = Default::default();
                let mut writer =
                    Writer { random: &mut random, text, names, made: 0, is_in_each: false };
                let count = 1 + writer.random.below(3);
                let steps = writer.steps(2, count);
                Case { text: writer.text, steps, at: 0 }
            })
            .collect();
        let (text, places) = specification(cases.iter().map(|case| case.text.as_str()));
        cases.iter_mut().zip(places).for_each(|(case, at)| case.at = at);
        let checked = compiled(&text).semantics.pop().expect("only the programs have errors");
        // Most of the programs have errors, which prose has not.
        let prose = text.replace("Semantics<checked>", "Semantics<prose>");
        let isa = compiled(&prose).into_isa().expect("no errors");
        let spec = Rc::new(Spec::new(isa, checked));
        let mut executor = Executor::new(&spec);
        let opcodes = &spec.checked().expect("checked programs").opcodes;
        for (id, (case, instances)) in spec.isa().opcode_ids().zip(cases.iter().zip(opcodes)) {
            let [instance] = instances.as_slice() else { continue };
            accepted += 1;
            each += usize::from(case.text.contains("each"));
            decided += usize::from(case.text.contains("decided"));
            let _shown = Shown(&case.text);
            ranges += holds(case, instance, &mut random);
            influences += flows(case, instance, &mut random);
            let (count, has_loop) = does_the_same(spec.isa(), id, case, instance, &mut random);
            lowered += count;
            loops += usize::from(has_loop);
            executed += executor.does_the_same(id, case, &mut random);
        }
    }
    println!(
        "{accepted} programs accepted, {each} with `each`, {decided} with branches over a number, {loops} with loops, {ranges} bounds, {influences} influences, {lowered} results of \
         the intermediate representation and {executed} of the executor compared"
    );
    assert!(
        accepted > batches * 10 && [each, decided, loops].iter().all(|count| *count > batches),
        "only {accepted} programs were accepted, {each} with `each`, {decided} with branches, {loops} with loops"
    );
    assert!(
        ranges > accepted * 100 && influences > accepted * 4,
        "{ranges} bounds, {influences} influences"
    );
    assert!(
        lowered > accepted * 4 && executed > accepted * 4,
        "{lowered} results of the intermediate representation, {executed} of the executor"
    );
}

/// Compares the values of runs with the bounds of the program; returns how many.
fn holds(case: &Case, instance: &Instance, random: &mut Random) -> usize {
    let mut bounds = Ranges::default();
    bounds.statements(&instance.program.statements);
    let mut count = 0;
    for _ in 0..30 {
        let before = machine(random);
        let immediate = random.below(16) as i128 - 8;
        let Some((_, seen)) = run(&case.steps, &before, immediate) else { continue };
        for ((start, end), range) in &bounds.found {
            // What a group declares is before the text.
            let Some(first) = (*start as usize).checked_sub(case.at) else { continue };
            let place = (first, *end as usize - case.at);
            let Some((low, high)) = seen.get(&place) else { continue };
            count += 1;
            let value = Interval::between(*low, *high);
            assert!(
                value.is_within(*range),
                "`{}` in `{}` is {value}, the compiler says {range}, with {before:?} and {immediate}",
                &case.text[place.0..place.1],
                case.text,
            );
        }
    }
    count
}

/// Changes registers one by one, and compares what changes with the derived data flow; returns how many changes were seen.
fn flows(case: &Case, instance: &Instance, random: &mut Random) -> usize {
    let accesses = &instance.effects.accesses;
    // The names of fields are numbered as they first appear, so registers and lists have the numbers 0 to 5.
    let is_read = |register: usize| {
        accesses.iter().any(|effect| {
            let is_it = matches!(effect.resource, Resource::Operand { field, .. } if field.index() == register);
            is_it && (!effect.is_write || effect.is_partial)
        })
    };
    let written: BTreeSet<u32> = accesses
        .iter()
        .filter(|effect| effect.is_write)
        .filter_map(|effect| match effect.resource {
            Resource::Register { number, .. } => number,
            _ => None,
        })
        .collect();
    let is_written = |register: usize| {
        accesses.iter().any(|effect| {
            effect.is_write
                && matches!(effect.resource, Resource::Operand { field, .. } if field.index() == register)
        })
    };
    // Only results can differ.
    let results = |of: &Machine| [of.registers[0], of.registers[4]];
    let mut count = 0;
    for _ in 0..10 {
        let before = machine(random);
        let immediate = random.below(16) as i128 - 8;
        let Some((after, _)) = run(&case.steps, &before, immediate) else { continue };
        for (register, name) in [(0, "rd"), (4, "le")] {
            let is_same = after.registers[register] == before.registers[register];
            assert!(is_same || is_written(register), "`{}` writes {name}", case.text);
        }
        for flag in 0..4 {
            let is_same = (after.flags ^ before.flags) >> flag & 1 == 0;
            assert!(is_same || written.contains(&flag), "`{}` writes FLAG[{flag}]", case.text);
        }
        for (register, name) in REGISTERS.into_iter().chain(LISTS).enumerate() {
            let mut changed = before.clone();
            changed.registers[register] ^= 1 << random.below(WIDTH as usize);
            let Some((other, _)) = run(&case.steps, &changed, immediate) else { continue };
            let mut wanted = after.clone();
            // A register that is not written keeps what it is.
            if !is_written(register) || after.registers[register] == before.registers[register] {
                wanted.registers[register] = other.registers[register];
            }
            let differs = results(&other) != results(&wanted) || other.flags != after.flags;
            count += 1;
            assert!(!differs || is_read(register), "`{}` depends on {name}", case.text);
        }
    }
    count
}
