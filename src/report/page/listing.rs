//! A kernel's machine code as a launch runs it: how often each instruction issues, what warps wait for before it, hot lines marked.
//!
//! Leaves out: counting (`engine/annotate.rs`). Units: per operation, one node on 32 fitness cases; cycles are those of warps, of which
//! many stand at a time.

use super::html::command;
use crate::predictor::annotate::{Annotated, AnnotatedLine};
use crate::report::annotation::{HOT, address, is_hot, waits};
use maud::{Markup, html};

/// Hot lines that stand above the whole listing at most.
const SHOWN: usize = 8;

/// The hottest lines, and the whole listing folded away.
pub fn listing(name: &str, annotated: &Annotated, command_text: &str) -> Markup {
    let mut hot: Vec<&AnnotatedLine> = annotated
        .lines
        .iter()
        .filter(|line| is_hot(line, annotated))
        .collect();
    hot.sort_by(|a, b| b.percent_of_cycles.total_cmp(&a.percent_of_cycles));
    let part: f64 = hot.iter().map(|line| line.percent_of_cycles).sum();
    let n_hot = hot.len();
    hot.truncate(SHOWN);
    let all: Vec<&AnnotatedLine> = annotated.lines.iter().collect();
    let [hottest, whole] = ["hottest instructions", "whole listing"]
        .map(|what| format!("{name}, best configuration: {what}"));
    html! {
        h4 { "Instruction by instruction" }
        p {
            "The machine code of the best configuration (" (annotated.code) ", " code { (annotated.kernel) } "), as the simulator runs it: "
            (format!("{:.1}", annotated.cycles_per_operation)) " warp cycles per operation. " (n_hot) " of " (all.len())
            " instructions are hot, with at least " (HOT) " times an even share of the cycles; together they have "
            (format!("{part:.0}")) " %."
        }
        (lines(&hottest, &hot, annotated))
        details class="listing" {
            summary { "All " (all.len()) " instructions that issue" }
            (lines(&whole, &all, annotated))
        }
        (command(command_text))
    }
}

fn lines(caption: &str, lines: &[&AnnotatedLine], annotated: &Annotated) -> Markup {
    let most = annotated.lines.iter().map(|line| line.percent_of_cycles);
    let most = most.fold(f64::MIN_POSITIVE, f64::max);
    html! {
        div class="scroll" role="region" tabindex="0" aria-label=(caption) {
            table class="sortable code" {
                caption { span { (caption) } }
                thead { tr {
                    th scope="col" class="text hex" { "at" }
                    th scope="col" class="text" { "instruction" }
                    th scope="col" class="text" { "source" }
                    th scope="col" class="text" { "for" }
                    th scope="col" class="text" { "waits for (cycles)" }
                    th scope="col" { "issues" }
                    th scope="col" { "warp cycles" }
                    th scope="col" { "cycles, %" }
                } }
                tbody { @for line in lines { (row(line, is_hot(line, annotated), most)) } }
            }
        }
    }
}

fn row(line: &AnnotatedLine, is_hot: bool, most: f64) -> Markup {
    let width = format!("--w:{:.1}%", 100.0 * line.percent_of_cycles / most);
    html! {
        tr class=[is_hot.then_some("hot")] {
            th scope="row" { (address(line)) @if is_hot { span class="hidden" { " hot" } } }
            td class="text" { code { (line.text) } }
            td class="text" { @if let Some(place) = &line.source {
                span title=[place.text.as_deref()] { (place.file) ":" (place.line) }
            } }
            td class="text" { (line.role.name()) }
            td class="text" { (waits(line)) }
            td { (format!("{:.3}", line.issues_per_operation)) }
            td { (format!("{:.2}", line.cycles_per_operation)) }
            td class="share" style=(width) { (format!("{:.1}", line.percent_of_cycles)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::cause::Cause;
    use crate::launch::prediction::Configuration;
    use crate::predictor::annotate::Wait;
    use crate::trace::mix::Role;

    fn line(address: u32, percent_of_cycles: f64) -> AnnotatedLine {
        AnnotatedLine {
            address,
            source: None,
            text: format!("IADD R{address}, <R1>"),
            role: Role::Integer,
            issues_per_operation: 0.5,
            cycles_per_operation: percent_of_cycles / 10.0,
            percent_of_cycles,
            not_selected_per_operation: 0.0,
            waits: vec![Wait {
                cause: Cause::L2,
                cycles_per_operation: percent_of_cycles / 20.0,
            }],
        }
    }

    #[test]
    fn hot_lines_come_first_and_every_line_is_listed_once() {
        let mut lines: Vec<AnnotatedLine> = (0..18).map(|at| line(at, 1.0)).collect();
        lines.push(line(0x80, 30.0));
        lines.push(line(0x88, 52.0));
        let annotated = Annotated {
            kernel: "a kernel".into(),
            code: "sm_35".into(),
            configuration: Configuration {
                problem: "sextic".into(),
                kernel: "rpn".into(),
                stack_dim: 1,
                stack_registers: 0,
                threads_per_block: 32,
                case_blocks: 1,
                l1_bytes: None,
                population: None,
                cases: None,
                threads_per_program: None,
            },
            cycles_per_operation: 10.0,
            lines,
        };
        let text = listing("Table 4", &annotated, "warpstack annotate").into_string();
        let (above, whole) = text.split_once("<details").unwrap();
        assert!(above.contains("2 of 20 instructions") && above.contains("82 %"));
        assert_eq!(above.matches("<tr class=\"hot\"").count(), 2);
        assert!(above.find("0088") < above.find("0080"), "the hottest first");
        assert_eq!(whole.matches("<tr").count(), 1 + 20);
        assert!(whole.contains("&lt;R1&gt;") && whole.contains("long scoreboard: stack, L2 2.60"));
    }
}
