//! Does Langdon's interpreter compute what the reference interpreter does, for every thread layout, and are warps whose lanes run
//! different programs executed as such?

use warpstack::device::Preset;
use warpstack::gp::program::Rpn;
use warpstack::isa::{Arch, Kernel};
use warpstack::launch::executed::ExecutedBlock;
use warpstack::systems::langdon::evolved::{evolved, sized};
use warpstack::systems::langdon::experiment::Experiment;
use warpstack::systems::langdon::figures::layouts;
use warpstack::systems::langdon::generation::{LangdonGeneration, Launching};
use warpstack::systems::langdon::kernel::{self, Tests, encode, load, wrong};
use warpstack::systems::langdon::predict::{LangdonLayout, predict_generation};
use warpstack::systems::langdon::{POPULATION, THREADS_PER_PROGRAM, population};
use warpstack::systems::machine::Machine;
use warpstack::systems::registry::ARCHES;

const THREADS: u32 = 64;

fn programs(first: u32, n: u32) -> Vec<Rpn> {
    let program = |index| population::initial(index, 3);
    (first..first + n).map(program).collect()
}

fn executed(kernel: &Kernel, programs: &[Rpn], tests: &Tests) -> ExecutedBlock {
    let block = kernel::block(kernel, programs, tests, THREADS).unwrap();
    block.execute().unwrap()
}

#[test]
fn every_layout_finds_the_wrong_cases_of_the_reference_interpreter() {
    for arch in ARCHES {
        for threads_per_program in THREADS_PER_PROGRAM {
            let kernel = load(threads_per_program, arch).unwrap();
            let programs = programs(100, THREADS / threads_per_program);
            let tests = population::tests(Experiment::MUX20, 64, 5);
            let expected: Vec<u32> = programs.iter().map(|p| wrong(p, &tests)).collect();
            let run = executed(&kernel, &programs, &tests);
            assert_eq!(run.results, expected, "{arch}, {threads_per_program}");
            assert!(expected.iter().any(|&wrong| wrong > 0));
        }
    }
}

/// Later generations of both experiments, whose tests differ in inputs, number and places of programs.
#[test]
fn larger_programs_on_more_inputs_find_what_the_reference_interpreter_finds() {
    for experiment in Experiment::ALL {
        let kernel = load(64, Arch::Sm35).unwrap();
        let tests = population::tests(experiment, 2 * THREADS, 5);
        for size in [experiment.sizes[0], experiment.sizes[4]] {
            let program = evolved(&experiment, size, 9, 3);
            let expected = wrong(&program, &tests);
            let run = executed(&kernel, &[program], &tests);
            assert_eq!(run.results, [expected], "{}, {size}", experiment.mux.id);
            assert!(expected > 0);
        }
    }
}

#[test]
fn a_program_in_constant_memory_finds_the_same_in_fewer_instructions() {
    for arch in ARCHES {
        let experiment = Experiment::MUX37;
        let program = [sized(&experiment, experiment.solution_nodes, 3)];
        let tests = population::tests(experiment, THREADS, 5);
        let kernel = kernel::load_constant(arch).unwrap();
        let constant = kernel::constant_block(&kernel, &program[0], &tests, THREADS).unwrap();
        let constant = constant.execute().unwrap();
        let global = executed(&load(64, arch).unwrap(), &program, &tests);
        assert_eq!(constant.results, [wrong(&program[0], &tests)], "{arch}");
        assert_eq!(constant.results, global.results);
        assert!(length(&constant) < length(&global), "{arch}");
        // Its nodes are no global loads: what is left are a test and its expected word.
        let accesses = |run: &ExecutedBlock| run.warps[0].accesses.len();
        let nodes = program[0].0.len();
        assert!(accesses(&constant) + nodes <= accesses(&global), "{arch}");
    }
}

/// The paper's 64 grids, each with its own tail, take longer than one grid.
#[test]
fn the_papers_grids_take_longer_than_one_and_not_much() {
    let device = Preset::load("gtx295").unwrap().device;
    let layout = LangdonLayout {
        threads_per_program: 64,
        threads_per_block: 64,
    };
    let speed = |launching| {
        let generation = LangdonGeneration {
            launching,
            ..LangdonGeneration::INITIAL
        };
        let speed =
            predict_generation(Machine::new(&device, Arch::Sm35), layout, &generation, 1).unwrap();
        speed.gpops_billion
    };
    let ratio = speed(Launching::PapersGrids) / speed(Launching::OneGrid);
    assert!((0.9..1.0).contains(&ratio), "{ratio}");
}

/// Warp instructions of a block's first warp.
fn length(run: &ExecutedBlock) -> usize {
    run.warps[0].steps.len()
}

#[test]
fn different_programs_in_a_warp_cost_more_than_the_same_program_many_times() {
    for arch in ARCHES {
        let kernel = load(1, arch).unwrap();
        let tests = population::tests(Experiment::MUX20, 1, 5);
        let different = programs(0, THREADS);
        let longest = different
            .iter()
            .max_by_key(|program| program.0.len())
            .unwrap();
        let same = vec![longest.clone(); THREADS as usize];
        let (apart, together) = (
            length(&executed(&kernel, &different, &tests)),
            length(&executed(&kernel, &same, &tests)),
        );
        // Every kind of node that some lane is at takes its own turn, but none takes more than all of them one by one.
        let nodes: usize = different[..32].iter().map(|p| p.0.len()).sum();
        let of_node = together / longest.0.len();
        assert!(10 * apart > 12 * together, "{arch}: {apart} and {together}");
        assert!(apart < nodes * of_node, "{arch}: {apart}");
    }
}

#[test]
fn a_program_is_one_byte_per_node_and_its_end() {
    let program: Rpn = "X1 X6 AND X20 NOR".parse().unwrap();
    assert_eq!(encode(&program).unwrap(), [8, 16, 1, 30, 4, 0]);
    let other: Rpn = "X1 X2 +".parse().unwrap();
    let message = encode(&other).unwrap_err().to_string();
    assert!(message.contains("allowed: the inputs"), "{message}");
}

#[test]
fn the_initial_trees_have_as_many_nodes_as_the_paper_says() {
    let programs = programs(0, 20_000);
    let nodes: usize = programs.iter().map(|program| program.0.len()).sum();
    let mean = nodes as f64 / programs.len() as f64;
    // 55 instructions, the end among them or not.
    assert!((53.0..56.0).contains(&mean), "{mean}");
}

#[test]
fn a_layout_that_was_not_compiled_is_refused() {
    let message = load(3, Arch::Sm35).unwrap_err().to_string();
    assert!(message.contains("given 3; allowed: 1, 2, 4"), "{message}");
}

/// The executor counts as many warp instructions for diverging warps as the card's counters (`ncu`).
#[test]
fn warp_instructions_are_those_of_the_card() {
    let file = std::fs::read_to_string("fixtures/measured/h200/langdon/counters.csv").unwrap();
    let device = Preset::load("h200").unwrap().device;
    let mut checked = 0;
    for line in file.lines().skip(1) {
        let fields: Vec<f64> = line
            .split(',')
            .map(|field| field.parse().unwrap())
            .collect();
        let [seed, threads_per_program, threads_per_block] = [0, 1, 2].map(|i| fields[i] as u32);
        // One layout of each kind: all take half a minute.
        if ![(1, 256), (8, 64), (32, 64)].contains(&(threads_per_program, threads_per_block)) {
            continue;
        }
        let layout = LangdonLayout {
            threads_per_program,
            threads_per_block,
        };
        let speed = predict_generation(
            Machine::new(&device, Arch::Sm90),
            layout,
            &LangdonGeneration::INITIAL,
            seed.into(),
        )
        .unwrap();
        let nodes: usize = (0..POPULATION)
            .map(|index| population::initial(index, seed.into()).0.len())
            .sum();
        let warp_nodes = nodes as f64 * f64::from(Experiment::MUX20.test_words) / 32.0;
        let difference = speed.warp_instructions_per_node / (fields[3] / warp_nodes) - 1.0;
        assert!(difference.abs() < 0.02, "{layout:?}: {difference}");
        checked += 1;
    }
    assert_eq!(checked, 3);
}

#[test]
fn every_layout_fills_its_blocks() {
    let layouts = layouts();
    assert_eq!(layouts.len(), 27);
    let fills = |layout: &LangdonLayout| {
        layout
            .threads_per_block
            .is_multiple_of(layout.threads_per_program)
    };
    assert!(layouts.iter().all(fills));
}
