//! Some blocks of this program's own traces as Accel-Sim's thread blocks.
//!
//! Models: registers, active masks, opcodes with their modifiers, the address of every lane. Local addresses are
//! offsets in a thread's frame; all other addresses are those of the traces.
//! Leaves out: guards of arithmetic, which traces do not record: such an instruction has the mask of its warp.
//! Block 0 represents all blocks, so every block reads its program from the addresses of block 0.
//! Units: bytes. Sources: NVBit's tracer for what a line lists.

use super::accel_sim::{Block, Header, LANES, Line, MAX_SOURCES, MemoryAccess};
use crate::device::occupancy::BlockResources;
use crate::isa::instruction::Instruction;
use crate::isa::op::Op;
use crate::isa::operand::{Place, RZ};
use crate::isa::{Kernel, Space};
use crate::launch::geometry::{Geometry, cut_iterations};
use crate::trace::builder::Positions;
use crate::trace::{AddressKind, LINE_BYTES, ProgramTrace, SegmentId, SegmentPool, TraceOp};

/// Start of shared and local memory in generic addresses, above all addresses that the traces use.
const SHARED_BASE: u64 = 0x7000_0000_0000;
const LOCAL_BASE: u64 = SHARED_BASE + (1 << 24);

/// Writes blocks of a kernel's traces as Accel-Sim's thread blocks.
pub struct Recorder<'a> {
    kernel: &'a Kernel,
    pool: &'a SegmentPool,
    geometry: &'a Geometry,
    iterations: u32,
    /// The line of every static instruction, without mask and addresses.
    lines: Vec<Line>,
}

impl<'a> Recorder<'a> {
    /// Blocks run at most `iterations` iterations of their case loop.
    pub fn new(
        kernel: &'a Kernel,
        pool: &'a SegmentPool,
        geometry: &'a Geometry,
        iterations: u32,
    ) -> Self {
        Recorder {
            kernel,
            pool,
            geometry,
            iterations,
            lines: kernel.instructions.iter().map(static_line).collect(),
        }
    }

    /// The header of a trace of `n_blocks`.
    pub fn header(&self, name: &str, resources: BlockResources, n_blocks: u32) -> Header {
        Header {
            kernel_name: name.to_owned(),
            grid: [n_blocks, 1, 1],
            block: [resources.threads_per_block, 1, 1],
            shared_bytes: resources.shared_bytes_per_block,
            registers: resources.registers_per_thread,
            binary_version: binary_version(&self.kernel.arch),
            shared_base: SHARED_BASE,
            local_base: LOCAL_BASE,
            ..Header::default()
        }
    }

    /// Warp instructions of a block, without making it.
    pub fn instructions(&self, trace: &ProgramTrace) -> u64 {
        let count = |ids: &[SegmentId]| -> u64 {
            ids.iter().map(|id| self.segment(*id).len() as u64).sum()
        };
        let warps = 0..self.geometry.warps_per_block();
        let of_warp = |iterations: u32| match iterations {
            1 => count(&trace.prologue) + count(&trace.only),
            _ => {
                let middle = u64::from(iterations - 2) * count(&trace.steady);
                count(&trace.prologue) + count(&trace.first) + middle + count(&trace.last)
            }
        };
        warps.map(|warp| of_warp(self.iterations_of(warp))).sum()
    }

    /// Block `number` of the grid, which runs the program of `trace`.
    pub fn block(&self, number: u32, trace: &ProgramTrace, positions: &Positions) -> Block {
        let warps = 0..self.geometry.warps_per_block();
        Block {
            index: [number, 0, 0],
            warps: warps
                .map(|warp| self.warp(warp, trace, positions))
                .collect(),
        }
    }

    fn iterations_of(&self, warp: u32) -> u32 {
        let full = self.geometry.iterations(warp);
        cut_iterations(full, self.geometry.iterations(0), self.iterations)
    }

    fn warp(&self, warp: u32, trace: &ProgramTrace, positions: &Positions) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut append = |ids: &[SegmentId], at: &[u32], iteration: u32| {
            for (id, &position) in ids.iter().zip(at) {
                let place = Moment {
                    warp,
                    iteration,
                    position,
                };
                let ops = self.segment(*id).iter();
                lines.extend(ops.map(|op| self.line(op, place)));
            }
        };
        append(&trace.prologue, &positions.prologue, 0);
        let iterations = self.iterations_of(warp);
        if iterations == 1 {
            append(&trace.only, &positions.only, 0);
        } else {
            append(&trace.first, &positions.first, 0);
            for iteration in 1..iterations - 1 {
                append(&trace.steady, &positions.steady, iteration);
            }
            append(&trace.last, &positions.last, iterations - 1);
        }
        if let Some(end) = self.end_of_others().filter(|_| warp > 0)
            && let Some(at) = lines.iter().rposition(|line| line.pc == end)
        {
            lines.truncate(at + 1);
        }
        self.switch_off_early_exits(&mut lines);
        lines
    }

    /// The exit that only the first warp does not take.
    fn end_of_others(&self) -> Option<u64> {
        let index = usize::from(self.pool.others_end?);
        Some(u64::from(self.kernel.instructions[index].pc_bytes))
    }

    /// An exit that is not the last instruction was not taken.
    fn switch_off_early_exits(&self, lines: &mut [Line]) {
        let all_but_last = lines.len().saturating_sub(1);
        for line in &mut lines[..all_but_last] {
            let at = u32::try_from(line.pc).ok();
            let index = at.and_then(|pc| self.kernel.index_of(pc));
            if index.is_some_and(|index| self.kernel.instructions[index].op == Op::Exit) {
                line.mask = 0;
            }
        }
    }

    fn segment(&self, id: SegmentId) -> &'a [TraceOp] {
        self.pool.segment(id)
    }

    fn line(&self, op: &TraceOp, place: Moment) -> Line {
        let mut line = self.lines[usize::from(op.inst)].clone();
        line.mask = self.mask(place.warp);
        let Some(access) = self.kernel.instructions[usize::from(op.inst)].access else {
            return line;
        };
        if op.address_kind == AddressKind::None {
            line.mask = 0;
        }
        let width = u32::from(access.bytes_per_lane);
        let per_lane = match op.address_kind {
            AddressKind::PerCase | AddressKind::PerThread => u64::from(width),
            _ => 0,
        };
        let base = self.address(op, place, access.space);
        let lanes = 0..u64::from(line.mask.count_ones());
        line.memory = Some(MemoryAccess {
            width,
            addresses: lanes.map(|lane| base + lane * per_lane).collect(),
        });
        line
    }

    fn mask(&self, warp: u32) -> u32 {
        let threads = self.geometry.threads_per_block - warp * LANES as u32;
        match threads {
            32.. => u32::MAX,
            some => (1 << some) - 1,
        }
    }

    /// The address that lane 0 accesses.
    fn address(&self, op: &TraceOp, place: Moment, space: Space) -> u64 {
        let warp_offset = LINE_BYTES * u32::from(op.warp_lines) * place.warp;
        let address = match (op.address_kind, space) {
            (AddressKind::Uniform, Space::Shared) => op.address.wrapping_add(4 * place.position),
            (AddressKind::PerThread, _) => op.address.wrapping_add(warp_offset),
            (AddressKind::PerCase, _) => {
                let cases = place.iteration * self.geometry.cases_to_next_iteration();
                op.address.wrapping_add(warp_offset + 4 * cases)
            }
            _ => op.address,
        };
        u64::from(address)
    }
}

/// Point in a block's execution at which an instruction runs.
#[derive(Clone, Copy)]
struct Moment {
    warp: u32,
    iteration: u32,
    /// Index of the token in the program.
    position: u32,
}

/// `sm_35` is 35.
fn binary_version(arch: &str) -> u32 {
    arch.trim_start_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .unwrap_or(0)
}

/// Returns the static part of an instruction's line: the address register first, as in a store's operands.
pub fn static_line(instruction: &Instruction) -> Line {
    let mut sources: Vec<u8> = Vec::new();
    if let Some(memory) = instruction.memory {
        sources.push(memory.base);
        sources.extend(Some(memory.index).filter(|&index| index != RZ));
    }
    sources.extend(
        instruction
            .sources
            .iter()
            .filter_map(|source| match source.place {
                Place::Reg(register) => Some(register),
                Place::Const { index, .. } if index != RZ => Some(index),
                Place::Const { .. } | Place::Imm(_) => None,
            }),
    );
    if sources.len() > MAX_SOURCES {
        sources.retain(|&register| register != RZ);
        sources.truncate(MAX_SOURCES);
    }
    Line {
        pc: u64::from(instruction.pc_bytes),
        destination: instruction.dst,
        opcode: opcode(instruction),
        sources,
        ..Line::default()
    }
}

/// The opcode with its modifiers. Accel-Sim knows no TEXDEPBAR, which only waits for what loads wait for anyway.
fn opcode(instruction: &Instruction) -> String {
    let mut words = instruction.text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let opcode = match first.starts_with('@') {
        true => words.next().unwrap_or_default(),
        false => first,
    };
    match opcode {
        "TEXDEPBAR" => "NOP".to_owned(),
        other => other.to_owned(),
    }
}
