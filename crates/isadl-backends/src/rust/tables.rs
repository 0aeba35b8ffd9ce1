//! `tables.rs` of a generated crate: facts about opcodes outside the image, in tables of rows. Rows are numbered from 0
//! here.

use std::collections::BTreeMap;
use std::fmt::Debug;

use isadl_ir::isa::Opcode;

use super::HEADER;
use super::emit::{constants, list, short, table};
use super::extensions;
use super::plan::{LayoutBinding, Plan, RowPlan, SlotPlace};

/// The number of bits that hold a field's position. The next bit marks fields whose values the opcode fixes; the bits
/// above that hold the variant of the field's type.
fn lsb_bits(plan: &Plan<'_>) -> u32 {
    if plan.has_pieces() { 16 } else { 8 }
}

pub(super) fn emit(plan: &Plan<'_>) -> String {
    let (place, bits) = (plan.place_type(), lsb_bits(plan));
    let (fixed, variant_shift, lsb) = (1u32 << bits, bits + 1, (1u32 << bits) - 1);
    let mut text = format!(
        "{HEADER}//! What is known of opcodes beside the image.\n\
         #![allow(dead_code, unused_imports, clippy::all)]\n\
         use super::engine::image::{{self as rows, Span}};\n\
         use super::image::{{PATTERNS, ROWS as IMAGE_ROWS, SIGNIFICANT}};\n\
         use super::{{Field, FieldList, Opcode, OpcodeInfo, OperandList, RegFile, Rule}};\n\n\
         /// Marks the place of a field whose value the opcode fixes.\n\
         pub(crate) const FIXED: {place} = {fixed};\n\n\
         /// Above the mark, the variant of the field's type.\n\
         pub(crate) const VARIANT_SHIFT: u32 = {variant_shift};\n\n\
         /// The bits of a place that are the lowest bit of the field.\n\
         pub(crate) const LSB: {place} = {lsb};\n\n"
    );
    text += &opcodes(plan);
    text += &names(plan);
    text += &layouts(plan);
    text += &info(plan);
    text += &spelled(plan);
    text
}

/// The mnemonics of rows, and of aliases after them, that have fields: by the values of these.
fn spelled(plan: &Plan<'_>) -> String {
    if !plan.has_spelled() {
        return String::new();
    }
    let isa = plan.isa;
    let rows = plan.rows.iter().map(|row| plan.definition(row));
    let aliases = rows.clone().flat_map(|row| &row.aliases).map(|alias| &alias.form);
    let texts = rows.chain(aliases).enumerate();
    let texts = texts.filter(|(_, text)| !text.syntax.pieces.is_empty()).map(|(at, text)| {
        let printed = isa.mnemonics(text).into_iter().filter(|mnemonic| mnemonic.is_printed);
        let names: BTreeMap<u128, String> =
            printed.map(|mnemonic| (mnemonic.fields.value, mnemonic.text)).collect();
        let mask = text.mnemonic_fields().fold(0, |mask, field| mask | field.mask());
        let names = names.iter().map(|(bits, text)| format!("({bits:#x}, {text:?})"));
        format!("({at}, {mask:#x}, &[{}])", names.collect::<Vec<_>>().join(", "))
    });
    let texts: Vec<String> = texts.collect();
    let count = texts.len();
    list(
        "Mnemonics with fields, of rows and of aliases after them: the bits of the fields, and for each of their \
         values the mnemonic.",
        "MNEMONICS",
        "(usize, super::Word, &[(super::Word, &str)])",
        count,
        texts.into_iter(),
    ) + "/// The mnemonic of a row, or of an alias after the rows, if it has fields.\n\
         pub(crate) fn mnemonic(text: usize, word: super::Word) -> Option<&'static str> {\n    \
             let at = MNEMONICS.binary_search_by_key(&text, |(text, ..)| *text).ok()?;\n    \
             let (_, mask, names) = MNEMONICS[at];\n    \
             let at = names.binary_search_by_key(&(word & mask), |(bits, _)| *bits).ok()?;\n    \
             Some(names[at].1)\n\
         }\n\n"
}

/// The tables that map opcodes to rows and back.
fn opcodes(plan: &Plan<'_>) -> String {
    let of_rows = plan.rows.iter().map(|row| format!("Opcode::{}", plan.opcode_of(row).ident));
    let of_rows = of_rows.collect();
    let len = plan.numbers_len();
    let mut rows_of = vec![(0, 0); len];
    for opcode in &plan.opcodes {
        let number = usize::from(opcode.number);
        rows_of[number] = (opcode.rows.start, opcode.rows.len());
    }
    let mut text = constants("The opcode of each row.", "OPCODE_OF", "Opcode", of_rows)
        + &table(
            "The first row of each opcode, by its number, and how many there are.",
            "ROWS_OF",
            "Span",
            &rows_of,
        )
        + &by_number(len);
    if plan.varies_width() {
        let lengths = plan.rows.iter().map(|row| plan.definition(row).width / 8);
        text += &constants("Bytes in each row.", "LENGTH_OF", "u8", items(lengths));
    }
    if !plan.generations.is_empty() {
        let sets = items(plan.rows.iter().map(|row| generation_bits(plan, row)));
        let doc = "The generations that have each row, a bit each.";
        text += &constants(doc, "GENERATIONS_OF", generation_set(plan), sets);
    }
    if plan.has_extensions() {
        text += "use super::extensions::Requires;\n\n\
                 const fn requires(needed: u64, excluded: u64) -> Requires {\n    \
                     Requires::new(needed, excluded)\n\
                 }\n\n";
        let doc = "The sets of extensions that have each row.";
        text += &constants(doc, "REQUIRES", "&[Requires]", extensions::of_rows(plan));
    }
    text
}

/// The opcodes by number. They are put in their places when the crate is compiled, for a name takes longer to compile.
fn by_number(len: usize) -> String {
    format!(
        "/// The opcodes by number.\n\
         pub(crate) static BY_NUMBER: [Option<Opcode>; {len}] = {{\n    \
             let (mut opcodes, mut at) = ([None; {len}], 0);\n    \
             while at < Opcode::ALL.len() {{\n        \
                 opcodes[Opcode::ALL[at] as usize] = Some(Opcode::ALL[at]);\n        \
                 at += 1;\n    \
             }}\n    \
             opcodes\n\
         }};\n\n"
    )
}

/// The generations of a row, a bit for each of the plan.
fn generation_bits(plan: &Plan<'_>, row: &RowPlan) -> u64 {
    let of_row = plan.definition(row).generations;
    let generations = plan.generations.iter().enumerate();
    let has = generations.filter(|(_, generation)| of_row.contains(generation.index));
    has.fold(0, |bits, (bit, _)| bits | 1 << bit)
}

/// The type of a set of generations.
fn generation_set(plan: &Plan<'_>) -> &'static str {
    match plan.generations.len() {
        0..=8 => "u8",
        9..=16 => "u16",
        17..=32 => "u32",
        _ => "u64",
    }
}

/// Names, and the register files by their numbers.
fn names(plan: &Plan<'_>) -> String {
    let fields: Vec<&str> = plan.fields.iter().map(|field| plan.isa.name_of(field.name)).collect();
    let types: Vec<&str> = plan.isa.types().iter().map(|ty| ty.name.as_str()).collect();
    let files = plan.reg_files.iter().map(|ident| format!("RegFile::{ident}"));
    strings("The names of fields.", "FIELD_NAMES", &fields)
        + &strings("The names of types.", "TYPE_NAMES", &types)
        + &list("The register files.", "FILES", "RegFile", plan.reg_files.len(), files)
}

/// A table of texts, which keep their blanks.
fn strings(doc: &str, name: &str, texts: &[&str]) -> String {
    list(doc, name, "&str", texts.len(), texts.iter().map(|text| format!("{text:?}")))
}

fn layouts(plan: &Plan<'_>) -> String {
    let chunks = plan.slots.len().div_ceil(64);
    let present = plan.layouts.iter().map(|layout| {
        let mut bits = vec![0u64; chunks];
        for slot in layout.fields.iter().filter_map(|field| plan.slot_of(field.name, field.ty)) {
            bits[slot / 64] |= 1 << (slot % 64);
        }
        bits
    });
    let varying = plan.varying().count();
    let places = plan.layouts.iter().map(|layout| {
        let mut places = vec![0u32; varying];
        for field in &layout.fields {
            let slot = plan.slot_of(field.name, field.ty).map(|slot| plan.slots[slot].place);
            if let Some(SlotPlace::Varying(column)) = slot {
                let fixed = u32::from(field.binding == LayoutBinding::Fixed) << lsb_bits(plan);
                let variant = plan.variant(field.ty).unwrap_or(0) as u32;
                let place = u32::from(plan.image.words.place(&field.bits));
                places[column] = place | fixed | variant << (lsb_bits(plan) + 1);
            }
        }
        places
    });
    let layout_of = plan.rows.iter().map(|row| row.layout);
    constants("The layout of each row.", "LAYOUT_OF", "u16", items(layout_of))
        + &constants(
            "The getters whose fields a layout has, a bit each.",
            "PRESENT",
            &format!("[u64; {chunks}]"),
            items(present),
        )
        + &constants(
            "The lowest bits of fields that are not at the same bits everywhere, by layout.",
            "PLACES",
            &format!("[{}; {varying}]", plan.place_type()),
            items(places),
        )
}

/// Rows as text of Rust.
fn items<T: Debug>(rows: impl Iterator<Item = T>) -> Vec<String> {
    rows.map(|row| short(&format!("{row:?}"))).collect()
}

/// Lists that opcodes share, by their texts.
#[derive(Default)]
struct Lists {
    numbers: BTreeMap<Vec<String>, usize>,
    lists: Vec<Vec<String>>,
}

impl Lists {
    fn add(&mut self, list: Vec<String>) -> usize {
        let next = self.lists.len();
        *self.numbers.entry(list.clone()).or_insert_with(|| {
            self.lists.push(list);
            next
        })
    }

    fn emit(&self, doc: &str, name: &str, ty: &str) -> String {
        let lists = self.lists.iter().map(|list| format!("&[{}]", list.join(",")));
        list(doc, name, ty, self.lists.len(), lists)
    }
}

/// The specification's facts about each row.
fn info(plan: &Plan<'_>) -> String {
    let isa = plan.isa;
    let (mut groups, mut rules, mut generations) =
        (Lists::default(), Lists::default(), Lists::default());
    let quoted = |text: &str| format!("{text:?}");
    let of_rows = plan.rows.iter().enumerate().map(|(index, row)| {
        let definition = plan.definition(row);
        let of_groups = definition.groups.iter().map(|id| quoted(&isa.groups()[id.index()].name));
        let of_rules = definition.rules.iter().map(|rule| format!("Rule({})", rule.index()));
        let of_generations = isa.generation_names(definition.generations).map(quoted);
        let lists = [
            groups.add(of_groups.collect()),
            rules.add(of_rules.collect()),
            generations.add(of_generations.collect()),
        ];
        let [group, rule, generation] = lists;
        let optype = definition.optypes.first().map_or("", |id| &isa.optypes()[id.index()].name);
        let (name, mnemonic) = (&definition.name, &definition.syntax.mnemonic);
        let literal = literal(plan, definition);
        let number = index + 1;
        format!(
            "info({number},{name:?},{mnemonic:?},{optype:?},{group},{rule},{generation},{literal})"
        )
    });
    let of_rows: Vec<String> = of_rows.collect();
    let count = of_rows.len();
    groups.emit("The groups of opcodes.", "GROUPS", "&[&str]")
        + &rules.emit("The rules of opcodes.", "RULES_OF_ROWS", "&[Rule]")
        + &generations.emit("The generations of opcodes.", "GENERATIONS", "&[&str]")
        + "/// What the specification says of the row of a number.\n\
           #[allow(clippy::too_many_arguments)]\n\
           const fn info(\n    row: usize, name: &'static str, mnemonic: &'static str, optype: &'static str,\n    \
               groups: usize, rules: usize, generations: usize, literal: Option<Field>,\n\
           ) -> OpcodeInfo {\n    \
               let (of_row, pattern) = (&IMAGE_ROWS[row], &PATTERNS[row]);\n    \
               OpcodeInfo {\n        \
                   name, mnemonic, optype, literal,\n        \
                   groups: GROUPS[groups],\n        \
                   rules: RULES_OF_ROWS[rules],\n        \
                   generations: GENERATIONS[generations],\n        \
                   mask: pattern.mask,\n        \
                   value: pattern.value,\n        \
                   significant: SIGNIFICANT[row],\n        \
                   width: of_row.width as u16,\n        \
                   fields: FieldList(of_row.fields),\n        \
                   operands: OperandList(of_row.operands),\n        \
                   implicit: OperandList(of_row.implicit),\n    \
               }\n\
           }\n\n"
        + &list(
            "What the specification says of each row.",
            "INFO",
            "OpcodeInfo",
            count,
            of_rows.into_iter(),
        )
}

/// The field of the literal of a form.
fn literal(plan: &Plan<'_>, definition: &Opcode) -> String {
    let literal = definition.literals.first().map(|form| plan.field_ident(form.literal));
    literal.map_or("None".to_string(), |field| format!("Some(Field::{field})"))
}
