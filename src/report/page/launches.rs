//! Predicted against measured launches on another device, choices made on some and held out on others.
//!
//! Leaves out: measuring and predicting. Units: milliseconds per launch.

use super::html::{Picture, command, picture, wide_table};
use super::{Content, draw};
use crate::report::chart::scatter::{Point, Scatter, Series};
use crate::validate::stats;
use maud::{Markup, html};
use std::error::Error;

/// One measured launch and its prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedLaunch {
    pub kernel: String,
    pub problem: String,
    /// Fitted values of the device were chosen on it.
    pub fitted: bool,
    pub measured_ms: f64,
    pub predicted_ms: f64,
}

impl ComparedLaunch {
    fn error_percent(&self) -> f64 {
        100.0 * (self.predicted_ms / self.measured_ms - 1.0)
    }
}

/// Nothing if no launch was predicted.
pub fn comparison(content: &Content) -> Result<Markup, Box<dyn Error>> {
    let launches = &content.launches;
    if launches.is_empty() {
        return Ok(html! {});
    }
    let scatter = Picture {
        title: "Measured and predicted time of a launch on an H200".into(),
        caption: format!(
            "{} launches, by kernel. On the line the prediction is right, between the dashed lines it is within 20 %; a dark rim marks \
             launches that fitted values were chosen on.",
            launches.len()
        ),
        description: "The table below has the errors.".into(),
        command: String::new(),
        svg: draw(&scatter(launches))?,
    };
    let headers = [
        "launches of",
        "launches",
        "mean |error|, %",
        "median |error|, %",
        "mean error, %",
    ];
    Ok(html! {
        (picture(&scatter))
        (wide_table("Errors of the predicted times on an H200", &headers, &rows(launches), 1))
        (command(&content.launches_command))
    })
}

fn kernels(launches: &[ComparedLaunch]) -> Vec<&str> {
    let mut kernels: Vec<&str> = launches
        .iter()
        .map(|launch| launch.kernel.as_str())
        .collect();
    kernels.sort_unstable();
    kernels.dedup();
    kernels
}

fn scatter(launches: &[ComparedLaunch]) -> Scatter {
    let point = |launch: &ComparedLaunch| Point {
        name: Some(format!("{} on {}", launch.kernel, launch.problem)),
        measured: launch.measured_ms,
        measured_half: 0.0,
        predicted: launch.predicted_ms,
        predicted_half: 0.0,
        fitted: launch.fitted,
    };
    let series = |kernel: &&str| Series {
        name: kernel.to_string(),
        points: launches
            .iter()
            .filter(|launch| launch.kernel == *kernel)
            .map(point)
            .collect(),
    };
    Scatter {
        series: kernels(launches).iter().map(series).collect(),
        unit: "ms",
    }
}

fn rows(launches: &[ComparedLaunch]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (name, fitted) in [("fitted", true), ("held out", false)] {
        for kernel in kernels(launches) {
            let part = launches
                .iter()
                .filter(|l| l.fitted == fitted && l.kernel == kernel);
            rows.extend(row(format!("{kernel}: {name}"), part));
        }
        let part = launches.iter().filter(|launch| launch.fitted == fitted);
        rows.extend(row(format!("All {name}"), part));
    }
    rows
}

fn row<'a>(
    name: String,
    launches: impl Iterator<Item = &'a ComparedLaunch>,
) -> Option<Vec<String>> {
    let errors: Vec<f64> = launches.map(ComparedLaunch::error_percent).collect();
    let absolute: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    Some(vec![
        name,
        errors.len().to_string(),
        format!("{:.2}", stats::mean(&absolute)?),
        format!("{:.2}", stats::median(&absolute)?),
        format!("{:+.2}", stats::mean(&errors)?),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_apart_by_split_and_kernel() {
        let launch = |kernel: &str, fitted, predicted_ms| ComparedLaunch {
            kernel: kernel.into(),
            problem: "sextic".into(),
            fitted,
            measured_ms: 10.0,
            predicted_ms,
        };
        let launches = [
            launch("rpn", true, 11.0),
            launch("rpn", false, 8.0),
            launch("lgp", false, 12.0),
        ];
        let rows = rows(&launches);
        let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(
            names,
            [
                "rpn: fitted",
                "All fitted",
                "lgp: held out",
                "rpn: held out",
                "All held out"
            ]
        );
        assert_eq!(rows[4][1..], ["2", "20.00", "20.00", "+0.00"]);
        let content = Content {
            launches: launches.to_vec(),
            ..Content::default()
        };
        let text = comparison(&content).unwrap().into_string();
        assert!(text.contains("measured, ms"), "{text}");
    }
}
