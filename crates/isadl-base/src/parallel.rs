//! Work on long lists in several threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Limit on threads that work on one list: more gain little, and other processes need the processors too.
const MAX_THREADS: usize = 8;

/// Works on pieces of a list in parallel and returns the results in order.
///
/// Each piece has at least `least` items; there is at most one per processor. If no thread is available for a piece,
/// the calling thread works on it.
pub fn pieces<T: Sync, R: Send>(
    items: &[T],
    least: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    let size = items.len().div_ceil(threads).max(least).max(1);
    let (own, others) = items.split_at(size.min(items.len()));
    let work = &work;
    thread::scope(|scope| {
        let spawn = |piece| {
            let thread = thread::Builder::new().spawn_scoped(scope, move || work(piece));
            (piece, thread)
        };
        let others: Vec<_> = others.chunks(size).map(spawn).collect();
        let mut results = vec![work(own)];
        results.extend(others.into_iter().map(|(piece, thread)| match thread.map(|t| t.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => work(piece),
        }));
        results
    })
}

/// Does several things about so many opcodes, each in the next thread that is free; the results are in order.
pub fn each<T: Sync, R: Send>(count: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if count < MIN_OPCODES {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let next = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < items.len());
    // A piece is the leave to take the next item, not the items themselves.
    let taken = pieces(items, 1, |_| -> Vec<(usize, R)> {
        std::iter::from_fn(&next).map(|at| (at, work(&items[at]))).collect()
    });
    let mut results: Vec<(usize, R)> = taken.into_iter().flatten().collect();
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Fewest opcodes of an instruction set that are worth a thread.
pub const MIN_OPCODES: usize = 512;

/// Does two things at once, the first in a thread of its own; after the second if there is too little to do, or if no
/// thread can be had. `count` is the number of opcodes that they are about.
pub fn beside<A: Send, B>(
    count: usize,
    first: impl Fn() -> A + Sync,
    second: impl FnOnce() -> B,
) -> (A, B) {
    let first = &first;
    if count < MIN_OPCODES {
        let second = second();
        return (first(), second);
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, first);
        let second = second();
        let first = match thread.map(|thread| thread.join()) {
            Ok(Ok(made)) => made,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => first(),
        };
        (first, second)
    })
}

#[cfg(test)]
mod tests {
    use super::{MIN_OPCODES, beside, each, pieces};

    #[test]
    fn each_thing_is_done_once() {
        for (opcodes, count) in [(0, 5), (MIN_OPCODES, 0), (MIN_OPCODES, 1), (MIN_OPCODES, 100)] {
            let items: Vec<usize> = (0..count).collect();
            let results = each(opcodes, &items, |item| item + 1);
            assert_eq!(results, (1..=count).collect::<Vec<usize>>());
        }
    }

    #[test]
    fn both_things_are_done() {
        let list = [1, 2, 3];
        let mut seen = 0;
        for count in [0, MIN_OPCODES] {
            let (sum, ()) = beside(count, || list.iter().sum::<i32>(), || seen += list.len());
            assert_eq!(sum, 6);
        }
        assert_eq!(seen, 6);
    }

    #[test]
    fn results_are_in_order_whatever_the_number_of_pieces() {
        for (count, least) in [(0, 1), (1, 1), (7, 3), (100, 1), (1000, 10), (10, 100)] {
            let items: Vec<usize> = (0..count).collect();
            let results = pieces(&items, least, <[usize]>::to_vec);
            assert_eq!(results.concat(), items);
            assert!(results.iter().rev().skip(1).all(|piece| piece.len() >= least));
        }
    }
}
