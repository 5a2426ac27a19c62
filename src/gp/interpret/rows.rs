//! One GP function over a row of the two-dimensional stack.
//!
//! Models: a straight loop over the vectors of a block for every function, chosen once a row. Leaves out: where rows lie.
//! Units: vectors. Sources: Chitty 2012.

use super::element::Element;
use super::simd::{Simd, Vector};
use crate::gp::primitive::Primitive;

/// Runs the code with a constant in place of the function, so that every function has a loop of its own.
macro_rules! for_each_function {
    ($function:expr, $constant:ident => $code:expr) => {
        for_each_function!(@ $function, $constant => $code;
            Add Sub Mul Div Sin Cos Log Exp Neg Greater Less Equal And Or Nand Nor Not If Iflte)
    };
    (@ $function:expr, $constant:ident => $code:expr; $($name:ident)+) => {
        match $function {
            $(Primitive::$name => { let $constant = Primitive::$name; $code })+
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
    for_each_function!(function, f => row(simd, f, operands, out));
}

#[inline(always)]
fn row<T: Element, S: Simd>(
    simd: S,
    function: Primitive,
    operands: [&[Vector<T>]; 4],
    out: &mut [Vector<T>],
) {
    let arity = function.arity();
    let n = out.len();
    // Operands beyond the arity are those of the first.
    let [a, b, c, d] = std::array::from_fn(|i| &operands[if i < arity { i } else { 0 }][..n]);
    for i in 0..n {
        let load = [&a[i], &b[i], &c[i], &d[i]].map(|from| T::load(simd, from));
        T::store(simd, &mut out[i], T::apply(simd, function, load));
    }
}

/// `first[i] = function(first[i], others[0][i], ...)`; rows are as long as `first`.
#[inline(always)]
pub fn apply_in_place<T: Element, S: Simd>(
    simd: S,
    function: Primitive,
    first: &mut [Vector<T>],
    others: [&[Vector<T>]; 3],
) {
    for_each_function!(function, f => row_in_place(simd, f, first, others));
}

#[inline(always)]
fn row_in_place<T: Element, S: Simd>(
    simd: S,
    function: Primitive,
    first: &mut [Vector<T>],
    [b, c, d]: [&[Vector<T>]; 3],
) {
    let arity = function.arity();
    for i in 0..first.len() {
        let a = T::load(simd, &first[i]);
        let load = |row: &[Vector<T>], position| {
            if position < arity {
                T::load(simd, &row[i])
            } else {
                a
            }
        };
        let operands = [a, load(b, 1), load(c, 2), load(d, 3)];
        T::store(simd, &mut first[i], T::apply(simd, function, operands));
    }
}
