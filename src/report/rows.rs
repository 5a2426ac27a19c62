//! Rows of one kind as CSV and as JSON, with where their figures come from.
//!
//! A CSV has one row per record; columns have the names of the record's fields. A field of a field is called `object.field`; a
//! list of objects has a column for each field of each object, which the object's first field names: `cpi_stack.l1_hit.cycles`; a
//! list of names is a text with commas. What the rows come from stands in the last columns. A JSON has the object `provenance`,
//! and `rows`, each on a line of its own.
//! Leaves out: tables for people. Units: in the names.

use super::provenance::Provenance;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt::{self, Display};

/// Names and values of the columns, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row(pub Vec<(String, Value)>);

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Row {
    /// Texts under their names.
    pub fn rounded(names: &[&str], texts: impl IntoIterator<Item = String>) -> Row {
        let columns = names.iter().zip(texts);
        let columns = columns.map(|(name, text)| ((*name).to_owned(), text.into()));
        Row(columns.collect())
    }

    /// The columns of a record.
    pub fn of<T: Serialize + ?Sized>(record: &T) -> Result<Row, serde_json::Error> {
        let text = serde_json::to_string(record)?;
        let mut columns = Vec::new();
        serde_json::from_str::<Tree>(&text)?.flat(String::new(), &mut columns);
        Ok(Row(columns))
    }

    /// With where its figures come from. A column that the row has already is its own.
    pub fn with(mut self, provenance: &Provenance) -> Result<Row, serde_json::Error> {
        for (name, value) in Row::of(provenance)?.0 {
            if !self.0.iter().any(|(known, _)| *known == name) {
                self.0.push((name, value));
            }
        }
        Ok(self)
    }

    /// A column as text.
    pub fn column(&self, name: &str) -> Option<String> {
        self.get(usize::MAX, name).map(cell)
    }

    fn get(&self, place: usize, name: &str) -> Option<&Value> {
        if let Some((known, value)) = self.0.get(place)
            && known == name
        {
            return Some(value);
        }
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }
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
        Row(columns
            .map(|(name, text)| (name.to_owned(), value(text)))
            .collect())
    };
    reader.records().map(|record| Ok(row(record?))).collect()
}

/// Names of all columns, in the order in which they first occur.
fn names(rows: &[Row]) -> Vec<String> {
    let mut seen = HashSet::new();
    let all = rows.iter().flat_map(|row| &row.0);
    let new = all.filter(|(name, _)| seen.insert(name.clone()));
    new.map(|(name, _)| name.clone()).collect()
}

/// A header, and a line for each row.
pub fn csv(rows: &[Row], provenance: &Provenance) -> Result<Vec<u8>, CsvError> {
    csv_of(names(rows), rows.iter().cloned(), provenance)
}

/// The same of rows whose columns are known before they are made; a row may lack some.
pub fn csv_of(
    names: Vec<String>,
    rows: impl IntoIterator<Item = Row>,
    provenance: &Provenance,
) -> Result<Vec<u8>, CsvError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let own = names.iter().map(|name| (name.clone(), Value::Null));
    let all = Row(own.collect()).with(provenance)?.0;
    let constant = &all[names.len()..];
    writer.write_record(all.iter().map(|(name, _)| name))?;
    for row in rows {
        let own = names.iter().enumerate();
        let own = own.map(|(place, name)| row.get(place, name).map_or(String::new(), cell));
        writer.write_record(own.chain(constant.iter().map(|(_, value)| cell(value))))?;
    }
    let written = writer.into_inner();
    written.map_err(|error| CsvError::Csv(error.into_error().into()))
}

/// Why there is no CSV.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    #[error(transparent)]
    Csv(#[from] csv::Error),
    #[error(transparent)]
    Record(#[from] serde_json::Error),
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What stands before the rows of a JSON, between them, and after them.
const BEFORE: &str = ",\n\"rows\": [\n";
const BETWEEN: &str = ",\n";
const AFTER: &str = "\n]}\n";

/// An object with `provenance` and `rows`.
pub fn json<T: Serialize>(
    rows: impl IntoIterator<Item = T>,
    provenance: &Provenance,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = b"{\"provenance\": ".to_vec();
    serde_json::to_writer(&mut text, provenance)?;
    text.extend(BEFORE.as_bytes());
    for (number, row) in rows.into_iter().enumerate() {
        if number > 0 {
            text.extend(BETWEEN.as_bytes());
        }
        serde_json::to_writer(&mut text, &row)?;
    }
    text.extend(AFTER.as_bytes());
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

/// Texts that [`json`] made of parts of some rows as it would have made them of all; nothing if they are not that.
pub fn joined_json(parts: &[&str]) -> Option<String> {
    let split = |part: &&'_ str| -> Option<(String, String)> {
        let (head, rest) = part.split_once(BEFORE)?;
        // Without rows, the line breaks around them are one.
        let rest = rest
            .strip_suffix(AFTER)
            .or(rest.strip_suffix(&AFTER[1..]))?;
        Some((head.to_owned(), rest.to_owned()))
    };
    let parts: Vec<(String, String)> = parts.iter().map(split).collect::<Option<_>>()?;
    let (head, _) = parts.first()?;
    let rows = parts.iter().map(|(_, rows)| rows.as_str());
    let rows: Vec<&str> = rows.filter(|rows| !rows.is_empty()).collect();
    Some(format!("{head}{BEFORE}{}{AFTER}", rows.join(BETWEEN)))
}

/// A JSON whose objects keep the order of their fields.
enum Tree {
    Leaf(Value),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    fn flat(self, name: String, into: &mut Vec<(String, Value)>) {
        match self {
            Tree::Leaf(value) => into.push((name, value)),
            Tree::Object(fields) => flat_fields(&name, fields, into),
            Tree::List(items) if items.iter().any(|item| matches!(item, Tree::Object(_))) => {
                for item in items {
                    let Tree::Object(mut fields) = item else {
                        continue;
                    };
                    let key = fields.remove(0).1.to_string();
                    flat_fields(&format!("{name}.{}", as_name(&key)), fields, into);
                }
            }
            list => into.push((name, Value::String(list.to_string()))),
        }
    }
}

/// Words as a part of a column's name.
fn as_name(words: &str) -> String {
    let words = words.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("_").to_lowercase()
}

fn flat_fields(name: &str, fields: Vec<(String, Tree)>, into: &mut Vec<(String, Value)>) {
    for (field, value) in fields {
        let name = match name.is_empty() {
            true => field,
            false => format!("{name}.{field}"),
        };
        value.flat(name, into);
    }
}

/// As a cell.
impl Display for Tree {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Tree::Leaf(value) => formatter.write_str(&cell(value)),
            Tree::List(items) => {
                let texts: Vec<String> = items.iter().map(Tree::to_string).collect();
                formatter.write_str(&texts.join(", "))
            }
            Tree::Object(fields) => {
                let texts: Vec<String> = fields.iter().map(|(_, one)| one.to_string()).collect();
                formatter.write_str(&texts.join(" "))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Leaf(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Tree, A::Error> {
        let mut object = Vec::new();
        while let Some(field) = fields.next_entry()? {
            object.push(field);
        }
        Ok(Tree::Object(object))
    }
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
        let row = Row(vec![("device".into(), "own".into())]);
        let text = csv(&[row], &Provenance::of_device("other")).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("device,version\nown,"), "{text}");
    }

    #[test]
    fn texts_of_parts_are_the_text_of_the_whole() {
        let provenance = Provenance::of_program();
        let of = |rows: &[u32]| String::from_utf8(json(rows, &provenance).unwrap()).unwrap();
        let whole = of(&[1, 2, 3]);
        let parts = [of(&[1, 2]), of(&[]), of(&[3])];
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        assert_eq!(joined_json(&parts), Some(whole.clone()));
        assert_eq!(joined_json(&[&of(&[])]), Some(of(&[])));
        let read: Value = serde_json::from_str(&whole).unwrap();
        assert_eq!(read["rows"][2], 3);
        assert_eq!(read["provenance"]["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(joined_json(&["a,b\n1,2\n"]), None);
    }
}
