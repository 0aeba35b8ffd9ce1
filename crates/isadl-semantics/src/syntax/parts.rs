//! The parts of statements and expressions, for whoever walks over a whole program.

use super::ast::{
    Arm, Block, Declaration, Expr, ExprKind, Extent, Range, Statement, StatementKind, Trap, Type,
    TypeKind,
};

impl<'s> Statement<'s> {
    /// The expressions of the statement itself, in the order of the text; not those in its blocks and types.
    pub fn expressions(&self) -> Vec<&Expr<'s>> {
        match &self.kind {
            StatementKind::Assign { target, value } => vec![target, value],
            StatementKind::Var { value, .. }
            | StatementKind::Return(value)
            | StatementKind::Value(value)
            | StatementKind::Labelled { label: value, .. } => vec![value],
            StatementKind::If { branches, .. } => {
                branches.iter().map(|(condition, _)| condition).collect()
            }
            StatementKind::Match(found) => found.subjects.iter().collect(),
            StatementKind::For { range, .. } | StatementKind::Each { range: Some(range), .. } => {
                range.parts()
            }
            StatementKind::Trap(trap) => trap.arguments.iter().collect(),
            StatementKind::Declare(declaration) => declaration.expressions(),
            StatementKind::Each { range: None, .. }
            | StatementKind::Atomic(_)
            | StatementKind::Unpredictable
            | StatementKind::Commit
            | StatementKind::Nothing => Vec::new(),
        }
    }

    /// The blocks of the statement, in the order of the text.
    pub fn blocks(&self) -> Vec<&Block<'s>> {
        match &self.kind {
            StatementKind::If { branches, otherwise } => {
                branches.iter().map(|(_, block)| block).chain(otherwise).collect()
            }
            StatementKind::Match(found) => found.arms.iter().map(|arm| &arm.value).collect(),
            StatementKind::For { body, .. }
            | StatementKind::Each { body, .. }
            | StatementKind::Atomic(body)
            | StatementKind::Labelled { body, .. } => vec![body],
            StatementKind::Declare(Declaration::Function(function)) => vec![&function.body],
            StatementKind::Declare(Declaration::Flags { body, .. }) => vec![body],
            _ => Vec::new(),
        }
    }

    /// The types that are written in the statement itself.
    pub fn types(&self) -> Vec<&Type<'s>> {
        match &self.kind {
            StatementKind::Var { ty, .. } => vec![ty],
            StatementKind::Declare(declaration) => declaration.types(),
            _ => Vec::new(),
        }
    }
}

impl<'s> Declaration<'s> {
    /// The expressions in it, and those in its types; not those in blocks.
    pub fn parts(&self) -> Vec<&Expr<'s>> {
        let types = self.types().into_iter().flat_map(Type::parts);
        self.expressions().into_iter().chain(types).collect()
    }

    fn expressions(&self) -> Vec<&Expr<'s>> {
        match self {
            Declaration::Let { values, value, otherwise, .. } => {
                let arguments = otherwise.iter().flat_map(|trap: &Trap<'s>| &trap.arguments);
                values.iter().chain([value]).chain(arguments).collect()
            }
            Declaration::Const { value, .. }
            | Declaration::Apply { value, .. }
            | Declaration::Setting { value, .. }
            | Declaration::Lanes { count: value, .. } => vec![value],
            Declaration::View { width, value, .. } => width.iter().chain([value]).collect(),
            Declaration::Range { first, last, .. } => vec![first, last],
            Declaration::Elements { width, extent, .. } => {
                [width].into_iter().chain(extent.iter().flat_map(Extent::parts)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn types(&self) -> Vec<&Type<'s>> {
        let (parameters, result) = match self {
            Declaration::Function(function) => (&function.parameters, function.result.as_ref()),
            Declaration::Extern { parameters, result, .. } => (parameters, result.as_ref()),
            Declaration::Trap { parameters, .. } => (parameters, None),
            Declaration::Memory { address: ty, .. }
            | Declaration::State { ty, .. }
            | Declaration::Number { format: ty, .. } => return vec![ty],
            _ => return Vec::new(),
        };
        parameters.iter().filter_map(|parameter| parameter.ty.as_ref()).chain(result).collect()
    }
}

impl<'s> Type<'s> {
    /// The expressions that it is made of: numbers of bits.
    pub fn parts(&self) -> Vec<&Expr<'s>> {
        match &self.kind {
            TypeKind::Bits(width) => vec![width],
            TypeKind::Float(parts) => parts.iter().collect(),
            TypeKind::Bit | TypeKind::Named(_) => Vec::new(),
        }
    }
}

impl<'s> Range<'s> {
    /// Its bounds, or the bits whose numbers it has.
    pub fn parts(&self) -> Vec<&Expr<'s>> {
        match self {
            Range::Between(first, last) => vec![first, last],
            Range::Bits(of) => vec![of],
        }
    }
}

impl<'s> Expr<'s> {
    /// The expressions that it consists of, in the order of the text.
    pub fn parts(&self) -> Vec<&Expr<'s>> {
        match &self.kind {
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Text(_)
            | ExprKind::Name(_)
            | ExprKind::Member { .. }
            | ExprKind::Unknown
            | ExprKind::Body => Vec::new(),
            ExprKind::Unary(_, of) => vec![of],
            ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Choice(parts) => parts.iter().collect(),
            ExprKind::Match(found) => {
                let values = found.arms.iter().map(|arm: &Arm<'s, Expr<'s>>| &arm.value);
                found.subjects.iter().chain(values).collect()
            }
            ExprKind::Concat(parts) => parts.iter().collect(),
            ExprKind::Repeat { item, bounds, .. } => {
                std::iter::once(&**item).chain(bounds.iter()).collect()
            }
            ExprKind::Slice { of, bounds } | ExprKind::Part { of, bounds } => {
                std::iter::once(&**of).chain(bounds.iter()).collect()
            }
            ExprKind::Index { of, indices } => std::iter::once(&**of).chain(indices).collect(),
            ExprKind::Lane { of, lane } => vec![of, lane],
            ExprKind::Call { arguments, .. } => arguments.iter().collect(),
            ExprKind::Fold { item, range, condition, .. } => {
                let parts = std::iter::once(&**item).chain(range.parts());
                parts.chain(condition.as_deref()).collect()
            }
            ExprKind::Between(bounds) => bounds.iter().collect(),
        }
    }
}
