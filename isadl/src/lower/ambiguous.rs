//! Texts that two places of an instruction can share, so that the written text must distinguish
//! them.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::isa::{
    CompositeSegment, Entry, LITERAL, Meaning, OperandLocation, RegFileId, TypeId, TypeKind,
};
use crate::model::Model;

/// A set of texts that an operand may be written as.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Shape {
    /// A prefix and a number.
    Registers(String),
    Name(String),
    Number,
    /// A composite that begins with literal text.
    Composite(String),
    File(RegFileId),
    Indirect(RegFileId),
}

impl Shape {
    fn meets(&self, other: &Shape) -> bool {
        match (self, other) {
            (Shape::Composite(a), Shape::Composite(b)) => {
                a.starts_with(b.as_str()) || b.starts_with(a.as_str())
            }
            _ => self == other,
        }
    }
}

/// The texts that types share, computed once for each pair of types.
pub(super) struct Texts<'m, 'a> {
    model: &'m Model<'a>,
    operands: RefCell<HashMap<(TypeId, TypeId), bool>>,
    modifiers: RefCell<HashMap<(TypeId, TypeId), bool>>,
}

/// An operand: its place and the type of its field.
type Operand = (OperandLocation, Option<TypeId>);

impl<'m, 'a> Texts<'m, 'a> {
    pub(super) fn new(model: &'m Model<'a>) -> Texts<'m, 'a> {
        Texts { model, operands: RefCell::default(), modifiers: RefCell::default() }
    }

    /// Whether a text may be an operand at either place.
    pub(super) fn may_be_either(&self, a: Operand, b: Operand) -> bool {
        match (a, b) {
            ((OperandLocation::Field(_), Some(a)), (OperandLocation::Field(_), Some(b))) => {
                let found = || meet(&of_type(self.model, a), &of_type(self.model, b));
                *self.operands.borrow_mut().entry((a, b)).or_insert_with(found)
            }
            _ => meet(&shapes(self.model, a), &shapes(self.model, b)),
        }
    }

    /// Whether two values of the modifier types are written alike.
    pub(super) fn share_spelling(&self, a: TypeId, b: TypeId) -> bool {
        let found = || {
            let written = |ty: TypeId| match &self.model.ty(ty).kind {
                TypeKind::BitField(values) => values.as_slice(),
                _ => &[],
            };
            let words = |ty| {
                let words = written(ty).iter().flat_map(|v| v.also.iter().chain([&v.spelling]));
                words.map(String::as_str)
            };
            let spellings: HashSet<&str> = words(a).filter(|text| !text.is_empty()).collect();
            // A modifier made of fields begins with a text.
            let begin = |ty: TypeId| match &self.model.ty(ty).kind {
                TypeKind::Composite(composite) => match composite.format.first() {
                    Some(CompositeSegment::Text(text)) => Some(text.as_str()),
                    _ => None,
                },
                _ => None,
            };
            let begins = begin(a).zip(begin(b));
            begins.is_some_and(|(a, b)| a.starts_with(b) || b.starts_with(a))
                || words(b).any(|word| spellings.contains(word))
        };
        *self.modifiers.borrow_mut().entry((a, b)).or_insert_with(found)
    }
}

/// Whether some text belongs to both.
fn meet(a: &[Shape], b: &[Shape]) -> bool {
    // Prefixes of composites can match without being equal; there are few of them.
    let composites = |shapes: &[Shape]| -> Vec<Shape> {
        shapes.iter().filter(|shape| matches!(shape, Shape::Composite(_))).cloned().collect()
    };
    let (own, others) = (composites(a), composites(b));
    let known: HashSet<&Shape> = a.iter().collect();
    b.iter().any(|shape| known.contains(shape))
        || own.iter().any(|shape| others.iter().any(|other| shape.meets(other)))
}

fn shapes(model: &Model<'_>, (place, ty): Operand) -> Vec<Shape> {
    match place {
        OperandLocation::File(file) => vec![Shape::File(file)],
        OperandLocation::Indirect { file, .. } => vec![Shape::Indirect(file)],
        OperandLocation::Field(_) => ty.map_or(Vec::new(), |ty| of_type(model, ty)),
    }
}

fn of_type(model: &Model<'_>, ty: TypeId) -> Vec<Shape> {
    let mut shapes = of_names(model, ty);
    let other = model.ty(ty).otherwise.as_ref();
    shapes.extend(other.into_iter().flat_map(|other| of_type(model, other.ty)));
    shapes
}

fn of_names(model: &Model<'_>, ty: TypeId) -> Vec<Shape> {
    match &model.ty(ty).kind {
        TypeKind::BitField(values) => {
            let words = values.iter().flat_map(|value| value.also.iter().chain([&value.spelling]));
            words.map(|word| Shape::Name(word.clone())).collect()
        }
        TypeKind::Immediate(_) => vec![Shape::Number],
        TypeKind::Operand(entries) => {
            let others =
                entries.iter().flat_map(|entry| &entry.also).map(|other| match other.first {
                    Some(_) => Shape::Registers(other.text.clone()),
                    None => Shape::Name(other.text.clone()),
                });
            let first = |entry: &Entry| match &entry.spelling {
                Some(spelling) => Shape::Name(spelling.clone()),
                None => of_meaning(&entry.meaning),
            };
            entries.iter().map(first).chain(others).collect()
        }
        TypeKind::Composite(composite) => {
            let shapes = |piece: &CompositeSegment| match piece {
                CompositeSegment::Text(text) => {
                    vec![Shape::Composite(text.trim_start().to_string())]
                }
                CompositeSegment::Part(part) | CompositeSegment::Next(part, _) => {
                    of_type(model, composite.parts[*part].ty)
                }
                CompositeSegment::Optional { .. } | CompositeSegment::Otherwise { .. } => {
                    Vec::new()
                }
            };
            composite.first().into_iter().flat_map(shapes).collect()
        }
    }
}

fn of_meaning(meaning: &Meaning) -> Shape {
    match meaning {
        Meaning::Registers { prefix, .. } => Shape::Registers(prefix.clone()),
        Meaning::Register { name, .. }
        | Meaning::Constant { name, .. }
        | Meaning::Special(name)
        | Meaning::Nothing(name) => Shape::Name(name.clone()),
        Meaning::Integers { .. } | Meaning::Float(_) => Shape::Number,
        Meaning::Literal => Shape::Name(LITERAL.to_string()),
    }
}
