//! Breakdown of a run's time.
//!
//! Models: wall-clock time of breeding (selection, crossover, mutation, copies of the elite) and of evaluation; the rest is
//! bookkeeping: counting depths, sampling programs. Leaves out: the time of single programs. Units: seconds.

use std::fmt;
use std::time::Duration;

/// Time of the parts of one or several runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timing {
    pub breeding: Duration,
    pub evaluation: Duration,
}

impl std::ops::AddAssign for Timing {
    fn add_assign(&mut self, other: Self) {
        self.breeding += other.breeding;
        self.evaluation += other.evaluation;
    }
}

/// Times of the parts, with the total that they are shares of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    pub parts: Timing,
    pub whole: Duration,
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Timing {
            breeding,
            evaluation,
        } = self.parts;
        let bookkeeping = self.whole.saturating_sub(breeding + evaluation);
        write!(f, "{:.2} s:", self.whole.as_secs_f64())?;
        for (separator, name, part) in [
            ("", "evaluation", evaluation),
            (",", "breeding", breeding),
            (",", "bookkeeping", bookkeeping),
        ] {
            let percent = 100.0 * part.as_secs_f64() / self.whole.as_secs_f64().max(f64::EPSILON);
            write!(f, "{separator} {name} {percent:.1} %")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_bred_nor_evaluated_is_bookkeeping() {
        let shares = Shares {
            parts: Timing {
                breeding: Duration::from_millis(100),
                evaluation: Duration::from_millis(1500),
            },
            whole: Duration::from_secs(2),
        };
        assert_eq!(
            shares.to_string(),
            "2.00 s: evaluation 75.0 %, breeding 5.0 %, bookkeeping 20.0 %"
        );
    }
}
