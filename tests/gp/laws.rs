//! Laws of programs, variation, interpreters and evolution.

use proptest::prelude::*;
use warpstack::gp::evolve::dice::Dice;
use warpstack::gp::evolve::init::Ingredients;
use warpstack::gp::evolve::{
    self, EvolveConfig, Run,
    config::{Crossover, FunctionChoice, Mutation, Replacement},
    variation,
};
use warpstack::gp::interpret::{evaluate, reference};
use warpstack::gp::primitive::Primitive;
use warpstack::gp::problem::{Cases, Dataset, Problem, Score, sextic};
use warpstack::gp::program::{Rpn, Token};
use warpstack::gp::stack_depth::{lgp_stack_depth, rpn_stack_depth};

/// Random programs over all functions, three inputs and constants.
pub fn program_of(functions: &'static [Primitive]) -> impl Strategy<Value = Rpn> {
    (any::<u64>(), 0usize..7, any::<bool>()).prop_map(move |(seed, depth, grow)| {
        let ingredients = Ingredients {
            functions: functions.to_vec(),
            function_choice: FunctionChoice::Uniform,
            n_inputs: 3,
            constants: Some((-200.0, 200.0)),
        };
        let mut tokens = Vec::new();
        ingredients.tree(
            &mut Dice::new(seed, 0),
            depth.min(if grow { 7 } else { 4 }),
            grow,
            &mut tokens,
        );
        Rpn(tokens)
    })
}

const BOOLEAN: &[Primitive] = {
    use Primitive::*;
    &[And, Or, Nand, Nor, Not, If, Equal]
};

fn problem_with(dataset: Dataset, score: Score) -> Problem {
    Problem {
        name: "test",
        functions: Primitive::ALL.to_vec(),
        constants: None,
        dataset,
        score,
        solved_error: 0.0,
    }
}

proptest! {
    #[test]
    fn text_round_trip(program in program_of(Primitive::ALL)) {
        prop_assert_eq!(program.to_string().parse::<Rpn>().unwrap(), program);
    }

    #[test]
    fn every_token_roots_a_valid_subtree(program in program_of(Primitive::ALL)) {
        for root in 0..program.n_nodes() {
            prop_assert!(Rpn(program.0[program.subtree(root)].to_vec()).check().is_ok());
        }
    }

    #[test]
    fn offspring_are_valid_and_within_limits(
        mother in program_of(Primitive::ALL), father in program_of(Primitive::ALL), seed: u64,
        mutation in prop_oneof![
            Just(Mutation::PointPerNode), Just(Mutation::Point),
            (0usize..5).prop_map(|max_depth| Mutation::Subtree { max_depth }),
            (0usize..3).prop_map(|max_depth| Mutation::SubtreePerNode { max_depth })],
        crossover in prop_oneof![
            Just(Crossover::Subtree), Just(Crossover::SizeFair), Just(Crossover::OnePoint)],
        bias in proptest::option::of(0.0..1.0f64), max_depth in 7usize..9,
    ) {
        let ingredients = Ingredients {
            functions: Primitive::ALL.to_vec(),
            function_choice: FunctionChoice::ByArity,
            n_inputs: 3,
            constants: Some((-1.0, 1.0)),
        };
        let max_size = mother.n_nodes().max(father.n_nodes()) + 20;
        let config = EvolveConfig { max_size, max_depth, mutation, crossover, crossover_function_bias: bias, ..EvolveConfig::default() };
        let child = variation::offspring(&mother, &father, &config, &ingredients, &mut Dice::new(seed, 0));
        prop_assert!(child.check_against(Primitive::ALL, 3).is_ok());
        prop_assert!(child.n_nodes() <= max_size && child.tree_depth() <= max_depth);
    }

    #[test]
    fn size_fair_offspring_are_at_most_twice_their_mother(
        mother in program_of(Primitive::ALL), father in program_of(Primitive::ALL), seed: u64,
    ) {
        let child = variation::crossover(&mother, &father, Crossover::SizeFair, None, &mut Dice::new(seed, 0));
        prop_assert!(child.n_nodes() <= 2 * mother.n_nodes() + 1);
    }

    #[test]
    fn one_point_offspring_of_parents_of_one_shape_keep_it(mother in program_of(Primitive::ALL), seed: u64) {
        let shape = |program: &Rpn| program.0.iter().map(|t| t.arity()).collect::<Vec<_>>();
        let ingredients = Ingredients {
            functions: Primitive::ALL.to_vec(),
            function_choice: FunctionChoice::Uniform,
            n_inputs: 3,
            constants: None,
        };
        let mut dice = Dice::new(seed, 0);
        let father = (0..9).fold(mother.clone(), |p, _| variation::point(&p, &ingredients, &mut dice));
        let child = variation::crossover(&mother, &father, Crossover::OnePoint, None, &mut dice);
        prop_assert_eq!(shape(&child), shape(&mother));
        prop_assert!(child.0.iter().zip(&mother.0).zip(&father.0).all(|((c, m), f)| c == m || c == f));
    }

    #[test]
    fn words_and_truth_values_agree(program in program_of(BOOLEAN), words in prop::array::uniform3(any::<u32>())) {
        let mut expected = 0;
        for bit in 0..32 {
            let inputs = words.map(|w| f64::from((w >> bit) & 1));
            expected |= u32::from(reference::value_f64(&truth_constants(&program), &inputs) != 0.0) << bit;
        }
        let cases = Cases { inputs: words.map(|w| vec![w]).to_vec(), expected: vec![expected] };
        prop_assert_eq!(evaluate([&program], &problem_with(Dataset::Word(cases), Score::WrongBits)).unwrap(), [0.0]);
    }

    #[test]
    fn lgp_never_needs_more_stack_than_rpn(program in program_of(Primitive::ALL)) {
        prop_assert!(lgp_stack_depth(&program) <= rpn_stack_depth(&program));
    }

    #[test]
    fn depths_are_those_of_the_tree(program in program_of(Primitive::ALL)) {
        let root = program.n_nodes() - 1;
        prop_assert_eq!(levels_of(&program, root, 1), rpn_stack_depth(&program));
        prop_assert_eq!(levels_of(&program, root, 0).max(1), lgp_stack_depth(&program));
    }
}

/// Levels that a tree needs: operand i runs on top of the values before it, of which a terminal takes `of_terminal` levels.
fn levels_of(program: &Rpn, root: usize, of_terminal: usize) -> usize {
    if program.0[root].arity() == 0 {
        return of_terminal;
    }
    let mut roots = Vec::new();
    let mut next = root;
    for _ in 0..program.0[root].arity() {
        roots.push(next - 1);
        next = program.subtree(next - 1).start;
    }
    let (mut below, mut most) = (0, 1);
    for &operand in roots.iter().rev() {
        let levels = levels_of(program, operand, of_terminal);
        most = most.max(below + levels);
        below += levels.min(1);
    }
    most
}

/// Constants as Boolean interpreters see them: true or false.
fn truth_constants(program: &Rpn) -> Rpn {
    let truth = |token: &Token| match *token {
        Token::Constant(c) => Token::Constant(f32::from(u8::from(c != 0.0))),
        token => token,
    };
    Rpn(program.0.iter().map(truth).collect())
}

fn history(seed: u64, config: &EvolveConfig, n_threads: usize) -> Vec<(u32, Vec<Rpn>, Vec<f64>)> {
    let problem = sextic::problem(1, 5000);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .unwrap();
    pool.install(|| {
        let mut seen = Vec::new();
        evolve::evolve(&problem, config, seed, |g| {
            seen.push((
                g.number,
                g.population.programs.clone(),
                g.population.fitness.clone(),
            ));
        })
        .unwrap();
        seen
    })
}

#[test]
fn runs_do_not_depend_on_the_number_of_threads() {
    let config = EvolveConfig {
        population: 100,
        generations: 6,
        elitism: 20,
        ..EvolveConfig::default()
    };
    let one = history(11, &config, 1);
    assert_eq!(one.len(), 6);
    assert_eq!(one, history(11, &config, 3));
    assert_ne!(one, history(12, &config, 1));
}

#[test]
fn evolution_improves_and_elites_survive() {
    let config = EvolveConfig {
        population: 200,
        generations: 15,
        elitism: 1,
        ..EvolveConfig::default()
    };
    let best: Vec<f64> = history(3, &config, 2)
        .iter()
        .map(|(_, _, f)| f.iter().copied().fold(f64::INFINITY, f64::min))
        .collect();
    assert!(best.windows(2).all(|pair| pair[1] <= pair[0]), "{best:?}");
    assert!(best.last() < best.first(), "{best:?}");
}

#[test]
fn the_best_of_parents_and_offspring_survive() {
    let problem = sextic::problem(1, 200);
    let config = EvolveConfig {
        population: 60,
        generations: 6,
        elitism: 0,
        replacement: Replacement::Plus,
        ..EvolveConfig::default()
    };
    let mut run = Run::start(&problem, &config, 4).unwrap();
    let mut before: Vec<f64> = Vec::new();
    let mut rejected = 0;
    while let Some(generation) = run.next_generation().unwrap() {
        let mut all = before.clone();
        all.extend(&generation.population.fitness);
        all.sort_by(f64::total_cmp);
        let mut parents = generation.parents.fitness.clone();
        parents.sort_by(f64::total_cmp);
        assert_eq!(parents, all[..60], "generation {}", generation.number);
        assert_eq!(generation.population.programs.len(), 60);
        rejected += all[60..].len();
        before = parents;
    }
    assert_eq!(rejected, 5 * 60);
}
