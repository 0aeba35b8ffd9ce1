//! Canonical text in pieces.

/// What a piece of canonical text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TokenKind {
    /// The mnemonic.
    Mnemonic,
    /// A modifier, or an attribute after an operand; with its dot, if it has one.
    Modifier,
    /// A register, or another name of an operand.
    Register,
    /// A number with its sign.
    Number,
    /// A control field: its name with `$`, and its value.
    Control,
    /// Marks, separators, brackets, spaces.
    Punctuation,
    /// An address, in texts with addresses.
    Address,
    /// What an address is called.
    Symbol,
}

/// Gives a canonical text in pieces, with what each is. `has_words` tells whether modifiers are words
/// after the operands.
pub fn tokens<'t>(
    text: &'t str,
    mnemonic: &str,
    has_words: bool,
    mut sink: impl FnMut(TokenKind, &'t str),
) {
    let mut at = 0;
    let mut before_mnemonic = true;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let is_first = before_mnemonic && (at == 0 || text[..at].ends_with(' '));
        let (kind, length) = if is_first && rest.starts_with(mnemonic) {
            before_mnemonic = false;
            (TokenKind::Mnemonic, mnemonic.len())
        } else if has_words && is_word_modifier(&text[..at], rest, mnemonic) {
            (TokenKind::Modifier, rest.find(' ').unwrap_or(rest.len()))
        } else {
            token(rest)
        };
        sink(kind, &rest[..length]);
        at += length;
    }
}

/// Whether a modifier as a word begins after a text: a blank with no comma before it, after the first
/// operand.
fn is_word_modifier(before: &str, rest: &str, mnemonic: &str) -> bool {
    let Some(operands) = before.strip_suffix(' ') else { return false };
    let begins = rest.starts_with(|c: char| c.is_ascii_alphabetic());
    begins && !operands.ends_with(',') && !operands.ends_with(mnemonic)
}

/// The kind and the length of the piece that a text begins with.
fn token(text: &str) -> (TokenKind, usize) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word_from =
        |start: usize| text[start..].find(|c| !is_word(c)).map_or(text.len(), |end| start + end);
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let first = text.chars().next();
    match first {
        Some('$') => (TokenKind::Control, text.find(' ').unwrap_or(text.len())),
        Some('.') => (TokenKind::Modifier, word_from(1)),
        Some('-') if is_digit(text.chars().nth(1)) || text.starts_with("-inf") => {
            (TokenKind::Number, number_length(text))
        }
        _ if is_digit(first) => (TokenKind::Number, number_length(text)),
        Some(c) if is_word(c) => {
            let length = word_from(0);
            let is_number = &text[..length] == "inf";
            (if is_number { TokenKind::Number } else { TokenKind::Register }, length)
        }
        _ => (TokenKind::Punctuation, first.map_or(0, char::len_utf8)),
    }
}

/// The length of a number: digits, letters and points; a sign within belongs to an exponent.
fn number_length(text: &str) -> usize {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let is_sign = c == '-' && (at == 0 || before == 'e');
        if !(c.is_ascii_alphanumeric() || c == '.' || is_sign) {
            return at;
        }
        before = c;
    }
    text.len()
}
