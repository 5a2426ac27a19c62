//! Does a trace behave alike after export and import? Cycles, counters, addresses, classes.

use warpstack::device::Preset;
use warpstack::gp::problem::{self, Dataset, ProblemId};
use warpstack::interop::accel_sim::{AddressMode, TraceWriter};
use warpstack::interop::classify;
use warpstack::interop::record::{Recorder, static_line};
use warpstack::interop::replay::{Imported, Limits, import};
use warpstack::isa::Arch;
use warpstack::isa::{Kernel, TimingOp};
use warpstack::launch::blocks::Blocks;
use warpstack::launch::geometry::Geometry;
use warpstack::launch::prediction::Configuration;
use warpstack::launch::spec::SmxSpec;
use warpstack::predictor::{Predictor, SampleBlocks, Settings};
use warpstack::sim::blocks;
use warpstack::sim::observe::Counters;
use warpstack::sim::testing::geometry;
use warpstack::systems::chitty::lower::lower;
use warpstack::systems::chitty::variant::{KernelId, Math, Variant};
use warpstack::trace::launch::LOCAL_TOP;
use warpstack::trace::{
    AddressKind, CaseWords, KernelLaunch, ProgramWords, TraceBuilder, run_block,
};

const ALL: Limits = Limits {
    blocks: usize::MAX,
    instructions: u64::MAX,
};

fn configuration(problem: &str, kernel: &str, threads: u32, stack_dim: u32) -> Configuration {
    Configuration {
        problem: problem.into(),
        kernel: kernel.into(),
        stack_dim,
        stack_registers: if kernel == "lgp-registers" { 2 } else { 0 },
        threads_per_block: threads,
        case_blocks: 1,
        l1_bytes: Some(48 * 1024),
        population: None,
        cases: None,
        threads_per_program: None,
    }
}

fn sample(configuration: &Configuration, n_blocks: usize, iterations: u32) -> SampleBlocks {
    let device = Preset::load("gtx670").unwrap().device;
    let engine = Predictor::with_settings(device, Settings::default());
    engine
        .sample_blocks(configuration, n_blocks, iterations)
        .unwrap()
}

fn exported(sample: &SampleBlocks, mode: AddressMode) -> String {
    let blocks = &sample.blocks;
    let recorder = Recorder::new(
        &sample.kernel,
        &sample.pool,
        &blocks.geometry,
        blocks.iterations,
    );
    let header = recorder.header(&blocks.kernel, blocks.resources, blocks.order.len() as u32);
    let mut writer = TraceWriter::new(&header, mode);
    for (number, (trace, positions)) in sample.traces.iter().enumerate() {
        let block = recorder.block(number as u32, trace, positions);
        let lines: usize = block.warps.iter().map(Vec::len).sum();
        assert_eq!(lines as u64, recorder.instructions(trace));
        writer.block(&block);
    }
    writer.finish()
}

fn run(spec: &SmxSpec, blocks: &Blocks, seed: u32) -> Counters {
    let run = blocks::run(spec, blocks, seed, u64::MAX, ()).unwrap();
    assert!(run.ended);
    Counters {
        // A trace of another tool says nothing of tokens.
        token_credits: 0,
        ..run.counters
    }
}

fn read(trace: &str, residents: u32) -> Imported {
    let device = Preset::load("gtx670").unwrap().device;
    let mut imported = import(trace.as_bytes(), "trace", ALL, &device).unwrap();
    imported.blocks.geometry.resident_blocks = residents;
    imported
}

/// Stall counts and pairs of instructions are not part of a trace: the work is the same, the cycles are near.
#[test]
fn an_exported_trace_imported_again_does_the_same_work() {
    let cases = [
        (configuration("sextic", "rpn", 128, 2), 1, 1),
        (configuration("sextic", "rpn", 128, 2), 20, 3),
        (configuration("sextic", "rpn", 48, 1), 3, 4),
        (configuration("sextic", "lgp", 1024, 6), 3, 2),
        (configuration("sextic", "lgp-vector", 96, 3), 4, 2),
        (configuration("sextic", "lgp-registers", 64, 4), 9, 2),
        (configuration("shuttle", "lgp", 64, 3), 2, 2),
        (configuration("kddcup", "rpn", 64, 1), 2, 2),
        (configuration("mux20", "rpn", 64, 1), 2, 2),
    ];
    let work = |run: &Counters| {
        let lines = [run.l1_load_lines, run.l1_store_lines];
        (run.instructions, run.blocks_finished, lines)
    };
    for (configuration, n_blocks, iterations) in cases {
        let sample = sample(&configuration, n_blocks, iterations);
        let native = run(&sample.spec, &sample.blocks, sample.seed);
        assert_eq!(native.blocks_finished, n_blocks as u64);
        let of = |mode| {
            let imported = read(&exported(&sample, mode), sample.occupancy.blocks);
            run(&sample.spec, &imported.blocks, sample.seed)
        };
        let again = of(AddressMode::Compressed);
        let listed = of(AddressMode::ListAll);
        assert_eq!(format!("{again:?}"), format!("{listed:?}"));
        assert_eq!(work(&again), work(&native), "{configuration:?}");
    }
}

#[test]
fn an_imported_trace_takes_nearly_as_many_cycles() {
    for kernel in ["rpn", "lgp", "lgp-vector"] {
        for (threads, n_blocks) in [(128, 1), (256, 8)] {
            let sample = sample(&configuration("sextic", kernel, threads, 2), n_blocks, 2);
            let native = run(&sample.spec, &sample.blocks, sample.seed);
            let trace = exported(&sample, AddressMode::Compressed);
            let imported = read(&trace, sample.occupancy.blocks);
            let default = run(&sample.spec, &imported.blocks, sample.seed);
            assert_eq!((default.dual_issued, native.dual_issued > 0), (0, true));
            let ratio = default.cycles as f64 / native.cycles as f64;
            assert!(
                ratio != 1.0 && (0.85..1.15).contains(&ratio),
                "{kernel} {threads}: {ratio}"
            );
        }
    }
}

fn registers(op: &TimingOp) -> Vec<u8> {
    let mut all = [op.reads.clone(), op.writes.clone()].concat();
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn every_instruction_of_every_kernel_is_classified_as_it_is_decoded() {
    let variants = Variant::all().unwrap();
    let mut seen = 0;
    for variant in variants.iter().filter(|variant| variant.arch == Arch::Sm35) {
        let kernel = Kernel::parse(&variant.sass().unwrap(), variant.sass_file().unwrap()).unwrap();
        for instruction in &kernel.instructions {
            let native = instruction.timing();
            let line = static_line(instruction);
            let known = classify::timing(&line, 35);
            let known = known.unwrap_or_else(|| panic!("{}", instruction.text));
            let text = &instruction.text;
            assert_eq!(
                (known.class, known.access),
                (native.class, native.access),
                "{text}"
            );
            assert_eq!(known.redirects, native.redirects, "{text}");
            assert_eq!(registers(&known), registers(&native), "{text}");
            assert_eq!(known.writes, native.writes, "{text}");
            seen += 1;
        }
    }
    assert!(seen > 50_000, "{seen} instructions");
}

/// The addresses of lane 0 of the first warp in a trace, against the execution of all lanes.
#[test]
fn recorded_addresses_are_those_that_the_lanes_access() {
    const THREADS: u32 = 64;
    const STACK_DIM: u32 = 2;
    const ITERATIONS: u32 = 3;
    for kernel_id in [KernelId::Rpn, KernelId::Lgp, KernelId::LgpVector] {
        let variant = Variant {
            math: Math::Fast,
            ..Variant::new(kernel_id, ProblemId::Sextic, STACK_DIM, Arch::Sm35)
        };
        let kernel = Kernel::parse(&variant.sass().unwrap(), "kernel").unwrap();
        let program = "X1 X1 * 0.5 + X1 X1 X1 - * *".parse().unwrap();
        let lowered = lower(&program, kernel_id.lowering(), ProblemId::Sextic).unwrap();
        let bits = lowered.bits(variant.dispatch);
        let words = ProgramWords::new(bits, &lowered.token_starts, lowered.nodes).unwrap();
        let cases = THREADS * STACK_DIM * ITERATIONS;
        let launch = KernelLaunch::block_gp(THREADS, STACK_DIM, cases);
        let mut builder = TraceBuilder::new(&kernel, launch.clone()).unwrap();
        let (trace, positions) = builder.trace_with_positions(&words).unwrap();
        let pool = builder.into_pool();
        let geometry = Geometry {
            threads_per_block: THREADS,
            stack_dim: STACK_DIM,
            fitness_cases: cases,
            local_stride_bytes: 512,
            ..geometry()
        };
        let recorder = Recorder::new(&kernel, &pool, &geometry, u32::MAX);
        let block = recorder.block(0, &trace, &positions);
        let sextic = problem::by_name("sextic", Some(cases as usize)).unwrap();
        let Dataset::Float(data) = &sextic.dataset else {
            panic!("the sextic's cases are floats");
        };
        let bits = |values: &[f32]| {
            values
                .iter()
                .map(|value| value.to_bits())
                .collect::<Vec<u32>>()
        };
        let (inputs, outputs) = (bits(&data.inputs[0]), bits(&data.expected));
        let case_words = CaseWords {
            inputs: &inputs,
            outputs: &outputs,
            cases,
        };
        let executed = run_block(&kernel, &launch, &words, &case_words).unwrap();
        let lines = &block.warps[0];
        assert_eq!(lines.len(), executed.path.len(), "{variant}");
        let mut n_addresses = 0;
        for (line, step) in lines.iter().zip(&executed.path) {
            let instruction = &kernel.instructions[usize::from(step.instruction)];
            assert_eq!(line.pc, u64::from(instruction.pc_bytes));
            let recorded = line
                .memory
                .as_ref()
                .and_then(|memory| memory.addresses.first().copied());
            let frame = u64::from(LOCAL_TOP - kernel.frame_bytes);
            let is_local = line.opcode.starts_with("LDL") || line.opcode.starts_with("STL");
            let lane = step
                .address
                .map(|address| u64::from(address) - if is_local { frame } else { 0 });
            assert_eq!(recorded, lane, "{}", instruction.text);
            n_addresses += u32::from(lane.is_some());
        }
        assert!(n_addresses > 50, "{variant}: {n_addresses}");
    }
}

/// A block of one warp of `n` times the same line, and an exit.
fn hand_written(line: &str, n: usize) -> String {
    let mut text = String::from(
        "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-nregs = 8\n-binary version = 70\n\
         -accelsim tracer version = 4\n-shmem base_addr = 0x00007f0000000000\n\
         -local mem base_addr = 0x00007f0001000000\n\n#traces format\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\n",
    );
    text.push_str(&format!("insts = {}\n", n + 1));
    for _ in 0..n {
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("0100 ffffffff 0 EXIT 0 0\n\n#END_TB\n");
    text
}

fn counters_of(line: &str, n: usize) -> Counters {
    let device = Preset::load("gtx670").unwrap().device;
    let spec = SmxSpec::new(&device, 48 * 1024).unwrap();
    run(&spec, &read(&hand_written(line, n), 1).blocks, 1)
}

#[test]
fn scattered_accesses_of_other_kernels_cost_their_lines_and_turns() {
    let stride =
        |stride: u32| format!("0010 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f1200000000 {stride}");
    let [one, two, all] = [4, 8, 128].map(|step| counters_of(&stride(step), 64));
    assert_eq!(one.l2_read_bytes, 64 * 128);
    assert_eq!(two.l2_read_bytes, 64 * 256);
    assert_eq!(all.l2_read_bytes, 64 * 32 * 32, "a sector per lane");
    assert!(all.cycles > two.cycles && two.cycles >= one.cycles);
    let shared = |stride: u32| format!("0010 ffffffff 1 R4 LDS 1 R2 4 1 0x0 {stride}");
    let [free, conflicting] = [4, 128].map(|step| counters_of(&shared(step), 64).cycles);
    assert!(conflicting > free + 64 * 25, "{conflicting} against {free}");
    // Generic loads are told apart by their addresses.
    let local = counters_of("0010 ffffffff 1 R4 LD.E 1 R2 4 1 0x7f0001000010 0", 8);
    assert_eq!((local.l1_load_lines, local.l1_load_hits), (8, 7));
    assert_eq!(
        counters_of("0010 ffffffff 1 R4 LD.E 1 R2 4 1 0x7f0000000010 0", 8).l2_lines,
        0
    );
}

/// Bytes that one access moves, worked out by hand: 32 for each sector that a lane touches.
#[test]
fn partial_and_unaligned_warps_move_the_sectors_that_they_touch() {
    let cases = [
        // The whole warp at the start of a line.
        ("ffffffff", "4 1 0x7f1200001000 4", 128),
        // 20 lanes: bytes 0 to 79, in three sectors.
        ("000fffff", "4 1 0x7f1200001000 4", 96),
        // 32 lanes 16 bytes further on: bytes 16 to 143, in five sectors of two lines.
        ("ffffffff", "4 1 0x7f1200001010 4", 160),
        // Eight lanes, wherever they are in the warp; and one.
        ("000000ff", "4 1 0x7f1200001000 4", 32),
        ("00ff0000", "4 1 0x7f1200001060 4", 32),
        ("00000100", "4 0 0x7f1200001004", 32),
        // Twelve lanes across the end of a line: bytes 104 to 151.
        ("00000fff", "4 1 0x7f1200001068 4", 64),
        // Four lanes that are 64 bytes apart: every second sector.
        ("0000000f", "4 1 0x7f1200001000 64", 128),
    ];
    let bytes = |opcode: &str, mask: &str, memory: &str| {
        let (registers, after) = match opcode {
            "LDG.E.SYS" => ("1 R4", "1 R2"),
            _ => ("0", "2 R2 R4"),
        };
        let counters = counters_of(
            &format!("0010 {mask} {registers} {opcode} {after} {memory}"),
            1,
        );
        (counters.l2_read_bytes, counters.l2_write_bytes)
    };
    for (mask, memory, expected) in cases {
        assert_eq!(
            bytes("LDG.E.SYS", mask, memory),
            (expected, 0),
            "{mask} {memory}"
        );
        assert_eq!(
            bytes("STG.E.SYS", mask, memory),
            (0, expected),
            "{mask} {memory}"
        );
    }
    // 16 lanes of eight bytes are one line, 32 of 16 are four; 32 single bytes are a sector.
    let load = |opcode: &str, mask: &str, memory: &str| {
        counters_of(&format!("0010 {mask} 1 R4 {opcode} 1 R2 {memory}"), 1).l2_read_bytes
    };
    assert_eq!(
        load("LDG.E.64.SYS", "0000ffff", "8 1 0x7f1200001000 8"),
        128
    );
    assert_eq!(
        load("LDG.E.128.SYS", "ffffffff", "16 1 0x7f1200001000 16"),
        512
    );
    assert_eq!(load("LDG.E.U8.SYS", "ffffffff", "1 1 0x7f1200001000 1"), 32);
}

#[test]
fn dependent_arithmetic_takes_nine_cycles() {
    let chain = counters_of("0010 ffffffff 1 R4 FADD 2 R4 R5 0", 100).cycles;
    let free = counters_of("0010 ffffffff 1 R4 FADD 2 R6 R5 0", 100).cycles;
    // Independent additions of two registers wait for a bank of operands every fourth time.
    assert!(
        (890..=900).contains(&chain) && (120..=130).contains(&free),
        "{chain} and {free}"
    );
}

/// As of an executed kernel: the words of a wide local store are parts, and nothing else of full warps in whole lines.
#[test]
fn imported_code_has_no_parts_of_lines_unless_lanes_are_scattered() {
    let sample = sample(&configuration("sextic", "rpn", 64, 2), 1, 1);
    let trace = exported(&sample, AddressMode::Compressed);
    let blocks = read(&trace, 1).blocks;
    let parts = &blocks.code.scattered;
    assert!(parts.iter().all(|part| part.kind == AddressKind::Local));
}
