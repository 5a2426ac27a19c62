//! Basic statistics for summarising measurements and comparisons.
//!
//! Leaves out: statistics that need more than the values themselves. Units: those of the input.
//! Sources: Spearman's rank correlation, with mean ranks for ties.

/// Arithmetic mean; `None` for an empty slice.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Middle value, or the mean of the middle two; `None` for an empty slice.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some((sorted[middle - 1] + upper) / 2.0)
}

/// Sample standard deviation over the mean, in percent; `None` for fewer than two values.
pub fn relative_deviation_percent(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    if values.len() < 2 {
        return None;
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some(100.0 * (squares / (values.len() - 1) as f64).sqrt() / mean)
}

/// Spearman's rank correlation; `None` if there are fewer than two pairs or one side is constant.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() != b.len() {
        return None;
    }
    pearson(&ranks(a), &ranks(b))
}

/// Ranks from 1, ties at the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|i, j| values[*i].total_cmp(&values[*j]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let value = values[order[start]];
        let ties = order[start..]
            .iter()
            .take_while(|index| values[**index] == value)
            .count()
            .max(1);
        let rank = start as f64 + (ties as f64 + 1.0) / 2.0;
        for index in &order[start..start + ties] {
            ranks[*index] = rank;
        }
        start += ties;
    }
    ranks
}

fn pearson(a: &[f64], b: &[f64]) -> Option<f64> {
    let (mean_a, mean_b) = (mean(a)?, mean(b)?);
    let (mut covariance, mut variance_a, mut variance_b) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        covariance += (x - mean_a) * (y - mean_b);
        variance_a += (x - mean_a).powi(2);
        variance_b += (y - mean_b).powi(2);
    }
    let denominator = (variance_a * variance_b).sqrt();
    (denominator > 0.0).then(|| covariance / denominator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_median() {
        assert_eq!(mean(&[]), None);
        assert_eq!(median(&[]), None);
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
        assert_eq!(median(&[6.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[6.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn spearman_sees_order_only() {
        let a = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(spearman(&a, &[1.0, 10.0, 11.0, 500.0]), Some(1.0));
        assert_eq!(spearman(&a, &[4.0, 3.0, 2.0, 1.0]), Some(-1.0));
        assert_eq!(spearman(&a, &[7.0; 4]), None);
        assert_eq!(spearman(&a, &[1.0]), None);
    }

    #[test]
    fn ties_share_their_mean_rank() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0]), [2.5, 1.0, 2.5]);
        // The textbook value for one tie: 1 - corrections, here computed by hand as sqrt(3)/2.
        let rho = spearman(&[1.0, 2.0, 3.0], &[1.0, 2.0, 2.0]).unwrap();
        assert!((rho - 3f64.sqrt() / 2.0).abs() < 1e-12, "{rho}");
    }
}
