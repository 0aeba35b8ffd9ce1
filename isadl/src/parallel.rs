//! Work on long lists in several threads.

use std::num::NonZero;
use std::thread;

/// The most threads that work on one list: more gain little, and others have work too.
const MAX_THREADS: usize = 8;

/// Cuts a list into pieces of at least `least` items, as many as there are processors, and works on each in a thread of
/// its own; the results are in order. What no thread can be had for is done at once.
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

#[cfg(test)]
mod tests {
    use super::pieces;

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
