//! The contents of groups, optypes and opcodes: fields and other statements of `__Encoding`,
//! statements on operands, rules.

use super::bits::Bits;
use super::expr::Expr;
use super::word::{Guard, Ident, Int};
use crate::span::Span;
use isadl_base::vocabulary::RuleScope;

/// A group, optype or opcode: one layer of an instruction's description.
#[derive(Debug, Clone, Default)]
pub struct Layer<'s> {
    /// Bits in the instruction, given by a group.
    pub width: Option<Int>,
    /// The parents.
    pub parents: Vec<Ident<'s>>,
    /// The fields of `__Encoding`.
    pub fields: Vec<Field<'s>>,
    /// The reserved bits of `__Encoding`.
    pub reserved: Vec<Reserved<'s>>,
    /// The values that `__Encoding` fixes for fields declared elsewhere.
    pub fixes: Vec<Fix<'s>>,
    /// The conditions of `Match`.
    pub matches: Vec<Match<'s>>,
    /// `Print = never`: the alias is only read, not printed.
    pub silent: Option<Span>,
    /// `Semantics<…>`: whether pseudo code is checked.
    pub semantics: Option<Ident<'s>>,
    /// The treatment of bits that no statement of `__Encoding` mentions.
    pub unstated: Vec<Unstated<'s>>,
    /// The statements of `__OperandInfo`.
    pub operand_info: Vec<OperandStatement<'s>>,
    /// `__Exception`
    pub rules: Vec<Rule<'s>>,
}

/// A field of the instruction word.
#[derive(Debug, Clone)]
pub struct Field<'s> {
    /// The whole statement.
    pub span: Span,
    /// `control` instead of `field`.
    pub control: Option<Span>,
    /// Its bits.
    pub bits: Bits,
    /// The type's name.
    pub type_name: Ident<'s>,
    /// The field's name, perhaps dotted.
    pub name: Ident<'s>,
    /// `= value` or `== value`.
    pub binding: Option<Binding<'s>>,
    /// `literal … : operand, …`: the operands whose literal it holds; none if it is no literal.
    pub literal_of: Vec<Ident<'s>>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// `zero<lsb, width>`, `fixed<lsb, width> == value` or `ignored<lsb, width>`.
#[derive(Debug, Clone)]
pub struct Reserved<'s> {
    /// The whole statement.
    pub span: Span,
    /// The treatment of the bits.
    pub kind: ReservedKind,
    /// Its bits.
    pub bits: Bits,
    /// Their value; 0 if none is given.
    pub value: Option<Int>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// The treatment of reserved bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReservedKind {
    /// They must be zero.
    Zero,
    /// They must have the value.
    Fixed,
    /// They may be anything, and are written as the value.
    Ignored,
}

/// `Match = condition`, or `Match<"message"> = condition`
#[derive(Debug, Clone)]
pub struct Match<'s> {
    /// The whole statement.
    pub span: Span,
    /// The message for a word that violates it, if given.
    pub message: Option<Ident<'s>>,
    /// Holds for the words that are meant.
    pub condition: Expr<'s>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// `Unstated = treatment`
#[derive(Debug, Clone)]
pub struct Unstated<'s> {
    /// The whole statement.
    pub span: Span,
    /// The treatment of the bits.
    pub treatment: Treatment,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// The treatment of the bits of an opcode that no statement mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// They cause a warning.
    Warn,
    /// They must be zero.
    Zero,
    /// They may be anything, and are written as zeros.
    Ignored,
}

/// `fix name == value`
#[derive(Debug, Clone)]
pub struct Fix<'s> {
    /// The whole statement.
    pub span: Span,
    /// The field.
    pub name: Ident<'s>,
    /// Its value.
    pub value: FixedTo<'s>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// The value that `fix` gives to a field.
#[derive(Debug, Clone)]
pub enum FixedTo<'s> {
    /// A value, or the name of a field.
    Value(Value<'s>),
    /// A value computed from other fields.
    Computed(Box<Expr<'s>>),
}

/// The default or fixed value of a field.
#[derive(Debug, Clone, Copy)]
pub struct Binding<'s> {
    /// `==` instead of `=`.
    pub fixed: Fixed,
    /// The value.
    pub value: Value<'s>,
}

/// Whether a value is required by the encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixed {
    /// `== value`
    Yes,
    /// `= value`
    No,
}

/// A value of a type.
#[derive(Debug, Clone, Copy)]
pub enum Value<'s> {
    /// A name or a floating-point constant; or a decimal number, which may be either a name or
    /// a number.
    Name(Ident<'s>, Option<Int>),
    /// A number with a sign or in hexadecimal, which is not a name.
    Int(Int),
}

impl Value<'_> {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            Value::Name(name, _) => name.span,
            Value::Int(int) => int.span,
        }
    }
}

/// A statement of `__OperandInfo`.
#[derive(Debug, Clone)]
pub struct OperandStatement<'s> {
    /// The whole statement.
    pub span: Span,
    /// Its content.
    pub kind: OperandStatementKind<'s>,
    /// Whether it comes from the combined statement `Operands`.
    pub is_short: bool,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// The content of a statement of `__OperandInfo`.
#[derive(Debug, Clone)]
pub enum OperandStatementKind<'s> {
    /// `InList<…>`
    InList(Vec<OperandRef<'s>>),
    /// `OutList<…>`
    OutList(Vec<OperandRef<'s>>),
    /// `Order<…>`
    Order(Vec<OperandRef<'s>>),
    /// `Reads<…>`: additional reads.
    Reads(Vec<Access<'s>>),
    /// `Writes<…>`: additional writes.
    Writes(Vec<Access<'s>>),
    /// `Partial<…>`: operands that are written only in part.
    Partial(Vec<OperandRef<'s>>),
    /// `Mask<field> = FILE`: the field's bits represent registers.
    Mask(Ident<'s>, Ident<'s>),
    /// `Flow<class> = condition`: where execution goes.
    Flow {
        /// The class.
        class: Ident<'s>,
        /// The condition for the class; `None` if it always applies.
        condition: Option<Expr<'s>>,
    },
    /// `Mnemonic<"…", …>`
    Mnemonic(Vec<Ident<'s>>),
    /// `Suffix<"…">`
    Suffix(Ident<'s>),
    /// `Guard<field>`: the operand that is written before the mnemonic.
    Guard(Ident<'s>),
    /// `ModiOrder<…>`
    ModiOrder(Vec<Ident<'s>>),
    /// `Bitwidth<operand> = expression`
    Bitwidth(Ident<'s>, Expr<'s>),
    /// `Operand<name> = …`: an operand made of fields.
    Template(Ident<'s>, Made<'s>),
    /// `Modifier<name> = "…"`: a modifier made of fields, which is a word after the operands.
    Modifier(Ident<'s>, Ident<'s>),
    /// `Short<opcode> : field = value, …`: this is a compressed encoding of the opcode's instructions with these
    /// fields.
    Short {
        /// The opcode.
        of: Ident<'s>,
        /// The sources of the opcode's fields: fields of this encoding, or values.
        given: Vec<(Ident<'s>, Value<'s>)>,
    },
    /// `Loads<operand> = expression` or `Stores<…>`.
    Memory(Box<Memory<'s>>),
    /// `AsmFormat<field> = Function(arguments)`
    AsmFormat {
        /// The field.
        field: Ident<'s>,
        /// The function's name.
        function: Ident<'s>,
        /// Its arguments.
        arguments: Vec<Ident<'s>>,
    },
}

/// An entry of `Reads` or `Writes`.
#[derive(Debug, Clone)]
pub struct Access<'s> {
    /// The resource that is read or written.
    pub operand: OperandRef<'s>,
    /// The condition; `None` if it always applies.
    pub condition: Option<Expr<'s>>,
}

/// `Loads<operand if condition> = expression` or `Stores<…>`: an access of this many bits to memory, at the address of
/// the operand.
#[derive(Debug, Clone)]
pub struct Memory<'s> {
    /// Whether memory is written.
    pub is_store: bool,
    /// The operand.
    pub operand: Ident<'s>,
    /// The condition for the access; `None` if it always happens.
    pub condition: Option<Expr<'s>>,
    /// The number of bits.
    pub width: Expr<'s>,
}

/// How an operand is made of fields.
#[derive(Debug, Clone)]
pub enum Made<'s> {
    /// `= "…"`: they are written like this.
    Text(Ident<'s>),
    /// `: type = expression`: a value of a type is computed from them.
    Computed {
        /// The type.
        ty: Ident<'s>,
        /// The value.
        value: Box<Expr<'s>>,
    },
}

/// An operand in a list.
#[derive(Debug, Clone)]
pub enum OperandRef<'s> {
    /// A field or register file.
    Name(Ident<'s>),
    /// `R[urb, ridx]`: the register of a file numbered by a register plus an offset. Boxed,
    /// because lists are long and these are rare.
    Indirect(Box<Indirect<'s>>),
    /// `X[1]`: a register of a file, independent of fields.
    Numbered(Box<Numbered<'s>>),
}

/// A register with a number.
#[derive(Debug, Clone, Copy)]
pub struct Numbered<'s> {
    /// The whole reference.
    pub span: Span,
    /// The register file.
    pub file: Ident<'s>,
    /// The number.
    pub number: Int,
}

/// A register whose number is given by an operand.
#[derive(Debug, Clone, Copy)]
pub struct Indirect<'s> {
    /// The whole reference.
    pub span: Span,
    /// The prefix of the registers' names.
    pub prefix: Ident<'s>,
    /// The operand that holds the number.
    pub base: Ident<'s>,
    /// The immediate that is added.
    pub offset: Option<Ident<'s>>,
}

impl OperandRef<'_> {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            OperandRef::Name(name) => name.span,
            OperandRef::Indirect(indirect) => indirect.span,
            OperandRef::Numbered(register) => register.span,
        }
    }
}

/// `EncodingError<Kind, "message"> = condition;`, or `AssemblerError`.
#[derive(Debug, Clone)]
pub struct Rule<'s> {
    /// The whole statement.
    pub span: Span,
    /// Who refuses the word.
    pub scope: RuleScope,
    /// The kind of error.
    pub kind: Ident<'s>,
    /// The message, without quotes.
    pub message: Ident<'s>,
    /// Holds for words that are refused.
    pub condition: Expr<'s>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}
