//! Throughput of a multiprocessor by its resident blocks and the load of the others.
//!
//! Models: multiprocessors share ports to the L2 (`ports`). While all of a port are at work each has its share; at the end of a grid,
//! when some have ended or hold fewer blocks, the others of the port take the rest. What all of a port send on average decides: while
//! that is less than it passes, none waits for the others.
//! Units: tokens, cycles, bytes.

use super::makespan::RateCurve;
use crate::device::parts::l2::Ports;

/// Rates of a multiprocessor, alone and beside the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates {
    /// Rates while all multiprocessors of the fullest port do the same.
    contended: RateCurve,
    uncontended: Option<Uncrowded>,
}

#[derive(Debug, Clone, PartialEq)]
struct Uncrowded {
    /// Rates while the others send nothing.
    rates: RateCurve,
    bytes_per_token: f64,
    ports: Ports,
}

impl From<RateCurve> for Rates {
    /// Creates rates without contention.
    fn from(contended: RateCurve) -> Self {
        Rates {
            contended,
            uncontended: None,
        }
    }
}

impl Rates {
    /// Creates rates of multiprocessors that send `bytes_per_token` through ports to the L2.
    pub fn sharing(
        contended: RateCurve,
        uncontended: RateCurve,
        bytes_per_token: f64,
        ports: Ports,
    ) -> Self {
        Rates {
            contended,
            uncontended: Some(Uncrowded {
                rates: uncontended,
                bytes_per_token,
                ports,
            }),
        }
    }

    /// Returns the rates while all multiprocessors of the fullest port do the same.
    pub fn contended(&self) -> &RateCurve {
        &self.contended
    }

    /// All rates multiplied.
    pub fn times(&self, factor: f64) -> Self {
        Rates {
            contended: self.contended.times(factor),
            uncontended: self.uncontended.as_ref().map(|uncontended| Uncrowded {
                rates: uncontended.rates.times(factor),
                ..uncontended.clone()
            }),
        }
    }

    /// Returns the ports that multiprocessors share, if their rates depend on one another.
    pub fn ports(&self) -> Option<Ports> {
        self.uncontended
            .as_ref()
            .map(|uncontended| uncontended.ports)
    }

    /// Tokens per cycle of a multiprocessor while all hold `blocks`, mean over all ports.
    pub fn full_tokens_per_cycle(&self, blocks: usize) -> f64 {
        let Some(ports) = self.ports() else {
            return self.contended.tokens_per_cycle(blocks);
        };
        let sizes = ports.sizes(u32::MAX);
        let of_port = |&size: &u32| {
            let mut smxs = vec![0; blocks + 1];
            smxs[blocks] = size;
            f64::from(size) * blocks as f64 / self.paces(&smxs)[blocks]
        };
        let smxs: u32 = sizes.iter().sum();
        sizes.iter().map(of_port).sum::<f64>() / f64::from(smxs)
    }

    /// Cycles per token of each block, by the number of resident blocks, if `smxs[n]` multiprocessors of a port hold `n` blocks. Rates
    /// are interpolated between contended and uncontended by the port's capacity for the bytes sent.
    pub fn paces(&self, smxs: &[u32]) -> Vec<f64> {
        let ease = self.uncontended.as_ref().map_or(0.0, |uncontended| {
            let sent = |rates: &RateCurve| {
                let of = smxs.iter().enumerate().skip(1);
                let at_work = of.filter(|(_, smxs)| **smxs > 0);
                let tokens = at_work.map(|(n, &smxs)| f64::from(smxs) * rates.tokens_per_cycle(n));
                tokens.sum::<f64>() * uncontended.bytes_per_token
            };
            let (least, most) = (sent(&self.contended), sent(&uncontended.rates));
            let accepts = f64::from(uncontended.ports.bytes_per_cycle);
            match most > least {
                true => ((accepts - least) / (most - least)).clamp(0.0, 1.0),
                false => 0.0,
            }
        });
        let pace = |n: usize| {
            let contended = self.contended.tokens_per_cycle(n);
            let uncontended = self.uncontended.as_ref();
            let uncontended = uncontended.map_or(contended, |one| one.rates.tokens_per_cycle(n));
            n as f64 / (contended + ease * (uncontended - contended))
        };
        (0..smxs.len()).map(pace).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(rate: f64) -> RateCurve {
        RateCurve::new(vec![(1, rate)]).unwrap()
    }

    /// Each multiprocessor sends 20 bytes a cycle alone and 10 among four.
    fn sharing() -> Rates {
        Rates::sharing(curve(1.0), curve(2.0), 10.0, Ports::new(1, 4, 1, 40.0))
    }

    fn pace(rates: &Rates, at_work: u32) -> f64 {
        rates.paces(&[4 - at_work, at_work])[1]
    }

    #[test]
    fn what_others_leave_is_taken() {
        let rates = sharing();
        assert_eq!(pace(&rates, 4), 1.0);
        // Three could send 60 bytes of the 40.
        assert!((pace(&rates, 3) - 3.0 / 4.0).abs() < 1e-12);
        assert_eq!(pace(&rates, 2), 0.5);
        assert_eq!(pace(&rates, 1), 0.5);
    }

    #[test]
    fn those_that_share_a_port_with_fewer_are_faster() {
        // Three multiprocessors, one port with two of them and one with one.
        let ports = Ports::new(2, 3, 1, 40.0);
        let rates = Rates::sharing(curve(1.0), curve(2.0), 10.0, ports);
        assert!((rates.full_tokens_per_cycle(1) - (1.0 + 1.0 + 2.0) / 3.0).abs() < 1e-12);
        assert_eq!(Rates::from(curve(1.0)).full_tokens_per_cycle(1), 1.0);
    }

    #[test]
    fn where_nothing_is_shared_others_do_not_matter() {
        let rates = Rates::from(curve(1.0));
        assert_eq!(pace(&rates, 1), 1.0);
        assert_eq!(pace(&rates, 4), 1.0);
    }
}
