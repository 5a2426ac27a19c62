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

/// **(S2)** The prediction with what data adds: cycles that go with instructions grow in proportion.
pub(super) fn add(prediction: &mut Prediction) {
    let growth = 1.0 + added_percent(&prediction.configuration) / 100.0;
    let before = prediction.scheduler_cycles() as f64;
    for entry in &mut prediction.cpi_stack {
        let cause = Cause::ALL.iter().find(|c| c.name() == entry.cause);
        if cause.and_then(|&c| followed_by(c)) == Some(Counted::Instructions) {
            entry.cycles = (entry.cycles as f64 * growth).round() as u64;
        }
    }
    if before == 0.0 {
        return;
    }
    let slower = prediction.scheduler_cycles() as f64 / before;
    let whole = |kernel: f64, host: f64| kernel + host;
    let (kernel, host) = (prediction.run_milliseconds, prediction.host_milliseconds);
    prediction.gpops_billion *= whole(kernel, host) / whole(kernel * slower, host);
    prediction.run_milliseconds *= slower;
    prediction.ipc *= growth / slower;
    prediction.warp_instructions_per_node *= growth;
}
