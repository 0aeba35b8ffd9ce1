//! The explanation of a word for people.

use isadl::engine::{Engine, Inst, TokenKind};
use isadl::explain::{DecodedWord, Found, Near, Part, Value};
use isadl::isa::{Binding, Isa, Opcode};
use isadl::visible::{visible, visible_line};
use isadl_codegen::word::{Way, Word, bits, role};

pub(super) fn show(word: &Word<'_>) -> String {
    let isa = word.isa;
    let bytes = word.bytes();
    let mut text = format!("word   {}\nbytes  {bytes}\n", word.number());
    match &word.explanation.opcode {
        Found::One(known) => text += &show_known(word, known),
        Found::Nearest(near) => {
            text += &format!("\n{} unknown opcode\n", bad("error:"));
            for near in near {
                text += &show_near(isa, near);
            }
        }
    }
    text
}

fn show_known(word: &Word<'_>, known: &DecodedWord) -> String {
    let isa = word.isa;
    let opcode = isa.opcode(known.inst.opcode);
    let mut text = format!("opcode {}\n", opcode.name);
    if known.is_legal() {
        text += &format!("text   {}\n", coloured(&word.engine, known.inst));
        if word.engine.long(known.inst).is_some() {
            let plain = visible_line(&word.engine.plain_text(known.inst)).into_owned();
            text += &format!("short  {plain}\n");
        } else if let Some(alias) = word.engine.alias(known.inst) {
            let plain = visible_line(&word.engine.plain_text(known.inst)).into_owned();
            text += &format!("alias  {} of {plain}\n", opcode.aliases[alias].form.name);
        }
    }
    if let Some(entry) = &word.entry {
        if !entry.summary.is_empty() {
            text += &format!("about  {}\n", visible_line(&entry.summary));
        }
        text += &format!("manual {}\n", entry.page);
    }
    for (head, way) in [("reads ", Way::Read), ("writes", Way::Write)] {
        let uses = word.uses(known, way).into_iter().map(|(resource, is_certain)| {
            if is_certain { resource } else { format!("{resource} (perhaps)") }
        });
        let uses = uses.collect::<Vec<_>>().join(", ");
        if !uses.is_empty() {
            text += &format!("{head} {}\n", visible_line(&uses));
        }
    }
    if let Some(class) = word.flow_control(known) {
        text += &format!("flow   {class}\n");
    }
    for (line, head) in word.does.iter().flat_map(|does| does.lines()).zip(heads("does")) {
        text += &format!("{head}   {}\n", visible_line(line));
    }
    let ruler = known.ruler(isa, word.explanation.word);
    text += &format!("\n{}\n\n", ruler.lines.join("\n"));
    let head = ["", "bits", "field", "type", "value", "meaning", "role", "from"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for part in &known.fields {
        let key = ruler.keys.get(&part.field.name).map_or(String::new(), char::to_string);
        rows.push(row(isa, (opcode, part), key));
    }
    text += &table(&rows);
    let findings = findings(isa, opcode, known, word.explanation.word);
    if !findings.is_empty() {
        text += &format!("\n{}\n", findings.join("\n"));
    }
    text
}

/// A word before the first of several lines, and blanks before the others.
fn heads(word: &str) -> impl Iterator<Item = String> {
    let blank = " ".repeat(word.len());
    std::iter::once(word.to_string()).chain(std::iter::repeat(blank))
}

/// The errors of a word, and remarks on it.
fn findings(isa: &Isa, opcode: &Opcode, known: &DecodedWord, word: u128) -> Vec<String> {
    let mut findings = Vec::new();
    if let Some(needs) = &known.needs {
        findings.push(format!("{} `{}` needs {needs}", bad("error:"), opcode.name));
    }
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
        findings.push(format!("{} {} ({})", bad("error:"), visible(&rule.message), rule.kind));
    }
    for rule in &known.refused {
        let rule = isa.rule(*rule);
        let message = visible(&rule.message);
        findings.push(format!("note: assemblers refuse to produce it: {message} ({})", rule.kind));
    }
    if known.stray != 0 {
        findings.push(format!(
            "note: bits outside fields that encoders write otherwise: {}",
            bits(isa.numbering(opcode), known.stray)
        ));
    }
    findings
}

fn row(isa: &Isa, (opcode, part): (&Opcode, &Part), key: String) -> Vec<String> {
    let field = &part.field;
    let digits = field.width().div_ceil(4) as usize;
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
        isa.numbering(opcode).bits(&field.bits),
        isa.name_of(field.name).to_string(),
        isa.ty(field.ty).name.clone(),
        format!("0x{:0digits$x}", part.raw),
        visible_line(&meaning).into_owned(),
        role(isa, opcode, field),
        part.origin.clone(),
    ]
}

/// Aligns columns to their widest entries; columns without entries are left out.
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

fn show_near(isa: &Isa, near: &Near) -> String {
    let count = near.bits.count_ones();
    let plural = if count == 1 { "bit differs" } else { "bits differ" };
    let numbering = isa.numbering(isa.opcode(near.opcode));
    let name = &isa.opcode(near.opcode).name;
    let mut text = format!("\n{name}: {count} fixed {plural}: {}\n", bits(numbering, near.bits));
    let mut rows = vec![["bits", "field", "has", "needs"].map(String::from).to_vec()];
    for difference in &near.fields {
        let field = &difference.field;
        let value = |value: &Value| {
            let digits = field.width().div_ceil(4) as usize;
            let meaning = value.meaning.as_ref().map_or(String::new(), |name| format!(" {name}"));
            format!("0x{:0digits$x}{}", value.raw, visible_line(&meaning))
        };
        let name = isa.name_of(field.name).to_string();
        let place = numbering.bits(&field.bits);
        rows.push(vec![place, name, value(&difference.has), value(&difference.needs)]);
    }
    for line in table(&rows).lines() {
        text += &format!("  {line}\n");
    }
    text
}

fn bad(text: &str) -> String {
    format!("\x1b[1;31m{text}\x1b[0m")
}

/// The text of an instruction in colours.
fn coloured(engine: &Engine<'_>, inst: Inst) -> String {
    let text = engine.text(inst);
    let mut coloured = String::new();
    engine.tokens(inst, &text, |kind, piece| {
        let code = match kind {
            TokenKind::Mnemonic => "1",
            TokenKind::Modifier => "36",
            TokenKind::Register => "32",
            TokenKind::Number => "33",
            TokenKind::Control => "35",
            _ => return coloured += &visible_line(piece),
        };
        coloured += &format!("\x1b[{code}m{}\x1b[0m", visible_line(piece));
    });
    coloured
}
