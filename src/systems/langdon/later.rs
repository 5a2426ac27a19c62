//! Later generations: Figure 7's speeds, the solution's proof, and whole runs with the host.
//!
//! Models: generations of given mean sizes, with section 7's choice of 64 threads per program in blocks of 64; transfers at
//! section 8's rates; the host ([`super::host`]). Leaves out: the growth of programs in a run; one size represents all.
//! Units: billions of GP operations per second, percent. Sources: Langdon 2010, sections 4, 7, 8, Figure 7.

use super::card::Card;
use super::experiment::Experiment;
use super::generation::{LangdonGeneration, Launching, Programs};
use super::host::Host;
use super::predict::{LangdonLayout, predict_generation};
use super::proof::{self, Proof};
use super::published::PaperCard;
use crate::device::{Device, Preset};
use crate::isa::nv50::{self, LOOSE};
use crate::launch::prediction::PredictError;
use crate::systems::figure::Figure;
use crate::systems::machine::Machine;
use crate::util::band::Band;
use crate::util::parallel;

/// Layout chosen in section 7.
const LAYOUT: LangdonLayout = LangdonLayout {
    threads_per_program: 64,
    threads_per_block: 64,
};
/// Number of generations predicted in parallel: the execution of one with large programs takes some hundred megabytes.
const TOGETHER: usize = 3;
/// Card for which the host's share of a run is published.
const HOST_OF: &str = PaperCard::Gtx295.name();

pub(super) const INSTRUCTIONS: &str = "warp instructions per node of a warp";
pub(super) const SPEED: &str = "speed (billion GPop/s)";
const IN_A_RUN: &str = "speed without the host, with transfers (billion GPop/s)";
const AVERAGE: &str = "average of a run with the host (billion GPop/s)";

/// One reading of an experiment's published quantities: one or both chips, a compiler's code, a host.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// Speed with the solution in constant memory.
    pub constant: f64,
    /// Speed of a run without the host.
    pub in_a_run: f64,
    pub host: Host,
}

/// A device, with its name and way of launching.
#[derive(Debug, Clone, Copy)]
pub struct As<'a> {
    /// Name in the configurations.
    pub name: &'a str,
    pub on: Machine<'a>,
    pub launching: Launching,
    pub seed: u64,
}

impl<'a> As<'a> {
    /// Launches on devices of compute capability 1.x as in the paper, on others like `measure`.
    pub fn new(name: &'a str, on: Machine<'a>, seed: u64) -> Self {
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

    /// Returns the same settings with another device.
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
                let place = format!("{}, {mux}, mean of {size} nodes", card.name);
                figures.push(Figure::new("figure 7", place, SPEED, card.speed(speed)));
            }
        }
        let proof = self.proof(experiment)?;
        let place = format!("{}, {mux}, the solution in constant memory", self.name);
        let instructions = proof.warp_instructions_per_node;
        figures.push(Figure::new("section 8", place, INSTRUCTIONS, instructions));
        let mut readings = self.readings(experiment, speeds[Experiment::OF_A_RUN], proof)?;
        if let Some(device) = self.on.heavier() {
            let on = self.with(&device);
            let speed = on.speed(experiment, experiment.sizes[Experiment::OF_A_RUN])?;
            readings.extend(on.readings(experiment, speed, on.proof(experiment)?)?);
        }
        let is_host_known = self.on.device.name == HOST_OF;
        figures.extend(published(self.name, experiment, is_host_known, &readings));
        Ok(figures)
    }

    fn proof(self, experiment: &Experiment) -> Result<Proof, PredictError> {
        proof::predict(self.on, experiment, self.seed)
    }

    /// Returns the readings with one compiler's code. Each card has its own host where the host's share is known, otherwise each
    /// of the known hosts. `in_kernel` is the speed of one chip with programs of a run's size.
    fn readings(
        self,
        experiment: &Experiment,
        in_kernel: f64,
        proof: Proof,
    ) -> Result<Vec<Reading>, PredictError> {
        let size = experiment.sizes[Experiment::OF_A_RUN];
        let host = |speed| Host::of_share(experiment.host_share, speed);
        let cards = Card::of(self.name, self.on.device).into_iter();
        let of_card = |card: Card| {
            let in_a_run = card.with_transfers(experiment, size, in_kernel);
            Reading {
                constant: card.speed(proof.gpops_billion),
                in_a_run,
                host: host(in_a_run),
            }
        };
        let readings = cards.map(of_card);
        if self.on.device.name == HOST_OF {
            return Ok(readings.collect());
        }
        let mut known = Preset::load(HOST_OF).map_err(PredictError::other)?.device;
        if self.on.device.code.ends_with(LOOSE) {
            known.code += LOOSE;
        }
        let beside = self.with(&known).speed(experiment, size)?;
        let hosts = Card::of(HOST_OF, &known).into_iter();
        let hosts = hosts.map(|card| host(card.with_transfers(experiment, size, beside)));
        let hosts: Vec<Host> = hosts.collect();
        let of_hosts = |one| hosts.iter().map(move |&host| Reading { host, ..one });
        Ok(readings.flat_map(of_hosts).collect())
    }

    /// Returns the kernel speed of one chip on programs with `mean_nodes`.
    fn speed(self, experiment: &Experiment, mean_nodes: u32) -> Result<f64, PredictError> {
        let generation = LangdonGeneration {
            experiment: *experiment,
            programs: Programs::Evolved { mean_nodes },
            launching: self.launching,
        };
        let speed = predict_generation(self.on, LAYOUT, &generation, self.seed)?;
        Ok(speed.gpops_billion)
    }
}

/// Returns the figures of an experiment that the paper publishes; the first reading is the primary one.
pub(super) fn published(
    name: &str,
    experiment: &Experiment,
    is_host_known: bool,
    readings: &[Reading],
) -> Vec<Figure> {
    let over = |of: fn(&Reading) -> f64| Band::over(readings.iter().map(of));
    let of_mux = format!("{name}, {}", experiment.mux.id);
    let of_solution = format!("{of_mux}, the solution in constant memory");
    let share = |one: &Reading| 100.0 * one.host.share(one.in_a_run);
    const SHARE: &str = "the host's part of a run (%)";
    const INPUT: &str = "the host's part of a run (%): an input";
    let (of_run, of_host, share) = match is_host_known {
        true => (of_mux.clone(), INPUT, share(&readings[0]).into()),
        false => (format!("{of_mux}, host of {HOST_OF}"), SHARE, over(share)),
    };
    let [constant, in_a_run, average] = experiment.published.map(|id| id.of(name));
    let of_average = over(|one| one.host.average(one.in_a_run));
    vec![
        Figure::new("section 8", of_solution, SPEED, over(|one| one.constant)).of(constant),
        Figure::new("section 4", of_mux, IN_A_RUN, over(|one| one.in_a_run)).of(in_a_run),
        Figure::new("figure 7", &of_run, AVERAGE, of_average).of(average),
        Figure::new("section 4", of_run, of_host, share),
    ]
}
