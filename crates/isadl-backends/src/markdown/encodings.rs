//! The index by encoding: the forms in the order of their fixed bits.

use std::collections::BTreeMap;

use isadl_ir::isa::Generations;

use super::book::Book;
use super::layout::Layout;
use super::operation::Operation;
use super::page_writer::PageWriter;
use super::pages::Kind;
use super::text::{Table, code, plural};

/// The page.
const PAGE: &str = "encodings.md";

/// Bits of a pattern that are written together, at most.
const TOGETHER: u32 = 8;

/// Bits of a pattern that is shown whole, at most.
const WHOLE: u32 = 32;

/// A form with its fixed bits.
struct Coded<'o> {
    form: &'o str,
    syntax: &'o str,
    layout: &'o Layout,
    mask: u128,
    value: u128,
    generations: Generations,
}

/// Writes the page.
pub(super) fn write(book: &Book<'_>, operations: &[Operation<'_>], writer: &mut PageWriter) {
    let mut widths: BTreeMap<u32, Vec<Coded<'_>>> = BTreeMap::new();
    for form in operations.iter().flat_map(|operation| &operation.forms) {
        for variant in form.plain() {
            let view = &variant.is;
            widths.entry(view.layout.width).or_default().push(Coded {
                form: &form.name,
                syntax: view.mnemonics.first().map_or("", String::as_str),
                layout: &view.layout,
                mask: view.mask,
                value: view.value,
                generations: variant.generations,
            });
        }
    }
    let mut text = String::from(
        "# Operations by encoding\n\nThe forms in the order of their fixed bits; a dot is a bit that a form does not fix.\n\n",
    );
    for (width, forms) in widths {
        text += &format!("## {}\n\n{}\n", plural(width as usize, "bit"), of_width(book, &forms));
    }
    writer.page(PAGE, "Operations by encoding", 0, &text);
}

/// The table of forms with the same width.
fn of_width(book: &Book<'_>, forms: &[Coded<'_>]) -> String {
    let Some(first) = forms.first() else { return String::new() };
    let fixed = forms.iter().fold(0, |mask, form| mask | form.mask);
    // Bits that all forms share distinguish nothing; they are left out where patterns would become long.
    let shared =
        forms.iter().fold(first.mask, |mask, form| mask & form.mask & !(form.value ^ first.value));
    let is_short = forms.len() == 1 || first.layout.width <= WHOLE;
    let shared = if is_short { 0 } else { shared };
    let runs = runs(fixed & !shared);
    let pattern = |form: &Coded<'_>| {
        let run = |(low, width): &(u32, u32)| -> String {
            (*low..low + width).rev().map(|bit| form.bit(bit)).collect()
        };
        runs.iter().map(run).collect::<Vec<_>>().join(" ")
    };
    let mut rows: BTreeMap<(String, &str), (&Coded<'_>, Generations)> = BTreeMap::new();
    for form in forms {
        // Open bits sort after fixed bits.
        let key = (pattern(form).replace('.', "~"), form.form);
        let known = rows.entry(key).or_insert((form, Generations::default()));
        known.1 = known.1.union(form.generations);
    }
    let mut table =
        Table::new(&[head(first.layout, &runs).as_str(), "Form", "Mnemonic", "Generations"]);
    for (form, generations) in rows.into_values() {
        table.row(vec![
            code(&pattern(form)),
            book.link(Kind::Opcode, form.form, PAGE),
            code(form.syntax),
            book.label(generations),
        ]);
    }
    let all = match shared {
        0 => String::new(),
        _ => {
            let bits = self::runs(shared).into_iter();
            let bits = bits.map(|(low, width)| {
                let digits: String = (low..low + width).rev().map(|bit| first.bit(bit)).collect();
                let (name, bits) = (first.layout.name_of(low, width), code(&digits));
                if width == 1 {
                    format!("bit {name} is {bits}")
                } else {
                    format!("bits {name} are {bits}")
                }
            });
            format!("In all of them {}.\n\n", bits.collect::<Vec<_>>().join(", "))
        }
    };
    format!("{all}{}", table.render())
}

impl Coded<'_> {
    fn bit(&self, bit: u32) -> char {
        match (self.mask >> bit & 1, self.value >> bit & 1) {
            (0, _) => '.',
            (_, 0) => '0',
            _ => '1',
        }
    }
}

/// The header of patterns: which bits they show.
fn head(layout: &Layout, runs: &[(u32, u32)]) -> String {
    let names = runs.iter().map(|(low, width)| layout.name_of(*low, *width));
    match runs.is_empty() {
        true => "Bits".to_string(),
        false => format!("Bits {}", names.collect::<Vec<_>>().join(" ")),
    }
}

/// The runs of ones, the highest first; long runs are cut.
fn runs(mask: u128) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for bit in (0..u128::BITS).filter(|bit| mask >> bit & 1 == 1) {
        match found.last_mut() {
            Some((low, width)) if *low + *width == bit && !bit.is_multiple_of(TOGETHER) => {
                *width += 1
            }
            _ => found.push((bit, 1)),
        }
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn runs_end_with_bytes() {
        assert_eq!(runs(0b1_1111_1111_0010), [(8, 5), (4, 4), (1, 1)]);
        assert_eq!(runs(1 << 127 | 1), [(127, 1), (0, 1)]);
    }
}
