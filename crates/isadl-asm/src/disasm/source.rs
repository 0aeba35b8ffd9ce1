//! Lines of source files, from the tables that compilers and assemblers write for debuggers.

use std::collections::HashMap;

use gimli::{
    AttributeValue, DebugLine, DebugLineOffset, DebugLineStr, DebugStr, EndianSlice, Format,
    LineProgramHeader, RunTimeEndian,
};
use object::{Object as _, ObjectSection as _};

type Bytes<'d> = EndianSlice<'d, RunTimeEndian>;

/// Which lines of source files are where in memory.
#[derive(Debug, Default)]
pub struct SourceLines {
    files: Vec<String>,
    /// From which address on there is a line of a file, or none, by ascending addresses.
    rows: Vec<(u64, Option<(usize, u64)>)>,
}

/// What the tables consist of.
struct Tables<'d> {
    lines: DebugLine<Bytes<'d>>,
    line_strings: DebugLineStr<Bytes<'d>>,
    strings: DebugStr<Bytes<'d>>,
    address_size: u8,
    length: usize,
}

impl SourceLines {
    /// The lines of a linked ELF file; none if it has no tables.
    ///
    /// # Errors
    ///
    /// Where a table is malformed.
    pub fn of_elf(bytes: &[u8]) -> Result<SourceLines, String> {
        let file = object::File::parse(bytes).map_err(|error| error.to_string())?;
        let endian = match file.is_little_endian() {
            true => RunTimeEndian::Little,
            false => RunTimeEndian::Big,
        };
        let section = |name: &str| {
            let found = file.section_by_name(name).and_then(|own| own.data().ok());
            EndianSlice::new(found.unwrap_or_default(), endian)
        };
        let lines = section(".debug_line");
        let tables = Tables {
            lines: DebugLine::from(lines),
            line_strings: DebugLineStr::from(section(".debug_line_str")),
            strings: DebugStr::from(section(".debug_str")),
            address_size: if file.is_64() { 8 } else { 4 },
            length: lines.len(),
        };
        let mut own = SourceLines::default();
        own.read(&tables).map_err(|error| format!("the table of lines is malformed: {error}"))?;
        // Where one sequence ends and another begins, there is a line.
        own.rows.sort_by_key(|(address, line)| (*address, line.is_some()));
        Ok(own)
    }

    fn read(&mut self, tables: &Tables<'_>) -> Result<(), gimli::Error> {
        let mut at = 0;
        while at < tables.length {
            let offset = DebugLineOffset(at);
            let program = tables.lines.program(offset, tables.address_size, None, None)?;
            let header = program.header();
            let size = if header.format() == Format::Dwarf64 { 12 } else { 4 };
            at += size + header.unit_length();
            let mut numbers: HashMap<u64, usize> = HashMap::new();
            let mut rows = program.rows();
            while let Some((header, row)) = rows.next_row()? {
                let line = row.line().filter(|_| !row.end_sequence());
                let file = *numbers.entry(row.file_index()).or_insert_with(|| {
                    self.files.push(path(tables, header, row.file_index()));
                    self.files.len() - 1
                });
                self.rows.push((row.address(), line.map(|line| (file, line.get()))));
            }
        }
        Ok(())
    }

    /// The file and the line of an address.
    #[must_use]
    pub fn at(&self, address: u64) -> Option<(&str, u64)> {
        let after = self.rows.partition_point(|(own, _)| *own <= address);
        let (file, line) = self.rows.get(after.checked_sub(1)?)?.1?;
        Some((&self.files[file], line))
    }
}

/// The path of a file, as the table has it.
fn path(tables: &Tables<'_>, header: &LineProgramHeader<Bytes<'_>>, number: u64) -> String {
    let Some(file) = header.file(number) else { return String::new() };
    let text = |value: AttributeValue<Bytes<'_>>| {
        let found = match value {
            AttributeValue::String(text) => Some(text),
            AttributeValue::DebugLineStrRef(at) => tables.line_strings.get_str(at).ok(),
            AttributeValue::DebugStrRef(at) => tables.strings.get_str(at).ok(),
            _ => None,
        };
        found.map_or(String::new(), |text| text.to_string_lossy().into_owned())
    };
    let name = text(file.path_name());
    match file.directory(header).map(text) {
        Some(folder) if !folder.is_empty() && !name.starts_with('/') => format!("{folder}/{name}"),
        _ => name,
    }
}
