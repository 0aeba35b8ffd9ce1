//! A part of an image: a struct of tables and numbers.

use std::fmt::Debug;

use super::dense::{constants, short, table};

/// The tables of a part, and the fields of the struct that refers to them.
#[derive(Default)]
pub(super) struct Part {
    tables: String,
    fields: String,
}

impl Part {
    /// A field that is a number or a list of numbers.
    pub(super) fn value(&mut self, field: &str, value: impl Debug) {
        self.fields += &format!("    {field}: {},\n", short(&format!("{value:?}")));
    }

    /// A field that is a table, which is called as the field.
    pub(super) fn rows<R: Debug>(&mut self, doc: &str, field: &str, ty: &str, rows: &[R]) {
        let name = field.to_uppercase();
        self.tables += &table(doc, &name, ty, rows);
        self.fields += &format!("    {field}: &{name},\n");
    }

    /// The same of few rows that every word needs: compilers of other crates see through them, so that they are part of
    /// the code.
    pub(super) fn known<R: Debug>(&mut self, doc: &str, field: &str, ty: &str, rows: &[R]) {
        let name = field.to_uppercase();
        let items = rows.iter().map(|row| short(&format!("{row:?}"))).collect();
        self.tables += &constants(doc, &name, ty, items);
        self.fields += &format!("    {field}: {name},\n");
    }

    /// A field whose value is an expression over tables that are given.
    pub(super) fn item(&mut self, field: &str, tables: &str, expression: &str) {
        self.tables += tables;
        self.fields += &format!("    {field}: {expression},\n");
    }

    /// The tables, and the constant of a type.
    pub(super) fn constant(self, name: &str, ty: &str) -> String {
        let Part { tables, fields } = self;
        format!(
            "{tables}/// All of them.\npub(crate) const {name}: {ty}<'static> = {ty} {{\n{fields}}};\n"
        )
    }
}
