//! What qemu 7.2 lacks, or does otherwise.

/// Extensions of RISC-V that it lacks, and those that other tests have.
const NEW: [&str; 15] = [
    "Zcmp",
    "Zcmt",
    "V",
    "Zicond",
    "Zicb",
    "Zimop",
    "Zcmop",
    "Zacas",
    "Zabha",
    "extension H",
    "Svinval",
    "Zv",
    "Zfa",
    "Zfbfmin",
    "Zawrs",
];

/// Whether the needs of an opcode of RISC-V, as text, name one of them.
pub(crate) fn needs_new(needed: &str) -> bool {
    NEW.iter().any(|name| needed.contains(name))
}

/// Whether it lacks an opcode of A64.
pub(crate) fn lacks_a64(name: &str) -> bool {
    // MOPS.
    let is_block = name.starts_with("CPY") || name.starts_with("SET") && !name.contains('F');
    // CSSC.
    let without_width = name.strip_suffix("_W").or(name.strip_suffix("_X")).unwrap_or_default();
    let short = ["CTZ", "CNT", "ABS", "SMAX", "SMIN", "UMAX", "UMIN"];
    is_block || short.contains(&without_width.trim_end_matches("_I"))
}

/// Whether it does otherwise with a word of A64.
pub(crate) fn differs_a64(name: &str, word: u32) -> bool {
    match name {
        // The sign stays above the 16 bits of the result.
        "FCVTZS_S_FIXED_ONE_RIGHT_H" => true,
        // It refuses bits that mean nothing.
        "XAFLAG" | "AXFLAG" => word & 0xf00 != 0,
        // Ordered accesses trap at addresses that are no multiples of their size.
        _ => (name.starts_with("LDAPUR") || name.starts_with("STLUR")) && word >> 12 & 7 != 0,
    }
}
