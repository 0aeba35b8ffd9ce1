//! An instruction set that compiles: what its opcodes look like as words and lines.

use isadl::engine::Loaded;
use isadl::explain::{Found, Known};
use isadl::isa::{Family, Isa, Opcode, OpcodeId};

/// All generations of an instruction set, ready for use.
pub(crate) struct Compiled {
    generations: Vec<Loaded>,
}

impl Compiled {
    pub(crate) fn new(family: &Family) -> Compiled {
        Compiled { generations: family.isas().iter().cloned().map(Loaded::new).collect() }
    }

    /// The first generation with an opcode, and the opcode.
    fn find(&self, name: &str) -> Option<(&Loaded, OpcodeId)> {
        self.generations.iter().find_map(|loaded| Some((loaded, loaded.isa().find_opcode(name)?)))
    }

    /// An instruction of an opcode, as a word and as text: the one with zeros and defaults.
    pub(crate) fn example(&self, name: &str) -> Option<(String, String)> {
        let (loaded, id) = self.find(name)?;
        let (isa, engine) = (loaded.isa(), loaded.engine());
        let opcode = isa.opcode(id);
        let inst = engine.decode(opcode.base()).ok()?;
        let digits = opcode.width.div_ceil(4) as usize;
        let number = isa.number_of(inst) >> isa.order().lowest(opcode.width);
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
        let (loaded, id) = self.find(name)?;
        let opcode = loaded.isa().opcode(id);
        Some((opcode.unstated().count_ones(), opcode.width))
    }
}

fn fields(
    isa: &Isa,
    opcode: &Opcode,
    known: &Known,
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
