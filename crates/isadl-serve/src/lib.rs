//! The page of isadl: specifications, words, programs, the encoding space and the manual, served to a browser on the
//! same machine.
//!
//! [`Service`] answers questions, without a network; [`serve`] is a server around it. Only files of the service's
//! instruction sets are read, and nothing is written. A question names files by numbers and by names that the service
//! gave, never by paths.

mod answers;
mod cache;
mod guard;
mod http;
mod manual;
mod program;
mod question;
mod request;
mod service;
mod set;
mod turns;
mod work;

pub use http::{PortChoice, serve};
pub use question::{Question, Request};
pub use service::Service;
pub use set::{Refusal, Set};
