//! Differences of prose.

use std::collections::BTreeMap;

use isadl_ir::isa::{Isa, Prose, SectionKind};

use super::kind::Kind;
use super::names::Names;
use super::places::Key;
use super::{Change, Pair};

/// The texts of the sections of a layer.
fn sections(prose: &[Prose]) -> BTreeMap<SectionKind, String> {
    let mut texts: BTreeMap<SectionKind, String> = BTreeMap::new();
    for section in prose {
        *texts.entry(section.kind).or_default() += &section.text;
    }
    texts
}

/// An item with prose: its description, its name, its sections.
type Text = (String, String, BTreeMap<SectionKind, String>);

/// Everything that has prose but opcodes, and whether it is a layer does not matter for its name.
fn texts(isa: &Isa, of_type: &dyn Fn(&str) -> String) -> Vec<Text> {
    let described = |text: &str| match text {
        "" => BTreeMap::new(),
        text => BTreeMap::from([(SectionKind::Description, text.to_string())]),
    };
    let mut texts: Vec<Text> = vec![(
        "the instruction set".to_string(),
        isa.name().to_string(),
        described(isa.description()),
    )];
    for file in isa.reg_files() {
        let item = format!("register file `{}`", file.name);
        texts.push((item, file.name.clone(), described(&file.description)));
    }
    for ty in isa.types() {
        let item = format!("type `{}`", of_type(&ty.name));
        texts.push((item, ty.name.clone(), described(&ty.description)));
    }
    for group in isa.groups() {
        texts.push((format!("group `{}`", group.name), group.name.clone(), sections(&group.prose)));
    }
    for optype in isa.optypes() {
        let item = format!("operation `{}`", optype.name);
        texts.push((item, optype.name.clone(), sections(&optype.prose)));
    }
    texts
}

/// The first lines that differ.
pub(super) fn lines(was: &str, is: &str) -> Change {
    let (mut olds, mut news) = (was.lines(), is.lines());
    loop {
        match (olds.next(), news.next()) {
            (None, None) => return Change(String::new(), String::new()),
            (old, new) if old == new => {}
            (old, new) => {
                let line = |text: Option<&str>| text.unwrap_or_default().trim().to_string();
                return Change(line(old), line(new));
            }
        }
    }
}

impl Pair<'_> {
    pub(super) fn documentation(&mut self, names: &Names) {
        let olds = texts(self.old, &|name| names.of_type(name).to_string());
        let news = texts(self.new, &str::to_string);
        for (item, name, was) in &olds {
            // A removed item has no prose, and its removal was reported.
            if let Some((_, new, is)) = news.iter().find(|(other, _, _)| other == item) {
                self.sections(item, (name, new), (was, is), &[]);
            }
        }
        for (was, is) in &names.opcodes {
            let (was, is) = (self.old.opcode(*was), self.new.opcode(*is));
            let item = format!("opcode `{}`", is.name);
            let texts = (sections(&was.prose), sections(&is.prose));
            self.sections(&item, (&was.name, &is.name), (&texts.0, &texts.1), &[&is.name]);
        }
    }

    fn sections(
        &mut self,
        item: &str,
        (old, new): (&str, &str),
        (was, is): (&BTreeMap<SectionKind, String>, &BTreeMap<SectionKind, String>),
        opcodes: &[&str],
    ) {
        for kind in SectionKind::ALL {
            let text = |texts: &BTreeMap<SectionKind, String>| {
                texts.get(&kind).map_or_else(String::new, |text| text.trim().to_string())
            };
            let (was, is) = (text(was), text(is));
            if was != is {
                let key = |name: &str| Key::Section(name.to_string(), kind);
                let place = self.at(&key(old), &key(new));
                let item = format!("{item}, {}", kind.heading());
                self.add(Kind::Prose, item, lines(&was, &is), place, opcodes);
            }
        }
    }
}
