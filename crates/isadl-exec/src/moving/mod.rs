//! Moves machine code to other addresses.
//!
//! Targets inside the moved blocks move with them, all others stay where they are. Distances are encoded anew; a branch that
//! does not reach its target any more becomes a longer encoding, or an inverse branch over a jump, as the specification
//! declares (`Detour`). Where two instructions make an address together, as `auipc` and `addi` do, both get what their
//! relocations give. What instructions make of their addresses is taken from their programs, before and after: code is moved
//! only if each accesses, jumps to and writes the same addresses as before, or those that they moved to. Otherwise there is
//! an error; there are never other bytes.
//!
//! ```
//! use isadl::source::SourceMap;
//! use isadl_exec::Spec;
//! use isadl_exec::moving::{Block, Mover};
//!
//! # let mut sources = SourceMap::new();
//! # sources.add("tiny.isa", b"
//! # __DefIsa TINY<16>
//! # __DefImmediate Code<8>
//! #     Number = unsigned;
//! # __DefImmediate Distance<8>
//! #     Number = signed;
//! #     Relative = start;
//! # __DefGroup ALL : []
//! # __DefOpcode JUMP : [ALL]
//! #   __Encoding
//! #     field<0, 8> Code code == 7;
//! #     field<8, 8> Distance distance;
//! #   __OperandInfo
//! #     Mnemonic<\"jump\">;
//! #     Operands<distance>;
//! #     Flow<branch>;
//! # ".to_vec());
//! let mut compilation = isadl::compile(&sources);
//! let programs = compilation.semantics.remove(0);
//! let spec = Spec::new(compilation.into_isa().expect("no errors"), programs);
//! let mover = Mover::new(&spec);
//!
//! // At 0x100: `jump 0x120`, and `jump 0x100`, which is the first of them.
//! let block = Block { bytes: &[7, 0x20, 7, 0xfe], from: 0x100, to: 0x110 };
//! let moved = mover.encode(&[block]).expect("both targets are near");
//! assert_eq!(moved[0].bytes, [7, 0x10, 7, 0xfe]);
//!
//! let block = Block { bytes: &[7, 0x20, 7, 0xfe], from: 0x100, to: 0x1000 };
//! let error = mover.encode(&[block]).expect_err("it reaches 127 bytes");
//! assert_eq!(error.address, 0x100);
//! ```

mod error;
mod layout;
mod outcomes;
mod pairs;

use isadl::engine::{Engine, Relaxations};
use isadl::isa::Inst;

pub use error::{Fault, MoveError};

use crate::spec::Spec;
use layout::{Item, Layout};
use outcomes::{At, Outcome, outcomes};

/// Machine code, where it is, and where it is moved to.
#[derive(Debug, Clone, Copy)]
pub struct Block<'b> {
    /// Instructions, one after another, without data between them.
    pub bytes: &'b [u8],
    /// The address of the first byte, for which the code was made.
    pub from: u64,
    /// The address for which it is encoded anew.
    pub to: u64,
}

/// A block at its new address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The machine code.
    pub bytes: Vec<u8>,
    /// The offset of each instruction in the bytes of the block, and in these. A branch that became two instructions is
    /// listed once.
    pub offsets: Vec<(usize, usize)>,
}

/// Moves code of one instruction set.
pub struct Mover<'s> {
    spec: &'s Spec,
    engine: Engine<'s>,
    relaxations: Relaxations,
    keeps_lengths: bool,
}

impl<'s> Mover<'s> {
    /// Moves code of this instruction set, by its programs. Of an instruction without one, only what the specification
    /// declares of its operands is known: distances, and where execution goes.
    pub fn new(spec: &'s Spec) -> Mover<'s> {
        let engine = spec.engine();
        let relaxations = engine.relaxations();
        Mover { spec, engine, relaxations, keeps_lengths: false }
    }

    /// The same, but every instruction keeps its length: a branch that does not reach its target is an error.
    #[must_use]
    pub fn keeping_lengths(self) -> Mover<'s> {
        Mover { keeps_lengths: true, ..self }
    }

    /// Encodes blocks for their new addresses. Targets in any of the blocks move with it.
    ///
    /// # Errors
    ///
    /// The first instruction that cannot be moved, and why: see [`Fault`].
    pub fn encode(&self, blocks: &[Block<'_>]) -> Result<Vec<Moved>, MoveError> {
        let mut layout = Layout::of(self, blocks)?;
        layout.place(self)?;
        let mut insts = layout.encoded(self)?;
        pairs::join(self, &layout, &mut insts)?;
        for (item, new) in layout.items.iter().zip(&insts) {
            self.verify(&layout, item, new).map_err(|fault| self.error(item, fault))?;
        }
        let mut moved: Vec<Moved> =
            blocks.iter().map(|_| Moved { bytes: Vec::new(), offsets: Vec::new() }).collect();
        for (item, insts) in layout.items.iter().zip(&insts) {
            let own = &mut moved[item.block];
            let from = item.address.wrapping_sub(blocks[item.block].from) as usize;
            own.offsets.push((from, own.bytes.len()));
            for inst in insts {
                let length = self.engine.bytes_of(*inst);
                own.bytes.extend_from_slice(&self.engine.bytes(*inst)[..length]);
            }
        }
        Ok(moved)
    }

    /// Checks that an instruction is one, and makes of its address at the new place what it made at the old one.
    fn verify(&self, layout: &Layout, item: &Item, new: &[Inst]) -> Result<(), Fault> {
        for inst in new {
            let bytes = self.engine.bytes(*inst);
            let length = self.engine.bytes_of(*inst);
            if self.engine.decode_bytes(&bytes[..length]) != Ok((*inst, length)) {
                return Err(Fault::Illegal);
            }
            self.engine.judge(*inst).map_err(|reason| Fault::Rule { reason })?;
        }
        let [new] = new else { return Ok(()) };
        if item.is_high {
            return Ok(());
        }
        let place = (item.address, item.new);
        let before = self.outcomes(item.inst, place.0, None);
        let after = self.outcomes(*new, place.1, None);
        let (Some(before), Some(after)) = (before, after) else {
            return self.verify_declared(layout, item, *new);
        };
        let nexts = [(item.inst, place.0), (*new, place.1)]
            .map(|(inst, address)| address.wrapping_add(self.engine.bytes_of(inst) as u64));
        let mut expected = Vec::new();
        for outcome in before {
            expected.push(layout.expected(outcome, Some(nexts))?);
        }
        match is_same(expected, after, item.inst.opcode == new.opcode) {
            true => Ok(()),
            false => Err(Fault::Position { reason: "its address becomes something else" }),
        }
    }

    /// The same for an instruction without a program, by what is declared.
    fn verify_declared(&self, layout: &Layout, item: &Item, new: Inst) -> Result<(), Fault> {
        let mut after = self.engine.targets(new, item.new);
        for target in &item.targets {
            let target = layout.mapped(target.address)?;
            if after.next().is_none_or(|after| after.address != target) {
                return Err(Fault::Position { reason: "its target is another one" });
            }
        }
        let is_alone = item.targets.is_empty();
        use isadl::isa::FlowControl::{Branch, Call, Conditional};
        match self.engine.flow_control(item.inst) {
            Branch | Call | Conditional if is_alone => Err(Fault::Position {
                reason: "the specification does not say which of its operands is its target",
            }),
            _ if is_alone && layout::depends_on_start(self, item.inst) => Err(Fault::Position {
                reason: "it may use its own address, and has no program that says how",
            }),
            _ => Ok(()),
        }
    }

    /// What an instruction makes of its address, or of a register that is known; `None` if it has no program.
    fn outcomes(
        &self,
        inst: Inst,
        address: u64,
        known: Option<(outcomes::Register, u128)>,
    ) -> Option<Vec<Outcome>> {
        let (_, code) = self.spec.code(inst)?;
        let (isa, extensions) = (self.spec.isa(), self.engine.extensions());
        Some(outcomes(code, At { isa, extensions, inst, address, known }))
    }

    fn error(&self, item: &Item, fault: Fault) -> MoveError {
        let options = isadl::engine::TextOptions::at(item.address);
        let text = self.engine.text_with(item.inst, options);
        MoveError { address: item.address, text, fault }
    }
}

/// Whether effects are the expected ones. Programs of two encodings may have them in another order, and more than once.
fn is_same(mut expected: Vec<Outcome>, mut found: Vec<Outcome>, is_in_order: bool) -> bool {
    if !is_in_order {
        for list in [&mut expected, &mut found] {
            list.sort_unstable();
            list.dedup();
        }
    }
    expected == found
}
