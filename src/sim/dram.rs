//! One multiprocessor's share of the DRAM.
//!
//! What it models: bandwidth, and the rows of the banks: a transfer to a row that is not open activates it, and a
//! partition activates rows no faster than its devices allow. Scattered lines therefore get less than half of the
//! bandwidth that streams get.
//! What it leaves out: turning between reads and writes, refresh, banks one by one (the least recently opened
//! row of the share closes), other multiprocessors' rows.
//! Units: cycles, bytes. Sources: in the device preset, `[dram]`.

use super::port::Port;
use super::spec::DramSpec;

/// See the module text.
#[derive(Debug, Clone)]
pub struct Dram {
    port: Port,
    activation_cycles: f64,
    row_shift: u32,
    open_rows: Vec<u32>,
    oldest: usize,
}

/// No row: addresses are below it.
const CLOSED: u32 = u32::MAX;

impl Dram {
    /// Idle, all rows closed.
    pub fn new(spec: &DramSpec) -> Self {
        Dram {
            port: Port::new(spec.bytes_per_cycle),
            activation_cycles: f64::from(spec.activation_cycles),
            row_shift: spec.row_bytes.trailing_zeros(),
            open_rows: vec![CLOSED; spec.open_rows.max(1) as usize],
            oldest: 0,
        }
    }

    /// Transfers `bytes`, asked for at `now` and possible from `earliest` on; the cycle at which it starts.
    pub fn transfer(&mut self, address: u32, bytes: u32, now: u64, earliest: f64) -> f64 {
        let row = address >> self.row_shift;
        if self.open_rows.contains(&row) {
            return self.port.reserve(now, earliest, bytes);
        }
        self.open_rows[self.oldest] = row;
        self.oldest = (self.oldest + 1) % self.open_rows.len();
        self.port
            .reserve_at_least(now, earliest, bytes, self.activation_cycles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dram() -> Dram {
        Dram::new(&DramSpec {
            bytes_per_cycle: 32.0,
            activation_cycles: 10.0,
            row_bytes: 256,
            open_rows: 2,
        })
    }

    #[test]
    fn scattered_lines_are_paced_by_activations() {
        let mut dram = dram();
        let starts: Vec<f64> = (0..3)
            .map(|i| dram.transfer(i * 4096, 128, 0, 0.0))
            .collect();
        assert_eq!(starts, [0.0, 10.0, 20.0]);
    }

    #[test]
    fn lines_of_an_open_row_follow_at_the_bandwidth() {
        let mut dram = dram();
        dram.transfer(0, 128, 0, 0.0);
        assert_eq!(dram.transfer(128, 128, 0, 0.0), 10.0);
        assert_eq!(dram.transfer(0, 128, 0, 0.0), 14.0);
    }
}
