//! Every stage as text, for people: `isadl dump`.

use std::fmt::Write;

pub use isadl_ir::dump::{expr, isa};
pub use isadl_syntax::dump::ast;

use crate::model::Model;

/// The model: definitions with inherited fields.
pub fn model(model: &Model<'_>) -> String {
    let mut out = String::new();
    if let Some(isa) = &model.isa {
        let width = isa.width.map_or("?".to_string(), |width| width.to_string());
        let _ = writeln!(out, "isa {} <{width}>", isa.name.text);
    }
    for file in &model.reg_files {
        let _ = writeln!(out, "register file {} <{}, {}>", file.name.text, file.width, file.count);
    }
    for ty in &model.types {
        let _ = writeln!(out, "type {} <{}> {:?}", ty.ty.name, ty.ty.width, ty.ty.kind);
    }
    for layer in &model.layers {
        let chain: Vec<&str> = layer.chain.iter().map(|id| model.layer(*id).name.text).collect();
        let _ = writeln!(out, "{} {}", layer.kind.as_str(), chain.join(" > "));
        for id in &layer.fields {
            let field = model.field(*id);
            let ty = field.ty.map_or("?", |ty| &model.ty(ty).name);
            let owner = model.layer(field.layer).name.text;
            let bits = field.bits();
            let place = match bits.as_one() {
                Some(run) => run.lsb.to_string(),
                None => field.ast.bits.to_string().trim_matches(['[', ']']).replace(' ', ""),
            };
            let _ = writeln!(
                out,
                "  {:>3} +{:<2} {} {} {:?} ({owner})",
                place,
                field.width(),
                ty,
                field.ast.name.text,
                field.binding
            );
        }
    }
    out
}
