//! Traits that generated crates of isadl implement, for tools that work with any instruction set.
//!
//! A generated crate has a trait here for each part that was generated: [`Decode`], [`Encode`],
//! [`Text`], [`Parse`], [`Flow`], [`Operands`], [`Control`]. All of them need [`Instruction`]. Its type `Inst` implements them.
//!
//! ```
//! use isadl_traits::{Decode, Flow, Instruction};
//!
//! /// How many instructions of a stream write to a register file.
//! fn writers<I: Decode + Flow>(generation: I::Generation, bytes: &[u8], file: &str) -> usize {
//!     let found = I::stream(generation, bytes).filter_map(|(_, inst)| inst.ok());
//!     let is_writer = |inst: &I| {
//!         let mut files = inst.writes().filter_map(|found| found.resource.file());
//!         files.any(|written| written.name() == file)
//!     };
//!     found.filter(is_writer).count()
//! }
//! ```
#![no_std]

mod control;
mod flow;
mod operands;
mod stream;

use core::error::Error;
use core::fmt::{Debug, Display};
use core::hash::Hash;

pub use control::FlowControl;
pub use flow::{Effect, RegisterFile, Resource, Use};
pub use operands::{Operand, Value};
pub use stream::Stream;

/// A generation of an instruction set. Where an instruction set does not have any, it is `()`.
pub trait Generation: Copy + Ord + Hash + Debug + Send + Sync + 'static {
    /// Every generation, in order of declaration.
    const ALL: &'static [Self];

    /// Its name in the specification; empty if there are no generations.
    fn name(self) -> &'static str;

    /// The generation of a name.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|generation| generation.name() == name)
    }
}

impl Generation for () {
    const ALL: &'static [()] = &[()];

    fn name(self) -> &'static str {
        ""
    }
}

/// A set of extensions of an instruction set. Where an instruction set does not have any, it is `()`.
pub trait ExtensionSet: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The set that is used where none is given.
    const DEFAULT: Self;

    /// The set of names of extensions and sets, separated by commas, with the extensions that they imply.
    fn from_names(names: &str) -> Option<Self>;
}

impl ExtensionSet for () {
    const DEFAULT: () = ();

    fn from_names(names: &str) -> Option<()> {
        names.split(',').all(|name| name.trim().is_empty()).then_some(())
    }
}

/// An instruction: an opcode and a word whose fields all have values of their types.
pub trait Instruction: Copy + Ord + Hash + Debug + Send + Sync + 'static {
    /// The generations, or `()`.
    type Generation: Generation;
    /// The sets of extensions, or `()`.
    type Extensions: ExtensionSet;

    /// The name of the instruction set.
    const ISA: &'static str;
    /// Bytes in the shortest instruction.
    const MIN_BYTES: usize;
    /// Bytes in the longest instruction.
    const MAX_BYTES: usize;

    /// The name of its opcode.
    fn opcode_name(self) -> &'static str;

    /// The text before the first modifier in assembly text.
    fn mnemonic(self) -> &'static str;

    /// The operation that its opcode is a form of.
    fn operation(self) -> &'static str;

    /// The groups that its opcode belongs to, from the root on.
    fn groups(self) -> &'static [&'static str];

    /// How many bytes it has.
    fn byte_count(self) -> usize;

    /// Its word, starting at bit 0.
    fn word(self) -> u128;

    /// Whether a generation has it as it is.
    fn is_in(self, generation: Self::Generation) -> bool;

    /// Whether its word is this instruction with a set of extensions.
    fn is_with(self, extensions: Self::Extensions) -> bool;
}

/// From bytes to instructions.
pub trait Decode: Instruction {
    /// Why bytes are not an instruction.
    type DecodeError: Error + Copy + Eq + Send + Sync + 'static;

    /// Decodes the instruction at the start of `bytes`, with the default set of extensions; also returns its length in bytes.
    ///
    /// # Errors
    ///
    /// The bytes are not an instruction.
    fn decode(
        generation: Self::Generation,
        bytes: &[u8],
    ) -> Result<(Self, usize), Self::DecodeError> {
        Self::decode_with(generation, Self::Extensions::DEFAULT, bytes)
    }

    /// The same with a set of extensions.
    ///
    /// # Errors
    ///
    /// The bytes are not an instruction.
    fn decode_with(
        generation: Self::Generation,
        extensions: Self::Extensions,
        bytes: &[u8],
    ) -> Result<(Self, usize), Self::DecodeError>;

    /// The instructions of a stream of bytes with their offsets.
    fn stream(generation: Self::Generation, bytes: &[u8]) -> Stream<'_, Self> {
        Stream::new(generation, bytes)
    }
}

/// From instructions to bytes.
pub trait Encode: Instruction {
    /// The bytes of an instruction.
    type Bytes: AsRef<[u8]> + Copy + Eq + Debug + Send + Sync + 'static;
    /// Why an instruction has no bytes.
    type EncodeError: Error + Copy + Eq + Send + Sync + 'static;

    /// Its bytes in memory. Fails if a rule of the specification forbids its word, or if the word belongs to another
    /// opcode.
    fn to_bytes(self) -> Result<Self::Bytes, Self::EncodeError>;
}

/// From instructions to assembly text, which `Display` writes too.
pub trait Text: Instruction + Display {
    /// Bytes of room that the canonical text of an instruction needs.
    const ROOM: usize;

    /// Writes the canonical text into `buffer` from byte `at` on, and returns the place after it:
    /// the fast path. `None` if fewer than [`Text::ROOM`] bytes are left; bytes after the text may
    /// be overwritten.
    fn append_to(self, buffer: &mut [u8], at: usize) -> Option<usize>;

    /// Passes the canonical text in tokens, with their kinds.
    fn tokens(self, sink: impl FnMut(TokenKind, &str));
}

/// The kind of a token of canonical text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TokenKind {
    /// The mnemonic.
    Mnemonic,
    /// A modifier, or an attribute after an operand, including its dot.
    Modifier,
    /// A register, or another name of an operand.
    Register,
    /// A number with its sign.
    Number,
    /// A control field: its name with `$`, and its value.
    Control,
    /// Marks, separators, brackets, spaces.
    Punctuation,
    /// An address, in texts with addresses.
    Address,
    /// What an address is called.
    Symbol,
}

/// From assembly text to instructions.
pub trait Parse: Instruction {
    /// Why a text is not an instruction.
    type ParseError: ParseError;

    /// Assembles one instruction, with the default set of extensions.
    ///
    /// # Errors
    ///
    /// The text is not an instruction.
    fn parse(generation: Self::Generation, text: &str) -> Result<Self, Self::ParseError> {
        Self::parse_with(generation, Self::Extensions::DEFAULT, text)
    }

    /// The same with a set of extensions.
    ///
    /// # Errors
    ///
    /// The text is not an instruction.
    fn parse_with(
        generation: Self::Generation,
        extensions: Self::Extensions,
        text: &str,
    ) -> Result<Self, Self::ParseError>;
}

/// Why a text is not an instruction.
pub trait ParseError: Error + Copy + Eq + Send + Sync + 'static {
    /// The byte of the text where the problem is.
    fn offset(&self) -> usize;
}

/// The reads and writes of instructions.
pub trait Flow: Instruction {
    /// A place in memory that an operand addresses; a type without values if no operand does.
    type Memory: Copy + Ord + Hash + Debug + Display + Send + Sync + 'static;

    /// Its reads and writes, in the order of the specification, without duplicates.
    fn uses(self) -> impl Iterator<Item = Use<Self::Memory>> + Clone;

    /// Those of its uses that read, also if they write too.
    fn reads(self) -> impl Iterator<Item = Use<Self::Memory>> + Clone;

    /// Those of its uses that write, also if they read too.
    fn writes(self) -> impl Iterator<Item = Use<Self::Memory>> + Clone;
}

/// The operands of instructions, in one list of kinds for every instruction set.
pub trait Operands: Instruction {
    /// The parts of a value with their names, in the order of their definition.
    type Parts: Iterator<Item = (&'static str, Value<Self::Parts>)> + Clone + Debug;

    /// Its operands, in assembly order.
    fn operands(self) -> impl Iterator<Item = Operand<Self::Parts>> + Clone;
}

/// Where execution goes after instructions.
pub trait Control: Instruction {
    /// Where execution goes after it. `None` if the specification does not say so for any instruction.
    fn flow_control(self) -> Option<FlowControl>;

    /// The first address that it names in its text, if it is at `address`; both in bytes.
    fn target(self, address: u64) -> Option<u64>;
}

/// All that an instruction set can have.
pub trait Complete: Decode + Encode + Text + Parse + Flow + Operands + Control {}

impl<I: Decode + Encode + Text + Parse + Flow + Operands + Control> Complete for I {}
