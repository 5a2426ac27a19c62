//! Contents of a read cache.
//!
//! Models: capacity with least-recently-used replacement.
//! Leaves out: sets (fully associative), writes.
//! Units: lines.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;

#[derive(Debug, Clone)]
pub struct Cache {
    capacity: usize,
    /// Time of each line's last use.
    used: FxHashMap<u64, u64>,
    /// Uses in order; only a line's last use counts.
    order: VecDeque<(u64, u64)>,
    clock: u64,
}

impl Cache {
    pub fn new(capacity: usize) -> Self {
        Cache {
            capacity,
            used: FxHashMap::default(),
            order: VecDeque::new(),
            clock: 0,
        }
    }

    /// Reads a line and returns whether it was cached; it is afterwards.
    pub fn read(&mut self, line: u64) -> bool {
        self.clock += 1;
        let was_there = self.used.insert(line, self.clock).is_some();
        self.order.push_back((line, self.clock));
        while self.used.len() > self.capacity {
            let Some((oldest, at)) = self.order.pop_front() else {
                break;
            };
            if self.used.get(&oldest) == Some(&at) {
                self.used.remove(&oldest);
            }
        }
        // Superseded uses must not accumulate.
        while let Some(&(line, at)) = self.order.front() {
            if self.used.get(&line) == Some(&at) {
                break;
            }
            self.order.pop_front();
        }
        was_there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_was_not_used_longest_goes() {
        let mut cache = Cache::new(2);
        assert!(!cache.read(1));
        assert!(!cache.read(2));
        assert!(cache.read(1));
        assert!(!cache.read(3), "takes the place of 2");
        assert!(cache.read(1));
        assert!(!cache.read(2));
    }
}
