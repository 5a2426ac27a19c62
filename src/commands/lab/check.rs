//! `warpstack lab check`: marks for the lab's answers.
//!
//! Right answers are computed and not printed. Leaves out: questions and tolerances (`questions.rs`). Units: those of the questions.

use super::answers::{self, Answers};
use super::facts::{Fact, Facts};
use super::questions::{QUESTIONS, Question};
use super::unit::Answer;
use crate::commands::CliResult;
use crate::commands::error::Negative;
use crate::commands::format::OutputArgs;
use crate::report::progress;
use crate::report::provenance::Provenance;
use crate::report::table::{WIDTH, table, wrapped};
use crate::util::input;
use serde::Serialize;
use std::path::PathBuf;

/// Mark the answers of the lab, and name what to look at after a wrong one; exit code 1 unless all are right.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// File of answers, as `warpstack lab start` writes it
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

/// Mark of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Mark {
    Right,
    Wrong,
    Unanswered,
}

impl Mark {
    fn name(self) -> &'static str {
        match self {
            Mark::Right => "right",
            Mark::Wrong => "wrong",
            Mark::Unanswered => "unanswered",
        }
    }
}

/// A marked answer.
#[derive(Debug, Serialize)]
struct Marked {
    question: String,
    unit: &'static str,
    given: Option<Answer>,
    mark: Mark,
    /// Hint after a wrong answer.
    look_at: Option<&'static str>,
}

pub fn run(args: &CheckArgs) -> CliResult {
    args.output.check()?;
    let file = args.file.display().to_string();
    let answers = answers::read(&input::named(&args.file)?, &file)?;
    let marked = marked(answers)?;
    let provenance = Provenance::of_program();
    args.output.print(&marked, &provenance, || text(&marked))?;
    let right = marked.iter().filter(|one| one.mark == Mark::Right).count();
    let summary = format!("{right} of {} right\n", marked.len());
    match right == marked.len() {
        true => {
            progress::say(&summary);
            Ok(())
        }
        false => Err(Negative(summary).into()),
    }
}

fn marked(answers: Answers) -> Fact<Vec<Marked>> {
    let facts = Facts::open()?;
    let pairs = QUESTIONS.iter().zip(answers);
    pairs.map(|(one, given)| mark(&facts, one, given)).collect()
}

fn mark(facts: &Facts, question: &Question, given: Option<Answer>) -> Fact<Marked> {
    let mark = match &given {
        None => Mark::Unanswered,
        Some(given) if question.unit.accepts(given, &(question.right)(facts)?) => Mark::Right,
        Some(_) => Mark::Wrong,
    };
    Ok(Marked {
        question: question.name(),
        unit: question.unit.words(),
        given,
        mark,
        look_at: (mark == Mark::Wrong).then_some(question.look_at),
    })
}

fn text(marked: &[Marked]) -> String {
    let given = |one: &Marked| match &one.given {
        Some(Answer::Number(number)) => format!("{number} {}", one.unit),
        Some(Answer::Name(name)) => (*name).to_owned(),
        None => String::new(),
    };
    let row = |one: &Marked| {
        let mark = one.mark.name().to_owned();
        vec![one.question.clone(), given(one), mark]
    };
    let rows = marked.iter().map(row).collect();
    let mut text = table(&["question", "given", "mark"], rows, usize::MAX);
    for one in marked {
        if let Some(hint) = one.look_at {
            text += "\n";
            text += &wrapped(&format!("{}: look at {hint}.", one.question), 0, WIDTH);
        }
    }
    text
}
