//! The time that a computation takes.
//!
//! Leaves out: WebAssembly, which has no clock of its own; there every time is 0. Units: seconds.

#[cfg(not(target_family = "wasm"))]
use std::time::Instant;

/// A time that is being measured.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(#[cfg(not(target_family = "wasm"))] Instant);

impl Stopwatch {
    /// Starts measuring.
    pub fn start() -> Stopwatch {
        Stopwatch(
            #[cfg(not(target_family = "wasm"))]
            Instant::now(),
        )
    }

    /// Returns the seconds since the start.
    pub fn seconds(&self) -> f64 {
        #[cfg(not(target_family = "wasm"))]
        return self.0.elapsed().as_secs_f64();
        #[cfg(target_family = "wasm")]
        return 0.0;
    }
}
