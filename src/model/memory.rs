//! Memory latencies behind the load/store unit under the load of a launch.
//!
//! Models: the time that a token occupies the unit, the L2's ports and the DRAM, computed once per traffic; the resulting
//! latencies at any throughput.
//! Leaves out: bursts.
//! Units: cycles, 128-byte lines, per token.
//! Sources: equations (11a), (11b) and (17) to (18) of `docs/model.md`.

use super::LINE_BYTES;
use super::demand::Demand;
use super::dram::DramUse;
use super::l2::Traffic;
use super::path::Latencies;
use super::queue::{wait_cycles, wait_for_one_of_cycles};
use crate::device::Device;
use crate::device::ideal::Ideal;
use crate::launch::geometry::Geometry;
use crate::launch::spec::SmxSpec;
use crate::util::elementary::{exp, powf};

/// Latencies and service times of the memory, in cycles.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MemoryTimes {
    /// Latencies under the load of the launch.
    pub latencies: Latencies,
    /// Unloaded latency of a line that misses in the L1; `case_cycles`: of a fitness-case line.
    pub fill_cycles: f64,
    pub case_cycles: f64,
    /// Interval between consecutive fills (`case_service_cycles`: between fitness-case lines) at the slower of L2 port and
    /// DRAM; write-backs count with the fills.
    pub fill_service_cycles: f64,
    pub case_service_cycles: f64,
}

/// Server with its busy cycles per token and the mean remainder of a service in progress.
#[derive(Debug, Clone, Copy)]
struct Server {
    cycles_per_token: f64,
    residual_cycles: f64,
}

impl Server {
    fn new(cycles_per_token: f64, service_cycles: f64) -> Server {
        Server {
            cycles_per_token,
            residual_cycles: 0.5 * service_cycles,
        }
    }

    /// **(17)** Wait of a request at a throughput of `tokens_per_cycle`.
    fn wait_cycles(&self, tokens_per_cycle: f64) -> f64 {
        wait_cycles(
            tokens_per_cycle * self.cycles_per_token,
            self.residual_cycles,
        )
    }
}

/// Port to the L2 for stored lines, and for the requests among them.
#[derive(Debug, Clone, Copy)]
struct WritePort {
    server: Server,
    /// Cycles to drain a full queue of stored lines.
    queue_cycles: f64,
    /// Stalls the load/store unit while the queue is full.
    holds_unit: bool,
    /// Queues requests for lines as well.
    takes_requests: bool,
}

impl WritePort {
    fn new(spec: &SmxSpec, demand: &Demand, traffic: &Traffic, requests: f64, batch: f64) -> Self {
        let Device {
            l1, l2, load_store, ..
        } = &spec.device;
        let rate = f64::from(spec.l2_write_limit());
        let stores = match l1.write_back {
            true => traffic.write_backs,
            false => demand.local_store_lines,
        };
        let line_cycles = LINE_BYTES / rate;
        let written = (stores + demand.global_store_lines) * line_cycles;
        let asked = requests * f64::from(l2.request_bytes) / rate;
        let of_line = written / (written + asked).max(f64::MIN_POSITIVE) * line_cycles * batch;
        WritePort {
            server: Server::new(written + asked, of_line),
            queue_cycles: f64::from(load_store.store_queue_lines) * line_cycles,
            holds_unit: !l1.write_back,
            takes_requests: l2.request_bytes > 0,
        }
    }

    /// **(17a)** Waits of the load/store unit for the queue of stored lines, and of a request in it. A wait with mean `W`
    /// exceeds `t` with probability `u exp(-u t / W)`; the unit waits for the excess over the queue.
    fn waits_cycles(&self, tokens_per_cycle: f64, others: f64) -> (f64, f64) {
        if !self.holds_unit && !self.takes_requests {
            return (0.0, 0.0);
        }
        let wait = self.server.wait_cycles(tokens_per_cycle) * others;
        let used = tokens_per_cycle * self.server.cycles_per_token;
        let mut beyond = 0.0;
        if self.holds_unit && wait > 0.0 {
            beyond = wait * exp(-used * self.queue_cycles / wait);
        }
        let queued = if wait.is_finite() {
            wait - beyond
        } else {
            self.queue_cycles
        };
        (beyond, if self.takes_requests { queued } else { 0.0 })
    }
}

/// Servers and unloaded latencies of the memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    unit: Server,
    write_port: WritePort,
    port: Server,
    dram: Server,
    /// Lines per token that the L1 requests.
    fills: f64,
    /// Maximum number of outstanding L1 misses.
    misses_in_flight: f64,
    /// Miss rate of fills in the L2; `case_l2_miss`: of fitness-case lines.
    fill_l2_miss: f64,
    case_l2_miss: f64,
    /// Fraction of the fitness-case lines that miss in the L1.
    case_l1_miss: f64,
    unit_queue_cycles: f64,
    dram_use: DramUse,
    case_lines: f64,
    line_cycles: f64,
    /// Fraction of the requests ahead of a warp that belong to other warps.
    others: f64,
    /// Unloaded latencies, with fills and cases that hit in the L2.
    idle: Latencies,
    dram_extra_cycles: f64,
}

impl Memory {
    pub fn new(
        spec: &SmxSpec,
        geometry: &Geometry,
        demand: &Demand,
        traffic: &Traffic,
        others: f64,
    ) -> Memory {
        let device = &spec.device;
        let local_miss_probability = miss_probability(geometry, demand, traffic);
        let stores = if device.l1.fetch_on_write_miss {
            traffic.store_misses
        } else {
            0.0
        };
        let fills = traffic.load_misses + stores;
        let case_l1_miss = 1.0 - traffic.case_l1_hit;
        let read_bytes = LINE_BYTES * fills + demand.global_load_bytes * case_l1_miss;
        let requests = fills + demand.global_load_lines * case_l1_miss;
        let port_bytes_per_cycle = f64::from(device.l2_port_bytes_per_cycle() as f32);
        let line_cycles = LINE_BYTES / port_bytes_per_cycle;
        let dram_use = DramUse::new(spec, geometry, demand, traffic, fills);
        let unit = unit_cycles(spec, demand, traffic, fills);
        let l2 = f64::from(device.l2.hit_latency_cycles);
        Memory {
            unit: Server::new(unit, unit / demand.lines.max(f64::MIN_POSITIVE)),
            write_port: WritePort::new(
                spec,
                demand,
                traffic,
                requests,
                f64::from(geometry.stack_dim),
            ),
            port: Server::new(read_bytes / port_bytes_per_cycle, line_cycles),
            dram: Server::new(dram_use.cycles, dram_use.cycles_per_line),
            fills,
            misses_in_flight: f64::from(device.load_store.l1_misses_in_flight),
            fill_l2_miss: 1.0 - traffic.fill_l2_hit,
            case_l2_miss: 1.0 - traffic.case_l2_hit,
            dram_use,
            case_l1_miss,
            unit_queue_cycles: f64::from(device.load_store.queue_cycles),
            case_lines: demand.global_load_bytes / LINE_BYTES,
            line_cycles,
            others,
            idle: Latencies {
                shared_cycles: f64::from(device.shared.latency_cycles),
                local_hit_cycles: f64::from(device.l1.hit_latency_cycles),
                local_miss_cycles: l2,
                local_miss_probability,
                global_cycles: l2,
                operands_cycles: 0.0,
            },
            dram_extra_cycles: f64::from(spec.dram_extra_cycles()),
        }
    }

    /// Latencies under load, and the wait for the load/store unit that is part of all of them.
    #[inline]
    pub fn latencies(&self, tokens_per_cycle: f64) -> (Latencies, f64) {
        let wait = |server: &Server| server.wait_cycles(tokens_per_cycle) * self.others;
        let idle = &self.idle;
        let (stopped, requested) = self.write_port.waits_cycles(tokens_per_cycle, self.others);
        let port = wait(&self.port) + requested;
        let dram = wait(&self.dram) + self.dram_extra_cycles;
        let fill = port + idle.local_miss_cycles + self.fill_l2_miss * dram;
        let case = port + idle.global_cycles + self.case_l2_miss * dram;
        let limit = self.misses_in_flight;
        let held = tokens_per_cycle * self.fills * fill / limit;
        let slot = wait_for_one_of_cycles(held, fill, limit) * self.others;
        let unit = wait(&self.unit) + stopped;
        let hit = idle.local_hit_cycles;
        let latencies = Latencies {
            shared_cycles: unit + idle.shared_cycles,
            local_hit_cycles: unit + hit,
            local_miss_cycles: unit + slot + fill,
            global_cycles: unit + hit + self.case_l1_miss * (case - hit),
            operands_cycles: unit,
            ..*idle
        };
        (latencies, unit)
    }

    /// Wait at issue of an instruction whose result is not awaited, for a mean wait of the unit of `unit_wait_cycles`.
    #[inline]
    pub fn held_cycles(&self, unit_wait_cycles: f64) -> f64 {
        (unit_wait_cycles - self.unit_queue_cycles).max(0.0)
    }

    pub fn times(&self, latencies: &Latencies) -> MemoryTimes {
        let dram = &self.dram_use;
        let per_fill = (dram.cycles - dram.case_cycles) / self.fills.max(f64::MIN_POSITIVE);
        let per_case = dram.case_cycles / self.case_lines.max(f64::MIN_POSITIVE);
        let extra = self.dram_extra_cycles;
        MemoryTimes {
            latencies: *latencies,
            fill_cycles: self.idle.local_miss_cycles + self.fill_l2_miss * extra,
            case_cycles: self.idle.global_cycles + self.case_l2_miss * extra,
            fill_service_cycles: self.line_cycles.max(per_fill),
            case_service_cycles: self.line_cycles.max(per_case),
        }
    }
}

/// **(11a)** Miss probability of a local line at which the lines of a level, if independent, would all hit as often as they do.
/// They were last touched together and miss together more often than by chance.
fn miss_probability(geometry: &Geometry, demand: &Demand, traffic: &Traffic) -> f64 {
    let loads = demand.local_load_lines.max(f64::MIN_POSITIVE);
    let waiting = (traffic.waiting_loads / loads).clamp(0.0, 1.0);
    1.0 - powf(1.0 - waiting, 1.0 / f64::from(geometry.stack_dim.max(1)))
}

/// Cycles of the load/store unit that `bytes` take at a rate; none at 0, where they have a path of their own.
pub(super) fn cycles_at(bytes_per_cycle: u32, bytes: f64) -> f64 {
    match bytes_per_cycle {
        0 => 0.0,
        rate => bytes / f64::from(rate),
    }
}

/// Cycles of the load/store unit per token: lines in and out, and data returned from the L2.
fn unit_cycles(spec: &SmxSpec, demand: &Demand, traffic: &Traffic, fills: f64) -> f64 {
    let Device {
        l1,
        load_store,
        shared,
        ..
    } = &spec.device;
    if spec.device.ideals.has(Ideal::LoadStoreUnit) {
        return 0.0;
    }
    let store_cycles = f64::from(spec.store_cycles_per_line());
    let stores = demand.local_store_lines + demand.global_store_lines;
    let loads = demand.lines - stores - demand.global_load_lines;
    let cases = match l1.caches_global_loads {
        true => 0.0,
        false => cycles_at(load_store.return_bytes_per_cycle, demand.global_load_bytes),
    };
    let cases = cases.max(demand.global_load_lines);
    let filled = cycles_at(load_store.fill_bytes_per_cycle, LINE_BYTES * fills);
    // Without an L1 stored lines are passed on in the same pass.
    let written_back = if l1.caches_local {
        traffic.write_backs
    } else {
        0.0
    };
    let writes = (stores + written_back) * store_cycles;
    let shared = demand.shared_accesses * f64::from(shared.access_cycles - 1);
    shared + loads + cases + writes + filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::ideal::Ideals;
    use crate::launch::testing::{self, spec};

    fn demand() -> Demand {
        Demand {
            lines: 7.0,
            local_load_lines: 4.0,
            local_store_lines: 2.0,
            global_load_lines: 1.0,
            global_load_bytes: 128.0,
            ..Demand::default()
        }
    }

    fn traffic() -> Traffic {
        Traffic {
            load_misses: 1.0,
            store_misses: 1.0,
            write_backs: 1.0,
            waiting_loads: 3.0,
            fill_l2_hit: 1.0,
            write_back_l2_hit: 1.0,
            ..Traffic::default()
        }
    }

    fn memory(spec: &SmxSpec) -> Memory {
        let geometry = Geometry {
            stack_dim: 2,
            ..testing::geometry()
        };
        Memory::new(spec, &geometry, &demand(), &traffic(), 0.9)
    }

    #[test]
    fn the_unit_passes_lines_in_and_out_and_what_comes_back() {
        let mut spec = spec();
        // Four loads, a fitness case, two lines stored and one written back.
        assert_eq!(unit_cycles(&spec, &demand(), &traffic(), 2.0), 8.0);
        (
            spec.device.load_store.return_bytes_per_cycle,
            spec.device.load_store.fill_bytes_per_cycle,
        ) = (64, 64);
        assert_eq!(
            unit_cycles(&spec, &demand(), &traffic(), 2.0),
            4.0 + 2.0 + 3.0 + 4.0
        );
        spec.device.l1.caches_local = false;
        assert_eq!(unit_cycles(&spec, &demand(), &traffic(), 2.0), 12.0);
        let shared = Demand {
            lines: 9.0,
            shared_accesses: 2.0,
            ..demand()
        };
        spec.device.shared.access_cycles = 3;
        assert_eq!(unit_cycles(&spec, &shared, &traffic(), 2.0), 18.0);
        spec.device.ideals = Ideals::of(&[Ideal::LoadStoreUnit]);
        assert_eq!(unit_cycles(&spec, &demand(), &traffic(), 2.0), 0.0);
    }

    /// Three quarters of the two-line levels wait: each line misses with probability one half.
    #[test]
    fn lines_of_a_level_miss_as_if_independent() {
        assert!((memory(&spec()).idle.local_miss_probability - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_fitness_case_comes_at_the_pace_of_the_dram_or_of_the_port() {
        let times = |dram_rate: f32| {
            let mut spec = spec();
            spec.dram.bytes_per_cycle = dram_rate;
            let memory = memory(&spec);
            memory.times(&memory.idle)
        };
        let slow = times(16.0);
        assert_eq!(
            (slow.case_service_cycles, slow.fill_service_cycles),
            (8.0, 4.0)
        );
        assert_eq!((slow.case_cycles, slow.fill_cycles), (300.0, 200.0));
        assert_eq!(times(64.0).case_service_cycles, 4.0);
    }

    #[test]
    fn requests_wait_behind_stored_lines_where_they_have_a_size() {
        let mut spec = spec();
        let waits = |spec: &SmxSpec| memory(spec).write_port.waits_cycles(0.05, 0.9);
        assert_eq!(waits(&spec), (0.0, 0.0));
        // 4 cycles of a line and 1 of each of 3 requests; pairs of lines come together.
        spec.device.l2.request_bytes = 32;
        let residual = 0.5 * (4.0 / 7.0) * 4.0 * 2.0;
        let expected = 0.9 * residual * 0.35 / 0.65;
        let (held, queued) = waits(&spec);
        assert!(
            held == 0.0 && (queued - expected).abs() < 1e-12,
            "{held} {queued}"
        );
        // Two lines a token, without requests: the unit waits for what is beyond one line of the queue.
        spec.device.l2.request_bytes = 0;
        spec.device.l1.write_back = false;
        spec.device.load_store.store_queue_lines = 1;
        let wait = 0.9 * 4.0 * 0.4 / 0.6;
        let expected = wait * (-0.4f64 * 4.0 / wait).exp();
        let (held, queued) = waits(&spec);
        assert!(
            queued == 0.0 && (held - expected).abs() < 1e-12,
            "{held} {queued}"
        );
        spec.device.l2.request_bytes = 32;
        let (held, queued) = memory(&spec).write_port.waits_cycles(1.0, 0.9);
        assert_eq!((held, queued), (f64::INFINITY, 4.0), "a full port");
    }

    #[test]
    fn latencies_grow_with_what_is_under_way() {
        let memory = memory(&spec());
        let (idle, unit) = memory.latencies(0.0);
        assert_eq!(
            (unit, idle.local_hit_cycles, idle.local_miss_cycles),
            (0.0, 35.0, 200.0)
        );
        assert_eq!((idle.global_cycles, idle.shared_cycles), (300.0, 26.0));
        let (busy, unit) = memory.latencies(0.05);
        // The unit: 8 cycles a token, a seventh of them a request.
        let expected = 0.9 * 0.5 * (8.0 / 7.0) * 0.4 / 0.6;
        assert!((unit - expected).abs() < 1e-12, "{unit}");
        assert_eq!(busy.local_hit_cycles, 35.0 + unit);
        assert!(busy.local_miss_cycles > 200.0 + unit && busy.global_cycles > 300.0 + unit);
        assert_eq!(
            (memory.held_cycles(10.0), memory.held_cycles(3.0)),
            (2.0, 0.0)
        );
    }
}
