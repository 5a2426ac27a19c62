//! The file of answers: written empty, read with the lines of its errors.
//!
//! Every key has a text from the start, so that the empty file is valid TOML; an empty text is unanswered. A number may stand
//! alone or in quotes. Leaves out: marking. Units: those of the questions.

use super::questions::{QUESTIONS, Question, TASKS};
use super::unit::{Answer, POINTS, SHARE, Unit};
use crate::commands::names::nearest;
use crate::util::input::toml_line;
use crate::util::refused::Refused;
use std::collections::BTreeMap;
use toml::{Spanned, Value};

/// Answers in the order of [`QUESTIONS`]; `None` where there is none.
pub type Answers = Vec<Option<Answer>>;

type Section = BTreeMap<Spanned<String>, Spanned<Value>>;

/// Returns the empty file.
pub fn template() -> String {
    let percent = 100.0 * SHARE;
    let mut text = format!(
        "# Answers to the lab. `warpstack lab check answers.toml` marks them.\n\
         # Write a number, or a name in quotes; \"\" counts as unanswered.\n\
         # Counts and names must be exact, percentages within {POINTS} point, other numbers within {percent} %.\n"
    );
    for (task, title) in TASKS {
        text += &format!("\n# {title}\n[{task}]\n");
        for question in QUESTIONS.iter().filter(|one| one.task == task) {
            let unit = question.unit.words();
            text += &format!("# {} ({unit})\n{} = \"\"\n", question.asked, question.key);
        }
    }
    text
}

/// Reads answers; `file` is used in messages only.
pub fn read(text: &str, file: &str) -> Result<Answers, Refused> {
    let parsed = toml::from_str::<BTreeMap<Spanned<String>, Spanned<Section>>>(text);
    let sections = parsed.map_err(|error| {
        let line = toml_line(text, &error);
        let given = text.lines().nth(line - 1).unwrap_or_default().trim();
        let message = error.message().replace('\n', " ");
        let allowed = format!("sections of keys with a number or a text ({message})");
        Refused::new(format_args!("{file}, line {line}"), given, allowed)
    })?;
    let place = |start: usize| {
        let line = text[..start.min(text.len())].matches('\n').count() + 1;
        format!("{file}, line {line}")
    };
    let mut answers: Answers = vec![None; QUESTIONS.len()];
    for (task, section) in &sections {
        let name = task.get_ref();
        let keys: Vec<&str> = keys_of(name);
        if keys.is_empty() {
            let tasks = TASKS.map(|(task, _)| task);
            return Err(unknown(place(task.span().start), name, &tasks));
        }
        for (key, value) in section.get_ref() {
            let at = QUESTIONS
                .iter()
                .position(|one| one.task == name && one.key == key.get_ref());
            let Some(at) = at else {
                return Err(unknown(place(key.span().start), key.get_ref(), &keys));
            };
            let answer = answer(&QUESTIONS[at], value.get_ref());
            answers[at] = answer.map_err(|error| error.within(place(key.span().start)))?;
        }
    }
    Ok(answers)
}

fn keys_of(task: &str) -> Vec<&'static str> {
    let of_task = QUESTIONS.iter().filter(|one| one.task == task);
    of_task.map(|one| one.key).collect()
}

fn unknown(place: String, given: &str, allowed: &[&str]) -> Refused {
    let names = allowed.join(", ");
    match nearest(given, allowed) {
        Some(near) => Refused::new(place, given, format_args!("{names}; did you mean {near}?")),
        None => Refused::new(place, given, names),
    }
}

/// Reads an answer; `None` for an empty text.
fn answer(question: &Question, value: &Value) -> Result<Option<Answer>, Refused> {
    let names = question.unit.names();
    let refused = || {
        let allowed = match names.is_empty() {
            true => format!("a number ({}), or \"\"", question.unit.words()),
            false => format!("{}, in quotes, or \"\"", names.join(", ")),
        };
        Refused::new(question.name(), value, allowed)
    };
    let number = |number: f64| match names.is_empty() && number.is_finite() {
        true => Ok(Some(Answer::Number(number))),
        false => Err(refused()),
    };
    match value {
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) if names.is_empty() => {
            let digits = match question.unit {
                Unit::Percent => text.trim().trim_end_matches('%'),
                _ => text,
            };
            number(digits.trim().parse().map_err(|_| refused())?)
        }
        Value::String(text) => {
            let same = |name: &&&str| name.eq_ignore_ascii_case(text.trim());
            let known = names.iter().find(same).ok_or_else(refused)?;
            Ok(Some(Answer::Name(known)))
        }
        Value::Integer(whole) => number(*whole as f64),
        Value::Float(value) => number(*value),
        _ => Err(refused()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_read_as_unanswered() {
        let answers = read(&template(), "a.toml").unwrap();
        assert_eq!(answers, vec![None; QUESTIONS.len()]);
        assert_eq!(read("", "a.toml").unwrap(), answers);
    }

    #[test]
    fn numbers_stand_alone_or_in_quotes_and_names_in_any_case() {
        let text = "[occupancy]\nresident_warps_32 = \"16\"\ngain_32_to_64 = \"-8.5 %\"\nwithout_limit_32 = 2\nlimit_32 = \"l1 Misses\"\n";
        let answers = read(text, "a.toml").unwrap();
        let given: Vec<&Answer> = answers.iter().flatten().collect();
        let number = Answer::Number;
        assert_eq!(
            given,
            [
                &number(16.0),
                &number(-8.5),
                &Answer::Name("L1 misses"),
                &number(2.0)
            ]
        );
    }

    #[test]
    fn errors_name_file_line_and_key() {
        for (text, parts) in [
            (
                "[occupancy]\nlimit_23 = \"\"\n",
                ["line 2", "limit_23", "did you mean limit_32"],
            ),
            ("\n[cach]\n", ["line 2", "cach", "did you mean cache"]),
            (
                "[cache]\nstacks_128 = \"many\"\n",
                ["line 2", "cache.stacks_128", "a number (KiB)"],
            ),
            (
                "[cache]\nlimit_128 = 3\n",
                ["line 2", "cache.limit_128", "given 3"],
            ),
            (
                "[cache]\nlimit_128 = \"luck\"\n",
                ["line 2", "\"luck\"", "L1 misses"],
            ),
            (
                "[cache]\nstacks_128 = [1]\n",
                ["line 2", "cache.stacks_128", "[1]"],
            ),
            (
                "[cache]\nstacks_128 = nan\n",
                ["line 2", "cache.stacks_128", "nan"],
            ),
            (
                "[cache]\nstacks_128 =\n",
                ["a.toml", "line 2", "stacks_128 ="],
            ),
            ("cache = 3\n", ["a.toml", "line 1", "cache = 3"]),
        ] {
            let message = read(text, "a.toml").unwrap_err().to_string();
            for part in parts {
                assert!(message.contains(part), "{part}: {message}");
            }
        }
    }
}
