//! Types made of parts, and how they are written.

use std::collections::HashSet;

use super::{Bits, Isa, Type, TypeId, TypeKind};

/// A type made of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Composite {
    /// Its parts, in order of definition.
    pub parts: Vec<Part>,
    /// How it is written.
    pub format: Vec<CompositeSegment>,
}

/// A part of a composite.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its bits within the composite.
    pub bits: Bits,
    /// Its type.
    pub ty: TypeId,
}

/// A piece of the text of a composite.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CompositeSegment {
    /// Literal text.
    Text(String),
    /// The part with an index.
    Part(usize),
    /// The register that follows the register of the part by the given count, wrapping around after the last register.
    Next(usize, u32),
    /// Pieces that are not written where parts have certain values.
    Optional {
        /// The pieces.
        pieces: Vec<CompositeSegment>,
        /// The parts, by index, and their values.
        absent: Vec<(usize, u64)>,
    },
    /// Pieces that are written only where parts have certain values: in the place of a list without pieces.
    Otherwise {
        /// The pieces. They are a text, or pieces that are also written elsewhere.
        pieces: Vec<CompositeSegment>,
        /// The parts, by index, and their values.
        absent: Vec<(usize, u64)>,
    },
}

impl Composite {
    /// Mask and value of the bits for which an optional piece is not written.
    pub fn omission(&self, absent: &[(usize, u64)]) -> (u64, u64) {
        absent.iter().fold((0, 0), |(mask, value), (part, raw)| {
            let bits = &self.parts[*part].bits;
            (mask | bits.mask() as u64, value | bits.place(*raw) as u64)
        })
    }

    /// The pieces that are written for a value; none of them is optional.
    pub fn written(&self, raw: u64) -> Vec<&CompositeSegment> {
        let mut written = Vec::new();
        self.add_written(&self.format, raw, &mut written);
        written
    }

    fn add_written<'c>(
        &self,
        pieces: &'c [CompositeSegment],
        raw: u64,
        written: &mut Vec<&'c CompositeSegment>,
    ) {
        for piece in pieces {
            match piece {
                CompositeSegment::Optional { pieces, absent } => {
                    let (mask, value) = self.omission(absent);
                    if raw & mask != value {
                        self.add_written(pieces, raw, written);
                    }
                }
                CompositeSegment::Otherwise { pieces, absent } => {
                    let (mask, value) = self.omission(absent);
                    if raw & mask == value {
                        self.add_written(pieces, raw, written);
                    }
                }
                piece => written.push(piece),
            }
        }
    }

    /// The pieces that can begin its text.
    pub fn first(&self) -> Vec<&CompositeSegment> {
        let mut first = Vec::new();
        add_first(&self.format, &mut first);
        first
    }

    /// Its format as a specification has it.
    pub fn format_text(&self) -> String {
        let mut text = String::new();
        self.add_format(&self.format, &mut text);
        text
    }

    fn add_format(&self, pieces: &[CompositeSegment], text: &mut String) {
        for piece in pieces {
            match piece {
                CompositeSegment::Text(literal) => {
                    *text += &literal.replace('{', "{{").replace('}', "}}");
                }
                CompositeSegment::Part(part) => *text += &format!("{{{}}}", self.parts[*part].name),
                CompositeSegment::Next(part, by) => {
                    *text += &format!("{{{} + {by}}}", self.parts[*part].name);
                }
                CompositeSegment::Optional { pieces, .. } => {
                    *text += "{?";
                    self.add_format(pieces, text);
                    *text += "}";
                }
                CompositeSegment::Otherwise { .. } => {}
            }
        }
    }
}

/// Adds the pieces that can come first; returns false if another piece must follow.
fn add_first<'c>(pieces: &'c [CompositeSegment], first: &mut Vec<&'c CompositeSegment>) -> bool {
    for piece in pieces {
        match piece {
            CompositeSegment::Text(text) if text.trim().is_empty() => {}
            CompositeSegment::Optional { pieces, .. }
            | CompositeSegment::Otherwise { pieces, .. } => {
                add_first(pieces, first);
            }
            piece => {
                first.push(piece);
                return true;
            }
        }
    }
    false
}

impl Isa {
    /// The fixed text of an operand without fields; `None` for any other type.
    pub fn plain_text<'t>(&self, ty: &'t Type) -> Option<&'t str> {
        let TypeKind::Composite(composite) = &ty.kind else { return None };
        let [CompositeSegment::Text(text), CompositeSegment::Optional { pieces, .. }] =
            composite.format.as_slice()
        else {
            return None;
        };
        let is_silent = |part: &Part| match &self.ty(part.ty).kind {
            TypeKind::BitField(values) => values.iter().all(|value| value.spelling.is_empty()),
            _ => false,
        };
        let is_part = matches!(pieces.as_slice(), [CompositeSegment::Part(_)]);
        (is_part && composite.parts.iter().all(is_silent)).then_some(text)
    }

    /// The types that carry information: all except operands without fields and the bit types inside them.
    pub fn told_types(&self) -> impl Iterator<Item = &Type> {
        let fields = self.opcodes().iter().flat_map(|opcode| &opcode.fields);
        let of_fields: HashSet<TypeId> = fields.map(|field| field.ty).collect();
        let mut hidden: HashSet<TypeId> = HashSet::new();
        for id in self.type_ids() {
            let TypeKind::Composite(composite) = &self.ty(id).kind else { continue };
            if self.plain_text(self.ty(id)).is_some() {
                let parts = composite.parts.iter().map(|part| part.ty);
                hidden.extend(parts.filter(|part| !of_fields.contains(part)).chain([id]));
            }
        }
        self.type_ids().filter(move |id| !hidden.contains(id)).map(|id| self.ty(id))
    }
}
