//! Examples with their bytes, as the assembler encodes them.

use isadl_ir::isa::{Isa, OpcodeId};
use isadl_ir::links::Scanner;
use isadl_syntax::prose::{CLAIM, LAW};

use super::book::Book;
use super::prose::language;
use super::text::fence;
use super::variants;

/// The indentation of bytes below their instruction.
const INDENT: &str = "    ";

/// Whether an opcode of a generation belongs to the described item.
pub(super) type IsOwn<'f> = &'f dyn Fn(&Isa, OpcodeId) -> bool;

impl Book<'_> {
    /// Renders a section of examples. Prose is unchanged. Below each line of a fence are its bytes, for the generations
    /// in which the line is an instruction of the described item.
    pub(super) fn examples(&self, page: &str, text: &str, is_own: IsOwn<'_>) -> String {
        let mut out = String::new();
        let mut prose: Vec<&str> = Vec::new();
        let mut lines: Vec<String> = Vec::new();
        let mut scanner = Scanner::default();
        let mut is_law = false;
        for line in text.lines() {
            let was_open = scanner.open().is_some();
            let is_code = scanner.is_code(line);
            let is_open = scanner.open().is_some();
            is_law = is_law || !was_open && is_open && language(line) == LAW;
            match (was_open, is_open) {
                _ if is_law => {
                    prose.push(line);
                    is_law = is_open;
                }
                (true, true) => lines.extend(self.example(line, is_own)),
                (true, false) => out += &fence("asm", &std::mem::take(&mut lines).join("\n")),
                (false, true) => self.text(page, &mut prose, &mut out),
                (false, false) if !is_code => prose.push(line),
                (false, false) => {}
            }
        }
        if !lines.is_empty() {
            out += &fence("asm", &lines.join("\n"));
        }
        self.text(page, &mut prose, &mut out);
        out
    }

    fn text(&self, page: &str, prose: &mut Vec<&str>, out: &mut String) {
        let text = std::mem::take(prose).join("\n");
        if !text.trim().is_empty() {
            *out += &format!("\n{}\n", self.context(page).section(text.trim_matches('\n'), 2));
        }
    }

    /// A line of a fence, with its bytes below it if it is an instruction, and its claims below these.
    fn example(&self, line: &str, is_own: IsOwn<'_>) -> Vec<String> {
        let Some((content, claims)) = line.split_once(CLAIM) else {
            return self.instruction(line, is_own);
        };
        let (claims, comment) = match claims.split_once("//") {
            Some((claims, comment)) => (claims, format!(" //{comment}")),
            None => (claims, String::new()),
        };
        let mut lines = self.instruction(&format!("{}{comment}", content.trim_end()), is_own);
        lines.push(format!("{INDENT}// {}", claims.trim()));
        lines
    }

    /// An instruction with its bytes below it.
    fn instruction(&self, line: &str, is_own: IsOwn<'_>) -> Vec<String> {
        let content = line.trim();
        let mut lines = vec![line.trim_end().to_string()];
        if content.is_empty() || content.starts_with("//") {
            return lines;
        }
        let bytes = self.loaded.iter().filter_map(|loaded| {
            let isa = loaded.isa();
            // The same line may be a different operation in another generation.
            let own = isa.opcode_ids().filter(|id| is_own(isa, *id));
            let mut sets = vec![isa.extensions().default];
            if !isa.extensions().is_empty() {
                sets.extend(own.map(|id| isa.set_with(isa.opcode(id))));
            }
            let engine = loaded.engine();
            // An example may be of extensions that the default set lacks.
            let inst = sets.into_iter().find_map(|set| {
                let inst = engine.clone().with_extensions(set).read(content);
                inst.filter(|inst| is_own(isa, inst.opcode))
            })?;
            let length = isa.opcode(inst.opcode).width as usize / 8;
            Some((
                isa.describes(),
                isadl_runtime::hex::write_bytes(&isa.word_layout().to_bytes(inst.word)[..length]),
            ))
        });
        for variant in variants::group(bytes) {
            let label = self.label(variant.generations).replace('\\', "");
            let label = if label.is_empty() { label } else { format!("    // {label}") };
            lines.push(format!("{INDENT}{}{label}", variant.is));
        }
        lines
    }
}
