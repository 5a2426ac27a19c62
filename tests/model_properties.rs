//! Do the laws hold that any model of these machines must obey?

use proptest::prelude::*;
use std::sync::LazyLock;
use warpstack::engine::{Engine, Kind, Settings};
use warpstack::predict::{Configuration, Prediction};
use warpstack::study::Base;
use warpstack::study::setting::with_l1;

static BASE: LazyLock<Base> = LazyLock::new(|| Base::gtx670().unwrap());
static MODEL: LazyLock<Engine> = LazyLock::new(|| {
    let settings = Settings {
        kind: Kind::Analytical,
        ..Settings::default()
    };
    Engine::new(BASE.device.clone(), &["sextic", "mux20"], settings).unwrap()
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
    };
    MODEL.on(device).predict(&configuration).unwrap()
}

fn speed(launch: &Launch, changes: &[(&str, String)]) -> f64 {
    predict(launch, 49152, changes).gpops_billion
}

/// What the solution may take from a law. Critical paths agree with the steady state to 3e-5 of their length, throughput and
/// sharing warps to about as much; and a wait that reaches from one segment into the next counts in pairs of segments: where it
/// is hidden in one pair and not in the other, a longer latency can shorten the sum a little. Known defect: about one draw in
/// 2 000 exceeds this. Worst seen: 0.38 % faster with a longer latency (postfix mux20, second dimension 4, 160 threads, L1 hits
/// of 96 cycles; 15 000 draws), 0.34 % slower with a wider L2 port (linear mux20, 6, 192 threads, 119 bytes; 2 500 draws).
const SLACK: f64 = 1.0 - 3e-3;

/// What a faster clock may cost. In cycles, the memory becomes slower: warps that stood in line for issue slots wait for it
/// instead, and those that wait share the L1 (equation 19a), so that it hits less. Where the L1 is just large enough that
/// takes more than the clock brings. A machine whose scheduler prefers the oldest warps has this loss. Four of 2 500 draws
/// exceed this bound, the worst with a loss of 0.93 % (postfix sextic, second dimension 5, 704 threads, at 3 721 MHz).
const SHARING: f64 = 0.993;

/// Points of hit rate: the smaller and the larger L1 are solved on the same tables of reuse times.
const POINTS: f64 = 1e-6;

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn more_of_a_bandwidth_never_slows(
        launch in launches(),
        field in prop::sample::select(vec![
            "chip.clock_mhz", "dram.bandwidth_gb_per_s", "l2.port_bytes_per_cycle", "load_store.l1_misses_in_flight",
            "load_store.global_loads_in_flight_per_warp",
        ]),
        factor in 1.0f64..4.0,
    ) {
        let (key, _) = BASE.key(field).unwrap();
        let warpstack::study::Key::Field(section, name) = key else { unreachable!() };
        let more = (factor * BASE.value(&section, &name).unwrap()).ceil().to_string();
        let (now, then) = (speed(&launch, &[]), speed(&launch, &[(field, more.clone())]));
        let least = if field == "chip.clock_mhz" { SHARING } else { SLACK };
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
        let (now, then) = (speed(&launch, &[]), speed(&launch, &[(field, more.clone())]));
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
