//! Settings of a GP run.
//!
//! Models: the paper's Table 2 as defaults, and settings for the choices it leaves open.
//! Leaves out: the problem.
//! Units: probabilities in 0..=1, depth in edges, size in nodes.
//! Sources: Chitty (2D stack) table 2; `docs/tables-5-6.md` for the open choices.

use serde::{Deserialize, Serialize};

/// Method of growing a random tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitMethod {
    /// Every branch reaches the depth.
    Full,
    /// Branches end at random, at the latest at the depth.
    Grow,
    /// Half of the programs full, half grown.
    Ramped,
}

/// Initial population: depths cycle from `min_depth` to `max_depth`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Init {
    pub method: InitMethod,
    pub min_depth: usize,
    pub max_depth: usize,
}

/// Mutation operator, and the unit that `mutation_probability` applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Mutation {
    /// Per offspring: replaces one subtree with a grown one.
    Subtree { max_depth: usize },
    /// Per node: replaces a function with one of the same arity, a terminal with a terminal.
    PointPerNode,
    /// Per offspring: makes one such replacement.
    Point,
    /// Per node, from the root down: replaces the subtree with a grown one.
    SubtreePerNode { max_depth: usize },
}

/// Distribution from which a random tree draws its functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionChoice {
    /// All functions are equally likely.
    Uniform,
    /// Probability in proportion to the number of operands.
    ByArity,
}

/// Crossover operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Crossover {
    /// Any subtree of the second parent replaces any of the first.
    #[default]
    Subtree,
    /// Subtree crossover whose graft has at most twice the nodes of the cut, plus one.
    SizeFair,
    /// Exchanges subtrees at the same place, within the shape that the parents share from the root.
    OnePoint,
}

/// Choice of the programs that the next generation is bred from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replacement {
    /// The offspring replace their parents.
    #[default]
    Generational,
    /// The best of parents and offspring together are kept.
    Plus,
}

/// Selection of the two parents of a crossover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParentSelection {
    /// One tournament for each parent.
    TwoTournaments,
    /// The best and the second best of one tournament.
    BestTwo,
}

/// Rule by which selection prefers the smaller program.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parsimony {
    /// Prefers it between two programs whose errors differ by at most this fraction of the larger error.
    Near(f64),
    /// Prefers it with this probability per comparison, regardless of the errors; and between equals.
    Coin(f64),
}

/// Settings of a GP run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolveConfig {
    pub population: usize,
    /// Evaluated generations, the initial one included.
    pub generations: u32,
    pub max_depth: usize,
    pub max_size: usize,
    pub tournament: usize,
    pub crossover_probability: f64,
    pub mutation_probability: f64,
    pub init: Init,
    pub function_choice: FunctionChoice,
    pub mutation: Mutation,
    pub mates: ParentSelection,
    #[serde(default)]
    pub crossover: Crossover,
    /// Probability that a crossover point is a function; absent: all nodes are equally likely.
    pub crossover_function_bias: Option<f64>,
    /// Absent: the better program wins; ties go to the first drawn.
    pub parsimony: Option<Parsimony>,
    /// Number of best programs that enter the next generation unchanged.
    pub elitism: usize,
    #[serde(default)]
    pub replacement: Replacement,
    /// Ends the run with the generation that solves the problem.
    pub stop_when_solved: bool,
}

/// Table 2; where it leaves a choice open, the setting that came closest to Tables 5 and 6.
impl Default for EvolveConfig {
    fn default() -> Self {
        EvolveConfig {
            population: 1000,
            generations: 50,
            max_depth: 50,
            max_size: 1000,
            tournament: 7,
            crossover_probability: 0.95,
            mutation_probability: 0.2,
            init: Init {
                method: InitMethod::Full,
                min_depth: 2,
                max_depth: 2,
            },
            function_choice: FunctionChoice::ByArity,
            mutation: Mutation::PointPerNode,
            mates: ParentSelection::BestTwo,
            crossover: Crossover::Subtree,
            crossover_function_bias: Some(0.5),
            parsimony: Some(Parsimony::Near(0.0)),
            elitism: 50,
            replacement: Replacement::Generational,
            stop_when_solved: false,
        }
    }
}

/// Error for a setting outside its range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("setting `{field}` is {given}, allowed: {allowed}")]
pub struct ConfigError {
    pub field: &'static str,
    pub given: String,
    pub allowed: &'static str,
}

impl Mutation {
    /// Returns the depth of the trees it grows, if it grows any.
    fn grows(self) -> Option<usize> {
        match self {
            Mutation::Subtree { max_depth } | Mutation::SubtreePerNode { max_depth } => {
                Some(max_depth)
            }
            Mutation::PointPerNode | Mutation::Point => None,
        }
    }
}

/// Deepest tree grown at once: with three operands everywhere it has half a million nodes.
const MAX_GROWN_DEPTH: usize = 12;

impl Parsimony {
    fn in_range(self) -> bool {
        match self {
            Parsimony::Near(fraction) => fraction >= 0.0,
            Parsimony::Coin(probability) => (0.0..=1.0).contains(&probability),
        }
    }
}

impl EvolveConfig {
    /// Checks that every setting is in its range.
    pub fn check(&self) -> Result<(), ConfigError> {
        let probability = |p: f64| (0.0..=1.0).contains(&p);
        let error = |field, given: &dyn std::fmt::Display, allowed| {
            Err(ConfigError {
                field,
                given: given.to_string(),
                allowed,
            })
        };
        match self {
            c if c.population == 0 || c.population > 1 << 24 => {
                error("population", &c.population, "1 to 16777216")
            }
            c if c.generations == 0 => error("generations", &c.generations, "1 or more"),
            c if c.tournament == 0 || c.tournament > 1 << 16 => {
                error("tournament", &c.tournament, "1 to 65536")
            }
            c if c.max_size == 0 || c.max_size > 1 << 20 => {
                error("max_size", &c.max_size, "1 to 1048576")
            }
            c if c.elitism > c.population => error("elitism", &c.elitism, "0 to population"),
            c if !probability(c.crossover_probability) => {
                error("crossover_probability", &c.crossover_probability, "0 to 1")
            }
            c if !probability(c.mutation_probability) => {
                error("mutation_probability", &c.mutation_probability, "0 to 1")
            }
            c if !c.crossover_function_bias.is_none_or(probability) => error(
                "crossover_function_bias",
                &c.crossover_function_bias.unwrap_or_default(),
                "0 to 1",
            ),
            c if !c.parsimony.is_none_or(Parsimony::in_range) => {
                let (Parsimony::Near(given) | Parsimony::Coin(given)) =
                    c.parsimony.unwrap_or(Parsimony::Near(0.0));
                error("parsimony", &given, "near: 0 or more, coin: 0 to 1")
            }
            c if c.init.min_depth > c.init.max_depth
                || c.init.max_depth > c.max_depth.min(MAX_GROWN_DEPTH) =>
            {
                error(
                    "init.max_depth",
                    &c.init.max_depth,
                    "init.min_depth to the smaller of max_depth and 12",
                )
            }
            c if c
                .mutation
                .grows()
                .is_some_and(|depth| depth > MAX_GROWN_DEPTH) =>
            {
                error(
                    "mutation.max_depth",
                    &c.mutation.grows().unwrap_or_default(),
                    "0 to 12",
                )
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::evolve::evolve;
    use crate::gp::problem::multiplexer::Multiplexer;

    #[test]
    fn defaults_are_the_committed_settings_and_round_trip() {
        let config = EvolveConfig::default();
        let committed = include_str!("../../../fixtures/runs/settings.json");
        assert_eq!(
            serde_json::from_str::<EvolveConfig>(committed).unwrap(),
            config
        );
        config.check().unwrap();
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<EvolveConfig>(&text).unwrap(), config);
    }

    /// Table 1 of Langdon 2010, as far as these settings express it; a small run of them improves.
    #[test]
    fn langdons_settings_solve_more_of_the_multiplexer() {
        let committed = include_str!("../../../fixtures/runs/settings-langdon.json");
        let config: EvolveConfig = serde_json::from_str(committed).unwrap();
        config.check().unwrap();
        let small = EvolveConfig {
            population: 400,
            generations: 12,
            ..config
        };
        let mut best = Vec::new();
        let problem = Multiplexer::MUX20.problem(1, Some(2048));
        evolve(&problem, &small, 3, |g| best.push(g.best_fitness)).unwrap();
        assert!(best[11] < best[0], "{best:?}");
    }

    #[test]
    fn unknown_and_wrong_settings_are_errors() {
        let text = serde_json::to_string(&EvolveConfig::default())
            .unwrap()
            .replacen("population", "populace", 1);
        assert!(
            serde_json::from_str::<EvolveConfig>(&text)
                .unwrap_err()
                .to_string()
                .contains("populace")
        );
        let config = EvolveConfig {
            mutation_probability: 1.5,
            ..EvolveConfig::default()
        };
        assert_eq!(
            config.check().unwrap_err().to_string(),
            "setting `mutation_probability` is 1.5, allowed: 0 to 1"
        );
        for max_depth in [13, usize::MAX] {
            for mutation in [
                Mutation::Subtree { max_depth },
                Mutation::SubtreePerNode { max_depth },
            ] {
                let config = EvolveConfig {
                    mutation,
                    ..EvolveConfig::default()
                };
                let error = config.check().unwrap_err();
                assert_eq!(error.field, "mutation.max_depth");
            }
        }
    }
}
