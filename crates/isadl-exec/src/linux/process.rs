//! Calls about the process and the system: names, limits, signals, random numbers, and the end.

use std::collections::BTreeMap;

use super::errno::Errno;
use super::guest::{Guest, Record};
use super::{Linux, signed};

/// The number of the process, and of its only thread.
pub(super) const PROCESS: i64 = 1000;

/// The most bytes that one call fills with random numbers.
const MAX_RANDOM: u64 = 1 << 20;

// `include/uapi/asm-generic/signal.h`.
const SIGKILL: u64 = 9;
const SIGSTOP: u64 = 19;
/// `SIGCHLD`, `SIGCONT`, `SIGURG` and `SIGWINCH` do nothing, unless there is a handler.
const IGNORED: [u64; 4] = [17, 18, 23, 28];
const SIGNALS: u64 = 64;
const SIG_DFL: u64 = 0;
const SIG_IGN: u64 = 1;
const SS_DISABLE: u32 = 2;
/// Bytes in a set of signals.
const SET: u64 = 8;

// `include/uapi/asm-generic/resource.h`.
const RLIMIT_STACK: u64 = 3;
const RLIMIT_NOFILE: u64 = 7;
const LIMITS: u64 = 16;
const FILES: u64 = 1024;

/// `PR_SET_NAME` of `include/uapi/linux/prctl.h`.
const PR_SET_NAME: u64 = 15;

/// What the program has said about signals.
#[derive(Debug, Default)]
pub(super) struct Signals {
    /// The handlers that are not the usual one.
    handlers: BTreeMap<u64, u64>,
    mask: u64,
}

/// Numbers that look random and are always the same: splitmix64, <https://prng.di.unimi.it/splitmix64.c>.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(super) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count.next_multiple_of(8));
        while bytes.len() < count {
            bytes.extend(self.next().to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }
}

impl Linux {
    /// The status that a call ends the program with, as a shell shows it: 128 and the signal, if one ends it.
    pub(super) fn ending(&self, name: Option<&str>, arguments: &[u64; 6]) -> Option<i32> {
        let [first, second, third, ..] = *arguments;
        let by = |signal: u64, is_own: bool| {
            self.is_fatal(signal).then_some(128 + signal as i32).filter(|_| is_own)
        };
        match name? {
            "exit" | "exit_group" => Some((first & 0xff) as i32),
            "kill" => by(second, is_own_group(first)),
            "tkill" => by(second, is_own(first)),
            "tgkill" => by(third, is_own(first) && is_own(second)),
            _ => None,
        }
    }

    /// Whether a signal ends the program. Handlers cannot be called: it ends with these signals, too.
    fn is_fatal(&self, signal: u64) -> bool {
        let handler = self.signals.handlers.get(&signal).copied().unwrap_or(SIG_DFL);
        let is_ignored = handler == SIG_IGN || handler == SIG_DFL && IGNORED.contains(&signal);
        (1..=SIGNALS).contains(&signal) && !is_ignored
    }

    /// A signal that does not end the program.
    pub(super) fn kill(&self, process: u64, signal: u64) -> Result<i64, Errno> {
        send(is_own_group(process), signal)
    }

    pub(super) fn tkill(&self, thread: u64, signal: u64) -> Result<i64, Errno> {
        send(is_own(thread), signal)
    }

    pub(super) fn tgkill(&self, [process, thread, signal]: [u64; 3]) -> Result<i64, Errno> {
        send(is_own(process) && is_own(thread), signal)
    }

    /// `rt_sigaction(signal, new, old, size)`. Of the old action, only the handler is known. What follows it in `struct sigaction` differs
    /// between architectures, so only what all have is written: handler, flags and a set of signals, or what is in its place.
    pub(super) fn sigaction(
        &mut self,
        [signal, new, old, size]: [u64; 4],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        if !(1..=SIGNALS).contains(&signal) || size != SET {
            return Err(Errno::INVAL);
        }
        if new != 0 && [SIGKILL, SIGSTOP].contains(&signal) {
            return Err(Errno::INVAL);
        }
        let handler = if new != 0 { Some(guest.word(new)?) } else { None };
        if old != 0 {
            let before = self.signals.handlers.get(&signal).copied().unwrap_or(SIG_DFL);
            Record::new(guest.word).word(before).word(0).u64(0).write(guest, old)?;
        }
        match handler {
            Some(SIG_DFL) => drop(self.signals.handlers.remove(&signal)),
            Some(handler) => drop(self.signals.handlers.insert(signal, handler)),
            None => {}
        }
        Ok(0)
    }

    /// `rt_sigprocmask(how, new, old, size)`: the mask is kept, and has no effect.
    pub(super) fn sigprocmask(
        &mut self,
        [how, new, old, size]: [u64; 4],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        if size != SET {
            return Err(Errno::INVAL);
        }
        let before = self.signals.mask;
        let after = match new {
            0 => before,
            _ => {
                let set = guest.u64(new)?;
                match how {
                    0 => before | set,
                    1 => before & !set,
                    2 => set,
                    _ => return Err(Errno::INVAL),
                }
            }
        };
        if old != 0 {
            Record::new(guest.word).u64(before).write(guest, old)?;
        }
        self.signals.mask = after;
        Ok(0)
    }

    /// `sigaltstack(new, old)`: no handler is called, so no other stack is used.
    pub(super) fn sigaltstack(
        &mut self,
        [_, old]: [u64; 2],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        if old != 0 {
            let record = Record::new(guest.word).word(0).u32(SS_DISABLE);
            let record = record.up_to(2 * guest.word as usize).word(0);
            record.write(guest, old)?;
        }
        Ok(0)
    }

    pub(super) fn uname(&mut self, address: u64, guest: &mut Guest<'_>) -> Result<i64, Errno> {
        // `struct new_utsname` of `include/uapi/linux/utsname.h`.
        let texts = ["Linux", "isadl", "6.1.0", "#1", &self.settings.machine, "(none)"];
        let record =
            texts.iter().fold(Record::new(guest.word), |record, text| record.text(text, 65));
        record.write(guest, address)?;
        Ok(0)
    }

    /// `struct sysinfo` of `include/uapi/linux/sysinfo.h`.
    pub(super) fn sysinfo(&mut self, address: u64, guest: &mut Guest<'_>) -> Result<i64, Errno> {
        let word = guest.word as usize;
        let total = guest.memory.end() - guest.memory.start();
        let free = total.saturating_sub(self.map.size());
        let uptime = self.watch.elapsed().as_secs();
        let record = Record::new(guest.word).word(uptime).word(0).word(0).word(0);
        let record = record.word(total).word(free).word(0).word(0).word(0).word(0).u16(1);
        let record = record.up_to(11 * word).word(0).word(0).u32(1);
        // Bytes follow that make it 64 of them where words have 32 bits.
        record.up_to(if word == 4 { 64 } else { 112 }).write(guest, address)?;
        Ok(0)
    }

    /// `getrandom(buffer, length, flags)`
    pub(super) fn getrandom(
        &mut self,
        [address, length]: [u64; 2],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let length = guest.writable(address, length.min(MAX_RANDOM))?;
        let bytes = self.random.bytes(length as usize);
        guest.write(address, &bytes)?;
        Ok(length as i64)
    }

    /// The soft limit of a resource; the hard one is infinite.
    fn limit(&self, resource: u64) -> Result<u64, Errno> {
        match resource {
            RLIMIT_STACK => Ok(self.settings.stack),
            RLIMIT_NOFILE => Ok(FILES),
            _ if resource < LIMITS => Ok(u64::MAX),
            _ => Err(Errno::INVAL),
        }
    }

    /// `prlimit64(process, resource, new, old)`: limits do not change.
    pub(super) fn prlimit64(
        &mut self,
        [process, resource, new, old]: [u64; 4],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        if process != 0 && !is_own(process) {
            return Err(Errno::SRCH);
        }
        let limit = self.limit(resource)?;
        if new != 0 {
            guest.bytes(new, 16)?;
        }
        if old != 0 {
            Record::new(guest.word).u64(limit).u64(u64::MAX).write(guest, old)?;
        }
        Ok(0)
    }

    pub(super) fn getrlimit(
        &mut self,
        [resource, address]: [u64; 2],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let limit = self.limit(resource)?;
        Record::new(guest.word).word(limit).word(u64::MAX).write(guest, address)?;
        Ok(0)
    }

    /// `prctl(option, …)`: the thread may have a name, which nobody sees.
    pub(super) fn prctl(
        &mut self,
        [option, name]: [u64; 2],
        guest: &Guest<'_>,
    ) -> Result<i64, Errno> {
        match option {
            PR_SET_NAME => guest.readable(name, 16).map(|_| 0),
            _ => Err(Errno::INVAL),
        }
    }
}

fn is_own(process: u64) -> bool {
    signed(process, 4) == PROCESS
}

/// Whether a number means the process, its group, or all processes.
fn is_own_group(process: u64) -> bool {
    [PROCESS, -PROCESS, 0, -1].contains(&signed(process, 4))
}

fn send(is_own: bool, signal: u64) -> Result<i64, Errno> {
    match (signal <= SIGNALS, is_own) {
        (false, _) => Err(Errno::INVAL),
        (true, false) => Err(Errno::SRCH),
        (true, true) => Ok(0),
    }
}
