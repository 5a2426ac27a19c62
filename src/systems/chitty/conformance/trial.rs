//! Fitness cases on which a program's error reveals any deviation from the reference interpreter.
//!
//! Models: for regression, outputs equal to the reference's values, so that the error is 0 except for rounding and nothing hides
//! a difference. For classification, outputs almost half a class away, so that a value must also have the right rounding. Scored
//! trials have outputs well away from the values, to test the summing of errors.
//! Leaves out: the programs (`programs`). Units: fitness cases, summed errors.

use super::bounds::{Bounded, ulp};
use super::programs::{Probe, Values};
use crate::gp::evolve::dice::Dice;
use crate::gp::interpret::reference::value_u32;
use crate::gp::problem::Score;
use crate::gp::program::Token;
use crate::systems::chitty::variant::{Math, Variant};
use std::ops::RangeInclusive;

/// Seed of the inputs.
const SEED: u64 = 1;
/// Number of draws before an earlier case is reused; for the first case, before the trial is given up.
const DRAWS: usize = 200;
const FIRST_DRAWS: usize = 20_000;
/// Largest number of fitness cases of a warp in an iteration. With rarely extreme values, one case in each group of this many is
/// extreme, at a varying position.
const EXTREME_PERIOD: usize = 256;
/// Largest value of a regression, so that its squared error fits in single precision.
const LARGEST: f64 = 1e18;
/// Largest error of a value, relative to the value or to 1; beyond it, rounding decides too much.
const LARGEST_ERROR: f64 = 1e-3;
/// Relative rounding error of the sum of errors in single precision.
const ROUNDING: f64 = 1e-5;
/// Width of a window, in powers of 2.
const WINDOW: i32 = 2;
/// Fraction of the summed squared error bounds that the error may reach, as few values reach their bounds. Chosen.
const TYPICAL: f64 = 1.0 / 8.0;

/// Fitness cases of one program, and the allowed range of its error on them.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Input words, one row per variable.
    pub inputs: Vec<u32>,
    pub outputs: Vec<u32>,
    pub allowed: RangeInclusive<f64>,
}

/// Settings that all trials of a kernel share.
#[derive(Debug, Clone, Copy)]
pub struct Trials<'a> {
    pub variant: &'a Variant,
    pub elements: usize,
    pub is_scored: bool,
}

/// An output for a case, and the bounds of the error on it.
struct Judged {
    output: u32,
    least: f64,
    most: f64,
    /// Whether the error comes from rounding alone.
    is_rounding: bool,
}

impl Trials<'_> {
    /// Makes a trial of a program; `None` if rounding decides its values for all inputs.
    pub fn of(self, probe: &Probe) -> Option<Trial> {
        let mut dice = Dice::new(SEED, 0);
        let n_inputs = self.variant.problem.definition().n_inputs;
        let all: Vec<usize> = (0..n_inputs).collect();
        let is_read = |input: &usize| probe.program.0.contains(&Token::Input(*input as u16));
        let read: Vec<usize> = all.iter().copied().filter(is_read).collect();
        let mut cases: Vec<Vec<u32>> = Vec::with_capacity(self.elements);
        let mut judged: Vec<Judged> = Vec::with_capacity(self.elements);
        while cases.len() < self.elements {
            let mut case = vec![0; n_inputs];
            let is_first = cases.is_empty();
            let values = self.values_of(probe, cases.len());
            let drawn = (0..if is_first { FIRST_DRAWS } else { DRAWS }).find_map(|draw| {
                for &input in if draw == 0 { &all } else { &read } {
                    case[input] = self.word(values, input, &mut dice);
                }
                self.judge(probe, &case, &mut dice)
            });
            if drawn.is_none() {
                case.clone_from(cases.get(cases.len() / 2)?);
            }
            judged.push(drawn.or_else(|| self.judge(probe, &case, &mut dice))?);
            cases.push(case);
        }
        let sum = |of: fn(&Judged) -> f64| judged.iter().map(of).sum::<f64>();
        let rounding = |judged: &Judged| if judged.is_rounding { judged.most } else { 0.0 };
        let most = sum(|judged| if judged.is_rounding { 0.0 } else { judged.most })
            + judged.iter().map(rounding).sum::<f64>() * TYPICAL
            + judged.iter().map(rounding).fold(0.0, f64::max);
        let rows = (0..n_inputs).flat_map(|input| cases.iter().map(move |case| case[input]));
        Some(Trial {
            inputs: rows.collect(),
            outputs: judged.iter().map(|judged| judged.output).collect(),
            allowed: sum(|judged| judged.least) * (1.0 - ROUNDING)..=most * (1.0 + ROUNDING),
        })
    }

    /// Returns the values that a case is drawn from.
    fn values_of(self, probe: &Probe, element: usize) -> Values {
        match probe.values {
            Values::Mixed if element < self.elements / 2 => Values::Common,
            Values::RarelyExtreme
                if element % EXTREME_PERIOD != element / EXTREME_PERIOD * 37 % EXTREME_PERIOD =>
            {
                Values::Common
            }
            values => values,
        }
    }

    fn word(self, values: Values, input: usize, dice: &mut Dice) -> u32 {
        match (self.variant.problem.is_boolean(), values) {
            (true, Values::Biased) => {
                let mostly_clear = (0..5).fold(u32::MAX, |bits, _| bits & dice.word());
                if input.is_multiple_of(2) {
                    !mostly_clear
                } else {
                    mostly_clear
                }
            }
            (true, _) => dice.word(),
            (_, Values::Extreme | Values::RarelyExtreme) => {
                let of_exponent = |exponent: usize, dice: &mut Dice| {
                    dice.word() & 0x807f_ffff | (exponent as u32) << 23
                };
                match (values, dice.below(16)) {
                    (_, 0) => 0.0f32.to_bits(),
                    (Values::Extreme, 1) | (Values::RarelyExtreme, 1..4)
                        if self.variant.math == Math::Accurate =>
                    {
                        of_exponent(0, dice)
                    }
                    (Values::Extreme, 2..6) => dice.uniform(-100.0, 100.0).to_bits(),
                    (Values::RarelyExtreme, 4..8) => of_exponent(dice.pick(&[253, 254]), dice),
                    (Values::RarelyExtreme, 8..16) => of_exponent(145 + dice.below(100), dice),
                    _ => of_exponent(1 + dice.below(254), dice),
                }
            }
            (_, Values::Mixed) if dice.chance(0.5) => (dice.below(9) as f32 / 2.0 - 2.0).to_bits(),
            _ => dice
                .uniform(0.5, 2.0)
                .copysign(dice.uniform(-1.0, 1.0))
                .to_bits(),
        }
    }

    /// Chooses an output for a case; `None` if rounding decides the error.
    fn judge(self, probe: &Probe, case: &[u32], dice: &mut Dice) -> Option<Judged> {
        if self.variant.problem.is_boolean() {
            let wrong = if self.is_scored { dice.word() } else { 0 };
            let error = f64::from(wrong.count_ones());
            return Some(Judged {
                output: value_u32(&probe.program, case) ^ wrong,
                least: error,
                most: error,
                is_rounding: false,
            });
        }
        let floats: Vec<f32> = case.iter().map(|&word| f32::from_bits(word)).collect();
        let bounded = Bounded::of(&probe.program, &floats, self.variant.math);
        let size = f64::from(bounded.value).abs();
        let is_in = |window: i32| (2f64.powi(window)..2f64.powi(window + WINDOW)).contains(&size);
        let is_accepted = bounded.error.is_finite()
            && bounded.error <= LARGEST_ERROR * size.max(1.0)
            && (bounded.error == 0.0 || probe.window.is_none_or(is_in));
        match self.variant.problem.definition().score {
            _ if !is_accepted => None,
            Score::MeanSquaredError => (size <= LARGEST).then(|| self.squared(bounded, dice)),
            _ => self.classed(bounded, dice),
        }
    }

    fn squared(self, Bounded { value, error }: Bounded, dice: &mut Dice) -> Judged {
        let output = match self.is_scored {
            true => value - dice.uniform(-3.0, 3.0),
            false => value,
        };
        let difference = f64::from((value - output).abs());
        Judged {
            output: output.to_bits(),
            least: (difference - error).max(0.0).powi(2),
            most: (difference + error).powi(2),
            is_rounding: !self.is_scored,
        }
    }

    fn classed(self, Bounded { value, error }: Bounded, dice: &mut Dice) -> Option<Judged> {
        let inside = (0.5 - 2.0 * error - 4.0 * ulp(value.abs().max(0.5))).max(0.0);
        let beside = match self.is_scored && dice.chance(0.5) {
            true => 1.0 - inside,
            false => inside,
        };
        let value = f64::from(value);
        let output = (value + if dice.chance(0.5) { beside } else { -beside }) as f32;
        let wrong = |value: f64| f64::from(u8::from((value as f32 - output).abs() >= 0.5));
        let is_decided = [-error, error].map(|error| wrong(value + error)) == [wrong(value); 2];
        is_decided.then(|| Judged {
            output: output.to_bits(),
            least: wrong(value),
            most: wrong(value),
            is_rounding: false,
        })
    }
}
