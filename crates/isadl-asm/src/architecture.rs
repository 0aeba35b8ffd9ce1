//! How names of architectures are written.

/// How names of architectures are written.
#[derive(Debug, Default)]
pub(crate) struct Architecture {
    /// The prefix of every name.
    pub(crate) prefix: String,
    /// The name and version of the base, which follows the prefix.
    pub(crate) base: String,
    /// The text between names of extensions. After a name of one letter it may be left out.
    pub(crate) separator: String,
    /// The text between the two numbers of a version.
    pub(crate) point: String,
    /// Extensions in the order in which names have them, with their versions. Those without a version are only read.
    pub(crate) order: Vec<(String, String)>,
    /// Names for other extensions, which are read in their place.
    pub(crate) aliases: Vec<(String, String)>,
}

impl Architecture {
    /// The name of an extension without its version, which may follow.
    pub(crate) fn without_version<'t>(&self, text: &'t str) -> &'t str {
        let is_digit = |c: char| c.is_ascii_digit();
        let before = text.trim_end_matches(is_digit);
        let Some(major) = before.strip_suffix(self.point.as_str()) else { return text };
        let own = major.trim_end_matches(is_digit);
        if own.len() < major.len() && before.len() < text.len() { own } else { text }
    }

    /// The version at the beginning of a text.
    pub(crate) fn version<'t>(&self, text: &'t str) -> &'t str {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let major = digits(text);
        let minor = text[major..].strip_prefix(self.point.as_str()).map_or(0, digits);
        match (major, minor) {
            (0, _) => "",
            (_, 0) => &text[..major],
            _ => &text[..major + self.point.len() + minor],
        }
    }

    pub(crate) fn is_listed(&self, name: &str) -> bool {
        let base = self.without_version(&self.base);
        name == base || self.order.iter().any(|(own, _)| own.eq_ignore_ascii_case(name))
    }
}
