//! A value with the range that its causes' uncertainty gives it.
//!
//! Models: each cause alone at both of its ends; the logarithms of the deviations are added in quadrature, as for independent
//! causes.
//! Leaves out: interactions between causes. Units: the value's.

/// A value with its lower and upper bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    pub low: f64,
    pub value: f64,
    pub high: f64,
}

impl From<f64> for Band {
    fn from(value: f64) -> Band {
        Band {
            low: value,
            value,
            high: value,
        }
    }
}

impl Band {
    /// Returns the first of several readings, with the range of all.
    pub fn over(readings: impl IntoIterator<Item = f64>) -> Band {
        let mut readings = readings.into_iter();
        let first = Band::from(readings.next().unwrap_or(f64::NAN));
        readings.fold(first, |band, reading| Band {
            low: band.low.min(reading),
            high: band.high.max(reading),
            ..band
        })
    }

    /// Converts value and bounds to another unit.
    pub fn map(self, convert: impl Fn(f64) -> f64) -> Band {
        Band {
            low: convert(self.low),
            value: convert(self.value),
            high: convert(self.high),
        }
    }

    /// Returns the band around `value`; each pair in `ends` is the value with one cause at its two ends.
    pub fn of(value: f64, ends: impl IntoIterator<Item = [f64; 2]>) -> Band {
        let (mut down, mut up) = (0.0, 0.0);
        for ends in ends {
            let ends = ends.map(|end| (end / value).ln());
            let (least, most) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            down += least.min(0.0).powi(2);
            up += most.max(0.0).powi(2);
        }
        Band {
            low: value * (-down.sqrt()).exp(),
            value,
            high: value * up.sqrt().exp(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_causes_of_equal_weight_widen_a_band_by_the_root_of_two() {
        let one = Band::of(10.0, [[5.0, 20.0]]);
        assert!((one.low - 5.0).abs() < 1e-12 && (one.high - 20.0).abs() < 1e-12);
        let two = Band::of(10.0, [[5.0, 20.0], [20.0, 5.0]]);
        assert!(((two.high / 10.0).ln() / 2f64.ln() - 2f64.sqrt()).abs() < 1e-12);
    }
}
