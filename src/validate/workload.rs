//! What measured speeds say of the paper's programs, which it does not give: at most three factors a problem.
//!
//! Models: a search over the factors, one after the other, for the smallest mean error on Table 3 and the row of 32 threads of Table 4: the
//! first depends on the mix of programs and on the host, the second on how many blocks of the longest program are resident.
//! Leaves out: every other cell; those stay held out. Units: factors; errors in percent.

use super::cells::{Cell, Table, cells};
use crate::gp::programs::Inferred;

/// Steps of a factor, coarse on purpose: finer ones would fit the noise of 29 cells.
const SIZES: [f64; 7] = [0.6, 0.75, 0.9, 1.0, 1.15, 1.3, 1.5];
const LONGEST: [f64; 9] = [0.4, 0.5, 0.65, 0.8, 1.0, 1.2, 1.4, 1.6, 2.0];
const SLOW: [f64; 5] = [0.0, 0.5, 1.0, 1.5, 2.0];
/// Times that each factor is searched.
const ROUNDS: usize = 2;
/// What a change of a factor must gain, in percentage points.
const LEAST_GAIN: f64 = 0.5;
/// Threads per block of the row of Table 4.
const ROW: u32 = 32;

/// A search's end.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub inferred: Inferred,
    /// Mean absolute error with nothing inferred, and with what was found, in percent.
    pub start_error_percent: f64,
    pub error_percent: f64,
    /// Combinations tried.
    pub tried: usize,
}

/// The cells that may be used.
pub fn workload_cells(problem: &str) -> Vec<Cell> {
    let row = cells(Table::Four, problem).into_iter();
    let row = row.filter(|cell| cell.threads_per_block == ROW);
    cells(Table::Three, problem)
        .into_iter()
        .chain(row)
        .collect()
}

/// Searches with `error_percent`, the mean absolute error on the cells.
pub fn search<E>(mut error_percent: impl FnMut(Inferred) -> Result<f64, E>) -> Result<Found, E> {
    type Set = fn(&mut Inferred, f64);
    let factors: [(&[f64], Set); 3] = [
        (&LONGEST, |inferred, value| inferred.longest = value),
        (&SIZES, |inferred, value| inferred.mean_nodes = value),
        (&SLOW, |inferred, value| inferred.slow_operands = value),
    ];
    let start = error_percent(Inferred::default())?;
    let mut found = Found {
        inferred: Inferred::default(),
        start_error_percent: start,
        error_percent: start,
        tried: 1,
    };
    for _ in 0..ROUNDS {
        for (values, set) in factors {
            for &value in values {
                let mut inferred = found.inferred;
                set(&mut inferred, value);
                if inferred == found.inferred {
                    continue;
                }
                let error = error_percent(inferred)?;
                found.tried += 1;
                if error < found.error_percent - LEAST_GAIN {
                    (found.inferred, found.error_percent) = (inferred, error);
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_table_3_and_one_row_of_table_4_are_used() {
        let cells = workload_cells("mux20");
        assert_eq!(cells.len(), 29);
        let of_row = cells.iter().filter(|cell| cell.table == Table::Four);
        assert_eq!(
            of_row.filter(|cell| cell.threads_per_block == 32).count(),
            5
        );
        assert!(
            cells
                .iter()
                .all(|cell| matches!(cell.table, Table::Three | Table::Four))
        );
    }

    #[test]
    fn the_search_finds_factors_that_matter_and_leaves_the_others() {
        let error = |inferred: Inferred| {
            let away = (inferred.longest - 1.4).abs() + 0.5 * (inferred.mean_nodes - 0.75).abs();
            Ok::<f64, ()>(3.0 + 10.0 * away)
        };
        let found = search(error).unwrap();
        assert_eq!(found.inferred.longest, 1.4);
        assert_eq!(found.inferred.mean_nodes, 0.75);
        assert_eq!(found.inferred.slow_operands, 1.0);
        assert!(found.error_percent < found.start_error_percent);
    }
}
