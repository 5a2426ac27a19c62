//! Elementary functions whose results are the same on every platform, to the last digit.
//!
//! Models: nothing; the `libm` crate computes them. The standard library's are those of the C library, and their last digits differ between
//! machines. Leaves out: functions whose results IEEE 754 fixes, such as the square root. Units: natural numbers of the arguments.

pub use libm::{cos, exp, exp2, expm1 as exp_m1, hypot, log as ln, log2, pow as powf, sin};
