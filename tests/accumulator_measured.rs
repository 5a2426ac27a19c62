//! Is what is predicted for the accumulator near what was measured on an H200? A few launches over problems, mathematics, block sizes
//! and divisions of the cases; `examples/accumulator_rows.rs` shows all of them.

use warpstack::device::Preset;
use warpstack::engine::Kind;
use warpstack::engine::given::GivenPrograms;
use warpstack::gp::program::Rpn;
use warpstack::gpu::variant::{FunctionSet, Math};
use warpstack::gpu::workload::measured_programs;
use warpstack::validate::launches::accumulator_launches;

/// Most that a prediction may be off, in percent. The worst of these launches is 12 % off in the simulator and 20 % in closed form.
const WITHIN_PERCENT: f64 = 25.0;

/// Stack levels in registers, mathematics, threads, blocks that share a program's cases.
type Wanted = (u32, Math, u32, u32);

fn check(problem: FunctionSet, programs: &[Rpn], wanted: &[Wanted]) {
    let device = Preset::load("h200").unwrap().device;
    let nodes: usize = programs.iter().map(|program| program.0.len()).sum();
    let [rows, _] = accumulator_launches().unwrap();
    let rows: Vec<_> = rows
        .into_iter()
        .filter(|row| {
            let (launch, variant) = (&row.launch, &row.launch.variant);
            let key = (
                variant.stack_registers,
                variant.math,
                launch.threads_per_block,
                launch.case_blocks,
            );
            variant.problem == problem && row.nodes as usize == nodes && wanted.contains(&key)
        })
        .collect();
    assert_eq!(rows.len(), wanted.len());
    let launches: Vec<_> = rows.iter().map(|row| row.launch).collect();
    let given = GivenPrograms::new(problem, programs);
    for kind in [Kind::Simulator, Kind::Analytical] {
        let predictions = given.predict(&device, &launches, kind, &|| {});
        for (row, predicted) in rows.iter().zip(predictions) {
            let (measured, predicted) = (row.milliseconds.unwrap(), predicted.unwrap());
            let error = 100.0 * (predicted.milliseconds / measured - 1.0);
            assert!(
                error.abs() < WITHIN_PERCENT,
                "{kind:?}: {error:.1} % for {:?}",
                row.launch
            );
        }
    }
}

#[test]
fn sextic() {
    let text = include_str!("../fixtures/measured/programs/sextic-46.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let programs: Vec<Rpn> = lines.map(|line| line.parse().unwrap()).collect();
    let wanted = [(2, Math::Accurate, 64, 25), (2, Math::Fast, 128, 50)];
    check(FunctionSet::Sextic, &programs, &wanted);
}

#[test]
fn multiplexer() {
    let programs = measured_programs(FunctionSet::Mux20).unwrap();
    let wanted = [
        (3, Math::Accurate, 64, 64),
        // Half of the blocks have no cases.
        (3, Math::Accurate, 128, 64),
    ];
    check(FunctionSet::Mux20, &programs, &wanted);
}
