use super::*;
use crate::gp::interpret::simd::{Path, on_path};

use Function::{Cos, Exp, Log, Sin};

/// Applies a function to 16 floats.
fn on(path: Path, function: Function, x: Vector<f32>) -> [f32; LANES] {
    on_path!(path, simd => apply(simd, function, x.0.simd_into(simd)).into())
}

fn exact(function: Function, x: f32) -> f64 {
    let x = f64::from(x);
    match function {
        Exp => x.exp(),
        Log if x == 0.0 => 0.0,
        Log => x.abs().ln(),
        Sin => x.sin(),
        Cos => x.cos(),
    }
}

/// Error in units in the last place of the exact value.
fn ulps(value: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    let same = value.to_bits() == rounded.to_bits() || value.is_nan() && rounded.is_nan();
    if same || value == rounded && value.is_infinite() {
        return 0.0;
    }
    let ulp = f64::from(rounded.abs().next_up()) - f64::from(rounded.abs());
    let ulp = if ulp.is_finite() { ulp } else { 2f64.powi(104) };
    let value = if value.is_infinite() {
        2f64.powi(128)
    } else {
        f64::from(value)
    };
    (value - exact).abs() / ulp
}

/// Returns the largest error over every `stride`th float, and its argument; every path must give the same bits there.
fn worst(function: Function, stride: u32) -> (f64, f32) {
    let paths = Path::all();
    let (mut worst, mut at) = (0.0, 0.0);
    let n = u32::MAX / stride;
    for first in (0..n).step_by(LANES) {
        let mut x = Vector::default();
        for (lane, x) in x.0.iter_mut().enumerate() {
            *x = f32::from_bits((first + lane as u32).wrapping_mul(stride));
        }
        let values = on(paths[0], function, x);
        for path in &paths[1..] {
            let others = on(*path, function, x);
            for (lane, (one, other)) in values.iter().zip(others).enumerate() {
                let same = one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan();
                assert!(
                    same,
                    "{function:?}({:e}) on {path:?}: {other:e}, not {one:e}",
                    x.0[lane]
                );
            }
        }
        for (&x, &value) in x.0.iter().zip(&values) {
            let error = ulps(value, exact(function, x));
            assert!(!error.is_nan(), "{function:?}({x:e}): {value:e}");
            if error > worst {
                (worst, at) = (error, x);
            }
        }
    }
    (worst, at)
}

fn within_the_bound(stride: u32) {
    for function in [Exp, Log, Sin, Cos] {
        let (worst, at) = worst(function, stride);
        println!("{function:?}: {worst:.3} units in the last place at {at:e}");
        assert!(worst <= ULP_BOUND, "{function:?}({at:e}): {worst}");
    }
}

#[test]
fn errors_stay_within_the_bound_over_the_range_of_floats() {
    within_the_bound(1009);
}

/// Checks every float; takes a quarter of an hour. `cargo test --release --lib -- --ignored every_float`.
#[test]
#[ignore = "takes a quarter of an hour"]
fn errors_stay_within_the_bound_for_every_float() {
    within_the_bound(1);
}

fn value(function: Function, x: f32) -> f32 {
    on(Path::best(), function, Vector([x; LANES]))[7]
}

#[test]
fn special_values() {
    assert_eq!(value(Exp, f32::INFINITY), f32::INFINITY);
    assert_eq!(value(Exp, f32::NEG_INFINITY), 0.0);
    for function in [Exp, Log, Sin, Cos] {
        assert!(value(function, f32::NAN).is_nan(), "{function:?}");
    }
    assert!(value(Sin, f32::INFINITY).is_nan() && value(Cos, f32::NEG_INFINITY).is_nan());
    assert_eq!((value(Exp, 0.0), value(Cos, 0.0)), (1.0, 1.0));
    assert_eq!(
        (value(Log, 0.0), value(Log, -0.0), value(Log, 1.0)),
        (0.0, 0.0, 0.0)
    );
    assert_eq!(value(Log, f32::NEG_INFINITY), f32::INFINITY);
}

/// The multiples of pi / 2, where argument reduction loses most bits.
#[test]
fn sin_and_cos_are_right_beside_their_zeros() {
    for k in 1..200_000 {
        let x = (f64::from(k) * std::f64::consts::FRAC_PI_2) as f32;
        for x in [x.next_down(), x, -x.next_up()] {
            for function in [Sin, Cos] {
                let error = ulps(value(function, x), exact(function, x));
                assert!(error <= ULP_BOUND, "{function:?}({x}): {error}");
            }
        }
    }
}

#[test]
fn one_by_one_is_nearly_exact_for_every_size_of_argument() {
    let mut x = 1.0f32;
    while x.is_finite() {
        for x in [x, -x] {
            let (s, c) = (reduction::sin(x), reduction::cos(x));
            let errors = [ulps(s, exact(Sin, x)), ulps(c, exact(Cos, x))];
            assert!(errors.iter().all(|&e| e <= 0.51), "{x:e}: {errors:?}");
        }
        x *= 1.000_3;
    }
}
