//! Does a study split over several machines give the whole study's results?

use crate::program::{refuses, stdout, succeeds, warpstack};
use std::path::Path;

const WHATIF: &str = "whatif --engine analytical --vary l1=16,32,48 --vary threads=32,256,640,1024 --vary clock=900,1000";

fn part(folder: &Path, number: u32, of: u32, format: &str) -> String {
    let path = folder.join(format!("part-{number}")).display().to_string();
    succeeds(&format!(
        "{WHATIF} --shard {number}/{of} --out {path} --format {format}"
    ));
    path
}

#[test]
fn parts_put_together_are_the_whole_byte_for_byte() {
    for format in ["csv", "json"] {
        let folder = tempfile::tempdir().unwrap();
        let whole = stdout(&format!("{WHATIF} --format {format}"));
        // More parts than points: some have none.
        for of in [3, 30] {
            let mut parts: Vec<String> = (1..=of)
                .map(|number| part(folder.path(), number, of, format))
                .collect();
            parts.reverse();
            let merged = stdout(&format!("merge {}", parts.join(" ")));
            assert!(merged == whole, "{format}, {of} parts");
        }
    }
}

#[test]
fn parts_that_do_not_make_a_whole_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [first, third] = [1, 3].map(|number| part(folder.path(), number, 3, "csv"));
    let other = part(folder.path(), 2, 2, "csv");
    refuses(&[
        (&format!("merge {first} {third}"), "2/3"),
        (
            &format!("merge {first} {other} {third}"),
            "different studies",
        ),
        ("merge nowhere.csv", "nowhere.csv"),
        (&format!("{WHATIF} --shard 1/3"), ""),
        ("reproduce --table 3 --shard 1/500 --out c.csv", ""),
        ("whatif --study absent.toml --slurm 7", "absent.toml"),
    ]);
}

#[test]
fn parts_belong_together_by_what_stands_in_their_files() {
    for study in ["whatif --vary threads=64,128", "reproduce --table 3"] {
        let folder = tempfile::tempdir().unwrap();
        let run = |place: &str, more: &str| {
            let line = format!("{study} --engine analytical --out part.csv {more}");
            let mut command = warpstack(&line);
            command
                .current_dir(folder.path().join(place))
                .assert()
                .success();
        };
        let merge = format!(
            "merge {0}/a/part.csv {0}/b/part.csv",
            folder.path().display()
        );
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
            run(place, &format!("--programs programs.txt --shard {shard}"));
        }
        refuses(&[(&merge, "different studies")]);
        // Files of other names with the same factors.
        for (place, shard) in [("a", "1/2"), ("b", "2/2")] {
            run(place, &format!("--inferred={place}.csv --shard {shard}"));
        }
        succeeds(&merge);
    }
}

#[test]
fn a_job_array_names_its_study_and_every_part() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("it's.toml");
    std::fs::write(&study, "[vary]\nthreads = [64, 128]\n").unwrap();
    let script = stdout(&format!("whatif --study {} --slurm 7", study.display()));
    for part in [
        "--array=1-7",
        "--requeue",
        "--shard \"$SLURM_ARRAY_TASK_ID/7\"",
        "it'\\''s.toml",
    ] {
        assert!(script.contains(part), "{script}");
    }
}

#[test]
fn parts_of_a_reproduction_put_together_are_the_whole_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    for ending in ["csv", "json"] {
        let [whole, a, b, merged] = ["whole", "a", "b", "merged"]
            .map(|name| format!("{}/{name}.{ending}", folder.path().display()));
        let table = "reproduce --table 3 --engine analytical --out";
        for part in [
            &whole,
            &format!("{a} --shard 1/2"),
            &format!("{b} --shard 2/2"),
        ] {
            succeeds(&format!("{table} {part}"));
        }
        succeeds(&format!("merge {b} {a} --out {merged}"));
        let read = |path: &str| std::fs::read_to_string(path).unwrap();
        assert_eq!(read(&merged), read(&whole));
    }
}
