//! Tests that run in one process: what they take, and which mutants they come by.

use super::Failure;
use super::process::{Passed, Run};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// Test programs that compare whole outputs with files of the repository.
pub const GOLDEN: [&str; 3] = ["book", "cli_golden", "matrix"];

/// A test that takes longer is a suite by itself.
const LONG_SECONDS: f64 = 2.0;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Binary {
    /// `lib` for the library's unit tests.
    pub name: String,
    pub path: PathBuf,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Suite {
    pub binary: Binary,
    pub tests: Vec<String>,
    pub seconds: f64,
    pub reached: Vec<u32>,
}

impl Suite {
    pub fn is_golden(&self) -> bool {
        GOLDEN.contains(&self.binary.name.as_str())
    }
}

/// In threads, in no order.
pub fn in_parallel<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    each: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Relaxed)) {
                    let result = each(item);
                    if let Ok(mut results) = results.lock() {
                        results.push(result);
                    }
                }
            });
        }
    });
    results.into_inner().unwrap_or_default()
}

pub fn read(folder: &Path) -> Result<Vec<Suite>, Failure> {
    Ok(serde_json::from_slice(&std::fs::read(
        folder.join("suites.json"),
    )?)?)
}

pub fn baseline(folder: &Path, jobs: usize, without: &[String]) -> Result<(), Failure> {
    let mut binaries: Vec<Binary> =
        serde_json::from_slice(&std::fs::read(folder.join("binaries.json"))?)?;
    for name in without {
        if !binaries.iter().any(|binary| binary.name == *name) {
            return Err(format!("no test program {name:?} in binaries.json").into());
        }
    }
    binaries.retain(|binary| !without.contains(&binary.name));
    let found = in_parallel(jobs, &binaries, |binary| suites_of(folder, binary));
    let suites: Vec<Suite> = found.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    let numbered: Vec<(usize, Suite)> = suites.into_iter().enumerate().collect();
    let found = in_parallel(jobs, &numbered, |(n, suite)| {
        with_reached(folder, *n, suite)
    });
    let mut suites = found.into_iter().collect::<Result<Vec<_>, _>>()?;
    suites.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let seconds: f64 = suites.iter().map(|suite| suite.seconds).sum();
    println!("{} suites, {seconds:.0} seconds", suites.len());
    Ok(std::fs::write(
        folder.join("suites.json"),
        serde_json::to_string_pretty(&suites)?,
    )?)
}

fn suites_of(folder: &Path, binary: &Binary) -> Result<Vec<Suite>, String> {
    let run = Run {
        folder,
        program: &binary.path,
        tests: &[],
        variable: ("WARPSTACK_MUTANT", "0".to_owned()),
        limit: Duration::from_secs(1200),
        all: true,
    };
    let (_, passed) = run
        .run()
        .map_err(|error| format!("{}: {error}", binary.name))?;
    let mut groups: BTreeMap<String, (Vec<String>, f64)> = BTreeMap::new();
    for Passed { test, seconds } in passed {
        let key = match test.split_once("::") {
            _ if seconds > LONG_SECONDS => test.clone(),
            Some((module, _)) if binary.name == "lib" => module.to_owned(),
            _ => String::new(),
        };
        let group = groups.entry(key).or_default();
        group.0.push(test);
        group.1 += seconds;
    }
    let suites = groups.into_values().map(|(tests, seconds)| Suite {
        binary: binary.clone(),
        tests,
        seconds,
        reached: Vec::new(),
    });
    Ok(suites.collect())
}

fn with_reached(folder: &Path, n: usize, suite: &Suite) -> Result<Suite, String> {
    let file = folder.join(format!("reached-{n}.txt"));
    let run = Run {
        folder,
        program: &suite.binary.path,
        tests: &suite.tests,
        variable: ("WARPSTACK_REACHED", file.display().to_string()),
        limit: Duration::from_secs(1200),
        all: true,
    };
    run.run()
        .map_err(|error| format!("{}: {error}", suite.binary.name))?;
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let mut reached: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    reached.sort_unstable();
    reached.dedup();
    let _ = std::fs::remove_file(&file);
    Ok(Suite {
        reached,
        ..suite.clone()
    })
}
