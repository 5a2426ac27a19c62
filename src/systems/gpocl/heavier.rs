//! Tables 4 and 5 as a heavier compiler would have them.
//!
//! Models: the cells that a strategy's peak and median stand on, with the heavier machine code. Leaves out: that another cell might
//! be the peak or the median then. Units: billions of GP operations per second. Sources: `papers::heavier`.

use super::figures::{evaluation, in_tables, tables};
use super::predict::{Speed, predict};
use super::{Configuration, Domain, Strategy};
use crate::launch::prediction::PredictError;
use crate::systems::figure::Figure;
use crate::systems::heavier;
use crate::systems::machine::Bench;

/// Of a strategy in a domain, from its cells on the same device with the other code; nothing on devices that have one code.
pub fn figures(
    name: &str,
    on: Bench,
    (strategy, domain): (Strategy, Domain),
    speeds: &[Speed],
    seed: u64,
) -> Result<Vec<Figure>, PredictError> {
    let Some(device) = heavier::device(on.device) else {
        return Ok(Vec::new());
    };
    let mut ordered: Vec<&Speed> = speeds.iter().collect();
    ordered.sort_by(|a, b| evaluation(a).total_cmp(&evaluation(b)));
    let middle = ordered.len() / 2;
    let places = [ordered.len() - 1, middle - 1, middle];
    let cells: Vec<Configuration> = places.map(|at| ordered[at].configuration).into();
    let on = on.with(&device);
    let found: Vec<f64> = predict(on, &cells, seed)?.iter().map(evaluation).collect();
    let (table, _) = tables(domain);
    let figure = in_tables(name, strategy);
    Ok(vec![
        figure(
            table,
            "peak speed (billion GPop/s), heavier compiler",
            found[0],
        ),
        figure(
            table,
            "median speed (billion GPop/s), heavier compiler",
            f64::midpoint(found[1], found[2]),
        ),
    ])
}
