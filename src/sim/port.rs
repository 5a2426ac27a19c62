//! A resource that serves transfers one after another: a port, a bus.
//!
//! Models: bandwidth and the queue in front of it. A transfer that can start only later takes its share of the bandwidth
//! at once, so it never delays one requested in between.
//! Leaves out: gaps.
//! Units: cycles, bytes.

/// Port with a fixed bandwidth.
#[derive(Debug, Clone, Copy, Default)]
pub struct Port {
    free_at: f64,
    bytes_per_cycle: f64,
}

impl Port {
    /// An idle port.
    pub fn new(bytes_per_cycle: f32) -> Self {
        Port {
            free_at: 0.0,
            bytes_per_cycle: f64::from(bytes_per_cycle),
        }
    }

    /// Reserves the port at `now` for `bytes` that can start at `earliest`; returns the cycle at which they start.
    #[inline]
    pub fn reserve(&mut self, now: u64, earliest: f64, bytes: u32) -> f64 {
        self.hold(now, earliest, f64::from(bytes) / self.bytes_per_cycle)
    }

    /// Reserves the port as [`Port::reserve`] does, for a transfer that occupies it for at least `cycles`.
    #[inline]
    pub fn reserve_at_least(&mut self, now: u64, earliest: f64, bytes: u32, cycles: f64) -> f64 {
        let transfer = f64::from(bytes) / self.bytes_per_cycle;
        self.hold(now, earliest, transfer.max(cycles))
    }

    /// The cycle at which everything reserved so far is through.
    #[inline]
    pub fn free_at(&self) -> f64 {
        self.free_at
    }

    #[inline]
    fn hold(&mut self, now: u64, earliest: f64, cycles: f64) -> f64 {
        let free_at = self.free_at.max(now as f64);
        self.free_at = free_at + cycles;
        earliest.max(free_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_queue() {
        let mut port = Port::new(32.0);
        assert_eq!(port.reserve(10, 10.0, 128), 10.0);
        assert_eq!(port.reserve(10, 10.0, 128), 14.0);
        assert_eq!(port.reserve(100, 100.0, 128), 100.0);
    }

    #[test]
    fn a_later_transfer_holds_up_none_before_it() {
        let mut port = Port::new(32.0);
        assert_eq!(port.reserve(10, 500.0, 128), 500.0);
        assert_eq!(port.reserve(11, 11.0, 128), 14.0);
    }
}
