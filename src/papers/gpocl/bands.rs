//! What section 4 reports of the Radeon HD 5750, predicted as bands.
//!
//! Leaves out: why it is a band (`juniper`). Units: in the quantities' names. Sources: Augusto and Barbosa 2013, figures 10 to 12 and
//! 20 to 22, tables 4 to 6.

use super::figures::{SPEED, WATTS_HD5750, median, surface};
use super::juniper::{Band, Cell, DEVICE, JuniperError, Predictor};
use super::ndrange::NdRange;
use super::{Configuration, Domain, Strategy, host};
use crate::device::vliw::VliwPreset;
use crate::papers::figure::Figure;
use rayon::prelude::*;

/// All strategies in both domains.
pub fn figures(seed: u64) -> Result<Vec<Figure>, JuniperError> {
    let preset = VliwPreset::load(DEVICE)?;
    let predictor = Predictor::new(preset, seed);
    let mut figures = Vec::new();
    for domain in Domain::ALL {
        for strategy in Strategy::ALL {
            let cells = surface(strategy, domain);
            let bands = cells.par_iter().map(|&one| of_cell(&predictor, one));
            let bands = bands.collect::<Result<Vec<Band>, JuniperError>>()?;
            let named = cells.iter().zip(&bands);
            figures.extend(named.map(|(&cell, band)| on_surface(cell, *band)));
            figures.extend(of_tables(strategy, domain, &bands));
        }
    }
    Ok(figures)
}

/// With what the host does.
fn of_cell(predictor: &Predictor, one: Configuration) -> Result<Band, JuniperError> {
    let Configuration {
        strategy,
        domain,
        population,
        dataset,
    } = one;
    let band = predictor.band(Cell {
        strategy,
        domain,
        population,
        dataset,
    })?;
    let range = NdRange {
        local: 1,
        groups: dataset,
    };
    let groups = match strategy {
        // A group of FP has as many cases as fit.
        Strategy::Fp => range.groups.div_ceil(super::juniper::MOST_LANES),
        _ => 1,
    };
    let host = host::milliseconds(one, NdRange { groups, ..range });
    let nodes = f64::from(population) * f64::from(super::NODES) * f64::from(dataset);
    let with_host = |speed: f64| nodes / 1e6 / (nodes / speed / 1e6 + host);
    Ok(Band {
        low: with_host(band.low),
        central: with_host(band.central),
        high: with_host(band.high),
    })
}

fn on_surface(cell: Configuration, band: Band) -> Figure {
    Figure {
        experiment: match (cell.domain, cell.strategy) {
            (Domain::Regression, Strategy::Fp) => "figure 10",
            (Domain::Regression, Strategy::Pppe) => "figure 11",
            (Domain::Regression, Strategy::Ppcu) => "figure 12",
            (Domain::Classification, Strategy::Fp) => "figure 20",
            (Domain::Classification, Strategy::Pppe) => "figure 21",
            (Domain::Classification, Strategy::Ppcu) => "figure 22",
        },
        configuration: format!(
            "{DEVICE} {}, {} programs, {} rows",
            cell.strategy.name(),
            cell.population,
            cell.dataset
        ),
        quantity: SPEED,
        predicted: band.central,
    }
}

fn of_tables(strategy: Strategy, domain: Domain, bands: &[Band]) -> Vec<Figure> {
    let (table, per_watt) = super::figures::tables(domain);
    let figure = |experiment, quantity, predicted| Figure {
        experiment,
        configuration: format!("{DEVICE} {}", strategy.name()),
        quantity,
        predicted,
    };
    let of = |end: fn(&Band) -> f64| -> Vec<f64> { bands.iter().map(end).collect() };
    let peak = |end| of(end).into_iter().fold(0.0, f64::max);
    let middle = |end| median(of(end));
    let central = middle(|band| band.central);
    vec![
        figure(
            table,
            "peak speed (billion GPop/s)",
            peak(|band| band.central),
        ),
        figure(
            table,
            "peak speed, lower end (billion GPop/s)",
            peak(|band| band.low),
        ),
        figure(
            table,
            "peak speed, upper end (billion GPop/s)",
            peak(|band| band.high),
        ),
        figure(table, "median speed (billion GPop/s)", central),
        figure(
            table,
            "median speed, lower end (billion GPop/s)",
            middle(|band| band.low),
        ),
        figure(
            table,
            "median speed, upper end (billion GPop/s)",
            middle(|band| band.high),
        ),
        figure("table 6", per_watt, 1e3 * central / WATTS_HD5750),
    ]
}
