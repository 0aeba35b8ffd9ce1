//! Names of methods of `Inst`; names of fields and opcodes give way to them.

use super::control::Has;
use super::plan::Plan;

/// Identifiers of `Inst` that are written by hand.
const INST_ITEMS: &[&str] = &[
    "decode",
    "decode_word",
    "find",
    "stream",
    "has",
    "place",
    "row",
    "lacks",
    "settable",
    "field_info",
    "broken_rule",
    "operand_value",
    "indirect",
    "typed",
    "opcode",
    "word",
    "to_word",
    "to_bytes",
    "validate",
    "get",
    "with_raw",
    "operands",
    "generic_operands",
    "memory_width",
    "lowered",
    "uses",
    "info",
    "mnemonic",
    "new",
    "clone",
    "eq",
    "fmt",
    "hash",
    "cmp",
    "from_parts",
    "from_values",
    "reads",
    "writes",
    "view",
    "text",
    "formatted",
    "append_to",
    "write_to",
    "tokens",
    "parse",
    "from_str",
    "to_string",
];

/// Names that only some instruction sets have.
const GENERATION_ITEMS: &[&str] = &["generations", "is_in"];
const EXTENSION_ITEMS: &[&str] = &["requires", "is_with"];
const WIDTH_ITEMS: &[&str] = &["len", "width"];
const IMPLICIT_ITEMS: &[&str] = &["implicit"];
const ALIAS_ITEMS: &[&str] = &["alias", "alias_names", "plain_text"];
const SHORT_ITEMS: &[&str] = &["long", "long_in", "lengthened", "parse_exact", "plain_text"];
const NAME_SET_ITEMS: &[&str] = &["text_with"];
const CLASS_ITEMS: &[&str] = &["flow_control"];
const TARGET_ITEMS: &[&str] = &["retarget", "target", "text_at"];
const RELOCATION_ITEMS: &[&str] = &["relocate", "relocations"];
const ADDRESS_ITEMS: &[&str] = &["parse_at"];

impl Plan<'_> {
    /// The names that are taken by methods of `Inst`.
    pub(super) fn inst_items(&self) -> Vec<&'static str> {
        let mut items = INST_ITEMS.to_vec();
        let mut add = |is_made: bool, more: &[&'static str]| {
            if is_made {
                items.extend(more);
            }
        };
        add(!self.generations.is_empty(), GENERATION_ITEMS);
        add(self.has_extensions(), EXTENSION_ITEMS);
        add(self.varies_width(), WIDTH_ITEMS);
        add(self.has_implicit(), IMPLICIT_ITEMS);
        add(self.image.texts.view().has_aliases, ALIAS_ITEMS);
        add(self.image.texts.view().has_shorts, SHORT_ITEMS);
        add(!self.isa.name_sets().is_empty(), NAME_SET_ITEMS);
        let said = Has::of(self);
        add(said.classes, CLASS_ITEMS);
        add(said.targets, TARGET_ITEMS);
        add(said.relocations, RELOCATION_ITEMS);
        add(said.targets || said.relocations, ADDRESS_ITEMS);
        items
    }
}
