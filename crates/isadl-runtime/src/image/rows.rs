//! The rows of an instruction set, and expressions over their fields: all tables refer to them.

use std::collections::{BTreeMap, BTreeSet};

use isadl_engine::expr;
use isadl_engine::fields::IN_PIECES;
use isadl_engine::image::{
    BY_TABLE, Condition, Expr as Node, FieldPiece, Gather, NO_MORE, Span, Width,
};

use super::shared::{Shared, Slices};
use super::words::OwnedWords;
use super::words::gather::{gather_up_to, truth};
use crate::isa::{
    Alias, Bits, Computed, Expr, ExprId, FlowPlace, Immediate, Isa, Meaning, NameId, Opcode,
    OpcodeId, OperandLocation, Reading, RegFileId, Relocation, Run, Type, TypeId, TypeKind,
    low_bits,
};
use isadl_base::vocabulary::{BinaryOp, Function, UnaryOp};

/// Limit on the bits of a condition that becomes a lookup table.
const MAX_CONDITION_BITS: u32 = 13;

/// The rows of an instruction set. An opcode has one row for each of its variants. It has a single row, unless
/// generations or literals make it another instruction under the same name.
pub(super) struct Rows<'i> {
    pub(super) isa: &'i Isa,
    /// The opcode of each row, in the order of row numbers, which begin at 1. The rows of an opcode are consecutive.
    pub(super) ids: Vec<OpcodeId>,
    /// The generations by their numbers in the image, as indexes in the instruction set. A single generation if all
    /// rows belong to all generations.
    pub(super) generations: Vec<usize>,
    exprs: Shared<Node>,
    numbers: Shared<i128>,
    /// Truth tables of conditions.
    tables: Shared<(Gather, Vec<u64>)>,
    /// Fields in pieces, which rows name by the numbers from [`IN_PIECES`] on.
    scattered: Shared<Span>,
    pieces: Slices<FieldPiece>,
    /// The illegal values of each type.
    reserved_values: Vec<Vec<(u64, u128)>>,
}

/// A row that has a text.
#[derive(Clone, Copy)]
pub(super) struct TextRow<'i> {
    /// The opcode; of an alias its form.
    pub(super) id: OpcodeId,
    /// The opcode.
    pub(super) opcode: &'i Opcode,
    /// For an alias: the row of its opcode, its index among the opcode's aliases, and the alias.
    pub(super) alias: Option<(u32, usize, &'i Alias)>,
}

impl TextRow<'_> {
    /// Its place among the rows that a text may mean.
    pub(super) fn rank(&self) -> (u8, usize) {
        (Rows::rank(self.opcode), self.alias.map_or(0, |(_, order, _)| order + 1))
    }
}

impl<'i> Rows<'i> {
    /// The rows of the first `count` opcodes; the others are forms of their aliases.
    pub(super) fn of(isa: &'i Isa, count: usize) -> Rows<'i> {
        let mut first: BTreeMap<u16, OpcodeId> = BTreeMap::new();
        for id in isa.opcode_ids().take(count) {
            first.entry(isa.opcode(id).number).or_insert(id);
        }
        let mut ids: Vec<OpcodeId> = isa.opcode_ids().take(count).collect();
        ids.sort_by_key(|id| first[&isa.opcode(*id).number]);
        let mut exprs = Shared::default();
        // Expression 0 stands for none.
        exprs.add(Node(expr::NUMBER, 0, 0));
        let mut numbers = Shared::default();
        numbers.add(0);
        let (scattered, pieces) = (Shared::default(), Slices::default());
        let tables = Shared::default();
        let generations = generations(isa);
        let reserved_values = isa.types().iter().map(Type::reserved_values).collect();
        Rows { isa, ids, generations, exprs, numbers, tables, scattered, pieces, reserved_values }
    }

    /// The illegal values of a type, as half-open ranges in ascending order.
    pub(super) fn reserved_values(&self, ty: TypeId) -> &[(u64, u128)] {
        &self.reserved_values[ty.index()]
    }

    /// The rows with their numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &'i Opcode)> {
        let isa = self.isa;
        self.ids.iter().enumerate().map(move |(at, id)| (at as u32 + 1, isa.opcode(*id)))
    }

    /// The rows of all texts with their numbers: first opcodes, then their aliases.
    pub(super) fn texts(&self) -> impl Iterator<Item = (u32, TextRow<'i>)> + use<'i> {
        let isa = self.isa;
        let plain = |id: &OpcodeId| TextRow { id: *id, opcode: isa.opcode(*id), alias: None };
        let mut texts: Vec<TextRow<'i>> = self.ids.iter().map(plain).collect();
        // INVARIANT: the forms of aliases are opcodes after all others, in the order of these.
        let mut next = self.ids.len() as u32;
        let mut firsts: Vec<u32> = Vec::new();
        for opcode in &isa.opcodes()[..self.ids.len()] {
            firsts.push(next);
            next += opcode.aliases.len() as u32;
        }
        for (row, id) in (1..).zip(&self.ids) {
            for (order, alias) in isa.opcode(*id).aliases.iter().enumerate() {
                let id = OpcodeId::new(firsts[id.index()] as usize + order);
                texts.push(TextRow {
                    id,
                    opcode: isa.opcode(id),
                    alias: Some((row, order, alias)),
                });
            }
        }
        (1..).zip(texts)
    }

    /// The rank of an opcode among opcodes that a text can mean. Short opcodes, and opcodes without a literal, come
    /// first.
    pub(super) fn rank(opcode: &Opcode) -> u8 {
        (opcode.width / 8 * 2) as u8 + u8::from(opcode.has_literal())
    }

    /// The location of a field in rows: its lowest bit, or its number among fields in several pieces; and its number of
    /// bits.
    pub(super) fn place(&mut self, bits: &Bits) -> (u16, u8) {
        let width = bits.width() as u8;
        if let Some(run) = bits.as_one() {
            return (run.lsb as u16, width);
        }
        let pieces = self.pieces.add(field_pieces(bits));
        (IN_PIECES + self.scattered.add(pieces) as u16, width)
    }

    /// The number of the expression that a field is between two values, both included.
    pub(super) fn is_between(&mut self, bits: &Bits, first: u64, last: u64) -> u32 {
        let (lsb, width) = self.place(bits);
        let field = Node(expr::UNSIGNED, lsb.into(), width.into());
        let field = self.exprs.add(field) as u32;
        let mut compared = |op, value: u64| {
            let number = self.numbers.add(value.into()) as u32;
            let number = self.exprs.add(Node(expr::NUMBER, number, 0)) as u32;
            self.exprs.add(Node(op, field, number)) as u32
        };
        let (low, high) = (compared(expr::GE, first), compared(expr::LE, last));
        self.exprs.add(Node(expr::AND, low, high)) as u32
    }

    /// Bits of data in an operand of an opcode; 0 where they are not known.
    pub(super) fn width(&mut self, opcode: &Opcode, width: Option<ExprId>) -> Width {
        let Some(width) = width else { return Width(0, 0) };
        match self.constant(opcode, width) {
            Some(bits) => Width(bits.clamp(0, i128::from(u16::MAX)) as u16, 0),
            None => Width(0, self.expr(opcode, self.isa.expr(width))),
        }
    }

    /// The most bits of memory that an opcode accesses by an operand; 0 where they are not known.
    pub(super) fn accessed(&mut self, opcode: &Opcode, name: NameId) -> Width {
        let call = |function, arguments| Expr::Call(function, arguments);
        let items = opcode.flow.iter().filter(|item| item.place == FlowPlace::Field(name));
        let mut widths: Vec<Expr> = Vec::new();
        for item in items {
            let Some(width) = item.width.map(|width| self.isa.expr(width).clone()) else {
                continue;
            };
            let width = match item.condition.map(|condition| self.isa.expr(condition).clone()) {
                Some(condition) => call(Function::If, vec![condition, width, Expr::Int(0)]),
                None => width,
            };
            if !widths.contains(&width) {
                widths.push(width);
            }
        }
        let larger = |a: Expr, b: Expr| {
            let is_less = Expr::Binary(BinaryOp::Lt, Box::new(a.clone()), Box::new(b.clone()));
            call(Function::If, vec![is_less, b, a])
        };
        let Some(width) = widths.into_iter().reduce(larger) else { return Width(0, 0) };
        match constant(opcode, &width) {
            Some(bits) => Width(bits.clamp(0, i128::from(u16::MAX)) as u16, 0),
            None => Width(0, self.expr(opcode, &width)),
        }
    }

    /// The bits of an operand without a width in the specification: the width of a register of its file, else the width
    /// of its field.
    pub(super) fn natural_width(&self, opcode: &Opcode, place: OperandLocation) -> u16 {
        let files = self.isa.reg_files();
        let bits = match place {
            OperandLocation::File(file) => {
                let file = &files[file.index()];
                file.width.saturating_mul(file.count)
            }
            OperandLocation::Indirect { file, .. } => files[file.index()].width,
            OperandLocation::Field(name) => opcode.field(name).map_or(0, |field| {
                let file = file_of(self.isa, field.ty);
                file.map_or(field.width(), |file| files[file.index()].width)
            }),
        };
        bits.min(u32::from(u16::MAX)) as u16
    }

    /// The value of an expression that is the same in all words of an opcode.
    pub(super) fn constant(&self, opcode: &Opcode, expr: ExprId) -> Option<i128> {
        constant(opcode, self.isa.expr(expr))
    }

    /// The number of an expression over the fields of an opcode.
    pub(super) fn expr(&mut self, opcode: &Opcode, expr: &Expr) -> u32 {
        self.expr_of(expr, &|name| opcode.field(name).map(|field| field.bits.clone()))
    }

    /// The number of an expression that is 0 or not, over the bits that an opcode leaves open: a look-up where these are few.
    pub(super) fn condition(&mut self, opcode: &Opcode, condition: &Expr) -> u32 {
        let fields: Vec<_> =
            condition.fields().into_iter().filter_map(|name| opcode.field(name)).collect();
        let bits = fields.iter().fold(0, |bits, field| bits | field.mask()) & !opcode.mask;
        let Some(gather) = gather_up_to(bits, MAX_CONDITION_BITS)
            .filter(|_| condition.extensions() == 0 && bits != 0)
        else {
            return self.expr(opcode, condition);
        };
        let table = truth(gather, |word| {
            let word = word | opcode.value;
            condition.eval(&|name, reading| {
                let field = fields.iter().find(|field| field.name == name);
                field.map_or(0, |field| reading.integer(field.extract(word), field.width()))
            }) != 0
        });
        let table = self.tables.add((gather, table)) as u32;
        self.exprs.add(Node(expr::LOOKUP, table, 0)) as u32
    }

    /// The number of an expression whose only field is the lowest bits of a word.
    pub(super) fn expr_of_bits(&mut self, width: u32, expr: &Expr) -> u32 {
        self.expr_of(expr, &|_| Some(Bits::one(0, width)))
    }

    /// The nodes of an expression over the bits of one field, each once and after its operands. Operands are named by
    /// their positions. Empty if there are too many nodes.
    pub(super) fn sequence(&self, root: u32) -> Vec<Node> {
        let all = self.exprs.list();
        let mut needed = BTreeSet::from([root]);
        let mut open = vec![root];
        while let Some(number) = open.pop() {
            let node = &all[number as usize];
            let operands = operands(node).into_iter().flatten();
            open.extend(operands.filter(|operand| needed.insert(*operand)));
        }
        let is_leaf = |node: &Node| operands(node) == [None, None];
        // INVARIANT: operands have lower numbers.
        let places: BTreeMap<u32, u32> = needed.into_iter().zip(0..).collect();
        let local = |number: &u32| {
            let node = all[*number as usize];
            let place = |operand: u32| places.get(&operand).copied().unwrap_or(0);
            match is_leaf(&node) {
                true => node,
                false => Node(node.op, place(node.left), place(node.right)),
            }
        };
        let depends_on_bits_alone =
            |number: &u32| !matches!(all[*number as usize].op, expr::HAS | expr::LOOKUP);
        match places.len() <= expr::MAX_SEQUENCE && places.keys().all(depends_on_bits_alone) {
            true => places.keys().map(local).collect(),
            false => Vec::new(),
        }
    }

    /// The number of an expression over an address and the instruction's address, both of 64 bits.
    pub(super) fn expr_of_address(&mut self, expr: &Expr) -> u32 {
        self.expr_of(expr, &|name| {
            let lsb = if name == Relocation::VALUE { 0 } else { u64::BITS };
            Some(Bits::one(lsb, u64::BITS))
        })
    }

    /// The number of an expression over the fields that have bits.
    fn expr_of(&mut self, expr: &Expr, bits: &impl Fn(NameId) -> Option<Bits>) -> u32 {
        let node = match expr {
            Expr::Int(value) => Node(expr::NUMBER, self.numbers.add(*value) as u32, 0),
            Expr::Field(name, reading) => match bits(*name) {
                Some(field) => {
                    let (lsb, width) = self.place(&field);
                    let op = match reading {
                        Reading::Signed => expr::SIGNED,
                        Reading::Unsigned => expr::UNSIGNED,
                    };
                    Node(op, lsb.into(), width.into())
                }
                // A field that is not there is 0.
                None => Node(expr::NUMBER, 0, 0),
            },
            Expr::Extensions(presence) => {
                let terms = presence.terms().iter().map(|term| {
                    let bits = u128::from(term.excluded) << 64 | u128::from(term.needed);
                    let number = self.numbers.add(bits as i128) as u32;
                    Node(expr::HAS, number, 0)
                });
                let terms: Vec<Node> = terms.collect();
                let [first, rest @ ..] = terms.as_slice() else {
                    let number = self.numbers.add(0) as u32;
                    return self.exprs.add(Node(expr::NUMBER, number, 0)) as u32;
                };
                rest.iter().fold(*first, |all, term| {
                    let (all, term) = (self.exprs.add(all), self.exprs.add(*term));
                    Node(expr::OR, all as u32, term as u32)
                })
            }
            Expr::Unary(op, operand) => {
                let op = match op {
                    UnaryOp::Neg => expr::NEG,
                    UnaryOp::Not => expr::NOT,
                    UnaryOp::BitNot => expr::BIT_NOT,
                };
                Node(op, self.expr_of(operand, bits), 0)
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expr_of(left, bits), self.expr_of(right, bits));
                Node(operator(*op), left, right)
            }
            Expr::Call(function, arguments) => {
                let arguments: Vec<u32> =
                    arguments.iter().map(|one| self.expr_of(one, bits)).collect();
                let [first, rest @ ..] = arguments.as_slice() else { return 0 };
                let rest = match rest {
                    // Two operands share one node.
                    [second, third] => self.exprs.add(Node(expr::PAIR, *second, *third)) as u32,
                    [second] => *second,
                    _ => 0,
                };
                let op = match function {
                    Function::If => expr::IF,
                    Function::Ror => expr::ROR,
                    Function::Repeat => expr::REPEAT,
                    Function::Clz => expr::CLZ,
                };
                Node(op, *first, rest)
            }
        };
        self.exprs.add(node) as u32
    }

    /// Fills in the tables that all parts of the image refer to.
    pub(super) fn finish(self, words: &mut OwnedWords) {
        let first = words.conditions.len() as u32;
        for (gather, truth) in self.tables.into_list() {
            words.conditions.push(Condition(gather, words.truth.len() as u32, BY_TABLE, NO_MORE));
            words.truth.extend(truth);
        }
        let placed = |node: Node| match node.op {
            // These tables come after the tables of words.
            expr::LOOKUP => Node(expr::LOOKUP, first + node.left, 0),
            _ => node,
        };
        words.exprs = self.exprs.into_list().into_iter().map(placed).collect();
        words.numbers = self.numbers.into_list();
        words.scattered = self.scattered.into_list();
        words.pieces = self.pieces.into_rows();
    }
}

/// The value of an expression that is the same in all words of an opcode.
fn constant(opcode: &Opcode, expr: &Expr) -> Option<i128> {
    let fixed = |name: NameId| match opcode.field(name)?.binding {
        crate::isa::Binding::Fixed(raw) => Some(raw),
        _ => None,
    };
    expr.fields().into_iter().map(fixed).collect::<Option<Vec<u64>>>()?;
    Some(expr.eval(&|name, reading| {
        let field = opcode.field(name).zip(fixed(name));
        field.map_or(0, |(field, raw)| reading.integer(raw, field.width()))
    }))
}

/// The operands of a node.
fn operands(node: &Node) -> [Option<u32>; 2] {
    match node.op {
        expr::NUMBER | expr::UNSIGNED | expr::SIGNED | expr::HAS | expr::LOOKUP => [None, None],
        expr::NEG | expr::NOT | expr::BIT_NOT => [Some(node.left), None],
        _ => [Some(node.left), Some(node.right)],
    }
}

/// The distinct computed numbers of an instruction set's types, with their widths. They are in the order of their rows,
/// which begin at 1.
pub(super) fn computed(isa: &Isa) -> Vec<(&Computed, u32)> {
    let mut found: Vec<(&Computed, u32)> = Vec::new();
    for ty in isa.types() {
        if let TypeKind::Immediate(Immediate { computed: Some(computed), .. }) = &ty.kind
            && !found.contains(&(computed, ty.width))
        {
            found.push((computed, ty.width));
        }
    }
    found
}

/// The row of the computed numbers of a type, if they are computed.
pub fn computed_number(isa: &Isa, of: &Immediate) -> Option<u16> {
    let own = of.computed.as_ref()?;
    // Equal computed numbers have the same width.
    let place = computed(isa).iter().position(|(computed, _)| **computed == **own)?;
    u16::try_from(place + 1).ok()
}

/// The pieces of bits, the least significant first.
pub(super) fn field_pieces(bits: &Bits) -> Vec<FieldPiece> {
    let piece = |(at, run): (u32, Run)| FieldPiece {
        lsb: run.lsb as u8,
        shift: at as u8,
        mask: low_bits(run.width) as u64,
    };
    bits.places().map(piece).collect()
}

/// The register file that the registers of a type are of.
fn file_of(isa: &Isa, ty: TypeId) -> Option<RegFileId> {
    isa.ty(ty).entries().iter().find_map(|entry| match entry.meaning {
        Meaning::Registers { file, .. } | Meaning::Register { file, .. } => Some(file),
        _ => None,
    })
}

/// The generations to distinguish: all described generations, or only the first if every row belongs to all of them.
fn generations(isa: &Isa) -> Vec<usize> {
    if isa.opcodes().iter().all(|opcode| opcode.generations == isa.describes()) {
        return vec![isa.describes().first()];
    }
    (0..isa.generations().len()).filter(|index| isa.describes().contains(*index)).collect()
}

fn operator(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => expr::OR,
        BinaryOp::And => expr::AND,
        BinaryOp::Eq => expr::EQ,
        BinaryOp::Ne => expr::NE,
        BinaryOp::Lt => expr::LT,
        BinaryOp::Le => expr::LE,
        BinaryOp::Gt => expr::GT,
        BinaryOp::Ge => expr::GE,
        BinaryOp::BitOr => expr::BIT_OR,
        BinaryOp::BitXor => expr::BIT_XOR,
        BinaryOp::BitAnd => expr::BIT_AND,
        BinaryOp::Shl => expr::SHL,
        BinaryOp::Shr => expr::SHR,
        BinaryOp::Add => expr::ADD,
        BinaryOp::Sub => expr::SUB,
        BinaryOp::Mul => expr::MUL,
        BinaryOp::Div => expr::DIV,
        BinaryOp::Rem => expr::REM,
    }
}
