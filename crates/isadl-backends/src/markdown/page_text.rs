//! The text of a page while it is written: Markdown, and programs, which are the only HTML on pages.

use std::ops::AddAssign;

use super::seal::seal;

/// The parts of a page, in order.
#[derive(Default)]
pub(super) struct PageText {
    parts: Vec<Part>,
}

enum Part {
    /// Markdown, perhaps with text of a specification.
    Markdown(String),
    /// A block of HTML that the manual wrote; text of a specification in it is escaped.
    Program(String),
}

impl PageText {
    /// Whether it has no parts.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds a program: a block of HTML without blank lines at its ends.
    pub(super) fn program(&mut self, block: String) {
        self.parts.push(Part::Program(block));
    }

    /// The page, sealed. Programs stay as they are.
    pub(super) fn sealed(self) -> String {
        let mark = self.mark();
        let (mut text, mut programs) = (String::new(), Vec::new());
        for part in self.parts {
            match part {
                Part::Markdown(part) => text += &part,
                Part::Program(block) => {
                    text += &format!("{mark}\n\n");
                    programs.push(block);
                }
            }
        }
        // The whole page is sealed at once: a link may have its address in another part.
        let sealed = seal(&text);
        let mut parts = sealed.split(mark.as_str());
        let mut page = parts.next().unwrap_or_default().to_string();
        for (block, part) in programs.iter().zip(parts) {
            page += block;
            page += part;
        }
        page
    }

    /// A word that stands for programs, and is nowhere in the text.
    fn mark(&self) -> String {
        let mut mark = String::from("program");
        let is_taken = |mark: &str| {
            self.parts
                .iter()
                .any(|part| matches!(part, Part::Markdown(text) if text.contains(mark)))
        };
        while is_taken(&mark) {
            mark.push('m');
        }
        mark
    }
}

impl From<&String> for PageText {
    fn from(text: &String) -> PageText {
        PageText { parts: vec![Part::Markdown(text.clone())] }
    }
}

impl<T: AsRef<str>> AddAssign<T> for PageText {
    fn add_assign(&mut self, text: T) {
        self.parts.push(Part::Markdown(text.as_ref().to_string()));
    }
}

impl AddAssign<PageText> for PageText {
    fn add_assign(&mut self, text: PageText) {
        self.parts.extend(text.parts);
    }
}

#[cfg(test)]
mod tests {
    use super::PageText;

    #[test]
    fn only_programs_are_html() {
        let mut text = PageText::default();
        text += "<b> programm [x][y]\n\n";
        text.program("<pre>1</pre>".to_string());
        text += "[y]: javascript:z\n\n";
        text.program("<pre>2</pre>".to_string());
        assert_eq!(
            text.sealed(),
            "&lt;b> programm \\[x]\\[y]\n\n<pre>1</pre>\n\n[y]: javascript:z\n\n<pre>2</pre>\n\n"
        );
    }
}
