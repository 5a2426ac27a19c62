//! Where a falling function crosses zero.
//!
//! What it does: false position, where the end that stays is pulled in; every step stays in the bracket, and a bracket
//! that does not get narrower is halved.
//! Units: none. Sources: Anderson and Björck, A new high order method of regula falsi type, BIT 13 (1973).

const MAX_STEPS: u32 = 100;
/// Steps in which the bracket must become half as wide.
const PATIENCE: u32 = 4;

/// An interval and the function at its ends: positive at the low one, negative at the high one.
#[derive(Debug, Clone, Copy)]
pub struct Bracket {
    pub low: f64,
    pub at_low: f64,
    pub high: f64,
    pub at_high: f64,
}

impl Bracket {
    /// Puts one end at `point`.
    fn cut(&mut self, point: f64, value: f64) {
        if value > 0.0 {
            (self.low, self.at_low) = (point, value);
        } else {
            (self.high, self.at_high) = (point, value);
        }
    }

    /// Narrowed to the neighbourhood of a guess, if the zero is there.
    pub fn near(mut self, guess: f64, function: impl Fn(f64) -> f64) -> Bracket {
        let inside = |bracket: &Bracket, point: f64| point > bracket.low && point < bracket.high;
        if !inside(&self, guess) {
            return self;
        }
        let value = number(guess, function(guess));
        self.cut(guess, value);
        let step = if value > 0.0 { NEAR } else { -NEAR };
        let beside = guess * (1.0 + step);
        if inside(&self, beside) {
            self.cut(beside, number(beside, function(beside)));
        }
        self
    }
}

/// Part of a guess by which it may be wrong.
const NEAR: f64 = 0.03;

/// Values that are no numbers count as far below zero.
fn number(argument: f64, value: f64) -> f64 {
    if value.is_nan() { -argument } else { value }
}

/// The zero of `function`, where it is less than `tolerance` of the argument; where it jumps, the end of the bracket
/// at which it is positive.
pub fn falling_root(mut bracket: Bracket, tolerance: f64, function: impl Fn(f64) -> f64) -> f64 {
    let mut lately_low = None;
    let mut width = bracket.high - bracket.low;
    for step in 1..=MAX_STEPS {
        let Bracket {
            low,
            at_low,
            high,
            at_high,
        } = bracket;
        let middle = (low * at_high - high * at_low) / (at_high - at_low);
        let halve = step % PATIENCE == 0 && high - low > 0.5 * width;
        if step % PATIENCE == 0 {
            width = high - low;
        }
        let middle = if middle > low && middle < high && !halve {
            middle
        } else {
            0.5 * (low + high)
        };
        let value = number(middle, function(middle));
        if value.abs() <= tolerance * middle {
            return middle;
        }
        let is_low = value > 0.0;
        // The end that stays twice in a row pulls less.
        if lately_low == Some(is_low) {
            let left = 1.0 - value / if is_low { at_low } else { at_high };
            let left = if left > 0.0 { left } else { 0.5 };
            if is_low {
                bracket.at_high *= left;
            } else {
                bracket.at_low *= left;
            }
        }
        lately_low = Some(is_low);
        bracket.cut(middle, value);
        if bracket.high - bracket.low <= tolerance * bracket.high {
            return bracket.low;
        }
    }
    bracket.low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(low: f64, high: f64, function: impl Fn(f64) -> f64) -> f64 {
        let bracket = Bracket {
            low,
            at_low: function(low),
            high,
            at_high: function(high),
        };
        falling_root(bracket, 1e-12, function)
    }

    #[test]
    fn zeros_are_found() {
        assert!((root(0.0, 3.0, |x| 2.0 - x * x) - 2.0f64.sqrt()).abs() < 1e-9);
        assert!((root(0.0, 40.0, |x| (-x).exp() - 0.5) - 2.0f64.ln()).abs() < 1e-9);
    }

    /// Where one end is a million times as far from zero as the other.
    #[test]
    fn steep_functions_are_no_harder() {
        let steep = |x: f64| 500.0 - 1e5 * (x.exp2() / (1e4 + x.exp2()));
        let found = root(0.0, 40.0, steep);
        assert!(steep(found).abs() < 1e-6, "{found}");
    }

    #[test]
    fn a_jump_counts_as_a_zero() {
        let jump = |x: f64| if x < 0.7 { 1.0 } else { -5.0 };
        assert!((root(0.0, 1.0, jump) - 0.7).abs() < 1e-9);
        let no_number = |x: f64| if x < 0.7 { 1.0 } else { f64::NAN };
        let bracket = Bracket {
            low: 0.0,
            at_low: 1.0,
            high: 1.0,
            at_high: -1.0,
        };
        assert!((falling_root(bracket, 1e-12, no_number) - 0.7).abs() < 1e-9);
    }
}
