//! Whole-array operations: one GP function over a block of fitness cases.
//!
//! Models: the row operations of a two-dimensional stack, for floats and for words of 32 Boolean cases.
//! Leaves out: control flow; every operation is a straight loop that the compiler vectorises. A function of the table of primitives
//! that has no such loop here is computed by its definition.
//! Sources: Chitty 2012 (two-dimensional stack on CPUs), Poli and Langdon 1999 (sub-machine-code GP).

use super::math;
use crate::gp::primitive::Primitive;
use crate::gp::problem::Score;

/// An array element: one fitness case (`f32`) or 32 of them (`u32`).
pub trait Element: Copy + Default + Send + Sync {
    /// The function has a meaning on this element type.
    fn supports(function: Primitive) -> bool;
    /// A constant, as it is pushed for every case.
    fn from_constant(constant: f32) -> Self;
    /// `out[i] = function(operands[0][i], ...)`. Operand slices are at least as long as `out`.
    fn apply(function: Primitive, operands: [&[Self]; 4], out: &mut [Self]);
    /// The summed error of a block.
    fn block_error(score: Score, values: &[Self], expected: &[Self]) -> f64;
}

#[inline(always)]
fn map1<T: Copy>(a: &[T], out: &mut [T], f: impl Fn(T) -> T) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
}

#[inline(always)]
fn map2<T: Copy>(a: &[T], b: &[T], out: &mut [T], f: impl Fn(T, T) -> T) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = f(a, b);
    }
}

#[inline(always)]
fn map3<T: Copy>(a: &[T], b: &[T], c: &[T], out: &mut [T], f: impl Fn(T, T, T) -> T) {
    for (((out, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
        *out = f(a, b, c);
    }
}

/// A function without a vector form: its definition, case by case.
fn by_definition<T: Copy + Default>(
    function: Primitive,
    operands: [&[T]; 4],
    out: &mut [T],
    apply: impl Fn(Primitive, [T; 4]) -> T,
) {
    let arity = function.arity();
    for (case, out) in out.iter_mut().enumerate() {
        let mut values = [T::default(); 4];
        for (value, operand) in values.iter_mut().zip(operands).take(arity) {
            *value = operand[case];
        }
        *out = apply(function, values);
    }
}

/// The polynomial in single precision; for the large arguments of a block, if there are any, the one in double
/// precision; for the largest the standard library.
#[inline(always)]
fn periodic(a: &[f32], out: &mut [f32], quadrant: u32, exact: impl Fn(f64) -> f64) {
    map1(a, out, |x| math::sin_quadrant(x, quadrant));
    let large = a
        .iter()
        .take(out.len())
        .fold(0.0f32, |m, x| if x.abs() > m { x.abs() } else { m });
    if large > math::REDUCIBLE {
        for (out, &x) in out.iter_mut().zip(a) {
            let in_double = math::sin_quadrant_large(x, u64::from(quadrant));
            *out = if x.abs() > math::REDUCIBLE {
                in_double
            } else {
                *out
            };
        }
    }
    if large > math::REDUCIBLE_F64 {
        for (out, &x) in out.iter_mut().zip(a) {
            if x.abs() > math::REDUCIBLE_F64 {
                *out = exact(f64::from(x)) as f32;
            }
        }
    }
}

#[inline(always)]
fn truth(condition: bool) -> f32 {
    if condition { 1.0 } else { 0.0 }
}

impl Element for f32 {
    fn supports(_: Primitive) -> bool {
        true
    }

    fn from_constant(constant: f32) -> Self {
        constant
    }

    #[inline(always)]
    fn apply(function: Primitive, [a, b, c, d]: [&[f32]; 4], out: &mut [f32]) {
        match function {
            Primitive::Add => map2(a, b, out, |a, b| a + b),
            Primitive::Sub => map2(a, b, out, |a, b| a - b),
            Primitive::Mul => map2(a, b, out, |a, b| a * b),
            Primitive::Div => map2(a, b, out, |a, b| {
                let quotient = a / b;
                if b == 0.0 { 1.0 } else { quotient }
            }),
            Primitive::Sin => periodic(a, out, 0, f64::sin),
            Primitive::Cos => periodic(a, out, 1, f64::cos),
            Primitive::Log => map1(a, out, math::log),
            Primitive::Exp => map1(a, out, math::exp),
            Primitive::Neg => map1(a, out, |a| -a),
            Primitive::Greater => map2(a, b, out, |a, b| truth(a > b)),
            Primitive::Less => map2(a, b, out, |a, b| truth(a < b)),
            Primitive::Equal => map2(a, b, out, |a, b| truth(a == b)),
            Primitive::And => map2(a, b, out, |a, b| truth((a != 0.0) & (b != 0.0))),
            Primitive::Or => map2(a, b, out, |a, b| truth((a != 0.0) | (b != 0.0))),
            Primitive::Nand => map2(a, b, out, |a, b| truth(!((a != 0.0) & (b != 0.0)))),
            Primitive::Nor => map2(a, b, out, |a, b| truth(!((a != 0.0) | (b != 0.0)))),
            Primitive::Not => map1(a, out, |a| truth(a == 0.0)),
            Primitive::If => map3(a, b, c, out, |a, b, c| if a != 0.0 { b } else { c }),
            Primitive::Iflte => {
                for ((((out, &a), &b), &c), &d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                    *out = if a < b { c } else { d };
                }
            }
            #[allow(
                unreachable_patterns,
                reason = "a function that has no vector form yet"
            )]
            _ => by_definition(function, [a, b, c, d], out, Primitive::apply_f32),
        }
    }

    /// Squared errors are summed in eight lanes of single precision, the lanes in double precision.
    #[inline(always)]
    fn block_error(score: Score, values: &[f32], expected: &[f32]) -> f64 {
        match score {
            Score::MeanSquaredError => {
                let mut lanes = [0.0f32; 8];
                let (values, expected) = (values.chunks_exact(8), expected.chunks_exact(8));
                let rest = values.remainder().iter().zip(expected.remainder());
                let rest: f64 = rest.map(|(v, e)| f64::from((v - e) * (v - e))).sum();
                for (v, e) in values.zip(expected) {
                    for lane in 0..8 {
                        let difference = v[lane] - e[lane];
                        lanes[lane] += difference * difference;
                    }
                }
                rest + lanes.iter().map(|&lane| f64::from(lane)).sum::<f64>()
            }
            Score::WrongBits => count(values, expected, |v, e| v != e),
            Score::WrongClasses => count(values, expected, |v, e| !is_class(v, e)),
            Score::WrongSigns => count(values, expected, |v, e| (v >= 0.0) != (e >= 0.0)),
        }
    }
}

#[inline(always)]
fn count(values: &[f32], expected: &[f32], wrong: impl Fn(f32, f32) -> bool) -> f64 {
    let wrong: u32 = values
        .iter()
        .zip(expected)
        .map(|(&v, &e)| u32::from(wrong(v, e)))
        .sum();
    f64::from(wrong)
}

/// The value, cut to a whole number, is this class (0 or more).
#[inline(always)]
fn is_class(value: f32, class: f32) -> bool {
    let low_end = (value >= class) | ((class == 0.0) & (value > -1.0));
    low_end & (value < class + 1.0)
}

impl Element for u32 {
    fn supports(function: Primitive) -> bool {
        function.apply_u32([0; 4]).is_some()
    }

    fn from_constant(constant: f32) -> Self {
        if constant != 0.0 { u32::MAX } else { 0 }
    }

    #[inline(always)]
    fn apply(function: Primitive, [a, b, c, d]: [&[u32]; 4], out: &mut [u32]) {
        match function {
            Primitive::And => map2(a, b, out, |a, b| a & b),
            Primitive::Or => map2(a, b, out, |a, b| a | b),
            Primitive::Nand => map2(a, b, out, |a, b| !(a & b)),
            Primitive::Nor => map2(a, b, out, |a, b| !(a | b)),
            Primitive::Equal => map2(a, b, out, |a, b| !(a ^ b)),
            Primitive::Not => map1(a, out, |a| !a),
            Primitive::If => map3(a, b, c, out, |a, b, c| (a & b) | (!a & c)),
            // `supports` keeps functions that words have no meaning for out of a plan.
            _ => by_definition(function, [a, b, c, d], out, |function, operands| {
                function.apply_u32(operands).unwrap_or(0)
            }),
        }
    }

    #[inline(always)]
    fn block_error(_: Score, values: &[u32], expected: &[u32]) -> f64 {
        let wrong: u32 = values
            .iter()
            .zip(expected)
            .map(|(v, e)| (v ^ e).count_ones())
            .sum();
        f64::from(wrong)
    }
}
