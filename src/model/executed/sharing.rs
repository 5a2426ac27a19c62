//! Slowdown of warps that share a multiprocessor.
//!
//! Models: each server delays a request as one with random arrivals of the other warps does, and its utilization is at most 1.
//! Among the load/store unit, ports and DRAM, which form a pipeline, only the one with the longest wait counts: it passes requests
//! on no faster than it serves them. Warps that are resident together are slowed down equally; when one ends, the rest speed
//! up.
//! Leaves out: that warps of a block wait for each other at barriers.
//! Units: cycles.
//! Sources: equations (E5) and (E6) of `docs/model.md`; Little, Operations Research 9 (1961); Schweitzer's approximation of the
//! queue that an arrival finds in a closed network, Lazowska et al., Quantitative System Performance, chapter 6.

use super::walk::{Alone, ISSUE, N_CAUSES, N_SERVERS, READ_PORT, Service, UNIT, is_schedulers};
use crate::launch::cause::Cause;
use crate::launch::spec::SmxSpec;
use crate::model::queue::wait_cycles;
use crate::model::root::{Bracket, falling_root};

const TOLERANCE: f64 = 1e-6;

/// Demand of concurrently resident warps, per cycle that each would take alone.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Crowd {
    /// Resident warps.
    warps: f64,
    services: [Service; N_SERVERS],
    memory_instructions: f64,
}

impl Crowd {
    fn new() -> Self {
        Crowd {
            warps: 0.0,
            services: [Service::default(); N_SERVERS],
            memory_instructions: 0.0,
        }
    }

    /// Adds a warp that is resident for `part` of the time.
    fn add(&mut self, alone: &Alone, part: f64) {
        let rate = part / alone.cycles;
        self.warps += part;
        self.memory_instructions += rate * alone.memory_instructions;
        for (sum, service) in self.services.iter_mut().zip(&alone.services) {
            sum.cycles += rate * service.cycles;
            sum.squares += rate * service.squares;
            sum.waits += rate * service.waits;
        }
    }

    /// **(E5)** Ratio of each warp's time to its time alone, and the waits, by cause, in warps.
    fn slowdown(&self, spec: &SmxSpec) -> (f64, [f64; N_CAUSES]) {
        if self.warps <= 0.0 {
            return (1.0, [0.0; N_CAUSES]);
        }
        let least = self.least(spec);
        let excess = |slowdown: f64| 1.0 + self.waiting(spec, slowdown) / self.warps - slowdown;
        let at_low = excess(least);
        let slowdown = if at_low <= 0.0 {
            least
        } else {
            let mut high = 2.0 * least;
            while excess(high) > 0.0 {
                high *= 2.0;
            }
            let bracket = Bracket {
                low: least,
                at_low,
                high,
                at_high: excess(high),
            };
            falling_root(bracket, TOLERANCE, excess)
        };
        (slowdown, self.causes(spec, slowdown))
    }

    /// Smallest slowdown at which no server is overloaded.
    fn least(&self, spec: &SmxSpec) -> f64 {
        let busy = |server: usize| self.services[server].cycles / servers(spec, server);
        (0..N_SERVERS).map(busy).fold(1.0, f64::max)
    }

    /// Waits for a server, in warps, if all warps are slowed down by `slowdown`. While one waits, the server works for others.
    fn waiting_for(&self, spec: &SmxSpec, server: usize, slowdown: f64) -> f64 {
        let service = &self.services[server];
        if service.cycles <= 0.0 {
            return 0.0;
        }
        let n = servers(spec, server);
        let group = (self.warps / n).max(1.0);
        let for_others = (group - 1.0) / group * service.cycles / n;
        let residual = 0.5 * service.squares / service.cycles;
        let wait = wait_cycles(for_others / slowdown, residual);
        let mut waiting = service.waits * wait;
        if server == UNIT {
            let behind = wait - f64::from(spec.lsu_queue_cycles);
            let not_awaited = self.memory_instructions - service.waits;
            waiting += not_awaited.max(0.0) * behind.max(0.0);
        }
        waiting.min(self.warps * for_others)
    }

    fn waiting(&self, spec: &SmxSpec, slowdown: f64) -> f64 {
        self.causes(spec, slowdown).iter().sum()
    }

    fn causes(&self, spec: &SmxSpec, slowdown: f64) -> [f64; N_CAUSES] {
        let mut causes = [0.0; N_CAUSES];
        let of_server = |server: usize| (server, self.waiting_for(spec, server, slowdown));
        for (server, waiting) in (0..UNIT).map(of_server) {
            let cause = match server {
                ISSUE => Cause::Issued,
                _ => Cause::MathPipe,
            };
            causes[cause as usize] += waiting;
        }
        let (slowest, waiting) = (UNIT..N_SERVERS)
            .map(of_server)
            .fold(
                (UNIT, 0.0),
                |most, one| if one.1 > most.1 { one } else { most },
            );
        let cause = match slowest {
            UNIT => Cause::LoadStoreUnit,
            READ_PORT => Cause::L2,
            _ => Cause::Dram,
        };
        causes[cause as usize] += waiting;
        causes
    }
}

fn servers(spec: &SmxSpec, server: usize) -> f64 {
    match is_schedulers(server) {
        true => spec.n_schedulers as f64,
        false => 1.0,
    }
}

/// Result of running warps on a multiprocessor.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    pub cycles: f64,
    /// Scheduler cycles by cause.
    pub stack: [f64; N_CAUSES],
}

impl Ran {
    /// Builds the result from `cycles` and the issue `slots` taken; `waits`: warp cycles by cause; `empty`: scheduler cycles
    /// without a warp.
    fn new(spec: &SmxSpec, cycles: f64, slots: f64, waits: &[f64; N_CAUSES], empty: f64) -> Ran {
        let all = cycles * spec.n_schedulers as f64;
        let issued = slots.min(all);
        let empty = empty.min(all - issued);
        // Waiting for an issue slot is no idle time of a scheduler.
        let waiting = |cause: usize| match cause == Cause::Issued as usize {
            true => 0.0,
            false => waits[cause],
        };
        let sum: f64 = (0..N_CAUSES).map(waiting).sum();
        let rest = all - issued - empty;
        let mut stack: [f64; N_CAUSES] = std::array::from_fn(|cause| match sum > 0.0 {
            true => rest * waiting(cause) / sum,
            false => 0.0,
        });
        if sum <= 0.0 {
            stack[Cause::Wait as usize] = rest;
        }
        stack[Cause::Issued as usize] = issued;
        stack[Cause::NoWarp as usize] += empty;
        Ran { cycles, stack }
    }
}

/// Warps of the resident blocks, with the remaining work of each, in cycles alone.
struct Resident<'a> {
    places: Vec<Vec<(&'a Alone, f64)>>,
}

/// **(E6)** Runs blocks one after the other in `places`, from the start of the first to the end of the last.
pub fn run(spec: &SmxSpec, blocks: &[&[Alone]], places: usize) -> Ran {
    let mut queue = blocks.iter();
    let mut start = || {
        queue
            .next()
            .map(|block| block.iter().map(|warp| (warp, warp.cycles)))
    };
    let mut resident = Resident { places: Vec::new() };
    for _ in 0..places {
        resident.places.extend(start().map(Iterator::collect));
    }
    let (mut now, mut empty) = (0.0, 0.0);
    let mut waits = [0.0; N_CAUSES];
    while let Some(alone_cycles) = resident.next_end() {
        let crowd = resident.crowd();
        let (slowdown, waiting) = crowd.slowdown(spec);
        let cycles = alone_cycles * slowdown;
        for (sum, waiting) in waits.iter_mut().zip(waiting) {
            *sum += alone_cycles * waiting;
        }
        now += cycles;
        empty += cycles * (spec.n_schedulers as f64 - crowd.warps).max(0.0);
        for place in &mut resident.places {
            for warp in &mut *place {
                warp.1 -= alone_cycles;
            }
            place.retain(|warp| warp.1 > 1e-9 * warp.0.cycles);
            if place.is_empty() {
                place.extend(start().into_iter().flatten());
            }
        }
        resident.places.retain(|place| !place.is_empty());
    }
    let warps = || blocks.iter().flat_map(|block| block.iter());
    let slots = warps().map(|warp| warp.services[ISSUE].cycles).sum();
    for warp in warps() {
        for (sum, stall) in waits.iter_mut().zip(warp.stalls) {
            *sum += stall;
        }
    }
    Ran::new(spec, now, slots, &waits, empty)
}

impl Resident<'_> {
    /// Work left until the next warp ends.
    fn next_end(&self) -> Option<f64> {
        let left = self.places.iter().flatten().map(|warp| warp.1);
        left.min_by(f64::total_cmp)
    }

    fn crowd(&self) -> Crowd {
        let mut crowd = Crowd::new();
        for (warp, _) in self.places.iter().flatten() {
            crowd.add(warp, 1.0);
        }
        crowd
    }
}

/// Models a multiprocessor that is kept full: all blocks, `places` at a time.
pub fn steady(spec: &SmxSpec, blocks: &[&[Alone]], places: usize) -> Ran {
    let longest = |block: &&[Alone]| block.iter().map(|warp| warp.cycles).fold(1.0, f64::max);
    // Cycles for which all blocks occupy a place, each alone.
    let taken: f64 = blocks.iter().map(longest).sum();
    let mut crowd = Crowd::new();
    let (mut slots, mut waits) = (0.0, [0.0; N_CAUSES]);
    for warp in blocks.iter().flat_map(|block| block.iter()) {
        crowd.add(warp, places as f64 * warp.cycles / taken);
        slots += warp.services[ISSUE].cycles;
        for (sum, stall) in waits.iter_mut().zip(warp.stalls) {
            *sum += stall;
        }
    }
    let (slowdown, waiting) = crowd.slowdown(spec);
    let alone = taken / places as f64;
    for (sum, waiting) in waits.iter_mut().zip(waiting) {
        *sum += alone * waiting;
    }
    let cycles = alone * slowdown;
    let empty = cycles * (spec.n_schedulers as f64 - crowd.warps).max(0.0);
    Ran::new(spec, cycles, slots, &waits, empty)
}
