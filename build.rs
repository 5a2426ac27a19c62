//! Embeds the files of `fixtures/sass/` and the corpora of `fixtures/corpus/` into the library, as tables from
//! file name to bytes and to text.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What the program's results follow from. Watched, too.
const DECIDES: [&str; 12] = [
    "src",
    "build.rs",
    "Cargo.toml",
    "Cargo.lock",
    "fixtures/sass",
    "fixtures/corpus",
    "fixtures/devices",
    "fixtures/papers",
    "fixtures/r600",
    "fixtures/runs",
    "fixtures/divergence.csv",
    "fixtures/inferred.csv",
];

fn main() -> io::Result<()> {
    let mut build = Fnv(0xcbf2_9ce4_8422_2325);
    for path in DECIDES {
        println!("cargo::rerun-if-changed={path}");
        build.add(Path::new(path))?;
    }
    println!("cargo::rustc-env=WARPSTACK_BUILD={:016x}", build.0);
    let variable = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .ok_or(io::ErrorKind::NotFound)
    };
    let root = variable("CARGO_MANIFEST_DIR")?.join("fixtures/sass");
    let mut table = String::from("&[\n");
    // Browsers launch nothing.
    let in_browser = env::var_os("CARGO_CFG_TARGET_FAMILY").is_some_and(|family| family == "wasm");
    let is_wanted = |file: &Path| !(in_browser && file.to_string_lossy().ends_with(".cubin.gz"));
    for folder in sorted_entries(&root)?.iter().filter(|path| path.is_dir()) {
        for file in sorted_entries(folder)?
            .into_iter()
            .filter(|file| is_wanted(file))
        {
            let name = file
                .strip_prefix(&root)
                .unwrap_or(&file)
                .to_string_lossy()
                .replace('\\', "/");
            writeln!(
                table,
                "({name:?}, include_bytes!({:?})),",
                file.to_string_lossy()
            )
            .map_err(io::Error::other)?;
        }
    }
    table.push_str("]\n");
    let out = variable("OUT_DIR")?;
    fs::write(out.join("sass_files.rs"), table)?;
    let corpora = variable("CARGO_MANIFEST_DIR")?.join("fixtures/corpus");
    fs::write(out.join("corpus_files.rs"), corpus_table(&corpora)?)
}

/// A hash of files, to tell one build from another: Fowler, Noll and Vo's, 64 bits.
struct Fnv(u64);

impl Fnv {
    /// Names and contents, in order; what is not there adds nothing.
    fn add(&mut self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return sorted_entries(path)?
                .iter()
                .try_for_each(|path| self.add(path));
        }
        if path.is_file() {
            self.bytes(path.to_string_lossy().as_bytes());
            self.bytes(&fs::read(path)?);
        }
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// `(name, text)` of every `name.corpus`.
fn corpus_table(folder: &Path) -> io::Result<String> {
    let mut table = String::from("&[\n");
    for file in sorted_entries(folder)? {
        if file
            .extension()
            .is_none_or(|extension| extension != "corpus")
        {
            continue;
        }
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let path = file.to_string_lossy();
        writeln!(table, "({name:?}, include_str!({path:?})),").map_err(io::Error::other)?;
    }
    table.push_str("]\n");
    Ok(table)
}

fn sorted_entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
