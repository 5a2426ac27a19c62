//! The one place where results leave the program: standard output, or a file that is whole or absent.
//!
//! A file is written under a temporary name beside its destination and renamed when complete.
//! Leaves out: appending. Units: bytes.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Why an output could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}; allowed: a file in a folder that exists and can be written", path.display())]
pub struct OutputError {
    pub path: PathBuf,
    pub source: std::io::Error,
}

/// Writes `content` to `path`, or to standard output if there is none.
pub fn write(path: Option<&Path>, content: &[u8]) -> Result<(), OutputError> {
    match path {
        Some(path) => write_file(path, content),
        None => write_stdout(content),
    }
}

/// Finds out before long work that the file could not be written.
pub fn check_writable(path: &Path) -> Result<(), OutputError> {
    temporary_beside(path)
        .map(drop)
        .map_err(|source| error(path, source))
}

fn write_file(path: &Path, content: &[u8]) -> Result<(), OutputError> {
    let mut file = temporary_beside(path).map_err(|source| error(path, source))?;
    file.write_all(content)
        .and_then(|()| file.as_file().sync_all())
        .map_err(|source| error(path, source))?;
    file.persist(path)
        .map(drop)
        .map_err(|failed| error(path, failed.error))
}

fn write_stdout(content: &[u8]) -> Result<(), OutputError> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(content).and_then(|()| stdout.flush());
    match written {
        // The reader has had enough (`| head`): not an error of ours.
        Err(source) if source.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|source| error(Path::new("standard output"), source)),
    }
}

fn temporary_beside(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    if path.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warpstack-").suffix(".tmp");
    #[cfg(unix)]
    {
        // As any new file: readable for all, less what the umask takes.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

fn error(path: &Path, source: std::io::Error) -> OutputError {
    OutputError {
        path: path.into(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        write(Some(&path), b"first").unwrap();
        write(Some(&path), b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_or_a_missing_folder_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            folder.path().to_path_buf(),
            folder.path().join("no/out.csv"),
        ] {
            let message = write(Some(&path), b"x").unwrap_err().to_string();
            assert!(message.contains(&path.display().to_string()), "{message}");
            assert!(check_writable(&path).is_err());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
