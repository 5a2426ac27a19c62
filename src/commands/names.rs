//! Names of kernels, problems, devices and architectures, as options take them.
//!
//! Normalizes a name, suggests the nearest one to a misspelt name, and lists all names for the shell's
//! completion. Leaves out: whether a kernel has a problem on a device (the engine checks that). Units: none.

use crate::device::{Preset, builtin_names};
use crate::gp::interpret;
use crate::gp::problem::{ProblemId, canonical};
use crate::isa::Arch;
use crate::systems::chitty::kernel_id::KernelId;
use crate::systems::registry;
use crate::vliw::preset as vliw;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};
use std::ffi::OsStr;

/// One of some names, or a list of them with commas.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    known: fn() -> Vec<&'static str>,
    /// A name as people write it, and as the program has it.
    understood: fn(&str) -> String,
    /// Whether a value that is no name may be meant: the path of a file.
    is_other: fn(&str) -> bool,
    is_list: bool,
}

/// Architecture of VLIW machines.
pub(super) const VLIW: &str = "VLIW5";

/// The name of the fastest interpreter, whichever it is.
pub const BEST: &str = "best";

/// In a list of names, or of the paper's tables: every one.
pub const ALL: &str = "all";

impl Names {
    fn of(known: fn() -> Vec<&'static str>) -> Names {
        Names {
            known,
            understood: str::to_owned,
            is_other: |_| false,
            is_list: false,
        }
    }

    /// Several with commas, or `all`.
    pub fn list(self) -> Names {
        Names {
            is_list: true,
            ..self
        }
    }

    /// Puts names as the program has them in the place of names as people write them.
    pub fn understand(&self, names: &mut [String]) -> Result<(), String> {
        let known = self.known();
        for name in names {
            let understood = (self.understood)(name);
            if !known.contains(&understood.as_str()) {
                return Err(format!(
                    "name: given \"{name}\"; allowed: {}",
                    known.join(", ")
                ));
            }
            *name = understood;
        }
        Ok(())
    }

    fn known(&self) -> Vec<&'static str> {
        let all = self.is_list.then_some(ALL);
        (self.known)().into_iter().chain(all).collect()
    }
}

/// Kernels of the main paper and of the others.
pub fn kernel() -> Names {
    Names {
        understood: |given| given.trim().to_lowercase(),
        ..Names::of(|| registry::kernels().map(|kernel| kernel.name).collect())
    }
}

/// Kernels of the main paper, whose programs have a stack with a second dimension.
pub fn chitty_kernel() -> impl TypedValueParser<Value = KernelId> {
    let names = Names {
        known: || KernelId::ALL.iter().map(|kernel| kernel.name()).collect(),
        ..kernel()
    };
    names.try_map(|name| name.parse::<KernelId>())
}

/// Problems of all kernels.
pub fn problem() -> Names {
    Names {
        understood: canonical,
        ..Names::of(|| {
            let mut known: Vec<&str> = ProblemId::ALL.iter().map(|id| id.name()).collect();
            for name in registry::kernels().flat_map(|kernel| &kernel.problems) {
                if !known.contains(name) {
                    known.push(name);
                }
            }
            known
        })
    }
}

/// Devices of the program, or files of other devices.
pub fn device() -> Names {
    Names {
        understood: |given| given.trim().to_lowercase(),
        is_other: |given| given.contains(['.', '/', '\\']),
        ..Names::of(|| {
            let known = builtin_names().into_iter();
            known.chain(vliw::builtin_names()).collect()
        })
    }
}

/// Interpreters of the CPU, all of them, or the fastest.
pub fn interpreter() -> Names {
    Names {
        understood: |given| given.trim().to_lowercase(),
        ..Names::of(|| {
            let own = interpret::ALL.iter().map(|one| one.name());
            own.chain([BEST, ALL]).collect()
        })
    }
}

/// Architectures that kernels were compiled for.
pub fn arch() -> impl TypedValueParser<Value = Arch> {
    let names = Names::of(|| Arch::ALL.iter().map(|arch| arch.name()).collect());
    names.try_map(|name| name.parse::<Arch>())
}

/// Architectures of the devices.
pub fn device_arch() -> Names {
    Names::of(|| {
        let presets = builtin_names().into_iter();
        let presets = presets.filter_map(|name| Preset::load(name).ok());
        let codes = presets.map(|preset| &*preset.device.code.leak());
        let mut known: Vec<&str> = codes.chain([VLIW]).collect();
        known.sort_unstable();
        known.dedup();
        known
    })
}

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        let given = StringValueParser::new().parse_ref(command, argument, value)?;
        let parts: Vec<&str> = match self.is_list {
            true => given.split(',').map(str::trim).collect(),
            false => vec![given.as_str()],
        };
        let (mut understood, known) = (Vec::new(), self.known());
        for part in parts {
            let name = (self.understood)(part);
            if known.contains(&name.as_str()) {
                understood.push(name);
            } else if (self.is_other)(part) {
                understood.push(part.to_owned());
            } else {
                return Err(self.refusal(command, argument, part));
            }
        }
        Ok(understood.join(","))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = self.known().into_iter().map(PossibleValue::new);
        Some(Box::new(values))
    }
}

impl Names {
    fn refusal(&self, command: &Command, argument: Option<&Arg>, given: &str) -> Error {
        let known = self.known();
        let mut error = Error::new(ErrorKind::InvalidValue).with_cmd(command);
        let mut add = |kind, value| error.insert(kind, value);
        if let Some(argument) = argument {
            let name = ContextValue::String(argument.to_string());
            add(ContextKind::InvalidArg, name);
        }
        add(
            ContextKind::InvalidValue,
            ContextValue::String(given.to_owned()),
        );
        add(
            ContextKind::ValidValue,
            ContextValue::Strings(known.iter().map(|name| (*name).to_owned()).collect()),
        );
        let near = nearest(&(self.understood)(given), &known);
        if let Some(near) = near {
            add(
                ContextKind::SuggestedValue,
                ContextValue::String(near.to_owned()),
            );
        }
        error
    }
}

/// The name that differs least from what was given, if it differs little.
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let apart = known.iter();
    let apart = apart.map(|&name| (strsim::damerau_levenshtein(given, name), name));
    let (changes, name) = apart.min_by_key(|(changes, _)| *changes)?;
    let most = (given.chars().count() / 3).max(1);
    (changes <= most).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_is_nearly_right_is_found() {
        let known = kernel().known();
        assert_eq!(nearest("lpg", &known), Some("lgp"));
        assert_eq!(nearest("lgp-vektor", &known), Some("lgp-vector"));
        assert_eq!(nearest("tree", &known), None);
        let known = device().known();
        assert_eq!(nearest("gtx760", &known), Some("gtx670"));
        assert_eq!(nearest("h20", &known), Some("h200"));
    }
}
