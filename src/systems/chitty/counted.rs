//! What data adds to the kernels of the paper's tables, counted once on the real fitness cases.
//!
//! Units: percent of a kernel's warp instructions. Sources: `fixtures/divergence.csv`, made by
//! `cargo xtask count-divergence`.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use crate::gp::problem::ProblemId;
use crate::isa::Arch;
use crate::systems::chitty::variant::{Dispatch, KernelId, Math, Shape, Variant};

const COUNTED: &str = include_str!("../../../fixtures/divergence.csv");

#[derive(Debug, Deserialize)]
struct Row {
    problem: ProblemId,
    kernel: KernelId,
    stack_dim: u32,
    stack_registers: u32,
    added_percent: f64,
}

/// The counts by kernel. The file is part of the program; a test reads all of it.
fn counted() -> &'static FxHashMap<Variant, f64> {
    static TABLE: OnceLock<FxHashMap<Variant, f64>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut reader = csv::Reader::from_reader(COUNTED.as_bytes());
        let rows = reader.deserialize::<Row>().filter_map(Result::ok);
        rows.map(|row| {
            let counted = Variant {
                stack_registers: row.stack_registers,
                ..Variant::new(row.kernel, row.problem, row.stack_dim, Arch::Sm35)
            };
            (counted, row.added_percent)
        })
        .collect()
    })
}

/// What was counted for `variant`, or for the kernel of the tables that differs from it only in how it was compiled.
pub fn counted_percent(variant: &Variant) -> Option<f64> {
    let of_tables = Variant {
        shape: Shape::Unrolled,
        math: Math::Accurate,
        dispatch: Dispatch::Float,
        arch: Arch::Sm35,
        ..*variant
    };
    counted().get(&of_tables).copied()
}

/// Whether this very kernel was counted.
pub fn is_counted(variant: &Variant) -> bool {
    counted().contains_key(variant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_of_the_tables_was_counted() {
        let rows = csv::Reader::from_reader(COUNTED.as_bytes())
            .deserialize::<Row>()
            .collect::<Result<Vec<_>, _>>()
            .unwrap();
        // 6 postfix, 6 linear, 3 with vectors, 4 with registers, for each of four problems.
        assert_eq!(rows.len(), 4 * 19);
        assert_eq!(counted().len(), rows.len());
        assert!(rows.iter().all(|row| row.added_percent.abs() < 10.0));
    }

    #[test]
    fn boolean_words_divide_nothing() {
        let of_mux = |(variant, _): &(&Variant, &f64)| variant.problem == ProblemId::Mux20;
        let mux = counted().iter().filter(of_mux);
        assert!(mux.clone().count() == 19 && mux.into_iter().all(|(_, added)| *added == 0.0));
    }
}
