//! The other papers' part of the page, made of given rows: predicting takes minutes.

use super::{check_command, check_structure, select, text};
use crate::browser;
use scraper::Html;
use std::sync::LazyLock;
use warpstack::report::page::{Content, PaperPart, page};
use warpstack::systems::figure::Figure;
use warpstack::systems::gpocl::{Domain, published::Quantity};
use warpstack::systems::langdon::published::Quantity::BestSpeed;
use warpstack::systems::robilliard::published::Published::HighestOfMux6;
use warpstack::util::band::Band;
use warpstack::validate::papers::{Paper, compare};

const SPEED: &str = "speed (billion GPop/s)";

static PAGE: LazyLock<String> = LazyLock::new(|| {
    let mut robilliard = figures("section 5", "highest evaluation speedup", &["g80, mux6"]);
    robilliard[0].id = HighestOfMux6.on("g80");
    let drawn = figures(
        "figure 3",
        "evaluation speedup",
        &[
            "g80, sextic 64, population 500",
            "g80, sextic 64, population 2500",
        ],
    );
    let mut langdon = figures("section 8", SPEED, &["gtx295, best configuration"]);
    langdon[0].id = BestSpeed.of("gtx295");
    langdon[0].predicted = Band::over([141.0, 70.5, 282.0]);
    langdon.extend(figures(
        "figure 5",
        SPEED,
        &["gtx295, 8 threads per program, 64 per block"],
    ));
    let content = Content {
        papers: vec![
            part(Paper::Robilliard, [robilliard, drawn].concat()),
            part(Paper::Langdon, langdon),
            part(Paper::Gpocl, gpocl()),
        ],
        ..Content::default()
    };
    page(&content).unwrap()
});

/// Returns figures whose values count up from 1.
fn figures(
    experiment: &'static str,
    quantity: &'static str,
    configurations: &[&str],
) -> Vec<Figure> {
    let figure =
        |(at, &place): (usize, &&str)| Figure::new(experiment, place, quantity, 1.0 + at as f64);
    configurations.iter().enumerate().map(figure).collect()
}

/// A table and a surface.
fn gpocl() -> Vec<Figure> {
    let strategies = ["gtx285 fp", "gtx285 pppe", "gtx285 ppcu"];
    let mut all = figures("table 4", "peak speed (billion GPop/s)", &strategies);
    all.extend(figures(
        "table 4",
        "median speed (billion GPop/s)",
        &strategies,
    ));
    let cells = [
        "gtx285 fp, 100 programs, 500 rows",
        "gtx285 fp, 100 programs, 1000 rows",
    ];
    for figure in &mut all {
        let quantity = match figure.quantity.starts_with("peak") {
            true => Quantity::Peak,
            false => Quantity::Median,
        };
        figure.id = quantity.of(Domain::Regression, &[&figure.configuration]);
    }
    all.extend(figures("figure 7", SPEED, &cells));
    all
}

fn part(paper: Paper, figures: Vec<Figure>) -> PaperPart {
    let name = paper.name();
    PaperPart {
        paper,
        rows: compare(paper, figures).unwrap(),
        command: format!("warpstack reproduce --paper {name} --chart {name}.svg"),
    }
}

#[test]
fn it_has_the_structure_of_every_page() {
    check_structure(&PAGE);
}

#[test]
fn every_paper_has_its_numbers_its_figures_and_its_commands() {
    let html = Html::parse_document(&PAGE);
    let titles: Vec<String> = select(&html, "[id^=paper-]")
        .into_iter()
        .map(text)
        .collect();
    assert_eq!(titles.len(), 3);
    for (title, name) in titles.iter().zip(["Robilliard", "Langdon", "GPOCL"]) {
        assert!(title.starts_with(name), "{title}");
    }
    // One for every kind of chart.
    let drawings: Vec<String> = select(&html, "svg title").into_iter().map(text).collect();
    for name in [
        "Figure 3: sextic, evaluation",
        "Figure 5: initial generation, one chip",
        "Table 4: regression, gtx285",
        "Figure 7: regression, FP, gtx285",
    ] {
        assert!(
            drawings.iter().any(|drawing| drawing == name),
            "{drawings:?}"
        );
    }
    let commands = select(&html, "code.command");
    let of_papers = commands.into_iter().map(text);
    let of_papers = of_papers.filter(|text| text.contains(" --paper "));
    let of_papers: Vec<String> = of_papers.collect();
    assert_eq!(of_papers.len(), 3, "{of_papers:?}");
    for command in of_papers {
        check_command(&command.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn published_numbers_stand_once_with_the_range_of_their_readings() {
    let html = Html::parse_document(&PAGE);
    let rows: Vec<Vec<String>> = select(&html, "tbody tr")
        .into_iter()
        .map(|row| row.child_elements().map(text).collect())
        .collect();
    let with = |part: &str| -> Vec<&Vec<String>> {
        let found = rows.iter();
        found.filter(|row| row[0].contains(part)).collect()
    };
    let best = with("gtx295, best configuration");
    assert_eq!(best.len(), 1, "all readings are in one row");
    assert_eq!(
        best[0][1..],
        ["141", "141", "+0.0", "70.5 to 282", "-50.0 to +100.0"]
    );
    let mux6 = with("g80, mux6");
    assert_eq!(mux6[0][1..], ["1", "1", "+0.0", "–", "–"]);
    assert_eq!(with("table 4").len(), 6);
    assert!(
        with("figure 7").is_empty(),
        "nothing was published for a surface's cells"
    );
}

#[test]
fn it_is_as_wide_as_the_screen() {
    browser::check_widths(&PAGE, "papers");
}
