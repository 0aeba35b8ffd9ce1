//! An editor: it starts the language server, and asks.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::binary;

pub(super) struct Client {
    process: Child,
    input: Option<ChildStdin>,
    output: Receiver<Value>,
    next: u64,
    pub(super) folder: PathBuf,
    /// The findings that were shown last, by file.
    pub(super) findings: HashMap<String, Vec<Value>>,
    pub(super) capabilities: Value,
}

impl Client {
    /// Starts the server for a folder of these files.
    pub(super) fn start(name: &str, files: &[(&str, &str)]) -> Client {
        let folder = std::env::temp_dir().join(format!("isadl lsp {name} {}", std::process::id()));
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
            std::fs::write(path, text).expect("writable");
        }
        let mut process = Command::new(binary())
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = process.stdin.take();
        let output = messages(process.stdout.take().expect("a pipe"));
        let (findings, capabilities) = (HashMap::new(), Value::Null);
        let mut client = Client { process, input, output, next: 0, folder, findings, capabilities };
        let about = client.request("initialize", &json!({ "capabilities": {} }));
        client.capabilities = about["capabilities"].clone();
        client.notify("initialized", &json!({}));
        client
    }

    pub(super) fn uri(&self, name: &str) -> String {
        format!("file://{}", self.folder.join(name).display()).replace(' ', "%20")
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("the session goes on");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        input.flush().expect("the server reads");
    }

    /// Sends bytes as they are.
    pub(super) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the session goes on");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    /// Sends a text as a message.
    pub(super) fn send_text(&mut self, text: &str) {
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    /// The status of the server when it has ended.
    pub(super) fn status(mut self) -> Option<i32> {
        self.process.wait().expect("it ends").code()
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub(super) fn receive(&mut self) -> Value {
        let message = self.output.recv_timeout(PATIENCE);
        let message = message.unwrap_or_else(|why| panic!("{why}: {:?}", self.findings));
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            let uri = params["uri"].as_str().expect("a URI").to_string();
            let found = params["diagnostics"].as_array().expect("a list").clone();
            self.findings.insert(uri, found);
        }
        message
    }

    /// The answer to a request: what it is, or an error.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(error["message"].as_str().expect("a text").to_string()),
                    None => Ok(message["result"].clone()),
                };
            }
        }
    }

    pub(super) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.ask(method, params).expect("an answer")
    }

    pub(super) fn open(&mut self, name: &str, text: &str) {
        let uri = self.uri(name);
        let document = json!({ "uri": uri, "languageId": "isadl", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    /// Replaces the whole text of a file in the editor.
    pub(super) fn change(&mut self, name: &str, text: &str) {
        let document = json!({ "uri": self.uri(name), "version": 2 });
        let changes = json!([{ "text": text }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", &params);
    }

    /// Waits until the findings of a file are these codes.
    pub(super) fn wait_for(&mut self, name: &str, codes: &[&str]) {
        let uri = self.uri(name);
        loop {
            let is_it = |found: &Vec<Value>| {
                let own = found.iter().map(|finding| finding["code"].as_str().expect("a code"));
                own.eq(codes.iter().copied())
            };
            if self.findings.get(&uri).is_some_and(is_it) {
                return;
            }
            self.receive();
        }
    }

    /// The position of a text that occurs once in a file, moved by a number of characters.
    pub(super) fn at(&self, name: &str, wanted: &str, after: u64) -> Value {
        let text = std::fs::read_to_string(self.folder.join(name)).expect("readable");
        let position = place(&text, wanted, after);
        json!({ "textDocument": { "uri": self.uri(name) }, "position": position })
    }

    /// Ends the session as the protocol wants.
    pub(super) fn end(mut self) {
        self.request("shutdown", &Value::Null);
        self.end_after_shutdown();
    }

    /// Ends a session that was shut down.
    pub(super) fn end_after_shutdown(mut self) {
        self.notify("exit", &Value::Null);
        self.input = None;
        assert!(self.process.wait().expect("it ends").success());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// How long a message may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The messages of the server, read by a thread of their own.
fn messages(output: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Some(message) = message(&mut output) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The next message; `None` at the end.
fn message(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", number)) => length = number.parse().expect("a number"),
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).expect("JSON"))
}

/// The position of a text that occurs once, moved by a number of characters.
pub(super) fn place(text: &str, wanted: &str, after: u64) -> Value {
    assert_eq!(text.matches(wanted).count(), 1, "`{wanted}`");
    let at = text.find(wanted).expect("it is there");
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let character = text[start..at].encode_utf16().count() as u64 + after;
    json!({ "line": line, "character": character })
}

/// A text after changes, as `(start, end, text)` in places that do not overlap.
pub(super) fn changed(text: &str, edits: &[Value]) -> String {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let offset = |position: &Value| {
        let line = position["line"].as_u64().expect("a number") as usize;
        let character = position["character"].as_u64().expect("a number") as usize;
        starts.get(line).map_or(text.len(), |start| start + character)
    };
    let mut places: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().expect("a text");
            (offset(&range["start"]), offset(&range["end"]), new)
        })
        .collect();
    places.sort_unstable();
    let mut made = text.to_string();
    for (start, end, new) in places.into_iter().rev() {
        made.replace_range(start..end, new);
    }
    made
}

pub(super) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("readable")
}
