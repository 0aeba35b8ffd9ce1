//! Evaluates the intermediate representation, for a machine that a test describes.

use isadl::isa::NameId;
use isadl::semantics::float::{Operation, Setting};
use isadl::semantics::ir::{
    BinaryOp, Code, Label, Op, Over, Place, Region, Step, UnaryOp, ValueId,
};
use num_bigint::BigInt;

/// What code reads and changes. Numbers are not negative.
pub(crate) trait World {
    /// The number in a field, with its sign.
    fn field(&self, field: NameId) -> BigInt;
    /// The bits of a field.
    fn field_bits(&self, field: NameId) -> BigInt;
    fn pc(&self) -> BigInt;
    fn next(&self) -> BigInt;
    fn read(&self, place: &Place, number: Option<usize>, width: u32) -> BigInt;
    /// Writes some of the bits that the program sees.
    fn write(&mut self, place: &Place, number: Option<usize>, bits: Written);
    fn load(&mut self, address: &BigInt, width: u32) -> Result<BigInt, Stop>;
    fn store(&mut self, address: &BigInt, width: u32, value: &BigInt) -> Result<(), Stop>;
    fn jump(&mut self, target: BigInt);

    // What machines with lanes have.

    fn lane(&self) -> usize {
        panic!("not in these programs")
    }

    fn active(&self) -> BigInt {
        panic!("not in these programs")
    }

    /// Only those of the lanes take part from here on.
    fn take_part(&mut self, _lanes: BigInt) {
        panic!("not in these programs")
    }

    /// The bits of all lanes, of which the own is given; none if the others have not come to this yet.
    fn ballot(&mut self, _own: bool) -> Result<BigInt, Stop> {
        panic!("not in these programs")
    }

    fn read_lane(&self, _place: &Place, _number: Option<usize>, _lane: usize) -> BigInt {
        panic!("not in these programs")
    }

    fn write_lane(&mut self, _place: &Place, _number: Option<usize>, _lane: usize, _bits: Written) {
        panic!("not in these programs")
    }
}

/// Bits of a register that are written.
pub(crate) struct Written {
    /// The number of bits that the program sees.
    pub(crate) width: u32,
    /// Those that are written.
    pub(crate) mask: BigInt,
    /// The bits; those that are not written are 0.
    pub(crate) value: BigInt,
}

/// Why an evaluation ends before its end.
#[derive(Debug)]
pub(crate) struct Stop;

/// Runs code.
pub(crate) fn run(code: &Code, world: &mut dyn World) -> Result<(), Stop> {
    let mut run = Run { code, world, values: vec![None; code.values.len()], raised: 0 };
    run.region(&code.body)
}

struct Run<'r> {
    code: &'r Code,
    world: &'r mut dyn World,
    values: Vec<Option<BigInt>>,
    /// The flags that floating-point operations raised.
    raised: u8,
}

/// The result of a floating-point operation, and the flags that it raises.
pub(crate) fn float(
    operation: &Operation,
    arguments: &[BigInt],
    settings: &[(Setting, BigInt)],
) -> (BigInt, u8) {
    let double = |value: &BigInt| u64::try_from(lowest(value, 64)).expect("64 bits");
    let arguments: Vec<u64> = arguments.iter().map(double).collect();
    let settings = settings.iter().map(|(setting, value)| (*setting, double(value) as usize));
    let settings: Vec<(Setting, usize)> = settings.collect();
    let (result, flags) = operation.evaluate(&arguments, &settings);
    (BigInt::from(result), flags.bits())
}

fn power(bits: u32) -> BigInt {
    BigInt::from(1) << bits
}

/// The lowest bits of a number in two's complement.
fn lowest(value: &BigInt, bits: u32) -> BigInt {
    let rest = value % power(bits);
    if rest < BigInt::ZERO { rest + power(bits) } else { rest }
}

fn is_one(value: &BigInt, bit: u32) -> bool {
    value.bit(u64::from(bit))
}

fn signed(value: &BigInt, width: u32) -> BigInt {
    if is_one(value, width - 1) { value - power(width) } else { value.clone() }
}

impl Run<'_> {
    fn value(&self, value: ValueId) -> BigInt {
        self.values[value.index()]
            .clone()
            .unwrap_or_else(|| panic!("%{} has a value", value.index()))
    }

    fn set(&mut self, value: ValueId, number: BigInt) {
        let width = self.code.width(value);
        assert!(
            number >= BigInt::ZERO && number < power(width),
            "%{} is {number}, which has more than {width} bits",
            value.index()
        );
        self.values[value.index()] = Some(number);
    }

    fn region(&mut self, region: &Region) -> Result<(), Stop> {
        region.steps.iter().try_for_each(|step| self.step(step))
    }

    fn number_of(&self, place: &Place) -> Option<usize> {
        match place {
            Place::Register { number, .. } | Place::Group { offset: number, .. } => {
                Some(self.small(*number))
            }
            _ => None,
        }
    }

    fn small(&self, value: ValueId) -> usize {
        usize::try_from(self.value(value)).expect("a small number")
    }

    fn step(&mut self, step: &Step) -> Result<(), Stop> {
        match step {
            Step::Compute(value) => {
                let found = self.compute(*value)?;
                self.set(*value, found);
            }
            Step::Write { place, mask, value } => {
                let width = self.code.width(*value);
                let mask = mask.map_or(power(width) - 1, |mask| self.value(mask));
                let value = self.value(*value);
                assert_eq!(&value & &mask, value, "bits that are not written are 0");
                let written = Written { width, mask, value };
                match place {
                    Place::OfLane { place, lane } => {
                        let (number, lane) = (self.number_of(place), self.small(*lane));
                        self.world.write_lane(place, number, lane, written);
                    }
                    _ => self.world.write(place, self.number_of(place), written),
                }
            }
            Step::Store { address, value, .. } => {
                let width = self.code.width(*value);
                let (address, value) = (self.value(*address), self.value(*value));
                self.world.store(&address, width, &value)?;
            }
            Step::Lanes(lanes) => {
                let lanes = self.value(*lanes);
                self.world.take_part(lanes);
            }
            Step::Jump(target) => {
                let target = self.value(*target);
                self.world.jump(target);
            }
            Step::If { condition, yes, no, merges } => {
                let is_yes = self.value(*condition) != BigInt::ZERO;
                self.region(if is_yes { yes } else { no })?;
                for merge in merges {
                    let from = if is_yes { merge.yes } else { merge.no };
                    let found = self.value(from.expect("the program did not end"));
                    self.set(merge.after, found);
                }
            }
            Step::Loop { over, number, carried, body } => {
                for one in carried {
                    let before = self.value(one.before);
                    self.set(one.inside, before);
                }
                for step in self.numbers(over) {
                    self.set(*number, lowest(&step, self.code.width(*number)));
                    self.region(body)?;
                    let next: Vec<BigInt> =
                        carried.iter().map(|one| self.value(one.next)).collect();
                    for (one, next) in carried.iter().zip(next) {
                        self.set(one.inside, next);
                    }
                }
                for one in carried {
                    let last = self.value(one.inside);
                    self.set(one.after, last);
                }
            }
            Step::Atomic(body) => self.region(body)?,
            Step::Labelled { label, body, .. } => {
                if let Label::Value(value) = label {
                    self.value(*value);
                }
                self.region(body)?;
            }
            Step::Unpredictable | Step::Trap { .. } => return Err(Stop),
            Step::Commit => panic!("not in these programs"),
        }
        Ok(())
    }

    fn numbers(&self, over: &Over) -> Vec<BigInt> {
        match over {
            Over::Range { first, last, is_signed } => {
                let width = self.code.width(*first);
                let of = |value: ValueId| match is_signed {
                    true => signed(&self.value(value), width),
                    false => self.value(value),
                };
                let (mut next, last) = (of(*first), of(*last));
                let mut found = Vec::new();
                while next <= last {
                    found.push(next.clone());
                    next += 1;
                }
                found
            }
            Over::Ones(of) => {
                let bits = self.value(*of);
                let ones = (0..self.code.width(*of)).filter(|bit| is_one(&bits, *bit));
                ones.map(BigInt::from).collect()
            }
        }
    }

    fn compute(&mut self, id: ValueId) -> Result<BigInt, Stop> {
        let width = self.code.width(id);
        let code = self.code;
        Ok(match code.op(id) {
            Op::Constant(value) => lowest(&BigInt::from(*value), width),
            Op::Field(field) => lowest(&self.world.field(*field), width),
            Op::FieldBits(field) => self.world.field_bits(*field),
            Op::Pc => self.world.pc(),
            Op::Next => self.world.next(),
            Op::Lane => lowest(&BigInt::from(self.world.lane()), width),
            Op::Active => self.world.active(),
            Op::Ballot(of) => {
                let own = self.value(*of) != BigInt::ZERO;
                self.world.ballot(own)?
            }
            Op::Read(Place::OfLane { place, lane }) => {
                let found = self.world.read_lane(place, self.number_of(place), self.small(*lane));
                lowest(&found, width)
            }
            Op::Read(place) => {
                let number = self.number_of(place);
                lowest(&self.world.read(place, number, width), width)
            }
            Op::Load { address, .. } => {
                let address = self.value(*address);
                self.world.load(&address, width)?
            }
            // Nothing is reserved before a single instruction.
            Op::StoreConditional { address, value, .. } => {
                let address = self.value(*address);
                self.world.load(&address, code.width(*value))?;
                BigInt::ZERO
            }
            // The machine chooses 0, and of a range the last.
            Op::Unknown => BigInt::ZERO,
            Op::Any { last, .. } => self.value(*last),
            Op::Unary(op, of) => unary(*op, &self.value(*of), code.width(*of)),
            Op::Binary(op, a, b) => binary(*op, &self.value(*a), &self.value(*b), code.width(*a)),
            Op::Extend { of, is_signed } => {
                let value = self.value(*of);
                let value = if *is_signed { signed(&value, code.width(*of)) } else { value };
                lowest(&value, width)
            }
            Op::Extract { of, low } => lowest(&(self.value(*of) >> *low), width),
            Op::Concat(parts) => parts
                .iter()
                .fold(BigInt::ZERO, |all, part| (all << code.width(*part)) + self.value(*part)),
            Op::Select { condition, yes, no } => {
                self.value(if self.value(*condition) != BigInt::ZERO { *yes } else { *no })
            }
            Op::Float { operation, arguments, settings, raises } => {
                let arguments: Vec<BigInt> = arguments.iter().map(|id| self.value(*id)).collect();
                let settings: Vec<(Setting, BigInt)> =
                    settings.iter().map(|(setting, id)| (*setting, self.value(*id))).collect();
                let (result, flags) = float(operation, &arguments, &settings);
                self.raised |= if *raises { flags } else { 0 };
                result
            }
            Op::Raised => BigInt::from(self.raised),
            other => panic!("not in these programs: {other:?}"),
        })
    }
}

fn unary(op: UnaryOp, of: &BigInt, width: u32) -> BigInt {
    let bits = |is_from_top: bool| {
        let bit = move |at: u32| if is_from_top { width - 1 - at } else { at };
        (0..width).map(move |at| is_one(of, bit(at)))
    };
    match op {
        UnaryOp::Not => power(width) - 1 - of,
        UnaryOp::Neg => lowest(&-of, width),
        UnaryOp::Count => BigInt::from(bits(false).filter(|bit| *bit).count()),
        UnaryOp::LeadingZeros => BigInt::from(bits(true).take_while(|bit| !bit).count()),
        UnaryOp::TrailingZeros => BigInt::from(bits(false).take_while(|bit| !bit).count()),
        UnaryOp::Reverse => {
            bits(false).fold(BigInt::ZERO, |all, bit| (all << 1) + BigInt::from(u8::from(bit)))
        }
    }
}

fn binary(op: BinaryOp, a: &BigInt, b: &BigInt, width: u32) -> BigInt {
    let truth = |value: bool| BigInt::from(u8::from(value));
    let far = BigInt::from(width);
    let by = |by: &BigInt| u32::try_from(by).expect("a small number");
    let (signed_a, signed_b) = (|| signed(a, width), || signed(b, width));
    match op {
        BinaryOp::Add => lowest(&(a + b), width),
        BinaryOp::Sub => lowest(&(a - b), width),
        BinaryOp::Mul => lowest(&(a * b), width),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl | BinaryOp::ShrZeros if *b >= far => BigInt::ZERO,
        BinaryOp::Shl => lowest(&(a << by(b)), width),
        BinaryOp::ShrZeros => a >> by(b),
        BinaryOp::ShrSigns => lowest(&(signed_a() >> by(&far.min(b.clone()))), width),
        BinaryOp::DivUnsigned | BinaryOp::DivSigned if *b == BigInt::ZERO => power(width) - 1,
        BinaryOp::RemUnsigned | BinaryOp::RemSigned if *b == BigInt::ZERO => a.clone(),
        BinaryOp::DivUnsigned => a / b,
        BinaryOp::RemUnsigned => a % b,
        BinaryOp::DivSigned => lowest(&(signed_a() / signed_b()), width),
        BinaryOp::RemSigned => lowest(&(signed_a() % signed_b()), width),
        BinaryOp::RotateLeft => {
            let by = by(&(b % far));
            lowest(&((a << by) | (a >> (width - by))), width)
        }
        BinaryOp::Carryless => {
            (0..width).filter(|bit| is_one(a, *bit)).fold(BigInt::ZERO, |all, bit| all ^ (b << bit))
        }
        BinaryOp::Equal => truth(a == b),
        BinaryOp::LessUnsigned => truth(a < b),
        BinaryOp::LessSigned => truth(signed_a() < signed_b()),
    }
}
