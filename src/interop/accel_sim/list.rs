//! The list of a traced program's commands: copies to the device and kernel launches.
//!
//! Models: `MemcpyHtoD,0xADDRESS,BYTES` and file names that begin with `kernel`, relative to the list's folder.
//! Leaves out: other lines, which Accel-Sim ignores too. Units: bytes.
//! Sources: `trace_parser::parse_commandlist_file` of Accel-Sim.

use super::error::{Fault, FormatError};

/// One command of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    CopyToDevice { address: u64, bytes: u64 },
    Kernel { file: String },
}

/// The list as text.
pub fn text(commands: &[Command]) -> String {
    let line = |command: &Command| match command {
        Command::CopyToDevice { address, bytes } => {
            format!("MemcpyHtoD,{address:#018x},{bytes}\n")
        }
        Command::Kernel { file } => format!("{file}\n"),
    };
    commands.iter().map(line).collect()
}

/// Reads a list. `file` is used in errors.
pub fn parse(text: &str, file: &str) -> Result<Vec<Command>, FormatError> {
    let numbered = text.lines().enumerate();
    let commands = numbered.filter_map(|(index, line)| {
        command(line.trim()).map(|found| found.map_err(|fault| fault.at(file, index + 1)))
    });
    let commands = commands.collect::<Result<Vec<_>, _>>()?;
    let has_kernel = |command: &Command| matches!(command, Command::Kernel { .. });
    if !commands.iter().any(has_kernel) {
        let fault = Fault::new("list", "no kernel", "a line that begins with \"kernel\"");
        return Err(fault.at(file, text.lines().count().max(1)));
    }
    Ok(commands)
}

fn command(line: &str) -> Option<Result<Command, Fault>> {
    if line.starts_with("MemcpyHtoD") {
        return Some(copy(line));
    }
    line.starts_with("kernel").then(|| {
        check_unpacked(line)?;
        match line.ends_with(".traceg") {
            true => Ok(Command::Kernel {
                file: line.to_owned(),
            }),
            false => Err(Fault::new(
                "kernel file",
                line,
                "a name that ends with .traceg",
            )),
        }
    })
}

/// Refuses traces in the packed forms that Accel-Sim has, by their names.
pub fn check_unpacked(name: &str) -> Result<(), Fault> {
    let allowed = if name.ends_with(".xz") {
        "a name that ends with .traceg; unpack .traceg.xz with `xz -d` first"
    } else if name.ends_with(".tracez") {
        "a name that ends with .traceg; `post-traces-processing --text` writes it"
    } else {
        return Ok(());
    };
    Err(Fault::new("kernel file", name, allowed))
}

fn copy(line: &str) -> Result<Command, Fault> {
    let fields: Vec<&str> = line.split(',').collect();
    let parsed = match fields[..] {
        [_, address, bytes] => {
            let digits = address.strip_prefix("0x").unwrap_or(address);
            u64::from_str_radix(digits, 16).ok().zip(bytes.parse().ok())
        }
        _ => None,
    };
    let fault = || Fault::new("copy", line, "MemcpyHtoD,0xADDRESS,BYTES");
    let (address, bytes) = parsed.ok_or_else(fault)?;
    Ok(Command::CopyToDevice { address, bytes })
}
