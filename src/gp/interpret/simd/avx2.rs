//! AVX2 with FMA: two registers hold a vector; a mask is all ones or all zeros in each element.
//!
//! Leaves out: nothing. Units: elements. Sources: Intel Intrinsics Guide.

use super::{Kernel, LANES, Simd, Vector};
use crate::gp::interpret::tile::Four;
use std::arch::x86_64::*;

/// Proof that the processor has AVX2 and FMA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx2(());

impl Avx2 {
    pub fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("popcnt");
        has.then_some(Avx2(()))
    }
}

#[target_feature(enable = "avx2,fma,popcnt")]
fn run<K: Kernel>(simd: Avx2, kernel: K) -> K::Output {
    kernel.run(simd)
}

type Floats = [__m256; 2];
type Words = [__m256i; 2];

/// Applies one operation to both halves.
macro_rules! halves {
    ($f:ident($($x:expr),+)) => {
        // SAFETY: an `Avx2` exists only where the instructions do.
        unsafe { [$f($($x[0]),+), $f($($x[1]),+)] }
    };
    ($f:ident::<$n:tt>($($x:expr),+)) => {
        // SAFETY: as above.
        unsafe { [$f::<$n>($($x[0]),+), $f::<$n>($($x[1]),+)] }
    };
}

/// Returns 2^n for whole n from -126 to 127.
#[inline(always)]
fn power_of_two(n: __m256i) -> __m256 {
    // SAFETY: only called by `Avx2`.
    unsafe {
        _mm256_castsi256_ps(_mm256_slli_epi32::<23>(_mm256_add_epi32(
            n,
            _mm256_set1_epi32(127),
        )))
    }
}

#[inline(always)]
fn scale_half(a: __m256, n: __m256) -> __m256 {
    // SAFETY: only called by `Avx2`.
    unsafe {
        // Two factors, so that a result out of range is rounded once.
        let n = _mm256_cvttps_epi32(n);
        let half = _mm256_srai_epi32::<1>(n);
        let rest = _mm256_sub_epi32(n, half);
        _mm256_mul_ps(_mm256_mul_ps(a, power_of_two(half)), power_of_two(rest))
    }
}

#[inline(always)]
fn add_squares_quarter(sums: &mut [f64], value: __m128) {
    // SAFETY: only called by `Avx2`, with four sums.
    unsafe {
        let value = _mm256_cvtps_pd(value);
        let sum = _mm256_loadu_pd(sums.as_ptr());
        _mm256_storeu_pd(sums.as_mut_ptr(), _mm256_fmadd_pd(value, value, sum));
    }
}

// SAFETY of all blocks: an `Avx2` exists only where the instructions do; references to vectors are aligned to 64 bytes.
impl Simd for Avx2 {
    type F = Floats;
    type W = Words;
    type M = Floats;
    type Floats = Four<f32, Self>;
    type Words = Four<u32, Self>;
    const INLINES_MATH: bool = true;

    #[inline(always)]
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        unsafe { run(self, kernel) }
    }

    #[inline(always)]
    fn load(self, from: &Vector<f32>) -> Floats {
        let from = from.0.as_ptr();
        unsafe { [_mm256_load_ps(from), _mm256_load_ps(from.add(8))] }
    }
    #[inline(always)]
    fn store(self, to: &mut Vector<f32>, value: Floats) {
        let to = to.0.as_mut_ptr();
        unsafe {
            _mm256_store_ps(to, value[0]);
            _mm256_store_ps(to.add(8), value[1]);
        }
    }
    #[inline(always)]
    fn splat(self, value: f32) -> Floats {
        unsafe { [_mm256_set1_ps(value); 2] }
    }
    #[inline(always)]
    fn add(self, a: Floats, b: Floats) -> Floats {
        halves!(_mm256_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: Floats, b: Floats) -> Floats {
        halves!(_mm256_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: Floats, b: Floats) -> Floats {
        halves!(_mm256_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: Floats, b: Floats) -> Floats {
        halves!(_mm256_div_ps(a, b))
    }
    #[inline(always)]
    fn fma(self, a: Floats, b: Floats, c: Floats) -> Floats {
        halves!(_mm256_fmadd_ps(a, b, c))
    }
    #[inline(always)]
    fn fnma(self, a: Floats, b: Floats, c: Floats) -> Floats {
        halves!(_mm256_fnmadd_ps(a, b, c))
    }
    #[inline(always)]
    fn min(self, a: Floats, b: Floats) -> Floats {
        halves!(_mm256_min_ps(a, b))
    }
    #[inline(always)]
    fn max(self, a: Floats, b: Floats) -> Floats {
        halves!(_mm256_max_ps(a, b))
    }
    #[inline(always)]
    fn scale(self, a: Floats, n: Floats) -> Floats {
        [scale_half(a[0], n[0]), scale_half(a[1], n[1])]
    }
    #[inline(always)]
    fn eq(self, a: Floats, b: Floats) -> Floats {
        halves!(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b))
    }
    #[inline(always)]
    fn lt(self, a: Floats, b: Floats) -> Floats {
        halves!(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b))
    }
    #[inline(always)]
    fn le(self, a: Floats, b: Floats) -> Floats {
        halves!(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b))
    }
    #[inline(always)]
    fn not_mask(self, mask: Floats) -> Floats {
        let ones = self.bits_to_float(self.splat_words(u32::MAX));
        halves!(_mm256_xor_ps(mask, ones))
    }
    #[inline(always)]
    fn and_masks(self, a: Floats, b: Floats) -> Floats {
        halves!(_mm256_and_ps(a, b))
    }
    #[inline(always)]
    fn or_masks(self, a: Floats, b: Floats) -> Floats {
        halves!(_mm256_or_ps(a, b))
    }
    #[inline(always)]
    fn select(self, mask: Floats, yes: Floats, no: Floats) -> Floats {
        halves!(_mm256_blendv_ps(no, yes, mask))
    }
    #[inline(always)]
    fn mask_bits(self, mask: Floats) -> u32 {
        let [low, high] = halves!(_mm256_movemask_ps(mask));
        low as u32 | (high as u32) << 8
    }
    #[inline(always)]
    fn add_squares(self, sums: &mut [f64; LANES], value: Floats) {
        for (sums, value) in sums.chunks_exact_mut(8).zip(value) {
            let (low, high) = sums.split_at_mut(4);
            unsafe {
                add_squares_quarter(low, _mm256_castps256_ps128(value));
                add_squares_quarter(high, _mm256_extractf128_ps::<1>(value));
            }
        }
    }

    #[inline(always)]
    fn load_words(self, from: &Vector<u32>) -> Words {
        let from: *const __m256i = from.0.as_ptr().cast();
        unsafe { [_mm256_load_si256(from), _mm256_load_si256(from.add(1))] }
    }
    #[inline(always)]
    fn store_words(self, to: &mut Vector<u32>, value: Words) {
        let to: *mut __m256i = to.0.as_mut_ptr().cast();
        unsafe {
            _mm256_store_si256(to, value[0]);
            _mm256_store_si256(to.add(1), value[1]);
        }
    }
    #[inline(always)]
    fn splat_words(self, value: u32) -> Words {
        unsafe { [_mm256_set1_epi32(value as i32); 2] }
    }
    #[inline(always)]
    fn and(self, a: Words, b: Words) -> Words {
        halves!(_mm256_and_si256(a, b))
    }
    #[inline(always)]
    fn or(self, a: Words, b: Words) -> Words {
        halves!(_mm256_or_si256(a, b))
    }
    #[inline(always)]
    fn xor(self, a: Words, b: Words) -> Words {
        halves!(_mm256_xor_si256(a, b))
    }
    #[inline(always)]
    fn and_not(self, a: Words, b: Words) -> Words {
        halves!(_mm256_andnot_si256(a, b))
    }
    #[inline(always)]
    fn add_ones(self, sums: &mut [u32; LANES], a: Words) {
        let mut words = Vector::default();
        self.store_words(&mut words, a);
        for (pair, sum) in words.0.chunks_exact(2).zip(sums) {
            *sum += (u64::from(pair[0]) | u64::from(pair[1]) << 32).count_ones();
        }
    }
    #[inline(always)]
    fn sub_words(self, a: Words, b: Words) -> Words {
        halves!(_mm256_sub_epi32(a, b))
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self, a: Words) -> Words {
        let count = unsafe { _mm_cvtsi32_si128(N as i32) };
        unsafe { [_mm256_sll_epi32(a[0], count), _mm256_sll_epi32(a[1], count)] }
    }
    #[inline(always)]
    fn shift_right_signed<const N: u32>(self, a: Words) -> Words {
        let count = unsafe { _mm_cvtsi32_si128(N as i32) };
        unsafe { [_mm256_sra_epi32(a[0], count), _mm256_sra_epi32(a[1], count)] }
    }
    #[inline(always)]
    fn signed_to_float(self, a: Words) -> Floats {
        halves!(_mm256_cvtepi32_ps(a))
    }
    #[inline(always)]
    fn float_to_bits(self, a: Floats) -> Words {
        halves!(_mm256_castps_si256(a))
    }
    #[inline(always)]
    fn bits_to_float(self, a: Words) -> Floats {
        halves!(_mm256_castsi256_ps(a))
    }
}
