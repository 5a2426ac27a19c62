//! A part of a study that another machine may predict: points that follow each other, so that the parts in order are the whole.
//!
//! Reads `K/N` and selects the points of that part; describes the part beside its results, so that parts can be put together again.
//! Leaves out: where parts run. Units: points.

use super::StudyError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Part `number` of `of`, from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    pub number: usize,
    pub of: usize,
}

impl Shard {
    /// All points.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// Returns the points of this shard, out of `all`.
    pub fn points(self, all: usize) -> Range<usize> {
        let before = |number: usize| (number as u128 * all as u128 / self.of as u128) as usize;
        before(self.number - 1)..before(self.number)
    }
}

impl FromStr for Shard {
    type Err = StudyError;

    fn from_str(given: &str) -> Result<Self, StudyError> {
        let parsed = given.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&number).then_some(Shard { number, of })
        });
        parsed.ok_or_else(|| StudyError::input("--shard", given, "K/N with K from 1 to N, as 3/16"))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.of)
    }
}

/// Description of a part, in a file beside its results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// Hash of everything that decides the results of the whole.
    pub study: String,
    pub shard: Shard,
}

impl Description {
    /// Returns the path of the description beside the results.
    pub fn path_for(results: &Path) -> PathBuf {
        super::beside(results, ".shard")
    }

    /// Reads the description of the part in a results file.
    pub fn of(results: &Path) -> Result<Description, StudyError> {
        let path = Description::path_for(results);
        let refused = |why: String| {
            let allowed = "results of `whatif` or `reproduce` with `--shard K/N --out FILE`, and FILE.shard beside them";
            StudyError::input(
                format!("part {} ({why})", results.display()),
                path.display().to_string(),
                allowed,
            )
        };
        let text = crate::util::input::text(&path).map_err(|error| refused(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| refused(error.to_string()))
    }
}

/// The places of parts in their order, if they are all parts of one study.
pub fn in_order(parts: &[Description]) -> Result<Vec<usize>, StudyError> {
    let Some(first) = parts.first() else {
        return Err(StudyError::input("parts", "none", "all parts of a study"));
    };
    if let Some(other) = parts
        .iter()
        .find(|part| part.study != first.study || part.shard.of != first.shard.of)
    {
        let given = format!("{} and {} of different studies", first.shard, other.shard);
        return Err(StudyError::input("parts", given, "parts of one study"));
    }
    let place = |number: usize| {
        let found = parts.iter().position(|part| part.shard.number == number);
        found.ok_or_else(|| {
            let missing = Shard {
                number,
                ..first.shard
            };
            StudyError::input(
                "parts",
                format!("all but {missing}"),
                format!("all {}", first.shard.of),
            )
        })
    };
    if parts.len() > first.shard.of {
        let given = format!("{} files", parts.len());
        return Err(StudyError::input(
            "parts",
            given,
            format!("each of {} once", first.shard.of),
        ));
    }
    (1..=first.shard.of).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_in_order_are_the_whole(all in 0usize..10_000, of in 1usize..50) {
            let points = (1..=of).flat_map(|number| Shard { number, of }.points(all));
            prop_assert!(points.eq(0..all));
        }
    }

    #[test]
    fn only_parts_that_exist_are_read() {
        assert_eq!(
            "3/16".parse::<Shard>().unwrap(),
            Shard { number: 3, of: 16 }
        );
        for wrong in ["0/4", "5/4", "4", "a/b", "1/0"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_part_that_is_missing_is_named() {
        let part = |number| Description {
            study: "a".into(),
            shard: Shard { number, of: 3 },
        };
        assert_eq!(in_order(&[part(2), part(3), part(1)]).unwrap(), [2, 0, 1]);
        let error = in_order(&[part(1), part(3)]).unwrap_err().to_string();
        assert!(error.contains("2/3"), "{error}");
    }
}
