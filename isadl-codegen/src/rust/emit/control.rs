//! What the engine knows of flow of control, as constants.

use isadl_engine::image_control::Controls;

use super::part::Part;

/// The tables of `image.rs` of a generated crate that are about flow of control; nothing where there are none.
pub(super) fn tables(control: &Controls<'_>) -> Option<String> {
    let Controls { classes_of, classes, targets_of, targets } = control;
    if classes.is_empty() && targets.is_empty() {
        return None;
    }
    let mut part = Part::default();
    part.rows("The classes of each row.", "classes_of", "Span", classes_of);
    part.rows("Classes of flow of control.", "classes", "Class", classes);
    part.rows("The addresses that each row names.", "targets_of", "Span", targets_of);
    part.rows("Fields that are distances.", "targets", "Relative", targets);
    Some(part.constant("CONTROL", "Controls"))
}
