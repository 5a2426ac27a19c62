//! `.traceg` blocks as the log of an executed kernel, laid out for a device.
//!
//! Models: every line as one warp instruction of its class, with its registers and what its lanes access, which follows as soon
//! as its operands are there (see `schedule`).
//! Leaves out: stall counts and dual issue of the compiler; the number of active lanes, except for what they access; predicates.
//! Units: bytes.

use super::accel_sim::error::Fault;
use super::accel_sim::read::Place;
use super::accel_sim::{FormatError, Header, Line, TraceReader};
use super::classify;
use super::memory_map::MemoryMap;
use super::schedule::Schedule;
use super::statics::Statics;
use crate::device::occupancy::BlockResources;
use crate::device::{Device, local_bytes_of_a_warp};
use crate::isa::OpClass;
use crate::launch::blocks::Blocks;
use crate::launch::executed::{ExecutedBlock, ExecutedCode, Offsets};
use crate::launch::geometry::Geometry;
use crate::launch::memory_rules::MemoryRules;
use crate::launch::timed::TimedCode;
use crate::trace::WarpPath;
use crate::trace::warp::{LaneAddresses, PathStep};
use std::io::BufRead;

/// Limits on the part of a trace to read.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub blocks: usize,
    pub instructions: u64,
}

/// A trace, read.
#[derive(Debug, Clone)]
pub struct Imported {
    /// Blocks of the trace without residency: `geometry.resident_blocks` is 1.
    pub blocks: Blocks,
    pub instructions: u64,
    /// The file holds more blocks than were asked for.
    pub more_blocks: bool,
}

/// Reads a trace and lays it out for a device. `file` is used in errors.
pub fn import(
    source: impl BufRead,
    file: &str,
    limits: Limits,
    device: &Device,
) -> Result<Imported, FormatError> {
    let mut reader = TraceReader::new(source, file)?;
    let mut log = Log::new(reader.header().clone());
    let mut more_blocks = false;
    while reader.next_block()?.is_some() {
        more_blocks = log.blocks.len() == limits.blocks;
        if more_blocks {
            break;
        }
        let mut block = log.empty_block();
        reader.lines(|line, place| {
            if log.instructions == limits.instructions {
                return Err(log.too_many(limits.instructions));
            }
            log.line(&mut block.warps[place.warp], line, place)
        })?;
        // A block without instructions is over when it starts.
        log.blocks.extend((block.steps() > 0).then_some(block));
    }
    if log.blocks.is_empty() {
        let fault = Fault::new("warp instructions", "none", "a #BEGIN_TB with at least one");
        return Err(reader.fault(fault));
    }
    Ok(log.laid_out(device, more_blocks))
}

/// Blocks of a trace, with the instructions executed so far.
struct Log {
    header: Header,
    blocks: Vec<ExecutedBlock>,
    instructions: u64,
    statics: Statics,
    memory: MemoryMap,
    /// The instruction before, while its stall count is not known.
    last: Option<u32>,
    schedule: Schedule,
}

impl Log {
    fn new(header: Header) -> Self {
        Log {
            memory: MemoryMap::new(&header),
            header,
            blocks: Vec::new(),
            instructions: 0,
            statics: Statics::default(),
            last: None,
            schedule: Schedule::default(),
        }
    }

    fn empty_block(&self) -> ExecutedBlock {
        let n_warps = self.header.warps_per_block() as usize;
        let path = || WarpPath {
            steps: Vec::new(),
            accesses: Vec::new(),
        };
        ExecutedBlock {
            warps: std::iter::repeat_with(path).take(n_warps).collect(),
            nodes: vec![0; n_warps],
            offsets: Offsets::default(),
            results: Vec::new(),
        }
    }

    fn too_many(&self, most: u64) -> Fault {
        let given = format!("more than {most} in {} blocks", self.blocks.len() + 1);
        let allowed = format!("at most {most}; raise --instructions or import fewer --blocks");
        Fault::new("warp instructions", given, allowed)
    }

    /// Takes the next line of a warp.
    fn line(&mut self, path: &mut WarpPath, line: &Line, place: Place) -> Result<(), Fault> {
        let number = self.number(line)?;
        self.follow(path, Some(number))?;
        let addresses = self.addresses(line, number)?;
        if !addresses.is_empty() {
            path.accesses.push(LaneAddresses {
                step: path.steps.len(),
                lanes: line.mask,
                addresses,
            });
        }
        path.steps.push(PathStep {
            // Written when the next line is known.
            instruction: 0,
            address: None,
            lanes: line.mask.count_ones() as u8,
        });
        self.instructions += 1;
        if place.is_last {
            self.follow(path, None)?;
            self.schedule = Schedule::default();
        }
        Ok(())
    }

    /// Derives the stall count of the last instruction from the next one.
    fn follow(&mut self, path: &mut WarpPath, next: Option<u32>) -> Result<(), Fault> {
        let last = std::mem::replace(&mut self.last, next);
        let (Some(number), Some(step)) = (last, path.steps.last_mut()) else {
            return Ok(());
        };
        let instruction = |number: u32| self.statics.instruction(number);
        let stall_cycles = next.map_or(1, |next| {
            self.schedule.stall(instruction(number), instruction(next))
        });
        step.instruction = self.statics.index(number, stall_cycles)?;
        Ok(())
    }

    /// The instruction of a line without its stall count, generic accesses resolved.
    fn number(&mut self, line: &Line) -> Result<u32, Fault> {
        let addresses = line.memory.iter().flat_map(|memory| &memory.addresses);
        let first = addresses.copied().next();
        let generic = first.filter(|_| classify::is_generic(&line.opcode));
        let space = generic.map(|address| self.memory.space(address));
        let version = self.header.binary_version;
        self.statics.number(line, space, |line| {
            let mut timing = classify::timing(line, version).ok_or_else(|| {
                let allowed = "an opcode of NVIDIA's instruction sets without tensor cores, textures and surfaces";
                Fault::new("opcode", line.opcode.as_str(), allowed)
            })?;
            if let (Some(access), Some(space)) = (&mut timing.access, space) {
                access.space = space;
            }
            Ok(timing)
        })
    }

    /// The addresses that the lanes of a line access in simulated memory, if they do.
    fn addresses(&mut self, line: &Line, number: u32) -> Result<Vec<u32>, Fault> {
        let timing = self.statics.instruction(number);
        match (timing.access, &line.memory) {
            (Some(access), Some(memory)) => self.memory.simulated(access, &memory.addresses),
            (Some(_), None) => Err(Fault::new(
                format!("memory width of {}", line.opcode),
                "0",
                "the bytes of a lane, an address mode and the lanes' addresses",
            )),
            // Of constants it matters which lanes read the same one.
            (None, Some(memory)) if timing.class == OpClass::ConstantLoad => Ok(memory
                .addresses
                .iter()
                .map(|&address| address as u32)
                .collect()),
            (None, _) => Ok(Vec::new()),
        }
    }

    fn laid_out(self, device: &Device, more_blocks: bool) -> Imported {
        let frame = self.memory.frame();
        let local_bytes = frame.len() as u32;
        let places = self.statics.timing.iter().map(|op| op.pc_bytes);
        let instruction_bytes = match self.header.binary_version {
            70.. => 16,
            _ => 8,
        };
        let code_bytes = places.max().unwrap_or(0).saturating_add(instruction_bytes);
        let code = TimedCode::executed(self.statics.timing, code_bytes, frame);
        let rules = MemoryRules {
            only_sectors: true,
            ..MemoryRules::new(device)
        };
        let executed = ExecutedCode::laid_out(&code, rules, &self.blocks);
        let threads = self.header.threads_per_block();
        let blocks = Blocks {
            code: executed.code,
            code_bytes,
            geometry: Geometry {
                threads_per_block: threads,
                stack_dim: 1,
                fitness_cases: threads,
                programs: executed.order.len() as u32,
                case_blocks: 1,
                resident_blocks: 1,
                n_smx: 1,
                local_stride_bytes: local_bytes_of_a_warp(local_bytes),
            },
            resources: BlockResources {
                threads_per_block: threads,
                registers_per_thread: self.header.registers,
                shared_bytes_per_block: self.header.shared_bytes,
            },
            order: executed.order,
            programs_per_warp: 1,
            iterations: 1,
            kernel: self.header.kernel_name,
        };
        Imported {
            blocks,
            instructions: self.instructions,
            more_blocks,
        }
    }
}
