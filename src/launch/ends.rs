//! The end of a grid of a few waves, and of a sample of its multiprocessors.
//!
//! Units: cycles of a multiprocessor. Sources: expected maximum of n normal deviates, Cramér, Mathematical Methods of Statistics,
//! section 28.6; standard error of a mean of some of a finite number, Cochran, Sampling Techniques, section 2.6.

use super::grid::Sample;
use super::placement::Placement;
use crate::util::elementary::ln;

const EULER_GAMMA: f64 = 0.577_215_664_901_532_9;

/// Returns the end of a grid from the `cycles` of some of its multiprocessors. Up to one wave nothing is evened out: the last
/// multiprocessor determines the end. With more blocks, which start as slots get free, all multiprocessors take about the same time.
pub(crate) fn last_to_end(grid: &Placement, sample: &Sample, cycles: &[f64]) -> f64 {
    match sample {
        Sample::Longest(_, ends) if grid.waves() > 1.0 => {
            ends.last * cycles.iter().sum::<f64>() / ends.sampled.iter().sum::<f64>()
        }
        Sample::Longest(..) => cycles.iter().copied().fold(0.0, f64::max),
        _ if grid.waves() <= 1.0 => expected_maximum(cycles, grid.longest_multiprocessors()),
        _ => mean(cycles),
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the standard deviation of values around their mean.
fn deviation(drawn: &[f64]) -> f64 {
    let mean = mean(drawn);
    let squares: f64 = drawn.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (drawn.len() - 1) as f64).sqrt()
}

/// Returns the standard error of the mean of values drawn from `n`; 0 if all were drawn, or only one.
pub(crate) fn standard_error(drawn: &[f64], n: u32) -> f64 {
    let sampled = drawn.len() as f64;
    match drawn.len() < 2 {
        true => 0.0,
        false => deviation(drawn) * ((1.0 - sampled / f64::from(n)).max(0.0) / sampled).sqrt(),
    }
}

/// Returns the expected maximum of `n` values of which some were drawn, assuming a normal distribution.
fn expected_maximum(drawn: &[f64], n: u32) -> f64 {
    let largest = drawn.iter().copied().fold(0.0, f64::max);
    if n as usize <= drawn.len() || drawn.len() < 2 {
        return largest;
    }
    let ln_n = ln(f64::from(n));
    let root = (2.0 * ln_n).sqrt();
    let far = (ln(ln_n) + ln(4.0 * std::f64::consts::PI)) / 2.0;
    largest.max(mean(drawn) + deviation(drawn) * (root - (far - EULER_GAMMA) / root))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of the largest of 100 normal deviates is 2.51 (Tippett's tables).
    #[test]
    fn the_largest_of_many_lies_as_far_out_as_tables_say() {
        let drawn = [-1.0, 1.0, -1.0, 1.0].map(|step| 100.0 + step * 0.75f64.sqrt());
        let largest = expected_maximum(&drawn, 100) - 100.0;
        assert!((largest - 2.51).abs() < 0.08, "{largest}");
        assert_eq!(expected_maximum(&drawn, 4), drawn[1]);
    }

    #[test]
    fn the_mean_of_all_is_certain_and_that_of_some_is_not() {
        let drawn = [9.0, 11.0, 9.0, 11.0];
        assert_eq!(standard_error(&drawn, 4), 0.0);
        let of_many = standard_error(&drawn, 1_000_000);
        assert!(
            (of_many - (4.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-3,
            "{of_many}"
        );
        assert_eq!(standard_error(&drawn[..1], 9), 0.0);
    }
}
