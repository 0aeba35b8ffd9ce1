//! Levels of lints: how to treat findings that are not always errors.
//!
//! Every code that is not an error is a lint and belongs to one group. A level chosen for the code applies first, then
//! a level chosen for its group, then the group's default. Lints that are warnings by default follow the level chosen
//! for all `warnings`.

use std::collections::BTreeMap;
use std::fmt;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};

/// The treatment of a lint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Do not show it.
    Allow,
    /// Show it as a warning.
    Warn,
    /// Treat it as an error.
    Deny,
}

impl Level {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Warn => "warn",
            Level::Deny => "deny",
        }
    }
}

/// A group of related lints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LintGroup {
    /// Bits of instruction words that no statement mentions.
    Bits,
    /// Statements that are allowed, but probably mistakes.
    Suspicious,
    /// Assembly text and prose: examples, templates, texts that two opcodes share.
    Text,
    /// Unused definitions.
    Unused,
}

impl LintGroup {
    /// All groups, by name.
    pub const ALL: &[LintGroup] =
        &[LintGroup::Bits, LintGroup::Suspicious, LintGroup::Text, LintGroup::Unused];

    /// Its name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            LintGroup::Bits => "bits",
            LintGroup::Suspicious => "suspicious",
            LintGroup::Text => "text",
            LintGroup::Unused => "unused",
        }
    }

    /// The subject of its lints.
    pub fn title(self) -> &'static str {
        match self {
            LintGroup::Bits => "bits that no statement mentions",
            LintGroup::Suspicious => "statements that are allowed, but probably mistakes",
            LintGroup::Text => "mistakes in examples, templates and other text, which are tests",
            LintGroup::Unused => "unused definitions",
        }
    }

    /// The level of its lints unless the user chooses another.
    pub fn default_level(self) -> Level {
        match self {
            LintGroup::Bits => Level::Allow,
            LintGroup::Suspicious | LintGroup::Unused => Level::Warn,
            LintGroup::Text => Level::Deny,
        }
    }

    /// Its lints, in order.
    pub fn codes(self) -> impl Iterator<Item = Code> {
        Code::ALL.iter().copied().filter(move |code| code.group() == Some(self))
    }
}

impl Code {
    /// The group of a lint; `None` for a code that is always an error.
    pub fn group(self) -> Option<LintGroup> {
        if self.severity() == Severity::Error {
            return None;
        }
        Some(match self {
            Code::W0115 | Code::W0211 | Code::W0212 | Code::W0213 | Code::W0214 => {
                LintGroup::Unused
            }
            Code::W0703 | Code::W0707 => LintGroup::Bits,
            _ if self.as_str().starts_with("W09") => LintGroup::Text,
            _ => LintGroup::Suspicious,
        })
    }
}

/// A name that does not select any lints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnknownLint {
    /// There is no such code or group.
    Name(String),
    /// The code is always an error; its level cannot be changed.
    Error(Code),
}

impl fmt::Display for UnknownLint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownLint::Name(name) => {
                let groups: Vec<&str> = LintGroup::ALL.iter().map(|group| group.as_str()).collect();
                write!(
                    f,
                    "`{name}` is not a lint; write a code such as W0211, one of the groups {}, or \
                     `warnings`",
                    groups.join(", ")
                )
            }
            UnknownLint::Error(code) => {
                write!(f, "{code} is always an error; its level cannot be changed")
            }
        }
    }
}

impl std::error::Error for UnknownLint {}

/// The user's choice of levels.
#[derive(Debug, Clone, Default)]
pub struct Levels {
    codes: BTreeMap<Code, Level>,
    groups: BTreeMap<LintGroup, Level>,
    warnings: Option<Level>,
}

impl Levels {
    /// Sets the level of a code or group. The name `warnings` stands for all lints that are otherwise warnings. A later
    /// call wins.
    pub fn set(&mut self, name: &str, level: Level) -> Result<(), UnknownLint> {
        if name == "warnings" {
            self.warnings = Some(level);
        } else if let Some(group) = LintGroup::ALL.iter().find(|group| group.as_str() == name) {
            self.groups.insert(*group, level);
        } else {
            let code: Code = name.parse().map_err(|()| UnknownLint::Name(name.to_string()))?;
            if code.group().is_none() {
                return Err(UnknownLint::Error(code));
            }
            self.codes.insert(code, level);
        }
        Ok(())
    }

    /// The level of a finding; `None` if it is always an error.
    fn level(&self, diagnostic: &Diagnostic) -> Option<Level> {
        let code = diagnostic.code;
        let group = code.group()?;
        if let Some(chosen) = self.codes.get(&code).or_else(|| self.groups.get(&group)) {
            return Some(*chosen);
        }
        Some(match group.default_level() {
            Level::Allow if !diagnostic.is_requested => Level::Allow,
            Level::Deny => Level::Deny,
            _ => self.warnings.unwrap_or(Level::Warn),
        })
    }

    /// Whether a level was chosen for a code or its group.
    fn is_chosen(&self, code: Code) -> bool {
        let of_group = code.group().is_some_and(|group| self.groups.contains_key(&group));
        of_group || self.codes.contains_key(&code)
    }
}

impl Diagnostics {
    /// Changes severities according to the chosen levels; findings that are allowed are removed.
    pub fn apply(&mut self, levels: &Levels) {
        self.list.retain_mut(|diagnostic| {
            diagnostic.severity = match levels.level(diagnostic) {
                None => return true,
                Some(Level::Allow) => return false,
                Some(Level::Warn) => Severity::Warning,
                Some(Level::Deny) => Severity::Error,
            };
            true
        });
        // Noted once for each group.
        for group in LintGroup::ALL {
            let mut findings = self.list.iter_mut();
            let of_group = findings.find(|diagnostic| {
                diagnostic.code.group() == Some(*group)
                    && group.default_level() == Level::Deny
                    && !levels.is_chosen(diagnostic.code)
            });
            if let Some(first) = of_group {
                let name = group.as_str();
                first.notes.push(format!(
                    "lints of the group `{name}` are errors by default; `-W {name}` makes them \
                     warnings"
                ));
            }
        }
    }
}
