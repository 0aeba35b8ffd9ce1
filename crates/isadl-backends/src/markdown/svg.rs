//! A layout as a picture: rows of 32 bits, the highest first, with the values of the bits that are fixed,
//! for light and dark pages.

use super::layout::{Layout, Role, Segment};
use crate::xml::escape;

/// Bits in a row.
const ROW: u32 = 32;
/// Width of a bit.
const BIT: u32 = 16;
/// Space left and right.
const MARGIN: u32 = 8;
/// Space between the border of a box and a number.
const GAP: u32 = 2;
/// Distance between rows.
const PITCH: u32 = 60;
/// Height of a row's boxes.
const BOX: u32 = 36;
/// The lines of a box with values of bits and a name, from its top.
const DIGITS: u32 = 16;
const NAME: u32 = 31;
/// Width of a letter of a name, in tenths.
const LETTER: u32 = 78;
/// Distance between lines of the legend.
const LINE: u32 = 20;
/// The scale of the picture if there is room, in percent.
const SCALE: u32 = 140;

/// The styles of texts: numbers of bits, the legend, ends of boxes, numbers of three digits, names below digits.
const TEXT: &str = "\
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328;text-anchor:middle}\
.n{font:11px system-ui,sans-serif;fill:#59636e}.l,.s{text-anchor:start}.e{text-anchor:end}.h{font-size:9px}\
.f{font-size:11px}rect{stroke:#59636e}.b{fill:#fff;stroke:none}";

/// The styles of texts on dark pages.
const DARK: &str =
    "text{fill:#f0f3f6}.n{fill:#aab4be}rect{stroke:#8b949e}.b{fill:#0d1117;stroke:none}";

/// The colours of a role, on light and on dark pages.
fn colours(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Fixed => ("#ffd8cc", "#7a3320"),
        Role::Operand => ("#cfe4ff", "#1c4a80"),
        Role::Attribute => ("#d3f0ea", "#175a50"),
        Role::Modifier => ("#fff0b3", "#665200"),
        Role::Control => ("#e4dcfa", "#4b3a80"),
        Role::Literal => ("#d6f5d0", "#26592a"),
        Role::Zero | Role::Ignored | Role::Unused => ("#eff1f3", "#2d333b"),
    }
}

/// The style of the picture, for the roles that it contains.
fn style(roles: &[Role]) -> String {
    let rule = |role: &Role, colour: &str| format!(".{}{{fill:{colour}}}", role.as_str());
    let all = |of: fn((&'static str, &'static str)) -> &'static str| -> String {
        roles.iter().map(|role| rule(role, of(colours(*role)))).collect()
    };
    let (light, dark) = (all(|(light, _)| light), all(|(_, dark)| dark));
    format!("{TEXT}{light}@media(prefers-color-scheme:dark){{{DARK}{dark}}}")
}

/// The colours of all roles, for diagrams that are elements of a page.
pub(super) fn page_style() -> String {
    let rule = |colour: &str, role: &Role| format!("svg.bits .{}{{fill:{colour}}}", role.as_str());
    let light: String = Role::ALL.iter().map(|role| rule(colours(*role).0, role)).collect();
    let dark: String = Role::ALL.iter().map(|role| rule(colours(*role).1, role)).collect();
    format!("{light}\n@media(prefers-color-scheme:dark){{{dark}}}")
}

/// A picture as an element of a page: a diagram has the page's styles, and another picture its own.
pub(super) fn within(picture: &str) -> String {
    let styled = picture.split_once("<style>");
    let bare = styled.and_then(|(head, rest)| Some((head, rest.split_once("</style>\n")?)));
    match bare {
        Some((head, (style, rest))) if style.starts_with(TEXT) => {
            let head = head.replacen("<svg ", "<svg class=\"bits\" ", 1);
            format!("{head}{rest}").replace('\n', "")
        }
        _ => {
            let encoded: String = picture.chars().map(encoded).collect();
            format!("<img alt=\"\" src=\"data:image/svg+xml,{encoded}\">")
        }
    }
}

/// A character of a picture within an address.
fn encoded(c: char) -> String {
    match c {
        '%' | '#' | '"' | '<' | '>' | '&' | '\'' | '\n' => format!("%{:02X}", c as u32),
        c => c.to_string(),
    }
}

/// A layout with the bits that all of its words share.
pub(super) struct Drawing<'d> {
    pub(super) layout: &'d Layout,
    /// The bits, and their values.
    pub(super) mask: u128,
    pub(super) value: u128,
}

/// The picture.
pub(super) fn picture(drawing: &Drawing<'_>) -> String {
    let layout = drawing.layout;
    let keys = layout.keys(ROW, fits);
    let rows = layout.rows(ROW);
    let columns = ROW.min(layout.width);
    let width = columns * BIT + 2 * MARGIN;
    let legend = Legend::new(&keys, width);
    let height = rows.len() as u32 * PITCH + 4 + legend.height();
    let mut svg = head((width, height), &title(layout), &description(layout), &roles(layout));
    for (index, row) in rows.iter().enumerate() {
        let top = index as u32 * PITCH + 16;
        let high = row.first().map_or(0, Segment::high);
        for segment in row {
            svg += &boxed(
                segment,
                columns - 1 - (high - segment.high()),
                top,
                (drawing, &keys),
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

/// The box of a segment with its name and bit numbers. `column` is the column of its highest bit, from the right.
fn boxed(
    segment: &Segment,
    column: u32,
    top: u32,
    (drawing, keys): (&Drawing<'_>, &[(String, char)]),
    columns: u32,
) -> String {
    let x = MARGIN + (columns - 1 - column) * BIT;
    let width = segment.width * BIT;
    let middle = x + width / 2;
    let class = segment.role.as_str();
    let key = keys.iter().find(|(name, _)| *name == segment.name && !fits(segment));
    let label = key.map_or(escape(&segment.name), |(_, key)| key.to_string());
    let digits = drawing.digits(segment);
    let mut text = format!(
        "<rect class=\"{class}\" x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{BOX}\"/>"
    );
    let number = |anchor: &str, x: u32, bit: u32| {
        // Three digits fit the width of a bit only in a small font.
        let size = if bit >= 100 { " h" } else { "" };
        format!("<text class=\"n{anchor}{size}\" x=\"{x}\" y=\"{}\">{bit}</text>", top - 4)
    };
    let (first, last) = drawing.layout.ends(segment);
    match segment.width {
        1 => text += &number("", middle, first),
        2 if first.max(last) >= 100 => text += &number(" s", x + GAP, first),
        _ => {
            text += &number(" s", x + GAP, first);
            text += &number(" e", x + width - GAP, last);
        }
    }
    if digits.is_empty() && !label.is_empty() {
        text += &format!("<text x=\"{middle}\" y=\"{}\">{label}</text>", top + BOX / 2 + 5);
    } else if !digits.is_empty() {
        let line = if label.is_empty() { BOX / 2 + 5 } else { DIGITS };
        let places: Vec<String> = digits
            .iter()
            .map(|(bit, _)| (x + (segment.high() - bit) * BIT + BIT / 2).to_string())
            .collect();
        let digits: String = digits.iter().map(|(_, digit)| digit).collect();
        let (places, y) = (places.join(" "), top + line);
        text += &format!("<text x=\"{places}\" y=\"{y}\">{digits}</text>");
        if !label.is_empty() {
            let y = top + NAME;
            text += &format!("<text class=\"f\" x=\"{middle}\" y=\"{y}\">{label}</text>");
        }
    }
    text + "\n"
}

impl Drawing<'_> {
    /// The fixed bits of a segment with their values, the highest first.
    fn digits(&self, segment: &Segment) -> Vec<(u32, char)> {
        let bits = (segment.lsb..=segment.high()).rev();
        let fixed = bits.filter(|bit| self.mask >> bit & 1 == 1);
        fixed.map(|bit| (bit, if self.value >> bit & 1 == 1 { '1' } else { '0' })).collect()
    }
}

/// The roles of a layout, each once.
fn roles(layout: &Layout) -> Vec<Role> {
    let mut roles: Vec<Role> = layout.segments.iter().map(|segment| segment.role).collect();
    roles.sort_unstable();
    roles.dedup();
    roles
}

/// The legend of letters, below the rows.
struct Legend<'k> {
    keys: &'k [(String, char)],
    columns: u32,
    column: u32,
}

impl Legend<'_> {
    fn new(keys: &[(String, char)], width: u32) -> Legend<'_> {
        let letters = keys.iter().map(|(name, _)| name.chars().count() as u32 + 2).max();
        let column = letters.unwrap_or(0) * LETTER / 10 + 30;
        Legend { keys, columns: (width / column).max(1), column }
    }

    fn height(&self) -> u32 {
        (self.keys.len() as u32).div_ceil(self.columns) * LINE
    }

    fn draw(&self, top: u32) -> String {
        let mut text = String::new();
        for (index, (name, key)) in (0..).zip(self.keys) {
            let x = MARGIN + index % self.columns * self.column;
            let y = top + index / self.columns * LINE;
            let name = escape(name);
            text += &format!("<text class=\"l\" x=\"{x}\" y=\"{y}\">{key} {name}</text>\n");
        }
        text
    }
}

/// The picture that explains the colours, for the page on notation.
pub(super) fn colour_key() -> String {
    let (column, columns) = (120, 4);
    let rows = (Role::ALL.len() as u32).div_ceil(columns);
    let (width, height) = (columns * column + 2 * MARGIN, rows * LINE + MARGIN);
    let mut svg = head((width, height), "Colours of diagrams", "", &Role::ALL);
    for (index, role) in (0..).zip(Role::ALL) {
        let (x, y) = (MARGIN + index % columns * column, (index / columns + 1) * LINE);
        let (top, left, name) = (y - 11, x + 22, role.as_str());
        svg += &format!(
            "<rect class=\"{name}\" x=\"{x}\" y=\"{top}\" width=\"14\" height=\"12\"/>\
             <text class=\"l\" x=\"{left}\" y=\"{y}\">{name}</text>\n"
        );
    }
    svg + "</svg>\n"
}

/// The start of a picture.
fn head((width, height): (u32, u32), title: &str, description: &str, roles: &[Role]) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{}\" height=\"{}\" \
         viewBox=\"0 0 {width} {height}\">\n<title>{title}</title>\n\
         <desc>{description}</desc>\n<style>{}</style>\n\
         <rect class=\"b\" width=\"{width}\" height=\"{height}\"/>\n",
        width * SCALE / 100,
        height * SCALE / 100,
        style(roles),
    )
}
