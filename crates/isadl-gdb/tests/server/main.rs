//! The server, with a toy machine: as gdb uses it, and with clients that send what they should not.

mod client;
mod debugger;
mod hostile;
mod packets;
mod toy;
