//! The structure of the book: the page of each item, and how other pages link to it.

use std::collections::{BTreeSet, HashMap};

use isadl_ir::isa::{Isa, SectionKind};
use isadl_semantics::{Checked, DeclarationKind};

use super::declarations::{declared, kind_name};
use super::options::Groups;
use super::sections::functions;

/// A page, perhaps a heading on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageAnchor {
    page: String,
    anchor: Option<String>,
}

impl PageAnchor {
    pub(super) fn page(page: impl Into<String>) -> PageAnchor {
        PageAnchor { page: page.into(), anchor: None }
    }

    /// The path of its page.
    pub(super) fn path(&self) -> &str {
        &self.page
    }

    /// The link to it from a page.
    pub(super) fn from(&self, page: &str) -> String {
        let anchor = self.anchor.as_ref().map_or(String::new(), |anchor| format!("#{anchor}"));
        if self.page == page && !anchor.is_empty() {
            return anchor;
        }
        relative(page, &self.page) + &anchor
    }
}

/// The path of a file relative to a page; pages are at most one folder deep.
pub(super) fn relative(page: &str, file: &str) -> String {
    match (page.split_once('/'), file.split_once('/')) {
        (Some((here, _)), Some((there, name))) if here == there => name.to_string(),
        (Some(_), _) => format!("../{file}"),
        (None, _) => file.to_string(),
    }
}

/// The kinds of items that have a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Optype,
    Opcode,
    Mnemonic,
    Group,
    Type,
    RegFile,
    Function,
    /// A declaration of a group; [`declaration_key`] makes its name.
    Declaration,
}

/// The pages of all items.
#[derive(Debug, Default)]
pub(super) struct Pages {
    places: HashMap<(Kind, String), PageAnchor>,
}

/// The heading of a form.
pub(super) fn form_heading(name: &str) -> String {
    format!("Form {name}")
}

/// The page on notation.
pub(super) const NOTATION: &str = "notation.md";

/// The heading of a function of the pseudo code.
pub(super) fn function_heading(name: &str) -> String {
    format!("Function {name}")
}

/// The heading of a declaration of a group.
fn declaration_heading(kind: DeclarationKind, name: &str) -> String {
    format!("{} {name}", kind_name(kind))
}

/// The name of a declaration among all items.
pub(super) fn declaration_key(group: &str, name: &str) -> String {
    format!("{group}.{name}")
}

/// The heading of a register file.
pub(super) fn file_heading(name: &str) -> String {
    format!("Register file {name}")
}

impl Pages {
    /// The pages of an instruction set in all its generations.
    pub(super) fn new(isas: &[Isa], shown: Groups) -> Pages {
        let mut pages = Pages::default();
        let all = |of: fn(&Isa) -> Vec<&str>| {
            let mut names: Vec<&str> = Vec::new();
            let mut known = BTreeSet::new();
            for name in isas.iter().flat_map(of) {
                if known.insert(name) {
                    names.push(name);
                }
            }
            names
        };
        let optypes = all(|isa| isa.optypes().iter().map(|o| o.name.as_str()).collect());
        pages.folder(Kind::Optype, "ops", &optypes);
        let mut groups = all(|isa| isa.groups().iter().map(|g| g.name.as_str()).collect());
        groups.retain(|name| shown == Groups::All || is_public(isas, name));
        pages.folder(Kind::Group, "groups", &groups);
        let types = all(|isa| isa.told_types().map(|t| t.name.as_str()).collect());
        pages.folder(Kind::Type, "types", &types);
        let files = all(|isa| isa.reg_files().iter().map(|f| f.name.as_str()).collect());
        let named = anchors(files.iter().map(|name| file_heading(name)));
        for (name, anchor) in files.iter().zip(named) {
            let place = PageAnchor { page: "registers.md".to_string(), anchor: Some(anchor) };
            pages.places.insert((Kind::RegFile, name.to_string()), place);
        }
        let functions = functions(isas);
        let headings = anchors(functions.iter().map(|name| function_heading(name)));
        for (name, anchor) in functions.into_iter().zip(headings) {
            let place = PageAnchor { page: NOTATION.to_string(), anchor: Some(anchor) };
            pages.places.insert((Kind::Function, name), place);
        }
        isas.iter().for_each(|isa| pages.mnemonics(isa));
        for name in optypes {
            pages.forms(isas, name);
        }
        pages
    }

    /// Adds the declarations of groups that have a page.
    pub(super) fn declarations(&mut self, isas: &[Isa], programs: &[Checked]) {
        let mut groups: Vec<(String, String)> = Vec::new();
        for ((kind, name), place) in &self.places {
            if *kind == Kind::Group {
                groups.push((name.clone(), place.page.clone()));
            }
        }
        for (group, page) in groups {
            let declared = declared(isas, programs, &group);
            let headings = declared.iter().map(|(kind, name)| declaration_heading(*kind, name));
            for ((kind, name), anchor) in declared.iter().zip(anchors(headings)) {
                if *kind != DeclarationKind::About {
                    let place = PageAnchor { page: page.clone(), anchor: Some(anchor) };
                    self.places.insert((Kind::Declaration, declaration_key(&group, name)), place);
                }
            }
        }
    }

    /// A page for each name; no two file names differ only by case, and none is special to a
    /// renderer or a file system.
    fn folder(&mut self, kind: Kind, folder: &str, names: &[&str]) {
        let mut taken = BTreeSet::new();
        for name in names {
            let mut file = name.to_string();
            let mut number = 1;
            while is_reserved(&file) || !taken.insert(file.to_lowercase()) {
                number += 1;
                file = format!("{name}-{number}");
            }
            let place = PageAnchor::page(format!("{folder}/{file}.md"));
            self.places.insert((kind, name.to_string()), place);
        }
    }

    fn mnemonics(&mut self, isa: &Isa) {
        for opcode in isa.opcodes() {
            let Some(principal) = opcode.optypes.first() else { continue };
            let optype = isa.optypes()[principal.index()].name.clone();
            let Some(place) = self.places.get(&(Kind::Optype, optype)).cloned() else { continue };
            for mnemonic in isa.mnemonics(opcode) {
                let key = (Kind::Mnemonic, mnemonic.text);
                self.places.entry(key).or_insert_with(|| place.clone());
            }
        }
    }

    /// The headings of the forms of an operation, which are on the page of its principal optype.
    fn forms(&mut self, isas: &[Isa], optype: &str) {
        let Some(page) = self.get(Kind::Optype, optype).map(|place| place.page.clone()) else {
            return;
        };
        let names = form_names(isas, optype);
        let named = anchors(names.iter().map(|name| form_heading(name)));
        for (name, anchor) in names.into_iter().zip(named) {
            let place = PageAnchor { page: page.clone(), anchor: Some(anchor) };
            self.places.entry((Kind::Opcode, name)).or_insert(place);
        }
    }

    /// The page of an item.
    pub(super) fn get(&self, kind: Kind, name: &str) -> Option<&PageAnchor> {
        self.places.get(&(kind, name.to_string()))
    }

    /// The target of a link in prose.
    pub(super) fn find(&self, name: &str) -> Option<&PageAnchor> {
        let kinds =
            [Kind::Optype, Kind::Opcode, Kind::Mnemonic, Kind::Group, Kind::Type, Kind::RegFile];
        kinds.into_iter().find_map(|kind| self.get(kind, name))
    }
}

/// Whether a group is of interest to readers: it has a description, or it contains all operations. Other groups only
/// help to define operations.
fn is_public(isas: &[Isa], name: &str) -> bool {
    let mut found = isas.iter().flat_map(|isa| isa.groups()).filter(|group| group.name == name);
    found.any(|group| {
        let mut prose = group.prose.iter();
        let has_description = |kind| kind == SectionKind::Description;
        group.parents.is_empty() || prose.any(|section| has_description(section.kind))
    })
}

/// The opcodes of an operation in all generations, in order.
pub(super) fn form_names(isas: &[Isa], optype: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for isa in isas {
        for optype in isa.optypes().iter().filter(|other| other.name == optype) {
            for id in &optype.opcodes {
                let name = &isa.opcode(*id).name;
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
    }
    names
}

/// The anchors that renderers give to headings, in order.
pub(super) fn anchors(headings: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut anchors = Vec::new();
    for heading in headings {
        let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-');
        let kept = heading.trim().to_lowercase();
        let wanted: String =
            kept.chars().filter(is_kept).map(|c| if c == ' ' { '-' } else { c }).collect();
        let mut anchor = wanted.clone();
        let mut number = 0;
        while !taken.insert(anchor.clone()) {
            number += 1;
            anchor = format!("{wanted}-{number}");
        }
        anchors.push(anchor);
    }
    anchors
}

/// Whether a name is an index page to a renderer, or a device to a file system.
fn is_reserved(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_numbered = |word: &str| {
        name.strip_prefix(word).is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0] > b'0')
    };
    matches!(name.as_str(), "readme" | "index" | "summary" | "con" | "prn" | "aux" | "nul")
        || is_numbered("com")
        || is_numbered("lpt")
}
