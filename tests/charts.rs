//! Are charts drawn with every panel and layer, and saved whole or not at all?

#![cfg(feature = "report")]

use warpstack::report::chart::bars::{Bar, StackedBars};
use warpstack::report::chart::{check_path, panels::Panels, save, svg};
use warpstack::validate::{Compared, Measured, Split, Table, cells};

/// Measured cells with a made-up prediction 10 % above each: enough to draw, no result.
fn drawn_cells(table: Table) -> Vec<Compared> {
    let measured = Measured::of_paper(table).unwrap();
    cells(table, "sextic")
        .into_iter()
        .map(|cell| {
            let value = measured.get(&cell);
            Compared {
                cell,
                split: Split::HeldOut,
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
        let text = svg(&Panels::new(&cells)).unwrap();
        let titles = text.matches(table.axis_title()).count();
        assert_eq!(titles, n_panels);
        // One circle per measured cell and one in the legend.
        let n_measured = cells.iter().filter(|cell| cell.measured.is_some()).count();
        assert_eq!(text.matches("<circle").count(), n_measured + 1);
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

/// Charts to look at: `WARPSTACK_CHARTS=<folder> cargo test --test charts`.
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
        save(&Panels::new(&cells), &folder.join(name)).unwrap();
    }
    save(&two_bars(), &folder.join("bars.png")).unwrap();
}
