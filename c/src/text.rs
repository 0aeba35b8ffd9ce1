//! Texts in buffers of C.

use std::ffi::{CString, c_char};

/// Writes as much of a text as fits, with a zero at the end; returns the length of all of it.
///
/// # Safety
///
/// The buffer has so many bytes, or is null.
pub(crate) unsafe fn fill(text: &[u8], buffer: *mut c_char, capacity: usize) -> usize {
    if let (false, Some(room)) = (buffer.is_null(), capacity.checked_sub(1)) {
        // A text is cut between characters.
        let mut count = text.len().min(room);
        while count < text.len() && text[count] & 0xc0 == 0x80 {
            count -= 1;
        }
        // SAFETY: as the caller promises, and the zero has room, too.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast::<u8>(), count);
            *buffer.add(count) = 0;
        }
    }
    text.len()
}

/// A text with a zero at the end; zeros within are left out.
pub(crate) fn owned(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != 0).collect();
    // INVARIANT: there is no zero in it.
    CString::new(bytes).unwrap_or_default()
}
