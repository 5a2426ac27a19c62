//! Python bindings: the command line of `warpstack` as a function that returns what it prints.
//!
//! Models: nothing. Leaves out: keywords, defaults and columns (`warpstack/*.py`). Units: those of the subcommands' JSON, in the names.

mod waiting;

use pyo3::prelude::*;

/// The compiled part of `warpstack`.
#[pymodule]
mod _warpstack {
    use crate::waiting::in_background;
    use pyo3::prelude::*;

    /// The standard output of a command line, given without the program's name.
    #[pyfunction]
    fn run(py: Python<'_>, arguments: Vec<String>) -> PyResult<String> {
        in_background(py, arguments)
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
