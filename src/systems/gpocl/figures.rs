//! Figures of section 4 for a device, predicted: the surfaces over populations and data sets, and the tables derived from them.
//!
//! Units: in the quantities' names. Sources: Augusto and Barbosa 2013, figures 7 to 9 and 17 to 19, tables 1 and 4 to 6.

use super::predict::{GpoclSpeed, predict};
use super::published::Quantity;
use super::{Domain, GpoclConfiguration, SIZES, Strategy, host, juniper};
use crate::launch::prediction::PredictError;
use crate::systems::figure::Figure;
use crate::systems::machine::Machine;
use crate::util::band::Band;
use crate::util::stats::median;

pub(super) const SPEED: &str = "speed (billion GPop/s)";
/// The paper's NVIDIA card; the other is the Radeon.
pub const DEVICE: &str = "gtx285";
/// Table 1's power consumption, in watts.
const WATTS: [(&str, f64); 2] = [(DEVICE, 204.0), (juniper::DEVICE, 86.0)];
/// The paper's figures, by domain and strategy.
const SURFACES: [[&str; 3]; 2] = [
    ["figure 7", "figure 8", "figure 9"],
    ["figure 17", "figure 18", "figure 19"],
];

/// Returns the 6 by 6 grid of a strategy in a domain.
pub fn surface(strategy: Strategy, domain: Domain) -> Vec<GpoclConfiguration> {
    let of_population = |population| {
        SIZES.into_iter().map(move |dataset| GpoclConfiguration {
            strategy,
            domain,
            population,
            dataset,
        })
    };
    SIZES.into_iter().flat_map(of_population).collect()
}

/// Predicts the figures of a device; `name` is its name in the configurations.
pub fn figures(name: &str, on: Machine, seed: u64) -> Result<Vec<Figure>, PredictError> {
    let of_domain = |&domain| {
        Strategy::ALL
            .iter()
            .map(move |&strategy| (strategy, domain))
    };
    let surfaces: Vec<(Strategy, Domain)> = Domain::ALL.iter().flat_map(of_domain).collect();
    let all: Vec<GpoclConfiguration> = surfaces
        .iter()
        .flat_map(|&(strategy, domain)| surface(strategy, domain))
        .collect();
    let speeds = predict(on, &all, seed)?;
    let mut figures = Vec::new();
    let per_surface = SIZES.len() * SIZES.len();
    for ((strategy, domain), speeds) in surfaces.into_iter().zip(speeds.chunks(per_surface)) {
        let cell =
            |speed: &GpoclSpeed| on_surface(name, SURFACES, speed.configuration, evaluation(speed));
        figures.extend(speeds.iter().map(cell));
        let own = format!("{name} {strategy}");
        let all: Vec<f64> = speeds.iter().map(evaluation).collect();
        let central = [most(&all), middle(&all)];
        let heavier = heavier(on, speeds, seed)?.unwrap_or(central);
        let [peak, median] = [0, 1].map(|at| Band::over([central[at], heavier[at]]));
        figures.extend(of_tables(&own, domain, watts(name), [peak, median]));
    }
    Ok(figures)
}

/// Returns the highest speed.
pub(super) fn most(speeds: &[f64]) -> f64 {
    speeds.iter().copied().fold(0.0, f64::max)
}

/// Returns the median speed.
pub(super) fn middle(speeds: &[f64]) -> f64 {
    median(speeds).unwrap_or(f64::NAN)
}

/// Returns the peak and the median of a surface with a heavier compiler's code, if there is such code. They are evaluated in the
/// cells of the original peak and median, even if other cells would then be the peak or the median.
fn heavier(
    on: Machine,
    speeds: &[GpoclSpeed],
    seed: u64,
) -> Result<Option<[f64; 2]>, PredictError> {
    let Some(device) = on.heavier() else {
        return Ok(None);
    };
    let mut ordered: Vec<&GpoclSpeed> = speeds.iter().collect();
    ordered.sort_by(|a, b| evaluation(a).total_cmp(&evaluation(b)));
    let middle = ordered.len() / 2;
    let places = [ordered.len() - 1, middle - 1, middle];
    let cells = places.map(|at| ordered[at].configuration);
    let found = predict(on.with(&device), &cells, seed)?;
    let found: Vec<f64> = found.iter().map(evaluation).collect();
    Ok(Some([found[0], f64::midpoint(found[1], found[2])]))
}

/// Makes the figure of a cell, on the surface that the paper draws in one of `surfaces`.
pub(super) fn on_surface(
    name: &str,
    surfaces: [[&'static str; 3]; 2],
    cell: GpoclConfiguration,
    predicted: f64,
) -> Figure {
    let GpoclConfiguration {
        strategy,
        domain,
        population,
        dataset,
    } = cell;
    let place = format!("{name} {strategy}, {population} programs, {dataset} rows");
    Figure::new(
        surfaces[domain as usize][strategy as usize],
        place,
        SPEED,
        predicted,
    )
}

/// Returns a device's power consumption, if the paper gives it.
pub(super) fn watts(name: &str) -> Option<f64> {
    let found = WATTS.into_iter().find(|(device, _)| *device == name);
    found.map(|(_, watts)| watts)
}

/// Returns the speed including the host's time, which the paper's times include.
pub(super) fn evaluation(speed: &GpoclSpeed) -> f64 {
    let whole = speed.milliseconds + host::milliseconds(speed.configuration, speed.range);
    speed.gpops_billion * speed.milliseconds / whole
}

/// Makes the tables' figures of an instance in a domain, from its peak and median speeds; `watts` is its power, if the paper
/// gives it.
pub(super) fn of_tables(
    name: &str,
    domain: Domain,
    watts: Option<f64>,
    [peak, median]: [Band; 2],
) -> Vec<Figure> {
    const PEAK: &str = "peak speed (billion GPop/s)";
    const MEDIAN: &str = "median speed (billion GPop/s)";
    const PER_WATT: [&str; 2] = [
        "regression: median speed per watt (million GPop/s)",
        "classification: median speed per watt (million GPop/s)",
    ];
    let table = ["table 4", "table 5"][domain as usize];
    let id = |quantity: Quantity| quantity.of(domain, &[name]);
    let mut figures = vec![
        Figure::new(table, name, PEAK, peak).of(id(Quantity::Peak)),
        Figure::new(table, name, MEDIAN, median).of(id(Quantity::Median)),
    ];
    figures.extend(watts.map(|watts| {
        let median = median.map(|speed| 1e3 * speed / watts);
        let per_watt = Figure::new("table 6", name, PER_WATT[domain as usize], median);
        per_watt.of(id(Quantity::MedianPerWatt))
    }));
    figures
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the figures that have ids, from made-up predictions.
    pub fn made_up() -> Vec<Figure> {
        let mut figures = Vec::new();
        for domain in Domain::ALL {
            for device in [DEVICE, juniper::DEVICE] {
                for strategy in Strategy::ALL {
                    let name = format!("{device} {strategy}");
                    let speeds = [1.0, 2.0].map(Band::from);
                    figures.extend(of_tables(&name, domain, watts(device), speeds));
                }
            }
        }
        figures
    }
}
