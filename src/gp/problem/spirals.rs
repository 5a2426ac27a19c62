//! The two intertwined spirals.
//!
//! Models: 194 points in the plane, 97 on each of two spirals that coil three times around the origin. A program should be
//! positive (0 included) on one spiral and negative on the other. Robilliard's terminal "X" covers both coordinates.
//! Units: error is the number of points of the wrong sign.
//! Sources: Robilliard et al. 2008 section 4; Koza 1992 chapter 17 for the points. Constants -1 to 1 as in ECJ.

use super::{CaseSource, Cases, Dataset, Definition, Score};
use crate::gp::primitive::Primitive::{Add, Cos, Div, Iflte, Mul, Sin, Sub};
use std::f64::consts::PI;

const POINTS_PER_SPIRAL: usize = 97;

pub const SPIRALS: Definition = Definition {
    name: "spirals",
    aliases: &["spiral"],
    functions: &[Add, Sub, Mul, Div, Sin, Cos, Iflte],
    constants: Some((-1.0, 1.0)),
    n_inputs: 2,
    n_cases: 2 * POINTS_PER_SPIRAL,
    cases: CaseSource::Defined(|_, _| cases()),
    score: Score::WrongSigns,
    solved_error: 0.0,
    kernels: None,
};

pub fn cases() -> Dataset {
    let mut cases = Cases {
        inputs: vec![Vec::new(); 2],
        expected: Vec::new(),
    };
    for i in 0..POINTS_PER_SPIRAL {
        let angle = i as f64 * PI / 16.0;
        let radius = 6.5 * (104 - i) as f64 / 104.0;
        for side in [1.0, -1.0] {
            cases.inputs[0].push((side * radius * angle.sin()) as f32);
            cases.inputs[1].push((side * radius * angle.cos()) as f32);
            cases.expected.push(side as f32);
        }
    }
    Dataset::Float(cases)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::interpret::evaluate;

    #[test]
    fn the_spirals_mirror_each_other_and_a_constant_gets_half() {
        let problem = SPIRALS.with(cases());
        let Dataset::Float(cases) = &problem.dataset else {
            panic!("spirals have float cases")
        };
        for point in (0..194).step_by(2) {
            assert_eq!(cases.inputs[0][point], -cases.inputs[0][point + 1]);
            assert_eq!(cases.expected[point], -cases.expected[point + 1]);
        }
        let constant = "X1 X1 -".parse().unwrap();
        assert_eq!(evaluate([&constant], &problem).unwrap(), [97.0]);
    }
}
