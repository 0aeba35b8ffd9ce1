//! Composites: their parts, and how these are written.
//!
//! Codes: E0304, E0307, E0310.

use std::collections::HashMap;

use super::Subject;
use super::format::{self, ListShape, Shape};
use crate::ast::{self, Ident};
use crate::diagnostic::{Code, Diagnostic, Old, bits};

use crate::isa::{
    Bits, Composite, CompositeSegment, Part, Run, TypeId, TypeKind, bit_ranges, low_bits,
};
use crate::model;
use crate::resolve::Resolver;
use crate::source::Span;

/// The parts of a composite so far.
#[derive(Default)]
struct Parts<'a> {
    list: Vec<Part>,
    /// The place of each name, and the part, unless it was reported.
    names: HashMap<&'a str, (Span, Option<usize>)>,
    /// The bits of each part.
    taken: Vec<(u128, Span)>,
}

impl<'a> Resolver<'a, '_> {
    pub(super) fn composite(
        &mut self,
        subject: Subject<'a>,
        ty: &'a ast::Composite<'a>,
    ) -> TypeKind {
        let mut parts = Parts::default();
        for given in &ty.parts {
            let part = self.part(subject, given, &mut parts);
            if part.is_none() {
                self.gap(subject);
            }
        }
        let broken = &subject.definition.broken;
        let header = subject.definition.header;
        if ty.parts.is_empty() && !broken.has("field") {
            let diagnostic = Diagnostic::new(Code::E0307, "composite without parts", header)
                .with_help("add parts, such as `field<0, 8> UImm8 offset;`");
            self.report(diagnostic);
        } else if !self.model.types[subject.id.index()].has_gaps {
            self.check_coverage(subject, &parts);
        }
        let format = match ty.format {
            Some(format) => self.pieces(subject, format, &parts),
            None if broken.has("Format") => Vec::new(),
            None => {
                let diagnostic = Diagnostic::new(Code::E0307, "composite without `Format`", header)
                    .with_help("add its text, such as `Format = \"c[{bank}][{offset}]\";`");
                self.report(diagnostic);
                Vec::new()
            }
        };
        TypeKind::Composite(Composite { parts: parts.list, format })
    }

    /// Adds a part; `None` if it was reported.
    fn part(
        &mut self,
        subject: Subject<'a>,
        given: &'a ast::Field<'a>,
        parts: &mut Parts<'a>,
    ) -> Option<()> {
        let ty = self.type_of(given.type_name);
        if let Some((first, _)) = parts.names.get(given.name.text) {
            let first = *first;
            self.duplicate_name(given.name, first, "in this type");
            return None;
        }
        parts.names.insert(given.name.text, (given.name.span, None));
        let ty = ty?;
        if let Some(problem) = self.part_problem(subject, given, ty, parts) {
            self.model.unresolved.insert(given.type_name.text);
            self.report(problem);
            return None;
        }
        let bits = self.bits_of_part(subject, given);
        parts.names.insert(given.name.text, (given.name.span, Some(parts.list.len())));
        parts.taken.push((model::mask(&given.bits), given.span));
        parts.list.push(Part { name: given.name.text.to_string(), bits, ty });
        Some(())
    }

    /// The bits of a part in its composite, which is numbered like a word.
    fn bits_of_part(&self, subject: Subject<'a>, given: &ast::Field<'_>) -> Bits {
        let Some(width) = subject.width.filter(|_| self.model.is_msb0()) else {
            return model::bits(&given.bits);
        };
        let lowest = |(low, count): (i128, i128)| u32::try_from(i128::from(width) - low - count);
        let run = |piece: (i128, i128)| {
            let (lsb, width) = (lowest(piece).ok()?, u32::try_from(piece.1).ok()?);
            Some(Run { lsb, width })
        };
        Bits::new(given.bits.pieces().filter_map(run))
    }

    fn part_problem(
        &self,
        subject: Subject<'a>,
        given: &'a ast::Field<'a>,
        ty: TypeId,
        parts: &Parts<'a>,
    ) -> Option<Diagnostic> {
        let width = given.bits.width();
        let wrong = |message: String| Some(Diagnostic::new(Code::E0310, message, given.span));
        let part_type = &self.model.types[ty.index()];
        let name = part_type.name.text;
        if matches!(part_type.ty.kind, TypeKind::Composite(_)) {
            return wrong("a part cannot be a composite itself".to_string());
        }
        if let Some(needed) = part_type.width.filter(|needed| i128::from(*needed) != width) {
            let given = bits(u64::try_from(width).unwrap_or(u64::MAX));
            return wrong(format!("the part has {given}, but its type `{name}` has {needed}"));
        }
        let room = subject.width.unwrap_or(crate::isa::MAX_FIELD_BITS);
        if given.bits.end() > i128::from(room) {
            return wrong(format!(
                "the part exceeds the composite, which has {}",
                bits(room.into())
            ));
        }
        if !part_type.has_gaps && !part_type.ty.reserved_values().is_empty() {
            return wrong(format!(
                "a part cannot have the type `{name}`, which has illegal values"
            ));
        }
        if given.binding.is_some() || given.control.is_some() {
            return wrong("a part cannot have a value or be a control field".to_string());
        }
        let mask = model::mask(&given.bits);
        let (_, first) = parts.taken.iter().find(|(other, _)| other & mask != 0)?;
        wrong("parts overlap".to_string()).map(|d| d.with_related(*first, "shares bits with this"))
    }

    fn check_coverage(&mut self, subject: Subject<'a>, parts: &Parts<'a>) {
        let Some(width) = subject.width else { return };
        let covered = parts.taken.iter().fold(0, |bits, (mask, _)| bits | mask);
        let free = low_bits(width) & !covered;
        if free != 0 {
            let message = format!("no part covers {}", bit_ranges(free, self.model.is_msb0()));
            let diagnostic = Diagnostic::new(Code::E0310, message, subject.definition.header)
                .with_note("a composite is written by its parts, so each of its bits must belong to a part")
                .with_help("add a part, or narrow the composite");
            self.report(diagnostic);
        }
    }

    /// The format as pieces; every part must be in it.
    fn pieces(
        &mut self,
        subject: Subject<'a>,
        format: Ident<'a>,
        parts: &Parts<'a>,
    ) -> Vec<CompositeSegment> {
        let shapes = match format::shapes(format) {
            Ok(shapes) => shapes,
            Err(problem) => {
                self.report(Diagnostic::new(Code::E0310, problem.message, problem.span));
                return Vec::new();
            }
        };
        let mut shown = vec![false; parts.list.len()];
        let mut pieces = Vec::new();
        for shape in shapes {
            match shape {
                Shape::Text(text) => pieces.push(CompositeSegment::Text(text)),
                Shape::Part(name) => match parts.names.get(name.text) {
                    Some((_, Some(index))) => {
                        shown[*index] = true;
                        pieces.push(CompositeSegment::Part(*index));
                    }
                    Some((_, None)) => {}
                    None => {
                        self.no_part(subject, name, parts);
                        shown.fill(true);
                    }
                },
                Shape::Next(name, _) => self.only_of_fields(name.span),
                Shape::Optional(_, span) | Shape::List(ListShape { span, .. }) => {
                    self.only_of_fields(span)
                }
            }
        }
        if let Some(hidden) = shown.iter().position(|shown| !shown) {
            let name = &parts.list[hidden].name;
            let message = format!("the format does not show part `{name}`");
            let diagnostic = Diagnostic::new(Code::E0310, message, format.span).with_change(
                format!("add `{{{name}}}`"),
                Old::Span(Span { start: format.span.end, ..format.span }),
                format!("{{{name}}}"),
            );
            self.report(diagnostic);
        }
        pieces
    }

    fn only_of_fields(&mut self, span: Span) {
        let message = "the format of a composite cannot leave out or change parts";
        let help =
            "make the parts fields of the instruction, and write them by `Operand<…> = \"…\";`";
        self.report(Diagnostic::new(Code::E0310, message, span).with_help(help));
    }

    fn no_part(&mut self, subject: Subject<'a>, name: Ident<'a>, parts: &Parts<'a>) {
        if subject.definition.broken.words().contains(name.text) {
            return;
        }
        let message = format!("`{}` is not a part", name.text);
        let diagnostic = Diagnostic::new(Code::E0310, message, name.span);
        let known = || parts.list.iter().map(|part| part.name.clone()).collect();
        let diagnostic = self.suggest_value(diagnostic, name.text, known);
        self.report(diagnostic);
    }
}
