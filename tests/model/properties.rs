//! Do the laws hold that any model of these machines must obey?

use proptest::prelude::*;
use std::sync::LazyLock;
use warpstack::launch::prediction::{Configuration, Prediction};
use warpstack::predictor::{Kind, Predictor, Settings};
use warpstack::study::Base;
use warpstack::study::l1::with_l1;

static BASE: LazyLock<Base> = LazyLock::new(|| Base::gtx670().unwrap());
static MODEL: LazyLock<Predictor> = LazyLock::new(|| {
    let settings = Settings {
        kind: Kind::Analytical,
        ..Settings::default()
    };
    Predictor::with_settings(BASE.device.clone(), settings)
});

#[derive(Debug, Clone)]
struct Launch {
    problem: &'static str,
    kernel: &'static str,
    stack_dim: u32,
    threads: u32,
}

fn launches() -> impl Strategy<Value = Launch> {
    let problems = prop::sample::select(vec!["sextic", "mux20"]);
    let kernels = prop::sample::select(vec!["rpn", "lgp"]);
    (problems, kernels, 1u32..=6, 1u32..=32).prop_map(|(problem, kernel, stack_dim, warps)| {
        Launch {
            problem,
            kernel,
            stack_dim,
            threads: 32 * warps,
        }
    })
}

/// The prediction with some fields of the preset changed.
fn predict(launch: &Launch, l1_bytes: u32, changes: &[(&str, String)]) -> Prediction {
    let keys: Vec<_> = changes
        .iter()
        .map(|(name, value)| (BASE.key(name).unwrap().0, value))
        .collect();
    let pairs: Vec<_> = keys
        .iter()
        .map(|(key, value)| (key, value.as_str()))
        .collect();
    let device = with_l1(&BASE.device(&pairs).unwrap(), l1_bytes).unwrap();
    let configuration = Configuration {
        problem: launch.problem.into(),
        kernel: launch.kernel.into(),
        stack_dim: launch.stack_dim,
        stack_registers: 0,
        threads_per_block: launch.threads,
        case_blocks: 1,
        l1_bytes: Some(l1_bytes),
        population: None,
        cases: None,
        threads_per_program: None,
    };
    MODEL.on(device).predict(&configuration).unwrap()
}

/// Returns the throughput of a multiprocessor whose block slots are all taken, and its DRAM traffic. The laws hold for this
/// steady state. They do not hold for the whole grid: blocks of unequal length that start in order may end later if each of
/// them is shorter (Graham, SIAM Journal on Applied Mathematics 17, 1969); `launch::makespan` tests the bound on that.
fn steady(launch: &Launch, changes: &[(&str, String)]) -> (f64, f64) {
    let prediction = predict(launch, 49152, changes);
    let clock = changes.iter().find(|change| change.0 == CLOCK);
    let clock_mhz = clock.map_or(BASE.device.chip.clock_mhz, |change| {
        change.1.parse().unwrap()
    });
    let nodes_per_cycle = prediction.ipc / prediction.warp_instructions_per_node;
    let memory = prediction.memory;
    let dram_bytes = memory.dram_read_bytes + memory.dram_write_bytes;
    (clock_mhz * nodes_per_cycle, dram_bytes as f64)
}

const CLOCK: &str = "chip.clock_mhz";

/// Tolerance for deviations from a law: critical paths agree with the steady state to 3e-5 of their length, throughput and
/// sharing warps to about as much. In 5 000 changes no deviation was larger.
const SLACK: f64 = 1.0 - 1e-4;

/// Points of hit rate: the smaller and the larger L1 are solved on the same tables of reuse times.
const POINTS: f64 = 1e-6;

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn more_of_a_bandwidth_never_slows(
        launch in launches(),
        field in prop::sample::select(vec![
            CLOCK, "dram.bandwidth_gb_per_s", "l2.port_bytes_per_cycle", "load_store.l1_misses_in_flight",
            "load_store.global_loads_in_flight_per_warp",
        ]),
        factor in 1.0f64..4.0,
    ) {
        let (key, _) = BASE.key(field).unwrap();
        let warpstack::study::Key::Field(section, name) = key else { unreachable!() };
        let more = (factor * BASE.value(&section, &name).unwrap()).ceil().to_string();
        let (now, bytes_now) = steady(&launch, &[]);
        let (then, bytes_then) = steady(&launch, &[(field, more.clone())]);
        // With a faster clock warps that stood in line for issue slots wait for the memory instead, and those that wait share
        // the L1 (equation 19a): it may cost what the lines cost that are then missing, and no more.
        let least = match field {
            CLOCK => SLACK * (bytes_now / bytes_then).min(1.0),
            _ => SLACK,
        };
        prop_assert!(then >= now * least, "{field} {more}: {now} to {then}");
    }

    #[test]
    fn more_latency_never_hurries(
        launch in launches(),
        field in prop::sample::select(vec![
            "shared.latency_cycles", "l1.hit_latency_cycles", "dram.latency_cycles",
            "instruction_cache.l15_latency_cycles", "instruction_cache.l2_latency_cycles",
        ]),
        factor in 1.0f64..3.0,
    ) {
        let (key, _) = BASE.key(field).unwrap();
        let warpstack::study::Key::Field(section, name) = key else { unreachable!() };
        let more = (factor * BASE.value(&section, &name).unwrap()).ceil().to_string();
        let ((now, _), (then, _)) = (steady(&launch, &[]), steady(&launch, &[(field, more.clone())]));
        prop_assert!(then <= now / SLACK, "{field} {more}: {now} to {then}");
    }

    #[test]
    fn a_larger_l1_never_misses_more(launch in launches(), doublings in 1u32..4) {
        let hits = |bytes| {
            let memory = predict(&launch, bytes, &[]).memory;
            (memory.l1_load_hit_percent, memory.l1_store_hit_percent)
        };
        // Of the same ways, so that the sets of the larger cache divide those of the smaller one.
        let (small, large) = (hits(16384), hits(16384 << doublings));
        prop_assert!(large.0 >= small.0 - POINTS && large.1 >= small.1 - POINTS, "{small:?} {large:?}");
    }

    #[test]
    fn results_are_numbers_and_causes_sum_to_the_time(launch in launches()) {
        let prediction = predict(&launch, 49152, &[]);
        prop_assert!(prediction.gpops_billion.is_finite() && prediction.gpops_billion > 0.0);
        let nodes = prediction.memory.warp_nodes as f64;
        let cycles = prediction.warp_instructions_per_node / prediction.ipc * nodes;
        let schedulers = f64::from(BASE.device.issue.n_schedulers);
        let sum = prediction.scheduler_cycles() as f64;
        prop_assert!((sum / (schedulers * cycles) - 1.0).abs() < 1e-4, "{sum}");
        for percent in [prediction.memory.l1_load_hit_percent, prediction.memory.l2_hit_percent] {
            prop_assert!((-1e-6..=100.0 + 1e-6).contains(&percent), "{percent}");
        }
    }
}

#[test]
fn the_order_of_questions_does_not_change_the_answers() {
    let launch = Launch {
        problem: "sextic",
        kernel: "rpn",
        stack_dim: 3,
        threads: 256,
    };
    let first = predict(&launch, 49152, &[]).gpops_billion;
    for stack_dim in 1..=6 {
        predict(
            &Launch {
                stack_dim,
                ..launch.clone()
            },
            16384,
            &[],
        );
    }
    assert_eq!(first, predict(&launch, 49152, &[]).gpops_billion);
}
