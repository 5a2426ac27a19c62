//! Sampled work-groups laid out for one SIMD.
//!
//! Models: as many work-groups and iterations of the main loop as are timed, by repeating the sampled ones. A work-group's own
//! data is separate from that of others; the cases of its next iteration follow those of the previous one. Leaves out: time.
//! Units: lines of memory.

use super::range::Spread;
use crate::systems::gpocl::{GpoclConfiguration, INPUTS, Strategy};
use crate::vliw::preset::Machine;
use crate::vliw::simd::{Group, Stretch, Work};
use crate::vliw::steps::{Executed, LINE_BYTES};

/// Fewer and more work-groups that a SIMD is timed with, if it has more than these: whole rounds of the sampled programs.
const GROUPS: [u32; 2] = [12, 24];

/// Fewer and more repetitions of the middle iteration.
const REPEATS: [u32; 2] = [1, 3];

/// Executions of a cell: wavefronts of every sampled work-group.
pub type Sample = Vec<Vec<Executed>>;

/// Layout of sampled work-groups for one SIMD.
pub struct GroupLayout<'a> {
    pub cell: GpoclConfiguration,
    pub range: Spread,
    pub sample: &'a Sample,
    pub machine: Machine,
}

impl<'a> GroupLayout<'a> {
    /// Returns the numbers of work-groups that the SIMD is timed with.
    pub fn group_counts(&self) -> Vec<u32> {
        let all = self.range.groups_per_simd;
        if all <= GROUPS[1] {
            vec![all]
        } else {
            GROUPS.to_vec()
        }
    }

    /// Returns the numbers of iterations of its work-groups: two, or one if all are executed.
    pub fn iteration_counts(&self) -> Vec<u32> {
        let executed = self.executed_iterations();
        if self.range.iterations <= executed {
            vec![self.range.iterations]
        } else {
            let repeated = self.repeated().len() as u32;
            REPEATS
                .map(|times| executed + (times - 1) * repeated)
                .to_vec()
        }
    }

    fn executed_iterations(&self) -> u32 {
        let ends = |w: &Executed| w.iteration_ends.len() as u32;
        self.sample.iter().flatten().map(ends).min().unwrap_or(0)
    }

    /// Returns the iterations that are repeated: all but the first and the last.
    fn repeated(&self) -> std::ops::Range<usize> {
        1..self.executed_iterations().saturating_sub(1).max(1) as usize
    }

    /// Returns the share of the L2 that a SIMD uses: one part per SIMD if each work-group has its own programs, because nothing is
    /// then shared between SIMDs; otherwise all of it.
    pub fn l2_share(&self) -> f64 {
        match self.cell.strategy {
            Strategy::Pppe => 1.0 / self.machine.n_simds,
            Strategy::Fp | Strategy::Ppcu => 1.0,
        }
    }

    pub fn groups(&self, n_groups: u32, iterations: u32) -> Vec<Group<'a>> {
        let groups = (0..n_groups).map(|group| {
            let sampled = &self.sample[group as usize % self.sample.len()];
            Group {
                waves: sampled.iter().map(|w| self.work(w, iterations)).collect(),
                own_lines: u64::from(group) << 32,
                shared_lines: self.shared_lines(group),
            }
        });
        groups.collect()
    }

    /// Returns a wavefront's steps, with the middle repeated to reach that many iterations.
    fn work(&self, executed: &'a Executed, iterations: u32) -> Work<'a> {
        let end = executed.steps.len();
        let stretch = |steps, shared_lines| Stretch {
            steps,
            shared_lines,
        };
        let executed_iterations = self.executed_iterations();
        if iterations <= executed_iterations {
            let stretches = vec![stretch(0..end, 0)];
            return Work {
                executed,
                stretches,
            };
        }
        let repeated = self.repeated();
        let middle =
            executed.iteration_ends[repeated.start - 1]..executed.iteration_ends[repeated.end - 1];
        let extra = (iterations - executed_iterations) / repeated.len() as u32;
        let moved = self.lines_per_iteration() * repeated.len() as u64;
        let mut stretches = vec![stretch(0..middle.end, 0)];
        for i in 1..=u64::from(extra) {
            stretches.push(stretch(middle.clone(), moved * i));
        }
        stretches.push(stretch(middle.end..end, moved * u64::from(extra)));
        Work {
            executed,
            stretches,
        }
    }

    /// Returns the distance in the cases from an iteration to the next: a chunk per compute unit, else none.
    fn lines_per_iteration(&self) -> u64 {
        match self.cell.strategy {
            Strategy::Ppcu => u64::from(self.range.local_size * 4 / LINE_BYTES),
            Strategy::Fp | Strategy::Pppe => 0,
        }
    }

    /// Returns the distance between a work-group's cases and those of the first one.
    fn shared_lines(&self, group: u32) -> u64 {
        let data_bytes = f64::from(self.cell.dataset) * f64::from(INPUTS) * 4.0;
        match self.cell.strategy {
            Strategy::Fp => u64::from(group) * u64::from(self.range.local_size * 4 / LINE_BYTES),
            // Data that does not fit in the L2 is read again.
            Strategy::Ppcu if data_bytes > self.machine.l2_bytes => u64::from(group) << 32,
            Strategy::Ppcu | Strategy::Pppe => 0,
        }
    }
}
