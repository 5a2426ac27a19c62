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
pub fn apply<S: Simd>(simd: S, function: Function, x: S::F) -> S::F {
    if S::INLINES_MATH {
        return compute(simd, function, x);
    }
    let mut value = Vector::default();
    simd.store(&mut value, x);
    call(simd, function, &mut value);
    simd.load(&value)
}

#[inline(never)]
fn call<S: Simd>(simd: S, function: Function, value: &mut Vector<f32>) {
    let x = simd.load(value);
    simd.store(value, compute(simd, function, x));
}

#[inline(always)]
fn compute<S: Simd>(simd: S, function: Function, x: S::F) -> S::F {
    match function {
        Function::Sin => sin(simd, x),
        Function::Cos => cos(simd, x),
        Function::Log => log(simd, x),
        Function::Exp => exp(simd, x),
    }
}

/// Evaluates the polynomial with these coefficients, the highest first.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(simd: S, x: S::F, coefficients: [f32; N]) -> S::F {
    let mut value = simd.splat(coefficients[0]);
    for &coefficient in &coefficients[1..] {
        value = simd.fma(value, x, simd.splat(coefficient));
    }
    value
}

/// Rounds to the nearest whole number; `shifted` is the value plus `ROUNDER`.
#[inline(always)]
fn round<S: Simd>(simd: S, shifted: S::F) -> S::F {
    simd.sub(shifted, simd.splat(ROUNDER))
}

#[inline(always)]
fn exp<S: Simd>(simd: S, x: S::F) -> S::F {
    // NaN passes through as the second operand.
    let x = simd.max(simd.splat(-104.0), simd.min(simd.splat(89.0), x));
    let log2_e = simd.splat(std::f32::consts::LOG2_E);
    let n = round(simd, simd.fma(x, log2_e, simd.splat(ROUNDER)));
    let r = simd.fnma(n, simd.splat(6.931_457_5e-1), x);
    let r = simd.fnma(n, simd.splat(1.428_606_8e-6), r);
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
fn log<S: Simd>(simd: S, x: S::F) -> S::F {
    let magnitude =
        simd.bits_to_float(simd.and(simd.float_to_bits(x), simd.splat_words(0x7fff_ffff)));
    let subnormal = simd.lt(magnitude, simd.splat(f32::MIN_POSITIVE));
    let scaled = simd.mul(magnitude, simd.splat(8_388_608.0));
    let bits = simd.float_to_bits(simd.select(subnormal, scaled, magnitude));
    // Mantissa in [2/3, 4/3), exponent to match.
    let e = simd.and(
        simd.sub_words(bits, simd.splat_words(0x3f2a_aaab)),
        simd.splat_words(0xff80_0000),
    );
    let m = simd.bits_to_float(simd.sub_words(bits, e));
    let correction = simd.select(subnormal, simd.splat(-23.0), simd.splat(0.0));
    let e = simd.signed_to_float(simd.shift_right_signed::<23>(e));
    let e = simd.add(e, correction);
    let f = simd.sub(m, simd.splat(1.0));
    let s = simd.mul(f, f);
    let odd = polynomial(simd, s, [0.140_869_14, 0.139_814_85, 0.200_120_35]);
    let even = polynomial(
        simd,
        s,
        [-0.130_310_06, -0.121_483_33, -0.166_846_13, -0.249_996_2],
    );
    let r = simd.fma(odd, f, even);
    let r = simd.fma(r, f, simd.splat(0.333_331_97));
    let r = simd.fma(r, f, simd.splat(-0.5));
    let r = simd.fma(r, s, f);
    let value = simd.fma(e, simd.splat(std::f32::consts::LN_2), r);
    let finite = simd.lt(magnitude, simd.splat(f32::INFINITY));
    let value = simd.select(finite, value, magnitude);
    let zero = simd.eq(magnitude, simd.splat(0.0));
    simd.select(zero, simd.splat(0.0), value)
}

/// sin(r) for r up to slightly more than a quarter turn.
#[inline(always)]
fn sine<S: Simd>(simd: S, r: S::F) -> S::F {
    let s = simd.mul(r, r);
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
    simd.fma(simd.mul(s, r), p, r)
}

/// `x - n * pi`.
#[inline(always)]
fn reduce<S: Simd>(simd: S, x: S::F, n: S::F) -> S::F {
    let r = simd.fnma(n, simd.splat(PI[0]), x);
    let r = simd.fnma(n, simd.splat(PI[1]), r);
    simd.fnma(n, simd.splat(PI[2]), r)
}

#[inline(always)]
fn sin<S: Simd>(simd: S, x: S::F) -> S::F {
    let inverse_pi = simd.splat(std::f32::consts::FRAC_1_PI);
    let shifted = simd.fma(x, inverse_pi, simd.splat(ROUNDER));
    let r = reduce(simd, x, round(simd, shifted));
    let sign = simd.shift_left::<31>(simd.float_to_bits(shifted));
    let value = simd.bits_to_float(simd.xor(simd.float_to_bits(sine(simd, r)), sign));
    beyond(simd, x, value, reduction::sin)
}

#[inline(always)]
fn cos<S: Simd>(simd: S, x: S::F) -> S::F {
    // cos(x) = -sin(x - (k + 1/2) pi), the sign turned for odd k.
    let inverse_pi = simd.splat(std::f32::consts::FRAC_1_PI);
    let turns = simd.fma(x, inverse_pi, simd.splat(-0.5));
    let shifted = simd.add(turns, simd.splat(ROUNDER));
    let n = simd.add(round(simd, shifted), simd.splat(0.5));
    let r = reduce(simd, x, n);
    let sign = simd.shift_left::<31>(simd.float_to_bits(shifted));
    let minus = simd.xor(sign, simd.splat_words(0x8000_0000));
    let value = simd.bits_to_float(simd.xor(simd.float_to_bits(sine(simd, r)), minus));
    beyond(simd, x, value, reduction::cos)
}

/// Replaces the value of each element whose argument is too large by `exact`.
#[inline(always)]
fn beyond<S: Simd>(simd: S, x: S::F, value: S::F, exact: fn(f32) -> f32) -> S::F {
    let magnitude =
        simd.bits_to_float(simd.and(simd.float_to_bits(x), simd.splat_words(0x7fff_ffff)));
    let large = simd.mask_bits(simd.lt(simd.splat(REDUCIBLE), magnitude));
    if large == 0 {
        return value;
    }
    // An infinite argument has already become NaN.
    let large = large & simd.mask_bits(simd.lt(magnitude, simd.splat(f32::INFINITY)));
    if large == 0 {
        return value;
    }
    let (mut arguments, mut values) = (Vector::default(), Vector::default());
    simd.store(&mut arguments, x);
    simd.store(&mut values, value);
    replace(large, &arguments, &mut values, exact);
    simd.load(&values)
}

#[cold]
#[inline(never)]
fn replace(which: u32, arguments: &Vector<f32>, values: &mut Vector<f32>, exact: fn(f32) -> f32) {
    for lane in (0..LANES).filter(|lane| which >> lane & 1 == 1) {
        values.0[lane] = exact(arguments.0[lane]);
    }
}

#[cfg(test)]
#[path = "math_tests.rs"]
mod tests;
