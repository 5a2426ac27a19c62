//! The compiler's schedule, in a file beside a trace.
//!
//! Models: the control words of a kernel (stall cycles, dual issue and scoreboards per instruction), and the two
//! facts of a launch for which Accel-Sim's format has no place: the local memory of a thread and the size of the
//! code. Other tools do not know the file and ignore it. Without it, [`DefaultSchedule`] is used.
//! Leaves out: everything that the trace itself records. Units: cycles, bytes.
//! Sources: dependent arithmetic after 9 cycles and a branch after a compare after 13, a taken or untaken branch 15:
//! what ptxas 11.8 writes for sm_35 (its commonest stall counts over the kernels in `fixtures/sass/`).

use crate::isa::instruction::Control;
use crate::isa::{Barriers, Kernel, OpClass, TimingOp};
use crate::launch::blocks::Blocks;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::fmt::Write as _;

/// The file of a trace's schedule: `kernel-1.traceg` has `kernel-1.schedule.toml`.
pub const EXTENSION: &str = "schedule.toml";
/// The format's version.
const VERSION: u32 = 1;

/// A schedule.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schedule {
    pub local_bytes_per_thread: u32,
    pub code_bytes: u32,
    /// Controls by program counter.
    pub controls: FxHashMap<u64, Control>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    local_bytes_per_thread: u32,
    code_bytes: u32,
    instructions: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    pc: u64,
    stall: u8,
    #[serde(default)]
    dual: bool,
    write: Option<u8>,
    read: Option<u8>,
    #[serde(default)]
    wait: u8,
    #[serde(default)]
    yields: bool,
}

/// A schedule that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{file}:{line}: schedule: {message}")]
pub struct ScheduleError {
    file: String,
    line: usize,
    message: String,
}

/// Local memory of a thread at most: more than any frame with the gap behind it, and what 32 warps have begins below 4 GiB.
const MOST_LOCAL_BYTES: u32 = 4 << 20;

impl Schedule {
    /// Reads a schedule file. `file` is used in errors.
    pub fn parse(text: &str, file: &str) -> Result<Schedule, ScheduleError> {
        let failed = |line, message: String| ScheduleError {
            file: file.to_owned(),
            line,
            message,
        };
        let parsed: File = toml::from_str(text).map_err(|error: toml::de::Error| {
            let line = crate::util::input::toml_line(text, &error);
            failed(line, error.message().to_owned())
        })?;
        if parsed.version != VERSION {
            let message = format!("version: given {}; allowed: {VERSION}", parsed.version);
            return Err(failed(1, message));
        }
        let local_bytes = parsed.local_bytes_per_thread;
        if local_bytes > MOST_LOCAL_BYTES {
            let message = format!(
                "local_bytes_per_thread: given {local_bytes}; allowed: at most {MOST_LOCAL_BYTES}"
            );
            return Err(failed(1, message));
        }
        let controls = parsed.instructions.iter().map(|entry| {
            let control = Control {
                stall_cycles: entry.stall,
                dual_with_next: entry.dual,
                barriers: Barriers {
                    write: entry.write,
                    read: entry.read,
                    wait_mask: entry.wait,
                    yields: entry.yields,
                },
            };
            (entry.pc, control)
        });
        let controls: FxHashMap<u64, Control> = controls.collect();
        let unknown = controls
            .iter()
            .find(|(_, control)| !control.barriers.exist());
        if let Some((pc, control)) = unknown {
            let Barriers {
                write,
                read,
                wait_mask,
                ..
            } = control.barriers;
            return Err(failed(
                1,
                format!(
                    "instruction {pc:#x}: given write {write:?}, read {read:?}, wait {wait_mask}; allowed: scoreboards 0 to {}, a mask of them",
                    Barriers::N - 1
                ),
            ));
        }
        Ok(Schedule {
            local_bytes_per_thread: parsed.local_bytes_per_thread,
            code_bytes: parsed.code_bytes,
            controls,
        })
    }
}

/// The schedule file of a kernel.
pub fn text(blocks: &Blocks, kernel: &Kernel) -> String {
    let mut text = format!(
        "# What Accel-Sim's trace format has no place for. Other tools ignore this file.\n\
         # kernel {}\n\
         version = {VERSION}\n\
         local_bytes_per_thread = {}\n\
         code_bytes = {}\n\
         instructions = [\n",
        blocks.kernel,
        blocks.geometry.local_stride_bytes / 32,
        blocks.code_bytes
    );
    for instruction in &kernel.instructions {
        let (pc, control) = (instruction.pc_bytes, &instruction.control);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "  {{ pc = {pc:#06x}, stall = {}",
            control.stall_cycles
        );
        let Barriers {
            write,
            read,
            wait_mask,
            yields,
        } = control.barriers;
        if control.dual_with_next {
            text.push_str(", dual = true");
        }
        for (name, barrier) in [("write", write), ("read", read)] {
            if let Some(barrier) = barrier {
                let _ = write!(text, ", {name} = {barrier}");
            }
        }
        if wait_mask != 0 {
            let _ = write!(text, ", wait = {wait_mask}");
        }
        if yields {
            text.push_str(", yields = true");
        }
        text.push_str(" },\n");
    }
    text.push_str("]\n");
    text
}

/// Cycles after which the result of fixed-latency arithmetic can be used.
pub const ARITHMETIC_LATENCY: u64 = 9;
/// Cycles from a compare to the branch that it decides.
const COMPARE_TO_BRANCH: u64 = 13;
/// Cycles from a branch to the next instruction.
const AFTER_BRANCH: u64 = 15;

/// The schedule of instructions that came without one: every instruction follows as soon as its operands are there,
/// one at a time. Kept per warp, in program order.
#[derive(Debug, Clone)]
pub struct DefaultSchedule {
    cycle: u64,
    ready_at: [u64; 256],
    branch_at: u64,
}

impl Default for DefaultSchedule {
    fn default() -> Self {
        DefaultSchedule {
            cycle: 0,
            ready_at: [0; 256],
            branch_at: 0,
        }
    }
}

impl DefaultSchedule {
    /// The stall count of `op`, which is followed by `next`.
    pub fn stall(&mut self, op: &TimingOp, next: &TimingOp) -> u8 {
        if op.access.is_none() {
            // What a load writes is waited for when it is there; the simulator knows when.
            for &register in &op.writes {
                self.ready_at[usize::from(register)] = self.cycle + ARITHMETIC_LATENCY;
            }
        }
        if op.class == OpClass::Compare {
            self.branch_at = self.cycle + COMPARE_TO_BRANCH;
        }
        let operands = next
            .reads
            .iter()
            .map(|&register| self.ready_at[usize::from(register)]);
        let mut start = operands.max().unwrap_or(0).max(self.cycle + 1);
        if next.redirects {
            start = start.max(self.branch_at);
        }
        if op.redirects {
            start = start.max(self.cycle + AFTER_BRANCH);
        }
        let stall = start - self.cycle;
        self.cycle = start;
        stall as u8
    }
}
