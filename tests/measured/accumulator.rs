//! Is what is predicted for the accumulator near what was measured on an H200? A few launches over problems, mathematics,
//! block sizes and divisions of the cases; `warpstack validate --measured` shows all of them.

use std::path::Path;

use warpstack::device::{Device, Preset};
use warpstack::gp::problem::ProblemId;
use warpstack::predictor::{Engine, Kind, Settings};
use warpstack::systems::chitty::variant::{KernelId, Math};
use warpstack::validate::launches::{MeasuredLaunch, parse};
use warpstack::validate::requests::{Programs, Requests};

/// Most that a prediction may be off, in percent. The worst of these launches is 12 % off in the simulator and 20 % in closed form.
const WITHIN_PERCENT: f64 = 25.0;
const ROWS: &str = include_str!("../../fixtures/measured/h200/ladder.csv");

/// Stack levels in registers, mathematics, threads, blocks that share a program's cases.
type Wanted = (u32, Math, u32, u32);

fn h200() -> Device {
    Preset::load("h200").unwrap().device
}

fn rows(problem: ProblemId, hash: &str, wanted: &[Wanted]) -> Vec<MeasuredLaunch> {
    let mut rows = parse(ROWS, "ladder.csv", &h200()).unwrap();
    rows.retain(|row| {
        let (launched, variant) = (&row.launched, &row.launched.kernel);
        let key = (
            variant.stack_registers,
            variant.math,
            launched.threads_per_block,
            launched.case_blocks,
        );
        let kernel = (variant.kernel, variant.problem);
        kernel == (KernelId::Accumulator, problem)
            && launched.programs == hash
            && wanted.contains(&key)
    });
    rows
}

fn check(problem: ProblemId, (file, hash): (&str, &str), wanted: &[Wanted]) {
    let rows = rows(problem, hash, wanted);
    assert_eq!(rows.len(), wanted.len());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/measured/programs");
    let mut requests = Requests::new(Programs::File(Some(folder.join(file))), None);
    let engine = Engine::new(h200(), &[], Settings::default()).unwrap();
    for kind in [Kind::Simulator, Kind::Analytical] {
        let engine = engine.with_kind(kind);
        for row in &rows {
            let request = requests.of(row).unwrap();
            let predicted = engine.predict_request(&request).unwrap().run_milliseconds;
            let error = 100.0 * (predicted / row.milliseconds.unwrap() - 1.0);
            assert!(
                error.abs() < WITHIN_PERCENT,
                "{kind:?}: {error:.1} % for {:?}",
                row.launched
            );
        }
    }
}

#[test]
fn sextic() {
    let wanted = [(2, Math::Accurate, 64, 25), (2, Math::Fast, 128, 50)];
    check(
        ProblemId::Sextic,
        ("sextic-46.txt", "42e388f1f5dd"),
        &wanted,
    );
}

#[test]
fn multiplexer() {
    let wanted = [
        (3, Math::Accurate, 64, 64),
        // Half of the blocks have no cases.
        (3, Math::Accurate, 128, 64),
    ];
    check(ProblemId::Mux20, ("mux20.txt", "82b29805b89f"), &wanted);
}
