//! `isadl run` on a toy machine: what it prints, and how it ends.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use isadl_test_support::root;

use super::{binary, folder};

/// Counts down, and leaves with the status 5.
const COUNT: &str = "_start:\n    set r1, 2\n    set r2, 0\n    set r3, -1\nnext:\n    add r2, r2, r1\n    \
                     add r1, r1, r3\n    bnz r1, next\n    set r7, 2\n    set r0, 5\n    call\n";

/// Runs a program with options; its status, standard output and standard error.
fn run(program: &str, options: &[&str]) -> (Option<i32>, String, String) {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let name = format!("run-{}", RUNS.fetch_add(1, Ordering::Relaxed));
    let files = folder(&name, &[("own.s", program.as_bytes())]);
    let output = Command::new(binary())
        .args(["run", "--spec"])
        .arg(root().join("tests/fixtures/cli/toy"))
        .args(options)
        .arg("own.s")
        .current_dir(&files.0)
        .output()
        .expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_program_gives_its_status_and_registers() {
    let (status, out, errors) = run(COUNT, &["--regs", "--set", "r5=-2", "--set", "r4=0x10"]);
    assert_eq!((status, errors.as_str()), (Some(5), ""));
    assert_eq!(
        out,
        "pc           0x10010\nr0           0x5\nr2           0x3\nr3           0xffffffff\n\
         r4           0x10\nr5           0xfffffffe\nr6           0x1000ff50\nr7           0x2\n"
    );
}

#[test]
fn a_trace_has_what_is_read_and_written() {
    let program = "set r1, 7\nstore r1, r6\nload r2, r6\nadd r2, r2, r1\n";
    let (status, out, errors) = run(program, &["--trace", "--fuel", "4"]);
    assert_eq!((status, out.as_str()), (Some(124), ""));
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(
        lines,
        [
            "   10000  set r1, 7                        -> r1=0x7",
            "   10002  store r1, r6                     r1=0x7 r6=0x1000ff50 -> [0x1000ff50]=0x7",
            "   10004  load r2, r6                      r6=0x1000ff50 [0x1000ff50]=0x7 -> r2=0x7",
            "   10006  add r2, r2, r1                   r1=0x7 r2=0x7 -> r2=0xe",
            "error: out of fuel at 0x10008 `add r0, r0, r0` after 4 instructions",
        ]
    );
}

#[test]
fn a_run_ends_where_it_is_told() {
    let (status, out, errors) = run(COUNT, &["--until", "0x10008", "--regs"]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(out.starts_with("pc           0x10008\nr1           0x2\nr2           0x2\n"), "{out}");
    // The loop ends earlier than the fuel of one run, and later than that of the other.
    for (fuel, status) in [("11", Some(124)), ("12", Some(5))] {
        assert_eq!(run(COUNT, &["--fuel", fuel]).0, status, "{fuel}");
    }
}

#[test]
fn what_does_not_end_says_where_and_why() {
    for (program, message) in [
        ("set r1, 9\ndiv r0, r1, r2\n", "trap Failed(0x9) at 0x10002 `div r0, r1, r2`"),
        (
            "set r1, 9\nload r0, r1\n",
            "reading at address 0x9 is not allowed at 0x10002 `load r0, r1`",
        ),
        (
            "set r1, 9\nstore r0, r1\n",
            "writing at address 0x9 is not allowed at 0x10002 `store r0, r1`",
        ),
        ("odd\n", "anything may happen at 0x10000 `odd`"),
        ("ask r0, r1\n", "nothing provides the function `ask` at 0x10000 `ask r0, r1`"),
        (".2byte 0xffff\n", "no instruction at 0x10000"),
        ("x: bnz r6, y\n.skip 30\ny: odd\n", "anything may happen at 0x10020 (y) `odd`"),
    ] {
        let (status, out, errors) = run(program, &[]);
        assert_eq!((status, out.as_str()), (Some(125), ""), "{program}");
        assert_eq!(errors.lines().next(), Some(format!("error: {message}").as_str()), "{program}");
        // The registers follow.
        assert!(errors.contains("\nr6           0x1000ff50\n"), "{errors}");
    }
}

#[test]
fn wrong_usage_and_wrong_input_are_told_apart() {
    for (options, status, message) in [
        (&["--set", "nope=3"][..], 2, "TOY has no register `nope`"),
        (&["--set", "r1=x"][..], 2, "`x` is no number"),
        (&["--environment", "linux"][..], 2, "unknown environment: linux; known are: small"),
        (&["--memory", "4000G"][..], 2, "must be at most 1024G"),
        (&["--memory", "4K"][..], 1, "the memory is too small for the program and its stack"),
        (&["--lanes", "1"][..], 2, "TOY has no lanes"),
        (&["--gdb", "0", "--trace"][..], 2, "cannot be used with"),
    ] {
        let (found, _, errors) = run(COUNT, options);
        assert_eq!(found, Some(status), "{options:?}: {errors}");
        assert!(errors.contains(message), "{options:?}: {errors}");
    }
    // Addresses have 32 bits, whatever is asked for.
    let (status, out, _) = run("set r7, 2\ncall\n", &["--memory", "64G", "--regs"]);
    assert_eq!(status, Some(0));
    assert!(out.contains("r6           0xfff"), "{out}");
}

#[test]
fn coverage_names_what_was_never_done() {
    let files = folder("coverage", &[("own.s", COUNT.as_bytes())]);
    let status = Command::new(binary())
        .args(["run", "--coverage", "covered.json", "--spec"])
        .arg(root().join("tests/fixtures/cli/toy"))
        .arg("own.s")
        .current_dir(&files.0)
        .status()
        .expect("the binary runs");
    assert_eq!(status.code(), Some(5));
    let text = std::fs::read_to_string(files.0.join("covered.json")).expect("it was written");
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(found["opcodes"]["ADD"], 4);
    assert_eq!(found["opcodes"]["BNZ"], 2);
    assert_eq!(found["never"], serde_json::json!(["DIV", "LOAD", "STORE", "ASK", "ODD"]));
    assert_eq!(found["fields"]["SET"]["n"], serde_json::json!([0, 2, 5, 63]));
    // The branch of BNZ went both ways.
    assert_eq!(found["branches"], serde_json::json!([]));
    let least = serde_json::json!([
        {"opcode": "SET", "kind": "Least", "message": "The least number is not written."}
    ]);
    assert_eq!(found["rules"], least);
    // With one turn it is never taken.
    let short = COUNT.replace("set r1, 2", "set r1, 1").replace("set r2, 0", ".half 0x2a00");
    std::fs::write(files.0.join("own.s"), short).expect("writable");
    let status = Command::new(binary())
        .args(["run", "--coverage", "covered.json", "--spec"])
        .arg(root().join("tests/fixtures/cli/toy"))
        .arg("own.s")
        .current_dir(&files.0)
        .status();
    assert_eq!(status.expect("the binary runs").code(), Some(5));
    let text = std::fs::read_to_string(files.0.join("covered.json")).expect("it was written");
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    // The word sets r2 to -32.
    assert_eq!(found["rules"], serde_json::json!([]));
    let branch = &found["branches"][0];
    assert_eq!((branch["opcode"].as_str(), branch["side"].as_str()), (Some("BNZ"), Some("if")));
    assert!(branch["at"].as_str().expect("a place").ends_with("toy.isa:61:13"), "{branch}");
}
