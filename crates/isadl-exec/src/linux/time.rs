//! Calls about time.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::errno::Errno;
use super::files::is_writable;
use super::guest::{Guest, Record};
use super::{Clock, Linux, signed};

// `include/uapi/linux/time.h`.
const CLOCK_REALTIME: u64 = 0;
const CLOCK_REALTIME_COARSE: u64 = 5;
/// The clocks after these are for alarms, or belong to devices.
const CLOCK_LAST: u64 = 7;
const TIMER_ABSTIME: u64 = 1;

/// How much the counter goes on with each look at it.
const STEP: Duration = Duration::from_micros(1);

/// The time since the process began.
#[derive(Debug)]
pub(super) struct Watch {
    clock: Clock,
    start: Instant,
    counted: Duration,
}

impl Watch {
    pub(super) fn new(clock: Clock) -> Watch {
        Watch { clock, start: Instant::now(), counted: Duration::ZERO }
    }

    /// The time since the process began.
    pub(super) fn elapsed(&mut self) -> Duration {
        match self.clock {
            Clock::Real => self.start.elapsed(),
            Clock::Counter => {
                self.counted = self.counted.saturating_add(STEP);
                self.counted
            }
        }
    }

    /// The time of day: since the beginning of 1970.
    fn time_of_day(&mut self) -> Duration {
        match self.clock {
            Clock::Real => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
            Clock::Counter => self.elapsed(),
        }
    }

    fn of(&mut self, clock: u64) -> Result<Duration, Errno> {
        match clock {
            CLOCK_REALTIME | CLOCK_REALTIME_COARSE => Ok(self.time_of_day()),
            _ if clock <= CLOCK_LAST => Ok(self.elapsed()),
            _ => Err(Errno::INVAL),
        }
    }

    fn wait(&mut self, time: Duration) {
        match self.clock {
            Clock::Real => std::thread::sleep(time),
            Clock::Counter => self.counted = self.counted.saturating_add(time),
        }
    }
}

/// A time as `struct timespec` with fields of so many bytes.
fn timespec(time: Duration, bytes: u32) -> Record {
    Record::new(bytes).word(time.as_secs()).word(time.subsec_nanos().into())
}

/// The time of a `struct timespec` with fields of so many bytes.
fn read_timespec(address: u64, bytes: u32, guest: &Guest<'_>) -> Result<Duration, Errno> {
    let read = |address| match bytes {
        4 => guest.u32(address).map(u64::from),
        _ => guest.u64(address),
    };
    let second = address.checked_add(bytes.into()).ok_or(Errno::FAULT)?;
    let (seconds, nanoseconds) = (signed(read(address)?, bytes), signed(read(second)?, bytes));
    let nanoseconds = u32::try_from(nanoseconds).ok().filter(|part| *part < 1_000_000_000);
    match (u64::try_from(seconds), nanoseconds) {
        (Ok(seconds), Some(nanoseconds)) => Ok(Duration::new(seconds, nanoseconds)),
        _ => Err(Errno::INVAL),
    }
}

impl Linux {
    /// `clock_gettime(clock, time)`, with fields of so many bytes.
    pub(super) fn clock_gettime(
        &mut self,
        [clock, address]: [u64; 2],
        bytes: u32,
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let time = self.watch.of(clock)?;
        timespec(time, bytes).write(guest, address)?;
        Ok(0)
    }

    pub(super) fn clock_getres(
        &mut self,
        [clock, address]: [u64; 2],
        bytes: u32,
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        if clock > CLOCK_LAST {
            return Err(Errno::INVAL);
        }
        if address != 0 {
            timespec(Duration::from_nanos(1), bytes).write(guest, address)?;
        }
        Ok(0)
    }

    /// `gettimeofday(time, zone)`
    pub(super) fn gettimeofday(
        &mut self,
        [address, zone]: [u64; 2],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        if address != 0 {
            let time = self.watch.time_of_day();
            let record = Record::new(guest.word).word(time.as_secs());
            record.word(time.subsec_micros().into()).write(guest, address)?;
        }
        if zone != 0 {
            Record::new(guest.word).u32(0).u32(0).write(guest, zone)?;
        }
        Ok(0)
    }

    /// `clock_nanosleep(clock, flags, time, rest)`; no signal ends it early, so that nothing is left.
    pub(super) fn sleep(
        &mut self,
        [clock, flags, address, _]: [u64; 4],
        bytes: u32,
        guest: &Guest<'_>,
    ) -> Result<i64, Errno> {
        let time = read_timespec(address, bytes, guest)?;
        let time = match flags & TIMER_ABSTIME != 0 {
            true => time.saturating_sub(self.watch.of(clock)?),
            false => time,
        };
        if clock > CLOCK_LAST {
            return Err(Errno::INVAL);
        }
        self.flush();
        self.watch.wait(time);
        Ok(0)
    }

    /// `futex(address, operation, value, timeout)`. There is no other thread, so nobody waits, and waiting has no end.
    pub(super) fn futex(
        &mut self,
        [address, operation, value, timeout]: [u64; 4],
        guest: &Guest<'_>,
    ) -> Result<i64, Errno> {
        // `include/uapi/linux/futex.h`; higher bits are flags.
        const WAIT: u64 = 0;
        const WAKE: u64 = 1;
        const REQUEUE: u64 = 3;
        const CMP_REQUEUE: u64 = 4;
        const WAKE_OP: u64 = 5;
        const WAIT_BITSET: u64 = 9;
        const WAKE_BITSET: u64 = 10;
        if !address.is_multiple_of(4) {
            return Err(Errno::INVAL);
        }
        match operation & 0x7f {
            WAIT | WAIT_BITSET => {
                let is_equal = u64::from(guest.u32(address)?) == value & 0xffff_ffff;
                Err(if is_equal && timeout != 0 { Errno::TIMEDOUT } else { Errno::AGAIN })
            }
            WAKE | WAKE_BITSET | REQUEUE | CMP_REQUEUE | WAKE_OP => {
                if !is_writable(address, 4, guest) {
                    return Err(Errno::FAULT);
                }
                Ok(0)
            }
            _ => Err(Errno::NOSYS),
        }
    }
}
