//! The language server of isadl. Editors use it to show information about descriptions of instruction sets while they
//! are written.
//!
//! `isadl lsp` runs it over standard input and output. It reports the findings of `isadl check`. Names come from the
//! tokens of the grammar, so that they are known while a file has errors. Bit diagrams and examples come from the last
//! texts that compiled.

mod colours;
mod combinations;
mod compiled;
mod complete;
mod findings;
mod hover;
mod index;
mod items;
pub mod live;
mod lookup;
mod navigate;
mod outline;
mod programs;
mod renamed;
mod server;
mod symbols;
mod text;
mod transport;
mod worker;
mod workspace;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, mpsc};

use lsp_server::{Connection, Message};

use server::{CompiledSets, Server};
use workspace::Workspace;

/// Serves an editor over standard input and output until it ends the session.
///
/// # Errors
///
/// If the editor ends the session without having asked for it, or standard input or output fails.
pub fn run() -> io::Result<()> {
    let (connection, editor) = Connection::memory();
    let Connection { sender, receiver } = editor;
    // The thread ends with the input, which an editor may keep open, so no one waits for the thread. The session ends
    // when the input ends, for whatever reason.
    std::thread::spawn(move || drop(transport::read(|message| sender.send(message).is_ok())));
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || receiver.into_iter().try_for_each(transport::write));
        let served = serve(&connection);
        // The thread that writes ends when nothing can be sent to it.
        drop(connection);
        let written = writer.join().unwrap_or(Ok(()));
        served.and(written)
    })
}

fn serve(connection: &Connection) -> io::Result<()> {
    let failed = |error: lsp_server::ProtocolError| io::Error::other(error.to_string());
    let (id, params) = connection.initialize_start().map_err(failed)?;
    let can_refresh = params.pointer("/capabilities/workspace/codeLens/refreshSupport");
    let can_refresh = can_refresh.and_then(serde_json::Value::as_bool).unwrap_or(false);
    let about = serde_json::json!({
        "capabilities": server::capabilities(),
        "serverInfo": { "name": "isadl", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, about).map_err(failed)?;
    let (jobs, to_do) = mpsc::channel();
    let known: CompiledSets = Arc::new(Mutex::new(HashMap::new()));
    std::thread::scope(|scope| {
        let (sender, results) = (connection.sender.clone(), Arc::clone(&known));
        scope.spawn(move || {
            // The editor may be gone.
            let out = |message: Message| drop(sender.send(message));
            worker::work(&to_do, |report| {
                let is_compiled = report.compiled.is_some();
                server::publish(report, &results, &out);
                if is_compiled && can_refresh {
                    server::refreshes().into_iter().for_each(out);
                }
            });
        });
        // The jobs end with the server, and the thread with the jobs.
        let server =
            Server { connection, workspace: Workspace::default(), jobs, known, index: None };
        server.run().map_err(io::Error::other)
    })
}
