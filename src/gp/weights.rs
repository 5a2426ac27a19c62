//! Weights that bring a corpus to given depth percentages.
//!
//! Models: one weight per program, equal within a class of stack depths, so that the weighted cumulative distribution of depth
//! equals the given percentages, for one measure of depth or for several together.
//! Leaves out: program length; it changes only as far as it correlates with depth.
//! Units: percentages cumulative; weights have mean 1.
//! Sources: the percentages are the caller's input (Chitty's Tables 5 and 6).

/// Weights of a corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// Weights of the programs, mean 1.
    pub weights: Vec<f64>,
    /// Depth classes without a program, whose share went to a neighbour; one sentence for each.
    pub merged: Vec<String>,
    /// Largest weight, a measure of the distance between corpus and percentages.
    pub largest: f64,
}

/// Error in computing weights.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WeightsError {
    #[error("no depth percentages given: at least one `(limit, percent)` is needed")]
    NoPercentages,
    #[error(
        "depth percentages must rise from 0 to 100 with rising limits: limit {limit} has {percent} after {before}"
    )]
    NotRising {
        limit: usize,
        percent: f64,
        before: f64,
    },
    #[error("corpus has no program in any depth class with a share")]
    NoPrograms,
}

struct Class {
    above: usize,
    up_to: usize,
    percent: f64,
    count: usize,
}

/// Target for a weighted corpus: one measure of depth and its percentages.
#[derive(Debug, Clone, Copy)]
pub struct Margin<'a> {
    /// Depth of each program.
    pub depths: &'a [usize],
    /// `(limit, cumulative percent)`, limits rising; the rest up to 100 after the last limit belongs to greater depths.
    pub percentages: &'a [(usize, f64)],
}

/// Rounds of proportional fitting; the change per round falls below a thousandth long before the last.
const ROUNDS: usize = 60;

/// Returns weights that give every margin its percentages, as far as the corpus can: proportional fitting, one margin after the
/// other (Deming and Stephan 1940), from weights `start`, whose proportions within a class stay. With one margin the match is
/// exact.
pub fn weights_for_margins(margins: &[Margin], start: Vec<f64>) -> Result<Weights, WeightsError> {
    let mut weights = start;
    let mut merged = Vec::new();
    let mut fitted = Vec::with_capacity(margins.len());
    for margin in margins {
        let mut classes = classes(margin.percentages)?;
        let of_program = classify(margin.depths, &mut classes);
        merged.extend(merge_empty(&mut classes)?);
        fitted.push((classes, of_program));
    }
    if fitted.is_empty() {
        return Err(WeightsError::NoPercentages);
    }
    let rounds = if fitted.len() == 1 { 1 } else { ROUNDS };
    for _ in 0..rounds {
        for (classes, of_program) in &fitted {
            scale_to(classes, of_program, &mut weights);
        }
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    Ok(Weights {
        weights,
        merged,
        largest,
    })
}

/// Returns the class of every program, and counts the programs of every class.
fn classify(depths: &[usize], classes: &mut [Class]) -> Vec<usize> {
    let class_of = |&depth: &usize| {
        let found = classes
            .iter()
            .position(|c| depth > c.above && depth <= c.up_to);
        found.unwrap_or(0)
    };
    let of_program: Vec<usize> = depths.iter().map(class_of).collect();
    for &class in &of_program {
        classes[class].count += 1;
    }
    of_program
}

/// Scales the weights of every class to its share of the whole.
fn scale_to(classes: &[Class], of_program: &[usize], weights: &mut [f64]) {
    let mut sums = vec![0.0; classes.len()];
    for (&class, &weight) in of_program.iter().zip(weights.iter()) {
        sums[class] += weight;
    }
    let n = weights.len() as f64;
    for (&class, weight) in of_program.iter().zip(weights.iter_mut()) {
        if sums[class] > 0.0 {
            *weight *= n * classes[class].percent / 100.0 / sums[class];
        }
    }
}

fn classes(percentages: &[(usize, f64)]) -> Result<Vec<Class>, WeightsError> {
    let mut classes: Vec<Class> = Vec::new();
    let (mut above, mut before) = (0, 0.0);
    for &(limit, percent) in percentages {
        if limit <= above && !classes.is_empty() || percent < before || percent > 100.0 {
            return Err(WeightsError::NotRising {
                limit,
                percent,
                before,
            });
        }
        classes.push(Class {
            above,
            up_to: limit,
            percent: percent - before,
            count: 0,
        });
        (above, before) = (limit, percent);
    }
    if classes.is_empty() {
        return Err(WeightsError::NoPercentages);
    }
    classes.push(Class {
        above,
        up_to: usize::MAX,
        percent: 100.0 - before,
        count: 0,
    });
    Ok(classes)
}

/// Moves the share of classes without programs to the next shallower class with programs, else the next deeper one.
fn merge_empty(classes: &mut [Class]) -> Result<Vec<String>, WeightsError> {
    let mut merged = Vec::new();
    for i in 0..classes.len() {
        if classes[i].count > 0 || classes[i].percent == 0.0 {
            continue;
        }
        let shallower = classes[..i].iter().rposition(|c| c.count > 0);
        let deeper = classes[i..].iter().position(|c| c.count > 0).map(|p| p + i);
        let to = shallower.or(deeper).ok_or(WeightsError::NoPrograms)?;
        let share = std::mem::take(&mut classes[i].percent);
        classes[to].percent += share;
        merged.push(format!(
            "no program with stack depth {}: its {share:.2} % went to depth {}",
            name(&classes[i]),
            name(&classes[to])
        ));
    }
    Ok(merged)
}

fn name(class: &Class) -> String {
    match class.up_to {
        usize::MAX => format!("above {}", class.above),
        up_to => format!("{} to {up_to}", class.above + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weigh(depths: &[usize], percentages: &[(usize, f64)]) -> Result<Weights, WeightsError> {
        let margin = Margin {
            depths,
            percentages,
        };
        weights_for_margins(&[margin], vec![1.0; depths.len()])
    }

    #[test]
    fn two_margins_are_met_together() {
        let rpn = [2, 2, 3, 3, 4, 4, 4];
        let lgp = [1, 2, 1, 2, 1, 2, 3];
        let tables = [[(2, 20.0), (3, 50.0)], [(1, 30.0), (2, 90.0)]];
        let margins = [
            Margin {
                depths: &rpn,
                percentages: &tables[0],
            },
            Margin {
                depths: &lgp,
                percentages: &tables[1],
            },
        ];
        let weights = weights_for_margins(&margins, vec![1.0; 7]).unwrap().weights;
        for margin in margins {
            for &(limit, percent) in margin.percentages {
                let depths = margin.depths.iter().zip(&weights);
                let within: f64 = depths.filter(|(d, _)| **d <= limit).map(|(_, w)| w).sum();
                assert!((100.0 * within / 7.0 - percent).abs() < 1e-6, "{limit}");
            }
        }
    }

    #[test]
    fn weighted_distribution_equals_the_percentages() {
        let depths = [1, 2, 3, 3, 3, 4, 9];
        let percentages = [(2, 20.0), (3, 50.0), (4, 90.0)];
        let weights = weigh(&depths, &percentages).unwrap();
        for (limit, percent) in percentages {
            let within: f64 = depths
                .iter()
                .zip(&weights.weights)
                .filter(|(d, _)| **d <= limit)
                .map(|(_, w)| w)
                .sum();
            assert!((100.0 * within / 7.0 - percent).abs() < 1e-9);
        }
        assert!((weights.weights.iter().sum::<f64>() - 7.0).abs() < 1e-9);
        assert!(weights.merged.is_empty());
    }

    #[test]
    fn empty_classes_go_to_a_neighbour_and_are_reported() {
        let weights = weigh(&[4, 4, 6], &[(2, 10.0), (4, 60.0), (5, 80.0), (6, 100.0)]).unwrap();
        assert_eq!(weights.merged.len(), 2);
        assert!(
            weights.merged[0].contains("depth 1 to 2: its 10.00 % went to depth 3 to 4"),
            "{:?}",
            weights.merged
        );
        assert!((weights.weights[0] - 3.0 * 0.8 / 2.0).abs() < 1e-12);
    }

    #[test]
    fn bad_percentages_are_errors() {
        assert_eq!(weigh(&[1], &[]), Err(WeightsError::NoPercentages));
        assert!(weigh(&[1], &[(2, 50.0), (3, 40.0)]).is_err());
        assert!(weigh(&[], &[(2, 50.0)]).is_err());
    }
}
