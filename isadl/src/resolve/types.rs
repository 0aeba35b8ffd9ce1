//! Types: values of enumerators, runs of registers, number formats, parts.
//!
//! Codes: E0301, E0302, W0303, E0304, E0306, E0307, E0308, E0309, E0310.

use std::collections::{BTreeMap, HashMap};

use super::Resolver;
use crate::ast::{self, DefinitionKind, File, Ident, OperandMeaning, RegisterRole};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{
    Composite, ConstantBits, Entry, Enumerator, Immediate, Meaning, Number, NumberFormat, Part,
    Piece, Print, Type, TypeId, TypeKind,
};
use crate::model;
use crate::source::Span;

impl<'a> Resolver<'a, '_> {
    /// All types. Names are entered first: a composite may use a type that comes later.
    pub(super) fn types(&mut self, files: &'a [File<'a>]) {
        let mut accepted = Vec::new();
        for definition in files.iter().flat_map(|file| &file.definitions) {
            let width = match &definition.kind {
                DefinitionKind::BitFieldType(ty) => ty.width,
                DefinitionKind::OperandType(ty) => ty.width,
                DefinitionKind::Immediate(ty) => ty.width,
                DefinitionKind::Composite(ty) => ty.width,
                _ => continue,
            };
            let id = TypeId(accepted.len() as u32);
            if self.define(|index| &mut index.types, definition.name, id, "type") {
                accepted.push((definition, width));
            }
        }
        for (definition, width) in &accepted {
            let ty = Type {
                name: definition.name.text.to_string(),
                width: self.type_width(*width),
                kind: TypeKind::BitField(Vec::new()),
                description: crate::prose::description(&definition.prose),
            };
            self.model.types.push(model::Type { name: definition.name, ty });
        }
        // Composites last: they ask about the values of other types.
        let is_composite = |kind: &DefinitionKind<'_>| matches!(kind, DefinitionKind::Composite(_));
        accepted_in_order(&accepted, |kind| !is_composite(kind))
            .chain(accepted_in_order(&accepted, is_composite))
            .for_each(|(index, definition)| {
                let width = self.model.types[index].ty.width;
                let header = definition.header;
                self.model.types[index].ty.kind = match &definition.kind {
                    DefinitionKind::BitFieldType(ty) => self.enumeration(header, ty, width),
                    DefinitionKind::OperandType(ty) => self.operand_type(header, ty, width),
                    DefinitionKind::Immediate(ty) => self.immediate(header, ty, width),
                    DefinitionKind::Composite(ty) => self.composite(header, ty, width),
                    _ => return,
                };
            });
    }

    fn enumeration(&mut self, header: Span, ty: &'a ast::BitFieldType<'a>, width: u32) -> TypeKind {
        let limit: i128 = 1 << width;
        let mut list: Vec<Enumerator> = Vec::new();
        let mut names: HashMap<&str, Span> = HashMap::new();
        let mut values: HashMap<i128, Ident<'a>> = HashMap::new();
        let mut next: i128 = 0;
        let mut overflowed = false;
        for given in &ty.enumerators {
            if let Some(first) = names.insert(given.name.text, given.name.span) {
                self.duplicate_name(given.name, first);
                continue;
            }
            let value = given.value.map_or(next, |value| value.value);
            next = value.saturating_add(1);
            if value >= limit {
                // All that follow a value too large are too large as well: one error.
                if given.value.is_some() || !overflowed {
                    self.value_too_large(given, value, width);
                }
                overflowed = given.value.is_none();
                continue;
            }
            if let Some(first) = values.insert(value, given.name) {
                let diagnostic = Diagnostic::new(
                    Code::W0303,
                    format!("value {value} is used twice"),
                    given.name.span,
                )
                .with_related(first.span, format!("`{}` has it too", first.text))
                .with_note("a word with this value is always printed with the first name");
                self.report(diagnostic);
            }
            list.push(Enumerator {
                name: given.name.text.to_string(),
                value: value as u64,
                spelling: given
                    .spelling
                    .map_or(given.name.text, |spelling| spelling.text)
                    .to_string(),
                format: given.format.as_ref().and_then(|format| self.number_format(format, None)),
                doc: given.doc.join(" "),
            });
        }
        if ty.enumerators.is_empty() {
            let diagnostic = Diagnostic::new(Code::E0307, "bit-field type without values", header)
                .with_help("write its values below it, `NAME;` or `NAME = value;`");
            self.report(diagnostic);
        }
        hide_negatives(&mut list, ty);
        TypeKind::BitField(list)
    }

    fn duplicate_name(&mut self, name: Ident<'a>, first: Span) {
        let diagnostic = Diagnostic::new(
            Code::E0304,
            format!("`{}` is named twice in this type", name.text),
            name.span,
        )
        .with_related(first, "the first is here")
        .with_help("rename one of the two");
        self.report(diagnostic);
    }

    fn value_too_large(&mut self, given: &ast::Enumerator<'a>, value: i128, width: u32) {
        let largest = (1i128 << width) - 1;
        let diagnostic = match given.value {
            Some(int) => Diagnostic::new(
                Code::E0302,
                format!("value {value} does not fit in {width} bits"),
                int.span,
            )
            .with_label(format!("the largest is {largest}")),
            None => Diagnostic::new(
                Code::E0301,
                format!("too many values for {width} bits"),
                given.name.span,
            )
            .with_label(format!("this would be {value}, the largest is {largest}"))
            .with_help("widen the type, or give the values explicitly"),
        };
        self.report(diagnostic);
    }

    fn operand_type(&mut self, header: Span, ty: &'a ast::OperandType<'a>, width: u32) -> TypeKind {
        let mut entries = Vec::new();
        let mut taken: BTreeMap<u64, (u64, Span)> = BTreeMap::new();
        let mut names: HashMap<&str, Span> = HashMap::new();
        for given in &ty.entries {
            if let OperandMeaning::Run { name, .. } | OperandMeaning::Named { name, .. } =
                &given.meaning
                && let Some(first) = names.insert(name.text, name.span)
            {
                self.duplicate_name(*name, first);
                continue;
            }
            let Some(entry) = self.operand_entry(given, width) else { continue };
            // What is taken is disjoint, so only the run that starts last before the end can clash.
            let last = entry.value + (entry.count - 1);
            let before = taken.range(..=last).next_back();
            if let Some((start, (_, first))) = before.filter(|(_, (end, _))| *end >= entry.value) {
                let value = entry.value.max(*start);
                let diagnostic = Diagnostic::new(
                    Code::E0309,
                    format!("value {value} has two meanings"),
                    given.span,
                )
                .with_related(*first, "it is taken here already")
                .with_note("a decoder could not tell which is meant");
                self.report(diagnostic);
                continue;
            }
            taken.insert(entry.value, (last, given.span));
            entries.push(entry);
        }
        if ty.entries.is_empty() {
            let diagnostic = Diagnostic::new(Code::E0307, "operand type without values", header)
                .with_help("say what its values mean, such as `R[0..254] = 0 : GPR;`");
            self.report(diagnostic);
        }
        TypeKind::Operand(entries)
    }

    fn operand_entry(&mut self, given: &'a ast::OperandEntry<'a>, width: u32) -> Option<Entry> {
        let file = match given.file {
            Some(name) => Some(self.reg_file_of(name)?),
            None => None,
        };
        let (meaning, count) = match &given.meaning {
            OperandMeaning::Run { name, first, last } => {
                let Some(file) = file else {
                    return self.impossible_run(
                        given.span,
                        "a run of registers needs a register file behind `:`",
                    );
                };
                if last.value < first.value {
                    return self.impossible_run(last.span, "the last register is below the first");
                }
                let registers = i128::from(self.model.reg_files[file.index()].count);
                if last.value >= registers {
                    let message =
                        format!("the register file has {registers} registers, numbered from 0");
                    return self.impossible_run(last.span, &message);
                }
                self.index.prefixes.entry(name.text).or_insert(file);
                let meaning = Meaning::Registers {
                    file,
                    prefix: name.text.to_string(),
                    first: first.value as u32,
                };
                (meaning, last.value - first.value + 1)
            }
            OperandMeaning::Named { name, role } => (self.named(*name, *role, file)?, 1),
            OperandMeaning::Integers { first, last } => {
                let step = if last.value < first.value { -1 } else { 1 };
                let meaning = Meaning::Integers { first: i64::try_from(first.value).ok()?, step };
                (meaning, (last.value - first.value).abs() + 1)
            }
            OperandMeaning::Float(text) => (Meaning::Float(text.text.to_string()), 1),
        };
        if given.value.value + count > 1 << width {
            let message = format!(
                "the values {} to {} do not fit in {width} bits",
                given.value.value,
                given.value.value + count - 1
            );
            return self.impossible_run(given.value.span, &message);
        }
        Some(Entry { value: given.value.value as u64, count: count as u64, meaning })
    }

    fn impossible_run(&mut self, span: Span, why: &str) -> Option<Entry> {
        self.report(Diagnostic::new(Code::E0306, why, span));
        None
    }

    fn named(
        &mut self,
        name: Ident<'a>,
        role: Option<RegisterRole>,
        file: Option<crate::isa::RegFileId>,
    ) -> Option<Meaning> {
        let text = name.text.to_string();
        Some(match (role, file) {
            (Some(RegisterRole::Nothing), _) => Meaning::Nothing(text),
            (_, None) => Meaning::Special(text),
            (Some(RegisterRole::Zero), Some(file)) => {
                Meaning::Constant { file, name: text, bits: ConstantBits::Zero }
            }
            (Some(RegisterRole::One), Some(file)) => {
                Meaning::Constant { file, name: text, bits: ConstantBits::One }
            }
            (Some(RegisterRole::Index(number)), Some(file)) => {
                let registers = i128::from(self.model.reg_files[file.index()].count);
                if number.value >= registers {
                    let message =
                        format!("the register file has {registers} registers, numbered from 0");
                    self.impossible_run(number.span, &message);
                    return None;
                }
                Meaning::Register { file, name: text, number: number.value as u32 }
            }
            (None, Some(_)) => {
                let message =
                    format!("`{text}` needs `zero`, `one` or `[number]` behind the register file");
                self.impossible_run(name.span, &message);
                return None;
            }
        })
    }

    fn immediate(&mut self, header: Span, ty: &'a ast::Immediate<'a>, width: u32) -> TypeKind {
        let number = match &ty.number {
            Some(format) => self.number_format(format, Some(width)),
            None => {
                let diagnostic = Diagnostic::new(Code::E0307, "immediate without `Number`", header)
                    .with_help("add `Number = unsigned;`, `Number = signed;` or `Number = float<exponent, fraction>;`");
                self.report(diagnostic);
                None
            }
        };
        let print = match ty.print {
            None => Print::Decimal,
            Some(word) if word.text == "decimal" => Print::Decimal,
            Some(word) if word.text == "hex" => Print::Hex,
            Some(word) => {
                let diagnostic = Diagnostic::new(
                    Code::E0307,
                    format!("`{}` is no way to print a number", word.text),
                    word.span,
                )
                .with_note("it is `decimal` or `hex`")
                .with_suggestion(word.text, ["decimal", "hex"]);
                self.report(diagnostic);
                Print::Decimal
            }
        };
        let number = number.unwrap_or(NumberFormat { number: Number::Unsigned, lanes: 1 });
        TypeKind::Immediate(Immediate { number, print })
    }

    /// A number format; `width` is the room it must fit, where that is known.
    fn number_format(
        &mut self,
        given: &ast::NumberFormat,
        width: Option<u32>,
    ) -> Option<NumberFormat> {
        let lanes = given.lanes.value;
        let room = i128::from(width.unwrap_or(crate::isa::MAX_FIELD_BITS));
        let (number, bits) = match given.number {
            ast::Number::Unsigned => (Number::Unsigned, 1),
            ast::Number::Signed => (Number::Signed, 1),
            ast::Number::Float { exponent, fraction } => {
                if !(2..=11).contains(&exponent.value) || !(1..=52).contains(&fraction.value) {
                    let diagnostic = Diagnostic::new(
                        Code::E0308,
                        "impossible floating-point format",
                        given.span,
                    )
                    .with_label("the exponent has 2 to 11 bits, the fraction 1 to 52");
                    self.report(diagnostic);
                    return None;
                }
                let (exponent, fraction) = (exponent.value as u32, fraction.value as u32);
                (Number::Float { exponent, fraction }, i128::from(1 + exponent + fraction))
            }
        };
        if lanes < 1 || bits.saturating_mul(lanes) > room {
            let diagnostic =
                Diagnostic::new(Code::E0308, "number format is wider than its type", given.span)
                    .with_label(format!("{lanes} lanes of at least {bits} bits in {room} bits"));
            self.report(diagnostic);
            return None;
        }
        Some(NumberFormat { number, lanes: lanes as u32 })
    }

    fn composite(&mut self, header: Span, ty: &'a ast::Composite<'a>, width: u32) -> TypeKind {
        let mut parts: Vec<Part> = Vec::new();
        let mut names: HashMap<&str, Span> = HashMap::new();
        let mut taken: Vec<(u128, Span)> = Vec::new();
        for given in &ty.parts {
            let Some(part_ty) = self.type_of(given.type_name) else { continue };
            if let Some(first) = names.insert(given.name.text, given.name.span) {
                self.duplicate_name(given.name, first);
                continue;
            }
            if let Some(problem) = self.part_problem(given, part_ty, width, &taken) {
                self.report(problem);
                continue;
            }
            let lsb = given.lsb.value as u32;
            taken.push((crate::isa::low_bits(given.width.value as u32) << lsb, given.span));
            parts.push(Part { name: given.name.text.to_string(), lsb, ty: part_ty });
        }
        let format = match ty.format {
            Some(format) => self.pieces(format, &parts),
            None => {
                let diagnostic = Diagnostic::new(Code::E0307, "composite without `Format`", header)
                    .with_help(
                        "say how it is written, such as `Format = \"c[{bank}][{offset}]\";`",
                    );
                self.report(diagnostic);
                Vec::new()
            }
        };
        TypeKind::Composite(Composite { parts, format })
    }

    fn part_problem(
        &self,
        given: &'a ast::Field<'a>,
        ty: TypeId,
        width: u32,
        taken: &[(u128, Span)],
    ) -> Option<Diagnostic> {
        let (lsb, bits) = (given.lsb.value, given.width.value);
        let wrong = |message: String| Some(Diagnostic::new(Code::E0310, message, given.span));
        let part_type = self.model.ty(ty);
        if i128::from(part_type.width) != bits {
            return wrong(format!(
                "part of {bits} bits, but `{}` has {}",
                part_type.name, part_type.width
            ));
        }
        if lsb + bits > i128::from(width) {
            return wrong(format!("part leaves the composite, which has {width} bits"));
        }
        if matches!(part_type.kind, TypeKind::Composite(_)) || part_type.name == given.name.text {
            return wrong("a part cannot be a composite itself".to_string());
        }
        if !part_type.holes().is_empty() {
            return wrong(format!(
                "a part cannot be of `{}`, which has illegal values",
                part_type.name
            ));
        }
        if given.binding.is_some() || given.control.is_some() {
            return wrong("a part has neither a value nor a role of its own".to_string());
        }
        let mask = crate::isa::low_bits(bits as u32) << lsb;
        let (_, first) = taken.iter().find(|(other, _)| other & mask != 0)?;
        wrong("parts overlap".to_string()).map(|d| d.with_related(*first, "shares bits with this"))
    }

    fn pieces(&mut self, format: Ident<'a>, parts: &[Part]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut rest = format.text;
        let mut missing: Vec<bool> = vec![true; parts.len()];
        while let Some((text, behind)) = rest.split_once('{') {
            if !text.is_empty() {
                pieces.push(Piece::Text(text.to_string()));
            }
            let Some((name, behind)) = behind.split_once('}') else { break };
            match parts.iter().position(|part| part.name == name) {
                Some(index) => {
                    missing[index] = false;
                    pieces.push(Piece::Part(index));
                }
                None => {
                    let diagnostic = Diagnostic::new(
                        Code::E0310,
                        format!("`{{{name}}}` names no part"),
                        format.span,
                    )
                    .with_suggestion(name, parts.iter().map(|part| &part.name));
                    self.report(diagnostic);
                    missing.fill(false);
                }
            }
            rest = behind;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_string()));
        }
        if let Some(index) = missing.iter().position(|missing| *missing) {
            let message = format!("the format does not show part `{}`", parts[index].name);
            let diagnostic = Diagnostic::new(Code::E0310, message, format.span)
                .with_help(format!("add `{{{}}}`", parts[index].name));
            self.report(diagnostic);
        }
        pieces
    }
}

/// The accepted definitions of some kinds with their indexes.
fn accepted_in_order<'d, 'a>(
    accepted: &'d [(&'a ast::Definition<'a>, ast::Int)],
    wanted: impl Fn(&DefinitionKind<'a>) -> bool + 'd,
) -> impl Iterator<Item = (usize, &'a ast::Definition<'a>)> + 'd {
    let all = accepted.iter().map(|(definition, _)| *definition).enumerate();
    all.filter(move |(_, definition)| wanted(&definition.kind))
}

/// A name that is `No` and another one's name is never written, unless it has a spelling.
fn hide_negatives(list: &mut [Enumerator], given: &ast::BitFieldType<'_>) {
    let names: Vec<String> = list.iter().map(|e| e.name.clone()).collect();
    for enumerator in list {
        let spelt = given
            .enumerators
            .iter()
            .any(|e| e.name.text == enumerator.name && e.spelling.is_some());
        let negates = enumerator
            .name
            .strip_prefix("No")
            .is_some_and(|rest| names.iter().any(|name| name == rest));
        if negates && !spelt {
            enumerator.spelling.clear();
        }
    }
}
