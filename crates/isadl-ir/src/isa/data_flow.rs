//! Data flow that is taken from the programs of opcodes.

use super::{
    Access, Expr, ExprId, FlowClass, FlowControl, FlowItem, FlowPlace, Isa, Opcode, OpcodeId,
    OperandLocation,
};

/// The data flow and flow of control of an opcode, derived from its program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DataFlow {
    /// Reads and writes.
    pub items: Vec<DerivedItem>,
    /// The classes of flow of control, up to the first without a condition; `None` if these are declared.
    pub classes: Option<Vec<(FlowControl, Option<Expr>)>>,
    /// The operands that are read or written in every word.
    pub operands: Vec<(OperandLocation, Access)>,
}

impl DataFlow {
    /// Whether nothing is read, written or jumped to.
    pub fn is_empty(&self) -> bool {
        let has_class = self.classes.as_ref().is_some_and(|classes| !classes.is_empty());
        self.items.is_empty() && self.operands.is_empty() && !has_class
    }
}

/// A read, a write, or both.
#[derive(Debug, Clone, PartialEq)]
pub struct DerivedItem {
    /// Its location.
    pub place: FlowPlace,
    /// Whether it is read or written.
    pub access: Access,
    /// The number of bits of memory; `None` for registers, whose widths are declared.
    pub width: Option<u32>,
    /// Whether a write changes only a part of it.
    pub is_partial: bool,
    /// The words in which it happens, if not all.
    pub condition: Option<Expr>,
}

impl Isa {
    /// Gives an opcode and its aliases the data flow of its program.
    pub fn set_data_flow(&mut self, id: OpcodeId, flow: &DataFlow) {
        let own = &self.opcodes[id.index()];
        let widths: Vec<(OperandLocation, Option<ExprId>)> =
            own.operands.iter().map(|operand| (operand.place, operand.width)).collect();
        let items: Vec<FlowItem> =
            flow.items.iter().map(|item| self.flow_item(item, &widths)).collect();
        let classes = flow.classes.as_ref().map(|classes| {
            let mut class = |(class, condition): &(FlowControl, Option<Expr>)| FlowClass {
                class: *class,
                condition: condition.as_ref().map(|condition| self.interned(condition)),
            };
            classes.iter().map(&mut class).collect::<Vec<FlowClass>>()
        });
        let opcode = &mut self.opcodes[id.index()];
        for alias in &mut opcode.aliases {
            set(&mut alias.form, &items, classes.as_deref(), &flow.operands);
        }
        set(opcode, &items, classes.as_deref(), &flow.operands);
    }

    fn flow_item(
        &mut self,
        item: &DerivedItem,
        widths: &[(OperandLocation, Option<ExprId>)],
    ) -> FlowItem {
        let of_operand = |place: OperandLocation| {
            widths.iter().find(|(known, _)| *known == place).and_then(|(_, width)| *width)
        };
        let width = match (item.width, item.place) {
            (Some(bits), _) => Some(self.interned(&Expr::Int(bits.into()))),
            (None, FlowPlace::Field(name)) => of_operand(OperandLocation::Field(name)),
            (None, _) => None,
        };
        FlowItem {
            place: item.place,
            access: item.access,
            width,
            is_partial: item.is_partial,
            is_guard: false,
            is_always: false,
            condition: item.condition.as_ref().map(|condition| self.interned(condition)),
        }
    }

    fn interned(&mut self, expr: &Expr) -> ExprId {
        let known = self.exprs.iter().position(|other| other == expr);
        let index = known.unwrap_or_else(|| {
            self.exprs.push(expr.clone());
            self.exprs.len() - 1
        });
        ExprId::new(index)
    }
}

fn set(
    opcode: &mut Opcode,
    items: &[FlowItem],
    classes: Option<&[FlowClass]>,
    operands: &[(OperandLocation, Access)],
) {
    opcode.flow = items.to_vec();
    if let Some(classes) = classes {
        opcode.classes = classes.to_vec();
    }
    for operand in &mut opcode.operands {
        let found = operands.iter().find(|(place, _)| *place == operand.place);
        operand.access = found.map_or(operand.access, |(_, access)| *access);
    }
}
