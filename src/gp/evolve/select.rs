//! Tournament selection.
//!
//! Models: the best of a few programs drawn with replacement; optionally the smaller of two nearly equal ones.
//! Leaves out: fitness-proportional selection.
//! Units: fitness is an error, lower is better; size in nodes.
//! Sources: Chitty (2D stack) table 2.

use super::config::{EvolveConfig, ParentSelection, Parsimony};
use super::dice::Dice;

/// A program's fitness and size, as selection compares them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub fitness: f64,
    pub n_nodes: usize,
}

/// Selects the two parents of an offspring, by index.
pub fn parents(candidates: &[Candidate], config: &EvolveConfig, dice: &mut Dice) -> (usize, usize) {
    match config.mates {
        ParentSelection::TwoTournaments => (
            tournament(candidates, config, dice),
            tournament(candidates, config, dice),
        ),
        ParentSelection::BestTwo => best_two(candidates, config, dice),
    }
}

fn best_two(candidates: &[Candidate], config: &EvolveConfig, dice: &mut Dice) -> (usize, usize) {
    let mut winner = dice.below(candidates.len());
    let mut second = winner;
    for round in 1..config.tournament {
        let rival = dice.below(candidates.len());
        if beats(
            candidates[rival],
            candidates[winner],
            config.parsimony,
            dice,
        ) {
            (second, winner) = (winner, rival);
        } else if round == 1
            || beats(
                candidates[rival],
                candidates[second],
                config.parsimony,
                dice,
            )
        {
            second = rival;
        }
    }
    (winner, second)
}

/// Returns the index of the winner of one tournament.
pub fn tournament(candidates: &[Candidate], config: &EvolveConfig, dice: &mut Dice) -> usize {
    let mut winner = dice.below(candidates.len());
    for _ in 1..config.tournament {
        let rival = dice.below(candidates.len());
        if beats(
            candidates[rival],
            candidates[winner],
            config.parsimony,
            dice,
        ) {
            winner = rival;
        }
    }
    winner
}

fn beats(
    rival: Candidate,
    holder: Candidate,
    parsimony: Option<Parsimony>,
    dice: &mut Dice,
) -> bool {
    let smaller = rival.n_nodes < holder.n_nodes;
    match parsimony {
        Some(Parsimony::Near(fraction)) if near(rival.fitness, holder.fitness, fraction) => smaller,
        Some(Parsimony::Coin(probability))
            if rival.fitness == holder.fitness || dice.chance(probability) =>
        {
            smaller
        }
        _ => rival.fitness < holder.fitness,
    }
}

fn near(a: f64, b: f64, fraction: f64) -> bool {
    a == b || (a - b).abs() <= fraction * a.max(b)
}

/// Returns the indices of the `n` best, ties by size and then by index.
pub fn best(candidates: &[Candidate], n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (candidates[a], candidates[b]);
        a.fitness
            .total_cmp(&b.fitness)
            .then(a.n_nodes.cmp(&b.n_nodes))
    });
    order.truncate(n);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(fitness: f64, n_nodes: usize) -> Candidate {
        Candidate { fitness, n_nodes }
    }

    #[test]
    fn parsimony_decides_between_near_equals_only() {
        let mut dice = Dice::new(1, 1);
        let mut wins = |a: (f64, usize), b: (f64, usize), parsimony| {
            beats(
                candidate(a.0, a.1),
                candidate(b.0, b.1),
                parsimony,
                &mut dice,
            )
        };
        let near = |fraction| Some(Parsimony::Near(fraction));
        assert!(wins((1.005, 3), (1.0, 9), near(0.01)));
        assert!(!wins((1.1, 3), (1.0, 9), near(0.01)));
        assert!(wins((f64::INFINITY, 3), (f64::INFINITY, 9), near(0.0)));
        assert!(!wins((1.0, 3), (1.0, 9), None));
        assert!(wins((9.0, 3), (1.0, 9), Some(Parsimony::Coin(1.0))));
        assert!(!wins((9.0, 3), (1.0, 9), Some(Parsimony::Coin(0.0))));
        assert!(wins((1.0, 3), (1.0, 9), Some(Parsimony::Coin(0.0))));
    }

    #[test]
    fn large_tournaments_find_the_best() {
        let candidates: Vec<_> = (0..10)
            .map(|i| candidate(f64::from((i + 5) % 10), 1))
            .collect();
        let config = EvolveConfig {
            tournament: 200,
            ..EvolveConfig::default()
        };
        assert_eq!(tournament(&candidates, &config, &mut Dice::new(1, 1)), 5);
        assert_eq!(best(&candidates, 2), [5, 6]);
    }
}
