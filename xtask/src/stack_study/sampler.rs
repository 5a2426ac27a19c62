//! Settings drawn from everything the paper leaves out.

use warpstack::gp::evolve::EvolveConfig;
use warpstack::gp::evolve::config::{
    Crossover, FunctionChoice, Init, InitMethod, Mates, Mutation, Parsimony, Replacement,
};
use warpstack::gp::evolve::dice::Dice;

/// A setting at random.
pub fn sample(dice: &mut Dice) -> EvolveConfig {
    let low = 1 + dice.below(4);
    let high = low + dice.below(4);
    let mutation = mutation(dice);
    EvolveConfig {
        init: Init {
            method: dice.pick(&[InitMethod::Full, InitMethod::Grow, InitMethod::Ramped]),
            min_depth: low,
            max_depth: high,
        },
        mutation,
        // Table 2 says 0.2 but not of what; per node it is varied.
        mutation_probability: if per_node(mutation) {
            dice.pick(&[0.01, 0.02, 0.05, 0.1, 0.15, 0.2])
        } else {
            0.2
        },
        function_choice: dice.pick(&[FunctionChoice::Uniform, FunctionChoice::ByArity]),
        mates: dice.pick(&[Mates::TwoTournaments, Mates::TwoTournaments, Mates::BestTwo]),
        crossover: dice.pick(&[
            Crossover::Subtree,
            Crossover::Subtree,
            Crossover::SizeFair,
            Crossover::OnePoint,
        ]),
        crossover_function_bias: dice.pick(&[None, None, Some(0.5), Some(0.7), Some(0.9)]),
        parsimony: parsimony(dice),
        elitism: dice.pick(&[0, 1, 2, 10, 50, 100, 200, 300]),
        replacement: dice.pick(&[
            Replacement::Generational,
            Replacement::Generational,
            Replacement::Plus,
        ]),
        stop_when_solved: dice.chance(0.5),
        ..EvolveConfig::default()
    }
}

fn mutation(dice: &mut Dice) -> Mutation {
    let max_depth = dice.below(5);
    match dice.below(5) {
        0 | 1 => Mutation::PointPerNode,
        2 => Mutation::Subtree { max_depth },
        3 => Mutation::SubtreePerNode { max_depth },
        _ => Mutation::Point,
    }
}

fn parsimony(dice: &mut Dice) -> Option<Parsimony> {
    match dice.below(6) {
        0 => None,
        1 => Some(Parsimony::Near(0.0)),
        2 | 3 => Some(Parsimony::Near(
            dice.pick(&[0.001, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08]),
        )),
        _ => Some(Parsimony::Coin(
            dice.pick(&[0.005, 0.01, 0.02, 0.05, 0.1, 0.2]),
        )),
    }
}

/// A neighbour: one or two choices drawn anew, or the probability of mutation scaled.
pub fn varied(base: &EvolveConfig, dice: &mut Dice) -> EvolveConfig {
    let other = sample(dice);
    let mut config = base.clone();
    for _ in 0..1 + dice.below(2) {
        match dice.below(11) {
            0 => config.init.method = other.init.method,
            1 => {
                (config.init.min_depth, config.init.max_depth) =
                    (other.init.min_depth, other.init.max_depth)
            }
            2 => {
                (config.mutation, config.mutation_probability) =
                    (other.mutation, other.mutation_probability)
            }
            3 => config.parsimony = other.parsimony,
            4 => config.crossover_function_bias = other.crossover_function_bias,
            5 => config.elitism = other.elitism,
            6 => config.mates = other.mates,
            7 => config.function_choice = other.function_choice,
            8 => config.crossover = other.crossover,
            9 => config.replacement = other.replacement,
            _ if per_node(config.mutation) => {
                config.mutation_probability =
                    (config.mutation_probability * (0.6 + dice.unit() * 0.9)).min(0.3)
            }
            _ => {}
        }
    }
    config
}

fn per_node(mutation: Mutation) -> bool {
    matches!(
        mutation,
        Mutation::PointPerNode | Mutation::SubtreePerNode { .. }
    )
}
