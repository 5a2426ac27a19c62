//! Later generations: Figure 7's speeds, the solution's proof, and whole runs with the host.
//!
//! Models: generations of given mean sizes, with section 7's choice of 64 threads per program in blocks of 64; transfers at
//! section 8's rates; the host ([`super::host`]). Leaves out: how sizes develop in a run: one stands for all.
//! Units: billions of GP operations per second, percent. Sources: Langdon 2010, sections 4, 7, 8, Figure 7.

use super::card::Card;
use super::experiment::Experiment;
use super::figures::{INSTRUCTIONS, SPEED, SPEED_HEAVIER};
use super::generation::{Generation, Launching, Programs};
use super::host::Host;
use super::predict::{Layout, predict_generation};
use super::proof::{self, Proof};
use crate::device::{Device, Preset};
use crate::isa::nv50;
use crate::launch::prediction::PredictError;
use crate::systems::figure::Figure;
use crate::systems::heavier;
use crate::systems::machine::Bench;
use crate::util::parallel;

/// Section 7's choice.
const LAYOUT: Layout = Layout {
    threads_per_program: 64,
    threads_per_block: 64,
};
/// What a generation of large programs executed takes some hundred megabytes.
const TOGETHER: usize = 3;
/// The card whose host's part of a run is published.
const HOST_OF: &str = "gtx295";

/// What the rows are called.
#[derive(Debug, Clone, Copy)]
struct Quantities {
    speed: &'static str,
    in_a_run: &'static str,
    average: &'static str,
    /// The host's part, where it is an input and where it is not.
    shares: Option<[&'static str; 2]>,
}

impl Quantities {
    const TIGHT: Self = Quantities {
        speed: SPEED,
        in_a_run: "speed without the host, with transfers (billion GPop/s)",
        average: "average of a run with the host (billion GPop/s)",
        shares: Some([
            "the host's part of a run (%): an input",
            "the host's part of a run (%)",
        ]),
    };
    const HEAVIER: Self = Quantities {
        speed: SPEED_HEAVIER,
        in_a_run: "speed without the host, with transfers (billion GPop/s), heavier compiler",
        average: "average of a run with the host (billion GPop/s), heavier compiler",
        shares: None,
    };
}

/// A device, and how it is used.
#[derive(Debug, Clone, Copy)]
pub struct As<'a> {
    /// In the configurations.
    pub name: &'a str,
    pub on: Bench<'a>,
    pub launching: Launching,
    pub seed: u64,
}

impl<'a> As<'a> {
    /// Devices of compute capability 1.x are used as the paper did, any other as `measure` does.
    pub fn new(name: &'a str, on: Bench<'a>, seed: u64) -> Self {
        let launching = match nv50::target(&on.device.code) {
            Some(_) => Launching::PapersGrids,
            None => Launching::OneGrid,
        };
        As {
            name,
            on,
            launching,
            seed,
        }
    }

    /// Another device in its place.
    pub fn with<'b>(self, device: &'b Device) -> As<'b>
    where
        'a: 'b,
    {
        As {
            on: self.on.with(device),
            ..self
        }
    }
}

pub fn figures(on: As) -> Result<Vec<Figure>, PredictError> {
    let of_experiments = Experiment::ALL.map(|experiment| on.experiment(&experiment));
    let figures = of_experiments.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(figures.concat())
}

impl As<'_> {
    fn experiment(self, experiment: &Experiment) -> Result<Vec<Figure>, PredictError> {
        let mut speeds = Vec::new();
        for some in experiment.sizes.chunks(TOGETHER) {
            let predicted = parallel::try_map(some, |&size| self.speed(experiment, size));
            speeds.extend(predicted?);
        }
        let mux = experiment.mux.id;
        let mut figures = Vec::new();
        for card in Card::of(self.name, self.on.device) {
            for (size, &speed) in experiment.sizes.iter().zip(&speeds) {
                figures.push(Figure {
                    experiment: "figure 7",
                    configuration: format!("{}, {mux}, mean of {size} nodes", card.name),
                    quantity: SPEED,
                    predicted: card.speed(speed),
                });
            }
        }
        let proof = self.proof(experiment)?;
        figures.push(Figure {
            experiment: "section 8",
            configuration: format!("{}, {mux}, the solution in constant memory", self.name),
            quantity: INSTRUCTIONS,
            predicted: proof.warp_instructions_per_node,
        });
        let in_kernel = speeds[Experiment::OF_A_RUN];
        figures.extend(self.published(experiment, in_kernel, proof, Quantities::TIGHT)?);
        if let Some(device) = heavier::device(self.on.device) {
            let on = self.with(&device);
            let in_kernel = on.speed(experiment, experiment.sizes[Experiment::OF_A_RUN])?;
            let proof = on.proof(experiment)?;
            figures.extend(on.published(experiment, in_kernel, proof, Quantities::HEAVIER)?);
        }
        Ok(figures)
    }

    fn proof(self, experiment: &Experiment) -> Result<Proof, PredictError> {
        proof::predict(self.on, experiment, self.seed)
    }

    /// What the paper has a number for. `in_kernel`: of one chip with programs of a run's size.
    fn published(
        self,
        experiment: &Experiment,
        in_kernel: f64,
        proof: Proof,
        quantities: Quantities,
    ) -> Result<Vec<Figure>, PredictError> {
        let hosts = self.hosts(experiment, in_kernel)?;
        let mux = experiment.mux.id;
        let mut figures = Vec::new();
        for (card, own) in Card::of(self.name, self.on.device).iter().zip(&hosts) {
            figures.push(Figure {
                experiment: "section 8",
                configuration: format!("{}, {mux}, the solution in constant memory", card.name),
                quantity: quantities.speed,
                predicted: card.speed(proof.gpops_billion),
            });
            let size = experiment.sizes[Experiment::OF_A_RUN];
            let speed = card.with_transfers(experiment, size, in_kernel);
            figures.push(Figure {
                experiment: "section 4",
                configuration: format!("{}, {mux}", card.name),
                quantity: quantities.in_a_run,
                predicted: speed,
            });
            for (beside, host) in own {
                let configuration = format!("{}, {mux}{beside}", card.name);
                figures.push(Figure {
                    experiment: "figure 7",
                    configuration: configuration.clone(),
                    quantity: quantities.average,
                    predicted: host.average(speed),
                });
                let share = quantities.shares.map(|[input, found]| Figure {
                    experiment: "section 4",
                    configuration,
                    quantity: if beside.is_empty() { input } else { found },
                    predicted: 100.0 * host.share(speed),
                });
                figures.extend(share);
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
        let speed = predict_generation(self.on, LAYOUT, &generation, self.seed)?;
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
        if self.on.device.name == HOST_OF {
            let cards = Card::of(self.name, self.on.device);
            let own = cards
                .iter()
                .map(|card| (String::new(), of_share(card, own)));
            return Ok(own.map(|host| vec![host]).collect());
        }
        let known = Preset::load(HOST_OF).map_err(PredictError::other)?.device;
        let known = match heavier::is_heavier(self.on.device) {
            true => heavier::device(&known).unwrap_or(known),
            false => known,
        };
        let beside = As {
            name: HOST_OF,
            ..self.with(&known)
        };
        let speed = beside.speed(experiment, size)?;
        let host = |card: &Card| (format!(", host of {}", card.name), of_share(card, speed));
        Ok(vec![Card::of(HOST_OF, &known).iter().map(host).collect()])
    }
}
