//! Langdon's Figures 5, 7 and 8, and the averages of whole runs.
//!
//! Published: the values in the paper's text, as levels; the text does not give the figures' own points.
//! Units: billions of GP operations per second, ms.

use super::super::bars::StackedBars;
use super::{ComparedFigure, Scale, Sheet, Tile};
use super::{lines, number_after, number_before, of, present, sorted_lines};

const SPEED: &str = "speed (billion GPop/s)";
const GENERATION: &str = "time of a generation with transfers (ms)";
const AVERAGE: &str = "average of a run with the host (billion GPop/s)";
const IN_CARD: &str = "speed without the host, with transfers (billion GPop/s)";
const PROGRAM: &str = " threads per program";
const BLOCK: &str = " per block";
const BILLIONS: &str = "billion GPop/s";

pub fn sheet(rows: &[ComparedFigure]) -> Sheet {
    Sheet {
        title: "Langdon 2010: predicted; dashed: published".into(),
        rows: present(vec![
            vec![
                figure_5(rows),
                figure_7(rows, "mux20"),
                figure_7(rows, "mux37"),
            ],
            vec![figure_8_left(rows), figure_8_right(rows), averages(rows)],
        ]),
    }
}

/// A published value as a level, once.
fn published<'a>(rows: impl Iterator<Item = &'a ComparedFigure>, name: &str) -> Vec<(f64, String)> {
    let mut values: Vec<f64> = rows.filter_map(|row| row.published).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    let level = |value: f64| (value, format!("{name}: {value}"));
    values.into_iter().map(level).collect()
}

fn figure_5(rows: &[ComparedFigure]) -> Option<Tile> {
    let points = of(rows, "figure 5", SPEED).filter_map(|row| {
        let programs = number_before(&row.configuration, PROGRAM)?;
        let block = number_before(&row.configuration, BLOCK)?;
        Some((format!("{programs}{PROGRAM}"), (block, row.predicted)))
    });
    let best = of(rows, "section 8", SPEED)
        .filter(|row| row.configuration.ends_with("best configuration"));
    lines(
        "Figure 5: initial generation, one chip",
        ["threads per block", BILLIONS],
        Scale::Doubling,
        sorted_lines(points),
        published(best, "best"),
    )
}

fn figure_7(rows: &[ComparedFigure], mux: &str) -> Option<Tile> {
    let is_own = move |row: &&ComparedFigure| row.configuration.contains(mux);
    let points = of(rows, "figure 7", SPEED)
        .filter(is_own)
        .filter_map(|row| {
            let size = number_after(&row.configuration, "mean of ")?;
            let (card, _) = row.configuration.split_once(", ")?;
            Some((card.to_owned(), (size, row.predicted)))
        });
    let mut levels = published(
        of(rows, "section 8", SPEED)
            .filter(|row| is_own(row) && !row.configuration.starts_with("t10p")),
        "in constant memory",
    );
    levels.extend(published(
        of(rows, "section 4", IN_CARD).filter(is_own),
        "in a run, without host",
    ));
    lines(
        &format!("Figure 7: {mux}, in the kernel"),
        ["mean nodes of a program", BILLIONS],
        Scale::OfPoints,
        sorted_lines(points),
        levels,
    )
}

fn figure_8_left(rows: &[ComparedFigure]) -> Option<Tile> {
    let points = of(rows, "figure 8", GENERATION).filter_map(|row| {
        let programs = number_before(&row.configuration, PROGRAM)?;
        let infinite = row.configuration.ends_with("infinitely large blocks");
        let block = number_before(&row.configuration, BLOCK);
        let reciprocal = block.map(|block| 1000.0 / block);
        let x = reciprocal.or(infinite.then_some(0.0))?;
        Some((format!("{programs}{PROGRAM}"), (x, row.predicted)))
    });
    lines(
        "Figure 8, left: a generation, one chip",
        ["1000 / threads per block", "ms"],
        Scale::Even,
        sorted_lines(points),
        Vec::new(),
    )
}

fn figure_8_right(rows: &[ComparedFigure]) -> Option<Tile> {
    let intercepts = of(rows, "figure 8", GENERATION).filter_map(|row| {
        let programs = number_before(&row.configuration, PROGRAM)?;
        let infinite = row.configuration.ends_with("infinitely large blocks");
        infinite.then(|| {
            (
                "infinitely large blocks".to_owned(),
                (64.0 / programs, row.predicted),
            )
        })
    });
    let infinite = of(rows, "section 8", GENERATION);
    lines(
        "Figure 8, right: towards infinite parallelism",
        ["64 / threads per program", "ms"],
        Scale::Even,
        sorted_lines(intercepts),
        published(infinite, "infinite parallelism"),
    )
}

fn averages(rows: &[ComparedFigure]) -> Option<Tile> {
    let pairs = of(rows, "figure 7", AVERAGE).map(|row| {
        let mut parts = row.configuration.split(", ");
        let (card, mux) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let range = row
            .range
            .map(|[low, high]| format!(" ({low:.0} to {high:.0})"));
        let name = format!("{mux}, {card}{}", range.unwrap_or_default());
        (name, row.predicted, row.published)
    });
    let pairs: Vec<_> = pairs.collect();
    (!pairs.is_empty()).then(|| {
        let chart = StackedBars::pairs(BILLIONS, pairs);
        Tile::new("Whole runs, host included", chart)
    })
}
