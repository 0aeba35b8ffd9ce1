//! Single packets, and their answers.

use std::time::Duration;

use isadl_gdb::{End, Error, serve};

use crate::client::{Client, frame};
use crate::toy::{ASTRAY, COUNT, DATA, FAULTY, FOREVER, LOOP, Server, Toy, description};

#[test]
fn registers_and_memory() {
    let server = Server::new(COUNT);
    let mut client = Client::new(server.address);
    assert_eq!(client.ask("?"), "T05thread:01;");
    let all = client.ask("g");
    assert_eq!(all.len(), 33 * 16);
    assert!(all.ends_with("0010000000000000"), "{all}");
    assert_eq!(client.ask("pa"), "0000000000000000");
    assert_eq!(client.ask("Pa=0102030405060708"), "OK");
    assert_eq!(client.ask("pa"), "0102030405060708");
    // All registers at once.
    let changed = client.ask("g").replace("0102030405060708", "1122334455667788");
    assert_eq!(client.ask(&format!("G{changed}")), "OK");
    assert_eq!(client.ask("g"), changed);
    // Registers that are not there, and sizes that are wrong.
    for command in ["p21", "pffffffffffffffff", "P21=00", "Pa=00", "Pa=", "G00", "G"] {
        assert!(client.ask(command).starts_with('E'), "{command}");
    }
    assert_eq!(client.ask("g"), changed);

    assert_eq!(client.ask("m1000,8"), "13050000b7220000");
    assert_eq!(client.ask("M2000,4:01020304"), "OK");
    client.send(&frame(b"X2004,3:\x01}\x03\xff"));
    assert_eq!(client.answer(), "OK");
    assert_eq!(client.ask("m2000,8"), "010203040123ff00");
    assert_eq!(client.ask("X2000,0:"), "OK");
    // The end of memory, memory that is not there, and lengths that are too large.
    assert_eq!(client.ask("m2ffe,10"), "0000");
    for command in ["m0,4", "m3000,1", "mffffffffffffffff,ffffffffffffffff", "M2fff,2:0000"] {
        assert_eq!(client.ask(command), "E0e", "{command}");
    }
    assert_eq!(client.ask("m1000,ffffffffffffffff").len(), 2 * 0x2000);
    client.send(&frame(b"vKill;1"));
    assert_eq!(client.answer(), "OK");
    assert_eq!(server.end().unwrap(), End::Killed);
}

#[test]
fn stops() {
    let server = Server::new(COUNT);
    let mut client = Client::new(server.address);
    assert_eq!(client.ask("vCont?"), "vCont;c;C;s;S;r");
    let at = |address: u64| format!("20:{};", hex(address));
    // Two breakpoints at an address are two.
    assert_eq!(client.ask("Z0,100c,4"), "OK");
    assert_eq!(client.ask("Z1,100c,4"), "OK");
    assert_eq!(client.ask("c"), format!("T05thread:01;hwbreak:;{}", at(LOOP)));
    assert_eq!(client.ask("z1,100c,4"), "OK");
    assert_eq!(client.ask("c"), format!("T05thread:01;swbreak:;{}", at(LOOP)));
    // A step passes a breakpoint.
    assert_eq!(client.ask("s"), format!("T05thread:01;{}", at(LOOP + 4)));
    // Steps in a range end where it ends, and at breakpoints.
    assert_eq!(client.ask("vCont;r1010,1018:1"), format!("T05thread:01;{}", at(LOOP + 12)));
    assert_eq!(client.ask("vCont;r1000,2000:1"), format!("T05thread:01;swbreak:;{}", at(LOOP)));
    assert_eq!(client.ask("z0,100c,4"), "OK");
    // Watchpoints, also in steps.
    assert_eq!(client.ask("Z3,2000,8"), "OK");
    assert_eq!(client.ask("Z2,2004,2"), "OK");
    assert_eq!(client.ask("c"), format!("T05thread:01;watch:2004;{}", at(LOOP + 4)));
    // The debugger believes to be before the instruction, and steps over it.
    let registers = client.ask("g");
    assert!(registers.ends_with(&hex(LOOP + 4)));
    assert_eq!(client.ask(&format!("G{registers}")), "OK");
    assert_eq!(client.ask("z2,2004,2"), "OK");
    assert_eq!(client.ask("s"), format!("T05thread:01;{}", at(LOOP + 8)));
    assert_eq!(client.ask("z3,2000,8"), "OK");
    assert_eq!(client.ask("Z4,2008,8"), "OK");
    assert_eq!(client.ask("s"), format!("T05thread:01;awatch:2008;{}", at(LOOP + 8)));
    // It is told so until it changes the address or goes on.
    assert_eq!(client.ask(&format!("P20={}", hex(LOOP + 12))), "OK");
    assert_eq!(client.ask("p20"), hex(LOOP + 12));
    assert_eq!(client.ask("z4,2008,8"), "OK");
    // Ranges that are none.
    for command in ["Z2,2000,0", "Z2,ffffffffffffffff,2"] {
        assert_eq!(client.ask(command), "E16", "{command}");
    }
    assert_eq!(client.ask("Z2,ffffffffffffffff,1"), "OK");
    assert_eq!(client.ask("c"), "W00");
    assert_eq!(server.end().unwrap(), End::Exited(0));
}

fn hex(value: u64) -> String {
    value.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn breakpoints_are_limited() {
    let server = Server::new(COUNT);
    let mut client = Client::new(server.address);
    assert_eq!(client.ask("QStartNoAckMode"), "OK");
    let answers: Vec<String> = (0..5000).map(|n| client.ask(&format!("Z0,{n:x},4"))).collect();
    assert_eq!(answers[4095], "OK");
    assert_eq!(answers[4096], "E16");
}

#[test]
fn signals() {
    let server = Server::new(FAULTY);
    let mut client = Client::new(server.address);
    assert!(client.ask("c").starts_with("T05"));
    assert_eq!(client.ask(&format!("P20={}", hex(0x1004))), "OK");
    assert!(client.ask("s").starts_with("T04"));
    // Signals are not delivered.
    assert!(client.ask("vCont;C04:1").starts_with("T04"));
    assert_eq!(client.ask("D"), "OK");
    assert_eq!(server.end().unwrap(), End::Detached);

    let server = Server::new(ASTRAY);
    let mut client = Client::new(server.address);
    assert!(client.ask("c").starts_with("T0b"));
    client.send(&frame(b"k"));
    assert_eq!(server.end().unwrap(), End::Killed);
}

#[test]
fn interruption() {
    let server = Server::new(FOREVER);
    let mut client = Client::new(server.address);
    // It means nothing while the program stands still.
    client.send(b"\x03");
    client.send(&frame(b"vCont;c"));
    assert_eq!(client.byte(), b'+');
    client.stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(client.stream.peek(&mut [0]).is_err());
    client.stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // Packets are answered while the program runs.
    assert_eq!(client.ask(&format!("m{DATA:x},1")), "00");
    client.send(b"\x03");
    assert!(client.answer().starts_with("T02"));
    client.send(&frame(b"c"));
    // The debugger goes away while the program runs.
    drop(client);
    assert!(matches!(server.end(), Err(Error::Closed | Error::Io(_))));
}

#[test]
fn only_loopback() {
    let Ok(listener) = std::net::TcpListener::bind(("0.0.0.0", 0)) else {
        eprintln!("skipped: there is no other interface");
        return;
    };
    let end = serve(&mut Toy::new(COUNT), &description(), listener);
    assert!(matches!(end, Err(Error::NotLoopback)));
}
