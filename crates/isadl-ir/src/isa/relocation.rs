//! Relocations: how the values of an immediate are made of addresses, by linkers or as operands say.

use super::{Expr, NameId, Reading};

/// A relocation of the values of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// How it is written in operands; `None` for the one of operands that are addresses themselves.
    pub name: Option<String>,
    /// Its number in object files.
    pub number: u32,
    /// The value that it gives, over [`Relocation::VALUE`] and [`Relocation::START`], numbers of 64 bits with a sign.
    /// Where there is none, a relocation without a name gives the address, or the distance to it; what another
    /// gives is known to linkers only.
    pub value: Option<Expr>,
    /// Of one whose value linkers know, what this is made of, if the specification says so.
    pub pair: Option<Pair>,
}

/// The value of a relocation that is made of another one: the address that is written is that of an instruction with a
/// relocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// How that is written.
    pub of: String,
    /// The value, over the address that the other one is of, and the address of its instruction.
    pub value: Expr,
}

/// How a relocation is written with the address that it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Before it, which is in parentheses: `%hi(address)`.
    Function,
    /// Before it: `:lo12:address`.
    Before,
    /// After it: `address@ha`.
    After,
}

impl Relocation {
    /// In [`Relocation::value`], the address that is written, with what is added to it.
    pub const VALUE: NameId = NameId(0);
    /// In [`Relocation::value`], the address of the instruction.
    pub const START: NameId = NameId(1);

    /// The value that it gives for an address, in an instruction at another; of one with a pair, those of the pair.
    pub fn value_of(&self, value: i64, start: i64) -> Option<i128> {
        let address =
            |name, _: Reading| i128::from(if name == Relocation::VALUE { value } else { start });
        let own = self.value.as_ref().or(self.pair.as_ref().map(|pair| &pair.value));
        Some(own?.eval(&address))
    }

    /// How one of a name is written with an address.
    pub fn example(name: &str, address: &str) -> Option<String> {
        Some(match Written::of(name)? {
            Written::Function => format!("{name}({address})"),
            Written::Before => format!("{name}{address}"),
            Written::After => format!("{address}{name}"),
        })
    }
}

impl Written {
    /// How a name is written; `None` if it is not the name of a relocation: a word after `@`, or after another of
    /// the signs that numbers may begin with, and then perhaps before a colon.
    pub fn of(name: &str) -> Option<Written> {
        let sign = *name.as_bytes().first()?;
        let word = name.get(1..)?;
        let (word, written) = match word.strip_suffix(':') {
            _ if sign == b'@' => (word, Written::After),
            Some(word) => (word, Written::Before),
            None => (word, Written::Function),
        };
        let is_sign = sign == b'@' || isadl_engine::image_text::PREFIX_BYTES.contains(&sign);
        let is_word =
            |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (is_sign && !word.is_empty() && is_word(word)).then_some(written)
    }
}
