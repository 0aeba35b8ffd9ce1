#![doc = include_str!("../README.md")]

mod description;
mod link;
mod machine;
mod session;
mod target;

use std::fmt;
use std::io;
use std::net::{TcpListener, TcpStream};

pub use description::{Description, Feature, Register};
pub use machine::{Event, Machine, Stops, Watch, WatchKind};

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The program ended with this status.
    Exited(u8),
    /// The debugger left, and the program may go on.
    Detached,
    /// The debugger wants the program to end.
    Killed,
}

/// Why a session could not go on.
#[derive(Debug)]
pub enum Error {
    /// The address to listen at can be reached from other machines.
    NotLoopback,
    /// The connection failed.
    Io(io::Error),
    /// The debugger closed the connection without a farewell.
    Closed,
    /// The debugger sent what cannot be understood.
    Protocol(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotLoopback => {
                f.write_str("a debugger is served on the loopback interface only")
            }
            Error::Io(error) => write!(f, "the connection to the debugger failed: {error}"),
            Error::Closed => f.write_str("the debugger closed the connection"),
            Error::Protocol(reason) => {
                write!(f, "the debugger sent what cannot be understood: {reason}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => Some(error),
            Error::NotLoopback | Error::Closed | Error::Protocol(_) => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Io(error)
    }
}

/// Waits for a debugger, and serves it until the program ends or the debugger leaves. Others have to wait meanwhile.
///
/// The listener has to be on the loopback interface: whoever can connect can do anything with the machine.
pub fn serve(
    machine: &mut dyn Machine,
    description: &Description,
    listener: TcpListener,
) -> Result<End, Error> {
    if !listener.local_addr()?.ip().is_loopback() {
        return Err(Error::NotLoopback);
    }
    listener.set_nonblocking(false)?;
    loop {
        let (stream, _) = listener.accept()?;
        stream.set_nonblocking(false)?;
        if is_debugger(&stream) {
            return session::serve(machine, description, stream);
        }
    }
}

/// Whether a connection begins with a packet. Programs connect only to find out who listens, and pages in browsers can send requests
/// that contain packets.
fn is_debugger(stream: &TcpStream) -> bool {
    let mut first = [0];
    stream.set_read_timeout(Some(link::PATIENCE)).is_ok()
        && matches!(stream.peek(&mut first), Ok(1))
        && matches!(first, [b'+' | b'$' | 3])
        && stream.set_read_timeout(None).is_ok()
}
