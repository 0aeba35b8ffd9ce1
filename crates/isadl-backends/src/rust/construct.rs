//! `construct.rs` of a generated crate: one constructor per opcode.
//!
//! It takes all fields without a default, typed: operands in assembly order, then other fields by rising bit. Aliases
//! have constructors too, which refuse values that violate their condition.

use std::collections::BTreeMap;

use isadl_engine::image::slice;
use isadl_engine::image_text::{Alias as AliasRow, Copied};
use isadl_ir::isa::{Alias, Binding, Bits, Expr, ExprId, Field, NameId, Opcode, OperandLocation};
use isadl_syntax::ast::BinaryOp;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::bits;
use super::decided::Named;
use super::names::{Scope, ident, parameters, snake, word};
use super::plan::{OpcodePlan, Plan};
use super::types::is_partial;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let mut makers = Makers::default();
    // The first time only finds out which functions would be called more than once.
    constructors(plan, &mut makers);
    makers.calls.retain(|_, calls| *calls > 1);
    makers.is_counted = true;
    let (constructors, is_checked) = constructors(plan, &mut makers);
    let uses = uses(plan, is_checked);
    let makers = makers.functions;
    quote! {
        //! Constructors, one per opcode: what has no default is given, the rest filled in.

        // A name may end in `_`, or have two between words.
        #![allow(unused_imports, unused_parens, non_snake_case)]

        use super::types::*;
        use super::{Inst, Opcode, Word};
        #uses

        #[allow(clippy::too_many_arguments, clippy::identity_op)]
        impl Inst { #constructors }

        #makers
    }
}

/// The functions that put values of some types at some bits of a word. Constructors share them, so that
/// each is only a call, which takes the compiler little time and memory.
#[derive(Default)]
struct Makers {
    scope: Scope,
    /// The number of calls of each function, by the types and the lowest bits of its values. Once counted, only
    /// functions with more than one call stay.
    calls: BTreeMap<Vec<(Ident, Bits)>, usize>,
    is_counted: bool,
    /// By the types and the lowest bits of the values.
    known: BTreeMap<Vec<(Ident, Bits)>, Ident>,
    functions: TokenStream,
}

impl Makers {
    /// The name of a function, if constructors share it. The name consists of the types and bits, so that it stays the
    /// same when other functions are added.
    fn function(&mut self, places: Vec<(Ident, Bits)>) -> Option<Ident> {
        if !self.is_counted {
            *self.calls.entry(places).or_default() += 1;
            return None;
        }
        if !self.calls.contains_key(&places) {
            return None;
        }
        if let Some(function) = self.known.get(&places) {
            return Some(function.clone());
        }
        let part = |(ty, bits): &(Ident, Bits)| match bits.as_one() {
            Some(run) => format!("{ty}_{}", run.lsb),
            None => format!("{ty}_{}", bits.to_string().replace([',', ':'], "_")),
        };
        let parts: Vec<String> = places.iter().map(part).collect();
        let function = self.scope.add(&parts.join("_").to_lowercase());
        let values: Vec<Ident> =
            (0..places.len()).map(|at| ident(&format!("value_{at}"))).collect();
        let types = places.iter().map(|(ty, _)| ty);
        let placed = values.iter().zip(&places);
        let placed = placed.map(|(value, (_, bits))| bits::placed(bits, &quote!(#value.bits())));
        self.functions.extend(quote! {
            #[inline(always)]
            #[allow(non_snake_case, clippy::too_many_arguments, clippy::identity_op)]
            const fn #function(row: u32, word: Word, #(#values: #types),*) -> Inst {
                let word = word #(| #placed)*;
                Inst { word, row: super::image::row(row) }
            }
        });
        self.known.insert(places, function.clone());
        Some(function)
    }
}

/// All constructors, and whether a value can be refused.
fn constructors(plan: &Plan<'_>, makers: &mut Makers) -> (TokenStream, bool) {
    let mut constructors = TokenStream::new();
    let mut is_checked = false;
    for_each(plan, |opcode, shape, named| {
        is_checked |= shape.is_checked(plan);
        constructors.extend(constructor(plan, makers, opcode, shape, &named.ident));
    });
    (constructors, is_checked)
}

/// The names of all constructors.
pub(super) fn names(plan: &Plan<'_>) -> Vec<Named> {
    let mut names = Vec::new();
    for_each(plan, |_, _, named| names.push(named.clone()));
    names
}

/// Names every constructor. Opcodes have their names first.
fn for_each<'p>(plan: &'p Plan<'_>, mut then: impl FnMut(&OpcodePlan, &Shape<'p>, &Named)) {
    let mut scope =
        Scope::reserving(&reserved(plan).iter().map(String::as_str).collect::<Vec<_>>());
    let own = plan.opcodes.iter().map(|opcode| (opcode, None));
    let others = plan.opcodes.iter().flat_map(|opcode| {
        aliases(plan, opcode).into_iter().map(move |alias| (opcode, Some(alias)))
    });
    for (opcode, alias) in own.chain(others) {
        let shapes = shapes(plan, opcode, alias);
        let mut seen = Vec::new();
        for shape in &shapes {
            let mut named = named(plan, opcode, shape);
            let before = seen.iter().filter(|other: &&Named| other.is_of_same(&named)).count();
            named.ident = match plan.decided.constructor(&named, before) {
                Some(of_whole) => of_whole.clone(),
                None => scope.add(&function_name(plan, opcode, shape, &shapes)),
            };
            then(opcode, shape, &named);
            seen.push(named);
        }
    }
}

/// The identity of a constructor, under the name of its opcode.
fn named(plan: &Plan<'_>, opcode: &OpcodePlan, shape: &Shape<'_>) -> Named {
    let name_of = |name: &NameId| plan.isa.name_of(*name).to_string();
    Named {
        ident: opcode.ident.clone(),
        opcode: plan.definition(&plan.rows[opcode.rows.start]).name.clone(),
        alias: shape.alias.map(|alias| alias.form.name.clone()),
        selectors: shape.selectors.iter().map(name_of).collect(),
        parameters: shape.parameters.iter().map(|(name, ty)| (name_of(name), ty.clone())).collect(),
    }
}

/// The names of the aliases of an opcode, in order of definition.
fn aliases<'p>(plan: &Plan<'p>, opcode: &OpcodePlan) -> Vec<&'p str> {
    let mut names: Vec<&str> = Vec::new();
    for index in opcode.rows.clone() {
        for alias in &plan.definition(&plan.rows[index]).aliases {
            if !names.contains(&alias.form.name.as_str()) {
                names.push(&alias.form.name);
            }
        }
    }
    names
}

/// Imports that only some instruction sets need; `is_checked` says whether a value can be refused.
fn uses(plan: &Plan<'_>, is_checked: bool) -> TokenStream {
    let has_generations = !plan.generations.is_empty();
    let generation = has_generations.then(|| {
        quote!(
            use super::Generation;
        )
    });
    let error = (has_generations || is_checked).then(|| {
        quote!(
            use super::EncodeError;
        )
    });
    let field = is_checked.then(|| {
        quote!(
            use super::Field;
        )
    });
    let extract = plan.has_shared_bits().then(|| {
        quote!(
            use super::engine::bits::extract;
        )
    });
    let given = is_checked.then(|| {
        quote! {
            /// The bits of a value, which the type may lack.
            #[allow(unused_macros)]
            macro_rules! given {
                ($raw:expr, $opcode:ident, $field:ident) => {
                    match $raw {
                        Some(raw) => raw,
                        None => {
                            let (opcode, field) = (Opcode::$opcode, Field::$field);
                            return Err(EncodeError::IllegalValue { opcode, field });
                        }
                    }
                };
            }
        }
    });
    quote!(#generation #error #field #extract #given)
}

/// The names of `Inst` that are taken.
fn reserved(plan: &Plan<'_>) -> Vec<String> {
    let written = plan.inst_items().into_iter().map(str::to_string);
    let made =
        plan.slots.iter().flat_map(|slot| [slot.getter.to_string(), slot.setter.to_string()]);
    written.chain(made).chain(plan.decided.methods()).collect()
}

/// Rows of an opcode that are built of the same.
struct Shape<'p> {
    /// The parameters, by name and Rust type.
    parameters: Vec<(NameId, Ident)>,
    /// The fields that indicate a following literal.
    selectors: Vec<NameId>,
    /// The rows, as indexes of the plan's.
    rows: Vec<usize>,
    /// The opcodes of these, or the forms of an alias.
    forms: Vec<&'p Opcode>,
    /// The alias that the rows belong to, if any.
    alias: Option<&'p Alias>,
    /// Their fields that are given.
    required: Vec<Vec<&'p Field>>,
}

impl Shape<'_> {
    /// Whether some row refuses a value that other rows accept.
    fn is_checked(&self, plan: &Plan<'_>) -> bool {
        let is_shared = |fields: &Vec<&Field>| fields.iter().any(|f| is_shared(f, fields));
        self.required.iter().flatten().any(|field| is_partial(plan, field.ty))
            || self.required.iter().any(is_shared)
            || self.alias.is_some_and(|alias| is_conditional(plan, alias))
    }
}

/// Whether an alias has a condition that not all values meet which are given: to be the copy of a field of the same type
/// is none.
fn is_conditional(plan: &Plan<'_>, alias: &Alias) -> bool {
    let type_of = |name: NameId| alias.form.field(name).map(|field| field.ty);
    let is_copy = |to: NameId, from: NameId| {
        let of = alias.equal.iter().find(|(field, _)| *field == to);
        let of = of.map(|(_, of)| plan.isa.expr(*of));
        matches!(of, Some(Expr::Field(name, _)) if *name == from) && type_of(to) == type_of(from)
    };
    fn holds(expr: &Expr, is_copy: &dyn Fn(NameId, NameId) -> bool) -> bool {
        match expr {
            Expr::Binary(BinaryOp::And, left, right) => {
                holds(left, is_copy) && holds(right, is_copy)
            }
            Expr::Binary(BinaryOp::Eq, left, right) => match (&**left, &**right) {
                (Expr::Field(to, _), Expr::Field(from, _)) => is_copy(*to, *from),
                _ => false,
            },
            _ => false,
        }
    }
    alias.condition.is_some_and(|id| !holds(plan.isa.expr(id), &is_copy))
}

/// Whether constructors of aliases may refuse values.
pub(super) fn has_conditions(plan: &Plan<'_>) -> bool {
    let opcodes = plan.rows.iter().map(|row| plan.definition(row));
    opcodes.flat_map(|opcode| &opcode.aliases).any(|alias| is_conditional(plan, alias))
}

/// Whether another field of `fields` shares bits with a field.
fn is_shared(field: &Field, fields: &[&Field]) -> bool {
    fields.iter().any(|other| other.name != field.name && other.mask() & field.mask() != 0)
}

/// The ways to construct an opcode.
fn shapes<'p>(plan: &Plan<'p>, opcode: &OpcodePlan, alias: Option<&str>) -> Vec<Shape<'p>> {
    let mut shapes: Vec<Shape<'p>> = Vec::new();
    for index in opcode.rows.clone() {
        let definition = plan.definition(&plan.rows[index]);
        let mut aliases = definition.aliases.iter();
        let own = alias.map(|name| aliases.find(|own| own.form.name == name));
        let (definition, alias) = match own {
            None => (definition, None),
            Some(Some(alias)) => (&alias.form, Some(alias)),
            // The row does not have the alias.
            Some(None) => continue,
        };
        let required = required(definition);
        let parameters: Vec<(NameId, Ident)> =
            required.iter().map(|field| (field.name, plan.type_ident(field.ty))).collect();
        let selectors: Vec<NameId> = definition.literals.iter().map(|form| form.selector).collect();
        let alike = |shape: &&mut Shape<'_>| {
            let equal = shape.alias.map(|alias| &alias.equal);
            let is_alike = shape.parameters == parameters && shape.selectors == selectors;
            is_alike && equal == alias.map(|alias| &alias.equal)
        };
        match shapes.iter_mut().find(alike) {
            Some(shape) => {
                shape.rows.push(index);
                shape.forms.push(definition);
                shape.required.push(required);
            }
            None => {
                shapes.push(Shape {
                    parameters,
                    selectors,
                    rows: vec![index],
                    forms: vec![definition],
                    alias,
                    required: vec![required],
                });
            }
        }
    }
    shapes
}

fn constructor(
    plan: &Plan<'_>,
    makers: &mut Makers,
    opcode: &OpcodePlan,
    shape: &Shape<'_>,
    function: &Ident,
) -> TokenStream {
    let has_generations = !plan.generations.is_empty();
    let mut names = parameters();
    if has_generations {
        names.add("generation");
    }
    let parameters = shape.parameters.iter().map(|(name, _)| plan.isa.name_of(*name));
    let names: Vec<Ident> = parameters.map(|name| names.add(&snake(name))).collect();
    let types = shape.parameters.iter().map(|(_, ty)| ty);
    let ident = &opcode.ident;
    let doc = match shape.selectors.len() {
        0 if shape.alias.is_some() => {
            let name = &shape.forms[0].name;
            format!(" The instruction of [`Opcode::{ident}`] that `{name}` is another text for.")
        }
        0 => format!(" An instruction of [`Opcode::{ident}`]."),
        1 => format!(" An instruction of [`Opcode::{ident}`] with a literal."),
        _ => format!(" An instruction of [`Opcode::{ident}`] with a literal in several operands."),
    };
    let is_checked = shape.is_checked(plan);
    if !has_generations {
        let inst = inst(plan, makers, opcode, &names, (shape, 0));
        let (result, body) = match is_checked {
            true => (quote!(Result<Inst, EncodeError>), quote!(Ok(#inst))),
            false => (quote!(Inst), inst),
        };
        let must_use = (!is_checked).then(|| quote!(#[must_use]));
        return quote! {
            #[doc = #doc]
            #[inline]
            #must_use
            pub const fn #function(#(#names: #types),*) -> #result { #body }
        };
    }
    let arms = shape.rows.iter().enumerate().map(|(at, index)| {
        let inst = inst(plan, makers, opcode, &names, (shape, at));
        let of_row = plan.definition(&plan.rows[*index]).generations;
        let generations = plan.generations.iter().filter(|g| of_row.contains(g.index));
        let generations = generations.map(|generation| &generation.ident);
        quote!(#(Generation::#generations)|* => Ok(#inst))
    });
    let covered = shape.rows.iter().map(|index| plan.definition(&plan.rows[*index]).generations);
    let covered =
        covered.fold(isadl_ir::isa::Generations::default(), |all, of_row| all.union(of_row));
    let is_total = plan.generations.iter().all(|generation| covered.contains(generation.index));
    let otherwise = (!is_total).then(
        || quote!(_ => Err(EncodeError::NotInGeneration { opcode: Opcode::#ident, generation }),),
    );
    quote! {
        #[doc = #doc]
        #[inline]
        pub const fn #function(generation: Generation, #(#names: #types),*) -> Result<Inst, EncodeError> {
            match generation { #(#arms,)* #otherwise }
        }
    }
}

/// The name of the constructor: the name of the opcode or alias, with suffixes.
///
/// A constructor with a literal ends in `_literal`, with the names of its operands before it if several operands can be
/// literals. If constructors differ by generation, each also ends in the first of its generations.
fn function_name(
    plan: &Plan<'_>,
    opcode: &OpcodePlan,
    shape: &Shape<'_>,
    all: &[Shape<'_>],
) -> String {
    let own = &plan.definition(&plan.rows[opcode.rows.start]).name;
    let mut name = snake(shape.alias.map_or(own, |alias| &alias.form.name));
    if !shape.selectors.is_empty() {
        let mut others = all.iter().filter(|other| !other.selectors.is_empty());
        if others.any(|other| other.selectors != shape.selectors) {
            let operands = shape.selectors.iter();
            let operands =
                operands.map(|operand| format!("_{}", snake(plan.isa.name_of(*operand))));
            name.extend(operands);
        }
        name += "_literal";
    }
    if all.iter().filter(|other| other.selectors == shape.selectors).count() > 1 {
        let of_row = plan.definition(&plan.rows[shape.rows[0]]).generations;
        let first = plan.generations.iter().find(|g| of_row.contains(g.index));
        name += &first.map_or(String::new(), |g| format!("_{}", g.name.to_lowercase()));
    }
    name
}

/// The instruction of a row, made of the values that are given.
fn inst(
    plan: &Plan<'_>,
    makers: &mut Makers,
    opcode: &OpcodePlan,
    names: &[Ident],
    (shape, at): (&Shape<'_>, usize),
) -> TokenStream {
    let (index, required, form) = (shape.rows[at], &shape.required[at], shape.forms[at]);
    let mut base = form.base();
    for field in form.encoded() {
        if let Binding::Default(raw) = field.binding {
            base = field.insert(base, raw);
        }
    }
    let ident = &opcode.ident;
    let shared = names.iter().zip(required).filter(|(_, field)| is_shared(field, required));
    let mut checks: Vec<TokenStream> = shared
        .map(|(name, field)| {
            let name_of = plan.field_ident(field.name);
            let raw = bits::extracted(&quote!(inst.word), &field.bits);
            let raw = if field.bits.as_one().is_some() { raw } else { quote!((#raw)) };
            quote! {
                if #raw != #name.bits() {
                    let (opcode, field) = (Opcode::#ident, Field::#name_of);
                    return Err(EncodeError::Shared { opcode, field });
                }
            }
        })
        .collect();
    checks.extend(shape.alias.and_then(|alias| meant(plan, opcode, (index, alias))));
    let bits = names.iter().zip(required).map(|(name, field)| {
        let name_of = plan.field_ident(field.name);
        match (plan.variant(field.ty), is_partial(plan, field.ty)) {
            (Some(variant), _) => {
                let variant = Literal::usize_unsuffixed(variant);
                quote!(given!(#name.open_raw(#variant), #ident, #name_of))
            }
            (None, true) => quote!(given!(#name.open_bits(), #ident, #name_of)),
            (None, false) => quote!(#name.bits()),
        }
    });
    let is_plain = |field: &&Field| {
        plan.variant(field.ty).is_none()
            && !is_partial(plan, field.ty)
            && !is_shared(field, required)
    };
    // Fields that follow from others are computed as when a text is read.
    let copies = shape.alias.map_or(Vec::new(), |alias| copies(plan, form, (index, alias)));
    if !required.is_empty()
        && copies.is_empty()
        && checks.is_empty()
        && required.iter().all(is_plain)
    {
        let places =
            required.iter().map(|field| (plan.type_ident(field.ty), field.bits.clone())).collect();
        if let Some(function) = makers.function(places) {
            let (base, row) = (word(base), Literal::usize_unsuffixed(index + 1));
            return quote!(#function(#row, #base, #(#names),*));
        }
    }
    let placed = bits.zip(required).map(|(raw, field)| bits::placed(&field.bits, &raw));
    let (base, row) = (word(base), plan.row(index));
    let word = quote!(#base #(| #placed)*);
    let inst = match copies.is_empty() {
        true => quote!(Inst { word: #word, row: #row }),
        false => quote!({
            let word = #word;
            #(let word = word | #copies;)*
            Inst { word, row: #row }
        }),
    };
    if checks.is_empty() { inst } else { quote!({ let inst = #inst; #(#checks)* inst }) }
}

/// The bits of the fields of an alias that follow from others, in a word that has these. `row` is the
/// index of its opcode's row.
fn copies(plan: &Plan<'_>, form: &Opcode, (row, alias): (usize, &Alias)) -> Vec<TokenStream> {
    let texts = plan.image.texts.view();
    let Some(alias_row) = alias_row(plan, (row, alias)) else { return Vec::new() };
    let rows = slice(texts.copies, alias_row.copies);
    let copy = |((to, _), copied): (&(NameId, ExprId), &Copied)| {
        let (bits, expr) = (&form.field(*to)?.bits, Literal::u32_unsuffixed(copied.value));
        let width = Literal::u32_unsuffixed(bits.width());
        let value = quote! {
            (super::engine::expr::eval(&super::image::WORDS_ALONE, super::engine::set::UNKNOWN, #expr, word) as u64
                & super::engine::bits::low_bits(#width))
        };
        Some(bits::placed(bits, &value))
    };
    alias.equal.iter().zip(rows).filter_map(copy).collect()
}

/// The row of an alias of an opcode; `row` is the index of the opcode's.
fn alias_row(plan: &Plan<'_>, (row, alias): (usize, &Alias)) -> Option<AliasRow> {
    let texts = plan.image.texts.view();
    let own = &plan.definition(&plan.rows[row]).aliases;
    let at = own.iter().position(|known| known.form.name == alias.form.name)?;
    slice(texts.aliases, *texts.aliases_of.get(row + 1)?).get(at).copied()
}

/// Refuses an instruction that the alias is not for.
fn meant(
    plan: &Plan<'_>,
    opcode: &OpcodePlan,
    (row, alias): (usize, &Alias),
) -> Option<TokenStream> {
    let condition = alias_row(plan, (row, alias)).filter(|_| is_conditional(plan, alias))?;
    let expr = Literal::u32_unsuffixed(condition.condition);
    let (ident, name) = (&opcode.ident, &alias.form.name);
    Some(quote! {
        if super::engine::expr::eval(&super::image::WORDS_ALONE, super::engine::set::UNKNOWN, #expr, inst.word) == 0 {
            return Err(EncodeError::Alias { opcode: Opcode::#ident, alias: #name });
        }
    })
}

/// The fields without default: operands in assembly order, then the others.
fn required(opcode: &Opcode) -> Vec<&Field> {
    let named = opcode.operands.iter().flat_map(|operand| match operand.place {
        OperandLocation::Field(name) => [Some(name), None],
        OperandLocation::Indirect { base, offset, .. } => [Some(base), offset],
        OperandLocation::File(_) => [None, None],
    });
    // A value computed from one field is given as that value. A value made of several fields is given as these fields.
    let named = named.flatten().flat_map(|name| match opcode.composite_operand(name) {
        Some(view) if !view.is_value() => view.parts.clone(),
        _ => vec![name],
    });
    let mut fields: Vec<&Field> = named.filter_map(|name| opcode.field(name)).collect();
    let given: Vec<NameId> = fields
        .iter()
        .filter_map(|field| opcode.composite_operand(field.name))
        .flat_map(|view| view.parts.clone())
        .collect();
    fields.retain(|field| !given.contains(&field.name));
    for field in opcode.encoded() {
        if !fields.contains(&field) && !given.contains(&field.name) {
            fields.push(field);
        }
    }
    // Later literals are the bits of the first.
    let is_again =
        |field: &Field| opcode.literals.iter().skip(1).any(|literal| literal.literal == field.name);
    fields.retain(|field| field.binding == Binding::Required && !is_again(field));
    let mut seen = Vec::new();
    fields.retain(|field| {
        let new = !seen.contains(&field.name);
        seen.push(field.name);
        new
    });
    fields
}
