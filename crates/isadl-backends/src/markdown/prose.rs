//! Embeds prose of a specification in a page. Its headings are moved below the page's headings, its fences are closed
//! as the compiler closed them, and its links lead to pages.

use std::collections::BTreeMap;

use super::text::{code, word};
use isadl_ir::links::{Scanner, links};
use isadl_syntax::prose::{CLAIM, LAW};

use pulldown_cmark::{Event, Parser, Tag};

use super::pages::{PageAnchor, Pages};
use super::seal::reading;

/// The deepest heading.
const DEEPEST: usize = 6;

/// The context of prose: the page that contains it.
pub(super) struct Context<'p> {
    pub(super) pages: &'p Pages,
    /// The page.
    pub(super) page: &'p str,
}

impl Context<'_> {
    /// The text of a section; its highest headings are one level below `level`.
    pub(super) fn section(&self, text: &str, level: usize) -> String {
        let linked = self.linked(&without_files(text));
        let mut lines: Vec<String> = Vec::new();
        let mut scanner = Scanner::default();
        // The indentation of the fence that is open.
        let mut indent = String::new();
        // The lines of the law that is open.
        let mut law: Option<Vec<&str>> = None;
        for line in linked.lines() {
            let was_open = scanner.open();
            let is_code = scanner.is_code(line);
            match (was_open, scanner.open()) {
                (None, Some(_)) if language(line) == LAW => law = Some(Vec::new()),
                (Some(_), now) if let Some(own) = &mut law => match now {
                    Some(_) => own.push(line),
                    None => add_law(law.take().unwrap_or_default(), &mut lines),
                },
                (None, Some(ticks)) => {
                    indent = line[..line.len() - line.trim_start().len()].to_string();
                    lines.push(format!("{indent}{}{}", "`".repeat(ticks), language(line)));
                }
                (Some(ticks), None) => lines.push(format!("{indent}{}", "`".repeat(ticks))),
                _ if is_code => lines.push(line.to_string()),
                _ => {
                    let is_behind_law =
                        lines.last().is_some_and(|last| last.starts_with(LAW_ENTRY));
                    if is_behind_law && !line.trim().is_empty() {
                        lines.push(String::new());
                    }
                    text_line(line, level, &mut lines);
                }
            }
        }
        if let Some(own) = law {
            add_law(own, &mut lines);
            return lines.join("\n") + "\n";
        }
        // The compiler closes all fences; an open fence would swallow the rest of the page.
        lines.extend(scanner.open().map(|ticks| format!("{indent}{}", "`".repeat(ticks))));
        lines.join("\n") + "\n"
    }

    /// Text with `[[NAME]]` turned into links to pages; unknown names remain plain words.
    pub(super) fn linked(&self, text: &str) -> String {
        let mut linked = String::with_capacity(text.len());
        let mut end = 0;
        for link in links(text) {
            linked += &text[end..link.range.start];
            linked += &match self.pages.find(link.name) {
                Some(place) => self.link(link.name, place),
                None => word(link.name),
            };
            end = link.range.end;
        }
        linked + &text[end..]
    }

    /// A link with a name as its text.
    pub(super) fn link(&self, name: &str, place: &PageAnchor) -> String {
        format!("[{}]({})", word(name), place.from(self.page))
    }

    /// A link with a name as its text, if there is a page.
    pub(super) fn to(&self, name: &str, place: Option<&PageAnchor>) -> String {
        place.map_or(word(name), |place| self.link(name, place))
    }
}

/// Text without links to the author's files, which are not in the book: they are shown as written.
fn without_files(text: &str) -> String {
    let is_file = |url: &str| !url.is_empty() && !url.contains(':') && !url.starts_with('#');
    let mut found: Vec<usize> = Vec::new();
    for (event, range) in Parser::new_ext(text, reading()).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) if is_file(&dest_url) => {
                found.push(range.start);
            }
            Event::Start(Tag::Image { dest_url, .. }) if is_file(&dest_url) => {
                found.push(range.start + 1);
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    let mut text = text.to_string();
    found.into_iter().rev().for_each(|at| text.insert(at, '\\'));
    text
}

/// The language after the backticks that open a fence.
pub(super) fn language(line: &str) -> String {
    let info = line.trim().trim_start_matches('`').trim_start();
    let is_word = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '#');
    info.chars().take_while(is_word).collect()
}

/// What begins a law in its list.
const LAW_ENTRY: &str = "- After ";

/// Adds a law to the list of laws.
fn add_law(own: Vec<&str>, lines: &mut Vec<String>) {
    let is_apart = lines.last().is_none_or(|last| last.is_empty() || last.starts_with(LAW_ENTRY));
    if !is_apart {
        lines.push(String::new());
    }
    lines.push(law(&own));
}

/// A law as an entry of a list.
fn law(lines: &[&str]) -> String {
    let (mut instructions, mut claims) = (Vec::new(), Vec::new());
    for line in lines.iter().map(|line| line.trim()) {
        match line.split_once(CLAIM) {
            Some((instruction, claim)) => {
                instructions.push(instruction.trim());
                claims.push(claim.split("//").next().unwrap_or_default().trim());
            }
            None if line.starts_with("//") => {}
            None => instructions.push(line),
        }
    }
    let list = |items: &[&str]| {
        let items = items.iter().filter(|item| !item.is_empty()).map(|item| code(item));
        items.collect::<Vec<_>>().join("; ")
    };
    format!("{LAW_ENTRY}{}: {}", list(&instructions), list(&claims))
}

/// Adds a line outside fences. Tildes do not open a fence, and headings are moved below the section's heading.
fn text_line(line: &str, level: usize, lines: &mut Vec<String>) {
    let content = line.trim_start();
    let indent = &line[..line.len() - content.len()];
    let hashes = content.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &content[hashes..];
    if content.starts_with("~~~") {
        lines.push(format!("{indent}\\{content}"));
    } else if (1..=DEEPEST).contains(&hashes) && (rest.is_empty() || rest.starts_with([' ', '\t']))
    {
        let hashes = "#".repeat((hashes + level).min(DEEPEST));
        lines.push(format!("{indent}{hashes}{rest}"));
    } else if is_underline(content) && lines.last().is_some_and(|line| is_words(line)) {
        let single = lines.len() < 2 || !is_words(&lines[lines.len() - 2]);
        match lines.pop() {
            Some(words) if single => {
                let depth = if content.starts_with('=') { 1 } else { 2 };
                let hashes = "#".repeat((depth + level).min(DEEPEST));
                lines.push(format!("{hashes} {}", words.trim()));
            }
            words => {
                lines.extend(words);
                lines.push(format!("{indent}\\{content}"));
            }
        }
    } else {
        lines.push(line.to_string());
    }
}

/// Whether a line turns the paragraph before it into a heading.
fn is_underline(content: &str) -> bool {
    let content = content.trim_end();
    !content.is_empty() && ['=', '-'].iter().any(|sign| content.chars().all(|c| c == *sign))
}

/// Whether a line may belong to a paragraph.
fn is_words(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with(['#', '`', '|'])
}

/// The first sentence of a text.
pub(super) fn summary(text: &str) -> String {
    sentences(text).into_iter().next().unwrap_or_default()
}

/// The sentences of the first paragraph of a text.
fn sentences(text: &str) -> Vec<String> {
    let mut scanner = Scanner::default();
    let mut words: Vec<&str> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let ends = scanner.is_code(line) || line.is_empty() || line.starts_with(['|', '#', '>']);
        match ends {
            true if words.is_empty() => {}
            true => break,
            false => words.push(line),
        }
    }
    let text = words.join(" ");
    let mut rest = text.as_str();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (first, after) = rest.split_at(sentence(rest));
        found.push(first.to_string());
        rest = after.trim_start();
    }
    found
}

/// The length of the first sentence.
fn sentence(text: &str) -> usize {
    let mut in_code = false;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        in_code ^= c == '`';
        let next = characters.peek().map(|(_, c)| *c);
        let ends = match c {
            '.' | '!' | '?' => next == Some(' ') && !is_short(&text[..at]),
            '。' | '！' | '？' => true,
            _ => false,
        };
        if ends && !in_code {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// Summaries of texts by name: the first sentence, and more sentences if a text needs them to differ from the others.
pub(super) fn summaries(texts: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let all: BTreeMap<&String, Vec<String>> =
        texts.iter().map(|(name, text)| (name, sentences(text))).collect();
    let mut counts: BTreeMap<&String, usize> = all.keys().map(|name| (*name, 1)).collect();
    let shown = |name: &String, count: usize| {
        let sentences = &all[name];
        sentences[..count.min(sentences.len())].join(" ")
    };
    // Each round shows one more sentence of at least one text.
    loop {
        let mut alike: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        for (name, count) in &counts {
            alike.entry(shown(name, *count)).or_default().push(*name);
        }
        let has_more = |name: &&String| counts[*name] < all[*name].len();
        let longer = alike.into_values().filter(|names| names.len() > 1).flatten();
        let longer: Vec<&String> = longer.filter(has_more).collect();
        if longer.is_empty() {
            return counts.iter().map(|(name, n)| (name.to_string(), shown(name, *n))).collect();
        }
        for name in longer {
            *counts.entry(name).or_default() += 1;
        }
    }
}

/// Whether a period after the text belongs to an abbreviation such as `e.g.`.
fn is_short(text: &str) -> bool {
    let word = text.rsplit([' ', '(']).next().unwrap_or_default();
    word.contains('.') || matches!(word, "cf" | "etc" | "vs" | "no" | "Fig")
}

#[cfg(test)]
mod tests {
    use super::{Context, Pages, summaries, summary};

    fn section(text: &str) -> String {
        Context { pages: &Pages::default(), page: "ops/A.md" }.section(text, 2)
    }

    #[test]
    fn headings_stand_below_the_section() {
        assert_eq!(section("# A\nB\n===\n\nC\nD\n---\n"), "### A\n### B\n\nC\nD\n\\---\n");
        assert_eq!(section("B\n===\n#hash"), "### B\n#hash\n");
    }

    #[test]
    fn files_of_the_author_are_no_pages() {
        assert_eq!(section("[a](b.md#c) ![a](b.svg)"), "\\[a](b.md#c) !\\[a](b.svg)\n");
        assert_eq!(section("[a](https://b.c) `[a](b)`"), "[a](https://b.c) `[a](b)`\n");
    }

    #[test]
    fn fences_are_closed_as_the_compiler_closes_them() {
        assert_eq!(section("```c `x`\n# A\n      ```\n~~~\nx"), "```c\n# A\n```\n\\~~~\nx\n");
        assert_eq!(section("```\nx"), "```\nx\n```\n");
    }

    #[test]
    fn laws_are_a_list() {
        let text = "A.\n```law\nADD R0, R1 ;\n//= R0 == R1 // text\n```\nB";
        assert_eq!(section(text), "A.\n\n- After `ADD R0, R1 ;`: `R0 == R1`\n\nB\n");
        assert_eq!(section("```law\nADD\n//= 1"), "- After `ADD`: `1`\n");
        let two = section("```law\nADD\n//= 1\n```\n```law\nSUB\n//= 2\n```\n");
        assert_eq!(two, "- After `ADD`: `1`\n- After `SUB`: `2`\n");
    }

    #[test]
    fn the_summary_is_the_first_sentence() {
        assert_eq!(summary("# H\n\nAdds e.g. two\nnumbers. More."), "Adds e.g. two numbers.");
        assert_eq!(summary("进行加法。即 `a. b`。"), "进行加法。");
        assert_eq!(summary("Is `a. b` so"), "Is `a. b` so");
    }

    #[test]
    fn summaries_tell_texts_apart() {
        let texts =
            [("A", "Adds. Slowly."), ("B", "Adds."), ("C", "Adds. Slowly. Twice."), ("D", "D. E.")];
        let texts = texts.map(|(name, text)| (name.to_string(), text.to_string()));
        let found: Vec<String> = summaries(&texts.into()).into_values().collect();
        assert_eq!(found, ["Adds. Slowly.", "Adds.", "Adds. Slowly. Twice.", "D."]);
    }
}
