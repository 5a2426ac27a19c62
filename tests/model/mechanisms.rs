//! Does the analytical model have every mechanism of the simulator, with the same effect?

use std::path::Path;

use warpstack::device::Preset;
use warpstack::gp::corpus::Corpus;
use warpstack::gp::problem::ProblemId;
use warpstack::gp::program::Rpn;
use warpstack::isa::Arch;
use warpstack::launch::code::ReplayCode;
use warpstack::launch::geometry::Geometry;
use warpstack::launch::spec::{BarrierTiming, DependenceTracking, SmxSpec};
use warpstack::model::solve::Solver;
use warpstack::model::{Analysis, Inputs, Point};
use warpstack::sim::window::{WindowPlan, simulate};
use warpstack::systems::chitty::traces::MAX_THREADS_PER_BLOCK;
use warpstack::systems::chitty::variant::{KernelId, Variant};
use warpstack::systems::chitty::{KernelSummary, KernelTraces};

const CASES: u32 = 98_304;

fn programs() -> Vec<Rpn> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/corpus/sextic.corpus");
    let corpus = Corpus::load(Path::new(path)).unwrap();
    let entries = corpus.entries.iter().step_by(23);
    entries.map(|entry| entry.program.clone()).collect()
}

/// A kernel on a device, with a fixed block size.
struct Bench {
    device: &'static str,
    variant: Variant,
    programs: Vec<Rpn>,
    analysis: Analysis,
    geometry: Geometry,
    spec: SmxSpec,
}

fn bench(
    device: &'static str,
    kernel: KernelId,
    stack_dim: u32,
    threads: u32,
    blocks: u32,
) -> Bench {
    let (arch, l1_bytes) = match device {
        "h200" => (Arch::Sm90, 124 * 1024),
        _ => (Arch::Sm35, 48 * 1024),
    };
    let variant = Variant::new(kernel, ProblemId::Sextic, stack_dim, arch);
    let programs = programs();
    let sample: Vec<u32> = (0..programs.len() as u32).collect();
    let summary = KernelSummary::new(&variant.into(), &programs, &sample, CASES).unwrap();
    let traces = &summary.traces;
    let code = ReplayCode::new(&traces.timing, &traces.pool, &traces.programs);
    let preset = Preset::load(device).unwrap().device;
    Bench {
        device,
        variant,
        analysis: Analysis::new(&Inputs {
            code: &code,
            prologues: &summary.prologues,
            empty_block: summary.empty_block,
            sample: &sample,
            rows_per_program: &summary.rows_per_program,
            rows: summary.rows,
            stack_dim,
        }),
        geometry: Geometry {
            threads_per_block: threads,
            stack_dim,
            fitness_cases: CASES,
            programs: 1000,
            case_blocks: 1,
            resident_blocks: blocks,
            n_smx: preset.chip.n_smx,
            local_stride_bytes: preset.local_stride_bytes(traces.resources.frame_bytes),
        },
        spec: SmxSpec::new(&preset, l1_bytes).unwrap(),
        programs,
    }
}

impl Bench {
    /// Returns the model's warp instructions per cycle on a changed multiprocessor.
    fn with(&self, change: impl Fn(&mut SmxSpec)) -> f64 {
        let mut spec = self.spec.clone();
        change(&mut spec);
        let point = Point {
            spec: &spec,
            geometry: self.geometry,
            partial_residencies: &[],
        };
        let solver = Solver::new(&point, &self.analysis);
        let tokens = solver.tokens_per_cycle(self.geometry.resident_blocks);
        let iterations = f64::from(self.geometry.iterations(0));
        tokens * self.analysis.shapes.per_token(iterations).instructions
    }

    fn simulated(&self) -> f64 {
        let traces = KernelTraces::new(
            &self.variant.into(),
            &self.programs,
            MAX_THREADS_PER_BLOCK,
            CASES,
        )
        .unwrap();
        let code = ReplayCode::new(&traces.timing, &traces.pool, &traces.programs)
            .of_any_block(MAX_THREADS_PER_BLOCK, CASES);
        let mut order: Vec<u32> = (0..self.programs.len() as u32).collect();
        order.sort_by_key(|&program| self.programs[program as usize].0.len());
        let plan = WindowPlan {
            instructions: (600_000, 600_000),
            least_units: 0,
            units: 128,
            warm_up_percent: 40,
            batches: 2,
            longer_above: f64::INFINITY,
            seed: 7,
        };
        let window = simulate(
            &self.spec,
            &code,
            traces.code_bytes,
            self.geometry,
            order.as_slice().into(),
            plan,
        );
        let counters = window.unwrap().counters;
        counters.instructions as f64 / counters.cycles as f64
    }

    /// Asserts that a change costs at least the share `at_least` of the throughput.
    fn costs(&self, what: &str, at_least: f64, change: impl Fn(&mut SmxSpec)) {
        let (now, then) = (self.with(|_| {}), self.with(change));
        let cost = 1.0 - then / now;
        assert!(cost >= at_least, "{}, {what}: {now} to {then}", self.device);
    }
}

#[test]
fn throughput_on_hopper_is_within_a_few_percent_of_the_simulators() {
    let points = [
        (KernelId::Rpn, 1, 64, 2),
        (KernelId::Rpn, 2, 256, 8),
        (KernelId::Rpn, 4, 512, 4),
        (KernelId::Lgp, 4, 128, 8),
    ];
    for (kernel, stack_dim, threads, blocks) in points {
        let bench = bench("h200", kernel, stack_dim, threads, blocks);
        let (model, sim) = (bench.with(|_| {}), bench.simulated());
        assert!(
            (model / sim - 1.0).abs() < 0.1,
            "{kernel:?} {stack_dim} {threads}: model {model}, simulator {sim}"
        );
    }
}

fn barriers(spec: &mut SmxSpec) -> &mut BarrierTiming {
    match &mut spec.dependences {
        DependenceTracking::Barriers(timing) => timing,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_warp_waits_for_by_itself_costs() {
    let few = bench("h200", KernelId::Rpn, 2, 64, 2);
    few.costs("results", 0.05, |spec| {
        let barriers = barriers(spec);
        barriers.result_cycles = barriers.result_cycles.map(|cycles| 4 * cycles);
    });
    few.costs("taken branches", 0.05, |spec| {
        spec.device.latency.taken_branch_cycles *= 4;
    });
    few.costs("operands", 0.001, |spec| {
        barriers(spec).operand_cycles += 200;
    });
    few.costs("uncached global loads", 0.02, |spec| {
        spec.device.l1.caches_global_loads = false;
    });
    bench("h200", KernelId::Rpn, 6, 64, 2).costs("global loads one by one", 0.05, |spec| {
        spec.device.l1.caches_global_loads = false;
        spec.device.load_store.global_loads_in_flight_per_warp = 1;
    });
}

#[test]
fn the_write_port_bounds_what_is_stored() {
    let full = bench("h200", KernelId::Rpn, 6, 512, 4);
    full.costs("half of what the L2 takes", 0.45, |spec| {
        spec.l2_accepts_bytes_per_cycle /= 2.0;
    });
    full.costs("a quarter of the write port", 0.45, |spec| {
        spec.device.l2.write_bytes_per_cycle /= 4.0;
    });
    let alone = full.with(|spec| *spec = spec.uncontended().expect("contended"));
    assert!(alone > 1.3 * full.with(|_| {}), "{alone}");
    full.costs("requests as large as lines", 0.02, |spec| {
        spec.device.l2.request_bytes = 128;
    });
    full.costs("a queue of one line", 0.005, |spec| {
        spec.device.load_store.store_queue_lines = 1
    });
    let kept = full.with(|spec| spec.device.l1.write_back = true);
    assert!(kept > 1.1 * full.with(|_| {}), "{kept}");
    let unbound = full.with(|spec| {
        spec.device.l1.write_back = true;
        spec.device.l2.request_bytes = 0;
        spec.device.l2.write_bytes_per_cycle /= 2.0;
    });
    assert!(
        unbound >= kept,
        "nothing waits for what is written back: {unbound} for {kept}"
    );
}

#[test]
fn code_that_no_instruction_cache_holds_costs() {
    let large = bench("h200", KernelId::Lgp, 6, 64, 4);
    large.costs("a small first level", 0.02, |spec| {
        spec.device.instruction_cache.l1_bytes /= 4
    });
    large.costs("a small second level", 0.02, |spec| {
        spec.device.instruction_cache.l1_bytes /= 4;
        spec.device.instruction_cache.l15_bytes = spec.device.instruction_cache.l1_bytes;
    });
    large.costs("the L2", 0.01, |spec| {
        spec.device.instruction_cache.l1_bytes /= 4;
        spec.device.instruction_cache.l15_bytes = spec.device.instruction_cache.l1_bytes;
        spec.device.instruction_cache.l2_latency_cycles *= 4;
    });
    large.costs("lines that follow", 0.01, |spec| {
        spec.device.instruction_cache.l1_bytes /= 4;
        spec.code.next_line_cycles = spec.code.next_line_cycles.map(|cycles| 8 * cycles);
    });
}

#[test]
fn pairs_need_two_dispatches() {
    let kepler = bench("gtx670", KernelId::Rpn, 1, 256, 8);
    kepler.costs("one dispatch", 0.03, |spec| {
        spec.device.issue.n_dispatch = 1
    });
}

#[test]
fn a_pipe_of_few_lanes_bounds_the_classes_that_take_it() {
    use warpstack::isa::OpClass;
    use warpstack::launch::spec::{IssueLimit, Pipe};
    let full = bench("h200", KernelId::Lgp, 1, 256, 8);
    for class in [OpClass::IntAdd, OpClass::Logic, OpClass::Compare] {
        let slow =
            full.with(|spec| spec.limits[class as usize] = IssueLimit::Interval(Pipe::Alu, 200));
        assert!(slow < 0.5 * full.with(|_| {}), "{class:?}: {slow}");
    }
}
