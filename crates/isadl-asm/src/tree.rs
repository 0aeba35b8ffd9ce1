//! Expressions as trees over numbers, symbols and places.

/// A symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SymbolId(pub(crate) u32);

/// A function of expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FunctionId(pub(crate) u32);

/// A place in a section before its fragments have addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FragmentOffset {
    pub(crate) section: u32,
    pub(crate) fragment: u32,
    /// Bytes after the beginning of the fragment.
    pub(crate) offset: u32,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expr {
    Number(i64),
    Symbol(SymbolId),
    /// The place where it is written.
    Here,
    /// A place.
    FragmentOffset(FragmentOffset),
    Unary(u8, Box<Expr>),
    Binary(Op, Box<(Expr, Expr)>),
    /// The second operand if the first is not 0, otherwise the third.
    Choice(Box<(Expr, Expr, Expr)>),
    /// The value of a function.
    Call(FunctionId, Box<[Expr]>),
    /// An argument of the function in whose body it is.
    Parameter(u8),
}

/// A function of numbers.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: Box<str>,
    pub(crate) parameters: usize,
    pub(crate) meaning: Meaning,
}

/// The result of a function.
#[derive(Debug)]
pub(crate) enum Meaning {
    /// It is called, but not defined yet.
    None,
    /// It is always there.
    Known(fn(i64) -> i64),
    Body(Expr),
}

impl Meaning {
    /// The function that a name has before any function is defined.
    pub(crate) fn of_name(name: &str) -> Meaning {
        match name {
            ".clz" => Meaning::Known(|number| number.leading_zeros().into()),
            ".ctz" => Meaning::Known(|number| number.trailing_zeros().into()),
            _ => Meaning::None,
        }
    }
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    /// `a ! b` is `a | ~b`.
    OrNot,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    LogicAnd,
    LogicOr,
}

/// Applies an operator to a number.
pub(crate) fn negate(sign: u8, number: i64) -> i64 {
    match sign {
        b'-' => number.wrapping_neg(),
        b'~' => !number,
        b'!' => i64::from(number == 0),
        _ => number,
    }
}

/// Applies an operator to two numbers. Division by 0 gives 0; true is -1.
pub(crate) fn compute(op: Op, a: i64, b: i64) -> i64 {
    let truth = |is_true: bool| -i64::from(is_true);
    let amount = |amount: i64| u32::try_from(amount).ok().filter(|amount| *amount < 64);
    match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::Div if b != 0 => a.wrapping_div(b),
        Op::Rem if b != 0 => a.wrapping_rem(b),
        Op::Div | Op::Rem => 0,
        Op::Shl => amount(b).map_or(0, |by| a << by),
        Op::Shr => amount(b).map_or(0, |by| ((a as u64) >> by) as i64),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::OrNot => a | !b,
        Op::Eq => truth(a == b),
        Op::Ne => truth(a != b),
        Op::Lt => truth(a < b),
        Op::Le => truth(a <= b),
        Op::Gt => truth(a > b),
        Op::Ge => truth(a >= b),
        Op::LogicAnd => i64::from(a != 0 && b != 0),
        Op::LogicOr => i64::from(a != 0 || b != 0),
    }
}

/// Changes the places in an expression.
pub(crate) fn for_places(expr: &mut Expr, change: &dyn Fn(&mut FragmentOffset)) {
    match expr {
        Expr::FragmentOffset(place) => change(place),
        Expr::Unary(_, operand) => for_places(operand, change),
        Expr::Binary(_, operands) => {
            for_places(&mut operands.0, change);
            for_places(&mut operands.1, change);
        }
        Expr::Choice(operands) => {
            for_places(&mut operands.0, change);
            for_places(&mut operands.1, change);
            for_places(&mut operands.2, change);
        }
        Expr::Call(_, arguments) => arguments.iter_mut().for_each(|one| for_places(one, change)),
        Expr::Number(_) | Expr::Symbol(_) | Expr::Here | Expr::Parameter(_) => {}
    }
}

/// An expression with a place for `.`.
pub(crate) fn at_place(expr: Expr, place: FragmentOffset) -> Expr {
    with_here(expr, &Expr::FragmentOffset(place))
}

/// An expression with another one for `.`.
pub(crate) fn with_here(expr: Expr, here: &Expr) -> Expr {
    match expr {
        Expr::Here => here.clone(),
        Expr::Unary(sign, operand) => Expr::Unary(sign, Box::new(with_here(*operand, here))),
        Expr::Binary(op, operands) => {
            let (a, b) = *operands;
            Expr::Binary(op, Box::new((with_here(a, here), with_here(b, here))))
        }
        Expr::Choice(operands) => {
            let (a, b, c) = *operands;
            Expr::Choice(Box::new((with_here(a, here), with_here(b, here), with_here(c, here))))
        }
        Expr::Call(id, arguments) => {
            let arguments = arguments.into_vec().into_iter();
            Expr::Call(id, arguments.map(|one| with_here(one, here)).collect())
        }
        expr => expr,
    }
}
