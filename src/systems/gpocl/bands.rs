//! Figures of section 4 for the Radeon HD 5750, predicted as bands.
//!
//! Leaves out: the reason for bands (`juniper`). Units: in the quantities' names. Sources: Augusto and Barbosa 2013, figures 10
//! to 12 and 20 to 22, tables 4 to 6.

use super::figures::{middle, most, of_tables, on_surface, surface, watts};
use super::juniper::{DEVICE, JuniperError, Predictor};
use super::{Domain, GpoclConfiguration, NODES, Strategy, host};
use crate::systems::figure::Figure;
use crate::util::band::Band;
use crate::util::parallel;
use crate::vliw::preset::VliwPreset;

/// The paper's figures, by domain and strategy.
const SURFACES: [[&str; 3]; 2] = [
    ["figure 10", "figure 11", "figure 12"],
    ["figure 20", "figure 21", "figure 22"],
];

/// Predicts the figures of all strategies in both domains.
pub fn figures(seed: u64) -> Result<Vec<Figure>, JuniperError> {
    let preset = VliwPreset::load(DEVICE)?;
    let predictor = Predictor::new(preset, seed);
    let mut figures = Vec::new();
    for domain in Domain::ALL {
        for strategy in Strategy::ALL {
            let cells = surface(strategy, domain);
            let bands = parallel::try_map(&cells, |&one| of_cell(&predictor, one))?;
            let named = cells.iter().zip(&bands);
            figures
                .extend(named.map(|(&cell, band)| on_surface(DEVICE, SURFACES, cell, band.value)));
            let name = format!("{DEVICE} {strategy}");
            let tables = [most, middle].map(|of| over(&bands, of));
            figures.extend(of_tables(&name, domain, watts(DEVICE), tables));
        }
    }
    Ok(figures)
}

/// Returns a statistic of a surface, with its range over the ends of the bands.
fn over(bands: &[Band], of: fn(&[f64]) -> f64) -> Band {
    let ends: [fn(&Band) -> f64; 3] = [|one| one.value, |one| one.low, |one| one.high];
    Band::over(ends.map(|end| of(&bands.iter().map(end).collect::<Vec<f64>>())))
}

/// Predicts a cell, including the host's time.
fn of_cell(predictor: &Predictor, one: GpoclConfiguration) -> Result<Band, JuniperError> {
    let band = predictor.band(one)?;
    let host = host::milliseconds(one, predictor.range(one)?);
    let nodes = f64::from(one.population) * f64::from(NODES) * f64::from(one.dataset);
    let with_host = |speed: f64| nodes / 1e6 / (nodes / speed / 1e6 + host);
    Ok(band.map(with_host))
}
