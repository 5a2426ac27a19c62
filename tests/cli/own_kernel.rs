//! Is a custom kernel, known by its listing alone, predicted like the same built-in code, and refused if its description is wrong?

use crate::program::{json, refused, refuses, stdout, succeeds};
use std::io::Read;
use std::path::Path;
use warpstack::gp::problem::ProblemId;
use warpstack::isa::Arch;
use warpstack::systems::chitty::code::{KernelCode, OwnCode};
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
        let common = format!("predict --device {device} --stack-dim 2");
        let own = json(&format!("{common} --sass {file} --encoding {form}"));
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

/// CUDA 13 clamps by one instruction and adds uniform registers to addresses.
#[test]
fn code_of_cuda_13_computes_what_the_interpreter_does() {
    let packed = include_bytes!("../../fixtures/cuda13/accumulator-sextic.sass.zst");
    let mut text = String::new();
    let mut unpacked = ruzstd::decoding::StreamingDecoder::new(&packed[..]).unwrap();
    unpacked.read_to_string(&mut text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = listing(folder.path(), "mine.sass", &text);
    let line = format!("predict --device h100 --sass {file} --encoding accumulator");
    let said = String::from_utf8(succeeds(&line).stderr).unwrap();
    assert!(
        said.contains("computes what the reference interpreter does"),
        "{said}"
    );
}

#[test]
fn what_it_is_told_wrong_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let text = variant(KernelId::Rpn, Arch::Sm35).sass().unwrap();
    let file = listing(folder.path(), "mine.sass", &text);
    let cut = listing(folder.path(), "cut.sass", &text[..text.len() / 2]);
    let check = "check --encoding, --stack-dim";
    for (rest, parts) in [
        ("lgp --stack-dim 2", check),
        ("rpn --stack-dim 3", check),
        ("rpn --stack-dim 2 --token-type int", check),
        ("rpn --stack-dim 2 --device h200", "sm_35|--arch"),
        ("tree", "rpn, lgp, accumulator"),
    ] {
        refuses(&[(&format!("predict --sass {file} --encoding {rest}"), parts)]);
    }
    refuses(&[
        (&format!("predict --sass {cut} --encoding rpn"), "cut.sass"),
        ("predict --sass nowhere.sass --encoding rpn", "nowhere.sass"),
        ("predict --encoding rpn", "--sass"),
    ]);
}

/// A kernel that adds where it should multiply after the exponential, in text and encoding alike, is refused unless unchecked.
#[test]
fn a_kernel_that_computes_something_else_is_predicted_on_request_only() {
    let folder = tempfile::tempdir().unwrap();
    let text = variant(KernelId::Rpn, Arch::Sm90).sass().unwrap();
    let (before, after) = text.split_once("MUFU.EX2").unwrap();
    let after = after.replacen("FMUL R3, R4, R3", "FADD R3, R4, R3", 1);
    let wrong = format!("MUFU.EX2{}", after.replacen("0304037220", "0304037221", 1));
    assert_eq!(
        wrong.matches("0304037221").count(),
        1 + text.matches("0304037221").count()
    );
    let file = listing(folder.path(), "wrong.sass", &format!("{before}{wrong}"));
    let line = format!("predict --device h200 --sass {file} --encoding rpn --stack-dim 2");
    refused(
        &line,
        &["exp", "by the reference interpreter", "--unchecked"],
    );
    succeeds(&format!("{line} --unchecked"));
}

/// The output names the coverage of the check.
#[test]
fn what_was_compared_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = variant(KernelId::Rpn, Arch::Sm35).sass().unwrap();
    let file = listing(folder.path(), "mine.sass", &text);
    let output = succeeds(&format!(
        "predict --sass {file} --encoding rpn --stack-dim 2"
    ));
    let said = String::from_utf8(output.stderr).unwrap();
    for part in [
        "8 functions at 50 stack levels",
        "instructions executed (not 0x",
    ] {
        assert!(said.contains(part), "no \"{part}\" in: {said}");
    }
}

/// Listings whose text alone is edited: another opcode, guard, register, immediate.
#[test]
fn a_listing_whose_text_is_not_its_encoding_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (arch, device, edits) in [
        (
            Arch::Sm35,
            "gtx670",
            &[
                ("FMUL R", "FADD R"),
                ("@P0 BRA", "@!P0 BRA"),
                ("MOV R10, RZ", "MOV R14, RZ"),
            ][..],
        ),
        (
            Arch::Sm90,
            "h200",
            &[
                ("FMUL R3, R4, R3", "FADD R3, R4, R3"),
                ("@P0 BRA", "@P1 BRA"),
                ("FMUL R3, R4, R3", "FMUL R3, R4, R5"),
                ("FFMA.SAT R0, R3, R5, 0.5", "FFMA.SAT R0, R3, R5, 0.25"),
            ],
        ),
    ] {
        let text = variant(KernelId::Rpn, arch).sass().unwrap();
        for (from, to) in edits {
            let edited = text.replacen(from, to, 1);
            assert_ne!(edited, text, "{arch}: {from}");
            let file = listing(folder.path(), "edited.sass", &edited);
            let line =
                format!("predict --device {device} --sass {file} --encoding rpn --stack-dim 2");
            refused(&line, &["edited.sass", to, "encoding"]);
        }
    }
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
        "explain --per-instruction --sass {file} --encoding rpn --stack-dim 2 --source {source}"
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
        let own = KernelCode::own(variant, own.into());
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

#[test]
fn advice_has_a_custom_kernel_beside_the_built_in_ones() {
    let folder = tempfile::tempdir().unwrap();
    let text = variant(KernelId::Lgp, Arch::Sm35).sass().unwrap();
    let file = listing(folder.path(), "mine.sass", &text);
    let common = "advise --engine analytical";
    let advice = json(&format!(
        "{common} --sass {file} --encoding lgp --stack-dim 2"
    ));
    let launches = advice["launches"].as_array().unwrap();
    let of = |kernel: &str| launches.iter().find(|one| one["kernel"] == kernel).unwrap();
    let (mine, builtin) = (of("mine.sass"), json(&format!("{common} --kernel lgp")));
    assert_eq!(
        (&mine["stack_dim"], &mine["support"]),
        (&2.into(), &"outside".into())
    );
    // Of its second dimension alone, so at most as fast as the best of the same kernel.
    let best = builtin["launches"][0]["gpops_billion"].as_f64().unwrap();
    let speed = mine["gpops_billion"].as_f64().unwrap();
    assert!((0.8..1.01).contains(&(speed / best)), "{speed} {best}");
    refuses(&[
        ("advise --stack-dim 2", "--encoding"),
        (&format!("advise --sass {file}"), "--encoding"),
        (
            &format!("advise --sass {file} --encoding rpn --stack-dim 2"),
            "check --encoding",
        ),
    ]);
}

/// Rows that a custom kernel ran are predicted from its listing, as the built-in kernel's with the same machine code, in their own order.
#[test]
fn measured_rows_of_a_custom_kernel_are_validated_with_its_listing() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string("fixtures/measured/h200/fresh/1-mux20-evolved.csv").unwrap();
    let of = |line: &&str| line.contains(",rpn,4,0,") || line.contains(",rpn,1,0,");
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    // In another order than the kernels': the lines keep the file's.
    let mut built_in: Vec<&str> = lines.filter(of).collect();
    built_in.reverse();
    let built_in = format!("{header}\n{}\n", built_in.join("\n"));
    let custom = built_in.replace(",rpn,4,0,", ",mine.sass,4,0,");
    assert_ne!(custom, built_in);
    let [built_in, custom] = [("a.csv", built_in), ("b.csv", custom)]
        .map(|(name, text)| listing(folder.path(), name, &text));
    let code = Variant::new(KernelId::Rpn, ProblemId::Mux20, 4, Arch::Sm90);
    let file = listing(folder.path(), "mine.sass", &code.sass().unwrap());
    let validate = |rows: &str, more: &str| {
        format!(
            "validate --device h200 --engine analytical --format csv --measured {rows} --programs \
             fixtures/measured/programs/fresh/1-mux20-evolved.txt {more}"
        )
    };
    let own = stdout(&validate(&custom, &format!("--sass {file} --encoding rpn")));
    let named = stdout(&validate(&built_in, ""));
    let column = |text: &str, name: &str| -> Vec<String> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let at = reader.headers().unwrap().iter().position(|one| one == name);
        let rows = reader
            .records()
            .map(|row| row.unwrap()[at.unwrap()].to_owned());
        rows.collect()
    };
    assert_eq!(column(&own, "kernel"), ["mine.sass", "rpn", "rpn"]);
    assert_eq!(column(&own, "predicted_ms"), column(&named, "predicted_ms"));
    // A custom kernel was never measured here.
    assert_eq!(
        column(&own, "support"),
        ["outside", "validated", "validated"]
    );
    refuses(&[
        (
            &validate(&custom, ""),
            "b.csv, line|field kernel|mine.sass|--sass",
        ),
        (
            &validate(&custom, &format!("--sass {file} --encoding lgp")),
            "mine.sass|check --encoding",
        ),
        (
            &validate(&built_in, &format!("--sass {file} --encoding rpn")),
            "a.csv|no row of a custom kernel",
        ),
        (
            &format!("validate --device h200 --sass {file} --encoding rpn"),
            "--measured",
        ),
    ]);
}
