//! Do the fuzz targets take what they begin with, and everything that once ended one of them (`fuzz/crashes/TARGET/`)?

#[path = "../../fuzz/src/targets/mod.rs"]
mod targets;

use std::path::Path;

#[test]
fn seeds_and_former_crashes() {
    let crashes = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/crashes");
    let mut known = Vec::new();
    for target in targets::all() {
        let seeds = (target.seeds)();
        assert!(!seeds.is_empty(), "{}", target.name);
        for seed in seeds {
            (target.run)(&seed);
        }
        known.push(target.name);
    }
    for folder in std::fs::read_dir(crashes).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert!(known.contains(&name), "{name} is no target");
        let target = targets::all()
            .into_iter()
            .find(|target| target.name == name);
        for file in std::fs::read_dir(&folder).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            (target.as_ref().unwrap().run)(&bytes);
        }
    }
}
