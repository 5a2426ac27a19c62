//! Reads users' files whole, up to a size limit, and finds the line of a TOML error.
//!
//! Counts the bytes it reads, because a pipe or a device reports no length. Leaves out: the contents of a file. Units: bytes.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Limit for files that people write, and for listings: presets, studies, settings, sources.
pub const MOST_TEXT_BYTES: u64 = 64 << 20;

/// Limit for files that programs write: programs, corpora, rows, states.
pub const MOST_DATA_BYTES: u64 = 1 << 30;

/// Reads a file of at most [`MOST_TEXT_BYTES`].
pub fn text(path: &Path) -> Result<String> {
    up_to(MOST_TEXT_BYTES, path)
}

/// Reads a file of at most [`MOST_DATA_BYTES`].
pub fn data(path: &Path) -> Result<String> {
    up_to(MOST_DATA_BYTES, path)
}

/// Reads a file of at most [`MOST_DATA_BYTES`]; the error names the file.
pub fn named(path: &Path) -> std::result::Result<String, String> {
    data(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}

fn up_to(most: u64, path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let refused = format!("given more than {most} bytes; allowed: at most {most}");
        return Err(Error::new(ErrorKind::FileTooLarge, refused));
    }
    utf8(bytes)
}

/// Returns bytes as text, or an error if they are not UTF-8.
pub fn utf8(bytes: Vec<u8>) -> Result<String> {
    let refused = |_| Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8");
    String::from_utf8(bytes).map_err(refused)
}

/// Returns the line of a TOML text at which an error begins, counted from 1.
pub fn toml_line(text: &str, error: &toml::de::Error) -> usize {
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = &text.as_bytes()[..start];
    before.iter().filter(|&&byte| byte == b'\n').count() + 1
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, "häh").unwrap();
        assert_eq!(up_to(4, &path).unwrap(), "häh");
        // The limit also applies inside a multi-byte character.
        for most in [1, 3] {
            let message = up_to(most, &path).unwrap_err().to_string();
            assert_eq!(
                message,
                format!("given more than {most} bytes; allowed: at most {most}")
            );
        }
        std::fs::write(&path, b"h\xe4h").unwrap();
        let message = text(&path).unwrap_err().to_string();
        assert!(message.contains("UTF-8"), "{message}");
        assert!(data(&folder.path().join("absent")).is_err());
    }

    #[test]
    fn a_mistake_in_a_toml_text_has_a_line() {
        let line = |text: &str, shown: &str| {
            let error = text.parse::<toml::Table>().expect_err("wrong");
            toml_line(shown, &error)
        };
        let text = "a = 1\n\nb = \"ä\"\nc = [\n";
        assert!((4..=5).contains(&line(text, text)));
        assert_eq!(line("a = 1\nb = = 2\n", "a = 1\nb = = 2\n"), 2);
        // The text is not available.
        assert_eq!(line(text, ""), 1);
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_refused() {
        let message = text(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(message.contains("67108864 bytes"), "{message}");
    }
}
