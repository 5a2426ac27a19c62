//! sin and cos of any single float.
//!
//! Models: the argument modulo a quarter turn, as a product with the necessary bits of 2/pi in whole numbers (Payne and Hanek),
//! then polynomials in double precision.
//! Leaves out: speed; `math.rs` uses it for large arguments only.
//! Units: radians. Accuracy: within 0.51 units in the last place.
//! Sources: Payne and Hanek 1983; the table of bits is computed from 2/pi (OEIS A060294); Moshier's Cephes library for the
//! polynomials.

/// First 224 bits of 2/pi, 32 per element.
const TWO_OVER_PI: [u32; 7] = [
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
];

pub fn sin(x: f32) -> f32 {
    quadrant_sine(x, 0)
}

pub fn cos(x: f32) -> f32 {
    quadrant_sine(x, 1)
}

/// sin(x + quadrant * pi / 2).
fn quadrant_sine(x: f32, quadrant: u64) -> f32 {
    if !x.is_finite() {
        return f32::NAN;
    }
    let (turn, r) = reduce(x.abs());
    let z = r * r;
    let s = polynomial(
        z,
        [
            1.589_623_015_765_465_6e-10,
            -2.505_074_776_285_780_7e-8,
            2.755_731_362_138_572_2e-6,
            -1.984_126_982_958_954e-4,
            8.333_333_333_322_119e-3,
            -1.666_666_666_666_663e-1,
        ],
    );
    let c = polynomial(
        z,
        [
            -1.135_853_652_138_768_2e-11,
            2.087_570_084_197_473e-9,
            -2.755_731_417_929_674e-7,
            2.480_158_728_885_176_8e-5,
            -1.388_888_888_887_305_6e-3,
            4.166_666_666_666_659e-2,
        ],
    );
    let sine = r + r * z * s;
    let cosine = 1.0 - 0.5 * z + z * z * c;
    // sin is odd; cos is even.
    let odd = quadrant == 0 && x < 0.0;
    let turn = turn + quadrant;
    let value = if turn & 1 == 0 { sine } else { cosine };
    let minus = (turn & 2 == 2) != odd;
    (if minus { -value } else { value }) as f32
}

fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    coefficients
        .iter()
        .fold(0.0, |value, coefficient| value * x + coefficient)
}

/// Returns the number of quarter turns, modulo 4, and the remainder, at most an eighth of a turn, for a finite `x` of at least 1.
fn reduce(x: f32) -> (u64, f64) {
    let mantissa = u128::from(x.to_bits() & 0x007f_ffff | 0x0080_0000);
    let exponent = (x.to_bits() >> 23) as i32 - 150;
    // Skips the bits of 2/pi whose product with the mantissa is a multiple of 4 quarter turns.
    let skipped = (exponent - 2).max(0) as u32;
    let (word, shift) = ((skipped / 32) as usize, skipped % 32);
    let at = |i: usize| u128::from(TWO_OVER_PI.get(i).copied().unwrap_or(0));
    let four = at(word) << 96 | at(word + 1) << 64 | at(word + 2) << 32 | at(word + 3);
    // 96 bits of 2/pi from there on.
    let bits = (four << shift) >> 32;
    // Turns with 96 - (exponent - skipped) fractional bits; bits above the lowest turn count are dropped.
    let fraction_bits = 96 - (exponent - skipped as i32);
    let product = mantissa * bits;
    // 2 bits of quarter turns, 62 bits of fraction.
    let turns = ((product << (126 - fraction_bits)) >> 64) as u64;
    let turn = turns.wrapping_add(1 << 61) >> 62;
    let rest = turns.wrapping_sub(turn << 62) as i64;
    (
        turn,
        rest as f64 * (std::f64::consts::FRAC_PI_2 / (1u64 << 62) as f64),
    )
}
