//! Divergence overhead of the kernels in the paper's tables, counted once on the real fitness cases.
//!
//! Units: percent of a kernel's warp instructions. Sources: `fixtures/divergence.csv`, counted by
//! `divergence`.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::isa::Arch;
use crate::systems::chitty::variant::{Dispatch, Math, Shape, Variant};
use crate::util::rows::{Rows, RowsError};

const COUNTED: &str = include_str!("../../../fixtures/divergence.csv");

/// Returns the counts by kernel. The file is embedded, and a test reads all of it.
fn counted() -> &'static FxHashMap<Variant, f64> {
    static TABLE: OnceLock<FxHashMap<Variant, f64>> = OnceLock::new();
    TABLE.get_or_init(|| read().unwrap_or_default())
}

fn read() -> Result<FxHashMap<Variant, f64>, RowsError> {
    let rows = Rows::read(COUNTED, "divergence.csv")?;
    let counted = rows.iter().map(|row| {
        let (kernel, problem) = (row.named("kernel")?, row.named("problem")?);
        let stack_dim = row.value("stack_dim", "a whole number")?;
        let variant = Variant {
            stack_registers: row.value("stack_registers", "a whole number")?,
            ..Variant::new(kernel, problem, stack_dim, Arch::Sm35)
        };
        Ok((variant, row.value("added_percent", "a number")?))
    });
    counted.collect()
}

/// Returns the count for `variant`, or for the kernel of the tables that differs from it only in compilation.
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

/// Tells whether this exact kernel was counted.
pub fn is_counted(variant: &Variant) -> bool {
    counted().contains_key(variant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::problem::ProblemId;

    #[test]
    fn every_kernel_of_the_tables_was_counted() {
        let counted = read().unwrap();
        // 6 postfix, 6 linear, 3 with vectors, 4 with registers, for each of four problems.
        assert_eq!(counted.len(), 4 * 19);
        assert_eq!(COUNTED.lines().count(), 1 + counted.len());
        assert!(counted.values().all(|added| added.abs() < 10.0));
    }

    #[test]
    fn boolean_words_divide_nothing() {
        let of_mux = |(variant, _): &(&Variant, &f64)| variant.problem == ProblemId::Mux20;
        let mux = counted().iter().filter(of_mux);
        assert!(mux.clone().count() == 19 && mux.into_iter().all(|(_, added)| *added == 0.0));
    }
}
