//! Makes an [`Isa`] of its parts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{
    CommentSyntax, Elf, Environment, Expr, ExprId, Extensions, FlowPlace, Generations, Group, Isa,
    ModifierStyle, NameId, Opcode, OperandLocation, Optype, Outline, RegFile, RegFileId, Register,
    RegisterPart, Rule, Type, WordLayout, low_bits,
};

/// Everything that an instruction set is made of. Items refer to each other by their indexes in these lists.
#[derive(Debug)]
#[expect(missing_docs, reason = "each is returned by the method of `Isa` with its name")]
pub struct IsaParts {
    pub name: String,
    /// Bits in the widest instruction.
    pub width: u32,
    pub generations: Vec<String>,
    pub describes: Generations,
    pub extensions: Extensions,
    pub name_sets: Vec<String>,
    pub modifiers: ModifierStyle,
    /// Names in templates, and the fields whose operands they stand for.
    pub placeholders: Vec<(String, Vec<String>)>,
    pub comment_syntax: CommentSyntax,
    pub elf: Elf,
    pub environments: Vec<Environment>,
    pub layout: WordLayout,
    pub folds_case: bool,
    pub has_ranges: bool,
    pub description: String,
    pub reg_files: Vec<RegFile>,
    pub types: Vec<Type>,
    pub specials: Vec<String>,
    pub names: Vec<String>,
    pub exprs: Vec<Expr>,
    pub rules: Vec<Rule>,
    pub groups: Vec<Group>,
    pub optypes: Vec<Optype>,
    pub opcodes: Vec<Opcode>,
    pub outline: Arc<Outline>,
}

/// Parts that do not fit together: a fault of the program that made them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// What contains the part that does not fit.
    pub of: String,
    /// The part: `field type`, `fixed bits`.
    pub part: &'static str,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of `{}` does not fit", self.part, self.of)
    }
}

impl std::error::Error for Misfit {}

impl Isa {
    /// Makes an instruction set of its parts.
    ///
    /// # Errors
    ///
    /// If an item refers to one that is not in the lists, or has bits beyond its word.
    pub fn seal(parts: IsaParts) -> Result<Isa, Misfit> {
        let isa = Isa {
            name: parts.name,
            width: parts.width,
            generations: parts.generations,
            describes: parts.describes,
            extensions: parts.extensions,
            name_sets: parts.name_sets,
            shown_names: 0,
            modifiers: parts.modifiers,
            placeholders: parts.placeholders,
            comment_syntax: parts.comment_syntax,
            elf: parts.elf,
            environments: parts.environments,
            layout: parts.layout,
            folds_case: parts.folds_case,
            has_ranges: parts.has_ranges,
            description: parts.description,
            reg_files: parts.reg_files,
            types: parts.types,
            specials: parts.specials,
            names: parts.names,
            exprs: parts.exprs,
            rules: parts.rules,
            groups: parts.groups,
            optypes: parts.optypes,
            opcodes: parts.opcodes,
            elsewhere: BTreeMap::new(),
            is_part: false,
            outline: parts.outline,
        };
        isa.check()?;
        Ok(isa)
    }

    fn check(&self) -> Result<(), Misfit> {
        let require = |holds: bool, of: &str, part: &'static str| match holds {
            true => Ok(()),
            false => Err(Misfit { of: of.to_string(), part }),
        };
        for rule in &self.rules {
            require(self.has_expr(rule.condition), &rule.message, "condition of rule")?;
        }
        for ty in &self.types {
            let mut made_of = ty.made_of();
            require(made_of.all(|id| id.index() < self.types.len()), &ty.name, "type inside")?;
        }
        for group in &self.groups {
            let mut parents = group.parents.iter();
            require(parents.all(|id| id.index() < self.groups.len()), &group.name, "parent")?;
        }
        for optype in &self.optypes {
            let has_groups = optype.groups.iter().all(|id| id.index() < self.groups.len());
            let has_opcodes = optype.opcodes.iter().all(|id| id.index() < self.opcodes.len());
            require(has_groups, &optype.name, "group")?;
            require(has_opcodes, &optype.name, "opcode")?;
        }
        for expr in &self.exprs {
            let is_known = expr.fields().iter().all(|name| self.has_name(*name));
            require(is_known, &self.name, "field of expression")?;
        }
        for alias in self.opcodes.iter().flat_map(|opcode| &opcode.aliases) {
            let mut exprs = alias.equal.iter().map(|(_, id)| id).chain(&alias.condition);
            require(exprs.all(|id| self.has_expr(*id)), &alias.form.name, "expression of alias")?;
        }
        for environment in &self.environments {
            let file = |register: Register| self.reg_files.get(register.file.index());
            let has = |register: Register| {
                file(register).is_some_and(|file| register.number < file.count)
            };
            let fits = |part: &RegisterPart| {
                let width = file(part.register).map_or(0, |file| file.width);
                part.width > 0 && part.low.checked_add(part.width).is_some_and(|end| end <= width)
            };
            require(environment.registers().all(has), &environment.name, "register")?;
            require(environment.parts().all(fits), &environment.name, "bits of register")?;
        }
        let forms = self.opcodes.iter().flat_map(|opcode| &opcode.aliases).map(|alias| &alias.form);
        for opcode in self.opcodes.iter().chain(forms) {
            let fits = |(holds, part)| require(holds, &opcode.name, part);
            self.facts(opcode).into_iter().try_for_each(fits)?;
        }
        Ok(())
    }

    /// What must hold of an opcode, each with the part that it is about.
    fn facts(&self, opcode: &Opcode) -> [(bool, &'static str); 9] {
        let word = low_bits(self.width);
        let bits = opcode.mask | opcode.significant | opcode.ignored | opcode.width_mask;
        let mut fields = opcode.fields.iter();
        let places = opcode.operands.iter().chain(&opcode.implicit).map(|operand| operand.place);
        let mut written = opcode.syntax.guard.iter().chain(&opcode.syntax.operands);
        let conditions = opcode.flow.iter().filter_map(|item| item.condition);
        let conditions = conditions.chain(opcode.classes.iter().filter_map(|one| one.condition));
        [
            (opcode.width <= self.width && bits & !word == 0, "width"),
            (opcode.value & !opcode.mask == 0, "fixed bits"),
            (fields.all(|field| self.has_name(field.name) && field.mask() & !word == 0), "field"),
            (opcode.fields.iter().all(|one| one.ty.index() < self.types.len()), "type of field"),
            (opcode.rules.iter().all(|id| id.index() < self.rules.len()), "rule"),
            (opcode.optypes.iter().all(|id| id.index() < self.optypes.len()), "optype"),
            (places.into_iter().all(|place| self.has_place(place)), "operand"),
            (written.all(|one| one.operand < opcode.operands.len()), "operand in text"),
            (
                conditions.into_iter().all(|id| self.has_expr(id))
                    && opcode.flow.iter().all(|item| self.has_flow_place(item.place)),
                "data flow",
            ),
        ]
    }

    fn has_name(&self, id: NameId) -> bool {
        id.index() < self.names.len()
    }

    fn has_expr(&self, id: ExprId) -> bool {
        id.index() < self.exprs.len()
    }

    fn has_file(&self, id: RegFileId) -> bool {
        id.index() < self.reg_files.len()
    }

    fn has_place(&self, place: OperandLocation) -> bool {
        match place {
            OperandLocation::Field(name) => self.has_name(name),
            OperandLocation::File(file) => self.has_file(file),
            OperandLocation::Indirect { file, base, offset } => {
                self.has_file(file)
                    && self.has_name(base)
                    && offset.is_none_or(|name| self.has_name(name))
            }
        }
    }

    fn has_flow_place(&self, place: FlowPlace) -> bool {
        match place {
            FlowPlace::Field(name) | FlowPlace::Part { field: name, .. } => self.has_name(name),
            FlowPlace::File(file) | FlowPlace::Register { file, .. } => self.has_file(file),
            FlowPlace::Indirect { file, base } => self.has_file(file) && self.has_name(base),
            FlowPlace::Mask { field, file } => self.has_file(file) && self.has_name(field),
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Isa {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Isa::serialize(self, serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Isa {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Isa, D::Error> {
        let mut isa = Isa::deserialize(deserializer)?;
        isa.types.iter_mut().for_each(Type::sort);
        isa.check().map_err(serde::de::Error::custom)?;
        Ok(isa)
    }
}
