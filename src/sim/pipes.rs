//! Execution pipes: which instruction classes may start in a cycle.
//!
//! Models: a cap on all instructions of a cycle; classes on the shared cores have a cap per cycle, one for all together and one for
//! each; every other class occupies a pipe of its scheduler for some cycles.
//! Leaves out: result latency (part of the compiler's stall counts), register-bank conflicts.
//! Units: warp instructions per cycle, cycles. Sources: throughputs per class in the device preset.

use super::spec::{IssueLimit, N_CLASSES, Pipe, SmxSpec};
use super::warp_mask::MAX_SCHEDULERS;
use crate::isa::OpClass;

/// Pipes of one scheduler by `Pipe as usize`; that of [`Pipe::IssueOnly`] is always free.
const N_PIPES: usize = 8;
const _: () = assert!(Pipe::ALL.len() <= N_PIPES);

/// Resources that an instruction class takes: a pipe of its scheduler, a share of the multiprocessor's ALU groups and a share
/// of its own cap. For most classes two of the three are 0; one rule for all classes needs no branch.
#[derive(Debug, Clone, Copy)]
struct Demand {
    pipe: u8,
    pipe_cycles: u8,
    alu: u8,
    operand_wait: [u8; 4],
}

/// State of the execution pipes and caps of one multiprocessor.
#[derive(Debug, Clone)]
pub struct Pipes {
    demands: [Demand; N_CLASSES],
    pipe_free_at: [[u64; N_PIPES]; MAX_SCHEDULERS],
    /// Cap of all instructions, where the schedulers could issue more.
    issue: Option<Cap>,
    alu: Cap,
    /// Caps of single classes, where they are below that of all together.
    class_caps: Option<Box<[Cap; N_CLASSES]>>,
}

/// Limit of `per_cycle` instructions in a cycle.
#[derive(Debug, Clone, Copy)]
struct Cap {
    per_cycle: u64,
    /// Issue places taken since cycle 0; all places of past cycles count as taken.
    taken: u64,
}

impl Cap {
    fn new(per_cycle: u8) -> Self {
        Cap {
            per_cycle: per_cycle.into(),
            taken: 0,
        }
    }

    /// The places taken after taking `n` more in cycle `now`, and whether they fit.
    #[inline]
    fn after(&self, n: u8, now: u64) -> (u64, bool) {
        let first = now * self.per_cycle;
        let taken = self.taken.max(first) + u64::from(n);
        (taken, n == 0 || taken <= first + self.per_cycle)
    }
}

impl Pipes {
    /// Idle pipes.
    pub fn new(spec: &SmxSpec) -> Self {
        let caps = OpClass::ALL.map(|class| match spec.limits[class as usize] {
            IssueLimit::PerCycle(limit) => limit,
            _ => u8::MAX,
        });
        let any_binds = caps.iter().any(|&cap| cap < spec.alu_warps_per_cycle);
        Pipes {
            demands: OpClass::ALL.map(|class| demand(spec, class)),
            pipe_free_at: [[0; N_PIPES]; MAX_SCHEDULERS],
            issue: issue_binds(spec)
                .then(|| Cap::new(spec.device.issue.instructions_per_cycle as u8)),
            alu: Cap::new(spec.alu_warps_per_cycle),
            class_caps: any_binds.then(|| Box::new(caps.map(Cap::new))),
        }
    }

    /// Mean operand wait of an instruction with `sources` different source registers, in
    /// [`super::spec::WAIT_UNITS`]ths of an issue slot. Only full-rate instructions wait.
    #[inline]
    pub fn operand_wait(&self, class: OpClass, sources: u8) -> u8 {
        self.demands[class as usize].operand_wait[usize::from(sources) % 4]
    }

    /// Whether another instruction may issue at `now`.
    #[inline]
    pub fn may_issue(&self, now: u64) -> bool {
        self.issue.is_none_or(|issue| issue.after(1, now).1)
    }

    /// Takes the pipe of `class` at `now`; the error is the cycle at which to retry.
    #[inline]
    pub fn take(&mut self, scheduler: usize, class: OpClass, now: u64) -> Result<(), u64> {
        let demand = self.demands[class as usize];
        let pipes = &mut self.pipe_free_at[scheduler % MAX_SCHEDULERS];
        let free_at = &mut pipes[usize::from(demand.pipe) % N_PIPES];
        if *free_at > now {
            return Err(*free_at);
        }
        let (taken, fits) = self.alu.after(demand.alu, now);
        if !fits {
            return Err(now + 1);
        }
        if let Some(caps) = &mut self.class_caps {
            let cap = &mut caps[class as usize];
            let (taken, fits) = cap.after(demand.alu, now);
            if !fits {
                return Err(now + 1);
            }
            cap.taken = taken;
        }
        self.alu.taken = taken;
        if let Some(issue) = &mut self.issue {
            issue.taken = issue.after(1, now).0;
        }
        *free_at = now + u64::from(demand.pipe_cycles);
        Ok(())
    }
}

/// Whether the schedulers together could issue more instructions than the multiprocessor does.
fn issue_binds(spec: &SmxSpec) -> bool {
    spec.device.issue.instructions_per_cycle
        < spec.device.issue.n_schedulers * spec.device.issue.n_dispatch
}

fn demand(spec: &SmxSpec, class: OpClass) -> Demand {
    let limit = spec.limits[class as usize];
    let (pipe, pipe_cycles) = match limit {
        IssueLimit::Interval(pipe, cycles) => (pipe as u8, cycles),
        _ => (Pipe::IssueOnly as u8, 0),
    };
    let is_full_rate = matches!(limit, IssueLimit::PerCycle(_));
    Demand {
        pipe,
        pipe_cycles,
        alu: is_full_rate.into(),
        operand_wait: if is_full_rate {
            spec.operand_wait
        } else {
            [0; 4]
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::testing::spec;

    /// Four schedulers that could issue eight instructions a cycle.
    #[test]
    fn no_more_instructions_issue_in_a_cycle_than_the_multiprocessor_takes() {
        let mut spec = spec();
        spec.device.issue.instructions_per_cycle = 4;
        spec.device.issue.n_dispatch = 2;
        let mut pipes = Pipes::new(&spec);
        for now in [7, 8] {
            for scheduler in 0..4 {
                assert!(pipes.may_issue(now), "{scheduler}");
                // Of no pipe: every kind counts.
                pipes.take(scheduler, OpClass::Control, now).unwrap();
            }
            assert!(!pipes.may_issue(now));
        }
        spec.device.issue.instructions_per_cycle = 8;
        assert!(Pipes::new(&spec).issue.is_none(), "no limit of its own");
    }
}
