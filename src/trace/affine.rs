//! Registers that are affine in the position of the token in the program.
//!
//! Models: a guess per fetch instruction and register, from the values observed there: `base + slope x position`, with a
//! constant base. A guess is only a way of writing a value: a wrong one makes cached segments less general, never wrong,
//! because `uniform` reads the position wherever a value that moves with it is used non-linearly.
//! Leaves out: registers that differ between lanes.
//! Units: bits per program word.

use rustc_hash::FxHashMap;

use super::state::{Machine, PROBES, Tag, Value};
use crate::isa::cfg::LiveSet;

/// Possible slopes of instruction pointers: an index, a byte offset, and vectors of words.
const SLOPES: [u32; 4] = [1, 2, 4, 16];

/// Knowledge about a register at a fetch instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guess {
    Seen { position: u32, bits: u32 },
    Moves { slope: u32, base: u32 },
    Fixed,
}

/// Guesses by instruction index and register.
#[derive(Debug, Default)]
pub struct AffineRegisters {
    guesses: FxHashMap<(usize, u8), Guess>,
}

impl AffineRegisters {
    /// Marks the live control registers of a machine at a fetch as moving with the position, where they do.
    pub fn apply(&mut self, machine: &mut Machine, live: &LiveSet, position: u32) {
        for register in live.registers.all() {
            let value = machine.registers[usize::from(register)];
            let uniform = value.bits == [value.bits[0]; PROBES];
            if value.tag == Tag::Control && value.stride == 0 && uniform {
                let slope = self.update((machine.pc, register), position, value.bits[0]);
                let moved = Value {
                    stride: slope,
                    ..value
                };
                machine.registers[usize::from(register)] = moved;
            }
        }
    }

    /// Adds an observation and returns the slope to be used.
    fn update(&mut self, key: (usize, u8), position: u32, bits: u32) -> u32 {
        let seen = Guess::Seen { position, bits };
        let guess = self.guesses.entry(key).or_insert(seen);
        *guess = match *guess {
            Guess::Seen {
                position: before,
                bits: then,
            } if before != position => first_guess(
                position.wrapping_sub(before),
                bits.wrapping_sub(then),
                position,
                bits,
            ),
            Guess::Moves { slope, base }
                if base.wrapping_add(slope.wrapping_mul(position)) != bits =>
            {
                Guess::Fixed
            }
            same => same,
        };
        match *guess {
            Guess::Moves { slope, .. } => slope,
            _ => 0,
        }
    }
}

fn first_guess(words: u32, difference: u32, position: u32, bits: u32) -> Guess {
    let slope = SLOPES
        .into_iter()
        .find(|slope| slope.wrapping_mul(words) == difference);
    slope.map_or(Guess::Fixed, |slope| Guess::Moves {
        slope,
        base: bits.wrapping_sub(slope.wrapping_mul(position)),
    })
}
