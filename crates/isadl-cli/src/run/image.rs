//! Programs in memory: ELF files as they are, and assembly files that are assembled first.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use isadl::isa::Environment;
use isadl_asm::{Object, Options, Purpose, SymbolPlace, assemble};
use isadl_exec::load::{Image, LOWEST, Symbol};
use isadl_exec::memory::{Access, Memory, PAGE};
use isadl_exec::{Process, Spec, program_memory};

use super::settings;
use crate::args::{Input, Run};
use crate::spec::Opened;
use crate::{Failure, asm, report};

/// The program of the options, before its first instruction; and where it ends, if no call can end it.
pub(super) fn process(
    (options, opened): (&Run, &Opened<'_>),
    spec: &Rc<Spec>,
    environment: &Environment,
) -> Result<(Process, Option<u64>), Failure> {
    let read = |path: &PathBuf| {
        std::fs::read(path).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
    };
    let Some(first) = options.files.first() else {
        return Err(Failure::Usage("name a file to run".to_string()));
    };
    let bytes = read(first)?;
    let own = first.display().to_string().into_bytes();
    let args: Vec<Vec<u8>> = std::iter::once(own)
        .chain(options.args.iter().map(|arg| arg.as_encoded_bytes().to_vec()))
        .collect();
    let settings = settings(options, spec.isa());
    let mut end = None;
    let process = if bytes.starts_with(b"\x7fELF") {
        if options.files.len() > 1 {
            return Err(Failure::Usage("one ELF file is run at a time".to_string()));
        }
        Process::load(spec, environment, &bytes, &args, (settings, options.memory))
    } else {
        let object = assembled(options, opened, spec)?;
        let loaded = in_memory(&object, spec, options)?;
        end = environment.call.is_none().then(|| end_of_code(&object)).flatten();
        Process::start(spec, environment, loaded, &args, settings)
    };
    let process = process.map_err(|error| {
        report::complain(&format!("{}: {error}", first.display()));
        Failure::Input
    })?;
    Ok((process, end))
}

/// The address behind the last instruction.
fn end_of_code(object: &Object) -> Option<u64> {
    let code = object.sections.iter().filter(|section| section.is_code());
    code.map(|section| section.address + section.size).max()
}

/// The object of the assembly files, at its addresses.
fn assembled(options: &Run, opened: &Opened<'_>, spec: &Spec) -> Result<Object, Failure> {
    let (mut sources, ids) = asm::read(opened, &options.files)?;
    let own = Options::default();
    let purpose = Purpose::Address(LOWEST);
    let (object, diagnostics) = assemble(&spec.engine(), &mut sources, &ids, &own, purpose);
    report::diagnostics(&diagnostics, &sources, &Input::of(&[]))?;
    object.ok_or(Failure::Input)
}

/// Puts the sections of an object into memory. Execution begins at `_start`, or at the first instruction.
fn in_memory(object: &Object, spec: &Spec, options: &Run) -> Result<(Memory, Image), Failure> {
    let path = options.files.first().map(PathBuf::as_path).unwrap_or(Path::new(""));
    let mut memory = program_memory(spec.isa(), options.memory).map_err(|error| {
        report::complain(&error.to_string());
        Failure::Input
    })?;
    let mut end = LOWEST;
    let refused = |what: &Path| {
        report::complain(&format!("{}: it does not fit into memory", what.display()));
        Failure::Input
    };
    for section in object.sections.iter().filter(|section| section.is_allocated()) {
        let last = section.address.checked_add(section.size).ok_or_else(|| refused(path))?;
        let range = section.address..last;
        memory.protect(range, Access::ALL).map_err(|_| refused(path))?;
        memory.write_anyway(section.address, &section.bytes).map_err(|_| refused(path))?;
        end = end.max(last);
    }
    let mut symbols: Vec<Symbol> = Vec::new();
    for symbol in &object.symbols {
        if let SymbolPlace::Section(section, offset) = symbol.place {
            let address = object.sections[section].address.wrapping_add(offset);
            symbols.push(Symbol { address, size: symbol.size, name: symbol.name.clone() });
        }
    }
    symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    let start = symbols.iter().find(|symbol| symbol.name == "_start");
    let image = Image {
        entry: start.map_or(LOWEST, |symbol| symbol.address),
        start: LOWEST,
        end: end.next_multiple_of(PAGE),
        bias: 0,
        word: spec.isa().elf().class() / 8,
        headers: None,
        header_size: 0,
        header_count: 0,
        symbols,
    };
    Ok((memory, image))
}
