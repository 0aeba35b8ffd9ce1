//! Flat memory with a static program, and what the program needs of Linux: for machines of generated code.

use std::io::Write;

/// The address of the memory.
const BASE: u64 = 0x1_0000;
/// The first address of memory that programs ask for.
const MAPPED: u64 = BASE + (128 << 20);
/// The address behind the memory.
const END: u64 = BASE + (256 << 20);

/// Why an instruction does not end.
#[derive(Debug)]
pub enum Stop<T> {
    /// An access outside of the memory, or no instruction.
    Fault(u64),
    /// A trap.
    Trap(T),
}

/// Memory, and what is known of a program.
pub struct Process {
    memory: Vec<u8>,
    reserved: u64,
    /// The addresses behind the heap, and behind the memory that `mmap` gave away.
    ends: [u64; 2],
    /// All bytes that the program has written to a file.
    pub output: Vec<u8>,
}

impl Process {
    /// Memory with bytes at an address.
    pub fn new(bytes: &[u8], address: u64) -> Process {
        let mut process = Process {
            memory: vec![0; (END - BASE) as usize],
            reserved: u64::MAX,
            ends: [0, MAPPED],
            output: Vec::new(),
        };
        process.put(address, bytes);
        process
    }

    /// A static program with an argument, the address of its first instruction, and the stack pointer there.
    ///
    /// # Panics
    ///
    /// If the file is no such program.
    pub fn load(file: &[u8], argument: &str) -> (Process, u64, u64) {
        let number = |at: usize| u64::from_le_bytes(*file[at..].first_chunk().expect("a number"));
        let short = |at: usize| u16::from_le_bytes(*file[at..].first_chunk().expect("a number"));
        let mut process = Process::new(&[], BASE);
        let (headers, count) = (number(32), short(56));
        for at in (0..u64::from(count)).map(|at| (headers + at * 56) as usize) {
            // PT_LOAD: System V ABI, chapter 5, "Program header".
            if file[at..at + 4] == [1, 0, 0, 0] {
                let (offset, address) = (number(at + 8) as usize, number(at + 16));
                process.put(address, &file[offset..offset + number(at + 32) as usize]);
                process.ends[0] = (address + number(at + 40)).next_multiple_of(4096);
            }
        }
        let stack = END - 8192;
        let texts = stack + 1024;
        process.put(texts, b"guest\0");
        process.put(texts + 16, argument.as_bytes());
        // Arguments, no environment, and the auxiliary vector: headers, their size and number, the size of pages, random bytes.
        let headers = [3, BASE + headers, 4, 56, 5, count.into(), 6, 4096, 25, texts + 64, 0, 0];
        let words = [2, texts, texts + 16, 0, 0].into_iter().chain(headers);
        for (at, word) in words.enumerate() {
            process.put(stack + 8 * at as u64, &word.to_le_bytes());
        }
        (process, number(24), stack)
    }

    fn put(&mut self, address: u64, bytes: &[u8]) {
        self.memory[(address - BASE) as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    /// The bytes from an address on; none outside of the memory.
    #[inline(always)]
    pub fn bytes(&self, address: u64) -> &[u8] {
        self.memory.get(address.wrapping_sub(BASE) as usize..).unwrap_or_default()
    }

    /// Loads from an address.
    ///
    /// # Errors
    ///
    /// If it is outside of the memory.
    #[inline(always)]
    pub fn load_bytes<T, const N: usize>(&self, address: u64) -> Result<[u8; N], Stop<T>> {
        self.bytes(address).first_chunk().copied().ok_or(Stop::Fault(address))
    }

    /// Stores to an address.
    ///
    /// # Errors
    ///
    /// If it is outside of the memory.
    #[inline(always)]
    pub fn store_bytes<T, const N: usize>(
        &mut self,
        address: u64,
        bytes: [u8; N],
    ) -> Result<(), Stop<T>> {
        let rest = self.memory.get_mut(address.wrapping_sub(BASE) as usize..);
        let to = rest.and_then(|rest| rest.first_chunk_mut()).ok_or(Stop::Fault(address))?;
        *to = bytes;
        Ok(())
    }

    /// Reserves an address, or nothing.
    pub fn reserve(&mut self, address: Option<u64>) {
        self.reserved = address.unwrap_or(u64::MAX);
    }

    /// Whether an address is reserved; it is not any more.
    pub fn take_reserved(&mut self, address: u64) -> bool {
        std::mem::replace(&mut self.reserved, u64::MAX) == address
    }

    /// The result of a call of Linux: numbers of `include/uapi/asm-generic/unistd.h`.
    pub fn called(&mut self, number: u64, [first, text, length]: [u64; 3]) -> u64 {
        let error = |number: i64| -number as u64;
        match number {
            // write
            64 => {
                let bytes = &self.memory[(text - BASE) as usize..][..length as usize];
                self.output.write_all(bytes).expect("it grows");
                length
            }
            // brk
            214 => {
                self.ends[0] = self.ends[0].max(first);
                self.ends[0]
            }
            // mmap
            222 => {
                let at = self.ends[1];
                self.ends[1] = (at + text).next_multiple_of(4096);
                at
            }
            // ioctl, readlinkat, newfstatat
            29 | 78 | 79 | 80 => error(25),
            // set_tid_address, set_robust_list, munmap, mprotect, rseq, prlimit64, getrandom
            96 | 99 | 215 | 226 | 259 | 261 | 278 => 0,
            _ => error(38),
        }
    }
}
