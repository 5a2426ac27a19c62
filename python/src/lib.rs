//! Python bindings: the subcommands of `warpstack` as functions that take options and return JSON.
//!
//! Models: nothing; every function parses the options that the command line has, and calls what the subcommand calls.
//! Leaves out: keywords, defaults and columns (`warpstack/*.py`), files of results, charts.
//! Units: those of the subcommands' CSV and JSON, in the names.

mod commands;
mod waiting;

use pyo3::prelude::*;

/// The compiled part of `warpstack`.
#[pymodule]
mod _warpstack {
    use crate::commands;
    use crate::waiting::in_background;
    use pyo3::prelude::*;

    /// `warpstack predict --format json`: one object.
    #[pyfunction]
    fn predict(py: Python<'_>, options: Vec<String>) -> PyResult<String> {
        in_background(py, commands::predict, options)
    }

    /// `warpstack whatif`: a list of rows.
    #[pyfunction]
    fn whatif(py: Python<'_>, options: Vec<String>) -> PyResult<String> {
        in_background(py, commands::whatif, options)
    }

    /// `warpstack whatif --metric hit-rate`: a list of rows.
    #[pyfunction]
    fn sweep(py: Python<'_>, options: Vec<String>) -> PyResult<String> {
        in_background(py, commands::sweep, options)
    }

    /// `warpstack evolve`: a list of generations.
    #[pyfunction]
    fn evolve(py: Python<'_>, options: Vec<String>) -> PyResult<String> {
        in_background(py, commands::evolve, options)
    }

    /// `warpstack measure --on cpu`: a list of rows.
    #[pyfunction]
    fn measure_cpu(py: Python<'_>, options: Vec<String>) -> PyResult<String> {
        in_background(py, commands::measure_cpu, options)
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
