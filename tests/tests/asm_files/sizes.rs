//! Sizes of branches: random files whose branches are near and far give the objects of llvm-mc 19, where it is installed.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use isadl_tests::{Random, count};

use super::{Machine, RISCV, elf, folder, has, run};

/// A file with labels (llvm-mc does not shorten branches to a label and an offset), branches to them, data and alignment between them, of less than 4 KiB: so far all branches of 32
/// bits reach.
fn file(random: &mut Random) -> String {
    let mut below = |count: usize| random.next_u128() as usize % count;
    let labels = 2 + below(12);
    let (mut text, mut size) = (String::new(), 0);
    for label in 0..labels {
        let _ = writeln!(text, "l{label}:");
        for _ in 0..below(20) {
            let target = below(labels);
            let _ = match below(8) {
                0 | 1 => writeln!(text, " j l{target}"),
                2 | 3 => writeln!(text, " beqz a{}, l{target}", below(8)),
                4 => writeln!(text, " bnez s0, l{target}"),
                5 => writeln!(text, " bltu a0, t{}, l{target}", below(7)),
                6 => writeln!(text, " .balign {}", 2 << below(4)),
                _ => writeln!(text, " addi a0, a0, {}", below(40)),
            };
            size += 6;
        }
        let most = 3900usize.saturating_sub(size + 32 * labels) / labels;
        let gap = below(most.max(1)) & !1;
        size += gap;
        let _ = writeln!(text, " .space {gap}");
    }
    text
}

#[test]
fn random_branches_have_the_sizes_of_llvm() {
    if !has("llvm-mc-19") {
        return;
    }
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let folder = folder("sizes");
    let path = folder.join("sizes.s");
    let mut random = Random::new(31);
    for _ in 0..count("ISADL_SETS", 60) {
        let text = file(&mut random);
        std::fs::write(&path, &text).expect("writable");
        let object =
            run(Command::new("llvm-mc-19").args(RISCV.llvm).arg("--filetype=obj").arg(&path));
        let own = elf::summary(&machine.elf(Path::new("sizes.s"), text.as_bytes()));
        assert!(own == elf::summary(&object), "differs:\n{text}");
    }
    let _ = std::fs::remove_dir_all(folder);
}

/// Options that add and remove extensions; `sh1add` needs one that is not there at first.
const OPTIONS: &str = "
    .option arch, +zba
    sh1add a0, a1, a2
    .option push
    .option arch, -c
    add a0, a0, a1
    .option norvc
    add a0, a0, a1
    .option rvc
    add a0, a0, a1
    .option pop
    add a0, a0, a1
    .option arch, +c, -zba
    add a0, a0, a1
";

#[test]
fn options_change_the_extensions() {
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let object = machine.elf(Path::new("options.s"), OPTIONS.as_bytes());
    let text = &elf::sections(&object)[".text"];
    // What llvm-mc 19 gives, and GNU as, too.
    let sh1add = [0x33, 0xa5, 0xc5, 0x20];
    let long = [0x33, 0x05, 0xb5, 0x00];
    let short = [0x2e, 0x95];
    let expected = [&sh1add[..], &long, &long, &short, &short, &short].concat();
    assert_eq!(*text, expected);
}
