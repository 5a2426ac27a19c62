//! Files of other tools: Accel-Sim's traces, which are simulated, and Nsight Compute's pages.

use super::text;
use std::sync::LazyLock;
use warpstack::device::{Device, Preset};
use warpstack::interop::replay::{Limits, import};
use warpstack::launch::spec::SmxSpec;
use warpstack::measure::ncu;
use warpstack::sim::blocks;

/// One block of two warps, with local, shared and global accesses.
const TRACE: &str = include_str!("../../seeds/two-warps.traceg");

/// Version 3, without lines, and a barrier.
const OLDER: &str = "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 35\n\
    -cuda stream id = 0\n-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n-nvbit version = 1.1\n-accelsim tracer version = 3\n\n#BEGIN_TB\n\n\
    thread block = 0,0,0\n\nwarp = 0\ninsts = 4\n0000 ffffffff 1 R1 S2R 0 0\n0008 ffffffff 0 BAR.SYNC 0 0\n\
    0010 00000003 1 R2 LDG.E 1 R1 4 0 0x100 0x200\n0018 ffffffff 0 EXIT 0 0\n\n#END_TB\n";

pub fn traceg_seeds() -> Vec<Vec<u8>> {
    [TRACE, OLDER].map(|text| text.as_bytes().to_vec()).into()
}

pub fn traceg(bytes: &[u8]) {
    static MACHINE: LazyLock<(Device, SmxSpec)> = LazyLock::new(|| {
        let device = Preset::load("gtx670").expect("a committed preset").device;
        let spec = SmxSpec::new(&device, 49_152).expect("a division that it has");
        (device, spec)
    });
    let (device, spec) = &*MACHINE;
    let limits = Limits {
        blocks: 4,
        instructions: 1000,
    };
    if let Ok(imported) = import(bytes, "fuzz", limits, device) {
        let _ = blocks::run(spec, &imported.blocks, 1, 1_000_000, ());
    }
}

const LONG: &str = "==PROF== Connected to process 7\n\
    \"ID\",\"Process ID\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\"\n\
    \"0\",\"7\",\"rpn\",\"1\",\"7\",\"(32, 1, 1)\",\"(9, 1, 1)\",\"0\",\"9.0\",\"Speed\",\"Duration\",\"usecond\",\"1,250.5\",\"\"\n\
    \"0\",\"7\",\"rpn\",\"1\",\"7\",\"(32, 1, 1)\",\"(9, 1, 1)\",\"0\",\"9.0\",\"Speed\",\"\",\"\",\"\",\"Rule\"\n==PROF== Disconnected\n";
const WIDE: &str = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"dram__bytes_read.sum\",\"launch__func_cache_config\"\n\
    \"\",\"\",\"\",\"\",\"Mbyte\",\"\"\n\"0\",\"rpn\",\"(32, 1, 1)\",\"(9, 1, 1)\",\"1.5\",\"CachePreferNone\"\n";
const SUMMARY: &str = "\"Process ID\",\"Kernel Name\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n\
    \"7\",\"rpn\",\"3\",\"S\",\"inst\",\"inst\",\"1\",\"3\",\"2\"\n";

pub fn ncu_seeds() -> Vec<Vec<u8>> {
    [LONG, WIDE, SUMMARY]
        .map(|text| text.as_bytes().to_vec())
        .into()
}

pub fn ncu(bytes: &[u8]) {
    let _ = ncu::parse(&text(bytes), "fuzz.csv");
}
