//! A launch of Chitty's kernels, or of a custom kernel, on a device: programs, machine code, residency, the host.
//!
//! Leaves out: timing. Never reads a measured speed. Units: bytes, seconds in the names.

use super::code::KernelCode;
use super::counted::is_counted;
use super::find;
use super::inputs::ProblemInputs;
use super::kernel::{KernelWork, unweighted_grids};
use super::request::{Cases, Request};
use crate::device::Device;
use crate::device::ideal::Ideal;
use crate::device::occupancy::{BlockResources, Occupancy};
use crate::launch::geometry::Geometry;
use crate::launch::host::HostWork;
use crate::launch::placement::Placement;
use crate::launch::prediction::{Configuration, PredictError};
use crate::launch::residency::reside;
use crate::launch::uniform::{Uniform, UniformWork};
use crate::launch::work::Work;
use crate::launch::{CarveOut, Launch};
use crate::systems::caches::{Caches, Context};
use std::sync::Arc;

/// Returns the programs, code and cases of a complete configuration.
pub fn request(configuration: &Configuration, on: Context) -> Result<Request, PredictError> {
    let inputs = (on.caches).inputs(&configuration.problem, on.settings);
    let inputs = inputs.map_err(PredictError::other)?;
    let choice = &on.settings.code;
    let kernel = find::of(configuration, inputs.problem, on.device, choice)?;
    Ok(Request {
        cases: cases(&inputs, &kernel, configuration.threads_per_block),
        kernel,
        programs: Arc::clone(&inputs.population),
        threads_per_block: configuration.threads_per_block,
        case_blocks: configuration.case_blocks,
        carve_out: CarveOut::of(configuration.l1_bytes),
    })
}

/// Returns the fitness cases of a launch. A list of programs runs in whole passes of a block, like `measure`; a corpus runs as
/// the paper's launch. Cases that the problem defines are included for kernels without a count on real cases.
fn cases(inputs: &ProblemInputs, kernel: &KernelCode, threads: u32) -> Cases {
    let mut cases = inputs.cases.clone();
    let is_listed = inputs.population.blocks.is_some();
    if is_listed {
        let pass = threads.saturating_mul(kernel.stack_dim).max(1);
        cases.padded_elements = cases.elements.next_multiple_of(pass);
    }
    if inputs.problem.defines_its_cases()
        && (is_listed || !kernel.compiled().is_some_and(is_counted))
    {
        cases.values = inputs.values();
    }
    cases
}

/// Makes the launch on a device. An impossible block is refused before anything is traced for it.
pub fn launch(request: &Request, device: &Device, caches: &Caches) -> Result<Launch, PredictError> {
    let resources = request.kernel.resources().map_err(PredictError::other)?;
    let block = |shared_bytes_per_block| BlockResources {
        threads_per_block: request.threads_per_block,
        registers_per_thread: resources.registers,
        shared_bytes_per_block,
    };
    let resides = |shared_bytes| {
        let kernel = request.kernel.kernel_name();
        reside(device, kernel, request.carve_out, block(shared_bytes))
    };
    resides(0)?;
    let kernel = traced(request, caches)?;
    let each = kernel.shared_bytes.iter();
    let grid_blocks = each.map(|&bytes| Ok(resides(bytes)?.0.blocks));
    let grid_blocks = grid_blocks.collect::<Result<Vec<u32>, PredictError>>()?;
    let shared_bytes = kernel.median_shared_bytes();
    let resident = resides(shared_bytes)?;
    let geometry = geometry(request, device, &resident.0, resources.frame_bytes);
    let placement = Placement::new(device, block(shared_bytes), resident, geometry)?;
    let work = UniformWork {
        fitness_cases: request.cases.n,
        grid_blocks,
        host_seconds: match device.ideals.has(Ideal::Host) {
            true => 0.0,
            false => host_seconds(request, device, &kernel),
        },
        kernel,
    };
    let uniform = Uniform {
        placement: &placement,
        work: &work,
    };
    Ok(Launch {
        configuration: named(request, placement.l1_bytes),
        facts: uniform.launch_facts(),
        placement,
        work: Work::Uniform(work),
    })
}

/// Returns the configuration that names a launch.
fn named(request: &Request, l1_bytes: u32) -> Configuration {
    let kernel = &request.kernel;
    Configuration {
        problem: kernel.problem.name().into(),
        kernel: kernel.kernel_name().into(),
        stack_dim: kernel.stack_dim,
        stack_registers: kernel.stack_registers,
        threads_per_block: request.threads_per_block,
        case_blocks: request.case_blocks,
        l1_bytes: Some(l1_bytes),
        population: None,
        cases: None,
        threads_per_program: None,
    }
}

fn geometry(
    request: &Request,
    device: &Device,
    occupancy: &Occupancy,
    frame_bytes: u32,
) -> Geometry {
    let n_smx = device.chip.n_smx;
    let grids = request.programs.grids.iter().map(Vec::len);
    let programs = grids.max().unwrap_or(0) as u32;
    let full = Geometry {
        threads_per_block: request.threads_per_block,
        stack_dim: request.kernel.stack_dim,
        fitness_cases: request.cases.padded_elements,
        programs,
        case_blocks: request.case_blocks,
        resident_blocks: occupancy.blocks,
        n_smx,
        local_stride_bytes: device.local_stride_bytes(frame_bytes),
    };
    let on_each = full.blocks().div_ceil(n_smx);
    match device.ideals.has(Ideal::GridEnds) {
        true => full,
        false => Geometry {
            resident_blocks: occupancy.blocks.min(on_each),
            ..full
        },
    }
}

fn traced(request: &Request, caches: &Caches) -> Result<Arc<KernelWork>, PredictError> {
    let programs = &request.programs;
    let key = (request.kernel.clone(), programs.id());
    caches.kernels.try_get(key, || {
        let grids = (caches.grids).get(programs.id(), || unweighted_grids(programs));
        let work = KernelWork::new(
            &request.kernel,
            Arc::clone(programs),
            &request.cases,
            &grids,
        );
        work.map_err(PredictError::other)
    })
}

/// Returns the time on the host between all launches.
fn host_seconds(request: &Request, device: &Device, kernel: &KernelWork) -> f64 {
    let sharing = request.kernel.kernel.sharing();
    let launches = request.programs.grids.iter().zip(&kernel.shared_bytes);
    let seconds = launches.map(|(grid, bytes)| {
        let work = HostWork {
            programs: grid.len() as u64,
            nodes: grid.iter().map(|&nodes| u64::from(nodes)).sum(),
            words_per_program: bytes / 4,
            values_per_program: sharing
                .results_per_program(request.threads_per_block, request.case_blocks),
        };
        work.seconds(&device.host)
    });
    seconds.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;
    use crate::gp::problem::ProblemId;
    use crate::gp::program::Rpn;
    use crate::gp::programs::Population;
    use crate::isa::Arch;
    use crate::systems::chitty::variant::{KernelId, Variant};

    /// Makes a request with one block for each of these sextic programs.
    fn request(programs: &[&str]) -> Request {
        let programs: Vec<Rpn> = programs.iter().map(|text| text.parse().unwrap()).collect();
        Request {
            kernel: Variant::new(KernelId::Rpn, ProblemId::Sextic, 2, Arch::Sm35).into(),
            programs: Arc::new(Population::of_list(&programs, programs.len()).unwrap()),
            cases: Cases::of(ProblemId::Sextic, 2048),
            threads_per_block: 128,
            case_blocks: 1,
            carve_out: CarveOut::Default,
        }
    }

    #[test]
    fn programs_that_come_to_lie_where_refused_ones_lay_have_their_own_grids() {
        let device = Preset::load("gtx670").unwrap().device;
        let caches = Caches::default();
        let refused = request(&["X1", "X1 X1 AND"]);
        assert!(launch(&refused, &device, &caches).is_err());
        let good = launch(&request(&["X1", "X1 X1 *", "X1 X1 +"]), &device, &caches).unwrap();
        let kernel = good.uniform().unwrap().facts();
        assert_eq!(kernel.grids[0].work.len(), 3);
    }
}
