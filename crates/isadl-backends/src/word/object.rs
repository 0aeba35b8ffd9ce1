//! The explanation of a word as a JSON object. `README.md` of `isadl-cli` describes its keys.

use isadl_ir::explain::{DecodedWord, Found, Near, Part, Value};
use isadl_ir::isa::{Binding, Field, Isa, Numbering, Opcode, RuleId};
use serde::Serialize;

use super::{Way, Word, bits, role};

/// The explanation of a word, to be written as JSON.
#[derive(Debug, Serialize)]
pub struct Object<'w> {
    word: String,
    bytes: String,
    length: usize,
    legal: bool,
    opcode: Option<&'w str>,
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plain_text: Option<String>,
    description: Option<&'w str>,
    manual: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    does: Option<&'w str>,
    fields: Vec<FieldRow<'w>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_control: Option<&'static str>,
    reads: Vec<UseRow>,
    writes: Vec<UseRow>,
    errors: Vec<ErrorRow<'w>>,
    assembler_errors: Vec<ErrorRow<'w>>,
    stray_bits: Option<String>,
    nearest: Vec<NearRow<'w>>,
}

#[derive(Debug, Serialize)]
struct FieldRow<'w> {
    name: &'w str,
    high: u32,
    low: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<String>,
    #[serde(rename = "type")]
    ty: &'w str,
    value: String,
    meaning: Option<&'w str>,
    role: String,
    binding: &'static str,
    from: &'w str,
}

#[derive(Debug, Serialize)]
struct UseRow {
    resource: String,
    certain: bool,
}

#[derive(Debug, Serialize)]
struct ErrorRow<'w> {
    kind: &'w str,
    message: String,
    field: Option<&'w str>,
}

#[derive(Debug, Serialize)]
struct NearRow<'w> {
    opcode: &'w str,
    bits: String,
    fields: Vec<DifferenceRow<'w>>,
}

#[derive(Debug, Serialize)]
struct DifferenceRow<'w> {
    name: &'w str,
    high: u32,
    low: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<String>,
    has: ValueRow<'w>,
    needs: ValueRow<'w>,
}

#[derive(Debug, Serialize)]
struct ValueRow<'w> {
    value: String,
    meaning: Option<&'w str>,
}

/// The explanation of a word.
pub fn object<'w>(word: &'w Word<'w>) -> Object<'w> {
    let isa = word.isa;
    let mut explained = Object {
        word: word.number(),
        bytes: word.bytes(),
        length: word.length(),
        legal: false,
        opcode: None,
        text: None,
        alias: None,
        plain_text: None,
        description: None,
        manual: None,
        does: None,
        fields: Vec::new(),
        flow_control: None,
        reads: Vec::new(),
        writes: Vec::new(),
        errors: Vec::new(),
        assembler_errors: Vec::new(),
        stray_bits: None,
        nearest: Vec::new(),
    };
    match &word.explanation.opcode {
        Found::One(known) => explained.know(word, known),
        Found::Nearest(near) => {
            explained.nearest = near.iter().map(|near| near_row(isa, near)).collect();
            let message = "unknown opcode".to_string();
            explained.errors.push(ErrorRow { kind: "UnknownOpcode", message, field: None });
        }
    }
    explained
}

impl<'w> Object<'w> {
    fn know(&mut self, word: &'w Word<'w>, known: &'w DecodedWord) {
        let isa = word.isa;
        let opcode = isa.opcode(known.inst.opcode);
        self.legal = known.is_legal();
        self.opcode = Some(&opcode.name);
        self.text = known.is_legal().then(|| word.engine.text(known.inst));
        let alias = word.engine.alias(known.inst).filter(|_| known.is_legal());
        self.alias = alias.map(|at| opcode.aliases[at].form.name.as_str());
        self.plain_text = alias.map(|_| word.engine.plain_text(known.inst));
        let summary = word.entry.as_ref().map(|entry| entry.summary.as_str());
        self.description = summary.filter(|summary| !summary.is_empty());
        self.manual = word.entry.as_ref().map(|entry| entry.page.as_str());
        self.does = word.does.as_deref();
        self.fields = known.fields.iter().map(|part| field_row(isa, opcode, part)).collect();
        self.flow_control = word.flow_control(known);
        let uses = |way| {
            let uses = word.uses(known, way).into_iter();
            uses.map(|(resource, certain)| UseRow { resource, certain }).collect()
        };
        (self.reads, self.writes) = (uses(Way::Read), uses(Way::Write));
        if let Some(needs) = &known.needs {
            let message = format!("`{}` needs {needs}", opcode.name);
            self.errors.push(ErrorRow { kind: "NeedsExtension", message, field: None });
        }
        for name in &known.illegal {
            let Some(field) = opcode.field(*name) else { continue };
            let (raw, name) = (field.extract(word.explanation.word), isa.name_of(*name));
            let ty = &isa.ty(field.ty).name;
            let message = format!("illegal value 0x{raw:x} of field `{name}` ({ty})");
            self.errors.push(ErrorRow { kind: "IllegalValue", message, field: Some(name) });
        }
        let rule = |id: &RuleId| {
            let rule = isa.rule(*id);
            ErrorRow { kind: rule.kind.as_str(), message: rule.message.clone(), field: None }
        };
        self.errors.extend(known.broken.iter().map(rule));
        self.assembler_errors = known.refused.iter().map(rule).collect();
        self.stray_bits = (known.stray != 0).then(|| bits(isa.numbering(opcode), known.stray));
    }
}

fn field_row<'w>(isa: &'w Isa, opcode: &Opcode, part: &'w Part) -> FieldRow<'w> {
    let (field, numbering) = (&part.field, isa.numbering(opcode));
    FieldRow {
        name: isa.name_of(field.name),
        high: numbering.high(&field.bits),
        low: numbering.low(&field.bits),
        bits: in_pieces(numbering, field),
        ty: &isa.ty(field.ty).name,
        value: hexadecimal(field, part.raw),
        meaning: part.meaning.as_deref(),
        role: role(isa, opcode, field),
        binding: match field.binding {
            Binding::Fixed(_) => "fixed",
            Binding::Default(default) if default == part.raw => "default",
            Binding::Default(_) => "optional",
            Binding::Required => "required",
        },
        from: &part.origin,
    }
}

fn near_row<'w>(isa: &'w Isa, near: &'w Near) -> NearRow<'w> {
    let numbering = isa.numbering(isa.opcode(near.opcode));
    let fields = near.fields.iter().map(|difference| {
        let field = &difference.field;
        let value = |value: &'w Value| ValueRow {
            value: hexadecimal(field, value.raw),
            meaning: value.meaning.as_deref(),
        };
        DifferenceRow {
            name: isa.name_of(field.name),
            high: numbering.high(&field.bits),
            low: numbering.low(&field.bits),
            bits: in_pieces(numbering, field),
            has: value(&difference.has),
            needs: value(&difference.needs),
        }
    });
    NearRow {
        opcode: &isa.opcode(near.opcode).name,
        bits: bits(numbering, near.bits),
        fields: fields.collect(),
    }
}

/// The bits of a field in pieces, the most significant first.
fn in_pieces(numbering: Numbering, field: &Field) -> Option<String> {
    field.bits.as_one().is_none().then(|| numbering.bits(&field.bits))
}

/// A value in hexadecimal, with as many digits as its field needs.
fn hexadecimal(field: &Field, raw: u64) -> String {
    format!("0x{raw:0digits$x}", digits = field.width().div_ceil(4) as usize)
}
