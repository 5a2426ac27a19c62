//! A campaign that is killed resumes from its checkpoint and ends bit for bit like an uninterrupted one.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use warpstack::gp::evolve::EvolveConfig;
use warpstack::gp::evolve::config::Replacement;

/// Starts a campaign of 3 runs whose corpus, record and checkpoint lie in `folder`.
fn start(folder: &Path, replacement: Replacement, jobs: &str) -> Child {
    let settings = EvolveConfig {
        population: 300,
        generations: 25,
        elitism: 5,
        replacement,
        ..EvolveConfig::default()
    };
    let text = serde_json::to_string(&settings).unwrap();
    std::fs::write(folder.join("settings.json"), text).unwrap();
    Command::new(env!("CARGO_BIN_EXE_warpstack"))
        .current_dir(folder)
        .args(["evolve", "--problem", "sextic", "--runs", "3"])
        .args(["--cases", "2000", "--settings", "settings.json"])
        .args(["--record", "r.json", "--out", "c.corpus"])
        .args(["--checkpoint", "state.json", "--jobs", jobs])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn generations_saved(folder: &Path) -> usize {
    let text = std::fs::read_to_string(folder.join("state.json")).unwrap_or_default();
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(state) => state["current"]["record"]["best_error"]
            .as_array()
            .map_or(0, Vec::len),
        Err(_) => 0,
    }
}

/// Kills the process once its checkpoint holds `n` generations of a run.
fn kill_after(mut child: Child, folder: &Path, n: usize) {
    let began = Instant::now();
    while generations_saved(folder) < n {
        assert!(
            child.try_wait().unwrap().is_none() && began.elapsed() < Duration::from_secs(120),
            "the process ended before it could be killed"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(!folder.join("c.corpus").exists() && !folder.join("r.json").exists());
}

#[test]
fn a_killed_campaign_resumes_and_ends_bit_identical() {
    for replacement in [Replacement::Generational, Replacement::Plus] {
        let (left_alone, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        assert!(
            start(left_alone.path(), replacement, "1")
                .wait()
                .unwrap()
                .success()
        );
        kill_after(start(killed.path(), replacement, "2"), killed.path(), 2);
        kill_after(start(killed.path(), replacement, "1"), killed.path(), 9);
        assert!(
            start(killed.path(), replacement, "2")
                .wait()
                .unwrap()
                .success()
        );
        for file in ["c.corpus", "r.json"] {
            let read = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
            assert!(
                read(left_alone.path()) == read(killed.path()),
                "{file} differs, {replacement:?}"
            );
        }
    }
}
