//! Presets, and what both performance models predict on them.

use super::text;
use std::sync::{Arc, LazyLock};
use warpstack::device::Preset;
use warpstack::gp::problem::ProblemId;
use warpstack::gp::programs::Population;
use warpstack::gp::workload::measured_programs;
use warpstack::isa::Arch;
use warpstack::launch::CarveOut;
use warpstack::predictor::{Kind, Predictor, Settings};
use warpstack::systems::chitty::request::{Cases, Request};
use warpstack::systems::chitty::variant::{KernelId, Variant};

struct Predicted {
    simulator: Predictor,
    model: Predictor,
    requests: [Request; 2],
}

static PREDICTED: LazyLock<Predicted> = LazyLock::new(|| {
    let mut settings = Settings::default();
    let plan = &mut settings.simulator.plan;
    plan.window.instructions = (2_000, 4_000);
    plan.partial_instructions = 1_000;
    plan.least_partial_instructions = 500;
    let device = Preset::load("gtx670").expect("a committed preset").device;
    let simulator = Predictor::with_settings(device, settings);
    let mut programs = measured_programs(ProblemId::Sextic).expect("committed programs");
    programs.truncate(2);
    let programs = Arc::new(Population::of_list(&programs, 20).expect("programs"));
    let request = |arch| Request {
        kernel: Variant::new(KernelId::Rpn, ProblemId::Sextic, 2, arch).into(),
        programs: Arc::clone(&programs),
        cases: Cases::of(ProblemId::Sextic, 512),
        threads_per_block: 128,
        case_blocks: 1,
        carve_out: CarveOut::Default,
    };
    Predicted {
        model: simulator.with_engine(Kind::Analytical),
        simulator,
        requests: [request(Arch::Sm35), request(Arch::Sm90)],
    }
});

pub fn seeds() -> Vec<Vec<u8>> {
    let texts = ["gtx670", "h200", "g80"]
        .into_iter()
        .filter_map(|name| Preset::text(name).ok());
    texts.map(|text| text.into_bytes()).collect()
}

pub fn run(bytes: &[u8]) {
    let Ok(preset) = Preset::from_toml(&text(bytes), "fuzz.toml") else {
        return;
    };
    for request in &PREDICTED.requests {
        for engine in [&PREDICTED.model, &PREDICTED.simulator] {
            let engine = engine.on(preset.device.clone());
            if let Ok(found) = engine.predict_request(request) {
                let speed = found.gpops_billion;
                assert!(speed.is_finite() && speed > 0.0, "predicts {speed} GPop/s");
            }
        }
    }
}
