//! Parts shared by the report and the explorer: colours for both themes, copying, the content security policy.
//!
//! Leaves out: the layout of either (`page/`, `explore/`). Source: Web Content Accessibility Guidelines 2.2 for the contrasts.

use super::chart::theme::{Theme, declarations};

const COLOURS: &str = include_str!("colours.css");

/// Functions for the clipboard.
pub const COPY: &str = include_str!("copy.js");

/// Content security policy (level 3) of a page, which may load nothing but itself.
pub const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// The colours, as the beginning of a page's style.
pub fn colours() -> String {
    let charts = |theme| declarations(theme);
    COLOURS
        .replace("{{chart-light}}", &charts(Theme::Light))
        .replace("{{chart-dark}}", &charts(Theme::Dark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::cause::Cause;

    #[test]
    fn every_cause_has_a_colour_in_every_scheme() {
        for cause in Cause::ALL {
            let declared = COLOURS.matches(&format!("--{}: ", cause.name())).count();
            assert_eq!(declared, 3, "{cause:?}");
        }
    }

    #[test]
    fn charts_have_colours_of_their_own_in_both_themes() {
        let style = colours();
        assert!(!style.contains("{{"), "a part without content");
        assert_eq!(style.matches("--chart-ink:").count(), 3);
        assert!(style.contains(&declarations(Theme::Dark)));
    }
}
