//! Elementary functions in single precision that vectorise.
//!
//! Models: exp, log, sin and cos by argument reduction and a polynomial, without branches; the same bits on every machine.
//! sin and cos of arguments above `REDUCIBLE` take a second path in double precision, up to `REDUCIBLE_F64`.
//! Leaves out: still larger arguments, for which the caller takes the standard library's function.
//! Units: radians. Accuracy: within 2 units in the last place, for sin and cos near their zeros 1e-7 absolute.
//! Sources: Moshier's Cephes library (single precision), whose coefficients these are.

/// sin and cos are accurate up to this magnitude.
pub const REDUCIBLE: f32 = 8192.0;

/// The double-precision path is accurate up to this magnitude.
pub const REDUCIBLE_F64: f32 = 1e9;

/// Adding and subtracting this rounds to the nearest whole number; before subtracting, the low bits hold that number.
const ROUNDER: f32 = 12_582_912.0;

#[inline(always)]
#[allow(clippy::excessive_precision)]
pub fn exp(x: f32) -> f32 {
    let bounded = x.clamp(-104.0, 89.0);
    let shifted = bounded * std::f32::consts::LOG2_E + ROUNDER;
    let n = shifted - ROUNDER;
    let r = (bounded - n * 0.693_359_375) + n * 2.121_944_40e-4;
    let mut p = 1.987_569_15e-4;
    p = p * r + 1.398_199_950_7e-3;
    p = p * r + 8.333_451_907_3e-3;
    p = p * r + 4.166_579_589_4e-2;
    p = p * r + 1.666_666_545_9e-1;
    p = p * r + 5.000_000_120_1e-1;
    let mantissa = p * (r * r) + r + 1.0;
    // 2^n in two factors, so that subnormal and overflowing results round as they should.
    let n = shifted.to_bits().wrapping_sub(ROUNDER.to_bits()) as i32;
    let half = n >> 1;
    let power = |k: i32| f32::from_bits(((k + 127) as u32) << 23);
    let value = mantissa * power(half) * power(n - half);
    if x.is_nan() { x } else { value }
}

/// Protected: 0 for 0, the logarithm of the magnitude otherwise.
#[inline(always)]
#[allow(clippy::excessive_precision)]
pub fn log(x: f32) -> f32 {
    let magnitude = x.abs();
    let subnormal = magnitude < f32::MIN_POSITIVE;
    let scaled = if subnormal {
        magnitude * 8_388_608.0
    } else {
        magnitude
    };
    let bits = scaled.to_bits();
    // Mantissa in [sqrt(1/2), sqrt(2)), exponent to match.
    let offset = bits.wrapping_sub(0x3f35_04f3);
    let e = ((offset as i32) >> 23) as f32 - if subnormal { 23.0 } else { 0.0 };
    let m = f32::from_bits((offset & 0x007f_ffff) + 0x3f35_04f3) - 1.0;
    let z = m * m;
    let mut p = 7.037_683_629_2e-2;
    p = p * m - 1.151_461_031_0e-1;
    p = p * m + 1.167_699_874_0e-1;
    p = p * m - 1.242_014_084_6e-1;
    p = p * m + 1.424_932_278_7e-1;
    p = p * m - 1.666_805_766_5e-1;
    p = p * m + 2.000_071_476_5e-1;
    p = p * m - 2.499_999_399_3e-1;
    p = p * m + 3.333_333_117_4e-1;
    let value = (m + (m * z * p - 2.121_944_40e-4 * e - 0.5 * z)) + 0.693_359_375 * e;
    let value = if magnitude < f32::INFINITY {
        value
    } else {
        magnitude
    };
    if magnitude == 0.0 { 0.0 } else { value }
}

/// sin(x + quadrant * pi / 2).
#[inline(always)]
#[allow(clippy::excessive_precision)]
pub fn sin_quadrant(x: f32, quadrant: u32) -> f32 {
    let shifted = x * std::f32::consts::FRAC_2_PI + ROUNDER;
    let n = shifted - ROUNDER;
    let r = ((x - n * 1.570_312_5) - n * 4.837_512_969_970_703e-4) - n * 7.549_789_954_891_882e-8;
    let z = r * r;
    let sine =
        r + r * z * ((-1.951_529_589_1e-4 * z + 8.332_160_873_6e-3) * z - 1.666_665_461_1e-1);
    let cosine = (1.0 - 0.5 * z)
        + z * z
            * ((2.443_315_711_809_948e-5 * z - 1.388_731_625_493_765e-3) * z
                + 4.166_664_568_298_827e-2);
    let turn = shifted.to_bits().wrapping_add(quadrant);
    let value = if turn & 1 == 0 { sine } else { cosine };
    f32::from_bits(value.to_bits() ^ ((turn & 2) << 30))
}

/// The leading bits of a number, so few that products with 30-bit whole numbers are exact.
const fn leading_bits(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !0x7fff_ffff)
}

const HALF_PI_1: f64 = leading_bits(std::f64::consts::FRAC_PI_2);
const HALF_PI_2: f64 = leading_bits(std::f64::consts::FRAC_PI_2 - HALF_PI_1);
/// What is left of pi / 2, with the bits that a double-precision constant cannot hold.
const HALF_PI_3: f64 =
    (std::f64::consts::FRAC_PI_2 - HALF_PI_1 - HALF_PI_2) + 6.123_233_995_736_766e-17;
/// As `ROUNDER`, in double precision.
const ROUNDER_F64: f64 = 6_755_399_441_055_744.0;

/// sin(x + quadrant * pi / 2) for large x.
#[inline(always)]
#[allow(clippy::excessive_precision)]
pub fn sin_quadrant_large(x: f32, quadrant: u64) -> f32 {
    let x = f64::from(x);
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUNDER_F64;
    let n = shifted - ROUNDER_F64;
    let r = ((x - n * HALF_PI_1) - n * HALF_PI_2) - n * HALF_PI_3;
    let z = r * r;
    let s = ((1.589_690_995_211_55e-10 * z - 2.505_076_025_340_69e-8) * z
        + 2.755_731_370_707_01e-6)
        * z;
    let sine = r + r
        * z
        * (((s - 1.984_126_982_985_79e-4) * z + 8.333_333_333_322_49e-3) * z
            - 1.666_666_666_666_66e-1);
    let c = ((-1.135_964_755_778_82e-11 * z + 2.087_572_321_298_18e-9) * z
        - 2.755_731_435_139_07e-7)
        * z;
    let c =
        ((c + 2.480_158_728_947_67e-5) * z - 1.388_888_888_887_41e-3) * z + 4.166_666_666_666_66e-2;
    let cosine = (1.0 - 0.5 * z) + z * z * c;
    let turn = shifted.to_bits().wrapping_add(quadrant);
    let value = if turn & 1 == 0 { sine } else { cosine };
    f64::from_bits(value.to_bits() ^ ((turn & 2) << 62)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sin(x: f32) -> f32 {
        sin_quadrant(x, 0)
    }

    fn cos(x: f32) -> f32 {
        sin_quadrant(x, 1)
    }

    fn worst_ulp(
        range: std::ops::Range<f32>,
        f: impl Fn(f32) -> f32,
        exact: impl Fn(f64) -> f64,
    ) -> f64 {
        let n = 200_000;
        (0..=n)
            .map(|i| {
                let x = range.start + (range.end - range.start) * (i as f32 / n as f32);
                let want = exact(f64::from(x));
                let ulp = f64::from((want as f32).abs().next_up()) - f64::from((want as f32).abs());
                (f64::from(f(x)) - want).abs() / ulp
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn exp_and_log_stay_within_two_units_in_the_last_place() {
        let worst = worst_ulp(-87.0..88.7, exp, f64::exp);
        assert!(worst < 2.0, "exp {worst}");
        for range in [1e-30..1e-3, 1e-3..0.9, 0.9..1.1, 1.1..1e6, 1e6..1e30] {
            let worst = worst_ulp(range.clone(), log, f64::ln);
            assert!(worst < 2.0, "log {worst} in {range:?}");
        }
    }

    #[test]
    fn sin_and_cos_stay_close() {
        for i in -400_000..400_000 {
            let x = i as f32 * 0.02;
            let (s, c) = (f64::from(x).sin(), f64::from(x).cos());
            assert!(
                (f64::from(sin(x)) - s).abs() < 1.2e-7,
                "sin {x}: {} {s}",
                sin(x)
            );
            assert!(
                (f64::from(cos(x)) - c).abs() < 1.2e-7,
                "cos {x}: {} {c}",
                cos(x)
            );
        }
    }

    #[test]
    fn large_arguments_are_reduced_exactly() {
        let mut x = 8000.0f32;
        while x < REDUCIBLE_F64 {
            for x in [x, -x] {
                let (s, c) = (f64::from(x).sin() as f32, f64::from(x).cos() as f32);
                let (own_s, own_c) = (sin_quadrant_large(x, 0), sin_quadrant_large(x, 1));
                assert!(
                    (own_s - s).abs() <= f32::EPSILON * s.abs(),
                    "sin {x}: {own_s} {s}"
                );
                assert!(
                    (own_c - c).abs() <= f32::EPSILON * c.abs(),
                    "cos {x}: {own_c} {c}"
                );
            }
            x *= 1.000_1;
        }
    }

    #[test]
    fn special_values() {
        assert_eq!(exp(f32::INFINITY), f32::INFINITY);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert!(exp(f32::NAN).is_nan() && log(f32::NAN).is_nan() && sin(f32::NAN).is_nan());
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(log(0.0), 0.0);
        assert_eq!(log(1.0), 0.0);
        assert_eq!(log(f32::NEG_INFINITY), f32::INFINITY);
        assert!((log(1e-42) - (f64::from(1e-42f32)).ln() as f32).abs() < 1e-4);
    }
}
