//! The model: definitions with their names resolved, fields inherited, values computed.
//!
//! Between resolution and lowering. Invariant: every id is an index into the vector of its
//! kind; what could not be resolved was reported, and is `None` here so that later checks pass
//! over it.

use std::collections::HashMap;

use crate::ast::{self, Ident};
use crate::isa::{AsmFormat, Binding, Expr, ExprId, FieldRole, NameId, Operand, RegFileId, TypeId};
use crate::source::Span;

/// A layer, an index into [`Model::layers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LayerId(pub(crate) u32);

/// A field, an index into [`Model::fields`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub(crate) u32);

/// An instruction set as it was understood.
#[derive(Debug, Default)]
pub struct Model<'a> {
    /// The header, if there is one.
    pub isa: Option<IsaHeader<'a>>,
    /// Register files in order of definition.
    pub reg_files: Vec<RegFile<'a>>,
    /// Types in order of definition.
    pub types: Vec<Type<'a>>,
    /// Groups, optypes and opcodes in order of definition.
    pub layers: Vec<Layer<'a>>,
    /// The fields of all layers.
    pub fields: Vec<Field<'a>>,
    /// The distinct names of fields.
    pub names: Names<'a>,
    /// The distinct expressions.
    pub exprs: Exprs,
    /// What the statements of each opcode (and of each layer without children) mean.
    pub opcodes: Vec<Opcode<'a>>,
}

/// The header of the instruction set.
#[derive(Debug)]
pub struct IsaHeader<'a> {
    /// Its name.
    pub name: Ident<'a>,
    /// Bits in an instruction.
    pub width: u32,
    /// Names of its generations.
    pub generations: Vec<Ident<'a>>,
    /// Its prose.
    pub prose: &'a [ast::Section<'a>],
}

/// A register file.
#[derive(Debug)]
pub struct RegFile<'a> {
    /// Its name.
    pub name: Ident<'a>,
    /// Bits in a register.
    pub width: u32,
    /// Number of registers.
    pub count: u32,
    /// Its prose.
    pub prose: &'a [ast::Section<'a>],
}

/// A type with the places of its parts.
#[derive(Debug)]
pub struct Type<'a> {
    /// Its name.
    pub name: Ident<'a>,
    /// What it is.
    pub ty: crate::isa::Type,
}

/// Which kind of layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerKind {
    /// `__DefGroup`
    Group,
    /// `__DefOptype`
    Optype,
    /// `__DefOpcode`
    Opcode,
}

impl LayerKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            LayerKind::Group => "group",
            LayerKind::Optype => "optype",
            LayerKind::Opcode => "opcode",
        }
    }

    /// What its parents must be.
    pub fn parent(self) -> LayerKind {
        match self {
            LayerKind::Opcode => LayerKind::Optype,
            LayerKind::Group | LayerKind::Optype => LayerKind::Group,
        }
    }
}

/// A group, optype or opcode.
#[derive(Debug)]
pub struct Layer<'a> {
    /// Which of the three.
    pub kind: LayerKind,
    /// Its name.
    pub name: Ident<'a>,
    /// The header line.
    pub header: Span,
    /// What was written.
    pub ast: &'a ast::Layer<'a>,
    /// Its prose.
    pub prose: &'a [ast::Section<'a>],
    /// The parents that exist.
    pub parents: Vec<LayerId>,
    /// Itself and its ancestors, roots first, each once.
    pub chain: Vec<LayerId>,
    /// The fields that are its own, restatements included.
    pub own_fields: Vec<FieldId>,
    /// The fields of its chain, restatements left out.
    pub fields: Vec<FieldId>,
    /// Whether another layer names it as parent.
    pub has_children: bool,
}

/// A field with its type and value.
#[derive(Debug)]
pub struct Field<'a> {
    /// What was written.
    pub ast: &'a ast::Field<'a>,
    /// The layer that declares it.
    pub layer: LayerId,
    /// Its name.
    pub name: NameId,
    /// Its type, if it exists.
    pub ty: Option<TypeId>,
    /// The value given, if it is one.
    pub binding: Option<Binding>,
}

impl Field<'_> {
    /// Lowest bit; a number that leaves the word was reported and is kept small.
    pub fn lsb(&self) -> u32 {
        u32::try_from(self.ast.lsb.value).unwrap_or(u32::MAX / 2).min(u32::MAX / 2)
    }

    /// Number of bits.
    pub fn width(&self) -> u32 {
        u32::try_from(self.ast.width.value).unwrap_or(u32::MAX / 2).min(u32::MAX / 2)
    }

    /// The bits it covers, as far as they lie in the widest word.
    pub fn mask(&self) -> u128 {
        if self.lsb() >= 128 {
            return 0;
        }
        crate::isa::low_bits(self.width()) << self.lsb()
    }
}

/// What the statements of an opcode's chain say, in the context of its fields.
#[derive(Debug)]
pub struct Opcode<'a> {
    /// The layer.
    pub layer: LayerId,
    /// What each of its fields is to it, as [`Layer::fields`].
    pub roles: Vec<Option<FieldRole>>,
    /// Its operands in assembly order.
    pub operands: Vec<Operand>,
    /// The `Order` statement in force.
    pub order: Option<&'a ast::OperandStatement<'a>>,
    /// How fields are written.
    pub formats: Vec<AsmFormat>,
    /// Modifiers whose order is given.
    pub modi_order: Vec<NameId>,
    /// Its rules.
    pub rules: Vec<(&'a ast::Rule<'a>, ExprId)>,
}

/// Field names by number.
#[derive(Debug, Default)]
pub struct Names<'a> {
    list: Vec<&'a str>,
    by_text: HashMap<&'a str, NameId>,
}

impl<'a> Names<'a> {
    /// The number of a name, new or known.
    pub fn intern(&mut self, text: &'a str) -> NameId {
        let next = NameId(self.list.len() as u32);
        *self.by_text.entry(text).or_insert_with(|| {
            self.list.push(text);
            next
        })
    }

    /// The number of a known name.
    pub fn get(&self, text: &str) -> Option<NameId> {
        self.by_text.get(text).copied()
    }

    /// The name of a number.
    pub fn text(&self, id: NameId) -> &'a str {
        self.list[id.index()]
    }

    /// All names in order of first appearance.
    pub fn all(&self) -> &[&'a str] {
        &self.list
    }
}

/// Expressions, each once.
#[derive(Debug, Default)]
pub struct Exprs {
    list: Vec<Expr>,
    by_value: HashMap<Expr, ExprId>,
}

impl Exprs {
    /// The number of an expression, new or known.
    pub fn intern(&mut self, expr: Expr) -> ExprId {
        if let Some(id) = self.by_value.get(&expr) {
            return *id;
        }
        let id = ExprId(self.list.len() as u32);
        self.list.push(expr.clone());
        self.by_value.insert(expr, id);
        id
    }

    /// The expression of a number.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.list[id.index()]
    }

    /// All expressions.
    pub fn all(&self) -> &[Expr] {
        &self.list
    }
}

impl<'a> Model<'a> {
    /// A layer.
    pub fn layer(&self, id: LayerId) -> &Layer<'a> {
        &self.layers[id.0 as usize]
    }

    /// A field.
    pub fn field(&self, id: FieldId) -> &Field<'a> {
        &self.fields[id.0 as usize]
    }

    /// A type.
    pub fn ty(&self, id: TypeId) -> &crate::isa::Type {
        &self.types[id.index()].ty
    }

    /// The ids of all layers.
    pub fn layer_ids(&self) -> impl Iterator<Item = LayerId> + use<> {
        (0..self.layers.len() as u32).map(LayerId)
    }

    /// The field of a name among those a layer has.
    pub fn find_field(&self, layer: LayerId, name: NameId) -> Option<FieldId> {
        self.layer(layer).fields.iter().copied().find(|id| self.field(*id).name == name)
    }

    /// The field of a name as text.
    pub fn find_field_text(&self, layer: LayerId, name: &str) -> Option<FieldId> {
        self.find_field(layer, self.names.get(name)?)
    }

    /// The register file of a name.
    pub fn find_reg_file(&self, name: &str) -> Option<RegFileId> {
        let index = self.reg_files.iter().position(|file| file.name.text == name)?;
        Some(RegFileId(index as u32))
    }

    /// Bits in an instruction of a layer: what its chain says, else what the header says.
    pub fn word_width(&self, layer: LayerId) -> u32 {
        let header = self.isa.as_ref().map_or(crate::isa::MAX_WORD_BITS, |isa| isa.width);
        let given = self.layer(layer).chain.iter().rev().find_map(|id| self.layer(*id).ast.width);
        given.and_then(|width| u32::try_from(width.value).ok()).unwrap_or(header)
    }
}
