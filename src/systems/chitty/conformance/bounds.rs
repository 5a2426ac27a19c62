//! A program's value by the reference interpreter, and a bound on the deviation of a conforming kernel's value.
//!
//! Models: every function as exact except division, sine, cosine, logarithm and exponential, whose errors are bounded; the
//! propagation of operand errors. A value that rounding decides (a comparison of nearly equal values, an overflow) has no bound.
//! Leaves out: sums over fitness cases. Units: absolute errors.
//! Sources: CUDA C++ Programming Guide, mathematical functions (2 units in the last place for sine, cosine and exponential, 1 for
//! the logarithm, and the errors of fast math); `systems/cuda/rows.cuh`, whose functions differ from CUDA's by at most 3.

use crate::gp::interpret::reference;
use crate::gp::primitive::Primitive;
use crate::gp::program::Rpn;
use crate::systems::chitty::variant::Math;

/// Error bound of accurate math's functions, in units in the last place.
const ACCURATE_ULPS: f64 = 4.0;

/// Largest divisor with a non-zero reciprocal in fast math: 2^126.
const LARGEST_FAST_DIVISOR: f64 = 8.507_059_173_023_462e37;

/// A value and the bound on its error; infinite if there is none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounded {
    pub value: f32,
    pub error: f64,
}

impl Bounded {
    /// Returns the value of a valid program, with its bound.
    pub fn of(program: &Rpn, inputs: &[f32], math: Math) -> Self {
        let exact = |value| Bounded { value, error: 0.0 };
        reference::run(
            program,
            |input| exact(inputs[input]),
            exact,
            |function, operands| apply(function, operands, math),
        )
    }

    fn size(self) -> f64 {
        f64::from(self.value).abs()
    }

    /// Tells whether the value is certainly zero or certainly non-zero, given its error bound.
    fn truth_is_decided(self) -> bool {
        self.error == 0.0 || self.size() > self.error
    }
}

/// Returns the distance to the next larger single-precision number.
pub fn ulp(value: f32) -> f64 {
    f64::from(value.abs().next_up()) - f64::from(value.abs())
}

fn apply(function: Primitive, operands: [Bounded; 4], math: Math) -> Bounded {
    let value = function.apply_f32(operands.map(|operand| operand.value));
    // Fast math treats subnormal numbers as zero.
    let ordinary = |value: f32| value.is_finite() && !(math == Math::Fast && value.is_subnormal());
    if !ordinary(value) {
        return Bounded {
            value,
            error: f64::INFINITY,
        };
    }
    let decided =
        function == Primitive::If || operands.iter().all(|operand| operand.error.is_finite());
    let carried = if decided {
        carried(function, operands, value)
    } else {
        f64::INFINITY
    };
    let rounding = if carried > 0.0 { ulp(value) } else { 0.0 };
    let error = carried + rounding + own_error(function, operands, value, math);
    Bounded { value, error }
}

/// Returns the error propagated from the operands.
fn carried(function: Primitive, [a, b, c, _]: [Bounded; 4], value: f32) -> f64 {
    let size = f64::from(value).abs();
    let decided = |is_decided: bool, error: f64| if is_decided { error } else { f64::INFINITY };
    match function {
        Primitive::Add | Primitive::Sub => a.error + b.error,
        Primitive::Mul => (a.size() + a.error) * b.error + b.size() * a.error,
        Primitive::Div if b.value == 0.0 => decided(b.error == 0.0, 0.0),
        Primitive::Div => decided(
            b.size() > 2.0 * b.error,
            (a.error + size * b.error) / (b.size() - b.error),
        ),
        Primitive::Sin | Primitive::Cos => a.error,
        Primitive::Exp => size * a.error.exp_m1(),
        Primitive::Log if a.value == 0.0 => decided(a.error == 0.0, 0.0),
        Primitive::Log => decided(a.size() > 2.0 * a.error, a.error / (a.size() - a.error)),
        Primitive::Greater | Primitive::Less | Primitive::Equal => {
            let distance = (f64::from(a.value) - f64::from(b.value)).abs();
            let error = a.error + b.error;
            decided(error == 0.0 || distance > error, 0.0)
        }
        Primitive::And | Primitive::Or => {
            decided(a.truth_is_decided() && b.truth_is_decided(), 0.0)
        }
        Primitive::If => {
            let chosen = if a.value != 0.0 { b } else { c };
            decided(a.truth_is_decided(), chosen.error)
        }
        _ => f64::INFINITY,
    }
}

/// Returns the error of the function itself.
fn own_error(function: Primitive, [a, b, ..]: [Bounded; 4], value: f32, math: Math) -> f64 {
    let (operand, ulp) = (a.size(), ulp(value));
    match (function, math) {
        _ if function.is_exact() && function != Primitive::Div => 0.0,
        (_, Math::Accurate) => ACCURATE_ULPS * ulp,
        (Primitive::Sin | Primitive::Cos, Math::Fast) => {
            2f64.powf(-21.4) + operand * 2f64.powi(-22)
        }
        (Primitive::Exp, Math::Fast) => (2.0 + 1.173 * operand) * ulp,
        (Primitive::Log, Math::Fast) => 3.0 * ulp + 2f64.powf(-21.4),
        (_, Math::Fast) if b.size() > LARGEST_FAST_DIVISOR => f64::INFINITY,
        (_, Math::Fast) => 3.0 * ulp,
    }
}
