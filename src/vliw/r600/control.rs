//! Control-flow program: clauses, jumps, loops.
//!
//! Models: the instructions that the compiler emits for kernels.
//! Leaves out: calls, exports, vertex and pixel control flow.
//! Units: addresses count control-flow instructions; clauses are named by the address of their first word.
//! Sources: AMD, Evergreen Family Instruction Set Architecture, chapter 3.

use super::operand::{Channel, register};

/// Effect of an ALU clause on the branch stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClauseFlow {
    Plain,
    /// Pushes the active lanes, for a later pop.
    PushBefore,
    /// Pops this many entries at the end.
    PopAfter(u8),
}

/// One control-flow instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    Alu {
        clause: u16,
        flow: ClauseFlow,
    },
    Fetch {
        clause: u16,
    },
    /// Stores a word of every lane to memory; the address is in words.
    Store {
        value: (u8, Channel),
        address: (u8, Channel),
    },
    /// Jumps to `target` if no lane is active, popping `pop` entries of the branch stack.
    Jump {
        target: u16,
        pop: u8,
    },
    /// Activates the lanes that were inactive so far.
    Else {
        target: u16,
        pop: u8,
    },
    Pop {
        count: u8,
    },
    LoopStart {
        end: u16,
    },
    LoopEnd {
        start: u16,
    },
    LoopBreak,
    Nop,
    End,
}

/// Parses one line of the control-flow program; `None` for other lines.
pub fn parse(line: &str) -> Option<Control> {
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    Some(match name {
        "ALU" => alu(rest, ClauseFlow::Plain)?,
        "ALU_PUSH_BEFORE" => alu(rest, ClauseFlow::PushBefore)?,
        "ALU_POP_AFTER" => alu(rest, ClauseFlow::PopAfter(1))?,
        "ALU_POP2_AFTER" => alu(rest, ClauseFlow::PopAfter(2))?,
        "TEX" | "VTX" => Control::Fetch {
            clause: address(rest)?,
        },
        "MEM_RAT_CACHELESS" => store(rest)?,
        "JUMP" => Control::Jump {
            target: address(rest)?,
            pop: pops(rest)?,
        },
        "ELSE" => Control::Else {
            target: address(rest)?,
            pop: pops(rest)?,
        },
        "POP" => Control::Pop { count: pops(rest)? },
        "LOOP_START_DX10" => Control::LoopStart {
            end: address(rest)?,
        },
        "END_LOOP" => Control::LoopEnd {
            start: address(rest)?,
        },
        "LOOP_BREAK" => Control::LoopBreak,
        "PAD" => Control::Nop,
        "CF_END" => Control::End,
        _ => return None,
    })
}

fn alu(rest: &str, flow: ClauseFlow) -> Option<Control> {
    let clause = address(rest)?;
    Some(Control::Alu { clause, flow })
}

/// Parses `STORE_RAW T1.X, T0.X, 0`.
fn store(rest: &str) -> Option<Control> {
    let mut parts = rest.strip_prefix("STORE_RAW ")?.split(", ");
    Some(Control::Store {
        value: register(parts.next()?)?,
        address: register(parts.next()?)?,
    })
}

/// Parses the number after `@`.
fn address(rest: &str) -> Option<u16> {
    let digits = rest.split_once('@')?.1;
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    digits[..end].parse().ok()
}

/// Parses the number after `POP:`.
fn pops(rest: &str) -> Option<u8> {
    rest.split_once("POP:")?.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_control_flow_program_are_read() {
        assert_eq!(
            parse("ALU_PUSH_BEFORE 5, @166, KC0[CB0:0-32], KC1[]"),
            Some(Control::Alu {
                clause: 166,
                flow: ClauseFlow::PushBefore
            })
        );
        assert_eq!(
            parse("JUMP @12 POP:1"),
            Some(Control::Jump { target: 12, pop: 1 })
        );
        assert_eq!(
            parse("MEM_RAT_CACHELESS STORE_RAW T6.X, T7.X, 0"),
            Some(Control::Store {
                value: (6, 0),
                address: (7, 0)
            })
        );
        assert_eq!(parse("CALL @3"), None);
    }
}
