//! Do the accumulator's instructions compute what the program means? Interpreted here, on the CPU, as the kernel would.

use proptest::prelude::*;
use warpstack::device::Preset;
use warpstack::device::occupancy::BlockResources;
use warpstack::gp::evolve::config::FunctionChoice;
use warpstack::gp::evolve::dice::Dice;
use warpstack::gp::evolve::init::{Ingredients, of_size};
use warpstack::gp::interpret::reference::{value_f32, value_u32};
use warpstack::gp::primitive::Primitive;
use warpstack::gp::problem::{self, PAPER, ProblemId};
use warpstack::gp::program::{Rpn, Token};
use warpstack::isa::Arch;
use warpstack::isa::Kernel;
use warpstack::launch::blocks::Blocks;
use warpstack::launch::code::ReplayCode;
use warpstack::launch::geometry::Geometry;
use warpstack::launch::spec::SmxSpec;
use warpstack::sim::testing::geometry;
use warpstack::systems::chitty::accumulate::{Form, Handler, Target};
use warpstack::systems::chitty::divergence::divergent_instructions;
use warpstack::systems::chitty::lower::{LowerError, function_codes};
use warpstack::systems::chitty::variant::{KernelId, Variant};
use warpstack::systems::chitty::words_of_program;
use warpstack::trace::{
    CaseWords, KernelLaunch, ProgramTrace, SegmentId, SegmentPool, TraceBuilder, run_block,
};

const N_INPUTS: [u16; 4] = [1, 9, 41, 20];

/// The kernel's state for one fitness case; places are `None` until written.
struct Machine<T> {
    accumulator: Option<T>,
    levels: Vec<Option<T>>,
    deep: Vec<Option<T>>,
}

/// Runs the words of a program: the handler's number and its operand.
fn run<T: Copy>(
    target: Target,
    words: &[u32],
    inputs: &[T],
    constant: impl Fn(u32) -> T,
    apply: impl Fn(Primitive, &[T]) -> T,
) -> T {
    let handlers = target.handlers();
    let mut machine = Machine {
        accumulator: None,
        levels: vec![None; target.register_levels + 1],
        deep: vec![None; 49 - target.register_levels],
    };
    for word in words.chunks_exact(2) {
        let (handler, operand) = (handlers[word[0] as usize], word[1] as usize);
        let two = || (inputs[operand & 0xffff], inputs[operand >> 16]);
        let now = machine.accumulator;
        match handler {
            Handler::Finish => return now.unwrap(),
            Handler::ReadCases => {}
            Handler::LoadInput => machine.accumulator = Some(inputs[operand]),
            Handler::LoadConstant => machine.accumulator = Some(constant(word[1])),
            Handler::SaveInDeep => machine.deep[operand] = Some(now.unwrap()),
            Handler::SaveInLevel(level) => machine.levels[level] = Some(now.unwrap()),
            Handler::Apply(function, form) => {
                let below = |level: usize| machine.levels[level].unwrap();
                let deep = |at: usize| machine.deep[at].unwrap();
                let value = match form {
                    Form::OnAccumulator => apply(function, &[now.unwrap()]),
                    Form::OnInput | Form::SavingThenInput(_) => apply(function, &[inputs[operand]]),
                    Form::WithInput => apply(function, &[now.unwrap(), inputs[operand]]),
                    Form::InputWith => apply(function, &[inputs[operand], now.unwrap()]),
                    Form::TwoInputs | Form::SavingThenTwo(_) => {
                        apply(function, &[two().0, two().1])
                    }
                    Form::WithConstant => apply(function, &[now.unwrap(), constant(word[1])]),
                    Form::ConstantWith => apply(function, &[constant(word[1]), now.unwrap()]),
                    Form::WithDeep => apply(function, &[now.unwrap(), deep(operand)]),
                    Form::DeepWith => apply(function, &[deep(operand), now.unwrap()]),
                    Form::WithLevel(level) => apply(function, &[now.unwrap(), below(level)]),
                    Form::LevelWith(level) => apply(function, &[below(level), now.unwrap()]),
                    Form::DeepPair => {
                        apply(function, &[now.unwrap(), deep(operand), deep(operand + 1)])
                    }
                    Form::LevelPair(level) => {
                        apply(function, &[now.unwrap(), below(level), below(level + 1)])
                    }
                    Form::WithTwo(second) => {
                        let second = apply(second, &[two().0, two().1]);
                        apply(function, &[now.unwrap(), second])
                    }
                };
                if let Form::SavingThenInput(level) | Form::SavingThenTwo(level) = form {
                    machine.levels[level] = Some(now.unwrap());
                }
                machine.accumulator = Some(value);
            }
        }
    }
    panic!("no finishing instruction");
}

fn padded<T: Copy + Default>(operands: &[T]) -> [T; 4] {
    let mut all = [T::default(); 4];
    all[..operands.len()].copy_from_slice(operands);
    all
}

fn check(problem: ProblemId, program: &Rpn) {
    for register_levels in [2, 3] {
        let target = Target {
            problem,
            register_levels,
        };
        let words = match target.words(program) {
            Err(LowerError::Depth { .. }) => continue,
            words => words.unwrap(),
        };
        let n_inputs = N_INPUTS[problem as usize];
        if problem == ProblemId::Mux20 {
            let inputs: Vec<u32> = (1..=u32::from(n_inputs))
                .map(|i| i.wrapping_mul(0x9e37_79b9))
                .collect();
            let apply = |f: Primitive, operands: &[u32]| f.apply_u32(padded(operands)).unwrap();
            let value = run(target, &words, &inputs, |_| unreachable!(), apply);
            assert_eq!(value, value_u32(program, &inputs), "{program}");
        } else {
            let inputs: Vec<f32> = (0..n_inputs).map(|i| 0.75 - 0.4 * f32::from(i)).collect();
            let apply = |f: Primitive, operands: &[f32]| f.apply_f32(padded(operands));
            let value = run(target, &words, &inputs, f32::from_bits, apply);
            let expected = value_f32(program, &inputs);
            assert_eq!(value.to_bits(), expected.to_bits(), "{program}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn instructions_compute_what_the_program_says(
        problem in prop::sample::select(&PAPER[..]), n_nodes in 1usize..500, seed: u64,
    ) {
        let functions = function_codes(problem).iter();
        let ingredients = Ingredients {
            functions: functions.map(|(function, _)| *function).collect(),
            function_choice: FunctionChoice::Uniform,
            n_inputs: N_INPUTS[problem as usize].into(),
            constants: (problem != ProblemId::Mux20).then_some((-100.0, 100.0)),
        };
        check(problem, &of_size(&ingredients, n_nodes, &mut Dice::new(seed, 0)));
    }
}

#[test]
fn every_order_of_two_operands_is_kept() {
    for text in [
        "X1",
        "2.5",
        "X1 3 -",
        "3 X1 -",
        "X1 X1 /",
        "2 3 -",
        "X1 sin X1 -",
        "X1 X1 sin -",
        "X1 sin 4 /",
        "4 X1 sin /",
        "X1 sin X1 cos -",
        "X1 sin X1 cos exp X1 - X1 exp log / -",
        "X1 sin X1 cos + X1 exp X1 log + / X1 X1 * sin X1 cos * -",
    ] {
        check(ProblemId::Sextic, &text.parse().unwrap());
    }
    for text in [
        "X1 X2 X3 IF",
        "X1 X2 > X2 X3 + X4 1 - IF",
        "1 X1 X2 - X2 X3 > X4 2 IF IF",
    ] {
        check(ProblemId::Shuttle, &text.parse().unwrap());
    }
}

/// A comb of saved values goes through all registers into local memory.
#[test]
fn deep_stacks_are_kept_in_local_memory_up_to_the_limit() {
    let balanced = |depth: u32| {
        let mut text = "X1 X2 AND".to_owned();
        for _ in 0..depth {
            text = format!("{text} {text} OR");
        }
        text.parse::<Rpn>().unwrap()
    };
    check(ProblemId::Mux20, &balanced(7));
    let target = Target {
        problem: ProblemId::Sextic,
        register_levels: 3,
    };
    // Needs one level more than its left operand at every step: only a balanced tree does, so none of 1000 nodes is too deep.
    let words = target
        .words(&"X1 sin X1 sin - X1 sin X1 sin - -".parse().unwrap())
        .unwrap();
    assert!(words.len() < 40);
}

#[test]
fn what_the_kernel_cannot_run_is_refused() {
    let target = Target {
        problem: ProblemId::Sextic,
        register_levels: 3,
    };
    let refused = |tokens: Vec<Token>| target.words(&Rpn(tokens)).unwrap_err().to_string();
    let (input, add) = (Token::Input(0), Token::Apply(Primitive::Add));
    assert!(refused(vec![]).contains("0 nodes"));
    assert!(refused(vec![input, add]).contains("takes 2 operands"));
    assert!(refused(vec![input, input]).contains("leaves 2 values"));
    let and = Token::Apply(Primitive::And);
    assert!(
        refused(vec![input, input, and]).contains("`AND` is not in the function set of sextic")
    );
    assert!(refused(vec![input; 1001]).contains("1001 nodes"));
}

fn variant(problem: ProblemId) -> Variant {
    Variant {
        stack_registers: 2,
        ..Variant::new(KernelId::Accumulator, problem, 8, Arch::Sm90)
    }
}

/// Warp instructions that the simulator issues for one block.
fn simulated_instructions(
    kernel: &Kernel,
    pool: SegmentPool,
    trace: ProgramTrace,
    threads: u32,
    cases: u32,
) -> u64 {
    let device = Preset::load("h200").unwrap().device;
    let l1_bytes = device.l1.splits[0].l1_bytes;
    let spec = SmxSpec::new(&device, l1_bytes).unwrap();
    let timing: Vec<_> = kernel.instructions.iter().map(|i| i.timing()).collect();
    let blocks = Blocks {
        kernel: kernel.name.clone(),
        code: ReplayCode::new(&timing, &pool, &[trace]),
        code_bytes: 40_000,
        geometry: Geometry {
            threads_per_block: threads,
            stack_dim: 8,
            fitness_cases: cases,
            local_stride_bytes: 65_536,
            ..geometry()
        },
        resources: BlockResources {
            threads_per_block: threads,
            registers_per_thread: 64,
            shared_bytes_per_block: 1024,
        },
        order: vec![0],
        programs_per_warp: 0,
        iterations: u32::MAX,
    };
    let run = warpstack::sim::blocks::run(&spec, &blocks, 7, u64::MAX, ()).unwrap();
    assert!(run.ended);
    run.counters.instructions
}

/// The first warp of a block adds up what the others computed; the trace says where the others end.
#[test]
fn the_warps_of_a_block_execute_what_the_trace_says_of_them() {
    let variant = variant(ProblemId::Mux20);
    let kernel = Kernel::parse(&variant.sass().unwrap(), variant.sass_file().unwrap()).unwrap();
    let program: Rpn = "X1 X2 AND X3 X4 OR NAND X5 X6 NOR X7 X8 NAND AND NOR"
        .parse()
        .unwrap();
    let words = words_of_program(&variant, 0, &program).unwrap();
    for (threads, iterations) in [(32, 1), (128, 2), (256, 3), (1024, 2)] {
        let cases = threads * 8 * iterations;
        let launch = KernelLaunch {
            // All threads copy equally much.
            max_program_words: (words.words().len() as u32).next_multiple_of(2 * threads),
            ..KernelLaunch::block_gp(threads, 8, cases)
        };
        let mut builder = TraceBuilder::new(&kernel, launch.clone()).unwrap();
        let trace = builder.trace(&words).unwrap();
        let pool = builder.pool();
        let length =
            |ids: &[SegmentId]| -> u64 { ids.iter().map(|id| u64::from(pool.length(*id))).sum() };
        let of_cases = match iterations {
            1 => length(&trace.only),
            n => {
                let steady = u64::from(n - 2) * length(&trace.steady);
                length(&trace.first) + steady + length(&trace.last)
            }
        };
        let warps = u64::from(threads / 32);
        let traced =
            warps * (length(&trace.prologue) + of_cases) - (warps - 1) * pool.of_first_warp(&trace);
        let inputs = vec![0x5555_5555; 20 * cases as usize];
        let run = run_block(
            &kernel,
            &launch,
            &words,
            &CaseWords {
                inputs: &inputs,
                outputs: &inputs[..cases as usize],
                cases,
            },
        )
        .unwrap();
        assert_eq!(run.counts.instructions, traced, "{threads} threads");
        assert_eq!(trace.assumptions, 0);
        let issued = simulated_instructions(&kernel, builder.into_pool(), trace, threads, cases);
        assert_eq!(issued, traced, "{threads} threads");
    }
}

#[test]
fn only_seldom_arguments_add_instructions() {
    let sextic = problem::by_name("sextic", Some(1024)).unwrap();
    let programs: Vec<Rpn> = ["X1 sin X1 X1 * +", "X1 1000000000 * sin", "X1 X1 *"]
        .map(|text| text.parse().unwrap())
        .to_vec();
    let variant = variant(ProblemId::Sextic);
    let added = divergent_instructions(&variant.into(), &programs, &sextic.dataset).unwrap();
    assert_eq!((added[0], added[2]), (0.0, 0.0));
    // All eight cases of every lane are reduced, one after another.
    assert!(added[1] > 100.0, "{added:?}");
}
