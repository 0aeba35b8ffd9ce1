//! Files that are cut off, changed, or something else.

use isadl_compiled::{CompiledSet, ReadError, is_compiled};

use crate::{compiled, written};

/// Reads all parts.
fn read(bytes: Vec<u8>) -> Result<(), ReadError> {
    let set = CompiledSet::read(bytes)?;
    for generation in 0..set.summary().describes.len() {
        let loaded = set.loaded(generation)?;
        set.programs(loaded.isa(), generation)?;
        set.texts(loaded.isa(), generation)?;
    }
    set.family()?;
    set.sources()?;
    set.beside("")?;
    Ok(())
}

fn simt() -> Vec<u8> {
    let (sources, compilation) = compiled("spec/simt");
    written(&sources, &compilation, true)
}

/// The head and the list of parts of a file of one generation with seven parts: magic, version, number of parts, sum, list.
fn list_end(bytes: &[u8]) -> usize {
    10 + 1 + usize::from(bytes[10]) + 4 + 16 + 7 * 32
}

#[test]
fn a_file_that_ends_too_early_is_refused() {
    let whole = simt();
    assert_eq!(read(whole.clone()), Ok(()));
    let end = list_end(&whole);
    for length in (0..end).chain((end..whole.len()).step_by(997)).chain([whole.len() - 1]) {
        let error = read(whole[..length].to_vec()).expect_err("a part is missing");
        let is_told = match length {
            0..10 => error == ReadError::NotCompiled,
            _ => error == ReadError::Length || matches!(error, ReadError::Version { .. }),
        };
        assert!(is_told, "{length}: {error:?}");
    }
    assert_eq!(read([&whole[..], b"\n"].concat()), Err(ReadError::Length));
}

#[test]
fn a_file_with_a_changed_bit_is_refused() {
    let whole = simt();
    let end = list_end(&whole);
    for at in (0..end).chain((end..whole.len()).step_by(499)) {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        let error = read(changed).expect_err("it is not what was written");
        let is_told = match at {
            0..10 => error == ReadError::NotCompiled,
            _ => !matches!(error, ReadError::Misfit { .. } | ReadError::Absent { .. }),
        };
        assert!(is_told, "{at}: {error:?}");
    }
}

#[test]
fn other_files_are_refused() {
    let nothing: [&[u8]; 4] = [b"", b"__DefIsa TINY<8>\n", b"\x7fELF\x02\x01\x01", &[0xff; 4096]];
    for bytes in nothing {
        assert!(!is_compiled(bytes));
        assert_eq!(read(bytes.to_vec()), Err(ReadError::NotCompiled));
    }
    let whole = simt();
    assert!(is_compiled(&whole));
    let text = String::from_utf8_lossy(&whole).replace("\r\n", "\n").into_bytes();
    assert_eq!(read(text), Err(ReadError::NotCompiled), "a copy as text");
}

#[test]
fn a_file_of_another_version_names_it() {
    let mut other = simt();
    other[11] = b'9';
    let error = read(other).expect_err("another version").to_string();
    assert!(error.starts_with("written by isadl 9.1.0"), "{error}");
    assert!(error.ends_with("compile the specification again"), "{error}");
}
