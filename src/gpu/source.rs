//! The CUDA sources of the kernels, for devices that no committed binary fits.
//!
//! Models: each kernel as one text, its headers put in place of their `#include` lines.
//! Leaves out: compilation (`launch`).
//! Sources: `src/gpu/kernels/`.

use super::variant::KernelId;

const HEADERS: [(&str, &str); 4] = [
    ("rows.cuh", include_str!("kernels/rows.cuh")),
    ("functions.cuh", include_str!("kernels/functions.cuh")),
    ("operands.cuh", include_str!("kernels/operands.cuh")),
    ("vectors.cuh", include_str!("kernels/vectors.cuh")),
];

/// The source of a kernel, headers included.
pub fn flat(kernel: KernelId) -> String {
    let source = match kernel {
        KernelId::Rpn => include_str!("kernels/rpn.cu"),
        KernelId::Lgp => include_str!("kernels/lgp.cu"),
        KernelId::LgpVector => include_str!("kernels/lgp-vector.cu"),
        KernelId::LgpRegisters => include_str!("kernels/lgp-registers.cu"),
        KernelId::Accumulator => include_str!("kernels/accumulator.cu"),
    };
    HEADERS
        .iter()
        .fold(source.to_owned(), |text, (name, header)| {
            // `#pragma once` only has a meaning in a header.
            text.replace(
                &format!("#include \"{name}\"\n"),
                &header.replace("#pragma once\n", ""),
            )
        })
}
