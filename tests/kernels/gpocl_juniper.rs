//! GPOCL on the Radeon HD 5750: do all machine values have an effect, and do the strategies compare as in the paper?

use warpstack::device::numbers::Numbers;
use warpstack::systems::gpocl::juniper::kernel::Placement;
use warpstack::systems::gpocl::juniper::{DEVICE, Predictor};
use warpstack::systems::gpocl::{Domain, GpoclConfiguration, Strategy};
use warpstack::util::band::Band;
use warpstack::vliw::preset::{Machine, VliwPreset};

fn cell(strategy: Strategy, population: u32, dataset: u32) -> GpoclConfiguration {
    GpoclConfiguration {
        strategy,
        domain: Domain::Regression,
        population,
        dataset,
    }
}

/// Small launches that show every part of the machine.
fn speeds(machine: Machine) -> Vec<String> {
    let cells = [
        cell(Strategy::Fp, 3, 300),
        cell(Strategy::Pppe, 600, 2),
        cell(Strategy::Ppcu, 60, 300),
    ];
    let predictor = Predictor::new(VliwPreset::load(DEVICE).expect("a preset"), 1);
    let mut all = Vec::new();
    for cell in cells {
        for placement in Placement::ALL {
            let speed = predictor.speed(cell, placement, machine);
            all.push(format!("{:?}", speed.map_err(|error| error.to_string())));
        }
    }
    all
}

#[test]
fn every_value_of_the_preset_changes_a_prediction() {
    let preset = VliwPreset::load(DEVICE).expect("a preset");
    let usual = speeds(preset.machine);
    for entry in &preset.entries {
        let value = entry.number().expect("a number");
        let changed = |factor: f64| {
            let value = (value * factor).max(1.0);
            speeds(preset.machine.with(&entry.field, value))
        };
        let acts = changed(0.125) != usual || changed(8.0) != usual;
        assert!(acts, "{} is read by nothing", entry.key());
    }
}

#[test]
fn programs_that_diverge_are_the_slowest_way() {
    let predictor = Predictor::new(VliwPreset::load(DEVICE).expect("a preset"), 1);
    let band = |strategy| {
        predictor
            .band(cell(strategy, 1_000, 1_000))
            .expect("a band")
    };
    let (pppe, ppcu) = (band(Strategy::Pppe), band(Strategy::Ppcu));
    assert!(pppe.high < ppcu.low, "{pppe:?} {ppcu:?}");
}

#[test]
fn few_cases_leave_the_fitness_parallel_way_idle() {
    let predictor = Predictor::new(VliwPreset::load(DEVICE).expect("a preset"), 1);
    let central = |dataset| {
        let band = predictor.band(cell(Strategy::Fp, 1_000, dataset));
        band.expect("a band").value
    };
    assert!(4.0 * central(100) < central(10_000));
}

#[test]
fn a_band_holds_its_central_value_and_repeats() {
    let preset = || VliwPreset::load(DEVICE).expect("a preset");
    let ask = || {
        Predictor::new(preset(), 7)
            .band(cell(Strategy::Ppcu, 50, 100))
            .expect("a band")
    };
    let Band { low, value, high } = ask();
    assert!(0.0 < low && low < value && value < high);
    assert_eq!(ask(), Band { low, value, high });
}

#[test]
fn an_empty_population_is_refused() {
    let predictor = Predictor::new(VliwPreset::load(DEVICE).expect("a preset"), 1);
    let error = predictor
        .band(cell(Strategy::Fp, 0, 100))
        .expect_err("no programs");
    assert_eq!(
        error.to_string(),
        "population: given 0; allowed: at least 1"
    );
}
