//! A layout for WaveDrom: a bit field of registers, starting at the lowest bit.

use std::borrow::Cow;

use serde::Serialize;

use super::layout::{Layout, Role, Segment};

#[derive(Serialize)]
struct Picture<'l> {
    reg: Vec<Part<'l>>,
    config: Config,
}

#[derive(Serialize)]
struct Part<'l> {
    bits: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'l, str>>,
    /// The colour.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    colour: Option<u32>,
}

#[derive(Serialize)]
struct Config {
    bits: u32,
    lanes: u32,
}

/// The picture as JSON.
pub(super) fn json(layout: &Layout) -> String {
    let config = Config { bits: layout.width, lanes: layout.width.div_ceil(32) };
    let picture = Picture {
        reg: layout.segments.iter().map(|segment| part(layout, segment)).collect(),
        config,
    };
    // Strings and numbers always serialize.
    serde_json::to_string(&picture).unwrap_or_default() + "\n"
}

fn part<'l>(layout: &Layout, segment: &'l Segment) -> Part<'l> {
    let name = match segment.name.is_empty() {
        true => layout.digits(segment).map(Cow::Owned),
        false => Some(Cow::Borrowed(segment.name.as_str())),
    };
    Part { bits: segment.width, name, colour: colour(segment.role) }
}

fn colour(role: Role) -> Option<u32> {
    match role {
        Role::Fixed => Some(2),
        Role::Operand => Some(3),
        Role::Attribute => Some(4),
        Role::Modifier => Some(5),
        Role::Control => Some(6),
        Role::Literal => Some(7),
        Role::Zero | Role::Ignored | Role::Unused => None,
    }
}
