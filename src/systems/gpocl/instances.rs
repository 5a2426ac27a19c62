//! Appendix A's instances, predicted: every strategy on every device, ranked in every configuration of a domain.
//!
//! Models: ten instances (two processors with one thread and with all, two GPUs with three strategies each), ranked by their
//! predicted speeds in the 36 cells of a domain, 1 the fastest; the significant pairs by Shaffer's procedure. An instance
//! predicted as a band is also ranked at both of its ends, each time among the central values of the others.
//! Leaves out: fewer than ten instances; several instances at the ends of their bands at once. Units: ranks.
//! Sources: Augusto and Barbosa 2013, appendix A, tables A.7 to A.10.

use super::Domain;
use super::friedman::Friedman;
use super::published::Quantity;
use crate::systems::figure::Figure;
use crate::util::band::Band;

/// A strategy on a device: its speeds in the cells of a domain's surface, in the order of `figures::surface`.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    pub name: String,
    pub domain: Domain,
    pub speeds: Vec<f64>,
    /// Speeds at the slow and at the fast end of a band.
    pub ends: Option<[Vec<f64>; 2]>,
}

impl Instance {
    /// Returns a statistic of all cells, with its range over the ends.
    pub fn band(&self, of: impl Fn(&[f64]) -> f64) -> Band {
        let ends = self.ends.iter().flatten();
        Band::over([&self.speeds].into_iter().chain(ends).map(|all| of(all)))
    }
}

/// Reported figures, and the instances to rank.
#[derive(Debug, Default)]
pub struct Outcome {
    pub figures: Vec<Figure>,
    pub instances: Vec<Instance>,
}

impl Outcome {
    pub fn extend(&mut self, other: Outcome) {
        self.figures.extend(other.figures);
        self.instances.extend(other.instances);
    }
}

/// Number of instances that the paper ranks.
const RANKED: usize = 10;
/// The paper's level of significance.
const SIGNIFICANCE: f64 = 0.05;
/// Tables of ranks and of pairs, by domain.
const TABLES: [[&str; 2]; 2] = [["table A.7", "table A.8"], ["table A.9", "table A.10"]];
const ALL: &str = "ten instances";
const RANK: &str = "average rank among ten instances";
const CHI_SQUARE: &str = "Friedman's chi-square";
const DIFFER: &str = "differ significantly (1: yes)";
const PAIRS_THAT_DIFFER: &str = "pairs that differ significantly";

/// Ranks the instances of both domains, if all ten are present.
pub fn rankings(instances: &[Instance]) -> Vec<Figure> {
    let of_domain = |&domain: &Domain| {
        let own = instances.iter().filter(|one| one.domain == domain);
        let own: Vec<&Instance> = own.collect();
        match own.len() {
            RANKED => ranking(&own, domain),
            _ => Vec::new(),
        }
    };
    Domain::ALL.iter().flat_map(of_domain).collect()
}

fn ranking(instances: &[&Instance], domain: Domain) -> Vec<Figure> {
    let [ranks, pairs] = TABLES[domain as usize];
    let speeds: Vec<Vec<f64>> = instances.iter().map(|one| one.speeds.clone()).collect();
    let test = Friedman::of(&speeds);
    let of_instance = |(at, one): (usize, &&Instance)| {
        let rank = |own: &[f64]| {
            let mut speeds = speeds.clone();
            speeds[at] = own.to_vec();
            Friedman::of(&speeds).ranks[at]
        };
        let figure = Figure::new(ranks, &one.name, RANK, one.band(rank));
        figure.of(Quantity::Rank.of(domain, &[&one.name]))
    };
    let mut figures: Vec<Figure> = instances.iter().enumerate().map(of_instance).collect();
    let chi_square = Figure::new(ranks, ALL, CHI_SQUARE, test.chi_square);
    figures.push(chi_square.of(Quantity::ChiSquare.of(domain, &[])));
    let mut number = 0;
    let mut all = test.pairs();
    all.sort_by_key(|pair| pair.instances);
    for pair in all {
        let names @ [a, b] = pair.instances.map(|at| instances[at].name.as_str());
        let differs = u32::from(pair.adjusted_p < SIGNIFICANCE);
        number += differs;
        let figure = Figure::new(pairs, format!("{a} vs. {b}"), DIFFER, f64::from(differs));
        figures.push(figure.of(Quantity::Differ.of(domain, &names)));
    }
    let number = Figure::new(pairs, ALL, PAIRS_THAT_DIFFER, f64::from(number));
    figures.push(number.of(Quantity::PairsThatDiffer.of(domain, &[])));
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes ten instances: instance `n` has the speed `n + 1` in every cell, except those given by `speeds`.
    fn ten(speeds: impl Fn(usize) -> Vec<f64>) -> Vec<Instance> {
        let instance = |n| {
            let speeds = speeds(n);
            let ends = [0.5, 9.5].map(|end| vec![end; speeds.len()]);
            Instance {
                name: format!("device {n}"),
                domain: Domain::Regression,
                speeds,
                ends: (n == 1).then_some(ends),
            }
        };
        (0..RANKED).map(instance).collect()
    }

    #[test]
    fn ranks_count_from_the_fastest_and_ends_move_one_instance_only() {
        // The slowest is the fastest in one cell of four.
        let mut instances = ten(|n| vec![n as f64 + 1.0; 4]);
        instances[0].speeds[3] = 100.0;
        let figures = rankings(&instances);
        let rank = |nth: usize| figures[nth].predicted;
        assert_eq!(rank(0), ((3.0 * 10.0 + 1.0) / 4.0).into());
        assert_eq!(rank(9), ((3.0 * 1.0 + 2.0) / 4.0).into());
        // Its slow end lies below device 0 everywhere, its fast end below device 9 alone, and once below device 0.
        let of_two_ends = Band {
            low: (3.0 * 2.0 + 3.0) / 4.0,
            value: (3.0 * 9.0 + 10.0) / 4.0,
            high: 10.0,
        };
        assert_eq!(rank(1), of_two_ends);
    }

    #[test]
    fn every_pair_of_ten_instances_is_told_and_nine_are_not_ranked() {
        let mut instances = ten(|n| vec![n as f64 + 1.0; 36]);
        let figures = rankings(&instances);
        let pairs = figures
            .iter()
            .filter(|one| one.configuration.contains(" vs. "));
        let (mut number, mut differ) = (0, 0.0);
        for pair in pairs {
            (number, differ) = (number + 1, differ + pair.predicted.value);
        }
        assert_eq!(number, 45);
        let said = figures.last().unwrap();
        assert_eq!(
            (said.configuration.as_str(), said.predicted),
            (ALL, differ.into())
        );
        // Neighbours do not differ, first and last do.
        assert!(differ > 9.0 && differ <= 45.0 - 9.0);
        instances.pop();
        assert!(rankings(&instances).is_empty());
    }
}
