//! Zero of a falling function.
//!
//! Models: inverse quadratic interpolation where the function is smooth, bisection elsewhere; every step stays in the bracket.
//! Sources: Chandrupatla, A new hybrid quadratic/bisection algorithm, Advances in Engineering Software 28 (1997).

const MAX_STEPS: u32 = 100;

/// An interval and the function at its ends: positive at the low one, negative at the high one.
#[derive(Debug, Clone, Copy)]
pub struct Bracket {
    pub low: f64,
    pub at_low: f64,
    pub high: f64,
    pub at_high: f64,
}

impl Bracket {
    /// Moves one end to `point`.
    fn cut(&mut self, point: f64, value: f64) {
        if value > 0.0 {
            (self.low, self.at_low) = (point, value);
        } else {
            (self.high, self.at_high) = (point, value);
        }
    }

    /// Narrows the bracket to the neighbourhood of a guess, if the zero is there.
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

/// Relative error allowed for a guess.
const NEAR: f64 = 0.03;

/// Replaces NaN by a value far below zero.
fn number(argument: f64, value: f64) -> f64 {
    if value.is_nan() { -argument } else { value }
}

/// Finds the zero of `function`, to an error below `tolerance` of the argument; at a jump, the end of the bracket at which the
/// function is positive.
pub fn falling_root(bracket: Bracket, tolerance: f64, function: impl Fn(f64) -> f64) -> f64 {
    // The newest point, the one beyond the zero, and the one before the newest.
    let (mut b, mut at_b) = (bracket.low, bracket.at_low);
    let (mut a, mut at_a) = (bracket.high, bracket.at_high);
    let mut part = if at_b.is_finite() {
        (at_a / (at_a - at_b)).clamp(LEAST_PART, 1.0 - LEAST_PART)
    } else {
        0.5
    };
    for _ in 0..MAX_STEPS {
        let point = a + part * (b - a);
        let value = number(point, function(point));
        if value.abs() <= tolerance * point {
            return point;
        }
        let (c, at_c);
        if (value > 0.0) == (at_a > 0.0) {
            (c, at_c) = (a, at_a);
        } else {
            (c, at_c) = (b, at_b);
            (b, at_b) = (a, at_a);
        }
        (a, at_a) = (point, value);
        if (b - a).abs() <= tolerance * a.max(b) {
            break;
        }
        part = next_part((a, at_a), (b, at_b), (c, at_c));
    }
    if at_a > 0.0 { a } else { b }
}

/// Minimum step, as a fraction of the bracket.
const LEAST_PART: f64 = 1e-3;

/// Next position to try, as a fraction of the way from the first point to the second.
fn next_part((a, at_a): (f64, f64), (b, at_b): (f64, f64), (c, at_c): (f64, f64)) -> f64 {
    let place = (a - b) / (c - b);
    let height = (at_a - at_b) / (at_c - at_b);
    let smooth = height * height < place && (1.0 - height) * (1.0 - height) < 1.0 - place;
    if !smooth {
        return 0.5;
    }
    let part = at_a / (at_b - at_a) * at_c / (at_b - at_c)
        + (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b);
    if part.is_finite() {
        part.clamp(LEAST_PART, 1.0 - LEAST_PART)
    } else {
        0.5
    }
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

    /// The function is flat at both ends and steep between them.
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

    /// Number of evaluations until the zero is known to a part in a billion.
    fn steps(low: f64, high: f64, function: impl Fn(f64) -> f64) -> u32 {
        let asked = std::cell::Cell::new(0);
        let counted = |x: f64| {
            asked.set(asked.get() + 1);
            function(x)
        };
        let bracket = Bracket {
            low,
            at_low: function(low),
            high,
            at_high: function(high),
        };
        falling_root(bracket, 1e-9, counted);
        asked.get()
    }

    #[test]
    fn smooth_functions_take_few_steps() {
        assert_eq!(steps(0.0, 4.0, |x| 3.0 - x), 1, "the secant of a line");
        let curves: [fn(f64) -> f64; 3] = [
            |x| 2.0 - x * x,
            |x| (-x).exp() - 0.5,
            |x| 1.0 / (1.0 + x) - 0.3,
        ];
        let steps = curves.map(|curve| steps(0.0, 4.0, curve));
        assert!(steps.iter().all(|&steps| steps <= 9), "{steps:?}");
    }

    /// The three points satisfy `x = 1 + y + y^2 / 8`; the next point is where `y` is zero.
    #[test]
    fn the_next_point_is_that_of_the_parabola_through_three() {
        let at = |y: f64| (1.0 + y + y * y / 8.0, y);
        let (a, b, c) = (at(0.5), at(-1.0), at(1.0));
        let next = a.0 + next_part(a, b, c) * (b.0 - a.0);
        assert!((next - 1.0).abs() < 1e-12, "{next}");
        assert_eq!(
            next_part((0.3, 0.9), (0.0, -1.0), (1.0, 1.0)),
            0.5,
            "not smooth"
        );
    }

    #[test]
    fn a_guess_narrows_the_bracket_to_its_neighbourhood() {
        let falling = |x: f64| 2.0 - x;
        let whole = Bracket {
            low: 0.0,
            at_low: 2.0,
            high: 10.0,
            at_high: -8.0,
        };
        let ends = |guess: f64| {
            let near = whole.near(guess, falling);
            (near.low, near.high)
        };
        assert_eq!(ends(1.99), (1.99, 1.99 * 1.03));
        assert_eq!(ends(2.01), (2.01 * 0.97, 2.01));
        assert_eq!(ends(1.0), (1.03, 10.0), "the zero is farther");
        assert_eq!(ends(20.0), (0.0, 10.0), "outside");
    }
}
