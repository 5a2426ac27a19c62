//! Timelines: issues, waits and results of every warp, recorded from the simulator.
//!
//! Models: every event of a run, in order. Leaves out: what instructions compute.
//! Units: cycles. Sources: `sim::observe`.

use super::observe::{Cause, Issued, Observer, WarpSlot};
use crate::launch::cause::NOT_SELECTED;

/// A warp's stay on the multiprocessor: after that of the warp whose slot it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Residency {
    pub slot: WarpSlot,
    /// Blocks started before the warp's.
    pub block: u32,
    /// Index of the warp in its block.
    pub warp: u32,
    pub start: u64,
    /// Cycle after the last issue; `None` when the run was cut before.
    pub end: Option<u64>,
}

/// One issued instruction and what its warp waited for before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Index into [`Timeline::residencies`].
    pub residency: u32,
    /// Index into `ReplayCode::ops`.
    pub op: u32,
    pub cycle: u64,
    /// Whether it took the second slot of a dual issue.
    pub second: bool,
    /// Cycle at which a memory access has its result, and the level that served it.
    pub served: Option<(u64, Cause)>,
}

/// A time in which a warp could not issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// Index into [`Timeline::residencies`].
    pub residency: u32,
    pub start: u64,
    pub end: u64,
    /// `None`: it could issue, but another warp was chosen.
    pub cause: Option<Cause>,
}

/// The name of a wait in every timeline.
pub fn wait_name(cause: Option<Cause>) -> &'static str {
    cause.map_or(NOT_SELECTED[0], Cause::name)
}

/// Residencies, issues and waits of a run, in order.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    pub residencies: Vec<Residency>,
    /// Issues, in order of their cycles.
    pub events: Vec<Event>,
    /// Waits, in order of their starts, per warp.
    pub waits: Vec<Wait>,
    /// The warps that are resident: slot and index of the residency.
    resident: Vec<(WarpSlot, u32)>,
    /// Waits that began and may be cut short or replaced, by residency.
    open: Vec<Option<Wait>>,
}

impl Timeline {
    /// The last cycle of which anything is known.
    pub fn end(&self) -> u64 {
        let issues = self.events.last().map_or(0, |event| event.cycle + 1);
        let exits = self.residencies.iter().filter_map(|warp| warp.end);
        exits.fold(issues, u64::max)
    }

    /// Returns the first cycle in which a warp can enter a slot that another leaves in `cycle`.
    fn free_from(&self, slot: WarpSlot, cycle: u64) -> u64 {
        let before = self.residencies.iter().rev().find(|warp| warp.slot == slot);
        before.and_then(|warp| warp.end).unwrap_or(0).max(cycle)
    }

    fn residency(&self, slot: WarpSlot) -> Option<u32> {
        let found = self.resident.iter().find(|(taken, _)| *taken == slot);
        found.map(|(_, index)| *index)
    }

    /// Ends the wait that a warp is in.
    fn close(&mut self, residency: u32, at: u64) {
        let Some(wait) = self.open[residency as usize].take() else {
            return;
        };
        let ready_at = wait.end.min(at);
        let passed_over = Wait {
            start: ready_at.max(wait.start),
            end: at,
            cause: None,
            ..wait
        };
        let waited = Wait {
            end: ready_at,
            ..wait
        };
        let parts = [waited, passed_over];
        self.waits
            .extend(parts.into_iter().filter(|part| part.start < part.end));
    }
}

impl Observer for Timeline {
    fn started(&mut self, slot: WarpSlot, block: u32, warp: u32, cycle: u64) {
        self.resident.push((slot, self.residencies.len() as u32));
        self.residencies.push(Residency {
            slot,
            block,
            warp,
            start: self.free_from(slot, cycle),
            end: None,
        });
        self.open.push(None);
    }

    fn issued(&mut self, issued: Issued) {
        let Some(residency) = self.residency(issued.slot) else {
            return;
        };
        self.close(residency, issued.cycle);
        self.events.push(Event {
            residency,
            op: issued.op,
            cycle: issued.cycle,
            second: issued.second,
            served: None,
        });
    }

    fn served(&mut self, _slot: WarpSlot, ready_at: u64, cause: Cause) {
        if let Some(event) = self.events.last_mut() {
            event.served = Some((ready_at, cause));
        }
    }

    fn held(&mut self, slot: WarpSlot, cycle: u64, until: u64, cause: Cause) {
        let Some(residency) = self.residency(slot) else {
            return;
        };
        self.close(residency, cycle);
        let issued_now = self
            .events
            .last()
            .is_some_and(|event| event.residency == residency && event.cycle == cycle);
        self.open[residency as usize] = Some(Wait {
            residency,
            // The cycle of the issue itself is no wait, nor is that in which the slot was another warp's.
            start: (cycle + u64::from(issued_now)).max(self.residencies[residency as usize].start),
            end: until,
            cause: Some(cause),
        });
    }

    fn exited(&mut self, slot: WarpSlot, cycle: u64) {
        let Some(at) = self.resident.iter().position(|(taken, _)| *taken == slot) else {
            return;
        };
        let (_, residency) = self.resident.swap_remove(at);
        self.close(residency, cycle);
        self.residencies[residency as usize].end = Some(cycle + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests two waves: the second warp is started in the cycle in which the first one exits.
    #[test]
    fn a_stay_begins_where_the_one_before_it_ends() {
        let mut timeline = Timeline::default();
        let (slot, other) = (WarpSlot::new(0, 0), WarpSlot::new(0, 1));
        timeline.started(slot, 0, 0, 0);
        timeline.started(other, 0, 1, 0);
        timeline.held(slot, 0, 10, Cause::NoWarp);
        timeline.exited(slot, 10);
        timeline.started(slot, 1, 0, 10);
        timeline.held(slot, 10, 15, Cause::NoWarp);
        timeline.exited(slot, 20);
        let stays: Vec<_> = timeline
            .residencies
            .iter()
            .map(|warp| (warp.start, warp.end))
            .collect();
        assert_eq!(stays, [(0, Some(11)), (0, None), (11, Some(21))]);
        let waits: Vec<_> = timeline
            .waits
            .iter()
            .map(|wait| (wait.start, wait.end))
            .collect();
        assert_eq!(waits, [(0, 10), (11, 15), (15, 20)]);
    }
}
