//! The words that a specification and its lowered form share: operators and functions of expressions, sections of prose, scopes of
//! rules, marks of operands.

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UnaryOp {
    /// `not`
    Not,
    /// `-`
    Neg,
    /// `~`
    BitNot,
}

impl UnaryOp {
    /// The operator as it is written, with a blank where one is needed.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Not => "not ",
            UnaryOp::Neg => "-",
            UnaryOp::BitNot => "~",
        }
    }
}

/// Functions of expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Function {
    /// `if(condition, a, b)`: `a` if the condition holds, else `b`.
    If,
    /// `ror(x, n, width)`: the lowest `width` bits of `x`, rotated right by `n`.
    Ror,
    /// `repeat(x, width, n)`: the lowest `width` bits of `x`, `n` times side by side.
    Repeat,
    /// `clz(x, width)`: how many of the lowest `width` bits of `x` are 0 above the highest 1.
    Clz,
}

impl Function {
    /// All of them.
    pub const ALL: [Function; 4] = [Function::If, Function::Ror, Function::Repeat, Function::Clz];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Function::If => "if",
            Function::Ror => "ror",
            Function::Repeat => "repeat",
            Function::Clz => "clz",
        }
    }

    /// The names of its arguments.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Function::If => &["condition", "a", "b"],
            Function::Ror => &["x", "n", "width"],
            Function::Repeat => &["x", "width", "n"],
            Function::Clz => &["x", "width"],
        }
    }
}

/// Infix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs, reason = "each is its symbol, see `symbol`")]
pub enum BinaryOp {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    BitOr,
    BitXor,
    BitAnd,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl BinaryOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Or => "or",
            BinaryOp::And => "and",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::BitAnd => "&",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
        }
    }
}

/// The sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs, reason = "each is the section of its name")]
pub enum SectionKind {
    Encoding,
    OperandInfo,
    Exception,
    Syntax,
    Description,
    ModifierInfo,
    Semantics,
    Examples,
    Simulation,
}

impl SectionKind {
    /// All of them.
    pub const ALL: [SectionKind; 9] = [
        SectionKind::Encoding,
        SectionKind::OperandInfo,
        SectionKind::Exception,
        SectionKind::Syntax,
        SectionKind::Description,
        SectionKind::ModifierInfo,
        SectionKind::Semantics,
        SectionKind::Examples,
        SectionKind::Simulation,
    ];

    /// Whether it has statements only, and comments.
    pub fn is_statements(self) -> bool {
        matches!(self, SectionKind::Encoding | SectionKind::Exception)
    }

    /// The line that opens the section.
    pub fn heading(self) -> &'static str {
        match self {
            SectionKind::Encoding => "__Encoding",
            SectionKind::OperandInfo => "__OperandInfo",
            SectionKind::Exception => "__Exception",
            SectionKind::Syntax => "__Syntax",
            SectionKind::Description => "__Description",
            SectionKind::ModifierInfo => "__ModifierInfo",
            SectionKind::Semantics => "__Semantics",
            SectionKind::Examples => "__Examples",
            SectionKind::Simulation => "__Simulation",
        }
    }
}

/// Who refuses a word that a rule forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RuleScope {
    /// Everyone: the word is illegal.
    Word,
    /// Encoder and assembler; the word itself is legal and decodes.
    Assembler,
}

/// A mark of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Symbol {
    /// `!` before it: `.not`.
    Not,
    /// `-` before it: `.neg`.
    Negate,
    /// `~` before it: `.bitnot`.
    Complement,
    /// `|` on both sides: `.abs`.
    Absolute,
}

impl Symbol {
    /// The mark for an attribute's name, which is the part after the dot.
    pub fn of(attribute: &str) -> Option<Symbol> {
        match attribute {
            "not" => Some(Symbol::Not),
            "neg" => Some(Symbol::Negate),
            "bitnot" => Some(Symbol::Complement),
            "abs" => Some(Symbol::Absolute),
            _ => None,
        }
    }

    /// The character.
    pub fn as_char(self) -> char {
        match self {
            Symbol::Not => '!',
            Symbol::Negate => '-',
            Symbol::Complement => '~',
            Symbol::Absolute => '|',
        }
    }
}

/// The name that stands for a literal among the entries of an operand type.
pub const LITERAL: &str = "literal";
