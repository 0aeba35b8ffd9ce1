//! The server of the real binary: its own page is answered, nothing else.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use isadl_test_support::root;

use crate::cli::binary;

/// A running server, ended with the test.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start() -> Server {
        let mut child = Command::new(binary())
            .args(["serve", "--port", "0", "spec/simt"])
            .current_dir(root())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let mut line = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let port =
            line.trim().trim_end_matches('/').rsplit(':').next().and_then(|n| n.parse().ok());
        Server { child, port: port.expect("a port") }
    }

    /// The status and the whole answer to a request.
    fn send(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let request = request.replace("PORT", &self.port.to_string());
        stream.write_all(request.as_bytes()).expect("it is sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or(0), answer)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn get(path: &str, host: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n")
}

fn post(body: &str, kind: &str, more: &str) -> String {
    format!(
        "POST /ask HTTP/1.1\r\nHost: localhost:PORT\r\nConnection: close\r\nContent-Type: {kind}\r\n\
         Content-Length: {}\r\n{more}\r\n{body}",
        body.len()
    )
}

#[test]
fn the_page_and_its_questions_are_answered_and_nothing_else() {
    let server = Server::start();
    let here = "127.0.0.1:PORT";
    for (path, kind) in
        [("/", "text/html"), ("/app.js", "text/javascript"), ("/app.css", "text/css")]
    {
        let (status, text) = server.send(&get(path, here, ""));
        assert_eq!(status, 200, "{path}");
        let head = text.split("\r\n\r\n").next().unwrap_or_default().to_lowercase();
        assert!(
            head.contains(kind) && head.contains("content-security-policy: default-src 'none'"),
            "{head}"
        );
        assert!(!head.contains("access-control"), "{head}");
    }
    for path in ["/../Cargo.toml", "/page/app.js", "/..%2fCargo.toml", "//etc/hostname", "/ask"] {
        assert!(matches!(server.send(&get(path, here, "")).0, 400 | 404 | 405), "{path}");
    }
    assert_eq!(server.send(&get("/", "example.com:PORT", "")).0, 403);
    assert_eq!(server.send(&get("/", "localhost", "")).0, 403);
    assert_eq!(server.send(&get("/", here, "Origin: http://example.com\r\n")).0, 403);

    let question = r#"{"set":0,"ask":{"kind":"word","text":"0x1c3e000000000000000201007500"}}"#;
    let json = "application/json";
    let (status, text) = server.send(&post(question, json, "Origin: http://localhost:PORT\r\n"));
    assert!(status == 200 && text.contains("IADD R0, R1, -R2"), "{text}");
    assert_eq!(server.send(&post(question, json, "Origin: http://localhost:1\r\n")).0, 403);
    assert_eq!(server.send(&post(question, json, "Sec-Fetch-Site: cross-site\r\n")).0, 403);
    // A form on another page cannot send a question.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        assert_eq!(server.send(&post(question, kind, "")).0, 415, "{kind}");
    }
    for broken in [
        "",
        "{",
        "[]",
        "{\"ask\":{\"kind\":\"delete\"}}",
        "{\"set\":-1,\"ask\":{\"kind\":\"sets\"}}",
    ] {
        let (status, text) = server.send(&post(broken, json, ""));
        assert!(status == 400 && text.contains("\"error\""), "{text}");
    }
    assert_eq!(server.send(&post(r#"{"set":7,"ask":{"kind":"check"}}"#, json, "")).0, 422);
}

#[test]
fn what_cannot_be_served_is_wrong_usage() {
    let server = Server::start();
    let status = |arguments: &[&str]| {
        let made = Command::new(binary()).args(arguments).current_dir(root()).output();
        made.expect("the binary runs").status.code()
    };
    assert_eq!(status(&["serve", "nowhere"]), Some(2));
    assert_eq!(status(&["serve", "-"]), Some(2));
    assert_eq!(status(&["serve", "spec/simt", "--port", &server.port.to_string()]), Some(2));
}

#[test]
fn many_connections_and_slow_requests_do_not_stop_the_server() {
    let server = Server::start();
    let connect = || TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
    let idle: Vec<TcpStream> = (0..300).map(|_| connect()).collect();
    // Those beyond the limit are refused at once.
    let mut last = idle.last().expect("many");
    last.set_read_timeout(Some(std::time::Duration::from_secs(20))).expect("a time");
    let mut answer = String::new();
    last.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    drop(idle);
    let ready = || server.send(&get("/", "127.0.0.1:PORT", "")).0 == 200;
    let pause = || std::thread::sleep(std::time::Duration::from_millis(50));
    assert!((0..200).any(|_| ready() || (pause(), false).1), "the connections are over");

    // Bodies that never come do not keep others waiting.
    let mut slow: Vec<TcpStream> = (0..20).map(|_| connect()).collect();
    for stream in &mut slow {
        let head = format!(
            "POST /ask HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\n\
             Content-Length: 100\r\n\r\n{{",
            server.port
        );
        stream.write_all(head.as_bytes()).expect("it is sent");
    }
    let question = post(r#"{"ask":{"kind":"sets"}}"#, "application/json", "");
    assert_eq!(server.send(&question).0, 200);
}

#[test]
fn requests_have_limits() {
    let server = Server::start();
    let head = |more: &str| {
        format!(
            "POST /ask HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Type: application/json\r\n{more}\r\n"
        )
    };
    for (request, status) in [
        (head("Content-Length: 99999999999\r\n"), 413),
        (head("Content-Length: 99999999999999999999999999\r\n"), 413),
        (head("Content-Length: -1\r\n"), 400),
        (head("Content-Length: 1\r\nContent-Length: 2\r\n"), 400),
        (head("Transfer-Encoding: chunked\r\n"), 411),
        (format!("GET /{} HTTP/1.1\r\n", "x".repeat(100_000)), 431),
        (head(&"A: b\r\n".repeat(1000)), 431),
        ("nonsense\r\n\r\n".to_string(), 400),
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
        let request = request.replace("PORT", &server.port.to_string());
        // The server may answer before it has read everything.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        // A connection that is closed with bytes unread may lose the answer.
        let is_lost = answer.is_empty() && request.len() > 4096;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")) || is_lost,
            "{status}: {answer}"
        );
    }
    assert_eq!(server.send(&get("/", "127.0.0.1:PORT", "")).0, 200);
}

#[test]
fn large_programs_are_refused() {
    let server = Server::start();
    let sections: String =
        (0..8).map(|at| format!(".section s{at}, \\\"a\\\"\\n.space 0x3fffffff\\n")).collect();
    for (program, message) in [
        (".rept 5000000\\n.byte 1\\n.endr\\n".to_string(), "more than 100000 statements"),
        (".space 0x3fffffff\\n".repeat(8), "more than 1 GiB"),
        (sections, "more than 1 GiB"),
        (".space 0x3000000\\n".to_string(), "the maximum is 16777216"),
        (".rept 90000\\n.space 4095\\n.endr\\n".to_string(), "more than 16777216 bytes"),
    ] {
        let body = format!(r#"{{"set":0,"ask":{{"kind":"program","text":"{program}"}}}}"#);
        let (status, answer) = server.send(&post(&body, "application/json", ""));
        assert!(status == 200 && answer.contains(message), "{message}: {answer}");
    }
}

/// A question that compiles for long, and whose client leaves, does not keep the next one waiting.
#[test]
fn slow_questions_do_not_block_others() {
    let server = Server::start();
    let opcodes: String = (0..3000)
        .map(|at| {
            format!(
                "__DefOpcode OP{at} : [ALL]\\n  __Encoding\\n    field<0, 16> Code code == {at};\\n    \
                 field<16, 16> Code x;\\n  __OperandInfo\\n    Operands<x>;\\n"
            )
        })
        .collect();
    let large = format!(
        "__DefIsa L<32>\\n__DefImmediate Code<16>\\n    Number = unsigned;\\n__DefGroup ALL : []\\n{opcodes}"
    );
    for at in 0..20 {
        let body =
            format!(r#"{{"texts":{{"a.isa":"// {at}\n{large}"}},"ask":{{"kind":"check"}}}}"#);
        let body = body.replace('\n', "\\n");
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
        let request = post(&body, "application/json", "").replace("PORT", &server.port.to_string());
        stream.write_all(request.as_bytes()).expect("it is sent");
        // The client leaves.
    }
    let start = std::time::Instant::now();
    let line = r#"{"set":0,"ask":{"kind":"line","text":"IADD R0, R1, -R2"}}"#;
    let (status, answer) = server.send(&post(line, "application/json", ""));
    assert!(status == 200 && answer.contains("bytes"), "{answer}");
    // All of them one after the other would take far longer.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
