//! A multiprocessor with round numbers, and hand-written code for it: the bench that unit and fidelity
//! tests run on. Not a device: every value is chosen so that expected cycles can be worked out by hand.

use super::code::ReplayCode;
use super::geometry::Geometry;
use super::ports::Ports;
use super::spec::{
    Arbitration, CacheSpec, CodeLayout, DependenceTracking, DramSpec, IssueLimit, N_CLASSES, Pipe,
    Replacement, SetIndex, SmxSpec, WarpPolicy,
};
use crate::isa::{Access, OpClass, Space, TimingOp};
use crate::trace::{AddressKind, ProgramTrace, SegmentId, SegmentPool, TraceOp};

/// The round-number multiprocessor.
pub fn spec() -> SmxSpec {
    let mut limits = [IssueLimit::Free; N_CLASSES];
    for class in [
        OpClass::Fp32,
        OpClass::IntAdd,
        OpClass::Logic,
        OpClass::Compare,
    ] {
        limits[class as usize] = IssueLimit::PerCycle(6);
    }
    for (class, pipe) in [
        (OpClass::Sfu, Pipe::Special),
        (OpClass::IntMul, Pipe::Multiply),
        (OpClass::Convert, Pipe::Multiply),
        (OpClass::Shift, Pipe::Shift),
        (OpClass::Bitfield, Pipe::Shift),
    ] {
        limits[class as usize] = IssueLimit::Interval(pipe, 4);
    }
    let l2 = CacheSpec {
        sets: 64,
        ways: 16,
        reserved_ways: 0,
        line_bytes: 128,
        sector_bytes: 128,
        replacement: Replacement::Lru,
        index: SetIndex::Linear,
        fills_hold_lines: false,
        rows: None,
    };
    let dram = DramSpec {
        bytes_per_cycle: 16.0,
        activation_cycles: 0.0,
        interleave_bytes: 256,
        n_partitions: 4,
        page_bytes: 2048,
        open_pages: 1,
        queue_requests: 0,
    };
    SmxSpec {
        n_schedulers: 4,
        first_warps_in_turn: false,
        max_warps: 64,
        dispatches_per_scheduler: 2,
        warp_policy: WarpPolicy::LooseRoundRobin,
        issue_interval_cycles: 1,
        issued_per_cycle: u8::MAX,
        alu_warps_per_cycle: 6,
        limits,
        arbitration: Arbitration::FixedOrder,
        shared_latency_cycles: 26,
        shared_access_cycles: 1,
        l1_caches_local: true,
        has_l2: true,
        l2_holds_data: false,
        l1_latency_cycles: 35,
        l2_latency_cycles: 200,
        dram_extra_cycles: 100,
        lsu_queue_cycles: 8,
        store_cycles_per_line: 1,
        return_bytes_per_cycle: 0,
        fill_bytes_per_cycle: 0,
        operand_wait: [0; 4],
        replays_take_issue_slots: false,
        branch_issue_slots: 1,
        taken_branch_cycles: 0,
        indirect_branch_cycles: 0,
        barrier_warp_cycles: 0,
        barrier_cycles: 0,
        barriers_are_free: false,
        code_layout: CodeLayout {
            instruction_bytes: 16,
            group_bytes: 16,
            header_bytes: 0,
        },
        dependences: DependenceTracking::Registers,
        global_loads_in_flight_per_warp: 8,
        uncoalesced_cycles: 0,
        l1: CacheSpec {
            sets: 32,
            ways: 4,
            reserved_ways: 0,
            line_bytes: 128,
            sector_bytes: 128,
            replacement: Replacement::Lru,
            index: SetIndex::Linear,
            fills_hold_lines: false,
            rows: None,
        },
        l1_misses_in_flight: 64,
        l1_fetch_on_write_miss: true,
        l1_caches_global_loads: false,
        l1_write_through: false,
        store_queue_lines: 16,
        l2_request_bytes: 0,
        l1_always_hits: false,
        unit_is_unlimited: false,
        longest_stall_cycles: u8::MAX,
        l2,
        l2_read_bytes_per_cycle: 32.0,
        l2_write_bytes_per_cycle: 32.0,
        l2_accepts_bytes_per_cycle: f32::INFINITY,
        l2_ports: Ports::new(1, 1, 1, f32::INFINITY),
        grid_cycles: 0,
        block_cycles: 0,
        block_interval_cycles: 0.0,
        dram,
        n_icaches: 1,
        icache_l0_bytes: 0,
        icache_l1_bytes: 8192,
        icache_l15_bytes: 32768,
        icache_line_bytes: 64,
        icache_l1_latency_cycles: 0,
        icache_l0_line_slots: 0,
        icache_l15_latency_cycles: 20,
        icache_l2_latency_cycles: 50,
        icache_prefetch_lines: 0,
        icache_lines_in_flight: 0,
        icache_l15_cycles_per_line: 0,
        icache_burst_cycles: 0,
        icache_next_line_cycles: [20, 50],
    }
}

/// An arithmetic instruction.
pub fn alu(class: OpClass, stall_cycles: u8) -> TimingOp {
    TimingOp {
        class,
        access: None,
        reads: vec![],
        writes: vec![],
        pred_reads: 0,
        pred_writes: 0,
        stall_cycles,
        dual_with_next: false,
        pc_bytes: 0,
        redirects: false,
        indirect: false,
        barriers: crate::isa::Barriers::default(),
    }
}

/// An arithmetic instruction that issues together with the next one.
pub fn paired(class: OpClass) -> TimingOp {
    TimingOp {
        dual_with_next: true,
        ..alu(class, 0)
    }
}

/// A load of `bytes_per_lane` into register 10.
pub fn load(space: Space, bytes_per_lane: u8) -> TimingOp {
    load_to(10, space, bytes_per_lane)
}

/// A load of `bytes_per_lane` into `register`.
pub fn load_to(register: u8, space: Space, bytes_per_lane: u8) -> TimingOp {
    TimingOp {
        access: Some(Access {
            space,
            bytes_per_lane,
            store: false,
        }),
        writes: vec![register],
        ..alu(OpClass::Memory, 1)
    }
}

/// A store of `bytes_per_lane`.
pub fn store(space: Space, bytes_per_lane: u8) -> TimingOp {
    TimingOp {
        access: Some(Access {
            space,
            bytes_per_lane,
            store: true,
        }),
        ..alu(OpClass::Memory, 1)
    }
}

/// An instruction that reads register 10.
pub fn use_of_load() -> TimingOp {
    TimingOp {
        reads: vec![10],
        ..alu(OpClass::Fp32, 1)
    }
}

/// A program whose every token executes all of `timing` once; memory operands at local word `i`.
pub fn looped(timing: &[TimingOp]) -> ReplayCode {
    let ops = timing
        .iter()
        .enumerate()
        .map(|(i, op)| trace_op(i, op))
        .collect::<Vec<_>>();
    let pool = SegmentPool {
        starts: vec![0, ops.len() as u32],
        others_end: None,
        ops,
    };
    let token = vec![SegmentId(0)];
    let program = ProgramTrace {
        prologue: vec![],
        only: token.clone(),
        first: token.clone(),
        steady: token.clone(),
        last: token,
        nodes: 1,
        assumptions: 0,
    };
    ReplayCode::new(timing, &pool, &[program])
}

fn trace_op(index: usize, op: &TimingOp) -> TraceOp {
    let address_kind = match op.access {
        None => AddressKind::None,
        Some(access) => match access.space {
            Space::Local => AddressKind::Local,
            Space::Shared => AddressKind::Uniform,
            Space::Global => AddressKind::PerCase,
        },
    };
    TraceOp {
        inst: index as u16,
        address_kind,
        warp_lines: 1,
        address: 4 * index as u32,
    }
}

/// Returns looped code with every instruction at its own address, 16 bytes apart.
pub fn placed(timing: &[TimingOp]) -> ReplayCode {
    let mut code = looped(timing);
    for (op, n) in code.ops.iter_mut().zip(0..) {
        op.pc_bytes = 16 * n;
    }
    code
}

/// One multiprocessor, and one block of one warp with one pass over the fitness cases.
pub fn geometry() -> Geometry {
    Geometry {
        threads_per_block: 32,
        stack_dim: 1,
        fitness_cases: 32,
        programs: 1,
        case_blocks: 1,
        resident_blocks: 1,
        n_smx: 1,
        local_stride_bytes: 4096,
    }
}
