//! Account of the schedulers' cycles by cause.
//!
//! Models: a cycle in which a scheduler issues, or in which its issue slot is occupied, has one cause. An idle cycle is divided
//! equally among the scheduler's resident warps, and each part is charged to the cause of its warp's wait. The cause of the warp
//! nearest to issuing is recorded too; `sample` scales times by it. Each scheduler keeps a running sum of the parts. A warp whose
//! wait ends is charged the growth of that sum since the wait began, so an idle cycle costs the same however many warps wait.
//! Leaves out: when a warp may issue (`waits`), which cycles are idle (`scheduler`).
//! Units: scheduler cycles, and `WHOLE`ths of them.

use super::observe::{Cause, Counters};

const N_CAUSES: usize = Cause::ALL.len();

/// Units that an idle cycle is divided into.
pub const WHOLE: u64 = 1 << 24;

/// Scheduler cycles charged so far, by cause.
#[derive(Debug, Clone, Default)]
pub struct Account {
    /// Cycles in which a scheduler issued, or its issue slot was occupied.
    pub occupied: [u64; N_CAUSES],
    /// Idle cycles by the cause of the warp nearest to issuing.
    pub nearest: [u64; N_CAUSES],
    /// Idle cycles by the causes of all resident warps' waits, in `WHOLE`ths.
    pub parts: [u64; N_CAUSES],
    /// `parts` rounded to whole cycles at the last reading.
    idle: [u64; N_CAUSES],
}

impl Account {
    /// Writes both stacks of everything charged so far.
    pub fn read(&mut self, counters: &mut Counters) {
        self.round();
        let with = |idle: &[u64; N_CAUSES]| std::array::from_fn(|i| self.occupied[i] + idle[i]);
        counters.cpi_stack = with(&self.idle);
        counters.nearest_stack = with(&self.nearest);
    }

    /// Rounds the parts to whole cycles, which sum to the idle cycles; no cause has fewer than at the last reading.
    fn round(&mut self) {
        let before = self.idle;
        let cycles: u64 = self.nearest.iter().sum();
        let parts: u64 = self.parts.iter().sum::<u64>().max(1);
        let [of_cycles, of_parts] = [cycles, parts].map(i128::from);
        let exact = self.parts.map(|part| i128::from(part) * of_cycles);
        for (idle, exact) in self.idle.iter_mut().zip(exact) {
            *idle = (*idle).max((exact / of_parts) as u64);
        }
        let lacks = |idle: &[u64; N_CAUSES], i: usize| exact[i] - i128::from(idle[i]) * of_parts;
        let mut given: u64 = self.idle.iter().sum();
        while given < cycles {
            let most = (0..N_CAUSES).max_by_key(|&i| lacks(&self.idle, i));
            self.idle[most.expect("there are causes")] += 1;
            given += 1;
        }
        while given > cycles {
            let above = (0..N_CAUSES).filter(|&i| self.idle[i] > before[i]);
            let least = above.min_by_key(|&i| lacks(&self.idle, i));
            self.idle[least.expect("fewer were idle before")] -= 1;
            given -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::scheduler::Scheduler;
    use crate::sim::spec::WarpPolicy;
    use crate::sim::waits::Waits;
    use crate::sim::warp_mask::Slots;

    fn read(account: &mut Account) -> Counters {
        let mut counters = Counters::default();
        account.read(&mut counters);
        counters
    }

    /// Three of four warps wait for the L2 long after the fourth could issue.
    #[test]
    fn an_idle_cycle_is_charged_to_what_all_warps_wait_for_not_to_the_nearest() {
        let mut waits = Waits::new(Slots::<true>::new(4));
        let mut scheduler = Scheduler::new(WarpPolicy::LooseRoundRobin, 16);
        let mut account = Account::default();
        for slot in 0..4 {
            scheduler.admit(slot, 0);
            let (until, cause) = [(12, Cause::Wait), (100, Cause::L2)][usize::from(slot > 0)];
            waits.hold(slot, until, cause, 0);
        }
        let nearest = waits.nearest_cause(0, 0b1111, 0);
        scheduler.charge(12, nearest, &mut account);
        for slot in 0..4 {
            waits.charge(slot, scheduler.idle_part(), &mut account);
        }
        let counters = read(&mut account);
        let of = |cause: Cause| {
            let (all, nearest) = (counters.cpi_stack, counters.nearest_stack);
            (all[cause as usize], nearest[cause as usize])
        };
        assert_eq!([of(Cause::Wait), of(Cause::L2)], [(3, 12), (9, 0)]);
    }

    #[test]
    fn parts_become_as_many_cycles_as_were_idle_and_never_fewer() {
        let mut account = Account::default();
        let mut before = read(&mut account).cpi_stack;
        for step in 1..=42 {
            account.nearest[Cause::Wait as usize] += 1;
            for (weight, cause) in [Cause::Wait, Cause::L2, Cause::Dram]
                .into_iter()
                .enumerate()
            {
                account.parts[cause as usize] += (weight as u64 + 1) * WHOLE / 6;
            }
            let stack = read(&mut account).cpi_stack;
            assert_eq!(stack.iter().sum::<u64>(), step);
            assert!(stack.iter().zip(before).all(|(now, then)| *now >= then));
            before = stack;
        }
        assert_eq!(
            [Cause::Wait, Cause::L2, Cause::Dram].map(|cause| before[cause as usize]),
            [7, 14, 21]
        );
    }
}
