//! Vectors of 16 elements on the registers that the processor has.
//!
//! Models: the operations that interpreters need on 16 floats or 16 words at a time, with AVX-512, with AVX2 and FMA, or without
//! either. An instruction set is a value that only its detection creates, so that holding one proves that it may be used.
//! All of them give the same bits: every operation rounds once, and `fma` is always fused, in software where the processor
//! cannot.
//! Leaves out: NaN payloads. Units: elements.
//! Sources: Intel Intrinsics Guide.

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "one for all: a value of the type exists only where the processor was asked, and loads and stores are of whole aligned vectors"
)]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[allow(clippy::undocumented_unsafe_blocks, reason = "as in avx2")]
mod avx512;
mod portable;

use super::tile::Tile;
pub use portable::Portable;

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

/// Code to run with an instruction set. `run` and the functions it calls are inlined, or are kernels themselves.
pub trait Kernel {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// An instruction set.
pub trait Simd: Copy + Send + Sync + 'static {
    /// 16 floats.
    type F: Copy;
    /// 16 words.
    type W: Copy;
    /// 16 truth values.
    type M: Copy;
    /// Tile of float vectors that stays in registers, with some registers left to compute with.
    type Floats: Tile<f32, Self>;
    /// Tile of word vectors that stays in registers: the few functions of words need fewer registers than those of floats.
    type Words: Tile<u32, Self>;
    /// Whether the polynomials of functions are inlined at every call.
    const INLINES_MATH: bool;

    /// Compiles the kernel with these instructions, as a function of its own, and runs it.
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output;

    fn load(self, from: &Vector<f32>) -> Self::F;
    fn store(self, to: &mut Vector<f32>, value: Self::F);
    fn splat(self, value: f32) -> Self::F;
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, rounded once.
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// `c - a * b`, rounded once.
    fn fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// `a` if `a < b`, else `b`.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a` if `a > b`, else `b`.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * 2^n`, rounded once, for whole `n` from -254 to 254 and `a` between 1/2 and 4, or NaN.
    fn scale(self, a: Self::F, n: Self::F) -> Self::F;
    fn eq(self, a: Self::F, b: Self::F) -> Self::M;
    fn lt(self, a: Self::F, b: Self::F) -> Self::M;
    fn le(self, a: Self::F, b: Self::F) -> Self::M;
    fn not_mask(self, mask: Self::M) -> Self::M;
    fn and_masks(self, a: Self::M, b: Self::M) -> Self::M;
    fn or_masks(self, a: Self::M, b: Self::M) -> Self::M;
    /// `yes` where the mask is true.
    fn select(self, mask: Self::M, yes: Self::F, no: Self::F) -> Self::F;
    /// Returns one bit per lane, lane 0 lowest.
    fn mask_bits(self, mask: Self::M) -> u32;
    /// Adds the square of lane `i` to `sums[i]`.
    fn add_squares(self, sums: &mut [f64; LANES], value: Self::F);

    fn load_words(self, from: &Vector<u32>) -> Self::W;
    fn store_words(self, to: &mut Vector<u32>, value: Self::W);
    fn splat_words(self, value: u32) -> Self::W;
    fn and(self, a: Self::W, b: Self::W) -> Self::W;
    fn or(self, a: Self::W, b: Self::W) -> Self::W;
    fn xor(self, a: Self::W, b: Self::W) -> Self::W;
    /// `!a & b`.
    fn and_not(self, a: Self::W, b: Self::W) -> Self::W;
    /// Adds the ones to `sums`, those of lane `i` to `sums[i]` or those of several lanes together.
    fn add_ones(self, sums: &mut [u32; LANES], a: Self::W);
    fn sub_words(self, a: Self::W, b: Self::W) -> Self::W;
    fn shift_left<const N: u32>(self, a: Self::W) -> Self::W;
    /// Arithmetic shift: copies of the sign bit move in.
    fn shift_right_signed<const N: u32>(self, a: Self::W) -> Self::W;
    fn signed_to_float(self, a: Self::W) -> Self::F;
    fn float_to_bits(self, a: Self::F) -> Self::W;
    fn bits_to_float(self, a: Self::W) -> Self::F;
}

/// Choice of instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    Portable(Portable),
}

impl Path {
    /// Names of all paths, whether this processor supports them or not.
    pub const NAMES: [&str; 3] = ["avx512", "avx2", "portable"];

    /// Returns every path that this processor supports, the fastest first.
    pub fn all() -> Vec<Path> {
        #[cfg(target_arch = "x86_64")]
        let wide = [
            avx512::Avx512::detect().map(Path::Avx512),
            avx2::Avx2::detect().map(Path::Avx2),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let wide: [Option<Path>; 0] = [];
        let portable = Path::Portable(Portable);
        wide.into_iter().flatten().chain([portable]).collect()
    }

    /// Returns the fastest path that this processor supports.
    pub fn best() -> Path {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = || avx2::Avx2::detect().map(Path::Avx2);
            let wide = avx512::Avx512::detect().map(Path::Avx512).or_else(avx2);
            if let Some(wide) = wide {
                return wide;
            }
        }
        Path::Portable(Portable)
    }

    pub fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Path::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2(_) => "avx2",
            Path::Portable(_) => "portable",
        }
    }

    /// Runs the kernel on this path.
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Path::Avx512(simd) => simd.vectorize(kernel),
            #[cfg(target_arch = "x86_64")]
            Path::Avx2(simd) => simd.vectorize(kernel),
            Path::Portable(simd) => simd.vectorize(kernel),
        }
    }
}
