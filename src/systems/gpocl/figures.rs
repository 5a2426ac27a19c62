//! What section 4 reports of a device, predicted: the surfaces over populations and data sets, and the tables made of them.
//!
//! Units: in the quantities' names. Sources: Augusto and Barbosa 2013, figures 7 to 9 and 17 to 19, tables 1 and 4 to 6.

use super::friedman::Friedman;
use super::instances::{Instance, Outcome};
use super::predict::{Speed, predict};
use super::{Configuration, Domain, SIZES, Strategy, heavier, host};
use crate::launch::prediction::PredictError;
use crate::systems::figure::Figure;
use crate::systems::machine::Bench;
use crate::util::stats::median;

pub(super) const SPEED: &str = "speed (billion GPop/s)";
/// Table 1's power consumption, in watts.
const WATTS: [(&str, f64); 2] = [("gtx285", 204.0), ("hd5750", 86.0)];
/// The paper's figures, by domain and strategy.
const SURFACES: [[&str; 3]; 2] = [
    ["figure 7", "figure 8", "figure 9"],
    ["figure 17", "figure 18", "figure 19"],
];

/// The 6 by 6 grid of a strategy in a domain.
pub fn surface(strategy: Strategy, domain: Domain) -> Vec<Configuration> {
    let of_population = |population| {
        SIZES.into_iter().map(move |dataset| Configuration {
            strategy,
            domain,
            population,
            dataset,
        })
    };
    SIZES.into_iter().flat_map(of_population).collect()
}

/// `name`: what the device is called in the configurations.
pub fn figures(name: &str, on: Bench, seed: u64) -> Result<Outcome, PredictError> {
    let surfaces = Domain::ALL.into_iter().flat_map(|domain| {
        Strategy::ALL
            .into_iter()
            .map(move |strategy| (strategy, domain))
    });
    let surfaces: Vec<(Strategy, Domain)> = surfaces.collect();
    let all: Vec<Configuration> = surfaces
        .iter()
        .flat_map(|&(strategy, domain)| surface(strategy, domain))
        .collect();
    let speeds = predict(on, &all, seed)?;
    let (mut figures, mut instances) = (Vec::new(), Vec::new());
    let per_surface = SIZES.len() * SIZES.len();
    for ((strategy, domain), speeds) in surfaces.into_iter().zip(speeds.chunks(per_surface)) {
        let cell =
            |speed: &Speed| on_surface(name, SURFACES, speed.configuration, evaluation(speed));
        figures.extend(speeds.iter().map(cell));
        figures.extend(of_tables(name, strategy, domain, speeds));
        instances.push(Instance {
            name: format!("{name} {}", strategy.name()),
            domain,
            speeds: speeds.iter().map(evaluation).collect(),
            ends: None,
        });
        figures.extend(heavier::figures(
            name,
            on,
            (strategy, domain),
            speeds,
            seed,
        )?);
    }
    let strategies: Vec<&[Speed]> = speeds.chunks(per_surface).collect();
    let domains = strategies.chunks(Strategy::ALL.len());
    for (speeds, experiment) in domains.zip(["table A.7", "table A.9"]) {
        figures.extend(rankings(name, experiment, speeds));
    }
    Ok(Outcome { figures, instances })
}

/// Among the strategies on this device alone; `instances` ranks all ten that the paper ranks.
fn rankings(name: &str, experiment: &'static str, strategies: &[&[Speed]]) -> Vec<Figure> {
    let all = strategies.iter();
    let speeds: Vec<Vec<f64>> = all
        .map(|own| own.iter().map(evaluation).collect())
        .collect();
    let test = Friedman::of(&speeds);
    const RANK: &str = "average rank among the device's strategies";
    let of_strategy =
        |(strategy, &rank): (Strategy, &f64)| in_tables(name, strategy)(experiment, RANK, rank);
    let mut figures: Vec<Figure> = Strategy::ALL
        .into_iter()
        .zip(&test.ranks)
        .map(of_strategy)
        .collect();
    figures.push(Figure {
        experiment,
        configuration: name.to_owned(),
        quantity: "Friedman's chi-square among the device's strategies",
        predicted: test.chi_square,
    });
    figures
}

/// A cell of the surface that the paper draws as one of `surfaces`.
pub(super) fn on_surface(
    name: &str,
    surfaces: [[&'static str; 3]; 2],
    cell: Configuration,
    predicted: f64,
) -> Figure {
    let Configuration {
        strategy,
        domain,
        population,
        dataset,
    } = cell;
    Figure {
        experiment: surfaces[domain as usize][strategy as usize],
        configuration: format!(
            "{name} {}, {population} programs, {dataset} rows",
            strategy.name()
        ),
        quantity: SPEED,
        predicted,
    }
}

/// What the paper's tables say of a strategy: table, quantity, value.
pub(super) fn in_tables(
    name: &str,
    strategy: Strategy,
) -> impl Fn(&'static str, &'static str, f64) -> Figure {
    let configuration = format!("{name} {}", strategy.name());
    move |experiment, quantity, predicted| Figure {
        experiment,
        configuration: configuration.clone(),
        quantity,
        predicted,
    }
}

/// What a device draws, if the paper says it.
pub(super) fn watts(name: &str) -> Option<f64> {
    let found = WATTS.into_iter().find(|(device, _)| *device == name);
    found.map(|(_, watts)| watts)
}

/// With what the host does: what the paper's times hold.
pub(super) fn evaluation(speed: &Speed) -> f64 {
    let whole = speed.milliseconds + host::milliseconds(speed.configuration, speed.range);
    speed.gpops_billion * speed.milliseconds / whole
}

fn of_tables(name: &str, strategy: Strategy, domain: Domain, speeds: &[Speed]) -> Vec<Figure> {
    let all: Vec<f64> = speeds.iter().map(evaluation).collect();
    let peak = all.iter().copied().fold(0.0, f64::max);
    let median = median(&all).unwrap_or(f64::NAN);
    let (table, per_watt) = tables(domain);
    let figure = in_tables(name, strategy);
    let mut figures = vec![
        figure(table, "peak speed (billion GPop/s)", peak),
        figure(table, "median speed (billion GPop/s)", median),
    ];
    figures.extend(watts(name).map(|watts| figure("table 6", per_watt, 1e3 * median / watts)));
    figures
}

/// A domain's table of speeds, and what table 6 says of it.
pub(super) fn tables(domain: Domain) -> (&'static str, &'static str) {
    match domain {
        Domain::Regression => (
            "table 4",
            "regression: median speed per watt (million GPop/s)",
        ),
        Domain::Classification => (
            "table 5",
            "classification: median speed per watt (million GPop/s)",
        ),
    }
}
