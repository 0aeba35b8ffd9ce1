//! `isadl prove`: proof results about the encoding, generation by generation.

use std::fmt::Write;
use std::time::Instant;

use isadl::isa::{Isa, Opcode, SpecialCase};
use isadl::prove::{Effort, Proof};
use serde::Serialize;

use crate::args::{Format, Prove};
use crate::{Failure, Outcome, check, json, report};

/// The assumptions of the proofs.
const ASSUMPTIONS: [&str; 5] = [
    "words are read from their first byte; bits after an instruction belong to the next instruction",
    "a special case takes every word that has its fixed bits, even words that it makes illegal",
    "rules for assemblers do not make a word illegal",
    "rules use the 128-bit arithmetic that LANGUAGE.md defines",
    "a text is read back as the same word, except for shorter encodings, ignored bits, names of one register, and numbers with a canonical encoding",
];

pub(crate) fn run(options: &Prove) -> Outcome {
    let input = &options.input;
    let mut failed = false;
    for set in check::sets(&input.paths)? {
        let start = Instant::now();
        let (_, compilation) =
            check::compile_with(&set.paths, input, (Effort::Full, &options.fixed))?;
        let seconds = start.elapsed().as_secs_f64();
        failed |= compilation.diagnostics.has_errors();
        let isas: Vec<&Isa> = compilation.family.iter().flat_map(|f| f.isas()).collect();
        for (at, proof) in compilation.proofs.iter().enumerate() {
            let cases = isas.get(at).map_or(Vec::new(), |isa| cases(isa));
            match input.format {
                Format::Json => report::print(&json::line(&Object::of(proof, cases, seconds))?)?,
                Format::Sarif => {}
                Format::Human | Format::Short | Format::Github => {
                    report::print(&text(proof, &cases))?;
                }
            }
        }
        match input.format {
            Format::Json | Format::Sarif => {}
            Format::Human | Format::Short | Format::Github => report::print(&footer(seconds))?,
        }
    }
    if failed { Err(Failure::Input) } else { Ok(()) }
}

/// A special case with the words that it takes.
#[derive(Serialize)]
struct Case<'i> {
    /// The opcode whose words these would be.
    opcode: &'i str,
    special_case: &'i str,
    /// The bits of its words: `0`, `1`, or `-` for either, from the highest.
    pattern: String,
    /// Words that have these bits: 2 to this power.
    free_bits: u32,
}

fn cases<'i>(isa: &'i Isa) -> Vec<Case<'i>> {
    let of = |opcode: &'i Opcode| opcode.special_cases.iter().map(move |case| (opcode, case));
    let cases = isa.opcodes().iter().flat_map(of);
    let case = |(opcode, case): (&'i Opcode, &'i SpecialCase)| Case {
        opcode: &opcode.name,
        special_case: &case.name,
        pattern: pattern(case.mask, case.value, case.width),
        free_bits: case.width - case.mask.count_ones(),
    };
    cases.map(case).collect()
}

/// The bits of a word from the highest, in groups of eight.
fn pattern(mask: u128, value: u128, width: u32) -> String {
    let mut text = String::new();
    for bit in (0..width).rev() {
        text.push(match (mask >> bit & 1, value >> bit & 1) {
            (0, _) => '-',
            (_, 0) => '0',
            _ => '1',
        });
        if bit % 8 == 0 && bit > 0 {
            text.push(' ');
        }
    }
    text
}

#[derive(Serialize)]
struct Object<'p> {
    instruction_set: &'p str,
    generations: &'p [String],
    /// Whether every question was decided, and no error found.
    proven: bool,
    opcodes: u64,
    opcodes_with_words: u64,
    pairs: u64,
    pairs_apart_by_bits: u64,
    pairs_with_special_case: u64,
    pairs_apart_by_values: u64,
    pairs_never_together: u64,
    pairs_in_conflict: u64,
    pairs_not_decided: u64,
    rules: u64,
    rules_of_use: u64,
    operands_examined: u64,
    pairs_of_mnemonics: u64,
    shared_texts: u64,
    texts_not_read_back: u64,
    texts_not_decided: u64,
    not_decided: u64,
    questions: u64,
    operators: u64,
    operators_per_question: u64,
    operators_in_total: u64,
    assumptions: [&'static str; 5],
    special_cases: Vec<Case<'p>>,
    /// Seconds for all generations, with reading and the other checks.
    seconds: f64,
}

impl<'p> Object<'p> {
    fn of(proof: &'p Proof, special_cases: Vec<Case<'p>>, seconds: f64) -> Object<'p> {
        Object {
            instruction_set: &proof.isa,
            generations: &proof.generations,
            proven: proof.is_complete() && proof.conflicts == 0,
            opcodes: proof.opcodes,
            opcodes_with_words: proof.alive,
            pairs: proof.pairs,
            pairs_apart_by_bits: proof.bit_pairs(),
            pairs_with_special_case: proof.special_pairs,
            pairs_apart_by_values: proof.value_pairs,
            pairs_never_together: proof.exclusive_pairs,
            pairs_in_conflict: proof.conflicts,
            pairs_not_decided: proof.pairs_left,
            rules: proof.rules,
            rules_of_use: proof.useful_rules,
            operands_examined: proof.values,
            pairs_of_mnemonics: proof.text_pairs,
            shared_texts: proof.texts_shared,
            texts_not_read_back: proof.texts_lost,
            texts_not_decided: proof.texts_open,
            not_decided: proof.open,
            questions: proof.questions,
            operators: proof.operators,
            operators_per_question: Effort::Full.per_question(),
            operators_in_total: Effort::Full.in_total(),
            assumptions: ASSUMPTIONS,
            special_cases,
            seconds,
        }
    }
}

fn text(proof: &Proof, cases: &[Case<'_>]) -> String {
    let mut out = String::new();
    let of = match proof.generations.as_slice() {
        [] => proof.isa.clone(),
        names => format!("{}, {}", proof.isa, names.join(", ")),
    };
    let verdict = match (proof.conflicts, proof.is_complete()) {
        (1.., _) => "opcodes share words",
        (0, true) if proof.texts_shared + proof.texts_lost > 0 => {
            "every word is legal for at most one opcode, but not every text identifies one"
        }
        (0, true) => "every word is legal for at most one opcode, and every text identifies one",
        (0, false) => "not everything is proven",
    };
    let _ = writeln!(out, "{of}: {verdict}");
    let mut line = |count: u64, what: &str| {
        let _ = writeln!(out, "{count:>12} {what}");
    };
    line(proof.pairs, "pairs of opcodes, of which");
    line(proof.bit_pairs(), "differ in a bit that both fix");
    line(proof.special_pairs, "are an opcode and a special case of it");
    line(
        proof.value_pairs,
        "share words, but types, rules or special cases exclude every legal one",
    );
    if proof.exclusive_pairs > 0 {
        line(proof.exclusive_pairs, "share words, but no set of extensions has both");
    }
    line(proof.conflicts, "share a legal word");
    line(proof.pairs_left, "are not decided");
    line(proof.opcodes, "opcodes, of which");
    line(proof.alive, "have a legal word that no special case takes");
    line(proof.rules, "rules, of which");
    line(proof.useful_rules, "exclude a word that nothing else excludes");
    line(proof.values, "operands of opcodes with known values");
    line(proof.text_pairs, "pairs of mnemonics that begin alike, of which");
    line(proof.texts_shared, "belong to opcodes that are reported to share a text");
    line(proof.texts_lost, "findings of texts that are not read back");
    line(proof.texts_open, "texts are not decided");
    line(proof.open, "further questions that are not decided");
    line(proof.questions, "questions were asked, for which");
    line(proof.operators, "operators of rules were evaluated");
    if !cases.is_empty() {
        let _ = writeln!(out, "  special cases, and the words that they take:");
    }
    for case in cases {
        let _ = writeln!(
            out,
            "    {} of {}: 2^{} words {}",
            case.special_case, case.opcode, case.free_bits, case.pattern
        );
    }
    out
}

fn footer(seconds: f64) -> String {
    let mut out = String::from("assumptions:\n");
    for assumption in ASSUMPTIONS {
        let _ = writeln!(out, "  {assumption}");
    }
    let _ = writeln!(
        out,
        "budget: {} operators for a question, {} for a generation; time: {seconds:.2} s with reading",
        Effort::Full.per_question(),
        Effort::Full.in_total()
    );
    out
}
