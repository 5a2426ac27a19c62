//! The whole grid: blocks over all multiprocessors, to the last one.
//!
//! Models: the dispatcher hands blocks in grid order to whichever multiprocessor has a free block
//! slot; blocks that share a multiprocessor share its throughput, which depends on how many there are;
//! at the end of the grid multiprocessors run partly empty. Leaves out: which programs share a
//! multiprocessor (throughput per token is taken as the mix's).
//! Units: tokens, cycles. Sources: dynamic block assignment, CUDA C Programming Guide 5.5, section 2.

use super::calendar::Calendar;
use super::rates::Rates;
use crate::device::parts::l2::Ports;

/// Throughput of one multiprocessor against its number of resident blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct RateCurve {
    /// `(resident blocks, tokens per cycle)`, ascending, at least one point.
    points: Vec<(f64, f64)>,
}

impl RateCurve {
    /// A curve through the points; `None` when there is none.
    pub fn new(mut points: Vec<(u32, f64)>) -> Option<Self> {
        points.sort_unstable_by_key(|point| point.0);
        points.dedup_by_key(|point| point.0);
        let points: Vec<_> = points
            .into_iter()
            .map(|(n, rate)| (f64::from(n), rate))
            .collect();
        (!points.is_empty()).then_some(RateCurve { points })
    }

    /// Returns the curve with all rates multiplied by `factor`.
    pub fn times(&self, factor: f64) -> Self {
        let points = self.points.iter().map(|&(n, rate)| (n, rate * factor));
        RateCurve {
            points: points.collect(),
        }
    }

    /// Tokens per cycle with `blocks` resident: linear between points, proportional below the first.
    pub fn tokens_per_cycle(&self, blocks: usize) -> f64 {
        let n = blocks as f64;
        let first = self.points[0];
        if n <= first.0 {
            return first.1 * n / first.0;
        }
        for pair in self.points.windows(2) {
            let ((n0, r0), (n1, r1)) = (pair[0], pair[1]);
            if n <= n1 {
                return r0 + (r1 - r0) * (n - n0) / (n1 - n0);
            }
        }
        self.points[self.points.len() - 1].1
    }
}

/// Cycles from launch to the end of the last block, for blocks of the given work in grid order.
pub fn makespan_cycles(
    work_tokens: &[f64],
    n_smx: usize,
    resident_blocks: usize,
    rates: &Rates,
) -> f64 {
    BlockSchedule::new(work_tokens, n_smx, resident_blocks).cycles(rates)
}

/// Assigns every block in turn to a block slot and calls `given` with the block, the slot and the start time if all slots run at
/// the same pace. The first blocks go round robin over the multiprocessors, slot `n` belonging to multiprocessor `n` modulo
/// their number; each later one goes to the slot that is free first.
#[inline]
pub fn hand_out(work: &[f64], places: usize, mut given: impl FnMut(usize, usize, f64)) {
    let first = work.len().min(places);
    let longest = work.iter().copied().fold(0.0, f64::max);
    let mut calendar = Calendar::new(first, longest);
    for (place, &work) in work[..first].iter().enumerate() {
        calendar.take(place, work);
        given(place, place, 0.0);
    }
    for (block, &work) in work.iter().enumerate().skip(first) {
        let Some((place, free_at)) = calendar.free_first() else {
            break;
        };
        calendar.take(place, free_at + work);
        given(block, place, free_at);
    }
}

/// Assignment of blocks to multiprocessors. It does not depend on their speed: while all are full, all resident blocks progress
/// by equally many tokens.
#[derive(Debug)]
pub struct BlockSchedule {
    resident_blocks: usize,
    /// Tokens that a block resident from the start would have been given when the last block is handed out.
    until: f64,
    /// Ends of the blocks that are then resident, ascending, by multiprocessor.
    ends: Vec<Vec<f64>>,
}

impl BlockSchedule {
    pub fn new(work_tokens: &[f64], n_smx: usize, resident_blocks: usize) -> Self {
        let mut ends = vec![0.0; work_tokens.len().min(n_smx * resident_blocks)];
        let mut until = 0.0;
        hand_out(
            work_tokens,
            n_smx * resident_blocks,
            |block, place, from| {
                until = from;
                ends[place] = from + work_tokens[block];
            },
        );
        let of_smx = |smx| {
            let mut ends: Vec<f64> = ends.iter().skip(smx).step_by(n_smx).copied().collect();
            ends.sort_unstable_by(f64::total_cmp);
            ends
        };
        BlockSchedule {
            resident_blocks,
            until,
            ends: (0..n_smx).map(of_smx).collect(),
        }
    }

    /// Tokens of all blocks by the number of blocks that shared their multiprocessor.
    pub fn tokens_by_residents(&self) -> Vec<f64> {
        let mut tokens = vec![0.0; self.most_residents().max(self.resident_blocks) + 1];
        tokens[self.resident_blocks] +=
            self.until * (self.ends.len() * self.resident_blocks) as f64;
        for ends in &self.ends {
            let mut start = self.until;
            for (gone, end) in ends.iter().enumerate() {
                let residents = ends.len() - gone;
                tokens[residents] += residents as f64 * (end - start);
                start = *end;
            }
        }
        tokens
    }

    /// Cycles to the end of the last block, a token being one of the rates' tokens.
    pub fn cycles(&self, rates: &Rates) -> f64 {
        let full = match self.until {
            0.0 => 0.0,
            until => {
                let rate = rates.full_tokens_per_cycle(self.resident_blocks);
                until * self.resident_blocks as f64 / rate
            }
        };
        full + match rates.ports() {
            Some(ports) => self.end_together(rates, ports),
            None => self.end_alone(rates.contended()),
        }
    }

    fn most_residents(&self) -> usize {
        self.ends.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Cycles after `until`, when no blocks are left to assign, if multiprocessors are independent.
    fn end_alone(&self, rates: &RateCurve) -> f64 {
        // Cycles per token of each block, by the blocks that share a multiprocessor.
        let pace = |blocks: usize| blocks as f64 / rates.tokens_per_cycle(blocks);
        let paces: Vec<f64> = (0..=self.most_residents()).map(pace).collect();
        let alone = self.ends.iter().map(|ends| {
            let starts = [self.until].into_iter().chain(ends.iter().copied());
            let given = ends.iter().zip(starts).map(|(end, start)| end - start);
            let residents = (1..=ends.len()).rev();
            let cycles = given.zip(residents).map(|(given, n)| given * paces[n]);
            cycles.sum::<f64>()
        });
        alone.fold(0.0, f64::max)
    }

    /// Ends the grid if multiprocessors share ports: from one end of a block to the next.
    fn end_together(&self, rates: &Rates, ports: Ports) -> f64 {
        let mut shared: Vec<EndingPort> = Vec::new();
        let port = || EndingPort::new(self.most_residents());
        shared.resize_with(ports.n_ports(), port);
        let of_smx = |(smx, ends)| Ending {
            ends,
            given: self.until,
            port: ports.of(smx),
        };
        let ends = self.ends.iter().map(Vec::as_slice).enumerate();
        let mut left: Vec<Ending> = ends.map(of_smx).collect();
        left.iter().for_each(|one| shared[one.port].add(one));
        let mut cycles = 0.0;
        loop {
            left.retain(|one| !one.ends.is_empty());
            shared.iter_mut().for_each(|port| port.update(rates));
            let pace = |one: &Ending| shared[one.port].paces[one.ends.len()];
            let until_next = |one: &Ending| (one.ends[0] - one.given) * pace(one);
            let Some(step) = left.iter().map(until_next).min_by(f64::total_cmp) else {
                return cycles;
            };
            cycles += step;
            for one in &mut left {
                let port = &mut shared[one.port];
                let before = one.ends.len();
                one.go_on(step / port.paces[before]);
                port.moved(before, one.ends.len());
            }
        }
    }
}

/// A port whose multiprocessors get no further blocks.
struct EndingPort {
    /// Its multiprocessors by the blocks that they hold.
    smxs: Vec<u32>,
    /// Cycles per token of each block, by the blocks that share a multiprocessor.
    paces: Vec<f64>,
    has_changed: bool,
}

impl EndingPort {
    fn new(most_residents: usize) -> Self {
        EndingPort {
            smxs: vec![0; most_residents + 1],
            paces: Vec::new(),
            has_changed: false,
        }
    }

    fn add(&mut self, smx: &Ending) {
        self.smxs[smx.ends.len()] += 1;
        self.has_changed = true;
    }

    fn moved(&mut self, before: usize, after: usize) {
        if before != after {
            self.smxs[before] -= 1;
            self.smxs[after] += 1;
            self.has_changed = true;
        }
    }

    fn update(&mut self, rates: &Rates) {
        if std::mem::take(&mut self.has_changed) {
            self.paces = rates.paces(&self.smxs);
        }
    }
}

/// A multiprocessor that gets no further blocks.
struct Ending<'a> {
    /// Tokens given when each of the blocks that are left ends.
    ends: &'a [f64],
    given: f64,
    port: usize,
}

impl Ending<'_> {
    /// Advances every block by `tokens`, at most the remainder of the first.
    fn go_on(&mut self, tokens: f64) {
        // As the steps are the least of quotients, the block that decided may lack the last bits.
        const ROUNDING: f64 = 1e-12;
        self.given += tokens;
        while let Some((&first, others)) = self.ends.split_first() {
            if first > self.given * (1.0 + ROUNDING) {
                break;
            }
            self.given = self.given.max(first);
            self.ends = others;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(u32, f64)]) -> RateCurve {
        RateCurve::new(points.to_vec()).unwrap()
    }

    #[test]
    fn equal_blocks_take_whole_waves() {
        let rates = curve(&[(1, 1.0), (2, 1.0)]).into();
        let cycles = makespan_cycles(&[10.0; 8], 2, 2, &rates);
        assert!((cycles - 40.0).abs() < 1e-6, "{cycles}");
    }

    #[test]
    fn a_lone_block_runs_at_the_lone_rate() {
        let rates = curve(&[(1, 0.5), (4, 1.0)]).into();
        assert!((makespan_cycles(&[10.0], 7, 4, &rates) - 20.0).abs() < 1e-9);
    }

    proptest::proptest! {
        /// Every token is given at some number of residents.
        #[test]
        fn tokens_by_residents_are_all_tokens(
            work in proptest::collection::vec(1.0f64..1000.0, 1..200),
            n_smx in 1usize..8,
            resident in 1usize..9,
        ) {
            let handed_out = BlockSchedule::new(&work, n_smx, resident);
            let tokens: f64 = handed_out.tokens_by_residents().iter().sum();
            let all: f64 = work.iter().sum();
            proptest::prop_assert!((tokens / all - 1.0).abs() < 1e-9, "{} {}", tokens, all);
        }
    }

    #[test]
    fn the_last_block_has_the_l2_to_itself() {
        // Two multiprocessors that send a byte a token; alone each could send two a cycle, of which the L2 takes two.
        let sharing = Rates::sharing(
            curve(&[(1, 1.0)]),
            curve(&[(1, 2.0)]),
            1.0,
            Ports::new(1, 2, 1, 2.0),
        );
        let cycles = makespan_cycles(&[10.0, 30.0], 2, 1, &sharing);
        assert!((cycles - 20.0).abs() < 1e-9, "{cycles}");
        // Nothing is left to take where both are at work to the end.
        assert_eq!(makespan_cycles(&[30.0, 30.0], 2, 1, &sharing), 30.0);
    }

    proptest::proptest! {
        /// If nothing is shared, following all multiprocessors together equals following each on its own.
        #[test]
        fn ending_together_is_ending_alone_where_nothing_is_shared(
            work in proptest::collection::vec(1.0f64..1000.0, 1..200),
            n_smx in 1usize..8,
            resident in 1usize..9,
        ) {
            let rates = curve(&[(1, 0.3), (2, 0.5), (4, 0.7), (8, 1.1)]);
            let alone = makespan_cycles(&work, n_smx, resident, &rates.clone().into());
            let sharing = Rates::sharing(rates.clone(), rates, 1.0, Ports::new(1, 8, 1, 0.1));
            let together = makespan_cycles(&work, n_smx, resident, &sharing);
            proptest::prop_assert!((together / alone - 1.0).abs() < 1e-9, "{} {}", together, alone);
        }

        /// More that the L2 takes ends no grid later, and none ends later than with every multiprocessor contended.
        #[test]
        fn what_the_l2_takes_shortens_the_end(
            work in proptest::collection::vec(1.0f64..1000.0, 1..100),
            n_smx in 1usize..8,
            resident in 1usize..5,
            accepts in 0.1f64..10.0,
        ) {
            let contended = curve(&[(1, 0.3), (2, 0.4), (4, 0.5)]);
            let uncontended = curve(&[(1, 0.4), (2, 0.7), (4, 0.9)]);
            let with = |accepts| {
                let rates = Rates::sharing(contended.clone(), uncontended.clone(), 1.0, Ports::new(1, 8, 1, accepts as f32));
                makespan_cycles(&work, n_smx, resident, &rates)
            };
            let alone = makespan_cycles(&work, n_smx, resident, &contended.clone().into());
            proptest::prop_assert!(with(accepts) <= alone * (1.0 + 1e-9));
            proptest::prop_assert!(with(2.0 * accepts) <= with(accepts) * (1.0 + 1e-9));
        }
    }

    #[test]
    fn tokens_are_told_apart_by_residents() {
        // Two blocks together until the shorter ends, the longer one then alone.
        let handed_out = BlockSchedule::new(&[10.0, 30.0], 1, 2);
        assert_eq!(handed_out.tokens_by_residents(), [0.0, 20.0, 20.0]);
    }

    #[test]
    fn the_curve_interpolates() {
        let rates = RateCurve::new(vec![(2, 1.0), (4, 3.0)]).unwrap();
        assert_eq!(rates.tokens_per_cycle(1), 0.5);
        assert_eq!(rates.tokens_per_cycle(3), 2.0);
        assert_eq!(rates.tokens_per_cycle(9), 3.0);
    }

    proptest::proptest! {
        /// Graham's bounds (SIAM Journal on Applied Mathematics 17, 1969): the grid takes at least its work at the full rate,
        /// and at most that and the longest block, which never waits once it is assigned.
        #[test]
        fn the_end_is_within_the_bounds_of_list_scheduling(
            work in proptest::collection::vec(1.0f64..1000.0, 1..80),
            n_smx in 1usize..8,
            resident in 1usize..9,
            lone in 0.1f64..1.0,
        ) {
            // From the rate of a lone block up to one that `resident` blocks share.
            let full = lone * (1.0 + 0.5 * (resident as f64 - 1.0));
            let rates = curve(&[(1, lone), (resident as u32, full)]);
            let cycles = makespan_cycles(&work, n_smx, resident, &rates.clone().into());
            let pace = resident as f64 / rates.tokens_per_cycle(resident);
            let total: f64 = work.iter().sum();
            let longest = work.iter().copied().fold(0.0, f64::max);
            proptest::prop_assert!(cycles >= total / (n_smx as f64 * full) * (1.0 - 1e-9));
            proptest::prop_assert!(cycles >= longest / lone * (1.0 - 1e-9));
            let slots = (n_smx * resident) as f64;
            proptest::prop_assert!(cycles <= pace * (total / slots + longest) * (1.0 + 1e-9));
        }

        /// At twice the rates, the time is half.
        #[test]
        fn time_scales_with_the_rates(
            work in proptest::collection::vec(1.0f64..1000.0, 1..80),
            factor in 1.0f64..4.0,
        ) {
            let rates = Rates::from(curve(&[(1, 0.3), (2, 0.5), (4, 0.7)]));
            let slow = makespan_cycles(&work, 3, 4, &rates);
            let fast = makespan_cycles(&work, 3, 4, &rates.times(factor));
            proptest::prop_assert!((fast * factor / slow - 1.0).abs() < 1e-9);
        }
    }

    /// Returns the makespan block by block, with a clock for each multiprocessor.
    fn by_events(work: &[f64], n_smx: usize, resident: usize, rates: &RateCurve) -> f64 {
        let mut queue = work.iter().copied();
        let mut left: Vec<Vec<f64>> = vec![Vec::new(); n_smx];
        for _ in 0..resident {
            for smx in &mut left {
                smx.extend(queue.next());
            }
        }
        let mut now = 0.0;
        loop {
            let pace = |smx: &Vec<f64>| smx.len() as f64 / rates.tokens_per_cycle(smx.len());
            let least = |smx: &Vec<f64>| smx.iter().copied().fold(f64::INFINITY, f64::min);
            let ends = left.iter().map(|smx| match smx.len() {
                0 => f64::INFINITY,
                _ => least(smx) * pace(smx),
            });
            let (first, step) = ends
                .enumerate()
                .fold((0, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a });
            if step == f64::INFINITY {
                return now;
            }
            now += step;
            for (at, smx) in left.iter_mut().enumerate() {
                if smx.is_empty() {
                    continue;
                }
                let given = step / pace(smx);
                let ended = least(smx);
                smx.iter_mut().for_each(|left| *left -= given);
                if at == first {
                    let place = smx.iter().position(|left| *left <= ended - given).unwrap();
                    smx.swap_remove(place);
                    smx.extend(queue.next());
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn handing_out_once_is_following_every_block(
            work in proptest::collection::vec(1.0f64..1000.0, 1..200),
            n_smx in 1usize..8,
            resident in 1usize..9,
        ) {
            let rates = curve(&[(1, 0.3), (2, 0.5), (4, 0.7), (8, 1.1)]);
            let told = makespan_cycles(&work, n_smx, resident, &rates.clone().into());
            let followed = by_events(&work, n_smx, resident, &rates);
            proptest::prop_assert!((told / followed - 1.0).abs() < 1e-9, "{} {}", told, followed);
        }
    }
}
