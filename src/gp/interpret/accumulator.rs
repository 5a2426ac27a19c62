//! Interpreter that keeps the value being computed in registers.
//!
//! Models: a tile of 1, 4 or 16 vectors of cases, as many as the registers hold. An instruction computes a function of the tile
//! in registers and of rows in memory, inputs among them. Memory is written only if a function has two operands that are
//! functions. Every node of every program is evaluated.
//! Leaves out: sharing. Units: vectors. Sources: the GPU kernel of the same name (docs/fast-interpreter.md).

use super::accumulator_plan::{AccumulatorOp, NONE, Place, Plan, with_codes};
use super::cases::{Columns, SEGMENT, TILE};
use super::element::{Element, apply_elementwise};
use super::machine::Machine;
use super::output::Output;
use super::simd::{LANES, Simd, Vector};
use super::tile::Tile;
use crate::gp::primitive::Primitive;
use crate::gp::program::Rpn;

pub struct Accumulator;

/// Vectors of a chunk. A program runs on its tiles one after the other, and the first of them train the branch predictor.
const CHUNK: usize = 4 * SEGMENT;

/// Rows of constants that fit in the L1 beside the inputs of a tile.
const CONSTANTS: usize = 16;

/// Number of programs that take turns on a tile, so that its inputs are read from the L2 once for all of them. With more programs
/// the branch predictor would forget their jumps, and with more constants the L1 would evict their rows.
fn programs_together<T>(n_inputs: usize, plans: &[Plan<T>]) -> usize {
    let constants: usize = plans.iter().map(|plan| plan.constants.len()).sum();
    let fit = CONSTANTS * plans.len() / constants.max(1);
    n_inputs.clamp(1, 8).min(fit).max(1)
}

impl Machine for Accumulator {
    type Prepared<T: Element> = Vec<Plan<T>>;
    type Memory<T: Element> = Memory;

    fn name(&self) -> &'static str {
        "accumulator"
    }

    fn block_vectors(&self, _: usize) -> Option<usize> {
        None
    }

    fn chunk_vectors(&self, _: usize) -> usize {
        CHUNK
    }

    fn prepare<T: Element>(&self, programs: &[&Rpn], _: bool) -> Vec<Plan<T>> {
        programs.iter().map(|program| Plan::new(program)).collect()
    }

    fn outputs<T: Element>(prepared: &Vec<Plan<T>>) -> Vec<usize> {
        (0..prepared.len()).collect()
    }

    fn memory<T: Element>(_: &Vec<Plan<T>>, _: usize) -> Memory {
        Memory::default()
    }

    #[inline(always)]
    fn run<T: Element, S: Simd>(
        simd: S,
        prepared: &Vec<Plan<T>>,
        inputs: &mut Columns<T>,
        _: usize,
        memory: &mut Memory,
        output: &mut Output<T>,
    ) {
        let mut first = 0;
        for plans in prepared.chunks(programs_together(inputs.n_inputs(), prepared)) {
            let n_vectors = inputs.n_vectors;
            let vectors = memory.begin(plans, inputs);
            let mut at = 0;
            while at < n_vectors {
                let mut start = 0;
                for (program, &end) in memory.ends.iter().enumerate() {
                    let code = &memory.code[start..end];
                    let program = first + program;
                    tile::<T, S, T::Tile<S>>(simd, code, vectors, program, at, output);
                    start = end;
                }
                at += <T::Tile<S> as Tile<T, S>>::N;
            }
            first += plans.len();
        }
    }
}

/// Code of the programs that run, with each place resolved to an address among the input columns and the rows behind them.
#[derive(Default)]
pub struct Memory {
    code: Vec<Addressed>,
    /// End of each program's code.
    ends: Vec<usize>,
}

/// Address of an operand: its vector for the first tile, and a mask that is all ones if the address advances with the tiles.
type Address = (u32, u32);

#[derive(Debug, Clone, Copy)]
struct Addressed {
    code: AccumulatorOp,
    function: Primitive,
    operands: [Address; 4],
}

impl Memory {
    /// Lays out the code and rows of `plans` and returns all vectors. Each program has its own rows of constants; saved values of
    /// all programs share rows.
    fn begin<'a, T: Element>(
        &mut self,
        plans: &[Plan<T>],
        inputs: &'a mut Columns<T>,
    ) -> &'a mut [Vector<T>] {
        let (stride, mut constants) = (inputs.stride, inputs.len());
        let n_constants: usize = plans.iter().map(|plan| plan.constants.len()).sum();
        let n_saved = plans.iter().map(|plan| plan.n_rows - plan.constants.len());
        let n_rows = n_constants + n_saved.max().unwrap_or(0);
        let saved = constants + n_constants * TILE;
        let vectors = inputs.with_rows(n_rows * TILE);
        self.code.clear();
        self.ends.clear();
        for plan in plans {
            let rows = vectors[constants..].chunks_exact_mut(TILE);
            for (row, &constant) in rows.zip(&plan.constants) {
                row.fill(Vector([constant; LANES]));
            }
            let n_constants = plan.constants.len();
            let address = |place| match place {
                Place::Input(input) => (input * stride as u32, u32::MAX),
                Place::Row(row) => {
                    let row = row as usize;
                    let vector = match row.checked_sub(n_constants) {
                        None => constants + row * TILE,
                        Some(row) => saved + row * TILE,
                    };
                    (vector as u32, 0)
                }
            };
            for instruction in &plan.instructions {
                let [a, b, c, d] = instruction.operands;
                self.code.push(Addressed {
                    code: instruction.code,
                    function: instruction.function,
                    operands: [address(a), address(b), address(c), address(d)],
                });
            }
            self.ends.push(self.code.len());
            constants += n_constants * TILE;
        }
        vectors
    }
}

/// Runs the whole program on one tile.
#[inline(always)]
fn tile<T: Element, S: Simd, R: Tile<T, S>>(
    simd: S,
    code: &[Addressed],
    vectors: &mut [Vector<T>],
    program: usize,
    at: usize,
    output: &mut Output<T>,
) {
    let mut accumulator = R::default(simd);
    for instruction in code {
        accumulator = step(simd, instruction, vectors, at as u32, accumulator);
    }
    output.take_tile(simd, program, at, accumulator);
}

macro_rules! dispatch {
    (($instruction:expr, apply $simd:ident $rows:ident $accumulator:ident, load $load:expr, save $save:expr, other $other:expr)
        $($code:ident $function:ident $at:tt;)+) => {
        match $instruction.code {
            AccumulatorOp::Load => $load,
            AccumulatorOp::Save => $save,
            AccumulatorOp::Other => $other,
            $(AccumulatorOp::$code => if const { T::SUPPORTED[Primitive::$function as usize] } {
                let rows = $rows.of(Primitive::$function.arity(), $at);
                R::apply($simd, Primitive::$function, $at, $accumulator, rows)
            } else {
                $accumulator
            })+
        }
    };
}

#[inline(always)]
fn step<T: Element, S: Simd, R: Tile<T, S>>(
    simd: S,
    instruction: &Addressed,
    vectors: &mut [Vector<T>],
    at: u32,
    accumulator: R,
) -> R {
    // Kept apart from the cases below: with it among them, the compiler copies every tile from one half of the registers to the
    // other.
    if instruction.code == AccumulatorOp::Save {
        let first = instruction.operands[0].0 as usize;
        accumulator.store(&mut vectors[first..first + R::N]);
        return accumulator;
    }
    let rows = ReadableRows {
        vectors,
        operands: &instruction.operands,
        at,
        n: R::N,
    };
    with_codes!(dispatch!(
        instruction,
        apply simd rows accumulator,
        load R::load(simd, rows.row(0)),
        save accumulator,
        other {
            let rows = rows.of(instruction.function.arity(), NONE);
            R::load(simd, &define_rows(instruction.function, rows)[..R::N])
        }
    ))
}

/// Computes a function of rows by its definition; rows that it does not read may be empty.
#[cold]
#[inline(never)]
fn define_rows<T: Element>(function: Primitive, rows: [&[Vector<T>]; 4]) -> [Vector<T>; TILE] {
    std::array::from_fn(|i| {
        let operands = rows.map(|row| row.get(i).copied().unwrap_or_default());
        apply_elementwise(function, &operands)
    })
}

/// Rows that an instruction may read.
struct ReadableRows<'a, T> {
    vectors: &'a [Vector<T>],
    operands: &'a [Address; 4],
    at: u32,
    n: usize,
}

impl<'a, T> ReadableRows<'a, T> {
    #[inline(always)]
    fn row(&self, operand: usize) -> &'a [Vector<T>] {
        let (first, moves) = self.operands[operand];
        let first = (first + (self.at & moves)) as usize;
        &self.vectors[first..first + self.n]
    }

    /// Returns the operands in memory: none for the accumulator or beyond the arity.
    #[inline(always)]
    fn of(&self, arity: usize, accumulator: usize) -> [&'a [Vector<T>]; 4] {
        [
            self.read(0, arity, accumulator),
            self.read(1, arity, accumulator),
            self.read(2, arity, accumulator),
            self.read(3, arity, accumulator),
        ]
    }

    #[inline(always)]
    fn read(&self, operand: usize, arity: usize, accumulator: usize) -> &'a [Vector<T>] {
        if operand < arity && operand != accumulator {
            self.row(operand)
        } else {
            &[]
        }
    }
}
