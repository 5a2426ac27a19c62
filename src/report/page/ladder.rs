//! The measurements on an H200.
//!
//! Leaves out: choosing the best (`validate/ladder.rs`). Units: billions of GPop/s.

use super::Content;
use super::html::wide_table;
use crate::validate::ladder::Rung;
use maud::{Markup, html};

pub fn section(content: &Content) -> Markup {
    let mut kernels: Vec<(&str, bool)> = Vec::new();
    let mut problems: Vec<&str> = Vec::new();
    for rung in &content.h200 {
        let kernel = (rung.kernel.as_str(), rung.two_dimensional);
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
        if !problems.contains(&rung.problem.as_str()) {
            problems.push(&rung.problem);
        }
    }
    kernels.sort();
    let find = |kernel: (&str, bool), problem: &str| {
        let mut rungs = content.h200.iter();
        rungs.find(|rung| {
            (rung.kernel.as_str(), rung.two_dimensional) == kernel && rung.problem == problem
        })
    };
    let row = |kernel: &(&str, bool)| {
        let dimension = if kernel.1 {
            "two-dimensional stack"
        } else {
            "one-dimensional stack"
        };
        let name = format!("{}, {dimension}", kernel.0);
        let values = problems
            .iter()
            .map(|problem| find(*kernel, problem).map_or("–".into(), text));
        [name].into_iter().chain(values).collect::<Vec<String>>()
    };
    let rows: Vec<Vec<String>> = kernels.iter().map(row).collect();
    let headers: Vec<&str> = ["interpreter"]
        .into_iter()
        .chain(problems.iter().copied())
        .collect();
    let caption = "Fastest measured configuration on an H200, billions of GPop/s ± half of what its ten timings spread; \
                   in brackets second dimension, levels in registers, threads per block";
    html! {
        p {
            "The same kernels, compiled for a chip nine years younger and measured there (1000 programs, accurate math). The order of the "
            "interpreters is the paper's: a second dimension helps, linear programs help more."
        }
        @if rows.is_empty() { p { "No measurement is part of this page." } }
        @else { (wide_table(caption, &headers, &rows, 1)) }
    }
}

fn text(rung: &Rung) -> String {
    let half = rung.gpops_billion * rung.spread_percent / 200.0;
    format!(
        "{:.0} ± {half:.0} ({}, {}, {})",
        rung.gpops_billion, rung.stack_dim, rung.stack_registers, rung.threads_per_block
    )
}
