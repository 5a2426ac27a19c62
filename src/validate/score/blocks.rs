//! Blocks of the score: rows judged together, and the rows on which baselines are fitted for them.
//!
//! Models: baselines of a split block see the calibration half and are judged on the other. A block without such halves is judged half by
//! half, each with baselines fitted on the other.
//! Leaves out: predictions.

use super::sets::{Origin, Row};
use crate::systems::chitty::split::MeasurementSplit;
use sha2::{Digest, Sha256};

/// Rows by their index: those that baselines may see, and those that are judged.
#[derive(Debug, Clone, Default)]
pub struct Fold {
    pub fitted: Vec<usize>,
    pub scored: Vec<usize>,
}

/// Rows that are judged together.
#[derive(Debug, Clone)]
pub struct Block {
    pub name: &'static str,
    pub folds: Vec<Fold>,
}

impl Block {
    /// Number of judged rows.
    pub fn n_rows(&self) -> usize {
        self.folds.iter().map(|fold| fold.scored.len()).sum()
    }
}

/// Returns every block, in the order of the table.
pub fn blocks(rows: &[Row]) -> Vec<Block> {
    let of = |holds: &dyn Fn(&Row) -> bool| -> Vec<usize> {
        let all = rows.iter().enumerate();
        all.filter(|(_, row)| holds(row))
            .map(|(index, _)| index)
            .collect()
    };
    let main = |row: &Row| matches!(row.set, "h200/runs" | "h200/carveout");
    let series = |row: &Row| row.set.starts_with("h200/fresh/");
    let is = |row: &Row, split| row.split == split;
    let calibration = || of(&|row| main(row) && is(row, MeasurementSplit::Calibration));
    let h100 = |row: &Row| row.set == "h100/runs";
    let one = |scored: Vec<usize>, fitted: Vec<usize>| vec![Fold { fitted, scored }];
    let cells = of(&|row| matches!(row.origin, Origin::Cell(_)));
    let mut cells = crossed(rows, &cells);
    for fold in &mut cells {
        fold.scored
            .retain(|&at| is(&rows[at], MeasurementSplit::Holdout));
    }
    vec![
        Block {
            name: "GTX 670, held out",
            folds: cells,
        },
        Block {
            name: "H200, held out",
            folds: one(
                of(&|row| main(row) && is(row, MeasurementSplit::Holdout)),
                calibration(),
            ),
        },
        Block {
            name: "H200, blind sets",
            folds: one(of(&series), calibration()),
        },
        Block {
            name: "H200, one program",
            folds: one(of(&|row| row.set == "h200/copies"), calibration()),
        },
        Block {
            name: "H200, other papers",
            folds: crossed(rows, &of(&|row| matches!(row.origin, Origin::Paper(_)))),
        },
        Block {
            name: "H100, blind",
            folds: crossed(rows, &of(&h100)),
        },
        Block {
            name: "H100, accumulator",
            folds: one(of(&|row| row.device == "h100" && !h100(row)), of(&h100)),
        },
    ]
}

/// Returns two folds of `among`: each half judged by the other.
fn crossed(rows: &[Row], among: &[usize]) -> Vec<Fold> {
    let (first, second): (Vec<usize>, Vec<usize>) =
        among.iter().partition(|&&at| is_first_half(&rows[at]));
    vec![
        Fold {
            fitted: first.clone(),
            scored: second.clone(),
        },
        Fold {
            fitted: second,
            scored: first,
        },
    ]
}

/// Whether a row belongs to the first half: the calibration split on a GPU of ours, else decided by the SHA-256 of the launch's options.
/// A launch is in one half with all its populations.
fn is_first_half(row: &Row) -> bool {
    let options = match &row.origin {
        Origin::Launch(_) => return row.split == MeasurementSplit::Calibration,
        Origin::Cell(cell) => cell.options(),
        Origin::Paper(paper) => paper.launch.clone(),
    };
    Sha256::digest(format!("{options:?}"))[0].is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::super::sets::rows;
    use super::*;

    #[test]
    fn blocks_have_the_rows_of_the_table_of_trust() {
        let rows = rows().unwrap();
        let blocks = blocks(&rows);
        let counts: Vec<(&str, usize)> = blocks
            .iter()
            .map(|block| (block.name, block.n_rows()))
            .collect();
        for expected in [
            ("GTX 670, held out", 924),
            ("H200, held out", 291),
            ("H200, other papers", 358),
            ("H100, blind", 410),
        ] {
            assert!(counts.contains(&expected), "{counts:?}");
        }
        for fold in blocks.iter().flat_map(|block| &block.folds) {
            assert!(fold.fitted.iter().all(|at| !fold.scored.contains(at)));
            assert!(fold.fitted.len() > 100, "{}", fold.fitted.len());
        }
    }
}
