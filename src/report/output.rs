//! The one place where results leave the program: standard output, or a file that is whole or absent.
//!
//! A file is written under a temporary name beside its destination and renamed when complete. A symbolic link stays, and what it leads to
//! is replaced; a device or a named pipe is written to. Leaves out: appending. Units: bytes.

use super::progress;
use std::cell::RefCell;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Error of writing an output.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}; allowed: a file in a folder that exists and can be written", path.display())]
pub struct OutputError {
    pub path: PathBuf,
    pub source: std::io::Error,
}

thread_local! {
    /// The standard output of this thread, while it is captured.
    static CAPTURED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Runs `work` and returns, beside its result, what it writes to standard output on this thread.
pub fn captured<R>(work: impl FnOnce() -> R) -> (R, Vec<u8>) {
    CAPTURED.set(Some(Vec::new()));
    let result = work();
    (result, CAPTURED.take().unwrap_or_default())
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
    let failed = |source| error(folder, without_path(source));
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o777));
    }
    let made = builder.tempdir_in(folder_of(folder));
    let temporary = made.map_err(failed)?;
    write_all(temporary.path())?;
    std::fs::rename(temporary.path(), folder).map_err(failed)?;
    // Nothing is left under the temporary name.
    let _ = temporary.keep();
    Ok(())
}

/// Finds out before long work that the file could not be written.
pub fn check_writable(path: &Path) -> Result<(), OutputError> {
    let check = || match Destination::of(path)? {
        // Opening a pipe would already be visible to its reader.
        Destination::Stream => Ok(()),
        Destination::File(path) => {
            // It would be replaced all the same where its folder can be written.
            if std::fs::metadata(&path).is_ok_and(|found| found.permissions().readonly()) {
                return Err(std::io::ErrorKind::PermissionDenied.into());
            }
            temporary_beside(&path).map(drop)
        }
    };
    check().map_err(|source| error(path, source))
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

/// Whether a path leads to a device or a pipe, beside which nothing can lie.
pub fn is_stream(path: &Path) -> bool {
    matches!(Destination::of(path), Ok(Destination::Stream))
}

/// Target of a path.
enum Destination {
    /// A regular file, there or not: no link any more.
    File(PathBuf),
    /// Any other writable target: a device, a named pipe, a descriptor of this process.
    Stream,
}

/// Longest chain of symbolic links, as in Linux.
const MAX_LINKS: usize = 40;

impl Destination {
    fn of(path: &Path) -> std::io::Result<Destination> {
        match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(std::io::ErrorKind::IsADirectory.into()),
            Ok(found) if found.is_file() => std::fs::canonicalize(path).map(Destination::File),
            Ok(_) => Ok(Destination::Stream),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => not_there(path),
            Err(error) => Err(error),
        }
    }
}

/// Returns the place of a file that does not exist yet; links may lead to it.
fn not_there(path: &Path) -> std::io::Result<Destination> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => return Ok(Destination::File(path)),
        }
    }
    Err(std::io::Error::other("too many symbolic links"))
}

fn write_file(path: &Path, content: &[u8]) -> Result<(), OutputError> {
    let written = Destination::of(path).and_then(|destination| match destination {
        Destination::File(path) => replace(&path, content),
        Destination::Stream => {
            let stream = std::fs::OpenOptions::new().write(true).open(path)?;
            write_stream(stream, content)
        }
    });
    written.map_err(|source| error(path, source))
}

fn replace(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut file = temporary_beside(path)?;
    file.write_all(content)
        .and_then(|()| file.as_file().sync_all())
        .map_err(without_path)?;
    file.persist(path).map(drop).map_err(|failed| failed.error)
}

fn write_stdout(content: &[u8]) -> Result<(), OutputError> {
    progress::end();
    let is_captured = CAPTURED.with_borrow_mut(|captured| {
        let captured = captured.as_mut().map(|bytes| bytes.extend(content));
        captured.is_some()
    });
    if is_captured {
        return Ok(());
    }
    write_stream(std::io::stdout().lock(), content)
        .map_err(|source| error(Path::new("standard output"), source))
}

fn write_stream(mut stream: impl Write, content: &[u8]) -> std::io::Result<()> {
    match stream.write_all(content).and_then(|()| stream.flush()) {
        // The reader has had enough (`| head`): not an error of ours.
        Err(source) if source.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Prefix and suffix of the names of incomplete files.
const TEMPORARY: (&str, &str) = (".warpstack-", ".tmp");

fn temporary_beside(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    #[cfg(unix)]
    {
        // As any new file: readable for all, less what the umask takes.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    remove_left_over(folder);
    builder.tempfile_in(folder).map_err(without_path)
}

fn folder_of(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Age from which a temporary file counts as left over: longer than any run writes a file.
const LEFT_OVER: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes what runs that were killed left in a folder; where that cannot be done it stays.
fn remove_left_over(folder: &Path) {
    let is_temporary = |name: &OsStr| {
        let name = name.to_string_lossy();
        name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1)
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name())) {
        let changed = entry.metadata().and_then(|found| found.modified());
        let age = changed.ok().and_then(|changed| changed.elapsed().ok());
        if age.is_some_and(|age| age > LEFT_OVER) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Returns the error without the meaningless temporary name.
fn without_path(error: std::io::Error) -> std::io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((what, _)) => std::io::Error::new(error.kind(), what),
        None => error,
    }
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
    fn what_a_thread_prints_is_captured_until_its_work_ends() {
        let (result, printed) = captured(|| {
            write(None, b"one ").unwrap();
            write(None, b"two").unwrap();
            7
        });
        assert_eq!((result, &printed[..]), (7, &b"one two"[..]));
        assert_eq!(captured(|| ()).1, b"");
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        write(Some(&path), b"first").unwrap();
        write(Some(&path), b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_leads_to_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::os::unix::fs::symlink("file", &link).unwrap();
        // Once it leads to nothing, once to a file.
        for content in [&b"first"[..], b"second"] {
            check_writable(&link).unwrap();
            write(Some(&link), content).unwrap();
            assert!(link.is_symlink());
            assert_eq!(std::fs::read(&file).unwrap(), content);
        }
        let circle = folder.path().join("circle");
        std::os::unix::fs::symlink("circle", &circle).unwrap();
        assert!(write(Some(&circle), b"x").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn a_named_pipe_and_a_device_are_written_to() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        check_writable(&pipe).unwrap();
        assert!(is_stream(&pipe) && !is_stream(&folder.path().join("new")));
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read(pipe).unwrap()
        });
        write(Some(&pipe), b"content").unwrap();
        assert_eq!(reader.join().unwrap(), b"content");
        assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
        // A link, so that the device itself is not at stake.
        let null = folder.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &null).unwrap();
        write(Some(&null), b"content").unwrap();
        assert!(null.is_symlink());
        let null = std::fs::metadata("/dev/null").unwrap();
        assert!(null.file_type().is_char_device());
        std::fs::remove_file(folder.path().join("null")).unwrap();
        let full = folder.path().join("full");
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        assert!(write(Some(&full), b"content").is_err());
    }

    #[test]
    fn what_a_killed_run_left_is_removed_after_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let two_days = Duration::from_secs(48 * 60 * 60);
        for (name, age) in [
            (".warpstack-old.tmp", two_days),
            (".warpstack-new.tmp", Duration::ZERO),
            ("other.tmp", two_days),
        ] {
            let file = std::fs::File::create(folder.path().join(name)).unwrap();
            file.set_modified(std::time::SystemTime::now() - age)
                .unwrap();
        }
        write(Some(&folder.path().join("out")), b"x").unwrap();
        let left = std::fs::read_dir(folder.path()).unwrap().flatten();
        let mut left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        left.sort();
        assert_eq!(left, [".warpstack-new.tmp", "other.tmp", "out"]);
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
            assert!(!message.contains(TEMPORARY.0), "{message}");
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
