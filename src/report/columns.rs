//! One list of columns for rows of a kind: it makes the table for people, the CSV and the JSON.
//!
//! Leaves out: where the output goes (`output.rs`), what a CSV and a JSON look like (`rows.rs`). Units: in titles and names.

use super::rows::{Row, cell};
use super::table::table;
use serde_json::{Map, Value};

/// The columns of rows of a kind, added one by one: `Columns::<Row>::new(1).column("title", "name", |row| row.value).digits(2)`.
pub struct Columns<R> {
    columns: Vec<Column<R>>,
    /// Place in the table of the first column that is aligned to the right, as all after it are.
    first_number: usize,
    is_rounded: bool,
}

struct Column<R> {
    /// Title above the column, if it is in tables.
    title: Option<String>,
    /// Name in CSV and JSON, if the column is in files.
    name: Option<String>,
    is_in_json: bool,
    digits: Digits,
    /// Text of a table where there is no value.
    absent: &'static str,
    value: Box<dyn Fn(&R) -> Value>,
}

/// Rounding of numbers in tables and in rounded CSV.
#[derive(Clone, Copy)]
enum Digits {
    All,
    /// Digits after the point.
    Fixed(usize),
}

impl Digits {
    fn text(self, value: &Value) -> String {
        match (self, value.as_f64()) {
            (Digits::Fixed(digits), Some(number)) => format!("{number:.digits$}"),
            (Digits::All, Some(number)) if value.is_f64() => number.to_string(),
            _ => cell(value),
        }
    }
}

impl<R> Columns<R> {
    pub fn new(first_number: usize) -> Self {
        Columns {
            columns: Vec::new(),
            first_number,
            is_rounded: false,
        }
    }

    fn with<V: Into<Value>>(
        mut self,
        title: Option<String>,
        name: Option<String>,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        self.columns.push(Column {
            title,
            name,
            is_in_json: true,
            digits: Digits::All,
            absent: "",
            value: Box::new(move |row| value(row).into()),
        });
        self
    }

    /// A column of tables and of files.
    pub fn column<V: Into<Value>>(
        self,
        title: impl Into<String>,
        name: impl Into<String>,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        self.with(Some(title.into()), Some(name.into()), value)
    }

    /// A column of tables alone.
    pub fn shown<V: Into<Value>>(
        self,
        title: impl Into<String>,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        self.with(Some(title.into()), None, value)
    }

    /// A column of files alone.
    pub fn filed<V: Into<Value>>(
        self,
        name: impl Into<String>,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        self.with(None, Some(name.into()), value)
    }

    fn last(mut self, change: impl FnOnce(&mut Column<R>)) -> Self {
        if let Some(last) = self.columns.last_mut() {
            change(last);
        }
        self
    }

    /// Shows the last column with `digits` digits after the point, in tables and in rounded CSVs.
    pub fn digits(self, digits: usize) -> Self {
        self.last(|column| column.digits = Digits::Fixed(digits))
    }

    /// The last column has a text in tables where there is no value.
    pub fn or(self, absent: &'static str) -> Self {
        self.last(|column| column.absent = absent)
    }

    /// The last column follows from others, which a JSON has with all digits.
    pub fn not_in_json(self) -> Self {
        self.last(|column| column.is_in_json = false)
    }

    /// The CSV has the digits of the table, the JSON all of them.
    pub fn rounded(self) -> Self {
        Columns {
            is_rounded: true,
            ..self
        }
    }

    /// Names of the columns of a CSV.
    pub fn names(&self) -> Vec<String> {
        let names = self.columns.iter();
        names.filter_map(|column| column.name.clone()).collect()
    }

    /// The rows of a CSV.
    pub fn csv<'a>(&'a self, rows: impl IntoIterator<Item = &'a R>) -> impl Iterator<Item = Row> {
        let value = |column: &Column<R>, row: &R| match ((column.value)(row), self.is_rounded) {
            (Value::Null, _) => Value::Null,
            (value, true) => column.digits.text(&value).into(),
            (value, false) => value,
        };
        self.rows(rows, move |column, row| {
            Some((column.name.clone()?, value(column, row)))
        })
    }

    /// The rows of a JSON.
    pub fn json<'a>(&'a self, rows: impl IntoIterator<Item = &'a R>) -> impl Iterator<Item = Row> {
        self.rows(rows, |column, row| {
            let name = column.name.clone().filter(|_| column.is_in_json)?;
            Some((name, (column.value)(row)))
        })
    }

    fn rows<'a>(
        &'a self,
        rows: impl IntoIterator<Item = &'a R>,
        field: impl Fn(&Column<R>, &R) -> Option<(String, Value)>,
    ) -> impl Iterator<Item = Row> {
        rows.into_iter().map(move |row| {
            let fields = self.columns.iter().filter_map(|column| field(column, row));
            Row(fields.collect::<Map<String, Value>>())
        })
    }

    /// The table for people.
    pub fn text<'a>(&'a self, rows: impl IntoIterator<Item = &'a R>) -> String {
        let headers: Vec<&str> = self.shown_columns().map(|(title, _)| title).collect();
        let cells = |row| {
            self.shown_columns()
                .map(|(_, column)| column.cell(row))
                .collect()
        };
        let cells = rows.into_iter().map(cells).collect();
        table(&headers, cells, self.first_number)
    }

    /// Returns the table transposed: a line for each column, beginning with its title. `headers` head the titles and the rows.
    pub fn turned(&self, headers: &[&str], rows: &[&R]) -> String {
        let line = |(title, column): (&str, &Column<R>)| {
            let cells = rows.iter().map(|row| column.cell(row));
            [title.to_owned()].into_iter().chain(cells).collect()
        };
        let lines = self.shown_columns().map(line).collect();
        table(headers, lines, self.first_number)
    }

    fn shown_columns(&self) -> impl Iterator<Item = (&str, &Column<R>)> {
        let columns = self.columns.iter();
        columns.filter_map(|column| Some((column.title.as_deref()?, column)))
    }
}

impl<R> Column<R> {
    fn cell(&self, row: &R) -> String {
        match (self.value)(row) {
            Value::Null => self.absent.to_owned(),
            value => self.digits.text(&value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::provenance::Provenance;
    use crate::report::rows;

    struct Cell {
        name: &'static str,
        speed: f64,
        measured: Option<f64>,
    }

    const CELLS: [Cell; 2] = [
        Cell {
            name: "a",
            speed: 1.23456,
            measured: Some(2.0),
        },
        Cell {
            name: "b",
            speed: 30.0,
            measured: None,
        },
    ];

    fn columns() -> Columns<Cell> {
        Columns::<Cell>::new(1)
            .column("cell", "name", |cell| cell.name)
            .shown("twice", |cell| 2.0 * cell.speed)
            .digits(2)
            .column("speed", "speed_ms", |cell| cell.speed)
            .digits(2)
            .column("measured", "measured_ms", |cell| cell.measured)
            .or("-")
            .filed("error", |cell| cell.measured.map(|value| value / 8.0))
            .digits(3)
            .not_in_json()
    }

    #[test]
    fn one_list_makes_table_csv_and_json() {
        let words = |text: &str| -> Vec<Vec<String>> {
            let lines = text.lines().filter(|line| !line.contains('─'));
            let words = lines.map(|line| line.split_whitespace().map(str::to_owned).collect());
            words.collect()
        };
        assert_eq!(
            words(&columns().text(&CELLS)),
            [
                ["cell", "twice", "speed", "measured"],
                ["a", "2.47", "1.23", "2"],
                ["b", "60.00", "30.00", "-"]
            ]
        );
        let turned = columns().turned(&["figure", "value"], &[&CELLS[1]]);
        assert_eq!(words(&turned)[2], ["twice", "60.00"]);
        let provenance = Provenance::of_program();
        let csv = |columns: Columns<Cell>| {
            let text = rows::csv_of(columns.names(), columns.csv(&CELLS), &provenance).unwrap();
            let text = String::from_utf8(text).unwrap();
            text.replace(&format!(",{}", provenance.version), "")
        };
        let header = "name,speed_ms,measured_ms,error,version\n";
        let all = "a,1.23456,2.0,0.25\nb,30.0,,\n";
        assert_eq!(csv(columns()), format!("{header}{all}"));
        let rounded = "a,1.23,2,0.250\nb,30.00,,\n";
        assert_eq!(csv(columns().rounded()), format!("{header}{rounded}"));
        let json: Vec<Row> = columns().rounded().json(&CELLS).collect();
        assert_eq!(
            serde_json::to_string(&json[0]).unwrap(),
            r#"{"name":"a","speed_ms":1.23456,"measured_ms":2.0}"#
        );
    }
}
