//! Sizes of the processor's caches, and the block of cases that fits them.
//!
//! Models: the data caches of the first processor, as Linux lists them; if it lists none, sizes that nearly every processor of
//! the last ten years reaches. Leaves out: sharing between cores. Units: bytes; elements of 4 bytes.
//! Sources: Documentation/ABI/testing/sysfs-devices-system-cpu of the Linux kernel.

use std::sync::LazyLock;

/// Sizes of the data caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caches {
    pub l1_bytes: usize,
    pub l2_bytes: usize,
}

/// Sizes assumed if the operating system lists no caches.
const USUAL: Caches = Caches {
    l1_bytes: 32 << 10,
    l2_bytes: 256 << 10,
};

/// Rows of a block in use at a time beside the inputs: some stack levels and the expected values.
const STACK_ROWS: usize = 4;

/// Caches of this machine.
pub static THIS_MACHINE: LazyLock<Caches> = LazyLock::new(|| {
    Caches::listed(|entry| std::fs::read_to_string(format!("{FOLDER}/{entry}")).ok())
});

const FOLDER: &str = "/sys/devices/system/cpu/cpu0/cache";

impl Caches {
    /// Reads the sizes from the entries of the folder.
    fn listed(entry: impl Fn(&str) -> Option<String>) -> Caches {
        let mut found = USUAL;
        for index in 0..8 {
            let read = |name: &str| {
                let text = entry(&format!("index{index}/{name}"));
                text.map(|text| text.trim().to_owned())
            };
            let (Some(level), Some(kind), Some(size)) = (read("level"), read("type"), read("size"))
            else {
                continue;
            };
            let Some(bytes) = bytes(&size).filter(|_| kind != "Instruction") else {
                continue;
            };
            match level.as_str() {
                "1" => found.l1_bytes = bytes,
                "2" => found.l2_bytes = bytes,
                _ => {}
            }
        }
        found
    }

    /// Returns the elements of a block whose live rows fit the L1, a power of two, for programs on `n_inputs` inputs.
    pub fn block_elements(&self, n_inputs: usize) -> usize {
        let fit = self.l1_bytes / ((STACK_ROWS + n_inputs) * size_of::<f32>());
        1 << fit.clamp(64, 4096).ilog2()
    }
}

/// Parses a size as Linux writes it: `48K`.
fn bytes(size: &str) -> Option<usize> {
    let (digits, unit) = match size.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => match size.strip_suffix('M') {
            Some(digits) => (digits, 1 << 20),
            None => (size, 1),
        },
    };
    let number: usize = digits.parse().ok()?;
    number.checked_mul(unit).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_caches_are_read_and_others_assumed() {
        assert_eq!(Caches::listed(|_| None), USUAL);
        let entries = [
            ("0", ["1", "Data", "48K"]),
            ("1", ["1", "Instruction", "64K"]),
            ("2", ["2", "Unified", "2M"]),
            ("3", ["2", "Unified", "nonsense"]),
        ];
        let caches = Caches::listed(|entry| {
            let (index, name) = entry.strip_prefix("index")?.split_once('/')?;
            let (_, of) = entries.iter().find(|(known, _)| *known == index)?;
            let at = ["level", "type", "size"].iter().position(|n| *n == name)?;
            Some(format!("{}\n", of[at]))
        });
        assert_eq!((caches.l1_bytes, caches.l2_bytes), (48 << 10, 2 << 20));
        assert_eq!(caches.block_elements(1), 2048);
        assert_eq!(USUAL.block_elements(1), 1024);
    }

    #[test]
    fn blocks_stay_within_bounds() {
        let of = |l1_bytes| Caches { l1_bytes, ..USUAL }.block_elements(20);
        assert_eq!((of(0), of(48 << 10), of(16 << 20)), (64, 512, 4096));
    }
}
