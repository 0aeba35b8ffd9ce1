//! Which texts two places of an instruction can share, so that what is written must tell them
//! apart.

use crate::isa::{LITERAL, Meaning, Piece, Place, RegFileId, TypeId, TypeKind};
use crate::model::Model;

/// A set of texts that an operand may be written as.
#[derive(Debug, PartialEq, Eq)]
enum Shape {
    /// A prefix and a number.
    Registers(String),
    Name(String),
    Number,
    /// A composite that begins with a text of its own.
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

/// Whether a text may stand for an operand at either place.
pub(super) fn operands(
    model: &Model<'_>,
    a: (Place, Option<TypeId>),
    b: (Place, Option<TypeId>),
) -> bool {
    let (a, b) = (shapes(model, a), shapes(model, b));
    a.iter().any(|shape| b.iter().any(|other| shape.meets(other)))
}

fn shapes(model: &Model<'_>, (place, ty): (Place, Option<TypeId>)) -> Vec<Shape> {
    match place {
        Place::File(file) => vec![Shape::File(file)],
        Place::Indirect { file, .. } => vec![Shape::Indirect(file)],
        Place::Field(_) => ty.map_or(Vec::new(), |ty| of_type(model, ty)),
    }
}

fn of_type(model: &Model<'_>, ty: TypeId) -> Vec<Shape> {
    match &model.ty(ty).kind {
        TypeKind::BitField(_) => Vec::new(),
        TypeKind::Immediate(_) => vec![Shape::Number],
        TypeKind::Operand(entries) => {
            entries.iter().map(|entry| of_meaning(&entry.meaning)).collect()
        }
        TypeKind::Composite(composite) => match composite.format.first() {
            Some(Piece::Text(text)) => vec![Shape::Composite(text.clone())],
            Some(Piece::Part(part)) => of_type(model, composite.parts[*part].ty),
            None => Vec::new(),
        },
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

/// Whether a value of either modifier type is written alike.
pub(super) fn modifiers(model: &Model<'_>, a: TypeId, b: TypeId) -> bool {
    let written = |ty: TypeId| match &model.ty(ty).kind {
        TypeKind::BitField(values) => values.as_slice(),
        _ => &[],
    };
    written(a).iter().any(|value| {
        !value.spelling.is_empty()
            && written(b).iter().any(|other| other.spelling == value.spelling)
    })
}
