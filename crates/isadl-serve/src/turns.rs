//! How many questions are worked on at the same time.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Turns to work. A waiting thread can give up.
pub(crate) struct Turns {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A turn, given back when it is dropped.
pub(crate) struct Turn<'t>(&'t Turns);

impl Turns {
    /// This many turns at the same time.
    pub(crate) fn new(count: usize) -> Turns {
        Turns { free: Mutex::new(count), freed: Condvar::new() }
    }

    /// Waits for a turn. Asks from time to time whether the turn is still wanted; `None` if it is not.
    pub(crate) fn take(&self, is_wanted: impl Fn() -> bool) -> Option<Turn<'_>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if !is_wanted() {
                return None;
            }
            if *free > 0 {
                *free -= 1;
                return Some(Turn(self));
            }
            let waited = self.freed.wait_timeout(free, PAUSE);
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The interval at which waiting threads are asked whether they still wait.
const PAUSE: Duration = Duration::from_millis(50);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_limited_and_given_back() {
        let turns = Turns::new(2);
        let (first, second) = (turns.take(|| true), turns.take(|| true));
        assert!(first.is_some() && second.is_some());
        let left = std::cell::Cell::new(3);
        let is_wanted = || left.replace(left.get() - 1) > 0;
        assert!(turns.take(is_wanted).is_none(), "who leaves is not kept waiting");
        drop(first);
        assert!(turns.take(|| true).is_some());
    }
}
