//! Intel HEX: records of 16 bytes, with addresses of 32 bits.

use std::fmt::Write;

use super::in_memory;
use crate::object::Object;

/// The sections in memory as Intel HEX.
///
/// # Errors
///
/// Where an address has more than 32 bits.
pub fn intel_hex(object: &Object) -> Result<String, String> {
    let mut text = String::new();
    let mut upper = 0;
    for section in in_memory(object) {
        let end = section.address.saturating_add(section.size);
        if end > 1 << 32 {
            return Err(format!("the address {end:#x} of Intel HEX has more than 32 bits"));
        }
        let mut at = section.address;
        let mut rest = section.bytes.as_slice();
        while !rest.is_empty() {
            if at >> 16 != upper {
                upper = at >> 16;
                record(&mut text, 0, 4, &(upper as u16).to_be_bytes());
            }
            // No record goes beyond 64 KiB.
            let room = 0x1_0000 - (at & 0xffff) as usize;
            let (now, after) = rest.split_at(rest.len().min(16).min(room));
            record(&mut text, at as u16, 0, now);
            at += now.len() as u64;
            rest = after;
        }
    }
    record(&mut text, 0, 1, &[]);
    Ok(text)
}

fn record(text: &mut String, address: u16, kind: u8, data: &[u8]) {
    let mut bytes = vec![data.len() as u8];
    bytes.extend_from_slice(&address.to_be_bytes());
    bytes.push(kind);
    bytes.extend_from_slice(data);
    let sum = bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    bytes.push(sum.wrapping_neg());
    text.push(':');
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02X}");
    }
    text.push('\n');
}
