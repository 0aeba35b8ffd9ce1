//! What qemu 7.2 lacks of RISC-V.

/// Extensions that it lacks, and those that other tests have.
const NEW: [&str; 12] = [
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
];

/// Whether what an opcode needs, as text, names one of them.
pub(crate) fn needs_new(needed: &str) -> bool {
    NEW.iter().any(|name| needed.contains(name))
}
