//! The syntax tree of programs, with the location of everything.

use isadl_base::vocabulary::{BinaryOp, UnaryOp};
use isadl_diagnostics::span::Span;

/// A name with its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'s> {
    /// The text.
    pub text: &'s str,
    /// Its location.
    pub span: Span,
}

/// A program, or the declarations of a group.
#[derive(Debug, Clone, Default)]
pub struct Program<'s> {
    /// Its statements, in order.
    pub statements: Vec<Statement<'s>>,
}

/// What an example or a law claims: `given: claims`.
#[derive(Debug, Clone)]
pub struct Claims<'s> {
    /// What registers and memory are before the first instruction.
    pub given: Vec<Statement<'s>>,
    /// What holds after the last.
    pub claims: Vec<Statement<'s>>,
}

/// A statement.
#[derive(Debug, Clone)]
pub struct Statement<'s> {
    /// Its location.
    pub span: Span,
    /// What it does.
    pub kind: StatementKind<'s>,
    /// The generations and extensions that have it.
    pub guard: Option<Guard<'s>>,
}

/// The condition of a guard `@[…]`.
#[derive(Debug, Clone)]
pub struct Guard<'s> {
    /// Its location.
    pub span: Span,
    /// The condition.
    pub condition: Condition<'s>,
}

/// A condition on generations and extensions.
#[derive(Debug, Clone)]
pub enum Condition<'s> {
    /// A generation or extension.
    Name(Name<'s>),
    /// `not a`
    Not(Box<Condition<'s>>),
    /// `a and b`
    All(Vec<Condition<'s>>),
    /// `a or b`
    Any(Vec<Condition<'s>>),
}

/// The kinds of statements.
#[derive(Debug, Clone)]
pub enum StatementKind<'s> {
    /// `target = value`
    Assign {
        /// The place that is written, or a new name.
        target: Expr<'s>,
        /// The value.
        value: Expr<'s>,
    },
    /// `var name : type = value`
    Var {
        /// The variable.
        name: Name<'s>,
        /// Its type.
        ty: Type<'s>,
        /// Its first value.
        value: Expr<'s>,
    },
    /// `if condition { … } else if … else { … }`
    If {
        /// Conditions with their blocks, in order.
        branches: Vec<(Expr<'s>, Block<'s>)>,
        /// The block if no condition holds.
        otherwise: Option<Block<'s>>,
    },
    /// `match subjects { patterns: block … }`
    Match(Match<'s, Block<'s>>),
    /// `for name in range { … }`
    For {
        /// The loop variable.
        name: Name<'s>,
        /// Its values.
        range: Range<'s>,
        /// The body.
        body: Block<'s>,
    },
    /// `each { … }`: for each element of the operands that have elements; `each i in first .. last { … }`: for some of them.
    Each {
        /// The name of the element's index.
        index: Option<Name<'s>>,
        /// The numbers of the elements, if not all.
        range: Option<Range<'s>>,
        /// The body.
        body: Block<'s>,
    },
    /// `atomic { … }`
    Atomic(Block<'s>),
    /// `ordered(order) { … }`, `access(label) { … }`: a label for the memory accesses inside.
    Labelled {
        /// `ordered` or `access`.
        word: Name<'s>,
        /// The label.
        label: Expr<'s>,
        /// The statements.
        body: Block<'s>,
    },
    /// `trap name(arguments)`
    Trap(Trap<'s>),
    /// `nothing`: the program does nothing.
    Nothing,
    /// `unpredictable`
    Unpredictable,
    /// `commit`
    Commit,
    /// `return value`
    Return(Expr<'s>),
    /// An expression alone: a call, `body`, or the whole text of an expression.
    Value(Expr<'s>),
    /// A declaration; only groups have them.
    Declare(Declaration<'s>),
}

/// `trap name(arguments)`
#[derive(Debug, Clone)]
pub struct Trap<'s> {
    /// The trap.
    pub name: Name<'s>,
    /// The values that it reports.
    pub arguments: Vec<Expr<'s>>,
}

/// A declaration of a group.
#[derive(Debug, Clone)]
pub enum Declaration<'s> {
    /// `let name : width | width = value else trap T`
    Let {
        /// The name.
        name: Name<'s>,
        /// The values that it may have; none if they are not listed.
        values: Vec<Expr<'s>>,
        /// The value.
        value: Expr<'s>,
        /// What happens if the value is none of the listed.
        otherwise: Option<Trap<'s>>,
    },
    /// `const name = value`
    Const {
        /// The name.
        name: Name<'s>,
        /// The value.
        value: Expr<'s>,
    },
    /// `fn name(parameters) : type = value` or `{ … }`
    Function(Function<'s>),
    /// `extern fn name(parameters) : type effects`
    Extern {
        /// The name.
        name: Name<'s>,
        /// The parameters.
        parameters: Vec<Parameter<'s>>,
        /// The type of the result, if it has one.
        result: Option<Type<'s>>,
        /// What it does beside: `reads memory`, `writes memory`, `may trap`.
        effects: Vec<Name<'s>>,
    },
    /// `view name : width = value`
    View {
        /// The name.
        name: Name<'s>,
        /// Its width in bits.
        width: Option<Expr<'s>>,
        /// The places that it consists of.
        value: Expr<'s>,
    },
    /// `extern memory name[bits(64)]`
    Memory {
        /// The name.
        name: Name<'s>,
        /// The type of addresses.
        address: Type<'s>,
    },
    /// `extern trap name(parameters)`
    Trap {
        /// The name.
        name: Name<'s>,
        /// The values that it reports.
        parameters: Vec<Parameter<'s>>,
    },
    /// `extern name : bits(64)`: something that the machine keeps. It is the address of the instruction (`pc`), a register outside of
    /// files, or what an operand type denotes.
    State {
        /// The name.
        name: Name<'s>,
        /// Its type.
        ty: Type<'s>,
    },
    /// `narrow FILE = zeros`: what a result with fewer bits than its register does with the rest.
    Narrow {
        /// The file.
        name: Name<'s>,
        /// `zeros`, `ones`, `signs` or `kept`.
        rest: Name<'s>,
    },
    /// `range FILE = first .. last`: the values that registers of a file have.
    Range {
        /// The file or view.
        name: Name<'s>,
        /// The least value.
        first: Expr<'s>,
        /// The largest value.
        last: Expr<'s>,
    },
    /// `lanes FILE, FILE = count`: files of which each lane has registers of its own.
    Lanes {
        /// The files.
        names: Vec<Name<'s>>,
        /// How many lanes there are.
        count: Expr<'s>,
    },
    /// `elements a, b = width in bits from bit`, `elements a, b = width in count registers`: operands that are lists.
    Elements {
        /// The operands.
        names: Vec<Name<'s>>,
        /// The number of bits of an element.
        width: Expr<'s>,
        /// Where the elements are, if they do not fill the operand.
        extent: Option<Extent<'s>>,
    },
    /// `number a, b = float(32)`: operands that are floating-point numbers.
    Number {
        /// The operands.
        names: Vec<Name<'s>>,
        /// Their format.
        format: Type<'s>,
    },
    /// `float rounding = value`: something that decides results of floating-point arithmetic.
    Setting {
        /// What it decides.
        name: Name<'s>,
        /// The value, or its name.
        value: Expr<'s>,
    },
    /// `float flags { … }`: what happens at the end with the flags that floating-point arithmetic raised.
    Flags {
        /// The word `flags`.
        name: Name<'s>,
        /// The statements.
        body: Block<'s>,
    },
    /// `apply a = value`: the value of each read of an operand or an element. Inside, the name means the register.
    Apply {
        /// The operand.
        name: Name<'s>,
        /// The value.
        value: Expr<'s>,
    },
}

/// Where the elements of an operand are.
#[derive(Debug, Clone)]
pub enum Extent<'s> {
    /// `in bits from bit`: in so many of its bits, the lowest or those from a bit on.
    Bits(Expr<'s>, Option<Expr<'s>>),
    /// `in count registers`: in its register and those that follow.
    Registers(Expr<'s>),
}

impl<'s> Extent<'s> {
    /// The expressions that it consists of.
    pub fn parts(&self) -> impl Iterator<Item = &Expr<'s>> {
        let (count, first) = match self {
            Extent::Bits(count, first) => (count, first.as_ref()),
            Extent::Registers(count) => (count, None),
        };
        [count].into_iter().chain(first)
    }
}

impl<'s> Declaration<'s> {
    /// The name that it gives a meaning, or the first that it is about.
    pub fn name(&self) -> Name<'s> {
        match self {
            Declaration::Let { name, .. }
            | Declaration::Const { name, .. }
            | Declaration::Function(Function { name, .. })
            | Declaration::Extern { name, .. }
            | Declaration::View { name, .. }
            | Declaration::Memory { name, .. }
            | Declaration::Trap { name, .. }
            | Declaration::State { name, .. }
            | Declaration::Narrow { name, .. }
            | Declaration::Range { name, .. }
            | Declaration::Setting { name, .. }
            | Declaration::Flags { name, .. }
            | Declaration::Apply { name, .. } => *name,
            Declaration::Elements { names, .. }
            | Declaration::Number { names, .. }
            | Declaration::Lanes { names, .. } => names[0],
        }
    }

    /// Whether it says something about what has the name, and gives the name no meaning.
    pub fn is_about(&self) -> bool {
        match self {
            Declaration::Range { .. }
            | Declaration::Narrow { .. }
            | Declaration::Lanes { .. }
            | Declaration::Setting { .. }
            | Declaration::Flags { .. } => true,
            _ => !self.operands().is_empty(),
        }
    }

    /// The names that it says something about, if it [gives none a meaning](Self::is_about).
    pub fn subjects(&self) -> &[Name<'s>] {
        match self {
            Declaration::Elements { names, .. }
            | Declaration::Number { names, .. }
            | Declaration::Lanes { names, .. } => names,
            Declaration::Apply { name, .. }
            | Declaration::Narrow { name, .. }
            | Declaration::Range { name, .. }
            | Declaration::Setting { name, .. }
            | Declaration::Flags { name, .. } => std::slice::from_ref(name),
            _ => &[],
        }
    }

    /// The word that it begins with.
    pub fn word(&self) -> &'static str {
        match self {
            Declaration::Let { .. } => "let",
            Declaration::Const { .. } => "const",
            Declaration::Function(_) => "fn",
            Declaration::View { .. } => "view",
            Declaration::Extern { .. }
            | Declaration::Memory { .. }
            | Declaration::Trap { .. }
            | Declaration::State { .. } => "extern",
            Declaration::Narrow { .. } => "narrow",
            Declaration::Range { .. } => "range",
            Declaration::Lanes { .. } => "lanes",
            Declaration::Elements { .. } => "elements",
            Declaration::Number { .. } => "number",
            Declaration::Setting { .. } | Declaration::Flags { .. } => "float",
            Declaration::Apply { .. } => "apply",
        }
    }

    /// The operands that it says something about.
    pub fn operands(&self) -> &[Name<'s>] {
        match self {
            Declaration::Elements { names, .. } | Declaration::Number { names, .. } => names,
            Declaration::Apply { name, .. } => std::slice::from_ref(name),
            _ => &[],
        }
    }
}

/// A function of a group.
#[derive(Debug, Clone)]
pub struct Function<'s> {
    /// The name.
    pub name: Name<'s>,
    /// The parameters.
    pub parameters: Vec<Parameter<'s>>,
    /// The type of the result, if it is declared.
    pub result: Option<Type<'s>>,
    /// The statements; the last returns the result.
    pub body: Block<'s>,
}

/// A parameter.
#[derive(Debug, Clone)]
pub struct Parameter<'s> {
    /// The name.
    pub name: Name<'s>,
    /// The type; without it, the argument is taken as it is.
    pub ty: Option<Type<'s>>,
}

/// A type as it is written.
#[derive(Debug, Clone)]
pub struct Type<'s> {
    /// Its location.
    pub span: Span,
    /// Its kind.
    pub kind: TypeKind<'s>,
}

/// The kinds of types.
#[derive(Debug, Clone)]
pub enum TypeKind<'s> {
    /// `bit`
    Bit,
    /// `bits(n)`
    Bits(Box<Expr<'s>>),
    /// `float(width)`, `float(exponent, fraction)`: a floating-point format.
    Float(Vec<Expr<'s>>),
    /// The name of an enumeration.
    Named(&'s str),
}

/// Statements in braces.
#[derive(Debug, Clone)]
pub struct Block<'s> {
    /// Its location.
    pub span: Span,
    /// Its statements, in order.
    pub statements: Vec<Statement<'s>>,
}

/// `match subjects { patterns: value … }`
#[derive(Debug, Clone)]
pub struct Match<'s, Value> {
    /// The keyword.
    pub keyword: Span,
    /// The values that are compared.
    pub subjects: Vec<Expr<'s>>,
    /// The arms; the first that fits is taken.
    pub arms: Vec<Arm<'s, Value>>,
}

/// An arm of a `match`.
#[derive(Debug, Clone)]
pub struct Arm<'s, Value> {
    /// Its location.
    pub span: Span,
    /// For each subject the alternatives that fit.
    pub patterns: Vec<Vec<Pattern<'s>>>,
    /// The value or block.
    pub value: Value,
}

/// A pattern.
#[derive(Debug, Clone)]
pub struct Pattern<'s> {
    /// Its location.
    pub span: Span,
    /// Its kind.
    pub kind: PatternKind<'s>,
}

/// The kinds of patterns.
#[derive(Debug, Clone)]
pub enum PatternKind<'s> {
    /// `_`
    Any,
    /// A number.
    Int(i128),
    /// The name of a value, or a class of numbers with its sign, such as `-inf`.
    Name(&'s str),
}

/// The values of a loop.
#[derive(Debug, Clone)]
pub enum Range<'s> {
    /// `first .. last`, both included.
    Between(Expr<'s>, Expr<'s>),
    /// The numbers of the bits that are 1.
    Bits(Expr<'s>),
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr<'s> {
    /// Its location.
    pub span: Span,
    /// Its kind.
    pub kind: ExprKind<'s>,
}

/// The kinds of expressions.
#[derive(Debug, Clone)]
pub enum ExprKind<'s> {
    /// An integer.
    Int(u128),
    /// A number with a point, as written.
    Real(&'s str),
    /// The name of a register or value, in quotes.
    Text(&'s str),
    /// A name.
    Name(&'s str),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr<'s>>),
    /// An infix operator.
    Binary(BinaryOp, Box<Expr<'s>>, Box<Expr<'s>>),
    /// `condition ? yes : no`
    Choice(Box<[Expr<'s>; 3]>),
    /// `match …`
    Match(Box<Match<'s, Expr<'s>>>),
    /// `{a, b}`: the first has the highest bits.
    Concat(Vec<Expr<'s>>),
    /// `{item for name in first .. last}`
    Repeat {
        /// The part for each value.
        item: Box<Expr<'s>>,
        /// The variable.
        name: Name<'s>,
        /// The first and the last value.
        bounds: Box<[Expr<'s>; 2]>,
    },
    /// `of[high:low]`
    Slice {
        /// The whole.
        of: Box<Expr<'s>>,
        /// The highest and the lowest bit.
        bounds: Box<[Expr<'s>; 2]>,
    },
    /// `of[low +: width]`
    Part {
        /// The whole.
        of: Box<Expr<'s>>,
        /// The lowest bit and the width.
        bounds: Box<[Expr<'s>; 2]>,
    },
    /// `of[index]`, `of[i, j]`
    Index {
        /// The whole.
        of: Box<Expr<'s>>,
        /// The indexes.
        indices: Vec<Expr<'s>>,
    },
    /// `of@lane`
    Lane {
        /// The operand.
        of: Box<Expr<'s>>,
        /// The lane.
        lane: Box<Expr<'s>>,
    },
    /// `of.name`: a part of a composite.
    Member {
        /// The operand.
        of: Name<'s>,
        /// The part.
        name: Name<'s>,
    },
    /// `function(arguments)`
    Call {
        /// The function.
        function: Name<'s>,
        /// The arguments.
        arguments: Vec<Expr<'s>>,
    },
    /// `function(item for name in range if condition)`
    Fold {
        /// The function.
        function: Name<'s>,
        /// The term for each value.
        item: Box<Expr<'s>>,
        /// The variable.
        name: Name<'s>,
        /// Its values.
        range: Box<Range<'s>>,
        /// The values that count, if not all.
        condition: Option<Box<Expr<'s>>>,
    },
    /// `first .. last`: an argument of `any`.
    Between(Box<[Expr<'s>; 2]>),
    /// `unknown`
    Unknown,
    /// `body`
    Body,
}

impl<'s> Expr<'s> {
    /// The name, if it is nothing else.
    pub fn as_name(&self) -> Option<Name<'s>> {
        match self.kind {
            ExprKind::Name(text) => Some(Name { text, span: self.span }),
            _ => None,
        }
    }
}
