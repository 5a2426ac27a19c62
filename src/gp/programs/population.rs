//! A grid of programs drawn from a corpus.
//!
//! Models: the programs of a whole run, one per block, drawn by systematic sampling over programs sorted by stack depths and
//! size, so that every draw has nearly the same mix, then shuffled; and launches of single generations.
//! Leaves out: breeding.
//! Units: programs, nodes. Sources: systematic sampling, Cochran, Sampling Techniques, chapter 8.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::inferred::Inferred;
use crate::gp::corpus::Corpus;
use crate::gp::program::Rpn;
use crate::gp::record::Size;
use crate::gp::stack_depth::{lgp_stack_depth, rpn_stack_depth};
use crate::gp::weights::{Margin, Weights, WeightsError, weights_for_margins};

/// Programs of a run: a representative sample of all generations, and the sizes of single generations.
#[derive(Debug)]
pub struct Population {
    /// Unique number within this process.
    id: u64,
    /// Every distinct program of the sample.
    pub programs: Vec<Rpn>,
    /// Program index of every block of the sample, with neighbours as different as possible (see `spread`).
    pub sample: Vec<u32>,
    /// Nodes of every block of a launch, in grid order, for some generations of the run. Programs of one generation are more
    /// alike in size than those of a whole run, which affects the end of a grid.
    pub grids: Vec<Vec<u32>>,
    /// Longest program of each of these launches, if it is not among the programs: a launch reserves shared memory for it in
    /// every block.
    pub longest: Option<Vec<Size>>,
    /// Program of every block of the one launch, in grid order, if known.
    pub blocks: Option<Vec<u32>>,
    /// Factor on the warp instructions that slow operands add.
    pub slow_operands: f64,
    /// Weighting of the corpus, in one sentence that every prediction quotes.
    pub weighting: String,
}

/// Cumulative percentages of programs within a stack limit, in both representations.
#[derive(Debug, Clone, PartialEq)]
pub struct DepthPercentages {
    /// `(limit, percent)` of postfix programs.
    pub rpn: Vec<(usize, f64)>,
    /// `(limit, percent)` of linear programs.
    pub lgp: Vec<(usize, f64)>,
}

impl DepthPercentages {
    fn weights(&self, corpus: &Corpus, start: Vec<f64>) -> Result<Weights, WeightsError> {
        let depths = |of: fn(&Rpn) -> usize| -> Vec<usize> {
            corpus.entries.iter().map(|e| of(&e.program)).collect()
        };
        let (rpn, lgp) = (depths(rpn_stack_depth), depths(lgp_stack_depth));
        let margins = [
            Margin {
                depths: &lgp,
                percentages: &self.lgp,
            },
            Margin {
                depths: &rpn,
                percentages: &self.rpn,
            },
        ];
        weights_for_margins(&margins, start)
    }
}

/// Error in drawing a population.
#[derive(Debug, thiserror::Error)]
pub enum PopulationError {
    #[error("corpus has no programs")]
    Empty,
    #[error("depth percentages: {0}")]
    Weights(#[from] WeightsError),
}

impl Population {
    /// Draws `n_blocks` programs. The corpus is weighted to the percentages `depths`, or used as it is for `None`, and corrected
    /// by the factors `inferred`.
    pub fn draw(
        corpus: &Corpus,
        depths: Option<&DepthPercentages>,
        inferred: Inferred,
        n_blocks: usize,
        seed: u64,
    ) -> Result<Self, PopulationError> {
        if corpus.entries.is_empty() {
            return Err(PopulationError::Empty);
        }
        let (weights, mut weighting) = weighted(corpus, depths, inferred.mean_nodes)?;
        if inferred != Inferred::default() {
            weighting = format!("{weighting}; {}", inferred.describe());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let all: Vec<usize> = (0..corpus.entries.len()).collect();
        let chosen = systematic(corpus, &all, &weights, n_blocks, &mut rng);
        let (mut programs, mut sample): (Vec<Rpn>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut last = usize::MAX;
        for index in chosen {
            if index != last {
                programs.push(corpus.entries[index].program.clone());
                last = index;
            }
            sample.push(programs.len() as u32 - 1);
        }
        let sample = spread(&sample, rng.random::<f64>());
        let (grids, longest) = draw_grids(corpus, &weights, n_blocks, &mut rng);
        Ok(Population {
            id: next_id(),
            programs,
            sample,
            grids,
            longest: Some(
                longest
                    .iter()
                    .map(|size| size.times(inferred.longest))
                    .collect(),
            ),
            blocks: None,
            slow_operands: inferred.slow_operands,
            weighting,
        })
    }

    /// Makes one launch of exactly these programs, one block each in their order, repeated up to `n_blocks` blocks.
    pub fn of_list(list: &[Rpn], n_blocks: usize) -> Result<Self, PopulationError> {
        let list = &list[..n_blocks.min(list.len())];
        if list.is_empty() {
            return Err(PopulationError::Empty);
        }
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by_cached_key(|&i| size_key(&list[i]));
        let mut place = vec![0; list.len()];
        for (at, &i) in order.iter().enumerate() {
            place[i] = at as u32;
        }
        let blocks: Vec<u32> = place.iter().copied().cycle().take(n_blocks).collect();
        let programs: Vec<Rpn> = order.iter().map(|&i| list[i].clone()).collect();
        let mut sorted = blocks.clone();
        sorted.sort_unstable();
        let nodes = |&program: &u32| programs[program as usize].0.len() as u32;
        Ok(Population {
            id: next_id(),
            sample: spread(&sorted, 0.0),
            grids: vec![blocks.iter().map(nodes).collect()],
            longest: None,
            blocks: Some(blocks),
            slow_operands: 1.0,
            weighting: format!("{} given programs in {n_blocks} blocks", list.len()),
            programs,
        })
    }

    /// Returns a number unique within this process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the mean number of nodes over the blocks of the sample.
    pub fn mean_nodes(&self) -> f64 {
        let nodes: usize = self
            .sample
            .iter()
            .map(|&p| self.programs[p as usize].0.len())
            .sum();
        nodes as f64 / self.sample.len() as f64
    }
}

fn next_id() -> u64 {
    static NEXT_ID: AtomicU64 = AtomicU64::new(0);
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

/// Returns weights of the corpus' programs and a description of them: stack depths as given, and the mean size at those depths
/// scaled by `mean_nodes`. Within a depth, programs count in proportion to a power of their nodes.
fn weighted(
    corpus: &Corpus,
    depths: Option<&DepthPercentages>,
    mean_nodes: f64,
) -> Result<(Vec<f64>, String), PopulationError> {
    let nodes: Vec<f64> = (corpus.entries.iter())
        .map(|entry| entry.program.0.len() as f64)
        .collect();
    let with_power = |power: f64| {
        let start: Vec<f64> = nodes.iter().map(|nodes| nodes.powf(power)).collect();
        match depths {
            None => Ok((start, "corpus as evolved".to_owned())),
            Some(percentages) => {
                let weights = percentages.weights(corpus, start)?;
                let text = describe(&weights);
                Ok::<_, PopulationError>((weights.weights, text))
            }
        }
    };
    let as_drawn = with_power(0.0)?;
    if mean_nodes == 1.0 {
        return Ok(as_drawn);
    }
    let mean = |weights: &[f64]| {
        let sum: f64 = weights.iter().zip(&nodes).map(|(w, n)| w * n).sum();
        sum / weights.iter().sum::<f64>()
    };
    let wanted = mean_nodes * mean(&as_drawn.0);
    let (mut below, mut above) = (-GREATEST_POWER, GREATEST_POWER);
    for _ in 0..BISECTIONS {
        let power = 0.5 * (below + above);
        match mean(&with_power(power)?.0) < wanted {
            true => below = power,
            false => above = power,
        }
    }
    with_power(0.5 * (below + above))
}

/// Largest power of the nodes by which programs count, and bisections of the range.
const GREATEST_POWER: f64 = 4.0;
const BISECTIONS: usize = 24;

/// Reorders a sorted sample so that every run of neighbours covers its whole range evenly: a window that simulates a few blocks
/// sees the mix of all. The order is the van der Corput sequence, rotated by `turn` (0 to 1).
fn spread(sorted: &[u32], turn: f64) -> Vec<u32> {
    let n = sorted.len();
    let bits = n.next_power_of_two().trailing_zeros();
    let offset = (turn * n as f64) as usize;
    (0..1usize << bits)
        .map(|i| i.reverse_bits() >> (usize::BITS - bits).min(usize::BITS - 1))
        .filter(|&position| position < n)
        .map(|position| sorted[(position + offset) % n])
        .collect()
}

/// Number of generations whose launches represent the run.
const N_GRIDS: usize = 32;

/// Draws launches of generations, chosen in proportion to their programs' weights, so that all launches together have the
/// weighted mix: each draws from one generation of one run and its neighbours.
fn draw_grids(
    corpus: &Corpus,
    weights: &[f64],
    n_blocks: usize,
    rng: &mut ChaCha8Rng,
) -> (Vec<Vec<u32>>, Vec<Size>) {
    let chosen = chosen_generations(corpus, weights);
    chosen
        .into_iter()
        .filter_map(|(run, generation)| {
            let near: Vec<usize> = (0..corpus.entries.len())
                .filter(|&e| {
                    let entry = &corpus.entries[e];
                    entry.run == run
                        && entry.generation.abs_diff(generation) <= 1
                        && weights[e] > 0.0
                })
                .collect();
            let chosen = systematic(corpus, &near, weights, n_blocks, rng);
            let sizes = chosen.iter().map(|&e| Size::of(&corpus.entries[e].program));
            let sampled = sizes.max_by_key(|size| size.nodes)?;
            let longest = corpus.header.longest(run, generation).unwrap_or(sampled);
            let mut grid: Vec<u32> = chosen
                .iter()
                .map(|&e| corpus.entries[e].program.0.len() as u32)
                .collect();
            grid.shuffle(rng);
            Some((grid, longest))
        })
        .unzip()
}

/// Returns `(run, generation)` of every launch, in proportion to the weights of its programs.
fn chosen_generations(corpus: &Corpus, weights: &[f64]) -> Vec<(u32, u32)> {
    let mut of_generation: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for (entry, weight) in corpus.entries.iter().zip(weights) {
        *of_generation
            .entry((entry.run, entry.generation))
            .or_default() += weight;
    }
    let step = of_generation.values().sum::<f64>() / N_GRIDS as f64;
    let (mut next, mut cumulative) = (0.5 * step, 0.0);
    let mut chosen = Vec::with_capacity(N_GRIDS);
    for (generation, weight) in of_generation {
        cumulative += weight;
        while next < cumulative && chosen.len() < N_GRIDS {
            chosen.push(generation);
            next += step;
        }
    }
    chosen
}

fn describe(weights: &Weights) -> String {
    let mut text = format!(
        "corpus weighted to given depth percentages (largest weight {:.2})",
        weights.largest
    );
    for merged in &weights.merged {
        text.push_str("; ");
        text.push_str(merged);
    }
    text
}

/// Sort key of programs: stack depths, then size.
fn size_key(program: &Rpn) -> (usize, usize, usize) {
    let depths = (rpn_stack_depth(program), lgp_stack_depth(program));
    (depths.0, depths.1, program.0.len())
}

/// Returns indices of `n` of the `candidates`, each expected `n * weight / sum` times, in order of depth and size.
fn systematic(
    corpus: &Corpus,
    candidates: &[usize],
    weights: &[f64],
    n: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<usize> {
    let mut order = candidates.to_vec();
    // A random order within equal keys, so that different seeds draw different programs.
    order.shuffle(rng);
    order.sort_by_cached_key(|&i| size_key(&corpus.entries[i].program));
    let total: f64 = order.iter().map(|&i| weights[i]).sum();
    let step = total / n as f64;
    let mut next = step * rng.random::<f64>();
    let mut cumulative = 0.0;
    let mut chosen = Vec::with_capacity(n);
    for &i in &order {
        cumulative += weights[i];
        while next < cumulative && chosen.len() < n {
            chosen.push(i);
            next += step;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_launched_in_its_order_and_repeated() {
        let list: Vec<Rpn> = ["X1 X1 + X1 +", "X1", "X1 X1 +"]
            .map(|text| text.parse().unwrap())
            .to_vec();
        let population = Population::of_list(&list, 7).unwrap();
        assert_eq!(population.grids, vec![vec![5, 1, 3, 5, 1, 3, 5]]);
        let blocks = population.blocks.as_ref().unwrap();
        for (block, program) in blocks.iter().enumerate() {
            assert_eq!(population.programs[*program as usize], list[block % 3]);
        }
        let mut sample = population.sample.clone();
        sample.sort_unstable();
        let mut sorted = blocks.clone();
        sorted.sort_unstable();
        assert_eq!(sample, sorted);
        assert!(Population::of_list(&[], 7).is_err());
        assert_eq!(Population::of_list(&list, 2).unwrap().programs.len(), 2);
    }

    #[test]
    fn a_spread_sample_keeps_every_block_and_its_prefixes_cover_the_range() {
        let sorted: Vec<u32> = (0..1000).collect();
        let mut order = spread(&sorted, 0.3);
        let mut quarters = [0; 4];
        for &block in &order[..16] {
            quarters[block as usize / 250] += 1;
        }
        assert!(
            quarters.iter().all(|&n| (3..=5).contains(&n)),
            "{quarters:?}"
        );
        order.sort_unstable();
        assert_eq!(order, sorted);
    }
}
