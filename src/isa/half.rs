//! Numbers of half precision, IEEE 754's binary16.
//!
//! Models: values of bit patterns, and rounding to them in every mode. Leaves out: arithmetic.

use super::op::Round;

/// Value of a number of half precision.
pub fn half_to(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match (exponent, fraction) {
        (31, 0.0) => f64::INFINITY,
        (31, _) => f64::NAN,
        (0, fraction) => fraction * 2f64.powi(-24),
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 != 0 {
        -magnitude
    } else {
        magnitude
    }
}

/// The number of half precision that a float is rounded to.
pub fn half_from(value: f64, round: Round) -> u16 {
    const INFINITE: u16 = 0x7c00;
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() {
        return 0x7fff;
    }
    // Steps of the smallest numbers, or of those between two powers of two.
    let exponent = ((value.abs().to_bits() >> 52) as i32 - 1023).clamp(-14, 16);
    let steps = round.to_integer(value * 2f64.powi(10 - exponent)).abs();
    // More steps than there are, but few enough to add.
    let bits = steps.min(65_536.0) as u32 + ((exponent + 14) as u32) * 0x400;
    let is_beyond = bits >= u32::from(INFINITE) && value.is_finite();
    let is_cut = match round {
        Round::Nearest => false,
        Round::Zero => true,
        Round::Down => value > 0.0,
        Round::Up => value < 0.0,
    };
    sign | match is_beyond && is_cut {
        true => INFINITE - 1,
        false => bits.min(INFINITE.into()) as u16,
    }
}
