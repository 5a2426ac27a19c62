//! `warpstack measure paper robilliard`: which of the paper's layouts are measured.

use crate::launch::prediction::PredictError;
use crate::measure::launch::Gpu;
use crate::measure::robilliard::{RobilliardMeasurement, measure};
use crate::measure::rows::Protocol;
use crate::systems::robilliard::BLOCK_SIZES;
use crate::systems::robilliard::figures::layouts;
use crate::systems::robilliard::kernel::Scheme;
use crate::systems::robilliard::predict::RobilliardLayout;
use crate::systems::robilliard::problem::Benchmark;
use crate::systems::robilliard::runs::Run;
use std::error::Error;

#[derive(Debug, clap::Args)]
pub struct RobilliardArgs {
    /// Layouts, separated by commas: blockgp, blockgp-shared, threadgp (robilliard only) [default: all]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    scheme: Vec<Scheme>,
    /// Benchmarks, separated by commas: regression-64, regression-256, regression-1024, mux6, mux11, spirals (robilliard only) [default: all]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    benchmark: Vec<String>,
}

impl RobilliardArgs {
    /// Whether layouts and benchmarks are named.
    pub fn given(&self) -> (bool, bool) {
        (!self.scheme.is_empty(), !self.benchmark.is_empty())
    }

    /// Returns the requested benchmarks, or all.
    pub fn benchmarks(&self) -> Result<Vec<Benchmark>, PredictError> {
        if self.benchmark.is_empty() {
            return Ok(Benchmark::ALL.to_vec());
        }
        let named = self.benchmark.iter().map(|name| Benchmark::named(name));
        named.collect()
    }

    /// Returns the requested layouts with each of `threads`; an empty `populations` selects every size.
    pub fn layouts(
        &self,
        threads: &[u32],
        populations: &[u32],
    ) -> Result<Vec<RobilliardLayout>, Box<dyn Error>> {
        let benchmarks = self.benchmarks()?;
        if let Some(wrong) = threads.iter().find(|given| !BLOCK_SIZES.contains(given)) {
            return Err(format!("--threads: given {wrong}; allowed: {BLOCK_SIZES:?}").into());
        }
        let asked = |layout: &RobilliardLayout| {
            (self.scheme.is_empty() || self.scheme.contains(&layout.scheme))
                && benchmarks.contains(&layout.benchmark)
                && (populations.is_empty() || populations.contains(&layout.population))
        };
        let with = |layout: RobilliardLayout| {
            let each = threads.iter();
            each.map(move |&threads_per_block| RobilliardLayout {
                threads_per_block,
                ..layout
            })
        };
        let found: Vec<RobilliardLayout> =
            layouts().into_iter().filter(asked).flat_map(with).collect();
        match found.is_empty() {
            true => Err(format!(
                "--populations: given {:?}; allowed: 100, 500, 2500, 12500, with blockgp-shared and threadgp 2500",
                populations
            )
            .into()),
            false => Ok(found),
        }
    }
}

/// A row for each layout.
pub fn measured(
    layouts: &[RobilliardLayout],
    gpu: &Gpu,
    seed: u64,
    protocol: Protocol,
) -> Result<Vec<RobilliardMeasurement>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for benchmark in Benchmark::ALL {
        let own = layouts.iter().filter(|one| one.benchmark == benchmark);
        let own: Vec<&RobilliardLayout> = own.collect();
        let populations: Vec<u32> = own.iter().map(|one| one.population).collect();
        for (layout, run) in own.iter().zip(Run::of(benchmark, &populations, seed)?) {
            rows.push(measure(gpu, **layout, &run, seed, protocol)?);
        }
    }
    Ok(rows)
}
