//! Word tables of the engine: the opcode of a word, the conditions that make it illegal, and its fields.

mod checks;
mod conditions;
pub(in crate::image) mod gather;
mod lookup;

use std::collections::HashSet;

use isadl_engine::fields::IN_PIECES;
use isadl_engine::image::{
    ATTRIBUTE, CONTROL, Case, Computed, Condition, DEFAULT, Expr, FIXED, Field, FieldPiece,
    HAS_CONDITIONS, INDIRECT, Leaf, MNEMONIC, MODIFIER, NEVER, Node, OF_FIELD, OF_FILE, OF_MEMORY,
    OPERAND, Operand, PART, Pattern, REQUIRED, Row, Rule, Span, Sum, Term, Width, Words, slice,
};
use isadl_engine::word::Word;

use super::columns::part;
use super::rows::{Rows, field_pieces};
use super::shared::{Shared, Slices};
use crate::isa::{
    self, Access, Binding, Coexistence, ExtensionCondition, FieldRole, NameId, Opcode,
    OperandLocation, RuleScope, find_set_of, low_bits,
};
use checks::Lanes;
use conditions::Conditions;
pub(super) use lookup::Choice;
use lookup::{Candidate, Known, Lookups};

part! {
    /// [`Words`] with their tables.
    OwnedWords for Words;
    own {
        /// The fields that are identified by numbers, in the order of these numbers.
        pub field_names: Vec<NameId>,
        /// The names of special cases, in the order of their numbers.
        pub case_names: Vec<String>,
        lanes: Lanes,
    }
    columns {
        mask: Word,
        roots: Vec<Node>,
        split: u32,
        depth: u8,
        compares: bool,
        has_overlaps: bool,
        ignores_bits: bool,
        table: Vec<u32>,
        nodes: Vec<Node>,
        leaves: Vec<Leaf>,
        patterns: Vec<Pattern>,
        matched: Vec<u32>,
        significant: Vec<Word>,
        written: Vec<Word>,
        sums: Vec<Sum>,
        pub(super) conditions: Vec<Condition>,
        pub(super) truth: Vec<u64>,
        rows: Vec<Row>,
        fields: Vec<Field>,
        reserved_values: Vec<(u64, u64)>,
        rules: Vec<Rule>,
        cases: Vec<Case>,
        operands: Vec<Operand>,
        computed: Vec<Computed>,
        sequences: Vec<Expr>,
        encodings: Vec<u16>,
        presence: Vec<Span>,
        case_presence: Vec<Span>,
        terms: Vec<Term>,
        pub(super) exprs: Vec<Expr>,
        pub(super) numbers: Vec<i128>,
        pub(super) scattered: Vec<Span>,
        pub(super) pieces: Vec<FieldPiece>,
    }
    seen |part| {
        has_chains: part.leaves.iter().any(|leaf| leaf.next != 0),
        shares_words: part.has_overlaps || part.split != 0 || !part.presence.is_empty(),
        is_irregular: part.has_overlaps || !part.written.is_empty(),
        has_conditions: part.leaves.iter().any(|leaf| leaf.conditions != 0),
        lanes: part.lanes.count() as u8,
        lane_starts: part.lanes.starts(),
    }
}

impl OwnedWords {
    /// The tables of an instruction set; expressions and fields in pieces are filled in when all parts are made.
    pub(super) fn of(rows: &mut Rows<'_>, choice: Choice) -> OwnedWords {
        let mut builder = Builder::new(rows);
        let opcodes: Vec<&Opcode> = rows.numbered().map(|(_, opcode)| opcode).collect();
        for opcode in &opcodes {
            builder.row(rows, opcode);
        }
        for (_, text) in rows.texts().filter(|(_, text)| text.alias.is_some()) {
            let terms = builder.terms(&text.opcode.requires);
            builder.presence.push(terms);
        }
        builder.finish(rows, &opcodes, choice)
    }

    /// The operands of all rows, in lists.
    pub fn operands(&self) -> &[Operand] {
        &self.operands
    }

    /// The location of a field as rows encode it; 0 for bits that no field has.
    pub fn place(&self, bits: &isa::Bits) -> u16 {
        if let Some(run) = bits.as_one() {
            return run.lsb as u16;
        }
        let pieces = field_pieces(bits);
        let is_this = |span: &Span| slice(&self.pieces, *span) == pieces;
        let found = self.scattered.iter().position(is_this);
        found.map_or(0, |number| IN_PIECES + number as u16)
    }
}

/// The sets of extensions that opcodes need, each once; the first are all sets.
fn presences(rows: &Rows<'_>) -> Vec<ExtensionCondition> {
    let mut all = vec![ExtensionCondition::always()];
    for (_, opcode) in rows.numbered() {
        if !all.contains(&opcode.requires) {
            all.push(opcode.requires.clone());
        }
    }
    all
}

/// No rows.
const NONE: Span = (0, 0);

struct Builder {
    field_names: Vec<NameId>,
    case_names: Shared<String>,
    lanes: Lanes,
    checks: Shared<Vec<Sum>>,
    conditions: Conditions,
    rows: Vec<Row>,
    /// The leaves of rows, their fixed bits, and the bits that are kept of their words.
    leaves: Vec<Leaf>,
    patterns: Vec<Pattern>,
    matched: Vec<u32>,
    significant: Vec<Word>,
    written: Vec<Word>,
    fields: Slices<Field>,
    reserved_values: Slices<(u64, u64)>,
    rules: Slices<Rule>,
    /// Special cases, and the sets of extensions that have them.
    cases: Slices<(Case, Span)>,
    operands: Slices<Operand>,
    /// The sets of extensions that have each row.
    presence: Vec<Span>,
    terms: Slices<Term>,
    /// Each condition once; the first belongs to opcodes that all sets have.
    presences: Vec<ExtensionCondition>,
    /// Conditions that every allowed set meets.
    allowed: Vec<ExtensionCondition>,
}

impl Builder {
    fn new(rows: &Rows<'_>) -> Builder {
        let fields = rows.numbered().flat_map(|(_, opcode)| &opcode.fields);
        let mut field_names: Vec<NameId> = fields.map(|field| field.name).collect();
        field_names.sort_unstable();
        field_names.dedup();
        Builder {
            field_names,
            case_names: Shared::default(),
            lanes: Lanes::of(rows),
            checks: Shared::default(),
            conditions: Conditions::new(),
            leaves: vec![Leaf(0, 0, 0, 0, 0)],
            // The first pattern matches no word: a bit outside the mask cannot be 1.
            patterns: vec![Pattern(0, 1)],
            matched: Vec::new(),
            significant: vec![0],
            written: vec![0],
            rows: vec![Row(0, 0, 0, 0, NONE, NONE, NONE, NONE, NONE, 0, 0)],
            fields: Slices::default(),
            reserved_values: Slices::default(),
            rules: Slices::default(),
            cases: Slices::default(),
            operands: Slices::default(),
            presence: vec![NONE],
            terms: Slices::default(),
            presences: presences(rows),
            allowed: rows.isa.extensions().conditions(),
        }
    }

    fn terms(&mut self, presence: &ExtensionCondition) -> Span {
        let terms = presence.terms().iter();
        self.terms.add(terms.map(|term| Term(term.needed, term.excluded)).collect())
    }

    /// The term of [`Leaf::term`](struct@Leaf) for these terms.
    fn term(&mut self, terms: Span) -> u32 {
        let term = if terms.1 == 1 { terms } else { self.terms.add(vec![NEVER]) };
        term.0
    }

    fn row(&mut self, rows: &mut Rows<'_>, opcode: &Opcode) {
        let (mut sums, others) = self.lanes.sums(rows, opcode);
        let conditions = self.conditions.of(rows, opcode, &others, RuleScope::Word);
        let advice = self.conditions.of(rows, opcode, &[], RuleScope::Assembler);
        let rules = opcode.rules.iter().map(|id| {
            let rule = rows.isa.rule(*id);
            let expr = rows.expr(opcode, rows.isa.expr(rule.condition));
            Rule(id.index() as u16, expr, rule.scope == RuleScope::Assembler)
        });
        let rules = self.rules.add(rules.collect());
        let fields = opcode.fields.iter().map(|field| self.field(rows, field)).collect();
        let width_mask = opcode.width_mask;
        let cases = opcode.special_cases.iter().map(|case| {
            let name = self.case_names.add(case.name.clone()) as u16;
            // A special case that every set with the opcode has is always present.
            let is_implied = case.requires.not().is_some_and(|lacks| {
                let all: Vec<&ExtensionCondition> =
                    self.allowed.iter().chain([&lacks, &opcode.requires]).collect();
                !case.requires.is_always() && find_set_of(&all) == Some(None)
            });
            let always = ExtensionCondition::always();
            let requires = if is_implied { &always } else { &case.requires };
            (Case(case.mask & width_mask, case.value & width_mask, name), self.terms(requires))
        });
        let cases = cases.collect();
        let cases = self.cases.add(cases);
        let presence = self.terms(&opcode.requires);
        self.presence.push(presence);
        let operands = self.operands(rows, opcode, &opcode.operands);
        let implicit = self.operands(rows, opcode, &opcode.implicit);
        let generations = rows.generations.iter().enumerate();
        let has = |index: usize| rows.generations.len() == 1 || opcode.generations.contains(index);
        let generations =
            generations.filter(|(_, index)| has(**index)).fold(0, |bits, (bit, _)| bits | 1 << bit);
        if let Some(first) = sums.first_mut().filter(|_| conditions != 0) {
            first.addend |= HAS_CONDITIONS;
            first.carry |= HAS_CONDITIONS;
        }
        let sums = (self.checks.add(sums) * self.lanes.count()) as u32;
        let term = self.term(presence);
        self.leaves.push(Leaf { row: self.rows.len() as u32, next: 0, sums, conditions, term });
        self.patterns.push(Pattern(opcode.mask, opcode.value));
        self.matched.extend(opcode.has_match.then_some(self.patterns.len() as u32 - 1));
        self.significant.push(opcode.kept() & opcode.width_mask);
        self.written.push(opcode.written);
        self.rows.push(Row {
            opcode: opcode.number,
            width: opcode.width as u8,
            conditions,
            advice,
            fields: self.fields.add(fields),
            rules,
            cases,
            operands,
            implicit,
            generations,
            rank: Rows::rank(opcode),
        });
    }

    fn field(&mut self, rows: &mut Rows<'_>, field: &isa::Field) -> Field {
        let (lsb, width) = rows.place(&field.bits);
        let reserved_values = rows.reserved_values(field.ty).iter();
        let reserved_values = self
            .reserved_values
            .add(reserved_values.map(|(first, end)| (*first, (end - 1) as u64)).collect());
        let (binding, default) = match field.binding {
            Binding::Required => (REQUIRED, 0),
            Binding::Default(raw) => (DEFAULT, raw),
            Binding::Fixed(_) => (FIXED, 0),
        };
        let (role, of) = match field.role {
            FieldRole::Operand => (OPERAND, 0),
            FieldRole::Modifier => (MODIFIER, 0),
            FieldRole::Mnemonic => (MNEMONIC, 0),
            FieldRole::Control => (CONTROL, 0),
            FieldRole::Attribute { of } => (ATTRIBUTE, self.name(of)),
            FieldRole::Part { of } => (PART, self.name(of)),
        };
        Field {
            name: self.name(field.name),
            lsb,
            width,
            binding,
            default,
            reserved_values,
            ty: field.ty.index() as u16,
            role,
            of,
        }
    }

    /// The number of the name of an opcode's field.
    fn name(&self, name: NameId) -> u16 {
        // INVARIANT: every field of an opcode is among the names.
        self.field_names.binary_search(&name).unwrap_or_default() as u16
    }

    fn operands(
        &mut self,
        rows: &mut Rows<'_>,
        opcode: &Opcode,
        operands: &[isa::Operand],
    ) -> Span {
        let operands = operands.iter().map(|operand| {
            let (place, field, file, offset) = match operand.place {
                OperandLocation::Field(name) if addresses_memory(rows.isa, opcode, name) => {
                    (OF_MEMORY, Some(name), None, None)
                }
                OperandLocation::Field(name) => (OF_FIELD, Some(name), None, None),
                OperandLocation::File(file) => (OF_FILE, None, Some(file), None),
                OperandLocation::Indirect { file, base, offset } => {
                    (INDIRECT, Some(base), Some(file), offset)
                }
            };
            let access = match operand.access {
                Access::None => 0,
                Access::Read => 1,
                Access::Write => 2,
                Access::ReadWrite => 3,
            };
            let field = field.and_then(|name| opcode.field(name));
            let (lsb, width) = field.map_or((0, 0), |field| rows.place(&field.bits));
            let data = match operand.width {
                _ if place == OF_MEMORY => {
                    field.map_or(Width(0, 0), |field| rows.accessed(opcode, field.name))
                }
                Some(_) => rows.width(opcode, operand.width),
                None => Width(rows.natural_width(opcode, operand.place), 0),
            };
            Operand {
                place,
                access,
                ty: field.map_or(0, |field| field.ty.index() as u16),
                field: field.map_or(0, |field| self.name(field.name)),
                lsb,
                width,
                file: file.map_or(0, |file| file.index() as u16),
                offset: offset.map_or(0, |offset| self.name(offset) + 1),
                data,
            }
        });
        let operands = operands.collect();
        self.operands.add(operands)
    }

    fn finish(self, rows: &mut Rows<'_>, opcodes: &[&Opcode], choice: Choice) -> OwnedWords {
        let mask = low_bits(rows.isa.width());
        let candidates: Vec<Vec<Candidate>> =
            (0..rows.generations.len()).map(|number| self.candidates(opcodes, number)).collect();
        let has_extensions = rows.texts().any(|(_, text)| !text.opcode.requires.is_always());
        let mut together = Coexistence::of(rows.isa);
        let mut exclusive = HashSet::new();
        for a in self.presences.iter().enumerate() {
            let others = self.presences.iter().enumerate().take(a.0);
            exclusive.extend(others.filter(|b| !together.may(a.1, b.1)).map(|b| [b.0, a.0]));
        }
        let known = Known { exclusive: &exclusive, conditions: &self.conditions };
        let lookups = Lookups::of((&self.leaves, &self.patterns), &candidates, known, choice);
        let kept = |leaf: &Leaf| self.significant[leaf.row as usize];
        let significant: Vec<Word> = lookups.leaves.iter().map(kept).collect();
        let written = match self.written.iter().any(|bits| *bits != 0) {
            true => self.written,
            false => Vec::new(),
        };
        let (computed, sequences, encodings) = computed(rows);
        let (cases, case_presence) = self.cases.into_rows().into_iter().unzip();
        OwnedWords {
            field_names: self.field_names,
            case_names: self.case_names.into_list(),
            mask,
            roots: lookups.roots,
            split: lookups.split,
            depth: lookups.depth,
            compares: lookups.compares,
            has_overlaps: lookups.has_overlaps,
            ignores_bits: self.significant.iter().skip(1).any(|kept| *kept != mask),
            lanes: self.lanes,
            table: lookups.table,
            nodes: lookups.nodes,
            leaves: lookups.leaves,
            patterns: lookups.patterns,
            matched: self.matched,
            significant,
            written,
            sums: self.checks.into_list().concat(),
            conditions: self.conditions.list,
            truth: self.conditions.truth,
            rows: self.rows,
            fields: self.fields.into_rows(),
            reserved_values: self.reserved_values.into_rows(),
            rules: self.rules.into_rows(),
            cases,
            operands: self.operands.into_rows(),
            computed,
            sequences,
            encodings,
            presence: if has_extensions { self.presence } else { Vec::new() },
            case_presence: if has_extensions { case_presence } else { Vec::new() },
            terms: if has_extensions { self.terms.into_rows() } else { Vec::new() },
            exprs: Vec::new(),
            numbers: Vec::new(),
            scattered: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// The candidates for words of a generation: its rows, and special cases that a selection leaves out.
    fn candidates(&self, opcodes: &[&Opcode], generation: usize) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut left_out: Vec<Pattern> = Vec::new();
        for (at, opcode) in opcodes.iter().enumerate() {
            let number = at as u32 + 1;
            let row = &self.rows[number as usize];
            if row.generations >> generation & 1 == 0 {
                continue;
            }
            let leaf = self.leaves[number as usize];
            let found = self.presences.iter().position(|known| *known == opcode.requires);
            let presence = found.unwrap_or_default();
            let (mask, value, has_match) = (opcode.mask, opcode.value, opcode.has_match);
            candidates.push(Candidate { mask, value, has_match, presence, leaf });
            let absent = opcode.special_cases.iter().filter(|case| !case.is_present);
            left_out.extend(absent.map(|case| Pattern(case.mask, case.value)));
        }
        left_out.sort_unstable();
        left_out.dedup();
        let leaf = Leaf(0, 0, 0, 0, 0);
        candidates.extend(left_out.into_iter().map(|Pattern { mask, value }| Candidate {
            mask,
            value,
            has_match: false,
            presence: 0,
            leaf,
        }));
        candidates
    }
}

/// Whether an operand is memory that an opcode accesses.
pub(in crate::image) fn addresses_memory(isa: &isa::Isa, opcode: &Opcode, name: NameId) -> bool {
    let is_composite =
        |field: &isa::Field| matches!(isa.ty(field.ty).kind, isa::TypeKind::Composite(_));
    opcode.field(name).is_some_and(is_composite)
        && opcode.flow.iter().any(|item| item.place == isa::FlowPlace::Field(name))
}

/// Computed numbers, their expressions in sequence, and the bits that they have: empty where no type has such numbers.
fn computed(rows: &mut Rows<'_>) -> (Vec<Computed>, Vec<Expr>, Vec<u16>) {
    let (mut computed, mut encodings) = (Vec::new(), Slices::default());
    let mut sequences = Slices::default();
    for (of, width) in super::rows::computed(rows.isa) {
        if computed.is_empty() {
            computed.push(Computed(0, (0, 0), (0, 0), 0));
        }
        let expr = rows.expr_of_bits(width, &of.expr);
        let nodes = sequences.add(rows.sequence(expr));
        let legal = of.legal();
        computed.push(match (legal.first(), step(legal)) {
            (Some(first), Some(step)) => {
                Computed(expr, nodes, (u32::from(*first), legal.len() as u32), step)
            }
            _ => Computed(expr, nodes, encodings.add(legal.to_vec()), 0),
        });
    }
    (computed, sequences.into_rows(), encodings.into_rows())
}

/// The constant difference of consecutive bits, 1 or -1, if all differ by it.
fn step(bits: &[u16]) -> Option<i8> {
    let is_run =
        |step: i32| bits.windows(2).all(|pair| i32::from(pair[1]) - i32::from(pair[0]) == step);
    match bits.len() {
        0..=1 => None,
        _ => [1, -1].into_iter().find(|step| is_run(*step)).map(|step| step as i8),
    }
}
