//! Random numbers with a fixed meaning.
//!
//! Models: one ChaCha8 stream per (seed, stream); the draws are defined here, so that results do not depend on the version of a
//! random-number library.
//! Leaves out: distributions other than uniform.
//! Sources: Bernstein, ChaCha; Lemire's multiply-shift for ranges.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A named random stream.
#[derive(Debug, Clone)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Dice(generator)
    }

    /// Returns the stream of one offspring, which depends only on seed, generation and index.
    pub fn for_offspring(seed: u64, generation: u32, index: u32) -> Self {
        Self::new(seed, (u64::from(generation) + 1) << 32 | u64::from(index))
    }

    /// Draws a whole number in `0..n`; `n` is at least 1. The bias is below n / 2^32.
    pub fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.0.next_u32()) * n as u64) >> 32) as usize
    }

    /// Draws any word.
    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Draws uniformly from `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Draws uniformly between `low` and `high`, rounded to single precision.
    pub fn uniform(&mut self, low: f32, high: f32) -> f32 {
        (f64::from(low) + self.unit() * (f64::from(high) - f64::from(low))) as f32
    }

    /// Draws one element of a non-empty slice.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ() {
        let draw = |mut dice: Dice| (0..8).map(|_| dice.below(1000)).collect::<Vec<_>>();
        assert_eq!(
            draw(Dice::for_offspring(1, 2, 3)),
            draw(Dice::for_offspring(1, 2, 3))
        );
        assert_ne!(
            draw(Dice::for_offspring(1, 2, 3)),
            draw(Dice::for_offspring(1, 2, 4))
        );
        assert_ne!(
            draw(Dice::for_offspring(1, 2, 3)),
            draw(Dice::for_offspring(2, 2, 3))
        );
    }

    #[test]
    fn draws_stay_in_range() {
        let mut dice = Dice::new(7, 0);
        for _ in 0..1000 {
            assert!(dice.below(3) < 3);
            assert!((0.0..1.0).contains(&dice.unit()));
            assert!((-2.0..=2.0).contains(&dice.uniform(-2.0, 2.0)));
        }
    }
}
