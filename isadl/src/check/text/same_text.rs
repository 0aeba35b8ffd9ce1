//! W0911: two opcodes of one mnemonic or alias with an instruction each that is written as the same text.
//!
//! Operands and modifiers of two opcodes are laid side by side; where they may agree, an
//! instruction is built, printed, and read as the other opcode. Only what is confirmed so is
//! reported; what needs unusual values may be missed.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::engine::Engine;
use crate::isa::{
    Binding, Enumerator, Field, Immediate, Isa, Meaning, ModifierSyntax, NameId, Number,
    NumberFormat, Opcode, OpcodeId, OperandSyntax, Piece, Place, Print, Type, TypeId, TypeKind,
};

/// Opcodes before it that an opcode is compared with; it bounds the work where all are alike.
const MAX_COMPARED: usize = 64;

/// Of those the ones of which an instruction is built.
const MAX_BUILT: usize = 8;

/// Returns the opcodes that clash.
pub(super) fn check(
    context: &Context<'_, '_>,
    engine: &Engine<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<OpcodeId> {
    let isa = context.isa;
    let mut by_mnemonic: BTreeMap<&str, Vec<OpcodeId>> = BTreeMap::new();
    for id in isa.opcode_ids() {
        for mnemonic in isa.opcode(id).syntax.mnemonics() {
            by_mnemonic.entry(mnemonic).or_default().push(id);
        }
    }
    let mut clashing = Vec::new();
    // Those that share a mnemonic and an alias are told once.
    let mut told: HashSet<(OpcodeId, OpcodeId)> = HashSet::new();
    let mut kinds = Kinds { isa, known: HashMap::new(), meeting: Meeting::default() };
    for (mnemonic, group) in by_mnemonic.iter().filter(|(_, group)| group.len() > 1) {
        let shapes: Vec<Vec<Shape>> = group.iter().map(|id| kinds.shapes(*id)).collect();
        let meeting = &kinds.meeting;
        for (at, later) in group.iter().enumerate() {
            let from = at.saturating_sub(MAX_COMPARED);
            let may_clash = |before: &usize| may_clash(isa, group[*before], *later);
            let pairs = (from..at).filter(may_clash).map(|before| Pair {
                engine,
                isa,
                mnemonic,
                ids: (group[before], *later),
                shapes: (&shapes[before], &shapes[at]),
                meeting,
            });
            let alike = pairs.filter_map(|pair| Some((pair.rows()?, pair)));
            let clash = alike
                .take(MAX_BUILT)
                .find_map(|(rows, pair)| Some((pair.ids.0, pair.witness(&rows)?)));
            if let Some((earlier, text)) = clash.filter(|(first, _)| told.insert((*first, *later)))
            {
                clashing.extend([earlier, *later]);
                diagnostics.push(finding(context, (earlier, *later), (&text, mnemonic)));
            }
        }
    }
    clashing
}

/// Whether nothing says which of two opcodes of one mnemonic is meant. Of different widths it is
/// the shorter one, of forms the one without a literal.
fn may_clash(isa: &Isa, a: OpcodeId, b: OpcodeId) -> bool {
    let (a, b) = (isa.opcode(a), isa.opcode(b));
    let has_literal = |opcode: &Opcode| opcode.literal.is_some();
    a.width == b.width && has_literal(a) == has_literal(b) && a.name != b.name
}

fn finding(
    context: &Context<'_, '_>,
    (first, second): (OpcodeId, OpcodeId),
    (text, mnemonic): (&str, &str),
) -> Diagnostic {
    let (a, b) = (context.layer(first).name, context.layer(second).name);
    let is_printed = |id| context.isa.opcode(id).syntax.mnemonic == mnemonic;
    let (label, why) = match (is_printed(first), is_printed(second)) {
        (true, true) => (
            "prints the same text as the other",
            "the text cannot be assembled: more than one opcode fits",
        ),
        _ => (
            "may be written like the other",
            "both have the mnemonic or alias: only a line that one of them is printed as can be assembled",
        ),
    };
    let message = format!("`{text}` is an instruction of `{}` and of `{}`", a.text, b.text);
    Diagnostic::new(Code::W0911, message, b.span)
        .with_label(label)
        .with_related(a.span, "the other opcode")
        .with_note(why)
}

/// A way in which the text of a value may look, with a value that does.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sample {
    look: Look,
    raw: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Look {
    /// A prefix and a number.
    Registers(String),
    Name(String),
    /// Integers in decimal, so many; also floating-point numbers.
    Decimal(u32),
    Hexadecimal(u32),
    Binary(u32),
    /// A pattern in place of a floating-point number, which is not a number.
    Pattern,
    /// A composite that begins so.
    Composite(String),
    File(usize),
    Indirect(usize),
}

impl Look {
    /// The look by which those that it meets are found: patterns are hexadecimal numbers.
    fn key(&self) -> &Look {
        match self {
            Look::Pattern => &Look::Hexadecimal(1),
            look => look,
        }
    }
}

/// What an operand may look like.
struct Shape {
    is_optional: bool,
    samples: Rc<Samples>,
}

/// The looks of a type's values.
struct Samples {
    list: Vec<Sample>,
    /// The first of each look in the list.
    by_look: HashMap<Look, usize>,
}

impl Samples {
    fn new(list: Vec<Sample>) -> Rc<Samples> {
        let mut by_look = HashMap::new();
        for (index, sample) in list.iter().enumerate() {
            by_look.entry(sample.look.key().clone()).or_insert(index);
        }
        Rc::new(Samples { list, by_look })
    }

    /// The first that meets a look.
    fn find(&self, look: &Look) -> Option<&Sample> {
        self.by_look.get(look.key()).map(|index| &self.list[*index])
    }
}

/// Which samples meet, asked once for each pair.
#[derive(Default)]
struct Meeting {
    known: RefCell<HashMap<(*const Samples, *const Samples), bool>>,
}

impl Meeting {
    /// Whether two operands may look the same.
    fn meet(&self, a: &Shape, b: &Shape) -> bool {
        let key = (Rc::as_ptr(&a.samples), Rc::as_ptr(&b.samples));
        let found = || a.samples.list.iter().any(|own| b.samples.find(&own.look).is_some());
        *self.known.borrow_mut().entry(key).or_insert_with(found)
    }
}

/// The looks of types, each found once.
struct Kinds<'i> {
    isa: &'i Isa,
    known: HashMap<(TypeId, Option<TypeId>), Rc<Samples>>,
    meeting: Meeting,
}

impl Kinds<'_> {
    fn shapes(&mut self, id: OpcodeId) -> Vec<Shape> {
        let opcode = self.isa.opcode(id);
        let operands = opcode.syntax.operands.iter();
        operands
            .map(|operand| Shape {
                is_optional: operand.is_optional,
                samples: self.samples(opcode, operand),
            })
            .collect()
    }

    fn samples(&mut self, opcode: &Opcode, operand: &OperandSyntax) -> Rc<Samples> {
        let one = |look| Samples::new(vec![Sample { look, raw: 0 }]);
        match operand.place(opcode) {
            Place::File(file) => one(Look::File(file.index())),
            Place::Indirect { file, .. } => one(Look::Indirect(file.index())),
            Place::Field(name) => {
                let Some(field) = opcode.field(name) else { return Samples::new(Vec::new()) };
                if let Binding::Fixed(raw) = field.binding {
                    let mut samples = looks(self.isa, self.isa.ty(field.ty), None);
                    samples.iter_mut().for_each(|sample| sample.raw = raw);
                    return Samples::new(samples);
                }
                let format = operand.format.and_then(|name| Some(opcode.field(name)?.ty));
                let samples = self.known.entry((field.ty, format)).or_insert_with(|| {
                    let format = format.map(|format| self.isa.ty(format));
                    Samples::new(looks(self.isa, self.isa.ty(field.ty), format))
                });
                Rc::clone(samples)
            }
        }
    }
}

/// The looks of a type's values; the values of `format` may select other formats of a number.
fn looks(isa: &Isa, ty: &Type, format: Option<&Type>) -> Vec<Sample> {
    match &ty.kind {
        TypeKind::BitField(_) => Vec::new(),
        TypeKind::Immediate(immediate) => {
            let selected = format.map_or(&[][..], values).iter().filter_map(|value| value.format);
            let formats = selected.chain([immediate.number]);
            formats.flat_map(|number| numbers(immediate, number)).collect()
        }
        TypeKind::Operand(entries) => {
            let sample = |entry: &crate::isa::Entry| Sample {
                look: match &entry.meaning {
                    Meaning::Registers { prefix, .. } => Look::Registers(prefix.clone()),
                    Meaning::Integers { .. } => Look::Decimal(1),
                    _ => Look::Name(entry.name_at(0)),
                },
                raw: entry.value,
            };
            entries.iter().map(sample).collect()
        }
        TypeKind::Composite(composite) => match composite.format.first() {
            Some(Piece::Text(text)) => {
                vec![Sample { look: Look::Composite(text.clone()), raw: 0 }]
            }
            Some(Piece::Part(part)) => {
                let part = isa.ty(composite.parts[*part].ty);
                vec![Sample { look: Look::Composite(format!("{:?}", part.name)), raw: 0 }]
            }
            None => Vec::new(),
        },
    }
}

fn numbers(immediate: &Immediate, format: NumberFormat) -> Vec<Sample> {
    let lanes = format.lanes;
    match format.number {
        Number::Float { exponent, fraction } => {
            let lane = 1 + exponent + fraction;
            let quiet = ((1u64 << (exponent + 1)) - 1) << (fraction - 1);
            let all = (0..lanes).fold(0, |all, index| all | quiet << (index * lane));
            vec![
                Sample { look: Look::Decimal(lanes), raw: 0 },
                Sample { look: Look::Pattern, raw: all },
            ]
        }
        Number::Unsigned | Number::Signed => {
            let look = match immediate.print {
                Print::Decimal => Look::Decimal(lanes),
                Print::Hex | Print::UpperHex | Print::Bits => Look::Hexadecimal(lanes),
                Print::Binary => Look::Binary(lanes),
            };
            vec![Sample { look, raw: 0 }]
        }
    }
}

/// Two opcodes and what their operands look like.
struct Pair<'p> {
    engine: &'p Engine<'p>,
    isa: &'p Isa,
    /// The mnemonic, or alias, that both have.
    mnemonic: &'p str,
    ids: (OpcodeId, OpcodeId),
    shapes: (&'p [Shape], &'p [Shape]),
    meeting: &'p Meeting,
}

/// What is at one place of a text: an element of each list, or of one that may lack it.
type Row = (Option<usize>, Option<usize>);

impl Pair<'_> {
    /// The operands side by side, if they may look the same.
    fn rows(&self) -> Option<Vec<Row>> {
        let (a, b) = self.shapes;
        side_by_side(
            (a.len(), b.len()),
            |at| a[at].is_optional,
            |at| b[at].is_optional,
            |p, o| self.meeting.meet(&a[p], &b[o]),
        )
    }

    /// A text that is canonical for both.
    fn witness(&self, operands: &[Row]) -> Option<String> {
        let modifiers = self.modifiers()?;
        [false, true].into_iter().find_map(|last| self.confirm(operands, &modifiers, last))
    }

    fn opcodes(&self) -> (&Opcode, &Opcode) {
        (self.isa.opcode(self.ids.0), self.isa.opcode(self.ids.1))
    }

    /// Values of the first opcode's modifiers that the second can be written with, too.
    fn modifiers(&self) -> Option<Vec<(NameId, u64)>> {
        let (first, second) = self.opcodes();
        let (a, b) = (&first.syntax.modifiers, &second.syntax.modifiers);
        let value = |p: usize, o: usize| self.common((first, &a[p]), (second, &b[o]));
        let rows = side_by_side(
            (a.len(), b.len()),
            |at| a[at].absent.is_some(),
            |at| b[at].absent.is_some(),
            |p, o| value(p, o).is_some(),
        )?;
        let chosen = rows.into_iter().filter_map(|(p, o)| {
            let modifier = &a[p?];
            let raw = match o {
                Some(o) => value(p?, o)?,
                None => modifier.absent?,
            };
            Some((modifier.field, raw))
        });
        Some(chosen.collect())
    }

    /// A value of a modifier that another one can be written as.
    fn common(
        &self,
        (first, a): (&Opcode, &ModifierSyntax),
        (second, b): (&Opcode, &ModifierSyntax),
    ) -> Option<u64> {
        let written = |opcode: &Opcode, modifier: &ModifierSyntax| {
            opcode.field(modifier.field).map(|field| written(self.isa, field))
        };
        let others = written(second, b)?;
        let own = written(first, a)?;
        let same = |value: &&&Enumerator| others.iter().any(|o| o.spelling == value.spelling);
        own.iter().find(same).map(|value| value.value)
    }

    /// Builds the first opcode's instruction and reads its text as the second.
    fn confirm(&self, operands: &[Row], modifiers: &[(NameId, u64)], last: bool) -> Option<String> {
        let (first, second) = self.opcodes();
        let mut given = modifiers.to_vec();
        for (p, o) in operands {
            let (Some(p), Some(o)) = (*p, *o) else { continue };
            let samples = shared(&self.shapes.0[p], &self.shapes.1[o]);
            let sample = if last { samples.last() } else { samples.first() };
            let operand = &first.syntax.operands[p];
            let other = &second.syntax.operands[o];
            self.operand(operand, sample?.raw, other, &mut given);
        }
        if let Some(guard) = first.syntax.guard.as_ref().filter(|guard| !guard.is_optional) {
            self.operand(guard, 0, guard, &mut given);
        }
        let inst = self.engine.encode(self.ids.0, &given).ok()?;
        let text =
            self.engine.text(self.engine.decode(inst.word).ok().filter(|found| *found == inst)?);
        let text = text.replacen(&first.syntax.mnemonic, self.mnemonic, 1);
        let again = self.engine.read_as(self.ids.1, &text)?;
        let is_canonical = [first, second].map(|o| o.syntax.mnemonic == self.mnemonic) == [true; 2];
        let is_shared = !is_canonical || self.engine.text(again) == text;
        (is_shared && self.engine.read_as(self.ids.0, &text)? == inst).then_some(text)
    }

    /// The fields of an operand that is written, with attributes that the other may have, too.
    fn operand(
        &self,
        operand: &OperandSyntax,
        raw: u64,
        other: &OperandSyntax,
        given: &mut Vec<(NameId, u64)>,
    ) {
        let (first, second) = self.opcodes();
        match operand.place(first) {
            Place::File(_) => {}
            Place::Field(name) => given.push((name, raw)),
            Place::Indirect { base, offset, .. } => {
                let fields = [Some(base), offset].into_iter().flatten();
                let free = fields.filter(|name| is_required(first, *name));
                given.extend(free.map(|name| (name, 0)));
            }
        }
        let marks = operand.marks.iter().filter(|mark| is_required(first, mark.field));
        given.extend(marks.map(|mark| (mark.field, 0)));
        for suffix in operand.suffixes.iter().filter(|suffix| suffix.absent.is_none()) {
            let value =
                other.suffixes.iter().find_map(|o| self.common((first, suffix), (second, o)));
            given.extend(value.map(|value| (suffix.field, value)));
        }
    }
}

fn is_required(opcode: &Opcode, name: NameId) -> bool {
    opcode.field(name).is_some_and(|field| field.binding == Binding::Required)
}

fn values(ty: &Type) -> &[Enumerator] {
    match &ty.kind {
        TypeKind::BitField(values) => values,
        _ => &[],
    }
}

/// The values that a modifier may be written with.
fn written<'i>(isa: &'i Isa, field: &Field) -> Vec<&'i Enumerator> {
    let is_possible = |value: &&Enumerator| match field.binding {
        Binding::Fixed(raw) => value.value == raw,
        _ => true,
    };
    let values = values(isa.ty(field.ty)).iter();
    values.filter(is_possible).filter(|value| !value.spelling.is_empty()).collect()
}

/// The samples of an operand that may be those of another: the values of whichever is not a
/// number, where one is.
fn shared(a: &Shape, b: &Shape) -> Vec<Sample> {
    let mut found = Vec::new();
    for sample in &a.samples.list {
        let other = b.samples.find(&sample.look);
        found.extend(other.map(|other| match other.look {
            Look::Pattern => other.clone(),
            _ => sample.clone(),
        }));
    }
    found
}

/// Lays two lists side by side, elements that meet at one place; those that may be absent are
/// left out where that works.
fn side_by_side(
    (left, right): (usize, usize),
    may_lack_left: impl Fn(usize) -> bool,
    may_lack_right: impl Fn(usize) -> bool,
    meet: impl Fn(usize, usize) -> bool,
) -> Option<Vec<Row>> {
    // Whether the elements from one on can be laid side by side.
    let mut can = vec![vec![false; right + 1]; left + 1];
    can[left][right] = true;
    for p in (0..=left).rev() {
        for o in (0..=right).rev() {
            can[p][o] |= p < left && may_lack_left(p) && can[p + 1][o]
                || o < right && may_lack_right(o) && can[p][o + 1]
                || p < left && o < right && can[p + 1][o + 1] && meet(p, o);
        }
    }
    if !can[0][0] {
        return None;
    }
    let mut rows = Vec::new();
    let (mut p, mut o) = (0, 0);
    while (p, o) != (left, right) {
        if p < left && may_lack_left(p) && can[p + 1][o] {
            rows.push((Some(p), None));
            p += 1;
        } else if o < right && may_lack_right(o) && can[p][o + 1] {
            rows.push((None, Some(o)));
            o += 1;
        } else {
            rows.push((Some(p), Some(o)));
            (p, o) = (p + 1, o + 1);
        }
    }
    Some(rows)
}
