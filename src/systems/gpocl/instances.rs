//! Appendix A's instances, predicted: every strategy on every device, ranked in every configuration of a domain.
//!
//! Models: ten instances (two processors with one thread and with all, two GPUs with three strategies each) by their predicted speeds in
//! the 36 cells of a domain, 1 the fastest; what Shaffer's procedure says of their pairs. An instance that is predicted as a band is ranked
//! at both ends of it as well, each time among the middles of the others.
//! Leaves out: fewer than ten instances; that several may lie at an end of their bands. Units: ranks.
//! Sources: Augusto and Barbosa 2013, appendix A, tables A.7 to A.10.

use super::Domain;
use super::friedman::Friedman;
use crate::systems::figure::Figure;

/// A strategy on a device: its speeds in the cells of a domain's surface, in the order of `figures::surface`.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    pub name: String,
    pub domain: Domain,
    pub speeds: Vec<f64>,
    /// At the slow and at the fast end, if it is a band.
    pub ends: Option<[Vec<f64>; 2]>,
}

/// What is reported, and the instances to rank.
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

/// The paper's.
const RANKED: usize = 10;
/// The paper's level of significance.
const SIGNIFICANCE: f64 = 0.05;
/// Tables of ranks and of pairs, by domain.
const TABLES: [[&str; 2]; 2] = [["table A.7", "table A.8"], ["table A.9", "table A.10"]];
const ALL: &str = "ten instances";

/// Of both domains, as far as all ten instances are there.
pub fn rankings(instances: &[Instance]) -> Vec<Figure> {
    let of_domain = |domain: Domain| {
        let own = instances.iter().filter(|one| one.domain == domain);
        let own: Vec<&Instance> = own.collect();
        match own.len() {
            RANKED => ranking(&own, TABLES[domain as usize]),
            _ => Vec::new(),
        }
    };
    Domain::ALL.into_iter().flat_map(of_domain).collect()
}

fn ranking(instances: &[&Instance], [ranks, pairs]: [&'static str; 2]) -> Vec<Figure> {
    let speeds: Vec<Vec<f64>> = instances.iter().map(|one| one.speeds.clone()).collect();
    let test = Friedman::of(&speeds);
    let figure = |experiment, configuration: &str, quantity, predicted| Figure {
        experiment,
        configuration: configuration.to_owned(),
        quantity,
        predicted,
    };
    let mut figures = Vec::new();
    for (at, one) in instances.iter().enumerate() {
        let name = &one.name;
        figures.push(figure(
            ranks,
            name,
            "average rank among ten instances",
            test.ranks[at],
        ));
        let Some([slow, fast]) = &one.ends else {
            continue;
        };
        let with = |own: &Vec<f64>| {
            let mut speeds = speeds.clone();
            speeds[at].clone_from(own);
            Friedman::of(&speeds).ranks[at]
        };
        figures.extend([
            figure(
                ranks,
                name,
                "average rank at its fast end, the others at their middles",
                with(fast),
            ),
            figure(
                ranks,
                name,
                "average rank at its slow end, the others at their middles",
                with(slow),
            ),
        ]);
    }
    figures.push(figure(ranks, ALL, "Friedman's chi-square", test.chi_square));
    let mut differ = 0;
    let mut all = test.pairs();
    all.sort_by_key(|pair| pair.instances);
    for pair in all {
        let [a, b] = pair.instances.map(|at| instances[at].name.as_str());
        let differs = u8::from(pair.adjusted_p < SIGNIFICANCE);
        differ += u32::from(differs);
        figures.push(figure(
            pairs,
            &format!("{a} vs. {b}"),
            "differ significantly (1: yes)",
            differs.into(),
        ));
    }
    figures.push(figure(
        pairs,
        ALL,
        "pairs that differ significantly",
        differ.into(),
    ));
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instance `n` reaches `n + 1` in every cell, but for what `speeds` says.
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
        let of = |name: &str, quantity: &str| {
            let same =
                |one: &&Figure| one.configuration == name && one.quantity.starts_with(quantity);
            figures.iter().find(same).unwrap().predicted
        };
        assert_eq!(
            of("device 0", "average rank among"),
            (3.0 * 10.0 + 1.0) / 4.0
        );
        assert_eq!(
            of("device 9", "average rank among"),
            (3.0 * 1.0 + 2.0) / 4.0
        );
        assert_eq!(
            of("device 1", "average rank among"),
            (3.0 * 9.0 + 10.0) / 4.0
        );
        // Its slow end lies below device 0 everywhere, its fast end below device 9 alone, and once below device 0.
        assert_eq!(of("device 1", "average rank at its slow end"), 10.0);
        assert_eq!(
            of("device 1", "average rank at its fast end"),
            (3.0 * 2.0 + 3.0) / 4.0
        );
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
            (number, differ) = (number + 1, differ + pair.predicted);
        }
        assert_eq!(number, 45);
        let said = figures.last().unwrap();
        assert_eq!((said.configuration.as_str(), said.predicted), (ALL, differ));
        // Neighbours do not differ, first and last do.
        assert!(differ > 9.0 && differ <= 45.0 - 9.0);
        instances.pop();
        assert!(rankings(&instances).is_empty());
    }
}
