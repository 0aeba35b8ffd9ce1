//! Errors in assembly files: `tests/fixtures/asm/errors/*.s` for RISC-V, files in `a64/` for A64, and the expected
//! messages for each, in `*.txt`.

use std::path::Path;

use isadl::render::{Colour, Style, render};
use isadl_asm::{Options, Purpose};
use isadl_test_support::{golden, root};

use super::{A64, Machine, RISCV, files};

/// All messages about a file.
fn said(machine: &Machine, name: &str, text: &[u8], purpose: Purpose) -> String {
    let options = Options::default();
    let texts = [(Path::new(name), text)];
    let (sources, object, diagnostics) = machine.assemble(&texts, (&options, purpose));
    assert_eq!(object.is_none(), diagnostics.has_errors());
    let shown = diagnostics.iter().map(|one| render(one, &sources, Style::Full, Colour::None));
    let folder = format!("{}/", root().display());
    shown.collect::<String>().replace(&folder, "")
}

#[test]
fn errors_are_told_together_with_their_places() {
    let sets = [(&RISCV, "tests/fixtures/asm/errors"), (&A64, "tests/fixtures/asm/errors/a64")];
    for (set, folder) in sets {
        let machine = Machine::of(set, set.extensions);
        for path in files(folder, "s") {
            let text = std::fs::read(&path).expect("readable");
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let all = said(&machine, &name, &text, Purpose::Linker);
            let code = name.split(['_', '.']).next().unwrap_or_default();
            assert!(all.contains(code), "{name}: {all}");
            golden(&path.with_extension("txt"), &all);
        }
    }
}

/// Without a linker every symbol must be defined.
#[test]
fn symbols_of_other_files_need_a_linker() {
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let text = b"start: j strat\n j other\n .word strat - start\n";
    assert_eq!(said(&machine, "a.s", text, Purpose::Linker).matches("error[").count(), 0);
    let all = said(&machine, "a.s", text, Purpose::Address(0));
    assert_eq!(all.matches("error[E1103]").count(), 2, "{all}");
    assert!(all.contains("did you mean `start`?"), "{all}");
}
