use rayon::prelude::*;
use std::time::Instant;
use warpstack::device::Preset;
use warpstack::device::occupancy::*;
use warpstack::gp::corpus::Corpus;
use warpstack::gpu::variant::*;
use warpstack::sim::{
    code::ReplayCode, dispatch::Geometry, engine::*, observe::Cause, spec::*, window::WindowPlan,
};
use warpstack::workload::*;

fn arg(name: &str, default: &str) -> String {
    let args: Vec<String> = std::env::args().collect();
    args.iter()
        .position(|a| a == name)
        .map(|i| args[i + 1].clone())
        .unwrap_or(default.to_string())
}
fn main() {
    let f = |n: &str, d: &str| arg(n, d).parse::<f64>().unwrap();
    let preset = Preset::load("gtx670").unwrap();
    let mut device = preset.device.clone();
    device.chip.clock_mhz = f("--clock", "980");
    let shape: Shape = arg("--shape", "unrolled").parse().unwrap();
    let math: Math = arg("--math", "accurate").parse().unwrap();
    let dispatch: Dispatch = arg("--dispatch", "float").parse().unwrap();
    let corpus = Corpus::load(arg("--corpus", "fixtures/corpus/sextic.corpus").as_ref()).unwrap();
    let depth: Vec<(usize, f64)> = vec![
        (2, 18.71),
        (3, 35.47),
        (4, 84.72),
        (5, 95.37),
        (6, 98.62),
        (7, 99.78),
        (8, 99.94),
        (9, 99.98),
        (10, 100.0),
    ];
    let pop = Population::draw(
        &corpus,
        if arg("--weights", "paper") == "paper" {
            Some(&depth)
        } else {
            None
        },
        f("--blocks", "1000") as usize,
        f("--seed", "1") as u64,
    )
    .unwrap();
    eprintln!("{} mean nodes {:.1}", pop.weighting, pop.mean_nodes());
    let cells: Vec<(u32, u32, u32, f64)> = read_cells(&arg("--table", "3"), &arg("--cells", ""));
    let t0 = Instant::now();
    let results: Vec<_> = cells
        .par_iter()
        .map(|&(threads, d, l1, measured)| {
            let variant = Variant {
                kernel: KernelId::Rpn,
                problem: FunctionSet::Sextic,
                stack_dim: d,
                stack_registers: 0,
                shape,
                math,
                dispatch,
                arch: Arch::Sm35,
            };
            let t1 = Instant::now();
            let traces = KernelTraces::new(&variant, &pop.programs, threads, 100_000).unwrap();
            let trace_s = t1.elapsed().as_secs_f64();
            let shared = 49152 + 16384 - l1;
            let occ = OccupancyLimits::of(&device)
                .occupancy(
                    BlockResources {
                        threads_per_block: threads,
                        registers_per_thread: traces.resources.registers,
                        shared_bytes_per_block: traces.shared_bytes_per_block,
                    },
                    shared,
                )
                .unwrap();
            let mut spec = SmxSpec::new(&device, l1).unwrap();
            spec.global_loads_in_flight_per_warp = f(
                "--global",
                &spec.global_loads_in_flight_per_warp.to_string(),
            ) as usize;
            spec.l2_read_bytes_per_cycle =
                f("--l2bw", &spec.l2_read_bytes_per_cycle.to_string()) as f32;
            spec.l2_write_bytes_per_cycle =
                f("--l2wbw", &spec.l2_write_bytes_per_cycle.to_string()) as f32;
            spec.dram_bytes_per_cycle =
                f("--drambw", &spec.dram_bytes_per_cycle.to_string()) as f32;
            spec.l2_latency_cycles = f("--l2lat", &spec.l2_latency_cycles.to_string()) as u32;
            spec.dram_extra_cycles = f("--dramx", &spec.dram_extra_cycles.to_string()) as u32;
            spec.l1_latency_cycles = f("--l1lat", &spec.l1_latency_cycles.to_string()) as u32;
            spec.shared_latency_cycles =
                f("--shlat", &spec.shared_latency_cycles.to_string()) as u32;
            spec.lsu_queue_cycles = f("--lsuq", &spec.lsu_queue_cycles.to_string()) as u32;
            spec.replays_take_issue_slots = f(
                "--replay",
                if spec.replays_take_issue_slots {
                    "1"
                } else {
                    "0"
                },
            ) > 0.0;
            spec.l1_fetch_on_write_miss = f(
                "--fetch",
                if spec.l1_fetch_on_write_miss {
                    "1"
                } else {
                    "0"
                },
            ) > 0.0;
            spec.branch_issue_slots = f("--brslots", &spec.branch_issue_slots.to_string()) as u32;
            spec.warp_policy = if f("--policy", "1") > 0.0 {
                WarpPolicy::GreedyThenOldest
            } else {
                WarpPolicy::LooseRoundRobin
            };
            spec.l2_requests_in_flight =
                f("--mshr", &spec.l2_requests_in_flight.to_string()) as u32;
            if f("--l2kb", "0") > 0.0 {
                spec.l2.sets = (f("--l2kb", "0") / 2.0) as u32;
            }
            spec.l1.sets = (spec.l1.sets as f64 * f("--l1frac", "1")) as u32;
            if f("--l2hash", "0") == 0.0 {
                spec.l2.replacement = Replacement::Lru;
            } else {
                spec.l2.replacement = Replacement::Random;
            }
            if f("--lru", "0") > 0.0 {
                spec.l1.replacement = Replacement::Lru;
            }
            if f("--hash", "1") == 0.0 {
                spec.l1.index = SetIndex::Linear;
            }
            if f("--hash", "1") == 2.0 {
                spec.l1.index = SetIndex::Spread;
            }
            if f("--icache", "1") == 0.0 {
                spec.icache_l1_bytes = 1 << 20;
            }
            if f("--dual", "1") == 0.0 {
                spec.dispatches_per_scheduler = 1;
            }
            let code = ReplayCode::new(&traces.timing, &traces.pool, &traces.programs);
            let frame = traces.resources.frame_bytes;
            let geometry = Geometry {
                threads_per_block: threads,
                stack_dim: d,
                fitness_cases: 100_000,
                resident_blocks: occ.blocks,
                n_smx: 7,
                local_stride_bytes: frame.next_multiple_of(16) * 32,
            };
            let launch = Launch {
                spec: &spec,
                code: &code,
                code_bytes: traces.code_bytes,
                geometry,
                n_smx: 7,
                clock_hz: device.chip.clock_mhz * 1e6,
                sample: &pop.sample,
                grids: &pop.grids,
            };
            let blocks = (f("--work", "24") * 1024.0 / threads as f64).ceil() as u32;
            let effort = Effort {
                plan: WindowPlan {
                    iteration_cap: f("--cap", "2") as u32,
                    warm_up_percent: 40,
                    blocks: blocks.max(occ.blocks),
                    batches: 10,
                    seed: 7,
                },
                partial_blocks: (blocks / 4).max(1),
            };
            let r = simulate_launch(&launch, &effort).unwrap();
            (
                threads,
                d,
                l1,
                measured,
                traces.resources.registers,
                occ,
                r,
                trace_s,
            )
        })
        .collect();
    let (mut sum, mut n) = (0.0, 0);
    let mut instr = 0;
    let mut wall = 0.0;
    for (threads, d, l1, measured, regs, occ, r, trace_s) in &results {
        let c = &r.window.counters;
        let steady =
            r.window.tokens_per_cycle * 32.0 * *d as f64 * 7.0 * device.chip.clock_mhz * 1e6 / 1e9;
        let g = r.gpops / 1e9;
        let g = if f("--steady", "0") > 0.0 {
            steady * f("--tail", "0.975")
        } else {
            g
        };
        let err = 100.0 * (g / measured - 1.0);
        sum += err.abs();
        n += 1;
        instr += r.simulated_instructions;
        wall += r.wall_seconds;
        let total: u64 = c.cpi_stack.iter().sum();
        let stack: Vec<String> = Cause::ALL
            .iter()
            .filter(|x| c.cpi_stack[**x as usize] * 100 > total)
            .map(|x| format!("{}:{}", x.name(), c.cpi_stack[*x as usize] * 100 / total))
            .collect();
        println!(
            "T{threads:5} D{d} L1 {:2}K meas {measured:6.2} pred {g:6.2} err {err:6.1}% steady {steady:6.2} ±{:.1}% r{regs} b{} ipc {:.2} dual {:.0}% i/tok {:.1} L1 {:.0}/{:.0}% L2 {:.0}% R{:.1} W{:.1} DR{:.1} DW{:.1} {} tr {trace_s:.2}",
            l1 / 1024,
            r.window.error_percent,
            occ.blocks,
            c.instructions as f64 / c.cycles as f64,
            100.0 * c.dual_issued as f64 / c.instructions as f64,
            c.instructions as f64 / c.tokens(),
            100.0 * c.l1_load_hits as f64 / c.l1_load_lines.max(1) as f64,
            100.0 * c.l1_store_hits as f64 / c.l1_store_lines.max(1) as f64,
            100.0 * c.l2_hits as f64 / c.l2_lines.max(1) as f64,
            c.l2_read_bytes as f64 / c.cycles as f64,
            c.l2_write_bytes as f64 / c.cycles as f64,
            c.dram_read_bytes as f64 / c.cycles as f64,
            c.dram_write_bytes as f64 / c.cycles as f64,
            stack.join(" ")
        );
    }
    println!(
        "MAE {:.2}%  {:.0} M instr, {:.1} M/s per core, wall {:.1}",
        sum / n as f64,
        instr as f64 / 1e6,
        instr as f64 / 1e6 / wall,
        t0.elapsed().as_secs_f64()
    );
}
fn read_cells(table: &str, filter: &str) -> Vec<(u32, u32, u32, f64)> {
    let text = std::fs::read_to_string(format!("fixtures/papers/table{table}.csv")).unwrap();
    text.lines()
        .skip(1)
        .filter(|l| l.starts_with("sextic"))
        .filter_map(|l| {
            let p: Vec<&str> = l.split(',').collect();
            let t: u32 = p[1].parse().unwrap();
            let (d, l1) = match p[2] {
                "shared" => (1, 16),
                "equal" => (1, 32),
                "l1" => (1, 48),
                x => (x.parse().unwrap(), 48),
            };
            if !filter.is_empty() && !filter.split(',').any(|x| x == t.to_string()) {
                return None;
            }
            Some((t, d, l1 * 1024, p[3].parse().unwrap()))
        })
        .collect()
}
