//! Path with only the instructions that every processor of the architecture has: loops that the compiler vectorises as far as it
//! can.
//!
//! Leaves out: speed of `fma` on architectures without one; it is then computed exactly in double precision.
//! Units: elements. Sources: Boldo and Melquiond 2008 for rounding to odd.

use super::{Kernel, LANES, Simd, Vector};
use crate::gp::interpret::tile::One;

/// The instruction set that every processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portable;

#[inline(always)]
fn map1<A: Copy, T: Copy + Default>(a: [A; LANES], f: impl Fn(A) -> T) -> [T; LANES] {
    let mut out = [T::default(); LANES];
    for i in 0..LANES {
        out[i] = f(a[i]);
    }
    out
}

#[inline(always)]
fn map2<A: Copy, B: Copy, T: Copy + Default>(
    a: [A; LANES],
    b: [B; LANES],
    f: impl Fn(A, B) -> T,
) -> [T; LANES] {
    let mut out = [T::default(); LANES];
    for i in 0..LANES {
        out[i] = f(a[i], b[i]);
    }
    out
}

#[inline(always)]
fn map3<A: Copy, B: Copy, T: Copy + Default>(
    a: [A; LANES],
    b: [B; LANES],
    c: [B; LANES],
    f: impl Fn(A, B, B) -> T,
) -> [T; LANES] {
    let mut out = [T::default(); LANES];
    for i in 0..LANES {
        out[i] = f(a[i], b[i], c[i]);
    }
    out
}

/// Mask of a lane: all bits set where the condition holds.
#[inline(always)]
fn lane_mask(condition: bool) -> u32 {
    u32::from(condition).wrapping_neg()
}

/// Returns `a * b + c`, rounded once.
#[inline(always)]
fn fused_multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        return a.mul_add(b, c);
    }
    // The product is exact. The sum is rounded to odd, so that rounding it again to single precision is rounding once (Boldo and
    // Melquiond 2008): if it is not exact, its last bit is set, towards the exact sum.
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let c_in_sum = sum - product;
    let error = (product - (sum - c_in_sum)) + (c - c_in_sum);
    let inexact = (error < 0.0) | (error > 0.0);
    let towards_zero = (error < 0.0) != (sum < 0.0);
    let bits = sum.to_bits();
    let lower = bits.wrapping_sub(u64::from(inexact & towards_zero));
    f64::from_bits(lower | u64::from(inexact)) as f32
}

/// Returns 2^n for whole n from -126 to 127.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits(((n + 127) as u32) << 23)
}

impl Simd for Portable {
    type F = [f32; LANES];
    type W = [u32; LANES];
    type M = [u32; LANES];
    type Floats = One<f32, Self>;
    type Words = One<u32, Self>;
    const INLINES_MATH: bool = false;

    #[inline(never)]
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    #[inline(always)]
    fn load(self, from: &Vector<f32>) -> Self::F {
        from.0
    }
    #[inline(always)]
    fn store(self, to: &mut Vector<f32>, value: Self::F) {
        to.0 = value;
    }
    #[inline(always)]
    fn splat(self, value: f32) -> Self::F {
        [value; LANES]
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        map3(a, b, c, fused_multiply_add)
    }
    #[inline(always)]
    fn fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        map3(a, b, c, |a, b, c| fused_multiply_add(-a, b, c))
    }
    #[inline(always)]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn scale(self, a: Self::F, n: Self::F) -> Self::F {
        map2(a, n, |a, n| {
            // Two factors, so that a result out of range is rounded once.
            let n = n as i32;
            let half = n >> 1;
            a * power_of_two(half) * power_of_two(n - half)
        })
    }
    #[inline(always)]
    fn eq(self, a: Self::F, b: Self::F) -> Self::M {
        map2(a, b, |a, b| lane_mask(a == b))
    }
    #[inline(always)]
    fn lt(self, a: Self::F, b: Self::F) -> Self::M {
        map2(a, b, |a, b| lane_mask(a < b))
    }
    #[inline(always)]
    fn le(self, a: Self::F, b: Self::F) -> Self::M {
        map2(a, b, |a, b| lane_mask(a <= b))
    }
    #[inline(always)]
    fn not_mask(self, mask: Self::M) -> Self::M {
        map1(mask, |m| !m)
    }
    #[inline(always)]
    fn and_masks(self, a: Self::M, b: Self::M) -> Self::M {
        map2(a, b, |a, b| a & b)
    }
    #[inline(always)]
    fn or_masks(self, a: Self::M, b: Self::M) -> Self::M {
        map2(a, b, |a, b| a | b)
    }
    #[inline(always)]
    fn select(self, mask: Self::M, yes: Self::F, no: Self::F) -> Self::F {
        map3(mask, yes, no, |mask, yes, no| {
            f32::from_bits((yes.to_bits() & mask) | (no.to_bits() & !mask))
        })
    }
    #[inline(always)]
    fn mask_bits(self, mask: Self::M) -> u32 {
        (0..LANES).fold(0, |bits, i| bits | (mask[i] & 1) << i)
    }
    #[inline(always)]
    fn add_squares(self, sums: &mut [f64; LANES], value: Self::F) {
        for (sum, value) in sums.iter_mut().zip(value) {
            let value = f64::from(value);
            // The product is exact, so that a fused addition gives the same.
            *sum += value * value;
        }
    }

    #[inline(always)]
    fn load_words(self, from: &Vector<u32>) -> Self::W {
        from.0
    }
    #[inline(always)]
    fn store_words(self, to: &mut Vector<u32>, value: Self::W) {
        to.0 = value;
    }
    #[inline(always)]
    fn splat_words(self, value: u32) -> Self::W {
        [value; LANES]
    }
    #[inline(always)]
    fn and(self, a: Self::W, b: Self::W) -> Self::W {
        map2(a, b, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, a: Self::W, b: Self::W) -> Self::W {
        map2(a, b, |a, b| a | b)
    }
    #[inline(always)]
    fn xor(self, a: Self::W, b: Self::W) -> Self::W {
        map2(a, b, |a, b| a ^ b)
    }
    #[inline(always)]
    fn and_not(self, a: Self::W, b: Self::W) -> Self::W {
        map2(a, b, |a, b| !a & b)
    }
    #[inline(always)]
    fn add_ones(self, sums: &mut [u32; LANES], a: Self::W) {
        for (sum, word) in sums.iter_mut().zip(a) {
            *sum += word.count_ones();
        }
    }
    #[inline(always)]
    fn sub_words(self, a: Self::W, b: Self::W) -> Self::W {
        map2(a, b, u32::wrapping_sub)
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self, a: Self::W) -> Self::W {
        map1(a, |a| a << N)
    }
    #[inline(always)]
    fn shift_right_signed<const N: u32>(self, a: Self::W) -> Self::W {
        map1(a, |a| (a as i32 >> N) as u32)
    }
    #[inline(always)]
    fn signed_to_float(self, a: Self::W) -> Self::F {
        map1(a, |a| a as i32 as f32)
    }
    #[inline(always)]
    fn float_to_bits(self, a: Self::F) -> Self::W {
        map1(a, f32::to_bits)
    }
    #[inline(always)]
    fn bits_to_float(self, a: Self::W) -> Self::F {
        map1(a, f32::from_bits)
    }
}
