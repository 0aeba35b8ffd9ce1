//! The parser: expressions, by the precedence of chapter 11 of LANGUAGE.md.

use isadl_base::vocabulary::{BinaryOp, UnaryOp};

use super::ast::{Expr, ExprKind, Name};
use super::parse::{Parsed, Parser, is_keyword};
use super::token::Token;

/// Infix operators, the weakest first; `not` is between the second and the third line.
const LEVELS: [&[BinaryOp]; 9] = [
    &[BinaryOp::Or],
    &[BinaryOp::And],
    &[BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge],
    &[BinaryOp::BitOr],
    &[BinaryOp::BitXor],
    &[BinaryOp::BitAnd],
    &[BinaryOp::Shl, BinaryOp::Shr],
    &[BinaryOp::Add, BinaryOp::Sub],
    &[BinaryOp::Mul, BinaryOp::Div, BinaryOp::Rem],
];

/// The most operators beside each other in an expression.
pub const MAX_OPERATORS: usize = 200;

/// The level of comparisons, which do not associate.
const COMPARISONS: usize = 2;

impl<'s> Parser<'s, '_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr<'s>> {
        self.nested(|parser| {
            let start = parser.span();
            let condition = parser.binary(0)?;
            if !parser.accept("?") {
                return Ok(condition);
            }
            parser.skip_newlines();
            let yes = parser.expr()?;
            parser.skip_newlines();
            parser.expect(":")?;
            parser.skip_newlines();
            let no = parser.expr()?;
            Ok(Expr {
                span: parser.since(start),
                kind: ExprKind::Choice(Box::new([condition, yes, no])),
            })
        })
    }

    /// Operators of a level or stronger.
    fn binary(&mut self, weakest: usize) -> Parsed<Expr<'s>> {
        let start = self.span();
        let mut left = match weakest <= COMPARISONS && self.is_word("not") {
            true => {
                self.take();
                let operand = self.nested(|parser| parser.binary(COMPARISONS))?;
                let kind = ExprKind::Unary(UnaryOp::Not, Box::new(operand));
                Expr { span: self.since(start), kind }
            }
            false => self.unary()?,
        };
        let mut count = 0;
        let mut has_comparison = false;
        while let Some((level, operator)) = self.operator(weakest) {
            let sign = self.take().span;
            count += 1;
            if count > MAX_OPERATORS {
                let help = "give a part a name";
                let message = format!("more than {MAX_OPERATORS} operators");
                return Err(self.fault_with(message, sign, help));
            }
            if level == COMPARISONS && std::mem::replace(&mut has_comparison, true) {
                let help = "compare twice, with `and` between the comparisons";
                return Err(self.fault_with("a comparison of a comparison", sign, help));
            }
            has_comparison &= level >= COMPARISONS;
            let right = self.nested(|parser| parser.binary(level + 1))?;
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expr { span: self.since(start), kind };
        }
        Ok(left)
    }

    /// The next token, if it is an operator of a level or stronger.
    fn operator(&self, weakest: usize) -> Option<(usize, BinaryOp)> {
        let (Token::Sign(text) | Token::Name(text)) = self.next() else { return None };
        let levels = LEVELS.iter().enumerate().skip(weakest);
        let own = |level: &[BinaryOp]| level.iter().copied().find(|one| one.symbol() == text);
        levels.filter_map(|(at, level)| Some((at, own(level)?))).next()
    }

    pub(super) fn unary(&mut self) -> Parsed<Expr<'s>> {
        let start = self.span();
        let operator = match self.next() {
            Token::Sign("-") => UnaryOp::Neg,
            Token::Sign("~") => UnaryOp::BitNot,
            // Means nothing, but shows the sign of a zero.
            Token::Sign("+") => {
                self.take();
                return self.nested(Self::unary);
            }
            Token::Sign("!") => {
                return Err(self.fault_with(
                    "`!` is not an operator",
                    start,
                    "write `not`, or `~` for every bit",
                ));
            }
            _ => return self.postfix(),
        };
        self.take();
        let operand = self.nested(Self::unary)?;
        Ok(Expr { span: self.since(start), kind: ExprKind::Unary(operator, Box::new(operand)) })
    }

    fn postfix(&mut self) -> Parsed<Expr<'s>> {
        let start = self.span();
        let mut found = self.primary()?;
        loop {
            let kind = match self.next() {
                Token::Sign("[") => self.brackets(found)?,
                Token::Sign("@") => {
                    self.take();
                    // Bits after it are those of the lane's number.
                    let lane = self.nested(Self::postfix)?;
                    ExprKind::Lane { of: Box::new(found), lane: Box::new(lane) }
                }
                Token::Sign(".") => {
                    let Some(of) = found.as_name() else {
                        return Err(self.fault("expected an operator"));
                    };
                    self.take();
                    ExprKind::Member { of, name: self.member_name()? }
                }
                Token::Sign("(") if found.as_name().is_some() => {
                    let Some(function) = found.as_name() else { return Ok(found) };
                    self.call(function)?
                }
                _ => return Ok(found),
            };
            found = Expr { span: self.since(start), kind };
        }
    }

    fn brackets(&mut self, of: Expr<'s>) -> Parsed<ExprKind<'s>> {
        self.expect("[")?;
        let first = self.expr()?;
        let of = Box::new(of);
        let kind = if self.accept(":") {
            ExprKind::Slice { of, bounds: Box::new([first, self.expr()?]) }
        } else if self.accept("+:") {
            ExprKind::Part { of, bounds: Box::new([first, self.expr()?]) }
        } else {
            let mut indices = vec![first];
            while self.accept(",") {
                indices.push(self.expr()?);
            }
            ExprKind::Index { of, indices }
        };
        self.expect("]")?;
        Ok(kind)
    }

    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr<'s>>> {
        self.expect("(")?;
        let mut found = Vec::new();
        while !self.accept(")") {
            found.push(self.expr()?);
            if !self.accept(",") && !self.is_sign(")") {
                return Err(self.fault("expected `,` or `)`"));
            }
        }
        Ok(found)
    }

    fn call(&mut self, function: Name<'s>) -> Parsed<ExprKind<'s>> {
        self.expect("(")?;
        if self.accept(")") {
            return Ok(ExprKind::Call { function, arguments: Vec::new() });
        }
        let start = self.span();
        let first = self.expr()?;
        if self.accept_word("for") {
            let name = self.name()?;
            if !self.accept_word("in") {
                return Err(self.fault("expected `in`"));
            }
            let range = Box::new(self.range()?);
            let condition = match self.accept_word("if") {
                true => Some(Box::new(self.expr()?)),
                false => None,
            };
            self.expect(")")?;
            return Ok(ExprKind::Fold { function, item: Box::new(first), name, range, condition });
        }
        if self.accept("..") {
            let bounds = Box::new([first, self.expr()?]);
            let between = Expr { span: self.since(start), kind: ExprKind::Between(bounds) };
            self.expect(")")?;
            return Ok(ExprKind::Call { function, arguments: vec![between] });
        }
        let mut arguments = vec![first];
        while self.accept(",") {
            if self.is_sign(")") {
                break;
            }
            arguments.push(self.expr()?);
        }
        self.expect(")")?;
        Ok(ExprKind::Call { function, arguments })
    }

    fn primary(&mut self) -> Parsed<Expr<'s>> {
        let start = self.span();
        let kind = match self.next() {
            Token::Int(value) => ExprKind::Int(value),
            Token::Real(text) => ExprKind::Real(text),
            Token::Text(text) => ExprKind::Text(text),
            Token::Name("match") => {
                let found = self.match_of(Self::expr)?;
                return Ok(Expr {
                    span: self.since(start),
                    kind: ExprKind::Match(Box::new(found)),
                });
            }
            Token::Name("unknown") => ExprKind::Unknown,
            Token::Name("body") => ExprKind::Body,
            // The folds have the names of operators.
            Token::Name(word @ ("and" | "or")) if self.second() == Token::Sign("(") => {
                ExprKind::Name(word)
            }
            Token::Name(word) if !is_keyword(word) => ExprKind::Name(word),
            Token::Sign("(") => {
                self.take();
                let mut inner = self.expr()?;
                self.expect(")")?;
                inner.span = self.since(start);
                return Ok(inner);
            }
            Token::Sign("{") => return self.concat(),
            _ => return Err(self.fault("expected an expression")),
        };
        self.take();
        Ok(Expr { span: self.since(start), kind })
    }

    fn concat(&mut self) -> Parsed<Expr<'s>> {
        let start = self.expect("{")?;
        self.skip_newlines();
        let first = self.expr()?;
        self.skip_newlines();
        let kind = if self.accept_word("for") {
            let name = self.name()?;
            if !self.accept_word("in") {
                return Err(self.fault("expected `in`"));
            }
            let from = self.expr()?;
            self.expect("..")?;
            let bounds = Box::new([from, self.expr()?]);
            ExprKind::Repeat { item: Box::new(first), name, bounds }
        } else {
            let mut parts = vec![first];
            while self.accept(",") {
                self.skip_newlines();
                parts.push(self.expr()?);
                self.skip_newlines();
            }
            ExprKind::Concat(parts)
        };
        self.skip_newlines();
        self.expect("}")?;
        Ok(Expr { span: self.since(start), kind })
    }
}
