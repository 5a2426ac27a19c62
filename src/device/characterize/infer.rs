//! Values of a preset that follow from readings, one rule for each field.
//!
//! A rule gives nothing if its readings are missing or tell nothing: the template's value then stays.
//! Leaves out: the template. Units: those of the fields.

mod blocks;
mod cores;
mod fetch;
mod memory;
mod reported;
mod traffic;

use super::readings::Readings;
use crate::device::Kind;
use crate::util::stats;
use toml::Value;

/// A value with its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub value: Value,
    pub kind: Kind,
    pub source: String,
}

/// A field of a preset and how its value follows from readings.
pub type Rule = (&'static str, fn(&Readings) -> Option<Found>);

/// Returns the rules of all fields that probes or the driver tell.
pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    let parts: [&[Rule]; 6] = [
        reported::RULES,
        blocks::RULES,
        cores::RULES,
        memory::RULES,
        traffic::RULES,
        fetch::RULES,
    ];
    parts.into_iter().flatten()
}

/// Experiments whose rounds agree on a card that nobody else uses, with the largest difference between rounds in percent of the median.
/// Thirteen runs on H100s and H200s alone stayed below half of it.
const STEADY: [(&str, f64); 9] = [
    ("clock_mhz", 3.0),
    ("chain.fp32", 3.0),
    ("chase_shared", 3.0),
    ("chase_l1", 3.0),
    ("chase_l2", 6.0),
    ("traffic.store", 6.0),
    ("traffic.load", 6.0),
    ("traffic.local", 6.0),
    ("stream_gb_per_s", 9.0),
];

/// Returns the experiment whose rounds differ most beyond what a card does that nobody else uses, with the difference and the largest
/// allowed one, both in percent.
pub fn unsteady(readings: &Readings) -> Option<(&'static str, f64, f64)> {
    let spread = |experiment: &str| {
        let launches = readings.of(experiment).filter(|row| row.round == 0);
        let spreads = launches.map(|row| {
            let rounds = readings.rounds(experiment, row.at, row.with);
            spread_percent(&rounds)
        });
        spreads.max_by(f64::total_cmp).unwrap_or(0.0)
    };
    let spreads = STEADY.map(|(experiment, most)| (experiment, spread(experiment), most));
    let beyond = spreads.into_iter().filter(|(_, given, most)| given > most);
    beyond.max_by(|a, b| (a.1 / a.2).total_cmp(&(b.1 / b.2)))
}

/// Returns the difference between the largest and the smallest value, in percent of the median.
fn spread_percent(rounds: &[f64]) -> f64 {
    let least = rounds.iter().copied().fold(f64::INFINITY, f64::min);
    let most = rounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match stats::median(rounds) {
        Some(middle) if middle > 0.0 => 100.0 * (most - least) / middle,
        _ => 0.0,
    }
}

/// Returns a value that probes measured; `how` says from which readings, `rounds` are those readings.
fn measured(value: impl Into<Value>, how: &str, rounds: &[f64]) -> Found {
    let spread = match rounds {
        [] | [_] => String::new(),
        _ => format!(
            "; {} rounds within {:.1} %",
            rounds.len(),
            spread_percent(rounds)
        ),
    };
    Found {
        value: value.into(),
        kind: Kind::Measured,
        source: format!("measured here: {how}{spread}"),
    }
}

/// Returns the whole cycles of a dependent instruction or load; `others` are those of what is beside it in the chain.
fn latency(readings: &Readings, experiment: &str, others: i64) -> Option<Found> {
    let rounds = readings.rounds(experiment, 0, 0);
    let cycles = (whole(stats::median(&rounds)?) - others).max(0);
    Some(measured(cycles, &format!("`{experiment}`"), &rounds))
}

/// Returns whole cycles; what is behind the point is the loop around the chain.
fn whole(cycles: f64) -> i64 {
    cycles.max(0.0).floor() as i64
}

/// Returns the nearest whole number.
fn nearest(value: f64) -> i64 {
    value.round() as i64
}

/// Returns a number with so many digits behind the point.
fn rounded(value: f64, digits: i32) -> f64 {
    let unit = 10f64.powi(digits);
    (value * unit).round() / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(readings: &Readings, field: &str) -> Option<Value> {
        let (_, rule) = rules().find(|(key, _)| *key == field)?;
        Some(rule(readings)?.value)
    }

    fn of(rows: &[(&str, u32, u32, f64)]) -> Readings {
        let mut readings = Readings::default();
        for (experiment, at, with, value) in rows {
            readings.push(experiment, *at, *with, 0, *value);
        }
        readings
    }

    #[test]
    fn every_rule_is_of_a_field_of_the_template_and_none_finds_anything_in_nothing() {
        let (template, _) = super::super::preset::preset(&Readings::default(), "x").unwrap();
        for (key, rule) in rules() {
            let known = template.entries.iter().any(|entry| entry.key() == *key);
            assert!(known, "{key}");
            assert_eq!(rule(&Readings::default()), None, "{key}");
        }
    }

    #[test]
    fn the_jump_of_a_branch_is_what_a_loop_takes_beside_its_instructions() {
        // 16 dependent instructions at 4 cycles: 15 x 4, one issue, and the branch.
        let readings = of(&[("chain.fp32", 0, 0, 4.4), ("loop", 16, 0, 60.0 + 1.0 + 9.0)]);
        let taken = value(&readings, "latency.taken_branch_cycles");
        assert_eq!(taken, Some(Value::Integer(9)));
    }

    #[test]
    fn the_policy_is_the_one_whose_misses_were_read() {
        for (missed, policy) in [(0.95, "lru"), (0.4, "random")] {
            let readings = of(&[("l1_cyclic", 8, 125, missed)]);
            assert_eq!(value(&readings, "l1.replacement"), Some(policy.into()));
        }
    }

    #[test]
    fn the_l1_is_what_stays_and_what_is_reserved_of_a_multiple_of_32_kib() {
        let lines = |kib: u32| f64::from((128 - kib) * 8 - 40);
        let readings = of(&[("l1_lines", 8, 0, lines(8)), ("l1_lines", 64, 0, lines(64))]);
        let splits = value(&readings, "l1.splits").unwrap().to_string();
        assert!(splits.contains(&(1024 * 120).to_string()), "{splits}");
        let reserved = value(&readings, "l1.reserved_ways");
        assert_eq!(reserved, Some(Value::Integer(10)));
    }

    #[test]
    fn multiprocessors_whose_stores_gain_together_share_a_port() {
        // Pairs 0 and 1 share a port, 2 has its own; all but the third pair's are held up.
        let store = |at, value| ("traffic.store", at, 64, value);
        let both = |at, value| ("traffic.both", at, 64, value);
        let readings = of(&[
            ("card.multiprocessors", 0, 0, 6.0),
            ("port_gain", 0, 1, 10.0),
            ("port_gain", 1, 0, 9.0),
            ("port_gain", 2, 0, 1.2),
            store(1, 32.0),
            // A port passes 64: four multiprocessors 16 each, two 32 each.
            store(6, (64.0 + 64.0) / 6.0),
            both(1, 64.0),
            // A request takes 32 bytes: 102.4 for a port of four.
            both(6, (102.4 + 102.4) / 6.0),
        ]);
        let found = |field| value(&readings, field);
        assert_eq!(found("l2.n_ports"), Some(Value::Integer(2)));
        assert_eq!(found("l2.request_bytes"), Some(Value::Integer(32)));
    }

    #[test]
    fn a_card_that_is_held_back_in_one_round_is_unsteady() {
        let mut readings = of(&[("chase_l2", 0, 0, 270.0)]);
        readings.push("chase_l2", 0, 0, 1, 272.0);
        assert_eq!(unsteady(&readings), None);
        readings.push("chase_l2", 0, 0, 2, 372.0);
        assert_eq!(unsteady(&readings).map(|(name, ..)| name), Some("chase_l2"));
    }
}
