//! Programs that belong to no instruction: what claims about instructions compute.

use isadl::semantics::ir;
use isadl::semantics::program::Program;

use crate::block::Block;
use crate::host;
use crate::lower::Place;
use crate::machine::Machine;
use crate::micro;
use crate::node::List;
use crate::state::Halt;

/// A program that was translated for a machine. It names no operands.
pub struct Prepared(Block);

impl Machine {
    /// Translates a program that names no operands. `pc` and `next` are what it reads under these names.
    ///
    /// # Errors
    ///
    /// What the program needs that this executor does not have.
    pub fn prepare(
        &mut self,
        program: &Program,
        (pc, next): (u64, u64),
    ) -> Result<Prepared, String> {
        let spec = std::rc::Rc::clone(self.spec());
        let Some(opcode) = spec.isa().opcodes().first() else {
            return Err("an instruction set without opcodes".to_string());
        };
        let code = ir::build(spec.isa(), opcode, program);
        let place = Place { opcode, numbers: (0, 0), code: &code, word: 0, pc, next, at: 0 };
        let (mut micros, _) = self.translated(&spec, place)?;
        let ends = [micros.len()];
        micro::set_left(&mut micros, &ends);
        Ok(Prepared(Block::new(List::new(micros, host::call), vec![pc, next], None)))
    }

    /// Executes a program that was prepared for this machine.
    ///
    /// # Errors
    ///
    /// Why it did not end.
    pub fn execute(&mut self, program: &Prepared) -> Result<(), Halt> {
        self.execute_block(&program.0)
    }
}
