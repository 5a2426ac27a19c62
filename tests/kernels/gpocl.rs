//! Do GPOCL's kernels compute what the reference interpreter does, whichever way programs and cases are spread?

use warpstack::isa::Arch;
use warpstack::systems::gpocl::kernel::{Part, block, error, load};
use warpstack::systems::gpocl::population::{Data, program};
use warpstack::systems::gpocl::program::Program;
use warpstack::systems::gpocl::{Domain, Strategy};
use warpstack::systems::registry::ARCHES;

/// Local size, not a multiple of the warp size.
const LOCAL: u32 = 40;

fn check(strategy: Strategy, domain: Domain, dataset: u32, arch: Arch) {
    let kernel = load(strategy, domain, dataset, arch).unwrap();
    let data = Data::random(dataset, 3);
    let (n_programs, cases) = match strategy {
        Strategy::Fp => (5, LOCAL - 3),
        Strategy::Pppe => (LOCAL - 3, 4),
        Strategy::Ppcu => (1, 2 * LOCAL + 7),
    };
    let programs: Vec<Program> = (0..n_programs).map(|i| program(domain, i, 5)).collect();
    let part = Part {
        programs: &programs,
        data: &data,
        first_case: 0,
        cases,
    };
    let results = block(&kernel, domain, LOCAL, part)
        .execute()
        .unwrap()
        .results;
    assert_eq!(results.len(), programs.len());
    for (program, found) in programs.iter().zip(results) {
        let found = f32::from_bits(found);
        let expected = error(program, &data, cases);
        let same = expected.is_finite() == found.is_finite();
        let near = (f64::from(found) - expected).abs() <= 1e-3 * (1.0 + expected.abs());
        assert!(
            same && (near || !found.is_finite()),
            "{strategy:?} {domain:?} {arch}: {found} instead of {expected}"
        );
    }
}

#[test]
fn every_strategy_finds_the_errors_of_the_reference_interpreter() {
    for arch in ARCHES {
        for strategy in Strategy::ALL {
            for domain in Domain::ALL {
                for dataset in [200, 17_000] {
                    check(strategy, domain, dataset, arch);
                }
            }
        }
    }
}
