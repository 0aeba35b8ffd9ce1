//! An instruction set that compiles: its opcodes as words and lines.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use isadl::engine::Loaded;
use isadl::explain::{DecodedWord, Found};
use isadl::isa::{Family, Isa, Opcode, OpcodeId};
use isadl::semantics::Checked;
use isadl::semantics::lookup::{Typed, choice, typed_at};
use isadl::source::{FileId, SourceMap};

use crate::text::Text;

/// All generations of an instruction set.
pub(crate) struct Compiled {
    family: Family,
    /// The engines of the generations, once they are asked for: most texts are changed before.
    loaded: Vec<OnceLock<Loaded>>,
    /// The programs of each generation.
    programs: Arc<Vec<Checked>>,
    /// The texts that were compiled, which may have changed since.
    texts: Vec<CompiledText>,
}

struct CompiledText {
    id: FileId,
    name: String,
    text: String,
}

/// The type at a position in the program of an opcode.
pub(crate) struct FoundType<'c> {
    /// The place in the text of today.
    pub(crate) place: Range<usize>,
    pub(crate) typed: Typed,
    pub(crate) isa: &'c Isa,
    /// The generations with this program.
    pub(crate) generation: String,
    pub(crate) opcode: &'c str,
    /// The values of the fields that decide widths.
    pub(crate) choice: String,
}

impl Compiled {
    pub(crate) fn new(
        family: Family,
        programs: Arc<Vec<Checked>>,
        sources: &SourceMap,
    ) -> Compiled {
        let loaded = family.isas().iter().map(|_| OnceLock::new()).collect();
        let text = |id| {
            let file = sources.file(id);
            CompiledText { id, name: file.name().to_string(), text: file.text().to_string() }
        };
        let texts = sources.specification().map(text).collect();
        Compiled { family, loaded, programs, texts }
    }

    /// The types at a position of a text, in the programs of some opcodes.
    pub(crate) fn typed(
        &self,
        path: &Path,
        text: &Text,
        at: usize,
        opcodes: &HashSet<&str>,
    ) -> Vec<FoundType<'_>> {
        let name = path.display().to_string();
        let Some(of) = self.texts.iter().find(|of| of.name == name) else { return Vec::new() };
        let Some(before) = place_before(&of.text, &text.text, at) else { return Vec::new() };
        let mut found = Vec::new();
        for (isa, checked) in self.family.isas().iter().zip(self.programs.iter()) {
            let generation: Vec<&str> = isa.generation_names(isa.describes()).collect();
            let programs = isa.opcodes().iter().zip(&checked.opcodes);
            for (opcode, instances) in programs.filter(|(of, _)| opcodes.contains(&*of.name)) {
                for instance in instances {
                    let typed = typed_at(&instance.program, isa, of.id, before as u32);
                    found.extend(typed.map(|typed| {
                        let start = (typed.span.start as usize + at).saturating_sub(before);
                        FoundType {
                            place: start..start + (typed.span.end - typed.span.start) as usize,
                            typed,
                            isa,
                            generation: generation.join(", "),
                            opcode: &opcode.name,
                            choice: choice(isa, opcode, instance),
                        }
                    }));
                }
            }
        }
        found
    }

    /// The first generation with an opcode, and the opcode.
    fn find_opcode(&self, name: &str) -> Option<(usize, OpcodeId)> {
        let mut isas = self.family.isas().iter().enumerate();
        isas.find_map(|(at, isa)| Some((at, isa.find_opcode(name)?)))
    }

    /// The opcode with a name, and its loaded instruction set.
    fn find(&self, name: &str) -> Option<(&Loaded, OpcodeId)> {
        let (at, id) = self.find_opcode(name)?;
        let load = || Loaded::quick(self.family.isas()[at].clone());
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

/// The place in an earlier text of a place in a line that has not changed since.
fn place_before(before: &str, now: &str, at: usize) -> Option<usize> {
    let start = now[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = now[at..].find('\n').map_or(now.len(), |end| at + end);
    if before.get(..end) == Some(&now[..end]) {
        return Some(at);
    }
    let rest = &now[start..];
    let start_before =
        before.strip_suffix(rest).filter(|head| head.is_empty() || head.ends_with('\n'))?.len();
    Some(start_before + (at - start))
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
