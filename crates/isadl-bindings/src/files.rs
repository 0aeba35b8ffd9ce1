//! Files of machine code: read, and made of programs in assembly language.

use isadl::render::{Colour, Style, render};
use isadl::source::SourceMap;
use isadl_asm::disasm::Code;
use isadl_asm::{Options, Purpose, assemble, output};

use crate::set::Set;

/// A section of an ELF file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// The address of its first byte.
    pub address: u64,
    /// Whether it contains instructions.
    pub is_code: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The symbols in it, with their addresses, in order of these.
    pub symbols: Vec<(u64, String)>,
}

/// The sections of an ELF file that have bytes.
///
/// # Errors
///
/// If it is not an ELF file. The error is a message.
pub fn sections(set: &Set, file: &[u8]) -> Result<Vec<Section>, String> {
    let code = Code::elf(file, set.isa())?;
    let own = code.sections.iter().enumerate().filter(|(_, one)| !one.bytes.is_empty());
    let sections = own.map(|(index, one)| Section {
        name: one.name.clone(),
        address: one.address,
        is_code: one.is_code,
        bytes: one.bytes.to_vec(),
        symbols: code.symbols(index).map(|(at, name)| (at, name.to_string())).collect(),
    });
    Ok(sections.collect())
}

/// A program in assembly language as an ELF object, or with an address as the bytes in memory from there on.
///
/// # Errors
///
/// If it has errors. The error is a message with all of them, each with its line.
pub fn assemble_program(
    set: &Set,
    name: &str,
    text: &str,
    address: Option<u64>,
) -> Result<Vec<u8>, String> {
    let engine = set.engine();
    let mut sources = SourceMap::new();
    let id = sources.add(name, text.as_bytes().to_vec());
    let purpose = address.map_or(Purpose::Linker, Purpose::Address);
    let options = Options { closed: true, ..Options::default() };
    let (object, found) = assemble(engine, &mut sources, &[id], &options, purpose);
    let Some(object) = object else {
        let texts = found.iter().map(|one| render(one, &sources, Style::Full, Colour::None));
        return Err(texts.collect::<Vec<_>>().join("\n"));
    };
    match address {
        Some(_) => Ok(output::raw(&object)),
        None => output::elf(&object, engine.isa(), engine.extensions()),
    }
}
