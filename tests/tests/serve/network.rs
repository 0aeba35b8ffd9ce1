//! The server of the real binary: its own page is answered, nothing else.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use isadl_tests::root;

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
    // What forms of other pages can send is not a question.
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
