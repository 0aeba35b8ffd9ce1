//! Linux's interface: each call, with arguments that programs use and with others.

mod files;
mod memory;
mod process;
mod start;

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

use isadl_exec::linux::{Clock, Linux, Outcome, Settings};
use isadl_exec::load::Image;
use isadl_exec::memory::{Access, Memory, PAGE};

const NOENT: i64 = -2;
const BADF: i64 = -9;
const AGAIN: i64 = -11;
const NOMEM: i64 = -12;
const ACCES: i64 = -13;
const FAULT: i64 = -14;
const EXIST: i64 = -17;
const NOTDIR: i64 = -20;
const ISDIR: i64 = -21;
const INVAL: i64 = -22;
const NOTTY: i64 = -25;
const SPIPE: i64 = -29;
const ROFS: i64 = -30;
const NOSYS: i64 = -38;
const LOOP: i64 = -40;

/// Where tests put what calls read and write; the program's own pages.
const DATA: u64 = 0x1_0000;
/// An address without memory.
const NOWHERE: u64 = 0x8000;
/// The bytes of the memory.
const SIZE: u64 = 16 << 20;
const STACK: u64 = 1 << 20;

/// What a program writes.
#[derive(Debug, Clone, Default)]
struct Sink(Rc<RefCell<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

/// A process of a program that is two pages of data.
struct Process {
    linux: Linux,
    memory: Memory,
    output: Sink,
    errors: Sink,
    stack: u64,
}

fn image(word: u32) -> Image {
    Image {
        entry: DATA,
        start: DATA,
        end: DATA + 2 * PAGE,
        bias: 0,
        word,
        headers: Some(DATA + 64),
        header_size: 56,
        header_count: 3,
        symbols: Vec::new(),
    }
}

fn process_with(word: u32, root: Option<&Path>, input: &'static str) -> Process {
    let (output, errors) = (Sink::default(), Sink::default());
    let settings = Settings {
        word,
        root: root.map(Path::to_path_buf),
        input: Box::new(input.as_bytes()),
        output: Box::new(output.clone()),
        errors: Box::new(errors.clone()),
        clock: Clock::Counter,
        stack: STACK,
        ..Settings::default()
    };
    let mut memory = Memory::new(0, SIZE);
    memory.protect(DATA..DATA + 2 * PAGE, Access::READ_WRITE).expect("inside");
    let mut linux = Linux::new(settings);
    let stack = linux.start(&mut memory, &image(word), &[b"test".to_vec()]).expect("it starts");
    Process { linux, memory, output, errors, stack }
}

fn process() -> Process {
    process_with(8, None, "")
}

impl Process {
    fn outcome(&mut self, name: &str, arguments: &[u64]) -> Outcome {
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        self.linux.call(Some(name), &all, &mut self.memory)
    }

    fn call(&mut self, name: &str, arguments: &[u64]) -> i64 {
        match self.outcome(name, arguments) {
            Outcome::Value(value) => value,
            Outcome::Exit(status) => panic!("{name} ends with {status}"),
        }
    }

    fn put(&mut self, address: u64, bytes: &[u8]) {
        self.memory.write(address, bytes).expect("writable");
    }

    /// Writes a text with a zero at its end to the data.
    fn text(&mut self, text: &str) -> u64 {
        self.put(DATA, &[text.as_bytes(), &[0]].concat());
        DATA
    }

    fn bytes(&self, address: u64, length: u64) -> Vec<u8> {
        self.memory.bytes(address, length, Access::READ).expect("readable").to_vec()
    }

    fn number(&self, address: u64, length: u64) -> u64 {
        self.bytes(address, length).iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
    }

    fn is(&self, address: u64, access: Access) -> bool {
        self.memory.access(address).allows(access)
    }
}

/// Every call with arguments that are not meant for it: nothing panics, and memory stays as large as it is.
#[test]
fn any_arguments() {
    let names = [
        "read",
        "write",
        "readv",
        "writev",
        "pread64",
        "openat",
        "close",
        "dup",
        "dup3",
        "fcntl",
        "fcntl64",
        "ioctl",
        "lseek",
        "llseek",
        "readlinkat",
        "getcwd",
        "faccessat",
        "fstat",
        "fstat64",
        "newfstatat",
        "fstatat64",
        "statx",
        "brk",
        "mmap",
        "mmap2",
        "munmap",
        "mprotect",
        "mremap",
        "madvise",
        "clock_gettime",
        "clock_gettime64",
        "clock_getres",
        "clock_getres_time64",
        "gettimeofday",
        "nanosleep",
        "clock_nanosleep",
        "clock_nanosleep_time64",
        "futex",
        "futex_time64",
        "uname",
        "sysinfo",
        "getrandom",
        "prlimit64",
        "getrlimit",
        "setrlimit",
        "prctl",
        "rt_sigaction",
        "rt_sigprocmask",
        "sigaltstack",
        "kill",
        "tkill",
        "tgkill",
        "getpid",
        "set_tid_address",
        "exit_group",
        "unheard_of",
    ];
    let folder = files::Folder::new("any");
    folder.file("file", "contents");
    let mut state: u64 = 7;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 20
    };
    for word in [4, 8] {
        let mut process = process_with(word, Some(&folder.path), "some input");
        process.put(DATA, b"/file\0");
        for _ in 0..40_000 {
            let name = names[next() as usize % names.len()];
            let mut argument = || match next() % 12 {
                0 => 0,
                1 => next() % 16,
                2 => u64::MAX - next() % 4096,
                3 => DATA + next() % (2 * PAGE),
                4 => DATA,
                5 => PAGE * (next() % (SIZE / PAGE)),
                6 => SIZE - PAGE * (next() % 300),
                7 => next() % SIZE,
                8 => 1 << (next() % 64),
                9 => 0u64.wrapping_sub(1 << (next() % 64)),
                10 => next() << 20,
                _ => PAGE * (next() % 8),
            };
            let arguments =
                [argument(), argument(), argument(), argument(), argument(), argument()];
            process.outcome(name, &arguments);
        }
        assert_eq!(process.memory.end(), SIZE);
    }
}
