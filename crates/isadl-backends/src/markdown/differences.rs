//! The computed differences between the generations of an operation.

use super::forms::Form;
use super::operation::Operation;
use super::text::{Table, code};
use super::variants::Variant;
use super::view::{NAME, View};

impl Operation<'_> {
    pub(super) fn differences(&self) -> String {
        if self.book.isas().len() < 2 {
            return String::new();
        }
        let mut text = self.presence();
        for form in &self.forms {
            text += &self.of_form(form);
        }
        match text.is_empty() {
            true => "## Generations\n\nIt is the same in all generations.\n".to_string(),
            false => format!("## Generations\n\n{text}"),
        }
    }

    /// Which generation has which form; empty if all have all.
    fn presence(&self) -> String {
        let all = self.book.all();
        if self.forms.iter().all(|form| form.generations() == all) {
            return String::new();
        }
        let isas = self.book.isas();
        let mut head = vec!["Form".to_string()];
        head.extend(isas.iter().map(|isa| self.book.names(isa.describes())));
        let mut table = Table::new(&head);
        for form in &self.forms {
            let mut row = vec![code(&form.name)];
            row.extend(isas.iter().map(|isa| {
                let has = form.generations().contains(isa.describes().first());
                if has { "yes" } else { "—" }.to_string()
            }));
            table.row(row);
        }
        table.render_whole() + "\n"
    }

    /// Writes one column per variant of a form, and one row per difference.
    fn of_form(&self, form: &Form) -> String {
        let variants = form.plain();
        if variants.len() < 2 {
            return String::new();
        }
        let mut head = vec![format!("Form {}", code(&form.name))];
        head.extend(variants.iter().map(|variant| self.book.names(variant.generations)));
        let mut table = Table::new(&head);
        let mut add = |name: String, of: &dyn Fn(&View) -> String| {
            let cells: Vec<String> = variants.iter().map(|variant| of(&variant.is)).collect();
            if cells.iter().any(|cell| *cell != cells[0]) {
                let dash = |cell: String| if cell.is_empty() { "—".to_string() } else { cell };
                let mut row = vec![name];
                row.extend(cells.into_iter().map(dash));
                table.row(row);
            }
        };
        add("Syntax".to_string(), &|view| code(&view.syntax));
        add("Mnemonics".to_string(), &|view| {
            view.mnemonics.iter().map(|m| code(m)).collect::<Vec<_>>().join(", ")
        });
        add("Fixed bits".to_string(), &|view| code(&format!("{:#x}", view.mask)));
        add("Values of the fixed bits".to_string(), &|view| code(&format!("{:#x}", view.value)));
        let fields = [(0, "bits"), (2, "type"), (3, "value"), (4, "only allowed")];
        for name in names(&variants, |view| &view.fields) {
            for (column, what) in fields {
                let cells = Cells { variants: &variants, rows: |view| &view.fields, name: &name };
                add(format!("{name}: {what}"), &|view| cells.own(view, column, column == 4));
            }
        }
        let operands = [(0, "order"), (2, "type"), (3, "only of"), (4, "width"), (5, "access")];
        for name in names(&variants, |view| &view.operands) {
            for (column, what) in operands {
                let cells = Cells { variants: &variants, rows: |view| &view.operands, name: &name };
                let what = format!("{name}, operand: {what}");
                add(what, &|view| cells.own(view, column, column == 3));
            }
        }
        let rules = |view: &View| {
            let messages = view.rules.iter().map(|rule| super::text::message(&rule.message));
            messages.collect::<Vec<_>>()
        };
        let mut messages: Vec<String> = Vec::new();
        for message in variants.iter().flat_map(|variant| rules(&variant.is)) {
            if !messages.contains(&message) {
                messages.push(message);
            }
        }
        for message in messages {
            add(format!("Rule: {message}"), &|view| {
                if rules(view).contains(&message) { "yes".to_string() } else { String::new() }
            });
        }
        if table.is_empty() { String::new() } else { table.render_whole() + "\n" }
    }
}

/// The names in the rows of all variants, in order; only fields have unique names.
fn names(variants: &[&Variant<View>], rows: impl Fn(&View) -> &Vec<Vec<String>>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in variants.iter().flat_map(|variant| rows(&variant.is)) {
        if !row[NAME].starts_with('*') && !names.contains(&row[NAME]) {
            names.push(row[NAME].clone());
        }
    }
    names
}

/// The cells of a row in all variants.
struct Cells<'c> {
    variants: &'c [&'c Variant<View>],
    rows: fn(&View) -> &Vec<Vec<String>>,
    name: &'c str,
}

impl Cells<'_> {
    /// The cell of a variant; for a list, only the items that some variants do not have.
    fn own(&self, view: &View, column: usize, is_list: bool) -> String {
        let text = self.cell(view, column);
        if !is_list {
            return text;
        }
        let lists = self.variants.iter().map(|variant| self.cell(&variant.is, column));
        let lists: Vec<String> = lists.collect();
        let is_common = |item: &&str| lists.iter().all(|list| list.split(", ").any(|o| o == *item));
        text.split(", ").filter(|item| !is_common(item)).collect::<Vec<_>>().join(", ")
    }

    fn cell(&self, view: &View, column: usize) -> String {
        let rows = (self.rows)(view).iter().filter(|row| row[NAME] == self.name);
        rows.map(|row| row[column].as_str()).collect::<Vec<_>>().join(", ")
    }
}
