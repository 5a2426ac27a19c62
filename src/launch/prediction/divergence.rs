//! Time that data-dependent execution adds to a launch: slow paths of divisions and functions, and diverging lanes.
//!
//! Models: traces take every branch on data as ordinary numbers do. How many warp instructions real fitness cases add is
//! counted by executing all lanes (`systems::chitty::divergence`); here the cycles that go with instructions grow by as much (Eq. S2
//! of `docs/sampling.md`). Leaves out: that a slow path has another mix of instructions.

use super::Timing;
use crate::launch::cause::Cause;
use crate::launch::demand::{Counted, followed_by};
use crate::launch::uniform::Uniform;

impl Timing {
    /// **(S2)** The timing with what data adds to its kernel's time: cycles that go with instructions grow in proportion. `stack`:
    /// cycles by cause, each charged to one cause.
    pub fn with_divergence(mut self, launch: Uniform, stack: &[u64; Cause::ALL.len()]) -> Timing {
        let follows = |cause: &Cause| followed_by(*cause) == Some(Counted::Instructions);
        let with_instructions = Cause::ALL.into_iter().filter(follows);
        let with_instructions: u64 = with_instructions.map(|cause| stack[cause as usize]).sum();
        let all: u64 = stack.iter().sum();
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
