//! Renamed items: they differ only in their names.

use std::collections::BTreeMap;

use isadl_ir::isa::{CompositeSegment, Isa, Opcode, OpcodeId, Type, TypeId, TypeKind};

/// The new names of items that have others.
#[derive(Debug, Default)]
pub(super) struct Names {
    types: BTreeMap<String, String>,
    /// The pairs of opcodes.
    pub(super) opcodes: Vec<(OpcodeId, OpcodeId)>,
    /// Opcodes that only the old version has.
    pub(super) removed: Vec<OpcodeId>,
    /// Opcodes that only the new version has.
    pub(super) added: Vec<OpcodeId>,
}

impl Names {
    pub(super) fn new(old: &Isa, new: &Isa) -> Names {
        let mut names = Names { types: types(old, new), ..Names::default() };
        names.opcodes(old, new);
        names
    }

    fn opcodes(&mut self, old: &Isa, new: &Isa) {
        let known: BTreeMap<(&str, Vec<&str>), OpcodeId> =
            new.opcode_ids().map(|id| (key(new, new.opcode(id)), id)).collect();
        let mut left = Vec::new();
        let mut taken = vec![false; new.opcodes().len()];
        for id in old.opcode_ids() {
            match known.get(&key(old, old.opcode(id))) {
                Some(same) => {
                    taken[same.index()] = true;
                    self.opcodes.push((id, *same));
                }
                None => left.push(id),
            }
        }
        for id in left {
            let was = old.opcode(id);
            let is_alike = |other: &OpcodeId| {
                let is = new.opcode(*other);
                !taken[other.index()]
                    && (is.width, is.mask, is.value) == (was.width, was.mask, was.value)
                    && is.has_literal() == was.has_literal()
                    && is_same_operation((old, was), (new, is))
            };
            match new.opcode_ids().find(is_alike) {
                Some(same) => {
                    taken[same.index()] = true;
                    self.opcodes.push((id, same));
                }
                None => self.removed.push(id),
            }
        }
        self.added = new.opcode_ids().filter(|id| !taken[id.index()]).collect();
    }

    /// The name that an old type has in the new version.
    pub(super) fn of_type<'n>(&'n self, name: &'n str) -> &'n str {
        self.types.get(name).map_or(name, String::as_str)
    }

    /// The types that were renamed.
    pub(super) fn renamed_types(&self) -> impl Iterator<Item = (&str, &str)> {
        self.types.iter().map(|(old, new)| (old.as_str(), new.as_str()))
    }
}

/// Whether an operation was renamed, and not replaced by another operation with the same bits.
fn is_same_operation((old, was): (&Isa, &Opcode), (new, is): (&Isa, &Opcode)) -> bool {
    let optypes = |isa: &Isa, opcode: &Opcode| -> Vec<String> {
        opcode.optypes.iter().map(|id| isa.optypes()[id.index()].name.clone()).collect()
    };
    was.syntax.mnemonic == is.syntax.mnemonic || optypes(old, was) == optypes(new, is)
}

/// A form with a literal has the name of the form without, and other operands that are a literal.
fn key<'i>(isa: &'i Isa, opcode: &'i Opcode) -> (&'i str, Vec<&'i str>) {
    let literals = opcode.literals.iter().map(|form| isa.name_of(form.selector));
    (&opcode.name, literals.collect())
}

/// The types that differ only in their names. Each new name belongs to one type, and fields of the old type have the
/// new type.
fn types(old: &Isa, new: &Isa) -> BTreeMap<String, String> {
    let is_in = |isa: &Isa, name: &str| isa.types().iter().any(|ty| ty.name == name);
    let mut news: Vec<TypeId> =
        new.type_ids().filter(|id| !is_in(old, &new.ty(*id).name)).collect();
    let mut renamed = BTreeMap::new();
    for id in old.type_ids().filter(|id| !is_in(new, &old.ty(*id).name)) {
        let was = content(old, old.ty(id));
        let found = news.iter().position(|other| {
            content(new, new.ty(*other)) == was && shares_field((old, id), (new, *other))
        });
        if let Some(at) = found {
            renamed.insert(old.ty(id).name.clone(), new.ty(news.remove(at)).name.clone());
        }
    }
    renamed
}

/// Whether the types have a field name in common, or both are unused.
fn shares_field((old, was): (&Isa, TypeId), (new, is): (&Isa, TypeId)) -> bool {
    let uses = |isa: &Isa, ty: TypeId| -> Vec<String> {
        let fields = isa.opcodes().iter().flat_map(|opcode| &opcode.fields);
        let fields = fields.filter(|field| field.ty == ty);
        let mut names: Vec<String> =
            fields.map(|field| isa.name_of(field.name).to_string()).collect();
        names.sort();
        names.dedup();
        names
    };
    let (was, is) = (uses(old, was), uses(new, is));
    was.is_empty() && is.is_empty() || was.iter().any(|name| is.contains(name))
}

/// Everything about a type but its name and description.
fn content(isa: &Isa, ty: &Type) -> String {
    let kind = match &ty.kind {
        TypeKind::BitField(values) => {
            let mut values: Vec<String> = values
                .iter()
                .map(|v| format!("{} {} {} {:?}", v.value, v.name, v.spelling, v.format))
                .collect();
            values.sort();
            values.join("\n")
        }
        TypeKind::Operand(_) => super::types::runs(isa, ty)
            .iter()
            .map(|run| format!("{run:?}"))
            .collect::<Vec<_>>()
            .join("\n"),
        TypeKind::Immediate(immediate) => format!("{immediate:?}"),
        TypeKind::Composite(composite) => {
            let parts = composite.parts.iter();
            let parts = parts.map(|part| {
                format!("{} {} {}", part.name, part.bits, content(isa, isa.ty(part.ty)))
            });
            let format: Vec<String> = composite.format.iter().map(piece).collect();
            format!("{} {format:?}", parts.collect::<Vec<_>>().join("\n"))
        }
    };
    format!("{} {kind}", ty.width)
}

fn piece(piece: &CompositeSegment) -> String {
    format!("{piece:?}")
}
