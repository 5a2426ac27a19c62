//! What data adds to the instructions of the traces: slow paths of divisions and functions, and diverging lanes.
//!
//! Models: traces take every branch on data as ordinary numbers do. How many warp instructions real fitness cases add was
//! counted for every kernel of the tables by executing all lanes (`examples/count_detours.rs`); here the cycles that go with
//! instructions grow by as much (Eq. S2 of `docs/sampling.md`).
//! Leaves out: that a slow path has another mix of instructions; kernels of other shapes or mathematics, which are taken to be
//! like the default ones. Units: percent of a kernel's warp instructions.
//! Sources: `fixtures/detours.csv`.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use crate::launch::cause::Cause;
use crate::launch::demand::{Counted, followed_by};
use crate::predict::{Configuration, Prediction};

const COUNTED: &str = include_str!("../../fixtures/detours.csv");

#[derive(Debug, Deserialize)]
struct Row {
    problem: String,
    kernel: String,
    stack_dim: u32,
    stack_registers: u32,
    added_percent: f64,
}

/// Problem, kernel, second dimension, levels in registers.
type Key = (String, String, u32, u32);

/// The counts by kernel. The file is part of the program; a test reads all of it.
fn counted() -> &'static FxHashMap<Key, f64> {
    static TABLE: OnceLock<FxHashMap<Key, f64>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut reader = csv::Reader::from_reader(COUNTED.as_bytes());
        let rows = reader.deserialize::<Row>().filter_map(Result::ok);
        rows.map(|row| {
            let key = (row.problem, row.kernel, row.stack_dim, row.stack_registers);
            (key, row.added_percent)
        })
        .collect()
    })
}

/// Warp instructions that data adds to a configuration's, in percent.
pub fn added_percent(configuration: &Configuration) -> f64 {
    let key = (
        configuration.problem.clone(),
        configuration.kernel.clone(),
        configuration.stack_dim,
        configuration.stack_registers,
    );
    counted().get(&key).copied().unwrap_or(0.0)
}

/// **(S2)** The prediction with what data adds to its kernel's time: cycles that go with instructions grow in proportion. Its
/// counts stay those of the trace.
pub(super) fn add(prediction: &mut Prediction) {
    prediction.added_by_data_percent = added_percent(&prediction.configuration);
    let with_instructions: u64 = Cause::ALL
        .iter()
        .filter(|&&cause| followed_by(cause) == Some(Counted::Instructions))
        .filter_map(|cause| {
            prediction
                .cpi_stack
                .iter()
                .find(|e| e.cause == cause.name())
        })
        .map(|entry| entry.cycles)
        .sum();
    let part = with_instructions as f64 / prediction.scheduler_cycles().max(1) as f64;
    let slower = 1.0 + part * prediction.added_by_data_percent / 100.0;
    let (kernel, host) = (prediction.run_milliseconds, prediction.host_milliseconds);
    if kernel > 0.0 {
        prediction.gpops_billion *= (kernel + host) / (kernel * slower + host);
        prediction.run_milliseconds *= slower;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_of_the_tables_was_counted() {
        let rows = csv::Reader::from_reader(COUNTED.as_bytes())
            .deserialize::<Row>()
            .collect::<Result<Vec<_>, _>>()
            .unwrap();
        // 6 postfix, 6 linear, 3 with vectors, 4 with registers, for each of four problems.
        assert_eq!(rows.len(), 4 * 19);
        assert_eq!(counted().len(), rows.len());
        assert!(rows.iter().all(|row| row.added_percent.abs() < 10.0));
    }

    #[test]
    fn boolean_words_divide_nothing() {
        let mux = counted().iter().filter(|(key, _)| key.0 == "mux20");
        assert!(mux.clone().count() == 19 && mux.into_iter().all(|(_, added)| *added == 0.0));
    }
}
