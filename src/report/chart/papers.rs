//! The other papers' figures, drawn from what was predicted, with what was published beside it.
//!
//! Models: nothing; the configuration of a row gives its place: `gtx295, 8 threads per program, 64 per block`.
//! Leaves out: figures that a reproduction has no rows for. Units: on the axes.

mod gpocl;
mod langdon;
mod robilliard;

use super::lines::{Line, Lines, Scale, of_points};
use super::sheet::{Sheet, Tile};
use crate::validate::papers::{ComparedFigure, Paper};

/// A paper's figures on one sheet.
pub fn sheet(paper: Paper, rows: &[ComparedFigure]) -> Sheet {
    match paper {
        Paper::Langdon => langdon::sheet(rows),
        Paper::Gpocl => gpocl::sheet(rows),
        Paper::Robilliard => robilliard::sheet(rows),
    }
}

/// Rows of an experiment with a quantity that begins so.
fn of<'a>(
    rows: &'a [ComparedFigure],
    experiment: &'a str,
    quantity: &'a str,
) -> impl Iterator<Item = &'a ComparedFigure> + Clone {
    let wanted =
        move |row: &&ComparedFigure| row.experiment == experiment && row.quantity == quantity;
    rows.iter().filter(wanted)
}

/// The number in front of `words`: 64 in `8 threads per program, 64 per block` before ` per block`.
fn number_before(configuration: &str, words: &str) -> Option<f64> {
    let before = &configuration[..configuration.find(words)?];
    let digits = before.rsplit(' ').next()?;
    digits.parse().ok()
}

/// The number behind `words`.
fn number_after(configuration: &str, words: &str) -> Option<f64> {
    let after = &configuration[configuration.find(words)? + words.len()..];
    after.split([' ', ',']).next()?.parse().ok()
}

/// Points in the lines that they belong to, each line from the left.
fn sorted_lines(points: impl Iterator<Item = (String, (f64, f64))>) -> Vec<Line> {
    let mut lines = of_points(points);
    for line in &mut lines {
        line.points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    }
    lines
}

/// A tile of lines, unless there are none.
fn lines(
    title: &str,
    labels: [&str; 2],
    scale: Scale,
    lines: Vec<Line>,
    levels: Vec<(f64, String)>,
) -> Option<Tile> {
    let [x_label, y_label] = labels.map(str::to_owned);
    let is_there = !lines.is_empty();
    let chart = Lines {
        x_label,
        y_label,
        scale,
        lines,
        levels,
        ..Lines::default()
    };
    is_there.then(|| Tile::new(title, chart))
}

/// Rows of tiles without those that nothing is known for.
fn present(rows: Vec<Vec<Option<Tile>>>) -> Vec<Vec<Tile>> {
    let rows = rows.into_iter();
    let rows = rows.map(|row| row.into_iter().flatten().collect::<Vec<Tile>>());
    rows.filter(|row| !row.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_the_words_beside_them() {
        let text = "gtx295, 8 threads per program, 64 per block";
        assert_eq!(number_before(text, " threads per program"), Some(8.0));
        assert_eq!(number_before(text, " per block"), Some(64.0));
        assert_eq!(number_before(text, " rows"), None);
        assert_eq!(
            number_after("g80, mux6, population 12500", "population "),
            Some(12500.0)
        );
        assert_eq!(number_after("mean of 55 nodes", "mean of "), Some(55.0));
    }
}
