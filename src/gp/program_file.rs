//! Files of programs, one per line: postfix, or as GP libraries print them.
//!
//! Models: each line by itself as postfix or as an expression (`expression`); the inputs that the file's variables stand for, the
//! same on every line.
//! Leaves out: whether a problem has the functions and inputs.
//! Units: lines and inputs from 1.
//! Sources: DEAP numbers its arguments from `ARG0`, gplearn its features from `X0`, Operon its columns from `X1`.

use super::expression;
use super::program::{ProgramError, Rpn, Token};
use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

/// Error in a file of programs.
#[derive(Debug, thiserror::Error)]
pub enum ProgramFileError {
    #[error("programs `{file}`: {error}")]
    Read { file: String, error: std::io::Error },
    #[error("programs `{file}` line {line}: {problem}")]
    Line {
        file: String,
        line: usize,
        problem: String,
    },
    #[error("programs `{file}`: no program in it; expected one program per line")]
    Empty { file: String },
}

/// The first mapping of variables to inputs that were not called `X1`, `X2`, ...
static MAPPED: OnceLock<String> = OnceLock::new();

/// Returns the note on the first file read whose variables were not called `X1`, `X2`, ...
pub fn mapped() -> Option<&'static str> {
    MAPPED.get().map(String::as_str)
}

/// Reads the programs of a file, one per line; lines that begin with `#` are comments. `variables` are the names of the inputs in
/// order, `None`: numbered names.
pub fn read(path: &Path, variables: Option<&[String]>) -> Result<Vec<Rpn>, ProgramFileError> {
    let file = path.display().to_string();
    let read = crate::util::input::data(path);
    let text = read.map_err(|error| ProgramFileError::Read {
        file: file.clone(),
        error,
    })?;
    parse(&text, &file, variables)
}

/// Parses programs, one per line; `file` appears in messages only.
pub fn parse(
    text: &str,
    file: &str,
    variables: Option<&[String]>,
) -> Result<Vec<Rpn>, ProgramFileError> {
    let programs = text.lines().zip(1..);
    let programs = programs.filter(|(line, _)| !line.starts_with('#') && !line.trim().is_empty());
    let programs = parse_lines(programs, file, variables)?;
    match programs.is_empty() {
        true => Err(ProgramFileError::Empty { file: file.into() }),
        false => Ok(programs),
    }
}

/// Parses programs with their line numbers.
pub fn parse_lines<'a>(
    lines: impl IntoIterator<Item = (&'a str, usize)>,
    file: &str,
    variables: Option<&[String]>,
) -> Result<Vec<Rpn>, ProgramFileError> {
    let refuse = |line, problem| ProgramFileError::Line {
        file: file.to_owned(),
        line,
        problem,
    };
    let mut found = Variables::default();
    let mut programs: Vec<(usize, bool, Rpn)> = Vec::new();
    for (text, line) in lines {
        let is_expression = expression::is_expression(text);
        let program = match is_expression {
            true => expression::parse(text, &mut |name| found.number(name, line))
                .map_err(|error| error.to_string()),
            false => text
                .parse()
                .map_err(|error: ProgramError| error.to_string()),
        };
        let program = program.map_err(|problem| refuse(line, problem))?;
        programs.push((line, is_expression, program));
    }
    let inputs = found
        .inputs(variables)
        .map_err(|(line, problem)| refuse(line, problem))?;
    if let Some((name, other)) = found.renamed(&inputs) {
        let has_input = |program: &Rpn| {
            program
                .0
                .iter()
                .any(|token| matches!(token, Token::Input(_)))
        };
        let postfix = programs
            .iter()
            .find(|(_, is_expression, program)| !is_expression && has_input(program));
        if let Some((line, ..)) = postfix {
            let problem = format!(
                "postfix, with inputs X1, X2, ...; allowed beside variable `{name}` of line {other}: expressions only"
            );
            return Err(refuse(*line, problem));
        }
        MAPPED.get_or_init(|| found.note(file, &inputs));
    }
    let with_inputs = |(_, is_expression, mut program): (usize, bool, Rpn)| {
        for token in program.0.iter_mut().filter(|_| is_expression) {
            if let Token::Input(number) = token {
                *number = inputs[usize::from(*number)];
            }
        }
        program
    };
    Ok(programs.into_iter().map(with_inputs).collect())
}

/// The variables of a file in order of appearance, with the line of the first appearance.
#[derive(Debug, Default)]
struct Variables {
    names: Vec<(String, usize)>,
    numbers: HashMap<String, u16>,
}

/// Pairs of variable and input in a note.
const NOTED: usize = 3;

impl Variables {
    /// Returns the number of a variable, a new one if it is new.
    fn number(&mut self, name: &str, line: usize) -> Result<u16, String> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        let number = u16::try_from(self.names.len());
        let number = number.map_err(|_| format!("one variable too many; allowed: {}", u16::MAX))?;
        self.names.push((name.to_owned(), line));
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }

    /// Returns the input of every variable, or the line of one that has none, and why.
    fn inputs(&self, given: Option<&[String]>) -> Result<Vec<u16>, (usize, String)> {
        let first_name = self.names.first().map_or("", |(name, _)| name);
        let (prefix, _) = numbered(first_name);
        let is_zero = |(name, _): &(String, usize)| numbered(name).1 == Some(0);
        let from_zero = prefix == "ARG" || self.names.iter().any(is_zero);
        let first = u16::from(!from_zero);
        let input = |name: &String| match given {
            Some(given) => given
                .iter()
                .position(|one| one == name)
                .and_then(|at| u16::try_from(at).ok()),
            None if prefix == first_name && self.names.len() == 1 => Some(0),
            None => {
                let (own, number) = numbered(name);
                number
                    .filter(|_| own == prefix)
                    .map(|number| number - first)
            }
        };
        let allowed = || {
            match given {
            Some(given) => given.join(", "),
            None => "one name in the file, or names that differ in their numbers only (X0, X1, ...); `warpstack import programs FILE \
                     --variables x,y` takes others"
                .to_owned(),
        }
        };
        let refused = |name, line| (line, format!("variable `{name}`; allowed: {}", allowed()));
        let inputs = self
            .names
            .iter()
            .map(|(name, line)| input(name).ok_or_else(|| refused(name, *line)));
        inputs.collect()
    }

    /// Returns the first variable that is not called as its input, and its line.
    fn renamed(&self, inputs: &[u16]) -> Option<&(String, usize)> {
        let mut pairs = self.names.iter().zip(inputs);
        let renamed = pairs.find(|((name, _), input)| *name != Token::Input(**input).to_string());
        renamed.map(|(variable, _)| variable)
    }

    fn note(&self, file: &str, inputs: &[u16]) -> String {
        let mut pairs: Vec<_> = inputs.iter().zip(&self.names).collect();
        pairs.sort_by_key(|(input, _)| **input);
        let shown = pairs.iter().take(NOTED);
        let shown = shown.map(|(input, (name, _))| format!("{name} is {}", Token::Input(**input)));
        let shown = shown.collect::<Vec<_>>().join(", ");
        let more = if pairs.len() > NOTED { ", ..." } else { "" };
        format!("programs `{file}`: variable {shown}{more}")
    }
}

/// Splits the number off the end of a name; `None` without one, or if it is too large.
fn numbered(name: &str) -> (&str, Option<u16>) {
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (prefix, name[prefix.len()..].parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, variables: &[&str]) -> Result<String, String> {
        let names: Vec<String> = variables.iter().map(|name| name.to_string()).collect();
        let names = (!names.is_empty()).then_some(names);
        let programs = parse(text, "f", names.as_deref()).map_err(|error| error.to_string())?;
        let lines: Vec<String> = programs.iter().map(Rpn::to_string).collect();
        Ok(lines.join("; "))
    }

    #[test]
    fn variables_become_inputs_by_the_whole_file() {
        for (text, variables, programs) in [
            (
                "X1 X1 +\n# no program\n\n0.5 X2 *\n",
                &[][..],
                "X1 X1 +; 0.5 X2 *",
            ),
            // Expressions in our numbering may stand beside postfix.
            ("X1 X1 +\nadd(X1, X2)\nX3", &[], "X1 X1 +; X1 X2 +; X3"),
            // A zero anywhere in the file makes the first input 0.
            ("X1\nadd(X2, X0)\n", &[], "X2; X3 X1 +"),
            ("x1 + x2", &[], "X1 X2 +"),
            ("add(ARG1, 2)", &[], "X2 2 +"),
            ("0.5 2 +\nIN0", &[], "0.5 2 +; X1"),
            ("sin(x)\nx + x", &[], "X1 sin; X1 X1 +"),
            ("sin(y)\nx + X1", &["x", "y", "X1"], "X2 sin; X1 X3 +"),
            ("sin(X1)", &["X0", "X1"], "X2 sin"),
        ] {
            assert_eq!(read(text, variables).as_deref(), Ok(programs), "{text}");
        }
    }

    #[test]
    fn what_is_ambiguous_or_unknown_is_refused_by_name_and_line() {
        for (text, variables, parts) in [
            (
                "x\n\nx + y",
                &[][..],
                &["`f` line 1: variable `x`", "--variables x,y"][..],
            ),
            ("X1 + X2\nx1", &[], &["line 2: variable `x1`"]),
            ("X1 + X2\nage", &[], &["line 2: variable `age`"]),
            (
                "x + z",
                &["x", "y"],
                &["line 1: variable `z`; allowed: x, y"],
            ),
            ("X70000", &[], &["line 1: variable `X70000`"]),
            (
                "X1 X1 +\nsin(X0)",
                &[],
                &["line 1: postfix", "`X0` of line 2"],
            ),
            ("X1\nX1 +", &[], &["line 2: token 1 `+` needs 2 values"]),
            ("X1 X0", &[], &["line 1: token 1 `X0`"]),
            (
                "X1 + tan(X1)",
                &[],
                &["line 1: column 6 `tan`: unknown function"],
            ),
            ("# none", &[], &["no program in it"]),
        ] {
            let message = read(text, variables).expect_err(text);
            for part in parts {
                assert!(
                    message.contains(part),
                    "{text}: no \"{part}\" in: {message}"
                );
            }
        }
    }

    #[test]
    fn the_note_has_the_first_pairs_in_order() {
        let mut found = Variables::default();
        for name in ["v3", "v0", "v9", "v1"] {
            found.number(name, 1).unwrap();
        }
        let inputs = found.inputs(None).unwrap();
        assert_eq!(inputs, [3, 0, 9, 1]);
        let note = "programs `f`: variable v0 is X1, v1 is X2, v3 is X4, ...";
        assert_eq!(found.note("f", &inputs), note);
    }
}
