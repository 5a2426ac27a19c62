//! Enumerations whose values have names, and the error for an unknown name.

/// Error for a name that no value of an enumeration has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{given}`; allowed: {allowed}")]
pub struct UnknownName {
    /// Kind of the thing named, such as `kernel`.
    pub what: &'static str,
    /// Name that was given.
    pub given: String,
    /// Names that are allowed, separated by commas.
    pub allowed: String,
}

impl UnknownName {
    /// Returns the refusal of `given`, with the allowed names.
    pub fn new<'a>(
        what: &'static str,
        given: &str,
        allowed: impl IntoIterator<Item = &'a str>,
    ) -> UnknownName {
        UnknownName {
            what,
            given: given.to_owned(),
            allowed: allowed.into_iter().collect::<Vec<_>>().join(", "),
        }
    }
}

/// Declares an enumeration with `ALL`, its values in the order of declaration.
macro_rules! listed {
    ($(#[$meta:meta])* $vis:vis enum $type:ident {
        $($(#[$value_meta:meta])* $value:ident),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis enum $type { $($(#[$value_meta])* $value),+ }

        impl $type {
            /// Every value, in the order of declaration.
            pub const ALL: [$type; [$(stringify!($value)),+].len()] = [$($type::$value),+];
        }
    };
}
pub(crate) use listed;

/// Declares an enumeration with `ALL`, `name`, `Display`, `FromStr` and `Deserialize`. The string in parentheses is the kind of
/// thing named in refusals.
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $type:ident ($what:literal) {
        $($(#[$value_meta:meta])* $value:ident = $name:literal),+ $(,)?
    }) => {
        $crate::util::names::listed! {
            $(#[$meta])*
            $vis enum $type { $($(#[$value_meta])* $value),+ }
        }

        impl $type {
            /// The name on the command line and in files.
            pub const fn name(self) -> &'static str {
                match self { $($type::$value => $name),+ }
            }

            /// The value with this name.
            pub fn known(name: &str) -> Option<Self> {
                match name { $($name => Some($type::$value),)+ _ => None }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::util::names::UnknownName;

            fn from_str(given: &str) -> Result<Self, Self::Err> {
                let names = || Self::ALL.iter().map(|value| value.name());
                let refused = || $crate::util::names::UnknownName::new($what, given, names());
                Self::known(given).ok_or_else(refused)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = String::deserialize(deserializer)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use named;
