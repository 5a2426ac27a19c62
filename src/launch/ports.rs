//! Ports through which the multiprocessors send to the L2.
//!
//! Models: the TPCs take the ports in turn, and all multiprocessors of a TPC use the same port. Where the TPCs cannot be divided
//! evenly, some ports have one less, and its multiprocessors get more.
//! Leaves out: that the TPCs of a port do not share it quite evenly.
//! Units: bytes, cycles. Sources: the device preset (H100, H200: `ports.csv`; a port belongs to the three TPCs of a CPC).

/// Ports of a chip and the multiprocessors behind each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ports {
    n_ports: u32,
    n_tpcs: u32,
    n_smx: u32,
    /// Bytes per cycle that a port passes; infinite if unlimited.
    pub bytes_per_cycle: f32,
}

impl Ports {
    /// Returns `n_ports` ports that together pass `bytes_per_cycle`.
    pub fn new(n_ports: u32, n_smx: u32, smx_per_tpc: u32, bytes_per_cycle: f32) -> Self {
        let n_ports = n_ports.max(1);
        Ports {
            n_ports,
            n_tpcs: n_smx.div_ceil(smx_per_tpc.max(1)).max(1),
            n_smx,
            bytes_per_cycle: bytes_per_cycle / n_ports as f32,
        }
    }

    /// Number of ports.
    pub fn n_ports(&self) -> usize {
        self.n_ports as usize
    }

    /// Returns the port of a multiprocessor, by the order in which they receive their first block: one of each TPC, then the next.
    pub fn of(&self, smx: usize) -> usize {
        smx % self.n_tpcs as usize % self.n_ports as usize
    }

    /// Returns the ports' multiprocessors at work, if the first `at_work` are.
    pub fn sizes(&self, at_work: u32) -> Vec<u32> {
        let mut sizes = vec![0; self.n_ports as usize];
        (0..at_work.min(self.n_smx)).for_each(|smx| sizes[self.of(smx as usize)] += 1);
        sizes
    }

    /// Returns the share of a multiprocessor of the fullest port, if the first `at_work` are at work.
    pub fn least_share(&self, at_work: u32) -> f32 {
        let fullest = self.sizes(at_work).into_iter().max();
        self.bytes_per_cycle / fullest.unwrap_or(1).max(1) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measured on H100 and H200: 18 ports of three TPCs, six of two.
    #[test]
    fn hoppers_66_tpcs_share_24_ports() {
        let ports = Ports::new(24, 132, 2, 2400.0);
        let of_size = |n| ports.sizes(132).iter().filter(|&&size| size == n).count();
        assert_eq!((of_size(6), of_size(4)), (18, 6));
        // One multiprocessor of every TPC: at most three share a port.
        let shares = [0, 1, 24, 25, 66, 67, 132].map(|n| ports.least_share(n));
        assert_eq!(
            shares,
            [100.0, 100.0, 100.0, 50.0, 100.0 / 3.0, 25.0, 100.0 / 6.0]
        );
    }

    #[test]
    fn one_port_is_shared_by_those_at_work() {
        let ports = Ports::new(1, 4, 1, 120.0);
        let shares = [0, 1, 3, 100].map(|n| ports.least_share(n));
        assert_eq!(shares, [120.0, 120.0, 40.0, 30.0]);
    }
}
