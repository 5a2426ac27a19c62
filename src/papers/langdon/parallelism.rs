//! Section 8's model: how long a generation would take with infinitely many threads.
//!
//! Models: for each number of threads per program, a line through the times over the reciprocal of the block size, whose intercept is
//! the time of infinitely large blocks; then a line through those over the reciprocal of the threads per program.
//! Units: milliseconds. Sources: Langdon 2010, section 8 and Figure 8.

use super::predict::Speed;
use super::{POPULATION, PROGRAM_BYTES};

/// Transfer rates that the paper's `bandwidthTest` shows, to the device and back.
const MEGABYTES_PER_SECOND: [f64; 2] = [2170.0, 1433.0];

/// Programs to the device and one result for each back.
pub fn transfer_milliseconds() -> f64 {
    let bytes = [PROGRAM_BYTES, 4].map(|bytes| f64::from(bytes) * f64::from(POPULATION));
    let seconds = bytes.iter().zip(MEGABYTES_PER_SECOND);
    seconds
        .map(|(bytes, rate)| 1e3 * bytes / (rate * 1e6))
        .sum()
}

/// Of a generation, transfers included, extrapolated to infinite parallelism; NaN with fewer than two layouts in either direction.
pub fn infinite_milliseconds(speeds: &[Speed]) -> f64 {
    let mut of_programs: Vec<u32> = speeds
        .iter()
        .map(|speed| speed.layout.threads_per_program)
        .collect();
    of_programs.sort_unstable();
    of_programs.dedup();
    let intercepts = of_programs.into_iter().map(|threads| {
        let same = speeds
            .iter()
            .filter(|speed| speed.layout.threads_per_program == threads);
        let points = same.map(|speed| {
            let milliseconds = speed.kernel_milliseconds + transfer_milliseconds();
            (
                1.0 / f64::from(speed.layout.threads_per_block),
                milliseconds,
            )
        });
        (1.0 / f64::from(threads), intercept(points.collect()))
    });
    intercept(intercepts.collect())
}

/// Of the least-squares line.
fn intercept(points: Vec<(f64, f64)>) -> f64 {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let of_both: f64 = points
        .iter()
        .map(|point| (point.0 - x) * (point.1 - y))
        .sum();
    let of_x: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    y - x * of_both / of_x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::langdon::predict::Layout;

    #[test]
    fn transfers_take_what_the_paper_says() {
        assert!((transfer_milliseconds() - 63.0).abs() < 1.0);
    }

    #[test]
    fn times_on_two_lines_give_the_time_that_they_were_made_from() {
        let speed = |program: u32, block: u32| Speed {
            layout: Layout {
                threads_per_program: program,
                threads_per_block: block,
            },
            resident_blocks: 1,
            mean_nodes: 55.0,
            warp_instructions_per_node: 40.0,
            warp_instructions: 0.0,
            gpops_billion: 100.0,
            kernel_milliseconds: 150.0 + 80.0 / f64::from(program) + 900.0 / f64::from(block),
        };
        let all = [1, 8, 64].map(|program| [64, 128, 256].map(|block| speed(program, block)));
        let found = infinite_milliseconds(all.as_flattened());
        assert!((found - 150.0 - transfer_milliseconds()).abs() < 1e-6);
    }
}
