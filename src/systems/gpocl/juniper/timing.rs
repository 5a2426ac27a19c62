//! The time of a cell, extrapolated from sampled work-groups on one SIMD.
//!
//! Models: a few iterations of the kernel's main loop are executed and timed twice, with fewer and with more of them (and of
//! work-groups, if a SIMD has thousands); time grows linearly in both.
//! Leaves out: the other SIMDs, which have as much work or less; they take their share of L2 and DRAM.
//! Units: cycles.

use super::JuniperError;
use super::kernel::{Buffers, LOCAL_BYTES, Placement, Sizes, listing};
use super::layout::{GroupLayout, Sample};
use super::programs::tree;
use super::range::Spread;
use crate::gp::evolve::dice::Dice;
use crate::systems::gpocl::{Domain, GpoclConfiguration, Strategy};
use crate::util::memo::Memo;
use crate::vliw::LANES;
use crate::vliw::preset::Machine;
use crate::vliw::r600::Listing;
use crate::vliw::simd::run;
use std::sync::Arc;

/// Programs that represent a population, if a work-group runs one at a time.
const PROGRAMS: u32 = 12;
/// Work-groups that represent all, with one program per work-item.
const DIVERGENT_GROUPS: u32 = 2;
/// Iterations of the main loop that are executed, if there are as many: the first, the last, and the repeated one between them.
const ITERATIONS: u32 = 3;
/// Cases on which programs per work-item are executed. The choice of cases does not matter, but they are not all there are.
const DIVERGENT_CASES: u32 = 1000;

/// Key of a sample: kernel, stack, work-groups' size, cases, iterations.
type Key = (Strategy, Domain, Placement, u32, u32, u32);

/// Key of a timing: its sample, the machine, and the work-groups and iterations that are timed.
type TimeKey = (Key, String, Vec<u32>, Vec<u32>);

/// Executes and times cells, and caches both.
#[derive(Debug)]
pub struct Timed {
    seed: u64,
    samples: Memo<Key, Sample>,
    times: Memo<TimeKey, Times>,
}

/// Timing of a sample: for every number of work-groups, one or two points by number of iterations.
type Times = Vec<Vec<Point>>;

/// Result of timing a cell.
#[derive(Debug, Clone)]
pub struct Run {
    /// Cycles for fewer and more work-groups, each with fewer and more iterations.
    times: Arc<Times>,
    /// Work-groups and iterations to extrapolate to.
    target: (f64, f64),
}

#[derive(Debug, Clone, Copy)]
struct Point {
    groups: f64,
    iterations: f64,
    cycles: f64,
}

impl Run {
    /// Returns the cycles of the whole cell: linear in iterations for each number of work-groups, then in work-groups.
    pub fn cycles(&self) -> f64 {
        let (groups, iterations) = self.target;
        let along = |points: &Vec<Point>| {
            let cycles = line(iterations, points, |p| p.iterations);
            Point {
                cycles,
                ..points[0]
            }
        };
        let by_groups: Vec<_> = self.times.iter().map(along).collect();
        line(groups, &by_groups, |p| p.groups)
    }
}

/// Returns the value at `x` of the line through one or two points.
fn line(x: f64, points: &[Point], of: impl Fn(&Point) -> f64) -> f64 {
    let (first, last) = (&points[0], &points[points.len() - 1]);
    let run = of(last) - of(first);
    if run == 0.0 {
        return last.cycles;
    }
    let slope = (last.cycles - first.cycles) / run;
    last.cycles + (x - of(last)) * slope
}

impl Timed {
    pub fn new(seed: u64) -> Self {
        Timed {
            seed,
            samples: Memo::default(),
            times: Memo::default(),
        }
    }

    pub fn run(
        &self,
        cell: GpoclConfiguration,
        placement: Placement,
        machine: Machine,
    ) -> Result<Run, JuniperError> {
        let range = Spread::new(cell, &machine);
        let listing = listing(cell.strategy, cell.domain, placement)?;
        let wavefronts = range.local_size.div_ceil(LANES as u32);
        let local_bytes = match cell.strategy {
            Strategy::Pppe => 0,
            Strategy::Fp | Strategy::Ppcu => LOCAL_BYTES,
        };
        let resident = machine.resident_groups(wavefronts, listing.n_registers, local_bytes);
        if resident == 0 {
            return Err(JuniperError::Room {
                lanes: range.local_size,
                registers: listing.n_registers,
            });
        }
        let sample = self.sample(cell, placement, &range, &listing)?;
        let layout = GroupLayout {
            cell,
            range,
            sample: &sample,
            machine,
        };
        let times = self.times.get(
            (
                key(cell, placement, &range),
                format!("{machine:?}"),
                layout.group_counts(),
                layout.iteration_counts(),
            ),
            || times(&layout, resident as usize),
        );
        Ok(Run {
            times,
            target: (
                f64::from(range.groups_per_simd),
                f64::from(range.iterations),
            ),
        })
    }

    fn sample(
        &self,
        cell: GpoclConfiguration,
        placement: Placement,
        range: &Spread,
        listing: &Listing,
    ) -> Result<Arc<Sample>, JuniperError> {
        let make = || self.execute(cell, placement, range, listing);
        self.samples.try_get(key(cell, placement, range), make)
    }

    fn execute(
        &self,
        cell: GpoclConfiguration,
        placement: Placement,
        range: &Spread,
        listing: &Listing,
    ) -> Result<Sample, JuniperError> {
        let iterations = range.iterations.min(ITERATIONS);
        let (n_groups, n_programs) = match cell.strategy {
            Strategy::Fp => (1, range.iterations.min(PROGRAMS)),
            Strategy::Ppcu => (PROGRAMS, PROGRAMS),
            Strategy::Pppe => (DIVERGENT_GROUPS, DIVERGENT_GROUPS * range.local_size),
        };
        let mut dice = Dice::new(self.seed, 0);
        let trees: Vec<_> = (0..n_programs)
            .map(|_| tree(cell.domain, &mut dice))
            .collect();
        let n_errors = n_programs * range.n_groups.max(1);
        let dataset = executed_cases(cell);
        let mut buffers = Buffers::new(&trees, dataset, n_errors, placement, self.seed);
        let groups = (0..n_groups).map(|group| {
            let sizes = Sizes {
                group,
                n_groups: range.n_groups,
                local_size: range.local_size,
                chunks: iterations,
                most_iterations: match cell.strategy {
                    Strategy::Pppe => iterations as usize,
                    Strategy::Fp | Strategy::Ppcu => usize::MAX,
                },
            };
            buffers.execute(listing, sizes)
        });
        Ok(groups.collect::<Result<_, _>>()?)
    }
}

fn key(cell: GpoclConfiguration, placement: Placement, range: &Spread) -> Key {
    let iterations = match cell.strategy {
        Strategy::Fp => range.iterations.min(PROGRAMS),
        Strategy::Pppe | Strategy::Ppcu => range.iterations.min(ITERATIONS),
    };
    let cases = executed_cases(cell);
    (
        cell.strategy,
        cell.domain,
        placement,
        range.local_size,
        cases,
        iterations,
    )
}

fn executed_cases(cell: GpoclConfiguration) -> u32 {
    match cell.strategy {
        Strategy::Pppe => cell.dataset.min(DIVERGENT_CASES),
        Strategy::Fp | Strategy::Ppcu => cell.dataset,
    }
}

fn times(layout: &GroupLayout, resident: usize) -> Times {
    let mut times = Vec::new();
    for groups in layout.group_counts() {
        let timed = layout.iteration_counts().into_iter().map(|iterations| {
            let work = layout.groups(groups, iterations);
            let time = run(layout.machine, &work, resident, layout.l2_share());
            Point {
                groups: f64::from(groups),
                iterations: f64::from(iterations),
                cycles: time.cycles,
            }
        });
        times.push(timed.collect());
    }
    times
}
