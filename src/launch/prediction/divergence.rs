//! What data adds to the time of a launch: slow paths of divisions and functions, and diverging lanes.
//!
//! Models: traces take every branch on data as ordinary numbers do. How many warp instructions real fitness cases add is
//! counted by executing all lanes (`systems::chitty::divergence`); here the cycles that go with instructions grow by as much (Eq. S2
//! of `docs/sampling.md`). Leaves out: that a slow path has another mix of instructions.

use super::{CpiEntry, Timing};
use crate::launch::demand::{Counted, followed_by};
use crate::launch::uniform::Uniform;

impl Timing {
    /// **(S2)** The timing with what data adds to its kernel's time: cycles that go with instructions grow in proportion.
    pub fn with_divergence(mut self, launch: Uniform) -> Timing {
        let follows = |entry: &&CpiEntry| followed_by(entry.cause) == Some(Counted::Instructions);
        let cycles = |entry: &CpiEntry| entry.cycles;
        let with_instructions: u64 = self.cpi_stack.iter().filter(follows).map(cycles).sum();
        let all: u64 = self.cpi_stack.iter().map(cycles).sum();
        let part = with_instructions as f64 / all.max(1) as f64;
        let slower = 1.0 + part * launch.divergence_overhead_percent() / 100.0;
        let (kernel, host) = (self.milliseconds, launch.host_milliseconds());
        if kernel > 0.0 {
            self.gpops_billion *= (kernel + host) / (kernel * slower + host);
            self.milliseconds *= slower;
        }
        self
    }
}
