//! The server: the files of the page, and questions as JSON.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::desk::Desk;
use crate::guard::is_own;
use crate::question::Question;

/// Largest question, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// The port where none is asked for.
const USUAL_PORT: u16 = 4732;

/// What pages of this server may do: nothing but show what comes from it. The editor writes its styles itself.
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
pub enum Place {
    /// The usual port, or any if it is taken.
    Any,
    /// This port.
    Port(u16),
}

/// Serves the page until the process ends. `ready` is called with the address once it is there.
///
/// # Errors
///
/// If the port is taken.
pub fn serve(desk: Desk, place: Place, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = listen(place).await?;
        let address = listener.local_addr()?;
        ready(address);
        axum::serve(listener, router(desk, address.port())).await
    })
}

async fn listen(place: Place) -> io::Result<TcpListener> {
    let at = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    match place {
        Place::Port(port) => at(port).await.map_err(|error| {
            io::Error::new(error.kind(), format!("port {port} cannot be used: {error}"))
        }),
        Place::Any => match at(USUAL_PORT).await {
            Ok(listener) => Ok(listener),
            Err(_) => at(0).await,
        },
    }
}

fn router(desk: Desk, port: u16) -> Router {
    let mut router = Router::new().route("/ask", post(ask)).with_state(Arc::new(desk));
    for (path, kind, text) in FILES {
        router = router.route(path, get(([(header::CONTENT_TYPE, kind)], text)));
    }
    router
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(middleware::from_fn(move |request, next| guarded(port, request, next)))
}

/// Refuses what the page did not ask for, and says what the page may do.
async fn guarded(port: u16, request: Request, next: Next) -> Response {
    let mut response = match is_own(request.headers(), port) {
        true => next.run(request).await,
        false => (StatusCode::FORBIDDEN, "this server answers its own page only\n").into_response(),
    };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Answers a question.
async fn ask(State(desk): State<Arc<Desk>>, headers: HeaderMap, body: Bytes) -> Response {
    // Forms of other pages cannot have this type.
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind.is_none_or(|kind| kind.split(';').next() != Some("application/json")) {
        return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "questions are application/json");
    }
    let question: Question = match serde_json::from_slice(&body) {
        Ok(question) => question,
        Err(error) => return refused(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    // Compiling takes a while; other questions are answered meanwhile.
    match tokio::task::spawn_blocking(move || desk.answer(&question)).await {
        Ok(Ok(answer)) => said(StatusCode::OK, &answer),
        Ok(Err(refusal)) => refused(StatusCode::UNPROCESSABLE_ENTITY, &refusal.0),
        Err(_) => refused(StatusCode::INTERNAL_SERVER_ERROR, "the question ended the compiler"),
    }
}

fn refused(status: StatusCode, why: &str) -> Response {
    said(status, &json!({ "error": why }))
}

fn said(status: StatusCode, answer: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], answer.to_string()).into_response()
}
