//! One debugger, from its first packet to the last.

use std::convert::Infallible;
use std::io;
use std::net::TcpStream;

use gdbstub::common::Signal;
use gdbstub::conn::Connection;
use gdbstub::stub::state_machine::GdbStubStateMachine as State;
use gdbstub::stub::{DisconnectReason, GdbStub, GdbStubError};

use crate::link::{Input, Output, Packet, framed};
use crate::target::{Number, Target, signal};
use crate::{Description, End, Error, Machine};

/// The size of packets if registers need no more: the longest packets have all registers.
const SIZE: usize = 16 << 10;
/// What is around a command: `$`, `#` and two digits.
const FRAME: usize = 4;

type Session<'a, 'b> = State<'a, Target<'b>, Output>;

impl From<GdbStubError<Infallible, io::Error>> for Error {
    fn from(error: GdbStubError<Infallible, io::Error>) -> Error {
        let reason = error.to_string();
        match error.into_connection_error() {
            Some((error, _)) => Error::Io(error),
            None => Error::Protocol(reason),
        }
    }
}

pub(crate) fn serve(
    machine: &mut dyn Machine,
    description: &Description,
    stream: TcpStream,
) -> Result<End, Error> {
    let mut target = Target::new(machine, description);
    let size = SIZE.max(2 * target.size() + 2 * FRAME);
    let mut input = Input::new(stream.try_clone()?, size - FRAME);
    let mut buffer = vec![0; size];
    let stub = GdbStub::builder(Output::new(stream)?).with_packet_buffer(&mut buffer).build();
    let stub = stub.map_err(|error| Error::Protocol(error.to_string()))?;
    let mut state = stub.run_state_machine(&mut target)?;
    loop {
        state = match state {
            State::Idle(_) => match input.wait()? {
                // The program does not run.
                Packet::Interrupt => state,
                packet => take(state, &mut target, packet, size)?,
            },
            State::Running(running) => match input.poll()? {
                Some(packet) => take(State::Running(running), &mut target, packet, size)?,
                None => match target.advance() {
                    Some(stop) => {
                        let register = target.expedited();
                        let mut register = register
                            .iter()
                            .map(|(number, bytes)| (Number(*number), bytes.as_slice()));
                        running.report_stop_with_regs(&mut target, stop, &mut register)?
                    }
                    None => State::Running(running),
                },
            },
            State::CtrlCInterrupt(interrupted) => {
                interrupted.interrupt_handled(&mut target, Some(signal(Signal::SIGINT.0)))?
            }
            State::Disconnected(left) => {
                let end = match left.get_reason() {
                    DisconnectReason::TargetExited(status) => End::Exited(status),
                    DisconnectReason::Disconnect => End::Detached,
                    DisconnectReason::Kill | DisconnectReason::TargetTerminated(_) => End::Killed,
                };
                input.close();
                return Ok(end);
            }
        };
    }
}

/// Gives a packet to the protocol.
fn take<'a, 'b>(
    mut state: Session<'a, 'b>,
    target: &mut Target<'b>,
    packet: Packet,
    size: usize,
) -> Result<Session<'a, 'b>, Error> {
    let answer = matches!(&packet, Packet::Command(command) if command.starts_with(b"vKill"));
    let bytes = match packet {
        Packet::Command(command) => framed(&limited(command, size / 2)?),
        Packet::Interrupt => vec![3],
        Packet::Damaged => {
            let output = output(&mut state);
            output.write(b'-')?;
            output.flush()?;
            return Ok(state);
        }
    };
    // Only the last byte changes the state.
    for byte in bytes {
        state = match state {
            State::Idle(idle) => idle.incoming_data(target, byte)?,
            State::Running(running) => running.incoming_data(target, byte)?,
            State::CtrlCInterrupt(_) | State::Disconnected(_) => state,
        };
    }
    // `gdbstub` does not answer it, as if it were the older `k`.
    if answer && matches!(state, State::Disconnected(_)) {
        output(&mut state).write_all(&framed(b"OK"))?;
    }
    // A packet that lets the program run is acknowledged, but has no answer yet.
    output(&mut state).flush()?;
    Ok(state)
}

fn output<'c>(state: &'c mut Session<'_, '_>) -> &'c mut Output {
    match state {
        State::Idle(state) => state.borrow_conn(),
        State::Running(state) => state.borrow_conn(),
        State::CtrlCInterrupt(state) => state.borrow_conn(),
        State::Disconnected(state) => state.borrow_conn(),
    }
}

/// The same command, but one that reads memory reads at most this many bytes: the debugger can ask for the rest. `gdbstub` would read as
/// many as it is told, in parts, and add to the address beyond its end.
fn limited(command: Vec<u8>, most: usize) -> Result<Vec<u8>, Error> {
    if !command.starts_with(b"m") {
        return Ok(command);
    }
    let (address, length) = memory_read(&command)
        .ok_or_else(|| Error::Protocol("memory cannot be read at what is no address".into()))?;
    Ok(format!("m{address:x},{:x}", length.min(most as u64)).into_bytes())
}

fn memory_read(command: &[u8]) -> Option<(u64, u64)> {
    let (address, length) = str::from_utf8(command).ok()?.strip_prefix('m')?.split_once(',')?;
    Some((u64::from_str_radix(address, 16).ok()?, u64::from_str_radix(length, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_reads_are_limited() {
        let limited = |command: &str| limited(command.into(), 0x100).ok();
        assert_eq!(limited("m1000,ffffffffffffffff").unwrap(), b"m1000,100");
        assert_eq!(limited("m1000,8").unwrap(), b"m1000,8");
        assert_eq!(limited("M1000,1:00").unwrap(), b"M1000,1:00");
        // `gdbstub` would understand these.
        assert_eq!(limited("m1000,ffffffff,"), None);
        assert_eq!(limited("mx,ffffffff"), None);
    }
}
