//! `isadl decode`: one word explained.

use isadl::explain::{Found, Known, Near, Part, Value};
use isadl::isa::{Binding, Field, Isa, low_bits};
use isadl::text::{TokenKind, tokens};

use crate::args::Decode;
use crate::{Failure, Outcome, report, spec};

pub(crate) fn run(options: &Decode) -> Outcome {
    let isa = spec::load(&options.spec)?;
    let word = word(&isa, &options.word).map_err(Failure::Usage)?;
    let explanation = isa.explain(word);
    let digits = isa.length(word) * 2;
    let word = explanation.word;
    let mut text = format!("word   0x{word:0digits$x}\nbytes  {}\n", isa.write_hex(word));
    let is_legal = match &explanation.opcode {
        Found::One(known) => {
            text += &show(&isa, known, word);
            known.is_legal()
        }
        Found::Nearest(near) => {
            text += &format!("\n{} unknown opcode\n", bad("error:"));
            for near in near {
                text += &show_near(&isa, near);
            }
            false
        }
    };
    report::print(&text)?;
    if is_legal { Ok(()) } else { Err(Failure::Input) }
}

/// The word of an argument: a number, or bytes in the order of memory with blanks or colons
/// between them.
fn word(isa: &Isa, text: &str) -> Result<u128, String> {
    let is_separator = |c: char| c == ':' || c.is_whitespace();
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if text.contains(is_separator) || digits.is_none() && isa.bytes() == 1 {
        let text = text.replace(is_separator, " ");
        return isa.read_hex(text.as_bytes()).map_err(|error| error.to_string());
    }
    let Some(digits) = digits else {
        return Err(format!(
            "`{text}` may be a number or bytes: write 0x before a number, blanks or colons \
             between bytes"
        ));
    };
    let digits = digits.replace('_', "");
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(format!("`{text}` is no hexadecimal number"));
    }
    let word = u128::from_str_radix(&digits, 16).ok();
    let fits = word.filter(|word| *word <= low_bits(isa.width()));
    fits.ok_or_else(|| format!("`{text}` does not fit in {} bits", isa.width()))
}

fn show(isa: &Isa, known: &Known, word: u128) -> String {
    let opcode = isa.opcode(known.inst.opcode);
    let mut text = format!("opcode {}\n", opcode.name);
    if known.is_legal() {
        text +=
            &format!("text   {}\n", coloured(isa, &isa.text(known.inst), &opcode.syntax.mnemonic));
    }
    let ruler = known.ruler(isa, word);
    text += &format!("\n{}\n\n", ruler.lines.join("\n"));
    let head = ["", "bits", "field", "type", "value", "meaning", "from"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for part in &known.fields {
        let key = ruler.keys.get(&part.field.name).map_or(String::new(), char::to_string);
        rows.push(row(isa, part, key));
    }
    text += &table(&rows);
    let mut findings = Vec::new();
    for name in &known.illegal {
        let Some(field) = opcode.field(*name) else { continue };
        findings.push(format!(
            "{} illegal value 0x{:x} of field `{}` ({})",
            bad("error:"),
            field.extract(word),
            isa.name_of(*name),
            isa.ty(field.ty).name
        ));
    }
    for rule in &known.broken {
        let rule = isa.rule(*rule);
        findings.push(format!("{} {} ({})", bad("error:"), rule.message, rule.kind));
    }
    for rule in &known.refused {
        let rule = isa.rule(*rule);
        findings.push(format!("note: no assembler makes it: {} ({})", rule.message, rule.kind));
    }
    if known.stray != 0 {
        findings.push(format!("note: set, but in no field: {}", bits(known.stray)));
    }
    if !findings.is_empty() {
        text += &format!("\n{}\n", findings.join("\n"));
    }
    text
}

fn row(isa: &Isa, part: &Part, key: String) -> Vec<String> {
    let field = &part.field;
    let digits = field.width.div_ceil(4) as usize;
    let meaning = part.meaning.as_ref().map_or("illegal".to_string(), |meaning| {
        let note = match field.binding {
            Binding::Fixed(_) => ", fixed",
            Binding::Default(default) if default == part.raw => ", default",
            Binding::Default(_) | Binding::Required => "",
        };
        format!("{meaning}{note}")
    });
    vec![
        key,
        place(field),
        isa.name_of(field.name).to_string(),
        isa.ty(field.ty).name.clone(),
        format!("0x{:0digits$x}", part.raw),
        meaning,
        part.origin.clone(),
    ]
}

fn place(field: &Field) -> String {
    span(field.lsb + field.width - 1, field.lsb)
}

fn span(high: u32, low: u32) -> String {
    if high == low { low.to_string() } else { format!("{high}:{low}") }
}

/// Columns as wide as their widest entries; those without entries are left out.
fn table(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, entry) in row.iter().enumerate().filter(|(column, _)| width(*column) > 0) {
            let space = " ".repeat(width(column) - entry.chars().count());
            line += &format!("{entry}{space}  ");
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Bits as runs, the highest first.
fn bits(mask: u128) -> String {
    let is_set = |bit: u32| mask >> bit & 1 == 1;
    let mut runs = Vec::new();
    let mut high = None;
    for bit in (0..u128::BITS).rev().filter(|bit| is_set(*bit)) {
        let start = *high.get_or_insert(bit);
        if bit == 0 || !is_set(bit - 1) {
            runs.push(span(start, bit));
            high = None;
        }
    }
    runs.join(", ")
}

fn show_near(isa: &Isa, near: &Near) -> String {
    let count = near.bits.count_ones();
    let plural = if count == 1 { "bit differs" } else { "bits differ" };
    let name = &isa.opcode(near.opcode).name;
    let mut text = format!("\n{name}: {count} fixed {plural}: {}\n", bits(near.bits));
    let mut rows = vec![["bits", "field", "has", "needs"].map(String::from).to_vec()];
    for difference in &near.fields {
        let field = &difference.field;
        let value = |value: &Value| {
            let digits = field.width.div_ceil(4) as usize;
            let meaning = value.meaning.as_ref().map_or(String::new(), |name| format!(" {name}"));
            format!("0x{:0digits$x}{meaning}", value.raw)
        };
        let name = isa.name_of(field.name).to_string();
        rows.push(vec![place(field), name, value(&difference.has), value(&difference.needs)]);
    }
    for line in table(&rows).lines() {
        text += &format!("  {line}\n");
    }
    text
}

fn bad(text: &str) -> String {
    format!("\x1b[1;31m{text}\x1b[0m")
}

/// The text of an instruction with its pieces in colours.
fn coloured(isa: &Isa, text: &str, mnemonic: &str) -> String {
    let paint = |token: &isadl::text::Token<'_>| {
        let code = match token.kind {
            TokenKind::Mnemonic => "1",
            TokenKind::Modifier => "36",
            TokenKind::Register => "32",
            TokenKind::Number => "33",
            TokenKind::Control => "35",
            TokenKind::Punctuation => return token.text.to_string(),
        };
        format!("\x1b[{code}m{}\x1b[0m", token.text)
    };
    tokens(text, mnemonic, isa.modifiers()).iter().map(paint).collect()
}
