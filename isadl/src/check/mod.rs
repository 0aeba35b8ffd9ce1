//! Checks, one a file, at two points: on the model, and on the lowered form where masks are
//! needed. A new check is a new file with one function, called here.

mod encoding;
mod model;

pub(crate) use encoding::encoding;
pub(crate) use model::model;
