//! Emits the engine's control flow tables as constants.

use isadl_engine::image_control::Controls;

use super::part::{Part, emit};

/// The tables of `image.rs` of a generated crate that are about flow of control; nothing where there are none.
pub(super) fn tables(control: &Controls<'_>) -> Option<String> {
    let Controls { classes, targets, relocations, .. } = control;
    if classes.is_empty() && targets.is_empty() && relocations.is_empty() {
        return None;
    }
    let mut part = Part::default();
    emit!(part of control => Controls {
        rows classes_of("Span", "The classes of each row."),
        rows classes("Class", "Classes of flow of control."),
        rows targets_of("Span", "The addresses of each row."),
        rows targets("Relative", "Fields that are distances."),
        rows relocated_of("Span", "The fields of each row that have relocations."),
        rows relocated("Relocated", "Fields that have relocations."),
        rows relocations("Relocation", "Relocations."),
        value relocation_names,
    });
    Some(part.constant("CONTROL", "Controls"))
}
