//! Rules by which instructions of one warp wait for each other, apart from the memories' latencies.
//!
//! Models: the values that a dependence graph is built with; graphs are made once for each set of them.
//! Units: cycles. Sources: the device preset, by [`SmxSpec`].

use crate::launch::code::ReplayOp;
use crate::launch::spec::{CodeLayout, N_CLASSES, SmxSpec};

/// Rules that a dependence graph is built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PathRules {
    /// Instructions of a warp that issue together, if the compiler pairs them.
    pub dispatches: u32,
    /// Cycles from one issue of a scheduler to the next.
    pub issue_interval_cycles: u32,
    /// Global loads of a warp that may be in flight to the L2, and the duration of each.
    pub global_loads_in_flight: usize,
    pub global_hold_cycles: u32,
    /// Cycles from issue to result, by class; `None` where stall counts cover all of them.
    pub result_cycles: Option<[u32; N_CLASSES]>,
    /// Whether the code's stall counts are ignored.
    pub ignores_stall_counts: bool,
    /// Cycles from the load/store unit's turn to the release of the operands.
    pub operand_cycles: u32,
    /// Cycles from a taken branch to the next issue.
    pub taken_branch_cycles: u32,
    /// A longer stall count is cut.
    pub longest_stall_cycles: u8,
    /// Cycles from one line of an access to the next.
    pub line_cycles: u8,
    /// Where the instruction after one lies.
    pub code_layout: CodeLayout,
}

impl Default for PathRules {
    /// Stall counts and loads alone.
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
            longest_stall_cycles: u8::MAX,
            line_cycles: 1,
            code_layout: CodeLayout::default(),
        }
    }
}

impl PathRules {
    pub fn new(spec: &SmxSpec) -> Self {
        let rules = PathRules {
            dispatches: spec.dispatches_per_scheduler,
            issue_interval_cycles: spec.issue_interval_cycles,
            global_loads_in_flight: spec.global_loads_in_flight_per_warp,
            global_hold_cycles: spec.l2_latency_cycles,
            ..PathRules::default()
        };
        let barriers = spec.dependences.barriers();
        PathRules {
            result_cycles: spec.dependences.result_cycles().copied(),
            ignores_stall_counts: spec.dependences.ignores_stall_counts(),
            operand_cycles: barriers.map_or(0, |barriers| barriers.operand_cycles),
            taken_branch_cycles: spec.taken_branch_cycles,
            longest_stall_cycles: spec.longest_stall_cycles,
            line_cycles: if spec.unit_is_unlimited { 0 } else { 1 },
            code_layout: spec.code_layout,
            ..rules
        }
    }

    /// Minimum cycles from the issue of `op` to the issue of `following`.
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

    /// Extra cycles if `op` is a taken branch to `following`; 0 otherwise.
    pub fn taken_cycles(&self, op: &ReplayOp, following: &ReplayOp) -> f64 {
        let more = self
            .taken_branch_cycles
            .saturating_sub(self.straight_on(op));
        f64::from(if self.is_taken(op, following) {
            more
        } else {
            0
        })
    }

    /// Whether `op` is a branch that goes to `following`, and not simply on.
    pub fn is_taken(&self, op: &ReplayOp, following: &ReplayOp) -> bool {
        op.redirects && following.pc_bytes != self.code_layout.next(op.pc_bytes)
    }
}
