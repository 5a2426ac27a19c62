//! A timeline as a Kanata log, which Konata shows as a pipeline.
//!
//! Models: one row per issued instruction and warp: `F` from the warp's previous issue on, with the cause of the wait on
//! lane 1, `Is` for the cycle of issue, `X` until its result is there, then retirement; an arrow from a load to the
//! first instruction that needs it.
//! Leaves out: the latency of arithmetic, which only the compiler's stall counts express: its `X` lasts as long as
//! dependent arithmetic must wait. Units: cycles. Sources: Konata's `docs/kanata-log-format.md`.

use super::schedule::ARITHMETIC_LATENCY;
use crate::isa::OpClass;
use crate::launch::blocks::Blocks;
use crate::launch::code::MemoryRequest;
use crate::sim::timeline::{Event, Timeline, Wait, wait_name};
use std::fmt::Write as _;

const HEADER: &str = "Kanata\t0004\n";

/// One command and when it happens. Commands of one cycle keep the order of their rows.
struct Command {
    cycle: u64,
    row: u32,
    text: String,
}

/// One instruction's row.
struct InstructionRow<'a> {
    event: &'a Event,
    appears: u64,
    retires: u64,
    /// Waits of its warp between `appears` and the issue.
    waits: &'a [Wait],
}

/// The whole file.
pub fn log(timeline: &Timeline, blocks: &Blocks) -> String {
    let waits = waits_by_warp(timeline);
    let mut rows = rows(timeline, &waits, blocks);
    rows.sort_by_key(|row| {
        (
            row.appears,
            row.event.cycle,
            row.event.residency,
            row.event.second,
        )
    });
    let mut commands = Vec::new();
    for (id, row) in rows.iter().enumerate() {
        row_commands(id as u32, row, timeline, blocks, &mut commands);
    }
    arrows(&rows, timeline, blocks, &mut commands);
    retirements(&rows, &mut commands);
    commands.sort_by_key(|command| (command.cycle, command.row));
    in_order(&commands)
}

fn in_order(commands: &[Command]) -> String {
    let mut text = String::from(HEADER);
    let mut now = commands.first().map_or(0, |command| command.cycle);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "C=\t{now}");
    for command in commands {
        if command.cycle > now {
            let _ = writeln!(text, "C\t{}", command.cycle - now);
            now = command.cycle;
        }
        text.push_str(&command.text);
    }
    text
}

fn waits_by_warp(timeline: &Timeline) -> Vec<Vec<Wait>> {
    let mut waits = vec![Vec::new(); timeline.residencies.len()];
    for wait in &timeline.waits {
        waits[wait.residency as usize].push(*wait);
    }
    waits
}

fn rows<'a>(
    timeline: &'a Timeline,
    waits: &'a [Vec<Wait>],
    blocks: &Blocks,
) -> Vec<InstructionRow<'a>> {
    let mut previous: Vec<u64> = timeline.residencies.iter().map(|warp| warp.start).collect();
    let row = |event: &'a Event| {
        let before = &mut previous[event.residency as usize];
        let appears = (*before).min(event.cycle);
        *before = event.cycle + 1;
        let of_warp = &waits[event.residency as usize];
        let first = of_warp.partition_point(|wait| wait.start < appears);
        let end = of_warp.partition_point(|wait| wait.start < event.cycle);
        InstructionRow {
            event,
            appears,
            retires: retires(event, blocks),
            waits: &of_warp[first.min(end)..end],
        }
    };
    timeline.events.iter().map(row).collect()
}

fn retires(event: &Event, blocks: &Blocks) -> u64 {
    let op = &blocks.code.ops[event.op as usize];
    match (event.served, op.class) {
        (Some((ready_at, _)), _) => ready_at.max(event.cycle + 1),
        (None, OpClass::Control | OpClass::Nop | OpClass::Barrier) => event.cycle + 1,
        (None, _) => event.cycle + ARITHMETIC_LATENCY,
    }
}

fn row_commands(
    id: u32,
    row: &InstructionRow,
    timeline: &Timeline,
    blocks: &Blocks,
    commands: &mut Vec<Command>,
) {
    let mut push = |cycle: u64, text: String| {
        commands.push(Command {
            cycle,
            row: id,
            text,
        });
    };
    let event = row.event;
    let warp = &timeline.residencies[event.residency as usize];
    let pc = blocks.code.ops[event.op as usize].pc_bytes;
    let text = blocks.text(event.op);
    push(
        row.appears,
        format!(
            "I\t{id}\t{}\t{}\nL\t{id}\t0\tb{} w{} {pc:04x}: {text}\n",
            event.op, event.residency, warp.block, warp.warp
        ),
    );
    if row.appears < event.cycle {
        push(row.appears, format!("S\t{id}\t0\tF\n"));
    }
    for wait in row.waits {
        let name = wait_name(wait.cause);
        push(wait.start, format!("S\t{id}\t1\t{name}\n"));
        push(wait.end, format!("E\t{id}\t1\t{name}\n"));
    }
    push(event.cycle, format!("S\t{id}\t0\tIs\n"));
    if row.retires > event.cycle + 1 {
        push(event.cycle + 1, format!("S\t{id}\t0\tX\n"));
    }
    if let Some((_, cause)) = event.served {
        push(
            event.cycle,
            format!("L\t{id}\t1\tserved by {}\n", cause.name()),
        );
    }
}

/// Draws an arrow from each load to the first instruction of its warp that touches the loaded registers.
fn arrows(
    rows: &[InstructionRow],
    timeline: &Timeline,
    blocks: &Blocks,
    commands: &mut Vec<Command>,
) {
    let mut by_issue: Vec<u32> = (0..rows.len() as u32).collect();
    by_issue.sort_by_key(|&id| {
        (
            rows[id as usize].event.cycle,
            rows[id as usize].event.second,
        )
    });
    let mut pending: Vec<Vec<(u64, u32)>> = vec![Vec::new(); timeline.residencies.len()];
    for id in by_issue {
        let event = rows[id as usize].event;
        let op = &blocks.code.ops[event.op as usize];
        let loads = &mut pending[event.residency as usize];
        loads.retain(|&(targets, producer)| {
            let needed = targets & op.registers != 0;
            if needed {
                commands.push(Command {
                    cycle: event.cycle,
                    row: id,
                    text: format!("W\t{id}\t{producer}\t0\n"),
                });
            }
            !needed
        });
        if op.request != MemoryRequest::None && op.result_targets != 0 {
            loads.push((op.result_targets, id));
        }
    }
}

fn retirements(rows: &[InstructionRow], commands: &mut Vec<Command>) {
    let mut by_end: Vec<u32> = (0..rows.len() as u32).collect();
    by_end.sort_by_key(|&id| (rows[id as usize].retires, id));
    for (number, id) in by_end.into_iter().enumerate() {
        commands.push(Command {
            cycle: rows[id as usize].retires,
            row: id,
            text: format!("R\t{id}\t{number}\t0\n"),
        });
    }
}
