//! Host time of a generation, besides its kernel.
//!
//! Models: the programs copied to the card, the launch, a sum per thread copied back and added up, the next generation bred
//! and lowered; one after the other, as calls that wait do.
//! Leaves out: the first upload of the fitness cases, evaluation on the host, reports.
//! Units: in field names. Sources: Chitty 2016, Listing 1 (`progs`, `results[blockIdx.x*NUM_THRDS+threadIdx.x]`) and section
//! 4.2: GPop/s are those of full GP runs.

use crate::device::Host;

/// Bytes of a word of a program and of a thread's sum.
const WORD_BYTES: f64 = 4.0;

/// Work of the host for one generation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostWork {
    pub programs: u64,
    /// Nodes of all programs together.
    pub nodes: u64,
    /// Words of a program's row on the card: those of the longest.
    pub words_per_program: u32,
    /// Results of a program that are copied back and added up: a sum per thread, or of the accumulator one per block.
    pub values_per_program: u32,
}

impl HostWork {
    /// Seconds that the host takes for it while no kernel runs.
    pub fn seconds(&self, host: &Host) -> f64 {
        let programs = self.programs as f64;
        let upload_bytes = programs * f64::from(self.words_per_program) * WORD_BYTES;
        let values = programs * f64::from(self.values_per_program);
        let calls_us = host.launch_microseconds + 2.0 * host.copy_microseconds;
        let ns = upload_bytes * host.upload_ns_per_byte
            + values * (WORD_BYTES * host.download_ns_per_byte + host.sum_ns_per_value)
            + self.nodes as f64 * host.breeding_ns_per_node;
        1e-6 * calls_us + 1e-9 * ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: Host = Host {
        launch_microseconds: 10.0,
        copy_microseconds: 5.0,
        upload_ns_per_byte: 0.5,
        download_ns_per_byte: 0.25,
        sum_ns_per_value: 1.0,
        breeding_ns_per_node: 10.0,
    };

    #[test]
    fn a_generation_by_hand() {
        let work = HostWork {
            programs: 1000,
            nodes: 20_000,
            words_per_program: 50,
            values_per_program: 128,
        };
        // Calls 20 us, 200,000 bytes up, 128,000 sums of 4 bytes down and added up, breeding.
        let expected = 20e-6 + 100e-6 + 128e-6 + 128e-6 + 200e-6;
        assert!((work.seconds(&HOST) - expected).abs() < 1e-12);
    }
}
