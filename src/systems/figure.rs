//! A predicted figure of a paper, named so that it finds what was published.

/// See the module text.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Where in the paper.
    pub experiment: &'static str,
    /// The device first.
    pub configuration: String,
    /// With its unit.
    pub quantity: &'static str,
    pub predicted: f64,
}
