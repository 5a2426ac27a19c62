//! A request to end long work early, made by another thread.
//!
//! Leaves out: work that does not check between steps; it runs to its end. Units: none.

use std::sync::atomic::{AtomicBool, Ordering};

/// Asked between two steps of long work.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

/// The work was ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the end")]
pub struct Stopped;

impl Stop {
    /// From now on, work that asks ends.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// An error once the end is requested.
    pub fn check(&self) -> Result<(), Stopped> {
        match self.0.load(Ordering::Relaxed) {
            true => Err(Stopped),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_goes_on_until_its_end_is_requested() {
        let stop = Stop::default();
        assert_eq!(stop.check(), Ok(()));
        stop.request();
        assert_eq!(stop.check(), Err(Stopped));
    }
}
