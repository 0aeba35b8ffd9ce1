//! Emits the engine's control flow tables as constants.

use isadl_engine::image_control::Controls;

use super::part::Part;

/// The tables of `image.rs` of a generated crate that are about flow of control; nothing where there are none.
pub(super) fn tables(control: &Controls<'_>) -> Option<String> {
    let Controls {
        classes_of,
        classes,
        targets_of,
        targets,
        relocated_of,
        relocated,
        relocations,
        relocation_names,
    } = control;
    if classes.is_empty() && targets.is_empty() && relocations.is_empty() {
        return None;
    }
    let mut part = Part::default();
    part.rows("The classes of each row.", "classes_of", "Span", classes_of);
    part.rows("Classes of flow of control.", "classes", "Class", classes);
    part.rows("The addresses of each row.", "targets_of", "Span", targets_of);
    part.rows("Fields that are distances.", "targets", "Relative", targets);
    part.rows(
        "The fields of each row that have relocations.",
        "relocated_of",
        "Span",
        relocated_of,
    );
    part.rows("Fields that have relocations.", "relocated", "Relocated", relocated);
    part.rows("Relocations.", "relocations", "Relocation", relocations);
    part.value("relocation_names", relocation_names);
    Some(part.constant("CONTROL", "Controls"))
}
