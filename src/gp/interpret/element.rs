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
use fearless_simd::{f32x16, mask32x16, prelude::*, u32x16};

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
    fn store<S: Simd>(to: &mut Vector<Self>, value: Self::V<S>);
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
    T::store(a, operands[0]);
    T::store(b, operands[1]);
    T::store(c, operands[2]);
    T::store(d, operands[3]);
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
fn truth<S: Simd>(simd: S, condition: mask32x16<S>) -> f32x16<S> {
    condition.select(simd.splat(1.0), simd.splat(0.0))
}

/// Mask of the lanes that are 0; NaN counts as true.
#[inline(always)]
fn is_false<S: Simd>(simd: S, x: f32x16<S>) -> mask32x16<S> {
    x.simd_eq(simd.splat(0.0))
}

impl Element for f32 {
    const CASES: usize = 1;
    type V<S: Simd> = f32x16<S>;
    type Tile<S: Simd> = S::Floats;
    const SUPPORTED: [bool; Primitive::ALL.len()] = [true; Primitive::ALL.len()];

    fn from_constant(constant: f32) -> Self {
        constant
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, from: &Vector<f32>) -> f32x16<S> {
        from.0.simd_into(simd)
    }

    #[inline(always)]
    fn store<S: Simd>(to: &mut Vector<f32>, value: f32x16<S>) {
        to.0 = value.into();
    }

    #[inline(always)]
    fn apply<S: Simd>(simd: S, function: Primitive, [a, b, c, d]: [f32x16<S>; 4]) -> f32x16<S> {
        match function {
            Primitive::Add => a + b,
            Primitive::Sub => a - b,
            Primitive::Mul => a * b,
            Primitive::Div => is_false(simd, b).select(simd.splat(1.0), a / b),
            Primitive::Sin => math::apply(simd, Function::Sin, a),
            Primitive::Cos => math::apply(simd, Function::Cos, a),
            Primitive::Log => math::apply(simd, Function::Log, a),
            Primitive::Exp => math::apply(simd, Function::Exp, a),
            Primitive::Neg => -a,
            Primitive::Greater => truth(simd, a.simd_gt(b)),
            Primitive::Less => truth(simd, a.simd_lt(b)),
            Primitive::Equal => truth(simd, a.simd_eq(b)),
            Primitive::And => truth(simd, !(is_false(simd, a) | is_false(simd, b))),
            Primitive::Or => truth(simd, !(is_false(simd, a) & is_false(simd, b))),
            Primitive::Nand => truth(simd, is_false(simd, a) | is_false(simd, b)),
            Primitive::Nor => truth(simd, is_false(simd, a) & is_false(simd, b)),
            Primitive::Not => truth(simd, is_false(simd, a)),
            Primitive::If => is_false(simd, a).select(c, b),
            Primitive::Iflte => a.simd_lt(b).select(c, d),
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
    fn add_errors<S: Simd>(
        simd: S,
        score: Score,
        values: f32x16<S>,
        expected: f32x16<S>,
        sums: &mut Sums,
    ) {
        let right = match score {
            Score::MeanSquaredError => {
                let (low, high) = (values - expected).widen();
                let [first, second] = &mut sums.squares;
                // The product is exact, so that a fused addition gives the same.
                *first = low.mul_add(low, *first).into();
                *second = high.mul_add(high, *second).into();
                return;
            }
            Score::WrongBits => values.simd_eq(expected),
            Score::WrongClasses => is_class(simd, values, expected),
            Score::WrongSigns => {
                let zero = simd.splat(0.0);
                let (value, sign) = (values.simd_ge(zero), expected.simd_ge(zero));
                (value & sign) | !(value | sign)
            }
        };
        sums.wrong += u64::from((!right).to_bitmask().count_ones());
    }
}

/// Mask of the lanes whose value, truncated to a whole number, is this class (0 or more).
#[inline(always)]
fn is_class<S: Simd>(simd: S, value: f32x16<S>, class: f32x16<S>) -> mask32x16<S> {
    let first = is_false(simd, class) & value.simd_gt(simd.splat(-1.0));
    (class.simd_le(value) | first) & value.simd_lt(class + simd.splat(1.0))
}

impl Element for u32 {
    const CASES: usize = 32;
    type V<S: Simd> = u32x16<S>;
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
    fn load<S: Simd>(simd: S, from: &Vector<u32>) -> u32x16<S> {
        from.0.simd_into(simd)
    }

    #[inline(always)]
    fn store<S: Simd>(to: &mut Vector<u32>, value: u32x16<S>) {
        to.0 = value.into();
    }

    #[inline(always)]
    fn apply<S: Simd>(simd: S, function: Primitive, [a, b, c, d]: [u32x16<S>; 4]) -> u32x16<S> {
        match function {
            Primitive::And => a & b,
            Primitive::Or => a | b,
            Primitive::Nand => !(a & b),
            Primitive::Nor => !(a | b),
            Primitive::Equal => !(a ^ b),
            Primitive::Not => !a,
            Primitive::If => (a & b) | (!a & c),
            _ => by_definition::<S, u32>(simd, function, [a, b, c, d]),
        }
    }

    fn apply_element(function: Primitive, operands: [u32; 4]) -> u32 {
        function.apply_u32(operands).unwrap_or(0)
    }

    #[inline(always)]
    fn add_errors<S: Simd>(
        simd: S,
        _: Score,
        values: u32x16<S>,
        expected: u32x16<S>,
        sums: &mut Sums,
    ) {
        let ones: u32x16<S> = sums.ones.simd_into(simd);
        sums.ones = (ones + (values ^ expected).count_ones()).into();
    }
}
