//! Whole runs: what the host adds to every GP operation.
//!
//! Models: selection, crossover and mutation as a time for each operation, so long that it takes section 4's part of a run on the
//! card whose part is published; the same host beside another card takes as long for an operation. That part is an input, not a
//! prediction. Leaves out: that small programs cost the host as much as large ones.
//! Units: nanoseconds; billions of GP operations per second. Sources: Langdon 2010, section 4.

/// What a GP operation costs the host, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Host {
    pub ns_per_operation: f64,
}

impl Host {
    /// One that takes `share` of a run beside a card that reaches `speed`.
    pub fn of_share(share: f64, speed: f64) -> Self {
        Host {
            ns_per_operation: share / (1.0 - share) / speed,
        }
    }

    /// Speed of the whole run.
    pub fn average(self, speed: f64) -> f64 {
        1.0 / (1.0 / speed + self.ns_per_operation)
    }

    /// Part of the run that is the host's.
    pub fn share(self, speed: f64) -> f64 {
        self.average(speed) * self.ns_per_operation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published averages and shares, as in the paper: 254 and 43 %.
    #[test]
    fn a_host_keeps_its_time_beside_a_slower_card() {
        let host = Host::of_share(0.43, 254.0 / 0.57);
        assert!((host.average(254.0 / 0.57) - 254.0).abs() < 1e-9);
        let slow = 152.0;
        assert!((host.share(254.0 / 0.57) - 0.43).abs() < 1e-12);
        assert!(host.share(slow) < 0.43 && (host.average(slow) - 121.0).abs() < 1.0);
    }
}
