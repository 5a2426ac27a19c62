//! Which of all the sites are tried: a random sample, from every file its share.

use super::Failure;
use super::faults::{self, FAULTS};
use super::sites::{self, Site};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What decides how long a launch takes.
pub const FOLDERS: [&str; 5] = [
    "src/sim",
    "src/isa",
    "src/launch",
    "src/model",
    "src/device",
];

/// Helps the tests, is nothing that they test.
const EXCEPT: [&str; 2] = ["testing.rs", "tests.rs"];

pub struct File {
    pub path: PathBuf,
    pub text: String,
    /// Drawn ones, with their numbers, outer ones before those within them.
    pub drawn: Vec<(u32, Site)>,
    pub n_sites: usize,
}

fn sources(root: &Path, folder: &Path, into: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(root.join(folder))?
        .map(|entry| entry.map(|entry| folder.join(entry.file_name())))
        .collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        if root.join(&path).is_dir() {
            sources(root, &path, into)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            into.push(path);
        }
    }
    Ok(())
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Numbers of a file's own: what another file holds does not change its sample.
fn random_of(seed: u64, path: &Path) -> Random {
    let bytes = path.as_os_str().as_encoded_bytes();
    // FNV-1a.
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    Random(hash ^ seed)
}

/// `n` of them in their order.
fn some_of(mut random: Random, mut sites: Vec<Site>, n: usize) -> Vec<Site> {
    while sites.len() > n {
        let at = random.below(sites.len());
        sites.remove(at);
    }
    sites
}

fn drawn(root: &Path, sample: usize, seed: u64) -> Result<Vec<File>, Failure> {
    let mut paths = Vec::new();
    for folder in FOLDERS {
        sources(root, Path::new(folder), &mut paths)?;
    }
    paths.retain(|path| !EXCEPT.iter().any(|except| path.ends_with(except)));
    let mut found = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(root.join(&path))?;
        let sites = sites::of(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        found.push((path, text, sites));
    }
    let n_all: usize = found.iter().map(|(.., sites)| sites.len()).sum();
    let mut id = 0;
    let files = found.into_iter().map(|(path, text, sites)| {
        let n_sites = sites.len();
        let n = (sample * n_sites).div_ceil(n_all.max(1));
        let drawn = some_of(random_of(seed, &path), sites, n)
            .into_iter()
            .map(|site| {
                id += 1;
                (id, site)
            });
        File {
            drawn: drawn.collect(),
            path,
            text,
            n_sites,
        }
    });
    Ok(files.collect())
}

/// About `sample` sites, and the faults by name, whose numbers come after theirs.
pub fn files(root: &Path, sample: usize, seed: u64) -> Result<Vec<File>, Failure> {
    let mut files = drawn(root, sample, seed)?;
    let mut id = files.iter().map(|file| file.drawn.len()).sum::<usize>() as u32;
    let with_faults: BTreeSet<&str> = FAULTS.iter().map(|fault| fault.file).collect();
    for path in with_faults {
        let at = match files.iter().position(|file| file.path == Path::new(path)) {
            Some(at) => at,
            None => {
                files.push(File {
                    path: path.into(),
                    text: std::fs::read_to_string(root.join(path))?,
                    drawn: Vec::new(),
                    n_sites: 0,
                });
                files.len() - 1
            }
        };
        let file = &mut files[at];
        for site in faults::sites(path, &file.text)? {
            id += 1;
            file.drawn.push((id, site));
        }
        sites::outer_first(&mut file.drawn, |(_, site)| site);
    }
    Ok(files)
}
