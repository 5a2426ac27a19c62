//! The other papers of the page: which of them, and their predictions.
//!
//! Leaves out: predicting (`commands/reproduce/papers.rs`). Units: none.

use super::ReportArgs;
use crate::commands::reproduce::papers::{PaperArg, PaperRun, check_options};
use crate::report::page::PaperPart;
use crate::report::progress::Progress;
use crate::systems::figure::Figure;
use crate::validate::papers::compare;
use std::error::Error;

/// As they appeared.
const ALL: [PaperArg; 3] = [PaperArg::Robilliard, PaperArg::Langdon, PaperArg::Gpocl];

/// Papers' names, several with commas, or all; each once. Nothing else that was asked for may be without meaning for them.
pub(super) fn asked(args: &ReportArgs) -> Result<Vec<PaperArg>, String> {
    let Some(given) = &args.paper else {
        return Ok(Vec::new());
    };
    let papers = parse(given)?;
    let allowed = "--arch, --device, --engine, --launches, --out-dir, --problem, --program-seed, --spread, --table";
    check_options(&args.engine, "--paper", allowed)?;
    Ok(papers)
}

fn parse(given: &str) -> Result<Vec<PaperArg>, String> {
    if given == "all" {
        return Ok(ALL.to_vec());
    }
    let mut papers = Vec::new();
    for name in given.split(',').map(str::trim) {
        let found = ALL.into_iter().find(|paper| paper.name() == name);
        let paper = found.ok_or_else(|| {
            let allowed = ALL.map(PaperArg::name).join(", ");
            format!("unknown paper \"{name}\"; allowed: {allowed}, all")
        })?;
        if !papers.contains(&paper) {
            papers.push(paper);
        }
    }
    Ok(papers)
}

/// A paper with everything that is predicted for it.
pub(super) type Predicted = (PaperArg, Vec<Figure>);

pub(super) fn predict(
    args: &ReportArgs,
    papers: &[PaperArg],
) -> Result<Vec<Predicted>, Box<dyn Error>> {
    let progress = Progress::new(papers.len() as u64, "papers");
    let mut predicted = Vec::new();
    for &paper in papers {
        progress.begin(paper.name());
        let run = PaperRun {
            paper,
            device: None,
            engine: &args.engine,
        };
        predicted.push((paper, run.figures()?));
        progress.step();
    }
    Ok(predicted)
}

/// Puts beside the predictions what was published.
pub(super) fn parts(
    args: &ReportArgs,
    predicted: Vec<Predicted>,
) -> Result<Vec<PaperPart>, Box<dyn Error>> {
    let options = args.engine.changed_options();
    let part = |(paper, figures): Predicted| {
        let name = paper.name();
        Ok(PaperPart {
            paper: paper.paper(),
            rows: compare(paper.paper(), figures)?,
            command: format!("warpstack reproduce --paper {name}{options} --chart {name}.svg"),
        })
    };
    predicted.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::langdon::published::Quantity;
    use clap::Parser;

    #[derive(Parser)]
    struct Given {
        #[command(flatten)]
        args: ReportArgs,
    }

    #[test]
    fn commands_of_a_part_have_its_options_and_published_values_stand_beside_predictions() {
        let given = "report --out-dir page --paper langdon --engine analytical --program-seed 2";
        let given = Given::try_parse_from(given.split(' ')).unwrap();
        assert_eq!(asked(&given.args).unwrap(), [PaperArg::Langdon]);
        let figure = Figure::new("section 8", "gtx295, best configuration", "speed", 150.0);
        let figure = figure.of(Quantity::BestSpeed.of("gtx295"));
        let parts = parts(&given.args, vec![(PaperArg::Langdon, vec![figure])]).unwrap();
        assert_eq!(parts[0].rows[0].published, Some(141.0));
        assert_eq!(
            parts[0].command,
            "warpstack reproduce --paper langdon --engine analytical --program-seed 2 --chart langdon.svg"
        );
    }

    #[test]
    fn papers_come_as_they_are_named_and_each_once() {
        use PaperArg::{Gpocl, Langdon, Robilliard};
        assert_eq!(parse("all").unwrap(), [Robilliard, Langdon, Gpocl]);
        assert_eq!(parse("gpocl, langdon,gpocl").unwrap(), [Gpocl, Langdon]);
        for given in ["", "gpocl,", "gpocl,all", "Langdon"] {
            let message = parse(given).unwrap_err();
            assert!(
                message.ends_with("allowed: robilliard, langdon, gpocl, all"),
                "{given}: {message}"
            );
        }
    }
}
