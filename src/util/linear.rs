//! Small systems of linear equations.
//!
//! Leaves out: singular systems; the caller adds to the diagonal. Source: elimination with pivots.

/// Solves `n` equations of `n` unknowns, each with its right side last.
pub fn solve(mut equations: Vec<Vec<f64>>) -> Vec<f64> {
    let n = equations.len();
    for at in 0..n {
        let pivot =
            (at..n).max_by(|a, b| equations[*a][at].abs().total_cmp(&equations[*b][at].abs()));
        equations.swap(at, pivot.unwrap_or(at));
        let row = equations[at].clone();
        for other in (0..n).filter(|other| *other != at) {
            let factor = equations[other][at] / row[at];
            for (value, own) in equations[other].iter_mut().zip(&row) {
                *value -= factor * own;
            }
        }
    }
    (0..n)
        .map(|at| equations[at][n] / equations[at][at])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn equations_are_solved_in_any_order() {
        let solved = solve(vec![vec![0.0, 2.0, 4.0], vec![1.0, 1.0, 5.0]]);
        assert_eq!(solved, [3.0, 2.0]);
    }
}
