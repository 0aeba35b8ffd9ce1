//! The table of source lines for debuggers, `.debug_line`, as GNU as writes it: version 5 if a file has the number 0,
//! otherwise version 3.

use isadl::isa::Isa;

use crate::assembler::Unit;
use crate::lines::{Line, LineTable};
use crate::offsets::Layout;
use crate::sections::Attributes;
use crate::symbols::FragmentOffset;
use crate::tables::Table;
use crate::text::Loc;
use crate::tree::Expr;

const LINE_BASE: i64 = -5;
const LINE_RANGE: i64 = 14;
const OPCODE_BASE: i64 = 13;

/// The farthest that a row alone goes on.
const MOST: i64 = (255 - OPCODE_BASE) / LINE_RANGE;

/// The numbers of operands of the standard opcodes.
const OPERANDS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

/// Writes the table of a file, if it has lines.
pub(crate) fn write(isa: &Isa, (unit, layout): (&mut Unit, &mut Layout)) {
    let lines = std::mem::take(&mut unit.lines);
    if lines.rows.is_empty() && lines.files.is_empty() {
        return;
    }
    let loc = lines.rows.first().map(|(_, _, loc)| *loc);
    let address = (isa.elf().class() / 8) as u8;
    let unit_size = unit.frames.rules.map_or(1, |rules| rules.code);
    let mut table = Table::new(isa, (unit, layout), (".debug_line", Attributes::NONE, 1));
    let start = table.begin();
    let has_first = lines.has_first;
    table.number(if has_first { 5 } else { 3 }, 2);
    if has_first {
        table.number(address.into(), 1);
        table.number(0, 1);
    }
    let header = table.begin();
    table.number(unit_size, 1);
    if has_first {
        // Operations per instruction.
        table.number(1, 1);
    }
    table.number(1, 1);
    table.number(LINE_BASE as u64, 1);
    table.number(LINE_RANGE as u64, 1);
    table.number(OPCODE_BASE as u64, 1);
    table.bytes.extend_from_slice(&OPERANDS);
    match has_first {
        true => write_names(&mut table, &lines, (isa, unit, layout), loc),
        false => write_old_names(&mut table, &lines),
    }
    table.end(header);
    let mut sections: Vec<u32> = lines.rows.iter().map(|(place, ..)| place.section).collect();
    let mut seen = std::collections::HashSet::new();
    sections.retain(|section| seen.insert(*section));
    for section in sections {
        let mut rows: Vec<_> =
            lines.rows.iter().filter(|(place, ..)| place.section == section).collect();
        rows.sort_by_key(|(place, ..)| layout.offset(*place));
        let size = layout.size(section as usize);
        write_rows(&mut table, &rows, (layout, size), (address, unit_size));
    }
    table.end(start);
    table.finish(unit, layout);
}

/// Names of folders and files in a section of their own.
fn write_names(
    table: &mut Table<'_>,
    lines: &LineTable,
    (isa, unit, layout): (&Isa, &mut Unit, &mut Layout),
    loc: Option<Loc>,
) {
    let attributes = Attributes { merges: true, strings: true, entry_size: 1, ..Attributes::NONE };
    let mut names = Table::new(isa, (unit, layout), (".debug_line_str", attributes, 1));
    let mut put = |table: &mut Table<'_>, name: &str| {
        let place = names.here();
        names.string(name);
        match loc {
            Some(loc) => table.address(Expr::FragmentOffset(place), (4, false), loc),
            None => table.number(0, 4),
        }
    };
    // One form: the place of a string.
    table.bytes.extend_from_slice(&[1, 1, 0x1f]);
    table.unsigned(lines.folders.len() as u64);
    lines.folders.iter().for_each(|name| put(table, name));
    let files: Vec<_> = lines.files.iter().map(|file| file.clone().unwrap_or_default()).collect();
    let has_md5 = files.iter().all(|file| file.md5.is_some());
    table.bytes.extend_from_slice(match has_md5 {
        true => &[3, 1, 0x1f, 2, 0x0f, 5, 0x1e],
        false => &[2, 1, 0x1f, 2, 0x0f],
    });
    table.unsigned(files.len() as u64);
    for file in &files {
        put(table, &file.name);
        table.unsigned(file.folder as u64);
        if let Some(md5) = file.md5.filter(|_| has_md5) {
            table.bytes.extend_from_slice(&md5.to_be_bytes());
        }
    }
    names.finish(unit, layout);
}

/// Names in the table, as before version 5.
fn write_old_names(table: &mut Table<'_>, lines: &LineTable) {
    lines.folders.iter().skip(1).for_each(|name| table.string(name));
    table.number(0, 1);
    for file in lines.files.iter().skip(1) {
        let file = file.clone().unwrap_or_default();
        table.string(&file.name);
        table.unsigned(file.folder as u64);
        // Neither the time of the file nor its length is known.
        table.bytes.extend_from_slice(&[0, 0]);
    }
    table.number(0, 1);
}

/// Writes the rows of a section.
fn write_rows(
    table: &mut Table<'_>,
    rows: &[&(FragmentOffset, Line, Loc)],
    (layout, size): (&Layout, u64),
    (address, unit): (u8, u64),
) {
    let (mut file, mut line, mut column, mut isa, mut is_statement) = (1, 1, 0, 0, true);
    let mut at: Option<u64> = None;
    for (place, row, loc) in rows {
        if row.file != file {
            table.number(4, 1);
            table.unsigned(row.file);
        }
        if row.column != column {
            table.number(5, 1);
            table.unsigned(row.column);
        }
        if row.discriminator != 0 {
            let bytes = crate::data::leb128(row.discriminator as i64, false, 1);
            table.bytes.extend_from_slice(&[0, 1 + bytes.len() as u8, 4]);
            table.bytes.extend(bytes);
        }
        if row.isa != isa {
            table.number(12, 1);
            table.unsigned(row.isa);
        }
        let marks = [
            (row.is_statement != is_statement, 6),
            (row.begins_block, 7),
            (row.ends_prologue, 10),
            (row.begins_epilogue, 11),
        ];
        table.bytes.extend(marks.iter().filter(|(is_there, _)| *is_there).map(|mark| mark.1));
        let offset = layout.offset(*place);
        let lines = (row.line as i64).wrapping_sub(line);
        // A view that begins anew needs an address only where the address stays the same.
        match at.filter(|before| !row.is_new || *before != offset) {
            Some(before) => advance(table, lines, offset.wrapping_sub(before) / unit),
            None => {
                table.bytes.extend_from_slice(&[0, address + 1, 2]);
                table.address(Expr::FragmentOffset(*place), (address, false), *loc);
                advance(table, lines, 0);
            }
        }
        at = Some(offset);
        (file, line, column) = (row.file, row.line as i64, row.column);
        (isa, is_statement) = (row.isa, row.is_statement);
    }
    let rest = size.saturating_sub(at.unwrap_or(0)) / unit;
    match rest as i64 {
        0 => {}
        MOST => table.number(8, 1),
        _ => {
            table.number(2, 1);
            table.unsigned(rest);
        }
    }
    // The end of the sequence.
    table.bytes.extend_from_slice(&[0, 1, 1]);
}

/// A row after a number of lines and of the smallest instructions.
fn advance(table: &mut Table<'_>, lines: i64, instructions: u64) {
    let (mut lines, mut has_row) = (lines, false);
    if !(LINE_BASE..LINE_BASE + LINE_RANGE).contains(&lines) {
        table.number(3, 1);
        table.signed(lines);
        (lines, has_row) = (0, true);
    }
    if lines == 0 && instructions == 0 {
        return table.number(1, 1);
    }
    let first = lines - LINE_BASE + OPCODE_BASE;
    if instructions < 256 + MOST as u64 {
        let special = first + instructions as i64 * LINE_RANGE;
        if special <= 255 {
            return table.number(special as u64, 1);
        }
        let special = special - MOST * LINE_RANGE;
        if special <= 255 {
            table.number(8, 1);
            return table.number(special as u64, 1);
        }
    }
    table.number(2, 1);
    table.unsigned(instructions);
    table.number(if has_row { 1 } else { first as u64 }, 1);
}
