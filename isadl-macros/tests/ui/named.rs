// Nothing but the mistakes of specifications is reported, however the names of their modules are used.
mod machine {
    isadl_macros::isa!(pub mod small = {
        __DefIsa Small<8>

        __DefBitFieldType Operation<8>
            HALT;

        __DefGroup ALL : []

        __DefOptype halt : [ALL]

        __DefOpcode HALT : [halt]
          __Encoding
            field<0, 8> Operation op == HALTS;
    });
}

// The module takes the name of the instruction set.
isadl_macros::isa!("specs/wrong");
isadl_macros::isa!(mod nowhere = "specs/nowhere");
isadl_macros::isa!(mod options = "specs/warned", view = true);

use machine::small::{BYTES, Inst, Opcode, Operation, Stream, TEXT_ROOM};
use wrong::Inst as Other;

struct Program<'a> {
    stream: Stream<'a>,
    seen: Vec<Opcode>,
    last: Option<Other>,
}

trait Cost {
    fn cost(&self) -> u64;
}

impl Cost for Inst {
    fn cost(&self) -> u64 {
        match self.opcode() {
            Opcode::HALT => 1,
            other => other as u64 + self.uses().count() as u64,
        }
    }
}

impl Cost for Opcode {
    fn cost(&self) -> u64 {
        u64::from(*self == Opcode::HALT)
    }
}

impl<'a> Program<'a> {
    fn run(&mut self) -> Option<u64> {
        let mut text = [0u8; TEXT_ROOM];
        for (offset, found) in &mut self.stream {
            let inst: Inst = found.ok()?;
            inst.append_to(&mut text, offset)?;
            self.seen.push(inst.opcode());
        }
        let (inst, length) = Inst::decode(&[0; BYTES]).ok()?;
        let parsed: Inst = "halt".parse().ok()?;
        println!("{inst} {parsed:?} {:02x?} {length}", Inst::halt().with_op(Operation::HALT));
        self.last = Some(Other::decode_word(wrong::WIDTH as u16).ok()?);
        Some(inst.cost())
    }
}

fn main() {
    let mut program = Program { stream: Inst::stream(&[]), seen: Vec::new(), last: None };
    println!("{:?} {}", program.run(), nowhere::Inst::decode(&[]).is_err());
    println!("{}", options::Opcode::ALL.len());
}
