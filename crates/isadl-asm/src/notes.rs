//! Directives that write notes for linkers and readers of object files: `.ident`, `.version`, attributes.

use isadl::diagnostic::Code;

use crate::assembler::Assembler;
use crate::data::leb128;
use crate::expand::Statement;
use crate::sections::{Attributes, FileAttributes};
use crate::text::{parts, readable};

/// Type of sections with notes.
const SHT_NOTE: u32 = 7;

impl Assembler<'_, '_> {
    /// Reads a directive about notes; returns whether it is such a directive.
    pub(crate) fn note_directive(
        &mut self,
        statement: &Statement,
        word: &str,
        start: usize,
    ) -> bool {
        match word {
            ".ident" => self.ident(statement, start),
            ".version" => self.version(statement, start),
            ".attributes" => self.attributes_section(statement, start),
            ".attribute_value" => self.attribute(statement, start),
            ".attribute_architecture" => self.attribute_architecture(statement, start),
            ".architecture" => self.architecture(statement, start),
            ".architecture_names" => self.architecture_names(statement, start),
            _ => return false,
        }
        true
    }

    /// Appends bytes to a section of its own.
    pub(crate) fn put_aside(&mut self, name: &str, attributes: Attributes, bytes: &[u8]) {
        let index = self.section_named(name, attributes);
        let section = &mut self.sections[index as usize];
        if section.has_room() {
            section.bytes.extend_from_slice(bytes);
        }
    }

    /// `.ident "compiler"`: the strings of a section begin with an empty one.
    fn ident(&mut self, statement: &Statement, start: usize) {
        let Some((text, _)) = self.string(statement, start) else { return };
        let attributes =
            Attributes { merges: true, strings: true, entry_size: 1, ..Attributes::NONE };
        let index = self.section_named(".comment", attributes.clone());
        let is_new = self.sections[index as usize].bytes.is_empty();
        let zero: &[u8] = &[0];
        let bytes = [if is_new { zero } else { &[] }, text.as_slice(), zero].concat();
        self.put_aside(".comment", attributes, &bytes);
    }

    /// `.version "text"`: a note of type 1 without a description.
    fn version(&mut self, statement: &Statement, start: usize) {
        let Some((mut text, _)) = self.string(statement, start) else { return };
        text.push(0);
        let mut bytes = Vec::new();
        for number in [text.len() as u64, 0, 1] {
            bytes.extend_from_slice(&self.data_bytes(number, 4)[..4]);
        }
        bytes.extend_from_slice(&text);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let attributes = Attributes { elf_type: SHT_NOTE, ..Attributes::NONE };
        self.put_aside(".note", attributes.clone(), &bytes);
        let index = self.section_named(".note", attributes);
        self.sections[index as usize].align = 4;
    }

    /// `.attributes "section", type, "vendor"`: where `.attribute_value` writes.
    fn attributes_section(&mut self, statement: &Statement, start: usize) {
        let given = parts(&statement.as_str()[start..]);
        let loc = statement.loc(start, statement.as_str().len());
        let [section, kind, vendor] = given.as_slice() else {
            return self.error(Code::E1102, loc, "expected a section, its type, and a vendor");
        };
        let Some((name, _)) = self.string(statement, start + section.0) else { return };
        let Some((vendor, _)) = self.string(statement, start + vendor.0) else { return };
        let Some((kind, _)) = self.expression(statement, start + kind.0) else { return };
        let Some(kind) = self.number_of(&kind, loc) else { return };
        self.attributes = Some(FileAttributes {
            section: text_of(name),
            elf_type: kind as u32,
            vendor: text_of(vendor),
            values: Vec::new(),
            of_architecture: None,
        });
    }

    /// `.attribute_value tag, value`: odd tags have strings, even ones numbers. A later value replaces an earlier one.
    fn attribute(&mut self, statement: &Statement, start: usize) {
        let given = parts(&statement.as_str()[start..]);
        let loc = statement.loc(start, statement.as_str().len());
        let [tag, value] = given.as_slice() else {
            return self.error(Code::E1102, loc, "expected a tag and its value");
        };
        let Some((number, _)) = self.expression(statement, start + tag.0) else { return };
        let Some(tag) = self.number_of(&number, loc) else { return };
        let bytes = if tag & 1 == 1 {
            let Some((mut text, _)) = self.string(statement, start + value.0) else { return };
            text.push(0);
            text
        } else {
            let Some((value, _)) = self.expression(statement, start + value.0) else { return };
            let Some(value) = self.number_of(&value, loc) else { return };
            leb128(value, false, 1)
        };
        let Some(own) = &mut self.attributes else {
            return self.error(Code::E1102, loc, "no `.attributes` says where attributes are");
        };
        own.values.retain(|(other, _)| *other != tag as u64);
        own.values.push((tag as u64, bytes));
    }

    /// `.attribute_architecture tag`: the attribute whose value is the name of the architecture, unless the file states it.
    fn attribute_architecture(&mut self, statement: &Statement, start: usize) {
        let loc = statement.loc(start, statement.as_str().len());
        let Some((tag, _)) = self.whole_expression(statement, start) else { return };
        let Some(tag) = self.number_of(&tag, loc) else { return };
        match &mut self.attributes {
            Some(own) => own.of_architecture = Some(tag as u64),
            None => self.error(Code::E1102, loc, "no `.attributes` says where attributes are"),
        }
    }

    /// Writes the attributes, if there are any.
    pub(crate) fn put_attributes(&mut self) {
        let Some(mut own) = self.attributes.take() else { return };
        if let Some(tag) = own.of_architecture
            && self.for_linker
            && own.values.iter().all(|(other, _)| *other != tag)
            && let Some(name) = self.architecture_name()
        {
            own.values.push((tag, [name.as_bytes(), &[0]].concat()));
        }
        if own.values.is_empty() {
            return;
        }
        own.values.sort_by_key(|(tag, _)| *tag);
        let mut file = Vec::new();
        for (tag, value) in own.values {
            file.extend(leb128(tag as i64, false, 1));
            file.extend(value);
        }
        let size =
            |assembler: &Self, bytes: usize| assembler.data_bytes(bytes as u64, 4)[..4].to_vec();
        // The tag of attributes of the whole file, and their size with this head.
        let of_file = [vec![1], size(self, file.len() + 5), file].concat();
        let vendor = [own.vendor.as_bytes(), &[0], &of_file].concat();
        let bytes = [b"A".to_vec(), size(self, vendor.len() + 4), vendor].concat();
        let attributes = Attributes { elf_type: own.elf_type, ..Attributes::NONE };
        self.put_aside(&own.section, attributes, &bytes);
    }
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&readable(bytes)).into_owned()
}
