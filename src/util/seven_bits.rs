//! Bytes as text of a page, seven bits a character: a sixth longer than the bytes, where base64 is a third longer.
//!
//! Leaves out: reading them (`report/explore/worker.js`).

/// Characters that HTML does not keep, or that might end a script: NUL, carriage return, `<`.
const ESCAPED: [u8; 3] = [0, b'\r', b'<'];

/// Returns the bits of some bytes as characters below 128, the first bit highest; 128 is added to those that are escaped.
pub fn seven_bits(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 5);
    let (mut word, mut held) = (0_u32, 0_u32);
    let mut push = |bits: u8| {
        let escaped = ESCAPED.contains(&bits);
        text.push(char::from(bits | u8::from(escaped) << 7));
    };
    for &byte in bytes {
        (word, held) = (word << 8 | u32::from(byte), held + 8);
        while held >= 7 {
            held -= 7;
            push((word >> held & 127) as u8);
        }
    }
    if held > 0 {
        push((word << (7 - held) & 127) as u8);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reads the text as the page's script does.
    fn read(text: &str) -> Vec<u8> {
        let (mut word, mut held, mut bytes) = (0_u32, 0, Vec::new());
        for character in text.chars() {
            (word, held) = (word << 7 | u32::from(character) & 127, held + 7);
            if held >= 8 {
                held -= 8;
                bytes.push((word >> held) as u8);
            }
        }
        bytes
    }

    proptest! {
        #[test]
        fn the_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let text = seven_bits(&bytes);
            prop_assert!(!text.contains(['\0', '\r', '<']));
            prop_assert_eq!(read(&text), bytes);
        }
    }
}
