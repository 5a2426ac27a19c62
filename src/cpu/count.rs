//! Vector instructions of a GP function, counted by running the interpreters' own code on counters instead of registers.
//!
//! Models: every operation of the instruction set used by `Element::apply` and `Element::add_errors`, as the instructions of
//! the given path. Constants are in registers or in the operand of the instruction that reads them, so they cost nothing.
//! Leaves out: merging (two logical operations into one) and spilling by the compiler; the rare elements whose sine is computed
//! one by one.
//! Units: instructions for 16 elements.
//! Sources: the code itself (`gp/interpret/simd`).

use crate::gp::interpret::element::Element;
use crate::gp::interpret::score::Sums;
use crate::gp::interpret::simd::{Kernel, LANES, Simd, Vector};
use crate::gp::interpret::tile::One;
use crate::gp::primitive::Primitive;
use crate::gp::problem::Score;
use std::cell::Cell;

/// Kind of execution unit, as presets distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Multiply,
    Add,
    Compare,
    /// And, or, whole numbers, blends, moves between parts of a register.
    Logic,
    Shift,
    Convert,
    Scale,
    Divide,
    Mask,
}

pub const CLASSES: usize = 9;

/// Vector path of the counted instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// AVX-512: a register holds a vector.
    Whole,
    /// AVX2: two registers hold a vector.
    Half,
}

impl Width {
    /// Number of registers that hold a vector.
    pub fn registers(self) -> f64 {
        match self {
            Width::Whole => 1.0,
            Width::Half => 2.0,
        }
    }
}

/// Instructions for 16 elements.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Instructions {
    of: [f64; CLASSES],
    /// Longest dependence chain from the operands to the result.
    pub chain: Chain,
    /// Dependence chain from a sum to the same sum with the next vector.
    pub recurring: Chain,
}

impl Instructions {
    pub fn of(&self, class: Class) -> f64 {
        self.of[class as usize]
    }

    pub fn total(&self) -> f64 {
        self.of.iter().sum()
    }

    fn add(&mut self, class: Class, n: f64) {
        self.of[class as usize] += n;
    }
}

/// Counts a function of 16 elements, with operands and result in registers.
pub fn of_function<T: Chained>(function: Primitive, width: Width) -> Instructions {
    let value = T::load(Counter, &Vector::default());
    let mut chain = Chain::default();
    let counted = counted(width, || {
        chain = T::chain(T::apply(Counter, function, [value; 4]));
    });
    Instructions { chain, ..counted }
}

/// Elements whose counter values are chains.
pub trait Chained: Element {
    fn chain(value: Self::V<Counter>) -> Chain;
}

impl Chained for f32 {
    fn chain(value: Chain) -> Chain {
        value
    }
}

impl Chained for u32 {
    fn chain(value: Chain) -> Chain {
        value
    }
}

/// Counts the comparison of 16 values with the expected ones.
pub fn of_score<T: Element>(score: Score, width: Width) -> Instructions {
    let value = T::load(Counter, &Vector::default());
    counted(width, || {
        T::add_errors(Counter, score, value, value, &mut Sums::default());
    })
}

thread_local! {
    static COUNTED: Cell<(Option<Width>, Instructions)> = Cell::new((None, Instructions::default()));
}

fn counted(width: Width, code: impl FnOnce()) -> Instructions {
    COUNTED.set((Some(width), Instructions::default()));
    code();
    COUNTED.replace((None, Instructions::default())).1
}

/// Adds instructions, given per vector for either path.
fn note(whole: &[(Class, f64)], half: &[(Class, f64)]) {
    let (width, mut sum) = COUNTED.get();
    let made = match width {
        Some(Width::Whole) => whole,
        Some(Width::Half) => half,
        None => &[],
    };
    for &(class, n) in made {
        sum.add(class, n);
    }
    COUNTED.set((width, sum));
}

/// Adds one instruction per register.
fn note_each(class: Class) {
    note(&[(class, 1.0)], &[(class, 2.0)]);
}

/// Longest dependence chain from the operands to a value, as the number of consecutive instructions of each class.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Chain([f64; CLASSES]);

/// Typical latencies, used to choose the longer of two chains; machines hardly differ in that choice.
const USUAL_CYCLES: [f64; CLASSES] = [4.0, 3.0, 3.0, 1.0, 1.0, 4.0, 4.0, 12.0, 2.0];

impl Chain {
    /// Length of the chain in cycles, given the latency of each class.
    pub fn cycles(&self, latency: &[f64; CLASSES]) -> f64 {
        self.0
            .iter()
            .zip(latency)
            .map(|(n, cycles)| n * cycles)
            .sum()
    }

    fn then(mut self, classes: &[Class]) -> Chain {
        for &class in classes {
            self.0[class as usize] += 1.0;
        }
        self
    }

    fn or(self, other: Chain) -> Chain {
        match self.cycles(&USUAL_CYCLES) < other.cycles(&USUAL_CYCLES) {
            true => other,
            false => self,
        }
    }
}

/// Instruction set that only counts. Its values are chains; conditions are false.
#[derive(Debug, Clone, Copy)]
pub struct Counter;

/// Selects the classes of the counted path.
fn on_whole(whole: &'static [Class], half: &'static [Class]) -> &'static [Class] {
    match COUNTED.get().0 {
        Some(Width::Half) => half,
        _ => whole,
    }
}

macro_rules! each {
    ($($class:ident: $($name:ident($($x:ident),*)),+;)+) => {
        $($(fn $name(self, $($x: Chain),*) -> Chain {
            note_each(Class::$class);
            Chain::default()$(.or($x))*.then(&[Class::$class])
        })+)+
    };
}

/// Operations on conditions, which are masks or vectors.
macro_rules! masks {
    ($($name:ident($($x:ident),*);)+) => {
        $(fn $name(self, $($x: Chain),*) -> Chain {
            note(&[(Class::Mask, 1.0)], &[(Class::Logic, 2.0)]);
            let class = on_whole(&[Class::Mask], &[Class::Logic]);
            Chain::default()$(.or($x))*.then(class)
        })+
    };
}

impl Simd for Counter {
    type F = Chain;
    type W = Chain;
    type M = Chain;
    type Floats = One<f32, Self>;
    type Words = One<u32, Self>;
    const INLINES_MATH: bool = true;

    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    each! {
        Add: add(a, b), sub(a, b), min(a, b), max(a, b);
        Multiply: mul(a, b), fma(a, b, c), fnma(a, b, c);
        Divide: div(a, b);
        Compare: eq(a, b), lt(a, b), le(a, b);
        Logic: select(mask, a, b), and(a, b), or(a, b), xor(a, b), and_not(a, b), sub_words(a, b);
        Convert: signed_to_float(a);
    }

    masks! {
        not_mask(a);
        and_masks(a, b);
        or_masks(a, b);
    }

    // Memory accesses are counted by the caller, which knows the operands' locations.
    fn load(self, _: &Vector<f32>) -> Chain {
        Chain::default()
    }
    fn store(self, _: &mut Vector<f32>, _: Chain) {}
    fn load_words(self, _: &Vector<u32>) -> Chain {
        Chain::default()
    }
    fn store_words(self, _: &mut Vector<u32>, _: Chain) {}
    fn splat(self, _: f32) -> Chain {
        Chain::default()
    }
    fn splat_words(self, _: u32) -> Chain {
        Chain::default()
    }
    fn float_to_bits(self, a: Chain) -> Chain {
        a
    }
    fn bits_to_float(self, a: Chain) -> Chain {
        a
    }

    fn scale(self, a: Chain, n: Chain) -> Chain {
        use Class::{Convert, Logic, Multiply, Scale, Shift};
        // AVX2: two factors, each made of an exponent.
        let half = [(Convert, 2.0), (Shift, 6.0), (Logic, 6.0), (Multiply, 4.0)];
        note(&[(Scale, 1.0)], &half);
        let exponent = on_whole(&[], &[Convert, Shift, Logic, Logic, Shift]);
        let product = on_whole(&[Scale], &[Multiply, Multiply]);
        a.or(n.then(exponent)).then(product)
    }

    fn mask_bits(self, _: Chain) -> u32 {
        note(&[(Class::Mask, 1.0)], &[(Class::Logic, 2.0)]);
        0
    }

    fn add_squares(self, _: &mut [f64; LANES], _: Chain) {
        use Class::{Convert, Logic, Multiply};
        note(
            &[(Convert, 2.0), (Logic, 1.0), (Multiply, 2.0)],
            &[(Convert, 4.0), (Logic, 2.0), (Multiply, 4.0)],
        );
        let (width, mut sum) = COUNTED.get();
        sum.recurring = Chain::default().then(&[Multiply]);
        COUNTED.set((width, sum));
    }

    fn add_ones(self, _: &mut [u32; LANES], _: Chain) {
        // AVX2 counts ones by scalar instructions, eight of 64 bits.
        note(&[(Class::Logic, 2.0)], &[(Class::Logic, 18.0)]);
    }

    fn shift_left<const N: u32>(self, a: Chain) -> Chain {
        note_each(Class::Shift);
        a.then(&[Class::Shift])
    }
    fn shift_right_signed<const N: u32>(self, a: Chain) -> Chain {
        note_each(Class::Shift);
        a.then(&[Class::Shift])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(function: Primitive, width: Width) -> Instructions {
        of_function::<f32>(function, width)
    }

    #[test]
    fn an_addition_is_one_instruction_and_two_where_registers_are_half_as_wide() {
        for (width, n) in [(Width::Whole, 1.0), (Width::Half, 2.0)] {
            let add = counts(Primitive::Add, width);
            assert_eq!((add.of(Class::Add), add.total()), (n, n));
        }
    }

    #[test]
    fn a_protected_division_compares_and_chooses() {
        let div = counts(Primitive::Div, Width::Whole);
        let of = [Class::Divide, Class::Compare, Class::Logic].map(|class| div.of(class));
        assert_eq!((of, div.total()), ([1.0; 3], 3.0));
    }

    #[test]
    fn a_sine_is_its_reduction_and_its_polynomial() {
        // Multiply-adds: 1 to round, 3 to reduce, 2 products, 3 and 1 of the polynomial.
        let sin = counts(Primitive::Sin, Width::Whole);
        assert_eq!(sin.of(Class::Multiply), 10.0);
        assert!(sin.total() < 20.0, "{sin:?}");
        // The reduction, the square, the polynomial and the last multiply-add are dependent.
        let multiplies = sin
            .chain
            .cycles(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(multiplies, 9.0);
    }

    #[test]
    fn every_function_takes_instructions() {
        for width in [Width::Whole, Width::Half] {
            for &function in Primitive::ALL {
                assert!(counts(function, width).total() > 0.0, "{function}");
                if u32::supports(function) {
                    let words = of_function::<u32>(function, width);
                    assert!(words.total() > 0.0, "{function}");
                }
            }
        }
        let squares = of_score::<f32>(Score::MeanSquaredError, Width::Whole);
        assert_eq!(squares.recurring, Chain::default().then(&[Class::Multiply]));
    }
}
