//! Parameters of a multiprocessor that make instructions of one warp wait for each other, apart from memory latencies.
//!
//! Models: the values that a dependence graph is built with; one graph is built per set of values.
//! Units: cycles.
//! Sources: the device preset, by [`SmxSpec`].

use crate::device::ideal::Ideal;
use crate::launch::code::ReplayOp;
use crate::launch::spec::{CodeLayout, N_CLASSES, SmxSpec};

/// Rules for building a dependence graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PathRules {
    /// Maximum number of instructions of a warp that issue together, if the compiler pairs them.
    pub dispatches: u32,
    /// Interval between a scheduler's issues.
    pub issue_interval_cycles: u32,
    /// Maximum number of a warp's global loads in flight to the L2, and how long each is held.
    pub global_loads_in_flight: usize,
    pub global_hold_cycles: u32,
    /// Cycles from issue to result, by class; `None` if stall counts cover all latencies.
    pub result_cycles: Option<[u32; N_CLASSES]>,
    /// Ignores the stall counts of the code.
    pub ignores_stall_counts: bool,
    /// Cycles from the load/store unit's turn to the release of the operands.
    pub operand_cycles: u32,
    /// Cycles from a taken branch to the next issue.
    pub taken_branch_cycles: u32,
    pub indirect_branch_cycles: u32,
    /// Maximum stall count; longer ones are cut.
    pub longest_stall_cycles: u8,
    /// Interval between the lines of an access.
    pub line_cycles: u8,
    /// Address of the next instruction.
    pub code_layout: CodeLayout,
}

impl Default for PathRules {
    /// Rules with stall counts and loads alone.
    fn default() -> Self {
        PathRules {
            dispatches: 2,
            issue_interval_cycles: 1,
            global_loads_in_flight: usize::MAX,
            global_hold_cycles: 0,
            result_cycles: None,
            ignores_stall_counts: false,
            operand_cycles: 0,
            taken_branch_cycles: 0,
            indirect_branch_cycles: 0,
            longest_stall_cycles: u8::MAX,
            line_cycles: 1,
            code_layout: CodeLayout::default(),
        }
    }
}

impl PathRules {
    pub fn new(spec: &SmxSpec) -> Self {
        let rules = PathRules {
            dispatches: spec.device.issue.n_dispatch,
            issue_interval_cycles: spec.device.issue.interval_cycles,
            global_loads_in_flight: spec.device.load_store.global_loads_in_flight_per_warp as usize,
            global_hold_cycles: spec.device.l2.hit_latency_cycles,
            ..PathRules::default()
        };
        let barriers = spec.dependences.barriers();
        PathRules {
            result_cycles: spec.dependences.result_cycles().copied(),
            ignores_stall_counts: spec.dependences.ignores_stall_counts(),
            operand_cycles: barriers.map_or(0, |barriers| barriers.operand_cycles),
            taken_branch_cycles: spec.device.latency.taken_branch_cycles,
            indirect_branch_cycles: spec.device.latency.indirect_branch_cycles,
            longest_stall_cycles: spec.longest_stall_cycles,
            line_cycles: if spec.device.ideals.has(Ideal::LoadStoreUnit) {
                0
            } else {
                1
            },
            code_layout: spec.code.layout,
            ..rules
        }
    }

    /// Minimum cycles from the issue of `op` to that of the following instruction.
    pub fn stall_cycles(&self, op: &ReplayOp, following: Option<&ReplayOp>) -> f64 {
        let taken = following.map_or(0.0, |following| self.taken_cycles(op, following));
        f64::from(self.straight_on(op)) + taken
    }

    /// Minimum cycles to the next issue if `op` is no taken branch.
    fn straight_on(&self, op: &ReplayOp) -> u32 {
        match op.stall_cycles {
            _ if self.ignores_stall_counts => self.issue_interval_cycles,
            0 if self.dispatches >= 2 => 0,
            stall => {
                u32::from(stall.min(self.longest_stall_cycles)).max(self.issue_interval_cycles)
            }
        }
    }

    /// Additional cycles if `op` is a branch to `following`.
    pub fn taken_cycles(&self, op: &ReplayOp, following: &ReplayOp) -> f64 {
        let cycles = match op.indirect {
            true => self.indirect_branch_cycles,
            false => self.taken_branch_cycles,
        };
        let more = cycles.saturating_sub(self.straight_on(op));
        f64::from(if self.is_taken(op, following) {
            more
        } else {
            0
        })
    }

    /// Tells whether `op` is a branch taken to `following`.
    pub fn is_taken(&self, op: &ReplayOp, following: &ReplayOp) -> bool {
        op.redirects && following.pc_bytes != self.code_layout.next(op.pc_bytes)
    }
}
