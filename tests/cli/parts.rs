//! Does the job array of the book give the whole study's file?

use crate::program::succeeds;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

/// Runs the tasks of a job array one after the other, as far as a test needs it.
const SBATCH: &str = r#"#!/bin/bash
set -e
last=$(sed -n 's/^#SBATCH --array=1-//p' "$1")
for task in $(seq "$last"); do SLURM_ARRAY_TASK_ID=$task bash "$1"; done
"#;

/// The block of a page that begins like this.
fn block<'a>(page: &'a str, begin: &str) -> &'a str {
    let start = page.find(begin).unwrap_or_else(|| panic!("no {begin}"));
    let block = &page[start..];
    let ends = ["```", "\n\n    warpstack"];
    let end = ends.iter().filter_map(|end| block.find(end)).min();
    &block[..end.unwrap()]
}

#[test]
fn the_books_job_array_gives_the_whole_studys_file() {
    let page = std::fs::read_to_string("docs/whatif.md").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let study = block(&page, "    device = \"gtx670\"");
    let study: Vec<&str> = study.lines().map(|line| line.trim_start()).collect();
    std::fs::write(place("study.toml"), study.join("\n")).unwrap();
    std::fs::write(place("study.sh"), block(&page, "#!/bin/bash\n#SBATCH")).unwrap();
    std::fs::write(place("sbatch"), SBATCH).unwrap();
    std::fs::set_permissions(place("sbatch"), PermissionsExt::from_mode(0o755)).unwrap();
    symlink(
        assert_cmd::cargo::cargo_bin("warpstack"),
        place("warpstack"),
    )
    .unwrap();
    let path = format!(
        "{}:{}",
        folder.path().display(),
        std::env::var("PATH").unwrap()
    );
    for script in ["sbatch study.sh", block(&page, "head -1 part-1.csv")] {
        let mut bash = Command::new("bash");
        bash.args(["-e", "-c", script]).env("PATH", &path);
        let output = bash.current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{script}: {output:?}");
    }
    let [study, whole] = ["study.toml", "whole.csv"].map(place);
    succeeds(&format!(
        "whatif --study {} --out {}",
        study.display(),
        whole.display()
    ));
    let read = |name| std::fs::read_to_string(place(name)).unwrap();
    assert!(read("whole.csv").lines().count() > 8);
    assert_eq!(read("all.csv"), read("whole.csv"));
}
