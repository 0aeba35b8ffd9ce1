//! E0401: fields that share bits, in one definition or between a child and its chain.
//!
//! Each field is checked once, in the layer that declares it; fields of two parents are checked in
//! the child that joins them. Only the bits that a field certainly has count.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};

use crate::isa::bit_ranges;
use crate::model::{Field, FieldId, LayerId, Model};

/// The maximum number of clashes that are reported in one layer.
const MAX_REPORTED: usize = 200;

/// The maximum number of clashes that one finding shows, if they have the same place.
const PAIRS_TOLD: usize = 4;

/// A field and the first field that it shares bits with.
type Clash = (FieldId, FieldId);

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    for id in model.layer_ids() {
        check_layer(model, id, diagnostics);
    }
}

fn check_layer(model: &Model<'_>, id: LayerId, diagnostics: &mut Diagnostics) {
    let layer = model.layer(id);
    let mut owners: [Option<usize>; 128] = [None; 128];
    let (mut own, mut joined) = (Vec::new(), Vec::new());
    for (position, field) in layer.fields.iter().enumerate() {
        let first = take(&mut owners, model.claims(model.field(*field)), position);
        let Some(other) = first.map(|first| layer.fields[first]) else { continue };
        if model.field(*field).layer == id {
            own.push((*field, other));
        } else if layer.parents.len() > 1 && is_joined(model, id, (*field, other)) {
            joined.push((*field, other));
        }
    }
    if !joined.is_empty() {
        diagnostics.push(joined_overlap(model, id, &joined));
    }
    for clash in own.into_iter().take(MAX_REPORTED) {
        diagnostics.push(own_overlap(model, clash));
    }
}

/// Enters the bits of the field at a position; returns the first position that already has any.
fn take(owners: &mut [Option<usize>; 128], mut mask: u128, position: usize) -> Option<usize> {
    let mut first: Option<usize> = None;
    while mask != 0 {
        let owner = &mut owners[mask.trailing_zeros() as usize];
        first = match (*owner, first) {
            (Some(owner), Some(first)) => Some(first.min(owner)),
            (owner, first) => owner.or(first),
        };
        owner.get_or_insert(position);
        mask &= mask - 1;
    }
    first
}

/// Whether a layer is the first in which two fields meet. Otherwise an ancestor reported them.
fn is_joined(model: &Model<'_>, id: LayerId, (field, other): Clash) -> bool {
    let has = |parent: LayerId, field: FieldId| {
        model.find_field(parent, model.field(field).name) == Some(field)
    };
    model.layer(id).parents.iter().all(|parent| !(has(*parent, field) && has(*parent, other)))
}

fn own_overlap(model: &Model<'_>, (field, other): Clash) -> Diagnostic {
    let (a, b) = (model.field(field), model.field(other));
    let from = model.layer(b.layer).name.text;
    let inherited =
        if b.layer == a.layer { String::new() } else { format!(", inherited from `{from}`") };
    Diagnostic::new(Code::E0401, format!("fields {}", pair(model, a, b)), a.ast.span)
        .with_label(place(model, a))
        .with_related(b.ast.span, format!("{}{inherited}", place(model, b)))
        .with_help("move one of the two, or narrow it")
}

fn joined_overlap(model: &Model<'_>, id: LayerId, clashes: &[Clash]) -> Diagnostic {
    let told = clashes.iter().take(PAIRS_TOLD).map(|(a, b)| (model.field(*a), model.field(*b)));
    let pairs: Vec<String> = told.clone().map(|(a, b)| pair(model, a, b)).collect();
    let more = if clashes.len() > PAIRS_TOLD { ", and others overlap too" } else { "" };
    let message = format!("fields {}{more}", pairs.join(", "));
    let mut diagnostic = Diagnostic::new(Code::E0401, message, model.layer(id).header)
        .with_label("inherits both from its parents");
    for (a, b) in told {
        let from = model.layer(b.layer).name.text;
        diagnostic = diagnostic
            .with_related(a.ast.span, place(model, a))
            .with_related(b.ast.span, format!("{}, inherited from `{from}`", place(model, b)));
    }
    diagnostic.with_help("move one of the two, or narrow it")
}

fn pair(model: &Model<'_>, a: &Field<'_>, b: &Field<'_>) -> String {
    let shared = bit_ranges(model.claims(a) & model.claims(b), model.is_msb0());
    format!("`{}` and `{}` overlap in {shared}", a.ast.name.text, b.ast.name.text)
}

fn place(model: &Model<'_>, field: &Field<'_>) -> String {
    format!("`{}` covers {}", field.ast.name.text, bit_ranges(field.mask(), model.is_msb0()))
}
