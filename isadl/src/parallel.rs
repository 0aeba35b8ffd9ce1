//! Work on long lists in several threads.

use std::num::NonZero;
use std::thread;

/// The most threads that work on one list: more gain little, and others have work too.
const MAX_THREADS: usize = 8;

/// Cuts a list into pieces of at least `least` items, as many as there are processors, and works on each in a thread of
/// its own; the results are in order. Where there are no threads, it is one piece.
pub(crate) fn pieces<T: Sync, R: Send>(
    items: &[T],
    least: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    let size = items.len().div_ceil(threads).max(least).max(1);
    let (own, others) = items.split_at(size.min(items.len()));
    let work = &work;
    thread::scope(|scope| {
        let others: Vec<_> =
            others.chunks(size).map(|piece| scope.spawn(move || work(piece))).collect();
        let mut results = vec![work(own)];
        results.extend(others.into_iter().map(|other| match other.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }));
        results
    })
}
