//! Operands of ALU instructions.
//!
//! Models: registers, registers relative to the address register, the results of the previous bundle (PV, PS), constants of
//! bank 0, literals, inline constants, the queue of values read from local memory; negation and absolute value.
//! Leaves out: other constant banks.
//! Sources: AMD, Evergreen Family Instruction Set Architecture, sections 4.6 to 4.8.

/// One of the four words of a register.
pub type Channel = u8;

/// Source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Register(u8, Channel),
    /// Register selected by the address register.
    Relative(u8, Channel),
    /// Result of this slot in the previous bundle; slot 4 is the transcendental unit.
    Previous(u8),
    /// Word of constant bank 0, by its index.
    Constant(u16),
    Word(u32),
    /// Oldest value in the queue of local memory.
    LocalQueue,
}

/// A source with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    pub source: Source,
    pub absolute: bool,
    pub negative: bool,
}

/// Destination of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    Register(u8, Channel),
    Relative(u8, Channel),
    /// The address register.
    Address,
    /// The predicate of every lane, for instructions that name it.
    Predicate,
    /// Execution mask: the lanes that remain active.
    ExecMask,
    LocalQueue,
    None,
}

/// Parses a channel, `X` to `W`.
pub fn channel(text: &str) -> Option<Channel> {
    match text {
        "X" | "x" => Some(0),
        "Y" | "y" => Some(1),
        "Z" | "z" => Some(2),
        "W" | "w" => Some(3),
        _ => None,
    }
}

/// Parses a register and channel, `T12.X`.
pub fn register(text: &str) -> Option<(u8, Channel)> {
    let (number, part) = text.strip_prefix('T')?.split_once('.')?;
    Some((number.parse().ok()?, channel(part)?))
}

/// Parses a first register and channel, `T(0 + AR.x).X+`.
pub fn relative(text: &str) -> Option<(u8, Channel)> {
    let (number, part) = text.strip_prefix("T(")?.split_once(" + AR.x).")?;
    Some((number.parse().ok()?, channel(part.strip_suffix('+')?)?))
}

impl Destination {
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "AR.x (MASKED)" => Destination::Address,
            "ExecMask,PredicateBit (MASKED)" => Destination::ExecMask,
            "Pred,PredicateBit (MASKED)" => Destination::Predicate,
            "OQAP" => Destination::LocalQueue,
            _ => match (register(text), relative(text)) {
                (Some((r, c)), _) => Destination::Register(r, c),
                (_, Some((r, c))) => Destination::Relative(r, c),
                _ => return None,
            },
        })
    }
}

impl Operand {
    /// Parses a source; `literals` are those of its bundle.
    pub fn parse(text: &str, literals: &[u32]) -> Option<Self> {
        let unsigned = text.strip_prefix('-');
        // The names of inline constants include their sign.
        if let Some(word) = inline(text) {
            return Some(Operand::plain(Source::Word(word)));
        }
        let (negative, rest) = (unsigned.is_some(), unsigned.unwrap_or(text));
        let inner = rest.strip_prefix('|').and_then(|t| t.strip_suffix('|'));
        let source = Source::parse(inner.unwrap_or(rest), literals)?;
        Some(Operand {
            source,
            absolute: inner.is_some(),
            negative,
        })
    }

    pub fn plain(source: Source) -> Self {
        Operand {
            source,
            absolute: false,
            negative: false,
        }
    }
}

/// Parses constants that need no literal.
fn inline(text: &str) -> Option<u32> {
    Some(match text {
        "0.0" | "0" => 0,
        "1" => 1,
        "-1" => u32::MAX,
        "1.0" => 1.0f32.to_bits(),
        "0.5" => 0.5f32.to_bits(),
        _ => return None,
    })
}

impl Source {
    fn parse(text: &str, literals: &[u32]) -> Option<Self> {
        if let Some((r, c)) = register(text) {
            return Some(Source::Register(r, c));
        }
        if let Some((r, c)) = relative(text) {
            return Some(Source::Relative(r, c));
        }
        if let Some(part) = text.strip_prefix("PV.") {
            return channel(part).map(Source::Previous);
        }
        if let Some(part) = text.strip_prefix("literal.") {
            return literals
                .get(usize::from(channel(part)?))
                .copied()
                .map(Source::Word);
        }
        if let Some(rest) = text.strip_prefix("KC0[") {
            let (row, part) = rest.split_once("].")?;
            let row: u16 = row.parse().ok()?;
            return Some(Source::Constant(row * 4 + u16::from(channel(part)?)));
        }
        match text {
            "PS" => Some(Source::Previous(4)),
            "OQAP" => Some(Source::LocalQueue),
            _ => inline(text).map(Source::Word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_with_modifiers_are_read() {
        let read = |text| Operand::parse(text, &[7, 9]);
        assert_eq!(
            read("-|PV.W|"),
            Some(Operand {
                source: Source::Previous(3),
                absolute: true,
                negative: true
            })
        );
        assert_eq!(
            read("literal.y").map(|o| o.source),
            Some(Source::Word(9)),
            "the second literal of the bundle"
        );
        assert_eq!(
            read("KC0[3].Y").map(|o| o.source),
            Some(Source::Constant(13))
        );
        assert_eq!(read("literal.z"), None, "the bundle has two");
    }

    #[test]
    fn destinations_are_told_apart() {
        assert_eq!(
            Destination::parse("T(0 + AR.x).X+"),
            Some(Destination::Relative(0, 0))
        );
        assert_eq!(
            Destination::parse("Pred,PredicateBit (MASKED)"),
            Some(Destination::Predicate)
        );
        assert_eq!(Destination::parse("Q1.X"), None);
    }
}
