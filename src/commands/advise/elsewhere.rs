//! Kernels that only another architecture's code has, with the speed that it would have here.
//!
//! Leaves out: recompiling; code whose encodings differ from the device's, such as Kepler's. Units: billions of GPop/s.

use super::{search, significant};
use crate::isa::{Arch, Family};
use crate::predictor::{Predictor, architecture};
use crate::report::table::table;
use crate::systems::chitty::variant::Variant;
use serde::Serialize;
use std::collections::BTreeSet;
use std::error::Error;

/// The fastest launch of a kernel with another architecture's code.
#[derive(Debug, Serialize)]
pub struct Elsewhere {
    pub kernel: String,
    pub arch: String,
    pub gpops_billion: f64,
}

/// Finds the kernels of a problem that the device's own code lacks, the fastest first.
pub fn kernels(problem: &str, model: &Predictor) -> Result<Vec<Elsewhere>, Box<dyn Error>> {
    let own = architecture(model.device(), &model.settings().code)?;
    let family = |arch: Arch| Family::of(arch.name());
    let mut variants = Variant::all()?;
    variants.retain(|one| one.problem.name() == problem);
    let kernels = |arch: Arch| -> BTreeSet<String> {
        let of_arch = variants.iter().filter(|one| one.arch == arch);
        of_arch.map(|one| one.kernel.to_string()).collect()
    };
    let known = kernels(own);
    let mut found = Vec::new();
    let others = Arch::ALL
        .iter()
        .filter(|&&arch| arch != own && family(arch) == family(own));
    for &arch in others {
        for kernel in kernels(arch).difference(&known) {
            let there = model.with_arch(arch);
            let best = search((problem, Some(kernel)), &there)?.into_iter().next();
            found.extend(best.map(|best| Elsewhere {
                kernel: kernel.clone(),
                arch: arch.to_string(),
                gpops_billion: best.gpops_billion,
            }));
        }
    }
    found.sort_by(|a, b| b.gpops_billion.total_cmp(&a.gpops_billion));
    Ok(found)
}

/// A table of the kernels.
pub fn text(found: &[Elsewhere]) -> String {
    let rows = found.iter().map(|one| {
        let options = format!("--arch {} --kernel {}", one.arch, one.kernel);
        vec![one.kernel.clone(), options, significant(one.gpops_billion)]
    });
    let headers = ["kernel", "predicted with", "speed"];
    let title = "Kernels that would have to be compiled for this device; speeds with the code of another:\n";
    title.to_owned() + &table(&headers, rows.collect(), 2)
}
