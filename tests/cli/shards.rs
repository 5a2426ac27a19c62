//! Does a study in parts, each on a machine of its own, come to what the whole study comes to?

use assert_cmd::Command;
use std::path::Path;
use std::process::Output;
use warpstack::gp::evolve::EvolveConfig;

fn warpstack(args: &[&str]) -> Output {
    let mut command = Command::cargo_bin("warpstack").unwrap();
    command.args(args).output().unwrap()
}

fn whatif(more: &[&str]) -> Output {
    let study = [
        "whatif",
        "--engine",
        "model",
        "--vary",
        "l1=16,32,48",
        "--vary",
        "threads=32,256,640,1024",
        "--vary",
        "clock=900,1000",
    ];
    warpstack(&[&study[..], more].concat())
}

fn part(folder: &Path, number: u32, of: u32, format: &str) -> String {
    let path = folder.join(format!("part-{number}"));
    let path = path.to_str().unwrap().to_owned();
    let shard = format!("{number}/{of}");
    let output = whatif(&["--shard", &shard, "--out", &path, "--format", format]);
    assert!(output.status.success(), "{output:?}");
    path
}

#[test]
fn parts_put_together_are_the_whole_byte_for_byte() {
    for format in ["csv", "json"] {
        let folder = tempfile::tempdir().unwrap();
        let whole = whatif(&["--format", format]).stdout;
        // More parts than points: some have none.
        for of in [3, 30] {
            let mut parts: Vec<String> = (1..=of)
                .map(|number| part(folder.path(), number, of, format))
                .collect();
            parts.reverse();
            let mut args = vec!["merge"];
            args.extend(parts.iter().map(String::as_str));
            let merged = warpstack(&args);
            assert!(merged.status.success(), "{merged:?}");
            assert!(merged.stdout == whole, "{format}, {of} parts");
        }
    }
}

#[test]
fn parts_that_do_not_make_a_whole_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [first, third] = [1, 3].map(|number| part(folder.path(), number, 3, "csv"));
    let other = part(folder.path(), 2, 2, "csv");
    let refused = |parts: &[&str], why: &str| {
        let output = warpstack(&[&["merge"], parts].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.contains(why) && message.lines().count() == 1,
            "{message}"
        );
        assert!(output.stdout.is_empty());
    };
    refused(&[&first, &third], "2/3");
    refused(&[&first, &other, &third], "different studies");
    refused(&["nowhere.csv"], "nowhere.csv");
    let alone = whatif(&["--shard", "1/3"]);
    assert_eq!(alone.status.code(), Some(2));
}

#[test]
fn parts_belong_together_by_what_stands_in_their_files() {
    let whatif = ["whatif", "--vary", "threads=64,128"];
    let reproduce = ["reproduce", "--table", "3"];
    for study in [&whatif[..], &reproduce[..]] {
        let folder = tempfile::tempdir().unwrap();
        let run = |place: &str, args: &[&str]| {
            let mut command = Command::cargo_bin("warpstack").unwrap();
            let args = [args, &["--engine", "model", "--out", "part.csv"]].concat();
            let command = command.current_dir(folder.path().join(place)).args(args);
            assert!(command.output().unwrap().status.success(), "{study:?}");
        };
        let merged = || {
            let part = |place: &str| folder.path().join(place).join("part.csv");
            let [first, second] = ["a", "b"].map(|place| part(place).display().to_string());
            warpstack(&["merge", &first, &second])
        };
        let inferred = std::fs::read_to_string("fixtures/inferred.csv").unwrap();
        for (place, program) in [("a", "X1 X1 *\n"), ("b", "X1 X1 X1 * *\n")] {
            std::fs::create_dir(folder.path().join(place)).unwrap();
            let write = |name: &str, text: &str| {
                std::fs::write(folder.path().join(place).join(name), text).unwrap();
            };
            write("programs.txt", program);
            write(&format!("{place}.csv"), &inferred);
        }
        // Files of one name with other programs.
        for (place, shard) in [("a", "1/2"), ("b", "2/2")] {
            let part = ["--programs", "programs.txt", "--shard", shard];
            run(place, &[study, &part].concat());
        }
        let refused = merged();
        let message = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{study:?}");
        assert!(message.contains("different studies"), "{message}");
        // Files of other names with the same factors.
        for (place, shard) in [("a", "1/2"), ("b", "2/2")] {
            let inferred = format!("--inferred={place}.csv");
            run(
                place,
                &[study, &[inferred.as_str(), "--shard", shard]].concat(),
            );
        }
        let output = merged();
        assert!(output.status.success(), "{study:?}: {output:?}");
    }
}

#[test]
fn a_job_array_names_its_study_and_every_part() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("it's.toml");
    std::fs::write(&study, "[vary]\nthreads = [64, 128]\n").unwrap();
    let output = warpstack(&["slurm", "--study", study.to_str().unwrap(), "--tasks", "7"]);
    let script = String::from_utf8(output.stdout).unwrap();
    assert!(
        script.contains("--array=1-7") && script.contains("--requeue"),
        "{script}"
    );
    assert!(
        script.contains("--shard \"$SLURM_ARRAY_TASK_ID/7\""),
        "{script}"
    );
    assert!(script.contains("it'\\''s.toml"), "{script}");
    let absent = warpstack(&["slurm", "--study", "absent.toml", "--tasks", "7"]);
    assert_eq!(absent.status.code(), Some(2));
}

#[test]
fn parts_of_a_campaign_put_together_are_the_whole_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let settings = EvolveConfig {
        population: 40,
        generations: 4,
        elitism: 2,
        ..EvolveConfig::default()
    };
    let settings = serde_json::to_string(&settings).unwrap();
    std::fs::write(folder.path().join("settings.json"), settings).unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::cargo_bin("warpstack").unwrap();
        let output = command.current_dir(folder.path()).args(args).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
    };
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let campaign = [
        "evolve",
        "--problem",
        "sextic",
        "--runs",
        "5",
        "--cases",
        "500",
        "--settings",
        "settings.json",
    ];
    let with = |more: &[&str]| run(&[&campaign[..], more].concat());
    with(&["--record", "r.json", "--out", "c.corpus"]);
    let (record, corpus) = (read("r.json"), read("c.corpus"));
    with(&["--shard", "2/2", "--out", "b"]);
    with(&["--shard", "1/2", "--out", "a"]);
    run(&["merge", "b", "a", "--record", "r.json", "--out", "c.corpus"]);
    assert_eq!(read("c.corpus"), corpus);
    assert_eq!(read("r.json"), record);
}

#[test]
fn parts_of_a_reproduction_put_together_are_the_whole_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let reproduce = |more: &[&str]| {
        let table = ["reproduce", "--table", "3", "--engine", "model", "--out"];
        let output = warpstack(&[&table[..], more].concat());
        assert!(output.status.success(), "{more:?}: {output:?}");
    };
    for ending in ["csv", "json"] {
        let [whole, a, b, merged] =
            ["whole", "a", "b", "merged"].map(|name| path(&format!("{name}.{ending}")));
        reproduce(&[&whole]);
        reproduce(&[&a, "--shard", "1/2"]);
        reproduce(&[&b, "--shard", "2/2"]);
        let output = warpstack(&["merge", &b, &a, "--out", &merged]);
        assert!(output.status.success(), "{output:?}");
        let read = |path: &str| std::fs::read_to_string(path).unwrap();
        assert_eq!(read(&merged), read(&whole));
    }
    let refused = warpstack(&[
        "reproduce",
        "--table",
        "3",
        "--shard",
        "1/500",
        "--out",
        &path("c.csv"),
    ]);
    assert_eq!(refused.status.code(), Some(2));
}
