//! Pairs of launches that differ in one thing, as text and rows.
//!
//! Leaves out: computing the figures (`validate/contrasts.rs`). Units: percent, ratios.

use super::columns::Columns;
use crate::validate::contrasts::{CLEAR_PERCENT, Contrast};

/// One row per kind of pair and problem; `all` is all problems together.
pub fn columns() -> Columns<Contrast> {
    let bound = |place: usize| move |one: &Contrast| one.slope_interval.map(|ends| ends[place]);
    Columns::<Contrast>::new(2)
        .column("launches differ in", "differ_in", |one| {
            one.differ_in.clone()
        })
        .column("problem", "problem", |one| {
            one.problem.clone().unwrap_or_else(|| "all".to_owned())
        })
        .column("pairs", "pairs", |one| one.n_pairs)
        .column("error (%)", "mean_error_percent", |one| {
            one.mean_error_percent
        })
        .digits(1)
        .filed("clear_pairs", |one: &Contrast| one.n_clear)
        .column("sign (%)", "sign_right_percent", |one| {
            one.sign_right_percent
        })
        .digits(0)
        .or("-")
        .column("slope", "slope", |one| one.slope)
        .digits(2)
        .or("-")
        .column("low", "slope_low", bound(0))
        .digits(2)
        .or("-")
        .column("high", "slope_high", bound(1))
        .digits(2)
        .or("-")
        .rounded()
}

/// The meaning of the columns.
pub fn legend() -> String {
    format!(
        "error: mean deviation of the predicted from the measured ratio of two speeds; sign: share of the pairs whose measured speeds differ \
         by more than {CLEAR_PERCENT} % that are predicted to differ the same way; slope: predicted over measured logarithm of the ratio, 1 where \
         effects have the measured size, with its 90 % interval over populations\n"
    )
}
