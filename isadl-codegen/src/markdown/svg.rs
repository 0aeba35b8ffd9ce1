//! A layout as a picture: rows of 32 bits, the highest first, for light and dark pages.

use super::layout::{Layout, Segment};
use crate::xml::escape;

/// Bits in a row.
const ROW: u32 = 32;
/// Width of a bit.
const BIT: u32 = 16;
/// Space left and right.
const MARGIN: u32 = 8;
/// Space between the border of a box and a number.
const GAP: u32 = 2;
/// Distance from one row to the next.
const PITCH: u32 = 58;
/// Height of a row's boxes.
const BOX: u32 = 34;
/// Width of a letter of a name, in tenths.
const LETTER: u32 = 78;
/// Distance from one line of the legend to the next.
const LINE: u32 = 20;
/// The scale of the picture if there is room, in percent.
const SCALE: u32 = 140;

const STYLE: &str = "\
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328;text-anchor:middle}\
.n{font:10px system-ui,sans-serif;fill:#59636e}.l,.s{text-anchor:start}.e{text-anchor:end}.h{font-size:8px}rect{stroke:#59636e}.b{fill:#fff;stroke:none}\
.fixed{fill:#ffd8cc}.operand{fill:#cfe4ff}.attribute{fill:#d3f0ea}.modifier{fill:#fff0b3}\
.control{fill:#e4dcfa}.literal{fill:#d6f5d0}.zero,.ignored,.unused{fill:#eff1f3}\
@media(prefers-color-scheme:dark){text{fill:#f0f3f6}.n{fill:#aab4be}rect{stroke:#8b949e}.b{fill:#0d1117;stroke:none}\
.fixed{fill:#7a3320}.operand{fill:#1c4a80}.attribute{fill:#175a50}.modifier{fill:#665200}\
.control{fill:#4b3a80}.literal{fill:#26592a}.zero,.ignored,.unused{fill:#2d333b}}";

/// The picture.
pub(super) fn picture(layout: &Layout) -> String {
    let keys = layout.keys(ROW, fits);
    let rows = layout.rows(ROW);
    let columns = ROW.min(layout.width);
    let width = columns * BIT + 2 * MARGIN;
    let legend = Legend::new(layout, &keys, width);
    let height = rows.len() as u32 * PITCH + 4 + legend.height();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{}\" height=\"{}\" \
         viewBox=\"0 0 {width} {height}\" aria-labelledby=\"t d\">\n<title id=\"t\">{}</title>\n\
         <desc id=\"d\">{}</desc>\n<style>{STYLE}</style>\n\
         <rect class=\"b\" width=\"{width}\" height=\"{height}\"/>\n",
        width * SCALE / 100,
        height * SCALE / 100,
        title(layout),
        description(layout),
    );
    for (index, row) in rows.iter().enumerate() {
        let top = index as u32 * PITCH + 16;
        let high = row.first().map_or(0, Segment::high);
        for segment in row {
            svg += &boxed(
                segment,
                columns - 1 - (high - segment.high()),
                top,
                (layout, &keys),
                columns,
            );
        }
    }
    svg += &legend.draw(rows.len() as u32 * PITCH + 14);
    svg + "</svg>\n"
}

/// The title of the picture.
pub(super) fn title(layout: &Layout) -> String {
    format!("Bit fields of {} bits", layout.width)
}

/// The description of the picture in words.
fn description(layout: &Layout) -> String {
    let text = |segment: &Segment| {
        let name = if segment.name.is_empty() { segment.role.as_str() } else { &segment.name };
        format!("{name} {}", layout.bits(segment))
    };
    escape(&layout.segments.iter().rev().map(text).collect::<Vec<_>>().join(", "))
}

fn fits(segment: &Segment) -> bool {
    segment.name.chars().count() as u32 * LETTER <= (segment.width * BIT - 4) * 10
}

/// The box of a segment with its name and the numbers of its bits. `column` is that of its highest
/// bit, from the right.
fn boxed(
    segment: &Segment,
    column: u32,
    top: u32,
    (layout, keys): (&Layout, &[(String, char)]),
    columns: u32,
) -> String {
    let x = MARGIN + (columns - 1 - column) * BIT;
    let width = segment.width * BIT;
    let middle = x + width / 2;
    let class = segment.role.as_str();
    let key = keys.iter().find(|(name, _)| *name == segment.name && !fits(segment));
    let label = match key {
        Some((_, key)) => key.to_string(),
        None if segment.role == super::layout::Role::Zero => "0".to_string(),
        None if segment.name.is_empty() => layout.digits(segment).unwrap_or_default(),
        None => escape(&segment.name),
    };
    let mut text = format!(
        "<rect class=\"{class}\" x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{BOX}\"/>"
    );
    let number = |anchor: &str, x: u32, bit: u32| {
        // Three digits fit the width of a bit only in a small font.
        let size = if bit >= 100 { " h" } else { "" };
        format!("<text class=\"n{anchor}{size}\" x=\"{x}\" y=\"{}\">{bit}</text>", top - 4)
    };
    let (first, last) = layout.ends(segment);
    match segment.width {
        1 => text += &number("", middle, first),
        2 if first.max(last) >= 100 => text += &number(" s", x + GAP, first),
        _ => {
            text += &number(" s", x + GAP, first);
            text += &number(" e", x + width - GAP, last);
        }
    }
    if !label.is_empty() {
        text += &format!("<text x=\"{middle}\" y=\"{}\">{label}</text>", top + BOX / 2 + 5);
    }
    text + "\n"
}

/// The legend of letters and colours, below the rows.
struct Legend {
    /// The style, if it is that of a colour, and the text of each.
    items: Vec<(Option<&'static str>, String)>,
    columns: u32,
    column: u32,
}

impl Legend {
    fn new(layout: &Layout, keys: &[(String, char)], width: u32) -> Legend {
        let mut items: Vec<(Option<&'static str>, String)> =
            keys.iter().map(|(name, key)| (None, format!("{key} {name}"))).collect();
        let mut roles: Vec<_> = layout.segments.iter().map(|segment| segment.role).collect();
        roles.sort_unstable();
        roles.dedup();
        items.extend(roles.iter().map(|role| (Some(role.as_str()), role.as_str().to_string())));
        let letters = items.iter().map(|(_, text)| text.chars().count() as u32).max().unwrap_or(0);
        let column = letters * LETTER / 10 + 30;
        Legend { items, columns: (width / column).max(1), column }
    }

    fn height(&self) -> u32 {
        (self.items.len() as u32).div_ceil(self.columns) * LINE
    }

    fn draw(&self, top: u32) -> String {
        let mut text = String::new();
        for (index, (class, item)) in self.items.iter().enumerate() {
            let index = index as u32;
            let x = MARGIN + index % self.columns * self.column;
            let y = top + index / self.columns * LINE;
            let label = escape(item);
            if let Some(class) = class {
                text += &format!(
                    "<rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"14\" height=\"12\"/>",
                    y - 10
                );
                text += &format!("<text class=\"l\" x=\"{}\" y=\"{y}\">{label}</text>\n", x + 20);
            } else {
                text += &format!("<text class=\"l\" x=\"{x}\" y=\"{y}\">{label}</text>\n");
            }
        }
        text
    }
}
