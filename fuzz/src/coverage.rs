//! Code that an execution reached, if it was compiled with counters (`with-coverage`); empty otherwise.
//!
//! Sources: Clang's documentation of SanitizerCoverage, "Inline 8bit-counters".

use std::sync::Mutex;

/// A module's counters.
#[derive(Clone, Copy)]
struct Counters {
    start: usize,
    length: usize,
}

static MODULES: Mutex<Vec<Counters>> = Mutex::new(Vec::new());

/// Called once for each module before `main`.
///
/// # Safety
///
/// The two pointers must enclose a module's counters, which live as long as the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, end: *mut u8) {
    if let Ok(mut modules) = MODULES.lock() {
        let (start, end) = (start as usize, end as usize);
        if modules.iter().all(|module| module.start != start) {
            modules.push(Counters {
                start,
                length: end.saturating_sub(start),
            });
        }
    }
}

/// Places reached by any execution so far, by number of visits: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, more.
pub struct Coverage {
    modules: Vec<Counters>,
    seen: Vec<u8>,
}

fn bucket(count: u8) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        _ => 128,
    }
}

impl Coverage {
    pub fn new() -> Self {
        let modules = MODULES
            .lock()
            .map(|modules| modules.clone())
            .unwrap_or_default();
        let n = modules.iter().map(|module| module.length).sum();
        Coverage {
            modules,
            seen: vec![0; n],
        }
    }

    /// Adds the counts since the last call; returns whether any is new.
    pub fn is_new(&mut self) -> bool {
        let mut new = false;
        let mut at = 0;
        for module in &self.modules {
            // SAFETY: the compiler's counters of a module, whose start and length it gave. Only this thread runs code that counts while
            // they are read, and a byte read late is a count missed, no more.
            let counters =
                unsafe { std::slice::from_raw_parts_mut(module.start as *mut u8, module.length) };
            let seen = &mut self.seen[at..at + module.length];
            // Most are zero: 64 at a time.
            for (counts, seen) in counters.chunks_mut(64).zip(seen.chunks_mut(64)) {
                if counts.iter().fold(0, |any, count| any | count) == 0 {
                    continue;
                }
                for (count, seen) in counts.iter_mut().zip(seen) {
                    let bit = bucket(*count);
                    new |= !*seen & bit != 0;
                    *seen |= bit;
                    *count = 0;
                }
            }
            at += module.length;
        }
        new
    }

    /// Places reached, of all.
    pub fn reached(&self) -> (usize, usize) {
        (
            self.seen.iter().filter(|seen| **seen != 0).count(),
            self.seen.len(),
        )
    }
}
