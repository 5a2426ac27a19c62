//! Is a kernel of one's own, known by its listing alone, predicted like the same code in the program, and refused when it is told wrong?

use crate::program::{json, refused, refuses, stdout, succeeds};
use std::path::Path;
use warpstack::gp::problem::ProblemId;
use warpstack::isa::Arch;
use warpstack::systems::chitty::code::{Code, OwnCode};
use warpstack::systems::chitty::kernel_id::Lowering;
use warpstack::systems::chitty::variant::{KernelId, Variant};

fn variant(kernel: KernelId, arch: Arch) -> Variant {
    Variant::new(kernel, ProblemId::Sextic, 2, arch)
}

/// A listing in a folder; its path.
fn listing(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_same_code_is_predicted_alike() {
    let folder = tempfile::tempdir().unwrap();
    for (kernel, form, arch, device) in [
        (KernelId::Rpn, "rpn", Arch::Sm35, "gtx670"),
        (KernelId::LgpVector, "lgp", Arch::Sm90, "h200"),
    ] {
        let text = variant(kernel, arch).sass().unwrap();
        let file = listing(folder.path(), "mine.sass", &text);
        let common = format!("simulate --device {device} --stack-dim 2");
        let own = json(&format!("{common} --sass {file} --lowering {form}"));
        let named = json(&format!("{common} --kernel {}", kernel.name()));
        for figure in [
            "memory",
            "registers_per_thread",
            "shared_bytes_per_block",
            "warp_instructions_per_node",
        ] {
            assert_eq!(own[figure], named[figure], "{kernel} {figure}");
        }
        // What data adds was counted on other programs for the kernels of the tables.
        let speed = |of: &serde_json::Value| of["gpops_billion"].as_f64().unwrap();
        assert!(
            (speed(&own) / speed(&named) - 1.0).abs() < 0.005,
            "{kernel}"
        );
        assert_eq!(own["configuration"]["kernel"], "mine.sass");
    }
}

#[test]
fn what_it_is_told_wrong_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let text = variant(KernelId::Rpn, Arch::Sm35).sass().unwrap();
    let file = listing(folder.path(), "mine.sass", &text);
    let cut = listing(folder.path(), "cut.sass", &text[..text.len() / 2]);
    let check = "check --lowering, --stack-dim";
    for (rest, parts) in [
        ("lgp --stack-dim 2", check),
        ("rpn --stack-dim 3", check),
        ("rpn --stack-dim 2 --dispatch int", check),
        ("rpn --stack-dim 2 --device h200", "sm_35|--code"),
        ("tree", "rpn, lgp, accumulator"),
    ] {
        refuses(&[(&format!("simulate --sass {file} --lowering {rest}"), parts)]);
    }
    refuses(&[
        (&format!("simulate --sass {cut} --lowering rpn"), "cut.sass"),
        (
            "simulate --sass nowhere.sass --lowering rpn",
            "nowhere.sass",
        ),
        ("simulate --lowering rpn", "--sass"),
    ]);
}

/// A listing whose subtraction adds computes something else; only who says so gets it predicted.
#[test]
fn a_kernel_that_computes_something_else_is_predicted_on_request_only() {
    let folder = tempfile::tempdir().unwrap();
    let text = variant(KernelId::Rpn, Arch::Sm35).sass().unwrap();
    let wrong = text.replacen("FMUL R", "FADD R", usize::MAX);
    assert_ne!(wrong, text);
    let file = listing(folder.path(), "wrong.sass", &wrong);
    let line = format!("simulate --sass {file} --lowering rpn --stack-dim 2");
    refused(&line, &["reference interpreter"]);
    succeeds(&format!("{line} --unchecked"));
}

#[test]
fn source_lines_of_a_listing_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let text = variant(KernelId::Rpn, Arch::Sm35).sass().unwrap();
    let (head, code) = text.split_once(".text.rpn:\n").unwrap();
    let noted = format!("{head}.text.rpn:\n\t//## File \"/somewhere/mine.cu\", line 2\n{code}");
    let file = listing(folder.path(), "mine.sass", &noted);
    let source = listing(
        folder.path(),
        "mine.cu",
        "first\n  the second line\nthird\n",
    );
    let printed = stdout(&format!(
        "annotate --sass {file} --lowering rpn --stack-dim 2 --source {source}"
    ));
    assert!(
        printed.contains("mine.cu:2") && printed.contains("the second line"),
        "{printed}"
    );
}

#[test]
fn what_a_kernel_needs_is_read_from_its_listing() {
    for variant in Variant::all().unwrap() {
        let recorded = variant.resources().unwrap();
        let lowering: Lowering = variant.kernel.lowering();
        let own = OwnCode::new(variant.sass().unwrap(), "own.sass", lowering).unwrap();
        let own = Code::own(variant, own.into());
        let read = own.resources().unwrap();
        assert_eq!(
            (read.registers, read.frame_bytes, read.static_shared_bytes),
            (
                recorded.registers,
                recorded.frame_bytes,
                recorded.static_shared_bytes
            ),
            "{variant}"
        );
    }
}
