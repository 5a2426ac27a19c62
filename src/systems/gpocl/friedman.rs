//! Friedman's test, and the pairs of instances that differ by Shaffer's static procedure.
//!
//! Models: appendix A: instances ranked in every problem configuration, 1 the fastest. Leaves out: corrections for ties.
//! Units: ranks. Sources: Friedman 1937; Shaffer 1986 as Garcia and Herrera 2008 describe it (the paper's reference 7); the complementary
//! error function after Abramowitz and Stegun, 7.1.26 (absolute error below 1.5e-7).

/// Result of the test.
#[derive(Debug, Clone, PartialEq)]
pub struct Friedman {
    /// Average rank of every instance.
    pub ranks: Vec<f64>,
    pub chi_square: f64,
    configurations: usize,
}

/// Two instances, and the probability of a rank difference this large between equal instances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    pub instances: [usize; 2],
    pub p: f64,
    /// Adjusted for the number of pairs; may exceed 1, like the paper's values.
    pub adjusted_p: f64,
}

impl Friedman {
    /// Ranks instances by `speeds`, one list per instance over the same configurations.
    pub fn of(speeds: &[Vec<f64>]) -> Friedman {
        let configurations = speeds.first().map_or(0, Vec::len);
        let mut sums = vec![0.0; speeds.len()];
        for at in 0..configurations {
            for (sum, own) in sums.iter_mut().zip(speeds) {
                let faster = speeds.iter().filter(|other| other[at] > own[at]).count();
                let equal = speeds.iter().filter(|other| other[at] == own[at]).count();
                *sum += faster as f64 + (equal as f64 + 1.0) / 2.0;
            }
        }
        let ranks = sums.into_iter().map(|sum| sum / configurations as f64);
        Friedman::of_ranks(ranks.collect(), configurations)
    }

    /// Makes the test from average ranks.
    fn of_ranks(ranks: Vec<f64>, configurations: usize) -> Friedman {
        let (k, n) = (ranks.len() as f64, configurations as f64);
        let squares: f64 = ranks.iter().map(|rank| rank * rank).sum();
        let chi_square = 12.0 * n / (k * (k + 1.0)) * (squares - k * (k + 1.0).powi(2) / 4.0);
        Friedman {
            ranks,
            chi_square,
            configurations,
        }
    }

    /// Returns all pairs, the most different first.
    pub fn pairs(&self) -> Vec<Pair> {
        let k = self.ranks.len();
        let deviation = ((k * (k + 1)) as f64 / (6.0 * self.configurations as f64)).sqrt();
        let mut pairs: Vec<Pair> = (0..k)
            .flat_map(|a| (a + 1..k).map(move |b| [a, b]))
            .map(|instances| {
                let [a, b] = instances.map(|at| self.ranks[at]);
                let p = complementary_error((a - b).abs() / deviation / std::f64::consts::SQRT_2);
                Pair {
                    instances,
                    p,
                    adjusted_p: p,
                }
            })
            .collect();
        pairs.sort_by(|a, b| a.p.total_cmp(&b.p));
        let possible = true_hypotheses(k);
        let n = pairs.len();
        let mut most: f64 = 0.0;
        for (at, pair) in pairs.iter_mut().enumerate() {
            let left = possible.iter().filter(|&&number| number <= n - at);
            let number = left.max().copied().unwrap_or(0);
            most = most.max(number as f64 * pair.p);
            pair.adjusted_p = most;
        }
        pairs
    }
}

/// Returns the possible numbers of hypotheses "a and b are equal" that can hold at the same time for `k` instances.
fn true_hypotheses(k: usize) -> Vec<usize> {
    let mut of: Vec<Vec<usize>> = vec![vec![0], vec![0]];
    for n in 2..=k {
        let mut numbers: Vec<usize> = (1..=n)
            .flat_map(|group| {
                of[n - group]
                    .iter()
                    .map(move |rest| group * (group - 1) / 2 + rest)
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        of.push(numbers);
    }
    of.swap_remove(k)
}

fn complementary_error(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let polynomial = COEFFICIENTS.iter().fold(0.0, |sum, c| sum * t + c) * t;
    polynomial * (-x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks tables A.7 and A.8: 36 configurations of ten instances.
    #[test]
    fn adjusted_probabilities_are_those_of_the_paper() {
        let ranks = vec![8.0, 4.4, 9.5, 6.3, 3.2, 6.4, 1.0, 5.2, 8.2, 2.7];
        let pairs = Friedman::of_ranks(ranks, 36).pairs();
        assert_eq!(pairs.len(), 45);
        let adjusted = |a: usize, b: usize| {
            let wanted = [a.min(b), a.max(b)];
            let pair = pairs.iter().find(|pair| pair.instances == wanted);
            pair.unwrap().adjusted_p
        };
        // Ranks are printed with one digit.
        for (a, b, printed) in [(4, 6, 0.033), (7, 9, 0.0068), (4, 5, 0.0002), (1, 3, 0.091)] {
            let ratio = adjusted(a, b) / printed;
            assert!((0.5..2.0).contains(&ratio), "{a}, {b}: {ratio}");
        }
        let significant = pairs.iter().filter(|pair| pair.adjusted_p < 0.05).count();
        assert_eq!(significant, 27);
    }

    #[test]
    fn who_is_always_first_has_rank_one() {
        let test = Friedman::of(&[
            vec![1.0, 1.0, 5.0],
            vec![2.0, 3.0, 6.0],
            vec![0.5, 0.5, 5.0],
        ]);
        assert_eq!(
            test.ranks,
            [(2.0 + 2.0 + 2.5) / 3.0, 1.0, (3.0 + 3.0 + 2.5) / 3.0]
        );
    }
}
