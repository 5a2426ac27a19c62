//! Whole runs: the host's cost of every GP operation.
//!
//! Models: selection, crossover and mutation as a time per operation, chosen so that the host has section 4's share of a run on
//! the card whose share is published; next to another card, the same host takes the same time per operation. The share is an
//! input, not a prediction. Leaves out: that small programs cost the host as much as large ones.
//! Units: nanoseconds; billions of GP operations per second. Sources: Langdon 2010, section 4.

/// Host time per GP operation, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Host {
    pub ns_per_operation: f64,
}

impl Host {
    /// Returns the host that has the given share of a run next to a card with this speed.
    pub fn of_share(share: f64, speed: f64) -> Self {
        Host {
            ns_per_operation: share / (1.0 - share) / speed,
        }
    }

    /// Returns the speed of the whole run.
    pub fn average(self, speed: f64) -> f64 {
        1.0 / (1.0 / speed + self.ns_per_operation)
    }

    /// Returns the host's share of the run.
    pub fn share(self, speed: f64) -> f64 {
        self.average(speed) * self.ns_per_operation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the published averages and shares: 254 and 43 %.
    #[test]
    fn a_host_keeps_its_time_beside_a_slower_card() {
        let host = Host::of_share(0.43, 254.0 / 0.57);
        assert!((host.average(254.0 / 0.57) - 254.0).abs() < 1e-9);
        let slow = 152.0;
        assert!((host.share(254.0 / 0.57) - 0.43).abs() < 1e-12);
        assert!(host.share(slow) < 0.43 && (host.average(slow) - 121.0).abs() < 1.0);
    }
}
