//! Breakdown of the schedulers' cycles.
//!
//! Models: the issue slots that a token takes; idle cycles are split in proportion to a warp's waits, each measured as the time
//! that it adds to the critical path.
//! Leaves out: the overlap of causes: each cause is charged with what it adds to those before it.
//! Units: scheduler cycles per token.
//! Sources: equation (8) of `docs/model.md`.

use super::path::Latencies;
use super::token::{TokenModel, TokenTime};
use crate::launch::cause::Cause;

/// Scheduler cycles per token by cause: issue slots taken, then idle cycles.
pub(super) fn cpi_stack(
    model: &TokenModel,
    tokens_per_cycle: f64,
    time: &TokenTime,
) -> [f64; Cause::ALL.len()] {
    let work = model.work;
    let (spec, demand, slots) = (work.point.spec, &work.demand, work.slots);
    let mut stack = [0.0; Cause::ALL.len()];
    let mut add = |cause: Cause, cycles: f64| stack[cause as usize] += cycles;
    let branches = demand.branches * f64::from(spec.device.issue.branch_issue_slots.max(1) - 1);
    add(Cause::Issued, work.issued_cycles);
    add(Cause::Branch, branches);
    add(Cause::LoadStoreUnit, slots - work.issued_cycles - branches);
    let waits = waits(model, time);
    let total: f64 = waits.iter().map(|wait| wait.1).sum();
    let idle = (f64::from(spec.device.issue.n_schedulers) / tokens_per_cycle - slots).max(0.0);
    if total > 0.0 {
        for (cause, cycles) in waits {
            add(cause, idle * cycles / total);
        }
    } else {
        add(Cause::Wait, idle);
    }
    stack
}

/// Waits of a warp in a token, each cause as the time that it adds to the path.
fn waits(model: &TokenModel, time: &TokenTime) -> [(Cause, f64); 10] {
    let work = model.work;
    let full = time.latencies;
    let mut seen = Latencies::default();
    let mut before = work.path_cycles(&seen);
    let fixed = before;
    let mut step = |change: &dyn Fn(&mut Latencies)| {
        change(&mut seen);
        let now = work.path_cycles(&seen);
        let added = (now - before).max(0.0);
        before = now;
        added
    };
    let unit = time.unit_wait_cycles;
    let shared = step(&|l| l.shared_cycles = full.shared_cycles - unit);
    let l1 = step(&|l| {
        l.local_hit_cycles = full.local_hit_cycles - unit;
        l.local_miss_cycles = l.local_hit_cycles;
        l.local_miss_probability = full.local_miss_probability;
    });
    let l2 =
        step(&|l| l.local_miss_cycles = f64::from(work.point.spec.device.l2.hit_latency_cycles));
    let dram = step(&|l| l.local_miss_cycles = full.local_miss_cycles - unit);
    let global = step(&|l| l.global_cycles = full.global_cycles - unit);
    let queue = step(&|l| *l = full);
    [
        (Cause::Wait, (fixed - work.issues).max(0.0)),
        (Cause::Shared, shared),
        (Cause::L1Hit, l1),
        (Cause::L2, l2),
        (Cause::Dram, dram),
        (Cause::Global, global),
        (Cause::LoadStoreUnit, queue + time.store_wait_cycles),
        (Cause::MathPipe, time.pipe_wait_cycles),
        (Cause::Barrier, time.barrier_wait_cycles),
        (Cause::NoInstruction, time.fetch_wait_cycles),
    ]
}
