//! Do the kernels compute on a GPU what the CPU computes? Without a GPU, does one line report it?

use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use warpstack::gp::problem::{PAPER, ProblemId};
use warpstack::gp::program::Rpn;
use warpstack::gp::program_file;
use warpstack::gp::workload::Workload;
use warpstack::isa::Arch;
use warpstack::measure::error::GpuError;
use warpstack::measure::launch::{Gpu, GridLaunch};
use warpstack::measure::rows::{Bench, Programs, Protocol, VariantLaunch};
use warpstack::systems::chitty::layout::ProgramTable;
use warpstack::systems::chitty::variant::{KernelId, Variant};

/// The first GPU, or a visible skip.
fn gpu() -> Option<Gpu> {
    match Gpu::open(0) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(
                matches!(error, GpuError::NoDriver | GpuError::NoDevice { .. }),
                "{error}"
            );
            // Past the test harness, which shows what is printed by a test only when it fails.
            let said = writeln!(std::io::stderr(), "SKIPPED, nothing was launched: {error}");
            said.expect("standard error is open");
            None
        }
    }
}

/// Returns cases that no earlier run had.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    now.as_nanos() as u64
}

fn programs(problem: ProblemId) -> Vec<Rpn> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/measured/programs");
    program_file::read(&folder.join(format!("{problem}.txt")), None).unwrap()
}

#[test]
fn every_hopper_kernel_agrees_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let protocol = Protocol {
        warm_ups: 0,
        repeats: 1,
        checked_programs: 40,
    };
    for problem in PAPER {
        let programs = programs(problem);
        let workload = Workload::new(problem, None, fresh_seed()).unwrap();
        let first = Programs {
            list: programs[..40].to_vec(),
            file: String::new(),
        };
        let bench = Bench::new(&gpu, &workload, &first, protocol);
        let variants = Variant::all().unwrap().into_iter();
        for variant in
            variants.filter(|variant| variant.problem == problem && variant.arch == Arch::Sm90)
        {
            let launch = GridLaunch {
                threads_per_block: 96,
                case_blocks: if variant.kernel == KernelId::Accumulator {
                    7
                } else {
                    1
                },
                carveout_percent: None,
            };
            let configuration = VariantLaunch {
                variant,
                launch,
                own: None,
            };
            let row = bench.row(&configuration).unwrap();
            assert!(
                row.agreeing_programs * 100 >= 85 * row.checked_programs,
                "{variant}: {row:?}"
            );
            assert!(row.median_relative_difference < 1e-5, "{variant}: {row:?}");
        }
    }
}

#[test]
fn committed_programs_run_on_every_kernel_and_are_all_of_a_population() {
    for problem in PAPER {
        let programs = programs(problem);
        assert_eq!(programs.len(), 1000);
        for variant in Variant::all()
            .unwrap()
            .into_iter()
            .filter(|variant| variant.problem == problem)
        {
            let table = ProgramTable::new(&programs, &variant).unwrap();
            assert_eq!(table.n_programs, 1000, "{variant}");
        }
    }
}
