//! Rows of one kind as CSV and as JSON: columns by the names of their fields.
//!
//! Leaves out: tables for people. Units: in the names.

use serde::Serialize;

/// With a header.
pub fn csv<T: Serialize>(rows: &[T]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))
}

/// A list of objects.
pub fn json<T: Serialize>(rows: &[T]) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = serde_json::to_vec_pretty(rows)?;
    text.push(b'\n');
    Ok(text)
}
