//! Are charts drawn with every panel and layer, and saved whole or not at all?

use warpstack::report::chart::bars::{Bar, StackedBars};
use warpstack::report::chart::theme::Theme;
use warpstack::report::chart::{self, Chart, Look, check_path, svg, tables::speeds};
use warpstack::validate::papers::{ComparedFigure, Paper};
use warpstack::validate::{CellSplit, Compared, Measured, Table, cells};

/// Measured cells with a made-up prediction 10 % above each: enough to draw, no result.
fn drawn_cells(table: Table) -> Vec<Compared> {
    let measured = Measured::of_paper(table).unwrap();
    cells(table, "sextic")
        .into_iter()
        .map(|cell| {
            let value = measured.get(&cell);
            Compared {
                cell,
                split: CellSplit::HeldOut,
                predicted_gpops_billion: value.map_or(20.0, |value| 1.1 * value.gpops_billion),
                measured: value,
            }
        })
        .collect()
}

fn two_bars() -> StackedBars {
    let layers = |values: [f64; 5]| {
        let names = ["issued", "l1_hit", "shared", "dram", "no_warp"];
        names.map(String::from).into_iter().zip(values).collect()
    };
    let bar = |label: &str, values| Bar {
        label: label.into(),
        layers: layers(values),
    };
    StackedBars::new(
        "Where the cycles go".into(),
        "scheduler cycles per GP operation".into(),
        vec![
            bar("one", [2.0, 5.0, 0.0, 0.02, 0.01]),
            bar("two", [3.0, 1.0, 0.0, 0.0, 0.04]),
        ],
    )
}

#[test]
fn every_axis_value_has_a_panel_and_every_cell_a_point() {
    for (table, n_panels) in [(Table::Three, 3), (Table::Four, 5), (Table::Nine, 3)] {
        let cells = drawn_cells(table);
        let text = svg(&speeds(&cells)).unwrap();
        let titles = text.matches(table.axis_title()).count();
        assert_eq!(titles, n_panels);
        // A point for each prediction and each measured value, and in the legends of the panels one for each kind.
        let n_measured = cells.iter().filter(|cell| cell.measured.is_some()).count();
        let n_legends = if n_measured == 0 {
            n_panels
        } else {
            2 * n_panels
        };
        let n_points = cells.len() + n_measured + n_legends;
        assert_eq!(text.matches("<circle").count(), n_points);
    }
}

#[test]
fn bars_show_layers_that_exist_and_no_others() {
    let text = svg(&two_bars()).unwrap();
    assert!(text.contains("issued") && text.contains("l1_hit"));
    assert!(!text.contains("shared"), "no cycle anywhere");
    assert!(
        !text.contains("dram") && text.contains("other"),
        "small layers are joined"
    );
}

fn save(chart: &dyn Chart, path: &std::path::Path) -> Result<(), chart::ChartError> {
    chart::save(chart, path, Look::default())
}

/// Width and height in the head of a PNG.
fn size_of(png: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn a_drawing_is_as_wide_and_as_dark_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let look = Look {
        theme: Theme::Dark,
        width: Some(1800),
    };
    let drawn = |name: &str, look| {
        let path = folder.path().join(name);
        chart::save(&two_bars(), &path, look).unwrap();
        std::fs::read(path).unwrap()
    };
    let plain = size_of(&drawn("plain.png", Look::default()));
    assert_eq!(plain.0, 900);
    assert_eq!(size_of(&drawn("wide.png", look)), (1800, 2 * plain.1));
    let svg = String::from_utf8(drawn("wide.svg", look)).unwrap();
    let head = format!(
        "<svg width=\"1800\" height=\"{}\" viewBox=\"0 0 900 {}\"",
        2 * plain.1,
        plain.1
    );
    assert!(svg.starts_with(&head), "{}", &svg[..90]);
    assert!(
        svg.contains("fill=\"#14181F\"") && !svg.contains("#282828"),
        "dark paper, light ink"
    );
    let light = String::from_utf8(drawn("light.svg", Look::default())).unwrap();
    assert!(light.contains("#282828") && light.matches('<').count() == svg.matches('<').count());
}

#[test]
fn png_and_svg_are_written_and_other_extensions_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name);
    save(&two_bars(), &path("a.svg")).unwrap();
    save(&two_bars(), &path("a.png")).unwrap();
    let png = std::fs::read(path("a.png")).unwrap();
    assert_eq!(&png[1..4], b"PNG");
    let error = save(&two_bars(), &path("a.gif")).unwrap_err().to_string();
    assert!(error.contains("\"gif\"; allowed: svg, png"), "{error}");
    assert!(check_path(&path("no/a.svg")).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// Charts to look at: `WARPSTACK_CHARTS=<folder> cargo test --test pages charts::`.
#[test]
fn charts_to_look_at() {
    let Some(folder) = std::env::var_os("WARPSTACK_CHARTS") else {
        println!("skipped: WARPSTACK_CHARTS is not set");
        return;
    };
    let folder = std::path::PathBuf::from(folder);
    for table in Table::ALL {
        let cells = drawn_cells(table);
        let name = format!("table{}.png", table.number());
        save(&speeds(&cells), &folder.join(name)).unwrap();
    }
    save(&two_bars(), &folder.join("bars.png")).unwrap();
}

/// One row of a reproduction, with made-up values.
fn row(
    experiment: &'static str,
    configuration: &str,
    quantity: &'static str,
    published: Option<f64>,
) -> ComparedFigure {
    ComparedFigure {
        paper: "made up",
        experiment,
        configuration: configuration.into(),
        quantity,
        predicted: 7.5,
        range: None,
        published,
    }
}

fn drawn(paper: Paper, rows: &[ComparedFigure]) -> String {
    svg(&chart::papers::sheet(paper, rows)).unwrap()
}

fn has_all(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn langdons_sheet_has_the_figures_that_have_rows_and_what_was_published() {
    const SPEED: &str = "speed (billion GPop/s)";
    let mut rows = vec![
        row(
            "figure 5",
            "gtx295, 8 threads per program, 64 per block",
            SPEED,
            None,
        ),
        row(
            "figure 5",
            "gtx295, 8 threads per program, 256 per block",
            SPEED,
            None,
        ),
        row(
            "section 8",
            "gtx295, best configuration",
            SPEED,
            Some(141.0),
        ),
        row("figure 7", "gtx295, mux20, mean of 55 nodes", SPEED, None),
        row("figure 7", "t10p, mux20, mean of 300 nodes", SPEED, None),
    ];
    let text = drawn(Paper::Langdon, &rows);
    has_all(
        &text,
        &[
            "Figure 5",
            "8 threads per program",
            "best: 141",
            "Figure 7: mux20",
            "t10p",
        ],
    );
    assert!(!text.contains("Figure 8") && !text.contains("mux37"));
    // Four points, and a sample of each of three lines in the legends.
    assert_eq!(text.matches("<circle").count(), 4 + 3);
    rows.clear();
    assert!(svg(&chart::papers::sheet(Paper::Langdon, &rows)).is_err());
}

#[test]
fn gpocls_sheet_has_tables_beside_published_ones_and_a_surface_for_each_strategy() {
    let mut rows = Vec::new();
    for strategy in ["fp", "pppe", "ppcu"] {
        let name = format!("gtx285 {strategy}");
        for quantity in [
            "peak speed (billion GPop/s)",
            "median speed (billion GPop/s)",
        ] {
            rows.push(row("table 4", &name, quantity, Some(10.25)));
        }
        let cell = format!("{name}, 100 programs, 50000 rows");
        rows.push(row("figure 7", &cell, "speed (billion GPop/s)", None));
    }
    let text = drawn(Paper::Gpocl, &rows);
    has_all(
        &text,
        &[
            "Table 4: regression, gtx285",
            "10.2",
            "7.5",
            "PPPE",
            "50000",
        ],
    );
    assert_eq!(text.matches("Figure 7").count(), 3);
    assert!(!text.contains("classification"));
}

#[test]
fn robilliards_sheet_has_speedups_with_the_published_range_and_breeding() {
    let parts = [
        "evaluation speedup",
        "breeding of a generation (ms)",
        "GPU evaluation: compaction and translation (ms)",
        "GPU evaluation: transfers (ms)",
        "GPU evaluation: kernel and launch (ms)",
    ];
    let place = |population| format!("g80, sextic 64, population {population}");
    let of = |population: u32| parts.map(|part| row("figure 3", &place(population), part, None));
    let mut rows: Vec<ComparedFigure> = [100, 12500].map(of).concat();
    let five = "g80, five benchmarks";
    rows.push(row(
        "section 5",
        five,
        "highest evaluation speedup",
        Some(80.0),
    ));
    let text = drawn(Paper::Robilliard, &rows);
    has_all(
        &text,
        &[
            "Figure 3: sextic, evaluation",
            "highest: 80",
            "sextic 64",
            "12500",
        ],
    );
    has_all(&text, &["Figure 6", "as long"]);
    assert!(!text.contains("whole runs"));
}
