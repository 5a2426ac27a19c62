//! A tar archive of files in memory.
//!
//! Models: POSIX ustar, files alone. Leaves out: dates and owners, so that the same files make the same archive. Units: bytes.

use super::Failure;

const BLOCK: usize = 512;

/// Returns the archive of files by name.
pub fn archive(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, Failure> {
    let mut archive = Vec::new();
    for (name, content) in files {
        archive.extend(header(name, content.len())?);
        archive.extend(content);
        archive.resize(archive.len().next_multiple_of(BLOCK), 0);
    }
    archive.resize(archive.len() + 2 * BLOCK, 0);
    Ok(archive)
}

fn header(name: &str, size: usize) -> Result<[u8; BLOCK], Failure> {
    let mut header = [0; BLOCK];
    let mut put =
        |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    if name.len() > 99 {
        return Err(format!("{name}: given {} bytes of name; allowed: 99", name.len()).into());
    }
    put(0, name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, "00000000000");
    // The sum is taken with spaces in its own place.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar");
    put(263, "00");
    let sum: u32 = header.iter().copied().map(u32::from).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(header)
}
