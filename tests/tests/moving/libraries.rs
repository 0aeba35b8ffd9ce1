//! Functions of Debian's C library (`libc6-riscv64-cross`, `libc6-arm64-cross`), moved: GNU objdump prints the same targets
//! as before, or those to which they moved. It also says what two instructions make together (`# 0x1234`).
//!
//! `ISADL_MOVED` is the number of functions; each of the library is moved in a long run.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use isadl_exec::moving::{Block, Fault, Moved, Mover};
use isadl_test_support::count;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

use super::{A64, RISCV, Target, mapped, spec};
use crate::asm_files::has;

struct Library {
    target: &'static Target,
    path: &'static str,
    objdump: &'static str,
    arguments: &'static [&'static str],
    /// How far functions move, near and far.
    by: [u64; 3],
    /// Of a hundred functions that move near, how many at least can.
    least: usize,
}

/// The addresses that instructions name in objdump's output, by their own.
fn printed(library: &Library, name: &str, bytes: &[u8], at: u64) -> BTreeMap<u64, Vec<u64>> {
    let file = std::env::temp_dir().join(format!("isadl-{}-{name}", std::process::id()));
    std::fs::write(&file, bytes).expect("writable");
    let output = Command::new(library.objdump)
        .args(["-D", "-z", "-b", "binary", &format!("--adjust-vma={at:#x}")])
        .args(library.arguments)
        .arg(&file)
        .output()
        .expect("it runs");
    std::fs::remove_file(&file).expect("it was made");
    let mut found = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((address, rest)) = line.split_once(":\t") else { continue };
        let Ok(address) = u64::from_str_radix(address.trim(), 16) else { continue };
        let mut columns = rest.splitn(3, '\t').skip(1);
        let (mnemonic, operands) =
            (columns.next().unwrap_or_default().trim(), columns.next().unwrap_or_default());
        let (operands, sum) = match operands.split_once('#') {
            Some((operands, sum)) if sum.trim().starts_with("0x") => (operands, Some(sum)),
            _ => (operands.split("//").next().unwrap_or_default(), None),
        };
        let number = |text: &str| {
            let digits = text.trim().strip_prefix("0x")?;
            let digits: String = digits.chars().take_while(char::is_ascii_hexdigit).collect();
            u64::from_str_radix(&digits, 16).ok()
        };
        // The part is only one with the rest, and numbers of other instructions are no addresses.
        let last = operands.rsplit(',').next().and_then(number);
        let names = !["auipc", "lui", "c.lui", "li"].contains(&mnemonic);
        let named = last.filter(|_| names && !operands.contains('#'));
        found.insert(address, sum.and_then(number).into_iter().chain(named).collect());
    }
    found
}

fn compare(library: &Library, by: u64, is_near: bool) {
    let path = Path::new(library.path);
    if !path.exists() || !has(library.objdump) {
        eprintln!("skipped: {} and {} are needed", library.path, library.objdump);
        return;
    }
    let spec = spec(library.target);
    let mover = Mover::new(&spec);
    let bytes = std::fs::read(path).expect("readable");
    let file = object::File::parse(&*bytes).expect("an ELF file");
    let section = file.section_by_name(".text").expect("code");
    let (start, text) = (section.address(), section.data().expect("bytes"));
    let before = printed(library, &format!("before-{by}"), text, start);
    let mut functions: BTreeMap<u64, u64> = BTreeMap::new();
    for symbol in file.dynamic_symbols().filter(|one| one.kind() == SymbolKind::Text) {
        let is_in = symbol.address().wrapping_sub(start) < section.size();
        if is_in && symbol.size() > 0 {
            functions.insert(symbol.address(), symbol.size());
        }
    }
    let step = (functions.len() / count("ISADL_MOVED", 200)).max(1);
    let (mut all, mut moved, mut targets, mut grown) = (0, 0, 0, 0);
    // Where functions move to, so that one run of objdump prints many.
    let mut image = vec![0; text.len()];
    let (mut taken, mut checks) = (0, Vec::new());
    for (address, size) in functions.into_iter().step_by(step) {
        let offset = (address - start) as usize;
        let block = Block {
            bytes: &text[offset..offset + size as usize],
            from: address,
            to: address.wrapping_add(by),
        };
        all += 1;
        let done: Moved = match mover.encode(&[block]) {
            Ok(mut done) => done.remove(0),
            Err(error) => {
                let is_known = match error.fault {
                    Fault::OutOfReach { .. } => !is_near,
                    // The function jumps to a part of it that is elsewhere, or has words that we lack.
                    Fault::Pair { .. } | Fault::NoInstruction { .. } => true,
                    _ => false,
                };
                assert!(is_known, "{error}");
                continue;
            }
        };
        // Functions are one after another, and some have several entries.
        if offset < taken {
            continue;
        }
        taken = offset + done.bytes.len();
        grown += usize::from(done.bytes.len() != block.bytes.len());
        moved += 1;
        if let Some(place) = image.get_mut(offset..taken) {
            place.copy_from_slice(&done.bytes);
            checks.push((block, done));
        }
    }
    let after = printed(library, &format!("after-{by}"), &image, start.wrapping_add(by));
    for (block, done) in &checks {
        let place = (block.from, block.to, block.bytes.len());
        for (old, new) in &done.offsets {
            let address = block.from + *old as u64;
            let (Some(before), Some(after)) =
                (before.get(&address), after.get(&block.to.wrapping_add(*new as u64)))
            else {
                panic!("{address:#x} is not printed")
            };
            let is_in = |target: u64| target.wrapping_sub(block.from) < block.bytes.len() as u64;
            let starts = |target: u64| {
                done.offsets.iter().any(|(old, _)| block.from + *old as u64 == target)
            };
            for (before, after) in before.iter().zip(after) {
                // Numbers that are no addresses are as they were.
                if before == after && (!is_in(*before) || !starts(*before)) {
                    targets += 1;
                    continue;
                }
                assert_eq!(*after, mapped(place, done, *before), "{address:#x}: {before:#x}");
                targets += 1;
            }
        }
    }
    eprintln!(
        "{}: {moved} of {all} functions moved, {grown} longer, {targets} targets",
        library.path
    );
    assert!(!is_near || moved * 100 >= all * library.least, "{moved} of {all}");
    assert!(!is_near || targets > 1000, "{targets}");
}

fn near_and_far(library: &Library) {
    for (number, by) in library.by.into_iter().enumerate() {
        compare(library, by, number < 2);
    }
}

#[test]
fn functions_of_riscv() {
    near_and_far(&Library {
        target: &RISCV,
        path: "/usr/riscv64-linux-gnu/lib/libc.so.6",
        objdump: "riscv64-linux-gnu-objdump",
        arguments: &["-m", "riscv:rv64", "-M", "no-aliases"],
        by: [0x1_2346, 0_u64.wrapping_sub(0x1_e002), 0x8_0000],
        least: 90,
    });
}

#[test]
fn functions_of_a64() {
    near_and_far(&Library {
        target: &A64,
        path: "/usr/aarch64-linux-gnu/lib/libc.so.6",
        objdump: "aarch64-linux-gnu-objdump",
        arguments: &["-m", "aarch64", "-M", "no-aliases"],
        by: [0x1_2344, 0_u64.wrapping_sub(0x1_e004), 0x400_0000],
        least: 90,
    });
}
