//! Names of architectures, such as `rv64gc_zba1p0`: each is a list of extensions. The macros of an instruction set say how such
//! names are written.

use isadl::diagnostic::Code;
use isadl::isa::ExtensionSet;

use crate::architecture::Architecture;
use crate::assembler::Assembler;
use crate::expand::Statement;
use crate::text::{Loc, parts};

/// What a name of an architecture means.
struct Meaning {
    set: ExtensionSet,
    unknown: Vec<String>,
}

impl Assembler<'_, '_> {
    /// `.architecture "prefix", "base", "separator", "point"`: how names of architectures are written.
    pub(crate) fn architecture(&mut self, statement: &Statement, start: usize) {
        let given = parts(&statement.as_str()[start..]);
        let loc = statement.loc(start, statement.as_str().len());
        let texts: Vec<String> =
            given.iter().map(|(_, part)| part.trim_matches('"').to_string()).collect();
        let Ok([prefix, base, separator, point]) = <[String; 4]>::try_from(texts) else {
            let message = "expected a prefix, a base, a separator, and the point of versions";
            return self.error(Code::E1102, loc, message);
        };
        let own = Architecture { prefix, base, separator, point, ..Architecture::default() };
        self.architecture = Some(own);
    }

    /// `.architecture_names m2p0, zkt, zve32x=v`: further names of extensions, in their order.
    pub(crate) fn architecture_names(&mut self, statement: &Statement, start: usize) {
        let given = parts(&statement.as_str()[start..]);
        let loc = statement.loc(start, statement.as_str().len());
        let Some(own) = &mut self.architecture else {
            let message = "no `.architecture` says how names of architectures are written";
            return self.error(Code::E1102, loc, message);
        };
        for (_, part) in given {
            if let Some((name, other)) = part.split_once('=') {
                own.aliases.push((name.to_string(), other.to_string()));
                continue;
            }
            let name = own.without_version(part).to_string();
            let version = part[name.len()..].to_string();
            own.order.push((name, version));
        }
    }

    /// The bits of an extension or of a set with a name, and of what it implies.
    pub(crate) fn extensions_named(&self, name: &str) -> Option<ExtensionSet> {
        let known = self.engine.isa().extensions();
        let mut aliases = self.architecture.iter().flat_map(|own| &own.aliases);
        let other = aliases.find(|(own, _)| own.eq_ignore_ascii_case(name));
        let name = other.map_or(name, |(_, other)| other);
        let is_own = |other: &str| other.eq_ignore_ascii_case(name);
        let set = || known.sets.iter().find(|(own, _)| is_own(own)).map(|(_, set)| *set);
        self.extension_named(name).or_else(set).map(|set| known.closed(set))
    }

    /// Whether the name of an extension means nothing to instructions.
    pub(crate) fn is_without_instructions(&self, name: &str) -> bool {
        self.architecture.as_ref().is_some_and(|own| own.is_listed(name))
    }

    /// The bit of an extension.
    pub(crate) fn extension_named(&self, name: &str) -> Option<ExtensionSet> {
        let known = &self.engine.isa().extensions().names;
        let index = known.iter().position(|own| own.eq_ignore_ascii_case(name))?;
        Some(1 << index)
    }

    /// Goes to the extensions of an architecture; what is unknown is warned of. Returns whether names of architectures are
    /// known at all.
    pub(crate) fn go_to_architecture(&mut self, text: &str, loc: Loc) -> bool {
        let Some(own) = &self.architecture else { return false };
        let lower = text.trim_matches('"').to_ascii_lowercase();
        let Some(rest) = lower.strip_prefix(own.prefix.as_str()) else {
            let message =
                format!("expected an architecture, whose name begins with `{}`", own.prefix);
            self.error(Code::E1102, loc, message);
            return true;
        };
        let Meaning { set, unknown } = self.meaning(own, rest);
        self.engine = self.engine.clone().with_extensions(set);
        self.changes += 1;
        for name in unknown {
            self.warn_once(Code::W1109, loc, format!("the extension `{name}` is not described"));
        }
        true
    }

    fn meaning(&self, own: &Architecture, rest: &str) -> Meaning {
        let mut meaning = Meaning { set: 0, unknown: Vec::new() };
        for part in rest.split(own.separator.as_str()) {
            let mut part = part;
            while let Some(first) = part.chars().next() {
                let whole = own.without_version(part);
                let is_whole = whole.len() > first.len_utf8()
                    && (own.is_listed(whole) || self.extensions_named(whole).is_some());
                let letter = &part[..first.len_utf8()];
                let name = if is_whole { whole } else { letter };
                match self.extensions_named(name) {
                    Some(set) => meaning.set |= set,
                    None if own.is_listed(name) => {}
                    None => {
                        meaning.unknown.push(whole.to_string());
                        break;
                    }
                }
                part = &part[name.len()..];
                part = &part[own.version(part).len()..];
            }
        }
        meaning.set = self.engine.isa().extensions().closed(meaning.set);
        meaning
    }

    /// The name of the architecture that the file is for.
    pub(crate) fn architecture_name(&self) -> Option<String> {
        let own = self.architecture.as_ref()?;
        let all = self.engine.extensions();
        let has = |name: &str| self.extension_named(name).is_some_and(|bit| all & bit != 0);
        let written = own.order.iter().filter(|(name, version)| !version.is_empty() && has(name));
        let mut text = format!("{}{}", own.prefix, own.base);
        for (name, version) in written {
            text += &own.separator;
            text += name;
            text += version;
        }
        Some(text)
    }
}
