//! The JSON schema of device files, for editors that complete and check them.
//!
//! Leaves out: rules that join several values (`checks.rs`).
//! Source: `FIELDS` of `spec.rs`, so that a field of a preset is a field of the schema.

use super::policy::Validated;
use super::spec::FIELDS;
use super::table::{Field, Kind};
use serde_json::{Map, Value, json};

/// Returns the schema, draft 2020-12.
pub fn schema() -> Value {
    let mut sections = Map::new();
    sections.insert("device".to_owned(), identity());
    for field in FIELDS {
        let section = sections
            .entry(field.section)
            .or_insert_with(|| object(Map::new()));
        let (properties, required) = (&mut section["properties"], field.name);
        properties[required] = entry(field);
        if let Some(required) = section["required"].as_array_mut() {
            required.push(field.name.into());
        }
    }
    let required: Vec<&String> = sections.keys().collect();
    let required = json!(required);
    sections.insert(
        "reference".to_owned(),
        json!({ "type": "object", "description": "Values that nothing reads." }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "warpstack device",
        "type": "object",
        "properties": sections,
        "required": required,
        "additionalProperties": false,
    })
}

/// A table whose fields are all required, to be filled.
fn object(properties: Map<String, Value>) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": [],
        "additionalProperties": false,
    })
}

fn identity() -> Value {
    let text = json!({ "type": "string" });
    let validated = Validated::ALL.map(Validated::name);
    json!({
        "type": "object",
        "properties": {
            "name": text,
            "title": text,
            "compute_capability": text,
            "code": { "type": "string", "description": "Machine code that runs on it: sm_35, sm_90, ..." },
            "validated": { "enum": validated },
        },
        "required": ["name", "title", "compute_capability", "code"],
        "additionalProperties": false,
    })
}

/// A value with unit, kind and source, and the range in which it lies.
fn entry(field: &Field) -> Value {
    let readers: Vec<&str> = field.readers.iter().map(|reader| reader.name()).collect();
    let kinds = Kind::ALL.map(Kind::name);
    json!({
        "type": "object",
        "description": format!("{}; read by {}", field.unit, readers.join(", ")),
        "properties": {
            "value": value(&(field.form)(), field.allowed),
            "low": { "type": "number" },
            "high": { "type": "number" },
            "unit": { "const": field.unit },
            "kind": { "enum": kinds },
            "source": { "type": "string", "minLength": 1 },
        },
        "required": ["value", "unit", "kind", "source"],
        "additionalProperties": false,
    })
}

/// The schema of a value by its form in a file.
fn value(form: &str, (least, most): (f64, f64)) -> Value {
    let range = |of: &str| match least.is_finite() {
        true => json!({ "type": of, "minimum": least, "maximum": most }),
        false => json!({ "type": of }),
    };
    match form {
        "a whole number" => range("integer"),
        "a number" => range("number"),
        "true or false" => json!({ "type": "boolean" }),
        "a text" => json!({ "type": "string" }),
        _ => match (form.strip_prefix("a list, each "), record(form)) {
            (Some(item), _) => json!({ "type": "array", "items": value(item, (least, most)) }),
            (None, Some(names)) => {
                let numbers = names
                    .iter()
                    .map(|name| ((*name).to_owned(), range("integer")));
                let mut table = object(numbers.collect());
                table["required"] = json!(names);
                table
            }
            (None, None) => json!({ "enum": form.split(", ").collect::<Vec<_>>() }),
        },
    }
}

/// The names of `{ a, b }`.
fn record(form: &str) -> Option<Vec<&str>> {
    let inside = form.strip_prefix("{ ")?.strip_suffix(" }")?;
    Some(inside.split(", ").collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Preset, builtin_names};

    /// Whether a value meets a schema, of the keywords that are used here.
    fn meets(value: &Value, schema: &Value) -> bool {
        let number = |key: &str| schema.get(key).and_then(Value::as_f64);
        let within = |found: f64| {
            number("minimum").is_none_or(|least| found >= least)
                && number("maximum").is_none_or(|most| found <= most)
        };
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
            return allowed.contains(value);
        }
        if let Some(only) = schema.get("const") {
            return value == only;
        }
        match schema["type"].as_str().unwrap_or_default() {
            "integer" => value.as_u64().is_some_and(|found| within(found as f64)),
            "number" => value.as_f64().is_some_and(within),
            "boolean" => value.is_boolean(),
            "string" => value
                .as_str()
                .is_some_and(|text| !text.is_empty() || schema.get("minLength").is_none()),
            "array" => value
                .as_array()
                .is_some_and(|items| items.iter().all(|item| meets(item, &schema["items"]))),
            "object" => value.as_object().is_some_and(|table| {
                let names = schema.get("required").and_then(Value::as_array);
                let has = |name: &Value| table.contains_key(name.as_str().unwrap());
                let of = |(name, value): (&String, &Value)| match schema["properties"].get(name) {
                    Some(schema) => meets(value, schema),
                    None => schema.get("additionalProperties").is_none(),
                };
                names.is_none_or(|names| names.iter().all(has)) && table.iter().all(of)
            }),
            other => panic!("{other}"),
        }
    }

    fn json_of(toml: &str) -> Value {
        serde_json::to_value(toml.parse::<toml::Table>().unwrap()).unwrap()
    }

    #[test]
    fn shipped_presets_meet_the_schema_and_bad_ones_do_not() {
        let schema = schema();
        for name in builtin_names() {
            assert!(
                meets(&json_of(&Preset::text(name).unwrap()), &schema),
                "{name}"
            );
        }
        let good = Preset::text("gtx670").unwrap();
        for (right, wrong) in [
            ("n_smx = { value = 7", "n_smx = { value = -7"),
            ("n_smx = { value = 7", "n_smx = { value = 7.5"),
            ("n_smx = ", "n_smxs = "),
            ("unit = \"SMX\"", "unit = \"chips\""),
            ("kind = \"measured\"", "kind = \"guessed\""),
            ("title = ", "colour = "),
        ] {
            assert!(good.contains(right), "{right}");
            let bad = good.replacen(right, wrong, 1);
            assert!(!meets(&json_of(&bad), &schema), "{wrong}");
        }
    }
}
