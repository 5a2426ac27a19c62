//! What many launches of the papers' systems come to.
//!
//! Models: launches in parallel; those that execute the same share it. Leaves out: where they come from. Units: milliseconds, warp
//! instructions.

use super::gpocl::{self, Configuration};
use super::kernels::{Evolved, PaperLaunch};
use crate::launch::divergent::{On, Whole};
use crate::launch::prediction::PredictError;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// What is predicted for a launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Predicted {
    pub milliseconds: f64,
    pub warp_instructions: f64,
    pub threads_per_block: u32,
}

/// What is predicted for every launch, its programs drawn with the seed beside it.
pub fn predict(on: On, launches: &[(PaperLaunch, u64)]) -> Result<Vec<Predicted>, PredictError> {
    let evolved = Evolved::default();
    let mut predicted: Vec<Option<Predicted>> = launches
        .par_iter()
        .map(|&(launch, seed)| match launch {
            PaperLaunch::Gpocl(_) => Ok(None),
            launch => {
                let whole = launch.whole(on, seed, &evolved)?;
                Ok(Some(Predicted::of(launch, on, &whole)))
            }
        })
        .collect::<Result<_, PredictError>>()?;
    // GPOCL's launches share what they execute.
    let seeds: BTreeSet<u64> = launches.iter().map(|&(_, seed)| seed).collect();
    for seed in seeds {
        let of_seed = |(at, &(launch, own)): (usize, &(PaperLaunch, u64))| match launch {
            PaperLaunch::Gpocl(one) if own == seed => Some((at, one)),
            _ => None,
        };
        let (places, asked): (Vec<usize>, Vec<Configuration>) =
            launches.iter().enumerate().filter_map(of_seed).unzip();
        let wholes = gpocl::predict::generations(on, &asked, seed)?;
        for (at, whole) in places.into_iter().zip(wholes) {
            predicted[at] = Some(Predicted::of(launches[at].0, on, &whole));
        }
    }
    Ok(predicted.into_iter().flatten().collect())
}

impl Predicted {
    fn of(launch: PaperLaunch, on: On, whole: &Whole) -> Predicted {
        Predicted {
            milliseconds: whole.milliseconds,
            warp_instructions: whole.warp_instructions,
            threads_per_block: launch.threads_per_block(on),
        }
    }
}
