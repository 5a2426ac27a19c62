//! `.traceg` blocks as blocks that the simulator runs.
//!
//! Models: every line as one warp instruction of its class, with its registers, its schedule and what its lanes access.
//! With the schedule file that was written beside it, a trace of this program's own gives the cycles of the
//! original; without it, every instruction follows as soon as its operands are there (see `schedule`).
//! Leaves out: the number of active lanes, except for what they access; predicates. Units: bytes.
//! Sources: those of the parts.

use super::accel_sim::error::Fault;
use super::accel_sim::{Block, FormatError, Header, Line, TraceReader};
use super::classify;
use super::schedule::{DefaultSchedule, Schedule};
use super::spread::{AddressMap, Spread, spread};
use crate::device::occupancy::BlockResources;
use crate::isa::instruction::Control;
use crate::isa::{Access, Space, TimingOp};
use crate::launch::blocks::Blocks;
use crate::launch::code::{Part, ReplayCode};
use crate::launch::geometry::{Geometry, local_stride_bytes};
use crate::trace::{AddressKind, ProgramTrace, SegmentId, SegmentPool, TraceOp};
use std::collections::HashMap;
use std::io::BufRead;

/// Static instructions that a trace can hold.
const MOST_STATIC: usize = u16::MAX as usize;
/// Local memory of a thread that can be simulated, as on every NVIDIA GPU since compute capability 2.0.
const MOST_LOCAL_BYTES: u64 = 512 << 10;

/// How much of a trace to take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub blocks: usize,
    pub instructions: u64,
}

/// A trace, read.
#[derive(Debug, Clone)]
pub struct Imported {
    pub header: Header,
    /// Without residency: `geometry.resident_blocks` is 1.
    pub blocks: Blocks,
    pub instructions: u64,
    /// The file holds more blocks than were asked for.
    pub more_blocks: bool,
    pub has_schedule: bool,
}

/// Reads a trace and lays it out for the simulator. `file` is used in errors.
pub fn import(
    source: impl BufRead,
    file: &str,
    schedule: Option<Schedule>,
    limits: Limits,
) -> Result<Imported, FormatError> {
    let mut reader = TraceReader::new(source, file)?;
    let header = reader.header().clone();
    let mut builder = Builder::new(&header, schedule);
    let mut more_blocks = false;
    while let Some((block, first_lines)) = reader.next_block()? {
        more_blocks = builder.n_blocks == limits.blocks;
        if more_blocks {
            break;
        }
        let total = builder.pool.ops.len() as u64 + block.instructions() as u64;
        if total > limits.instructions {
            let given = format!(
                "more than {} in {} blocks",
                limits.instructions,
                builder.n_blocks + 1
            );
            let allowed = format!(
                "at most {}; raise --instructions or import fewer --blocks",
                limits.instructions
            );
            return Err(reader.fault(Fault::new("warp instructions", given, allowed)));
        }
        builder
            .block(&block, &first_lines)
            .map_err(|(line, fault)| fault.at(file, line))?;
    }
    if builder.n_blocks == 0 {
        return Err(reader.fault(Fault::new("blocks", "none", "at least one #BEGIN_TB")));
    }
    let fault = |fault| reader.fault(fault);
    builder.finish(more_blocks).map_err(fault)
}

/// A fault and the line on which it stands.
type Located = (usize, Fault);

struct Builder<'h> {
    header: &'h Header,
    schedule: Option<Schedule>,
    n_blocks: usize,
    timing: Vec<TimingOp>,
    texts: Vec<String>,
    statics: HashMap<Static, u16>,
    pool: SegmentPool,
    parts: Vec<Part>,
    part_starts: Vec<u32>,
    addresses: AddressMap,
    local: LocalRange,
}

/// What makes instructions different.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Static {
    pc: u64,
    opcode: String,
    destination: Option<u8>,
    sources: Vec<u8>,
    space: Option<Space>,
    stall_cycles: u8,
    dual_with_next: bool,
}

/// First and one-past-last byte of local memory that is accessed.
#[derive(Debug, Clone, Copy)]
struct LocalRange {
    start: u64,
    end: u64,
}

impl<'h> Builder<'h> {
    fn new(header: &'h Header, schedule: Option<Schedule>) -> Self {
        Builder {
            header,
            schedule,
            n_blocks: 0,
            timing: Vec::new(),
            texts: Vec::new(),
            statics: HashMap::new(),
            pool: SegmentPool {
                ops: Vec::new(),
                starts: vec![0],
            },
            parts: Vec::new(),
            part_starts: vec![0],
            addresses: AddressMap::default(),
            local: LocalRange {
                start: u64::MAX,
                end: 0,
            },
        }
    }

    fn block(&mut self, block: &Block, first_lines: &[usize]) -> Result<(), Located> {
        for (warp, &first_line) in block.warps.iter().zip(first_lines) {
            self.warp(warp)
                .map_err(|(index, fault)| (first_line + index, fault))?;
        }
        self.n_blocks += 1;
        Ok(())
    }

    fn warp(&mut self, lines: &[Line]) -> Result<(), Located> {
        let mut timing = Vec::with_capacity(lines.len());
        for (index, line) in lines.iter().enumerate() {
            timing.push(self.classified(line).map_err(|fault| (index, fault))?);
        }
        let mut default = DefaultSchedule::default();
        for (index, line) in lines.iter().enumerate() {
            let control = match &self.schedule {
                Some(schedule) => scheduled(schedule, line).map_err(|fault| (index, fault))?,
                None => Control {
                    stall_cycles: timing
                        .get(index + 1)
                        .map_or(1, |next| default.stall(&timing[index], next)),
                    ..Control::default()
                },
            };
            let op = self.op(line, &timing[index], control);
            self.pool.ops.push(op.map_err(|fault| (index, fault))?);
        }
        self.pool.starts.push(self.pool.ops.len() as u32);
        Ok(())
    }

    /// The instruction without its schedule, generic accesses resolved.
    fn classified(&self, line: &Line) -> Result<TimingOp, Fault> {
        let version = self.header.binary_version;
        let mut timing = classify::timing(line, version).ok_or_else(|| {
            let allowed = "an opcode of NVIDIA's instruction sets without tensor cores, textures and surfaces";
            Fault::new("opcode", line.opcode.as_str(), allowed)
        })?;
        match (&mut timing.access, &line.memory) {
            (Some(access), Some(memory)) => {
                if classify::is_generic(&line.opcode) {
                    access.space = self.space(memory.addresses.first().copied());
                }
                Ok(timing)
            }
            (Some(_), None) => Err(Fault::new(
                format!("memory width of {}", line.opcode),
                "0",
                "the bytes of a lane, an address mode and the lanes' addresses",
            )),
            // Constant loads are listed with addresses, and are constant loads all the same.
            (None, _) => Ok(timing),
        }
    }

    fn space(&self, address: Option<u64>) -> Space {
        let Header {
            shared_base,
            local_base,
            ..
        } = *self.header;
        match address {
            Some(address) if shared_base != 0 && local_base != 0 && address >= shared_base => {
                if address < local_base {
                    Space::Shared
                } else if address - local_base < MOST_LOCAL_WINDOW {
                    Space::Local
                } else {
                    Space::Global
                }
            }
            _ => Space::Global,
        }
    }

    fn op(&mut self, line: &Line, timing: &TimingOp, control: Control) -> Result<TraceOp, Fault> {
        let inst = self.interned(line, timing, control)?;
        let mut op = TraceOp {
            inst,
            address_kind: AddressKind::None,
            address: 0,
        };
        let accessed = timing.access.zip(line.memory.as_ref());
        let Some((access, memory)) = accessed.filter(|(_, memory)| !memory.addresses.is_empty())
        else {
            return Ok(op);
        };
        let addresses = self.simulated(access, &memory.addresses)?;
        match spread(access.space, u32::from(access.bytes_per_lane), &addresses) {
            Spread::One(part) => (op.address_kind, op.address) = (part.kind, part.address),
            Spread::Parts(parts) => {
                op.address_kind = AddressKind::Scattered;
                op.address = self.part_starts.len() as u32 - 1;
                self.parts.extend(parts);
                self.part_starts.push(self.parts.len() as u32);
            }
        }
        Ok(op)
    }

    /// Addresses as the simulated memory has them: offsets for local memory, 31 bits for global.
    fn simulated(&mut self, access: Access, addresses: &[u64]) -> Result<Vec<u64>, Fault> {
        match access.space {
            Space::Local => {
                let base = self.header.local_base;
                let offsets: Vec<u64> = addresses
                    .iter()
                    .map(|&address| match address >= base {
                        true => address - base,
                        false => address,
                    })
                    .collect();
                for &offset in &offsets {
                    self.local.start = self.local.start.min(offset);
                    self.local.end = self
                        .local
                        .end
                        .max(offset + u64::from(access.bytes_per_lane));
                }
                self.check_local()?;
                Ok(offsets)
            }
            Space::Shared => Ok(addresses
                .iter()
                .map(|address| address & 0xffff_ffff)
                .collect()),
            Space::Global => {
                let mapped = addresses.iter().map(|&address| self.addresses.map(address));
                mapped.collect::<Option<Vec<u64>>>().ok_or_else(|| {
                    Fault::new(
                        "global memory",
                        "more than 2 GiB touched",
                        "at most 2 GiB, in pages of 2 MiB",
                    )
                })
            }
        }
    }

    fn check_local(&self) -> Result<(), Fault> {
        let LocalRange { start, end } = self.local;
        let (given, most) = match &self.schedule {
            Some(schedule) => (end, u64::from(schedule.local_bytes_per_thread)),
            None => (end - start, MOST_LOCAL_BYTES),
        };
        match given <= most {
            true => Ok(()),
            false => Err(Fault::new(
                "local memory of a thread",
                format!("{given} bytes"),
                format!("at most {most}"),
            )),
        }
    }

    fn interned(&mut self, line: &Line, timing: &TimingOp, control: Control) -> Result<u16, Fault> {
        let key = Static {
            pc: line.pc,
            opcode: line.opcode.clone(),
            destination: line.destination,
            sources: line.sources.clone(),
            space: timing.access.map(|access| access.space),
            stall_cycles: control.stall_cycles,
            dual_with_next: control.dual_with_next,
        };
        if let Some(&known) = self.statics.get(&key) {
            return Ok(known);
        }
        if self.timing.len() == MOST_STATIC {
            let given = format!("more than {MOST_STATIC}");
            return Err(Fault::new(
                "different instructions",
                given,
                format!("at most {MOST_STATIC}"),
            ));
        }
        let inst = self.timing.len() as u16;
        self.timing.push(TimingOp {
            stall_cycles: control.stall_cycles,
            dual_with_next: control.dual_with_next,
            barriers: control.barriers,
            ..timing.clone()
        });
        self.texts.push(text(line));
        self.statics.insert(key, inst);
        Ok(inst)
    }

    fn finish(mut self, more_blocks: bool) -> Result<Imported, Fault> {
        let local_bytes = self.settle_local();
        let threads = self.header.threads_per_block();
        let warps_per_block = threads.div_ceil(32);
        let programs: Vec<ProgramTrace> = (0..self.pool.starts.len() as u32 - 1)
            .map(|warp| ProgramTrace {
                only: vec![SegmentId(warp)],
                ..ProgramTrace::default()
            })
            .collect();
        let last_pc = self.timing.iter().map(|op| op.pc_bytes).max().unwrap_or(0);
        let instruction_bytes = if self.header.binary_version >= 70 {
            16
        } else {
            8
        };
        let has_schedule = self.schedule.is_some();
        let code_bytes = match self.schedule {
            Some(schedule) => schedule.code_bytes,
            None => last_pc.saturating_add(instruction_bytes),
        };
        let code = ReplayCode::new(&self.timing, &self.pool, &programs)
            .with_scattered(self.parts, &self.part_starts);
        Ok(Imported {
            instructions: self.pool.ops.len() as u64,
            blocks: Blocks {
                kernel: self.header.kernel_name.clone(),
                texts: self.texts,
                pool: self.pool,
                code,
                code_bytes,
                geometry: Geometry {
                    threads_per_block: threads,
                    stack_dim: 1,
                    fitness_cases: threads,
                    resident_blocks: 1,
                    n_smx: 1,
                    local_stride_bytes: local_stride_bytes(local_bytes),
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
            header: self.header.clone(),
            more_blocks,
            has_schedule,
        })
    }

    /// Bytes of local memory per thread. Without a schedule, which knows them, local addresses are counted from the
    /// lowest one.
    fn settle_local(&mut self) -> u32 {
        if let Some(schedule) = &self.schedule {
            return schedule.local_bytes_per_thread;
        }
        if self.local.end == 0 {
            return 0;
        }
        let start = self.local.start as u32;
        for op in &mut self.pool.ops {
            if op.address_kind == AddressKind::Local {
                op.address -= start;
            }
        }
        for part in &mut self.parts {
            if part.kind == AddressKind::Local {
                part.address -= start.min(part.address);
            }
        }
        (self.local.end - self.local.start) as u32
    }
}

/// The window of local memory in generic addresses.
const MOST_LOCAL_WINDOW: u64 = 1 << 24;

/// The schedule's entry for a line.
fn scheduled(schedule: &Schedule, line: &Line) -> Result<Control, Fault> {
    let found = schedule.controls.get(&line.pc).copied();
    found.ok_or_else(|| {
        Fault::new(
            "program counter",
            format!("{:#x}, which the schedule file does not have", line.pc),
            "those of the schedule; --schedule none reads a trace without one",
        )
    })
}

fn text(line: &Line) -> String {
    let registers = line.destination.iter().chain(&line.sources);
    let names: Vec<String> = registers.map(|register| format!("R{register}")).collect();
    format!("{} {}", line.opcode, names.join(", "))
}
