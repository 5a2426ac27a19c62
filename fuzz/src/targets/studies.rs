//! What-if studies: their files with the resulting points, and the journals from which they resume.

use super::text;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};
use warpstack::predictor::{Kind, Predictor};
use warpstack::study::axis::Axis;
use warpstack::study::file::StudyFile;
use warpstack::study::journal::Journal;
use warpstack::study::part::Part;
use warpstack::study::run::{Outcome, Study};
use warpstack::study::setting::Base;
use warpstack::systems::options::LaunchOptions;

const STUDIES: [&str; 2] = [
    "device = \"gtx670\"\nengine = \"model\"\n[base]\nkernel = \"rpn\"\nproblem = \"sextic\"\n[vary]\nthreads = \"128..512:128\"\nstack_dim = [1, 2]\n",
    "[base]\nstack_dim = 2\n\"l2.bytes\" = 524288\n[vary]\nl1 = \"16,32,48\"\n\"l1.latency_cycles\" = \"10..40:10\"\n\"sm.schedulers\" = [1, 2, 4]\n",
];

pub fn study_seeds() -> Vec<Vec<u8>> {
    STUDIES.map(|text| text.as_bytes().to_vec()).into()
}

static BASE: LazyLock<(Base, Predictor)> = LazyLock::new(|| {
    let base = Base::gtx670().expect("a committed preset");
    let engine = Predictor::new(base.device.clone()).with_engine(Kind::Analytical);
    (base, engine)
});

/// Limit on the points of a study that are checked.
const POINTS: usize = 3;

pub fn study(bytes: &[u8]) {
    let Ok(file) = StudyFile::parse(&text(bytes), "fuzz.toml") else {
        return;
    };
    let (base, engine) = &*BASE;
    let Ok(lines) = file.axes() else {
        return;
    };
    let axes = lines.iter().map(|line| Axis::parse(line, base));
    let Ok(axes) = axes.collect::<Result<Vec<_>, _>>() else {
        return;
    };
    let study = Study {
        base: base.clone(),
        options: LaunchOptions {
            stack_dim: Some(2),
            threads_per_block: Some(128),
            ..LaunchOptions::of("rpn")
        },
        axes,
        part: Part::WHOLE,
    };
    let Ok(n) = study.n_points() else {
        return;
    };
    for point in 0..n.min(POINTS) {
        if let Ok(site) = study.site(point) {
            let _ = engine.on(site.device).predict(&site.options);
        }
    }
}

/// Folder and path of the journals, one at a time.
static FOLDER: LazyLock<Mutex<(tempfile::TempDir, PathBuf)>> = LazyLock::new(|| {
    // In memory, where there is such a folder.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folder = folder.expect("a folder");
    let path = folder.path().join("fuzz.csv.journal");
    Mutex::new((folder, path))
});

const N: usize = 5;

pub fn journal_seeds() -> Vec<Vec<u8>> {
    let guard = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
    let path = &guard.1;
    let mut seeds = Vec::new();
    let _ = std::fs::remove_file(path);
    if let Ok((journal, _)) = Journal::open(path, "study", N) {
        let outcome = Outcome {
            gpops_billion: Some(12.5),
            ..Outcome::default()
        };
        for point in [3, 0, 4] {
            let _ = journal.append(point, &outcome);
            seeds.extend(std::fs::read(path));
        }
    }
    seeds
}

/// Reads a journal; an accepted one gets another line and is read again.
pub fn journal(bytes: &[u8]) {
    let guard = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
    let path = &guard.1;
    std::fs::write(path, bytes).expect("a file");
    let Ok((journal, before)) = Journal::open(path, "study", N) else {
        return;
    };
    assert_eq!(before.len(), N);
    let outcome = Outcome {
        gpops_billion: Some(1.0),
        ..Outcome::default()
    };
    journal.append(2, &outcome).expect("room");
    drop(journal);
    let (_, after) = Journal::open(path, "study", N).expect("what was begun goes on");
    for (point, (before, after)) in before.iter().zip(&after).enumerate() {
        match point {
            2 => assert_eq!(after.as_ref(), Some(&outcome)),
            _ => assert_eq!(before, after),
        }
    }
}
