//! An instruction set that compiles: its opcodes as words and lines.

use std::sync::OnceLock;

use isadl::engine::Loaded;
use isadl::explain::{DecodedWord, Found};
use isadl::isa::{Family, Isa, Opcode, OpcodeId};

/// All generations of an instruction set.
pub(crate) struct Compiled {
    family: Family,
    /// The engines of the generations, once they are asked for: most texts are changed before.
    loaded: Vec<OnceLock<Loaded>>,
}

impl Compiled {
    pub(crate) fn new(family: Family) -> Compiled {
        let loaded = family.isas().iter().map(|_| OnceLock::new()).collect();
        Compiled { family, loaded }
    }

    /// The first generation with an opcode, and the opcode.
    fn find_opcode(&self, name: &str) -> Option<(usize, OpcodeId)> {
        let mut isas = self.family.isas().iter().enumerate();
        isas.find_map(|(at, isa)| Some((at, isa.find_opcode(name)?)))
    }

    /// The opcode with a name, and its loaded instruction set.
    fn find(&self, name: &str) -> Option<(&Loaded, OpcodeId)> {
        let (at, id) = self.find_opcode(name)?;
        let load = || Loaded::new(self.family.isas()[at].clone());
        Some((self.loaded[at].get_or_init(load), id))
    }

    /// An example instruction of an opcode, as a word and as text, with zeros and defaults.
    pub(crate) fn example(&self, name: &str) -> Option<(String, String)> {
        let (loaded, id) = self.find(name)?;
        let (isa, engine) = (loaded.isa(), loaded.engine());
        let opcode = isa.opcode(id);
        let inst = engine.decode(opcode.base()).ok()?;
        let digits = opcode.width.div_ceil(4) as usize;
        let number = isa.number_of(inst) >> isa.word_layout().lowest(opcode.width);
        Some((format!("0x{number:0digits$x}"), engine.text(inst)))
    }

    /// The bits of an opcode: a picture, and a table of its fields.
    pub(crate) fn picture(&self, name: &str) -> Option<String> {
        let (loaded, id) = self.find(name)?;
        let isa = loaded.isa();
        let opcode = isa.opcode(id);
        let word = opcode.base();
        let explanation = loaded.engine().explain(word);
        let Found::One(known) = explanation.opcode else { return None };
        let ruler = known.ruler(isa, word);
        let mut text = format!("```text\n{}\n```\n", ruler.lines.join("\n"));
        text += &fields(isa, opcode, &known, |name| {
            ruler.keys.get(&name).map_or(String::new(), |key| format!("{key} "))
        });
        let free = opcode.unstated();
        if free != 0 {
            text += &format!("\n{} bits without a statement\n", free.count_ones());
        }
        Some(text)
    }

    /// The number of bits of an opcode that no statement mentions, and of all its bits.
    pub(crate) fn free_bits(&self, name: &str) -> Option<(u32, u32)> {
        let (at, id) = self.find_opcode(name)?;
        let opcode = self.family.isas()[at].opcode(id);
        Some((opcode.unstated().count_ones(), opcode.width))
    }
}

fn fields(
    isa: &Isa,
    opcode: &Opcode,
    known: &DecodedWord,
    key: impl Fn(isadl::isa::NameId) -> String,
) -> String {
    let mut text =
        String::from("\n| bits | field | type | value | from |\n|:--|:--|:--|:--|:--|\n");
    for part in &known.fields {
        let field = &part.field;
        let value = match field.binding {
            isadl::isa::Binding::Required => String::new(),
            isadl::isa::Binding::Default(_) => {
                format!("= {}", part.meaning.clone().unwrap_or_default())
            }
            isadl::isa::Binding::Fixed(_) => {
                format!("== {}", part.meaning.clone().unwrap_or_default())
            }
        };
        text += &format!(
            "| {} | {}`{}` | `{}` | {} | {} |\n",
            isa.numbering(opcode).bits(&field.bits),
            key(field.name),
            isa.name_of(field.name),
            isa.ty(field.ty).name,
            if value.is_empty() { value } else { format!("`{value}`") },
            part.origin
        );
    }
    text
}
