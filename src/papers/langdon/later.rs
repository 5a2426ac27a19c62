//! Later generations: Figure 7's speeds, the solution's proof, and whole runs with the host.
//!
//! Models: generations of given mean sizes, with section 7's choice of 64 threads per program in blocks of 64; transfers at
//! section 8's rates; the host ([`super::host`]). Leaves out: how sizes develop in a run: one stands for all.
//! Units: billions of GP operations per second, percent. Sources: Langdon 2010, sections 4, 7, 8, Figure 7.

use super::card::Card;
use super::experiment::Experiment;
use super::figures::{INSTRUCTIONS, SPEED};
use super::generation::{Generation, Launching, Programs};
use super::host::Host;
use super::predict::{Layout, predict_generation};
use super::proof;
use crate::device::{Device, Preset};
use crate::gpu::variant::Arch;
use crate::isa::nv50;
use crate::papers::figure::Figure;
use crate::predict::PredictError;
use rayon::prelude::*;

/// Section 7's choice.
const LAYOUT: Layout = Layout {
    threads_per_program: 64,
    threads_per_block: 64,
};
/// What a generation of large programs executed takes some hundred megabytes.
const TOGETHER: usize = 3;
/// The card whose host's part of a run is published.
const HOST_OF: &str = "gtx295";

/// A device, and how it is used.
#[derive(Debug, Clone, Copy)]
pub struct On<'a> {
    /// In the configurations.
    pub name: &'a str,
    pub device: &'a Device,
    pub arch: Arch,
    pub launching: Launching,
    pub seed: u64,
}

impl<'a> On<'a> {
    /// Devices of compute capability 1.x are used as the paper did, any other as `measure` does.
    pub fn new(name: &'a str, device: &'a Device, arch: Arch, seed: u64) -> Self {
        let launching = match nv50::target(&device.code) {
            Some(_) => Launching::PapersGrids,
            None => Launching::OneGrid,
        };
        On {
            name,
            device,
            arch,
            launching,
            seed,
        }
    }
}

pub fn figures(on: On) -> Result<Vec<Figure>, PredictError> {
    let of_experiments = Experiment::ALL.map(|experiment| on.experiment(&experiment));
    let figures = of_experiments.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(figures.concat())
}

impl On<'_> {
    fn experiment(self, experiment: &Experiment) -> Result<Vec<Figure>, PredictError> {
        let mut speeds = Vec::new();
        for some in experiment.sizes.chunks(TOGETHER) {
            let predicted = some.par_iter().map(|&size| self.speed(experiment, size));
            speeds.extend(predicted.collect::<Result<Vec<f64>, _>>()?);
        }
        let proof = proof::predict(self.device, self.arch, experiment, self.seed)?;
        let hosts = self.hosts(experiment, speeds[Experiment::OF_A_RUN])?;
        let mux = experiment.mux.name;
        let mut figures = vec![Figure {
            experiment: "section 8",
            configuration: format!("{}, {mux}, the solution in constant memory", self.name),
            quantity: INSTRUCTIONS,
            predicted: proof.warp_instructions_per_node,
        }];
        for (card, own) in Card::of(self.name, self.device).iter().zip(&hosts) {
            for (size, &speed) in experiment.sizes.iter().zip(&speeds) {
                figures.push(Figure {
                    experiment: "figure 7",
                    configuration: format!("{}, {mux}, mean of {size} nodes", card.name),
                    quantity: SPEED,
                    predicted: card.speed(speed),
                });
            }
            figures.push(Figure {
                experiment: "section 8",
                configuration: format!("{}, {mux}, the solution in constant memory", card.name),
                quantity: SPEED,
                predicted: card.speed(proof.gpops_billion),
            });
            let size = experiment.sizes[Experiment::OF_A_RUN];
            let speed = card.with_transfers(experiment, size, speeds[Experiment::OF_A_RUN]);
            figures.push(Figure {
                experiment: "section 4",
                configuration: format!("{}, {mux}", card.name),
                quantity: "speed without the host, with transfers (billion GPop/s)",
                predicted: speed,
            });
            for (beside, host) in own {
                let configuration = format!("{}, {mux}{beside}", card.name);
                figures.extend(whole_run(configuration, *host, speed, beside.is_empty()));
            }
        }
        Ok(figures)
    }

    /// In the kernel, of programs with `mean_nodes`, on one chip.
    fn speed(self, experiment: &Experiment, mean_nodes: u32) -> Result<f64, PredictError> {
        let generation = Generation {
            experiment: *experiment,
            programs: Programs::Evolved { mean_nodes },
            launching: self.launching,
        };
        let speed = predict_generation(self.device, self.arch, LAYOUT, &generation, self.seed)?;
        Ok(speed.gpops_billion)
    }

    /// For every card of this device the hosts that it may have, and what is said of each in a configuration. The device whose
    /// host is known has its own; any other has the host of either of the cards that the known one may be.
    fn hosts(
        self,
        experiment: &Experiment,
        own: f64,
    ) -> Result<Vec<Vec<(String, Host)>>, PredictError> {
        let size = experiment.sizes[Experiment::OF_A_RUN];
        let of_share = |card: &Card, speed: f64| {
            let speed = card.with_transfers(experiment, size, speed);
            Host::of_share(experiment.host_share, speed)
        };
        if self.device.name == HOST_OF {
            let cards = Card::of(self.name, self.device);
            let own = cards
                .iter()
                .map(|card| (String::new(), of_share(card, own)));
            return Ok(own.map(|host| vec![host]).collect());
        }
        let known = Preset::load(HOST_OF).map_err(PredictError::other)?.device;
        let beside = On::new(HOST_OF, &known, Arch::Sm35, self.seed);
        let speed = beside.speed(experiment, size)?;
        let host = |card: &Card| (format!(", host of {}", card.name), of_share(card, speed));
        Ok(vec![Card::of(HOST_OF, &known).iter().map(host).collect()])
    }
}

/// `is_input`: the host's part is where the host comes from.
fn whole_run(configuration: String, host: Host, speed: f64, is_input: bool) -> [Figure; 2] {
    [
        Figure {
            experiment: "figure 7",
            configuration: configuration.clone(),
            quantity: "average of a run with the host (billion GPop/s)",
            predicted: host.average(speed),
        },
        Figure {
            experiment: "section 4",
            configuration,
            quantity: match is_input {
                true => "the host's part of a run (%): an input",
                false => "the host's part of a run (%)",
            },
            predicted: 100.0 * host.share(speed),
        },
    ]
}
