//! Evaluates checked programs with exact integers, for a machine with register files and a small memory.

use std::collections::HashMap;

use isadl::ast::{BinaryOp, UnaryOp};
use isadl::isa::{Isa, Meaning, NameId, Opcode, OpcodeId, RegFileId, TypeKind};
use isadl::semantics::program::{
    Bits, Expr, ExprKind, LocalId, Place, Range, Statement, StatementKind, Type,
};
use isadl::semantics::{Instance, ir};
use num_bigint::BigInt;

use crate::common;
use crate::numbers::{builtin, double, folded, lowest, power, small, truth};

/// Registers and memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Machine {
    /// The registers of each file, by the numbers of the files.
    pub(super) files: Vec<Vec<u128>>,
    pub(super) pc: u64,
    /// The address of the memory, and its bytes.
    pub(super) buffer_at: u64,
    pub(super) buffer: Vec<u8>,
}

impl Machine {
    /// A machine whose registers are 0.
    pub(super) fn new(isa: &Isa, pc: u64) -> Machine {
        let files = isa.reg_files().iter().map(|file| vec![0; file.count as usize]).collect();
        Machine { files, pc, buffer_at: 0, buffer: Vec::new() }
    }

    /// The registers of a file.
    pub(super) fn file(&mut self, isa: &Isa, name: &str) -> &mut Vec<u128> {
        let at = isa.reg_files().iter().position(|file| file.name == name).expect("a file");
        &mut self.files[at]
    }
}

/// What an instruction did.
pub(super) enum Outcome {
    /// Registers and memory after it, and where it jumped.
    Done { after: Machine, jump: Option<u64> },
    /// It ended with a trap.
    Trapped,
    /// It accessed other memory, or anything may happen.
    Unusable,
}

/// Why a program ends early.
enum End {
    /// An access outside of the memory, or anything may happen.
    Outside,
    Trap,
}

type Value = Result<BigInt, End>;

struct Run<'r> {
    isa: &'r Isa,
    opcode: &'r Opcode,
    instance: &'r Instance,
    word: u128,
    before: &'r Machine,
    after: Machine,
    jump: Option<u64>,
    locals: HashMap<LocalId, BigInt>,
    /// The flags that floating-point operations raised.
    raised: u8,
}

pub(super) fn run(
    isa: &Isa,
    id: OpcodeId,
    instance: &Instance,
    word: u128,
    before: &Machine,
) -> Outcome {
    run_both(isa, id, (instance, &lowered(isa, id, instance)), word, before)
}

/// The intermediate representation of a program.
pub(super) fn lowered(isa: &Isa, id: OpcodeId, instance: &Instance) -> ir::Code {
    let opcode = isa.opcode(id);
    let code = ir::build(isa, opcode, &instance.program);
    let shown = || format!("{}\n{}", opcode.name, ir::Shown { isa, code: &code });
    code.verify().unwrap_or_else(|fault| panic!("{fault}: {}", shown()));
    code
}

/// Runs a program, and its intermediate representation, which does the same.
pub(super) fn run_both(
    isa: &Isa,
    id: OpcodeId,
    (instance, code): (&Instance, &ir::Code),
    word: u128,
    before: &Machine,
) -> Outcome {
    let opcode = isa.opcode(id);
    let (after, jump, locals) = (before.clone(), None, HashMap::new());
    let mut run = Run { isa, opcode, instance, word, before, after, jump, locals, raised: 0 };
    let found = run.statements(&instance.program.statements);
    let outcome = found.map(|()| (run.after, run.jump));
    lowered_does_the_same(isa, id, (instance, code), word, before, outcome.as_ref().ok());
    match outcome {
        Ok((after, jump)) => Outcome::Done { after, jump },
        Err(End::Trap) => Outcome::Trapped,
        Err(End::Outside) => Outcome::Unusable,
    }
}

/// Holds the intermediate representation of a program against its outcome.
fn lowered_does_the_same(
    isa: &Isa,
    id: OpcodeId,
    (instance, code): (&Instance, &ir::Code),
    word: u128,
    before: &Machine,
    outcome: Option<&(Machine, Option<u64>)>,
) {
    let opcode = isa.opcode(id);
    let shown = || format!("{} {word:x}\n{}", opcode.name, ir::Shown { isa, code });
    let (after, jump, locals) = (before.clone(), None, HashMap::new());
    let mut run = Run { isa, opcode, instance, word, before, after, jump, locals, raised: 0 };
    let found = common::run(code, &mut run).is_ok().then_some((run.after, run.jump));
    let registers = |found: Option<&(Machine, Option<u64>)>| {
        found.map(|(machine, jump)| format!("{:x?} {jump:x?}", machine.files))
    };
    let both = || format!("{:?}\n{:?}", registers(found.as_ref()), registers(outcome));
    assert!(found.as_ref() == outcome, "{}{}", shown(), both());
}

impl common::World for Run<'_> {
    fn field(&self, field: NameId) -> BigInt {
        Run::field(self, field)
    }

    fn field_bits(&self, field: NameId) -> BigInt {
        BigInt::from(self.opcode.field(field).expect("a field").extract(self.word))
    }

    fn pc(&self) -> BigInt {
        BigInt::from(self.before.pc)
    }

    fn next(&self) -> BigInt {
        BigInt::from(self.before.pc + u64::from(self.opcode.width / 8))
    }

    fn read(&self, place: &ir::Place, number: Option<usize>, width: u32) -> BigInt {
        let register = self.lowered_register(place, number);
        register
            .map_or(BigInt::ZERO, |(file, number)| self.registers(self.before, file, number, width))
    }

    fn write(&mut self, place: &ir::Place, number: Option<usize>, bits: common::Written) {
        let Some((file, number)) = self.lowered_register(place, number) else { return };
        let own = self.registers(&self.after, file, number, bits.width);
        let kept = &own - (&own & &bits.mask);
        self.set_registers(file, number, bits.width, &(kept | bits.value));
    }

    fn load(&mut self, address: &BigInt, width: u32) -> Result<BigInt, common::Stop> {
        Run::load(self, double(address), width).map_err(|_| common::Stop)
    }

    fn store(&mut self, address: &BigInt, width: u32, value: &BigInt) -> Result<(), common::Stop> {
        Run::store(self, double(address), width, value).map_err(|_| common::Stop)
    }

    fn jump(&mut self, target: BigInt) {
        self.jump = Some(double(&target));
    }
}

impl Run<'_> {
    fn statements(&mut self, statements: &[Statement]) -> Result<(), End> {
        statements.iter().try_for_each(|statement| self.statement(&statement.kind))
    }

    fn statement(&mut self, statement: &StatementKind) -> Result<(), End> {
        match statement {
            StatementKind::Bind { local, value } => {
                let found = self.value(value)?;
                let stored = match self.instance.program.locals[local.index()].ty {
                    Type::Bits(width) => lowest(&found, width),
                    _ => found,
                };
                self.locals.insert(*local, stored);
            }
            StatementKind::Write { place, bits, value } => {
                let value = self.value(value)?;
                let width = self.width(place);
                let (low, count) = match bits {
                    None => (0, width),
                    Some((low, Bits::Count(count))) => (small(&self.value(low)?), *count),
                    Some((_, Bits::UpTo(_))) => panic!("not in these programs"),
                };
                let Some((file, number)) = self.register(place)? else { return Ok(()) };
                let own = self.registers(&self.after, file, number, width);
                let kept = &own - (lowest(&(&own >> low), count) << low);
                let new = kept + (lowest(&value, count) << low);
                self.set_registers(file, number, width, &new);
            }
            StatementKind::Store { address, width, value, .. } => {
                let (address, value) = (double(&self.value(address)?), self.value(value)?);
                self.store(address, *width, &value)?;
            }
            StatementKind::Jump { target } => self.jump = Some(double(&self.value(target)?)),
            StatementKind::If { condition, yes, no } => {
                let branch = if self.value(condition)? != BigInt::ZERO { yes } else { no };
                self.statements(branch)?;
            }
            StatementKind::For { local, range, body } => {
                for number in self.range(range)? {
                    self.locals.insert(*local, number);
                    self.statements(body)?;
                }
            }
            StatementKind::Atomic(body) | StatementKind::Labelled { body, .. } => {
                self.statements(body)?
            }
            StatementKind::Do(value) => {
                self.value(value)?;
            }
            StatementKind::Trap { .. } => return Err(End::Trap),
            StatementKind::Unpredictable => return Err(End::Outside),
            other => panic!("not in these programs: {other:?}"),
        }
        Ok(())
    }

    fn range(&mut self, range: &Range) -> Result<Vec<BigInt>, End> {
        let Range::Between(first, last) = range else { panic!("not in these programs") };
        let (mut next, last) = (self.value(first)?, self.value(last)?);
        let mut found = Vec::new();
        while next <= last {
            found.push(next.clone());
            next += 1;
        }
        Ok(found)
    }

    /// Some of the lowest bits of a register, or of several, the lowest first. After the last one is one that is always 0.
    fn registers(&self, of: &Machine, file: RegFileId, number: usize, width: u32) -> BigInt {
        let each = self.isa.reg_files()[file.index()].width;
        let register = |at: usize| of.files[file.index()].get(number + at).copied().unwrap_or(0);
        let all = (0..width.div_ceil(each) as usize)
            .map(|at| BigInt::from(register(at)) << (each * at as u32));
        lowest(&all.sum(), width)
    }

    /// Writes some of the lowest bits of a register, or all of several.
    fn set_registers(&mut self, file: RegFileId, number: usize, width: u32, value: &BigInt) {
        let each = self.isa.reg_files()[file.index()].width;
        for at in 0..width.div_ceil(each) as usize {
            let count = each.min(width - each * at as u32);
            let new = lowest(&(value >> (each * at as u32)), count);
            if let Some(register) = self.after.files[file.index()].get_mut(number + at) {
                let kept = BigInt::from(*register) >> count << count;
                *register = (kept + new).try_into().expect("128 bits");
            }
        }
    }

    /// The register of a place; `None` for a constant.
    fn register(&mut self, place: &Place) -> Result<Option<(RegFileId, usize)>, End> {
        match place {
            Place::Operand { field, .. } => Ok(self.register_of(*field)),
            Place::Register { file, number } => {
                Ok(Some((*file, small(&self.value(number)?) as usize)))
            }
            Place::Group { field, offset, .. } => {
                let offset = small(&self.value(offset)?) as usize;
                Ok(self.following(*field, offset))
            }
            Place::State { name, .. } => panic!("`{name}` is not a register of a file"),
            Place::OfLane { .. } => panic!("these programs have no lanes"),
        }
    }

    /// A register of the group that the register of a field begins.
    fn following(&self, field: NameId, offset: usize) -> Option<(RegFileId, usize)> {
        let (file, number) = self.register_of(field)?;
        let count = self.isa.reg_files()[file.index()].count as usize;
        Some((file, (number + offset) % count))
    }

    /// The register of a place of the intermediate representation; `None` for a constant.
    fn lowered_register(
        &self,
        place: &ir::Place,
        number: Option<usize>,
    ) -> Option<(RegFileId, usize)> {
        match place {
            ir::Place::Operand { field, .. } => self.register_of(*field),
            ir::Place::Register { file, .. } => number.map(|number| (*file, number)),
            ir::Place::Group { field, .. } => self.following(*field, number?),
            ir::Place::State(name) => panic!("`{name}` is not a register of a file"),
            ir::Place::OfLane { .. } => panic!("these programs have no lanes"),
        }
    }

    fn width(&self, place: &Place) -> u32 {
        place.width(self.isa)
    }

    /// The register that a field denotes; `None` for a constant.
    fn register_of(&self, field: NameId) -> Option<(RegFileId, usize)> {
        let field = self.opcode.field(field).expect("a field");
        let raw = field.extract(self.word);
        let (entry, position) = self.isa.ty(field.ty).entry(raw).expect("a legal value");
        match &entry.meaning {
            Meaning::Registers { file, first, .. } => {
                Some((*file, (u64::from(*first) + position) as usize))
            }
            Meaning::Register { file, number, .. } => Some((*file, *number as usize)),
            _ => None,
        }
    }

    fn field(&self, field: NameId) -> BigInt {
        let field = self.opcode.field(field).expect("a field");
        let raw = field.extract(self.word);
        let ty = self.isa.ty(field.ty);
        match &ty.kind {
            TypeKind::Immediate(immediate) => BigInt::from(immediate.encoded(raw, field.width())),
            TypeKind::Operand(_) => {
                let (entry, position) = ty.entry(raw).expect("a legal value");
                let Meaning::Integers { first, step } = entry.meaning else { panic!("a number") };
                BigInt::from(first) + BigInt::from(step) * position
            }
            _ => BigInt::from(raw),
        }
    }

    fn place(&self, address: u64, width: u32) -> Result<usize, End> {
        let at = address.checked_sub(self.before.buffer_at).ok_or(End::Outside)?;
        let is_inside = at + u64::from(width / 8) <= self.before.buffer.len() as u64;
        // Machines may refuse other addresses. Three elements are aligned like one.
        let alignment = 1 << (width / 8).trailing_zeros();
        if is_inside && address.is_multiple_of(alignment) {
            Ok(at as usize)
        } else {
            Err(End::Outside)
        }
    }

    fn load(&self, address: u64, width: u32) -> Value {
        let at = self.place(address, width)?;
        let bytes = &self.after.buffer[at..at + width as usize / 8];
        Ok(bytes.iter().rev().fold(BigInt::ZERO, |all, byte| (all << 8) + *byte))
    }

    fn store(&mut self, address: u64, width: u32, value: &BigInt) -> Result<(), End> {
        let at = self.place(address, width)?;
        for byte in 0..width as usize / 8 {
            let own = lowest(&(value >> (8 * byte)), 8);
            self.after.buffer[at + byte] = u8::try_from(own).expect("a byte");
        }
        Ok(())
    }

    fn value(&mut self, expr: &Expr) -> Value {
        let found = self.compute(expr)?;
        let (low, high) = (expr.range.low.exact(), expr.range.high.exact());
        let is_inside = low.is_none_or(|low| found >= BigInt::from(low))
            && high.is_none_or(|high| found <= BigInt::from(high));
        assert!(is_inside, "{found} is not in {}", expr.range);
        Ok(found)
    }

    fn compute(&mut self, expr: &Expr) -> Value {
        Ok(match &expr.kind {
            ExprKind::Int(value) => BigInt::from(*value),
            ExprKind::Local(local) | ExprKind::Variable(local) => self.locals[local].clone(),
            ExprKind::Field(field) => self.field(*field),
            ExprKind::FieldBits(field) => {
                let field = self.opcode.field(*field).expect("a field");
                BigInt::from(field.extract(self.word))
            }
            ExprKind::Read(place) => {
                let width = self.width(place);
                let register = self.register(place)?;
                register.map_or(BigInt::ZERO, |(file, number)| {
                    self.registers(self.before, file, number, width)
                })
            }
            ExprKind::Load { address, width, .. } => {
                let address = double(&self.value(address)?);
                self.load(address, *width)?
            }
            // Nothing is reserved before a single instruction.
            ExprKind::StoreConditional { address, width, value, .. } => {
                let address = double(&self.value(address)?);
                self.place(address, *width)?;
                self.value(value)?;
                BigInt::ZERO
            }
            ExprKind::Pc => BigInt::from(self.before.pc),
            ExprKind::Next => BigInt::from(self.before.pc + u64::from(self.opcode.width / 8)),
            ExprKind::Unary(op, of) => {
                let of = self.value(of)?;
                match op {
                    UnaryOp::Not => truth(of == BigInt::ZERO),
                    UnaryOp::Neg => -of,
                    UnaryOp::BitNot => -of - 1,
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b)?,
            ExprKind::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                if self.value(condition)? != BigInt::ZERO {
                    self.value(yes)?
                } else {
                    self.value(no)?
                }
            }
            ExprKind::Concat(parts) => {
                let mut all = BigInt::ZERO;
                for part in parts {
                    all = (all << part.width().expect("a width")) + self.value(part)?;
                }
                all
            }
            ExprKind::Repeat { item, local, first, last } => {
                let numbers: Vec<i128> = if first <= last {
                    (*first..=*last).collect()
                } else {
                    (*last..=*first).rev().collect()
                };
                let mut all = BigInt::ZERO;
                for number in numbers {
                    self.locals.insert(*local, BigInt::from(number));
                    all = (all << item.width().expect("a width")) + self.value(item)?;
                }
                all
            }
            ExprKind::Slice { of, low, width } => lowest(&(self.value(of)? >> *low), *width),
            ExprKind::Part { of, low, bits } => {
                let (of, low) = (self.value(of)?, small(&self.value(low)?));
                match bits {
                    Bits::Count(width) => lowest(&(of >> low), *width),
                    Bits::UpTo(high) => {
                        let high = small(&self.value(high)?);
                        lowest(&(of >> low), high - low + 1)
                    }
                }
            }
            ExprKind::Builtin(function, arguments) => {
                let values = arguments
                    .iter()
                    .map(|argument| self.value(argument))
                    .collect::<Result<Vec<_>, _>>()?;
                builtin(*function, &values, arguments[0].width().unwrap_or(1))
            }
            ExprKind::Fold { fold, item, local, range, condition } => {
                let mut values = Vec::new();
                for number in self.range(range)? {
                    self.locals.insert(*local, number);
                    let counts = match condition {
                        Some(condition) => self.value(condition)? != BigInt::ZERO,
                        None => true,
                    };
                    if counts {
                        values.push(self.value(item)?);
                    }
                }
                folded(*fold, values)
            }
            // The machine chooses the last.
            ExprKind::Any(bounds) => {
                self.value(&bounds[0])?;
                self.value(&bounds[1])?
            }
            ExprKind::Inline { bindings, value } => {
                self.statements(bindings)?;
                self.value(value)?
            }
            ExprKind::Float { operation, arguments, settings, raises } => {
                let arguments: Vec<BigInt> = arguments
                    .iter()
                    .map(|argument| self.value(argument))
                    .collect::<Result<_, _>>()?;
                let settings = settings
                    .iter()
                    .map(|(setting, value)| Ok((*setting, self.value(value)?)))
                    .collect::<Result<Vec<_>, End>>()?;
                let (result, flags) = common::float(operation, &arguments, &settings);
                self.raised |= if *raises { flags } else { 0 };
                // An integer with a sign is a result in two's complement.
                let width = operation.width();
                let is_negative = expr.range.may_be_negative() && result.bit(u64::from(width) - 1);
                if is_negative { result - power(width) } else { result }
            }
            ExprKind::Raised => BigInt::from(self.raised),
            other => panic!("not in these programs: {other:?}"),
        })
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Value {
        let a = self.value(a)?;
        match op {
            BinaryOp::And if a == BigInt::ZERO => return Ok(a),
            BinaryOp::Or if a != BigInt::ZERO => return Ok(a),
            _ => {}
        }
        let b = self.value(b)?;
        Ok(match op {
            BinaryOp::And | BinaryOp::Or => b,
            BinaryOp::Eq => truth(a == b),
            BinaryOp::Ne => truth(a != b),
            BinaryOp::Lt => truth(a < b),
            BinaryOp::Le => truth(a <= b),
            BinaryOp::Gt => truth(a > b),
            BinaryOp::Ge => truth(a >= b),
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::BitAnd => a & b,
            BinaryOp::Shl => a << small(&b),
            BinaryOp::Shr => a >> small(&b),
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div => a / b,
            BinaryOp::Rem => a % b,
        })
    }
}
