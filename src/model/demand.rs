//! What instructions ask of the multiprocessor.
//!
//! What it models: counts by what they occupy: issue slots, pipes, lines of the load/store unit.
//! What it leaves out: time. Units: in the names; cycles of a pipe are those of one scheduler.
//! Sources: equation (9) of `docs/model.md`.

use bytemuck::{Pod, Zeroable};

use super::add_scaled;
use crate::isa::OpClass;
use crate::launch::code::{MemoryRequest, ReplayOp};
use crate::launch::spec::{IssueLimit, N_CLASSES, Pipe, SmxSpec, WAIT_UNITS};

/// What one execution of a shape, or one token on average, asks of the multiprocessor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Demand {
    pub instructions: f64,
    pub dual_issued: f64,
    pub memory_instructions: f64,
    /// 128-byte lines through the load/store unit.
    pub lines: f64,
    pub shared_accesses: f64,
    pub local_load_lines: f64,
    pub local_store_lines: f64,
    pub global_load_lines: f64,
    pub global_load_bytes: f64,
    pub global_store_lines: f64,
    pub global_store_bytes: f64,
    /// Instructions that store.
    pub stores: f64,
    pub branches: f64,
    /// Further lines of memory instructions: each takes an issue slot if the device replays.
    pub replays: f64,
    pub per_class: [f64; N_CLASSES],
    /// Instructions of each class by the different registers they read.
    pub by_sources: [[f64; 4]; N_CLASSES],
}

impl Demand {
    pub(super) fn of(ops: &[ReplayOp]) -> Self {
        let mut demand = Demand::default();
        for (i, op) in ops.iter().enumerate() {
            demand.instructions += 1.0;
            if i > 0 && ops[i - 1].stall_cycles == 0 {
                demand.dual_issued += 1.0;
            }
            demand.per_class[op.class as usize] += 1.0;
            demand.by_sources[op.class as usize][usize::from(op.sources) % 4] += 1.0;
            demand.branches += f64::from(u8::from(op.redirects));
            demand.memory(op);
        }
        demand
    }

    fn memory(&mut self, op: &ReplayOp) {
        if op.request == MemoryRequest::None {
            return;
        }
        let lines = f64::from(op.lines);
        let bytes = f64::from(op.global_access().bytes());
        self.memory_instructions += 1.0;
        self.replays += lines - 1.0;
        match op.request {
            MemoryRequest::LocalLoad => self.local_load_lines += lines,
            MemoryRequest::LocalStore => {
                self.stores += 1.0;
                self.local_store_lines += lines;
            }
            MemoryRequest::GlobalLoad => {
                self.global_load_lines += lines;
                self.global_load_bytes += bytes;
            }
            MemoryRequest::GlobalStore => {
                self.stores += 1.0;
                self.global_store_lines += lines;
                self.global_store_bytes += bytes;
            }
            _ => {}
        }
        // The shared accesses of the kernels are broadcasts: one line.
        if matches!(
            op.request,
            MemoryRequest::SharedLoad | MemoryRequest::SharedStore
        ) {
            self.shared_accesses += 1.0;
            self.lines += 1.0;
        } else {
            self.lines += lines;
        }
    }

    pub(super) fn add(&mut self, other: &Demand, times: f64) {
        add_scaled(self, other, times);
    }

    /// Instructions issued, those that issue together as one.
    pub fn issues(&self, spec: &SmxSpec) -> f64 {
        match spec.dispatches_per_scheduler {
            1 => self.instructions,
            _ => self.instructions - self.dual_issued,
        }
    }

    /// Issue slots taken: a pair shares one, branches and replays take more.
    pub fn issue_slots(&self, spec: &SmxSpec) -> f64 {
        let branch_extra = f64::from(spec.branch_issue_slots.max(1) - 1);
        let replays = if spec.replays_take_issue_slots {
            self.replays
        } else {
            0.0
        };
        let issues = self.issues(spec) * f64::from(spec.issue_interval_cycles);
        issues + self.branches * branch_extra + replays + self.operand_slots(spec)
    }

    /// Issue slots that waiting for operands of one register bank takes.
    fn operand_slots(&self, spec: &SmxSpec) -> f64 {
        let full_rate =
            |class: &OpClass| matches!(spec.limits[*class as usize], IssueLimit::PerCycle(_));
        let counts = OpClass::ALL.into_iter().filter(full_rate);
        let waits = counts.flat_map(|class| {
            self.by_sources[class as usize]
                .iter()
                .zip(spec.operand_wait)
        });
        let sum: f64 = waits.map(|(count, wait)| count * f64::from(wait)).sum();
        sum / f64::from(WAIT_UNITS)
    }

    /// Cycles that the pipes of one scheduler work for this demand, all schedulers sharing it equally: the ALU groups of the
    /// multiprocessor, then the scheduler's own pipes.
    pub fn pipes(&self, spec: &SmxSpec) -> [f64; N_PIPES] {
        let schedulers = spec.n_schedulers as f64;
        let mut pipes = [0.0; N_PIPES];
        let mut fullest_class = 0.0_f64;
        for class in OpClass::ALL {
            let count = self.per_class[class as usize];
            match spec.limits[class as usize] {
                IssueLimit::Free => {}
                IssueLimit::PerCycle(limit) => {
                    pipes[0] += count * schedulers / f64::from(spec.alu_warps_per_cycle.max(1));
                    fullest_class = fullest_class.max(count * schedulers / f64::from(limit));
                }
                IssueLimit::Interval(pipe, cycles) => {
                    pipes[1 + pipe as usize] += count * f64::from(cycles);
                }
            }
        }
        pipes[0] = pipes[0].max(fullest_class);
        pipes
    }
}

/// The cores that all schedulers share, then the pipes of one scheduler.
pub const N_PIPES: usize = 1 + Pipe::ALL.len();
