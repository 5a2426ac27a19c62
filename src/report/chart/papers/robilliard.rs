//! Robilliard's Figures 3 to 6: speedups of evaluation and of whole runs, and breeding beside evaluation, over the population.
//!
//! Published: the range that section 5 names, as levels. Units: ratios.

use super::super::lines::Line;
use super::{ComparedFigure, Scale, Sheet, Tile};
use super::{lines, number_after, of, present, sorted_lines};

const FIGURES: [(&str, &str); 3] = [
    ("figure 3", "sextic"),
    ("figure 4", "multiplexers"),
    ("figure 5", "spirals"),
];
const POPULATION: &str = "population ";

pub fn sheet(rows: &[ComparedFigure]) -> Sheet {
    let evaluation = FIGURES.map(|(figure, problem)| {
        let title = format!("{}: {problem}, evaluation", capital(figure));
        speedups(rows, figure, "evaluation speedup", &title, range(rows))
    });
    let whole = FIGURES.map(|(figure, problem)| {
        let title = format!("{}: {problem}, whole runs", capital(figure));
        speedups(rows, figure, "speedup of whole runs", &title, Vec::new())
    });
    Sheet {
        title: "Robilliard 2008: predicted; dashed: published range of five benchmarks".into(),
        rows: present(vec![evaluation.into(), whole.into(), vec![breeding(rows)]]),
    }
}

fn capital(figure: &str) -> String {
    figure.replacen('f', "F", 1)
}

fn range(rows: &[ComparedFigure]) -> Vec<(f64, String)> {
    ["lowest", "highest"]
        .into_iter()
        .filter_map(|end| {
            let quantity = format!("{end} evaluation speedup");
            let value = of(rows, "section 5", &quantity)
                .find(|row| row.configuration.ends_with("five benchmarks"))?
                .published?;
            Some((value, format!("{end}: {value}")))
        })
        .collect()
}

/// Returns a line over the population for each benchmark.
fn over_population<'a>(rows: impl Iterator<Item = &'a ComparedFigure>) -> Vec<Line> {
    sorted_lines(rows.filter_map(|row| {
        let population = number_after(&row.configuration, POPULATION)?;
        let (_, rest) = row.configuration.split_once(", ")?;
        let (benchmark, _) = rest.rsplit_once(", ")?;
        Some((benchmark.to_owned(), (population, row.predicted)))
    }))
}

fn speedups(
    rows: &[ComparedFigure],
    figure: &str,
    quantity: &str,
    title: &str,
    levels: Vec<(f64, String)>,
) -> Option<Tile> {
    let found = over_population(of(rows, figure, quantity));
    lines(
        title,
        ["population", "times as fast"],
        Scale::OfPoints,
        found,
        levels,
    )
}

/// Parts of an evaluation on the GPU, for which the host waits.
const PARTS: [&str; 3] = [
    "GPU evaluation: compaction and translation (ms)",
    "GPU evaluation: transfers (ms)",
    "GPU evaluation: kernel and launch (ms)",
];
const BREEDING: &str = "breeding of a generation (ms)";

/// Figure 6: the sextic's generations.
fn breeding(rows: &[ComparedFigure]) -> Option<Tile> {
    lines(
        "Figure 6: breeding over evaluation",
        ["population", "ratio of times"],
        Scale::OfPoints,
        shares(rows),
        vec![(1.0, "as long".into())],
    )
}

/// Breeding over evaluation.
fn shares(rows: &[ComparedFigure]) -> Vec<Line> {
    let over = |quantity| over_population(of(rows, "figure 3", quantity));
    let parts = PARTS.map(over);
    let mut found = over(BREEDING);
    for (nth, line) in found.iter_mut().enumerate() {
        for (at, point) in line.points.iter_mut().enumerate() {
            let part = |lines: &Vec<Line>| Some(lines.get(nth)?.points.get(at)?.1);
            point.1 /= parts.iter().filter_map(part).sum::<f64>();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breeding_is_divided_by_all_parts_of_evaluation() {
        let row = |quantity| ComparedFigure {
            paper: "robilliard",
            experiment: "figure 3",
            configuration: "g80, sextic 64, population 500".into(),
            quantity,
            predicted: 2.0,
            range: None,
            published: None,
        };
        let rows = PARTS.into_iter().chain([BREEDING]).map(row);
        let shares = shares(&rows.collect::<Vec<_>>());
        assert_eq!(shares.len(), 1);
        assert_eq!(shares[0].name, "sextic 64");
        assert_eq!(shares[0].points, [(500.0, 1.0 / 3.0)]);
    }
}
