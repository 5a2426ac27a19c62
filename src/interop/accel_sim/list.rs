//! The list of a traced program's commands: copies to the device and kernel launches.
//!
//! Models: file names that begin with `kernel`, relative to the list's folder; of copies, `MemcpyHtoD,0xADDRESS,BYTES`, that they are
//! written. Leaves out: other lines, which Accel-Sim ignores too. Units: bytes.
//! Sources: `trace_parser::parse_commandlist_file` of Accel-Sim.

use super::error::{Fault, FormatError};

/// The list of a kernel in `file` that reads buffers, each with address and bytes.
pub fn text(buffers: &[(u64, u64)], file: &str) -> String {
    let copy = |(address, bytes): &(u64, u64)| format!("MemcpyHtoD,{address:#018x},{bytes}\n");
    let copies: String = buffers.iter().map(copy).collect();
    format!("{copies}{file}\n")
}

/// The files of a list's kernels, at least one. `file` is used in errors.
pub fn kernels(text: &str, file: &str) -> Result<Vec<String>, FormatError> {
    let mut kernels = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let name = line.trim();
        if name.starts_with("kernel") {
            check_name(name).map_err(|fault| fault.at(file, index + 1))?;
            kernels.push(name.to_owned());
        }
    }
    if kernels.is_empty() {
        let fault = Fault::new("list", "no kernel", "a line that begins with \"kernel\"");
        return Err(fault.at(file, text.lines().count().max(1)));
    }
    Ok(kernels)
}

fn check_name(name: &str) -> Result<(), Fault> {
    check_unpacked(name)?;
    let allowed = "a name that ends with .traceg";
    match name.ends_with(".traceg") {
        true => Ok(()),
        false => Err(Fault::new("kernel file", name, allowed)),
    }
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
