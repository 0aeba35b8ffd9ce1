//! Macros: their parameters, the arguments of calls, and their bodies with these.

use std::rc::Rc;

use crate::alternate;
use crate::body::{Argument, Body};
use crate::text::{blanks, name, parts, parts_outside, quoted_end};

/// A parameter of a macro.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    default: Option<String>,
    is_required: bool,
    takes_rest: bool,
}

/// A macro.
#[derive(Debug)]
pub(crate) struct Macro {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Rc<Body>,
    /// Whether blanks separate arguments, too.
    pub(crate) splits_blanks: bool,
    /// The prefix that is cut from arguments.
    pub(crate) cut: Option<String>,
}

/// Which lines of its name a macro is called for, if not for all.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// Lines whose operands contain a text.
    Text(String),
    /// Lines in which two operands are the same: their indices, and the number of operands.
    Same(usize, usize, usize),
}

impl Special {
    /// Whether it is for these operands.
    pub(crate) fn fits(&self, operands: &str) -> bool {
        match self {
            Special::Text(text) => operands.contains(text.as_str()),
            Special::Same(first, second, count) => {
                let given = parts(operands);
                given.len() == *count && given[*first].1 == given[*second].1
            }
        }
    }

    /// The condition that two parameters are the same, if two parameters have the same name.
    pub(crate) fn of(parameters: &[Parameter]) -> Option<Special> {
        let names = || parameters.iter().map(|one| &one.name).enumerate();
        let (first, second) = names().find_map(|(first, name)| {
            let second = names().skip(first + 1).find(|(_, other)| *other == name);
            second.map(|(second, _)| (first, second))
        })?;
        Some(Special::Same(first, second, parameters.len()))
    }
}

/// The values between commas, or between blanks where there is no comma.
pub(crate) fn words(text: &str) -> Vec<String> {
    let by_comma = parts(text);
    if by_comma.len() > 1 || text.contains('"') {
        return by_comma.into_iter().map(|(_, part)| unquoted(part.to_string())).collect();
    }
    text.split_whitespace().map(str::to_string).collect()
}

/// The arguments of a call: commas separate them, and so do blanks outside of parentheses, strings and expressions:
/// `f p2align=6`, `1 + 2 4`.
fn arguments_of(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    // As in other assemblers, brackets do not keep a comma: `m q7, [x9, x8]` has three arguments.
    for (start, part) in parts_outside(text, b"(", b")") {
        let mut first = 0;
        for end in breaks(part) {
            found.push((start + first, part[first..end].trim_end()));
            first = end;
            first += blanks(&part[end..]);
        }
        found.push((start + first, &part[first..]));
    }
    found
}

/// The blanks that separate arguments in a part between commas: neither what is before them nor what follows is an
/// operator.
fn breaks(part: &str) -> Vec<usize> {
    let bytes = part.as_bytes();
    let (mut found, mut at, mut depth) = (Vec::new(), 0, 0u32);
    let is_operator = |byte: u8| b"+-*/~|^&!<>=?:".contains(&byte);
    while at < bytes.len() {
        if let Some(end) = quoted_end(bytes, at) {
            at = end;
            continue;
        }
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            byte if byte.is_ascii_whitespace() && depth == 0 => {
                let next = at + blanks(&part[at..]);
                let is_inside = |byte: Option<&u8>| byte.is_none_or(|byte| is_operator(*byte));
                let before = at.checked_sub(1).map(|before| &bytes[before]);
                if !is_inside(before) && !is_inside(bytes.get(next)) {
                    found.push(at);
                }
                at = next;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

fn unquoted(text: String) -> String {
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.to_string(),
        None => text,
    }
}

/// Parameters of a macro: `a, b=2, c:req, d:vararg`. Some may be there twice.
pub(crate) fn parameters_of(text: &str, may_repeat: bool) -> Result<Vec<Parameter>, String> {
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let own = name(rest);
        if own.is_empty() {
            return Err(format!("expected the name of a parameter, found `{rest}`"));
        }
        let mut parameter = Parameter {
            name: own.to_string(),
            default: None,
            is_required: false,
            takes_rest: false,
        };
        rest = rest[own.len()..].trim_start();
        if let Some(kind) = rest.strip_prefix(':') {
            let word = name(kind);
            match word {
                "req" => parameter.is_required = true,
                "vararg" => parameter.takes_rest = true,
                _ => return Err(format!("expected `req` or `vararg`, found `{word}`")),
            }
            rest = kind[word.len()..].trim_start();
        }
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            let (_, value) = parts(after).into_iter().next().unwrap_or_default();
            let value = match value.find(|c: char| c.is_ascii_whitespace()) {
                Some(end) if !value.starts_with('"') => &value[..end],
                _ => value,
            };
            parameter.default = Some(unquoted(value.to_string()));
            rest = after[value.len()..].trim_start();
        }
        if !may_repeat && parameters.iter().any(|other| other.name == parameter.name) {
            return Err(format!("parameter `{}` is declared twice", parameter.name));
        }
        parameters.push(parameter);
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    Ok(parameters)
}

/// The values of the parameters of a macro.
pub(crate) fn arguments(
    called: &Macro,
    text: &str,
    is_alternate: bool,
) -> Result<Vec<Argument>, String> {
    let parameters = &called.parameters;
    let mut values: Vec<Option<Argument>> = vec![None; parameters.len()];
    let mut next = 0;
    let given = match called.splits_blanks {
        true if is_alternate && text.contains(['<', '%']) => alternate::arguments_of(text),
        true => arguments_of(text),
        false => parts(text),
    };
    for (at, part) in given {
        let named = name(part);
        let after = part[named.len()..].trim_start();
        if after.starts_with('=')
            && !after.starts_with("==")
            && let Some(index) = parameters.iter().position(|one| one.name == named)
        {
            let value = after[1..].trim();
            values[index] = Some(Argument::at(at + part.len() - value.len(), value));
            continue;
        }
        let Some(parameter) = parameters.get(next) else {
            return Err(format!("the macro has {} parameters", parameters.len()));
        };
        if parameter.takes_rest {
            let rest = text[at..].trim();
            values[next] =
                Some(Argument { place: (at, at + rest.len()), ..Argument::of(rest.to_string()) });
            break;
        }
        let value = called.cut.as_deref().and_then(|cut| part.strip_prefix(cut)).unwrap_or(part);
        let value = match alternate::unbracketed(value).filter(|_| is_alternate) {
            Some(inner) => Argument::of(inner),
            None => Argument::at(at + part.len() - value.len(), value),
        };
        values[next] = Some(value).filter(|value| !value.text.is_empty());
        next += 1;
    }
    let all = parameters.iter().zip(values);
    all.map(|(parameter, value)| match (value, &parameter.default) {
        (Some(value), _) => Ok(value),
        (None, Some(default)) => Ok(Argument::of(default.clone())),
        (None, None) if parameter.is_required => {
            Err(format!("the parameter `{}` needs a value", parameter.name))
        }
        (None, None) => Ok(Argument::default()),
    })
    .collect()
}
