//! Faults by name: one for each mechanism, in the place where it acts. `find` is a whole expression that its file has once.

use super::Failure;
use super::sites::{Kind, Site};

pub struct Fault {
    pub name: &'static str,
    pub file: &'static str,
    find: &'static str,
    with: &'static str,
}

const fn fault(
    name: &'static str,
    file: &'static str,
    find: &'static str,
    with: &'static str,
) -> Fault {
    Fault {
        name,
        file,
        find,
        with,
    }
}

pub const FAULTS: [Fault; 31] = [
    fault(
        "Hopper's wait mask drops scoreboard 5",
        "src/isa/hopper/control.rs",
        "(bits >> 11 & 0x3f) as u8",
        "(bits >> 11 & 0x1f) as u8",
    ),
    fault(
        "Yield bit inverted",
        "src/isa/hopper/control.rs",
        "bits >> 4 & 1 == 0",
        "bits >> 4 & 1 == 1",
    ),
    fault(
        "Instruction caches always hit",
        "src/sim/icache.rs",
        "code_bytes <= nearest",
        "true",
    ),
    fault(
        "Next code line takes as long as a jump",
        "src/sim/icache.rs",
        "if follows { self.next_line } else { self.jump }",
        "self.jump",
    ),
    fault(
        "Slow paths of data make it faster",
        "src/launch/prediction/divergence.rs",
        "1.0 + part * self.added_by_data_percent / 100.0",
        "1.0 - part * self.added_by_data_percent / 100.0",
    ),
    fault(
        "Host time dropped",
        "src/launch/host.rs",
        "1e-6 * calls_us + 1e-9 * ns",
        "0.0 * (1e-6 * calls_us + 1e-9 * ns)",
    ),
    fault(
        "Stored lines take one cycle",
        "src/sim/memory.rs",
        "u64::from(spec.store_cycles_per_line)",
        "1",
    ),
    fault(
        "L2 latency 20 cycles longer",
        "src/sim/memory.rs",
        "u64::from(spec.l2_latency_cycles)",
        "u64::from(spec.l2_latency_cycles) + 20",
    ),
    fault(
        "Queue of the load/store unit four times as long",
        "src/sim/memory.rs",
        "u64::from(spec.lsu_queue_cycles)",
        "4 * u64::from(spec.lsu_queue_cycles)",
    ),
    fault(
        "L1 misses in flight without limit",
        "src/sim/memory/mshrs.rs",
        "self.ends_at.len() < self.limit",
        "true",
    ),
    fault(
        "Nothing is fetched on a write miss",
        "src/sim/memory.rs",
        "store && !self.fetch_on_write_miss",
        "store",
    ),
    fault(
        "No queue of stored lines",
        "src/sim/memory.rs",
        "behind.saturating_sub(self.store_queue_cycles)",
        "behind",
    ),
    fault(
        "Random replacement is LRU",
        "src/sim/cache.rs",
        "(first..ways).chain(0..first).find(free)",
        "(0..ways).filter(free).min_by_key(|&way| set[way].last_use)",
    ),
    fault(
        "Dirty lines are not written back",
        "src/sim/cache.rs",
        "(old_tag != EMPTY && old.dirty).then_some(old_tag << self.line_shift)",
        "None",
    ),
    fault(
        "Ports have no bandwidth",
        "src/sim/port.rs",
        "free_at + cycles",
        "free_at",
    ),
    fault(
        "Opening a page takes nothing",
        "src/sim/dram.rs",
        "self.activation_cycles == 0.0",
        "true",
    ),
    fault(
        "Round robin starts at the first warp again",
        "src/sim/scheduler.rs",
        "if after != 0 { after } else { slots }",
        "slots",
    ),
    fault(
        "Stall counts are ignored",
        "src/sim/smx/execute.rs",
        "op.stall_cycles.min(self.spec.longest_stall_cycles)",
        "1",
    ),
    fault(
        "A taken branch costs nothing",
        "src/sim/smx/execute.rs",
        "taken_cycles > 0 && following.pc_bytes != self.spec.code_layout.next(op.pc_bytes)",
        "false",
    ),
    fault(
        "Replays take no issue slots",
        "src/sim/smx/execute.rs",
        "self.spec.replays_take_issue_slots && op.lines > 1",
        "false",
    ),
    fault(
        "Nothing issues in pairs",
        "src/sim/smx/execute.rs",
        "!pairs",
        "{ if pairs { self.hold(s, i, self.now + 1, Cause::Wait); } true }",
    ),
    fault(
        "Loads are not waited for",
        "src/sim/warp.rs",
        "self.pending_targets & op.registers == 0",
        "true",
    ),
    fault(
        "Global loads of a warp without limit",
        "src/sim/warp.rs",
        "self.n_loads < limit",
        "true",
    ),
    fault(
        "Pipes are never taken",
        "src/sim/pipes.rs",
        "u64::from(demand.pipe_cycles)",
        "0",
    ),
    fault(
        "Programs are never copied in a window",
        "src/sim/dispatch.rs",
        "self.prologue_debt >= 1.0",
        "false",
    ),
    fault(
        "The whole L2 for each multiprocessor",
        "src/launch/spec.rs",
        "usable_bytes as u32 / n_smx",
        "usable_bytes as u32",
    ),
    fault(
        "The last blocks of a grid cost nothing",
        "src/launch/makespan.rs",
        "alone.fold(0.0, f64::max)",
        "0.0 * alone.fold(0.0, f64::max)",
    ),
    fault(
        "Registers are not rounded up",
        "src/device/occupancy.rs",
        "of_warp.next_multiple_of(self.register_unit)",
        "of_warp",
    ),
    fault(
        "Shared memory limits no blocks",
        "src/device/occupancy.rs",
        "blocks_by_shared.unwrap_or(u32::MAX)",
        "u32::MAX",
    ),
    fault(
        "The analytical model makes nobody wait",
        "src/model/queue.rs",
        "residual_cycles * utilization / (1.0 - utilization)",
        "0.0 * residual_cycles",
    ),
    fault(
        "The analytical model fetches no stacks from the DRAM",
        "src/model/dram.rs",
        "case_cycles + cycles(fills + write_backs, accesses * opened)",
        "case_cycles",
    ),
];

/// The sites of a file's faults.
pub fn sites(file: &str, text: &str) -> Result<Vec<Site>, Failure> {
    let of_file = FAULTS.iter().filter(|fault| fault.file == file);
    of_file.map(|fault| site(fault, text)).collect()
}

fn site(fault: &Fault, text: &str) -> Result<Site, Failure> {
    let Fault {
        name, file, find, ..
    } = fault;
    let mut found = text.match_indices(find);
    match (found.next(), found.next()) {
        (Some((start, _)), None) => Ok(Site {
            range: start..start + find.len(),
            line: 1 + text[..start].matches('\n').count(),
            mutated: fault.with.to_owned(),
            kind: Kind::Named(name),
        }),
        (None, _) => Err(format!("{file}: has no \"{find}\", the place of: {name}").into()),
        (Some(_), Some(_)) => {
            Err(format!("{file}: has \"{find}\" twice, the place of: {name}").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_its_place() {
        for fault in &FAULTS {
            let text = std::fs::read_to_string(crate::in_repository(fault.file)).unwrap();
            site(fault, &text).unwrap();
        }
    }
}
