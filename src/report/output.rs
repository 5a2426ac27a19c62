//! The one place where results leave the program: standard output, or a file that is whole or absent.
//!
//! A file is written under a temporary name beside its destination and renamed when complete.
//! Leaves out: appending. Units: bytes.

use super::progress;
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

/// Writes `files` into `folder`, which is made if there is none: then it appears with all of them at once. In a folder
/// that exists every file is replaced whole, in the order given, so that a list of the others should come last.
pub fn write_folder(folder: &Path, files: &[(&str, Vec<u8>)]) -> Result<(), OutputError> {
    let write_all = |into: &Path| {
        let mut files = files.iter();
        files.try_for_each(|(name, content)| write_file(&into.join(name), content))
    };
    if folder.is_dir() {
        return write_all(folder);
    }
    let failed = |source| error(folder, source);
    let parent = folder
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warpstack-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o777));
    }
    let made = builder.tempdir_in(parent.unwrap_or(Path::new(".")));
    let temporary = made.map_err(failed)?;
    write_all(temporary.path())?;
    std::fs::rename(temporary.path(), folder).map_err(failed)?;
    // Nothing is left under the temporary name.
    let _ = temporary.keep();
    Ok(())
}

/// Finds out before long work that the file could not be written.
pub fn check_writable(path: &Path) -> Result<(), OutputError> {
    // It would be replaced all the same where its folder can be written.
    if std::fs::metadata(path).is_ok_and(|found| found.permissions().readonly()) {
        let source = std::io::ErrorKind::PermissionDenied.into();
        return Err(error(path, source));
    }
    temporary_beside(path)
        .map(drop)
        .map_err(|source| error(path, source))
}

/// Finds out before long work that a folder of files could not be written.
pub fn check_folder(folder: &Path) -> Result<(), OutputError> {
    match folder.exists() {
        true if !folder.is_dir() => {
            let source = std::io::ErrorKind::NotADirectory.into();
            Err(error(folder, source))
        }
        true => check_writable(&folder.join(".warpstack")),
        false => check_writable(folder),
    }
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
    progress::end();
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
    fn a_new_folder_appears_with_all_its_files() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("trace");
        let files = [("a", b"1".to_vec()), ("b", b"2".to_vec())];
        write_folder(&folder, &files).unwrap();
        write_folder(&folder, &files).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
        let missing = parent.path().join("no/trace");
        assert!(write_folder(&missing, &files).is_err());
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
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert!(check_folder(&file).is_err() && check_folder(folder.path()).is_ok());
        assert!(check_folder(&folder.path().join("new")).is_ok());
        assert!(check_folder(&folder.path().join("no/new")).is_err());
        let mut permissions = std::fs::metadata(&file).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&file, permissions).unwrap();
        assert!(check_writable(&file).is_err(), "a file that is read-only");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
