//! Tables of frames: `.eh_frame` for unwinding at run time, `.debug_frame` for debuggers.
//!
//! They are written by hand: the writer of `gimli` neither has the augmentations of single machines nor instructions
//! that a file gives as bytes.

use isadl::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl::isa::Isa;

use crate::assembler::Unit;
use crate::cfi::def_cfa;
use crate::frames::{Encoded, Frame, FrameRules, Step};
use crate::offsets::Layout;
use crate::sections::Attributes;
use crate::symbols::FragmentOffset;
use crate::tables::Table;
use crate::tree::Expr;

/// Addresses as distances of 32 bits from their place.
const DISTANCE: u8 = 0x1b;

/// The part that several functions have in common.
struct Common {
    offset: u64,
    key: Key,
    /// What functions begin with.
    steps: Vec<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq)]
struct Key {
    is_simple: bool,
    is_signal: bool,
    letters: String,
    personality: Option<Encoded>,
    lsda: Option<u8>,
    return_register: u64,
}

/// How a table is written.
#[derive(Clone, Copy)]
struct Form {
    is_eh: bool,
    rules: FrameRules,
    /// Bytes of addresses.
    address: u8,
}

/// Writes the tables of a file.
pub(crate) fn write(
    isa: &Isa,
    (unit, layout): (&mut Unit, &mut Layout),
    diagnostics: &mut Diagnostics,
) {
    let frames = std::mem::take(&mut unit.frames.all);
    let Some(rules) = unit.frames.rules.filter(|_| !frames.is_empty()) else { return };
    for frame in frames.iter().filter(|frame| frame.end.is_none()) {
        let message = "`.cfi_startproc` without `.cfi_endproc`";
        diagnostics.push(Diagnostic::new(Code::E1105, message, frame.loc.span));
    }
    let address = (isa.elf().class() / 8) as u8;
    let sections = unit.frames.sections.take();
    let sections = sections.unwrap_or_else(|| vec![".eh_frame".to_string()]);
    for (name, is_eh) in [(".eh_frame", true), (".debug_frame", false)] {
        if sections.iter().any(|own| own == name) {
            let form = Form { is_eh, rules, address };
            let attributes = Attributes { is_allocated: is_eh, ..Attributes::NONE };
            let section = (name, attributes, address.into());
            let mut table = Table::new(isa, (unit, layout), section);
            write_table(&mut table, &frames, (form, layout));
            table.finish(unit, layout);
        }
    }
}

fn write_table(table: &mut Table<'_>, frames: &[Frame], (form, layout): (Form, &Layout)) {
    let mut commons: Vec<Common> = Vec::new();
    for (index, frame) in frames.iter().enumerate() {
        let Some(end) = frame.end else { continue };
        let key = key_of(frame, form.is_eh);
        let found = commons.iter().find(|one| one.key == key && fits(one, frame, form.rules));
        let (offset, skipped) = match found {
            Some(common) => (common.offset, common.steps.len()),
            None => {
                let common = write_common(table, (key, frame), form);
                let found = (common.offset, common.steps.len());
                commons.push(common);
                found
            }
        };
        let initial = usize::from(!frame.is_simple);
        let is_last = index + 1 == frames.len();
        let steps = &frame.steps[skipped - initial..];
        let start = write_head(table, (frame, end, offset), (form, layout));
        write_steps(table, (frame.start, steps), (form, layout));
        // The end of the section is aligned; other functions are aligned to their first number.
        table.align(if is_last || !form.is_eh { form.address.into() } else { 4 });
        table.end(start);
    }
}

/// Pointers are in tables for unwinding at run time alone.
fn key_of(frame: &Frame, is_eh: bool) -> Key {
    Key {
        is_simple: frame.is_simple,
        is_signal: frame.is_signal,
        letters: frame.letters.clone(),
        personality: frame.personality.clone().filter(|_| is_eh),
        lsda: frame.lsda.as_ref().map(|lsda| lsda.0).filter(|_| is_eh),
        return_register: frame.return_register,
    }
}

/// The rules at the beginning of a function.
fn beginning<'f>(frame: &'f Frame, rules: FrameRules) -> impl Iterator<Item = Vec<u8>> + 'f {
    let first = match rules.first {
        (register, Some(offset)) => def_cfa(register, offset, rules.data),
        (register, None) => [vec![0x0d], crate::data::leb128(register as i64, false, 1)].concat(),
    };
    let is_first = |step: &&Step| step.is_rule && step.place == frame.start;
    let steps = frame.steps.iter().take_while(is_first).map(|step| step.bytes.clone());
    (!frame.is_simple).then_some(first).into_iter().chain(steps)
}

fn fits(common: &Common, frame: &Frame, rules: FrameRules) -> bool {
    let own: Vec<Vec<u8>> = beginning(frame, rules).collect();
    own == common.steps
}

/// Writes the common part, which has all rules at the beginning of its first function.
fn write_common(table: &mut Table<'_>, (key, frame): (Key, &Frame), form: Form) -> Common {
    let offset = table.offset();
    let start = table.begin();
    table.number(if form.is_eh { 0 } else { 0xffff_ffff }, 4);
    table.number(form.rules.version.into(), 1);
    let mut letters = String::new();
    if form.is_eh {
        letters.push('z');
        letters.extend(key.personality.as_ref().map(|_| 'P'));
        letters.extend(key.lsda.map(|_| 'L'));
        letters.push('R');
    }
    letters.extend(key.is_signal.then_some('S'));
    letters.push_str(&key.letters);
    table.string(&letters);
    table.unsigned(form.rules.code);
    table.signed(form.rules.data);
    match form.rules.version {
        1 => table.number(key.return_register, 1),
        _ => table.unsigned(key.return_register),
    }
    if form.is_eh {
        let pointer = key.personality.as_ref().map_or(0, |own| 1 + size_of(own.0, form.address));
        table.unsigned(u64::from(1 + pointer) + u64::from(key.lsda.is_some()));
        if let Some(personality) = &key.personality {
            table.number(personality.0.into(), 1);
            write_pointer(table, (personality, frame), form.address);
        }
        if let Some(lsda) = key.lsda {
            table.number(lsda.into(), 1);
        }
        table.number(DISTANCE.into(), 1);
    }
    let steps: Vec<Vec<u8>> = beginning(frame, form.rules).collect();
    steps.iter().for_each(|bytes| table.bytes.extend_from_slice(bytes));
    table.align(if form.is_eh { 4 } else { form.address.into() });
    table.end(start);
    Common { offset, key, steps }
}

/// Bytes of a pointer with an encoding.
fn size_of(encoding: u8, address: u8) -> u8 {
    match encoding & 7 {
        2 => 2,
        3 => 4,
        4 => 8,
        _ => address,
    }
}

fn write_pointer(table: &mut Table<'_>, (pointer, frame): (&Encoded, &Frame), address: u8) {
    let (encoding, expr) = pointer;
    let form = (size_of(*encoding, address), encoding & 0x70 == 0x10);
    table.address(expr.clone(), form, frame.loc);
}

/// Writes the beginning of a function; returns where it begins.
fn write_head(
    table: &mut Table<'_>,
    (frame, end, common): (&Frame, FragmentOffset, u64),
    (form, layout): (Form, &Layout),
) -> usize {
    let start = table.begin();
    let first = Expr::FragmentOffset(frame.start);
    let length = layout.offset(end).wrapping_sub(layout.offset(frame.start));
    if form.is_eh {
        table.number(table.offset() - common, 4);
        table.address(first, (4, true), frame.loc);
        table.number(length, 4);
        let size = frame.lsda.as_ref().map_or(0, |own| size_of(own.0, form.address));
        table.unsigned(size.into());
        if let Some(lsda) = &frame.lsda {
            write_pointer(table, (lsda, frame), form.address);
        }
    } else {
        let section = FragmentOffset { fragment: 0, offset: 0, ..table.here() };
        let common = Expr::Binary(
            crate::tree::Op::Add,
            Box::new((Expr::FragmentOffset(section), Expr::Number(common as i64))),
        );
        table.address(common, (4, false), frame.loc);
        table.address(first, (form.address, false), frame.loc);
        table.number(length, form.address);
    }
    start
}

fn write_steps(
    table: &mut Table<'_>,
    (start, steps): (FragmentOffset, &[Step]),
    (form, layout): (Form, &Layout),
) {
    let mut at = layout.offset(start);
    for step in steps {
        let place = layout.offset(step.place);
        let distance = place.wrapping_sub(at) / form.rules.code;
        at = place;
        match distance {
            0 => {}
            1..=0x3f => table.number(0x40 | distance, 1),
            0x40..=0xff => {
                table.number(2, 1);
                table.number(distance, 1);
            }
            0x100..=0xffff => {
                table.number(3, 1);
                table.number(distance, 2);
            }
            _ => {
                table.number(4, 1);
                table.number(distance, 4);
            }
        }
        table.bytes.extend_from_slice(&step.bytes);
    }
}
