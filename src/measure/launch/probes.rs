//! The probes of `characterize` on a GPU: machine code, memory, launches.
//!
//! Leaves out: what is launched and why (`card`). Units: bytes, milliseconds. Sources: `tools/card/probes.cu`.

use super::{Asked, Gpu, GpuError, failed};
use cudarc::driver::sys::{
    CUdevice_attribute_enum as DeviceAttribute, CUfunction_attribute_enum as Attribute,
};
use cudarc::driver::{CudaModule, CudaSlice, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::io::Read;
use std::sync::Arc;

/// Machine code of the probes, compressed, by compute capability.
const CUBINS: [((i32, i32), &[u8]); 5] = [
    (
        (7, 5),
        include_bytes!("../../../fixtures/probes/sm_75.cubin.gz"),
    ),
    (
        (8, 0),
        include_bytes!("../../../fixtures/probes/sm_80.cubin.gz"),
    ),
    (
        (8, 6),
        include_bytes!("../../../fixtures/probes/sm_86.cubin.gz"),
    ),
    (
        (8, 9),
        include_bytes!("../../../fixtures/probes/sm_89.cubin.gz"),
    ),
    (
        (9, 0),
        include_bytes!("../../../fixtures/probes/sm_90.cubin.gz"),
    ),
];
/// Code that the driver compiles for other cards.
const PTX: &[u8] = include_bytes!("../../../fixtures/probes/probes.ptx.gz");
/// Oldest compute capability with code.
const OLDEST: (i32, i32) = (7, 5);
/// Values that a launch can store.
pub const OUT_VALUES: usize = 1 << 19;
/// Numbers that a launch can be given.
pub const LIST_VALUES: usize = 4096;
/// Memory that probes read and write, at most and at least.
const MEMORY_BYTES: usize = 1 << 30;
const LEAST_BYTES: usize = 1 << 28;

/// Grid and block of a launch.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub blocks: u32,
    pub threads: u32,
    /// Dynamic shared memory per block; it also selects the L1's size.
    pub shared_bytes: u32,
}

/// The loaded probes and the memory that they work on.
pub struct Probes {
    gpu: Gpu,
    module: Arc<CudaModule>,
    memory: CudaSlice<u8>,
    list: CudaSlice<u32>,
    out: CudaSlice<u64>,
}

impl Probes {
    /// Loads the probes on a device. Errors: no code for it, or too little memory.
    pub fn load(gpu: Gpu) -> Result<Self, GpuError> {
        let (major, minor) = gpu.info.compute_capability;
        if (major, minor) < OLDEST {
            return Err(GpuError::TooOld {
                name: gpu.info.name.clone(),
                major,
                minor,
            });
        }
        let native = CUBINS.iter().find(|(of, _)| *of == (major, minor));
        let code = match native {
            Some((_, packed)) => Ptx::from_binary(unpack(packed)?),
            None => Ptx::from_src(String::from_utf8_lossy(&unpack(PTX)?).into_owned()),
        };
        let module = (gpu.context.load_module(code)).to("load the probes")?;
        let free_bytes = gpu.context.mem_get_info().to("read the free memory")?.0;
        let bytes = MEMORY_BYTES.min(free_bytes / 2);
        if bytes < LEAST_BYTES {
            return Err(GpuError::OutOfMemory {
                what: "characterizing",
                needed_bytes: 2 * LEAST_BYTES,
                free_bytes,
            });
        }
        let stream = &gpu.stream;
        let memory = stream.alloc_zeros(bytes).to("allocate memory")?;
        let list = stream.alloc_zeros(LIST_VALUES).to("allocate a list")?;
        let out = stream.alloc_zeros(OUT_VALUES).to("allocate the readings")?;
        Ok(Self {
            gpu,
            module,
            memory,
            list,
            out,
        })
    }

    /// Returns the open device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Returns the bytes that probes may read and write.
    pub fn memory_bytes(&self) -> usize {
        self.memory.len()
    }

    /// Sets the numbers that later launches read.
    pub fn set_list(&mut self, numbers: &[u32]) -> Result<(), GpuError> {
        let mut all = numbers.to_vec();
        all.resize(LIST_VALUES, 0);
        (self.gpu.stream.memcpy_htod(&all, &mut self.list)).to("copy a list")
    }

    /// Runs a probe and returns its first `n` values.
    pub fn run(
        &mut self,
        name: &str,
        shape: Shape,
        arguments: [u32; 4],
        n: usize,
    ) -> Result<Vec<u64>, GpuError> {
        self.launch(name, shape, arguments)?;
        let view = self.out.slice(0..n.min(OUT_VALUES));
        self.gpu.stream.clone_dtoh(&view).to("run a probe")
    }

    /// Sets all values to zero.
    pub fn clear(&mut self) -> Result<(), GpuError> {
        self.gpu.stream.memset_zeros(&mut self.out).to("clear")
    }

    /// Returns the milliseconds between events around a probe that starts behind `before` others.
    pub fn time(
        &mut self,
        name: &str,
        shape: Shape,
        arguments: [u32; 4],
        before: Option<(&str, Shape, [u32; 4])>,
    ) -> Result<f32, GpuError> {
        if let Some((name, shape, arguments)) = before {
            self.launch(name, shape, arguments)?;
        }
        let start = self.gpu.event()?;
        self.launch(name, shape, arguments)?;
        let end = self.gpu.event()?;
        start.elapsed_ms(&end).to("run a probe")
    }

    fn launch(&mut self, name: &str, shape: Shape, arguments: [u32; 4]) -> Result<(), GpuError> {
        let function = self.module.load_function(name).to("find a probe")?;
        let set = |attribute, value| function.set_attribute(attribute, value);
        set(
            Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            shape.shared_bytes as i32,
        )
        .to("allow a block all shared memory")?;
        set(
            Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
            0,
        )
        .to("set the carve-out")?;
        let config = LaunchConfig {
            grid_dim: (shape.blocks, 1, 1),
            block_dim: (shape.threads, 1, 1),
            shared_mem_bytes: shape.shared_bytes,
        };
        let mut builder = self.gpu.stream.launch_builder(&function);
        builder.arg(&self.memory).arg(&self.list).arg(&mut self.out);
        for argument in &arguments {
            builder.arg(argument);
        }
        // SAFETY: the arguments are those of the probes' common signature; probes stay within the memory that they are told.
        unsafe { builder.launch(config) }.to("launch a probe")?;
        Ok(())
    }
}

fn unpack(packed: &[u8]) -> Result<Vec<u8>, GpuError> {
    let mut content = Vec::new();
    let read = flate2::read::GzDecoder::new(packed).read_to_end(&mut content);
    read.map(|_| content).map_err(|error| GpuError::Driver {
        what: "unpack the probes",
        reason: error.to_string(),
    })
}

impl Gpu {
    /// Returns a number that the driver knows of the device.
    pub fn attribute(&self, which: DeviceAttribute) -> Result<i32, GpuError> {
        (self.context.attribute(which)).map_err(|error| failed("read a device attribute", error))
    }
}
