//! Names that are decided over the whole specification, independent of the generated part.

use isadl_ir::isa::Merged;

use super::construct;
use super::decided::WholeNames;
use super::plan::Plan;

/// Plans the code of an instruction set, with the names of the whole specification.
pub(super) fn plan(isa: &Merged) -> Plan<'_> {
    let decided = isa.whole().map(|whole| names(&Plan::new(&whole, WholeNames::default())));
    Plan::new(isa, decided.unwrap_or_default())
}

/// The names in the code of a complete specification.
fn names(plan: &Plan<'_>) -> WholeNames {
    let mut names = WholeNames::default();
    for (ty, ident) in &plan.types {
        let own = names.types.entry(plan.isa.ty(*ty).name.clone()).or_default();
        own.push(ident.clone());
    }
    for field in &plan.fields {
        names.fields.insert(plan.isa.name_of(field.name).to_string(), field.ident.clone());
    }
    for slot in &plan.slots {
        let key = (plan.isa.name_of(slot.name).to_string(), plan.isa.ty(slot.ty).name.clone());
        let own = names.getters.entry(key).or_default();
        own.push((slot.getter.clone(), slot.setter.clone()));
    }
    for opcode in &plan.opcodes {
        let name = &plan.definition(&plan.rows[opcode.rows.start]).name;
        names.opcodes.insert(name.clone(), opcode.ident.clone());
    }
    for named in construct::names(plan) {
        names.constructors.entry(named.opcode.clone()).or_default().push(named);
    }
    names
}
