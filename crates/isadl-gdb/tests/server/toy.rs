//! A machine with a dozen instructions of RV64I, and a server for it.

use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use isadl_gdb::{Description, End, Error, Event, Feature, Machine, Register, Stops, Watch, serve};

/// Where the program and its memory begin.
pub(crate) const START: u64 = 0x1000;
/// The first instruction of the loop.
pub(crate) const LOOP: u64 = 0x100c;
/// Where the program counts.
pub(crate) const DATA: u64 = 0x2000;
const SIZE: usize = 0x2000;

/// Counts to ten in memory, and ends.
pub(crate) const COUNT: &[u32] = &[
    0x0000_0513, // 1000: li a0, 0
    0x0000_22b7, // 1004: lui t0, 2
    0x00a0_0593, // 1008: li a1, 10
    0x0015_0513, // 100c: addi a0, a0, 1
    0x00a2_b023, // 1010: sd a0, 0(t0)
    0x0082_b603, // 1014: ld a2, 8(t0)
    0xfeb5_1ae3, // 1018: bne a0, a1, 100c
    0x05d0_0893, // 101c: li a7, 93
    0x0000_0513, // 1020: li a0, 0
    0x0000_0073, // 1024: ecall
];
/// Runs for ever.
pub(crate) const FOREVER: &[u32] = &[0x0000_006f]; // jal zero, 1000
/// Traps, then is illegal.
pub(crate) const FAULTY: &[u32] = &[0x0010_0073, 0x0000_0000]; // ebreak
/// Reads where nothing is.
pub(crate) const ASTRAY: &[u32] = &[0x0000_3603]; // ld a2, 0(zero)

const NAMES: [&str; 33] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6", "pc",
];

pub(crate) fn description() -> Description {
    let register = |name: &&str| {
        let kind = match *name {
            "ra" | "pc" => "code_ptr",
            "sp" | "gp" | "tp" | "fp" => "data_ptr",
            _ => "int",
        };
        Register { name: name.to_string(), bits: 64, kind: Some(kind.into()), group: None }
    };
    let registers = NAMES.iter().map(register).collect();
    let feature = Feature { name: "org.gnu.gdb.riscv.cpu".into(), registers };
    Description {
        architecture: Some("riscv:rv64".into()),
        features: vec![feature],
        pc: 32,
        steps_from_watch: true,
    }
}

pub(crate) struct Toy {
    registers: [u64; 32],
    pc: u64,
    memory: Vec<u8>,
}

impl Toy {
    pub(crate) fn new(program: &[u32]) -> Toy {
        let mut memory: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.resize(SIZE, 0);
        Toy { registers: [0; 32], pc: START, memory }
    }

    fn at(&mut self, address: u64, length: usize) -> Option<&mut [u8]> {
        let start = usize::try_from(address.checked_sub(START)?).ok()?;
        self.memory.get_mut(start..start.checked_add(length)?)
    }

    fn execute(&mut self, watched: &[Watch]) -> Event {
        let Some(word) = self.at(self.pc, 4) else { return Event::Signal(11) };
        let word = u32::from_le_bytes(word.try_into().unwrap());
        let register = |shift: u32| (word >> shift & 31) as usize;
        let (to, left, right) = (register(7), register(15), register(20));
        let immediate = i64::from(word as i32 >> 20) as u64;
        let stored = (word as i32 >> 25 << 5) as i64 as u64 | to as u64;
        let branch = i64::from(word as i32 >> 31 << 12) as u64
            | u64::from(word << 4 & 0x800 | word >> 20 & 0x7e0 | word >> 7 & 0x1e);
        let jump = i64::from(word as i32 >> 31 << 20) as u64
            | u64::from(word & 0xff000 | word >> 9 & 0x800 | word >> 20 & 0x7fe);
        let (a, b) = (self.registers[left], self.registers[right]);
        let mut next = self.pc.wrapping_add(4);
        let mut access = None;
        let mut result = None;
        match (word & 0x7f, word >> 12 & 7) {
            (0x37, _) => result = Some(i64::from((word & 0xffff_f000) as i32) as u64),
            (0x13, 0) => result = Some(a.wrapping_add(immediate)),
            (0x33, 0) if word >> 25 == 0 => result = Some(a.wrapping_add(b)),
            (0x33, 0) if word >> 25 == 0x20 => result = Some(a.wrapping_sub(b)),
            (0x33, 7) if word >> 25 == 0 => result = Some(a & b),
            (0x63, 0) if a == b => next = self.pc.wrapping_add(branch),
            (0x63, 1) if a != b => next = self.pc.wrapping_add(branch),
            (0x63, 0 | 1) => {}
            (0x6f, _) => (result, next) = (Some(next), self.pc.wrapping_add(jump)),
            (0x03, 3) => {
                let address = a.wrapping_add(immediate);
                let Some(bytes) = self.at(address, 8) else { return Event::Signal(11) };
                result = Some(u64::from_le_bytes((&*bytes).try_into().unwrap()));
                access = Some((address, false));
            }
            (0x23, 3) => {
                let address = a.wrapping_add(stored);
                let Some(bytes) = self.at(address, 8) else { return Event::Signal(11) };
                bytes.copy_from_slice(&b.to_le_bytes());
                access = Some((address, true));
            }
            (0x73, 0) if word == 0x73 => return Event::Exited(self.registers[10] as u8),
            (0x73, 0) if word == 0x10_0073 => return Event::Signal(5),
            _ => return Event::Signal(4),
        }
        if let Some(result) = result.filter(|_| to != 0) {
            self.registers[to] = result;
        }
        let from = std::mem::replace(&mut self.pc, next);
        let hit = access.and_then(|(address, writes)| {
            let touched = |watch: &Watch| Some((watch.touched(address, 8, writes)?, watch.kind));
            watched.iter().find_map(touched)
        });
        hit.map_or(Event::Fuel, |(address, kind)| Event::Watch { address, kind, from })
    }
}

impl Machine for Toy {
    fn read_register(&mut self, number: usize) -> Vec<u8> {
        self.registers.get(number).unwrap_or(&self.pc).to_le_bytes().to_vec()
    }

    fn write_register(&mut self, number: usize, bytes: &[u8]) {
        let value = u64::from_le_bytes(bytes.try_into().unwrap());
        match number {
            0 => {}
            32 => self.pc = value,
            _ => self.registers[number] = value,
        }
    }

    fn pc(&mut self) -> u64 {
        self.pc
    }

    fn read_memory(&mut self, address: u64, bytes: &mut [u8]) -> usize {
        let count = (START + SIZE as u64).saturating_sub(address).min(bytes.len() as u64) as usize;
        match self.at(address, count) {
            Some(memory) => bytes[..count].copy_from_slice(memory),
            None => return 0,
        }
        count
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> bool {
        let memory = self.at(address, bytes.len());
        memory.map(|memory| memory.copy_from_slice(bytes)).is_some()
    }

    fn step(&mut self) -> Event {
        self.execute(&[])
    }

    fn run(&mut self, stops: &Stops, count: u64) -> Event {
        for _ in 0..count {
            if stops.breakpoints.contains(&self.pc) {
                return Event::Breakpoint;
            }
            let event = self.execute(&stops.watched);
            if event != Event::Fuel {
                return event;
            }
        }
        Event::Fuel
    }
}

/// A server in a thread of its own.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    end: Receiver<Result<End, Error>>,
}

impl Server {
    pub(crate) fn new(program: &'static [u32]) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, end) = channel();
        std::thread::spawn(move || {
            let end = serve(&mut Toy::new(program), &description(), listener);
            // A test that has failed does not wait for it.
            let _ = sender.send(end);
        });
        Server { address, end }
    }

    /// How the session ended, which must not take long. A panic of the server is seen here too.
    pub(crate) fn end(self) -> Result<End, Error> {
        self.end.recv_timeout(Duration::from_secs(30)).expect("the server ends in time")
    }
}
