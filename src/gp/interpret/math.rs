//! Elementary functions of 16 floats.
//!
//! Models: exp, log, sin and cos by argument reduction and a polynomial, without branches and with fused multiply-adds; the same
//! bits on every machine. sin and cos of elements beyond `REDUCIBLE` are computed one by one (`reduction.rs`).
//! Leaves out: NaN payloads.
//! Units: radians. Accuracy over all floats, tested: `ULP_BOUND`, in units in the last place of the exact result.
//! Sources: Juffa's published minimax polynomials for exp and log (forums.developer.nvidia.com, 2016; Stack Overflow 39587752);
//! for sin and cos a minimax fit of this project on half a turn; Cody and Waite 1980 for the reduction in three parts.

use super::reduction;
use super::simd::{LANES, Simd, Vector};
use fearless_simd::{f32x16, i32x16, prelude::*};

/// Largest error of exp, log, sin and cos, in units in the last place.
pub const ULP_BOUND: f64 = 2.02;

/// Largest magnitude of arguments that sin and cos reduce in single precision.
const REDUCIBLE: f32 = 65_536.0;

/// Adding and subtracting this rounds to the nearest whole number; before subtracting, the low bits hold that number.
const ROUNDER: f32 = 12_582_912.0;

/// pi in three parts, each with all the bits of a float.
const PI: [f32; 3] = [std::f32::consts::PI, -8.742_278e-8, -3.430_246_4e-15];

/// Functions with a polynomial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    Sin,
    Cos,
    Log,
    Exp,
}

/// Applies the function to 16 floats: inlined, or called on targets where vectors take long instruction sequences.
#[inline(always)]
pub fn apply<S: Simd>(simd: S, function: Function, x: f32x16<S>) -> f32x16<S> {
    if S::INLINES_MATH {
        return compute(simd, function, x);
    }
    let mut value = Vector(x.into());
    call(simd, function, &mut value);
    value.0.simd_into(simd)
}

#[inline(never)]
fn call<S: Simd>(simd: S, function: Function, value: &mut Vector<f32>) {
    value.0 = compute(simd, function, value.0.simd_into(simd)).into();
}

#[inline(always)]
fn compute<S: Simd>(simd: S, function: Function, x: f32x16<S>) -> f32x16<S> {
    match function {
        Function::Sin => sin(simd, x),
        Function::Cos => cos(simd, x),
        Function::Log => log(simd, x),
        Function::Exp => exp(simd, x),
    }
}

/// Evaluates the polynomial with these coefficients, the highest first.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(simd: S, x: f32x16<S>, coefficients: [f32; N]) -> f32x16<S> {
    let mut value = simd.splat(coefficients[0]);
    for &coefficient in &coefficients[1..] {
        value = value.mul_add_precise(x, simd.splat(coefficient));
    }
    value
}

#[inline(always)]
fn exp<S: Simd>(simd: S, x: f32x16<S>) -> f32x16<S> {
    let x = x.clamp(simd.splat(-104.0), simd.splat(89.0));
    let rounder = simd.splat(ROUNDER);
    let n = x.mul_add_precise(simd.splat(std::f32::consts::LOG2_E), rounder) - rounder;
    let r = n.mul_add_precise(simd.splat(-6.931_457_5e-1), x);
    let r = n.mul_add_precise(simd.splat(-1.428_606_8e-6), r);
    let p = polynomial(
        simd,
        r,
        [
            1.378_059_4e-3,
            8.373_124_5e-3,
            4.166_953_6e-2,
            1.666_647_2e-1,
            4.999_998_5e-1,
            1.0,
            1.0,
        ],
    );
    simd.scale(p, n)
}

/// Protected logarithm: 0 for 0, else the logarithm of the magnitude.
#[inline(always)]
fn log<S: Simd>(simd: S, x: f32x16<S>) -> f32x16<S> {
    let magnitude = x.abs();
    let subnormal = magnitude.simd_lt(simd.splat(f32::MIN_POSITIVE));
    let scaled = magnitude * simd.splat(8_388_608.0);
    let bits: i32x16<S> = subnormal.select(scaled, magnitude).bitcast();
    // Mantissa in [2/3, 4/3), exponent to match.
    let e = (bits - 0x3f2a_aaab) & (-1 << 23);
    let m: f32x16<S> = (bits - e).bitcast();
    let e: f32x16<S> = (e >> 23).to_float();
    let e = e + subnormal.select(simd.splat(-23.0), simd.splat(0.0));
    let f = m - simd.splat(1.0);
    let s = f * f;
    let odd = polynomial(simd, s, [0.140_869_14, 0.139_814_85, 0.200_120_35]);
    let even = polynomial(
        simd,
        s,
        [-0.130_310_06, -0.121_483_33, -0.166_846_13, -0.249_996_2],
    );
    let r = odd.mul_add_precise(f, even);
    let r = r.mul_add_precise(f, simd.splat(0.333_331_97));
    let r = r.mul_add_precise(f, simd.splat(-0.5));
    let r = r.mul_add_precise(s, f);
    let value = e.mul_add_precise(simd.splat(std::f32::consts::LN_2), r);
    let finite = magnitude.simd_lt(simd.splat(f32::INFINITY));
    let value = finite.select(value, magnitude);
    let zero = simd.splat(0.0);
    magnitude.simd_eq(zero).select(zero, value)
}

/// sin(r) for r up to slightly more than a quarter turn.
#[inline(always)]
fn sine<S: Simd>(simd: S, r: f32x16<S>) -> f32x16<S> {
    let s = r * r;
    let p = polynomial(
        simd,
        s,
        [
            2.601_949_7e-6,
            -1.980_794_3e-4,
            8.333_045e-3,
            -1.666_665_8e-1,
        ],
    );
    (s * r).mul_add_precise(p, r)
}

/// `x - n * pi`.
#[inline(always)]
fn reduce<S: Simd>(simd: S, x: f32x16<S>, n: f32x16<S>) -> f32x16<S> {
    let r = n.mul_add_precise(simd.splat(-PI[0]), x);
    let r = n.mul_add_precise(simd.splat(-PI[1]), r);
    n.mul_add_precise(simd.splat(-PI[2]), r)
}

#[inline(always)]
fn sin<S: Simd>(simd: S, x: f32x16<S>) -> f32x16<S> {
    let rounder = simd.splat(ROUNDER);
    let shifted = x.mul_add_precise(simd.splat(std::f32::consts::FRAC_1_PI), rounder);
    let r = reduce(simd, x, shifted - rounder);
    let value = sine(simd, r).to_bits() ^ (shifted.to_bits() << 31);
    beyond(simd, x, f32x16::from_bits(value), reduction::sin)
}

#[inline(always)]
fn cos<S: Simd>(simd: S, x: f32x16<S>) -> f32x16<S> {
    // cos(x) = -sin(x - (k + 1/2) pi), the sign turned for odd k.
    let rounder = simd.splat(ROUNDER);
    let turns = x.mul_add_precise(simd.splat(std::f32::consts::FRAC_1_PI), simd.splat(-0.5));
    let shifted = turns + rounder;
    let r = reduce(simd, x, shifted - rounder + simd.splat(0.5));
    let value = (-sine(simd, r)).to_bits() ^ (shifted.to_bits() << 31);
    beyond(simd, x, f32x16::from_bits(value), reduction::cos)
}

/// Replaces the value of each element whose argument is too large by `exact`.
#[inline(always)]
fn beyond<S: Simd>(simd: S, x: f32x16<S>, value: f32x16<S>, exact: fn(f32) -> f32) -> f32x16<S> {
    let magnitude = x.abs();
    let large = magnitude.simd_gt(simd.splat(REDUCIBLE)).to_bitmask();
    if large == 0 {
        return value;
    }
    // An infinite argument has already become NaN.
    let large = large & magnitude.simd_lt(simd.splat(f32::INFINITY)).to_bitmask();
    if large == 0 {
        return value;
    }
    let mut values = Vector(value.into());
    replace(large, &Vector(x.into()), &mut values, exact);
    values.0.simd_into(simd)
}

#[cold]
#[inline(never)]
fn replace(which: u64, arguments: &Vector<f32>, values: &mut Vector<f32>, exact: fn(f32) -> f32) {
    for lane in (0..LANES).filter(|lane| which >> lane & 1 == 1) {
        values.0[lane] = exact(arguments.0[lane]);
    }
}

#[cfg(test)]
#[path = "math_tests.rs"]
mod tests;
