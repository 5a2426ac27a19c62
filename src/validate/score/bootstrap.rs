//! Interval of a mean by drawing whole clusters.
//!
//! Models: launches of one population on one card err alike, so whole populations are drawn with replacement (clustered bootstrap).
//! Leaves out: cards, as each block has one. Units: those of the values.
//! Sources: Cameron, Gelbach and Miller, Bootstrap-Based Improvements for Inference with Clustered Errors, 2008.

use crate::gp::evolve::dice::Dice;
use std::collections::BTreeMap;

const DRAWS: usize = 2000;
const SEED: u64 = 39;
/// Probability on either side of the interval.
const TAIL: f64 = 0.05;

/// Returns the 90 % interval of the mean; `None` for fewer than two clusters.
pub fn interval(values: &[(&str, f64)]) -> Option<(f64, f64)> {
    let mut clusters: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (cluster, value) in values {
        let (sum, n) = clusters.entry(cluster).or_default();
        *sum += value;
        *n += 1.0;
    }
    let clusters: Vec<(f64, f64)> = clusters.into_values().collect();
    if clusters.len() < 2 {
        return None;
    }
    let mut dice = Dice::new(SEED, 0);
    let mut draw = || {
        let drawn = (0..clusters.len()).map(|_| dice.pick(&clusters));
        let (sum, n) = drawn.fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
        sum / n
    };
    let mut means: Vec<f64> = (0..DRAWS).map(|_| draw()).collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[(share * (DRAWS - 1) as f64).round() as usize];
    Some((at(TAIL), at(1.0 - TAIL)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_that_differ_widen_the_interval() {
        let alike: Vec<(&str, f64)> = ["a", "b", "c", "d"]
            .iter()
            .flat_map(|name| [(*name, 1.0), (*name, 3.0)])
            .collect();
        assert_eq!(interval(&alike), Some((2.0, 2.0)));
        let apart: Vec<(&str, f64)> = ["a", "b", "c", "d"]
            .iter()
            .zip([1.0, 2.0, 3.0, 4.0])
            .map(|(name, value)| (*name, value))
            .collect();
        let (low, high) = interval(&apart).unwrap();
        assert!(
            low < 2.0 && high > 3.0 && (1.0..=4.0).contains(&low),
            "{low} {high}"
        );
        assert_eq!(interval(&apart), Some((low, high)), "the same each time");
        assert_eq!(interval(&[("a", 1.0), ("a", 2.0)]), None);
    }
}
