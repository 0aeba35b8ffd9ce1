//! Renders pages of Markdown as HTML. The caller resolves links and pictures; nothing else of a page is HTML.

use super::program;
use pulldown_cmark::{Alignment, CowStr, Event, LinkType, Parser, Tag, TagEnd};

use crate::markdown::headings::heading_ids;
use crate::markdown::seal::reading;
use crate::xml::attribute;

/// Resolves the addresses on a page to their meaning where the page is shown.
pub trait Links {
    /// The id of a heading or note of the page.
    fn id(&self, id: &str) -> String;

    /// Where a link leads; `None` if it leads nowhere, so that only its text is shown.
    fn link(&self, url: &str) -> Option<String>;

    /// A picture as an element of HTML; `None` if it is shown as a link. The title is escaped as text between quotes.
    fn picture(&self, url: &str, title: &str) -> Option<String>;
}

/// A page of Markdown as HTML. Tables are in elements of the class `wide`, so that they can scroll.
pub fn render(text: &str, links: &impl Links) -> String {
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events(text, links).into_iter());
    html
}

/// The path and the heading that a link on a page means; `None` if it leads out of the book.
pub fn target<'u>(page: &str, url: &'u str) -> Option<(String, &'u str)> {
    let (path, heading) = url.split_once('#').unwrap_or((url, ""));
    if path.contains(':') || path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    if !path.is_empty() {
        parts.pop();
        for part in path.split('/') {
            match part {
                ".." => drop(parts.pop()?),
                "." | "" => {}
                part => parts.push(part),
            }
        }
    }
    Some((parts.join("/"), heading))
}

fn events<'t>(text: &'t str, links: &impl Links) -> Vec<Event<'t>> {
    let mut ids = heading_ids(text).into_iter();
    let mut out = Vec::new();
    let mut is_dead = false;
    let mut events = Parser::new_ext(text, reading());
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let id = Some(links.id(&ids.next().unwrap_or_default()).into());
                // Attributes of headings would become attributes of elements.
                let (classes, attrs) = (Vec::new(), Vec::new());
                out.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                let title = title(&mut events);
                out.extend(picture(&dest_url, title, links));
            }
            Event::Start(Tag::Link { dest_url, .. }) => match links.link(&dest_url) {
                Some(target) => out.push(Event::Start(link(target.into()))),
                None => is_dead = true,
            },
            Event::End(TagEnd::Link) if is_dead => is_dead = false,
            Event::Start(Tag::Table(columns)) => {
                out.push(Event::Html("<div class=\"wide\">".into()));
                // All columns are aligned by the style of the page.
                let columns = columns.iter().map(|_| Alignment::None).collect();
                out.push(Event::Start(Tag::Table(columns)));
            }
            Event::End(TagEnd::Table) => {
                out.extend([Event::End(TagEnd::Table), Event::Html("</div>\n".into())]);
            }
            Event::FootnoteReference(label) => {
                out.push(Event::FootnoteReference(note(&label, links)));
            }
            Event::Start(Tag::FootnoteDefinition(label)) => {
                out.push(Event::Start(Tag::FootnoteDefinition(note(&label, links))));
            }
            // Pages have no other HTML than programs; if there were any, it would be text.
            Event::Html(text) => out.push(match program::line(&text, &|url| links.link(url)) {
                Some(line) => Event::Html(line.into()),
                None => Event::Text(text),
            }),
            Event::InlineHtml(text) => out.push(Event::Text(text)),
            event => out.push(event),
        }
    }
    out
}

/// The text up to the end of a picture.
fn title<'t>(events: &mut impl Iterator<Item = Event<'t>>) -> String {
    let mut title = String::new();
    for event in events {
        match event {
            Event::End(TagEnd::Image) => break,
            Event::Text(text) | Event::Code(text) => title += &text,
            Event::SoftBreak | Event::HardBreak => title.push(' '),
            _ => {}
        }
    }
    title
}

fn picture(url: &str, title: String, links: &impl Links) -> Vec<Event<'static>> {
    if let Some(element) = links.picture(url, &attribute(&title)) {
        return vec![Event::InlineHtml(element.into())];
    }
    let text = Event::Text(title.into());
    match links.link(url) {
        Some(target) => {
            vec![Event::Start(link(target.into())), text, Event::End(TagEnd::Link)]
        }
        None => vec![text],
    }
}

/// A label of a note that no other page has.
fn note(label: &str, links: &impl Links) -> CowStr<'static> {
    links.id(&format!("note-{label}")).into()
}

/// A link to an address.
fn link(dest_url: CowStr<'_>) -> Tag<'_> {
    Tag::Link { link_type: LinkType::Inline, dest_url, title: "".into(), id: "".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain;

    impl Links for Plain {
        fn id(&self, id: &str) -> String {
            format!("x:{id}")
        }

        fn link(&self, url: &str) -> Option<String> {
            (!url.contains("dead")).then(|| format!("to:{url}"))
        }

        fn picture(&self, url: &str, title: &str) -> Option<String> {
            url.ends_with(".svg").then(|| format!("<i>{title}</i>"))
        }
    }

    #[test]
    fn only_what_links_and_pictures_become_is_html() {
        let page = "# A `B` c!\n\n# A B c\n\n<script>x</script>\n\n[y](z) <b>w</b> [no *one*](dead)\n\n\
                    ![a *b*](c.svg) ![d](e.png) ![f](dead)\n\n| a |\n| -: |\n| b |\n";
        let html = render(page, &Plain);
        assert!(html.contains("<h1 id=\"x:a-b-c\">") && html.contains("\"x:a-b-c-1\""), "{html}");
        assert!(html.contains("&lt;script&gt;") && !html.contains("<script"), "{html}");
        assert!(
            html.contains("<a href=\"to:z\">y</a> &lt;b&gt;w&lt;/b&gt; no <em>one</em>"),
            "{html}"
        );
        assert!(html.contains("<p><i>a b</i> <a href=\"to:e.png\">d</a> f</p>"), "{html}");
        assert!(
            html.contains("<div class=\"wide\"><table>") && html.contains("<td>b</td>"),
            "{html}"
        );
    }

    #[test]
    fn programs_are_elements_with_links() {
        let page = "<details>\n<summary>A</summary>\n\n<pre><code class=\"nohighlight\">x = \
                    <a href=\"y\">f</a>(a &lt; <a href=\"dead\">b</a>)\n  z</code></pre>\n\n</details>\n\nB\n\n\
                    <pre><code class=\"nohighlight\"><i>x</i></code></pre>\n\n<pre onclick=\"x\">y</pre>\n";
        let html = render(page, &Plain);
        let program = "<details>\n<summary>A</summary>\n<pre><code class=\"nohighlight\">x = \
                       <a href=\"to:y\">f</a>(a &lt; b)\n  z</code></pre>\n</details>\n<p>B</p>\n";
        assert!(html.starts_with(program), "{html}");
        assert!(!html.contains("<i>") && !html.contains("<pre onclick"), "{html}");
    }

    #[test]
    fn links_are_relative_to_their_page() {
        let target = |url| target("ops/b.md", url);
        assert_eq!(target("../a.md#x"), Some(("a.md".to_string(), "x")));
        assert_eq!(target("#x"), Some(("ops/b.md".to_string(), "x")));
        assert_eq!(target("./c.md"), Some(("ops/c.md".to_string(), "")));
        for other in ["https://x/y", "javascript://%0ax", "data:text/html,x", "/x", "../../../x"] {
            assert_eq!(target(other), None, "{other}");
        }
    }
}
