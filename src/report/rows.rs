//! Rows of one kind as CSV and as JSON, with where their figures come from.
//!
//! A CSV has one row per record; columns have the names of the record's fields. A field of a field is called `object.field`; a
//! list of objects has a column for each field of each object, which the object's first field names: `cpi_stack.long_scoreboard_l1.cycles`; a
//! list of names is a text with commas. The last columns hold the provenance of the rows. A JSON has the object `provenance`,
//! and `rows`, each on a line of its own.
//! Leaves out: tables for people. Units: in the names.

use super::provenance::Provenance;
use crate::util::rows;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::iter;

/// Values by the names of their columns, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Row(pub Map<String, Value>);

impl Row {
    /// The columns of a record.
    pub fn of<T: Serialize + ?Sized>(record: &T) -> Result<Row, serde_json::Error> {
        let mut row = Row::default();
        row.add(String::new(), serde_json::to_value(record)?);
        Ok(row)
    }

    fn add(&mut self, name: String, value: Value) {
        match value {
            Value::Object(fields) => self.add_fields(&name, fields),
            Value::Array(items) if items.iter().any(Value::is_object) => {
                for item in items {
                    if let Value::Object(fields) = item {
                        let mut fields = fields.into_iter();
                        let key = fields.next().map(|(_, value)| as_name(&cell(&value)));
                        let name = format!("{name}.{}", key.unwrap_or_default());
                        self.add_fields(&name, fields);
                    }
                }
            }
            list @ Value::Array(_) => {
                self.0.insert(name, cell(&list).into());
            }
            value => {
                self.0.insert(name, value);
            }
        }
    }

    fn add_fields(&mut self, name: &str, fields: impl IntoIterator<Item = (String, Value)>) {
        for (field, value) in fields {
            let name = match name.is_empty() {
                true => field,
                false => format!("{name}.{field}"),
            };
            self.add(name, value);
        }
    }

    /// Adds provenance columns; columns that the row already has keep their values.
    pub fn with(mut self, provenance: &Provenance) -> Result<Row, serde_json::Error> {
        for (name, value) in Row::of(provenance)?.0 {
            self.0.entry(name).or_insert(value);
        }
        Ok(self)
    }

    /// A column as text.
    pub fn column(&self, name: &str) -> Option<String> {
        self.0.get(name).map(cell)
    }
}

/// Words as a part of a column's name.
fn as_name(words: &str) -> String {
    let words = words.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("_").to_lowercase()
}

/// The columns of records.
pub fn of<T: Serialize>(records: &[T]) -> Result<Vec<Row>, serde_json::Error> {
    records.iter().map(Row::of).collect()
}

/// The rows of a CSV: what looks like a number is one.
pub fn of_csv(text: &[u8]) -> Result<Vec<Row>, csv::Error> {
    let mut reader = csv::Reader::from_reader(text);
    let header = reader.headers()?.clone();
    let value = |text: &str| match text {
        "" => Value::Null,
        text => serde_json::from_str::<serde_json::Number>(text)
            .map_or_else(|_| text.into(), Value::Number),
    };
    let row = |record: csv::StringRecord| {
        let columns = header.iter().zip(&record);
        let columns = columns.map(|(name, text)| (name.to_owned(), value(text)));
        Row(columns.collect())
    };
    reader.records().map(|record| Ok(row(record?))).collect()
}

/// Names of all columns, in the order in which they first occur.
fn names(rows: &[Row]) -> Vec<String> {
    let mut seen = HashSet::new();
    let all = rows.iter().flat_map(|row| row.0.keys());
    all.filter(|name| seen.insert(*name)).cloned().collect()
}

/// A header, and a line for each row.
pub fn csv(rows: &[Row], provenance: &Provenance) -> Result<Vec<u8>, CsvError> {
    csv_of(names(rows), rows.iter().cloned(), provenance)
}

/// Returns the CSV of rows with columns known in advance, some of which a row may lack.
pub fn csv_of(
    names: Vec<String>,
    rows: impl IntoIterator<Item = Row>,
    provenance: &Provenance,
) -> Result<Vec<u8>, CsvError> {
    let own = names.iter().map(|name| (name.clone(), Value::Null));
    let all = Row(own.collect()).with(provenance)?.0;
    let constant: Vec<String> = all.values().skip(names.len()).map(cell).collect();
    let header = all.keys().cloned().collect::<Vec<String>>();
    let lines = rows.into_iter().map(|row| {
        let own = names.iter();
        let own = own.map(|name| row.column(name).unwrap_or_default());
        own.chain(constant.iter().cloned()).collect()
    });
    Ok(rows::write(iter::once(header).chain(lines))?)
}

/// Error of writing a CSV.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    #[error(transparent)]
    Csv(#[from] csv::Error),
    #[error(transparent)]
    Record(#[from] serde_json::Error),
}

/// A value as a cell: a list with commas.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(cell).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// An object with `provenance` and `rows`.
pub fn json<T: Serialize>(
    rows: impl IntoIterator<Item = T>,
    provenance: &Provenance,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = b"{\"provenance\": ".to_vec();
    serde_json::to_writer(&mut text, provenance)?;
    text.extend(b",\n\"rows\": [\n");
    for (number, row) in rows.into_iter().enumerate() {
        if number > 0 {
            text.extend(b",\n");
        }
        serde_json::to_writer(&mut text, &row)?;
    }
    text.extend(b"\n]}\n");
    Ok(text)
}

/// One record, with `provenance` as its last field.
pub fn json_of_one<T: Serialize>(
    record: &T,
    provenance: &Provenance,
) -> Result<Vec<u8>, serde_json::Error> {
    #[derive(Serialize)]
    struct With<'a, T> {
        #[serde(flatten)]
        record: &'a T,
        provenance: &'a Provenance,
    }
    let mut text = serde_json::to_vec_pretty(&With { record, provenance })?;
    text.push(b'\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Inner {
        cause: &'static str,
        cycles: f64,
    }

    #[derive(Serialize)]
    struct Record {
        zebra: u32,
        ant: Option<f64>,
        inner: Inner,
        list: Vec<Inner>,
        names: Vec<&'static str>,
    }

    fn record(list: &[&'static str]) -> Record {
        let inner = |cause: &&'static str| Inner { cause, cycles: 0.5 };
        Record {
            zebra: 1,
            ant: None,
            inner: inner(&"x"),
            list: list.iter().map(inner).collect(),
            names: vec!["a", "b"],
        }
    }

    #[test]
    fn columns_keep_their_order_and_a_row_may_lack_some() {
        let rows = of(&[record(&["l1"]), record(&["l2"])]).unwrap();
        let text = String::from_utf8(csv(&rows, &Provenance::of_device("x")).unwrap()).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "zebra,ant,inner.cause,inner.cycles,list.l1.cycles,names,list.l2.cycles,device,version"
        );
        assert_eq!(lines[1], format!("1,,x,0.5,0.5,\"a, b\",,x,{version}"));
        assert_eq!(lines[2], format!("1,,x,0.5,,\"a, b\",0.5,x,{version}"));
    }

    #[test]
    fn a_column_of_the_rows_own_is_not_repeated() {
        let mut row = Row::default();
        row.0.insert("device".into(), "own".into());
        let text = csv(&[row], &Provenance::of_device("other")).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("device,version\nown,"), "{text}");
    }
}
