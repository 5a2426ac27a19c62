//! The grammar of `--vary KEY=VALUES`.
//!
//! Reads `a,b,c`, `A..B`, `A..B+STEP`, `A..B*FACTOR`, and mixtures with commas. Numbers may end in K, M or G, with or
//! without iB (1024, 1024^2, 1024^3); those of `l1`, whose unit is KiB, in K or KiB. `A..B` alone doubles for sizes and threads, and adds one for other whole numbers.
//! Leaves out: the meaning of values (`setting`). Units: those of the key.

use super::StudyError;
use super::setting::{Base, Key, Type};
use crate::systems::options::Size;

/// An axis of a study: a key and its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    pub key: Key,
    /// Values as results write them.
    pub values: Vec<String>,
}

/// Values of one axis at most.
const MAX_VALUES: usize = 100_000;

impl Axis {
    /// Reads `KEY=VALUES`.
    pub fn parse(given: &str, base: &Base) -> Result<Axis, StudyError> {
        let (name, values) = given.split_once('=').ok_or_else(|| {
            StudyError::input(
                "--vary",
                given,
                "KEY=VALUES, as in threads=64,128 or l1=4..256",
            )
        })?;
        Axis::of(name.trim(), values, base)
    }

    /// Reads the values of a key.
    pub fn of(name: &str, values: &str, base: &Base) -> Result<Axis, StudyError> {
        let (key, ty) = base.key(name)?;
        let mut all: Vec<String> = Vec::new();
        let values = match key {
            // The unit may be written out.
            Key::Size(Size::L1Kib) => without_kib(values),
            _ => values.to_owned(),
        };
        for item in values.split(',') {
            let read = match (item.split_once(".."), ty) {
                (Some(range), Type::Whole | Type::Number) => expand(name, item, range, &key, ty)?,
                _ => vec![single(name, item.trim(), ty)?],
            };
            all.extend(read);
        }
        let mut axis = Axis {
            key,
            values: Vec::new(),
        };
        axis.add(all);
        Ok(axis)
    }

    /// Adds values, in the order given, each once.
    pub fn add(&mut self, values: Vec<String>) {
        for value in values {
            if !self.values.contains(&value) {
                self.values.push(value);
            }
        }
    }
}

/// A number of KiB without its unit.
pub fn kib(text: &str) -> &str {
    let text = text.trim();
    let number = ["KiB", "kib", "KB", "kB", "K", "k"]
        .iter()
        .find_map(|unit| text.strip_suffix(unit));
    number.map_or(text, str::trim_end)
}

/// Values in KiB without their unit.
fn without_kib(values: &str) -> String {
    let numbers = values.split(',').map(|item| {
        let ends = item.split("..").map(kib);
        ends.collect::<Vec<_>>().join("..")
    });
    numbers.collect::<Vec<_>>().join(",")
}

/// Every combination as indices into the axes' values; the last axis moves fastest.
pub fn combination(axes: &[Axis], index: usize) -> Vec<usize> {
    let mut rest = index;
    let mut places = vec![0; axes.len()];
    for (place, axis) in places.iter_mut().zip(axes).rev() {
        *place = rest % axis.values.len();
        rest /= axis.values.len();
    }
    places
}

/// Number of combinations.
pub fn n_combinations(axes: &[Axis]) -> Option<usize> {
    axes.iter()
        .try_fold(1usize, |n, axis| n.checked_mul(axis.values.len()))
}

fn single(name: &str, text: &str, ty: Type) -> Result<String, StudyError> {
    let refused = || StudyError::input(format!("value of {name}"), text, ty.allowed());
    match ty {
        Type::Text if !text.is_empty() => Ok(text.to_owned()),
        Type::Truth if matches!(text, "true" | "false") => Ok(text.to_owned()),
        Type::Whole => {
            let value = number(text).filter(|value| value.fract() == 0.0 && *value >= 0.0);
            value.map(|value| format!("{value:.0}")).ok_or_else(refused)
        }
        Type::Number => number(text)
            .map(|value| value.to_string())
            .ok_or_else(refused),
        _ => Err(refused()),
    }
}

/// A number that may end in K, M or G.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = text.strip_suffix("iB").unwrap_or(text);
    let (digits, unit) = match text.chars().last()? {
        'K' | 'k' => (&text[..text.len() - 1], 1024.0),
        'M' | 'm' => (&text[..text.len() - 1], 1024.0 * 1024.0),
        'G' | 'g' => (&text[..text.len() - 1], 1024.0 * 1024.0 * 1024.0),
        _ => (text, 1.0),
    };
    let value: f64 = digits.parse().ok()?;
    (value.is_finite()).then_some(value * unit)
}

enum Increment {
    Add(f64),
    Multiply(f64),
}

fn expand(
    name: &str,
    item: &str,
    (first, rest): (&str, &str),
    key: &Key,
    ty: Type,
) -> Result<Vec<String>, StudyError> {
    let refused = |allowed: &str| StudyError::input(format!("range of {name}"), item, allowed);
    let (last, step) = match rest.find(['+', '*']) {
        Some(at) => {
            let by = number(&rest[at + 1..]).ok_or_else(|| refused("A..B+STEP or A..B*FACTOR"))?;
            let step = match &rest[at..=at] {
                "+" => Increment::Add(by),
                _ => Increment::Multiply(by),
            };
            (&rest[..at], step)
        }
        None if key.doubles() => (rest, Increment::Multiply(2.0)),
        None if ty == Type::Whole => (rest, Increment::Add(1.0)),
        None => {
            return Err(refused(
                "A..B+STEP or A..B*FACTOR for numbers with a fraction",
            ));
        }
    };
    let bound = |text: &str| number(text).ok_or_else(|| refused("numbers on both sides of .."));
    let (first, last) = (bound(first)?, bound(last)?);
    if first > last {
        return Err(refused("the smaller value first"));
    }
    let grows = match step {
        Increment::Add(by) => by > 0.0,
        Increment::Multiply(by) => by > 1.0 && first > 0.0,
    };
    if !grows {
        return Err(refused(
            "a step above 0, or a factor above 1 from a value above 0",
        ));
    }
    let mut values = Vec::new();
    let mut value = first;
    // A step that is not exact in binary still reaches the end.
    while value <= last * (1.0 + 1e-12) {
        if values.len() == MAX_VALUES {
            return Err(refused("at most 100000 values"));
        }
        values.push(single(name, &value.to_string(), ty)?);
        value = match step {
            Increment::Add(by) => first + by * values.len() as f64,
            Increment::Multiply(by) => value * by,
        };
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        Axis::parse(text, &Base::gtx670().unwrap()).unwrap().values
    }

    #[test]
    fn lists_ranges_and_mixtures() {
        assert_eq!(values("l1=4..20"), ["4", "8", "16"]);
        assert_eq!(values("l1=16KiB..48K"), ["16", "32"]);
        assert_eq!(values("l1=16K, 48 KiB"), ["16", "48"]);
        assert_eq!(values("l2.bytes=512KiB"), ["524288"]);
        assert_eq!(values("stack_dim=1..3,6"), ["1", "2", "3", "6"]);
        assert_eq!(values("threads=32..128"), ["32", "64", "128"]);
        assert_eq!(values("threads=32..96+32,1024"), ["32", "64", "96", "1024"]);
        assert_eq!(values("clock_mhz=900..1100+100"), ["900", "1000", "1100"]);
        assert_eq!(
            values("dram.bandwidth_gb_per_s=100..400*2"),
            ["100", "200", "400"]
        );
        assert_eq!(values("kernel=rpn,lgp"), ["rpn", "lgp"]);
        assert_eq!(values("threads=64,64"), ["64"]);
        assert_eq!(
            values("l1.fetch_on_write_miss=true,false"),
            ["true", "false"]
        );
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        let base = Base::gtx670().unwrap();
        for (given, part) in [
            ("l1", "KEY=VALUES"),
            ("l1_bytes=16K", "l1 (in KiB)"),
            ("l1=", "\"\""),
            ("warps=3", "\"warps\""),
            ("threads=64..32", "smaller value first"),
            ("threads=a..b", "both sides"),
            ("threads=1.5", "whole number"),
            ("clock_mhz=900..1000", "A..B+STEP"),
            ("threads=0..64", "factor above 1"),
            ("threads=1..2+0", "step above 0"),
            ("latency_cycles=3", "dram.latency_cycles"),
            ("chip.colour=3", "chip.colour"),
        ] {
            let message = Axis::parse(given, &base).unwrap_err().to_string();
            assert!(
                message.contains(part) && message.contains("allowed"),
                "{given}: {message}"
            );
        }
    }

    #[test]
    fn combinations_count_through_all_axes() {
        let base = Base::gtx670().unwrap();
        let axes =
            ["threads=32,64", "stack_dim=1..3"].map(|text| Axis::parse(text, &base).unwrap());
        assert_eq!(n_combinations(&axes), Some(6));
        let all: Vec<Vec<usize>> = (0..6).map(|index| combination(&axes, index)).collect();
        assert_eq!(all[0], [0, 0]);
        assert_eq!(all[1], [0, 1]);
        assert_eq!(all[5], [1, 2]);
    }
}
