//! A grid of programs drawn from a corpus.
//!
//! Models: the population of one generation, one program per block, representative of a whole run: drawn by
//! systematic sampling over programs sorted by stack depth and size, so that every draw has nearly the same
//! mix, then shuffled into grid order.
//! Leaves out: which generation a program came from.
//! Units: programs, nodes. Sources: systematic sampling, Cochran, Sampling Techniques, chapter 8.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::gp::corpus::Corpus;
use crate::gp::program::Rpn;
use crate::gp::stack_depth::rpn_stack_depth;
use crate::gp::weights::{Weights, WeightsError, weights_for_depth_percentages};

/// Programs and the order in which blocks execute them.
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    /// Every distinct program of the grid.
    pub programs: Vec<Rpn>,
    /// Program index of every block, in grid order.
    pub grid: Vec<u32>,
    /// How the corpus was weighted, in one sentence; every prediction says so.
    pub weighting: String,
}

/// Why no population could be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PopulationError {
    #[error("corpus has no programs")]
    Empty,
    #[error("depth percentages: {0}")]
    Weights(#[from] WeightsError),
}

impl Population {
    /// Draws `n_blocks` programs. `depth_percentages` are the cumulative percentages of RPN stack depth that
    /// the corpus is brought to; `None` takes it as it is.
    pub fn draw(
        corpus: &Corpus,
        depth_percentages: Option<&[(usize, f64)]>,
        n_blocks: usize,
        seed: u64,
    ) -> Result<Self, PopulationError> {
        if corpus.entries.is_empty() {
            return Err(PopulationError::Empty);
        }
        let (weights, weighting) = match depth_percentages {
            None => (
                vec![1.0; corpus.entries.len()],
                "corpus as evolved".to_owned(),
            ),
            Some(percentages) => {
                let weights = weights_for_depth_percentages(&corpus.rpn_depths(), percentages)?;
                let text = describe(&weights);
                (weights.weights, text)
            }
        };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let chosen = systematic(corpus, &weights, n_blocks, &mut rng);
        let (mut programs, mut grid): (Vec<Rpn>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut last = usize::MAX;
        for index in chosen {
            if index != last {
                programs.push(corpus.entries[index].program.clone());
                last = index;
            }
            grid.push(programs.len() as u32 - 1);
        }
        grid.shuffle(&mut rng);
        Ok(Population {
            programs,
            grid,
            weighting,
        })
    }

    /// Mean number of nodes over the blocks of the grid.
    pub fn mean_nodes(&self) -> f64 {
        let nodes: usize = self
            .grid
            .iter()
            .map(|&p| self.programs[p as usize].0.len())
            .sum();
        nodes as f64 / self.grid.len() as f64
    }
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

/// Indices of `n` programs, each expected `n * weight / sum` times, in order of depth and size.
fn systematic(corpus: &Corpus, weights: &[f64], n: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..corpus.entries.len()).collect();
    // A random order within equal keys, so that different seeds draw different programs.
    order.shuffle(rng);
    order.sort_by_key(|&i| {
        let program = &corpus.entries[i].program;
        (rpn_stack_depth(program), program.0.len())
    });
    let total: f64 = weights.iter().sum();
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
