//! Work on long lists in several threads.

use std::num::NonZero;
use std::thread;

/// The most threads that work on one list: more gain little, and others have work too.
const MAX_THREADS: usize = 8;

/// Cuts a list into pieces of at least `least` items, as many as there are processors, and works on each in a thread of
/// its own; the results are in order. Where there are no threads, the pieces are done one after another.
pub(crate) fn pieces<T: Send, R: Send>(
    mut items: Vec<T>,
    least: usize,
    work: impl Fn(Vec<T>) -> R + Sync,
) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    let size = items.len().div_ceil(threads).max(least);
    let mut cut = Vec::new();
    while items.len() > size {
        let rest = items.split_off(size);
        cut.push(std::mem::replace(&mut items, rest));
    }
    let work = &work;
    thread::scope(|scope| {
        let others: Vec<_> =
            cut.into_iter().map(|piece| scope.spawn(move || work(piece))).collect();
        let last = work(items);
        let finished = others.into_iter().map(|other| match other.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        let mut results: Vec<R> = finished.collect();
        results.push(last);
        results
    })
}
