//! Which compiled kernel a configuration asks for, or the first property that no kernel has.
//!
//! Leaves out: everything about its execution. Units: none.
//! Sources: the kernels in the program, `fixtures/sass/index.json`.

use super::{Settings, other};
use crate::gpu::variant::{Arch, FunctionSet, KernelId, Math, Shape, Variant};
use crate::predict::{Configuration, PredictError};

/// A property of a variant: its name and its value as text.
type Property = (&'static str, fn(&Variant) -> String);

/// In the order in which they are asked for.
const PROPERTIES: [Property; 5] = [
    ("second dimension", |v| v.stack_dim.to_string()),
    ("stack levels in registers", |v| {
        v.stack_registers.to_string()
    }),
    ("code shape", |v| v.shape.to_string()),
    ("math", |v| v.math.to_string()),
    ("program words", |v| v.dispatch.to_string()),
];

/// The kernel for `configuration`, compiled as `settings` say. Boolean words have no mathematics to be fast at:
/// their kernels exist with one choice only.
pub(super) fn find(
    configuration: &Configuration,
    problem: FunctionSet,
    settings: &Settings,
) -> Result<Variant, PredictError> {
    let kernel: KernelId = configuration.kernel.parse().map_err(other)?;
    let mut left: Vec<Variant> = Variant::all().map_err(other)?;
    left.retain(|v| (v.kernel, v.problem, v.arch) == (kernel, problem, Arch::Sm35));
    let wanted = Variant {
        stack_registers: configuration.stack_registers,
        shape: settings.shape.unwrap_or(Shape::Unrolled),
        math: match problem {
            FunctionSet::Mux20 => Math::Accurate,
            _ => settings.math,
        },
        dispatch: settings.dispatch,
        ..Variant::new(kernel, problem, configuration.stack_dim, Arch::Sm35)
    };
    for (what, value) in PROPERTIES {
        let given = value(&wanted);
        let mut allowed: Vec<String> = left.iter().map(value).collect();
        left.retain(|variant| value(variant) == given);
        if left.is_empty() {
            allowed.sort();
            allowed.dedup();
            return Err(PredictError::Input {
                what,
                given,
                allowed: format!("{} (kernel {kernel} for {problem})", allowed.join(", ")),
            });
        }
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration(kernel: &str, stack_dim: u32, stack_registers: u32) -> Configuration {
        Configuration {
            problem: "sextic".into(),
            kernel: kernel.into(),
            stack_dim,
            stack_registers,
            threads_per_block: 64,
            l1_bytes: 49152,
        }
    }

    fn find(configuration: &Configuration) -> Result<Variant, PredictError> {
        super::find(configuration, FunctionSet::Sextic, &Settings::default())
    }

    #[test]
    fn kernels_of_the_paper_are_found() {
        for (kernel, stack_dim, registers) in
            [("rpn", 1, 0), ("lgp", 6, 0), ("lgp-registers", 4, 4)]
        {
            let variant = find(&configuration(kernel, stack_dim, registers)).unwrap();
            assert!(variant.resources().is_ok(), "{variant}");
        }
    }

    #[test]
    fn every_cell_of_every_table_has_a_kernel() {
        use crate::validate::{Table, cells};
        for problem in FunctionSet::ALL {
            let of_table = |table: Table| cells(table, problem.name());
            for cell in Table::ALL.into_iter().flat_map(of_table) {
                let configuration = cell.configuration();
                let found = super::find(&configuration, *problem, &Settings::default());
                assert!(found.is_ok(), "{problem} {}: {found:?}", cell.label());
            }
        }
    }

    #[test]
    fn the_first_property_that_does_not_exist_is_named() {
        let message = |kernel, stack_dim, registers| {
            let error = find(&configuration(kernel, stack_dim, registers)).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            message("rpn", 9, 0),
            "second dimension: given 9; allowed: 1, 2, 3, 4, 5, 6 (kernel rpn for sextic)"
        );
        assert_eq!(
            message("lgp-registers", 4, 0),
            "stack levels in registers: given 0; allowed: 1, 2, 3, 4 (kernel lgp-registers for sextic)"
        );
        assert!(message("tree", 1, 0).contains("rpn"));
    }
}
