//! GPOCL's Tables 4 and 5 beside the published ones, and its surfaces as tables of colours.
//!
//! Units: billions of GP operations per second.

use super::super::bars::StackedBars;
use super::super::heat::Heat;
use super::{ComparedFigure, Sheet, Tile};
use super::{number_before, of, present};

const SPEED: &str = "speed (billion GPop/s)";
const STRATEGIES: [&str; 3] = ["fp", "pppe", "ppcu"];
const DOMAINS: [(&str, &str); 2] = [("table 4", "regression"), ("table 5", "classification")];

pub fn sheet(rows: &[ComparedFigure]) -> Sheet {
    let mut tiles = Vec::new();
    for device in devices(rows) {
        let tables = DOMAINS.map(|(table, domain)| pairs(rows, device, table, domain));
        tiles.push(tables.into());
        for domain in 0..DOMAINS.len() {
            let surfaces = STRATEGIES.map(|strategy| surface(rows, device, domain, strategy));
            tiles.push(surfaces.into());
        }
    }
    Sheet {
        title: "GPOCL 2013: billions of GP operations per second".into(),
        rows: present(tiles),
    }
}

fn devices(rows: &[ComparedFigure]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.experiment == "table 4") {
        let name = device_of(row);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// `gtx285` of `gtx285 fp, 100 programs, 100 rows`; a device file's path may hold spaces.
fn device_of(row: &ComparedFigure) -> &str {
    let whole = row.configuration.split(", ").next().unwrap_or("");
    whole.rsplit_once(' ').map_or("", |(device, _)| device)
}

fn pairs(rows: &[ComparedFigure], device: &str, table: &str, domain: &str) -> Option<Tile> {
    let mut pairs = Vec::new();
    for strategy in STRATEGIES {
        for kind in ["peak", "median"] {
            let quantity = format!("{kind} {SPEED}");
            let configuration = format!("{device} {strategy}");
            let row = of(rows, table, &quantity).find(|row| row.configuration == configuration)?;
            let name = format!("{}, {kind}", strategy.to_uppercase());
            pairs.push((name, row.predicted, row.published));
        }
    }
    let number = &table["table ".len()..];
    Some(Tile::new(
        format!("Table {number}: {domain}, {device}"),
        StackedBars::pairs("billion GPop/s", pairs),
    ))
}

fn surface(rows: &[ComparedFigure], device: &str, domain: usize, strategy: &str) -> Option<Tile> {
    let prefix = format!("{device} {strategy}, ");
    let own =
        |row: &&ComparedFigure| row.quantity == SPEED && row.configuration.starts_with(&prefix);
    // Each domain's surface is a figure of its own, regression's before classification's.
    let mut figures: Vec<&str> = Vec::new();
    for row in rows.iter().filter(own) {
        if !figures.contains(&row.experiment) {
            figures.push(row.experiment);
        }
    }
    let figure = *figures.get(domain)?;
    let points: Vec<(u64, u64, f64)> = of(rows, figure, SPEED)
        .filter(own)
        .filter_map(|row| {
            let number = |words| number_before(&row.configuration, words);
            let (population, dataset) = (number(" programs")?, number(" rows")?);
            Some((dataset as u64, population as u64, row.predicted))
        })
        .collect();
    let title = format!(
        "{}{}: {}, {}, {device}",
        figure[..1].to_uppercase(),
        &figure[1..],
        DOMAINS[domain].1,
        strategy.to_uppercase()
    );
    let chart = Heat::of_points("rows of data", "programs", &points);
    Some(Tile::new(title, chart))
}
