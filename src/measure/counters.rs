//! Nsight Compute's counters, joined to measured rows.
//!
//! Models: what the profiler counted (`ncu`) beside the rows that the profiled `measure` wrote with one launch per
//! configuration: kernels and rows correspond in order.
//! Leaves out: what the metrics mean.
//! Units: ncu's base units, as its column `Metric Unit` names them.
//! Sources: Nsight Compute CLI documentation (console output in CSV).

use super::ncu::ProfiledLaunch;
use crate::util::rows::{self, Rows, RowsError};
use thiserror::Error;

/// Columns of a row that are meaningless for a profiled launch.
const NOT_UNDER_A_PROFILER: [&str; 9] = [
    "repeats",
    "median_ms",
    "min_ms",
    "max_ms",
    "gpops_billion",
    "checked_programs",
    "agreeing_programs",
    "undecided_programs",
    "median_relative_difference",
];

/// Counters that do not fit the rows.
#[derive(Debug, Error)]
pub enum CountersError {
    #[error(transparent)]
    Rows(#[from] RowsError),
    #[error(transparent)]
    Write(#[from] csv::Error),
    #[error(
        "counters hold {kernels} kernels, rows are {rows}; measure with --warm-ups 0 --repeats 1 for one launch a row"
    )]
    Count { kernels: usize, rows: usize },
    #[error("row {row}: {column} is {expected}, the counters of launch {row} say {found}")]
    Mismatch {
        row: usize,
        column: &'static str,
        expected: String,
        found: String,
    },
}

/// The rows without their times and checks, one column per metric appended.
pub fn join(
    rows: &str,
    rows_file: &str,
    launches: &[ProfiledLaunch],
) -> Result<Vec<u8>, CountersError> {
    let rows = Rows::read(rows, rows_file)?;
    for column in ["kernel", "threads"] {
        rows.require(column)?;
    }
    if rows.n_rows() != launches.len() {
        return Err(CountersError::Count {
            kernels: launches.len(),
            rows: rows.n_rows(),
        });
    }
    let metrics: Vec<&String> = launches
        .first()
        .map_or(Vec::new(), |launch| launch.metrics.keys().collect());
    let all = rows.header.iter().enumerate();
    let kept = all.filter(|(_, name)| !NOT_UNDER_A_PROFILER.contains(&name.as_str()));
    let (kept, mut header): (Vec<usize>, Vec<String>) =
        kept.map(|(at, name)| (at, name.clone())).unzip();
    header.extend(metrics.iter().map(|name| name.to_string()));
    let mut lines = vec![header];
    for (index, (row, launch)) in rows.iter().zip(launches).enumerate() {
        let number = index + 1;
        let kernel = row.text("kernel").replace('-', "_");
        let threads = format!("({}, 1, 1)", row.text("threads"));
        check(number, "kernel", kernel, &launch.kernel)?;
        check(number, "threads", threads, &launch.block_size)?;
        let fields = kept.iter().map(|&at| row.record[at].to_owned());
        let values = metrics.iter().map(|&name| {
            let metric = launch.metrics.get(name);
            let value = metric.and_then(|metric| metric.value);
            value.map_or(String::new(), |value| value.to_string())
        });
        lines.push(fields.chain(values).collect());
    }
    Ok(rows::write(lines)?)
}

fn check(
    row: usize,
    column: &'static str,
    expected: String,
    found: &str,
) -> Result<(), CountersError> {
    if expected == found {
        return Ok(());
    }
    Err(CountersError::Mismatch {
        row,
        column,
        expected,
        found: found.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::ncu::parse;

    const NCU: &str = "==PROF== Connected\n\
        \"ID\",\"Kernel Name\",\"Block Size\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
        \"0\",\"rpn\",\"(32, 1, 1)\",\"b\",\"inst\",\"1,234\"\n\
        \"0\",\"rpn\",\"(32, 1, 1)\",\"a\",\"%\",\"0.5\"\n\
        \"1\",\"lgp_vector\",\"(64, 1, 1)\",\"a\",\"%\",\"n/a\"\n\
        \"1\",\"lgp_vector\",\"(64, 1, 1)\",\"b\",\"inst\",\"7\"\n";
    const ROWS: &str = "kernel,threads,median_ms\nrpn,32,9\nlgp-vector,64,9\n";

    #[test]
    fn kernels_join_rows_in_order() {
        let launches = parse(NCU, "ncu.csv").unwrap();
        let joined = String::from_utf8(join(ROWS, "rows.csv", &launches).unwrap()).unwrap();
        assert_eq!(
            joined,
            "kernel,threads,a,b\nrpn,32,0.5,1234\nlgp-vector,64,,7\n"
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let message = |rows: &str| {
            let launches = parse(NCU, "ncu.csv").unwrap();
            join(rows, "rows.csv", &launches).unwrap_err().to_string()
        };
        assert!(message("kernel,threads\nrpn,32\n").contains("2 kernels, rows are 1"));
        let swapped = message("kernel,threads\nrpn,64\nlgp-vector,64\n");
        assert_eq!(
            swapped,
            "row 1: threads is (64, 1, 1), the counters of launch 1 say (32, 1, 1)"
        );
        assert!(message("kernel\nrpn\nrpn\n").contains("allowed: one with the column threads"));
    }
}
