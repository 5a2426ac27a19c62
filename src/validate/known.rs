//! Measured speeds of single launches: those of the main paper's tables.
//!
//! Leaves out: launches with other programs or code than the paper's; the caller asks for none of those.
//! Units: billions of GPop/s.

use super::cells::{Table, cells};
use super::measured::Measured;
use crate::gp::problem::PAPER;
use crate::launch::prediction::Prediction;
use crate::systems::options::LaunchOptions;
use crate::util::rows::RowsError;
use serde::Serialize;
use std::collections::HashMap;

/// The device whose launches the paper measured.
pub const DEVICE: &str = "gtx670";

/// A launch that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeasuredSpeed {
    pub gpops_billion: f64,
    /// Number of the paper's table.
    pub table: u32,
}

/// Every measured launch of the paper's tables.
#[derive(Debug)]
pub struct Known(HashMap<Launch, MeasuredSpeed>);

/// Problem, kernel, second dimension, levels in registers, threads per block, L1 in KiB.
type Launch = (String, String, u32, u32, u32, u32);

fn key(options: &LaunchOptions) -> Option<Launch> {
    Some((
        options.problem.clone()?,
        options.kernel.clone(),
        options.stack_dim?,
        options.stack_registers?,
        options.threads_per_block?,
        options.l1_kib?,
    ))
}

impl Known {
    /// Reads the committed tables; of a launch in several tables the first counts.
    pub fn of_paper() -> Result<Known, RowsError> {
        let mut known = HashMap::new();
        for table in Table::ALL {
            let measured = Measured::of_paper(table)?;
            for cell in PAPER.iter().flat_map(|id| cells(table, id.name())) {
                let speed = measured.get(&cell).map(|value| MeasuredSpeed {
                    gpops_billion: value.gpops_billion,
                    table: Table::number(table),
                });
                if let (Some(speed), Some(launch)) = (speed, key(&cell.options())) {
                    known.entry(launch).or_insert(speed);
                }
            }
        }
        Ok(Known(known))
    }

    /// The measured speed of a launch whose options are complete.
    pub fn of_launch(&self, options: &LaunchOptions) -> Option<MeasuredSpeed> {
        self.0.get(&key(options)?).copied()
    }

    /// The measured speed of a launch that was predicted.
    pub fn of_prediction(&self, prediction: &Prediction) -> Option<MeasuredSpeed> {
        let options = LaunchOptions {
            l1_kib: Some(prediction.l1_bytes / 1024),
            ..LaunchOptions::from(&prediction.configuration)
        };
        self.of_launch(&options)
    }
}

/// Largest ratio, in either direction, of a predicted to a measured difference that agrees with it.
const MOST_TIMES: f64 = 2.0;

/// How far a predicted difference agrees with the measured one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    Yes,
    /// Names the right winner, but predicts less than half or more than twice the difference.
    Size,
    No,
}

/// Compares two differences in percent: they agree on the same winner, and with a predicted difference of half to twice the
/// measured one. Differences below 2 % count as none.
pub fn agrees(predicted: f64, measured: f64) -> Agreement {
    const NONE: f64 = 2.0;
    if predicted.abs() < NONE && measured.abs() < NONE {
        return Agreement::Yes;
    }
    let ratio = predicted / measured;
    match ratio {
        _ if ratio <= 0.0 => Agreement::No,
        _ if (1.0 / MOST_TIMES..=MOST_TIMES).contains(&ratio) => Agreement::Yes,
        _ => Agreement::Size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_of_a_table_is_found_and_others_are_not() {
        let known = Known::of_paper().unwrap();
        let launch = |threads, l1| LaunchOptions {
            problem: Some("sextic".into()),
            stack_dim: Some(1),
            stack_registers: Some(0),
            threads_per_block: Some(threads),
            l1_kib: Some(l1),
            ..LaunchOptions::of("rpn")
        };
        let found = known.of_launch(&launch(128, 16)).unwrap();
        assert_eq!((found.gpops_billion, found.table), (23.01, 3));
        assert_eq!(known.of_launch(&launch(100, 16)), None);
        assert_eq!(known.of_launch(&launch(128, 20)), None);
    }

    #[test]
    fn agreement_is_about_the_winner_and_half_to_twice_the_size() {
        for (predicted, measured, expected) in [
            (10.0, 15.0, Agreement::Yes),
            (10.0, 21.0, Agreement::Size),
            (-10.0, -4.0, Agreement::Size),
            (11.0, -19.0, Agreement::No),
            (1.0, -1.0, Agreement::Yes),
        ] {
            assert_eq!(
                agrees(predicted, measured),
                expected,
                "{predicted} {measured}"
            );
        }
    }
}
