//! Instruction mix of a kernel: the roles of the warp instructions that given programs execute.
//!
//! Models: one role per static instruction, determined by its class and memory space alone.
//! Leaves out: compares and integer work inside an arithmetic handler, which count under their class.
//! Units: warp instructions per node, one iteration of the fitness-case loop (the steady one).

use super::{AddressKind, ProgramTrace, SegmentId, SegmentPool};
use crate::isa::{OpClass, Space, TimingOp};
use crate::util::names::named;
use serde::Serialize;

named! {
    /// Purpose of an instruction in a stack interpreter.
    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Role ("role") {
        /// Reads the program: shared-memory loads.
        ProgramFetch = "program fetch",
        /// Finds the token's handler: compares and branches.
        Dispatch = "dispatch",
        /// Reads a fitness case: global loads.
        CaseFetch = "case fetch",
        /// Reads and writes the stack: local memory.
        StackTraffic = "stack traffic",
        /// Computes: single precision, special functions, conversions.
        Arithmetic = "arithmetic",
        /// Addresses, counters and moves: integer instructions.
        Integer = "integer",
        /// The rest: constants, barriers, results.
        Other = "other",
    }
}

impl Role {
    /// Returns the role of an instruction.
    #[doc(hidden)]
    pub fn of(op: &TimingOp) -> Role {
        match (op.access, op.class) {
            (Some(access), _) => match (access.space, access.store) {
                (Space::Local, _) => Role::StackTraffic,
                (Space::Shared, false) => Role::ProgramFetch,
                (Space::Global, false) => Role::CaseFetch,
                (Space::Shared | Space::Global, true) => Role::Other,
            },
            (None, OpClass::Compare | OpClass::Control) => Role::Dispatch,
            (None, OpClass::Fp32 | OpClass::Sfu | OpClass::Convert) => Role::Arithmetic,
            (
                None,
                OpClass::IntAdd
                | OpClass::Logic
                | OpClass::IntMul
                | OpClass::Shift
                | OpClass::Bitfield,
            ) => Role::Integer,
            (None, _) => Role::Other,
        }
    }
}

/// Warp instructions of one role.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MixEntry {
    /// Role of the instructions.
    pub role: Role,
    /// Number per GP node and steady iteration of a warp.
    pub warp_instructions_per_node: f64,
}

/// Computes the mix over a grid: `grid` holds the index into `programs` of every block.
pub fn instruction_mix(
    timing: &[TimingOp],
    pool: &SegmentPool,
    programs: &[ProgramTrace],
    grid: &[u32],
) -> Vec<MixEntry> {
    let roles: Vec<Role> = timing.iter().map(Role::of).collect();
    let mut counts = [0u64; Role::ALL.len()];
    let mut nodes = 0;
    for program in grid
        .iter()
        .filter_map(|index| programs.get(*index as usize))
    {
        nodes += u64::from(program.nodes);
        for segment in iteration(program) {
            for op in pool.segment(*segment) {
                let memory = op.address_kind != AddressKind::None;
                let role = roles[op.inst as usize];
                // A memory instruction disabled by its guard moves nothing.
                let counted = memory || timing[op.inst as usize].access.is_none();
                counts[if counted { role } else { Role::Other } as usize] += 1;
            }
        }
    }
    Role::ALL
        .iter()
        .copied()
        .map(|role| MixEntry {
            role,
            warp_instructions_per_node: counts[role as usize] as f64 / nodes.max(1) as f64,
        })
        .collect()
}

/// Segments of the steady iteration, or of the only one if the program has just one.
fn iteration(program: &ProgramTrace) -> &[SegmentId] {
    if program.steady.is_empty() {
        &program.only
    } else {
        &program.steady
    }
}

#[cfg(test)]
mod tests {
    use super::super::TraceOp;
    use super::*;
    use crate::isa::Access;

    fn op(class: OpClass, access: Option<(Space, bool)>) -> TimingOp {
        TimingOp {
            class,
            access: access.map(|(space, store)| Access {
                space,
                bytes_per_lane: 4,
                store,
            }),
            reads: Vec::new(),
            writes: Vec::new(),
            pred_reads: 0,
            pred_writes: 0,
            stall_cycles: 1,
            dual_with_next: false,
            pc_bytes: 0,
            redirects: false,
            indirect: false,
            barriers: Default::default(),
        }
    }

    #[test]
    fn roles_follow_class_and_space() {
        let role = |class, access| Role::of(&op(class, access));
        assert_eq!(
            role(OpClass::Memory, Some((Space::Local, true))),
            Role::StackTraffic
        );
        assert_eq!(
            role(OpClass::Memory, Some((Space::Global, false))),
            Role::CaseFetch
        );
        assert_eq!(
            role(OpClass::Memory, Some((Space::Shared, false))),
            Role::ProgramFetch
        );
        assert_eq!(role(OpClass::Compare, None), Role::Dispatch);
        assert_eq!(role(OpClass::Sfu, None), Role::Arithmetic);
        assert_eq!(role(OpClass::IntAdd, None), Role::Integer);
    }

    #[test]
    fn the_mix_is_per_node_and_weighted_by_the_grid() {
        let timing = [
            op(OpClass::Fp32, None),
            op(OpClass::Memory, Some((Space::Local, false))),
        ];
        let trace_op = |inst, address_kind| TraceOp {
            inst,
            address_kind,
            warp_lines: 0,
            address: 0,
        };
        // Segment 0: arithmetic. Segment 1: a stack load, and one disabled by its guard.
        let pool = SegmentPool {
            ops: vec![
                trace_op(0, AddressKind::None),
                trace_op(1, AddressKind::Local),
                trace_op(1, AddressKind::None),
            ],
            starts: vec![0, 1, 3],
            others_end: None,
        };
        let program = |steady: &[u32], nodes| ProgramTrace {
            steady: steady.iter().map(|id| SegmentId(*id)).collect(),
            nodes,
            ..ProgramTrace::default()
        };
        let programs = [program(&[0, 0], 2), program(&[1], 2)];
        let mix = instruction_mix(&timing, &pool, &programs, &[0, 0, 1]);
        let of = |role: Role| mix[role as usize].warp_instructions_per_node;
        assert_eq!(of(Role::Arithmetic), 4.0 / 6.0);
        assert_eq!(of(Role::StackTraffic), 1.0 / 6.0);
        assert_eq!(of(Role::Other), 1.0 / 6.0);
    }
}
