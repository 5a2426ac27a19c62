//! A value with its range, where what it follows from has ranges.
//!
//! Models: every cause by itself at both of its ends; the deviations' logarithms added as squares, as those of independent causes.
//! Leaves out: causes that act together. Units: the value's.

/// See the module text.
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
    /// The first of several readings, with the range of all.
    pub fn over(readings: impl IntoIterator<Item = f64>) -> Band {
        let mut readings = readings.into_iter();
        let first = Band::from(readings.next().unwrap_or(f64::NAN));
        readings.fold(first, |band, reading| Band {
            low: band.low.min(reading),
            high: band.high.max(reading),
            ..band
        })
    }

    /// The band with everything in another unit.
    pub fn map(self, convert: impl Fn(f64) -> f64) -> Band {
        Band {
            low: convert(self.low),
            value: convert(self.value),
            high: convert(self.high),
        }
    }

    /// `ends`: what the value becomes with each cause at its ends.
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
