//! The aliases of an operation: other texts of some of its instructions.

use isadl_ir::isa::Generations;

use super::alias_text::AliasText;
use super::operation::Operation;
use super::text::{Table, code};

impl Operation<'_> {
    /// The table of its aliases; empty if there are none.
    pub(super) fn aliases(&self) -> String {
        let mut aliases: Vec<(&AliasText, Generations)> = Vec::new();
        for view in self.forms.iter().flat_map(|form| form.plain()) {
            for alias in &view.is.aliases {
                match aliases.iter_mut().find(|(known, _)| *known == alias) {
                    Some((_, known)) => *known = known.union(view.generations),
                    None => aliases.push((alias, view.generations)),
                }
            }
        }
        if aliases.is_empty() {
            return String::new();
        }
        let mut table = Table::new(&["Alias", "Instruction", "Where", "Generations", "Note"]);
        for (alias, generations) in &aliases {
            let note = if alias.is_printed { "" } else { "only read" };
            table.row(vec![
                code(&alias.syntax),
                code(&alias.plain),
                alias.meant.join(", "),
                self.book.generations(*generations),
                note.to_string(),
            ]);
        }
        format!(
            "## Aliases\n\nThe first one that fits is printed, unless aliases are switched off.\n\n{}\n",
            table.render()
        )
    }
}
