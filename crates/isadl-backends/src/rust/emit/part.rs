//! A part of an image: a struct of tables and numbers.

use std::fmt::Debug;

use super::dense::{bytes, constants, short, string, table};

/// The tables of a part, and the fields of the struct that refers to them.
#[derive(Default)]
pub(super) struct Part {
    tables: String,
    fields: Vec<String>,
}

/// Emits the columns of a part, each by the method of [`Part`] before it. No column of the struct can be forgotten.
macro_rules! emit {
    ($part:ident of $view:expr => $ty:ident {
        $($method:ident $column:ident$(($($arg:expr),*))?,)*
    }) => {
        let $ty { $($column),* } = $view;
        $($part.$method(stringify!($column), $column, $($($arg),*)?);)*
    };
}

pub(super) use emit;

impl Part {
    /// A column that is a number or a list of numbers.
    pub(super) fn value(&mut self, column: &str, value: impl Debug) {
        self.fields.push(format!("{column}: {}", short(&format!("{value:?}"))));
    }

    /// A column that is a short text.
    pub(super) fn quoted(&mut self, column: &str, text: &str) {
        self.fields.push(format!("{column}: {text:?}"));
    }

    /// A column that is a table, which is called as the column.
    pub(super) fn rows<R: Debug>(&mut self, column: &str, rows: &[R], ty: &str, doc: &str) {
        let name = column.to_uppercase();
        self.item(column, &table(doc, &name, ty, rows), &format!("&{name}"));
    }

    /// The same of few rows that every word needs: compilers of other crates see through them, so that they are part of
    /// the code.
    pub(super) fn known<R: Debug>(&mut self, column: &str, rows: &[R], ty: &str, doc: &str) {
        let name = column.to_uppercase();
        let items = rows.iter().map(|row| short(&format!("{row:?}"))).collect();
        self.item(column, &constants(doc, &name, ty, items), &name);
    }

    /// A column that is a long text, in pieces that end at these places.
    pub(super) fn text(&mut self, column: &str, text: &str, ends: &[u32], doc: &str) {
        let name = column.to_uppercase();
        let starts = [0].iter().chain(ends);
        let pieces =
            starts.zip(ends).filter_map(|(from, to)| text.get(*from as usize..*to as usize));
        self.item(column, &string(doc, &name, pieces), &name);
    }

    /// A column that is a list of pieces of equal length, as one string of bytes.
    pub(super) fn chunks<const N: usize>(&mut self, column: &str, chunks: &[[u8; N]], doc: &str) {
        let name = column.to_uppercase();
        let expression = format!("{name}.as_chunks().0");
        self.item(column, &bytes(doc, &name, chunks), &expression);
    }

    /// A column whose value is an expression over tables that are given.
    pub(super) fn item(&mut self, column: &str, tables: &str, expression: &str) {
        self.tables += tables;
        self.fields.push(format!("{column}: {expression}"));
    }

    /// The tables, and the constant of a type, with a line for each column.
    pub(super) fn constant(self, name: &str, ty: &str) -> String {
        let Part { tables, fields } = self;
        let fields: String = fields.iter().map(|field| format!("    {field},\n")).collect();
        format!(
            "{tables}/// All of them.\npub(crate) const {name}: {ty}<'static> = {ty} {{\n{fields}}};\n"
        )
    }

    /// The tables, and the constant of a type on one line.
    pub(super) fn line(self, name: &str, ty: &str) -> String {
        let Part { tables, fields } = self;
        let fields = fields.join(", ");
        format!(
            "{tables}/// All tables.\npub(crate) const {name}: {ty}<'static> = {ty} {{ {fields} }};\n"
        )
    }
}
