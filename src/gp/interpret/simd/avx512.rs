//! AVX-512 with the extensions of Ice Lake and Zen 4 and later: one register holds a vector, a mask is a number.
//!
//! Leaves out: Skylake's AVX-512, which cannot count ones; it uses the AVX2 path.
//! Units: elements. Sources: Intel Intrinsics Guide.

use super::{Kernel, LANES, Simd, Vector};
use crate::gp::interpret::tile::{Eight, Sixteen};
use std::arch::x86_64::*;

/// Proof that the processor has these extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx512(());

impl Avx512 {
    pub fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vpopcntdq")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("popcnt");
        has.then_some(Avx512(()))
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,fma,popcnt")]
fn run<K: Kernel>(simd: Avx512, kernel: K) -> K::Output {
    kernel.run(simd)
}

/// Hides from the compiler that a value is a constant: it would reload constants for every vector, two per cycle, where a loop
/// can keep them in registers.
#[target_feature(enable = "avx512f")]
#[inline]
fn kept(constant: __m512) -> __m512 {
    let mut value = constant;
    // SAFETY: no instruction at all.
    unsafe {
        std::arch::asm!("/* {0} */", inout(zmm_reg) value, options(pure, nomem, nostack, preserves_flags));
    }
    value
}

// SAFETY of all blocks: an `Avx512` exists only where the instructions do; references to vectors are aligned to 64 bytes.
impl Simd for Avx512 {
    type F = __m512;
    type W = __m512i;
    type M = __mmask16;
    // A tile of sixteen for floats would take a third of the crate's build time and be no faster.
    type Floats = Eight<f32, Self>;
    type Words = Sixteen<u32, Self>;
    const INLINES_MATH: bool = true;

    #[inline(always)]
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        unsafe { run(self, kernel) }
    }

    #[inline(always)]
    fn load(self, from: &Vector<f32>) -> __m512 {
        unsafe { _mm512_load_ps(from.0.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, to: &mut Vector<f32>, value: __m512) {
        unsafe { _mm512_store_ps(to.0.as_mut_ptr(), value) }
    }
    #[inline(always)]
    fn splat(self, value: f32) -> __m512 {
        unsafe { kept(_mm512_set1_ps(value)) }
    }
    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_mul_ps(a, b) }
    }
    #[inline(always)]
    fn div(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_div_ps(a, b) }
    }
    #[inline(always)]
    fn fma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn fnma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fnmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_min_ps(a, b) }
    }
    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_max_ps(a, b) }
    }
    #[inline(always)]
    fn scale(self, a: __m512, n: __m512) -> __m512 {
        unsafe { _mm512_scalef_ps(a, n) }
    }
    #[inline(always)]
    fn eq(self, a: __m512, b: __m512) -> __mmask16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b) }
    }
    #[inline(always)]
    fn lt(self, a: __m512, b: __m512) -> __mmask16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b) }
    }
    #[inline(always)]
    fn le(self, a: __m512, b: __m512) -> __mmask16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b) }
    }
    #[inline(always)]
    fn not_mask(self, mask: __mmask16) -> __mmask16 {
        !mask
    }
    #[inline(always)]
    fn and_masks(self, a: __mmask16, b: __mmask16) -> __mmask16 {
        a & b
    }
    #[inline(always)]
    fn or_masks(self, a: __mmask16, b: __mmask16) -> __mmask16 {
        a | b
    }
    #[inline(always)]
    fn select(self, mask: __mmask16, yes: __m512, no: __m512) -> __m512 {
        unsafe { _mm512_mask_blend_ps(mask, no, yes) }
    }
    #[inline(always)]
    fn mask_bits(self, mask: __mmask16) -> u32 {
        u32::from(mask)
    }
    #[inline(always)]
    fn add_squares(self, sums: &mut [f64; LANES], value: __m512) {
        unsafe {
            let low = _mm512_cvtps_pd(_mm512_castps512_ps256(value));
            let high = _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(value));
            let (first, second) = (sums.as_mut_ptr(), sums.as_mut_ptr().add(LANES / 2));
            _mm512_storeu_pd(first, _mm512_fmadd_pd(low, low, _mm512_loadu_pd(first)));
            _mm512_storeu_pd(second, _mm512_fmadd_pd(high, high, _mm512_loadu_pd(second)));
        }
    }

    #[inline(always)]
    fn load_words(self, from: &Vector<u32>) -> __m512i {
        unsafe { _mm512_load_si512(from.0.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store_words(self, to: &mut Vector<u32>, value: __m512i) {
        unsafe { _mm512_store_si512(to.0.as_mut_ptr().cast(), value) }
    }
    #[inline(always)]
    fn splat_words(self, value: u32) -> __m512i {
        unsafe { _mm512_castps_si512(kept(_mm512_castsi512_ps(_mm512_set1_epi32(value as i32)))) }
    }
    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_and_si512(a, b) }
    }
    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_or_si512(a, b) }
    }
    #[inline(always)]
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_xor_si512(a, b) }
    }
    #[inline(always)]
    fn and_not(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_andnot_si512(a, b) }
    }
    #[inline(always)]
    fn add_ones(self, sums: &mut [u32; LANES], a: __m512i) {
        let to: *mut __m512i = sums.as_mut_ptr().cast();
        unsafe {
            let sum = _mm512_add_epi32(_mm512_loadu_si512(to), _mm512_popcnt_epi32(a));
            _mm512_storeu_si512(to, sum);
        }
    }
    #[inline(always)]
    fn sub_words(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_sub_epi32(a, b) }
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self, a: __m512i) -> __m512i {
        unsafe { _mm512_slli_epi32::<N>(a) }
    }
    #[inline(always)]
    fn shift_right_signed<const N: u32>(self, a: __m512i) -> __m512i {
        unsafe { _mm512_srai_epi32::<N>(a) }
    }
    #[inline(always)]
    fn signed_to_float(self, a: __m512i) -> __m512 {
        unsafe { _mm512_cvtepi32_ps(a) }
    }
    #[inline(always)]
    fn float_to_bits(self, a: __m512) -> __m512i {
        unsafe { _mm512_castps_si512(a) }
    }
    #[inline(always)]
    fn bits_to_float(self, a: __m512i) -> __m512 {
        unsafe { _mm512_castsi512_ps(a) }
    }
}
