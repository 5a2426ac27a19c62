//! Damage: bits, bytes, words of a dictionary, lines and parts of other inputs.

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`; 0 for an empty range.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Numbers near overflow.
const NUMBERS: &str = "0 1 -1 2 7 31 32 33 64 127 128 255 256 65535 65536 4294967295 4294967296 9223372036854775807 18446744073709551615 1e308 NaN 0.5";

/// Limit on an input's length: longer ones take time and find nothing more.
pub const LONGEST: usize = 1 << 16;

pub struct Mutator {
    pub random: Random,
    words: Vec<Vec<u8>>,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)
}

/// The range of the word at or after a place.
fn word_at(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = (at..bytes.len()).find(|&i| is_word(bytes[i]))?;
    let end = (start..bytes.len())
        .find(|&i| !is_word(bytes[i]))
        .unwrap_or(bytes.len());
    Some((start, end))
}

fn line_at(bytes: &[u8], at: usize) -> (usize, usize) {
    let is_end = |&b: &u8| b == b'\n';
    let start = bytes[..at].iter().rposition(is_end).map_or(0, |i| i + 1);
    let end = bytes[at..]
        .iter()
        .position(is_end)
        .map_or(bytes.len(), |i| at + i + 1);
    (start, end)
}

impl Mutator {
    /// Builds a dictionary from all words of the seeds, and numbers near overflow.
    pub fn new(seed: u64, seeds: &[Vec<u8>]) -> Self {
        let mut words: Vec<Vec<u8>> = NUMBERS.split(' ').map(|number| number.into()).collect();
        for bytes in seeds {
            words.extend(
                bytes
                    .split(|&b| !is_word(b))
                    .filter(|word| !word.is_empty())
                    .map(<[u8]>::to_vec),
            );
        }
        words.sort();
        words.dedup();
        Mutator {
            random: Random(seed),
            words,
        }
    }

    /// Applies one to eight mutations.
    pub fn mutate(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        for _ in 0..1 << self.random.below(4) {
            self.damage(bytes, other);
        }
        bytes.truncate(LONGEST);
    }

    fn damage(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        if bytes.is_empty() {
            bytes.extend_from_slice(other);
            return;
        }
        let at = self.random.below(bytes.len());
        match self.random.below(12) {
            0 => bytes[at] ^= 1 << self.random.below(8),
            1 => bytes[at] = self.random.next() as u8,
            2 => {
                let end = (at + 1 + self.random.below(16)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 | 4 => self.replace_word(bytes, at),
            5 => {
                let word = self.random.below(self.words.len());
                bytes.splice(at..at, self.words[word].iter().copied());
            }
            6 => {
                let (start, end) = line_at(bytes, at);
                bytes.drain(start..end);
            }
            7 => {
                let (start, end) = line_at(bytes, at);
                let line = bytes[start..end].to_vec();
                for _ in 0..1 << self.random.below(4) {
                    bytes.splice(start..start, line.iter().copied());
                }
            }
            8 => {
                let (start, end) = line_at(bytes, at);
                let line: Vec<u8> = bytes.drain(start..end).collect();
                let to = self.random.below(bytes.len() + 1);
                let to = if to < bytes.len() {
                    line_at(bytes, to).0
                } else {
                    to
                };
                bytes.splice(to..to, line);
            }
            9 if !other.is_empty() => {
                let (start, end) = line_at(other, self.random.below(other.len()));
                let to = line_at(bytes, at).0;
                bytes.splice(to..to, other[start..end].iter().copied());
            }
            10 if !other.is_empty() => {
                let from = self.random.below(other.len());
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ => self.change_number(bytes, at),
        }
    }

    fn replace_word(&mut self, bytes: &mut Vec<u8>, at: usize) {
        if let Some((start, end)) = word_at(bytes, at) {
            let word = self.random.below(self.words.len());
            bytes.splice(start..end, self.words[word].iter().copied());
        }
    }

    /// Replaces a number of the text by another one, near or far.
    fn change_number(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let Some(start) = (at..bytes.len()).find(|&i| bytes[i].is_ascii_digit()) else {
            return;
        };
        let end = (start..bytes.len())
            .find(|&i| !bytes[i].is_ascii_digit())
            .unwrap_or(bytes.len());
        let text = String::from_utf8_lossy(&bytes[start..end]).into_owned();
        let number: u64 = text.parse().unwrap_or(u64::MAX);
        let with = match self.random.below(4) {
            0 => number.wrapping_add(1).to_string(),
            1 => number.wrapping_sub(1).to_string(),
            2 => number.wrapping_mul(2).to_string(),
            _ => {
                let mut all = NUMBERS.split(' ');
                let n = all.clone().count();
                all.nth(self.random.below(n)).unwrap_or("0").to_owned()
            }
        };
        bytes.splice(start..end, with.bytes());
    }
}
