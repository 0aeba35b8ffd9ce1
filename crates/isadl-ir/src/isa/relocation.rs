//! Relocations: how linkers, or the syntax of operands, compute the values of an immediate from addresses.

use super::{Expr, NameId, Reading};

/// A relocation of the values of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Relocation {
    /// The name written in operands; `None` for operands that are addresses themselves.
    pub name: Option<String>,
    /// Its number in object files.
    pub number: u32,
    /// The relocated value, over [`Relocation::VALUE`] and [`Relocation::START`], which are signed 64-bit numbers. If
    /// absent, a relocation without a name gives the address, or the distance to it. Only linkers know the value of
    /// other relocations without an expression.
    pub value: Option<Expr>,
    /// The paired relocation that determines the value, if only linkers know the value and the specification declares
    /// the pair.
    pub pair: Option<Pair>,
}

/// The value of a relocation that depends on a paired relocation. The written address is the address of an instruction
/// that has the paired relocation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// How that is written.
    pub of: String,
    /// The value, over the address in the paired relocation and the address of its instruction.
    pub value: Expr,
}

/// Syntax of a relocation with its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Written {
    /// Before it, which is in parentheses: `%hi(address)`.
    Function,
    /// Before it: `:lo12:address`.
    Before,
    /// After it: `address@ha`.
    After,
}

impl Relocation {
    /// In [`Relocation::value`], the written address plus its addend.
    pub const VALUE: NameId = NameId(0);
    /// In [`Relocation::value`], the address of the instruction.
    pub const START: NameId = NameId(1);

    /// The value for an address, in an instruction at another address. With a pair, both addresses belong to the paired
    /// relocation.
    pub fn value_of(&self, value: i64, start: i64) -> Option<i128> {
        let address =
            |name, _: Reading| i128::from(if name == Relocation::VALUE { value } else { start });
        let own = self.value.as_ref().or(self.pair.as_ref().map(|pair| &pair.value));
        Some(own?.eval(&address))
    }

    /// An example of a relocation name written with an address.
    pub fn example(name: &str, address: &str) -> Option<String> {
        Some(match Written::of(name)? {
            Written::Function => format!("{name}({address})"),
            Written::Before => format!("{name}{address}"),
            Written::After => format!("{address}{name}"),
        })
    }
}

impl Written {
    /// How a name is written; `None` if it is not a relocation name. A relocation name is a word after `@`, or after
    /// another sign that numbers can begin with, and may end in a colon.
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
