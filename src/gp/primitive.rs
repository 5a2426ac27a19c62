//! The one table of GP functions: name, symbol, arity, semantics.
//!
//! Models: the functions of all problems, each defined once; CPU interpreters and GPU kernels follow these definitions.
//! Leaves out: rounding. The definitions are exact mathematics on the operands; `f32` results may differ from them by a few units
//! in the last place (polynomials on the CPU, fast intrinsics on a GPU); tests fix the bounds.
//! Truth values are 1.0 and 0.0; any value other than 0.0 (NaN included) counts as true.
//! Sources: Chitty (2D stack) section 4.2, Robilliard et al. 2008 section 4, Langdon 2010 table 1,
//! Augusto and Barbosa 2013 section 4.3.
//!
//! Chitty's function sets read `>>, <<, ==` in our copy of the paper because it doubles every symbol set as mathematics
//! (`Sin` appears as `Sin𝑆𝑖𝑛Sin`, `n` as `n𝑛n`): the functions are greater-than, less-than and equality.

macro_rules! primitives {
    ($( $(#[$doc:meta])* $variant:ident $symbol:literal $arity:literal
        ($($x:ident),+) real $real:expr, word $word:expr; )+) => {
        /// A GP function. Operands `a, b, c, d` are in program order: `a` was pushed first.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Primitive { $( $(#[$doc])* $variant, )+ }

        impl Primitive {
            /// Every function, in table order.
            pub const ALL: &'static [Primitive] = &[$(Primitive::$variant),+];

            /// Returns the spelling in program text and in the papers.
            pub const fn symbol(self) -> &'static str {
                match self { $(Primitive::$variant => $symbol),+ }
            }

            /// Returns the identifier used for kernel macros.
            pub const fn name(self) -> &'static str {
                match self { $(Primitive::$variant => stringify!($variant)),+ }
            }

            /// Returns the number of operands.
            pub const fn arity(self) -> usize {
                match self { $(Primitive::$variant => $arity),+ }
            }

            /// Applies the definition to real values. Only the first `arity` operands are read.
            pub fn apply_f64(self, operands: [f64; 4]) -> f64 {
                match self { $(Primitive::$variant => { let [$($x),+, ..] = operands; $real }),+ }
            }

            /// Applies the definition to real values, every operation in single precision.
            pub fn apply_single(self, operands: [f32; 4]) -> f32 {
                fn truth(condition: bool) -> f32 {
                    f32::from(u8::from(condition))
                }
                match self { $(Primitive::$variant => { let [$($x),+, ..] = operands; $real }),+ }
            }

            /// Applies the definition to 32 Boolean cases packed into a word; `None` without a Boolean meaning.
            pub const fn apply_u32(self, operands: [u32; 4]) -> Option<u32> {
                #[allow(unused_variables)]
                match self { $(Primitive::$variant => { let [$($x),+, ..] = operands; $word }),+ }
            }
        }
    };
}

primitives! {
    /// `a + b`.
    Add "+" 2 (a, b) real a + b, word None;
    /// `a - b`.
    Sub "-" 2 (a, b) real a - b, word None;
    /// `a * b`.
    Mul "*" 2 (a, b) real a * b, word None;
    /// Protected division: `1` if `b == 0`, else `a / b`.
    Div "/" 2 (a, b) real if b == 0.0 { 1.0 } else { a / b }, word None;
    /// `sin a`; NaN for an infinite `a`.
    Sin "sin" 1 (a) real a.sin(), word None;
    /// `cos a`; NaN for an infinite `a`.
    Cos "cos" 1 (a) real a.cos(), word None;
    /// Protected logarithm: `0` if `a == 0`, else `ln |a|`.
    Log "log" 1 (a) real if a == 0.0 { 0.0 } else { a.abs().ln() }, word None;
    /// `e^a`; infinite on overflow.
    Exp "exp" 1 (a) real a.exp(), word None;
    /// `-a`.
    Neg "neg" 1 (a) real -a, word None;
    /// `1` if `a > b`, else `0`.
    Greater ">" 2 (a, b) real truth(a > b), word None;
    /// `1` if `a < b`, else `0`.
    Less "<" 2 (a, b) real truth(a < b), word None;
    /// `1` if `a == b`, else `0`.
    Equal "==" 2 (a, b) real truth(a == b), word Some(!(a ^ b));
    /// `1` if both operands are true, else `0`; bitwise on words.
    And "AND" 2 (a, b) real truth(a != 0.0 && b != 0.0), word Some(a & b);
    /// `1` if an operand is true, else `0`; bitwise on words.
    Or "OR" 2 (a, b) real truth(a != 0.0 || b != 0.0), word Some(a | b);
    /// `0` if both operands are true, else `1`; bitwise on words.
    Nand "NAND" 2 (a, b) real truth(!(a != 0.0 && b != 0.0)), word Some(!(a & b));
    /// `0` if an operand is true, else `1`; bitwise on words.
    Nor "NOR" 2 (a, b) real truth(!(a != 0.0 || b != 0.0)), word Some(!(a | b));
    /// `1` if the operand is `0`, else `0`; bitwise on words.
    Not "NOT" 1 (a) real truth(a == 0.0), word Some(!a);
    /// `b` if `a` is true, else `c`; bitwise on words. Both branches are evaluated.
    If "IF" 3 (a, b, c) real if a != 0.0 { b } else { c }, word Some((a & b) | (!a & c));
    /// `c` if `a < b`, else `d`. Both branches are evaluated.
    Iflte "IFLTE" 4 (a, b, c, d) real if a < b { c } else { d }, word None;
}

fn truth(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

/// Names of functions in the programs of GP libraries besides our names and symbols: in lower case, without underscores.
const ALIASES: &[(&str, Primitive)] = &[
    ("plus", Primitive::Add),
    ("subtract", Primitive::Sub),
    ("minus", Primitive::Sub),
    ("multiply", Primitive::Mul),
    ("mult", Primitive::Mul),
    ("times", Primitive::Mul),
    ("divide", Primitive::Div),
    ("truediv", Primitive::Div),
    ("protecteddiv", Primitive::Div),
    ("pdiv", Primitive::Div),
    ("safediv", Primitive::Div),
    ("ln", Primitive::Log),
    ("logabs", Primitive::Log),
    ("protectedlog", Primitive::Log),
    ("plog", Primitive::Log),
    ("safelog", Primitive::Log),
    ("negative", Primitive::Neg),
    ("gt", Primitive::Greater),
    ("lt", Primitive::Less),
    ("eq", Primitive::Equal),
    ("logicaland", Primitive::And),
    ("logicalor", Primitive::Or),
    ("logicalnot", Primitive::Not),
    ("ifthenelse", Primitive::If),
];

impl Primitive {
    /// Returns the function with this symbol.
    pub fn from_symbol(symbol: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|p| p.symbol() == symbol)
    }

    /// Returns the function that a GP library calls by this name: `add`, `and_`, `protectedDiv`, `operator.mul`.
    pub fn from_library(name: &str) -> Option<Self> {
        let name = name.rsplit('.').next()?.replace('_', "").to_lowercase();
        let own = |p: &Primitive| {
            [p.name(), p.symbol()]
                .iter()
                .any(|n| n.eq_ignore_ascii_case(&name))
        };
        let alias = || ALIASES.iter().find(|(alias, _)| *alias == name);
        let own = Self::ALL.iter().copied().find(own);
        own.or_else(|| alias().map(|(_, p)| *p))
    }

    /// Returns the strength with which an infix operator binds, larger for those that apply first; `None` for other functions.
    pub fn infix_strength(self) -> Option<u8> {
        match self {
            Primitive::Greater | Primitive::Less | Primitive::Equal => Some(1),
            Primitive::Add | Primitive::Sub => Some(2),
            Primitive::Mul | Primitive::Div => Some(3),
            _ => None,
        }
    }

    /// Applies the definition to single-precision operands: computed in double precision, rounded once.
    pub fn apply_f32(self, operands: [f32; 4]) -> f32 {
        self.apply_f64(operands.map(f64::from)) as f32
    }

    /// Tells whether IEEE 754 determines every bit of the result; other functions' results differ between libraries.
    pub fn is_exact(self) -> bool {
        !matches!(
            self,
            Primitive::Sin | Primitive::Cos | Primitive::Exp | Primitive::Log
        )
    }
}

impl std::fmt::Display for Primitive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.symbol())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_unique_and_found() {
        for &p in Primitive::ALL {
            assert_eq!(Primitive::from_symbol(p.symbol()), Some(p));
            assert!((1..=4).contains(&p.arity()));
        }
    }

    #[test]
    fn library_names_are_found() {
        for &p in Primitive::ALL {
            assert_eq!(Primitive::from_library(p.name()), Some(p));
        }
        for (name, p) in [
            ("protectedDiv", Primitive::Div),
            ("np.logical_and", Primitive::And),
            ("and_", Primitive::And),
            ("NOT", Primitive::Not),
            ("if_then_else", Primitive::If),
            ("gt", Primitive::Greater),
        ] {
            assert_eq!(Primitive::from_library(name), Some(p), "{name}");
        }
        assert_eq!(Primitive::from_library("tan"), None);
        // No alias hides a function's own name or another alias.
        for (alias, p) in ALIASES {
            assert_eq!(Primitive::from_library(alias), Some(*p), "{alias}");
        }
    }

    #[test]
    fn protected_functions() {
        let with = |a, b| [a, b, 0.0, 0.0];
        assert_eq!(Primitive::Div.apply_f32(with(5.0, 0.0)), 1.0);
        assert_eq!(Primitive::Div.apply_f32(with(5.0, -0.0)), 1.0);
        assert_eq!(Primitive::Div.apply_f32(with(1.0, 4.0)), 0.25);
        assert_eq!(Primitive::Log.apply_f32(with(0.0, 0.0)), 0.0);
        assert_eq!(Primitive::Log.apply_f32(with(-1.0, 0.0)), 0.0);
        assert_eq!(Primitive::Exp.apply_f32(with(200.0, 0.0)), f32::INFINITY);
    }

    #[test]
    fn words_agree_with_truth_values() {
        let bits = [0b1111_0000u32, 0b1100_1100, 0b1010_1010, 0];
        for &p in Primitive::ALL {
            let Some(word) = p.apply_u32(bits) else {
                continue;
            };
            for case in 0..8 {
                let real = p.apply_f64(bits.map(|b| f64::from((b >> case) & 1)));
                assert_eq!(real != 0.0, (word >> case) & 1 == 1, "{p} case {case}");
            }
        }
    }
}
