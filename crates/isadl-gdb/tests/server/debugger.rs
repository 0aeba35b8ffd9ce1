//! A real gdb. Without it, these tests are skipped.

use std::process::{Command, Stdio};

use isadl_gdb::End;

use crate::toy::{COUNT, Server};

/// What gdb prints for commands after it is connected; nothing if it is not installed.
fn gdb(server: &Server, commands: &[&str]) -> Option<String> {
    let mut gdb = Command::new("gdb-multiarch");
    gdb.args(["-nx", "-batch", "-ex", "set architecture riscv:rv64"]);
    gdb.args(["-ex", &format!("target remote {}", server.address)]);
    for command in commands {
        gdb.args(["-ex", command]);
    }
    match gdb.stdin(Stdio::null()).output() {
        Err(error) => {
            eprintln!("skipped: gdb-multiarch cannot be run: {error}");
            None
        }
        Ok(output) => {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            Some(text(&output.stdout) + &text(&output.stderr))
        }
    }
}

/// Each text is there, after the one before.
#[track_caller]
fn in_order(output: &str, texts: &[&str]) {
    let mut rest = output;
    for text in texts {
        match rest.split_once(text) {
            Some((_, after)) => rest = after,
            None => panic!("{text:?} is missing in order:\n{output}"),
        }
    }
}

#[test]
fn breakpoints_and_changes() {
    let server = Server::new(COUNT);
    let commands = [
        "break *0x1018",
        "hbreak *0x101c",
        "continue",
        "info registers",
        "x/4i $pc",
        "stepi",
        "stepi",
        "print $a0",
        "x/1gx 0x2000",
        "set $a0 = 5",
        "print $a0",
        "set {int}0x2008 = 7",
        "x/1gx 0x2008",
        "delete 1",
        "continue",
        "print $a0",
        "print $a2",
        "continue",
    ];
    let Some(output) = gdb(&server, &commands) else { return };
    in_order(
        &output,
        &[
            "Breakpoint 1, 0x0000000000001018",
            "\nra ",
            "\nt0             0x2000",
            "\na0             0x1",
            "\na1             0xa",
            "\npc             0x1018",
            "=> 0x1018:\tbne\ta0,a1,0x100c",
            "0x101c:\tli\ta7,93",
            "0x1020:\tli\ta0,0",
            "0x1024:\tecall",
            "0x000000000000100c in",
            "0x0000000000001010 in",
            "$1 = 2",
            "0x2000:\t0x0000000000000001",
            "$2 = 5",
            "0x2008:\t0x0000000000000007",
            "Breakpoint 2, 0x000000000000101c",
            "$3 = 10",
            "$4 = 7",
            "[Inferior 1 (process 1) exited normally]",
        ],
    );
    assert_eq!(server.end().unwrap(), End::Exited(0));
}

#[test]
fn watchpoints() {
    let server = Server::new(COUNT);
    let commands = [
        "watch *(long*)0x2000",
        "continue",
        "continue",
        "delete 1",
        "rwatch *(long*)0x2008",
        "continue",
        "delete 2",
        "awatch *(long*)0x2000",
        "continue",
        "x/1i $pc",
        "detach",
    ];
    let Some(output) = gdb(&server, &commands) else { return };
    in_order(
        &output,
        &[
            "Hardware watchpoint 1: *(long*)0x2000",
            "Old value = 0",
            "New value = 1",
            "0x0000000000001014",
            "Old value = 1",
            "New value = 2",
            "Hardware read watchpoint 2: *(long*)0x2008",
            "Value = 0",
            "0x0000000000001018",
            "Hardware access (read/write) watchpoint 3: *(long*)0x2000",
            "Old value = 2",
            "New value = 3",
            "=> 0x1014:\tld\ta2,8(t0)",
            "detached]",
        ],
    );
    assert_eq!(server.end().unwrap(), End::Detached);
}

#[test]
fn kill() {
    let server = Server::new(COUNT);
    let Some(output) = gdb(&server, &["stepi", "kill"]) else { return };
    in_order(&output, &["0x0000000000001004 in", "killed]"]);
    assert_eq!(server.end().unwrap(), End::Killed);
}
