//! The forms of an operation: diagrams and tables, each shown once for all generations that share it.

use isadl::isa::{Generations, Isa, OpcodeId, SectionKind};

use super::book::{Book, Shelf, section};
use super::layout::Layout;
use super::pages::{Kind, form_heading, relative};
use super::ruler;
use super::svg;
use super::text::{Table, fence, word};
use super::variants::{self, Variant};
use super::view::{FIELDS, NAME, OPERANDS, View, Viewer};

/// An opcode in all generations that have it, with its forms with a literal.
pub(super) struct Form {
    pub(super) name: String,
    pub(super) variants: Vec<Variant<View>>,
}

/// A layout and the variants that have it.
struct Laid<'f> {
    layout: &'f Layout,
    variants: Vec<&'f Variant<View>>,
}

impl Form {
    pub(super) fn new(book: &Book<'_>, name: &str, page: &str) -> Form {
        let context = book.context(page);
        let mut views: Vec<(Generations, View)> = Vec::new();
        for isa in book.isas() {
            let viewer = Viewer { isa, context: &context, sources: &book.sources };
            let ids = isa.opcode_ids().filter(|id| isa.opcode(*id).name == name);
            views.extend(ids.map(|id| (isa.describes(), viewer.view(id))));
        }
        Form { name: name.to_string(), variants: variants::group(views) }
    }

    /// The variants without a literal; all variants if each has a literal.
    pub(super) fn plain(&self) -> Vec<&Variant<View>> {
        let plain: Vec<_> = self.variants.iter().filter(|v| v.is.literal.is_none()).collect();
        if plain.is_empty() { self.variants.iter().collect() } else { plain }
    }

    /// The generations that have it.
    pub(super) fn generations(&self) -> Generations {
        variants::union(&self.variants)
    }

    /// How it is written, with a comment: its name and the generations with this syntax.
    pub(super) fn syntax(&self, book: &Book<'_>) -> Vec<(String, String)> {
        let lines = self.plain().into_iter().map(|v| (v.generations, v.is.syntax.clone()));
        let line = |variant: Variant<String>| {
            let label = book.label(variant.generations).replace('\\', "");
            let label = if label.is_empty() { label } else { format!(" ({label})") };
            (variant.is, format!("{}{label}", self.name))
        };
        variants::group(lines).into_iter().map(line).collect()
    }

    /// The layouts, those without a literal first.
    fn layouts(&self) -> Vec<Laid<'_>> {
        let mut layouts: Vec<Laid<'_>> = Vec::new();
        let literal = self.variants.iter().filter(|variant| variant.is.literal.is_some());
        let plain = self.variants.iter().filter(|variant| variant.is.literal.is_none());
        for variant in plain.chain(literal) {
            let layout = &variant.is.layout;
            match layouts.iter_mut().find(|laid| laid.layout == layout) {
                Some(laid) => laid.variants.push(variant),
                None => layouts.push(Laid { layout, variants: vec![variant] }),
            }
        }
        layouts
    }

    pub(super) fn section(&self, book: &Book<'_>, page: &str, shelf: &mut Shelf) -> String {
        let heading = word(&form_heading(&self.name));
        let mut text = format!("### {heading}\n\n");
        text += &self.facts(book, page);
        for kind in SectionKind::ALL {
            if kind != SectionKind::Examples {
                text += &book.prose(page, 3, &self.prose(kind));
            }
        }
        for variant in self.prose(SectionKind::Examples) {
            let is_own = |isa: &Isa, id: OpcodeId| isa.opcode(id).name == self.name;
            text += &book.examples(page, &variant.is, &is_own);
        }
        let rows = self.plain().into_iter().map(|v| (v.generations, v.is.operands.clone()));
        let mut operands = Table::new(&OPERANDS);
        for row in variants::join(&variants::group(rows), NAME, |set| book.names(set)) {
            operands.row(row);
        }
        for laid in self.layouts() {
            text += &laid.section(book, self, page, shelf);
        }
        let operands = operands.render();
        if !operands.is_empty() {
            text += &format!("Operands, in assembly order:\n\n{operands}\n");
        }
        let flows = self.plain().into_iter().map(|v| (v.generations, v.is.flow.clone()));
        for variant in variants::group(flows.filter(|(_, flow)| !flow.is_empty())) {
            let label = match variant.generations == self.generations() {
                true => String::new(),
                false => format!(" ({})", book.names(variant.generations)),
            };
            text += &format!("Flow of control{label}: {}.\n\n", variant.is);
        }
        text
    }

    fn prose(&self, kind: SectionKind) -> Vec<Variant<String>> {
        let plain = self.plain().into_iter();
        let texts = plain.map(|v| (v.generations, section(&v.is.prose, kind)));
        variants::group(texts.filter(|(_, text)| !text.is_empty()))
    }

    /// Its number, its generations, its source.
    fn facts(&self, book: &Book<'_>, page: &str) -> String {
        let mut facts = Vec::new();
        if let Some(variant) = self.variants.first() {
            facts.push(format!("Number {} in generated code", variant.is.number));
        }
        if book.isas().len() > 1 {
            facts.push(format!("generations: {}", book.names(self.generations())));
        }
        let source = book.sources.links(Kind::Opcode, &self.name, page);
        if !source.is_empty() {
            facts.push(format!("source: {source}"));
        }
        format!("{}.\n\n", facts.join("; "))
    }
}

impl Laid<'_> {
    /// Diagram, ruler and fields.
    fn section(&self, book: &Book<'_>, form: &Form, page: &str, shelf: &mut Shelf) -> String {
        let picture = shelf.picture(self.layout, &form.name);
        let svg = relative(page, &format!("svg/{picture}.svg"));
        let json = relative(page, &format!("wavedrom/{picture}.json"));
        let alt = format!("{}: {}", form.name, svg::title(self.layout));
        let mut text =
            format!("{}\n\n![{}]({svg})\n\n", self.caption(book, form), super::text::plain(&alt));
        let (mask, value) = self.fixed();
        text += &fence("text", &ruler::lines(self.layout, mask, value));
        text += &format!("\n[Diagram for WaveDrom]({json})\n\n");
        let rows = self.variants.iter().map(|v| (v.generations, v.is.fields.clone()));
        let mut table = Table::new(&FIELDS);
        for row in variants::join(&variants::group(rows), NAME, |set| book.names(set)) {
            table.row(row);
        }
        text + &table.render() + "\n"
    }

    fn caption(&self, book: &Book<'_>, form: &Form) -> String {
        let sets = self.variants.iter().map(|variant| variant.generations);
        let set = sets.fold(Generations::default(), Generations::union);
        let mut text = format!("**{} bits**", self.layout.width);
        if let Some(selector) = self.variants.iter().find_map(|v| v.is.literal.as_ref()) {
            text += &format!(", with a literal for `{selector}`");
        }
        if set != form.generations() {
            text += &format!(", {}", book.names(set));
        }
        text
    }

    /// The bits that all variants fix to one value.
    fn fixed(&self) -> (u128, u128) {
        let mut fixed = self.variants.iter().map(|v| (v.is.mask, v.is.value));
        let first = fixed.next().unwrap_or((0, 0));
        fixed.fold(first, |(mask, value), (other, bits)| {
            let mask = mask & other & !(value ^ bits);
            (mask, value & mask)
        })
    }
}
