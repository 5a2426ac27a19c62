//! Published values of the other papers, beside the predictions.
//!
//! Leaves out: how a figure was predicted (`papers`). Units: in the quantities' names.
//! Source: `fixtures/papers/`, each value by its figure's id, with its place in the paper.

use crate::systems::figure::{Figure, Id};
use crate::util::names::{UnknownName, named};
use crate::util::rows::{self, Rows, RowsError};

named! {
    /// A paper whose figures can be reproduced.
    pub enum Paper ("paper") {
        /// Langdon 2010.
        Langdon = "langdon",
        /// Augusto and Barbosa 2013.
        Gpocl = "gpocl",
        /// Robilliard et al. 2008.
        Robilliard = "robilliard",
    }
}

impl Paper {
    fn text(self) -> &'static str {
        match self {
            Paper::Langdon => include_str!("../../fixtures/papers/langdon.csv"),
            Paper::Gpocl => include_str!("../../fixtures/papers/gpocl.csv"),
            Paper::Robilliard => include_str!("../../fixtures/papers/robilliard.csv"),
        }
    }

    fn id(self, text: &str) -> Result<Id, UnknownName> {
        Ok(match self {
            Paper::Langdon => Id::Langdon(text.parse()?),
            Paper::Gpocl => Id::Gpocl(text.parse()?),
            Paper::Robilliard => Id::Robilliard(text.parse()?),
        })
    }

    /// The published values of a text of this paper.
    fn read(self, text: &str) -> Result<Vec<(Id, f64)>, RowsError> {
        let rows = Rows::read(text, self.name())?;
        let value = |row: rows::CsvRow<'_>| {
            let id = self.id(row.text("id"));
            let id = id.map_err(|error| row.refuse("id", error))?;
            Ok((id, row.value("published", "a number")?))
        };
        rows.iter().map(value).collect()
    }
}

/// One line of a reproduction.
#[derive(Debug, Clone)]
pub struct ComparedFigure {
    pub paper: &'static str,
    pub experiment: &'static str,
    pub configuration: String,
    pub quantity: &'static str,
    /// The primary reading.
    pub predicted: f64,
    /// The least and the largest reading, where there are several.
    pub range: Option<[f64; 2]>,
    pub published: Option<f64>,
}

impl ComparedFigure {
    /// How far a prediction is from what was published; `None` where that is nothing, or 0.
    pub fn error_percent(&self, predicted: f64) -> Option<f64> {
        let published = self.published.filter(|value| *value != 0.0)?;
        Some(100.0 * (predicted / published - 1.0))
    }
}

/// The value with this id, where there is one.
fn find(published: &[(Id, f64)], id: &Id) -> Option<f64> {
    let found = published.iter().find(|(own, _)| own == id);
    found.map(|(_, value)| *value)
}

/// A published value, where there is one.
pub fn published(paper: Paper, id: &Id) -> Result<Option<f64>, RowsError> {
    Ok(find(&paper.read(paper.text())?, id))
}

/// Puts published values beside the figures.
pub fn compare(paper: Paper, figures: Vec<Figure>) -> Result<Vec<ComparedFigure>, RowsError> {
    let published = paper.read(paper.text())?;
    let row = |figure: Figure| {
        let band = figure.predicted;
        ComparedFigure {
            paper: paper.name(),
            experiment: figure.experiment,
            configuration: figure.configuration,
            quantity: figure.quantity,
            predicted: band.value,
            range: (band.low < band.high).then_some([band.low, band.high]),
            published: figure.id.and_then(|id| find(&published, &id)),
        }
    };
    Ok(figures.into_iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::{gpocl, langdon, robilliard};
    use crate::util::band::Band;

    /// The papers' figures, of made-up predictions.
    fn figures(paper: Paper) -> Vec<Figure> {
        match paper {
            Paper::Langdon => langdon::figures::tests::made_up(),
            Paper::Gpocl => gpocl::figures::tests::made_up(),
            Paper::Robilliard => robilliard::figures::tests::made_up(),
        }
    }

    #[test]
    fn every_published_value_is_compared_with_one_figure() {
        for paper in Paper::ALL {
            let published = paper.read(paper.text()).unwrap();
            let figures = figures(paper);
            let mut not_predicted = 0;
            for (id, _) in &published {
                let own = figures
                    .iter()
                    .filter(|figure| figure.id.as_ref() == Some(id));
                match own.count() {
                    0 => not_predicted += 1,
                    n => assert_eq!(n, 1, "{id:?}"),
                }
                let same = published.iter().filter(|(other, _)| other == id);
                assert_eq!(same.count(), 1, "{id:?}");
            }
            let expected = match paper {
                // Of the host's processors, and ranks among instances that include them.
                Paper::Gpocl => 142,
                Paper::Langdon | Paper::Robilliard => 0,
            };
            assert_eq!(not_predicted, expected, "{paper}");
            let compared = compare(paper, figures).unwrap();
            let compared = compared.iter().filter(|row| row.published.is_some());
            assert_eq!(compared.count() + expected, published.len(), "{paper}");
        }
    }

    #[test]
    fn every_figure_with_an_id_was_published_but_for_known_ones() {
        for paper in Paper::ALL {
            let published = paper.read(paper.text()).unwrap();
            let ids = figures(paper).into_iter().filter_map(|figure| figure.id);
            let others = ids.filter(|id| find(&published, id).is_none()).count();
            let expected = match paper {
                // The Tesla's speeds without the host, and of the smaller solution.
                Paper::Langdon => 3,
                Paper::Gpocl | Paper::Robilliard => 0,
            };
            assert_eq!(others, expected, "{paper}");
        }
    }

    #[test]
    fn an_unknown_id_is_refused() {
        for (paper, id) in [
            (Paper::Langdon, "gtx295/best"),
            (Paper::Gpocl, "regression/peak/gtx285"),
            (Paper::Robilliard, "smallest-size"),
        ] {
            let message = paper.read(&format!("id,published\n{id},1\n")).unwrap_err();
            assert!(message.to_string().contains("; allowed: "), "{message}");
        }
    }

    #[test]
    fn a_row_has_the_range_of_its_readings() {
        let figure = |readings: [f64; 2]| Figure {
            id: langdon::published::Quantity::BestSpeed.of("gtx295"),
            experiment: "section 8",
            configuration: "gtx295, best configuration".into(),
            quantity: "speed (billion GPop/s)",
            predicted: Band::over(readings),
        };
        let rows = compare(
            Paper::Langdon,
            vec![figure([282.0, 141.0]), figure([1.0; 2])],
        );
        let rows = rows.unwrap();
        assert_eq!(
            (rows[0].predicted, rows[0].range),
            (282.0, Some([141.0, 282.0]))
        );
        assert_eq!(rows[0].error_percent(282.0), Some(100.0));
        assert_eq!(rows[1].range, None);
    }
}
