//! The paper's tables as small charts: speeds with one chart per value of a table's axis, and Tables 5 and 6.
//!
//! Leaves out: errors in figures (the table has them). Units: billions of GPop/s over threads per block; percentages of programs over
//! stack levels. Bars are the paper's confidence intervals; most are smaller than the points.

use super::lines::{Line, Lines};
use super::sheet::{Sheet, Tile};
use super::{NARROW, SERIES_COLOURS};
use crate::gp::depth_profile::Representation;
use crate::report::grouped;
use crate::report::stacks::StackTableCell;
use crate::validate::Compared;

const COLUMNS: usize = 3;

/// Predicted and measured values of one table and problem, or of several.
pub fn speeds(cells: &[Compared]) -> Sheet {
    let blocks = grouped(cells, |compared| {
        let cell = &compared.cell;
        format!("Table {}, {}", cell.table.number(), cell.problem)
    });
    let mut tiles = Vec::new();
    for (block, members) in &blocks {
        let top = 1.08 * highest(members);
        let of_axis = grouped(members.iter().copied(), |compared| {
            let cell = &compared.cell;
            format!("{} {}", cell.table.axis_title(), cell.axis.value())
        });
        for (value, cells) in of_axis {
            let title = match blocks.len() {
                1 => value,
                _ => format!("{block}: {value}"),
            };
            tiles.push(Tile::new(title, over_threads(&cells, top)));
        }
    }
    Sheet {
        title: match blocks.as_slice() {
            [(block, _)] => block.clone(),
            _ => "Tables of the paper".into(),
        },
        rows: in_rows(tiles),
    }
}

fn in_rows(tiles: Vec<Tile>) -> Vec<Vec<Tile>> {
    let numbered = grouped(tiles.into_iter().enumerate(), |(nth, _)| nth / COLUMNS);
    let rows = numbered.into_iter().map(|(_, row)| row);
    rows.map(|row| row.into_iter().map(|(_, tile)| tile).collect())
        .collect()
}

fn highest(cells: &[&Compared]) -> f64 {
    let values = cells.iter().flat_map(|compared| {
        let measured = compared.measured.map(|value| value.gpops_billion);
        [Some(compared.predicted_gpops_billion), measured]
    });
    values.flatten().fold(0.0, f64::max)
}

fn over_threads(cells: &[&Compared], top: f64) -> Lines {
    let threads = |compared: &Compared| f64::from(compared.cell.threads_per_block);
    let predicted = cells.iter();
    let predicted = predicted.map(|cell| (threads(cell), cell.predicted_gpops_billion));
    let mut lines = vec![Line::new("predicted", predicted.collect())];
    let measured = cells.iter();
    let measured = measured.filter_map(|cell| Some((threads(cell), cell.measured?)));
    let (points, halves): (Vec<_>, Vec<f64>) = measured
        .map(|(x, value)| ((x, value.gpops_billion), value.ci_billion))
        .unzip();
    if !points.is_empty() {
        lines.push(Line {
            halves: Some(halves),
            ..Line::new("measured", points)
        });
    }
    Lines {
        x_label: "threads per block".into(),
        y_label: "billion GPop/s".into(),
        lines,
        top: Some(top),
        ..Lines::default()
    }
}

/// Tables 5 and 6: curves for the runs, points for the paper.
pub fn depths(rows: &[StackTableCell]) -> Sheet {
    let tile = |(number, representation)| {
        let name = match representation {
            Representation::Rpn => "postfix programs",
            Representation::Lgp => "linear programs",
        };
        Tile::new(
            format!("Table {number}: {name}"),
            over_limits(rows, representation),
        )
    };
    let tables = [(5, Representation::Rpn), (6, Representation::Lgp)];
    Sheet {
        title: "Programs within a stack limit; hollow: the paper".into(),
        rows: vec![tables.map(tile).into()],
    }
}

fn over_limits(rows: &[StackTableCell], representation: Representation) -> Lines {
    let of_table = rows
        .iter()
        .filter(|row| row.representation == representation);
    let problems = grouped(of_table, |row| row.problem.as_str());
    let mut lines = Vec::new();
    for (colour, (problem, rows)) in problems.into_iter().enumerate() {
        let own = rows.into_iter();
        let here = (own.clone()).map(|row| (row.stack_limit as f64, row.percent_programs));
        let paper = own.filter_map(|row| Some((row.stack_limit as f64, row.paper_percent?)));
        let paper: Vec<(f64, f64)> = paper.collect();
        lines.push(Line {
            colour: Some(colour),
            ..Line::new(problem, here.collect())
        });
        if !paper.is_empty() {
            lines.push(Line {
                colour: Some(colour + SERIES_COLOURS.len()),
                halves: Some(vec![0.0; paper.len()]),
                ..Line::new(format!("{problem}, paper"), paper)
            });
        }
    }
    Lines {
        x_label: "stack limit".into(),
        y_label: "programs within the limit, %".into(),
        lines,
        top: Some(102.0),
        size: (NARROW + 60, 340),
        ..Lines::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg;

    #[test]
    fn the_papers_points_are_drawn() {
        let row = |problem: &str, paper_percent| StackTableCell {
            representation: Representation::Rpn,
            problem: problem.into(),
            stack_limit: 4,
            percent_programs: 50.0,
            paper_percent,
        };
        let rows = [row("sextic", Some(84.72)), row("kddcup", None)];
        let text = svg(&over_limits(&rows, Representation::Rpn)).unwrap();
        // Two of the runs, one of the paper, all in the legend.
        assert_eq!(text.matches("<circle").count(), 6);
        assert!(text.contains("sextic, paper") && !text.contains("kddcup, paper"));
    }
}
