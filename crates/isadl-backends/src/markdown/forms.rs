//! The forms of an operation: diagrams and tables, each shown once for all generations that share it. Tables of the
//! first form are complete; tables of other forms only show the differences.

use isadl_ir::isa::{Generations, Isa, OpcodeId, SectionKind};

use super::book::Book;
use super::layout::Layout;
use super::page_writer::PageWriter;
use super::pages::{Kind, form_heading, relative};
use super::sections::section;
use super::svg::{self, Drawing};
use super::text::{Table, plain, word};
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
        let plain: Vec<_> = self.variants.iter().filter(|v| v.is.literals.is_empty()).collect();
        if plain.is_empty() { self.variants.iter().collect() } else { plain }
    }

    /// The generations that have it.
    pub(super) fn generations(&self) -> Generations {
        variants::union(&self.variants)
    }

    /// How it is written, and the generations with this syntax if not all.
    pub(super) fn syntax(&self, book: &Book<'_>) -> Vec<(String, String)> {
        let lines = self.plain().into_iter().map(|v| (v.generations, v.is.syntax.clone()));
        let lines = variants::group(lines).into_iter();
        lines.map(|variant| (variant.is, book.label(variant.generations))).collect()
    }

    /// The layouts, starting with layouts without a literal. Where several operands are the same literal, the layouts
    /// with one of them say enough.
    fn layouts(&self) -> Vec<Laid<'_>> {
        let mut layouts: Vec<Laid<'_>> = Vec::new();
        let with = |count: usize| {
            self.variants.iter().filter(move |variant| variant.is.literals.len() == count)
        };
        for variant in with(0).chain(with(1)) {
            let layout = &variant.is.layout;
            match layouts.iter_mut().find(|laid| laid.layout == layout) {
                Some(laid) => laid.variants.push(variant),
                None => layouts.push(Laid { layout, variants: vec![variant] }),
            }
        }
        layouts
    }

    /// The contents of its section.
    pub(super) fn shown(&self, book: &Book<'_>, page: &str) -> Shown {
        let rows = self.plain().into_iter().map(|v| (v.generations, v.is.operands.clone()));
        let operands = variants::join(&variants::group(rows), NAME, |set| book.names(set));
        let fields = self.layouts().first().map_or(Vec::new(), |laid| laid.fields(book));
        Shown {
            form: self.name.clone(),
            fields,
            operands,
            prose: self.text(book, page),
            flow: self.flow(book),
        }
    }

    /// Its section; `first` has the contents of the first form's section.
    pub(super) fn section(
        &self,
        book: &Book<'_>,
        first: &Shown,
        page: &str,
        writer: &mut PageWriter,
    ) -> String {
        let own = self.shown(book, page);
        let is_first = own.form == first.form;
        let first_link = match is_first {
            true => "those above".to_string(),
            false => book.link(Kind::Opcode, &first.form, page),
        };
        let mut text = format!("### {}\n\n", word(&form_heading(&self.name)));
        let laid = self.layouts();
        if let [_, _, ..] = laid.as_slice() {
            text += &sentence(&self.facts(book, page));
        }
        if is_first || own.prose != first.prose {
            text += &own.prose;
        }
        for (index, part) in laid.iter().enumerate() {
            let mut facts = part.caption(book, self);
            if laid.len() == 1 {
                facts.extend(self.facts(book, page));
            }
            text += &part.picture(self, facts, (page, book.is_single), writer);
            let rows = if index == 0 { own.fields.clone() } else { part.fields(book) };
            let base = (!is_first || index > 0).then_some(first.fields.as_slice());
            let base = base.map(|rows| (rows, first_link.as_str()));
            text += &table("Fields", &FIELDS, &rows, base);
            text += &missing(&rows, base);
        }
        let base = (!is_first).then_some((first.operands.as_slice(), first_link.as_str()));
        text += &table("Operands", &OPERANDS, &own.operands, base);
        text += match own.flow.is_empty() && !first.flow.is_empty() {
            true => "Flow of control: always on to the next instruction.\n\n",
            false if is_first || own.flow != first.flow => &own.flow,
            false => "",
        };
        text
    }

    /// The author's text on it.
    fn text(&self, book: &Book<'_>, page: &str) -> String {
        let mut text = String::new();
        for kind in SectionKind::ALL {
            if kind != SectionKind::Examples {
                text += &book.prose(page, 3, &self.prose(kind));
            }
        }
        for variant in self.prose(SectionKind::Examples) {
            let is_own = |isa: &Isa, id: OpcodeId| isa.opcode(id).name == self.name;
            text += &book.examples(page, &variant.is, &is_own);
        }
        text
    }

    fn flow(&self, book: &Book<'_>) -> String {
        let mut text = String::new();
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

    /// Its generations, its source.
    fn facts(&self, book: &Book<'_>, page: &str) -> Vec<String> {
        let mut facts = Vec::new();
        let generations = book.label(self.generations());
        if !generations.is_empty() {
            facts.push(format!("generations: {generations}"));
        }
        let source = book.sources.links(Kind::Opcode, &self.name, page);
        if !source.is_empty() {
            facts.push(format!("source: {source}"));
        }
        facts
    }
}

/// The contents of a form's section.
pub(super) struct Shown {
    form: String,
    /// The fields of its first layout.
    fields: Vec<Vec<String>>,
    operands: Vec<Vec<String>>,
    prose: String,
    flow: String,
}

fn sentence(facts: &[String]) -> String {
    match facts.is_empty() {
        true => String::new(),
        false => {
            let text = facts.join("; ");
            let first = text.chars().next().map(|c| c.to_ascii_uppercase());
            let rest = text.chars().skip(1);
            format!("{}.\n\n", first.into_iter().chain(rest).collect::<String>())
        }
    }
}

/// A table of a form: complete, or only the rows that the first form's table lacks.
fn table(
    what: &str,
    head: &[&str],
    rows: &[Vec<String>],
    base: Option<(&[Vec<String>], &str)>,
) -> String {
    let render = |rows: &mut dyn Iterator<Item = &Vec<String>>| {
        let mut table = Table::new(head);
        rows.for_each(|row| table.row(row.clone()));
        table.render()
    };
    let Some((base, link)) = base else {
        let table = render(&mut rows.iter());
        return match table.is_empty() {
            true => String::new(),
            false => format!("{what}:\n\n{table}\n"),
        };
    };
    let other = render(&mut rows.iter().filter(|row| !base.contains(row)));
    match other.is_empty() {
        true => String::new(),
        false => format!("{what} that differ from {link}:\n\n{other}\n"),
    }
}

/// The fields of the first form that another lacks.
fn missing(rows: &[Vec<String>], base: Option<(&[Vec<String>], &str)>) -> String {
    let Some((base, link)) = base else { return String::new() };
    let has = |name: &str| rows.iter().any(|row| row[NAME] == name);
    let names = base.iter().map(|row| row[NAME].as_str());
    let names = names.filter(|name| !name.starts_with('*') && !has(name));
    match names.collect::<Vec<_>>().join(", ") {
        names if names.is_empty() => names,
        names => format!("Not here, of {link}: {names}.\n\n"),
    }
}

impl Laid<'_> {
    /// The rows of its fields.
    fn fields(&self, book: &Book<'_>) -> Vec<Vec<String>> {
        let rows = self.variants.iter().map(|v| (v.generations, v.is.fields.clone()));
        variants::join(&variants::group(rows), NAME, |set| book.names(set))
    }

    /// The facts about the layout, and its diagram.
    fn picture(
        &self,
        form: &Form,
        mut facts: Vec<String>,
        (page, is_single): (&str, bool),
        writer: &mut PageWriter,
    ) -> String {
        let (mask, value) = self.fixed();
        let picture = writer.picture(&Drawing { layout: self.layout, mask, value }, &form.name);
        let svg = relative(page, &format!("svg/{picture}.svg"));
        let json = relative(page, &format!("wavedrom/{picture}.json"));
        if !is_single {
            facts.push(format!("[WaveDrom]({json})"));
        }
        let alt = format!("{}: {}", form.name, svg::title(self.layout));
        format!("{}![{}]({svg})\n\n", sentence(&facts), plain(&alt))
    }

    /// Its width, and which words have it.
    fn caption(&self, book: &Book<'_>, form: &Form) -> Vec<String> {
        let sets = self.variants.iter().map(|variant| variant.generations);
        let set = sets.fold(Generations::default(), Generations::union);
        let mut text = format!("**{} bits**", self.layout.width);
        if let Some(operand) = self.variants.iter().find_map(|v| v.is.literals.first()) {
            text += &format!(", with a literal for `{operand}`");
        }
        if set != form.generations() {
            text += &format!(", {}", book.names(set));
        }
        vec![text]
    }

    /// The bits that all variants fix to the same value.
    fn fixed(&self) -> (u128, u128) {
        let mut fixed = self.variants.iter().map(|v| (v.is.mask, v.is.value));
        let first = fixed.next().unwrap_or((0, 0));
        fixed.fold(first, |(mask, value), (other, bits)| {
            let mask = mask & other & !(value ^ bits);
            (mask, value & mask)
        })
    }
}
