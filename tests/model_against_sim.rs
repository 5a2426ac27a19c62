//! The analytical model against its twin, the simulator: the same inputs must give nearly the same throughput.

use warpstack::device::Preset;
use warpstack::engine::{Engine, Kind, Settings};
use warpstack::predict::{Configuration, PaperSizes};

fn engine(kind: Kind) -> Engine {
    let device = Preset::load("gtx670").unwrap().device;
    let mut settings = Settings {
        kind,
        ..Settings::default()
    };
    // More work than by default, so that the simulator's sample is no cause of a difference.
    settings.simulator.plan.window.instructions = (3_000_000, 3_000_000);
    Engine::new(device, &["sextic"], settings).unwrap()
}

fn configuration(stack_dim: u32, threads_per_block: u32, l1_bytes: u32) -> Configuration {
    Configuration {
        problem: "sextic".into(),
        kernel: "rpn".into(),
        stack_dim,
        stack_registers: 0,
        threads_per_block,
        case_blocks: 1,
        l1_bytes: Some(l1_bytes),
        sizes: PaperSizes::default(),
    }
}

#[test]
fn throughput_is_within_a_few_percent_of_the_simulators() {
    let (sim, model) = (engine(Kind::Simulator), engine(Kind::Analytical));
    let cells = [
        (1, 256, 49152),
        (1, 512, 16384),
        (2, 64, 49152),
        (4, 32, 49152),
        (6, 256, 49152),
    ];
    let errors: Vec<f64> = cells
        .iter()
        .map(|&(stack_dim, threads, l1)| {
            let configuration = configuration(stack_dim, threads, l1);
            let simulated = sim.predict(&configuration).unwrap().gpops_billion;
            let modelled = model.predict(&configuration).unwrap().gpops_billion;
            100.0 * (modelled / simulated - 1.0).abs()
        })
        .collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(mean < 8.0, "{errors:?}");
}

#[test]
fn counts_that_need_no_timing_are_the_simulators() {
    let configuration = configuration(1, 256, 49152);
    let simulated = engine(Kind::Simulator).predict(&configuration).unwrap();
    let modelled = engine(Kind::Analytical).predict(&configuration).unwrap();
    // The window holds a sample of the programs that the model takes all of.
    let (all, sample) = (
        modelled.warp_instructions_per_node,
        simulated.warp_instructions_per_node,
    );
    assert!((all / sample - 1.0).abs() < 0.05, "{all} {sample}");
    // The model takes every pair that the compiler offers; the simulator splits one whose second pipe is taken. The
    // sample may have a few pairs more.
    let (offered, taken) = (modelled.dual_issue_percent, simulated.dual_issue_percent);
    assert!(offered >= taken - 0.5, "{offered} {taken}");
    assert_eq!(modelled.occupancy, simulated.occupancy);
    let hits = modelled.memory.l1_load_hit_percent - simulated.memory.l1_load_hit_percent;
    assert!(hits.abs() < 2.0, "{hits} points");
}

#[test]
fn the_stack_of_causes_is_the_whole_time() {
    let device = Preset::load("gtx670").unwrap().device;
    let prediction = engine(Kind::Analytical)
        .predict(&configuration(6, 256, 49152))
        .unwrap();
    let nodes = prediction.memory.warp_nodes as f64;
    let cycles_per_node = prediction.warp_instructions_per_node / prediction.ipc;
    let expected = f64::from(device.issue.n_schedulers) * cycles_per_node * nodes;
    let sum = prediction.scheduler_cycles() as f64;
    assert!((sum / expected - 1.0).abs() < 1e-4, "{sum} of {expected}");
}

#[test]
fn a_larger_l1_never_hurts() {
    let model = engine(Kind::Analytical);
    for stack_dim in [1, 3, 6] {
        let rates = [16384, 32768, 49152].map(|l1| {
            model
                .predict(&configuration(stack_dim, 256, l1))
                .unwrap()
                .gpops_billion
        });
        assert!(
            rates[0] <= rates[1] && rates[1] <= rates[2],
            "{stack_dim}: {rates:?}"
        );
    }
}
