//! Barriers: warps that wait for the others of their block.
//!
//! Models: a warp waits until all warps of its block that have not exited are there; the multiprocessor counts one arrival after the
//! other.
//! Leaves out: barriers of some of a block's warps, and several at once; an arrival that does not wait.
//! Units: cycles. Sources: the device preset (`fixtures/measured/h100/barrier.csv`).

use super::Smx;
use crate::sim::observe::{Cause, Observer, WarpSlot};
use crate::sim::warp::Arrival;

impl<O: Observer, const EVEN_SLOTS: bool> Smx<'_, O, EVEN_SLOTS> {
    /// Makes warp `i`, which has issued a barrier and could go on at `next`, wait for the others.
    pub(super) fn arrive(&mut self, s: usize, i: usize, next: u64) {
        let now = self.now;
        self.arrivals_until =
            self.arrivals_until.max(now) + u64::from(self.spec.barrier_warp_cycles);
        self.charge_warp(s, i);
        let index = self.slots.warp(s, i);
        self.waits.park(index, Cause::Barrier);
        let warp = &mut self.warps[index];
        warp.arrival = Some(Arrival { at: now, next });
        let block = warp.block;
        let resident = &mut self.blocks[block as usize];
        resident.arrived += 1;
        resident.counted_at = self.arrivals_until;
        self.open_barrier(block);
    }

    /// Lets the warps of a block go on if all that have not exited wait.
    pub(super) fn open_barrier(&mut self, block: u32) {
        let resident = &mut self.blocks[block as usize];
        if resident.arrived == 0 || resident.arrived < resident.warps_left {
            return;
        }
        resident.arrived = 0;
        let opens_at =
            resident.counted_at.max(self.now) + u64::from(self.spec.device.latency.barrier_cycles);
        let warps = self.geometry.warps_per_block();
        for slot in block * warps..(block + 1) * warps {
            let (s, i) = self.place(slot as usize);
            let Some(arrival) = self.warps[self.slots.warp(s, i)].arrival.take() else {
                continue;
            };
            self.observer
                .held(WarpSlot::new(s, i), arrival.at, self.now, Cause::Barrier);
            self.hold(s, i, opens_at.max(arrival.next), Cause::Barrier);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::device::ideal::{Ideal, Ideals};
    use crate::isa::OpClass;
    use crate::sim::dispatch::{BlockQueue, Geometry};
    use crate::sim::smx::{Setup, Smx};
    use crate::sim::spec::SmxSpec;
    use crate::sim::testing::{alu, geometry, looped, spec};

    /// Cycles of a round of a block of `warps` that does nothing but wait for itself.
    fn round(spec: &SmxSpec, warps: u32) -> f64 {
        let code = looped(&[alu(OpClass::Barrier, 1)]);
        let geometry = Geometry {
            threads_per_block: 32 * warps,
            fitness_cases: 32 * warps * 1_000_000,
            programs: 1000,
            ..geometry()
        };
        let setup = Setup {
            spec,
            code: &code,
            code_bytes: 64,
            geometry,
            queue: BlockQueue::units(&code, &[0], &geometry, f64::INFINITY),
            seed: 1,
        };
        let mut smx = Smx::<(), false>::new(setup, ());
        smx.run_tokens(1000 * u64::from(warps))
            .expect("barriers open");
        let counters = smx.counters();
        counters.cycles as f64 * f64::from(warps) / counters.instructions as f64
    }

    /// Measured on an H100: 14, 16, 20, 28, 44 and 76 cycles (`fixtures/measured/h100/barrier.csv`).
    #[test]
    fn a_barrier_opens_when_the_last_warp_is_counted() {
        let mut spec = spec();
        spec.barrier_warp_cycles = 2;
        spec.device.latency.barrier_cycles = 12;
        for (warps, measured) in [
            (1, 14.0),
            (2, 16.0),
            (4, 20.0),
            (8, 28.0),
            (16, 44.0),
            (32, 76.0),
        ] {
            let cycles = round(&spec, warps);
            assert!((cycles - measured).abs() < 1.0, "{warps} warps: {cycles}");
        }
        spec.device.ideals = Ideals::of(&[Ideal::Barriers]);
        assert!(round(&spec, 4) < 2.0);
    }
}
