//! A specification's text by lines, each with its place: enough to find places for defects, without
//! using the compiler's own parser.

/// The place of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// Before the first definition.
    Top,
    /// The header of a definition.
    Header,
    /// Between a header and the first section.
    Body,
    /// A line that opens a section.
    Heading,
    /// A line of `__Encoding`.
    Encoding,
    /// A line of `__OperandInfo`.
    OperandInfo,
    /// A line of `__Exception`.
    Exception,
    /// A line of another section.
    Prose,
    /// The first line of a code fence.
    Fence,
    /// Inside a code fence, including its last line.
    Fenced,
}

/// A line of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'t> {
    /// Unchanged.
    pub(crate) whole: &'t str,
    /// Without white space around it.
    pub(crate) text: &'t str,
    /// Its place.
    pub(crate) place: LineKind,
    /// The index of the header that it belongs to.
    pub(crate) header: usize,
}

/// A text by lines.
pub(crate) struct Outline<'t> {
    /// Its lines.
    pub(crate) lines: Vec<Line<'t>>,
}

/// A defect: the replacement of a line, and the line where it must be reported.
pub(crate) struct Planted {
    /// The index of the line that is changed.
    at: usize,
    /// Its replacement: a line, several lines, or nothing.
    new: String,
    /// The index of the line, in the changed text, where the defect must be reported.
    pub(crate) line: usize,
}

impl Planted {
    /// The text with the defect.
    pub(crate) fn in_text(&self, text: &str) -> String {
        let mut planted = String::new();
        for (index, line) in text.lines().enumerate() {
            let line = if index == self.at { self.new.as_str() } else { line };
            planted += line;
            if index != self.at || !line.is_empty() {
                planted.push('\n');
            }
        }
        planted
    }

    /// The same, to be reported in another line.
    pub(crate) fn reported_at(self, line: usize) -> Planted {
        Planted { line, ..self }
    }
}

impl<'t> Outline<'t> {
    /// The outline of a text.
    pub(crate) fn of(text: &'t str) -> Outline<'t> {
        let (mut lines, mut place, mut header, mut fenced) = (Vec::new(), LineKind::Top, 0, false);
        for (index, line) in text.lines().enumerate() {
            let trimmed = line.trim();
            let here = if trimmed.starts_with("```") {
                fenced = !fenced;
                if fenced { LineKind::Fence } else { LineKind::Fenced }
            } else if fenced {
                LineKind::Fenced
            } else if line.starts_with("__Def") {
                (place, header) = (LineKind::Body, index);
                LineKind::Header
            } else if let Some(section) = section(trimmed) {
                place = section;
                LineKind::Heading
            } else {
                place
            };
            lines.push(Line { whole: line, text: trimmed, place: here, header });
        }
        Outline { lines }
    }

    /// Replaces line `at` by `new`, which may be several lines or none.
    pub(crate) fn replace(&self, at: usize, new: impl Into<String>) -> Option<Planted> {
        Some(Planted { at, new: new.into(), line: at })
    }

    /// Inserts `new` after line `at`; the defect is in the new line.
    pub(crate) fn insert(&self, at: usize, new: impl AsRef<str>) -> Option<Planted> {
        let new = format!("{}\n{}", self.lines[at].whole, new.as_ref());
        Some(Planted { at, new, line: at + 1 })
    }

    /// Line `at`, if its place is `place`.
    pub(crate) fn at(&self, at: usize, place: LineKind) -> Option<&'t str> {
        Some(self.lines[at].text).filter(|_| self.lines[at].place == place)
    }

    /// The header line of the definition that line `at` belongs to.
    pub(crate) fn header(&self, at: usize) -> &'t str {
        self.lines[self.lines[at].header].text
    }

    /// The lines of the definition that line `at` belongs to, with their indexes.
    pub(crate) fn definition(&self, at: usize) -> impl Iterator<Item = (usize, Line<'t>)> + '_ {
        let header = self.lines[at].header;
        let lines = self.lines.iter().copied().enumerate().skip(header);
        lines.take_while(move |(_, line)| line.header == header)
    }

    /// The fields of the definition that line `at` belongs to.
    pub(crate) fn fields(&self, at: usize) -> Vec<(usize, Field<'t>)> {
        let encoding = self.definition(at).filter(|(_, line)| line.place == LineKind::Encoding);
        encoding.filter_map(|(index, line)| Some((index, Field::of(line.text)?))).collect()
    }
}

fn section(trimmed: &str) -> Option<LineKind> {
    let name = trimmed.strip_prefix("__")?;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    Some(match name {
        "Encoding" => LineKind::Encoding,
        "OperandInfo" => LineKind::OperandInfo,
        "Exception" => LineKind::Exception,
        _ => LineKind::Prose,
    })
}

/// A field statement taken apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'t> {
    pub(crate) lsb: u32,
    pub(crate) width: u32,
    pub(crate) ty: &'t str,
    pub(crate) name: &'t str,
    /// With its `=` or `==`; empty if there is none.
    pub(crate) binding: &'t str,
}

impl<'t> Field<'t> {
    /// The field of a line that contains only a field.
    pub(crate) fn of(line: &'t str) -> Option<Field<'t>> {
        let (bits, rest) = line.strip_prefix("field<")?.split_once('>')?;
        let (lsb, width) = bits.split_once(',')?;
        let (ty, rest) = rest.strip_suffix(';')?.trim().split_once(' ')?;
        let end = rest.find('=').unwrap_or(rest.len());
        let (name, binding) = (rest[..end].trim(), rest[end..].trim());
        Some(Field {
            lsb: lsb.trim().parse().ok()?,
            width: width.trim().parse().ok()?,
            ty,
            name,
            binding,
        })
    }

    /// The statement.
    pub(crate) fn text(&self) -> String {
        let Field { lsb, width, ty, name, binding } = self;
        format!("    field<{lsb}, {width}> {ty} {name} {binding};")
    }

    /// Whether the encoding has one value and no other.
    pub(crate) fn is_fixed(&self) -> bool {
        self.binding.starts_with("==")
    }
}

/// A statement `Word<name, name>` taken apart: the word, the names and the rest.
pub(crate) struct Statement<'t> {
    pub(crate) word: &'t str,
    pub(crate) names: Vec<&'t str>,
    pub(crate) rest: &'t str,
}

impl<'t> Statement<'t> {
    /// The statement in a line of `__OperandInfo`, if it begins with one of these words.
    pub(crate) fn of(line: &'t str, words: &[&str]) -> Option<Statement<'t>> {
        let (word, rest) = line.split_once('<')?;
        let (names, rest) = rest.split_once('>')?;
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        (words.contains(&word) && rest.ends_with(';')).then_some(Statement { word, names, rest })
    }

    /// The statement with other names.
    pub(crate) fn with(&self, names: &[&str]) -> String {
        format!("    {}<{}>{}", self.word, names.join(", "), self.rest)
    }

    /// The statement with the name at `index` replaced.
    pub(crate) fn renamed(&self, index: usize, name: &str) -> String {
        let mut names = self.names.clone();
        names[index] = name;
        self.with(&names)
    }

    /// The statement without the name at `index`.
    pub(crate) fn without(&self, index: usize) -> String {
        let mut names = self.names.clone();
        names.remove(index);
        self.with(&names)
    }
}
