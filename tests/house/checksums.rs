//! Are the checksums of the data set current?

use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Predictions, which are no data, and the file of the checksums.
const NO_DATA: [&str; 3] = [
    "measured/SHA256SUMS",
    "measured/errors.csv",
    "measured/predictions.csv",
];

/// Collects every file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn every_measured_file_has_its_checksum() {
    let fixtures = Path::new("fixtures");
    let mut found = Vec::new();
    for folder in ["measured", "papers"] {
        files(&fixtures.join(folder), &mut found);
    }
    let line = |path: &PathBuf| {
        let name = path.strip_prefix(fixtures).unwrap().to_string_lossy();
        let name = name.replace('\\', "/");
        let digest = Sha256::digest(std::fs::read(path).unwrap());
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        (!NO_DATA.contains(&name.as_str())).then(|| format!("{digits}  {name}"))
    };
    let today: BTreeSet<String> = found.iter().filter_map(line).collect();
    let listed = std::fs::read_to_string("fixtures/measured/SHA256SUMS").unwrap();
    let listed: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
    let differ: Vec<&String> = today.symmetric_difference(&listed).collect();
    assert!(
        differ.is_empty(),
        "measured/SHA256SUMS (fixtures/README.md): {differ:?}"
    );
}
