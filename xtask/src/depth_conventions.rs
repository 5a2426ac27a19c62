//! Would another way to count stack levels explain Tables 5 and 6?
//!
//! Counts the programs of the committed corpora in other orders of evaluation and with another offset, and prints the
//! distance to the paper: `cargo xtask depth-conventions`. See `docs/tables-5-6.md`.

use super::{Failure, in_repository};
use warpstack::gp::corpus::Corpus;
use warpstack::gp::depth_profile::Representation::{self, Lgp, Rpn};
use warpstack::gp::program::{self, Token};
use warpstack::gp::programs::paper_depths::paper_percentages;

/// In which order a function's operands are evaluated.
#[derive(Debug, Clone, Copy)]
enum Order {
    /// As written; what warpstack counts.
    LeftFirst,
    RightFirst,
    /// The operand that needs most levels first: the fewest levels possible.
    DeepestFirst,
    DeepestLast,
}

/// Levels that the subtree at `root` needs, and whether its value occupies one.
fn levels(
    program: &program::Rpn,
    root: usize,
    which: Representation,
    order: Order,
) -> (usize, bool) {
    let Token::Apply(function) = program.0[root] else {
        return match which {
            Rpn => (1, true),
            Lgp => (0, false),
        };
    };
    let mut next = root;
    let mut operands: Vec<(usize, bool)> = (0..function.arity())
        .map(|_| {
            let operand = next - 1;
            next = program.subtree(operand).start;
            levels(program, operand, which, order)
        })
        .collect();
    match order {
        Order::LeftFirst => operands.reverse(),
        Order::RightFirst => {}
        Order::DeepestFirst => operands.sort_by(|a, b| b.cmp(a)),
        Order::DeepestLast => operands.sort(),
    }
    let (mut held, mut most) = (0, 1);
    for (depth, occupies) in operands {
        most = most.max(held + depth);
        held += usize::from(occupies);
    }
    (most, true)
}

pub fn run() -> Result<(), Failure> {
    println!("problem, table, order, offset, mean absolute error");
    for problem in ["sextic", "shuttle", "mux20"] {
        let path = in_repository(&format!("fixtures/corpus/{problem}.corpus"));
        let corpus = Corpus::load(&path)?;
        for which in [Rpn, Lgp] {
            let paper = paper_percentages(which, problem)?;
            for order in [
                Order::LeftFirst,
                Order::RightFirst,
                Order::DeepestFirst,
                Order::DeepestLast,
            ] {
                let depths: Vec<usize> = (corpus.entries.iter())
                    .map(|e| {
                        levels(&e.program, e.program.n_nodes() - 1, which, order)
                            .0
                            .max(1)
                    })
                    .collect();
                for offset in [-1, 0, 1] {
                    let error = |&(limit, percent): &(usize, f64)| {
                        let fits = |&&depth: &&usize| depth as i64 + offset <= limit as i64;
                        let within = depths.iter().filter(fits).count();
                        (100.0 * within as f64 / depths.len() as f64 - percent).abs()
                    };
                    let mean = paper.iter().map(error).sum::<f64>() / paper.len() as f64;
                    println!(
                        "{problem}, {}, {order:?}, {offset:+}, {mean:.1}",
                        which.name()
                    );
                }
            }
        }
    }
    Ok(())
}
