//! `isadl asm`: files to objects, and lines of text as bytes.

use std::cell::Cell;
use std::io::Write;
use std::path::{Path, PathBuf};

use isadl::engine::{Engine, TextOptions};
use isadl::source::{FileId, SourceMap};
use isadl_asm::{Object, Options, Purpose, assemble, output};
use isadl_codegen::output::write_named;

use crate::args::{Asm, Input, Output};
use crate::check::is_input;
use crate::spec::{MACROS, Needs, Opened};
use crate::{Failure, Outcome, lines, report, rewrite};

pub(crate) fn run(options: &Asm) -> Outcome {
    let opened = Opened::new(&options.spec, Needs::Words)?;
    let loaded = opened.loaded()?;
    let set = opened.extensions(loaded.isa())?;
    let engine = loaded.engine().with_extensions(set);
    let files = options.files.as_slice();
    match files {
        [file] if options.lines || is_input(file) => answer(options, file, &engine),
        files if options.lines || files.iter().any(|file| is_input(file)) => {
            let message = "lines are read from one file, or from standard input";
            Err(Failure::Usage(message.to_string()))
        }
        files => whole(options, files, (&opened, &engine)),
    }
}

/// Reads assembly files, after the macros of the instruction set.
pub(crate) fn read(
    opened: &Opened<'_>,
    files: &[PathBuf],
) -> Result<(SourceMap, Vec<FileId>), Failure> {
    let mut sources = SourceMap::new();
    let mut ids = Vec::new();
    if let Some((path, content)) = opened.beside(MACROS)? {
        ids.push(sources.add(path.display().to_string(), content));
    }
    for path in files {
        let bytes = std::fs::read(path)
            .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        ids.push(sources.add(path.display().to_string(), isadl_asm::readable(bytes)));
    }
    Ok((sources, ids))
}

/// Assembles several files into a single output.
fn whole(
    options: &Asm,
    files: &[PathBuf],
    (opened, engine): (&Opened<'_>, &Engine<'_>),
) -> Outcome {
    let (mut sources, ids) = read(opened, files)?;
    let has_elf = engine.isa().elf().machine().is_some();
    let emit = options.emit.unwrap_or(if has_elf { Output::Elf } else { Output::Raw });
    let purpose = match (emit, options.address) {
        (Output::Elf, _) => Purpose::Linker,
        (Output::Listing, None) if has_elf => Purpose::Linker,
        (_, address) => Purpose::Address(address.unwrap_or(0)),
    };
    let own = Options {
        closed: false,
        folders: options.folders.clone(),
        symbols: options.symbols.clone(),
        exact: options.exact,
        listing: emit == Output::Listing,
        ..Options::default()
    };
    let (object, diagnostics) = assemble(engine, &mut sources, &ids, &own, purpose);
    let mut reported = Input::of(&[]);
    (reported.format, reported.max_errors) = (options.format, options.max_errors);
    report::diagnostics(&diagnostics, &sources, &reported)?;
    let Some(object) = object else { return Err(Failure::Input) };
    let bytes = emitted(emit, &object, (engine, &sources))?;
    let mut inputs = opened.inputs()?;
    inputs.extend(files.iter().cloned());
    inputs.extend(object.inputs);
    write(options, emit, (&bytes, &inputs))
}

fn emitted(
    emit: Output,
    object: &Object,
    (engine, sources): (&Engine<'_>, &SourceMap),
) -> Result<Vec<u8>, Failure> {
    let result = match emit {
        Output::Elf => output::elf(object, engine.isa(), engine.extensions()),
        Output::Raw => Ok(output::raw(object)),
        Output::Hex => output::intel_hex(object).map(String::into_bytes),
        Output::Listing => Ok(output::listing(object, sources).into_bytes()),
    };
    result.map_err(|message| {
        report::complain(&message);
        Failure::Input
    })
}

/// Writes the output, unless that would replace a file that was read.
fn write(options: &Asm, emit: Output, (bytes, inputs): (&[u8], &[PathBuf])) -> Outcome {
    let extension = match emit {
        Output::Elf => "o",
        Output::Raw => "bin",
        Output::Hex => "hex",
        Output::Listing => "lst",
    };
    let own = || {
        let name = options.files.first().and_then(|file| file.file_name());
        PathBuf::from(name.unwrap_or_default()).with_extension(extension)
    };
    let path = options.out.clone().unwrap_or_else(own);
    if is_input(&path) {
        let mut out = std::io::stdout().lock();
        lines::is_gone(out.write_all(bytes).and_then(|()| out.flush()))?;
        return Ok(());
    }
    rewrite::replaces_none(&path, inputs)?;
    write_named(&path, bytes)?;
    Ok(())
}

/// Answers each line of a file with the bytes of its instruction.
fn answer(options: &Asm, file: &Path, engine: &Engine<'_>) -> Outcome {
    let address = Cell::new(options.address);
    lines::answer(file, |line, answer| {
        let text = std::str::from_utf8(line).map_err(|error| {
            let before = String::from_utf8_lossy(&line[..error.valid_up_to()]);
            format!("column {}: not UTF-8", before.chars().count() + 1)
        })?;
        let written = TextOptions {
            is_plain: options.exact,
            names: 0,
            address: address.get(),
            ..TextOptions::default()
        };
        let inst = engine.assemble_with(text, written).map_err(|error| error.to_string())?;
        let length = u64::from(engine.isa().opcode(inst.opcode).width / 8);
        address.set(address.get().map(|at| at.wrapping_add(length)));
        engine.append_hex(inst, answer);
        Ok(())
    })
}
