//! Is every committed kernel readable, named consistently, and made from the sources that are here?

use sha2::{Digest, Sha256};
use warpstack::gp::problem::ProblemId;
use warpstack::isa::Arch;
use warpstack::systems::chitty::variant::{KernelId, Math, Shape, Variant, VariantError};

#[test]
fn kernels_later_than_kepler_keep_the_binary_that_a_driver_loads() {
    for variant in Variant::all().unwrap() {
        let cubin = variant.cubin().unwrap();
        assert_eq!(cubin.is_some(), variant.arch != Arch::Sm35, "{variant}");
        if let Some(cubin) = cubin {
            assert_eq!(&cubin[..4], b"\x7fELF", "{variant}");
        }
    }
}

#[test]
fn kepler_kernels_keep_to_63_registers_and_every_frame_holds_the_stack() {
    for variant in Variant::all().unwrap() {
        let resources = variant.resources().unwrap();
        let limit = if variant.arch == Arch::Sm35 { 63 } else { 64 };
        assert!(resources.registers <= limit, "{variant}: {resources:?}");
        // The accumulator and its levels in registers need none.
        let levels = match variant.kernel {
            KernelId::Accumulator => 49 - variant.stack_registers,
            _ => 50,
        };
        assert!(
            resources.frame_bytes >= levels * 4 * variant.stack_dim,
            "{variant}: {resources:?}"
        );
    }
}

#[test]
fn the_index_was_made_from_the_sources_here() {
    let kernels = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/systems/cuda");
    let read = |name: &str| std::fs::read(kernels.join(name)).unwrap();
    for variant in Variant::all().unwrap() {
        let resources = variant.resources().unwrap();
        let mut hash = Sha256::new();
        hash.update(read(&resources.source));
        let headers: &[&str] = match variant.kernel {
            KernelId::Accumulator => &["functions.cuh", "rows.cuh"],
            _ => &["functions.cuh", "operands.cuh", "vectors.cuh"],
        };
        for header in headers {
            hash.update(read(header));
        }
        let digest: String = hash
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(
            digest, resources.source_sha256,
            "{variant}: run tools/regenerate-sass"
        );
    }
}

#[test]
fn names_round_trip_and_unknown_ones_list_what_is_allowed() {
    for shape in Shape::ALL {
        assert_eq!(shape.name().parse(), Ok(shape));
    }
    let error = "rpm".parse::<KernelId>().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("unknown kernel `rpm`; allowed: rpn"),
        "{error}"
    );
}

#[test]
fn a_variant_that_was_not_compiled_is_an_error_with_the_alternatives() {
    let mut variant = Variant::new(KernelId::Rpn, ProblemId::Sextic, 7, Arch::Sm90);
    variant.math = Math::Fast;
    let error = variant.sass().unwrap_err();
    assert!(matches!(error, VariantError::NotCompiled { .. }));
    assert!(
        error
            .to_string()
            .contains("sm_90/rpn-sextic-d6-unrolled-fast-float"),
        "{error}"
    );
}

#[test]
fn every_kernel_takes_its_own_program_words_and_says_what_stacks_it_has() {
    for kernel in KernelId::ALL {
        for arch in Arch::ALL {
            for (stack_dim, stack_registers) in
                Variant::stacks(kernel, ProblemId::Sextic, arch).unwrap()
            {
                let variant = Variant {
                    stack_registers,
                    ..Variant::new(kernel, ProblemId::Sextic, stack_dim, arch)
                };
                assert!(variant.resources().is_ok(), "{variant}");
            }
        }
    }
    let stacks = |arch| Variant::stacks(KernelId::Accumulator, ProblemId::Kddcup, arch).unwrap();
    assert_eq!(stacks(Arch::Sm90), [(8, 2), (8, 3)]);
    assert!(stacks(Arch::Sm35).is_empty());
    assert_eq!(KernelId::Rpn.default_dispatch().name(), "float");
}

#[test]
fn a_gpu_gets_the_newest_code_that_it_runs() {
    let cases = [
        ((7, 5), Arch::Sm75),
        ((8, 0), Arch::Sm80),
        ((8, 6), Arch::Sm86),
        ((8, 7), Arch::Sm86),
        ((8, 9), Arch::Sm89),
        ((9, 0), Arch::Sm90),
    ];
    for (gpu, arch) in cases {
        assert_eq!(Arch::for_gpu(gpu), arch, "{gpu:?}");
        assert!(arch.runs_on(gpu));
    }
    // Older and newer ones run none of it: Hopper's source is compiled for them.
    for gpu in [(7, 0), (6, 1), (10, 0)] {
        assert_eq!(Arch::for_gpu(gpu), Arch::Sm90);
        assert!(!Arch::ALL.iter().any(|arch| arch.runs_on(gpu)), "{gpu:?}");
    }
}
