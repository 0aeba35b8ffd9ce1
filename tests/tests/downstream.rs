//! The crates of `tests/downstream`: they build without warnings and work as shown. The macro and
//! build scripts notice changes and generate the same code as the command line.
//!
//! Each is a separate workspace, like a user's crate, and shares a build folder with the others.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use isadl_test_support::root;
use object::{Object, ObjectSection, ObjectSymbol};

use crate::cli::isadl;

use crate::nested::{self, scratch};

fn example(name: &str) -> PathBuf {
    root().join("tests/downstream").join(name)
}

/// Runs cargo in a crate, with the versions of dependencies that the workspace has.
fn cargo(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    std::fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).expect("writable");
    let mut command = nested::cargo(folder);
    command.args(arguments).env("CARGO_NET_OFFLINE", "true");
    command.envs(environment.iter().copied());
    command.output().expect("cargo runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs cargo, which must succeed without warnings; returns its output.
fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = cargo(folder, arguments, &[]);
    let messages = text(&output.stderr);
    assert!(output.status.success(), "{}: {messages}", folder.display());
    assert!(!messages.contains("warning"), "{}: {messages}", folder.display());
    messages + &text(&output.stdout)
}

/// The program of a crate.
fn program(name: &str) -> Command {
    succeeds(&example(name), &["build"]);
    Command::new(nested::programs().join(name))
}

/// A file of a test.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    std::fs::create_dir_all(scratch()).expect("writable");
    let path = scratch().join(name);
    std::fs::write(&path, bytes).expect("writable");
    path
}

#[test]
fn the_firmware_runs_programs() {
    let printed = succeeds(&example("firmware"), &["test"]);
    assert!(printed.contains("2 passed"), "{printed}");
}

/// Targets without an operating system.
const BARE_METAL: &[&str] =
    &["thumbv7em-none-eabihf", "thumbv6m-none-eabi", "riscv32imac-unknown-none-elf"];

#[test]
fn the_firmware_is_for_bare_metal() {
    let is_there = |target: &&str| {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let arguments = ["--print", "target-libdir", "--target", *target];
        let found = Command::new(rustc).args(arguments).output().expect("rustc runs");
        Path::new(text(&found.stdout).trim()).is_dir()
    };
    let there: Vec<&&str> = BARE_METAL.iter().filter(|target| is_there(target)).collect();
    for target in &there {
        succeeds(&example("firmware"), &["check", "--target", target]);
    }
    if there.is_empty() {
        println!("skipped: the toolchain has none of {}", BARE_METAL.join(", "));
    }
}

/// A program that decodes all of RISC-V contains what decoding needs: no names of opcodes, fields and types, no texts,
/// and no division of 128-bit numbers, which machines without an operating system are too small for.
#[test]
fn a_program_that_only_decodes_keeps_no_names() {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("skipped: the program is linked for Linux on x86-64");
        return;
    }
    succeeds(&example("bare"), &["build", "--release"]);
    let path = nested::programs().with_file_name("release").join("bare");
    let bytes = std::fs::read(path).expect("the program is there");
    let file = object::File::parse(bytes.as_slice()).expect("an ELF file");
    let loaded = file.sections().filter(|section| section.address() != 0);
    let data: Vec<u8> =
        loaded.flat_map(|section| section.data().unwrap_or_default()).copied().collect();
    let contains = |text: &str| data.windows(text.len()).any(|found| found == text.as_bytes());
    let infos = riscv::Opcode::ALL.iter().flat_map(|opcode| opcode.forms());
    let names = infos.flat_map(|info| [info.name, info.mnemonic, info.optype]);
    let fields = riscv::Field::ALL.iter().map(|field| field.name());
    // Shorter texts may be there by chance.
    let kept: Vec<&str> =
        names.chain(fields).filter(|name| name.len() > 5 && contains(name)).collect();
    assert!(kept.is_empty(), "{} names, such as {:?}", kept.len(), kept.first());
    let symbols = file.symbols().filter_map(|symbol| symbol.name().ok());
    let divisions = symbols.filter(|name| {
        ["__divti3", "__modti3", "__udivti3", "__umodti3", "u128_div_rem"]
            .iter()
            .any(|division| name.contains(division))
    });
    let divisions: Vec<&str> = divisions.collect();
    assert!(divisions.is_empty(), "{divisions:?}");
}

#[test]
fn the_disassembler_prints_a_file() {
    let inst: simt::Inst = "IADD.X R0, P0, R2, R4".parse().expect("an instruction");
    let bytes = inst.to_bytes().expect("it breaks no rule");
    let mut program = program("disassembler");
    let run = program.arg(file("good.bin", &bytes)).output().expect("it runs");
    assert_eq!(text(&run.stdout), "00000000: IADD.X R0, P0, R2, R4\n");
    assert_eq!(run.status.code(), Some(0));
    let bad = [&bytes[..], &[0xff; 16], &bytes, &[1, 2]].concat();
    let mut program = Command::new(program.get_program());
    let run = program.arg(file("bad.bin", &bad)).output().expect("it runs");
    let lines: Vec<String> = text(&run.stdout).lines().map(str::to_string).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(lines[2], "00000020: IADD.X R0, P0, R2, R4");
    assert!(lines[1].starts_with("00000010: // ") && lines[3].starts_with("00000030: // "));
    assert_eq!(run.status.code(), Some(1));
}

#[test]
fn the_assembler_knows_generations() {
    let source =
        file("add.s", b"; two instructions\nv_add_f32 v1, s2, v3\n\n  v_add_f32 v1, v2, |s3|\n");
    let output = scratch().join("add.bin");
    let program = program("assembler");
    let assemble = |generation: &str, source: &Path| {
        let mut program = Command::new(program.get_program());
        program.arg(generation).arg(source).arg(&output).output().expect("it runs")
    };
    for generation in gcn::Generation::ALL {
        let run = assemble(generation.name(), &source);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        let line = |text| gcn::Inst::parse(*generation, text).expect("an instruction").to_bytes();
        let lines = ["v_add_f32 v1, s2, v3", "v_add_f32 v1, v2, |s3|"].map(line);
        let bytes = lines.map(|bytes| bytes.expect("it breaks no rule").to_vec()).concat();
        assert_eq!(std::fs::read(&output).expect("it was written"), bytes);
    }
    std::fs::remove_file(&output).expect("it was written");
    let run = assemble("GCN1_4", &file("bad.s", b"v_add_f32 v1\nv_add_f32 v1, v2, v3\nv_foo v1\n"));
    let complaints: Vec<String> = text(&run.stderr).lines().map(str::to_string).collect();
    assert_eq!((complaints.len(), run.status.code()), (2, Some(1)), "{complaints:?}");
    assert!(complaints[0].contains("bad.s:1: ") && complaints[1].contains("bad.s:3: "));
    assert!(!output.exists(), "nothing is written where there are mistakes");
    assert_eq!(assemble("GCN9", &source).status.code(), Some(2));
}

/// Writes a crate to a folder of its own.
fn crate_of(name: &str, dependency: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch().join(name);
    let _ = std::fs::remove_dir_all(&folder);
    let path = root().join(dependency);
    let kind = if dependency == "isadl-macros" { "dependencies" } else { "build-dependencies" };
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[{kind}]\n\
         {dependency} = {{ path = {:?}, default-features = false }}\n\n[workspace]\n",
        path.display().to_string()
    );
    let all = [("Cargo.toml", manifest.as_str())].into_iter().chain(files.iter().copied());
    for (file, content) in all {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(path, content).expect("writable");
    }
    folder
}

/// A specification with a single operation, which has this name.
fn specification(operation: &str) -> String {
    format!(
        "__DefIsa Small<8>\n\n__DefBitFieldType Operation<8>\n    ONLY;\n\n__DefGroup ALL : []\n\n\
         __DefOptype only : [ALL]\n\n__DefOpcode {operation} : [only]\n  __Encoding\n    \
         field<0, 8> Operation op == ONLY;\n"
    )
}

#[test]
fn an_edited_specification_is_compiled_again() {
    let library = "isadl_macros::isa!(\"spec\");\npub const A: small::Opcode = small::Opcode::A;\n";
    let old = specification("A");
    let files = [("src/lib.rs", library), ("spec/small.isa", old.as_str())];
    let folder = crate_of("edited", "isadl-macros", &files);
    assert!(succeeds(&folder, &["check"]).contains("Checking edited"));
    assert!(!succeeds(&folder, &["check"]).contains("Checking edited"));
    std::fs::write(folder.join("spec/small.isa"), specification("B")).expect("writable");
    let check = cargo(&folder, &["check"], &[]);
    assert!(text(&check.stderr).contains("no variant"), "{}", text(&check.stderr));
}

#[test]
fn a_build_script_sees_added_files_and_shows_diagnostics() {
    let script = "fn main() { isadl_codegen::Builder::new(\"spec\").build() }\n";
    let library = "include!(concat!(env!(\"OUT_DIR\"), \"/small.rs\"));\n";
    let old = specification("A");
    let files = [("build.rs", script), ("src/lib.rs", library), ("spec/small.isa", old.as_str())];
    let folder = crate_of("added", "isadl-codegen", &files);
    assert!(succeeds(&folder, &["check"]).contains("added v0.1.0"));
    assert!(!succeeds(&folder, &["check"]).contains("added v0.1.0"));
    // An additional file: a warning that cargo shows.
    std::fs::write(folder.join("spec/more.isa"), "__DefOptype lonely : [ALL]\n").expect("writable");
    let check = cargo(&folder, &["check"], &[]);
    let messages = text(&check.stderr);
    assert!(check.status.success(), "{messages}");
    assert!(messages.contains("spec/more.isa:1:13: warning[W0212]"), "{messages}");
    // Another file with errors, which cargo shows completely.
    let wrong = "__DefOptype more : [ALK]\n__DefOptype most : [ALM]\n";
    std::fs::write(folder.join("spec/more.isa"), wrong).expect("writable");
    let check = cargo(&folder, &["check"], &[]);
    let messages = text(&check.stderr);
    assert!(!check.status.success());
    for line in ["spec/more.isa:1:21: error[E0203]", "spec/more.isa:2:21: error[E0203]"] {
        assert!(messages.contains(line), "{messages}");
    }
}

#[test]
fn the_macro_makes_what_the_command_line_writes() {
    let spec = root().join("spec/simt");
    let invocation = format!(
        "#[cfg(by_macro)]\nisadl_macros::isa!(pub mod simt = {:?}, groups = [XU], emit = [decode, text]);\n\
         #[cfg(not(by_macro))]\ninclude!(\"simt.rs\");\n",
        spec.display().to_string()
    );
    let folder = crate_of("same", "isadl-macros", &[("src/lib.rs", &invocation)]);
    let spec = spec.to_str().expect("a path in UTF-8");
    let options = ["--module", "simt", "--group", "XU", "--emit", "decode,text", "--out", "src"];
    let arguments = [&["gen", "--target", "rust"][..], &options, &[spec]].concat();
    let (status, messages) = isadl(&folder, &arguments);
    assert_eq!(status, Some(0), "{messages}");
    // Both as the compiler has them after expansion.
    let expanded = |arguments: &[&str]| {
        let all = [&["rustc", "--", "-Zunpretty=expanded", "--check-cfg=cfg(by_macro)"], arguments];
        let output = cargo(&folder, &all.concat(), &[("RUSTC_BOOTSTRAP", "1")]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let by_macro = expanded(&["--cfg", "by_macro"]);
    let (module, watched) = by_macro.split_once("const _: &[u8] =").expect("files are watched");
    let files = std::fs::read_dir(root().join("spec/simt")).expect("readable").count();
    // All files except the README; the first part precedes the first match.
    assert_eq!(watched.matches("const _: &[u8] =").count() + 1, files - 1);
    assert!(module.len() > 100_000);
    // Only the file of the command line may be laid out again.
    let written = expanded(&[]).replacen("#[rustfmt::skip]", "", 1);
    let [module, written] = [module, &written].map(folded);
    let differing = module.lines().zip(written.lines()).find(|(one, other)| one != other);
    assert!(module == written, "{differing:?}");
}

/// Rust in one layout, with one way of writing documentation.
fn folded(code: &str) -> String {
    prettyplease::unparse(&syn::parse_file(code).expect("the compiler prints Rust"))
}

/// The code blocks of a section of the page on Rust, in order.
fn blocks(section: &str) -> Vec<String> {
    let page = std::fs::read_to_string(root().join("docs/rust.md")).expect("readable");
    let (_, rest) = page.split_once(&format!("## {section}\n")).expect("the section is there");
    let section = rest.split("\n## ").next().expect("it has an end");
    let parts = section.split("```").skip(1).step_by(2);
    let code = parts.map(|block| block.split_once('\n').map_or("", |(_, code)| code));
    code.map(str::to_string).collect()
}

/// A crate as the page says, with the specification in its folder and this repository's crates.
fn as_written(name: &str, dependencies: &str, files: &[(&str, &str)]) -> PathBuf {
    let patches: String = ["isadl", "isadl-codegen", "isadl-macros"]
        .iter()
        .map(|krate| format!("{krate} = {{ path = {:?} }}\n", root().join(krate)))
        .collect();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n{dependencies}\n\
         [workspace]\n\n[patch.crates-io]\n{patches}"
    );
    let files = [&[("Cargo.toml", manifest.as_str())], files].concat();
    let folder = crate_of(name, "isadl-macros", &files);
    std::fs::create_dir_all(folder.join("spec")).expect("writable");
    for entry in std::fs::read_dir(root().join("spec/simt")).expect("readable") {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("files have names");
        std::fs::copy(&path, folder.join("spec").join(name)).expect("writable");
    }
    folder
}

#[test]
fn the_page_on_rust_can_be_followed() {
    let blocks = blocks("Use it in your crate");
    let [macros, by_macro, codegen, script, by_script, _inline] = blocks.as_slice() else {
        panic!("the section has other blocks: {blocks:?}");
    };
    let crates = [
        as_written("followed-macro", macros, &[("src/main.rs", by_macro)]),
        as_written("followed-script", codegen, &[("build.rs", script), ("src/main.rs", by_script)]),
    ];
    for folder in crates {
        let output = cargo(&folder, &["run"], &[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).starts_with("POPC R1, R2 has the bytes Ok(["));
    }
}
