//! GP functions on vectors of fitness cases.
//!
//! Models: every function of the primitive table, for floats and for words of 32 Boolean cases; errors of a block. A function
//! without a vector form is computed by its definition, case by case.
//! Leaves out: where operands come from.
//! Sources: Chitty 2012 (two-dimensional stack on CPUs), Poli and Langdon 1999 (sub-machine-code GP).

use super::math::{self, Function};
use super::score::Sums;
use super::simd::{Simd, Vector};
use super::tile::Tile;
use crate::gp::primitive::Primitive;
use crate::gp::problem::Score;

/// An array element: one fitness case (`f32`) or 32 of them (`u32`).
pub trait Element: Copy + Default + PartialEq + Send + Sync + 'static {
    /// Fitness cases of an element.
    const CASES: usize;
    /// 16 elements in registers.
    type V<S: Simd>: Copy;
    /// Tile of vectors that stays in registers.
    type Tile<S: Simd>: Tile<Self, S>;
    /// Whether each function has a meaning on this element type, in the order of `Primitive::ALL`.
    const SUPPORTED: [bool; Primitive::ALL.len()];
    /// Tells whether the function has a meaning on this element type.
    fn supports(function: Primitive) -> bool {
        Self::SUPPORTED[function as usize]
    }
    /// Converts a constant to the element that is pushed for every case.
    fn from_constant(constant: f32) -> Self;
    fn load<S: Simd>(simd: S, from: &Vector<Self>) -> Self::V<S>;
    fn store<S: Simd>(simd: S, to: &mut Vector<Self>, value: Self::V<S>);
    /// Applies the function to vectors; operands beyond its arity are not read.
    fn apply<S: Simd>(simd: S, function: Primitive, operands: [Self::V<S>; 4]) -> Self::V<S>;
    /// Applies the function's definition to single elements.
    fn apply_element(function: Primitive, operands: [Self; 4]) -> Self;
    /// Adds the errors of a vector of values.
    fn add_errors<S: Simd>(
        simd: S,
        score: Score,
        values: Self::V<S>,
        expected: Self::V<S>,
        sums: &mut Sums,
    );
}

/// Applies a function without a vector form.
#[inline(always)]
pub fn by_definition<S: Simd, T: Element>(
    simd: S,
    function: Primitive,
    operands: [T::V<S>; 4],
) -> T::V<S> {
    let mut rows = [Vector::<T>::default(); 4];
    let [a, b, c, d] = &mut rows;
    T::store(simd, a, operands[0]);
    T::store(simd, b, operands[1]);
    T::store(simd, c, operands[2]);
    T::store(simd, d, operands[3]);
    T::load(simd, &apply_elementwise(function, &rows))
}

/// Applies a definition to every element of the vectors.
#[cold]
#[inline(never)]
pub fn apply_elementwise<T: Element>(function: Primitive, operands: &[Vector<T>; 4]) -> Vector<T> {
    Vector(std::array::from_fn(|lane| {
        T::apply_element(function, operands.each_ref().map(|row| row.0[lane]))
    }))
}

#[inline(always)]
fn truth<S: Simd>(simd: S, condition: S::M) -> S::F {
    simd.select(condition, simd.splat(1.0), simd.splat(0.0))
}

/// Mask of the lanes that are 0; NaN counts as true.
#[inline(always)]
fn is_false<S: Simd>(simd: S, x: S::F) -> S::M {
    simd.eq(x, simd.splat(0.0))
}

impl Element for f32 {
    const CASES: usize = 1;
    type V<S: Simd> = S::F;
    type Tile<S: Simd> = S::Floats;
    const SUPPORTED: [bool; Primitive::ALL.len()] = [true; Primitive::ALL.len()];

    fn from_constant(constant: f32) -> Self {
        constant
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, from: &Vector<f32>) -> S::F {
        simd.load(from)
    }

    #[inline(always)]
    fn store<S: Simd>(simd: S, to: &mut Vector<f32>, value: S::F) {
        simd.store(to, value);
    }

    #[inline(always)]
    fn apply<S: Simd>(simd: S, function: Primitive, [a, b, c, d]: [S::F; 4]) -> S::F {
        match function {
            Primitive::Add => simd.add(a, b),
            Primitive::Sub => simd.sub(a, b),
            Primitive::Mul => simd.mul(a, b),
            Primitive::Div => {
                let quotient = simd.div(a, b);
                simd.select(is_false(simd, b), simd.splat(1.0), quotient)
            }
            Primitive::Sin => math::apply(simd, Function::Sin, a),
            Primitive::Cos => math::apply(simd, Function::Cos, a),
            Primitive::Log => math::apply(simd, Function::Log, a),
            Primitive::Exp => math::apply(simd, Function::Exp, a),
            Primitive::Neg => {
                simd.bits_to_float(simd.xor(simd.float_to_bits(a), simd.splat_words(1 << 31)))
            }
            Primitive::Greater => truth(simd, simd.lt(b, a)),
            Primitive::Less => truth(simd, simd.lt(a, b)),
            Primitive::Equal => truth(simd, simd.eq(a, b)),
            Primitive::And => {
                let no = simd.or_masks(is_false(simd, a), is_false(simd, b));
                truth(simd, simd.not_mask(no))
            }
            Primitive::Or => {
                let no = simd.and_masks(is_false(simd, a), is_false(simd, b));
                truth(simd, simd.not_mask(no))
            }
            Primitive::Nand => truth(simd, simd.or_masks(is_false(simd, a), is_false(simd, b))),
            Primitive::Nor => truth(simd, simd.and_masks(is_false(simd, a), is_false(simd, b))),
            Primitive::Not => truth(simd, is_false(simd, a)),
            Primitive::If => simd.select(is_false(simd, a), c, b),
            Primitive::Iflte => simd.select(simd.lt(a, b), c, d),
            #[allow(
                unreachable_patterns,
                reason = "a function that has no vector form yet"
            )]
            _ => by_definition::<S, f32>(simd, function, [a, b, c, d]),
        }
    }

    fn apply_element(function: Primitive, operands: [f32; 4]) -> f32 {
        function.apply_f32(operands)
    }

    #[inline(always)]
    fn add_errors<S: Simd>(simd: S, score: Score, values: S::F, expected: S::F, sums: &mut Sums) {
        let right = match score {
            Score::MeanSquaredError => {
                simd.add_squares(&mut sums.squares, simd.sub(values, expected));
                return;
            }
            Score::WrongBits => simd.eq(values, expected),
            Score::WrongClasses => is_class(simd, values, expected),
            Score::WrongSigns => {
                let zero = simd.splat(0.0);
                let (value, sign) = (simd.le(zero, values), simd.le(zero, expected));
                let neither = simd.not_mask(simd.or_masks(value, sign));
                simd.or_masks(simd.and_masks(value, sign), neither)
            }
        };
        sums.wrong += u64::from(simd.mask_bits(simd.not_mask(right)).count_ones());
    }
}

/// Mask of the lanes whose value, truncated to a whole number, is this class (0 or more).
#[inline(always)]
fn is_class<S: Simd>(simd: S, value: S::F, class: S::F) -> S::M {
    let first = simd.and_masks(is_false(simd, class), simd.lt(simd.splat(-1.0), value));
    let low_end = simd.or_masks(simd.le(class, value), first);
    simd.and_masks(low_end, simd.lt(value, simd.add(class, simd.splat(1.0))))
}

#[inline(always)]
fn not<S: Simd>(simd: S, x: S::W) -> S::W {
    simd.xor(x, simd.splat_words(u32::MAX))
}

impl Element for u32 {
    const CASES: usize = 32;
    type V<S: Simd> = S::W;
    type Tile<S: Simd> = S::Words;
    const SUPPORTED: [bool; Primitive::ALL.len()] = {
        let mut supported = [false; Primitive::ALL.len()];
        let mut i = 0;
        while i < supported.len() {
            supported[i] = Primitive::ALL[i].apply_u32([0; 4]).is_some();
            i += 1;
        }
        supported
    };

    fn from_constant(constant: f32) -> Self {
        if constant != 0.0 { u32::MAX } else { 0 }
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, from: &Vector<u32>) -> S::W {
        simd.load_words(from)
    }

    #[inline(always)]
    fn store<S: Simd>(simd: S, to: &mut Vector<u32>, value: S::W) {
        simd.store_words(to, value);
    }

    #[inline(always)]
    fn apply<S: Simd>(simd: S, function: Primitive, [a, b, c, d]: [S::W; 4]) -> S::W {
        match function {
            Primitive::And => simd.and(a, b),
            Primitive::Or => simd.or(a, b),
            Primitive::Nand => not(simd, simd.and(a, b)),
            Primitive::Nor => not(simd, simd.or(a, b)),
            Primitive::Equal => not(simd, simd.xor(a, b)),
            Primitive::Not => not(simd, a),
            Primitive::If => simd.or(simd.and(a, b), simd.and_not(a, c)),
            _ => by_definition::<S, u32>(simd, function, [a, b, c, d]),
        }
    }

    fn apply_element(function: Primitive, operands: [u32; 4]) -> u32 {
        function.apply_u32(operands).unwrap_or(0)
    }

    #[inline(always)]
    fn add_errors<S: Simd>(simd: S, _: Score, values: S::W, expected: S::W, sums: &mut Sums) {
        simd.add_ones(&mut sums.ones, simd.xor(values, expected));
    }
}
