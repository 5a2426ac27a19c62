//! The measurements on an H200.
//!
//! Leaves out: choosing the best (`validate/ladder.rs`). Units: billions of GPop/s.

use super::Content;
use crate::validate::ladder::Rung;
use maud::{Markup, html};

/// Interpreters in the paper's order.
const RUNGS: [(&str, bool); 6] = [
    ("rpn", false),
    ("rpn", true),
    ("lgp", false),
    ("lgp", true),
    ("lgp-vector", true),
    ("lgp-registers", true),
];

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
    kernels.sort_by_key(|kernel| (RUNGS.iter().position(|rung| rung == kernel), *kernel));
    let find = |kernel: (&str, bool), problem: &str| {
        let mut rungs = content.h200.iter();
        rungs.find(|rung| {
            (rung.kernel.as_str(), rung.two_dimensional) == kernel && rung.problem == problem
        })
    };
    let title = |kernel: (&str, bool)| match kernel.1 {
        true => format!("{}, two-dimensional stack", kernel.0),
        false => format!("{}, one-dimensional stack", kernel.0),
    };
    let caption = "Fastest measured configuration on an H200, billions of GPop/s ± half of what its timings spread; below it \
                   second dimension, levels in registers, threads per block";
    html! {
        p {
            "The same kernels, compiled for a chip nine years younger and measured there (1000 programs, accurate math). What the paper "
            "found holds: a second dimension speeds every interpreter up, and linear programs with one beat postfix programs."
        }
        @if kernels.is_empty() { p { "No measurement is part of this page." } }
        @else {
            div class="scroll" role="region" tabindex="0" aria-label="Measured on an H200" {
                table {
                    caption { span { (caption) } }
                    thead { tr {
                        th scope="col" class="text" { "interpreter" }
                        @for problem in &problems { th scope="col" { (problem) } }
                    } }
                    tbody { @for kernel in &kernels { tr {
                        th scope="row" { (title(*kernel)) }
                        @for problem in &problems { td { @match find(*kernel, problem) {
                            Some(rung) => (value(rung)),
                            None => "–",
                        } } }
                    } } }
                }
            }
        }
    }
}

fn value(rung: &Rung) -> Markup {
    let half = rung.gpops_billion * rung.spread_percent / 200.0;
    html! {
        (format!("{:.0} ± {half:.0}", rung.gpops_billion))
        span class="extra" {
            (rung.stack_dim) ", " (rung.stack_registers) ", " (rung.threads_per_block)
        }
    }
}
