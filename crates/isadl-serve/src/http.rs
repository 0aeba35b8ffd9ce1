//! The server: the files of the page, and questions as JSON.
//!
//! A page on the same machine has few connections, so each has a thread. An attacker on the machine, or a page that
//! asks too much, could exhaust resources. These are limited: connections, bytes and time of requests, and questions in
//! progress at the same time. A question whose client has left before its turn is dropped.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::guard::is_own;
use crate::question::{Question, Request};
use crate::request::{Head, Unread, is_waiting, read};
use crate::service::Service;
use crate::turns::Turns;

/// Limit on connections at the same time.
const MOST_CONNECTIONS: usize = 64;

/// How long writing a piece of an answer may take.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// How long to wait when the system has no more connections.
const PAUSE: Duration = Duration::from_millis(50);

/// The port where none is asked for.
const USUAL_PORT: u16 = 4732;

/// The policy for pages of this server: they can only show content from this server. The editor writes its styles
/// itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The files of the page, with their types.
const FILES: [(&str, &str, &str); 5] = [
    ("/", "text/html; charset=utf-8", include_str!("page/index.html")),
    ("/app.js", "text/javascript; charset=utf-8", include_str!("page/app.js")),
    ("/app.css", "text/css; charset=utf-8", include_str!("page/app.css")),
    ("/licences.txt", "text/plain; charset=utf-8", include_str!("page/licences.txt")),
    ("/icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
];

/// Where to listen on the loopback interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortChoice {
    /// The usual port, or any if it is taken.
    Any,
    /// This port.
    Port(u16),
}

/// Serves the page until the process ends. Calls `ready` with the address once the server listens.
///
/// # Errors
///
/// If the port is taken.
pub fn serve(
    service: Service,
    place: PortChoice,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let listener = listen(place)?;
    let address = listener.local_addr()?;
    ready(address);
    let workers = std::thread::available_parallelism().map_or(2, |count| count.get().clamp(2, 8));
    let server = Arc::new(Server {
        service,
        port: address.port(),
        turns: Turns::new(workers),
        connections: AtomicUsize::new(0),
    });
    loop {
        match listener.accept() {
            Ok((stream, _)) => server.connect(stream),
            // The system may have run out of something that the next connection needs.
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

fn listen(place: PortChoice) -> io::Result<TcpListener> {
    let at = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    match place {
        PortChoice::Port(port) => at(port).map_err(|error| {
            io::Error::new(error.kind(), format!("port {port} cannot be used: {error}"))
        }),
        PortChoice::Any => at(USUAL_PORT).or_else(|_| at(0)),
    }
}

struct Server {
    service: Service,
    port: u16,
    /// Turns of questions that take a while.
    turns: Turns,
    connections: AtomicUsize,
}

/// The response.
struct Answer {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
}

/// Counts as a connection as long as this lives, however the connection ends.
struct Connected(Arc<Server>);

impl Connected {
    fn new(server: &Arc<Server>) -> Connected {
        server.connections.fetch_add(1, Ordering::Relaxed);
        Connected(Arc::clone(server))
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Server {
    /// Answers a connection on a thread of its own, or refuses it if there are too many.
    fn connect(self: &Arc<Server>, mut stream: TcpStream) {
        let _ = stream.set_write_timeout(Some(WRITE_TIME));
        let place = Connected::new(self);
        if self.connections.load(Ordering::Relaxed) > MOST_CONNECTIONS {
            let _ = text(503, "too many connections\n").send(&mut stream);
            return;
        }
        // Where there is no thread, the connection is closed.
        let _ = std::thread::Builder::new().spawn(move || {
            if let Some(answer) = place.0.answer(&mut stream) {
                let _ = answer.send(&mut stream);
            }
        });
    }

    /// The answer to the request of a connection; `None` if nobody waits for it.
    fn answer(&self, stream: &mut TcpStream) -> Option<Answer> {
        let (head, body) = match read(stream, |head| self.judge(head)) {
            Ok(request) => request,
            Err(Unread(status)) => return Some(text(status, reason(status))),
        };
        let path = head.path.split('?').next().unwrap_or_default();
        if path == "/ask" {
            return self.ask(stream, &body);
        }
        let file = FILES.iter().find(|(known, ..)| *known == path);
        Some(file.map_or_else(
            || text(404, "there is no such page\n"),
            |(_, kind, content)| Answer { status: 200, kind, body: content.as_bytes().to_vec() },
        ))
    }

    /// Refuses requests that the page did not make.
    fn judge(&self, head: &Head) -> Result<(), Unread> {
        if !is_own(head, self.port) {
            return Err(Unread(403));
        }
        let is_question = head.path.split('?').next() == Some("/ask");
        match head.method.as_str() {
            "GET" if !is_question => Ok(()),
            "POST" if is_question => {
                // Forms of other pages cannot have this type.
                let mut kinds = head.all("content-type");
                let kind = kinds.next().and_then(|kind| kind.split(';').next());
                if kind == Some("application/json") { Ok(()) } else { Err(Unread(415)) }
            }
            _ => Err(Unread(405)),
        }
    }

    /// Answers a question.
    fn ask(&self, stream: &TcpStream, body: &[u8]) -> Option<Answer> {
        let question: Question = match serde_json::from_slice(body) {
            Ok(question) => question,
            Err(error) => return Some(refused(400, &error.to_string())),
        };
        // Questions that only look at files do not wait for questions that compile.
        let is_quick = matches!(question.ask, Request::Sets | Request::Open | Request::Stamp);
        let _turn = match is_quick {
            true => None,
            false => Some(self.turns.take(|| is_waiting(stream))?),
        };
        // A question must not end the server.
        let answer = catch_unwind(AssertUnwindSafe(|| self.service.answer(&question)));
        Some(match answer {
            Ok(Ok(answer)) => said(200, &answer),
            Ok(Err(refusal)) => refused(422, &refusal.0),
            Err(_) => refused(500, "the question ended the compiler"),
        })
    }
}

impl Answer {
    /// Sends the response, with the page's policy.
    fn send(&self, stream: &mut TcpStream) -> io::Result<()> {
        let head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\n\
             Referrer-Policy: no-referrer\r\nCache-Control: no-store\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
            self.status,
            reason(self.status).trim_end(),
            self.kind,
            self.body.len(),
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(&self.body)?;
        stream.flush()
    }
}

fn refused(status: u16, why: &str) -> Answer {
    said(status, &json!({ "error": why }))
}

fn said(status: u16, answer: &Value) -> Answer {
    Answer { status, kind: "application/json", body: answer.to_string().into_bytes() }
}

fn text(status: u16, why: &str) -> Answer {
    match status {
        403 => plain(status, "this server answers its own page only\n"),
        415 => refused(status, "questions are application/json"),
        _ => plain(status, why),
    }
}

fn plain(status: u16, why: &str) -> Answer {
    Answer { status, kind: "text/plain; charset=utf-8", body: why.as_bytes().to_vec() }
}

/// The words for a status.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK\n",
        400 => "Bad Request\n",
        403 => "Forbidden\n",
        404 => "Not Found\n",
        405 => "Method Not Allowed\n",
        408 => "Request Timeout\n",
        411 => "Length Required\n",
        413 => "Content Too Large\n",
        415 => "Unsupported Media Type\n",
        422 => "Unprocessable Content\n",
        431 => "Request Header Fields Too Large\n",
        503 => "Service Unavailable\n",
        _ => "Internal Server Error\n",
    }
}
