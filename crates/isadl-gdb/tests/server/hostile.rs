//! Clients that send what they should not.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use isadl_gdb::{End, Error};

use crate::client::{Client, frame};
use crate::toy::{COUNT, FOREVER, Server};

/// Sends bytes, reads what comes until the server closes or says nothing for a moment, and closes.
fn send(address: SocketAddr, bytes: &[u8]) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut reader = stream.try_clone().unwrap();
    let reads = std::thread::spawn(move || {
        let mut sink = [0; 4096];
        while matches!(reader.read(&mut sink), Ok(1..)) {}
    });
    // The server may close in between.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    reads.join().unwrap();
}

/// A server that gets these bytes ends, or goes on with the next debugger. Then a new one works.
fn survives(program: &'static [u32], bytes: &[u8]) {
    let server = Server::new(program);
    send(server.address, bytes);
    // If it still waits for a debugger, it gets one.
    if let Ok(mut stream) = TcpStream::connect(server.address) {
        let _ = stream.write_all(&frame(b"k"));
    }
    let end = server.end();
    assert!(
        matches!(end, Ok(_) | Err(Error::Closed | Error::Io(_) | Error::Protocol(_))),
        "{end:?}"
    );
}

fn plain_client_works() {
    let server = Server::new(COUNT);
    let mut client = Client::new(server.address);
    assert_eq!(client.ask("c"), "W00");
    assert_eq!(server.end().unwrap(), End::Exited(0));
}

/// Numbers without a pattern, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

#[test]
fn random_bytes() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..100 {
        let length = random.below(2000);
        let mut bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        if random.below(4) > 0 {
            bytes.insert(0, b"+$\x03"[random.below(3)]);
        }
        survives(COUNT, &bytes);
    }
    plain_client_works();
}

#[test]
fn random_commands() {
    const STARTS: &[&str] = &[
        "?",
        "D",
        "g",
        "G",
        "Hg",
        "Hc",
        "m",
        "M",
        "X",
        "p",
        "P",
        "c",
        "s",
        "vCont",
        "vCont;",
        "vCont;c",
        "vCont;r",
        "vCont;C",
        "T",
        "vKill",
        "qSupported",
        "qSupported:",
        "qAttached",
        "qfThreadInfo",
        "qXfer:features:read",
        "qXfer:features:read:target.xml:",
        "QStartNoAckMode",
        "z0,",
        "Z0,",
        "Z1,",
        "Z2,",
        "Z3,",
        "Z4,",
        "Z9,",
        "qC",
        "vFile:open",
        "vRun",
        "qRcmd,",
        "bs",
        "QTDP",
        "R",
        "!",
        "vMustReplyEmpty",
    ];
    const PARTS: &[&str] = &[
        "0",
        "1",
        "5",
        "4",
        "1000",
        "2000",
        "2fff",
        "ffffffff",
        "ffffffffffffffff",
        "10000000000000000",
        "-1",
        "p",
        "p1.1",
        "p0.-1",
        ",",
        ":",
        ";",
        "=",
        ".",
        "+",
        "-",
        "x",
        "}",
        "*",
        "c",
        "s",
        "r",
        "t",
        "00",
        "target.xml",
        "7fffffffffffffff",
        "\u{7f}",
        "multiprocess+",
    ];
    let mut random = Random(0x1234_5678_9abc_def1);
    for round in 0..600 {
        let mut bytes = Vec::new();
        for _ in 0..1 + random.below(4) {
            let mut command = STARTS[random.below(STARTS.len())].to_string();
            for _ in 0..random.below(7) {
                command.push_str(PARTS[random.below(PARTS.len())]);
            }
            bytes.extend(frame(command.as_bytes()));
        }
        survives(if round % 4 == 0 { FOREVER } else { COUNT }, &bytes);
    }
    plain_client_works();
}

#[test]
fn broken_packets() {
    let long = vec![b'a'; 1 << 20];
    let (framed, endless) = (frame(&long), [b"$", &long[..]].concat());
    let written = frame(&[b"M2000,ffffffff:".as_slice(), &long[..16000]].concat());
    let cases: &[&[u8]] = &[
        b"",
        b"$",
        b"$g",
        b"$g#",
        b"$g#6",
        b"+$m1000",
        b"$#",
        b"$#zz",
        b"$m1000,4#zz",
        b"-",
        b"+-",
        b"++++",
        &framed,
        &endless,
        &written,
        &frame(b"m1000,ffffffffffffffff"),
        &frame(b"m1000,fffffffffffffffff"),
        &frame(b"m1000,ffffffff,"),
        &frame(b"m"),
        &frame(b"mfffffffffffffff0,1000"),
        &frame(b"Mffffffffffffffff,2:0000"),
        &frame(b"qXfer:features:read:target.xml:ffffffffffffffff,ffffffffffffffff"),
        &frame(b"qXfer:features:read:other.xml:0,10"),
        &frame(b"qXfer:features:read:"),
        &frame(b"Z2,0,ffffffffffffffff"),
        &frame(b"z2,ffffffffffffffff,ffffffffffffffff"),
        &frame(b"vCont;r0,ffffffffffffffff"),
        &frame(b"X2000,1:}"),
    ];
    for case in cases {
        survives(COUNT, case);
        survives(FOREVER, &[&frame(b"c"), *case].concat());
    }
    plain_client_works();
}

#[test]
fn damaged_packets_are_asked_for_again() {
    let server = Server::new(COUNT);
    let mut client = Client::new(server.address);
    client.send(b"$m1000,4#00");
    assert_eq!(client.byte(), b'-');
    assert_eq!(client.ask("m1000,4"), "13050000");
}

#[test]
fn others_are_sent_away() {
    let server = Server::new(COUNT);
    // Somebody who only looks, and a page in a browser.
    drop(TcpStream::connect(server.address).unwrap());
    let request = [b"POST / HTTP/1.1\r\n\r\n".as_slice(), &frame(b"M2000,1:ff")].concat();
    send(server.address, &request);
    let mut client = Client::new(server.address);
    assert_eq!(client.ask("m2000,1"), "00");
    // The next debugger waits.
    let waits = TcpStream::connect(server.address).unwrap();
    assert_eq!(client.ask("c"), "W00");
    drop(waits);
    assert_eq!(server.end().unwrap(), End::Exited(0));
}

#[test]
fn answers_that_nobody_reads() {
    let server = Server::new(COUNT);
    let mut client = Client::new(server.address);
    client.stream.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
    let question = frame(b"qXfer:features:read:target.xml:0,ffff").repeat(1000);
    // Until neither side takes more.
    while client.stream.write_all(&question).is_ok() {}
    assert!(matches!(server.end(), Err(Error::Io(_))));
}
