//! The library's public interface, used as an outside crate would: only exports of the crate's root.

use warpstack::{
    EngineKind, Error, ErrorKind, Kernel, LaunchOptions, PredictError, Predictor, Preset, Problem,
    Size,
};

fn on(device: &str) -> Predictor {
    Predictor::new(Preset::load(device).unwrap().device).with_engine(EngineKind::Analytical)
}

fn message(result: Result<warpstack::Prediction, PredictError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn every_kernel_runs_every_problem_of_the_paper_on_its_device() {
    let compiled = [
        Problem::Sextic,
        Problem::Shuttle,
        Problem::Kddcup,
        Problem::Mux20,
    ];
    for problem in compiled {
        for kernel in Kernel::ALL {
            let device = match kernel {
                Kernel::Accumulator => "h200",
                _ => "gtx670",
            };
            let launch = LaunchOptions {
                problem: Some(problem.name().into()),
                ..LaunchOptions::of(kernel.name())
            };
            let prediction = on(device).predict(launch).unwrap();
            assert!(prediction.gpops_billion > 0.1, "{kernel} {problem}");
            assert_eq!(prediction.configuration.kernel, kernel.name());
        }
    }
}

#[test]
fn what_the_builder_says_is_what_is_launched() {
    let launch = LaunchOptions::of("lgp-registers")
        .with(Size::Threads, 128)
        .with(Size::StackDim, 4)
        .with(Size::StackRegisters, 3)
        .with(Size::L1Kib, 16);
    let predicted = on("gtx670").predict(&launch).unwrap().configuration;
    assert_eq!(
        (
            predicted.threads_per_block,
            predicted.stack_dim,
            predicted.stack_registers
        ),
        (128, 4, 3)
    );
    assert_eq!(predicted.l1_bytes, Some(16 * 1024));
    let shared = LaunchOptions::of("accumulator").with(Size::CaseBlocks, 7);
    let predicted = on("h200").predict(&shared).unwrap().configuration;
    assert_eq!(predicted.case_blocks, 7);
}

#[test]
fn both_engines_and_a_second_prediction_agree_with_themselves() {
    let closed_form = on("gtx670");
    let launch = LaunchOptions::of("rpn").with(Size::L1Kib, 48);
    let first = closed_form.predict(&launch).unwrap().gpops_billion;
    assert_eq!(first, closed_form.predict(&launch).unwrap().gpops_billion);
    let simulated = closed_form
        .with_engine(EngineKind::Simulator)
        .predict(&launch)
        .unwrap();
    assert!(simulated.simulated_warp_instructions > 0);
    assert!((simulated.gpops_billion / first - 1.0).abs() < 0.1);
}

#[test]
fn programs_of_ones_own_are_run_and_move_to_other_devices() {
    let short = on("gtx670")
        .with_programs(Problem::Sextic, ["X1 X1 *"; 500])
        .unwrap();
    let launch = LaunchOptions::of("rpn");
    let levels = |predictor: &Predictor| predictor.predict(&launch).unwrap().mean_stack_levels;
    assert_eq!(levels(&short), 2.0);
    assert_eq!(levels(&short.on(Preset::load("h200").unwrap().device)), 2.0);
    assert!(levels(&on("gtx670")) > 2.5);
    assert_eq!(levels(&short.with_engine(EngineKind::Simulator)), 2.0);
}

#[test]
fn wrong_input_is_named() {
    let refused = |programs: &[&str]| {
        let result = on("gtx670").with_programs(Problem::Sextic, programs);
        result.unwrap_err().to_string()
    };
    assert!(refused(&["X1 X1 *", "X1 ?"]).contains("line 2"));
    assert!(refused(&["X1 X3 *"]).contains("X3"));
    assert!(refused(&["X1 *"]).contains("line 1"));
    assert!(!refused(&[]).is_empty());

    let rpn = LaunchOptions::of("rpn");
    let gtx670 = on("gtx670");
    assert!(
        message(gtx670.predict(rpn.with(Size::StackDim, 9))).contains("given 9; allowed: 1, 2")
    );
    assert!(
        message(gtx670.predict(rpn.with(Size::StackRegisters, 2))).contains("given 2; allowed: 0")
    );
    assert!(message(gtx670.predict(rpn.with(Size::Threads, 0))).contains("allowed: 1 to 1024"));
    assert!(message(gtx670.predict(rpn.with(Size::Threads, 5000))).contains("allowed: 1 to 1024"));
    for kib in [47, u32::MAX] {
        assert!(
            message(gtx670.predict(rpn.with(Size::L1Kib, kib))).contains("allowed"),
            "{kib}"
        );
    }
    for blocks in [0, 2, u32::MAX] {
        assert!(
            message(gtx670.predict(rpn.with(Size::CaseBlocks, blocks))).contains("allowed"),
            "{blocks}"
        );
    }
    let accumulator = LaunchOptions::of("accumulator");
    let beyond = on("h200").predict(accumulator.with(Size::CaseBlocks, 65_536));
    assert!(message(beyond).contains("1 to 65535"));
    let elsewhere = gtx670.predict(&accumulator);
    assert!(matches!(elsewhere, Err(PredictError::Refused(_))));
    assert!(
        Preset::load("gtx9999")
            .map_err(Error::from)
            .unwrap_err()
            .to_string()
            .contains("h200")
    );
}

#[test]
fn errors_have_their_kind_and_the_allowed_values_as_data() {
    let device = Error::from(Preset::load("gtx9999").unwrap_err());
    let launch = on("gtx670").predict(LaunchOptions::of("rpn").with(Size::StackDim, 9));
    let launch = Error::from(launch.unwrap_err());
    let programs = on("gtx670").with_programs(Problem::Sextic, ["X2"]);
    let programs = Error::from(programs.unwrap_err());
    for (error, kind, part) in [
        (&device, ErrorKind::Device, Some("h200")),
        (&launch, ErrorKind::Launch, Some("1, 2")),
        (&programs, ErrorKind::Programs, None),
    ] {
        assert_eq!(error.kind(), kind);
        let allowed = error.allowed();
        assert_eq!(allowed.is_some(), part.is_some(), "{error}");
        let (allowed, part) = (allowed.unwrap_or_default(), part.unwrap_or_default());
        assert!(
            allowed.contains(part) && error.to_string().contains(allowed),
            "{error}"
        );
    }
}
