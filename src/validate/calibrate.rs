//! Refits the unknown values of a device preset on half of a user's own measurements.
//!
//! Models: a least-squares fit of all values together, each held near the preset's value.
//! Leaves out: values of any other kind but the clock, which are never touched; predicting, which is the caller's.
//! Units: those of the preset; errors in percent.
//! Sources: `docs/how-to/check-a-measurement.md`, section 3.

use crate::device::{Device, Kind, Reader};
use crate::study::sensitivity::sensitivities;
use crate::study::{Base, Key, StudyError};
use crate::util::linear::solve;

/// A value that is refitted, and what it may be.
#[derive(Debug, Clone)]
pub struct Scalar {
    pub key: Key,
    /// As the preset has it.
    pub start: f64,
    /// As the preset has it.
    pub kind: Kind,
}

/// Fields that may be refitted from measurements where a preset lacks them: times and rates that no document gives. A chip's
/// resources, sizes, limits and policies are looked up instead.
const UNKNOWN: [&str; 20] = [
    "chip.grid_cycles",
    "chip.block_cycles",
    "latency.sfu_cycles",
    "latency.convert_cycles",
    "latency.special_register_cycles",
    "latency.taken_branch_cycles",
    "load_store.queue_cycles",
    "shared.latency_cycles",
    "l1.hit_latency_cycles",
    "l2.usable_fraction",
    "l2.hit_latency_cycles",
    "l2.port_efficiency",
    "l2.request_bytes",
    "l2.write_bytes_per_cycle",
    "l2.ingest_bytes_per_cycle",
    "dram.efficiency",
    "dram.latency_cycles",
    "dram.activation_interval_ns",
    "instruction_cache.l15_latency_cycles",
    "constant_cache.l1_latency_cycles",
];

/// The most values that are refitted from measurements, and the rows that each of them takes.
const MOST_VALUES: usize = 4;
pub const ROWS_PER_VALUE: usize = 4;
/// The clock, which a card may not run at, and the common factor that it can hardly be told from.
pub const CLOCK: &str = "chip.clock_mhz";

/// Standard deviations of the logarithm of a value, and of the clock's, before any measurement. Chosen.
const SPREAD: f64 = 0.5;
const CLOCK_SPREAD: f64 = 0.1;
/// Change of a logarithm at most, as multiples of the spread: 0.37 to 2.7 times a value, 0.82 to 1.22 times the clock.
const MOST_SPREADS: f64 = 2.0;
/// Relative change of a value that its effect is read from.
const STEP: f64 = 0.1;
/// Rounds of the fit, and times that a step is halved until it gains.
const ROUNDS: usize = 5;
const HALVINGS: i32 = 3;
/// Standard error of a prediction's logarithm at least: that of the model itself. Chosen.
const LEAST_ERROR: f64 = 0.02;
/// Values whose effects on the rows have at least this cosine are not told apart. Chosen.
const ALIKE: f64 = 0.95;

/// Result of a fit.
#[derive(Debug, Clone)]
pub struct Calibration {
    pub device: Device,
    /// In the order of the values.
    pub values: Vec<f64>,
    /// Geometric mean of predicted over measured time with the preset.
    pub common_factor: f64,
    /// Places of two values that change the rows alike, and the cosine of their effects.
    pub alike: Vec<(usize, usize, f64)>,
}

/// Returns the clock and the preset's unknown values that `engine` reads, those first to which `time`, from the analytical model, is
/// most sensitive; `n_rows` limits how many.
pub fn unknown_scalars<E: Send>(
    base: &Base,
    engine: Reader,
    n_rows: usize,
    time: impl Fn(&Device) -> Result<f64, E> + Sync,
) -> Result<Vec<Scalar>, E> {
    let found = sensitivities(base, Reader::Model, is_unknown, time)?;
    let read = found
        .into_iter()
        .filter(|one| base.check_read(&one.key, engine, &[]).is_ok());
    let scalar = |key, kind, start| Scalar { key, start, kind };
    let unknown = read.map(|one| scalar(one.key, one.kind, one.value));
    let unknown = unknown.take(MOST_VALUES.min(n_rows / ROWS_PER_VALUE));
    let clock = base.numbers(engine).into_iter();
    let clock = clock.filter(|(key, _, _)| key.name() == CLOCK);
    let clock = clock.map(|(key, kind, start)| scalar(key, kind, start));
    Ok(clock.chain(unknown).collect())
}

fn is_unknown(key: &Key, kind: Kind) -> bool {
    matches!(kind, Kind::Assumed | Kind::Fitted) && UNKNOWN.contains(&key.name().as_str())
}

/// Returns the value that a preset can have next to `value`.
fn rounded(base: &Base, key: &Key, value: f64) -> f64 {
    match base.is_whole(key) {
        true => value.round(),
        // Three digits: more would fit the noise.
        false => (value * 1000.0).round() / 1000.0,
    }
}

fn device(base: &Base, scalars: &[Scalar], values: &[f64]) -> Result<Device, StudyError> {
    let texts: Vec<String> = values.iter().map(f64::to_string).collect();
    let keys = scalars.iter().map(|scalar| &scalar.key);
    let changes: Vec<(&Key, &str)> = keys.zip(texts.iter().map(String::as_str)).collect();
    base.device(&changes)
}

impl Scalar {
    fn spread(&self) -> f64 {
        match self.key.name() == CLOCK {
            true => CLOCK_SPREAD,
            false => SPREAD,
        }
    }

    /// Change of the value's logarithm from the preset, in spreads.
    fn moved(&self, value: f64) -> f64 {
        (value / self.start).ln() / self.spread()
    }

    /// The value moved by a number of spreads.
    fn at(&self, base: &Base, moved: f64) -> f64 {
        let moved = moved.clamp(-MOST_SPREADS, MOST_SPREADS);
        rounded(base, &self.key, self.start * (moved * self.spread()).exp())
    }
}

/// Logarithms of predicted over measured time, with the values that gave them.
#[derive(Debug, Clone)]
struct Point {
    values: Vec<f64>,
    device: Device,
    logs: Vec<f64>,
}

impl Point {
    /// Sum of squares, in standard errors of a row, of the rows' logarithms and of how far the values moved.
    fn cost(&self, scalars: &[Scalar], error: f64) -> f64 {
        let rows: f64 = self.logs.iter().map(|log| (log / error).powi(2)).sum();
        rows + self.moved(scalars).iter().map(|x| x * x).sum::<f64>()
    }

    fn moved(&self, scalars: &[Scalar]) -> Vec<f64> {
        let pairs = scalars.iter().zip(&self.values);
        pairs.map(|(scalar, value)| scalar.moved(*value)).collect()
    }

    fn root_mean_square(&self) -> f64 {
        let squares: f64 = self.logs.iter().map(|log| log * log).sum();
        (squares / self.logs.len().max(1) as f64).sqrt()
    }

    fn sum_of_errors(&self) -> f64 {
        self.logs.iter().map(|log| log.exp_m1().abs()).sum()
    }
}

/// Fits all values together to `ratios`, predicted over measured times of the rows: Gauss-Newton steps on their logarithms, each
/// value held near the preset's by its spread. Returns the preset's own values where nothing is nearer to the rows in the mean.
pub fn fit<E: From<StudyError>>(
    base: &Base,
    scalars: &[Scalar],
    ratios: impl FnMut(&Device) -> Result<Vec<f64>, E>,
) -> Result<Calibration, E> {
    let mut fit = Fit {
        base,
        scalars,
        ratios,
    };
    let preset: Vec<f64> = scalars.iter().map(|scalar| scalar.start).collect();
    let start = fit.point(device(base, scalars, &preset)?, preset)?;
    let (mut best, mut alike) = (start.clone(), Vec::new());
    for round in 0..ROUNDS {
        let effects = fit.effects(&best)?;
        if round == 0 {
            alike = pairs_alike(&effects);
        }
        let error = best.root_mean_square().max(LEAST_ERROR);
        let step = step(&effects, &best, scalars, error);
        let Some(next) = fit.better(&best, &step, error)? else {
            break;
        };
        best = next;
    }
    if best.sum_of_errors() >= start.sum_of_errors() {
        best = start.clone();
    }
    let n_rows = start.logs.len().max(1) as f64;
    Ok(Calibration {
        device: best.device,
        values: best.values,
        common_factor: (start.logs.iter().sum::<f64>() / n_rows).exp(),
        alike,
    })
}

struct Fit<'a, F> {
    base: &'a Base,
    scalars: &'a [Scalar],
    ratios: F,
}

impl<E: From<StudyError>, F: FnMut(&Device) -> Result<Vec<f64>, E>> Fit<'_, F> {
    fn point(&mut self, device: Device, values: Vec<f64>) -> Result<Point, E> {
        let logs = (self.ratios)(&device)?.into_iter().map(f64::ln).collect();
        Ok(Point {
            values,
            device,
            logs,
        })
    }

    /// Returns the change of every row's logarithm with each value, per spread of the value; none for one that cannot be larger.
    fn effects(&mut self, at: &Point) -> Result<Effects, E> {
        let mut effects = Vec::with_capacity(self.scalars.len());
        for (place, scalar) in self.scalars.iter().enumerate() {
            let from = at.values[place];
            let to = rounded(self.base, &scalar.key, from * (1.0 + STEP));
            let to = if to == from { from + 1.0 } else { to };
            let mut values = at.values.clone();
            values[place] = to;
            let per_spread = 1.0 / (scalar.moved(to) - scalar.moved(from));
            effects.push(match device(self.base, self.scalars, &values) {
                Err(_) => vec![0.0; at.logs.len()],
                Ok(device) => {
                    let changed = self.point(device, values)?;
                    let pairs = changed.logs.iter().zip(&at.logs);
                    pairs.map(|(new, old)| (new - old) * per_spread).collect()
                }
            });
        }
        Ok(effects)
    }

    /// Returns the point a step away, or a half or less of it, that is better; `None` if there is none.
    fn better(&mut self, from: &Point, step: &[f64], error: f64) -> Result<Option<Point>, E> {
        let (base, scalars) = (self.base, self.scalars);
        let moved = from.moved(scalars);
        for halvings in 0..=HALVINGS {
            let part = 0.5f64.powi(halvings);
            let places = scalars.iter().enumerate();
            let values: Vec<f64> = places
                .map(|(at, scalar)| scalar.at(base, moved[at] + part * step[at]))
                .collect();
            if values == from.values {
                return Ok(None);
            }
            let Ok(device) = device(base, scalars, &values) else {
                continue;
            };
            let next = self.point(device, values)?;
            if next.cost(scalars, error) < from.cost(scalars, error) {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }
}

type Effects = Vec<Vec<f64>>;

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the pairs of values that change the rows alike.
fn pairs_alike(effects: &Effects) -> Vec<(usize, usize, f64)> {
    let n = effects.len();
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    let cosine = |a: usize, b: usize| {
        let [a, b] = [&effects[a], &effects[b]];
        product(a, b).abs() / (product(a, a) * product(b, b)).sqrt()
    };
    let alike = pairs.map(|(a, b)| (a, b, cosine(a, b)));
    alike.filter(|(_, _, cosine)| *cosine >= ALIKE).collect()
}

/// Returns the step, in spreads of each value, that would be best if effects were linear.
fn step(effects: &Effects, at: &Point, scalars: &[Scalar], error: f64) -> Vec<f64> {
    let per_square = 1.0 / (error * error);
    let moved = at.moved(scalars);
    let equation = |row: usize| {
        let mut terms: Vec<f64> = effects
            .iter()
            .map(|other| per_square * product(&effects[row], other))
            .collect();
        terms[row] += 1.0;
        terms.push(-per_square * product(&effects[row], &at.logs) - moved[row]);
        terms
    };
    solve((0..effects.len()).map(equation).collect())
}

/// The text of a preset with `values` in place of its own; all else stays as it is. A value that changed is of the kind `fitted` and
/// has the new `source`.
pub fn with_values(text: &str, scalars: &[Scalar], values: &[f64], source: &str) -> String {
    let mut section = "";
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = name;
        }
        let field = line.split_once(" =").map_or("", |(field, _)| field);
        let key = Key::Field(section.into(), field.into());
        let found = scalars.iter().zip(values).find(|(one, _)| one.key == key);
        lines.push(match found {
            Some((one, value)) => replaced(line, field, one, *value, source),
            None => line.to_owned(),
        });
    }
    lines.join("\n") + "\n"
}

fn replaced(line: &str, field: &str, scalar: &Scalar, value: f64, source: &str) -> String {
    let rest = line.split_once(',').map_or("", |(_, rest)| rest);
    let Some((unit, _)) = rest.split_once("kind =") else {
        return line.to_owned();
    };
    if value == scalar.start {
        return line.to_owned();
    }
    // As the file writes it: a number of either type keeps its type.
    let is_whole = !line.split(',').next().unwrap_or("").contains('.');
    let shown = match is_whole {
        true => value.to_string(),
        false => format!("{value:?}"),
    };
    let (was, kind) = (scalar.start, scalar.kind.name());
    let source = source.replace(['"', '\\'], "'");
    format!(
        "{field} = {{ value = {shown},{unit}kind = \"fitted\", source = \"{source}; before: {was} ({kind})\" }}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Preset;

    /// Predicted over measured times of rows that a card like the T4 might have: each hangs on the clock and one more value.
    fn slower(device: &Device) -> Result<Vec<f64>, StudyError> {
        let clock = 1590.0 / device.chip.clock_mhz;
        let branch = (10.0 + device.latency.taken_branch_cycles as f64) / 19.0;
        let port = (1.0 + device.l2.port_efficiency) / 1.4;
        Ok(vec![clock, clock * branch, clock / port])
    }

    #[test]
    fn unknown_values_are_found_together_and_documented_ones_but_the_clock_never_change() {
        let base = Base::load("t4").unwrap();
        let time = |device: &Device| Ok::<f64, StudyError>(slower(device)?.iter().sum());
        let scalars = unknown_scalars(&base, Reader::Sim, 40, time).unwrap();
        let names: Vec<String> = scalars.iter().map(|one| one.key.name()).collect();
        let unknown = ["latency.taken_branch_cycles", "l2.port_efficiency"];
        assert_eq!(names, [[CLOCK].as_slice(), &unknown].concat());
        assert_eq!(
            unknown_scalars(&base, Reader::Sim, 3, time).unwrap().len(),
            1
        );
        let found = fit(&base, &scalars, slower).unwrap();
        let logs = slower(&found.device).unwrap();
        assert!(logs.iter().all(|one| one.ln().abs() < 0.03), "{found:?}");
        let spelt = format!("{found:?}");
        assert!(
            (8..=10).contains(&found.device.latency.taken_branch_cycles),
            "{spelt}"
        );
        assert!(found.alike.is_empty(), "{spelt}");
        // Two values that act alike are named.
        let alike = |device: &Device| {
            let branch = (10.0 + device.latency.taken_branch_cycles as f64) / 19.0;
            let port = (1.0 + device.l2.port_efficiency) / 1.4;
            Ok::<_, StudyError>(vec![branch / port, 2.0 * branch / port])
        };
        let pairs = fit(&base, &scalars, alike).unwrap().alike;
        assert_eq!(
            pairs.iter().map(|(a, b, _)| (*a, *b)).collect::<Vec<_>>(),
            [(1, 2)]
        );
        let text = Preset::text("t4").unwrap();
        let starts: Vec<f64> = scalars.iter().map(|scalar| scalar.start).collect();
        assert_eq!(with_values(&text, &scalars, &starts, "none"), text);
        let written = with_values(&text, &scalars, &found.values, "4 rows of \"my\".csv");
        let read = Preset::from_toml(&written, "written").unwrap();
        assert_eq!(read.device, found.device);
        let fitted: Vec<String> = read
            .fitted()
            .iter()
            .map(|entry| entry.source.clone())
            .collect();
        let source = "4 rows of 'my'.csv; before: 12 (assumed)".to_owned();
        assert!(fitted.contains(&source), "{fitted:?}");
    }
}
