//! Checks that code keeps what its types promise: values are defined before they are used, and widths agree.

use std::fmt;

use crate::interval::MAX_BITS;

use super::{BinaryOp, Code, Label, Op, Over, Place, Region, Step, UnaryOp, ValueId};

/// Something that code does not keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The value that it is about, an index into [`Code::values`].
    pub value: usize,
    /// What is wrong.
    pub message: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}: {}", self.value, self.message)
    }
}

impl Code {
    /// Checks the code.
    ///
    /// # Errors
    ///
    /// The first value that is used before it is defined, defined twice, or of a width that its operation does not have.
    pub fn verify(&self) -> Result<(), Fault> {
        let mut verify = Verify { code: self, is_visible: vec![false; self.values.len()] };
        verify.region(&self.body)
    }
}

struct Verify<'c> {
    code: &'c Code,
    /// The values that may be used here.
    is_visible: Vec<bool>,
}

impl Verify<'_> {
    fn holds(&self, condition: bool, value: ValueId, message: &'static str) -> Result<(), Fault> {
        if condition { Ok(()) } else { Err(Fault { value: value.index(), message }) }
    }

    fn uses(&self, value: ValueId) -> Result<(), Fault> {
        let is_visible = self.is_visible.get(value.index()) == Some(&true);
        self.holds(is_visible, value, "used where it is not defined")
    }

    fn defines(&mut self, value: ValueId) -> Result<(), Fault> {
        self.holds(!self.is_visible[value.index()], value, "defined twice")?;
        let width = self.code.width(value);
        self.holds(width > 0, value, "without bits")?;
        self.holds(width <= MAX_BITS, value, "with too many bits")?;
        self.is_visible[value.index()] = true;
        Ok(())
    }

    /// A value that is not among the values of the code would end the program.
    fn exists(&self, value: ValueId) -> Result<(), Fault> {
        self.holds(value.index() < self.is_visible.len(), value, "not in the list")
    }

    fn one_width(&self, a: ValueId, b: ValueId) -> Result<(), Fault> {
        self.holds(self.code.width(a) == self.code.width(b), a, "of another width than its peer")
    }

    /// A region, and what is checked where its values are visible.
    fn inner(
        &mut self,
        region: &Region,
        at_end: impl FnOnce(&Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let outside = self.is_visible.clone();
        self.region(region)?;
        at_end(self)?;
        self.is_visible = outside;
        Ok(())
    }

    fn region(&mut self, region: &Region) -> Result<(), Fault> {
        region.steps.iter().try_for_each(|step| self.step(step))
    }

    fn place(&self, place: &Place) -> Result<(), Fault> {
        let mut found = Ok(());
        place.operands(&mut |value| {
            if found.is_ok() {
                found = self.uses(value);
            }
        });
        found
    }

    fn step(&mut self, step: &Step) -> Result<(), Fault> {
        match step {
            Step::Compute(value) => {
                self.exists(*value)?;
                self.computes(*value)?;
                self.defines(*value)
            }
            Step::Write { place, mask, value } => {
                self.place(place)?;
                self.uses(*value)?;
                mask.iter().try_for_each(|mask| {
                    self.uses(*mask)?;
                    self.one_width(*mask, *value)
                })
            }
            Step::Store { address, value, .. } => {
                self.uses(*address)?;
                self.uses(*value)
            }
            Step::Jump(value) | Step::Lanes(value) => self.uses(*value),
            Step::If { condition, yes, no, merges } => {
                self.uses(*condition)?;
                self.holds(self.code.width(*condition) == 1, *condition, "a condition has 1 bit")?;
                merges.iter().try_for_each(|merge| self.exists(merge.after))?;
                let code = self.code;
                let arm = |verify: &Self, value: Option<ValueId>, after: ValueId| match value {
                    Some(value) => {
                        verify.uses(value)?;
                        verify.one_width(value, after)
                    }
                    None => Ok(()),
                };
                self.inner(yes, |verify| {
                    merges.iter().try_for_each(|merge| arm(verify, merge.yes, merge.after))
                })?;
                self.inner(no, |verify| {
                    merges.iter().try_for_each(|merge| arm(verify, merge.no, merge.after))
                })?;
                for merge in merges {
                    let is_merge = matches!(code.op(merge.after), Op::Merge);
                    self.holds(is_merge, merge.after, "not a merge")?;
                    self.defines(merge.after)?;
                }
                Ok(())
            }
            Step::Loop { over, number, carried, body } => {
                self.exists(*number)?;
                for one in carried {
                    self.exists(one.inside)?;
                    self.exists(one.after)?;
                }
                match over {
                    Over::Range { first, last, .. } => {
                        self.uses(*first)?;
                        self.uses(*last)?;
                        self.one_width(*first, *last)?;
                        self.one_width(*first, *number)?;
                    }
                    Over::Ones(of) => self.uses(*of)?,
                }
                let outside = self.is_visible.clone();
                self.defines(*number)?;
                for one in carried {
                    self.uses(one.before)?;
                    self.one_width(one.before, one.inside)?;
                    self.defines(one.inside)?;
                }
                self.region(body)?;
                for one in carried {
                    self.uses(one.next)?;
                    self.one_width(one.next, one.inside)?;
                }
                self.is_visible = outside;
                for one in carried {
                    self.one_width(one.after, one.inside)?;
                    self.defines(one.after)?;
                }
                Ok(())
            }
            Step::Atomic(body) => self.inner(body, |_| Ok(())),
            Step::Labelled { label, body, .. } => {
                if let Label::Value(value) = label {
                    self.uses(*value)?;
                }
                self.inner(body, |_| Ok(()))
            }
            Step::Trap { arguments, .. } => {
                arguments.iter().try_for_each(|argument| self.uses(*argument))
            }
            Step::Unpredictable | Step::Commit => Ok(()),
        }
    }

    fn computes(&self, value: ValueId) -> Result<(), Fault> {
        let code = self.code;
        let width = code.width(value);
        let mut operands = Vec::new();
        code.op(value).operands(|operand| operands.push(operand));
        operands.iter().try_for_each(|operand| self.uses(*operand))?;
        let of = |operand: ValueId| code.width(operand);
        let fits = match code.op(value) {
            Op::Unary(UnaryOp::Not | UnaryOp::Neg | UnaryOp::Reverse, a) => of(*a) == width,
            Op::Float { operation, arguments, .. } => {
                operation.takes(arguments.len()) && operation.width() == width
            }
            Op::Unary(_, a) => u32::BITS - of(*a).leading_zeros() == width,
            Op::Binary(op, a, b) => match op {
                BinaryOp::Shl | BinaryOp::ShrZeros | BinaryOp::ShrSigns | BinaryOp::RotateLeft => {
                    of(*a) == width
                }
                BinaryOp::Carryless => of(*a) + of(*b) == width,
                BinaryOp::Equal | BinaryOp::LessUnsigned | BinaryOp::LessSigned => {
                    of(*a) == of(*b) && width == 1
                }
                _ => of(*a) == width && of(*b) == width,
            },
            Op::Extend { of: a, .. } => of(*a) < width,
            Op::Extract { of: a, low } => low.checked_add(width).is_some_and(|end| end <= of(*a)),
            Op::Concat(parts) => {
                parts.iter().map(|part| u64::from(of(*part))).sum::<u64>() == u64::from(width)
            }
            Op::Select { condition, yes, no } => {
                of(*condition) == 1 && of(*yes) == width && of(*no) == width
            }
            Op::Any { first, last } => of(*first) == width && of(*last) == width,
            Op::Has(_) | Op::StoreConditional { .. } => width == 1,
            Op::Merge | Op::Carried | Op::Number => false,
            _ => true,
        };
        self.holds(fits, value, "not as wide as its operation says")
    }
}
