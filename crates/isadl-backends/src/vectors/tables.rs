//! The vectors as JSON and as a table.

use std::collections::BTreeMap;

use isadl_ir::isa::Family;
use isadl_runtime::hex::write_bytes;
use serde::Serialize;

use super::{Missing, Vector, Vectors};

/// The schema of `vectors.json`, JSON Schema 2020-12.
pub const SCHEMA: &str = include_str!("vectors.schema.json");

#[derive(Serialize)]
struct Document<'v> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    isa: &'v str,
    generations: &'v [String],
    coverage: BTreeMap<&'static str, [usize; 3]>,
    vectors: Vec<Row<'v>>,
    impossible: Vec<Goal<'v>>,
    undecided: Vec<Goal<'v>>,
}

#[derive(Serialize)]
struct Row<'v> {
    opcode: &'v str,
    number: u16,
    literal: bool,
    generations: &'v [String],
    status: &'static str,
    rule: Option<Rule<'v>>,
    bytes: String,
    text: Option<&'v str>,
    reads_back: bool,
    fields: BTreeMap<&'v str, String>,
    uses: &'v [String],
    goal: &'v str,
}

#[derive(Serialize)]
struct Rule<'v> {
    kind: &'v str,
    message: &'v str,
}

#[derive(Serialize)]
struct Goal<'v> {
    opcode: &'v str,
    generations: &'v [String],
    goal: &'v str,
}

fn row(vector: &Vector) -> Row<'_> {
    let fields = vector.fields.iter();
    Row {
        opcode: &vector.opcode,
        number: vector.number,
        literal: vector.literal,
        generations: &vector.generations,
        status: vector.status.as_str(),
        rule: vector.rule.as_ref().map(|(kind, message)| Rule { kind, message }),
        bytes: write_bytes(&vector.bytes),
        text: vector.text.as_deref(),
        reads_back: vector.reads_back,
        fields: fields.map(|(name, raw)| (name.as_str(), format!("0x{raw:x}"))).collect(),
        uses: &vector.uses,
        goal: &vector.goal,
    }
}

fn goal(missing: &Missing) -> Goal<'_> {
    Goal { opcode: &missing.opcode, generations: &missing.generations, goal: &missing.goal }
}

/// One object; each vector is a line.
pub(super) fn json(family: &Family, found: &Vectors) -> String {
    let coverage = found.coverage;
    let counts =
        [("values", coverage.values), ("pairs", coverage.pairs), ("rules", coverage.rules)];
    let document = Document {
        schema: "vectors.schema.json",
        isa: family.first().name(),
        generations: family.generations(),
        coverage: counts
            .into_iter()
            .map(|(name, count)| (name, [count.goals, count.met, count.impossible]))
            .collect(),
        vectors: found.vectors.iter().map(row).collect(),
        impossible: found.impossible.iter().map(goal).collect(),
        undecided: found.undecided.iter().map(goal).collect(),
    };
    // Strings and numbers always serialize.
    serde_json::to_string(&document).unwrap_or_default() + "\n"
}

fn yes_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_string()
}

/// One row per vector; the first line names the columns.
pub(super) fn tsv(found: &Vectors) -> String {
    let mut text =
        "opcode\tliteral\tgenerations\tstatus\tbytes\ttext\treads_back\tfields\tuses\trule\tgoal\n"
            .to_string();
    for vector in &found.vectors {
        let fields = vector.fields.iter().map(|(name, raw)| format!("{name}=0x{raw:x}"));
        let cells = [
            vector.opcode.clone(),
            yes_no(vector.literal),
            vector.generations.join(" "),
            vector.status.as_str().to_string(),
            write_bytes(&vector.bytes),
            vector.text.clone().unwrap_or_default(),
            yes_no(vector.reads_back),
            fields.collect::<Vec<_>>().join(" "),
            vector.uses.join("; "),
            vector.rule.as_ref().map_or_else(String::new, |(kind, _)| kind.clone()),
            vector.goal.clone(),
        ];
        let cells = cells.map(|cell| cell.replace(['\t', '\n', '\r'], " "));
        text += &cells.join("\t");
        text.push('\n');
    }
    text
}
