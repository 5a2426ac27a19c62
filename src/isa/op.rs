//! Operations of instructions, independent of the architecture's encoding.
//!
//! Models: the operations of the interpreters' kernels and of CUDA's math sequences.
//! Leaves out: textures, atomics, votes except for any lane.
//! Sources: CUDA binary utilities' instruction lists, disassemblies of ptxas 11.8.

use crate::util::names::named;

named! {
    /// Comparison; the `U` forms are true when an operand is not a number.
    pub enum Compare ("comparison") {
        False = "F",
        Lt = "LT",
        Eq = "EQ",
        Le = "LE",
        Gt = "GT",
        Ne = "NE",
        Ge = "GE",
        Num = "NUM",
        Nan = "NAN",
        Ltu = "LTU",
        Equ = "EQU",
        Leu = "LEU",
        Gtu = "GTU",
        Neu = "NEU",
        Geu = "GEU",
        True = "T",
    }
}

impl Compare {
    /// Outcome for an ordering; `None` denotes unordered operands.
    pub fn holds(self, ordering: Option<std::cmp::Ordering>) -> bool {
        use Compare::*;
        use std::cmp::Ordering::*;
        match self {
            False => false,
            True => true,
            Num => ordering.is_some(),
            Nan => ordering.is_none(),
            Lt => ordering == Some(Less),
            Eq => ordering == Some(Equal),
            Gt => ordering == Some(Greater),
            Le => matches!(ordering, Some(Less | Equal)),
            Ge => matches!(ordering, Some(Greater | Equal)),
            Ne => matches!(ordering, Some(Less | Greater)),
            Ltu => matches!(ordering, Some(Less) | None),
            Equ => matches!(ordering, Some(Equal) | None),
            Gtu => matches!(ordering, Some(Greater) | None),
            Leu => ordering != Some(Greater),
            Geu => ordering != Some(Less),
            Neu => ordering != Some(Equal),
        }
    }
}

named! {
    /// Combination of a comparison with a predicate, and bitwise operations.
    pub enum Logic ("operation") {
        And = "AND",
        Or = "OR",
        Xor = "XOR",
        /// Passes the second operand.
        PassB = "PASS_B",
    }
}

impl Logic {
    pub fn bits(self, a: u32, b: u32) -> u32 {
        match self {
            Logic::And => a & b,
            Logic::Or => a | b,
            Logic::Xor => a ^ b,
            Logic::PassB => b,
        }
    }

    pub fn bools(self, a: bool, b: bool) -> bool {
        self.bits(a.into(), b.into()) != 0
    }
}

/// Rounding of a float result, or of a conversion to an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Round {
    #[default]
    Nearest,
    Down,
    Up,
    Zero,
}

impl Round {
    /// Rounds to an integer.
    pub fn to_integer(self, value: f64) -> f64 {
        match self {
            Round::Nearest => value.round_ties_even(),
            Round::Down => value.floor(),
            Round::Up => value.ceil(),
            Round::Zero => value.trunc(),
        }
    }
}

/// Functions of the special function unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mufu {
    Cos,
    Sin,
    /// Cosine of an angle in turns.
    CosTurns,
    SinTurns,
    Ex2,
    Lg2,
    Rcp,
    Rsq,
    Sqrt,
    /// Upper word of a double's reciprocal or reciprocal square root.
    Rcp64h,
    Rsq64h,
}

/// Number format of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Number {
    Float(u8),
    Signed(u8),
    Unsigned(u8),
}

impl Number {
    /// Parses `F32`, `S64`, `U16`.
    pub fn named(name: &str) -> Option<Self> {
        let bits: u8 = name.get(1..)?.parse().ok()?;
        match (&name[..1], bits) {
            ("F", 16 | 32 | 64) => Some(Number::Float(bits)),
            ("S", 8 | 16 | 32 | 64) => Some(Number::Signed(bits)),
            ("U", 8 | 16 | 32 | 64) => Some(Number::Unsigned(bits)),
            _ => None,
        }
    }

    pub fn bits(self) -> u8 {
        match self {
            Number::Float(bits) | Number::Signed(bits) | Number::Unsigned(bits) => bits,
        }
    }
}

/// Values that `S2R` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Special {
    /// Thread index in its block, by dimension.
    Tid(u8),
    /// Block index, by dimension.
    Ctaid(u8),
    LaneId,
    Zero,
}

/// Lane that a shuffle reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shuffle {
    /// Exclusive-or of this lane's number with the operand.
    Xor,
    /// As many lanes before this one.
    Up,
    /// As many lanes after this one.
    Down,
    /// The operand's lane of the segment.
    Index,
}

/// Operation of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    Nop,
    Mov,
    Sel,
    /// Selection with float modifiers.
    Fsel,
    Prmt,
    Fadd,
    Fmul,
    Ffma,
    Fmnmx,
    /// Float comparison with result 1.0 or all ones (`as_float` selects 1.0).
    Fset {
        compare: Compare,
        combine: Logic,
        as_float: bool,
    },
    Fsetp {
        compare: Compare,
        combine: Logic,
    },
    /// Selects an operand by comparing the third with zero.
    Fcmp {
        compare: Compare,
    },
    /// Tells whether a division needs its slow path.
    Fchk,
    Dadd,
    Dmul,
    Dfma,
    Mufu(Mufu),
    /// Range reduction before `Mufu`.
    Rro,
    Convert {
        to: Number,
        from: Number,
        integral: bool,
    },
    Iadd,
    Iadd3,
    Iscadd,
    /// Scaled addition; `high`: uses the upper half of the scaled pair (third, first).
    Lea {
        high: bool,
    },
    /// Scaled addition of the upper half of the sign-extended first operand.
    LeaSigned,
    Imul {
        high: bool,
        signed: bool,
    },
    Imad {
        high: bool,
        signed: bool,
    },
    /// 64-bit product plus a 64-bit addend.
    ImadWide {
        signed: bool,
    },
    Imnmx {
        signed: bool,
    },
    /// Minimum or maximum of the sum of the first two operands and the third.
    IaddMnmx {
        signed: bool,
    },
    Iset {
        compare: Compare,
        combine: Logic,
        signed: bool,
        as_float: bool,
    },
    Isetp {
        compare: Compare,
        combine: Logic,
        signed: bool,
    },
    Icmp {
        compare: Compare,
        signed: bool,
    },
    Lop(Logic),
    /// Any function of three bits, by its truth table in the last source.
    Lop3,
    /// Any function of three predicates, by its truth table in the last source.
    Plop3,
    Shl {
        wrap: bool,
    },
    Shr {
        signed: bool,
        wrap: bool,
    },
    /// Funnel shift of the pair (third, first) by the second; `high` gives the upper half.
    Shf {
        right: bool,
        wide: bool,
        signed: bool,
        wrap: bool,
        high: bool,
    },
    Bfe {
        signed: bool,
    },
    Bfi,
    /// Number of ones in both sources.
    Popc,
    Flo {
        signed: bool,
        shift: bool,
    },
    Psetp {
        first: Logic,
        second: Logic,
    },
    /// Sign-extends the low bits of the first operand, as many as the second one specifies.
    Sgxt,
    /// Tells whether the predicate holds in any lane.
    VoteAny,
    /// Value of another lane, chosen by the second operand within the bounds of the third.
    Shuffle(Shuffle),
    S2r(Special),
    Ldc,
    Load,
    Store,
    Bra,
    /// Branch to an address in a register.
    Brx,
    Ssy,
    Pbk,
    Brk,
    Pcnt,
    Cont,
    Call,
    Ret,
    Exit,
    Barrier,
    /// Reconvergence of all lanes of the warp.
    WarpSync,
}

impl Op {
    /// Tells whether control may go elsewhere than to the next instruction.
    pub fn redirects(self) -> bool {
        matches!(
            self,
            Op::Bra | Op::Brx | Op::Brk | Op::Cont | Op::Call | Op::Ret | Op::Exit
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    /// Checks less, equal, greater, and unordered.
    #[test]
    fn every_comparison_holds_for_what_its_name_says() {
        let cases = [
            ("F", "...."),
            ("LT", "<..."),
            ("EQ", ".=.."),
            ("LE", "<=.."),
            ("GT", "..>."),
            ("NE", "<.>."),
            ("GE", ".=>."),
            ("NUM", "<=>."),
            ("NAN", "...?"),
            ("LTU", "<..?"),
            ("EQU", ".=.?"),
            ("LEU", "<=.?"),
            ("GTU", "..>?"),
            ("NEU", "<.>?"),
            ("GEU", ".=>?"),
            ("T", "<=>?"),
        ];
        let outcomes = [
            Some(Ordering::Less),
            Some(Ordering::Equal),
            Some(Ordering::Greater),
            None,
        ];
        for (name, holds) in cases {
            let compare = Compare::known(name).expect(name);
            let found = outcomes.map(|outcome| compare.holds(outcome));
            let wanted: Vec<bool> = holds.chars().map(|c| c != '.').collect();
            assert_eq!(found.as_slice(), wanted, "{name}");
        }
    }
}
