//! Where a falling function crosses zero.
//!
//! What it does: false position with the Illinois rule; every step stays in the bracket.
//! Units: none. Sources: Dowell and Jarratt, A modified regula falsi method, BIT 11 (1971).

const MAX_STEPS: u32 = 60;

/// An interval and the function at its ends: positive at the low one, negative at the high one.
#[derive(Debug, Clone, Copy)]
pub struct Bracket {
    pub low: f64,
    pub at_low: f64,
    pub high: f64,
    pub at_high: f64,
}

/// The zero of `function`, where it is less than `tolerance` of the argument; where it jumps, the end of the bracket
/// at which it is positive. Values that
/// are no numbers count as far below zero.
pub fn falling_root(bracket: Bracket, tolerance: f64, function: impl Fn(f64) -> f64) -> f64 {
    let Bracket {
        mut low,
        mut at_low,
        mut high,
        mut at_high,
    } = bracket;
    let mut lately_low = None;
    for _ in 0..MAX_STEPS {
        let middle = (low * at_high - high * at_low) / (at_high - at_low);
        let middle = if middle > low && middle < high {
            middle
        } else {
            0.5 * (low + high)
        };
        let value = function(middle);
        let value = if value.is_nan() { -middle } else { value };
        if value.abs() <= tolerance * middle {
            return middle;
        }
        let is_low = value > 0.0;
        if is_low {
            (low, at_low) = (middle, value);
        } else {
            (high, at_high) = (middle, value);
        }
        if high - low <= tolerance * high {
            return low;
        }
        // The end that stays twice in a row pulls half as much.
        if lately_low == Some(is_low) {
            if is_low {
                at_high *= 0.5;
            } else {
                at_low *= 0.5;
            }
        }
        lately_low = Some(is_low);
    }
    low
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
