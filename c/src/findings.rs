//! Findings of a check.

use std::ffi::{CString, c_char};
use std::path::PathBuf;

use isadl_bindings::{Finding, check};

use crate::text::owned;
use crate::{argument, failed, guarded, isadl_status, text_of};

/// The findings of a check.
#[allow(non_camel_case_types)]
pub struct isadl_findings(Vec<Own>);

/// A finding. Its texts end in a zero, and are there until the findings are freed.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct isadl_finding {
    /// Whether it is an error; otherwise it is a warning.
    pub is_error: bool,
    /// The code, such as `E0401`.
    pub code: *const c_char,
    /// What is wrong.
    pub message: *const c_char,
    /// The file.
    pub file: *const c_char,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// Why: a line for each note.
    pub notes: *const c_char,
    /// How to fix it: a line for each way.
    pub helps: *const c_char,
    /// All of it for people, with an excerpt of the file.
    pub rendered: *const c_char,
}

/// A finding with texts of C.
struct Own {
    is_error: bool,
    place: (usize, usize),
    texts: [CString; 6],
}

impl Own {
    fn new(found: &Finding) -> Own {
        let (notes, helps) = (found.notes.join("\n"), found.helps.join("\n"));
        let texts =
            [found.code, &found.message, &found.file, &notes, &helps, &found.rendered].map(owned);
        Own { is_error: found.is_error, place: (found.line, found.column), texts }
    }

    fn shown(&self) -> isadl_finding {
        let [code, message, file, notes, helps, rendered] =
            self.texts.each_ref().map(|text| text.as_ptr());
        let (line, column) = self.place;
        isadl_finding {
            is_error: self.is_error,
            code,
            message,
            file,
            line,
            column,
            notes,
            helps,
            rendered,
        }
    }
}

/// Checks a folder of specification files, or a file. The findings are in order of their places, and freed by `isadl_findings_free`.
///
/// # Safety
///
/// The path ends in a zero; `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_check(
    path: *const c_char,
    out: *mut *mut isadl_findings,
) -> isadl_status {
    guarded(|| {
        argument((!out.is_null()).then_some(()), "`out`")?;
        // SAFETY: as the caller promises.
        let path = argument(unsafe { text_of(path) }, "the path")?;
        let found = check(&[PathBuf::from(path)]);
        let found = found.map_err(|error| failed(isadl_status::File, error.to_string()))?;
        let findings = Box::new(isadl_findings(found.iter().map(Own::new).collect()));
        // SAFETY: as the caller promises.
        unsafe { *out = Box::into_raw(findings) };
        Ok(())
    })
}

/// The number of findings.
///
/// # Safety
///
/// They are not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_finding_count(findings: *const isadl_findings) -> usize {
    // SAFETY: as the caller promises.
    unsafe { findings.as_ref() }.map_or(0, |findings| findings.0.len())
}

/// A finding, by its number from 0. Returns whether there is one.
///
/// # Safety
///
/// They are not freed; `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_finding_at(
    findings: *const isadl_findings,
    number: usize,
    out: *mut isadl_finding,
) -> bool {
    // SAFETY: as the caller promises.
    let (findings, out) = unsafe { (findings.as_ref(), out.as_mut()) };
    match (findings.and_then(|findings| findings.0.get(number)), out) {
        (Some(found), Some(out)) => {
            *out = found.shown();
            true
        }
        _ => false,
    }
}

/// Frees findings; nothing happens with null.
///
/// # Safety
///
/// They are not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_findings_free(findings: *mut isadl_findings) {
    if !findings.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(findings) });
    }
}
