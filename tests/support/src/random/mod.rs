//! Random small instruction sets, and code that all tests on them share.

mod aliases;
mod apart;
mod draft;
mod examine;
mod extensions;
mod kin;
mod mnemonics;
mod mutate;
mod opcodes;
mod order;
mod places;
mod proofs;
mod rules;
mod shrink;
mod subject;
mod terse;
mod texts;
mod types;
mod views;

pub use aliases::aliases_in_tables;
pub use apart::is_proposal;
pub use draft::{Specification, contested, specification};
pub use examine::{Seen, examine};
pub use extensions::Extended;
pub use order::mirrored;
pub use proofs::{Truth, truth};
pub use shrink::{report, shrink};
pub use subject::Subject;
pub use terse::{Short, renamed, terse};
pub use texts::{TextTruth, texts};

use isadl::engine::TextOptions;
use isadl::isa::Family;
use isadl::levels::Levels;

use crate::oracle::{self, Verdict};

/// Compares a word with the oracle: its verdict, its text, and its reads and writes. Returns the verdict; the error
/// describes a difference.
pub fn compare(subject: &Subject<'_>, word: u128) -> Result<Verdict, String> {
    let isa = subject.isa();
    let expected = oracle::decode(isa, word);
    let (found, kept) = subject.decode(word);
    if found != expected {
        return Err(format!("0x{word:x} is {found:?}, by the oracle {expected:?}"));
    }
    let Verdict::Legal { opcode: id, .. } = expected else { return Ok(expected) };
    let opcode = &isa.opcodes()[id.index()];
    let wanted = oracle::significant(opcode, word);
    if kept != Some(wanted) {
        return Err(format!("0x{word:x} is kept as {kept:x?}, by the oracle 0x{wanted:x}"));
    }
    let (text, wanted_text) = (subject.text(id, wanted), oracle::print(isa, opcode, wanted));
    if text != wanted_text {
        return Err(format!("0x{word:x} prints `{text}`, by the oracle `{wanted_text}`"));
    }
    let (text, wanted_text) =
        (subject.plain_text(id, wanted), oracle::print_plain(isa, opcode, wanted));
    if text != wanted_text {
        return Err(format!(
            "0x{word:x} is `{text}` without aliases, by the oracle `{wanted_text}`"
        ));
    }
    for address in [0, 0x1237, u64::MAX - 2] {
        let at = subject.text_at(id, wanted, address);
        let wanted_at = oracle::print_at(isa, opcode, wanted, address);
        if at != wanted_at {
            return Err(format!(
                "0x{word:x} at 0x{address:x} prints `{at}`, by the oracle `{wanted_at}`"
            ));
        }
    }
    let (class, wanted_class) =
        (subject.flow_control(id, wanted), oracle::flow_control(isa, opcode, wanted));
    if class != wanted_class {
        return Err(format!("`{text}` is {class}, by the oracle {wanted_class}"));
    }
    for set in 0..isa.name_sets().len() {
        let style = |is_plain| TextOptions {
            names: set as u32,
            is_plain,
            address: None,
            ..TextOptions::default()
        };
        let texts = [
            (style(false), oracle::print_names(isa, opcode, wanted, set)),
            (style(true), oracle::print_plain_names(isa, opcode, wanted, set)),
        ];
        for (style, wanted_text) in texts {
            let text = subject.text_with(id, wanted, style);
            if text != wanted_text {
                return Err(format!(
                    "0x{word:x} prints `{text}` with {style:?}, by the oracle `{wanted_text}`"
                ));
            }
        }
    }
    let (uses, wanted_uses) = (subject.uses(id, wanted), oracle::uses(isa, opcode, wanted));
    if uses != wanted_uses {
        return Err(format!("`{text}` uses {uses:?}, by the oracle {wanted_uses:?}"));
    }
    Ok(expected)
}

/// Compiles a specification with the levels that users have; `None` if it is refused.
pub fn accepted(text: &str) -> Option<Family> {
    let (_, mut compilation) = crate::compile(&[("random.isa", text)]);
    compilation.diagnostics.apply(&Levels::default());
    compilation.family.filter(|_| !compilation.diagnostics.has_errors())
}

/// A specification without its aliases.
pub fn without_aliases(text: &str) -> String {
    let definitions = text.split_inclusive("\n\n");
    definitions.filter(|definition| !definition.starts_with("__DefAlias")).collect()
}
