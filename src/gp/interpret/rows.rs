//! A GP function over a row of the two-dimensional stack.
//!
//! Models: for every function a straight loop over the vectors of a block, chosen once per row. Leaves out: the location of rows.
//! Units: vectors. Sources: Chitty 2012.

use super::element::Element;
use super::simd::{Simd, Vector};
use crate::gp::primitive::Primitive;

/// Runs the code with a constant in place of the function, so that each function that the elements support has its own loop.
macro_rules! for_each_function {
    ($element:ty, $function:expr, $constant:ident => $code:expr) => {
        for_each_function!(@ $element, $function, $constant => $code;
            Add Sub Mul Div Sin Cos Log Exp Neg Greater Less Equal And Or Nand Nor Not If Iflte)
    };
    (@ $element:ty, $function:expr, $constant:ident => $code:expr; $($name:ident)+) => {
        match $function {
            $(Primitive::$name => if const { <$element>::SUPPORTED[Primitive::$name as usize] } {
                let $constant = Primitive::$name;
                $code
            })+
            #[allow(unreachable_patterns, reason = "a function that has no vector form yet")]
            $constant => $code,
        }
    };
}

/// `out[i] = function(operands[0][i], ...)`; rows are as long as `out`.
#[inline(always)]
pub fn apply<T: Element, S: Simd>(
    simd: S,
    function: Primitive,
    operands: [&[Vector<T>]; 4],
    out: &mut [Vector<T>],
) {
    for_each_function!(T, function, f => row(simd, f, operands, out));
}

#[inline(always)]
fn row<T: Element, S: Simd>(
    simd: S,
    function: Primitive,
    operands: [&[Vector<T>]; 4],
    out: &mut [Vector<T>],
) {
    let n = out.len();
    let a = &operands[0][..n];
    let others = [
        operand(function, 1, operands[1], n),
        operand(function, 2, operands[2], n),
        operand(function, 3, operands[3], n),
    ];
    for i in 0..n {
        let first = T::load(simd, &a[i]);
        let value = T::apply(simd, function, all(simd, function, first, others, i));
        T::store(&mut out[i], value);
    }
}

/// Returns the row of an operand, empty beyond the arity.
#[inline(always)]
fn operand<T>(function: Primitive, position: usize, row: &[Vector<T>], n: usize) -> &[Vector<T>] {
    if position < function.arity() {
        &row[..n]
    } else {
        &[]
    }
}

/// Loads the operands into registers; beyond the arity they are arbitrary.
#[inline(always)]
fn all<T: Element, S: Simd>(
    simd: S,
    function: Primitive,
    first: T::V<S>,
    [b, c, d]: [&[Vector<T>]; 3],
    i: usize,
) -> [T::V<S>; 4] {
    let mut operands = [first; 4];
    if function.arity() > 1 {
        operands[1] = T::load(simd, &b[i]);
    }
    if function.arity() > 2 {
        operands[2] = T::load(simd, &c[i]);
    }
    if function.arity() > 3 {
        operands[3] = T::load(simd, &d[i]);
    }
    operands
}

/// `first[i] = function(first[i], others[0][i], ...)`; rows are as long as `first`.
#[inline(always)]
pub fn apply_in_place<T: Element, S: Simd>(
    simd: S,
    function: Primitive,
    first: &mut [Vector<T>],
    others: [&[Vector<T>]; 3],
) {
    for_each_function!(T, function, f => row_in_place(simd, f, first, others));
}

#[inline(always)]
fn row_in_place<T: Element, S: Simd>(
    simd: S,
    function: Primitive,
    first: &mut [Vector<T>],
    others: [&[Vector<T>]; 3],
) {
    for (i, first) in first.iter_mut().enumerate() {
        let a = T::load(simd, first);
        let value = T::apply(simd, function, all(simd, function, a, others, i));
        T::store(first, value);
    }
}
