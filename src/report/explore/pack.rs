//! Whole numbers of known width as text that a page can hold.
//!
//! Lays every column out as planes, all lowest bytes first, then all next ones, because bytes of one place resemble each
//! other; compresses the planes (deflate, RFC 1951) and writes them in base64 (RFC 4648). Leaves out: reading, which the page's script
//! does with what browsers have. Units: bytes.

use super::grid::{Column, Record};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write;

/// All records as one text.
pub fn pack(columns: &[Column], records: &[Record]) -> std::io::Result<String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    for (at, column) in columns.iter().enumerate() {
        for plane in 0..column.bytes {
            let bytes: Vec<u8> = records
                .iter()
                .map(|record| record[at].to_le_bytes()[plane])
                .collect();
            encoder.write_all(&bytes)?;
        }
    }
    Ok(base64(&encoder.finish()?))
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = (0..3).fold(0_u32, |word, at| {
            word << 8 | u32::from(group.get(at).copied().unwrap_or(0))
        });
        for sextet in 0..4 {
            let place = word >> (18 - 6 * sextet) & 63;
            text.push(match sextet <= group.len() {
                true => char::from(ALPHABET[place as usize]),
                false => '=',
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn text_is_that_of_the_standard() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn columns_lie_in_planes() {
        let columns = [("a", 2), ("b", 1)].map(|(name, bytes)| Column {
            name,
            bytes,
            places: 0,
        });
        let records = [vec![0x0102, 7], vec![0x0304, 8]];
        let text = pack(&columns, &records).unwrap();
        let digit = |byte: u8| ALPHABET.iter().position(|one| *one == byte);
        let digits: Vec<usize> = text.bytes().filter_map(digit).collect();
        let mut bytes = Vec::new();
        for group in digits.chunks(4) {
            let word = (0..4).fold(0, |word, at| word << 6 | group.get(at).unwrap_or(&0));
            bytes.extend((0..group.len() - 1).map(|at| (word >> (16 - 8 * at)) as u8));
        }
        let mut planes = Vec::new();
        let mut decoder = flate2::read::DeflateDecoder::new(&bytes[..]);
        decoder.read_to_end(&mut planes).unwrap();
        assert_eq!(planes, [2, 4, 1, 3, 7, 8]);
    }
}
