//! The page of an operation, from all of its parts.

use std::collections::BTreeSet;

use isadl_ir::isa::{Isa, OpcodeId, SectionKind};

use super::operation::{Operation, optype};
use super::page_text::PageText;
use super::page_writer::PageWriter;
use super::pages::Kind;
use super::sections::section;
use super::text::{Table, code, fence, one_line, word};
use super::variants::{self, Variant};
use super::{extensions, groups, programs, sections};

impl Operation<'_> {
    /// Its page.
    pub(super) fn write(&self, writer: &mut PageWriter) {
        let mut text = PageText::from(&format!("# {}\n\n", word(self.name)));
        let description = self.prose_of(SectionKind::Description);
        let summary = self.summary(&self.page);
        let is_all =
            description.len() == 1 && self.book.summary(self.name) == one_line(&description[0].is);
        if !summary.is_empty() {
            text += &format!("{summary}\n\n");
        }
        text += &self.facts();
        text += &self.syntax();
        text += &self.aliases();
        if !is_all {
            text += &self.section("Description", &description);
        }
        text += &self.section("Operands", &self.prose_of(SectionKind::OperandInfo));
        text += &self.modifiers();
        text += &self.restrictions();
        text += self.semantics();
        text += &self.examples();
        text += if self.forms.len() == 1 { "## Encoding\n\n" } else { "## Forms\n\n" };
        let first = self.forms.first().map(|form| form.shown(self.book, &self.page));
        for (form, first) in self.forms.iter().zip(first.iter().cycle()) {
            text += &form.section(self.book, first, &self.page, writer);
        }
        text += &self.differences();
        text += &self.section("Simulation", &self.prose_of(SectionKind::Simulation));
        writer.page(&self.page, self.name, 1, text);
    }

    fn prose_of(&self, kind: SectionKind) -> Vec<Variant<String>> {
        self.book.variants(|isa| Some(section(&optype(isa, self.name)?.prose, kind)))
    }

    fn section(&self, title: &str, variants: &[Variant<String>]) -> String {
        let text = self.book.prose(&self.page, 2, variants);
        if text.trim().is_empty() { String::new() } else { format!("## {title}\n\n{text}") }
    }

    fn facts(&self) -> String {
        let mut table = Table::new(&["Property", "Value"]);
        let mut add = |name: &str, value: String| {
            if !value.is_empty() {
                table.row(vec![name.to_string(), value]);
            }
        };
        let mnemonics = self.mnemonics();
        add("Mnemonics", mnemonics.iter().map(|m| code(m)).collect::<Vec<_>>().join(", "));
        add("Groups", self.groups());
        add("Forms", self.forms.len().to_string());
        if self.book.isas().len() > 1 {
            let sets = self.forms.iter().flat_map(|form| &form.variants);
            let sets: Vec<_> = sets.cloned().collect();
            add("Generations", self.book.names(variants::union(&sets)));
        }
        add("Extensions", extensions::of_operation(self.book, self.name));
        add("Source", self.book.sources.links(Kind::Optype, self.name, &self.page));
        format!("{}\n", table.render())
    }

    fn groups(&self) -> String {
        let names = groups::of_operation(self.book, self.name).into_iter();
        let link = |name| self.book.link(Kind::Group, name, &self.page);
        names.map(link).collect::<Vec<_>>().join(", ")
    }

    /// Its programs, and its pseudo code with links to the functions that it calls.
    fn semantics(&self) -> PageText {
        let programs = programs::of_operation(self);
        if programs.is_empty() {
            return PageText::from(&self.pseudo_code(&self.prose_of(SectionKind::Semantics)));
        }
        let mut text = PageText::from(&"## Semantics\n\n".to_string());
        text += programs;
        let rest = self.book.variants(|isa| {
            let prose = section(&optype(isa, self.name)?.prose, SectionKind::Semantics);
            Some(sections::without_programs(&prose))
        });
        text += &self.book.prose(&self.page, 2, &rest);
        text
    }

    fn pseudo_code(&self, variants: &[Variant<String>]) -> String {
        let text = self.section("Semantics", variants);
        let calls = variants.iter().flat_map(|variant| sections::calls(&variant.is));
        let calls: BTreeSet<&str> = calls.collect();
        let known = calls.into_iter().filter_map(|name| {
            let place = self.book.pages.get(Kind::Function, name)?;
            Some(format!("[{}]({})", code(name), place.from(&self.page)))
        });
        match known.collect::<Vec<_>>() {
            known if known.is_empty() => text,
            known => format!("{text}Defined elsewhere: {}.\n\n", known.join(", ")),
        }
    }

    /// The author's templates, and the forms at a glance.
    fn syntax(&self) -> String {
        let mut text = String::from("## Syntax\n\n");
        text += &self.book.prose(&self.page, 2, &self.prose_of(SectionKind::Syntax));
        let forms = self.forms.iter();
        let lines: Vec<(&str, Vec<(String, String)>)> =
            forms.map(|form| (form.name.as_str(), form.syntax(self.book))).collect();
        if let [(_, lines)] = lines.as_slice()
            && let [(line, _)] = lines.as_slice()
        {
            return text + &fence("asm", line) + "\n";
        }
        let mut table = Table::new(&["Form", "Syntax", "Generations", "Extensions"]);
        let mut extensions: Vec<String> =
            lines.iter().map(|(name, _)| extensions::of_form(self.book, name)).collect();
        // Extensions that all forms need are among the properties of the operation.
        if extensions.iter().all(|needs| *needs == extensions[0]) {
            extensions.iter_mut().for_each(String::clear);
        }
        for ((name, lines), needs) in lines.iter().zip(&extensions) {
            for (line, label) in lines {
                let link = self.book.link(Kind::Opcode, name, &self.page);
                table.row(vec![link, code(line), label.clone(), needs.clone()]);
            }
        }
        format!("{text}{}\n", table.render())
    }

    fn examples(&self) -> String {
        let mut text = String::new();
        let variants = self.prose_of(SectionKind::Examples);
        let is_own = |isa: &Isa, id: OpcodeId| {
            optype(isa, self.name).is_some_and(|optype| optype.opcodes.contains(&id))
        };
        for variant in variants.iter().filter(|variant| !variant.is.is_empty()) {
            let label = self.book.label(variant.generations);
            if variants.len() > 1 && !label.is_empty() {
                text += &format!("*{label}:*\n\n");
            }
            text += &self.book.examples(&self.page, &variant.is, &is_own);
            text.push('\n');
        }
        if text.is_empty() {
            return text;
        }
        format!(
            "## Examples\n\nThe bytes of each instruction are below it, in memory order.\n\n{text}"
        )
    }

    /// The rules of all forms, numbered.
    fn restrictions(&self) -> String {
        let mut text = String::new();
        for (index, rule) in self.rules().iter().enumerate() {
            text += &rule.restriction(self, index + 1);
        }
        if text.is_empty() { text } else { format!("## Restrictions\n\n{text}\n") }
    }
}
