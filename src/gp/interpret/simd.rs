//! Vectors of 16 elements on the registers that the processor has.
//!
//! Models: instruction sets of `fearless_simd` by name, and the number of vectors that stay in the registers of each.
//! All of them give the same bits: every operation rounds once, and multiply-adds are `mul_add_precise`, fused in software where the
//! processor cannot.
//! Leaves out: NaN payloads; AVX-512 before Ice Lake and Zen 4, where AVX2 is used. Units: elements.
//! Sources: Intel Intrinsics Guide.

use super::tile::{One, Tile};
use fearless_simd::{Level, f32x16, i32x16, prelude::*};

/// Elements of a vector.
pub const LANES: usize = 16;

/// 16 elements in memory, on one cache line.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub struct Vector<T>(pub [T; LANES]);

impl<T: Copy + Default> Default for Vector<T> {
    fn default() -> Self {
        Vector([T::default(); LANES])
    }
}

/// An instruction set, and the use of its registers.
pub trait Simd: fearless_simd::Simd {
    /// Tile of float vectors that stays in registers, with some registers left to compute with.
    type Floats: Tile<f32, Self>;
    /// Tile of word vectors that stays in registers: the few functions of words need fewer registers than those of floats.
    type Words: Tile<u32, Self>;
    /// Whether the polynomials of functions are inlined at every call.
    const INLINES_MATH: bool;

    #[inline(always)]
    fn splat(self, value: f32) -> f32x16<Self> {
        f32x16::splat(self, value)
    }

    /// `a * 2^n`, rounded once, for whole `n` from -254 to 254 and `a` between 1/2 and 4, or NaN.
    #[inline(always)]
    fn scale(self, a: f32x16<Self>, n: f32x16<Self>) -> f32x16<Self> {
        // Two factors, so that a result out of range is rounded once.
        let n: i32x16<Self> = n.to_int();
        let half = n >> 1;
        a * power_of_two(half) * power_of_two(n - half)
    }
}

/// Returns 2^n for whole n from -126 to 127.
#[inline(always)]
fn power_of_two<S: Simd>(n: i32x16<S>) -> f32x16<S> {
    ((n + 127) << 23).bitcast()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use crate::gp::interpret::tile::{Eight, Four, Sixteen};
    use fearless_simd::x86::{Avx2, Avx512, Sse2};
    use std::arch::x86_64::*;

    impl Simd for Avx512 {
        // A tile of sixteen for floats would take a third of the crate's build time and be no faster.
        type Floats = Eight<f32, Self>;
        type Words = Sixteen<u32, Self>;
        const INLINES_MATH: bool = true;

        #[inline(always)]
        fn splat(self, value: f32) -> f32x16<Self> {
            kept(self, f32x16::splat(self, value).into()).simd_into(self)
        }

        #[inline(always)]
        fn scale(self, a: f32x16<Self>, n: f32x16<Self>) -> f32x16<Self> {
            scale(self, a.into(), n.into()).simd_into(self)
        }
    }

    fearless_simd::kernel! {
        /// Hides from the compiler that a value is a constant: it would reload constants for every vector, two per cycle, where a
        /// loop can keep them in registers.
        #[inline(always)]
        fn kept(simd: Avx512, constant: __m512) -> __m512 {
            let mut value = constant;
            // SAFETY: no instruction at all.
            unsafe {
                std::arch::asm!("/* {0} */", inout(zmm_reg) value, options(pure, nomem, nostack, preserves_flags));
            }
            value
        }
    }

    fearless_simd::kernel! {
        #[inline(always)]
        fn scale(simd: Avx512, a: __m512, n: __m512) -> __m512 {
            _mm512_scalef_ps(a, n)
        }
    }

    impl Simd for Avx2 {
        type Floats = Four<f32, Self>;
        type Words = Four<u32, Self>;
        const INLINES_MATH: bool = true;
    }

    impl Simd for Sse2 {
        type Floats = One<f32, Self>;
        type Words = One<u32, Self>;
        const INLINES_MATH: bool = false;
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl<S: fearless_simd::Simd> Simd for S {
    type Floats = One<f32, Self>;
    type Words = One<u32, Self>;
    const INLINES_MATH: bool = false;
}

/// Choice of instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Path(pub(super) Level);

impl Path {
    /// Names of all paths, whether this processor supports them or not.
    pub const NAMES: [&str; 3] = ["avx512", "avx2", "portable"];

    /// Returns every path that this processor supports, the fastest first.
    pub fn all() -> Vec<Path> {
        let best = Level::new();
        #[cfg(target_arch = "x86_64")]
        let levels = [
            best.as_avx512().map(Level::Avx512),
            best.as_avx2().map(Level::Avx2),
            best.as_sse2().map(Level::Sse2),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let levels = [Some(best)];
        levels.into_iter().flatten().map(Path).collect()
    }

    /// Returns the fastest path that this processor supports.
    pub fn best() -> Path {
        Path(Level::new())
    }

    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => "avx2",
            _ => "portable",
        }
    }
}

/// Compiles the code with each instruction set and runs it with that of the path. The functions that the code calls are inlined.
macro_rules! on_path {
    ($path:expr, $simd:ident => $code:expr) => {{
        #[cfg(target_arch = "x86_64")]
        match $path.0 {
            fearless_simd::Level::Avx512($simd) => on_path!($simd => $code),
            fearless_simd::Level::Avx2($simd) => on_path!($simd => $code),
            level => {
                let $simd = level.as_sse2().expect("every x86-64 processor has SSE2");
                on_path!($simd => $code)
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        fearless_simd::dispatch!($path.0, $simd => $code)
    }};
    ($simd:ident => $code:expr) => {
        fearless_simd::Simd::vectorize($simd, #[inline(always)] || $code)
    };
}
pub(super) use on_path;
