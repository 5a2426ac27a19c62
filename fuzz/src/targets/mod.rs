//! Fuzz targets: a name, first inputs, and the function that reads them.

mod data;
mod machine_code;
mod presets;
mod runs;
mod studies;
mod tools;

/// A reader that must take any bytes without a panic, and in little time.
pub struct Target {
    pub name: &'static str,
    pub seeds: fn() -> Vec<Vec<u8>>,
    pub run: fn(&[u8]),
}

const fn target(name: &'static str, seeds: fn() -> Vec<Vec<u8>>, run: fn(&[u8])) -> Target {
    Target { name, seeds, run }
}

pub fn all() -> Vec<Target> {
    vec![
        target("sass", machine_code::seeds, machine_code::run),
        target("preset", presets::seeds, presets::run),
        target("corpus", runs::corpus_seeds, runs::corpus),
        target("traceg", tools::traceg_seeds, tools::traceg),
        target("ncu", tools::ncu_seeds, tools::ncu),
        target("journal", studies::journal_seeds, studies::journal),
        target("study", studies::study_seeds, studies::study),
        target("shuttle", data::shuttle_seeds, data::shuttle),
        target("kddcup", data::kddcup_seeds, data::kddcup),
    ]
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
