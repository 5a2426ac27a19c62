//! Maps over many items on all threads; results keep the order of the items.
//!
//! rayon's code is compiled once, for a closure behind a pointer, instead of once per caller, which was a tenth of the crate's
//! code.
//! Items are handed out one by one, so that the last thread is not left with a run of them.

use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

fn each(n: usize, run: &(dyn Fn(usize) + Sync)) {
    (0..n).into_par_iter().with_max_len(1).for_each(run);
}

/// Returns `of` every item.
pub fn map<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    indices(items.len(), |at| of(&items[at]))
}

/// Returns `of(0)` to `of(n - 1)`.
pub fn indices<R: Send>(n: usize, of: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let results: Vec<Mutex<Option<R>>> = (0..n).map(|_| Mutex::default()).collect();
    each(n, &|at| {
        let result = of(at);
        *results[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    let results = results.into_iter();
    let results = results.map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner));
    results.flatten().collect()
}

/// Returns `of` every item, or the error of the first item that has one. Items after it may not be tried.
pub fn try_map<T: Sync, R: Send, E: Send>(
    items: &[T],
    of: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_indices(items.len(), |at| of(&items[at]))
}

/// Returns `of(0)` to `of(n - 1)`, or the first error.
pub fn try_indices<R: Send, E: Send>(
    n: usize,
    of: impl Fn(usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let first_failed = AtomicUsize::new(usize::MAX);
    let results = indices(n, |at| {
        if at > first_failed.load(Ordering::Relaxed) {
            return None;
        }
        let result = of(at);
        if result.is_err() {
            first_failed.fetch_min(at, Ordering::Relaxed);
        }
        Some(result)
    });
    results.into_iter().map_while(|result| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        assert_eq!(map(&items, |item| 2 * item)[999], 1998);
        assert!(indices(1000, |at| at).into_iter().eq(0..1000));
        assert!(indices(0, |at| at).is_empty());
    }

    #[test]
    fn the_error_is_that_of_the_first_item_that_has_one() {
        let of = |at: usize| if at % 100 == 37 { Err(at) } else { Ok(at) };
        for _ in 0..100 {
            assert_eq!(try_indices(1000, of), Err(37));
        }
        assert_eq!(try_indices(37, of).map(|all| all.len()), Ok(37));
    }
}
