//! The value that is being computed stays in registers.
//!
//! Models: a tile of 1 to 16 vectors of cases, as many as the registers hold; an instruction computes a function of the tile in the registers and of rows
//! in memory, inputs among them. Memory is written only where a function has two operands that are functions. Every node of every program is evaluated.
//! Leaves out: sharing. Units: vectors. Sources: the GPU's kernel of that name (docs/fast-interpreter.md).

use super::accumulator_plan::{Code, NONE, Place, Plan, with_codes};
use super::cases::{Chunk, TILE};
use super::element::Element;
use super::machine::Machine;
use super::output::Output;
use super::simd::{Kernel, LANES, Path, Simd, Vector};
use super::tile::Tile;
use crate::gp::primitive::Primitive;
use crate::gp::program::Rpn;
use std::marker::PhantomData;

pub struct Accumulator;

impl Machine for Accumulator {
    type Prepared<T: Element> = Vec<Plan<T>>;
    type Memory<T: Element> = Memory<T>;

    fn name(&self) -> &'static str {
        "accumulator"
    }

    fn about(&self) -> &'static str {
        "the value that is being computed stays in registers; the fastest where nothing is shared"
    }

    fn block_vectors(&self, _: usize) -> Option<usize> {
        None
    }

    fn prepare<T: Element>(&self, programs: &[&Rpn], _: bool) -> Vec<Plan<T>> {
        programs.iter().map(|program| Plan::new(program)).collect()
    }

    fn outputs<T: Element>(prepared: &Vec<Plan<T>>) -> Vec<usize> {
        (0..prepared.len()).collect()
    }

    fn memory<T: Element>(_: &Vec<Plan<T>>, _: usize) -> Memory<T> {
        Memory {
            vectors: Vec::new(),
            code: Vec::new(),
        }
    }

    #[inline(always)]
    fn run<T: Element, S: Simd>(
        simd: S,
        prepared: &Vec<Plan<T>>,
        chunk: &Chunk<T>,
        _: usize,
        memory: &mut Memory<T>,
        output: &mut Output<T>,
    ) {
        let n_columns = chunk.inputs().len();
        memory.vectors.clear();
        memory.vectors.extend_from_slice(chunk.inputs());
        for (program, plan) in prepared.iter().enumerate() {
            memory.begin(plan, n_columns, chunk.n_vectors);
            let Memory { vectors, code } = memory;
            let mut at = 0;
            while at < chunk.n_vectors {
                at += tile::<T, S, T::Tile<S>>(simd, code, vectors, program, at, output);
            }
        }
    }
}

/// Vectors of the tile that stays in registers.
pub fn tile_vectors<T: Element>(path: Path) -> usize {
    struct Vectors<T>(PhantomData<T>);
    impl<T: Element> Kernel for Vectors<T> {
        type Output = usize;

        #[inline(always)]
        fn run<S: Simd>(self, _: S) -> usize {
            <T::Tile<S> as Tile<T, S>>::N
        }
    }
    path.run(Vectors::<T>(PhantomData))
}

/// The columns of the chunk, then the rows of the program that runs; the program with addresses in place of places.
pub struct Memory<T> {
    vectors: Vec<Vector<T>>,
    code: Vec<Addressed>,
}

/// Of an operand, its vector for the first tile, and a mask: all ones where it moves on with the tiles.
type Address = (u32, u32);

#[derive(Debug, Clone, Copy)]
struct Addressed {
    code: Code,
    function: Primitive,
    operands: [Address; 4],
}

#[inline(always)]
fn address(place: Place, n_columns: usize, n_vectors: usize) -> Address {
    match place {
        Place::Input(input) => (input * n_vectors as u32, u32::MAX),
        Place::Row(row) => ((n_columns + row as usize * TILE) as u32, 0),
    }
}

impl<T: Element> Memory<T> {
    fn begin(&mut self, plan: &Plan<T>, n_columns: usize, n_vectors: usize) {
        let rows = plan.n_rows * TILE;
        self.vectors.resize(n_columns + rows, Vector::default());
        let constants = self.vectors[n_columns..].chunks_exact_mut(TILE);
        for (row, &constant) in constants.zip(&plan.constants) {
            row.fill(Vector([constant; LANES]));
        }
        self.code.clear();
        for instruction in &plan.instructions {
            let [a, b, c, d] = instruction.operands;
            let address = |place| address(place, n_columns, n_vectors);
            self.code.push(Addressed {
                code: instruction.code,
                function: instruction.function,
                operands: [address(a), address(b), address(c), address(d)],
            });
        }
    }
}

/// The whole program on one tile; its vectors.
#[inline(always)]
fn tile<T: Element, S: Simd, R: Tile<T, S>>(
    simd: S,
    code: &[Addressed],
    vectors: &mut [Vector<T>],
    program: usize,
    at: usize,
    output: &mut Output<T>,
) -> usize {
    let mut accumulator = R::default(simd);
    for instruction in code {
        accumulator = step(simd, instruction, vectors, at as u32, accumulator);
    }
    let mut row = [Vector::default(); TILE];
    accumulator.store(simd, &mut row[..R::N]);
    output.take(simd, program, at, &row[..R::N]);
    R::N
}

macro_rules! dispatch {
    (($instruction:expr, apply $simd:ident $rows:ident $accumulator:ident, load $load:expr, save $save:expr, other $other:expr)
        $($code:ident $function:ident $at:tt;)+) => {
        match $instruction.code {
            Code::Load => $load,
            Code::Save => $save,
            Code::Other => $other,
            $(Code::$code => {
                let rows = $rows.of(Primitive::$function.arity(), $at);
                R::apply($simd, Primitive::$function, $at, $accumulator, rows)
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
    if instruction.code == Code::Save {
        let (first, _) = instruction.operands[0];
        accumulator.store(simd, &mut vectors[first as usize..][..R::N]);
        return accumulator;
    }
    let rows = Rows {
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
            R::define(simd, instruction.function, rows)
        }
    ))
}

/// The rows that an instruction may read.
struct Rows<'a, T> {
    vectors: &'a [Vector<T>],
    operands: &'a [Address; 4],
    at: u32,
    n: usize,
}

impl<'a, T> Rows<'a, T> {
    #[inline(always)]
    fn row(&self, operand: usize) -> &'a [Vector<T>] {
        let (first, moves) = self.operands[operand];
        &self.vectors[(first + (self.at & moves)) as usize..][..self.n]
    }

    /// The operands that lie in memory: not the one that is the accumulator, and none beyond the arity.
    #[inline(always)]
    fn of(&self, arity: usize, accumulator: usize) -> [&'a [Vector<T>]; 4] {
        let mut rows = [&[][..]; 4];
        let mut operand = 0;
        while operand < arity {
            if operand != accumulator {
                rows[operand] = self.row(operand);
            }
            operand += 1;
        }
        rows
    }
}
