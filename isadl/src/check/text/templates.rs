//! The templates of an operation, and which opcodes each form describes. W0910 (template that
//! cannot be read).
//!
//! A form describes opcodes that have its places as operands in the same order, and that accept the modifiers it shows.

use std::collections::HashSet;

use super::{Context, Findings, attribute_name};
use crate::ast::SectionKind;
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{
    Binding, Isa, ModifierSyntax, NameId, Opcode, OpcodeId, OperandLocation, OperandSyntax, Optype,
    Type,
};
use crate::model::Layer;
use crate::prose;
use crate::template::{self, Form, Item, Line, PlaceItem, Values};

/// Limit on the places of a form that are compared with operands; no opcode has that many.
const MAX_PLACES: usize = 128;

/// The contents of an operation's templates.
pub(super) struct Templates<'c, 'a> {
    pub(super) optype: &'c Optype,
    /// The opcodes that the templates describe: their principal operation is this one.
    pub(super) opcodes: Vec<OpcodeId>,
    pub(super) forms: Vec<Shown<'a>>,
    pub(super) values: Vec<Values<'a>>,
    /// Whether all lines could be read.
    pub(super) is_whole: bool,
    /// Dotted names that are neither a modifier of any opcode nor a modifier's value.
    unknown_modifiers: HashSet<&'a str>,
    /// Places that no opcode has as operand.
    unknown_places: HashSet<&'a str>,
}

/// A form with the opcodes that it describes.
pub(super) struct Shown<'a> {
    pub(super) form: Form<'a>,
    /// How many dotted names belong to the mnemonic; `None` if the form has a different mnemonic.
    pub(super) dots: Option<usize>,
    pub(super) matches: Vec<Match>,
}

/// An opcode that a form describes.
pub(super) struct Match {
    pub(super) opcode: OpcodeId,
    /// For each place of the form the operand, as an index into the opcode's syntax.
    pub(super) operands: Vec<Option<usize>>,
}

/// The meaning of a form's dotted name for an opcode.
#[derive(Clone, Copy)]
pub(super) struct Meaning<'i> {
    pub(super) modifier: &'i ModifierSyntax,
    /// The value, if the form shows a value instead of the modifier's name.
    pub(super) value: Option<u64>,
}

impl<'c, 'a> Templates<'c, 'a> {
    pub(super) fn read(
        context: &Context<'c, 'a>,
        layer: &Layer<'a>,
        optype: &'c Optype,
        findings: &mut Findings,
    ) -> Templates<'c, 'a> {
        let is_principal =
            |id: &&OpcodeId| std::ptr::eq(principal(context.isa, context.isa.opcode(**id)), optype);
        let mut templates = Templates {
            optype,
            opcodes: optype.opcodes.iter().filter(is_principal).copied().collect(),
            forms: Vec::new(),
            values: Vec::new(),
            is_whole: true,
            unknown_modifiers: HashSet::new(),
            unknown_places: HashSet::new(),
        };
        let syntax = layer.prose.iter().filter(|section| section.kind == SectionKind::Syntax);
        for line in syntax.flat_map(prose::fenced) {
            match template::parse(line) {
                Ok(Line::Form(form)) => {
                    let dots = dots(&form, &optype.mnemonic);
                    templates.forms.push(Shown { form, dots, matches: Vec::new() });
                }
                Ok(Line::Values(values)) => templates.values.push(values),
                Err(unreadable) => {
                    templates.is_whole = false;
                    let message = format!("the template cannot be read: {}", unreadable.why);
                    let found = Diagnostic::new(Code::W0910, message, unreadable.span);
                    findings.add(format!("{:?}", unreadable.span), found);
                }
            }
        }
        templates.find_unknown(context.isa);
        let matches: Vec<Vec<Match>> = templates
            .forms
            .iter()
            .map(|shown| {
                let ids = templates.opcodes.iter();
                ids.filter_map(|id| templates.describes(context.isa, shown, *id)).collect()
            })
            .collect();
        for (shown, matches) in templates.forms.iter_mut().zip(matches) {
            shown.matches = matches;
        }
        templates
    }

    /// The opcodes.
    pub(super) fn opcodes<'i>(&self, isa: &'i Isa) -> impl Iterator<Item = &'i Opcode> {
        self.opcodes.iter().map(|id| isa.opcode(*id))
    }

    /// Looks for names in forms that mean nothing to any opcode.
    fn find_unknown(&mut self, isa: &Isa) {
        let opcodes: Vec<&Opcode> = self.opcodes(isa).collect();
        let is_operand = |name: &str| {
            let has = |opcode: &&Opcode| {
                opcode.syntax.operands.iter().any(|operand| fits(isa, opcode, operand, name))
            };
            opcodes.iter().any(has)
        };
        let is_modifier =
            |name: &str| opcodes.iter().any(|opcode| meaning(isa, opcode, name, &[]).is_some());
        let items = self.forms.iter().filter_map(Shown::items).flatten();
        let names: HashSet<&str> = items.map(|item| item.name.text).collect();
        let places = self.forms.iter().flat_map(|shown| &shown.form.places);
        let place_names: HashSet<&str> = places.map(|place| place.name.text).collect();
        self.unknown_modifiers = names.into_iter().filter(|name| !is_modifier(name)).collect();
        self.unknown_places = place_names.into_iter().filter(|name| !is_operand(name)).collect();
    }

    /// Whether a dotted name of a form is a modifier of any opcode, or a modifier's value.
    pub(super) fn is_modifier(&self, name: &str) -> bool {
        !self.unknown_modifiers.contains(name)
    }

    /// Whether any opcode has an operand at the place of a form.
    pub(super) fn is_operand(&self, place: &PlaceItem<'_>) -> bool {
        !self.unknown_places.contains(place.name.text)
    }

    /// The operands at a place: of the opcodes that the form describes, or if there are none of
    /// all that have such an operand.
    pub(super) fn operands_at<'i>(
        &self,
        isa: &'i Isa,
        shown: &Shown<'_>,
        place: usize,
    ) -> Vec<(&'i Opcode, &'i OperandSyntax)> {
        let matched = shown.matches.iter().filter_map(|found| {
            let opcode = isa.opcode(found.opcode);
            Some((opcode, &opcode.syntax.operands[found.operands[place]?]))
        });
        let matched: Vec<_> = matched.collect();
        if !shown.matches.is_empty() {
            return matched;
        }
        let name = shown.form.places[place].name.text;
        let of = |opcode: &'i Opcode| {
            let operands = opcode.syntax.operands.iter();
            operands.filter(move |o| fits(isa, opcode, o, name)).map(move |o| (opcode, o))
        };
        self.opcodes(isa).flat_map(of).collect()
    }

    /// Holds a form against an opcode.
    fn describes(&self, isa: &Isa, shown: &Shown<'_>, id: OpcodeId) -> Option<Match> {
        let opcode = isa.opcode(id);
        if shown.form.places.len() > MAX_PLACES || !self.suits(isa, shown, opcode) {
            return None;
        }
        Some(Match { opcode: id, operands: self.align(isa, &shown.form, opcode)? })
    }

    /// Whether an opcode can have the modifiers that a form shows.
    fn suits(&self, isa: &Isa, shown: &Shown<'_>, opcode: &Opcode) -> bool {
        let Some(items) = shown.items() else { return false };
        let meanings = meanings(isa, opcode, items);
        let is_possible = |(item, meaning): (&Item<'_>, &Option<Meaning<'_>>)| match meaning {
            None => item.is_optional || !self.is_modifier(item.name.text),
            Some(meaning) => match opcode.field(meaning.modifier.field).map(|f| f.binding) {
                Some(Binding::Fixed(raw)) => {
                    item.is_optional || meaning.value.is_none_or(|value| value == raw)
                }
                _ => true,
            },
        };
        // A fixed modifier that is always written distinguishes this opcode from others.
        let selects = |modifier: &&ModifierSyntax| {
            let field = opcode.field(modifier.field);
            let is_fixed = field.is_some_and(|field| matches!(field.binding, Binding::Fixed(_)));
            is_fixed && modifier.absent.is_none()
        };
        let is_shown = |modifier: &ModifierSyntax| {
            meanings.iter().flatten().any(|meaning| meaning.modifier.field == modifier.field)
        };
        items.iter().zip(&meanings).all(is_possible)
            && opcode.syntax.modifiers.iter().filter(selects).all(is_shown)
    }

    /// Assigns an operand to each place of a form, in order. Parts that are optional on one side can be absent from the
    /// other. A place that no opcode has was reported and matches anything.
    fn align(&self, isa: &Isa, form: &Form<'_>, opcode: &Opcode) -> Option<Vec<Option<usize>>> {
        let (places, operands) = (&form.places, &opcode.syntax.operands);
        let is_free: Vec<bool> = places.iter().map(|place| !self.is_operand(place)).collect();
        let named = |p: usize, o: usize| fits(isa, opcode, &operands[o], places[p].name.text);
        let meet = |p: usize, o: usize| is_free[p] || named(p, o);
        let lacks_place: Vec<bool> = (0..operands.len())
            .map(|o| operands[o].is_optional && !(0..places.len()).any(|p| named(p, o)))
            .collect();
        let lacks_operand: Vec<bool> = (0..places.len())
            .map(|p| {
                is_free[p] || places[p].is_optional && !(0..operands.len()).any(|o| named(p, o))
            })
            .collect();
        // Whether the places from a position on can be assigned the operands from a position on.
        let mut can = vec![vec![false; operands.len() + 1]; places.len() + 1];
        can[places.len()][operands.len()] = true;
        for p in (0..=places.len()).rev() {
            for o in (0..=operands.len()).rev() {
                let has = (p < places.len(), o < operands.len());
                can[p][o] |= has == (true, true) && can[p + 1][o + 1] && meet(p, o)
                    || has.1 && lacks_place[o] && can[p][o + 1]
                    || has.0 && lacks_operand[p] && can[p + 1][o];
            }
        }
        if !can[0][0] {
            return None;
        }
        let mut given = vec![None; places.len()];
        let (mut p, mut o) = (0, 0);
        while p < places.len() {
            if o < operands.len() && can[p + 1][o + 1] && meet(p, o) {
                given[p] = Some(o);
                (p, o) = (p + 1, o + 1);
            } else if o < operands.len() && lacks_place[o] && can[p][o + 1] {
                o += 1;
            } else {
                p += 1;
            }
        }
        Some(given)
    }
}

impl<'a> Shown<'a> {
    /// The dotted names after the mnemonic.
    pub(super) fn items(&self) -> Option<&[Item<'a>]> {
        self.dots.map(|dots| &self.form.dotted[dots..])
    }
}

fn principal<'i>(isa: &'i Isa, opcode: &Opcode) -> &'i Optype {
    &isa.optypes()[opcode.optypes[0].index()]
}

/// How many dotted names of a form belong to a mnemonic.
fn dots(form: &Form<'_>, mnemonic: &str) -> Option<usize> {
    // A dot at the end belongs to the last word.
    let ends = mnemonic.match_indices('.').map(|(at, _)| at).filter(|at| at + 1 < mnemonic.len());
    let mut start = 0;
    let mut words: Vec<&str> = Vec::new();
    for end in ends.chain([mnemonic.len()]) {
        words.push(&mnemonic[start..end]);
        start = end + 1;
    }
    if words.remove(0) != form.head.text {
        return None;
    }
    let names = form.dotted.iter().map(|item| item.name.text);
    (names.take(words.len()).eq(words.iter().copied())).then_some(words.len())
}

/// The meanings of a form's dotted names for an opcode.
pub(super) fn meanings<'i>(
    isa: &Isa,
    opcode: &'i Opcode,
    items: &[Item<'_>],
) -> Vec<Option<Meaning<'i>>> {
    let mut taken: Vec<NameId> = Vec::new();
    let mut one = |item: &Item<'_>| {
        let found = meaning(isa, opcode, item.name.text, &taken)?;
        taken.push(found.modifier.field);
        Some(found)
    };
    items.iter().map(&mut one).collect()
}

/// The modifier of a name, else the first that has it as a value.
fn meaning<'i>(isa: &Isa, opcode: &'i Opcode, name: &str, taken: &[NameId]) -> Option<Meaning<'i>> {
    let mut free = opcode.syntax.modifiers.iter().filter(|m| !taken.contains(&m.field));
    let named = free.clone().find(|modifier| isa.name_of(modifier.field) == name);
    if let Some(modifier) = named {
        return Some(Meaning { modifier, value: None });
    }
    free.find_map(|modifier| {
        let value = isa.ty(opcode.field(modifier.field)?.ty).spelled(name)?.value;
        Some(Meaning { modifier, value: Some(value) })
    })
}

/// The attribute that a name after a place means.
pub(super) fn suffix<'i>(
    isa: &Isa,
    opcode: &Opcode,
    operand: &'i OperandSyntax,
    name: &str,
) -> Option<&'i ModifierSyntax> {
    operand.suffixes.iter().find(|suffix| {
        opcode.field(suffix.field).is_some_and(|field| {
            attribute_name(isa, field) == Some(name) || isa.ty(field.ty).spelled(name).is_some()
        })
    })
}

/// Whether the name of a place means an operand.
pub(super) fn fits(isa: &Isa, opcode: &Opcode, operand: &OperandSyntax, name: &str) -> bool {
    match operand.place(opcode) {
        OperandLocation::File(file) => isa.reg_files()[file.index()].name == name,
        OperandLocation::Indirect { file, base, offset } => {
            let Some((prefix, inside)) = name.split_once('[') else { return false };
            let mut words = inside.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let mut next = || words.find(|word| !word.is_empty());
            let means = |word: &str, field| is_named(isa, opcode, field, word);
            prefix == isa.prefix(file)
                && next().is_some_and(|word| means(word, base))
                && next().is_none_or(|word| offset.is_some_and(|offset| means(word, offset)))
        }
        OperandLocation::Field(field) => is_named(isa, opcode, field, name),
    }
}

/// Whether a name in a template means a field: by its name in any case, by a name that begins
/// with its type's, or as a placeholder.
fn is_named(isa: &Isa, opcode: &Opcode, field: NameId, name: &str) -> bool {
    let own = isa.name_of(field);
    let Some(field) = opcode.field(field) else { return false };
    let ty = isa.ty(field.ty);
    own.eq_ignore_ascii_case(name) || is_type(ty, name) || isa.stands_for(name, own)
}

/// Whether a name is the name of a type, alone or followed by another word: `UImm8Lut`.
fn is_type(ty: &Type, name: &str) -> bool {
    let after = name.strip_prefix(ty.name.as_str());
    after.is_some_and(|rest| rest.chars().next().is_none_or(|c| c.is_ascii_uppercase()))
}
