//! Execution: block after block, until one stops.

use crate::block::NONE;
use crate::node::{self, FELL, JUMPED, LEFT, STOPPED, TAKEN};
use crate::state::{Halt, Stop};

use super::{BLOCK, CACHE, Machine};

impl Machine {
    /// Executes at most a number of instructions.
    pub fn run(&mut self, fuel: u64) -> Stop {
        self.forget_changes();
        if fuel == 0 {
            return Stop::Fuel;
        }
        let mut left = fuel;
        // The program counter is stored only if the next block is unknown, or at the end.
        let mut now = self.block_at(self.core.pc);
        loop {
            if self.core.is_stale {
                self.core.pc = self.blocks[now as usize].first();
                self.forget();
                now = self.block_at(self.core.pc);
            }
            let block = &self.blocks[now as usize];
            let instructions = block.count;
            // Every block has an instruction.
            if instructions > left {
                self.core.pc = block.first();
                return self.run_steps(left);
            }
            self.core.turns = self.core.most_turns;
            let why = node::run(&mut self.slots, &mut self.core, &block.nodes);
            self.core.count += instructions;
            left -= instructions;
            now = match why {
                FELL => self.follow(now, block.fell.get(), why),
                TAKEN => self.follow(now, block.taken.get(), why),
                JUMPED => self.block_at(self.core.pc),
                _ => match self.left(now, why) {
                    Ok(others) => {
                        left += others;
                        self.block_at(self.core.pc)
                    }
                    Err(stop) => return stop,
                },
            };
        }
    }

    /// The block after one; the link may be known.
    #[inline(always)]
    fn follow(&mut self, from: u32, link: u32, why: u64) -> u32 {
        match link {
            NONE => self.linked(from, why),
            known => known,
        }
    }

    /// Finds it.
    #[cold]
    #[inline(never)]
    fn linked(&mut self, from: u32, why: u64) -> u32 {
        let block = &self.blocks[from as usize];
        let to = if why == FELL { block.next } else { block.target };
        let now = self.block_at(to);
        let block = &self.blocks[from as usize];
        let link = if why == FELL { &block.fell } else { &block.taken };
        link.set(now);
        now
    }

    /// Executes instructions one by one.
    fn run_steps(&mut self, count: u64) -> Stop {
        for _ in 0..count {
            match self.step() {
                Stop::Fuel => {}
                stop => return stop,
            }
        }
        Stop::Fuel
    }

    /// Executes one instruction.
    pub fn step(&mut self) -> Stop {
        self.forget_changes();
        let pc = self.core.pc;
        let at = match self.single.get(&pc) {
            Some(at) => *at,
            None => {
                let at = self.add_block(pc, 1);
                self.single.insert(pc, at);
                at
            }
        };
        let block = &self.blocks[at as usize];
        self.core.turns = self.core.most_turns;
        let why = node::run(&mut self.slots, &mut self.core, &block.nodes);
        self.core.count += 1;
        self.core.pc = match why {
            TAKEN => block.target,
            JUMPED => self.core.pc,
            STOPPED => return self.stopped(at),
            _ => block.next,
        };
        Stop::Fuel
    }

    /// Execution stopped in a block, or left it before its end; how many of its instructions were not executed.
    #[cold]
    #[inline(never)]
    fn left(&mut self, at: u32, why: u64) -> Result<u64, Stop> {
        if why == STOPPED {
            return Err(self.stopped(at));
        }
        let block = &self.blocks[at as usize];
        let number = (why - LEFT) as usize;
        let others = block.count - 1 - number as u64;
        self.core.count -= others;
        self.core.pc = block.addresses[number + 1];
        Ok(others)
    }

    /// Execution stopped in a block.
    #[cold]
    fn stopped(&mut self, at: u32) -> Stop {
        let block = &self.blocks[at as usize];
        let (halt, number) = self.core.halted.take().unwrap_or((Halt::Unpredictable, 0));
        let number = usize::from(number);
        self.core.count -= block.count - number as u64;
        self.core.pc = block.addresses[number];
        Stop::Halt { halt, next: block.addresses[number + 1] }
    }

    /// Forgets translated instructions if someone else has changed them, or they take too much memory.
    fn forget_changes(&mut self) {
        if self.core.is_stale || self.core.is_rewritten() {
            self.forget();
        }
    }

    /// The block that begins at an address.
    fn block_at(&mut self, pc: u64) -> u32 {
        let entry = (pc >> 1) as usize % CACHE;
        if self.cache[entry].0 == pc && self.cache[entry].1 != NONE {
            return self.cache[entry].1;
        }
        let at = match self.known.get(&pc) {
            Some(at) => *at,
            None => {
                let at = self.add_block(pc, BLOCK);
                self.known.insert(pc, at);
                at
            }
        };
        self.cache[entry] = (pc, at);
        at
    }
}
