//! Rows of CSV files, and the one reader of their fields.
//!
//! Leaves out: the meaning of the columns. Units: lines, counted from 1.

use super::refused::Refused;
use csv::{Position, StringRecord};
use std::fmt::Display;
use std::str::FromStr;

/// Error in a CSV file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowsError {
    /// Not CSV.
    #[error("{file}, line {line}: {message}")]
    Csv {
        /// Name of the file.
        file: String,
        /// Number of the line.
        line: u64,
        /// Description of the error.
        message: String,
    },
    /// A header or a field that is not allowed.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// Rows of a file; `file` appears in messages only.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    file: &'a str,
    /// Names of the columns.
    pub header: Vec<String>,
    records: Vec<StringRecord>,
}

impl<'a> Rows<'a> {
    /// Reads a file whose first line names the columns; lines that begin with `#` are comments.
    pub fn read(text: &str, file: &'a str) -> Result<Self, RowsError> {
        let failed = |error| csv_error(file, &error);
        let mut builder = csv::ReaderBuilder::new();
        let mut reader = builder.comment(Some(b'#')).from_reader(text.as_bytes());
        let header = reader.headers().map_err(failed)?;
        let header = header.iter().map(str::to_owned).collect();
        let records: Result<_, _> = reader.records().collect();
        Ok(Rows {
            file,
            header,
            records: records.map_err(failed)?,
        })
    }

    /// Refuses any header other than `allowed`.
    pub fn with_header(self, allowed: &str) -> Result<Self, RowsError> {
        let given = self.header.join(",");
        if given == allowed {
            return Ok(self);
        }
        let place = format_args!("{}, header", self.file);
        Err(Refused::new(
            place,
            format_args!("\"{given}\""),
            format_args!("\"{allowed}\""),
        )
        .into())
    }

    /// Refuses a file without the column `column`.
    pub fn require(&self, column: &str) -> Result<(), RowsError> {
        if self.header.iter().any(|name| name == column) {
            return Ok(());
        }
        let place = format_args!("{}, header", self.file);
        let given = format_args!("\"{}\"", self.header.join(","));
        Err(Refused::new(place, given, format_args!("one with the column {column}")).into())
    }

    /// Returns the number of rows.
    pub fn n_rows(&self) -> usize {
        self.records.len()
    }

    /// Iterates over the rows in order.
    pub fn iter(&self) -> impl Iterator<Item = CsvRow<'_>> {
        self.records
            .iter()
            .map(|record| CsvRow { rows: self, record })
    }
}

/// Returns the text of a CSV file with these lines, the header first.
pub fn write<L: AsRef<[u8]>>(
    lines: impl IntoIterator<Item = impl IntoIterator<Item = L>>,
) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.write_record(line)?;
    }
    let written = writer.into_inner();
    written.map_err(|error| error.into_error().into())
}

fn csv_error(file: &str, error: &csv::Error) -> RowsError {
    RowsError::Csv {
        file: file.to_owned(),
        line: error.position().map_or(1, Position::line),
        message: error.to_string().replace('\n', " "),
    }
}

/// A row, with access to its fields by column name.
#[derive(Debug, Clone, Copy)]
pub struct CsvRow<'a> {
    rows: &'a Rows<'a>,
    /// Every field, in the order of the columns.
    pub record: &'a StringRecord,
}

impl<'a> CsvRow<'a> {
    /// Returns the field of a column, trimmed; empty if the file lacks the column.
    pub fn text(self, column: &str) -> &'a str {
        let at = self.rows.header.iter().position(|name| name == column);
        let field = at.and_then(|at| self.record.get(at));
        field.unwrap_or("").trim()
    }

    /// Returns the refusal of a field.
    pub fn refuse(self, column: &str, allowed: impl Display) -> RowsError {
        let line = self.record.position().map_or(0, Position::line);
        let place = format_args!("{}, line {line}, field {column}", self.rows.file);
        let given = format_args!("\"{}\"", self.text(column));
        Refused::new(place, given, allowed).into()
    }

    /// Parses a required value.
    pub fn value<T: FromStr>(self, column: &str, allowed: &str) -> Result<T, RowsError> {
        let value = self.text(column).parse();
        value.map_err(|_| self.refuse(column, allowed))
    }

    /// Parses a required value; a refusal quotes the parser's own error.
    pub fn named<T: FromStr<Err: Display>>(self, column: &str) -> Result<T, RowsError> {
        let value: Result<T, T::Err> = self.text(column).parse();
        value.map_err(|error| self.refuse(column, error))
    }

    /// Parses a required value that satisfies `holds`.
    pub fn checked<T: FromStr>(
        self,
        column: &str,
        allowed: &str,
        holds: impl Fn(&T) -> bool,
    ) -> Result<T, RowsError> {
        let value = self.text(column).parse().ok().filter(holds);
        value.ok_or_else(|| self.refuse(column, allowed))
    }

    /// Parses an optional value, `None` if the field is empty or the column absent.
    pub fn optional<T: FromStr>(
        self,
        column: &str,
        allowed: &str,
        holds: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, RowsError> {
        match self.text(column) {
            "" => Ok(None),
            _ => {
                let value = self.text(column).parse().ok().filter(holds);
                let refused = || self.refuse(column, format_args!("{allowed}, or nothing"));
                value.ok_or_else(refused).map(Some)
            }
        }
    }

    /// Parses a whole number above 0.
    pub fn count(self, column: &str) -> Result<u32, RowsError> {
        match self.value(column, "a whole number")? {
            0 => Err(self.refuse(column, "1 or more")),
            count => Ok(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_not_allowed_is_named_with_its_line() {
        let rows = Rows::read("a,b\n1,2\n3, x \n", "f.csv").unwrap();
        let last = rows.iter().last().unwrap();
        assert_eq!(last.value::<u32>("a", "a number"), Ok(3));
        assert_eq!(
            last.value::<u32>("b", "a number").unwrap_err().to_string(),
            "f.csv, line 3, field b: given \"x\"; allowed: a number"
        );
        assert_eq!(
            last.optional::<u32>("absent", "a number", |_| true),
            Ok(None)
        );
        assert!(rows.clone().with_header("a,b").is_ok());
        let message = rows.with_header("a").unwrap_err().to_string();
        assert_eq!(message, "f.csv, header: given \"a,b\"; allowed: \"a\"");
    }

    #[test]
    fn a_row_of_another_length_is_refused_with_its_line() {
        let message = Rows::read("a,b\n1,2\n3\n", "f.csv")
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("f.csv, line 3: "), "{message}");
    }
}
