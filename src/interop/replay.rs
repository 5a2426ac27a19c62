//! `.traceg` blocks as blocks that the simulator runs.
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
use crate::device::local_bytes_of_a_warp;
use crate::device::occupancy::BlockResources;
use crate::launch::blocks::Blocks;
use crate::launch::code::ReplayCode;
use crate::launch::geometry::Geometry;
use crate::launch::spread::{ScatteredParts, spread};
use crate::trace::{AddressKind, ProgramTrace, SegmentId, SegmentPool, TraceOp};
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

/// Reads a trace and lays it out for the simulator. `file` is used in errors.
pub fn import(source: impl BufRead, file: &str, limits: Limits) -> Result<Imported, FormatError> {
    let mut reader = TraceReader::new(source, file)?;
    let header = reader.header().clone();
    let mut builder = Builder::new(&header);
    let mut more_blocks = false;
    while reader.next_block()?.is_some() {
        more_blocks = builder.n_blocks == limits.blocks;
        if more_blocks {
            break;
        }
        reader.lines(|line, place| {
            if builder.pool.ops.len() as u64 == limits.instructions {
                return Err(builder.too_many(limits.instructions));
            }
            builder.line(line, place)
        })?;
        builder.n_blocks += 1;
    }
    if builder.n_blocks == 0 {
        return Err(reader.fault(Fault::new("blocks", "none", "at least one #BEGIN_TB")));
    }
    let fault = |fault| reader.fault(fault);
    builder.finish(more_blocks).map_err(fault)
}

struct Builder<'h> {
    header: &'h Header,
    n_blocks: usize,
    statics: Statics,
    pool: SegmentPool,
    scattered: ScatteredParts,
    memory: MemoryMap,
    /// Addresses of the lanes of one access.
    addresses: Vec<u64>,
    /// The instruction before, while its stall count is not known.
    last: Option<(TraceOp, u32)>,
    schedule: Schedule,
}

impl<'h> Builder<'h> {
    fn new(header: &'h Header) -> Self {
        Builder {
            header,
            n_blocks: 0,
            statics: Statics::default(),
            pool: SegmentPool {
                ops: Vec::new(),
                starts: vec![0],
                others_end: None,
            },
            scattered: ScatteredParts::default(),
            memory: MemoryMap::new(header),
            addresses: Vec::new(),
            last: None,
            schedule: Schedule::default(),
        }
    }

    fn too_many(&self, most: u64) -> Fault {
        let given = format!("more than {most} in {} blocks", self.n_blocks + 1);
        let allowed = format!("at most {most}; raise --instructions or import fewer --blocks");
        Fault::new("warp instructions", given, allowed)
    }

    /// Takes the next line of a warp.
    fn line(&mut self, line: &Line, place: Place) -> Result<(), Fault> {
        let number = self.number(line)?;
        let op = self.op(line, number)?;
        self.follow(Some((op, number)))?;
        if place.is_last {
            self.follow(None)?;
            self.schedule = Schedule::default();
            self.pool.starts.push(self.pool.ops.len() as u32);
        }
        Ok(())
    }

    /// Derives an instruction's stall count from the next instruction.
    fn follow(&mut self, next: Option<(TraceOp, u32)>) -> Result<(), Fault> {
        let Some((op, number)) = std::mem::replace(&mut self.last, next) else {
            return Ok(());
        };
        let instruction = |number: u32| self.statics.instruction(number);
        let stall_cycles = match next {
            Some((_, next)) => {
                let (this, next) = (instruction(number), instruction(next));
                self.schedule.stall(this, next)
            }
            None => 1,
        };
        let inst = self.statics.index(number, stall_cycles)?;
        self.pool.ops.push(TraceOp { inst, ..op });
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

    /// Returns a line's memory access; the instruction with its stall count is not yet known.
    fn op(&mut self, line: &Line, number: u32) -> Result<TraceOp, Fault> {
        let mut op = TraceOp {
            inst: 0,
            address_kind: AddressKind::None,
            warp_lines: 0,
            address: 0,
        };
        // Constant loads are listed with addresses, and are constant loads all the same.
        let Some(access) = self.statics.instruction(number).access else {
            return Ok(op);
        };
        let Some(memory) = &line.memory else {
            return Err(Fault::new(
                format!("memory width of {}", line.opcode),
                "0",
                "the bytes of a lane, an address mode and the lanes' addresses",
            ));
        };
        if memory.addresses.is_empty() {
            return Ok(op);
        }
        self.memory
            .simulated(access, &memory.addresses, &mut self.addresses)?;
        let width = u32::from(access.bytes_per_lane);
        let spread = spread(access.space, width, &self.addresses);
        self.scattered.note(&mut op, spread);
        Ok(op)
    }

    fn finish(mut self, more_blocks: bool) -> Result<Imported, Fault> {
        let local_bytes = self
            .memory
            .settle(&mut self.pool.ops, &mut self.scattered.parts);
        let threads = self.header.threads_per_block();
        let warps_per_block = self.header.warps_per_block();
        let programs: Vec<ProgramTrace> = (0..self.pool.starts.len() as u32 - 1)
            .map(|warp| ProgramTrace {
                only: vec![SegmentId(warp)],
                ..ProgramTrace::default()
            })
            .collect();
        let last_pc = self
            .statics
            .timing
            .iter()
            .map(|op| op.pc_bytes)
            .max()
            .unwrap_or(0);
        let instruction_bytes = if self.header.binary_version >= 70 {
            16
        } else {
            8
        };
        let code_bytes = last_pc.saturating_add(instruction_bytes);
        let code = ReplayCode::new(&self.statics.timing, &self.pool, &programs)
            .with_scattered(self.scattered.parts, &self.scattered.starts);
        Ok(Imported {
            instructions: self.pool.ops.len() as u64,
            blocks: Blocks {
                kernel: self.header.kernel_name.clone(),
                texts: self.statics.texts,
                pool: self.pool,
                code,
                code_bytes,
                geometry: Geometry {
                    threads_per_block: threads,
                    stack_dim: 1,
                    fitness_cases: threads,
                    programs: self.n_blocks as u32,
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
                order: (0..self.n_blocks as u32)
                    .map(|n| n * warps_per_block)
                    .collect(),
                programs_per_warp: 1,
                iterations: 1,
            },
            more_blocks,
        })
    }
}
