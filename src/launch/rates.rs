//! Throughput of a multiprocessor by its resident blocks and the load of the others.
//!
//! Models: all multiprocessors share the L2's ingest rate. While all are at work each has its share; at the end of a grid, when
//! some have ended or hold fewer blocks, the others take the rest.
//! Leaves out: that the chip divides it unevenly. Units: tokens, cycles, bytes.

use super::makespan::RateCurve;

/// Rates of a multiprocessor, alone and beside the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates {
    /// Rates while all multiprocessors do the same.
    contended: RateCurve,
    uncontended: Option<Uncrowded>,
}

#[derive(Debug, Clone, PartialEq)]
struct Uncrowded {
    /// Rates while the others send nothing.
    rates: RateCurve,
    bytes_per_token: f64,
    /// Bytes that the L2 ingests from all per cycle.
    accepts_bytes: f64,
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
    /// Creates rates for an L2 that accepts `accepts_bytes` per cycle from multiprocessors that send `bytes_per_token`.
    pub fn sharing(
        contended: RateCurve,
        uncontended: RateCurve,
        bytes_per_token: f64,
        accepts_bytes: f64,
    ) -> Self {
        Rates {
            contended,
            uncontended: Some(Uncrowded {
                rates: uncontended,
                bytes_per_token,
                accepts_bytes,
            }),
        }
    }

    /// Returns the rates while all multiprocessors do the same.
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

    /// Whether the rate depends on the other multiprocessors.
    pub fn depend_on_others(&self) -> bool {
        self.uncontended.is_some()
    }

    /// Cycles per token of each block, by the number of resident blocks, if `smxs[n]` multiprocessors hold `n` blocks. Rates are
    /// interpolated between contended and uncontended by the L2's capacity for the bytes sent.
    pub fn paces(&self, smxs: &[u32], paces: &mut Vec<f64>) {
        let ease = self.uncontended.as_ref().map_or(0.0, |uncontended| {
            let sent = |rates: &RateCurve| {
                let of = smxs.iter().enumerate().skip(1);
                let tokens = of.map(|(n, &smxs)| f64::from(smxs) * rates.tokens_per_cycle(n));
                tokens.sum::<f64>() * uncontended.bytes_per_token
            };
            let (least, most) = (sent(&self.contended), sent(&uncontended.rates));
            match most > least {
                true => ((uncontended.accepts_bytes - least) / (most - least)).clamp(0.0, 1.0),
                false => 0.0,
            }
        });
        paces.clear();
        paces.extend((0..smxs.len()).map(|n| {
            let contended = self.contended.tokens_per_cycle(n);
            let uncontended = self.uncontended.as_ref();
            let uncontended = uncontended.map_or(contended, |one| one.rates.tokens_per_cycle(n));
            n as f64 / (contended + ease * (uncontended - contended))
        }));
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
        Rates::sharing(curve(1.0), curve(2.0), 10.0, 40.0)
    }

    fn pace(rates: &Rates, at_work: u32) -> f64 {
        let mut paces = Vec::new();
        rates.paces(&[4 - at_work, at_work], &mut paces);
        paces[1]
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
    fn where_nothing_is_shared_others_do_not_matter() {
        let rates = Rates::from(curve(1.0));
        assert_eq!(pace(&rates, 1), 1.0);
        assert_eq!(pace(&rates, 4), 1.0);
    }
}
