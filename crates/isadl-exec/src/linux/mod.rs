//! Linux's interface for one process without threads, as far as static programs need it.
//!
//! Calls are named, not numbered: which number is which call is for the environment of a specification to say. Nothing here depends on an
//! instruction set, except for the size of words. Layouts of structures are those of `include/uapi/asm-generic` in the sources of Linux.
//!
//! The program sees no file of the system outside, unless a folder is given as its root; of that it can read everything and write nothing.
//! What it gets does not depend on the system outside either: identities, random numbers and addresses are always the same, and so is the
//! time, if this is wanted.

mod errno;
mod files;
mod guest;
mod map;
mod process;
mod regions;
mod root;
mod stack;
mod stat;
mod time;

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use errno::Errno;
use files::Files;
use guest::Guest;
use map::Map;
use process::{Random, Signals};
use root::Root;
use time::Watch;

use crate::load::{Error, Image};
use crate::memory::Memory;

/// The user and group that the program runs as.
const USER: u32 = 1000;

/// What the time is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clock {
    /// That of the system outside.
    #[default]
    Real,
    /// It begins at 0, and each look at it takes a microsecond, so that every run is the same.
    Counter,
}

/// What the program gets from outside.
pub struct Settings {
    /// Bytes in a word: 4 or 8.
    pub word: u32,
    /// The folder that the program takes for the root of all files. Without it, no file can be opened.
    pub root: Option<PathBuf>,
    /// Its standard input.
    pub input: Box<dyn Read>,
    /// Its standard output.
    pub output: Box<dyn Write>,
    /// Its standard error.
    pub errors: Box<dyn Write>,
    /// What the time is.
    pub clock: Clock,
    /// Bytes for the stack.
    pub stack: u64,
    /// What the machine can do, as bits whose meaning depends on the instruction set (`AT_HWCAP`).
    pub capabilities: u64,
    /// The name of the machine that `uname` gives.
    pub machine: String,
    /// The variables of the environment, as `NAME=value`.
    pub variables: Vec<Vec<u8>>,
    /// What random numbers begin with.
    pub seed: u64,
}

impl Default for Settings {
    /// Words of 8 bytes, no files, the standard streams of this process, its clock, and 8 MiB for the stack.
    fn default() -> Settings {
        Settings {
            word: 8,
            root: None,
            input: Box::new(io::stdin()),
            output: Box::new(io::stdout()),
            errors: Box::new(io::stderr()),
            clock: Clock::Real,
            stack: 8 << 20,
            capabilities: 0,
            machine: "unknown".to_string(),
            variables: Vec::new(),
            seed: 0,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { word, root, clock, stack, .. } = self;
        write!(
            f,
            "Settings {{ word: {word}, root: {root:?}, clock: {clock:?}, stack: {stack}, .. }}"
        )
    }
}

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It has a result; a number from -4095 to -1 is an error.
    Value(i64),
    /// The program ends with a status, from 0 to 255.
    Exit(i32),
}

/// A process.
#[derive(Debug)]
pub struct Linux {
    settings: Settings,
    root: Option<Root>,
    /// The path of the program, as it sees it.
    executable: Vec<u8>,
    files: Files,
    map: Map,
    watch: Watch,
    random: Random,
    signals: Signals,
    /// The numbers of files that the program has asked about.
    numbers: HashMap<PathBuf, u64>,
}

impl Linux {
    /// A process that was not started yet.
    pub fn new(settings: Settings) -> Linux {
        let (watch, random) = (Watch::new(settings.clock), Random::new(settings.seed));
        Linux {
            settings,
            root: None,
            executable: b"/program".to_vec(),
            files: Files::new(),
            map: Map::default(),
            watch,
            random,
            signals: Signals::default(),
            numbers: HashMap::new(),
        }
    }

    /// Starts a program that was loaded: makes its stack, with the arguments; the first of them is its name. The result is the stack pointer.
    ///
    /// # Errors
    ///
    /// If the program has words of another size, the root is not a folder, or memory or stack are too small.
    pub fn start(
        &mut self,
        memory: &mut Memory,
        image: &Image,
        args: &[Vec<u8>],
    ) -> Result<u64, Error> {
        if image.word != self.settings.word {
            let (own, other) = (self.settings.word * 8, image.word * 8);
            return Err(Error::new(format!("the program has words of {other} bits, not {own}")));
        }
        if let Some(path) = &self.settings.root {
            let root = Root::new(path).map_err(|error| {
                Error::new(format!("the root `{}` cannot be used: {error}", path.display()))
            })?;
            self.root = Some(root);
        }
        let stack = stack::range(memory, image, self.settings.stack)?;
        self.map = Map::new(image.start..image.end, stack.clone());
        self.executable = stack::path(args);
        stack::make(self, memory, image, args, stack)
    }

    /// Does the call with a name; without a name, or with one that is not known here, it fails as on a system that lacks it (`ENOSYS`).
    pub fn call(
        &mut self,
        name: Option<&str>,
        arguments: &[u64; 6],
        memory: &mut Memory,
    ) -> Outcome {
        let word = self.settings.word;
        let arguments = match word {
            4 => arguments.map(|argument| argument & 0xffff_ffff),
            _ => *arguments,
        };
        let guest = &mut Guest { memory, word };
        let done = match self.ending(name, &arguments) {
            Some(status) => {
                self.flush();
                return Outcome::Exit(status);
            }
            None => self.dispatch(name.unwrap_or_default(), arguments, guest),
        };
        Outcome::Value(done.unwrap_or_else(Errno::result))
    }

    fn dispatch(&mut self, name: &str, all: [u64; 6], guest: &mut Guest<'_>) -> Result<i64, Errno> {
        let [a, b, c, d, e, f] = all;
        let is_wide = guest.word == 8;
        match name {
            "read" => self.read([a, b, c], guest),
            "write" => self.write([a, b, c], guest),
            "readv" => self.readv([a, b, c], guest),
            "writev" => self.writev([a, b, c], guest),
            "pread64" if is_wide => self.pread([a, b, c], d, guest),
            // An offset of 64 bits is two words, the lower first.
            "pread64" => self.pread([a, b, c], d | e << 32, guest),
            "openat" => self.openat([a, b, c], guest),
            "close" => self.close(a),
            "dup" => self.dup(a),
            "dup3" => self.dup3([a, b]),
            "fcntl" | "fcntl64" => self.fcntl([a, b, c]),
            "ioctl" => self.ioctl(a),
            "lseek" => self.seek(a, signed(b, guest.word), c),
            "llseek" => self.llseek([a, b, c, d, e], guest),
            "readlinkat" => self.readlinkat([a, b, c, d], guest),
            "getcwd" => self.getcwd([a, b], guest),
            "faccessat" => self.faccessat([a, b, c], guest),
            "fstat" | "fstat64" => self.fstat(a, b, guest),
            "newfstatat" | "fstatat64" => self.fstatat([a, b, c, d], guest),
            "statx" => self.statx([a, b, c, d, e], guest),

            "brk" => self.brk(a, guest),
            "mmap" => self.mmap([a, b, c, d, e], f, guest),
            // The offset is in units of 4096 bytes.
            "mmap2" => self.mmap([a, b, c, d, e], f << 12, guest),
            "munmap" => self.munmap(a, b, guest),
            "mprotect" => self.mprotect([a, b, c], guest),
            "mremap" => self.mremap([a, b, c, d, e], guest),
            "madvise" => self.madvise([a, b, c], guest),

            "clock_gettime" => self.clock_gettime([a, b], guest.word, guest),
            "clock_gettime64" => self.clock_gettime([a, b], 8, guest),
            "clock_getres" => self.clock_getres([a, b], guest.word, guest),
            "clock_getres_time64" => self.clock_getres([a, b], 8, guest),
            "gettimeofday" => self.gettimeofday([a, b], guest),
            "nanosleep" => self.sleep([0, 0, a, b], guest.word, guest),
            "clock_nanosleep" => self.sleep([a, b, c, d], guest.word, guest),
            "clock_nanosleep_time64" => self.sleep([a, b, c, d], 8, guest),
            "futex" | "futex_time64" => self.futex([a, b, c, d], guest),

            "uname" => self.uname(a, guest),
            "sysinfo" => self.sysinfo(a, guest),
            "getrandom" => self.getrandom([a, b], guest),
            "prlimit64" => self.prlimit64([a, b, c, d], guest),
            "getrlimit" => self.getrlimit([a, b], guest),
            "setrlimit" => Ok(0),
            "prctl" => self.prctl([a, b], guest),
            "rt_sigaction" => self.sigaction([a, b, c, d], guest),
            "rt_sigprocmask" => self.sigprocmask([a, b, c, d], guest),
            "sigaltstack" => self.sigaltstack([a, b], guest),
            "kill" => self.kill(a, b),
            "tkill" => self.tkill(a, b),
            "tgkill" => self.tgkill([a, b, c]),
            "getpid" | "gettid" | "set_tid_address" => Ok(process::PROCESS),
            "getppid" => Ok(1),
            "getuid" | "geteuid" | "getgid" | "getegid" => Ok(USER.into()),
            "set_robust_list" | "sched_yield" => Ok(0),
            _ => Err(Errno::NOSYS),
        }
    }
}

/// A number of so many bytes with its sign.
fn signed(value: u64, bytes: u32) -> i64 {
    match bytes {
        4 => i64::from(value as i32),
        _ => value as i64,
    }
}
