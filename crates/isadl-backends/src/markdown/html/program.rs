//! Programs on pages: the only elements of HTML that pages have. Any other element is text.

use crate::xml::attribute;

/// A page of Markdown without the elements of programs, for searching: their text stays.
pub fn without_elements(page: &str) -> String {
    let mut text = page.to_string();
    for element in ELEMENTS {
        text = text.replace(element, "");
    }
    let (mut plain, mut rest) = (String::new(), text.as_str());
    while let Some((before, after)) = rest.split_once("<a href=\"") {
        plain += before;
        rest = after.split_once("\">").map_or(after, |(_, after)| after);
    }
    (plain + rest)
        .replace("</a>", "")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

/// The elements of programs but links, as they are written on pages.
const ELEMENTS: [&str; 6] = [
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
    "<pre><code class=\"nohighlight\">",
    "</code></pre>",
];

/// A line of a program with the links of the place where it is shown; `None` if it has other elements. `target` is where a link
/// leads there, if anywhere.
pub(super) fn line(text: &str, target: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let mut made = String::new();
    let mut rest = text;
    let mut is_dead = false;
    while let Some(at) = rest.find('<') {
        made += &rest[..at];
        rest = &rest[at..];
        if let Some(element) = ELEMENTS.iter().find(|element| rest.starts_with(**element)) {
            made += element;
            rest = &rest[element.len()..];
        } else if let Some(after) = rest.strip_prefix("</a>") {
            made += if is_dead { "" } else { "</a>" };
            rest = after;
        } else {
            let (url, after) = rest.strip_prefix("<a href=\"")?.split_once("\">")?;
            let target = target(url);
            is_dead = target.is_none();
            made += &target
                .map_or_else(String::new, |target| format!("<a href=\"{}\">", attribute(&target)));
            rest = after;
        }
    }
    Some(made + rest)
}

#[cfg(test)]
mod tests {
    use super::without_elements;

    #[test]
    fn the_text_of_programs_is_searched() {
        let page = "A `b`.\n\n<details>\n<summary>C</summary>\n\n<pre><code class=\"nohighlight\">\
                    <a href=\"x.md#y\">f</a>(a &lt; 1)</code></pre>\n\n</details>\n";
        assert_eq!(without_elements(page), "A `b`.\n\n\nC\n\nf(a < 1)\n\n\n");
    }
}
