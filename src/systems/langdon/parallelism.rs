//! Section 8's model: the time of a generation with infinitely many threads.
//!
//! Models: for each number of threads per program, a line through the times over the reciprocal of the block size, whose
//! intercept is the time of infinitely large blocks; then a line through those intercepts over the reciprocal of the threads per
//! program.
//! Units: milliseconds. Sources: Langdon 2010, section 8 and Figure 8.

use super::POPULATION;
use super::experiment::Experiment;
use super::predict::LangdonSpeed;

/// Transfer rates that the paper measured with `bandwidthTest`, to the device and back.
const MEGABYTES_PER_SECOND: [f64; 2] = [2170.0, 1433.0];

/// Returns the time to copy programs to the device and one result for each back.
pub fn transfer_milliseconds(experiment: &Experiment) -> f64 {
    let bytes = [experiment.program_bytes, 4].map(|bytes| f64::from(bytes) * f64::from(POPULATION));
    let seconds = bytes.iter().zip(MEGABYTES_PER_SECOND);
    seconds
        .map(|(bytes, rate)| 1e3 * bytes / (rate * 1e6))
        .sum()
}

/// Returns the time of a generation of the 20-multiplexer, including transfers, extrapolated to infinite parallelism; NaN with
/// fewer than two layouts in either direction.
pub fn infinite_milliseconds(speeds: &[LangdonSpeed]) -> f64 {
    let points = infinite_blocks(speeds).into_iter();
    let points = points.map(|(threads, milliseconds)| (1.0 / f64::from(threads), milliseconds));
    intercept(points.collect())
}

/// Returns the times with infinitely large blocks, for each number of threads per program.
pub fn infinite_blocks(speeds: &[LangdonSpeed]) -> Vec<(u32, f64)> {
    let mut of_programs: Vec<u32> = speeds
        .iter()
        .map(|speed| speed.layout.threads_per_program)
        .collect();
    of_programs.sort_unstable();
    of_programs.dedup();
    let of_threads = |threads: u32| {
        let same = speeds
            .iter()
            .filter(|speed| speed.layout.threads_per_program == threads);
        let point = |speed: &LangdonSpeed| {
            let reciprocal = 1.0 / f64::from(speed.layout.threads_per_block);
            (reciprocal, with_transfers(speed))
        };
        (threads, intercept(same.map(point).collect()))
    };
    of_programs.into_iter().map(of_threads).collect()
}

/// Returns the time of a generation of the 20-multiplexer in this layout, including transfers.
pub fn with_transfers(speed: &LangdonSpeed) -> f64 {
    speed.kernel_milliseconds + transfer_milliseconds(&Experiment::MUX20)
}

/// Returns the intercept of the least-squares line.
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
    use crate::systems::langdon::predict::LangdonLayout;

    #[test]
    fn transfers_take_what_the_paper_says() {
        assert!((transfer_milliseconds(&Experiment::MUX20) - 63.0).abs() < 1.0);
    }

    #[test]
    fn times_on_two_lines_give_the_time_that_they_were_made_from() {
        let speed = |program: u32, block: u32| LangdonSpeed {
            layout: LangdonLayout {
                threads_per_program: program,
                threads_per_block: block,
            },
            mean_nodes: 55.0,
            warp_instructions_per_node: 40.0,
            gpops_billion: 100.0,
            kernel_milliseconds: 150.0 + 80.0 / f64::from(program) + 900.0 / f64::from(block),
        };
        let all = [1, 8, 64].map(|program| [64, 128, 256].map(|block| speed(program, block)));
        let found = infinite_milliseconds(all.as_flattened());
        assert!((found - 150.0 - transfer_milliseconds(&Experiment::MUX20)).abs() < 1e-6);
    }
}
