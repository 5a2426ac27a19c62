//! Embeds the files of `fixtures/sass/` into the library, as a table from file name to bytes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=fixtures/sass");
    let variable = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .ok_or(io::ErrorKind::NotFound)
    };
    let root = variable("CARGO_MANIFEST_DIR")?.join("fixtures/sass");
    let mut table = String::from("&[\n");
    for folder in sorted_entries(&root)?.iter().filter(|path| path.is_dir()) {
        for file in sorted_entries(folder)? {
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
    fs::write(variable("OUT_DIR")?.join("sass_files.rs"), table)
}

fn sorted_entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
